# parts of a sweep, in one folder, make the table of the whole
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1 }, "time": { "step": 0.01, "duration": 0.5 },
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] }, "position": 1 } } ] }
JSON
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK
s() { "$MBSIM" sweep swing.json -p length=0.5:1.5:10 -m 'final(bob.position.x)' -m 'max(energy.kinetic)' --no-times -j 1 "$@"; }
s -o whole -q
same() { cmp whole/results.csv "$1/results.csv" && cmp whole/design.csv "$1/design.csv" && echo "$1: the same"; }
for i in 2 3 1; do s -o parts --shard $i/3 2>&1 | sed -E 's/ in [0-9.]+ .?s \(.*s\)//'; done
same parts
t sweep --status parts
echo "side by side"
for k in 1 2 3 4 5; do
  rm -rf beside
  for i in 1 2 3 4; do s -o beside --shard $i/4 -q & done
  wait
  same beside
done
"$MBSIM" sweep --collect beside -q && same beside
echo "places that the environment tells"
for i in 5 7 9; do SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 s -o array -q; done
same array
for i in 0 1; do for k in 0 1; do
  SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=2 SLURM_STEP_ID=0 SLURM_PROCID=$k SLURM_STEP_NUM_TASKS=2 s -o both 2>&1 | head -n 1
done; done
same both
for k in 0 1; do OMPI_COMM_WORLD_RANK=$k OMPI_COMM_WORLD_SIZE=2 s -o mpi -q; PMI_RANK=$k PMI_SIZE=2 s -o pmi -q; done
same mpi
same pmi
# a batch script is one process, whatever its job has been given
SLURM_PROCID=0 SLURM_NTASKS=4 s -o batch -q
same batch
t sweep --status whole
SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=0 t sweep swing.json -p length=1,2 -o wrong
