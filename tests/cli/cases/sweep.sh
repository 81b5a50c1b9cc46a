# one command: many runs, one table
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1, "start": 1 }, "time": { "step": 0.01, "duration": 1 }, "integrator": "rk45",
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] }, "position": "=start" } } ],
  "output": { "channels": ["body.position", "joint.position", "energy"], "every": 3 } }
JSON
# names of runs depend on the version, hashes on the machine
ids() { sed -E 's/[0-9a-f]{32}/HASH/g; s/in [0-9.]+ (us|ms|s) \([0-9.]+k? runs\/s\)/in WALL (RATE runs\/s)/'; }
s() { t sweep swing.json --no-times -j 2 "$@" | ids; }
s -p length=0.5:1.5:3 -p start=0.1,1 -o out -m 'swing=max(abs(bob.joint.position))' -m 'first(bob.joint.position < 0)' | grep -v '^!.*under way'
ls out out/runs/*/ | ids | sort | uniq -c
cut -d, -f1,3,4,9,10 out/results.csv
head -n 2 out/results.csv | ids | cut -d, -f1-4,8-
echo "the same again, then with other values, then another measure"
s -p length=0.5:1.5:3 -p start=0.1,1 -o out -m 'swing=max(abs(bob.joint.position))'
s -p length=0.5:2:4 -p start=0.1,1 -o out -m 'swing=max(abs(bob.joint.position))'
s -p length=0.5:1.5:3 -p start=0.1,1 -o out -m 'low=min(bob.position.z)'
t sweep --status out
# measures are the exported columns' to the last bit, with trajectories and without
s -p length=0.7:0.9:2 -o a -q -m 'max(bob.joint.position)' -m 'at(bob.position.x, 0.6)' -m 'mean(energy.kinetic)' -m 'rms(bob.position.z)' \
  -m 'time_of_min(bob.position.z)' -m 'final(bob.joint.position)'
s -p length=0.7:0.9:2 -o b -q --keep none -m 'max(bob.joint.position)' -m 'at(bob.position.x, 0.6)' -m 'mean(energy.kinetic)' \
  -m 'rms(bob.position.z)' -m 'time_of_min(bob.position.z)' -m 'final(bob.joint.position)'
cat >compare.py <<'PY'
import csv, glob, math, os, subprocess
def rows(folder): return list(csv.DictReader(open(folder + "/results.csv")))
def total(xs): # Neumaier's sum
    s = c = 0.0
    for x in xs:
        t = s + x
        c += (s - t) + x if abs(s) >= abs(x) else (x - t) + s
        s = t
    return s + c
for a, b in zip(rows("a"), rows("b")):
    text = subprocess.run([os.environ["MBSIM"], "export", "a/runs/%s/run.mbt" % a["id"]], capture_output=True, text=True).stdout
    frames = [{k: float(v) for k, v in f.items()} for f in csv.DictReader(text.splitlines())]
    column = lambda name: [f[name] for f in frames]
    z = column("bob.position.z")
    want = {"max(bob.joint.position)": max(column("bob.joint.position")), "final(bob.joint.position)": column("bob.joint.position")[-1],
            "at(bob.position.x, 0.6)": [f["bob.position.x"] for f in frames if abs(f["time"] - 0.6) < 1e-9][0],
            "mean(energy.kinetic)": total(column("energy.kinetic")) / len(frames), "rms(bob.position.z)": math.sqrt(total([x * x for x in z]) / len(z)),
            "time_of_min(bob.position.z)": column("time")[z.index(min(z))]}
    print(a["run"], a["trajectory"] != "", b["trajectory"] == "", all(float(a[k]) == float(b[k]) == v for k, v in want.items()))
PY
"$PYTHON" compare.py
# a run's own scene gives the run's own numbers
for run in a/runs/*; do "$MBSIM" run "$run/scene.json" -o again.mbt -f -q && "$MBSIM" diff again.mbt "$run/run.mbt" | head -n 1; done
echo "other designs, other forms"
s -D latin_hypercube -n 4 -p length=0.5:1 -p start=normal:1:0.1 -o c -q && cut -d, -f1,3,4 c/results.csv
s -D sobol -n 3 --seed 0 -p length=0:1 -o c -q --dry-run | grep -v takes | cut -d, -f1,3,4
printf 'length,start,/integrator\n1,0.5,rk45\n2,0.25,trapezoidal\n' >runs.csv
s --list runs.csv -o d -q -F npz; t sweep --collect d -F json
"$PYTHON" - <<'PY'
import json, zipfile
table = json.load(open("d/results.json"))
print([[row[i] for i in (0, 2, 3, 4)] for row in table["rows"]], table["columns"][2:6])
print(sorted(zipfile.ZipFile("d/results.npz").namelist())[:4])
PY
# elsewhere, and from stdin
mkdir scenes && cp swing.json scenes/ && (cd out && t sweep ../scenes/swing.json -p length=1,2 -q --keep none && ls -d swing.sweep)
t sweep - -p length=1,2 -q --keep none <swing.json && ls -d sweep
