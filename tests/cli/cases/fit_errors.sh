# error bars of 1.96 standard errors hold the masses and the damping of a double pendulum in 95 of 100 seeds of scatter
"$MBSIM" run "$ROOT/scenes/fit/double_pendulum.json" -d 1 -q -o truth.mbt
"$MBSIM" export truth.mbt -c joint.position -o truth.csv
"$PYTHON" - <<'PY'
import csv, json, os, random, subprocess
rows = list(csv.reader(open("truth.csv")))
truth = {"upper": 1.5, "lower": 0.5, "damping": 0.1}
held, seeds = 0, 100
for seed in range(seeds):
    chance = random.Random(seed)
    with open("noisy.csv", "w") as out:
        out.write(",".join(rows[0]) + "\n")
        for row in rows[1:]:
            out.write(",".join([row[0]] + [repr(float(x) + chance.gauss(0, 0.01)) for x in row[1:]]) + "\n")
    command = [os.environ["MBSIM"], "fit", os.environ["ROOT"] + "/scenes/fit/double_pendulum.json", "-d", "1", "--data", "noisy.csv"]
    command += ["-m", "joint.position", "--json"]
    for name in truth: command += ["-p", "%s=%g" % (name, truth[name] * 1.1), "-u", name]
    fit = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    held += sum(abs(u["value"] - truth[u["name"]]) <= 1.96 * u["error"] for u in fit["unknowns"])
share = held / (seeds * len(truth))
print("held as often as they should" if 0.92 <= share <= 0.98 else "held in %.1f %%" % (100 * share))
PY
