# a full disk: exit 5, and the part stays, readable up to there
long_scene >long.json
full() { # folder, blocks of 512 bytes that a file may have
  (ulimit -f "$2" && exec "$MBSIM" run long.json -q -o "$1/f.mbt") 2>err
  echo "exit $?"
  sed -E "s|$1|DIR|g" err | grep -oE 'f.mbt.part is kept.*' 
  grep -qiE 'space|too large' err && echo "reason told"
  [ -e "$1/f.mbt" ] && echo "renamed"
  frames=$("$MBSIM" info "$1/f.mbt.part" 2>/dev/null | sed -nE 's/^frames +([0-9]+) in.*/\1/p')
  [ "${frames:-0}" -gt 30 ] && echo "frames are there"
  "$MBSIM" repair "$1/f.mbt.part" -o fixed.mbt 2>/dev/null && "$MBSIM" check fixed.mbt | head -n 2
  rm -f fixed.mbt "$1"/f.mbt*
}
mkdir small limited
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k none small 2>/dev/null; then
  full small unlimited
  umount small
else
  full limited 256
fi
full limited 512
# full before the first frame is on it, in the head (which has a text that cannot be compressed) or after it: nothing is left
"$PYTHON" - <<'PY'
import json, random
scene = json.load(open("long.json"))
scene["description"] = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=4000))
json.dump(scene, open("wordy.json", "w"))
PY
for case in 'wordy 1' 'wordy 2' 'long 2' 'long 4'; do
  (ulimit -f "${case#* }" && exec "$MBSIM" run "${case% *}.json" -q -o limited/g.mbt) 2>err
  echo "exit $?, $(grep -c 'cannot write' err) reason, $(grep -c kept err) kept"
  ls limited/g.mbt* 2>/dev/null
done
