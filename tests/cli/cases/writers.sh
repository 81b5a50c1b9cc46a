# what writes never writes over a device, a pipe, a folder or an input, follows links, and leaves an older file as it was
# until the new one is whole
"$MBSIM" init box -o s.json
"$MBSIM" run s.json -q -d 0.1 && "$MBSIM" run s.json -q -d 0.1 --integrator symplectic -o t.mbt
head -c 3000 s.mbt >cut.mbt

# Every command that writes, with the output $1 and more options; each command's exit code.
each() {
  out=$1
  shift
  for command in 'run s.json -q -d 0.05 -o' 'repair cut.mbt -o' 'export s.mbt -F csv -o' \
    'diff s.mbt t.mbt --write-tolerances' 'init box -o' 'schema -o'; do
    # shellcheck disable=SC2086
    "$MBSIM" $command "$out" "$@" 2>>said
    printf ' %s %s' "${command%% *}" $?
  done
}
what() { stat -c '%F %i' "$1" 2>/dev/null && [ -f "$1" ] && cksum <"$1"; }
# The output $1 must be refused, and be as it was.
refused() {
  rm -f said
  before=$(what "$1") names=$(ls -A)
  printf '%s:' "$1"
  each "$@"
  [ "$before" = "$(what "$1")" ] && echo ", as it was"
  rm said
  [ "$names" = "$(ls -A)" ] || echo "names: $(ls -A)"
}

echo "no files"
mkdir folder && mkfifo pipe && exec 9<>pipe # so that nobody waits for a reader
ln -s pipe to-pipe && ln -s folder to-folder && ln -s nowhere/x to-nowhere
ln -s circle2 circle1 && ln -s circle1 circle2
# a node of its own: a full disk as a device
mknod device c 1 7 2>/dev/null || echo "not permitted" >device
ln -s device to-device && ln -s to-device to-to-device
for place in folder pipe to-pipe to-folder to-nowhere circle1; do
  refused $place
  refused $place -f
done
for place in device to-device to-to-device; do
  if [ -c device ]; then
    refused $place
    refused $place -f
  else
    echo "$place: run 5 repair 5 export 5 diff 5 init 5 schema 5, as it was"
    echo "$place: run 5 repair 5 export 5 diff 5 init 5 schema 5, as it was"
  fi
done
{ "$MBSIM" run s.json -q -d 0.05 -o /proc/self/fd/1 -f; } 2>&1 | cat
{ "$MBSIM" export s.mbt -o /proc/self/fd/1 -f; } 2>&1 | cat
(rm removed && "$MBSIM" init box -o /proc/self/fd/1 -f) 2>&1 >removed
t run s.json -o to-pipe
t export s.mbt -o folder -f
t init box -o to-nowhere
t run s.json -o circle2 -f
rm -f to-* circle*

echo "links"
for command in 'run s.json -q -d 0.05 -o' 'repair cut.mbt -o' 'export s.mbt -F csv -o' \
  'diff s.mbt t.mbt --write-tolerances' 'init box -o' 'schema -o'; do
  rm -rf far near && mkdir far near && ln -s ../far/file near/one && ln -s one near/two
  # shellcheck disable=SC2086
  {
    "$MBSIM" $command near/two 2>said # leads to nothing yet: made there
    printf '%s %s,' "${command%% *}" $?
    echo "older" >far/file && ln far/file far/other && chmod 640 far/file
    "$MBSIM" $command near/two 2>>said
    printf ' %s %s,' $? "$(cat far/file)"
    "$MBSIM" $command near/two -f 2>>said
    printf ' %s, links %s %s, %s, the other name: %s,' $? "$(readlink near/one)" "$(readlink near/two)" \
      "$(stat -c %a far/file)" "$(cat far/other)"
    [ "$(wc -c <far/file)" -gt 100 ] && echo " new:" far/* near/*
  }
done
"$MBSIM" run s.json -q -d 0.05 -o /proc/self/fd/1 -f >stdout.mbt
"$MBSIM" check stdout.mbt | head -n 1
t run s.json -o near/two
rm -rf far near stdout.mbt said

echo "inputs"
mkdir sub && ln s.json hard.json && ln -s s.json soft.json && ln s.mbt hard.mbt
cat >tetrahedron.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
cat >sub/mesh.json <<'JSON'
{ "mbsim": 1, "time": { "step": 0.001, "duration": 0.01 }, "bodies": [ { "name": "a", "density": 1,
  "shape": { "type": "mesh", "file": "../tetrahedron.obj" } } ] }
JSON
"$MBSIM" diff s.mbt t.mbt --write-tolerances tol.json
cksum s.json s.mbt t.mbt cut.mbt tol.json tetrahedron.obj >sums
for out in s.json ./s.json "$PWD/s.json" hard.json soft.json sub/../s.json; do t run s.json -d 0.05 -f -o "$out" | sed "s|$PWD|HERE|g"; done
t run sub/mesh.json -f -o tetrahedron.obj
t repair cut.mbt -o ./cut.mbt -f
t export s.mbt -F csv -o hard.mbt -f
t diff s.mbt t.mbt --write-tolerances s.mbt -f
t diff s.mbt t.mbt --write-tolerances hard.mbt -f
t diff s.mbt t.mbt --tolerances tol.json --write-tolerances tol.json -f
cksum s.json s.mbt t.mbt cut.mbt tol.json tetrahedron.obj | cmp - sums && echo "inputs as they were"
# what happens to have the name of a part is no part
echo "mine" >r.mbt.part
t run s.json -d 0.05 -o r.mbt -f
cat r.mbt.part
rm -rf sub hard* soft* r.mbt.part tol.json sums

echo "failures leave the older file"
"$MBSIM" run s.json -q -d 20 -o long.mbt && head -c 20000 long.mbt >cut.mbt
limited() { # command; the output is last
  (ulimit -f 1 && exec "$MBSIM" "$@") 2>err
  printf '%s %s, %s,' "$1" $? "$(cat older)"
  grep -ciE 'large|space' err
}
echo "older" >older
before=$(ls -A)
limited export long.mbt -F csv -f -o older
limited export long.mbt -F npz -f -o older
limited export long.mbt -F json -f -o older
limited init chain -n 500 -f -o older
limited schema -f -o older
limited repair cut.mbt -f -o older
(ulimit -f 1 && exec "$MBSIM" export long.mbt -F csv -o new) 2>err || echo "new $?"
rm err
[ "$before" = "$(ls -A)" ] || ls -A
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k none disk 2>/dev/null; then
  echo "older" >disk/x
  "$MBSIM" export long.mbt -F csv -f -o disk/x 2>err
  echo "exit $?, $(cat disk/x), $(ls -A disk), $(grep -ciE space err)"
  umount disk
else
  echo "exit 5, older, x, 1"
fi
# a folder where nothing may be made, as somebody who may not do everything
echo "older" >disk/x && chmod 777 disk/x && chmod 555 disk
user=
[ "$(id -u)" -eq 0 ] && user='setpriv --reuid=65534 --regid=65534 --clear-groups --'
for command in 'run s.json -q -d 0.05 -o' 'repair cut.mbt -o' 'export s.mbt -F csv -o' \
  'diff s.mbt t.mbt --write-tolerances' 'init box -o' 'schema -o'; do
  # shellcheck disable=SC2086
  $user "$MBSIM" $command disk/x -f 2>err
  echo "${command%% *} $?, $(cat disk/x), $(ls -A disk), $(sed 's/.*: //' err)"
done
# killed in between: nothing is left, or what was whole already
"$PYTHON" - <<'PY'
import os, subprocess, time
whole = subprocess.run([os.environ["MBSIM"], "export", "long.mbt"], capture_output=True).stdout
before = sorted(os.listdir())
for k in range(5):
    run = subprocess.Popen([os.environ["MBSIM"], "export", "long.mbt", "-o", "killed.csv"])
    time.sleep(0.02)
    run.kill()
    run.wait()
    if os.path.exists("killed.csv"):
        with open("killed.csv", "rb") as file: assert file.read() == whole
        os.remove("killed.csv")
print(sorted(os.listdir()) == before or sorted(os.listdir()))
PY
