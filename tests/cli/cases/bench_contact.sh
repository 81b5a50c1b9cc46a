# times are the machine's
b() { t bench contact "$@" | sed -E 's/ +[0-9.]+ ms/ N ms/'; }

# a block that slides: the natural map tells that it is solved; pivoting takes no exact cone
cat >slides.json <<JSON
{ "name": "slides", "contacts": 1, "mu": 0.3, "q": [-1, 0.8, 0],
  "row_start": [0, 1, 2, 3], "column": [0, 1, 2], "value": [0.5, 0.5, 0.5], "reference": { "anything": [1] } }
JSON
b slides.json | sed -E 's/map +[0-9.e+-]+/map X/'
# a joint's row, a limit, a motor and a contact in a pyramid, all in one problem
cat >mixed.json <<JSON
{ "rows": [ { "type": "both_ways" }, { "type": "one_way" }, { "type": "bounded" }, { "type": "contact" } ],
  "cone": "pyramid", "sides": 6, "mu": [0.5], "most": [0.25], "q": [1, -1, 1, -1, 2, 0],
  "row_start": [0, 2, 4, 5, 6, 7, 8], "column": [0, 1, 0, 1, 2, 3, 4, 5], "value": [2, 1, 1, 2, 1, 1, 1, 1] }
JSON
b -m auto -m gauss_seidel mixed.json | sed -E 's/map +[0-9.e+-]+/map X/'
t bench contact -m auto --json mixed.json | sed -E 's/("seconds"|"natural_map"):.*[0-9]/\1: N/'

# none comes to the tolerance: two feet that ask for what no impulse can give
cat >never.json <<JSON
{ "rows": [ { "type": "both_ways", "count": 2 } ], "q": [1, -1], "row_start": [0, 2, 4], "column": [0, 1, 0, 1], "value": [1, 1, 1, 1] }
JSON
b -m gauss_seidel -m admm never.json

# what is wrong with a file is told with its place, and the worst of several files is the status
sed 's/"column": \[0, 1, 2\]/"column": [0, 1, 7]/' slides.json >column.json
sed 's/"q"/"qq"/' slides.json >unknown.json
sed 's/0.5, 0.5, 0.5/0.5, 0.5/' slides.json >short.json
sed 's/"contacts": 1/"contacts": 2/' slides.json >count.json
echo '{ "q": [1, 2], "mu": 1, "row_start": [0, 1, 2], "column": [0, 1], "value": [1, 1] }' >two.json
echo '{ "rows": [{"type": "one_way", "count": 2}], "q": [1, 2], "row_start": [0, 2, 3], "column": [0, 1, 1], "value": [2, 1, 2] }' >skew.json
echo '{ "q": [1, 2' >cut.json
t bench contact -m auto column.json unknown.json short.json count.json two.json skew.json cut.json nowhere.json
t bench contact -m auto --json skew.json
t bench contact -m gaussseidel slides.json
t bench contact
t bench contacts slides.json
t bench --tolerance 1
t bench contact --bodies 3 slides.json
t bench contact --function minimum slides.json
