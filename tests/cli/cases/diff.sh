# comparing: same, different, not comparable, unreadable
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 0.5 -o a.mbt
"$MBSIM" run s.json -q -d 0.5 -o b.mbt
"$MBSIM" run s.json -q -d 0.5 -o c.mbt --set '/bodies/0/velocity/angular=[0.0010001,10,0]'
"$MBSIM" run s.json -q -d 0.5 -o fine.mbt --error fine
t diff a.mbt b.mbt
"$MBSIM" diff a.mbt c.mbt >out
echo "exit $?"
grep -c FAIL out
tail -n 1 out | cut -c 1-7
# how large a difference is depends on the last digits of the processor and of the codec
size='s/difference is [0-9.e-]+ in ([a-z.]+) at t = [0-9.]+ s/difference is SIZE in \1 at TIME/'
t diff a.mbt c.mbt --atol 1 | tail -n 1 | sed -E "$size"
t diff --rtol=1 c.mbt a.mbt | tail -n 1 | sed -E "$size"
t diff a.mbt c.mbt --top 1 | grep -cE '^  (body|energy|momentum)'
"$MBSIM" diff a.mbt c.mbt --json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
print(sorted(d), d["same"], sorted(d["channels"][0]["worst"]))'
t diff a.mbt fine.mbt | tail -n 1 | sed -E "$size"
t diff a.mbt b.mbt c.mbt --write-tolerances tol.json
"$PYTHON" -c 'import json; t = json.load(open("tol.json")); print(sorted(t["channels"]))'
t diff a.mbt c.mbt --tolerances tol.json | tail -n 1 | sed -E "$size"
# one channel's tolerances: before those of the others and of a file; the last of a name counts
t diff a.mbt c.mbt --channel body.velocity=1 | grep -c FAIL
t diff a.mbt c.mbt --atol 1 --channel energy=0 | grep -E '^  energy' | cut -c 1-29
t diff a.mbt c.mbt --atol 1 -c energy=0 --channel=energy=0,10 | grep -c FAIL
t diff a.mbt c.mbt --tolerances tol.json --channel energy=0,0 | grep -E '^  energy' | cut -c 1-29
for wrong in body.velocty=1 energi energi=1,1 energy=-1 energy=1,nan energy=1, =1 energy=1,2,3; do
  t diff a.mbt c.mbt --channel $wrong
done
t diff a.mbt b.mbt --absolute 1
# JSON: no place where nothing differs, null for what is no number
cat >check.py <<'PY'
import json, sys
d = json.load(sys.stdin, parse_constant=lambda word: sys.exit(f"{word} is no JSON"))
for c in d["channels"]:
    worst, first = c.get("worst"), c.get("first")
    print(c["channel"], c["pass"], c["atol"], c["rtol"], "frame" in worst if worst else "no worst",
          [first[k] for k in ("place", "component_name", "frame")] if first else "no first", "growth" in c)
PY
"$MBSIM" diff a.mbt b.mbt --json >same.json
"$PYTHON" check.py <same.json
grep -cE 'e\+1[0-9]|null' same.json
"$MBSIM" diff a.mbt c.mbt --json --rtol 1e-12 | "$PYTHON" check.py
t diff a.mbt b.mbt --tolerances s.json
t diff a.mbt missing.mbt
t diff a.mbt s.json
# one channel alone; the worst beside the first; the scenes that the files hold
t diff a.mbt c.mbt --channel energy --atol 1 | tail -n 1 | sed -E "$size"
t diff a.mbt c.mbt -c energy -c body.velocity=0 --atol 1 | grep -cE '^  (body|energy|momentum)'
"$MBSIM" diff a.mbt c.mbt >out
sed -n 1,3p out
grep -c '  worst: ' out
tail -n 1 out | grep -c '; worst '
"$MBSIM" diff a.mbt c.mbt --json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
print(d["scene_differences"], d["scene"], sorted(d["channels"][0]["worst"])[:3])'
t diff a.mbt c.mbt -q
t diff a.mbt b.mbt --quiet
t diff a.mbt b.mbt -q --json
# tolerances: what they were learned from, and for each component
t diff a.mbt b.mbt --components
t diff a.mbt b.mbt c.mbt --write-tolerances parts.json --components
grep learned parts.json
"$PYTHON" -c 'import json; t = json.load(open("parts.json")); print(*(sorted(t["channels"][c].get("components", {})) for c in t["channels"]))'
t diff a.mbt c.mbt --tolerances parts.json | sed -n 2p
t diff a.mbt c.mbt --tolerances parts.json | tail -n 1 | sed -E "$size"
# scenes that have nothing to do with one another
"$MBSIM" init top -o top.json 2>/dev/null || "$MBSIM" init chain -o top.json
"$MBSIM" run top.json -q -d 0.1 -o top.mbt
t diff a.mbt top.mbt
# folders: by name, at any depth; the worst status
mkdir -p one/deep two/deep
cp a.mbt one/same.mbt && cp b.mbt two/same.mbt
cp a.mbt one/deep/other.mbt && cp c.mbt two/deep/other.mbt
cp a.mbt one/gone.mbt && cp s.json one/scene.json
t diff one two --atol 1 | sed -E "$size"
t diff one two --atol 1 -q
t diff one/deep two/deep --atol 1 -q
cp top.mbt two/new.mbt && cp a.mbt one/new.mbt
t diff one two --atol 1 | sed -E "$size"
"$MBSIM" diff one two --atol 1 --json 2>/dev/null | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
print(d["same"], d["status"], [(f["file"], f["status"]) for f in d["files"]])'
t diff one a.mbt
mkdir empty
t diff empty empty
t diff empty empty --json
