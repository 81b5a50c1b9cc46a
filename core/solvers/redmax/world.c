#define MB_LANES 1
#include "core/solvers/redmax/world.h"
#include "core/math/dense6.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/world_passes.h"

void mb_world_wrench(const MbWorld *world, size_t body, const double w[6], double F[6]) {
  put_screw(F, 0, wrench_to_world(world, body, screw_at(w, 0)));
}

void mb_world_gather(MbWorld *world, const double *f, double *y) { world_gather(world, f, y); }

void mb_world_carry(MbWorld *world, size_t body, const double w[6], double *y) {
  Screw F = wrench_to_world(world, body, screw_at(w, 0));
  for (size_t b = body; b != MB_WORLD; b = world->model->parent[b]) {
    joint_forces(world, b, F, y);
    F = move_wrench(F, world->work->stand[b].r);
  }
}

void mb_world_momentum(MbWorld *world, const double *v, double *y) { world_momentum(world, v, y); }

void mb_world_twists(MbWorld *world, const double *v, double *phi) {
  const Screw *at_o = twists_of(world, v);
  for (size_t b = 0; b < world->model->nb; b++) put_screw(phi, 6 * b, twist_to_body(world, b, at_o[b]));
}

void mb_world_blocks(MbWorld *world, const double *B, double s, const double *v, double *y) {
  const MbModel *model = world->model;
  Screw *F = twists_of(world, v);
  double *phi = model->npairs ? world->twist : world->screws, *f = world->screws;
  for (size_t b = 0; b < model->nb; b++) put_screw(phi, 6 * b, twist_to_body(world, b, F[b]));
  for (size_t b = 0; b < model->nb; b++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * b, phi + 6 * b);
    for (size_t i = 0; i < 6; i++) f[6 * b + i] = s * t[i];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, f);
  for (size_t b = 0; b < model->nb; b++) F[b] = wrench_to_world(world, b, screw_at(f, 6 * b));
  gather_up(world, F, y);
}

void mb_world_drift(MbWorld *world, double *a) {
  for (size_t b = 0; b < world->model->nb; b++) put_screw(a, 6 * b, drift_of(world, b));
}

void mb_world_bias(MbWorld *world, double *f) {
  const double *M = world->model->M;
  for (size_t b = 0; b < world->model->nb; b++) {
    double a[6];
    put_screw(a, 0, drift_of(world, b));
    for (size_t i = 0; i < 6; i++) f[6 * b + i] -= M[6 * b + i] * a[i];
  }
}

bool mb_world_factor(MbWorld *world, const MbMaximal *x, double a, double c, void *whole, size_t *blame) {
  world->derived = a != 0 || c != 0;
  return factor_world(world, x, a, c, whole, blame);
}

void mb_world_apply(MbWorld *world, double *x) { world_apply(world, x); }
