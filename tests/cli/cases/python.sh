# trajectories as arrays, bit for bit those of export; a pole that a loop in Python holds up; reports as exceptions
if [ "$MBSIM_FLAVOUR" != release ] || ! "$PYTHON" -c 'import numpy' 2>/dev/null; then # sanitizers have no library to be loaded
  cat "$TESTS/cases/python.out"
  exit 0
fi
MBSIM_LIBRARY=$(dirname "$MBSIM")/libmbsim.so.0
PYTHONPATH=$ROOT/tools/python
PYTHONDONTWRITEBYTECODE=1
export MBSIM_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
all='/output={"channels": ["body.position", "body.rotation", "body.velocity", "joint.position", "energy", "constraint.active"]}'
for error in 0 fine view; do
  "$MBSIM" run "$ROOT/scenes/redmax/06-joint-limits.json" -q -d 2 -s "$all" --error $error -o limits_$error.mbt
done
"$MBSIM" run "$ROOT/scenes/free/tumbling.json" -q -d 2 --error view -o free.mbt 2>/dev/null || "$MBSIM" init spinning | "$MBSIM" run - -q --error view -o free.mbt
"$MBSIM" init cloth | "$MBSIM" run - -q -d 0.2 -o cloth.mbt 2>/dev/null
for file in *.mbt; do "$MBSIM" export $file -F npz -o ${file%.mbt}.npz; done
cat >compare.py <<'P'
import glob, mbsim, numpy
for name in sorted(glob.glob("*.mbt")):
    t, z = mbsim.load(name), numpy.load(name[:-4] + ".npz")
    same = t.times.tobytes() == z["time"].tobytes()
    for c in t.channels:
        same &= t[c].shape == z[c].shape and t[c].tobytes() == z[c].tobytes()
        if c + ".entries" in z:
            same &= numpy.concatenate(t.entries(c)).tobytes() == z[c + ".entries"].tobytes() and len(z[c + ".entries"]) > 0
    print(name[:-4], "the same bits" if same else "OTHER BITS", t.whole)
whole = open("limits_view.mbt", "rb").read()
open("cut.mbt", "wb").write(whole[:len(whole) * 2 // 3])
cut = mbsim.load("cut.mbt")
print("cut off:", cut.whole, 0 < len(cut) < len(mbsim.load("limits_view.mbt")))
at = whole.index(b"CHNK") + 200
open("bad.mbt", "wb").write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
for wrong in ("bad.mbt", "compare.py"):
    try:
        mbsim.load(wrong)["body.position"]
    except mbsim.Error as error:
        print("error:", error)
P
"$PYTHON" compare.py
cat >pole.json <<'JSON'
{"mbsim": 1, "parameters": {"length": 1}, "time": {"step": 0.002, "duration": 5},
 "output": {"channels": ["joint.position", "energy"]},
 "bodies": [
  {"name": "cart", "inertia": {"mass": 1, "matrix": [1, 1, 1, 0, 0, 0]},
   "joint": {"type": "prismatic", "axis": [1, 0, 0], "force": 0}},
  {"name": "pole", "inertia": {"mass": 0.3, "center": [0, 0, "=length/2"], "matrix": ["=0.025*length^2", "=0.025*length^2", 0.001, 0, 0, 0]},
   "joint": {"type": "revolute", "parent": "cart", "axis": [0, 1, 0], "position": 0.2}}]}
JSON
cat >pole.py <<'P'
import mbsim, numpy
for hold in (True, False):
    with mbsim.run("pole.json", {"length": 0.8}) as sim:
        while sim.time < 5:
            (x, angle), (v, rate) = sim.state
            sim["/bodies/0/joint/force"] = hold * (60 * angle + 12 * rate + 4 * x + 6 * v)
            sim.step()
        print("held: %s, upright: %s" % (hold, abs(sim["joint.position"].ravel()[1]) < 0.01))
sim = mbsim.run("pole.json")
print(sim.bodies, sim.inputs, sim.place("pole"), sim.steps)
sim.state = [0.5, 0.1], [0, 0]
print(sim.state[0], sim["joint.position"].ravel())
for wrong in (lambda: mbsim.run("none.json"), lambda: mbsim.run({"mbsim": 1, "tme": {}}), lambda: sim["nothing"],
              lambda: mbsim.run("pole.json", {"width": 1}), lambda: setattr(sim, "state", ([numpy.nan, 0], [0, 0]))):
    try:
        wrong()
    except (mbsim.Error, KeyError) as error:
        print(type(error).__name__, getattr(error, "status", ""), str(error)[:90])
P
"$PYTHON" pole.py
cat >nodes.py <<'P'
import json, mbsim, numpy, os
sim = mbsim.run(json.load(open(os.environ["ROOT"] + "/scenes/projective/hanging_cloth.json")))
name = "cloth"
sim.step(5)
x, v = sim.nodes(name)
sim.set_nodes(name, v=numpy.zeros_like(v))
print(x.shape[1], abs(v).max() > 0, abs(sim.nodes(name)[1]).max(), (sim.nodes(name)[0] == x).all())
for wrong in (lambda: sim.nodes("none"), lambda: sim.set_nodes("none", x), lambda: sim.set_nodes(name, x[1:]), lambda: sim.set_nodes(name, x * numpy.nan)):
    try:
        wrong()
    except (mbsim.Error, ValueError) as error:
        print(type(error).__name__, str(error)[:90])
P
ROOT=$ROOT "$PYTHON" -W ignore nodes.py # of its few iterations
# what the program would say on stderr is a warning there; after the end there is nothing to ask
cat >warned.py <<'P'
import mbsim, warnings
bob = {"mbsim": 1, "time": {"step": 0.001, "steps": 2},
       "bodies": [{"name": "bob", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "pose": {"position": [1, 0, 0]}, "velocity": {"linear": [0.1, 0, 2]}, "damping": 0}],
       "constraints": [{"type": "distance", "name": "rod", "between": [{"body": "world"}, {"body": "bob"}]}]}
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    with mbsim.run(bob, sets={"/time": {"step": 0.001, "duration": 0.0025}}) as sim:
        sim.step()
for w in said:
    print(w.category.__name__, str(w.message)[:90], w.filename.endswith("warned.py"))
for ask in (lambda: sim.step(), lambda: sim.time, lambda: sim.state, lambda: sim["energy"]):
    try:
        print(ask())
    except ValueError as error:
        print(error)
P
"$PYTHON" warned.py
