# sweeps of trees on a device, with loops on the processor in its place: the table is the processor's but for rounding
export MBSIM_DEVICE=loops
cat >two.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 0.5, "mass": 1, "spring": 3 }, "time": { "step": 0.002, "steps": 300 }, "integrator": "symplectic",
  "bodies": [
    { "name": "upper", "shape": { "type": "capsule", "radius": 0.02, "length": "=length" }, "mass": "=mass", "damping": 0.01,
      "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length/2"] }, "position": 1, "damping": 0.01 } },
    { "name": "lower", "shape": { "type": "capsule", "radius": 0.02, "length": 0.4 }, "density": 1000,
      "joint": { "type": "revolute", "axis": [0, 1, 0], "parent": "upper", "in_parent": { "position": [0, 0, "=-length/2"] },
                 "in_body": { "position": [0, 0, 0.2] }, "stiffness": "=spring", "velocity": 1,
                 "motor": { "target": "=0.2*sin(9*t)", "stiffness": 1, "damping": 0.1, "max": 2 } } } ],
  "output": { "channels": ["joint.position", "joint.velocity", "body.position", "body.velocity", "energy", "momentum"], "every": 3 } }
JSON
cat >near.py <<'PY'
import csv, sys
a, b = (list(csv.reader(open(f"{f}/results.csv"))) for f in sys.argv[1:])
worst, rest = 0, len(a) == len(b)
for x, y in zip(a, b):
    for p, q in zip(x, y):
        try: worst = max(worst, abs(float(p) - float(q)) / max(1, abs(float(q))))
        except ValueError: rest = rest and p == q
print(f"{len(a)} lines,", "near" if worst <= 1e-10 else f"apart by {worst}", "and the same" if rest else "and other words")
PY
ways() { grep -aE 'lockstep|one by one|mbsim:|device' | sed -E 's/(numbers: at t).*/\1 .../' | sort; }
m="-m max(lower.joint.position) -m final(upper.joint.velocity) -m rms(energy.kinetic/mass) -m mean(lower.position.z) -m at(momentum.lx,0.29) -m time_of_min(upper.joint.position)"
s() { "$MBSIM" sweep two.json --no-times -j 2 $m "$@"; }
both() {
  rm -rf a b
  s -o a --keep none --device cuda "$@" 2>&1 | ways
  s -o b --keep none -q "$@" 2>/dev/null
  "$PYTHON" near.py a b
}
echo 'numbers, and steps'
both -p length=0.3:0.6:5 -p mass=1,2
both -s /time/step=0.001,0.002,0.003 -p length=0.4:0.5:4
both -s '/bodies/0/joint/type="prismatic"' -p length=0.3:0.6:5
both -s /integrator=implicit -p length=0.3:0.6:5 -p spring=3,300
echo 'what comes to a limit, and what fails, the processor does'
both -s '/bodies/0/joint/limits=[-0.3,1.05],[-9,9]' -p length=0.3:0.6:4
both -p spring=1,2,1e13,3
both -p length=0.5,-1,0.6
echo 'what is warned of is the same'
cat >stiff.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.001, "steps": 200 }, "integrator": "symplectic", "bodies": [
    { "name": "a", "shape": { "type": "sphere", "radius": 0.1 }, "density": 1000,
      "joint": { "type": "prismatic", "axis": [0, 0, 1], "stiffness": 3 } } ] }
JSON
for d in cpu cuda; do "$MBSIM" sweep stiff.json -o w-$d --keep none --no-times -q --device $d -s /bodies/0/joint/stiffness=1,1.4e7 -m 'max(a.joint.position)'; done
"$PYTHON" near.py w-cuda w-cpu; cut -d, -f8- w-cuda/results.csv
echo 'the same command again runs what is missing; shards, and a study'
s -o c --keep none --device cuda -p length=0.3:0.6:6 2>&1 | ways
s -o c --keep none --device cuda -p length=0.3:0.6:6 -p mass=1,2 2>&1 | ways
for i in 1 2 3; do s -o e --keep none -q --shard $i/3 --device cuda -p length=0.3:0.6:10; done
s -o f --keep none -q -p length=0.3:0.6:10
"$PYTHON" near.py e f
echo '{ "mbsim_study": 1, "scene": "two.json", "vary": { "length": "0.3:0.6:3" }, "keep": "none", "device": "cuda" }' >s.json
"$MBSIM" sweep s.json -o g 2>&1 | ways
sed 's/"mbsim": 1,/"mbsim": 1, "solver": { "type": "redmax", "device": "cuda" },/' two.json >own.json
"$MBSIM" sweep own.json -o j --keep none -p length=0.3:0.6:3 2>&1 | ways
echo 'what cannot go there is refused by name, and under auto goes on here'
for d in cuda auto; do
  for o in "-s /integrator=trapezoidal" "-s /integrator=trapezoidal,symplectic" "-s /solver={\"type\":\"maximal\"}" "-s /bodies/1/joint={\"type\":\"screw\",\"axis\":[0,1,0],\"pitch\":0.1,\"parent\":\"upper\"}" "--lanes off" "--keep all" "--memory 1G"; do
    rm -rf d; echo "$d $o"
    s -o d --keep none --device $d -p length=0.4,0.5 $o 2>&1 | ways
  done
done
t run two.json --device cuda
"$MBSIM" validate two.json --set /solver='{"type":"redmax","device":"cuda"}' 2>&1 | grep -a device | mask
echo 'no device'
unset MBSIM_DEVICE
export LD_LIBRARY_PATH="$(dirname "$MBSIM")/fake" FAKE_CUDA='13000 100 0 0 0'
t sweep two.json -o h --keep none -q --device cuda -p length=0.4,0.5 | no_cuda
t sweep two.json -o i --keep none -q --device auto -p length=0.4,0.5 | no_cuda
