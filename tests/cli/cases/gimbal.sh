# Euler angles that come near gimbal lock while the body turns by: told once, by runs and derivatives; not where it turns in a plane, nor under solver maximal, whose bodies have
# velocities of their own
cat >swing.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.002, "steps": 60 }, "parameters": { "aside": 0.3, "mass": 1.2 },
  "bodies": [ { "name": "arm", "mass": "=mass", "shape": { "type": "box", "size": [0.3, 0.2, 0.1] },
                "joint": { "type": "euler", "order": "zyx", "position": ["=aside/3", 1.2, "=2*aside/3"], "velocity": ["=aside", 6, "=aside/3"],
                           "in_body": { "position": [-0.1, "=aside/6", 0.12] } } } ],
  "output": { "channels": ["body.position"] } }
JSON
run() { t run swing.json -q -f "$@"; }
for integrator in symplectic implicit bdf2; do run --integrator $integrator; done
run --integrator rk45
run --solver maximal --integrator symplectic
run --integrator symplectic -p aside=0
run --integrator symplectic -s '/bodies/0/joint/order="zxz"' -s '/bodies/0/joint/position=[0.1,0.2,0.1]' -s '/bodies/0/joint/velocity=[0.3,-6,0.1]'
for way in along back; do
  t gradient swing.json --integrator symplectic --way $way --of 'final(arm.position.x)' --wrt aside | sed -E 's/(\.[0-9]{5})[0-9]*/\1/g'
done
