# what is installed can be used: program, man page, completion, library by pkg-config
lib=$(dirname "$MBSIM")/libmbsim.a
(cd "$ROOT" && sh tools/install.sh "$MBSIM" "$lib" "$OLDPWD/dest" /usr 1.2.3) | sed "s|$PWD|DIR|"
(cd dest && find . -type f | grep -v '/\.debug/' | sort)
# debug information stands apart, where debuggers look for it
if [ "$MBSIM_FLAVOUR" = release ]; then
  readelf -SW dest/usr/bin/mbsim | grep -oE '\.(debug_info|gnu_debuglink)'
  readelf -SW dest/usr/bin/.debug/mbsim.debug 2>/dev/null | grep -oE '\.debug_info'
  readelf -SW dest/usr/lib/libmbsim.a | grep -oE '\.debug_info' | sort -u
else
  printf '.gnu_debuglink\n.debug_info\n'
fi
cat >use.c <<'C'
#include <mbsim.h>
#include <stdio.h>
static const char scene[] = "{\"mbsim\":1,\"time\":{\"step\":0.01,\"steps\":10},\"bodies\":"
                            "[{\"name\":\"a\",\"shape\":{\"type\":\"sphere\",\"radius\":1},\"density\":1}]}";
int main(void) {
  static MbReport report;
  MbScene *s = NULL; MbModel *m = NULL; MbSim *sim = NULL;
  if (mb_scene_parse(scene, sizeof scene - 1, "use", ".", NULL, &s, &report) || mb_model_create(s, &m, &report) ||
      mb_sim_create(m, NULL, &sim, &report)) return 1;
  while (mb_sim_steps(sim) < mb_model_steps(m)) if (mb_sim_step(sim, &report)) return 1;
  printf("%zu body, %lld steps\n", mb_model_bodies(m), (long long)mb_sim_steps(sim));
  mb_sim_free(sim); mb_model_free(m); mb_scene_free(s);
}
C
export PKG_CONFIG_PATH="$PWD/dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$PWD/dest"
pkg-config --modversion mbsim
sanitize=
[ "$MBSIM_FLAVOUR" = asan ] && sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2046
cc $sanitize use.c $(pkg-config --cflags --libs mbsim) -o use && ./use
