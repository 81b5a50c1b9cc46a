#!/bin/sh
# Moves a program's debug information into PROGRAM.debug beside it, where debuggers find it. Argument: the program.
set -eu
program=$1
cd "$(dirname "$program")"
name=$(basename "$program")
objcopy --only-keep-debug "$name" "$name.debug"
objcopy --strip-debug --add-gnu-debuglink="$name.debug" "$name"
chmod 644 "$name.debug"
