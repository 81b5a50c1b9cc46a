# What the cases share. Each runs in an empty folder of its own.

version='s/mbsim [0-9]+\.[0-9]+\.[0-9]+/mbsim VERSION/'

# Runs mbsim and shows the command, its stdout, its stderr with "! " before each line, and the exit code.
t() {
  printf '$ mbsim %s\n' "$*"
  "$MBSIM" "$@" >.stdout 2>.stderr
  code=$?
  sed -E "$version" .stdout
  sed -E "s/^/! /; $version" .stderr
  [ $code -eq 0 ] || echo "[exit $code]"
}

# The same, with what depends on clock, machine and codec replaced.
tm() { t "$@" | mask; }

mask() {
  sed -E -e 's/ +[0-9.]+ (B|KiB|MiB|GiB)\b/ SIZE/g' -e 's/in [0-9]+ chunks?,/in N chunks,/' -e 's/[0-9]+ min [0-9]+ s/WALL/g' \
    -e 's/ in [0-9.]+ (us|ms|s)(:|$)/ in WALL\2/; s/after [0-9.]+ (us|ms|s),/after WALL,/' \
    -e 's/[0-9.e+]+[kM]? steps\/s, [0-9.e+]+[kM]?x real/RATE steps\/s, SPEEDx real/' \
    -e 's/[0-9.]+ times smaller/RATIO times smaller/; s/ +[0-9.]+x  / RATIO  /; s/drift [-0-9.e]+/drift DRIFT/' \
    -e 's/[0-9-]{10}T[0-9:]{8}Z on .*/WHEN on HOST/' -e "s|$MBSIM|mbsim|g"
}

# What a device lacks depends on the machine and on what mbsim was built with.
no_cuda() {
  sed -E -e 's/(device cuda: ).*(; without --device.*)/\1LACKS\2/;t' -e 's/(device cuda: ).*( \(set on .*)/\1LACKS\2/;t' \
    -e 's/(device cuda: ).*/\1LACKS/;t' -e 's/(device auto: ).*(; computed on)/\1LACKS\2/'
}

# A scene that takes long: the steps are many, the frames few.
long_scene() {
  cat <<JSON
{ "mbsim": 1, "name": "long", "time": { "step": 0.001, "steps": 1000000000 }, "integrator": "trapezoidal",
  "bodies": [ { "name": "a", "shape": { "type": "box", "size": [1, 2, 3] }, "density": 10,
    "velocity": { "angular": [0, 2, 0], "linear": [1, 0, 5] } } ],
  "output": { "every": 20, "checkpoint": 0.5, "channels": ["body.position", "body.rotation", "energy"] } }
JSON
}

# Waits until file $1 has more than $2 bytes; at most a minute.
wait_for() {
  i=0
  while [ $i -lt 6000 ]; do
    [ -e "$1" ] && [ "$(wc -c <"$1")" -gt "${2:-0}" ] && return 0
    sleep 0.01
    i=$((i + 1))
  done
  echo "$1 did not come"
  return 1
}

records() { "$PYTHON" "$TESTS/records.py" "$@"; }
