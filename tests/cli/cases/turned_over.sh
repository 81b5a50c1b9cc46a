# A rotation vector along which a spring or a motor acts changes to its equivalent beyond 3/4 of a turn, where that jumps: told once with its place, by runs under both solvers and by
# sweeps in lanes or one by one; not where the spring turns the body back before, nor of a body that nothing pulls so. Sweeps tell of gimbal lock as well.
cat >turn.json <<'JSON'
{ "mbsim": 1, "gravity": [0, 0, 0], "time": { "step": 0.001, "steps": 700 }, "integrator": "symplectic", "parameters": { "k": 0.02 },
  "bodies": [ { "name": "top", "shape": { "type": "box", "size": [0.3, 0.3, 0.1] }, "mass": 1,
                "joint": { "type": "spherical", "stiffness": "=k", "velocity": [0, 0, 8] } } ],
  "output": { "every": 50, "channels": ["joint.position", "energy"] } }
JSON
run() { t run turn.json -q -f "$@"; }
run
run --integrator bdf2
run --solver maximal
run --integrator rk45
run -p k=0
run -p k=0.1
run -p k=0 -s '/bodies/0/joint/motor={"stiffness":1,"damping":0.01,"target":[0,0,9]}'
run -p k=0 -s '/bodies/0/joint/motor={"damping":0.01,"target_velocity":[0,0,9]}'
# nor where a force pulls along another coordinate, as the list of them says
run -s '/bodies/0/joint={"type":"free3d","force":[1,0,0,0,0,0],"velocity":[0,0,0,0,0,8]}'
run -s '/bodies/0/joint={"type":"free3d","force":[0,0,0,0,0,0.01],"velocity":[0,0,0,0,0,8]}'
both() { # what a table says, in lanes and one by one
  for way in auto off; do "$MBSIM" sweep "$@" -o $way --keep none --no-times -q -j 1 --lanes $way; done
  cmp auto/results.csv off/results.csv && grep -o 'at t = .* of ""[a-z]*""' auto/results.csv | sort | uniq -c
  rm -r auto off
}
for solver in redmax maximal; do both turn.json --solver $solver -p k=0:0.02:8 -m 'final(energy.total)'; done
both turn.json -p k=0.01,0.02 --integrator rk45 -m 'final(energy.total)'
cat >swing.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.002, "steps": 60 }, "parameters": { "aside": 0.3 }, "integrator": "symplectic",
  "bodies": [ { "name": "arm", "mass": 1.2, "shape": { "type": "box", "size": [0.3, 0.2, 0.1] },
                "joint": { "type": "euler", "order": "zyx", "position": ["=aside/3", 1.2, "=2*aside/3"], "velocity": ["=aside", 6, "=aside/3"],
                           "in_body": { "position": [-0.1, "=aside/6", 0.12] } } } ],
  "output": { "channels": ["body.position"] } }
JSON
both swing.json -p aside=0.26:0.3:8 -m 'final(arm.position.x)'
# once, by a run that goes on, too
run -s '/bodies/0/joint/velocity=[0,0,60]' -d 0.1 -o part.mbt
t run --resume part.mbt -q -d 0.3 -o on.mbt
"$MBSIM" info on.mbt | grep -c 'equivalent'
