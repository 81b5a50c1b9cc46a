# a loop that opens during a run: exit 4, whatever pulls it together; check says it of the file
crank="$ROOT/scenes/redmax/prescribed_crank.json"
for solver in redmax maximal; do t run "$crank" -p crank=0.65 -q -f -o open.mbt --set "/solver=\"$solver\""; done 2>&1 |
  sed -E "s|$ROOT/||; s/t = [0-9.]+ s, step [0-9]+: (constraint \"pin\.[0-9]\"|the joint of \"[a-z]+\") is open by [0-9.e+]+ m/WHEN: WHAT is open by GAP m/"
t run "$crank" -q -d 0.5 -o closed.mbt | sed "s|$ROOT/||"
t check closed.mbt | grep constraint
