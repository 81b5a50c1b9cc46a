# any number of threads gives the same bytes
"$PYTHON" - <<'PY'
import json
bodies = [{"name": f"b{i}", "shape": {"type": "box", "size": [0.1, 0.2, 0.3]}, "density": 1000,
           "velocity": {"angular": [i % 3, i % 5 - 2, 1], "linear": [0, i % 7, 1]}} for i in range(300)]
json.dump({"mbsim": 1, "time": {"step": 0.001, "steps": 60}, "bodies": bodies,
           "output": {"every": 10, "checkpoint": 0.02}}, open("many.json", "w"))
PY
for n in 1 2 3 7; do "$MBSIM" run many.json -q --threads $n -o t$n.mbt; done
"$MBSIM" hash t?.mbt | cut -c 1-32 | uniq | wc -l | tr -d ' '
for n in 2 3 7; do
  records t1.mbt >one && records t$n.mbt >other && cmp one other
done
"$MBSIM" run many.json -q --threads 2 -o part.mbt -d 0.033 &&
  "$MBSIM" run many.json -q --threads 1 -o t8.mbt --resume part.mbt && records t1.mbt t8.mbt
