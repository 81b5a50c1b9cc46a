#!/usr/bin/env python3
"""Blender reads what `mbsim export -o FILE.glb` writes: bodies and the nodes of deformables are at four times where the trajectory has
them, to 1e-6 m.

    python3 tests/view/blender.py build/mbsim          # needs blender (Debian: apt-get install --no-install-recommends blender python3-numpy)

The same file is what Blender itself runs, on one model, behind "--".
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

LIMIT = 1e-6  # m, and of directions
SCENES = ["redmax/robot_arm", "free/tennis_racket", "projective/hanging_cloth", "projective/jelly_ball", "deformables/soft_arm"]


# ---- within Blender -------------------------------------------------------------------------------------------

def rotated(q, v):
    """v turned by the quaternion w x y z."""
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * x for x in cross(u, v)]
    c = cross(u, t)
    return [v[i] + w * t[i] + c[i] for i in range(3)]


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def wrong_of_bodies(bpy, names, frame):
    """The largest distance of an origin, and of the ends of its axes, which Blender turns from y up to z up within every object."""
    worst = 0.0
    for b, name in enumerate(names):
        matrix = bpy.data.objects[name].matrix_world
        place, turn = frame["body.position"][b], frame["body.rotation"][b]
        worst = max(worst, distance(matrix.translation, place))
        for k in range(3):
            axis = rotated(turn, [float(i == k) for i in range(3)])
            own = [(1, 0, 0), (0, 0, 1), (0, -1, 0)][k]
            worst = max(worst, distance([sum(matrix[i][j] * own[j] for j in range(3)) for i in range(3)], axis))
    return worst


def wrong_of_nodes(bpy, name, places):
    """The largest distance of a node from the nearest vertex of the mesh: the import may join or split vertices."""
    from mathutils.kdtree import KDTree

    shown = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    vertices = shown.to_mesh().vertices
    tree = KDTree(len(vertices))
    for i, vertex in enumerate(vertices):
        tree.insert(shown.matrix_world @ vertex.co, i)
    tree.balance()
    used = {i for polygon in shown.data.polygons for i in polygon.vertices}
    worst = max(tree.find(x)[2] for x in places) if len(vertices) == len(places) else 0.0
    # of tetrahedra the surface is shown: every vertex of it is a node
    nodes = KDTree(len(places))
    for i, x in enumerate(places):
        nodes.insert(x, i)
    nodes.balance()
    for i, vertex in enumerate(vertices):
        if i in used:
            worst = max(worst, nodes.find(shown.matrix_world @ vertex.co)[2])
    return worst


def within(model, lines):
    import bpy
    import numpy

    # the importer of Debian 12's Blender asks for a name that its own NumPy has no more
    if "bool" not in dir(numpy):
        numpy.bool = bool
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=model)
    header, *frames = [json.loads(line) for line in open(lines, encoding="utf-8")]
    items = {c["name"]: c["items"] for c in header["channels"]}
    scene = bpy.context.scene
    worst = 0.0
    for k in sorted({i * (len(frames) - 1) // 3 for i in range(4)}):
        at = (frames[k]["time"] - frames[0]["time"]) * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(at), subframe=at - int(at))
        if isinstance(items.get("body.position"), list):
            worst = max(worst, wrong_of_bodies(bpy, items["body.position"], frames[k]))
        for name in items:
            if name.startswith("deformable.") and name.endswith(".position"):
                worst = max(worst, wrong_of_nodes(bpy, name.split(".")[1], frames[k][name]))
    print(f"WORST {worst:.3e}")


# ---- outside ---------------------------------------------------------------------------------------------------

def check(mbsim, blender, scene, folder):
    name = scene.split("/")[1]
    run, model, lines = (os.path.join(folder, name + end) for end in (".mbt", ".glb", ".jsonl"))
    here = os.path.abspath(__file__)
    path = os.path.join(os.path.dirname(here), "../../scenes", scene + ".json")
    subprocess.run([mbsim, "run", "-q", path, "-d", "0.5", "-o", run], check=True)
    subprocess.run([mbsim, "export", run, "-o", model], check=True)
    with open(lines, "w", encoding="utf-8") as out:
        subprocess.run([mbsim, "export", run, "--format", "json"], check=True, stdout=out)
    command = [blender, "--background", "--factory-startup", "--python-exit-code", "1", "--python", here, "--", model, lines]
    # Debian's Blender looks for its Python along PATH: the system's, not one of a person's own
    answer = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": os.defpath})
    found = [line for line in answer.stdout.splitlines() if line.startswith("WORST ")]
    if answer.returncode or not found:
        print(answer.stdout + answer.stderr)
        sys.exit(f"{scene}: Blender does not read it")
    worst = float(found[0].split()[1])
    print(f"{'ok    ' if worst <= LIMIT else 'FAILED'}  {scene}: off by {worst:.1e} m at most")
    return worst <= LIMIT


def main():
    if "--" in sys.argv:
        within(*sys.argv[sys.argv.index("--") + 1:])
        return
    mbsim = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/mbsim")
    blender = shutil.which(sys.argv[2] if len(sys.argv) > 2 else "blender") or sys.exit("there is no blender")
    with tempfile.TemporaryDirectory() as folder:
        good = [check(mbsim, blender, scene, folder) for scene in SCENES]
    sys.exit(0 if all(good) else 1)


main()
