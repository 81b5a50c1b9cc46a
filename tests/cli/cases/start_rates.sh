# velocities at the start that hard constraints contradict are told of, under every solver: a net at rest that hangs on an arm that moves, a loop that is opened, a bob on a length.
# Not of what goes together, of soft constraints, of ropes, of what is driven, nor of what a reduction moves along
cat >arm.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.001, "steps": 2 }, "integrator": "implicit", "output": { "channels": ["energy"] },
  "bodies": [ { "name": "arm", "mass": 1, "shape": { "type": "box", "size": [0.1, 0.1, 0.4] },
                "joint": { "type": "revolute", "axis": [0, 1, 0], "velocity": 2, "in_body": { "position": [0, 0, 0.2] } } } ],
  "deformables": [ { "name": "net", "type": "springs", "mesh": { "rope": 3, "length": 0.3 }, "pose": { "position": [0, 0, -0.3] },
                     "material": { "stiffness": 100, "mass": 0.1 }, "attach": [ { "select": { "vertices": [0] }, "body": "arm" } ] } ] }
JSON
for solver in redmax maximal projective; do t run arm.json -q -f -s '/solver="'$solver'"'; done
t run arm.json -q -f -s /deformables/0/attach/0/enforce='"reduction"'
t run arm.json -q -f -s '/deformables/0/velocity={"linear":[-0.6,0,0]}'
t run arm.json -q -f -s '/bodies/0/joint/motion={"velocity":2}'
cat >bob.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.001, "steps": 2 },
  "bodies": [ { "name": "bob", "mass": 1, "shape": { "type": "sphere", "radius": 0.1 }, "pose": { "position": [1, 0, 0] }, "velocity": { "linear": [0.1, 0, 2] } } ],
  "constraints": [ { "type": "distance", "name": "rod", "between": [ { "body": "world" }, { "body": "bob" } ] } ] }
JSON
for solver in redmax maximal; do t run bob.json -q -f --solver $solver; done
t validate bob.json | grep velocities
t run bob.json -q -f -s '/constraints/-={"type":"distance","between":[{"body":"world","at":[0,0.2,0]},{"body":"bob"}]}'
t run bob.json -q -f -s '/bodies/0/velocity/linear=[0.0001,0,2]'
t run bob.json -q -f -s /constraints/0/compliance=1e-3
t run bob.json -q -f -s /constraints/0/rope=true
# once: not by what goes on from a checkpoint, nor by the runs beside a derivative
t run bob.json -q -f -o bob.mbt
t run --resume bob.mbt -q -d 0.004 -o longer.mbt
t gradient bob.json --resume bob.mbt -d 0.004 --of 'final(energy.kinetic)' --wrt /bodies/0/mass --check | grep '^[$!]'
t gradient bob.json --of 'final(energy.kinetic)' --wrt /bodies/0/mass --check | grep '^[$!]'
# what has no checkpoint to go on from begins there
"$PYTHON" - <<'PY'
import json, os, signal, subprocess, time
scene = json.load(open("bob.json"))
scene["time"]["steps"] = 10 ** 9
json.dump(scene, open("long.json", "w"))
run = subprocess.Popen([os.environ["MBSIM"], "run", "-q", "-f", "long.json"], stderr=subprocess.DEVNULL)
while not os.path.exists("long.mbt.part"): time.sleep(0.005)
time.sleep(0.1)
run.send_signal(signal.SIGKILL)
run.wait()
PY
t run --resume long.mbt.part -q -d 0.002 -f -o begun.mbt | grep -v trailer
