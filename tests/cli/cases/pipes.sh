# stdout that is cut off, or full
"$MBSIM" init box -o box.json
"$MBSIM" run box.json -q --duration 20 --every 1 --integrator rk45
{ "$MBSIM" export box.mbt 2>err; echo "exit $?" >>err; } | head -n 1 | cut -c 1-40
cat err
t version >/dev/null
"$MBSIM" export box.mbt >/dev/full; echo "exit $?"
"$MBSIM" version >/dev/full; echo "exit $?"
