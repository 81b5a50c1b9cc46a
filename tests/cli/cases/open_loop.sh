# a loop that opens during a run: exit 4, whatever pulls it together; check says it of the file
crank="$ROOT/scenes/redmax/prescribed_crank.json"
for solver in redmax maximal; do t run "$crank" -p crank=0.65 -q -f -o open.mbt --set "/solver=\"$solver\""; done 2>&1 | sed "s|$ROOT/||"
t run "$crank" -q -d 0.5 -o closed.mbt | sed "s|$ROOT/||"
t check closed.mbt | grep constraint
