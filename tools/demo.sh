#!/bin/sh
# Runs an example and shows what it made. Argument: the program.
set -eu
mbsim=$1
out=build/demo
rm -rf "$out" && mkdir -p "$out"

scene=
for candidate in scenes/free/tennis_racket.json scenes/free/*.json; do
  [ -e "$candidate" ] && scene=$candidate && break
done
[ -n "$scene" ] || { scene=$out/hammer.json && "$mbsim" init hammer -o "$scene"; }
name=$(basename "$scene" .json)
file=$out/$name.mbt

show() { printf '\n$ mbsim %s\n' "$*"; }
show validate "$scene" && "$mbsim" validate "$scene"
show run "$scene" -o "$file" && "$mbsim" run "$scene" -o "$file"
show info "$file" && "$mbsim" info "$file"
show check "$file" && "$mbsim" check "$file"
show "export $file --channel energy --frames ::20" && "$mbsim" export "$file" --channel energy --frames ::20 | head -n 6
"$mbsim" export "$file" -o "$out/$name.csv"

cat <<TEXT

made:
  $file        the trajectory
  $out/$name.csv        all its numbers, for a spreadsheet
try next:
  $mbsim run $scene -o $out/other.mbt --step 0.0005
  $mbsim diff $file $out/other.mbt --interpolate --rtol 1e-3
  $mbsim init hammer -o hammer.json      a scene of your own
  $mbsim --help
TEXT
