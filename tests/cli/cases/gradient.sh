# derivatives of what a run comes to: beside differences of whole runs, by names and pointers; what is refused
cat >arm.json <<'JSON'
{ "mbsim": 1, "gravity": [0, 0, -9.81], "parameters": { "length": 0.4, "damping": 0.1, "start": 0.5, "k": 3, "n": 2 },
  "time": { "step": 0.005, "duration": 0.5 }, "integrator": "bdf2", "solver": "redmax",
  "bodies": [
    { "name": "a", "mass": 2, "shape": { "type": "box", "size": ["=length", 0.05, 0.03] },
      "joint": { "type": "revolute", "axis": [0, 1, 0], "position": "=start", "damping": "=damping", "stiffness": "=k",
                 "in_body": { "position": ["=-length/2", 0, 0] } } },
    { "name": "b", "density": 1000, "shape": { "type": "box", "size": ["=length", 0.05, 0.03] },
      "joint": { "type": "spherical", "parent": "a", "in_parent": { "position": ["=length/2", 0, 0] },
                 "velocity": [0.3, "=n*start", 0.1], "damping": "=damping", "in_body": { "position": ["=-length/2", 0, 0] } } } ],
  "output": { "every": 10, "channels": ["body.position", "joint.position", "energy"] } }
JSON
# differences are told with as many digits as they are sure of
agreed() { sed -E 's/(-?[0-9]+\.[0-9]{1,5})[0-9]*(e[-+][0-9]+)?/\1\2/g; s/\+- .*[0-9]$/+- SOME/; s/ +/ /g'; }
for integrator in bdf1 bdf2 sdirk2; do
  t gradient arm.json --integrator $integrator --of 'final(b.position.x)' --of 'rms(b.position.z)*length + max(energy.kinetic)' \
    --wrt length --wrt damping --wrt start --wrt k --wrt /gravity/2 --wrt /bodies/0/mass --check | agreed
done
"$MBSIM" gradient arm.json --of 'at(a.joint.position, 0.2)' --wrt length --json |
  "$PYTHON" -c 'import json, sys; a = json.load(sys.stdin)["measures"][0]; print(a["of"], "%.6f" % a["value"], a["by"][0]["name"], a["by"][0]["at"], "%.5f" % a["by"][0]["derivative"])'
# by differences of single steps, which is told
for integrator in implicit symplectic trapezoidal bridson_marino; do
  t gradient arm.json --integrator $integrator --of 'final(b.position.x)' --wrt length --wrt start --wrt /bodies/0/mass -p damping=0.001 --check | agreed
done
# loops and prescribed motions
for integrator in trapezoidal bridson_marino bdf1 bdf2 sdirk2; do
  t gradient "$ROOT/scenes/redmax/four_bar.json" -d 0.5 --integrator $integrator -s '/output={"every":1,"channels":["body.position","energy"]}' \
    --of 'final(coupler.position.x)' --of 'mean(energy.kinetic)' --wrt crank --wrt coupler --wrt /bodies/2/density --check | agreed | sed "s|$ROOT/||"
done
t gradient "$ROOT/scenes/redmax/slider_crank.json" -d 0.2 --integrator bdf2 -s '/output={"channels":["energy"]}' --of 'final(energy.kinetic)' \
  --wrt /bodies/0/density --check | agreed | sed "s|$ROOT/||"
t gradient "$ROOT/scenes/redmax/four_bar.json" --integrator bdf2 --of 'final(coupler.position.x)' --wrt crank -s '/output={"channels":["body.position","constraint.force"]}' 2>&1 | sed "s|$ROOT/||"
t gradient "$ROOT/scenes/redmax/four_bar.json" --of 'final(coupler.position.x)' --wrt crank -s '/output={"channels":["body.position"]}' 2>&1 | sed "s|$ROOT/||"
# gravity comes with its number
t gradient arm.json --of 'final(energy.kinetic)' --wrt /gravity/0 --set '/gravity=[0,0,0]' --check | agreed
echo "refused"
t gradient arm.json --of 'final(b.position.x)' --wrt lenght
t gradient arm.json --of 'final(b.position.x)' --wrt /bodies/0/mas
t gradient arm.json --of 'final(b.position.x)' --wrt /bodies/0/name
t gradient arm.json --of 'final(b.position.x)' --wrt k --wrt k
t gradient arm.json --of 'final(b.positon.x)' --wrt k
t gradient arm.json --of 'time_of_max(b.position.x)' --wrt k
t gradient arm.json --wrt k
t gradient arm.json --of 'final(b.position.x)'
t gradient arm.json --of 'final(b.position.x)' --wrt k --integrator rk45
t gradient arm.json --of 'final(b.position.x)' --wrt k --solver maximal
t gradient arm.json --of 'final(b.position.x)' --wrt k --set '/bodies/0/joint/limits=[-1,1]'
t gradient arm.json --of 'final(b.position.x)' --wrt k --set '/contact={}'
t gradient arm.json --of 'final(b.position.x)' --wrt /time/step
t gradient arm.json --of 'final(b.position.x)' --wrt /bodies/1/density --set /bodies/1/density=0
t gradient arm.json --of 'final(b.position.x)' --wrt damping -p damping=0
t gradient arm.json --of 'final(b.position.x)' --wrt k --wrt zero --json -p damping=-1
t gradient none.json --of 'final(b.position.x)' --wrt k
