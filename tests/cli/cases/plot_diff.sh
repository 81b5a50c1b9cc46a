# diff draws the errors over time with the tolerances
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 0.5 -o a.mbt
"$MBSIM" run s.json -q -d 0.5 -o b.mbt --set '/bodies/0/velocity/angular=[0.0010001,10,0]'
what() { # texts of a picture but numbers, how many curves and straight lines
  "$PYTHON" - "$1" <<'PY'
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
name = lambda e: e.tag.split("}")[1]
for e in root.iter():
    if name(e) == "text" and not e.get("class").startswith("n") and not e.get("class").startswith("l"): print(re.sub(r"t = [0-9.]+ s", "t = TIME", e.text))
print(sum(1 for g in root if name(g) == "g" for e in g if e.get("class") == "c"), "curves,", sum(1 for e in root if e.get("class") == "u"), "lines")
PY
}
t diff a.mbt b.mbt -q --atol 1e-9 --plot e.svg
what e.svg
t diff a.mbt a.mbt -q --atol 1e-9 --plot same.svg
what same.svg | grep -c 'no difference'
t diff a.mbt b.mbt -q -c body.velocity=1e-9 --plot one.svg && what one.svg
"$MBSIM" diff a.mbt b.mbt -q --atol 1e-9 --plot again.svg; cmp e.svg again.svg && echo "the same bytes"
# the answer is the same with a picture as without
"$MBSIM" diff a.mbt b.mbt >without; "$MBSIM" diff a.mbt b.mbt --plot f.svg >with; cmp with without && echo "the same answer"
echo "the house's rules"
t diff a.mbt b.mbt -q --plot e.svg
t diff a.mbt b.mbt -q --plot e.svg -f
t diff a.mbt b.mbt -q --plot e.png
t diff a.mbt b.mbt -q --plot -
t diff a.mbt a.mbt a.mbt --write-tolerances tol.json --plot new.svg
mkdir one && cp a.mbt one
t diff one one --plot new.svg
t diff a.mbt nothing.mbt --plot new.svg
cp a.mbt a.svg
t diff a.svg b.mbt -q --plot ./a.svg -f
if "$MBSIM" version | grep -q 'the page of view'; then
  t diff a.mbt b.mbt -q --plot both.svg --report ./both.svg
else
  echo '$ mbsim diff a.mbt b.mbt -q --plot both.svg --report ./both.svg
! mbsim: error: --report and --plot are one file: both.svg
[exit 2]'
fi
(ulimit -f 1 && exec "$MBSIM" diff a.mbt a.mbt -q --plot full.svg) 2>err
echo "exit $?, $(grep -ciE 'large|space' err) reason"
ls
