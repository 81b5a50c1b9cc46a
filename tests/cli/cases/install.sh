# what is installed can be used: program, man page, completion, library by pkg-config
lib=$(dirname "$MBSIM")/libmbsim.a
(cd "$ROOT" && sh tools/install.sh "$MBSIM" "$lib" "$OLDPWD/dest" /usr 1.2.3) | sed "s|$PWD|DIR|"
# sanitizers have no library to be loaded
[ "$MBSIM_FLAVOUR" = release ] || (mkdir -p dest/usr/share/mbsim/python && cd dest/usr && touch lib/libmbsim.so.1.2.3 share/mbsim/python/mbsim.py)
(cd dest && find . -type f | grep -v '/\.debug/' | sort)
# debug information stands apart, where debuggers look for it
if [ "$MBSIM_FLAVOUR" = release ]; then
  readelf -SW dest/usr/bin/mbsim | grep -oE '\.(debug_info|gnu_debuglink)'
  readelf -SW dest/usr/bin/.debug/mbsim.debug 2>/dev/null | grep -oE '\.debug_info'
  readelf -SW dest/usr/lib/libmbsim.a | grep -oE '\.debug_info' | sort -u
else
  printf '.gnu_debuglink\n.debug_info\n'
fi
# the README's program, and one that reads a trajectory
sed -n '/^```c$/,/^```$/p' "$ROOT/README.md" | sed '/^```/d' >rod.c
echo "the README's program has $(($(wc -l <rod.c) <= 40 ? 40 : $(wc -l <rod.c))) lines at most"
cat >use.c <<'C'
#include <mbsim.h>
#include <stdio.h>
int main(void) {
  static MbReport report;
  MbTraj *traj = NULL;
  double times[11], frames[11 * 100];
  if (mb_traj_open("use.mbt", &traj, &report) || mb_traj_frame_size(traj) > 100) return 1;
  size_t n = 0;
  const MbChannel *channels = mb_traj_channels(traj, &n);
  if (mb_traj_read(traj, 0, mb_traj_frames(traj), NULL, times, frames, &report)) return 1;
  const double *last = frames + (mb_traj_frames(traj) - 1) * mb_traj_frame_size(traj);
  for (size_t i = 0; i < n; i++) printf("%s %.6g %s\n", channels[i].name, last[channels[i].offset], channels[i].unit);
  printf("%d frames to %g s\n", (int)mb_traj_frames(traj), times[10]);
  mb_traj_free(traj);
}
C
cat >use.json <<'JSON'
{"mbsim": 1, "time": {"step": 0.01, "steps": 10}, "output": {"every": 1, "channels": ["body.position", "body.velocity"]},
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "density": 1, "velocity": {"linear": [2, 0, 0]}}]}
JSON
"$MBSIM" run -q use.json
[ "$MBSIM_FLAVOUR" = release ] || rm dest/usr/lib/libmbsim.so.1.2.3
# the library has every function that the header declares
grep -oE '\bmb_[a-z_0-9]+\(' dest/usr/include/mbsim.h | tr -d '(' | sort -u >declared
nm -g --defined-only dest/usr/lib/libmbsim.a 2>/dev/null | awk '{print $3}' | sort -u >defined
echo "declared and not there: $(comm -23 declared defined | paste -sd ' ')"
[ "$MBSIM_FLAVOUR" != release ] || nm -D --defined-only dest/usr/lib/libmbsim.so.1.2.3 | awk '{sub(/@.*/, "", $3); print $3}' | sort -u >defined
echo "nor in what programs load: $(comm -23 declared defined | paste -sd ' ')"
export LD_LIBRARY_PATH="$PWD/dest/usr/lib" PKG_CONFIG_PATH="$PWD/dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$PWD/dest"
pkg-config --modversion mbsim
sanitize=
[ "$MBSIM_FLAVOUR" = asan ] && sanitize=-fsanitize=address,undefined
for program in rod use; do
  # shellcheck disable=SC2046
  cc -Wall -Wextra -Werror $sanitize $program.c $(pkg-config --cflags --libs mbsim) -o $program && ./$program
done
