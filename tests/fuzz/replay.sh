#!/bin/sh
# Replays every fuzz corpus, file by file. Argument: folder of the replay programs; fuzz_X runs tests/fuzz/corpus/X.
set -u
folder=$1 passed=0 failed=0
for program in "$folder"/fuzz_*; do
  case $program in *.d | *.o) continue ;; esac
  [ -x "$program" ] || continue
  name=${program##*/fuzz_}
  [ -d "tests/fuzz/corpus/$name" ] || { echo "no corpus for fuzz_$name"; failed=$((failed + 1)); continue; }
  for file in "tests/fuzz/corpus/$name"/*; do
    [ -f "$file" ] || continue
    if timeout 60 "$program" "$file"; then
      passed=$((passed + 1))
    else
      echo "fuzz_$name fails on $file"
      failed=$((failed + 1))
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
