# the problem of one step's contacts as a file, which every method solves
t init stack -o stack.json
"$MBSIM" run stack.json -q -d 0.2 --dump-contact 40:problem.json -o s.mbt && "$PYTHON" -c '
import json
problem = json.load(open("problem.json"))
print(problem["name"], problem["contacts"], "contacts", len(problem["q"]), "rows", problem["cone"])'
"$MBSIM" bench contact problem.json | head -n 1
t run stack.json -q -d 0.2 --dump-contact 40:problem.json -o t.mbt
t run stack.json -q -d 0.2 --dump-contact forty:problem.json -o u.mbt
t init box -o box.json
t run box.json -q --dump-contact 2:other.json -o v.mbt
# what would run
t validate stack.json | grep contact
t validate "$ROOT/scenes/contact/folding.json" | grep -A 1 ^contact
