#include "tools/bench/mujoco_steps.h"

#include <stdio.h>
#include <stdlib.h>

#if __has_include(<mujoco/mujoco.h>)

#include <mujoco/mujoco.h>

struct MbMujoco {
  mjModel *model;
  mjData *data;
  double iterations;
};

bool mb_mujoco_there(void) { return true; }

MbMujoco *mb_mujoco_load(const char *path) {
  char error[1000] = "";
  MbMujoco *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->model = mj_loadXML(path, NULL, error, sizeof error);
  m->data = m->model ? mj_makeData(m->model) : NULL;
  if (m->data) return m;
  printf("  MuJoCo: %s\n", error);
  mb_mujoco_free(m);
  return NULL;
}

void mb_mujoco_free(MbMujoco *m) {
  if (!m) return;
  if (m->data) mj_deleteData(m->data);
  if (m->model) mj_deleteModel(m->model);
  free(m);
}

void mb_mujoco_steps(MbMujoco *m, size_t steps) {
  for (size_t k = 0; k < steps; k++) {
    mj_step(m->model, m->data);
    m->iterations += m->data->solver_iter;
  }
}

double mb_mujoco_iterations(const MbMujoco *m) { return m->iterations; }

double mb_mujoco_gradient(const MbMujoco *m) {
  const int last = m->data->solver_iter < mjNSOLVER ? m->data->solver_iter : mjNSOLVER;
  return last ? m->data->solver[last - 1].gradient : 0;
}

size_t mb_mujoco_contacts(const MbMujoco *m) { return (size_t)m->data->ncon; }

double mb_mujoco_height(const MbMujoco *m) { return m->data->xipos[5]; }

#else

bool mb_mujoco_there(void) { return false; }
MbMujoco *mb_mujoco_load(const char *path) {
  (void)path;
  return NULL;
}
void mb_mujoco_free(MbMujoco *m) { (void)m; }
void mb_mujoco_steps(MbMujoco *m, size_t steps) { (void)m, (void)steps; }
double mb_mujoco_iterations(const MbMujoco *m) {
  (void)m;
  return 0;
}
double mb_mujoco_gradient(const MbMujoco *m) {
  (void)m;
  return 0;
}
size_t mb_mujoco_contacts(const MbMujoco *m) {
  (void)m;
  return 0;
}
double mb_mujoco_height(const MbMujoco *m) {
  (void)m;
  return 0;
}

#endif
