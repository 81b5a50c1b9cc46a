# comparing: same, different, not comparable, unreadable
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 0.5 -o a.mbt
"$MBSIM" run s.json -q -d 0.5 -o b.mbt
"$MBSIM" run s.json -q -d 0.5 -o c.mbt --set '/bodies/0/velocity/angular=[0.0010001,10,0]'
"$MBSIM" run s.json -q -d 0.5 -o fine.mbt --error fine
t diff a.mbt b.mbt
"$MBSIM" diff a.mbt c.mbt >out
echo "exit $?"
grep -c FAIL out
tail -n 1 out | cut -c 1-7
t diff a.mbt c.mbt --absolute 1 | tail -n 1
t diff --relative=1 c.mbt a.mbt | tail -n 1
t diff a.mbt c.mbt --top 1 | grep -cE '^  (body|energy|momentum)'
"$MBSIM" diff a.mbt c.mbt --json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
print(sorted(d), d["same"], sorted(d["channels"][0]["worst"]))'
t diff a.mbt fine.mbt | tail -n 1
t diff a.mbt b.mbt c.mbt --write-tolerances tol.json
"$PYTHON" -c 'import json; t = json.load(open("tol.json")); print(sorted(t["channels"]))'
t diff a.mbt c.mbt --tolerances tol.json | tail -n 1
t diff a.mbt b.mbt --tolerances s.json
t diff a.mbt missing.mbt
t diff a.mbt s.json
