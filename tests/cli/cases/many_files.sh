# validate, info, check and hash of several files: each under its name, the worst status; with --json a list
"$MBSIM" init spinning -o s.json
"$MBSIM" run s.json -q -d 0.1 -o a.mbt
sed 's/"step": 0.001/"step": -1/' s.json >bad.json
tm validate s.json bad.json missing.json
t validate s.json -q
t validate - -
"$MBSIM" validate s.json bad.json --json 2>err | "$PYTHON" -c '
import json, sys
print([(x["file"], x["status"], x["valid"], "plan" in x) for x in json.load(sys.stdin)])'
cat err
"$MBSIM" validate bad.json --json | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
t info a.mbt s.json | grep -E '^(.*:|trajectory|name|exit|\[).*' | cut -c 1-20
"$MBSIM" info a.mbt missing.mbt s.json --json | "$PYTHON" -c '
import json, sys
print([(x["file"], x["status"], "channels" in x) for x in json.load(sys.stdin)])'
head -c 2000 a.mbt >cut.mbt
t check a.mbt cut.mbt | grep -E '^(.*:$|.*whole|exit)'
"$MBSIM" check a.mbt cut.mbt >/dev/null 2>&1
echo "exit $?"
"$MBSIM" check a.mbt s.json --json | "$PYTHON" -c '
import json, sys
print([(x["file"], x["status"], x["pass"], len(x["items"]) > 3) for x in json.load(sys.stdin)])'
"$MBSIM" hash a.mbt missing.mbt s.json a.mbt 2>err | cut -c 34-
cat err
"$MBSIM" hash missing.mbt a.mbt >/dev/null 2>&1
echo "exit $?"
