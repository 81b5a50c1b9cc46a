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
# elements that end crushed are told, counted, and fail a strict run
cat > crushed.json <<'END'
{"mbsim": 1, "time": {"step": 0.02, "duration": 0.2}, "gravity": [0, 0, 0], "solver": "projective", "output": {"channels": ["energy"]},
 "deformables": [{"name": "block", "type": "tets", "mesh": {"box": [4, 3, 3], "size": [0.6, 0.4, 0.4]},
   "material": {"model": "neo_hookean", "young": 1e5, "density": 1000},
   "pin": [{"select": {"side": "-x"}}, {"select": {"side": "+x"}, "motion": {"translate": ["=-0.57*(1-cos(5*pi*t))/2", 0, 0]}}]}]}
END
"$MBSIM" run crushed.json -o crushed.mbt 2>&1 | grep "crushed or" | sed "s,(element.*rest),(…),;s,[0-9]* of the,N of the,"
"$MBSIM" run crushed.json -o crushed.mbt --force -q --strict 2>&1 | grep strict
"$MBSIM" run crushed.json -o crushed.mbt --force -q --strict 2>/dev/null
echo "exit $?"
# contacts that a step has not solved are told at once, and fail a strict run; of a few sweeps no more is asked
slope() { "$MBSIM" run "$ROOT/scenes/contact/incline.json" -d 0.1 -q -f -o slope.mbt --set '/contact/method="gauss_seidel"' "$@" 2>&1; }
slope --set /contact/iterations=200
slope --set /contact/iterations=200 --strict | grep strict
slope --set /contact/iterations=20
# so do steps whose friction inside joints has not come to the loads
cat > rubs.json <<'END'
{"mbsim": 1, "time": {"step": 0.01, "steps": 5}, "output": {"channels": ["joint.position"]}, "bodies": [{"name": "wheel", "mass": 1,
  "shape": {"type": "box", "size": [0.2, 0.2, 0.1]}, "joint": {"type": "revolute", "axis": [0, 1, 0], "velocity": 3, "in_body": {"position": [0.1, 0, 0]},
  "friction": {"coefficient": 0.3, "radius": 0.05, "length": 0.1, "passes": 1}}}]}
END
"$MBSIM" run rubs.json -o rubs.mbt 2>&1 | grep "friction in" | sed "s/worst to .*/worst to …/"
"$MBSIM" run rubs.json -o rubs.mbt --force -q --strict 2>&1 | sed "s/worst to [^)]*/worst to …/; s/solved to [^ ]*/solved to …/"
"$MBSIM" run rubs.json -o rubs.mbt --force -q --strict --set /bodies/0/joint/friction/passes=100
echo "exit $?"
# Newton's method that is given too few iterations by a little misses, by more it fails
newton() { "$MBSIM" run "$scene" -d 0.02 -q -f -o newton.mbt --set '/solver={"type":"projective","method":"newton","iterations":'$1'}' $2 2>&1 |
  sed "s/solved to [^ ]*/solved to …/"; }
newton 3
newton 3 --strict | grep strict
newton 1
newton 8 --strict
