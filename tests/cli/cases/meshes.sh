# the bodies' shapes stand in the file as meshes
cat >m.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "steps": 40 }, "output": { "checkpoint": 0.1 },
  "bodies": [
    { "name": "two", "density": 1, "pose": { "position": [9, 9, 9] },
      "shape": [ { "type": "box", "size": [1, 2, 4], "frame": { "position": [0, 0, 5] } },
                 { "type": "sphere", "radius": 1 } ] },
    { "name": "bare", "inertia": { "mass": 1, "matrix": [1, 1, 1, 0, 0, 0] } },
    { "name": "one", "density": 1, "shape": { "type": "cylinder", "radius": 1, "length": 2 } } ] }
JSON
t run m.json -q
"$MBSIM" info m.mbt | grep '^meshes'
"$MBSIM" info m.mbt --json | "$PYTHON" -c '
import json, sys
for m in json.load(sys.stdin)["meshes"]:
    print(m["name"], "on", m["body"], m["vertices"], m["elements"], m["corners"])'
# by the reader that was written from the format: corners in the body frame, closed surfaces
"$PYTHON" - <<'PY'
import os, sys
sys.path.insert(0, os.path.dirname(os.environ["TESTS"]))
from read_mbt import Trajectory, double
t = Trajectory(open("m.mbt", "rb").read())
for name, body, nv, ne, corners, vertex, element in t.meshes:
    vertex = [double(u) for u in vertex]
    xyz = [vertex[3 * i : 3 * i + 3] for i in range(nv)]
    tri = [element[corners * i : corners * (i + 1)] for i in range(ne)]
    edges = {(t[k], t[(k + 1) % 3]) for t in tri for k in range(3)}
    closed = all((b, a) in edges for a, b in edges) and len(edges) == 3 * ne
    print(name.decode(), body.decode(), nv, ne, "z from %.4g to %.4g" % (min(x[2] for x in xyz), max(x[2] for x in xyz)),
          "closed" if closed else "open")
PY
# before the frames; a resumed run writes the same
"$MBSIM" run m.json -q -o short.mbt -d 0.2 && "$MBSIM" run m.json -q -o resumed.mbt --resume short.mbt &&
  records m.mbt resumed.mbt && records m.mbt | cut -d ' ' -f 1 | uniq -c | head -n 3 | sed 's/^ *//'
# many bodies: round shapes get coarser so that the meshes stay within 4 MiB
"$PYTHON" - <<'PY'
import json
bodies = [{"name": f"b{i}", "shape": {"type": "sphere", "radius": 0.1}, "density": 1} for i in range(2500)]
for n in (500, 1500, 2500):
    json.dump({"mbsim": 1, "time": {"step": 0.01, "steps": 0}, "bodies": bodies[:n]}, open(f"b{n}.json", "w"))
PY
for n in 500 1500 2500; do "$MBSIM" run b$n.json -q && "$MBSIM" info b$n.mbt | grep ^meshes; done
# deformables: their rest positions, and the springs between them
cat >d.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "steps": 2 },
  "deformables": [
    { "name": "net", "type": "springs", "mesh": { "grid": [3, 2], "size": [2, 1], "pattern": "diagonal" },
      "material": { "mass": 1, "stiffness": 10 }, "pose": { "position": [9, 9, 9] } },
    { "name": "dust", "type": "particles", "mesh": { "rope": 4, "length": 1 }, "material": { "mass": 1 } } ] }
JSON
"$MBSIM" run d.json -q && "$MBSIM" info d.mbt | grep '^meshes'
"$PYTHON" - <<'PY'
import os, sys
sys.path.insert(0, os.path.dirname(os.environ["TESTS"]))
from read_mbt import Trajectory, double
for name, body, nv, ne, corners, vertex, element in Trajectory(open("d.mbt", "rb").read()).meshes:
    print(name.decode(), body, nv, ne, corners, [double(u) for u in vertex[-3:]], list(element[:6]))
PY
