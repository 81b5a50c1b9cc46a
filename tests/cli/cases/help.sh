# the documents made from the option tables
t --help
t help
t run --help
t diff -h
for c in run sweep validate info diff check repair hash export schema bench init version help; do
  "$MBSIM" help $c | cmp -s - - || echo "no help on $c"
  "$MBSIM" $c --help >one && "$MBSIM" help $c >two && cmp one two
done
"$MBSIM" help man >mbsim.1
head -n 5 mbsim.1 | sed -E "$version"
grep -c '^\.SH' mbsim.1
if command -v groff >/dev/null; then groff -man -Tascii -ww mbsim.1 2>&1 >/dev/null | head -n 5; fi
"$MBSIM" help bash >completion
cat >try <<'BASH'
. ./completion
try() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _mbsim
  echo "$*: ${COMPREPLY[*]}"
}
try mbsim re
try mbsim run --du
try mbsim run --integrator ''
try mbsim init h
try mbsim diff --to
mkdir files && cd files && : >helper.json && : >boxes.mbt && mv ../completion .
try mbsim run h
try mbsim info b
try mbsim init bo
try mbsim help h
try mbsim schema h
try mbsim run --resume b
try mbsim init box -o b
try mbsim export -F n
BASH
bash ./try
