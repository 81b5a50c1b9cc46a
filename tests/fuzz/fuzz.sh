#!/bin/sh
# Runs every libFuzzer target. Arguments: folder of the fuzzers, seconds each. Works on a copy of the corpus; what a
# fuzzer trips over lies in build/fuzz-artefacts.
set -u
folder=$1 seconds=$2 failed=0 ran=0
artefacts=build/fuzz-artefacts
mkdir -p "$artefacts"
for program in "$folder"/fuzz_*; do
  case $program in *.d | *.o) continue ;; esac
  [ -x "$program" ] || continue
  name=${program##*/fuzz_}
  scratch=build/fuzz-corpus/$name
  mkdir -p "$scratch"
  [ -d "tests/fuzz/corpus/$name" ] && cp "tests/fuzz/corpus/$name"/* "$scratch"/
  echo "fuzz_$name: $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$artefacts/$name-" \
    -print_final_stats=1 -verbosity=0 "$scratch" 2>&1 | tail -n 40 > "$artefacts/$name.log"
  if grep -q 'SUMMARY: \|ERROR: ' "$artefacts/$name.log"; then
    cat "$artefacts/$name.log"
    failed=$((failed + 1))
  else
    grep 'number_of_executed_units\|peak_rss' "$artefacts/$name.log"
  fi
  ran=$((ran + 1))
done
echo "$((ran - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$ran" -gt 0 ]
