# commands and options that make no sense
t
t rnu
t frobnicate
printf '{}' >a_scene.json && t a_scene.json && rm a_scene.json
t --version extra
t run
t run a.json b.json
t run a.json --duratoin 3
t run a.json --zzz
t run a.json --duration
t run a.json --duration=-1
t run a.json --duration abc
t run a.json --step 0
t run a.json --every 1.5
t run a.json --threads 0
t run a.json --threads 100000
t run a.json --solver redmx
t run a.json --quiet=yes
t run a.json -x
t run a.json -o
t run a.json -o -
t run a.json --error tiny
t validate --json
t diff a.mbt
t diff a.mbt b.mbt c.mbt
t export a.mbt --frames 1:2:0
t export a.mbt --frames x
t init hamer
t help runn
