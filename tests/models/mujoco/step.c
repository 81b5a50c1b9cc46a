// Steps a model in MuJoCo by RK4, without contact and under a gravity that goes askew, so that everything moves:
// cc step.c -o step -lmujoco && ./step MODEL STEP STEPS
// Prints where each body is at the end: a line of its name, position and rotation (w x y z).
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  static const double gravity[3] = {3, 2, -9};
  char error[1000] = "";
  mjModel *m = argc == 4 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  m->opt.disableflags |= mjDSBL_CONTACT;
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = atof(argv[2]);
  for (int i = 0; i < 3; i++) m->opt.gravity[i] = gravity[i];
  mjData *d = mj_makeData(m);
  for (long i = atol(argv[3]); i > 0; i--) mj_step(m, d);
  mj_kinematics(m, d);
  for (int b = 1; b < m->nbody; b++) {
    const double *p = d->xpos + 3 * b, *q = d->xquat + 4 * b;
    printf("%s\t%.17g %.17g %.17g\t%.17g %.17g %.17g %.17g\n", m->names + m->name_bodyadr[b], p[0], p[1],
           p[2], q[0], q[1], q[2], q[3]);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
