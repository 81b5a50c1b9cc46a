# contact that is switched off leaves its channels empty, and all else as it is without a word of contact
cat >ball.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "steps": 30 }, "contact": {}, "output": { "every": 30, "channels": ["contact", "contact.pair", "solver.contact", "energy"] },
  "bodies": [ { "name": "ground", "shape": { "type": "plane" }, "joint": { "type": "fixed" } },
              { "name": "ball", "mass": 1, "shape": { "type": "sphere", "radius": 0.1 }, "pose": { "position": [0, 0, 0.2] } } ] }
JSON
last() { "$MBSIM" export "$1" -f -o t.csv --channel "$2" && sed -n '1p;$p' t.csv; }
t run ball.json -q -f -o on.mbt
last on.mbt contact.pair
t run ball.json -q -f -o off.mbt -s /contact/enabled=false
for channel in contact contact.pair solver.contact energy; do last off.mbt $channel; done
