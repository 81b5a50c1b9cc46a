# a channel with a count per frame: limits that are hit and let go of, in every command that reads trajectories
cat > s.json <<'JSON'
{"mbsim": 1, "time": {"step": 0.005, "duration": 2}, "integrator": "implicit",
 "output": {"channels": ["joint.position", "constraint.active"], "every": 5},
 "bodies": [
  {"name": "a", "mass": 1, "shape": {"type": "box", "size": [1, 0.1, 0.1], "frame": {"position": [0.5, 0, 0]}},
   "joint": {"type": "revolute", "axis": [0, 1, 0], "limits": [-1, 1]}},
  {"name": "b", "mass": 1, "shape": {"type": "box", "size": [1, 0.1, 0.1], "frame": {"position": [0.5, 0, 0]}},
   "joint": {"type": "revolute", "axis": [0, 1, 0], "parent": "a", "in_parent": {"position": [1, 0, 0]}, "limits": [-0.5, 0.5]}}],
 "constraints": [{"type": "distance", "name": "leash, long", "rope": true, "length": 2.03,
   "between": [{"body": "b", "at": [1, 0, 0]}, {"body": "world", "at": [0, 0, 0.3]}]}]}
JSON
t run s.json -q --checkpoint 0.5
t info s.mbt | grep -A 1 constraint.active | sed -E 's/[0-9.]+ (B|KiB) +[0-9.]+x/SIZE RATIO/'
t info s.mbt --json | tr -d ' \t\n' | grep -oE '"(entries|keys)":[0-9]+|"fields":.*"words":\["lower","upper"\]'
t check s.mbt | grep -E 'checksums|finite'
# a table of its own where the list alone is asked for; else the count
"$MBSIM" export s.mbt -c constraint.active > all.csv
head -n 1 all.csv
cut -d , -f 2- all.csv | sed -E 's/,[^,]*,[^,]*$//' | tail -n +2 | sort | uniq -c | sed -E 's/^ +//'
"$MBSIM" export s.mbt --frames 30:33 | cut -d , -f 1,4
"$MBSIM" export s.mbt -c constraint.active --frames 30:33 | sed -E 's/[0-9.]+$/FORCE/; s/,[-0-9.e]+,FORCE/,GAP,FORCE/'
"$MBSIM" export s.mbt -c constraint.active --format json --frames 30:32 | sed -E 's/,[-0-9.e]+,[0-9.]+\]/,GAP,FORCE]/g'
"$MBSIM" export s.mbt --format npz -o x.npz && "$PYTHON" - <<'PY'
import numpy
x = numpy.load("x.npz")
counts, entries = x["constraint.active"][:, 0], x["constraint.active.entries"]
print(sorted(x.files), counts.shape, entries.shape[1], counts.sum() == len(entries))
frames = numpy.split(entries, numpy.cumsum(counts).astype(int)[:-1])
print(len(frames), all(len(e) == n for e, n in zip(frames, counts)))
PY
# the same bits by way of a checkpoint, a repair and the reader in Python
"$MBSIM" run s.json -q -d 1 --checkpoint 0.5 -o half.mbt
"$MBSIM" run s.json -q --resume half.mbt -o resumed.mbt
"$MBSIM" repair s.mbt -o mended.mbt 2> /dev/null
for file in s resumed mended; do "$MBSIM" hash $file.mbt; done | cut -d ' ' -f 1 | uniq | wc -l
[ "$("$PYTHON" "$ROOT/tests/read_mbt.py" s.mbt --hash)" = "$("$MBSIM" hash s.mbt | cut -d ' ' -f 1)" ] && echo "the same hash"
t diff s.mbt resumed.mbt | tail -n 1
# another order of the constraints is no difference, another force is; and a limit that does not hold
sed 's/"constraints": \[/"constraints": [{"type": "distance", "name": "loose", "rope": true, "length": 9, "between": [{"body": "b"}, {"body": "world"}]}, /' s.json > more.json
"$MBSIM" run more.json -q
t diff s.mbt more.mbt -c constraint.active --atol 1e-6 | tail -n 1
"$MBSIM" run s.json -q --set /bodies/1/mass=1.5 -o heavy.mbt
t diff s.mbt heavy.mbt -c constraint.active | grep -E '^differ' | sed -E 's/[0-9.e+-]+ > 0/ERROR > 0/g'
"$MBSIM" run s.json -q --set '/bodies/1/joint/limits=[-0.6,0.5]' -o wide.mbt
t diff s.mbt wide.mbt -c constraint.active --atol 1e9 | tail -n 1
t diff s.mbt wide.mbt -c constraint.active --atol 1e-3 | grep -c 'first beyond tolerance: count'
"$MBSIM" sweep s.json -q -s /bodies/1/mass=1,2 -m 'most=max(constraint.active.count)' --keep none -o out && cut -d , -f 1-6 out/results.csv | head -n 3 | sed -E 's/[0-9a-f]{16}/ID/g'
