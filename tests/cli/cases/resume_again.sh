# a killed --resume is resumed by the same command line, as often as it takes, and ends with the file that was asked for
cat >s.json <<'JSON'
{ "mbsim": 1, "name": "again", "time": { "step": 0.001, "duration": 2 }, "integrator": "rk45",
  "bodies": [ { "name": "a", "shape": { "type": "box", "size": [1, 2, 3] }, "density": 10,
    "velocity": { "angular": [0.1, 2, 0.3], "linear": [1, 0, 5] } } ],
  "output": { "every": 7, "checkpoint": 0.004 } }
JSON
"$MBSIM" run s.json -q -o whole.mbt
"$MBSIM" run s.json -q -o short.mbt -d 0.3
cat >again.py <<'PY'
import fcntl, json, os, shutil, subprocess

program, names = os.environ["MBSIM"], set()

def events(run, pipe):
    rest = b""
    while more := os.read(pipe, 256):
        *lines, rest = (rest + more).split(b"\n")
        yield from map(json.loads, lines)
    os.close(pipe)

def attempt(command, checkpoints):
    """Kills the command at its nth checkpoint, 0: where it starts. It cannot run far ahead meanwhile, however late that
    is noticed, for nobody reads what it says then: the pipe holds some 70 of 500 checkpoints. Its exit code."""
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    run = subprocess.Popen([program, *command, "--log", "json"], stderr=write)
    os.close(write)
    seen = 0
    for event in events(run, read):
        if event["event"] == "error": print(" ", event["text"])
        seen += event["event"] == "checkpoint"
        if seen == checkpoints and event["event"] in ("checkpoint", "start"): run.kill()
    names.update(os.listdir())
    return run.wait()

def loop(title, begun, *command):
    """Every second attempt is killed before it has come anywhere."""
    os.makedirs("loop"), shutil.copy("s.json", "loop"), shutil.copy("short.mbt", "loop")
    os.chdir("loop")
    names.clear()
    if begun: attempt(begun, 30)
    kills, code = 0, -9
    while code == -9 and kills < 100:
        code = attempt(command, 30 * (kills % 2))
        kills += code == -9
    left = sorted(os.listdir())
    print(f"{title}: exit {code}, killed often: {kills > 4}")
    print("  names:", *sorted(names), "| left:", *left)
    out = [n for n in left if n.endswith(".mbt") and (n != "short.mbt" or "short.mbt" in command and "-o" not in command)]
    digests = {subprocess.run([program, "hash", f], capture_output=True, text=True).stdout[:32] for f in (*out, "../whole.mbt")}
    records = subprocess.run([os.environ["PYTHON"], os.environ["TESTS"] + "/records.py", out[0], "../whole.mbt"], capture_output=True, text=True)
    print(" ", *out, "the same hash," if len(digests) == 1 else digests, records.stdout.strip())
    again = subprocess.run([program, *command, "--log", "json"], capture_output=True, text=True)
    print("  once more:", again.returncode, json.loads(again.stderr.splitlines()[-1]))
    os.chdir(".."), shutil.rmtree("loop")

first = ["run", "s.json", "-o", "r.mbt"]
loop("the part, with its scene", first, "run", "s.json", "--resume", "r.mbt.part")
loop("the part, without", first, "run", "--resume", "r.mbt.part")
loop("by the name of the file", first, "run", "--resume", "r.mbt")
loop("to another file", None, "run", "s.json", "--resume", "short.mbt", "-o", "far.mbt")
loop("in place, for longer", None, "run", "--resume", "short.mbt", "-d", "2")
loop("by two names", first, "run", "--resume", "r.mbt.part", "-o", "other.mbt")
PY
"$PYTHON" again.py

echo "a loop of the shell"
head -c 20000 whole.mbt >r.mbt.part
tries=0
until [ $tries -gt 50 ] || { [ $tries -gt 3 ] && "$MBSIM" run --resume r.mbt -q; } ||
  { [ $tries -le 3 ] && timeout -s KILL 0.05 "$MBSIM" run --resume r.mbt -q; } 2>/dev/null; do
  tries=$((tries + 1))
done 2>/dev/null
echo "ended: $([ $tries -lt 50 ] && echo yes)" && records whole.mbt r.mbt && ls r.mbt*

echo "what earlier versions have piled up"
head -c 20000 whole.mbt >p.mbt.resume.resume.part
t run --resume p.mbt.resume.resume.part -q | grep -v warning
ls p.mbt*
cmp_hash() { [ "$("$MBSIM" hash "$1" | cut -c 1-32)" = "$("$MBSIM" hash "$2" | cut -c 1-32)" ] && echo "the same hash"; }
cmp_hash p.mbt whole.mbt

echo "killed before its first checkpoint, and before anything"
"$PYTHON" - <<'PY'
data = open("whole.mbt", "rb").read()
open("n.mbt.part", "wb").write(data[: data.index(b"CKPT")])
open("e.mbt.part", "wb").write(data[:12])
PY
t run s.json --resume n.mbt.part -q
t run s.json --resume e.mbt.part -q
cmp_hash n.mbt whole.mbt
cmp_hash e.mbt whole.mbt
ls n.mbt* e.mbt*
: >e2.mbt.part
t run --resume e2.mbt.part -q
"$PYTHON" - <<'PY' # a chunk before the last checkpoint is lost: an earlier one is taken
data = bytearray(open("whole.mbt", "rb").read())
at = data.rindex(b"CHNK", 0, data.rindex(b"CHNK") - 20000)
data[at + 200] ^= 4
open("g.mbt.part", "wb").write(data[: len(data) - 5000])
PY
"$MBSIM" run --resume g.mbt.part -q 2>/dev/null && cmp_hash g.mbt whole.mbt

echo "nothing is lost"
"$MBSIM" run s.json -q -o other.mbt -d 1 --set /bodies/0/density=11
head -c 20000 other.mbt >o.mbt.part
t run s.json --resume short.mbt -o other.mbt
t run s.json --resume short.mbt -o o.mbt
cp whole.mbt w.mbt
t run --resume w.mbt -d 1
t run --resume short.mbt -o w.mbt -d 1
cmp w.mbt whole.mbt
t run --resume w.mbt -d 1 -f -q
"$MBSIM" diff w.mbt whole.mbt | tail -n 1
ls o.mbt* other.mbt

echo "what may differ"
t run s.json --resume short.mbt -o c.mbt -q --checkpoint 0.1
t run s.json --resume c.mbt -o d.mbt -q --set '/output={"every": 7, "file": "x"}' --set '/name="x"' --threads 2
cmp_hash d.mbt whole.mbt
"$MBSIM" run s.json -q --solver redmax -d 0.5 -o v.mbt
t run s.json --resume v.mbt -q --set '/solver={"type": "redmax", "threads": 2}'
cmp_hash v.mbt whole.mbt
t run s.json --resume short.mbt -o no.mbt -q --every 14
t run s.json --resume short.mbt -o no.mbt -q --error fine
t run --resume short.mbt -o no.mbt -q --step 0.002
t run --resume short.mbt -o no.mbt -q --set /bodies/0/density=-1
t run
t run --resume s.json
t run --resume missing.mbt

echo "its meshes are found again, and must be the same"
mkdir scene && cat >scene/m.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
cat >scene/m.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "duration": 1 }, "integrator": "trapezoidal",
  "bodies": [ { "name": "a", "density": 1, "shape": { "type": "mesh", "file": "m.obj" } } ] }
JSON
"$MBSIM" run scene/m.json -q && mkdir elsewhere && cp m.mbt elsewhere/n.mbt
(cd elsewhere && t run --resume n.mbt -q -d 2 && "$MBSIM" run ../scene/m.json -q -d 2 -o m2.mbt && cmp_hash n.mbt m2.mbt)
cp scene/m.obj obj && sed -i 's/^v 1 0 0/v 2 0 0/' scene/m.obj
t run --resume m.mbt -q -d 2
mv scene gone
t run --resume m.mbt -q -d 2 | sed "s|$PWD|HERE|"
mv gone scene && cp obj scene/m.obj
t run scene/m.json --resume m.mbt -q -d 2
t run --resume m.mbt -q -d 3 -f -o scene/m.obj | sed "s|$PWD|HERE|"
