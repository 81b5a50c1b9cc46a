# every starter scene is valid and runs
t init
for kind in $("$MBSIM" init | cut -d ' ' -f 1); do
  t init $kind -o $kind.json
  "$MBSIM" validate $kind.json >plan || echo "invalid"
  "$PYTHON" -m json.tool $kind.json >/dev/null || echo "no JSON"
  "$MBSIM" run $kind.json -q && "$MBSIM" check $kind.mbt | head -n 3
done
t validate box.json | mask
t info box.json | cmp - - && echo same
# loops close, and what is written to size is as large as asked
t check four-bar.mbt --constraint 2e-3 | grep -c '^ok .*constraint'
"$MBSIM" init chain --bodies 1000 | t run - -q -d 0.02 -o long.mbt
"$MBSIM" info long.mbt | grep ^meshes
"$MBSIM" init chain --bodies 1 | "$MBSIM" validate - | grep -E '^bodies'
t init chain --bodies 1000001
t init box --bodies 3
