# the problem of one step's contacts as a file, which every method solves
t init stack -o stack.json
told() {
  "$PYTHON" -c '
import json, sys
problem = json.load(open(sys.argv[1]))
print(problem["name"], problem["contacts"], "contacts", len(problem["q"]), "rows", problem["cone"])' "$1"
}
"$MBSIM" run stack.json -q -d 0.2 --dump-contact 40:problem.json -o s.mbt && told problem.json
"$MBSIM" bench contact problem.json | head -n 1
t run stack.json -q -d 0.2 --dump-contact 40:problem.json -o t.mbt
t run stack.json -q -d 0.2 --dump-contact forty:problem.json -o u.mbt
# a step that is not taken is told before the first, and leaves nothing behind
t run stack.json -q -d 0.2 --dump-contact 101:other.json -o u.mbt
t run stack.json -q -d 0.4 --resume s.mbt --dump-contact 100:other.json -o u.mbt
t run -q --resume s.mbt --dump-contact 100:other.json -o s.mbt
t init box -o box.json
t run box.json -q --dump-contact 2:other.json -o v.mbt
ls
# of the problems that a step of deformables makes, one an iteration, the last
echo '{"mbsim": 1, "time": {"step": 0.005, "steps": 8}, "solver": "projective", "contact": true,
 "bodies": [{"name": "ground", "shape": {"type": "plane"}, "joint": {"type": "fixed"}}],
 "deformables": [{"name": "cube", "type": "tets", "mesh": {"box": [3, 3, 3], "size": [0.1, 0.1, 0.1]}, "material": {"young": 1e5, "density": 1000}}]}' >cube.json
"$MBSIM" run cube.json -q --dump-contact 8:cube_problem.json -o c.mbt && told cube_problem.json
# where nothing touches the run goes to its end, and then says so
echo '{"mbsim": 1, "gravity": [0, 0, -9.81], "time": {"step": 0.01, "steps": 20}, "contact": true,
 "bodies": [{"name": "ground", "shape": {"type": "plane"}, "joint": {"type": "fixed"}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1, "pose": {"position": [0, 0, 0.2]}}]}' >ball.json
t run ball.json -q --dump-contact 3:other.json -o w.mbt
t info w.mbt | grep frames
test -e other.json || echo not there
# what would run
t validate stack.json | grep contact
t validate "$ROOT/scenes/contact/folding.json" | grep -A 1 ^contact
