# Two programs beside each other. The second one is this, through scripts: with the scene's gravity halved, and without this scene.
compare() {
  printf '$ compare %s\n' "$*"
  code=0
  "$PYTHON" "$ROOT/tools/bench/compare.py" --runs 3 --seconds 0.02 "$@" >out 2>&1 || code=$?
  sed -E 's/\| [0-9][0-9.e+-]* \| [0-9][0-9.e+-]* \| [0-9][0-9.]*/| N | N | RATIO/' out
  [ $code -eq 0 ] || echo "[exit $code]"
}

ln -s "$MBSIM" same
printf '#!/bin/sh\n[ "$1" = run ] && shift && exec "%s" run -s /gravity=[0,0,-5] "$@"\nexec "%s" "$@"\n' "$MBSIM" "$MBSIM" >light
printf '#!/bin/sh\n[ "$1" = run ] && echo "no such word" >&2 && exit 2\nexec "%s" "$@"\n' "$MBSIM" >without
# a run of no steps takes this one longer than any other
printf '#!/bin/sh\ncase "$*" in *"-d 0 "*) set -- "$@" -d 1e4 ;; esac\nexec "%s" "$@"\n' "$MBSIM" >idle
chmod +x light without idle
cat >scene.json <<'JSON'
{ "mbsim": 1, "name": "falls", "time": { "step": 0.01, "steps": 10 },
  "bodies": [ { "name": "a", "shape": { "type": "sphere", "radius": 1 }, "density": 10 } ] }
JSON
compare --limit 1e6 same same scene.json
compare --limit 1e6 same light scene.json
compare --limit 1e-9 same same scene.json
compare --limit 1e6 same without scene.json
compare --limit 1e6 without same scene.json
compare --seconds 0.001 same idle scene.json
compare same none scene.json 2>&1 | sed "s|$PWD|.|"
