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
ls
