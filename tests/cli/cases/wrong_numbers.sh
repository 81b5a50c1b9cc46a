# scenes and numbers at the edge of sense
scene() { # time, bodies
  echo "{ \"mbsim\": 1, \"time\": { \"step\": 0.01, $1 }, \"bodies\": [ $2 ] }" >s.json
}
ball='{ "name": "a", "shape": { "type": "sphere", "radius": 1 }, "density": 1 }'
scene '"steps": 5' ''
tm run s.json | sed 's/energy: .*/energy/'
t validate s.json | sed -n 1,3p
t validate s.json --json | grep -E '"(text|valid)"'
scene '"steps": 0' "$ball"
tm run s.json -f | sed 's/energy: .*/energy/'
"$MBSIM" info s.mbt | sed -n 2p
scene '"duration": 0' "$ball"
t run s.json -f -q
scene '"steps": 5' "$ball"
for option in '--every 0' '--every -1' '--every 99999999999999999999' '--every 9000000000000000000' \
  '--threads 0' '--threads -2' '--threads 1e2' '-d -1' '-d 1e300' '-d inf' '-d nan' '-d 1e999' \
  '--step -0.1' '--step 1e-30 -d 1' '--checkpoint 0' '--error -1' '--error nan' '--error 1e-3x' \
  '--param' '--param x' '--param x=1' '--set' '--set /bodies/9/mass=1' '--set /time=' \
  '--log yaml' '--progress' '--device gpu' '--integrator rk54'; do
  # shellcheck disable=SC2086
  t run s.json -o no.mbt $option
done
t run s.json -o no.mbt --set ''
t run s.json s.json
t run s.json -o start.mbt -q -d 0 && "$MBSIM" info start.mbt | grep ^frames | mask
t export s.mbt --channel body.positio
t export s.mbt --frames ''
t check s.mbt --energy x
t diff s.mbt s.mbt --atol -1
t diff s.mbt s.mbt --rtol x
t diff s.mbt s.mbt --top 0
t diff s.mbt s.mbt --until -1
t bench --bodies 0
ls
echo "taken"
t run s.json -f -q --error 1e-3
"$MBSIM" info s.mbt --json | grep -c '"bound":.0.001'
t run s.json -f -q --error 1e-3 --step 1e-12 --checkpoint 1e300
t run s.json -f -q -d 1e-300
