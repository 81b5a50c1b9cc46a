# what pictures need: inertias, joints' axes, lines, planes; neither the hash nor a comparison sees it
drawing() { # POINTER-like python expression of d
  "$PYTHON" "$TESTS/../read_mbt.py" "$1" --drawing | "$PYTHON" -c "
import json, sys
d = json.load(sys.stdin)
def short(x):
    if isinstance(x, float): return round(x, 6) + 0
    if isinstance(x, list): return [short(y) for y in x]
    if isinstance(x, dict): return {k: short(y) for k, y in x.items()}
    return x
print(json.dumps(short($2)))"
}
cat >scene.json <<'JSON'
{ "mbsim": 1, "gravity": [0, -9.81, 0], "time": { "step": 0.01, "steps": 2 },
  "bodies": [
    { "name": "floor", "joint": { "type": "fixed" }, "shape": { "type": "plane", "normal": [0, 2, 0], "offset": 1 } },
    { "name": "arm", "inertia": { "mass": 5, "center": [0.1, 0, 0], "matrix": [2, 5, 5, 0, 0, 0] },
      "joint": { "type": "revolute", "axis": [0, 0, 2], "in_body": { "position": [-0.5, 0, 0] } } },
    { "name": "slider", "mass": 1, "shape": { "type": "sphere", "radius": 0.1 }, "joint": { "type": "prismatic", "parent": "arm", "axis": [1, 0, 0] } } ],
  "forces": [
    { "name": "s", "type": "spring", "stiffness": 10, "between": [{ "body": "world", "at": [0, 1, 0] }, { "body": "slider", "at": [0, 0.1, 0] }] },
    { "name": "m", "type": "muscle", "max_force": 40, "optimal_length": 0.5, "tendon_length": 0.1, "activation": 0.1,
      "path": [{ "body": "world", "at": [0, 1, 0] }, { "body": "arm", "at": [0.2, 0, 0] }, { "body": "slider" }] } ],
  "constraints": [{ "name": "r", "type": "distance", "rope": true, "length": 5, "between": [{ "body": "world" }, { "body": "slider" }] }] }
JSON
"$MBSIM" run scene.json -q
drawing scene.mbt 'd["up"]'
drawing scene.mbt 'd["bodies"][1]'
drawing scene.mbt '[b.get("joint") for b in d["bodies"]]'
drawing scene.mbt 'd["lines"]'
drawing scene.mbt 'd["planes"]'
drawing scene.mbt 'd["constraints"]'
"$MBSIM" run "$ROOT/scenes/projective/finger.json" -q -d 0 -o f.mbt
drawing f.mbt '[(l["kind"], len(l["points"]), sorted(l["points"][0])) for l in d["lines"]]'
"$MBSIM" run "$ROOT/scenes/redmax/net.json" -q -d 0.02 -o n.mbt
drawing n.mbt '[(l["kind"], l["points"]) for l in d["lines"]][:2]'
drawing n.mbt 'd["deformables"]'
"$MBSIM" check scene.mbt | head -n 1
# colours: the nearest one counts
cat >colors.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "steps": 2 }, "materials": { "rubber": { "density": 900, "color": [0.1, 0.2, 0.3] }, "bare": { "density": 1 } },
  "bodies": [
    { "name": "floor", "joint": { "type": "fixed" }, "shape": { "type": "plane", "color": [0, 1, 0, 0.5] } },
    { "name": "plain", "shape": { "type": "sphere", "radius": 1 }, "material": "bare" },
    { "name": "own", "color": [1, 0, 0], "density": 1, "shape": [{ "type": "sphere", "radius": 1 }, { "type": "sphere", "radius": 1, "material": "rubber" },
      { "type": "sphere", "radius": 1, "material": "rubber", "color": [0, 0, "=1/4", 0] }, { "type": "sphere", "radius": 1, "material": "bare" }] },
    { "name": "tyre", "material": "rubber", "shape": { "type": "sphere", "radius": 1 } },
    { "name": "stone", "color": [0.5, 0.5, 0.5], "inertia": { "mass": 1, "matrix": [1, 1, 1, 0, 0, 0] } } ],
  "deformables": [{ "name": "net", "type": "springs", "mesh": { "grid": [2, 2], "size": [1, 1] }, "material": { "mass": 1, "stiffness": 9 }, "color": [1, 1, 0, 0.25] }] }
JSON
"$MBSIM" run colors.json -q
drawing colors.mbt '[b.get("color") for b in d["bodies"]]'
drawing colors.mbt 'd["shapes"]'
drawing colors.mbt '[d["planes"][0]["color"], d["deformables"][0]["color"]]'
# they change no frame: the same hash, the same comparison, and a run goes on in others
sed -E 's/, "color": \[[^]]*\]//; s/"color": \[[^]]*\], //; s/, "color": \[[^]]*\]//' colors.json >plain.json
grep -c color plain.json
"$MBSIM" run plain.json -q
[ "$("$MBSIM" hash colors.mbt | cut -d " " -f 1)" = "$("$MBSIM" hash plain.mbt | cut -d " " -f 1)" ] && echo "the same hash"
"$MBSIM" diff colors.mbt plain.mbt | head -n 3
sed 's/0, 1, 0, 0.5/1, 1, 1, 0.5/; s/0.1, 0.2, 0.3/0.3, 0.3, 0.3/' colors.json >others.json
"$MBSIM" run others.json -q --resume colors.mbt -d 0.05 -o on.mbt
drawing on.mbt '[d["planes"][0]["color"], d["bodies"][3]["color"]]'
"$MBSIM" run plain.json -q --resume colors.mbt -d 0.05 -o plain_on.mbt
"$MBSIM" run colors.json -q -d 0.05 -o whole.mbt
[ "$("$MBSIM" hash on.mbt | cut -d " " -f 1)" = "$("$MBSIM" hash whole.mbt | cut -d " " -f 1)" ] && echo "the same hash"
# a material of that name is not skipped
sed 's/"bare"/"color"/' colors.json >named.json
"$MBSIM" run named.json -q -o named.mbt
"$MBSIM" run named.json --resume named.mbt -o no.mbt --set /materials/color/density=2 -d 0.05
# damaged, it is left out and told so
"$PYTHON" - <<'PY'
data = bytearray(open("scene.mbt", "rb").read())
data[data.index(b"DRAW") + 40] ^= 1
open("damaged.mbt", "wb").write(data)
PY
"$MBSIM" check damaged.mbt 2>&1 | grep -c DRAW
"$MBSIM" export damaged.mbt --partial --channel energy --frames 0 2>&1 | sed -E "s/byte [0-9]+/byte N/"
