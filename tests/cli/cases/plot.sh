# curves: as a picture, as plain text; names, units, several runs; the house's rules
"$MBSIM" init hammer -o h.json
"$MBSIM" run h.json -q -d 1 -o a.mbt
"$MBSIM" run h.json -q -d 0.5 --step 0.05 --every 1 -o b.mbt
unset COLUMNS
what() { # texts of a picture, and how many curves
  "$PYTHON" - "$1" <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
name = lambda e: e.tag.split("}")[1]
texts = [e.text for e in root.iter() if name(e) == "text" and not e.get("class").startswith("n")]
print(name(root), texts, sum(1 for g in root if name(g) == "g" for e in g if e.get("class") == "c"), "curves")
PY
}
echo "plain text"
t plot a.mbt
COLUMNS=50 t plot a.mbt b.mbt -c energy.total,hammer.position.x
COLUMNS=50 t plot b.mbt --x hammer.position.x -c hammer.position.z
for columns in 1 x -3 0 100000; do COLUMNS=$columns "$MBSIM" plot a.mbt | "$PYTHON" -c 'import sys; print(max(len(line) - 1 for line in sys.stdin))'; done
"$PYTHON" - <<'PY'
# in a terminal, as wide as that is
import fcntl, os, pty, struct, subprocess, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 111, 0, 0))
env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
subprocess.run([os.environ["MBSIM"], "plot", "a.mbt"], stdout=theirs, env=env, check=True)
print("terminal:", max(len(line) for line in os.read(ours, 65536).decode().split("\r\n")))
PY
echo "pictures"
t plot a.mbt -o a.svg && what a.svg
t plot a.mbt b.mbt -c hammer.position,energy.total -c body.rotation -o two.svg && what two.svg
t plot a.mbt -c hammer.position.z --x hammer.position.x -o x.svg && what x.svg
t plot a.mbt -o - >piped.svg && tail -n +2 piped.svg | cmp - a.svg && echo same
t plot a.mbt -o part.svg --frames ::10 && what part.svg
mkdir other && cp b.mbt other/a.mbt
t plot a.mbt other/a.mbt -c energy.total -o same-name.svg && what same-name.svg
echo "a run of 100,000 frames"
"$MBSIM" init spinning -o spin.json && "$MBSIM" run spin.json -q -d 10 --step 1e-4 --every 1 --integrator symplectic -o long.mbt
"$MBSIM" plot long.mbt -c body.velocity,momentum,body.rotation,energy -o long.svg && "$MBSIM" plot long.mbt --x tablet.velocity.wx -c body.velocity,momentum,body.rotation,energy -o over.svg
for picture in long over; do [ "$(wc -c <$picture.svg)" -lt 1000000 ] && what $picture.svg | grep -o '[0-9]* curves'; done
rm long.* over.svg spin.json
echo "names"
t plot a.mbt -c enegry
t plot a.mbt -c hammer.positon.x
t plot a.mbt -c energy.total,hammer.positon
"$MBSIM" plot a.mbt -c body.position.hammer.x -o - | grep -o '>hammer[^<]*'
t plot a.mbt --x body.position
t plot a.mbt --x hammer.position.q
"$MBSIM" run h.json -q -d 0.1 --set '/output/channels=["body.position"]' -o few.mbt
t plot few.mbt
t plot few.mbt a.mbt -c energy.total -o some.svg && what some.svg
"$MBSIM" init chain -n 12 -o chain.json && "$MBSIM" run chain.json -q -d 0.01 -o chain.mbt
t plot chain.mbt -c body.position
echo "wrong"
t plot a.mbt -o a.png
t plot a.mbt -o a.svg
t plot a.mbt -o a.svg -f
t plot h.json
t plot nothing.mbt
t plot a.mbt --frames 5:1
t plot a.mbt --frames 5000:
t plot a.mbt --frames x
t plot
cp a.mbt cut.svg && truncate -s 6000 cut.svg
t plot cut.svg -o new.svg 2>&1 | sed -E 's/at byte [0-9]+/at byte N/; s/[0-9]+ frames in [0-9]+ chunks?/N frames/'
t plot cut.svg -o cut.svg -f --partial 2>&1 | grep error
t plot cut.svg -o new.svg --partial 2>&1 | grep -c warning; what new.svg
mkdir folder.svg && mkfifo pipe.svg && ln -s pipe.svg to-pipe.svg && ln -s far.svg near.svg && echo mine >file && ln -s file to-file.svg
for place in folder pipe to-pipe to-file; do t plot a.mbt -o $place.svg; done
t plot a.mbt -o pipe.svg -f
t plot a.mbt -o near.svg && what far.svg && readlink near.svg
cat file && rm -r folder.svg pipe.svg to-* near.svg far.svg file
(ulimit -f 1 && exec "$MBSIM" plot a.mbt -o full.svg) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
"$MBSIM" plot a.mbt >/dev/full; echo "exit $?"
"$MBSIM" plot a.mbt | head -n 1
echo "numbers that are not finite, and a run of one frame"
cat >inf.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "duration": 2 },
  "bodies": [ { "name": "wild", "shape": { "type": "sphere", "radius": 1 }, "density": 1 } ],
  "forces": [ { "type": "wrench", "body": "wild", "force": [0, 0, "=exp(1000*t)"] } ] }
JSON
"$MBSIM" run inf.json -q 2>/dev/null
t plot inf.mbt -c wild.position.z -o inf.svg && what inf.svg
"$MBSIM" run h.json -q -d 0 -o one.mbt
COLUMNS=40 t plot one.mbt -c energy.total
ls
