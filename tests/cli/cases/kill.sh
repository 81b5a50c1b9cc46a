# killed at twenty moments: every part opens, holds its whole chunks, can be repaired
long_scene >long.json
bad=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  "$MBSIM" run long.json -q -o k.mbt &
  wait_for k.mbt.part
  sleep "0.0$(((round * 37) % 100))"
  kill -KILL $!
  wait $! 2>/dev/null
  "$MBSIM" info k.mbt.part --partial >info 2>&1 || { bad=$((bad + 1)) && head -n 3 info; }
  "$MBSIM" check k.mbt.part >check 2>&1
  [ $? -eq 5 ] || [ $? -eq 1 ] || { echo "check: not told that it is cut off" && cat check; }
  if ! { "$MBSIM" repair k.mbt.part 2>err && "$MBSIM" check k.mbt >check 2>&1; }; then
    bad=$((bad + 1)) && cat err check
  fi
  rm -f k.mbt k.mbt.part
done
echo "20 kills, $bad bad"
