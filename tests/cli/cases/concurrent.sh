# two runs of one output: the second is told, the first is not harmed; a killed run's part is no obstacle to --force
long_scene >long.json
"$MBSIM" run long.json -q &
wait_for long.mbt.part 3000
t run long.json
t run long.json -f
t run long.json --resume long.mbt.part -d 0.1
t repair long.mbt.part
kill -TERM $!
wait $!
echo "the first: $?"
"$MBSIM" check long.mbt | head -n 2
rm long.mbt
"$MBSIM" run long.json -q &
wait_for long.mbt.part 3000 && kill -KILL $!
wait $! 2>/dev/null
t run long.json -q -d 0.1 | cut -c 1-80
t run long.json -q -d 0.1 -f
ls
