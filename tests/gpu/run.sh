#!/bin/sh
# All that can be seen on a machine with a device, by one command:  sh tests/gpu/run.sh [FOLDER]
# It builds, runs the tests of gpu/ there, every scene that the engine takes beside the processor's run of it, sweeps of trees beside the
# processor's, NVIDIA's sanitizer, and the benchmark, and writes FOLDER/NAME-OF-THE-DEVICE.txt (default: tests/gpu/results). It ends with 1
# where anything differs, with 6 where there is no device.
# MBSIM_DEVICE=loops rehearses it on a machine without one: no sanitizer, no benchmark. SCENES: which, as "projective/hanging_cloth".
# BUILT=1: nothing is built; MBSIM, MBSIM_TESTS and MBSIM_BENCH name what is there (MBSIM_TESTS= : no tests are run).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
results=${1:-$root/tests/gpu/results}
results=$(mkdir -p "$results" && cd "$results" && pwd) || exit 5
cd "$root" || exit 5
arch=${CUDA_ARCH:+CUDA_ARCH=$CUDA_ARCH}
export MBSIM=${MBSIM:-$root/build/release/mbsim} MBSIM_FLAVOUR=release OPENBLAS_NUM_THREADS=1
MBSIM_TESTS=${MBSIM_TESTS-$root/build/release/mbsim-tests} MBSIM_BENCH=${MBSIM_BENCH:-$root/build/release/mbsim-bench}
[ "${MBSIM_DEVICE:-}" = loops ] && MBSIM_TESTS=
work=$(mktemp -d "${TMPDIR:-/tmp}/mbsim-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failed=0

say() { printf '%s\n' "$*" | tee -a "$work/table"; }
# What is to hold, in words, and the command: a line, and what the command said last where it failed.
told() {
  what=$1 log=$(mktemp "$work/log-XXXXXX")
  shift
  if "$@" >"$log" 2>&1; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    tail -n 20 "$log" | sed 's/^/        /'
  fi
}
# Puts such lines into the table, and counts.
take() {
  tee -a "$work/table" <"$1"
  failed=$((failed + $(grep -c '^FAILED' "$1")))
}
holds() {
  told "$@" >"$work/line"
  take "$work/line"
}
# Runs FUNCTION ARGUMENT for all arguments, as many at a time as there are processors (eight at most: they share the device), and takes what
# they print in their order.
atonce=$(getconf _NPROCESSORS_ONLN)
[ "$atonce" -le 8 ] || atonce=8
together() {
  function=$1 number=0
  shift
  for one in "$@"; do
    number=$((number + 1))
    "$function" "$one" >"$work/part-$number" 2>&1 &
    [ $((number % atonce)) -ne 0 ] || wait
  done
  wait
  for k in $(seq 1 $number); do take "$work/part-$k"; done
}

[ -n "${BUILT:-}" ] || make $arch all build/release/mbsim-bench build/release/mbsim-tests || exit 1

cat >"$work/sheet.json" <<'JSON'
{ "mbsim": 1, "solver": "projective", "integrator": "implicit", "time": { "step": 0.01, "steps": 20 },
  "deformables": [ { "name": "sheet", "type": "cloth", "mesh": { "grid": [30, 30], "size": [1, 1] },
    "material": { "thickness": 0.01, "young": 1e5, "poisson": 0.3, "density": 100 }, "pin": [ { "select": { "nearest": [0, 0, 0] } } ],
    "wind": { "velocity": [1, 0, 2] } } ] }
JSON
cat >"$work/pendulum.json" <<'JSON'
{ "mbsim": 1, "parameters": { "length": 0.5, "k": 3 }, "time": { "step": 0.001, "steps": 500 }, "integrator": "symplectic",
  "bodies": [
    { "name": "upper", "shape": { "type": "capsule", "radius": 0.02, "length": "=length" }, "mass": 1,
      "joint": { "type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, "=length/2"] }, "position": 1 } },
    { "name": "lower", "shape": { "type": "capsule", "radius": 0.02, "length": 0.4 }, "density": 1000,
      "joint": { "type": "revolute", "axis": [0, 1, 0], "parent": "upper", "in_parent": { "position": [0, 0, "=-length/2"] },
                 "in_body": { "position": [0, 0, 0.2] }, "stiffness": "=k", "damping": 0.01 } } ],
  "output": { "channels": ["joint.position", "joint.velocity", "energy"], "every": 50 } }
JSON

"$MBSIM" run "$work/sheet.json" -q --device cuda -f -o "$work/there.mbt" >"$work/log" 2>&1
code=$?
[ $code -eq 0 ] || { cat "$work/log"; exit $code; }
device=$("$MBSIM" sweep "$work/pendulum.json" -o "$work/name" --keep none --device cuda -p length=0.4,0.5 2>&1 |
  sed -n 's/^[0-9]* in lockstep on \(.*\), [0-9]* left.*/\1/p')
[ -n "$device" ] || device=unknown
table=$results/$(printf '%s' "$device" | tr -c 'A-Za-z0-9' '-').txt

say "device     $device"
say "command    sh tests/gpu/run.sh"
say "version    $("$MBSIM" version | head -n 1), ${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}"
say "date       $(date -u +%Y-%m-%dT%H:%MZ)"
say "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(getconf _NPROCESSORS_ONLN) of them"
"$MBSIM" version | sed -n 's/^devices: /devices    /p' | tee -a "$work/table"
command -v nvidia-smi >/dev/null 2>&1 &&
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader | sed 's/^/driver     /' | tee -a "$work/table"

suite() { told "tests $1/*, on the device beside the loops" "$MBSIM_TESTS" --short-filename --filter "$1/*"; }
if [ -n "$MBSIM_TESTS" ]; then
  say ''
  for one in moved moved_long moved_rows moved_rows_long moved_near moved_touch flock; do suite $one >"$work/line" && take "$work/line"; done
fi

say ''
say 'scenes: five steps on the device beside those of the processor, to 1e-8 of each channel; and the same bits again'
[ -n "${SCENES:-}" ] || SCENES=$(cd scenes && grep -l '"projective"' projective/*.json deformables/*.json contact/*.json | sed 's/[.]json$//')
scene() {
  scene=$1 own=$work/$(echo "$1" | tr / -)
  step=$("$MBSIM" validate "scenes/$scene.json" 2>/dev/null | sed -n 's/^time .* steps of \([0-9.e+-]*\) s:.*/\1/p')
  [ -n "$step" ] || return
  end=$(awk "BEGIN { print 5 * $step }")
  exact= # of many contacts the device comes to another solution within the tolerance
  grep -q '"contact": {' "scenes/$scene.json" && exact='-s /contact/tolerance=1e-12'
  run() { "$MBSIM" run "scenes/$scene.json" -q -f -d "$end" --every 1 $exact "$@"; }
  run --device cuda -o "$own-there.mbt" >"$own-log" 2>&1
  code=$?
  if [ $code -eq 6 ]; then
    echo "refused $scene: $(sed -n 's/.*error: //p' "$own-log" | head -n 1)"
    return
  fi
  told "$scene runs" test $code -eq 0
  run --device cuda -o "$own-again.mbt" >"$own-log" 2>&1
  run --device cpu -o "$own-here.mbt" >"$own-log" 2>&1
  told "$scene as the processor" "$MBSIM" diff "$own-here.mbt" "$own-there.mbt" -r 1e-8 -a 1e-9
  told "$scene, the same bits" "$MBSIM" diff "$own-there.mbt" "$own-again.mbt"
}
together scene $SCENES

say ''
say 'sweeps: the table of the device beside that of the processor, to 1e-9'
sweep() { "$MBSIM" sweep "$work/pendulum.json" --keep none --no-times -q -p length=0.3:0.6:64 -p k=1:5:16 -m 'max(lower.joint.position)' -m 'final(upper.joint.velocity)' "$@"; }
near() {
  rm -rf "$work/a" "$work/b"
  sweep -o "$work/a" --device cuda "$@" && sweep -o "$work/b" --device cpu "$@" && awk -F, '
    NR == FNR { line[FNR] = $0; next }
    { n = split(line[FNR], a, ","); if (n != NF) bad = 1
      for (i = 1; i <= n; i++) if (a[i] != $i && !(a[i] + 0 == a[i] && (a[i] - $i) ^ 2 <= 1e-18 * (1 + $i ^ 2))) { print FNR, i, a[i], $i; bad = 1 } }
    END { exit bad || FNR < 1000 }' "$work/a/results.csv" "$work/b/results.csv"
}
holds '1,024 double pendulums, symplectic' near
holds '1,024 double pendulums, implicit' near --integrator implicit

if [ "${MBSIM_DEVICE:-}" != loops ]; then
  say ''
  "$MBSIM_BENCH" device flock device_touch 2>&1 | tee -a "$work/table"
  cp "$work/table" "$table"
  say ''
  if command -v compute-sanitizer >/dev/null 2>&1; then
    sanitize() {
      tool=${1%%/*} what=${1#*/}
      case $what in
        sheet) told "compute-sanitizer $tool, a sheet" compute-sanitizer --tool $tool --error-exitcode 1 "$MBSIM" run "$work/sheet.json" -q --device cuda -d 0.03 -f -o "$work/$tool-sheet.mbt" ;;
        levels) told "compute-sanitizer $tool, a sheet by an inverse in levels" compute-sanitizer --tool $tool --error-exitcode 1 "$MBSIM" run "$work/sheet.json" -q --device cuda -s '/solver={"type":"projective","global":"partitioned_inverse"}' -d 0.03 -f -o "$work/$tool-levels.mbt" ;;
        cloth) told "compute-sanitizer $tool, a cloth that touches" compute-sanitizer --tool $tool --error-exitcode 1 "$MBSIM" run scenes/contact/cloth_sphere.json -q --device cuda -d 0.15 -f -o "$work/$tool-cloth.mbt" ;;
        sweep) told "compute-sanitizer $tool, a sweep" compute-sanitizer --tool $tool --error-exitcode 1 --target-processes all "$MBSIM" sweep "$work/pendulum.json" -o "$work/s-$tool" --keep none -q --device cuda -d 0.05 -p length=0.3:0.6:64 ;;
      esac
    }
    together sanitize $(for tool in memcheck racecheck initcheck; do for what in sheet levels cloth sweep; do echo $tool/$what; done; done)
  else
    failed=$((failed + 1))
    say 'FAILED  there is no compute-sanitizer'
  fi
fi

say ''
say "$failed failed"
cp "$work/table" "$table" || exit 5
echo "written: $table"
[ $failed -eq 0 ]
