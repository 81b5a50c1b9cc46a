# derivatives of a run that begins at a checkpoint, beside differences of runs that are resumed there; what is refused
sed '1,/^cat >arm.json/d; /^JSON/,$d' "$ROOT/tests/cli/cases/gradient.sh" >arm.json
agreed() { sed -E 's/(-?[0-9]+\.[0-9]{1,5})[0-9]*(e[-+][0-9]+)?/\1\2/g; s/\+- .*[0-9]$/+- SOME/; s/ +/ /g; s/ -?[0-9.]+e-1[0-9] / 0 /g' | sed "s|$ROOT/||g"; }
for integrator in bdf2 sdirk2 symplectic implicit trapezoidal bridson_marino; do
  set -- arm.json --integrator $integrator -p damping=0.001 -s '/bodies/1/joint/type="universal"' -s '/bodies/1/joint/velocity=[0.3,"=n*start"]'
  "$MBSIM" run "$@" -d 0.25 -o half.mbt --force -q >/dev/null
  t gradient "$@" --resume half.mbt --of 'final(b.position.x)' --of 'mean(energy.kinetic)' --wrt length --wrt damping --wrt start --wrt k --wrt /gravity/2 --check | agreed
  # what it comes to is what the whole run does
  "$MBSIM" gradient "$@" --resume half.mbt --of 'final(b.position.x)' --wrt k | sed -n 2p >resumed.txt
  "$MBSIM" gradient "$@" --of 'final(b.position.x)' --wrt k | sed -n 2p | cmp - resumed.txt && echo "the same"
done
# what loops, limits and contacts have there
for integrator in bdf1 bdf2 sdirk2 symplectic; do
  set -- "$ROOT/scenes/redmax/four_bar.json" --integrator $integrator -s '/output={"channels":["body.position"]}'
  "$MBSIM" run "$@" -d 0.25 -o half.mbt --force -q >/dev/null
  t gradient "$@" -d 0.5 --resume half.mbt --of 'final(coupler.position.x)' --wrt crank --wrt coupler --wrt /bodies/2/density --check | agreed
done
"$MBSIM" run "$ROOT/tests/gradient/limit.json" --integrator bdf2 -d 0.6 -o half.mbt --force -q >/dev/null
t gradient "$ROOT/tests/gradient/limit.json" --integrator bdf2 --resume half.mbt --of 'final(b.position.x)' --wrt length --wrt push --wrt mass --check | agreed
"$MBSIM" run "$ROOT/tests/gradient/rolling.json" --integrator symplectic -d 0.3 -o half.mbt --force -q >/dev/null
t gradient "$ROOT/tests/gradient/rolling.json" --integrator symplectic --resume half.mbt --of 'final(ball.position.x)' --wrt slope --wrt radius --check | agreed
# a number that turns the axes of bodies far, which stand at the checkpoint as they do in the run
for solver in redmax maximal; do
  "$MBSIM" run "$ROOT/tests/gradient/turning_axes.json" --solver $solver --integrator bdf2 -d 0.02 -o axes.mbt --force -q >/dev/null 2>&1 # velocities at the start contradict the distance, which is told
  t gradient "$ROOT/tests/gradient/turning_axes.json" --solver $solver --integrator bdf2 --resume axes.mbt --of 'mean(drifts.velocity.wx+drifts.rotation.x)' \
    --of 'mean(hand.velocity.wy)' --wrt drifts_xx --wrt arm_yz --wrt hand_zz --check | agreed
done
echo "refused"
t gradient arm.json --resume half.mbt --of 'final(b.position.x)' --wrt k
"$MBSIM" run arm.json -d 0.25 -o half.mbt --force -q >/dev/null
t gradient arm.json --resume half.mbt --of 'final(b.position.x)' --wrt k -p k=4
t gradient arm.json --resume half.mbt --of 'at(b.position.x, 0.1)' --wrt k
"$MBSIM" run arm.json -d 0.255 -o odd.mbt --force -q >/dev/null
t gradient arm.json --resume odd.mbt --of 'at(b.position.x, 0.26)' --wrt k
t gradient arm.json --resume half.mbt --of 'final(b.position.x)' --wrt k --way back
t gradient arm.json --resume half.mbt --of 'final(b.position.x)' --wrt k -d 0
t gradient arm.json --resume none.mbt --of 'final(b.position.x)' --wrt k
t gradient arm.json --resume arm.json --of 'final(b.position.x)' --wrt k
