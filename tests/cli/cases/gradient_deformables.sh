# derivatives by what deformables are made of, beside differences of whole runs: where nodes are bodies and where solver projective moves them
cat >beam.json <<'JSON'
{ "mbsim": 1, "parameters": { "young": 2e5, "poisson": 0.3, "density": 1000, "length": 0.6, "damping": 0.1 },
  "time": { "step": 0.005, "duration": 0.1 }, "solver": "redmax", "integrator": "bdf2",
  "deformables": [
    { "name": "beam", "type": "tets", "mesh": { "box": [10, 2, 2], "size": ["=length", 0.1, 0.1] },
      "material": { "model": "neo_hookean", "young": "=young", "poisson": "=poisson", "density": "=density", "damping": "=damping" },
      "pin": [ { "select": { "side": "-x" } } ] } ],
  "output": { "every": 5, "channels": ["deformable.beam.position", "deformable.beam.von_mises", "energy"] } }
JSON
agreed() { sed -E 's/(-?[0-9]+\.[0-9]{1,5})[0-9]*(e[-+][0-9]+)?/\1\2/g; s/\+- .*[0-9]$/+- SOME/; s/ +/ /g'; }
newton='/solver={"type":"projective","method":"newton"}'
for integrator in bdf1 bdf2; do
  t gradient beam.json --integrator $integrator --of 'final(beam.9.z)' --of 'mean(energy.elastic)' --wrt young --wrt poisson --wrt density --wrt length \
    --wrt damping --check | agreed
done
t gradient beam.json --way back --of 'final(beam.9.z)' --wrt young --wrt poisson --wrt density --wrt length --wrt damping --check | agreed
for solver in redmax maximal; do
  t gradient beam.json --solver $solver --integrator implicit --of 'final(beam.9.z)' --of 'max(energy.elastic)' --wrt young --wrt length --check | agreed
done
t gradient beam.json --set "$newton" --integrator implicit --of 'final(beam.9.z)' --of 'final(beam.3.von_mises)/1e5' --wrt young --wrt poisson --wrt length --check | agreed
# back through the same steps
t gradient beam.json --set "$newton" --integrator implicit --of 'final(beam.9.z)' --wrt young --wrt poisson --wrt density --wrt length --wrt damping --check | agreed
cat >led.json <<'JSON'
{ "mbsim": 1, "parameters": { "young": 1e5 }, "time": { "step": 0.01, "duration": 0.1 }, "integrator": "implicit",
  "solver": { "type": "projective", "method": "newton" },
  "deformables": [
    { "name": "bar", "type": "tets", "mesh": { "box": [4, 2, 2], "size": [0.2, 0.05, 0.05] },
      "material": { "model": "neo_hookean", "young": "=young", "density": 1000, "damping": 0.01 },
      "pin": [ { "select": { "side": "-x" }, "motion": { "translate": [0, { "times": [0, 0.03, 0.06, 0.1], "values": [0, 0, 0, 0] }, 0] } } ] } ],
  "output": { "channels": ["deformable.*.position"] } }
JSON
t gradient led.json --of 'final(bar.15.y)' --wrt /deformables/0/pin/0/motion/translate/1/values/2 --wrt young --check | agreed
"$MBSIM" fit led.json --minimise '(final(bar.15.y)-0.08)^2' -u '/deformables/0/pin/0/motion/translate/1/values/*=-0.2:0.2' -q --json | grep -E '"(runs|converged|derivatives)":'
# a flat sheet that is pressed beyond where it would buckle: its steps end where their matrix is not definite, and derivatives go along with the run
cat >flat.json <<'JSON'
{ "mbsim": 1, "gravity": [0, 0, 0], "parameters": { "in": 0.03 }, "time": { "step": 0.01, "duration": 0.1 }, "integrator": "implicit",
  "solver": { "type": "projective", "method": "newton" },
  "deformables": [
    { "name": "sheet", "type": "cloth", "mesh": { "grid": [8, 3], "size": [0.3, 0.1] },
      "material": { "young": 1e6, "density": 1000, "thickness": 0.001, "bending": { "stiffness": 1e-4 } },
      "pin": [ { "select": { "side": "-x" } }, { "select": { "side": "+x" }, "motion": { "translate": ["=-in*t/0.1", 0, 0] } } ] } ],
  "output": { "channels": ["deformable.*.position"] } }
JSON
t gradient flat.json --way back --of 'final(sheet.10.x)' --wrt in --check 2>&1 | agreed
# a rubber hand on a driven arm, a flag in the wind
t gradient "$ROOT/scenes/deformables/soft_arm.json" -d 0.05 --set "$newton" --of 'final(hand.200.z)' --wrt hand --wrt /bodies/0/density \
  --wrt /deformables/0/material/young --check | agreed | sed "s|$ROOT/||"
t gradient "$ROOT/scenes/deformables/flag.json" -d 0.05 --set "$newton" --of 'final(energy.elastic)' --wrt wind --check | agreed | sed "s|$ROOT/||"
echo "refused"
t gradient beam.json --solver projective --integrator implicit --of 'final(beam.9.z)' --wrt young
t gradient beam.json --set '/solver={"type":"projective","method":"newton","tolerance":1e-7}' --integrator implicit --of 'final(beam.9.z)' --wrt young
t gradient beam.json --set "$newton" --integrator implicit --of 'final(solver.residual)' --wrt young --set '/output/channels=["solver"]'
t gradient beam.json --set "$newton" --integrator static --of 'final(beam.9.z)' --wrt young
t gradient beam.json --of 'final(beam.9.z)' --wrt /deformables/0/mesh/box/0
t gradient beam.json --way back --of 'final(beam.3.von_mises)' --wrt young
t gradient beam.json --way back --of 'final(energy.elastic)' --wrt young
t gradient beam.json --set "$newton" --integrator implicit --way back --of 'final(beam.3.von_mises)' --wrt young
t gradient beam.json --set "$newton" --integrator implicit --way back --of 'final(energy.elastic)' --wrt length
