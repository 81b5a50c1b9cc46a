# a run that goes wrong is a row, and the others go on
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1, "density": 1000 }, "time": { "step": 0.01, "duration": 0.1 },
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": "=length/10" }, "density": "=density",
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] },
               "force": "=1/(length-2)" } } ] }
JSON
ids() { sed -E 's/[0-9a-f]{32}/HASH/g; s/in [0-9.]+ (us|ms|s) \([0-9.]+k? runs\/s\)/in WALL (RATE runs\/s)/'; }
s() { t sweep "$@" | ids; }
columns() { "$PYTHON" -c '
import csv, sys
for r in csv.DictReader(open(sys.argv[1] + "/results.csv")): print(r["run"], r["status"], r["exit_code"], r["message"][:110], sep=" | ")' "$1" | ids; }
echo "an invalid scene"
s swing.json -p length=1,-1,0.5 -o out --no-times -j 1
columns out
cat out/runs/*/log | grep -c '"event":"error"'
s swing.json -p length=1,-1,0.5 -o out --no-times -j 1 2>&1 | tail -n 4
s swing.json -p length=1,-1,0.5 -o fast -j 1 --fail-fast
echo "the numbers"
s swing.json -s /integrator=symplectic -s /bodies/0/joint/stiffness=0,1e12 -d 1 -o numbers --no-times -j 1 --keep failed -m 'final(bob.position.x)' 2>&1 |
  sed 's/numbers: .*/numbers: .../'
columns numbers | cut -c1-20
ls numbers/runs/*/run.mbt | wc -l
echo "time"
long_scene >long.json
s long.json -s /time/steps=10,1000000000 -s /bodies/0/density=10 -o late --timeout 0.5 -j 2
columns late
echo "memory"
if [ "$MBSIM_FLAVOUR" = release ]; then # the sanitizers take more themselves
  echo '{"mbsim": 1, "time": {"step": 0.01, "steps": 1}, "solver": "projective", "deformables": [{"name": "block", "type": "tets",
    "mesh": {"box": [20, 20, 20], "size": [1, 1, 1]}, "material": {"young": 1e5, "density": 1000}}]}' >block.json
  s block.json -o memory --memory 20M --keep none -q | sed 's/memory for .*/memory for .../'
  columns memory | sed 's/memory for .*/memory for .../'
else
  sed -n '/^memory$/,/^crashes/p' "$TESTS/cases/sweep_faults.out" | sed '1d;$d'
fi
echo "crashes, and trying again"
cat >crash.py <<'PY'
import os, signal, subprocess, time
run = subprocess.Popen([os.environ["MBSIM"], "sweep", "long.json", "-s", "/time/steps=1000000000,20", "-o", "crash", "-j", "1", "--retry", "1"],
                       stderr=subprocess.PIPE, text=True)
def child():
    while True:
        kids = open("/proc/%d/task/%d/children" % (run.pid, run.pid)).read().split()
        if kids: return int(kids[0])
        time.sleep(0.01)
first = child()
time.sleep(0.2)
os.kill(first, signal.SIGKILL)
while child() == first: time.sleep(0.01)
second = child()
time.sleep(0.2)
os.kill(second, signal.SIGKILL)
lines = run.communicate()[1].splitlines()
print(run.returncode, lines[1], lines[-1])
PY
"$PYTHON" crash.py
columns crash
