# a loop that cannot stay closed: exit 4 where no motion goes on; check says of a file whether it was closed
crank="$ROOT/scenes/redmax/prescribed_crank.json"
for solver in redmax maximal; do t run "$crank" -p crank=0.65 -q -f -o open.mbt --set "/solver=\"$solver\""; done 2>&1 |
  sed -E "s|$ROOT/||; s/t = [0-9.]+ s, step [0-9]+: constraint \"pin\.[0-9]\" changes the energy of motion by [0-9.e+]+ J/WHEN: WHAT changes the energy of motion by SO MUCH/"
t run "$crank" -q -d 0.5 -o closed.mbt | sed "s|$ROOT/||"
t check closed.mbt | grep constraint
