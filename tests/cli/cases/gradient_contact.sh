# derivatives through contact, beside differences of whole runs; what is refused
agreed() { sed -E 's/(-?[0-9]+\.[0-9]{1,5})[0-9]*(e[-+][0-9]+)?/\1\2/g; s/\+- .*[0-9]$/+- SOME/; s/ +/ /g'; }
for integrator in symplectic implicit; do
  t gradient "$ROOT/tests/gradient/rolling.json" --integrator $integrator --of 'final(ball.position.x)' --wrt slope --wrt start --wrt radius --check |
    agreed | sed "s|$ROOT/||"
  t gradient "$ROOT/tests/gradient/colliding.json" --integrator $integrator --of 'final(a.position.x)' --of 'final(b.position.y)' --wrt speed --wrt mass \
    --wrt mu --check | agreed | sed "s|$ROOT/||"
done
t gradient "$ROOT/tests/gradient/tipping.json" --integrator symplectic --of 'final(block.position.x)' --wrt height --check | agreed | sed "s|$ROOT/||"
t gradient "$ROOT/tests/gradient/rolling.json" --of 'final(ball.position.x)' --of 'final(ball.position.z)' --wrt mu --set /bodies/1/shape/restitution=0.5 --way back --check 2>&1 | agreed | sed "s|$ROOT/||"
echo "of what rebounds a fit takes differences of whole runs"
t fit "$ROOT/tests/gradient/rolling.json" --set /bodies/1/shape/restitution=0.5 --minimise '(final(ball.position.x)-0.4)^2' --free start=0.3:0.6 --derivatives exact \
  -o fitted.json 2>&1 | sed "s|$ROOT/||g"
echo "refused"
t gradient "$ROOT/tests/gradient/rolling.json" --of 'final(ball.position.x)' --wrt mu --set '/contact={}' 2>&1 | sed "s|$ROOT/||"
t gradient "$ROOT/tests/gradient/rolling.json" --of 'final(ball.position.x)' --wrt mu --set '/output={"channels":["contact"]}' 2>&1 | sed "s|$ROOT/||"
