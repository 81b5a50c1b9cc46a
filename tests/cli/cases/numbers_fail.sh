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
