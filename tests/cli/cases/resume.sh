# a resumed run writes the same records as one that was never stopped
scene() { # output
  cat <<JSON
{ "mbsim": 1, "name": "r", "time": { "step": 0.001, "duration": 80 },
  "bodies": [ { "name": "a", "shape": { "type": "box", "size": [1, 2, 3] }, "density": 10,
    "velocity": { "angular": [0.1, 2, 0.3], "linear": [1, 0, 5] } } ],
  "forces": [ { "type": "wrench", "body": "a", "torque": ["=3*sin(t)", 0, 0] } ], "integrator": "$2", "output": $1 }
JSON
}
# $1 = file to go on from
same() {
  "$MBSIM" run r.json -q --resume "$1" -o resumed.mbt -f && records whole.mbt resumed.mbt
}
try() {
  echo "output $1, $2"
  rm -f ./*.mbt* && scene "$1" "$2" >r.json
  "$MBSIM" run r.json -q -o whole.mbt
  # from a shorter run that ended, at a time that is nobody's multiple
  "$MBSIM" run r.json -q -o short.mbt -d 1.235 && same short.mbt
  # from one that was interrupted, and one that was killed; they may have come further than this one
  "$MBSIM" run r.json -q -d 100000 -o stopped.mbt &
  wait_for stopped.mbt.part 3000 && kill -TERM $!
  wait $!
  [ $? -eq 130 ] || echo "not interrupted"
  same stopped.mbt
  "$MBSIM" run r.json -q -d 100000 -o killed.mbt &
  wait_for killed.mbt.part 5000 && kill -KILL $!
  wait $! 2>/dev/null
  same killed.mbt.part 2>/dev/null
  # going on twice, and from a whole one
  "$MBSIM" run r.json -q -o longer.mbt -d 2.5 --resume short.mbt && same longer.mbt
  same whole.mbt
}
try '{ "every": 7, "checkpoint": 0.333 }' implicit
try '{ "interval": 0.0166, "error": "fine", "checkpoint": 0.5 }' symplectic 2>&1 | grep -v 'warning: /output/interval'
try '{ "every": 100, "checkpoint": 0.05 }' rk45

echo "in place"
"$MBSIM" run r.json -q -o p.mbt -d 1 && "$MBSIM" run r.json -q --resume p.mbt && records whole.mbt p.mbt
cp whole.mbt p.mbt
head -c 20000 whole.mbt >k.mbt.part # as a killed run leaves it
"$MBSIM" run r.json -q --resume k.mbt.part 2>/dev/null && records whole.mbt k.mbt && ls k.mbt*
# another output: the part stays, and that is told
head -c 20000 whole.mbt >k2.mbt.part
tm run r.json --resume k2.mbt.part -o other2.mbt | grep -E 'left where|exit' && records whole.mbt other2.mbt && ls k2.mbt*
tm run r.json --resume short.mbt -o whole.mbt
tm run r.json --resume short.mbt -o other.mbt -d 2 | sed -E 's/energy: .*/energy/'

echo "refused"
t run r.json --resume short.mbt -o no.mbt --step 0.002
t run r.json --resume short.mbt -o no.mbt --set /bodies/0/density=11
t run r.json --resume short.mbt -o no.mbt --integrator implicit
t run r.json --resume short.mbt -o no.mbt -d 0.01
t run r.json --resume r.json -o no.mbt
t run r.json --resume missing.mbt -o no.mbt
ls no* 2>/dev/null
