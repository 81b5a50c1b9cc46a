# a summary points to a warning only where there was one; info's columns are as wide as the longest name
told() { grep -c -e 'mbsim: warning' -e 'see the warning above'; }
scene=$ROOT/scenes/deformables/balloon.json
"$MBSIM" run "$scene" -d 0.2 -o run.mbt --force 2>&1 | told
"$MBSIM" run "$scene" -d 0.2 --set '/solver={"type":"projective","iterations":2}' -o run.mbt --force 2>&1 | told
"$MBSIM" info run.mbt | sed -n '/^  channel/,/^$/p' | cut -c 1-44
