# a page holds the trajectory's bytes and is written as every other output
"$MBSIM" init hammer -o h.json
"$MBSIM" run h.json -q -d 0.1
if ! "$MBSIM" version | grep -q 'the page of view'; then
  # without node: told so, and nothing is written; what would be printed else is not there to compare
  "$MBSIM" view h.mbt 2>message
  [ $? -eq 5 ] && grep -q 'make deps' message && [ ! -e h.html ] && cat "$TESTS/cases/view.out"
  exit
fi
bytes() { # of the data in the page
  "$PYTHON" - "$@" <<'PY'
import base64, re, sys
page = open(sys.argv[1]).read()
found = re.findall(r'<script type="application/x-mbt" data-name="([^"]*)">([^<]*)</script>', page)
print([(name, base64.b64decode(text, validate=True) == open(file, "rb").read()) for (name, text), file in zip(found, sys.argv[2:])], len(found))
PY
}
t view h.mbt
bytes h.html h.mbt
t view h.mbt
mkdir sub && cp h.mbt 'sub/a "quote" & <less>.mbt'
t view h.mbt sub/a* -o two.html -f && bytes two.html h.mbt sub/a*
t view -o empty.html && bytes empty.html
t view h.mbt -o h.mbt -f
"$MBSIM" check h.mbt | head -n 1
t view h.json -o j.html
t view nothing.mbt -o n.html
t view h.mbt h.mbt h.mbt
"$MBSIM" view h.mbt -o - | cmp - h.html && echo same
printf '%s' x >>h.mbt
t view h.mbt -o long.html 2>&1 | sed -E "s/bytes [0-9]+ to [0-9]+/bytes N to M/"
echo "parts of a run"
data() { # the page's trajectory as a file
  "$PYTHON" - "$@" <<'PY'
import base64, re, sys
(found,) = re.findall(r'<script type="application/x-mbt" data-name="[^"]*">([^<]*)</script>', open(sys.argv[1]).read())
open(sys.argv[2], "wb").write(base64.b64decode(found, validate=True))
PY
}
what() { "$MBSIM" check part.mbt | head -n 2; "$MBSIM" info part.mbt | grep -E '^frames|bounded|lossless' | cut -c 1-55; }
"$MBSIM" run h.json -q -f -d 0.2
t view h.mbt -o tenth.html --frames ::10 && data tenth.html part.mbt && what
"$MBSIM" export part.mbt | cmp - "$("$MBSIM" export h.mbt --frames ::10 >all.csv; echo all.csv)" && echo "the same numbers"
t view h.mbt -o coarse.html --error view && data coarse.html part.mbt && what
t diff h.mbt part.mbt -q
"$MBSIM" info part.mbt --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["provenance"][-1])'
t view h.mbt -o own.html --error '{"energy": 1e-3}' --frames=-5: && data own.html part.mbt && what
for wrong in '--frames 5:1' '--frames x' '--frames 999:' '--error nix' '--error {"pos":1}' '--error {"pose":-1}'; do
  # shellcheck disable=SC2086
  t view h.mbt -o wrong.html $wrong
done
t view --frames ::2 -o wrong.html
"$MBSIM" run h.json -q -d 2 -o cut.mbt && truncate -s 8000 cut.mbt
t view cut.mbt -o wrong.html --frames ::2 2>&1 | grep -v warning
"$MBSIM" view cut.mbt -o cut.html --frames ::2 --partial 2>err; echo "exit $?, $(grep -c 'cut.mbt has no trailer' err) warning"
data cut.html part.mbt && "$MBSIM" check part.mbt | head -n 2
echo "a page that opens slowly"
cp h.mbt large.mbt && truncate -s 165M large.mbt
"$MBSIM" view large.mbt -o - 2>&1 >/dev/null | grep -c 'the page holds 2[0-9]* MiB.*--frames.*--error.*viewer.html'
rm large.mbt
(ulimit -f 1000 && exec "$MBSIM" view h.mbt h.mbt -o full.html --error view) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
ls
