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
value() { # a number as people type it
  "$MBSIM" run s.json -f -q --param "m=$1" && "$MBSIM" info s.mbt --json |
    "$PYTHON" -c 'import json,sys; print(json.load(sys.stdin)["scene"]["parameters"])'
}
for number in 3 .5 +2 2. 1e3 1E-1 +.5e1 0.1 '=2*pi'; do value "$number"; done
for number in -.5 2x nan inf 0x10 1e400 '' ' ' . + e; do plan --param "m=$number"; done
resolved() {
  "$MBSIM" run s.json -f -q "$@" && "$MBSIM" info s.mbt --json |
    "$PYTHON" -c 'import json,sys; s = json.load(sys.stdin)["scene"]; print(s["time"], s.get("output"), s.get("solver"))'
}
resolved --duration 0.2 --every 2 --error 0 --checkpoint 0.1
resolved --duration 0.3
"$PYTHON" -c 'import json; s = json.load(open("s.json")); del s["output"]; json.dump(s, open("s.json", "w"))'
resolved --every 3 --error '{"pose": 1e-3}'
resolved --threads 2 --device cpu
solver() { # solver and integrator of the scene, options
  "$PYTHON" -c '
import json, sys
s = json.load(open("s.json"))
s["solver"], s["integrator"] = json.loads(sys.argv[1]), json.loads(sys.argv[2])
json.dump(s, open("k.json", "w"))' "$1" "$2"
  shift 2
  "$MBSIM" run k.json -f -q "$@" && "$MBSIM" info k.mbt --json |
    "$PYTHON" -c 'import json,sys; s = json.load(sys.stdin)["scene"]; print(s["solver"], s["integrator"])'
}
# another solver takes over threads and device; the same one is what the scene has
first='{"type":"maximal","mode":"first_order","threads":2,"device":"cpu"}'
fine='{"type":"rk45","relative":1e-9}'
solver "$first" '"implicit"' --solver redmax
solver "$first" '"implicit"' --solver maximal
solver '{"type":"maximal","mode":"first_order"}' '"implicit"' --solver redmax
solver '{"threads":2}' '"implicit"' --solver maximal
solver '"redmax"' "$fine" --integrator rk45
solver '"redmax"' "$fine" --integrator trapezoidal
solver "$first" "$fine" --solver redmax --integrator implicit
solver "$first" "$fine" --solver projective
