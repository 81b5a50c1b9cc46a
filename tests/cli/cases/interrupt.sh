# signals end the run properly; what is written goes on from there
long_scene >long.json
interrupted() { # signal, more options
  rm -f long.mbt
  "$PYTHON" - "$@" <<'PY'
import os, signal, subprocess, sys, time
run = subprocess.Popen([os.environ["MBSIM"], "run", "long.json", *sys.argv[2:]], stderr=subprocess.PIPE, text=True)
while not (os.path.exists("long.mbt.part") and os.path.getsize("long.mbt.part") > 4000): time.sleep(0.005)
run.send_signal(getattr(signal, sys.argv[1]))
print(sys.argv[1], run.wait(), run.stderr.read().splitlines()[-1].split(" at t")[0])
PY
  ls
  "$MBSIM" check long.mbt | head -n 2
}
interrupted SIGINT
interrupted SIGTERM
interrupted SIGHUP
interrupted SIGTERM --log json | sed 's/summary.*/summary/'
"$MBSIM" info long.mbt --json | "$PYTHON" -c '
import json, sys
info = json.load(sys.stdin)
last, end = info["checkpoints"][-1], info["provenance"][-1]
print(end["reason"], last["step"] == end["steps"], info["whole"])'
# what the parent ignores stays ignored
(
  trap '' INT
  exec "$MBSIM" run long.json -q -f -d 300
) &
wait_for long.mbt.part 4000
kill -INT $!
wait $!
echo "ignored: $?"
# two signals that come together are one, a second one that comes later kills
cat >twice.py <<'PY'
import os, signal, subprocess, time
def begin(*options, **streams):
    run = subprocess.Popen([os.environ["MBSIM"], "run", "long.json", "-f", *options], **streams)
    while not os.path.exists("long.mbt.part"): time.sleep(0.005)
    return run
run = begin("-q")
run.send_signal(signal.SIGSTOP)
run.send_signal(signal.SIGINT)
run.send_signal(signal.SIGTERM)
run.send_signal(signal.SIGCONT)
print("together:", run.wait(), sorted(f for f in os.listdir() if "mbt" in f))
# nobody reads what it says, so that it is stuck
read, write = os.pipe()
try:
    os.set_blocking(write, False)
    while True: os.write(write, b"x")
except BlockingIOError:
    os.set_blocking(write, True)
run = begin("--log", "json", stderr=write)
time.sleep(0.2)
run.send_signal(signal.SIGINT)
time.sleep(0.7)
print("stuck:", run.poll())
run.send_signal(signal.SIGTERM)
print("later:", "killed" if run.wait() < 0 else "not killed", sorted(f for f in os.listdir() if "part" in f))
PY
"$PYTHON" twice.py
