#!/bin/sh
# Runs every test of one build flavour: Criterion's, then the command line's. Arguments: FLAVOUR [FILTER]. FILTER is one of Criterion's
# (suite/test, with * in it), or a folder or file of tests, with tests/ before it or without: the suites that begin there, of a folder
# without those whose names end in _long, which take a quarter of a second or more a test.
# A leak fails the run: Criterion ignores LeakSanitizer's exit code, so its logs are looked for.
set -u
flavour=$1 filter=${2:-}
logs=build/$flavour/sanitizer-logs
rm -rf "$logs" && mkdir -p "$logs"
export ASAN_OPTIONS="log_path=$PWD/$logs/asan:detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$PWD/$logs/ubsan"
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export MBSIM="$PWD/build/$flavour/mbsim" MBSIM_FLAVOUR="$flavour"

# The suites of a folder or a file, as a filter of Criterion's.
suites_of() {
  names=$(find "$1" -name 'test_*.c' -exec sed -n -e 's/^Test(\([a-zA-Z0-9_]*\),.*/\1/p' \
    -e 's/^ParameterizedTest([^,]*, *\([a-zA-Z0-9_]*\),.*/\1/p' {} + | sort -u)
  if [ -d "$1" ]; then
    long=$(echo "$names" | grep -c '_long$')
    names=$(echo "$names" | grep -v '_long$')
    [ "$long" = 0 ] || echo "left out: $long suites of long tests; the whole check runs them, and TEST='*_long/*'" >&2
  fi
  names=$(echo "$names" | paste -sd '|' -)
  [ -n "$names" ] || { echo "tests/run.sh: $1 has no tests" >&2; exit 2; }
  echo "@($names)/*"
}
for place in "$filter" "tests/$filter"; do
  case $place in tests/?*) [ -e "$place" ] && { filter=$(suites_of "$place") || exit 2; break; } ;; esac
done

# The tests link OpenBLAS, which starts threads of its own as it is loaded: under a test's limit on memory they would ask for ever.
export OPENBLAS_NUM_THREADS=1
if [ -z "$filter" ]; then
  "build/$flavour/mbsim-tests" --short-filename
  failed=$?
else
  { "build/$flavour/mbsim-tests" --short-filename --filter "$filter"; echo $? >"$logs.exit"; } 2>&1 | tee "$logs.out"
  failed=$(cat "$logs.exit")
  grep -aq 'Tested: 0 ' "$logs.out" && echo "tests/run.sh: no test fits '$filter'" >&2 && failed=2
fi

if [ -z "$filter" ]; then
  for script in tests/cli/run.sh; do
    [ -e "$script" ] && { sh "$script" || failed=1; }
  done
fi
if [ -n "$(ls -A "$logs")" ]; then
  echo "sanitizer reports:" && head -n 40 "$logs"/* && failed=1
fi
exit $failed
