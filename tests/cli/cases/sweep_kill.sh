# a sweep that is killed again and again comes to the same table, byte for byte, with what its runs warned of before they were killed
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1 }, "time": { "step": 0.0005, "duration": 4 }, "integrator": "trapezoidal",
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] }, "position": 1 } },
    { "name": "top", "mass": 1, "shape": { "type": "box", "size": [0.3, 0.3, 0.1] }, "joint": { "type": "spherical", "stiffness": 0.02, "velocity": [0, 0, 30] } } ],
  "output": { "channels": ["body.position", "joint.position", "energy"], "every": 10, "checkpoint": 0.5, "error": "view" } }
JSON
cat >kill.py <<'PY'
import os, random, shutil, signal, subprocess, sys, time
random.seed(5)
def command(folder, keep): # measures that a wrong step after a kill would change
    return [os.environ["MBSIM"], "sweep", "swing.json", "-p", "length=0.5:1.5:8", "-o", folder, "-j", "2", "--keep", keep, "--no-times", "-q",
            "-m", "mean(bob.joint.position)", "-m", "rms(energy.kinetic)", "-m", "first(bob.position.x < -0.2)", "-m", "at(bob.position.z, 3.1)"]
def log(folder):
    text = ""
    for run in os.listdir(folder + "/runs"): text += open("%s/runs/%s/log" % (folder, run)).read()
    return text
def states(folder): return [f for _, _, files in os.walk(folder) for f in files if f == "state"]
def kill_with_checkpoint(folder, keep): # in the middle of a run that has written one
    for attempt in range(100):
        run = subprocess.Popen(command(folder, keep))
        while run.poll() is None and not states(folder): time.sleep(0.001)
        run.kill()
        if run.wait() == 0: shutil.rmtree(folder) # it has come to its end before it was looked at: once more
        elif states(folder): return 1
    return 0
for keep in ("all", "none"):
    began = time.time()
    subprocess.run(command("whole-" + keep, keep), check=True)
    took = time.time() - began
    folder = "killed-" + keep
    killed = kill_with_checkpoint(folder, keep)
    for attempt in range(40):
        run = subprocess.Popen(command(folder, keep))
        try: run.wait(timeout=random.uniform(0.02, 0.5) * took)
        except subprocess.TimeoutExpired:
            if attempt % 4 == 3: run.send_signal(signal.SIGINT)
            else: run.kill()
            killed += 1
        if run.wait() == 0: break
    # no run outlives its sweep
    again = subprocess.run(command(folder, keep)).returncode
    warned = open("whole-%s/results.csv" % keep).read().count("warning: ")
    same = open("whole-%s/results.csv" % keep).read() == open(folder + "/results.csv").read()
    left = [f for run in os.listdir(folder + "/runs") for f in os.listdir(folder + "/runs/" + run) if "part" in f or "state" in f or "tmp" in f]
    runs = log(folder).count('"event":"start"'), log(folder).count('"from_step":0,')
    print(keep, "killed" if killed else "never killed", again, "the same" if same else "another table", left,
          "some went on" if runs[0] > runs[1] else "none went on", warned, "warned")
PY
"$PYTHON" kill.py
# Ctrl-C ends what runs after its step, with a checkpoint
cat >stop.py <<'PY'
import os, signal, subprocess, time
run = subprocess.Popen([os.environ["MBSIM"], "sweep", "swing.json", "-p", "length=1,2,3", "-d", "100000", "-o", "stopped", "-j", "2", "--keep", "none"],
                       stderr=subprocess.PIPE, text=True, start_new_session=True)
def started(): # runs that listen to signals
    logs = [os.path.join(d, f) for d, _, files in os.walk("stopped/runs") for f in files if f == "log"]
    return sum('"event":"start"' in open(log).read() for log in logs)
while started() < 2: time.sleep(0.01)
time.sleep(0.1)
os.killpg(run.pid, signal.SIGINT)
lines = run.communicate()[1].splitlines()
print(run.returncode, [l.split(" done in")[0] for l in lines[1:]], sorted(f for _, _, files in os.walk("stopped/runs") for f in files if "old" not in f))
PY
"$PYTHON" stop.py
t sweep --status stopped
# a process of a killed sweep that is still at a run is waited for
cat >held.py <<'PY'
import fcntl, glob, os, subprocess, time
command = [os.environ["MBSIM"], "sweep", "swing.json", "-p", "length=1", "-o", "held", "-j", "1", "--no-times", "-q"]
subprocess.run(command, check=True)
folder = glob.glob("held/runs/*")[0]
os.remove(folder + "/result.json")
log = open(folder + "/log", "a")
fcntl.flock(log, fcntl.LOCK_EX)
run = subprocess.Popen(command)
time.sleep(0.5)
print("waits" if run.poll() is None and not os.path.exists(folder + "/result.json") else "does not wait")
log.close()
print(run.wait(), os.path.exists(folder + "/result.json"))
PY
"$PYTHON" held.py
