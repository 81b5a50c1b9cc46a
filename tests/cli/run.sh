#!/bin/sh
# Snapshot tests of the command line: every cases/NAME.sh runs in an empty folder and must print cases/NAME.out.
# Arguments: names of cases (default: all). UPDATE=1 writes the expected outputs anew. MBSIM is the program.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$tests/../.." && pwd)
MBSIM=${MBSIM:-$ROOT/build/release/mbsim}
MBSIM_FLAVOUR=${MBSIM_FLAVOUR:-release}
# the system's Python has the modules that tools/deps.sh installs
PYTHON=$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)
TESTS=$tests LC_ALL=C NO_COLOR=1
export PYTHON ROOT MBSIM MBSIM_FLAVOUR TESTS LC_ALL NO_COLOR
# A shell cannot undo that its parent ignores signals (a job in the background, under nohup), and the cases send them;
# Python itself ignores the last two.
if [ -z "${MBSIM_SIGNALS:-}" ]; then
  export MBSIM_SIGNALS=default
  exec "$PYTHON" -c 'import os, signal, sys
for name in "INT", "QUIT", "HUP", "TERM", "PIPE", "XFSZ": signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)
os.execvp("sh", ["sh", *sys.argv[1:]])' "$0" "$@"
fi
[ -x "$MBSIM" ] || { echo "tests/cli: no program at $MBSIM" >&2 && exit 2; }

# Runs one case; what differs from what is expected goes into $work/NAME.diff.
run_case() {
  mkdir -p "$work/$1"
  (cd "$work/$1" && sh -c '. "$0" && . "$1"' "$tests/common.sh" "$tests/cases/$1.sh") >"$work/$1.out" 2>&1 </dev/null
  [ -n "${UPDATE:-}" ] && cp "$work/$1.out" "$tests/cases/$1.out"
  diff -u "$tests/cases/$1.out" "$work/$1.out" >"$work/$1.diff" 2>&1 && rm "$work/$1.diff"
  rm -rf "${work:?}/$1"
  : >"$work/$1.done"
}
if [ -n "${MBSIM_CASES:-}" ]; then
  work=$MBSIM_CASES
  run_case "$1"
  exit 0
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/mbsim-cli-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

# `layers` is about the sources alone, so that one build's run is enough.
[ $# -gt 0 ] || set -- $(cd "$tests/cases" && ls ./*.sh | sed 's|^\./||; s|\.sh$||' | grep -vx "$([ "$MBSIM_FLAVOUR" = release ] || echo layers)")
# Two at a time: xargs, as a shell would have its children in the background ignore signals.
printf '%s\n' "$@" | MBSIM_CASES=$work xargs -P 2 -n 1 sh "$0"
for name in "$@"; do
  if [ -e "$work/$name.done" ] && [ ! -e "$work/$name.diff" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "tests/cli: $name differs (- expected, + found)"
    head -n 60 "$work/$name.diff"
  fi
done
echo "tests/cli: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
