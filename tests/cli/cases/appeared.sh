# a file that another program puts in the way during the run is not replaced, and nothing is lost
long_scene >long.json
"$MBSIM" run long.json -q -o run.mbt &
wait_for run.mbt.part 4000
echo "not ours" >run.mbt
kill -TERM $!
wait $! 2>message
echo "exit $?"
cat run.mbt
"$MBSIM" check run.mbt.part | head -n 1
