# checking, damaging and repairing a trajectory
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 2 --integrator rk45
t check s.mbt | sed -E 's/[0-9.]+e-[0-9]+/TINY/g; s/ at t = .*//'
t check s.mbt --energy 1e-3 --momentum 1e-3 | grep -E 'energy|exit' | sed -E 's/[0-9.]+e-[0-9]+/TINY/g; s/ at t = .*//'
t check s.mbt --energy 0 | grep -E 'FAIL|exit' | cut -c 1-10
"$MBSIM" run s.json -q -d 0.1 -s '/output={"channels":["body.position"]}' -o bare.mbt
t check bare.mbt | tail -n 3
t check bare.mbt --energy 1 --momentum 1 --constraint 1 | tail -n 4
t check s.mbt --json | grep -E 'pass|exit' | sort | uniq -c | sed 's/^ *//' | head -n 2
# cut off in the second chunk, whatever its size
"$PYTHON" - <<'PY'
data = open("s.mbt", "rb").read()
open("cut.mbt", "wb").write(data[: data.index(b"CHNK", data.index(b"CHNK") + 4) + 100])
PY
t check cut.mbt | grep -E 'exit|whole'
t info cut.mbt | grep -cE 'not whole'
t info cut.mbt --partial | grep -cE 'not whole'
# cut off right between two chunks, as a killed run's file is: no hash, no export and no info that passes for the whole
"$PYTHON" - <<'PY'
data = open("s.mbt", "rb").read()
open("between.mbt", "wb").write(data[: data.index(b"CHNK", data.index(b"CHNK") + 4)])
PY
there='s/[0-9]+ frames in/N frames in/'
t hash between.mbt | sed -E "$there"
t hash s.mbt between.mbt | sed -E "$there; s/^[0-9a-f]{32} /HASH /"
t hash between.mbt --partial | sed -E "$there; s/^[0-9a-f]{32} /HASH /"
echo "older" >x.csv
t export between.mbt -f -o x.csv | sed -E "$there" && cat x.csv
t export between.mbt --frames 0 | sed -E "$there"
t export between.mbt --partial --frames 0 --channel energy | sed -E "$there" | cut -c 1-50
t info between.mbt | grep -E '^!|^not|exit' | sed -E "$there"
t info between.mbt --json | grep -E '"whole"|exit'
t info between.mbt --partial | grep -E '^!|^not|exit' | sed -E "$there"
"$MBSIM" repair between.mbt -o mended.mbt 2>/dev/null
[ "$("$MBSIM" hash mended.mbt | cut -c 1-32)" = "$("$MBSIM" hash --partial between.mbt 2>/dev/null | cut -c 1-32)" ] && echo "the hash of its frames"
bytes='s/byte [0-9]+/byte N/g'
t repair cut.mbt | sed -E "$bytes"
t check cut.repaired.mbt | head -n 3
# a flipped bit in the last chunk: everything before it is saved
"$PYTHON" - <<'PY'
data = bytearray(open("s.mbt", "rb").read())
at = data.rindex(b"CHNK") + 200
data[at] ^= 4
open("flip.mbt", "wb").write(data)
PY
t check flip.mbt | grep -cE 'FAIL|exit 5'
t repair flip.mbt -o flip2.mbt | sed -E "$bytes"
t check flip2.mbt | head -n 3
cp cut.mbt run.mbt.part
t repair run.mbt.part | sed -E "$bytes" && ls run.mbt
t repair run.mbt.part
t check s.json
t hash missing.mbt
t hash s.mbt | sed -E 's/^[0-9a-f]{32} /HASH /'
