# diff writes a page with both runs, the verdict and the table
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 0.1 -o a.mbt
"$MBSIM" run s.json -q -d 0.1 -o 'c<d.mbt' --set '/bodies/0/velocity/angular=[0.0010001,10,0]'
if ! "$MBSIM" version | grep -q 'the page of view'; then
  # without node: told so before anything is compared
  "$MBSIM" diff a.mbt a.mbt --report r.html 2>message
  [ $? -eq 5 ] && grep -q 'make deps' message && [ ! -e r.html ] && cat "$TESTS/cases/report.out"
  exit
fi
cat >report.py <<'PY'
import base64, json, re, sys
page = open(sys.argv[1]).read()
runs = re.findall(r'<script type="application/x-mbt" data-name="([^"]*)">([^<]*)</script>', page)
print([(name, base64.b64decode(text) == open(file, "rb").read()) for (name, text), file in zip(runs, sys.argv[2:])])
(text,) = re.findall(r'<script type="application/json" id="mbsim-report">([^<]*)</script>', page)
report = json.loads(text)
print({k: report[k] for k in ("a", "b", "same", "status", "atol", "rtol", "interpolate", "frames")})
print(report["verdict"].split(":")[0])
for c in report["channels"]:
    print(c["channel"], c["unit"], c["pass"], c["atol"], "worst" in c, c.get("first", {}).get("time"))
PY
"$MBSIM" diff a.mbt 'c<d.mbt' --report r.html --channel energy=1e-3,0 --top 1 >table; echo "exit $?, $(grep -cE '^  (body|energy|mom)' table) of the table"
"$PYTHON" report.py r.html a.mbt 'c<d.mbt'
t diff a.mbt a.mbt --report same.html -q
"$PYTHON" report.py same.html a.mbt a.mbt >told; head -n 3 told
t diff a.mbt 'c<d.mbt' --report r.html
t diff a.mbt 'c<d.mbt' --report r.html -f -q
t diff a.mbt 'c<d.mbt' --report a.mbt -f -q
t diff a.mbt 'c<d.mbt' --report - -q
t diff a.mbt a.mbt a.mbt --write-tolerances tol.json --report new.html
mkdir one two && cp a.mbt one && cp a.mbt two
t diff one two --report new.html
t diff a.mbt nothing.mbt --report new.html
(ulimit -f 1 && exec "$MBSIM" diff a.mbt a.mbt -q --report new.html) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
ls
