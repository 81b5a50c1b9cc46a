# what is wrong with names is told before the first run
cat >swing.json <<'JSON'
{ "mbsim": 1, "parameters": { "length": 1 }, "time": { "step": 0.01, "duration": 1 },
  "bodies": [ { "name": "bob", "shape": { "type": "sphere", "radius": 0.05 }, "density": 1000,
    "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length"] } } } ] }
JSON
t sweep
t sweep swing.json nothing
t sweep swing.json -s '/output={"channels":["energy"]}' --every 2
t sweep swing.json -s /time/step=0.01,0.02 --step 0.001
t sweep nothing.json
t sweep swing.json -p lenght=1,2
t sweep swing.json -p length
t sweep swing.json -p length=0:1
t sweep swing.json -p length=a,b
t sweep swing.json -p length=1,2 -p length=3
t sweep swing.json -s /bodies/0/density=1 -s /bodies/0/density=2,3
t sweep swing.json -p length=1,2 -s /parameters/length=3
t sweep swing.json -p length=1,2 -s '/parameters={"length":3}'
t sweep swing.json -s /time/step=0.01,0.02 -s '/time={"step":0.1,"duration":1}'
t sweep swing.json -p /time/step=1
t sweep swing.json -s time/step=1
t sweep swing.json -s /bodies/0/densty=1,2
t sweep swing.json -s /solver=readmax,maximal
t sweep swing.json -p length=1,2 -m 'a=max(bob.positon.x)' -m 'b=mox(bob.position.x)' -m 'c=bob.position.x'
t sweep swing.json -m 'a=final(bob.position.x)' -m 'a=max(bob.position.x)'
t sweep swing.json -p length=1,2 -m 'length=final(bob.position.x)'
t sweep swing.json -m 'steps=final(bob.position.x)'
t sweep swing.json -s '/parameters={"id":1,"length":1}' -p id=1,2
t sweep swing.json -D latin_hypercube -p length=1:2
t sweep swing.json -D sobol -n 4 --seed 0 -p length=normal:1:0.1
t sweep swing.json --seed -1
t sweep swing.json --list none.csv
printf 'lenght\n1\n' >wrong.csv
t sweep swing.json --list wrong.csv
t sweep swing.json --list wrong.csv -D grid
t sweep swing.json --memory lots
t sweep swing.json --shard 3/2
t sweep swing.json --keep some
t sweep --status .
t sweep --collect nothing
t sweep --collect a --status b
mkdir full && touch full/thing
t sweep swing.json -o full
t sweep swing.json -o wrong.csv
ls
