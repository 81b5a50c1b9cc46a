# options that stand for values of the scene
cat >s.json <<'JSON'
{ "mbsim": 1, "parameters": { "m": 2 }, "time": { "step": 0.01, "steps": 50 },
  "bodies": [ { "name": "a", "shape": { "type": "sphere", "radius": 1 }, "mass": "=m" } ],
  "output": { "interval": 0.05, "error": "fine" } }
JSON
plan() { t validate s.json "$@" | grep -E '^(\$|!|\[|time|output|solver)' | mask; }
plan
plan --duration 2
plan --steps 3
plan --step 0.005
plan --every 7
plan --integrator rk45 --solver maximal
plan --set /time/steps=7
plan --set /time/step=0.02 --duration 1
plan --param m=0
plan --param q=1
plan --set /bodies/0/mas=3
plan --set nonsense
plan --set /time/step=-1 --set /output/channels=3 --duration 1
plan --error view --checkpoint 0.1
resolved() {
  "$MBSIM" run s.json -f -q "$@" && "$MBSIM" info s.mbt --json |
    "$PYTHON" -c 'import json,sys; s = json.load(sys.stdin)["scene"]; print(s["time"], s.get("output"), s.get("solver"))'
}
resolved --duration 0.2 --every 2 --error 0 --checkpoint 0.1
resolved --duration 0.3
"$PYTHON" -c 'import json; s = json.load(open("s.json")); del s["output"]; json.dump(s, open("s.json", "w"))'
resolved --every 3 --error '{"pose": 1e-3}'
resolved --threads 2 --device cpu
