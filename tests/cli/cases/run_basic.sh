# from scene to trajectory, and names of files
"$MBSIM" init box -o box.json
tm run box.json --integrator rk45
tm info box.mbt
tm run box.json -o quiet.mbt -q --duration 0.1
t run - -o - <box.json
tm run - --duration=0.05 -q <box.json && ls run.mbt
tm run box.json -q --set '/output/file="named.mbt"' --duration 0.05 && ls named.mbt
mkdir deep && cp box.json deep/deep.json
tm run -q -- deep/deep.json && ls deep.mbt
t run missing.json
# what explains a change of energy
tm run box.json -o damped.mbt --set '/forces=[{"type": "damping", "coefficient": 1}]' 2>&1 | grep energy
tm run box.json -o driven.mbt --set '/forces=[{"type": "wrench", "body": "box", "force": [0, 0, "=sin(t)"]}]' 2>&1 | grep energy
t run box.json -o no/such/folder.mbt
t run box.json -o deep
ls
