# a device that stops, with loops in its place: what it had since the last frame is lost, the run goes on from that frame to the same file
cat >block.json <<'JSON'
{ "mbsim": 1, "solver": { "type": "projective", "method": "projective", "iterations": 4 }, "integrator": "implicit",
  "time": { "step": 0.01, "steps": 20 }, "output": { "every": 3 },
  "deformables": [ { "name": "block", "type": "tets", "mesh": { "box": [3, 2, 2], "size": [0.5, 0.3, 0.3] },
    "material": { "model": "neo_hookean", "young": 2e4, "poisson": 0.3, "density": 800 }, "pin": [ { "select": { "side": "-x" } } ] } ] }
JSON
export MBSIM_DEVICE=loops
t run block.json --device cuda -q -o whole.mbt
MBSIM_DEVICE=loops:890 t run block.json --device cuda -q -o cut.mbt
"$MBSIM" info cut.mbt.part 2>/dev/null | grep -E '^(frames|checkpoints)|  t ='
t run --resume cut.mbt --device cuda -q
[ "$("$MBSIM" hash whole.mbt | cut -c-32)" = "$("$MBSIM" hash cut.mbt | cut -c-32)" ] && echo the same frames
# frames of every step, each on its way while the next one is taken, are those that leave now and then
t run block.json --device cuda -q -o all.mbt --set /output/every=1
"$MBSIM" export all.mbt -o all.csv --frames 0:19:3 && "$MBSIM" export whole.mbt -o some.csv --frames 0:7
wc -l <all.csv && cmp all.csv some.csv && echo the same numbers
