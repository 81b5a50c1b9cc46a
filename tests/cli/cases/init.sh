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
