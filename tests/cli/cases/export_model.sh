# a scene becomes a model, and comes back
cat >arm.json <<'JSON'
{"mbsim": 1, "name": "arm", "time": {"step": 0.002, "duration": 1}, "parameters": {"length": 0.5},
 "bodies": [
   {"name": "upper", "shape": {"type": "capsule", "radius": 0.04, "length": "=length"}, "density": 900,
    "joint": {"_name": "shoulder", "type": "revolute", "axis": [0, 1, 0], "in_parent": {"position": [0, 0, 1], "rotation": {"axis": [1, 0, 0], "angle": "=30*deg"}},
              "in_body": {"position": [0, 0, "=length/2"]}, "limits": ["=-90*deg", null], "damping": 0.2}},
   {"name": "lower", "shape": {"type": "box", "size": [0.1, 0.1, 0.4]}, "mass": 2,
    "joint": {"type": "revolute", "parent": "upper", "axis": [0, 1, 0], "frictionloss": 0.3, "in_parent": {"position": [0, 0, "=-length/2"]},
              "in_body": {"position": [0, 0, 0.2]}}}]}
JSON
t export --format mjcf arm.json
t export --format urdf arm.json
t export arm.json -o arm.urdf && t import arm.urdf
t export arm.json -o arm.mjcf && t import arm.mjcf -o again.json && t run again.json -q -d 0.1
t export arm.json -o arm.mjcf
# a model in one format becomes one in the other
t export arm.urdf --format mjcf -o other.xml && t validate other.xml | head -n 3
# everything that does not fit is listed, and nothing is written
cat >wrong.json <<'JSON'
{"mbsim": 1, "time": {"step": 0.002, "duration": 1},
 "bodies": [
   {"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 900, "damping": 1,
    "joint": {"type": "screw", "pitch": 0.1, "force": "=sin(t)"}},
   {"name": "b", "shape": {"type": "sphere", "radius": 0.1}, "density": 900,
    "joint": {"type": "revolute", "stiffness": 3, "motor": {"stiffness": 4, "target": "=t"}}},
   {"name": "c", "shape": {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]}, "density": 900,
    "joint": {"type": "composite", "joints": [{"type": "revolute"}, {"type": "prismatic"}]}}],
 "forces": [{"type": "damping", "coefficient": 1},
            {"type": "spring", "between": [{"body": "a"}, {"body": "world", "at": [0, 0, 3]}], "stiffness": 3, "law": "strain"}],
 "constraints": [{"type": "point", "between": [{"body": "a"}, {"body": "world"}], "compliance": 1}]}
JSON
t export --format mjcf wrong.json -o wrong.mjcf
t export --format urdf wrong.json -o wrong.urdf
# a shape that is seen and collides is told of once
cat >floor.json <<'JSON'
{"mbsim": 1, "time": {"step": 0.002, "duration": 1}, "contact": {"friction": 0.5},
 "bodies": [{"name": "floor", "joint": {"type": "fixed"}, "shape": {"type": "plane"}},
   {"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 900, "pose": {"position": [0, 0, 1]}}]}
JSON
t export --format urdf floor.json -o floor.urdf
t export --format mjcf none.json
t export --format mjcf arm.json --frames 1
t export arm.json
ls
