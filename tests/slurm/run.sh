#!/bin/sh
# Sweeps in parts: by GNU parallel, by MPI, and under a Slurm of this test's own (tests/slurm/cluster.sh), where tasks are put back into the
# queue, run out of time and lose their node. The table must be that of a single process, byte for byte. Arguments: the program, and part
# of the names of the tests to run (default: all). Prints a line a test and "N passed, N failed, N left out".
set -u
tests=$(cd "$(dirname "$0")" && pwd)
MBSIM=$(realpath "${1:-$tests/../../build/release/mbsim}") filter=${2:-}
PYTHON=$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)
export PYTHON
. "$tests/cluster.sh"
# nothing of a job that this may itself run in
for name in $(env | sed -n 's/^\(SLURM_[A-Z_]*\|OMPI_[A-Z_]*\|PMI_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

work=$(mktemp -d "${TMPDIR:-/tmp}/mbsim-cluster-XXXXXX")
up= passed=0 failed=0 left=0
finish() {
  [ -z "$up" ] || cluster_stop
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1

# Runs with checkpoints; trajectories with bounds, so that a wrong step after a resume would show.
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1 }, "time": { "step": 0.0005, "duration": 60 }, "integrator": "trapezoidal",
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] }, "position": 1 } } ],
  "output": { "channels": ["body.position", "joint.position", "energy"], "every": 20, "checkpoint": 2, "error": "view" } }
JSON
sweep() { # runs, seconds each simulates, folder, more options
  runs=$1 duration=$2 folder=$3
  shift 3
  "$MBSIM" sweep swing.json -p "length=0.5:1.5:$runs" -d "$duration" -o "$folder" --no-times -m 'mean(bob.joint.position)' \
    -m 'rms(energy.kinetic)' -m 'at(bob.position.x, 0.9)' "$@"
}
whole() { [ -e "whole-$1-$2/results.csv" ] || sweep "$1" "$2" "whole-$1-$2" -q; }
same() { # runs, seconds, folder: the table of one process
  diff "whole-$1-$2/results.csv" "$3/results.csv" && cmp "whole-$1-$2/design.csv" "$3/design.csv"
}

# Simulated seconds of a run that takes some four seconds here, so that it can be met in the middle on any machine.
began=$(date +%s%N)
"$MBSIM" run swing.json -d 40 -q -o trial.mbt || exit 1
long=$((40 * 4000 / (($(date +%s%N) - began) / 1000000 + 1)))
[ "$long" -ge 40 ] || long=40

parallel_lines() {
  whole 12 1 || return 1
  sweep 12 1 lines --emit parallel --parts 5 -q >lines.txt && [ "$(wc -l <lines.txt)" -eq 5 ] || return 1
  parallel -j 2 --halt now,fail=1 <lines.txt >/dev/null 2>lines.log || { cat lines.log; return 1; }
  same 12 1 lines
}

mpi_ranks() {
  whole 12 1 || return 1
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm=isolated \
    mpirun --oversubscribe -n 4 "$MBSIM" sweep swing.json -p length=0.5:1.5:12 -d 1 -o ranks --no-times -m 'mean(bob.joint.position)' \
    -m 'rms(energy.kinetic)' -m 'at(bob.position.x, 0.9)' >ranks.log 2>&1 || { cat ranks.log; return 1; }
  [ "$(grep -c 'of 4)' ranks.log)" -eq 4 ] && same 12 1 ranks
}

# ---- Slurm ----------------------------------------------------------------------------------------------------

submit() { # options of sbatch, script: the job's number
  sbatch --parsable "$@" | cut -d ';' -f 1
}
states() { squeue -h -r -j "$1" -o %T 2>/dev/null | sort | uniq -c | tr -s ' \n' ' '; }
# Slurm lets what is put back wait for two minutes. Two seconds are enough: within one it takes the task's new start for the old one,
# whose credential it has withdrawn.
hurry() { # number
  squeue -h -r -j "$1" -t PD -o '%i %r %S' 2>/dev/null | sed -n 's/ BeginTime / /p' | while read -r id start; do
    [ $(($(date -d "$start" +%s) - $(date +%s))) -le 5 ] || scontrol update JobId="$id" StartTime=now+2 2>/dev/null
  done
}
# What a job shows between its end and its next start differs from version to version; the table at its end does not.
wait_table() { # job, seconds, runs, seconds each simulates, folder
  end=$(($(date +%s) + $2))
  until same "$3" "$4" "$5" >"$5.diff" 2>&1; do
    hurry "$1"
    [ "$(date +%s)" -lt $end ] || { echo "job $1 does not end in that table: $(states "$1")"; cat "$5.diff"; tail -n 3 sweep-"$1"_*.log; scancel "$1"; return 1; }
    sleep 0.3
  done
  wait_gone "$1"
}
wait_gone() { # number: nothing of the job is left in the queue, so that the next one has the nodes
  for _ in $(seq 100); do [ -n "$(squeue -h -j "$1" -o %i 2>/dev/null)" ] || return 0; sleep 0.2; done
  echo "job $1 does not end: $(states "$1")"
  return 1
}
went_on() { # folder: some run has gone on from a checkpoint
  cat "$1"/runs/*/log | grep '"event":"start"' | grep -qv '"from_step":0,'
}
wait_states() { # folder: a run has written a checkpoint
  for _ in $(seq 300); do ls "$1"/runs/*/state >/dev/null 2>&1 && return 0; sleep 0.1; done
  echo "no checkpoint came" && return 1
}

slurm_array() {
  whole 12 1 || return 1
  sweep 12 1 array --emit slurm --parts 4 -q >array.sh || return 1
  job=$(submit array.sh) && wait_table "$job" 90 12 1 array || return 1
  nodes=$(for k in 1 2 3 4; do scontrol show job "${job}_$k" | sed -n 's/^ *NodeList=//p'; done | sort -u | tr '\n' ' ')
  [ "$nodes" = "n1 n2 " ] || { echo "nodes: $nodes"; return 1; }
}

slurm_srun() { # a step of several tasks in a job
  whole 12 1 || return 1
  printf '#!/bin/sh\nsrun -n 3 %s sweep swing.json -p length=0.5:1.5:12 -d 1 -o steps --no-times -q -m "mean(bob.joint.position)" -m "rms(energy.kinetic)" -m "at(bob.position.x, 0.9)"\n' "$MBSIM" >steps.sh
  job=$(submit -n 3 -N 2 -o steps.log steps.sh) && wait_table "$job" 90 12 1 steps || { cat steps.log; return 1; }
}

slurm_requeue() { # put back into the queue in the middle
  whole 4 "$long" || return 1
  sweep 4 "$long" requeue --emit slurm --parts 2 -q >requeue.sh || return 1
  job=$(submit --time 5 requeue.sh) && wait_states requeue || return 1
  scontrol requeue "${job}_1" && scontrol requeue "${job}_2" || return 1
  wait_table "$job" 150 4 "$long" requeue || return 1
  went_on requeue || { echo "no run has gone on from its checkpoint"; return 1; }
}

slurm_time() { # told by the signal that comes before its time is up
  whole 4 "$long" || return 1
  sweep 4 "$long" time --emit slurm --parts 1 -q >time.sh || return 1
  job=$(submit --time 5 time.sh) && wait_states time || return 1
  scancel --batch --signal USR1 "${job}_1" || return 1
  wait_table "$job" 150 4 "$long" time || return 1
  scontrol show job "${job}_1" | grep -q Restarts=1 && went_on time || { scontrol show job "$job"; return 1; }
}

# Holds the run of a sweep that goes on now, without cost, until it is told to end.
hold_until_told() { # folder
  for child in $(pgrep -f -- "-o $1 "); do
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$child/status" 2>/dev/null)
    tr '\0' ' ' <"/proc/${parent:-0}/cmdline" 2>/dev/null | grep -q -- "sweep .*-o $1 " || continue
    kill -STOP "$child" || return 1
    for _ in $(seq 500); do
      pending=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$child/status")
      [ $((0x$pending & 0x4000)) -ne 0 ] && break # SIGTERM
      sleep 0.2
    done
    kill -CONT "$child"
    return
  done
  echo "no run goes on" && return 1
}

slurm_limit() { # its time really is up: Slurm gives the signal, and the task goes on after it
  whole 4 "$long" || return 1
  sweep 4 "$long" limit --emit slurm --parts 1 -q | sed 's/USR1@60/USR1@50/' >limit.sh || return 1
  job=$(submit --time 1 limit.sh) && wait_states limit && hold_until_told limit || return 1
  wait_table "$job" 150 4 "$long" limit || return 1
  scontrol show job "${job}_1" | grep -q 'Restarts=[1-9]' && went_on limit || { scontrol show job "$job"; return 1; }
}

kill_node() { # everything of a node at once, as if its power had failed: nobody sees another's end
  daemon=$(eval echo "\$pid_$1") all=$(eval echo "\$pid_$1")
  for process in /proc/[0-9]*; do
    grep -qz "^SLURMD_NODENAME=$1$" "$process/environ" 2>/dev/null || continue
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$process/status" 2>/dev/null)
    all="$all ${process#/proc/}"
    case $(cat "/proc/${parent:-0}/comm" 2>/dev/null) in slurmstepd*) all="$all $parent" ;; esac
  done
  for pid in $all; do kill -STOP "$pid" 2>/dev/null; done
  for pid in $all; do kill -KILL "$pid" 2>/dev/null; done
  wait "$daemon" 2>/dev/null
}

slurm_node() { # a node dies: the other does its tasks
  whole 4 "$long" || return 1
  sweep 4 "$long" node --emit slurm --parts 2 -q >node.sh || return 1
  job=$(submit --time 5 node.sh) && wait_states node || return 1
  lost=$(squeue -h -r -j "$job" -t R -o %N | tail -n 1)
  kill_node "$lost"
  for _ in $(seq 200); do sinfo -h -N -n "$lost" -o %T | grep -q down && break; sleep 0.2; done
  wait_table "$job" 200 4 "$long" node
  done=$?
  node_start "$lost"
  [ $done -eq 0 ] || { sinfo -N; return 1; }
}

slurm_loopback() { # the daemons listen to this machine alone
  ss -ltnp 2>/dev/null | awk '/slurm/ { print $4 }' | grep -v '^127\.' && return 1
  ss -ltnp 2>/dev/null | grep -q slurm
}

need() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }
check() { # name, function, programs that it needs
  name=$1 work_of=$2
  shift 2
  case $name in *"$filter"*) ;; *) return ;; esac
  for program in "$@"; do
    need "$program" || { echo "left out $name: no $program (make deps-cluster)"; left=$((left + 1)); return; }
  done
  case $work_of in slurm_*)
    [ "$(id -u)" -eq 0 ] || { echo "left out $name: the daemons want root"; left=$((left + 1)); return; }
    [ -n "$up" ] || { up=1; cluster_start "$work/cluster" || { up=0; }; }
    [ "$up" = 1 ] || { echo "left out $name: Slurm's daemons do not start on this machine"; left=$((left + 1)); return; } ;;
  esac
  began=$(date +%s)
  if $work_of >"$name.out" 2>&1; then
    passed=$((passed + 1)) && echo "ok       $name ($(($(date +%s) - began)) s)"
  else
    failed=$((failed + 1)) && echo "FAILED   $name" && tail -n 30 "$name.out"
  fi
}

check parallel parallel_lines parallel
check mpi mpi_ranks mpirun
check slurm-array slurm_array slurmctld slurmd munged sbatch
check slurm-loopback slurm_loopback slurmctld ss
check slurm-step slurm_srun slurmctld slurmd munged srun
check slurm-requeue slurm_requeue slurmctld slurmd munged sbatch
check slurm-time slurm_time slurmctld slurmd munged sbatch
check slurm-limit slurm_limit slurmctld slurmd munged sbatch
check slurm-node slurm_node slurmctld slurmd munged sbatch
echo "$passed passed, $failed failed, $left left out"
[ "$failed" -eq 0 ]
