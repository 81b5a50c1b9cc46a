# a chunk in the middle is lost: the frames that are missing are named, the others used
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 2
"$PYTHON" - <<'PY'
data = bytearray(open("s.mbt", "rb").read())
at = -1
for chunk in range(3):
    at = data.index(b"CHNK", at + 1)
data[at + 200] ^= 4  # the third, frames 64 to 95
open("flip.mbt", "wb").write(data)
PY
t repair flip.mbt -o gap.mbt | sed -E 's/byte [0-9]+/byte N/g'
t repair gap.mbt -o again.mbt
cmp gap.mbt again.mbt && echo "the same file"
t info gap.mbt --partial | grep -E '^!|frames|not whole' | sed -E 's/, [0-9.]+ KiB//'
t info gap.mbt --json 2>/dev/null | tr -d ' \t\n' | grep -oE '"(whole|frames|missing)":[^"]*' | head -n 3
t check gap.mbt | grep -vE 'energy|momentum|constraint' | sed -E 's/[0-9.]+e-[0-9]+, .*/TINY/'
t hash gap.mbt
t hash gap.mbt --partial
t export gap.mbt -o none.csv | grep -v 'frames 64'
[ -e none.csv ] && echo "written"
# the last frame before and the first after
t export gap.mbt --partial --format csv --channel energy --frames 62:98 | cut -d , -f 1
"$MBSIM" export gap.mbt --partial --format csv 2>/dev/null | wc -l
t export gap.mbt --partial --format csv --frames 80
"$MBSIM" export gap.mbt --partial --format json --channel energy --frames 60:120:10 2>/dev/null | head -n 1 | grep -oE '"(frames|missing)": [^"]*'
"$MBSIM" export gap.mbt --partial --format npz -o x.npz 2>/dev/null && "$PYTHON" - <<'PY'
import numpy
x = numpy.load("x.npz")
print(x["time"].shape, x["body.rotation"].shape, numpy.diff(x["time"]).max().round(9))
PY
same='s/ +[-+0-9.e]+ +[-+0-9.e]+ +[-+0-9.e]+ +/ NUMBERS /'
t diff s.mbt gap.mbt | grep -vE "^  [a-z.]+ +ok" | sed -E "$same"
t diff gap.mbt s.mbt | tail -n 4 | sed -E "$same"
# at times between: none is made up across the gap
"$MBSIM" run s.json -q -d 2 --set /output/interval=0.005 -o fine.mbt
t diff fine.mbt gap.mbt --interpolate --atol 1 | grep -E '^!|missing|compared|exit'
"$PYTHON" "$ROOT/tests/read_mbt.py" gap.mbt | tail -n 2
