# nothing is overwritten by accident
"$MBSIM" init box -o box.json
"$MBSIM" run box.json -q -d 0.1
before=$(cksum <box.mbt)
t run box.json -q
[ "$before" = "$(cksum <box.mbt)" ] && echo untouched
t run box.json -q --force -d 0.2
[ "$before" = "$(cksum <box.mbt)" ] || echo replaced
head -c 1000 box.mbt >new.mbt.part
t run box.json -o new.mbt
t run box.json -o new.mbt -q -f && ls new.mbt*
t init box -o box.json
t export box.mbt -o box.json
t repair box.mbt -o box.mbt -f
t diff box.mbt box.mbt --write-tolerances box.json
t run box.json -o /dev/null
# a scene that is invalid leaves no file behind
t run box.json -o none.mbt --set /time/step=-1
ls
# the scene itself is no output, whatever --force says
"$MBSIM" init spinning -o own.json
t run own.json -f -o own.json -q
t validate own.json | head -n 2
# with rk45, frames are at multiples of the interval
"$MBSIM" run own.json -q -f -o iv.mbt --integrator rk45 --step 0.01 -d 0.0664 --set '/output={"interval":0.0166,"channels":[]}' 2>/dev/null
"$MBSIM" export iv.mbt | tr '\n' ' ' && echo
