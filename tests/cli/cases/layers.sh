# the include law holds, and breaking it is seen
cd "$ROOT" && sh tools/layers.sh
cd "$OLDPWD" || exit
mkdir tree && (cd "$ROOT" && tar cf - cli core io gpu) | tar xf - -C tree
plant() { # path, line
  mkdir -p "tree/$(dirname "$1")"
  [ ! -e "tree/$1" ] || cp "tree/$1" before
  printf '%s\n' "$2" >>"tree/$1"
  sh "$ROOT/tools/layers.sh" tree | sed -E 's/:[0-9]+:/:/' | tail -n 1
  rm "tree/$1"
  [ ! -e before ] || mv before "tree/$1"
}
plant core/base/planted.c '#include "core/math/vec3.h"'
plant core/math/planted.c '#include "io/json.h"'
plant core/forces/planted.c '#include "core/joints/joint.h"'
plant core/constraints/planted.c '#include "core/collision/collide.h"'
plant core/collision/planted.c '#include "core/model/model.h"'
plant core/solvers/planted.c '#include "core/contact/pivoting.h"'
plant core/sim/planted.c '#include "core/contact/pivoting.h"'
plant core/sim/planted.c '#include "core/collision/collide.h"'
plant core/odd/planted.c '#include "core/base/alloc.h"'
plant core/mbsim.h '#include "core/base/alloc.h"'
plant core/base/planted.c '#include "core/mbsim.h"'
plant io/planted.c '#include "cli/log.h"'
plant io/planted.c '#include "gpu/gpu.h"'
plant gpu/planted.c '#include "io/json.h"'
plant gpu/planted.c '#include "gpu.h"'
plant io/planted.c 'void f(void) { printf("x"); }'
plant core/sim/planted.c 'void f(void) { if (1) abort(); }'
plant core/sim/planted.c 'void f(void) { snprintf(a, 1, "printf("); } // exit(1)'
plant io/planted.c 'void f(FILE *out) { fprintf(out, "x"); }'
plant core/sim/scheme_planted.c 'bool f(MbSim *sim) { return sim->solver->factor(sim->work, &sim->x, 1, 0, true, NULL); }'
plant io/planted.c "$(yes 'int x;' | head -n 201)"
echo '// What its header says is not its own head.' >tree/io/planted.h
plant io/planted.c "$(yes 'int x;' | head -n 201)"
rm tree/io/planted.h
plant tests/planted.c "$(yes 'int x;' | head -n 201)"
plant core/README.md '`gone` in `sim/ask.c`'
plant io/main.c ''
