# numbers that fail: exit 4, a message with time, step and body, a sound file up to there
cat >blow.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "duration": 2 },
  "bodies": [ { "name": "calm", "shape": { "type": "sphere", "radius": 1 }, "density": 1 },
              { "name": "wild", "shape": { "type": "sphere", "radius": 1 }, "density": 1 } ],
  "forces": [ { "type": "wrench", "body": "wild", "force": [0, 0, "=exp(1000*t)"] } ] }
JSON
tm run blow.json -q
ls
t check blow.mbt | grep -E 'checksums|whole|finite'
"$MBSIM" info blow.mbt | sed -n '/^events/,$p'
"$MBSIM" info blow.mbt --json | "$PYTHON" -c '
import json, sys
p = json.load(sys.stdin)["provenance"][-1]
print(p["status"], p["reason"])'
# a force that is no number is named, not the body that it moves
sed 's/=exp(1000\*t)/=sqrt(0.035-t)/' blow.json >root.json
for kind in implicit rk45; do t run root.json -q -f --integrator $kind; done
t run blow.json -f --log json | grep -o '"event":"error".*"status":[0-9]*' | cut -c 1-160
# a start that is no number, or none that a body can have, is refused before there is a file
echo '{"mbsim": 1, "time": {"step": 0.01, "steps": 0}, "gravity": [0, 0, 0], "bodies": [{"name": "b",
  "inertia": {"mass": 1, "matrix": [1, 1, 1, 0, 0, 0]}, "velocity": {"linear": [1e200, 0, 0]}}]}' >start.json
t run start.json -q
t run start.json -q --set /bodies/0/velocity/linear/0=1e10 --set /bodies/0/inertia/mass=1e290
ls
# nor is one written later: an event stands in its place
t run start.json -q --set /time/steps=9 --set /bodies/0/velocity/linear/0=0 --set /bodies/0/inertia/mass=1e290 \
  --set '/forces=[{"type": "wrench", "body": "b", "force": [0, 0, "=5e302*(t>0.045)"]}]'
t check start.mbt | grep finite
"$MBSIM" info start.mbt | sed -n '/^events/,$p'
