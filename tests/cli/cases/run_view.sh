# run writes a page when it ends, however that is
cat >blow.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "duration": 2 },
  "bodies": [ { "name": "wild", "shape": { "type": "sphere", "radius": 1 }, "density": 1 } ],
  "forces": [ { "type": "wrench", "body": "wild", "force": [0, 0, "=exp(1000*t)"] } ] }
JSON
"$MBSIM" init box -o s.json
long_scene >long.json
if ! "$MBSIM" version | grep -q 'the page of view'; then
  # without node: told so before the run
  "$MBSIM" run s.json -q -d 0.1 --view s.html 2>message
  [ $? -eq 5 ] && grep -q 'make deps' message && [ ! -e s.mbt ] && cat "$TESTS/cases/run_view.out"
  exit
fi
cat >data.py <<'PY'
import base64, re, sys
page = open(sys.argv[1]).read()
(found,) = re.findall(r'<script type="application/x-mbt" data-name="([^"]*)">([^<]*)</script>', page)
print(sys.argv[1], "holds", found[0], base64.b64decode(found[1], validate=True) == open(sys.argv[2], "rb").read())
PY
holds() { "$PYTHON" data.py "$@"; }
t run s.json -q -d 0.1 --view s.html
holds s.html s.mbt
tm run s.json -d 0.1 --view s.html -f | grep html
"$MBSIM" run s.json -d 0.1 --view s.html -f --log json 2>&1 | grep -c '"event":"view","file":"s.html"'
echo "numbers that fail, and Ctrl-C: the page is there, the exit code stays"
t run blow.json -q --view blow.html
holds blow.html blow.mbt
cat >interrupt.py <<'PY'
import os, signal, subprocess, sys, time
run = subprocess.Popen([os.environ["MBSIM"], "run", "long.json", "-q", *sys.argv[1:]])
while not (os.path.exists("long.mbt.part") and os.path.getsize("long.mbt.part") > 4000): time.sleep(0.005)
run.send_signal(signal.SIGINT)
print(run.wait())
PY
"$PYTHON" interrupt.py --view long.html
holds long.html long.mbt
echo "going on: the same page anew; what is none is not replaced"
steps=$("$MBSIM" info long.mbt --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["checkpoints"][-1]["step"] + 40)')
"$MBSIM" run long.json -q --resume long.mbt -d "$("$PYTHON" -c "print($steps / 1000)")" --view long.html; echo "exit $?"
holds long.html long.mbt
"$MBSIM" run long.json -q --resume long.mbt -d "$("$PYTHON" -c "print($steps / 1000)")" --view long.html; echo "exit $?, nothing to do"
holds long.html long.mbt
echo mine >mine.html
t run long.json -q --resume long.mbt --view mine.html
cat mine.html
echo "the house's rules: told before the run, and nothing is taken away"
rm -f s.mbt && echo part >s.mbt.part
t run s.json -q -d 0.1 --view s.html
t run s.json -q -d 0.1 -f --view s.json
t run s.json -q -d 0.1 -f --view ./s.mbt
t run s.json -q -d 0.1 -f --view "$PWD/s.mbt.part" | sed "s|$PWD|HERE|"
mkdir folder && mkfifo pipe
t run s.json -q -d 0.1 -f --view folder
t run s.json -q -d 0.1 -f --view pipe
t run s.json -q -d 0.1 -f --view nowhere/x.html
t run s.json -q -d 0.1 -f --view -
cat s.mbt.part
rm s.mbt.part
# a disk that is full for the page alone: told, and the trajectory stays
(ulimit -f 64 && exec "$MBSIM" run s.json -q -d 0.1 --view full.html) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
"$MBSIM" check s.mbt | head -n 1
(ulimit -f 64 && exec "$MBSIM" run blow.json -q -f --view full.html) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
ls
