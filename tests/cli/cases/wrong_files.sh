# the wrong file in the wrong place: one clear line and the right exit code
"$MBSIM" init box -o s.json
"$MBSIM" run s.json -q -d 0.05
mkdir dir && : >empty.json && : >empty.mbt && cp s.mbt traj.json && cp s.json scene.mbt
for file in dir empty.json s.mbt traj.json; do
  t run "$file"
  t validate "$file"
done
"$MBSIM" validate - <s.mbt 2>&1
"$MBSIM" init study -o study.json
for command in run validate 'gradient --of final(t) --wrt a' export; do t $command study.json; done
t s.mbt
t import s.json
"$MBSIM" info traj.json | sed -n '2s/ .*//p'
"$MBSIM" info scene.mbt | sed -n 1p
for file in dir empty.json empty.mbt missing; do t info "$file"; done
for command in check export hash repair 'diff s.mbt' 'run s.json -o no.mbt --resume'; do
  # shellcheck disable=SC2086
  for file in dir empty.mbt s.json scene.mbt missing.mbt; do t $command "$file"; done
done
head -c 12 s.mbt >short.mbt
t info short.mbt
t run ''
t run s.json -o ''
t run s.json -o dir/
t run s.json -o no/x.mbt
t run s.json -o /sys/x.mbt | sed -E 's/(Permission denied|Read-only file system)/refused/'
t export s.mbt -o no/x.csv
t export s.mbt -F csv -o dir
t init box -o no/x.json
t diff s.mbt s.mbt --tolerances dir
t diff s.mbt s.mbt --write-tolerances no/x.json
ls
