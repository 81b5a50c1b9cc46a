# the log in JSON, and progress
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json --log json --checkpoint 2 2>log
"$PYTHON" - <<'PY'
import json
for line in open("log"):
    event = json.loads(line)
    print(event.pop("event"), " ".join(sorted(event)))
PY
"$MBSIM" run s.json -f --duration 1000 --every 1000 --progress always 2>log
tr '\r' '\n' <log | grep -cE '[0-9]+ %  t = .* s  .*x real time  .* steps/s  .* left' | sed 's/[1-9][0-9]*/some/'
"$MBSIM" run s.json -f --progress never 2>&1 | grep -c %
"$MBSIM" run s.json -f -q 2>&1
# an unreadable stderr is no reason to fail
"$MBSIM" run s.json -f 2>/dev/full && echo fine
# errors of every kind are events, those of a command line that makes no sense too
t run --log json
t run s.json --log=json --frobnicate 3
t run s.json --log json --step -1
t run missing.json --log json
"$PYTHON" -c 'print("{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 1}, \"gravity\": [" + "0," * 2 + "0], \"bodies\": [" + ",".join(["{}"] * 30) + "]}")' >many.json
"$MBSIM" run many.json --log json 2>&1 | tail -n 1
