# scripts that do a sweep elsewhere
cat >'my swing.json' <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1 }, "time": { "step": 0.01, "duration": 0.1 },
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] }, "position": 1 } } ] }
JSON
unset SLURM_ARRAY_TASK_ID OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID
numbers() { sed -E "s|$(realpath "$MBSIM")|mbsim|; s|$PWD|HERE|; s/mem=[0-9]+M/mem=SIZE/"; }
"$MBSIM" sweep 'my swing.json' -p length=0.5:1:10 -m 'm=first(bob.position.x < 0)' -o 'it'\''s' --emit slurm | numbers
"$MBSIM" sweep 'my swing.json' -p length=0.5:1:10 -o out --parts 3 --emit=parallel -j 2 -q --no-times | tee lines | numbers
sh lines && "$MBSIM" sweep 'my swing.json' -p length=0.5:1:10 -o whole -q --no-times && cmp out/results.csv whole/results.csv && echo same
ls
t sweep 'my swing.json' -p length=0.5:1:10 -o out --emit slurm
t sweep 'my swing.json' -p length=1,2 --emit slurm --shard 1/2
t sweep 'my swing.json' -p length=1,2 --emit pbs
t sweep - -p length=1,2 --emit slurm <'my swing.json'
