"$MBSIM" init hammer -o h.json
"$MBSIM" run h.json -q -d 0.2
t export h.mbt --channel energy --frames 0:1 | sed -E 's/([0-9]\.[0-9]{6})[0-9]+/\1.../g'
t export h.mbt --channel body.position --frames -2: | cut -d , -f 1
t export h.mbt --frames ::5 --channel energy | wc -l | tr -d ' '
t export h.mbt --frames 3 --channel energy | cut -d , -f 1
t export h.mbt --channel energi
t export h.mbt -o h.npz && "$PYTHON" -c '
import numpy
z = numpy.load("h.npz"); print({k: z[k].shape for k in sorted(z.files) if k != "header.json"})'
t export h.mbt -o h.json
t export h.mbt -o frames.json && tail -n 1 frames.json | cut -c 1-30
t export h.mbt --format json | grep -v '^\$' | "$PYTHON" -c 'import json, sys; print({type(json.loads(line)).__name__ for line in sys.stdin})'
t export h.mbt -o h.csv && cmp h.csv - <<CSV
$("$MBSIM" export h.mbt)
CSV
t export h.json
t export h.mbt --frames 5:1
t export h.mbt --frames 3:3
t export h.mbt --frames=-1:-3
echo "endings"
t export h.mbt -o r.xyz
t export h.mbt -o r
t export h.mbt -o folder.csv/r -f
t export h.mbt -o csv
t export h.mbt -o r.xyz --format csv && cmp r.xyz h.csv
t export h.mbt -o r.CSV && cmp r.CSV h.csv
t export h.mbt -o - | tail -n +2 | cmp - h.csv
ls r*
echo "models"
t export h.mbt -o h.glb && head -c 4 h.glb && echo
t export h.mbt -o h.vtk && ls h.vtk && ls h.vtk/bodies | wc -l | tr -d ' '
t export h.mbt -o h.vtk
t export h.mbt -o h.vtk -f --frames :3
t export h.mbt --format vtk
t export h.mbt -o h.csv --format vtk -f
t export h.mbt -o x.glb --channel energy
t export h.mbt -o sub/x.vtk
mkdir mine && echo mine >mine/file && t export h.mbt --format vtk -o mine; cat mine/file
"$MBSIM" run h.json -q -d 0.1 --set '/output/channels=["energy"]' -o e.mbt && t export e.mbt -o e.glb && ls e.glb
t export e.mbt -o e.vtk
"$MBSIM" run "$ROOT/scenes/redmax/net.json" -q -d 0.02 -o n.mbt && t export n.mbt -o n.vtk
echo "stress of elements"
"$MBSIM" run "$ROOT/scenes/projective/pressed_block.json" -q --param n=3 -d 0.1 -o p.mbt 2>.stderr
"$MBSIM" export p.mbt --channel deformable.block.stress --frames :1 | head -n 1 | cut -d , -f 1-8
t export p.mbt -o p.vtk
grep -a -o 'Components="." NumberOfTuples="48".*Name="[^"]*"' p.vtk/deformable.block/000001.vtu | sed 's/format.*Name/Name/'
cp "$ROOT/scenes/redmax/net.json" . && t validate net.json --set '/output/channels=["deformable.net.stress"]'
