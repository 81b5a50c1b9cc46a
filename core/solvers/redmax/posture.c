#define MB_LANES 1
#include "core/solvers/redmax/posture.h"
#include "core/math/dense6.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/posture_passes.h"

void mb_posture_wrench(const MbPosture *posture, size_t body, const double w[6], double F[6]) {
  put_screw(F, 0, wrench_to_world(posture, body, screw_at(w, 0)));
}

void mb_posture_gather(MbPosture *posture, const double *f, double *y) { posture_gather(posture, f, y); }

void mb_posture_carry(MbPosture *posture, size_t body, const double w[6], double *seen, double *y) {
  Screw F = wrench_to_world(posture, body, screw_at(w, 0));
  if (seen) put_screw(seen, 0, F);
  for (size_t b = body; b != MB_WORLD; b = posture->model->parent[b]) {
    joint_forces(posture, b, F, y);
    F = move_wrench(F, posture->work->stand[b].r);
  }
}

void mb_posture_momentum(MbPosture *posture, const double *v, double *y) { posture_momentum(posture, v, y); }

void mb_posture_twists(MbPosture *posture, const double *v, double *phi) {
  const Screw *at_o = twists_of(posture, v);
  for (size_t b = 0; b < posture->model->nb; b++) put_screw(phi, 6 * b, twist_to_body(posture, b, at_o[b]));
}

void mb_posture_blocks(MbPosture *posture, const double *B, double s, const double *v, double *y) {
  const MbModel *model = posture->model;
  Screw *F = twists_of(posture, v);
  double *phi = model->npairs ? posture->twist : posture->screws, *f = posture->screws;
  for (size_t b = 0; b < model->nb; b++) put_screw(phi, 6 * b, twist_to_body(posture, b, F[b]));
  for (size_t b = 0; b < model->nb; b++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * b, phi + 6 * b);
    for (size_t i = 0; i < 6; i++) f[6 * b + i] = s * t[i];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, f);
  for (size_t b = 0; b < model->nb; b++) F[b] = wrench_to_world(posture, b, screw_at(f, 6 * b));
  gather_up(posture, F, y, false);
}

void mb_posture_drift(MbPosture *posture, double *a) {
  for (size_t b = 0; b < posture->model->nb; b++) put_screw(a, 6 * b, drift_of(posture, b));
}

void mb_posture_bias(MbPosture *posture, double *f) {
  const double *M = posture->model->M;
  for (size_t b = 0; b < posture->model->nb; b++) {
    double a[6];
    put_screw(a, 0, drift_of(posture, b));
    for (size_t i = 0; i < 6; i++) f[6 * b + i] -= M[6 * b + i] * a[i];
  }
}

bool mb_posture_factor(MbPosture *posture, const MbMaximal *x, double a, double c, void *whole,
                       size_t *blame) {
  posture->derived = a != 0 || c != 0;
  return factor_posture(posture, x, a, c, whole, blame);
}

void mb_posture_apply(MbPosture *posture, double *x) { posture_apply(posture, x); }
