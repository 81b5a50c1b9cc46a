# a study says what the command line says
ids() { sed -E 's/[0-9a-f]{32}/HASH/g; s/in [0-9.]+ (us|ms|s) \([0-9.]+k? runs\/s\)/in WALL (RATE runs\/s)/'; }
mkdir work && "$MBSIM" init pendulum -o work/pendulum.json && "$MBSIM" init study -o work/study.json
t sweep work/study.json -d 0.5 -j 2 --no-times | ids
cut -d, -f1,3,4 out/results.csv && head -n 1 out/results.csv
# the same by options
"$MBSIM" sweep work/pendulum.json -p length=0.3:0.6:4 -s /bodies/0/joint/damping=0.01,0.02,0.04 -d 0.5 -q -o options --no-times \
  -m 'swing=max(abs(upper.joint.position)) / deg' -m 'down=first(upper.joint.position < 0)' -m 'lost=at(energy.total, 0) - final(energy.total)'
cmp out/results.csv options/results.csv && echo same
# the command line takes the place of what the study says
t sweep work/study.json -p length=0.4 -d 0.1 -m 'swing=final(upper.joint.position)' -o other --keep none -q && cut -d, -f1,3,4 other/results.csv
cat >all.json <<'JSON'
{ "mbsim_study": 1, "scene": "work/pendulum.json", "design": "sobol", "samples": 4, "seed": 3, "output": "everything", "jobs": 1, "keep": "failed",
  "format": "json", "times": false, "timeout": 100, "memory": "1G", "retry": 1, "fail_fast": true, "duration": 0.1, "step": 0.002, "solver": "maximal",
  "integrator": "symplectic", "every": 5, "error": "view", "checkpoint": 0.05,
  "vary": { "length": "0.3:0.5", "/bodies/0/joint/damping": [0.1, 0.2], "/gravity": [[0, 0, -9.81]] }, "measures": { "m": "mean(energy.total)" } }
JSON
t sweep all.json -q && ls everything && "$PYTHON" - <<'PY'
import json, glob
scene = json.load(open(glob.glob("everything/runs/*/scene.json")[0]))
print(scene["time"], scene["solver"], scene["integrator"], scene["output"]["error"], scene["output"].get("every"), scene["output"]["checkpoint"])
table = json.load(open("everything/results.json"))
print(len(table["rows"]), table["columns"], sorted({row[3] for row in table["rows"]}), all(row[5] is not None for row in table["rows"]))
PY
echo "what is wrong, with its place"
wrong() { printf '%s\n' "$1" >wrong.json && t sweep wrong.json; }
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json", "measure": {} }'
wrong '{ "mbsim_study": 1,
  "vary": { "length": { "from": 1 } }, "design": "grids", "samples": 0 }'
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json",
  "vary": { "length": "0.1:0.2" },
  "keep": "none" }'
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json",
  "vary": { "length": "a,b" } }'
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json",
  "measures": { "a": "max(upper.joint.position)",
                "b": "max(upper.joint.positon)" } }'
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json", "measures": { "my swing": "max(upper.joint.position)" } }'
wrong '{ "mbsim_study": 1, "scene": "work/pendulum.json",, }'
wrong '{ "mbsim_study": 1, "scene": "nothing.json" }'
# the worked studies: one has a known answer
cp -r "$ROOT/scenes/sweeps" studies
t sweep studies/period.study.json -q --no-times -o period && "$PYTHON" - <<'PY'
import csv, math
def mean(a, b): # arithmetic and geometric
    while abs(a - b) > 1e-15: a, b = (a + b) / 2, math.sqrt(a * b)
    return a
rows = list(csv.DictReader(open("period/results.csv")))
exact = [1 / mean(1, math.cos(float(r["amplitude"]) / 2)) for r in rows]
small = float(rows[0]["period"]) / exact[0]
print(len(rows), "amplitudes,", "periods as the elliptic integral says" if all(abs(float(r["period"]) / small / e - 1) < 2e-3 for r, e in zip(rows, exact)) else "wrong")
PY
t sweep studies/lift.study.json -d 0.2 -q
t sweep studies/crack.study.json -d 0.2 -n 20 -q
for study in lift crack; do "$MBSIM" sweep --status $study.sweep | tail -n 1; done
echo "a page"
t sweep --report other/report.html
grep -c '<!--DATA-->' other/report.html
grep -o 'https\?://[^" ]*' other/report.html | sort -u
"$PYTHON" - <<'PY'
import json, re
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', open("other/report.html").read(), re.S).group(1))
print([(c["name"], c["role"]) for c in data["columns"]][:5], len(data["rows"]), [len(r) == len(data["columns"]) for r in data["rows"]][0], len(data["links"]))
PY
t sweep --report other/report.html && cp all.json taken.html && t sweep --report taken.html
t sweep work/study.json -p length=0.4 -d 0.1 -o other --keep none -q --report page.html && ls page.html
