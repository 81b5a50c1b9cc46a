# with --json a failure is an answer too
"$MBSIM" init box -o s.json
"$MBSIM" run s.json -q -d 0.1
sed 's/"name": "box",$/"name": "crate",/' s.json >other.json
"$MBSIM" run s.json -q -d 0.1 -o one.mbt --set '/output/channels=["body.position"]'
"$MBSIM" run other.json -q -d 0.1 -o two.mbt --set '/output/channels=["body.position"]'
# of one scene that has changed: dust is in both
dust='/deformables=[{"name": "dust", "type": "particles", "mesh": {"rope": 2, "length": 1}, "material": {"mass": 1}}]'
"$MBSIM" run s.json -q -d 0.1 -o three.mbt --set "$dust"
"$MBSIM" run other.json -q -d 0.1 -o four.mbt --set "$dust"
echo '{ "mbsim": 1, "tme": 1 }' >bad.json
answer() {
  echo "$*"
  "$MBSIM" "$@" --json >out 2>err
  code=$?
  "$PYTHON" - $code <<'PY'
import json, sys
answer = json.load(open("out"))
print(answer["status"] == int(sys.argv[1]), sys.argv[1], [(i["kind"], i.get("pointer"), i["text"]) for i in answer["issues"]])
PY
  cat err
}
answer info missing.mbt
answer info bad.json
head -c 12 s.mbt >short.mbt
answer info short.mbt
answer diff s.mbt missing.mbt
answer diff s.mbt s.json
answer diff s.mbt s.mbt --channel energi=1
answer diff one.mbt two.mbt
answer bench --bodies 3000000
# other bodies: what is not compared is not called the same
"$MBSIM" diff three.mbt four.mbt | grep -E 'body|energy'
"$MBSIM" diff three.mbt four.mbt --json | "$PYTHON" -c '
import json, sys
for c in json.load(sys.stdin)["channels"]: print(c["channel"], c["compared"], c["pass"], sorted(c))'
t diff one.mbt two.mbt
