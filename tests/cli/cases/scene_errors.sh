# how an invalid scene is told
cat >bad.json <<'JSON'
{
  "mbsim": 1,
  "gravty": [0, 0, -1],
  "time": { "step": 0.01, "duration": 1 },
  "bodies": [
    { "name": "a", "shape": { "type": "sphre", "radius": 1 }, "density": 1 },
    { "name": "b", "shape": { "type": "sphere", "radius": -1 }, "density": 1 }
  ]
}
JSON
t validate bad.json
t run bad.json
t validate bad.json --json | "$PYTHON" -c '
import json, sys
answer = json.loads("".join(l for l in sys.stdin if l[0] not in "$[!"))
print(answer["valid"], answer["errors"], sorted(answer["issues"][0]))'
printf '{ "mbsim": 1, ' >cut.json
t info cut.json
t validate - <cut.json
printf 'x\033[31mred' >red.json
t validate red.json | cat -v
t run bad.json --log json
# no step is made here, so that numbers which fail are wrong in the scene
printf '{"mbsim": 1, "time": {"step": 0.01, "steps": 2}, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "density": 1, "velocity": {"linear": [1e200, 0, 0]}}]}' >far.json
t validate far.json
ls
