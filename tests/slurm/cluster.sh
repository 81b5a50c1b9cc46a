# A Slurm cluster of two nodes on this machine's loopback, of daemons of its own: munge, one controller, two node daemons. Sourced;
# cluster_start FOLDER, cluster_stop. It needs root, and leaves nothing of the machine's own Slurm as it is not: all files are in FOLDER.

free_ports() { # how many
  "${PYTHON:-python3}" - "$1" <<'PY'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])
PY
}

node_start() { # name: its daemon
  slurmd -N "$1" -f "$cluster/slurm.conf" -D >"$cluster/$1.log" 2>&1 &
  eval "pid_$1=$!"
}

cluster_start() {
  cluster=$1
  PATH=$PATH:/usr/sbin
  mkdir -p "$cluster/state" "$cluster/spool" && chmod 755 "$cluster"
  dd if=/dev/urandom of="$cluster/munge.key" bs=1 count=128 2>/dev/null && chmod 400 "$cluster/munge.key"
  munged --force --foreground --socket="$cluster/munge.sock" --key-file="$cluster/munge.key" --pid-file="$cluster/munge.pid" \
    --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed" >/dev/null 2>&1 &
  pid_munge=$!
  # shellcheck disable=SC2046
  set -- $(free_ports 3)
  cat >"$cluster/slurm.conf" <<CONF
ClusterName=mbsim
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.sock
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$1
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=3
BatchStartTimeout=5
MinJobAge=300
SchedulerParameters=sched_interval=1,bf_interval=1,requeue_setup_env_fail
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$2 CPUs=2 RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$3 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
  printf 'CgroupPlugin=autodetect\nIgnoreSystemd=yes\n' >"$cluster/cgroup.conf"
  export SLURM_CONF="$cluster/slurm.conf"
  for _ in $(seq 50); do [ -S "$cluster/munge.sock" ] && break; sleep 0.1; done
  slurmctld -f "$SLURM_CONF" -D -c >"$cluster/slurmctld.log" 2>&1 &
  pid_controller=$!
  node_start n1
  node_start n2
  for _ in $(seq 150); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | tr '\n' ' ')" = "n1 n2 " ] && return 0
    sleep 0.2
  done
  echo "the cluster has not come up:" && sinfo -N 2>&1 | tail -n 4 && tail -n 5 "$cluster"/*.log
  return 1
}

cluster_stop() {
  for pid in $pid_n1 $pid_n2 $pid_controller $pid_munge; do kill "$pid" 2>/dev/null; done
  for pid in $pid_n1 $pid_n2 $pid_controller $pid_munge; do wait "$pid" 2>/dev/null; done
}
