# steps that miss what their solver is to iterate to are counted; --strict fails the run, whose file is whole
scene=$ROOT/scenes/projective/hanging_cloth.json
run() { "$MBSIM" run "$scene" -d 0.05 --set /solver/energy_tolerance="$1" --set /solver/iterations=4 -o "$2" --force $3 2>&1 |
  grep -v "steps/s\|^energy\|frames to"; }
run 1e-9 loose.mbt
"$MBSIM" run "$scene" -d 0.05 --set /solver/energy_tolerance=1e-9 --set /solver/iterations=4 -o strict.mbt -q --strict
echo "exit $?"
cmp loose.mbt strict.mbt >/dev/null || "$MBSIM" diff loose.mbt strict.mbt >/dev/null && echo "the same file"
"$MBSIM" run "$scene" -d 0.05 --set /solver/energy_tolerance=0.5 --set /solver/iterations=40 -o fine.mbt -q --strict
echo "exit $?"
