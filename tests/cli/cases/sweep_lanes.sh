# runs in lockstep: the table is that of runs one by one, byte for byte
cat >two.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 0.5, "mass": 1, "spring": 3 }, "time": { "step": 0.002, "steps": 300 }, "integrator": "symplectic",
  "bodies": [
    { "name": "upper", "shape": { "type": "capsule", "radius": 0.02, "length": "=length" }, "mass": "=mass", "damping": 0.01,
      "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length/2"] }, "position": 1, "damping": 0.01 } },
    { "name": "lower", "shape": { "type": "capsule", "radius": 0.02, "length": 0.4 }, "density": 1000,
      "joint": { "type": "spherical", "parent": "upper", "in_parent": { "position": [0, 0, "=-length/2"] },
                 "in_body": { "position": [0, 0, 0.2] }, "stiffness": "=spring", "velocity": [1, 0, 0.5],
                 "motor": { "target": [0.1, "=0.2*sin(9*t)", 0], "stiffness": 1, "damping": 0.1, "max": 2 } } } ],
  "forces": [ { "type": "wrench", "body": "lower", "force": ["=sin(3*t)", 0, 0.1] } ],
  "output": { "channels": ["joint.position", "joint.velocity", "body.position", "body.velocity", "energy", "momentum"], "every": 3 } }
JSON
ways() { grep -aE 'lockstep|one by one|mbsim:' | sed -E 's/(numbers: at t).*/\1 .../' | sort; } # several fail in any order
m="-m max(lower.joint.position.0) -m final(upper.joint.velocity) -m rms(energy.kinetic/mass) -m mean(lower.position.z) -m first(lower.velocity.vx>0.1) -m at(momentum.lx,0.29) -m time_of_min(upper.joint.position)"
both() { # a sweep in lockstep and one by one
  rm -rf a b
  "$MBSIM" sweep two.json -o a --keep none --no-times -j 2 $m "$@" 2>&1 | ways
  "$MBSIM" sweep two.json -o b --keep none --no-times -j 2 $m "$@" --lanes off 2>/dev/null
  cmp a/results.csv b/results.csv && echo "the same: $(wc -l <a/results.csv) lines, $(ls a/runs | wc -l) folders"
}
echo 'numbers, structures, steps, integrators, designs'
both -p length=0.3:0.6:5 -p mass=1,2
both -D latin_hypercube -n 13 -p length=0.3:0.6 -p mass=1:3 -p spring=0:5 -s /time/step=0.0011:0.002 -s /bodies/0/joint/position=-3:3
both -p length=0.3:0.6:3 -s /integrator=symplectic,implicit,trapezoidal -s /bodies/0/damping=0,0.1 -s /bodies/0/joint/axis='[0,1,0],[1,0,0],[0.6,0.8,0]'
both -s /time/step=0.001,0.002,0.003 -p length=0.4:0.5:4
both -d 0.4 -s /time/step=0.001,0.002,0.003 -p length=0.4:0.5:4
both -s /solver=redmax,maximal -p length=0.4:0.5:4
echo 'joints held by rows, limits, springs between points; what runs warn of'
l='/bodies/0/joint/limits=[-1.05,1.05],[-2,2]' f='/forces=[{"type":"spring","between":[{"body":"upper","at":[0.1,0,0]},{"body":"lower"}],"stiffness":30}]'
both -s "$l" -p length=0.4:0.5:4
both -s "$f" -p length=0.4:0.5:4 -s /integrator=symplectic,implicit
both -s /solver=maximal -p length=0.4:0.5:4 -s /integrator=symplectic,implicit
both -s /solver=maximal -s "$l" -s "$f" -p length=0.4:0.5:4
both -s /solver='{"type":"maximal","stabilization":"post"}' -p length=0.4:0.5:4
cat >stiff.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.001, "steps": 5 }, "integrator": "symplectic", "bodies": [
    { "name": "a", "shape": { "type": "sphere", "radius": 0.1 }, "density": 1000,
      "joint": { "type": "prismatic", "axis": [0, 0, 1], "stiffness": 3 } } ] }
JSON
for w in auto off; do "$MBSIM" sweep stiff.json -o w-$w --keep none --no-times -q --lanes $w -j 1 -s /bodies/0/joint/stiffness=1,1e8 -m 'final(a.joint.position)'; done
cmp w-auto/results.csv w-off/results.csv && cut -d, -f6- w-auto/results.csv
echo 'a run that fails, and one that is not valid, leave the others'
both -p spring=1,2,1e13,3 -p length=0.5,0.6 -j 1
both -p length=0.5,-1,0.6,0.7
echo 'the same command again runs what is missing; what is kept has folders'
s() { "$MBSIM" sweep two.json -o c --no-times -j 2 -m 'final(lower.position.x)' "$@" 2>&1 | sed -E 's/in [0-9.]+ (us|ms|s) \([^)]*\)/in WALL/'; }
s --keep none -p length=0.3:0.6:16
s --keep none -p length=0.3:0.6:16
s --keep none -p length=0.3:0.6:16 -p mass=1,1.5
s --keep none -p length=0.3:0.6:16 -m 'max(lower.position.y)'
s --keep all -p length=0.3:0.6:16 | grep -v '% '
ls c/runs | wc -l
s --keep failed -p length=0.31:0.6:8
echo 'what a kill has cut off is made again'
head -c -7 "$(ls -S c/rows/*.rows | head -1)" >cut && mkdir -p d/rows && cp c/sweep.json d && cp cut d/rows/cut.rows && mkdir d/runs
"$MBSIM" sweep two.json -o d --keep failed --no-times -j 2 -m 'final(lower.position.x)' -p length=0.31:0.6:8 2>&1 | sed -E 's/in [0-9.]+ (us|ms|s) \([^)]*\)/in WALL/; s/[0-9]+ done before, [0-9]+ to do/some done before/; s/^[0-9]+ run.* done in.*/done/'
cut -d, -f1-9 c/results.csv >c.csv && cut -d, -f1-9 d/results.csv | cmp - c.csv && echo 'the same'
t sweep --status d
cat >kill.py <<'PY'
import os, random, subprocess
random.seed(3)
def command(folder): return [os.environ["MBSIM"], "sweep", "two.json", "-p", "length=0.3:0.6:400", "-o", folder, "-j", "2", "--keep", "none", "--no-times", "-q", "-m", "max(lower.joint.position.0)"]
subprocess.run(command("whole"), check=True)
for attempt in range(60):
    run = subprocess.Popen(command("killed"))
    try: run.wait(timeout=random.uniform(0.02, 0.2))
    except subprocess.TimeoutExpired:
        run.send_signal(2) if attempt % 3 == 2 else run.kill()
    if run.wait() == 0: break
again = subprocess.run(command("killed")).returncode
print(again, "the same" if open("whole/results.csv").read() == open("killed/results.csv").read() else "another table")
PY
"$PYTHON" kill.py
echo 'shards, and a study'
for i in 1 2 3; do "$MBSIM" sweep two.json -o e --keep none --no-times -q -j 1 --shard $i/3 $m -p length=0.3:0.6:10; done
"$MBSIM" sweep two.json -o f --keep none --no-times -q -j 1 --lanes off $m -p length=0.3:0.6:10
cmp e/results.csv f/results.csv && echo 'the same'
cat >s.json <<'JSON'
{ "mbsim_study": 1, "scene": "two.json", "vary": { "length": "0.3:0.6:3" }, "keep": "none", "lanes": "off", "jobs": 1 }
JSON
"$MBSIM" sweep s.json -o g 2>&1 | ways
"$MBSIM" sweep s.json -o h --lanes auto 2>&1 | ways
"$MBSIM" sweep s.json -o i --lanes auto --memory 1G 2>&1 | ways
"$MBSIM" sweep s.json -o j --lanes auto --log json 2>&1 | "$PYTHON" -c 'import json, sys
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "ways": print({k: e[k] for k in ("lockstep", "one_by_one", "reasons")})'
