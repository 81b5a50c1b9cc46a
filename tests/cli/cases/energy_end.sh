# energy that leaves its bounds just before a run ends is told where it ends, of runs too short for a look in between, too; a fall from rest is not
cat >tumble.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.05, "steps": 20 }, "gravity": [0, 0, 0], "parameters": { "spin": 4 },
  "bodies": [ { "name": "a", "shape": { "type": "box", "size": [0.2, 0.1, 0.3] }, "density": 1000, "velocity": { "angular": ["=spin", 3, 5] } },
              { "name": "b", "shape": { "type": "box", "size": [0.1, 0.2, 0.3] }, "density": 1000,
                "joint": { "type": "universal", "parent": "a", "in_parent": { "position": [0, 0, 0.2] }, "in_body": { "position": [0.05, 0, -0.2] }, "velocity": [3, -5] } } ] }
JSON
tm run tumble.json -q
"$MBSIM" run tumble.json -f --log json 2>&1 | grep -o '"energy_left":[a-z]*'
# a longer run that goes on from there has the same frames, events and checkpoints as one in one piece
tm run tumble.json -q -f --set /time/steps=9
tm run tumble.json -q -r tumble.mbt -o on.mbt -d 0.6
tm run tumble.json -q -f -o once.mbt -d 0.6
"$MBSIM" hash on.mbt once.mbt | cut -d ' ' -f 1 | uniq | wc -l
# so do sweeps, side by side and one by one
for lanes in auto off; do
  "$MBSIM" sweep tumble.json -o $lanes --keep none --no-times -p spin=4:4.7:8 -m 'final(energy.total)' --lanes $lanes >said 2>&1
  grep -c 'energy has grown' said
  cut -d, -f3- $lanes/results.csv | head -3 | cut -c 1-200
done
cmp auto/results.csv off/results.csv && echo the same
