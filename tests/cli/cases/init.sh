# every starter scene is valid and runs
t init
for kind in $("$MBSIM" init | cut -d ' ' -f 1 | grep -v study); do
  t init $kind -o $kind.json
  "$MBSIM" validate $kind.json >plan || echo "invalid"
  "$PYTHON" -m json.tool $kind.json >/dev/null || echo "no JSON"
  "$MBSIM" run $kind.json -q && "$MBSIM" check $kind.mbt | head -n 3
done
# what they are there to show: the top goes round and leans on, the arm bends, the cloth hangs down, the bar is twisted
column() { "$MBSIM" export "$1" --channel "$2" --format json | "$PYTHON" -c "
import json, sys
rows = [list(json.loads(line).values())[1] for line in sys.stdin if '\"time\"' in line]
print('$1:', $3)"; }
column top.mbt joint.position 'rows[-1][0][0] > 6.28 and max(r[1][0] for r in rows) < 0.6'
column muscle.mbt joint.position 'max(r[0][0] for r in rows) > 1.5 and rows[-1][0][0] < 0.5'
column cloth.mbt deformable.cloth.position 'min(x[2] for x in rows[0]) > 1.99 and min(x[2] for x in rows[-1]) < 1.5'
column soft.mbt deformable.bar.strain 'rows[-1][0] > 0.5'
t validate box.json | mask
t info box.json | cmp - - && echo same
# loops close, and what is written to size is as large as asked
t check four-bar.mbt --constraint 2e-3 | grep -c '^ok .*constraint'
"$MBSIM" init chain --bodies 1000 | t run - -q -d 0.02 -o long.mbt
"$MBSIM" info long.mbt | grep ^meshes
"$MBSIM" init chain --bodies 1 | "$MBSIM" validate - | grep -E '^bodies'
t init chain --bodies 1000001
t init box --bodies 3
