// What MuJoCo makes of a model, as JSON: cc ask.c -o ask -lmujoco && ./ask MODEL NAME [TOLERANCE [PLACES]] > NAME.json
// Four states within the joints' ranges, contacts and constraints disabled, controls 0 or those of a keyframe "start": positions,
// velocities, accelerations, and where the mass centres are. Where a body's inertia is not diagonal in what is given, MuJoCo turns it to principal axes of its own, which is good to
// seven digits: TOLERANCE tells the test that reads this. PLACES is the same of mass centres and masses, of meshes, whose vertices it
// keeps with 32 bits.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long seed = 88172645463325252ull;
static double noise(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void list(const char *key, const double *x, int n) {
  printf("\"%s\":[", key);
  for (int i = 0; i < n; i++) printf("%s%.17g", i ? "," : "", x[i]);
  printf("]");
}

static void place(const mjModel *m, mjData *d) {
  for (int j = 0; j < m->njnt; j++) {
    double *q = d->qpos + m->jnt_qposadr[j];
    const double *range = m->jnt_range + 2 * j;
    if (m->jnt_type[j] == mjJNT_FREE) {
      for (int i = 0; i < 3; i++) q[i] += noise();
      q += 3;
    }
    if (m->jnt_type[j] == mjJNT_FREE || m->jnt_type[j] == mjJNT_BALL) {
      for (int i = 0; i < 4; i++) q[i] = noise();
      q[0] += 1.5;
      mju_normalize4(q);
    } else if (m->jnt_limited[j]) {
      *q = (range[0] + range[1]) / 2 + 0.45 * (range[1] - range[0]) * noise();
    } else {
      *q += noise();
    }
  }
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 2 * noise();
}

int main(int argc, char **argv) {
  static const char *const types[] = {"free", "ball", "slide", "hinge"};
  char error[1000] = "";
  mjModel *m = argc >= 3 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  mjData *d = mj_makeData(m);
  const int start = mj_name2id(m, mjOBJ_KEY, "start");
  printf("{\"file\":\"%s\",\"by\":\"MuJoCo %s, contacts and constraints disabled, controls 0\",\"joints\":[",
         argv[2], mj_versionString());
  for (int j = 0; j < m->njnt; j++)
    printf("%s{\"name\":\"%s\",\"type\":\"%s\",\"q\":%d,\"v\":%d}", j ? "," : "",
           m->names + m->name_jntadr[j], types[m->jnt_type[j]], m->jnt_qposadr[j], m->jnt_dofadr[j]);
  printf("],\"tolerance\":%s,\"places\":%s,\"bodies\":[", argc > 3 ? argv[3] : "1e-9",
         argc > 4 ? argv[4] : "1e-12");
  for (int b = 1; b < m->nbody; b++)
    printf("%s{\"name\":\"%s\",\"mass\":%.17g}", b > 1 ? "," : "", m->names + m->name_bodyadr[b],
           m->body_mass[b]);
  printf("],\"states\":[");
  for (int s = 0; s < 4; s++) {
    mj_resetData(m, d);
    if (start >= 0) mju_copy(d->ctrl, m->key_ctrl + (size_t)start * m->nu, m->nu);
    place(m, d);
    mj_forward(m, d);
    printf("%s{", s ? "," : "");
    list("qpos", d->qpos, m->nq), printf(",");
    list("qvel", d->qvel, m->nv), printf(",");
    list("qacc", d->qacc, m->nv), printf(",");
    list("xipos", d->xipos + 3, 3 * (m->nbody - 1));
    printf("}");
  }
  printf("]}\n");
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
