// What A has of forces on bodies where velocities x are solved for at one place with K and D of another, as a step of the midpoint rule makes them agree at its end: beside M a
//
//   −Jᵀ e,   e = ½ ( D + Dᵀ + s K + s Kᵀ ) J x,   x = s a
//
// linear in the motion J a that the tangent has at rest. What K and D change by along motions of the bodies at their own place is told by forces, as in tangent_linear.c.
#include "core/sim/tangent_linear.h"
#include "core/math/dense6.h"
#include "core/sim/evaluate.h"
#include "core/sim/tangent_parts.h"

#include <string.h>

// x₁ … y₂ are X, and X by s.
static void take_motion(const MbSim *sim, MbTangentLinear *l, const double *X) {
  const double s = l->of.y1[0];
  for (size_t i = 0; i < 6 * sim->model->nb; i++) {
    l->x1[i] = l->x2[i] = X[i];
    l->y1[i] = l->y2[i] = s * X[i];
  }
}

void mb_blocks_at(MbSim *sim, MbTangent *t) {
  MbTangentLinear *l = t->linear;
  const double s = l->of.y1[0];
  for (size_t i = 0; i < 6 * sim->model->nb; i++) l->z[i] = s * t->alpha[i];
  take_motion(sim, l, l->z);
  memset(l->z, 0, 6 * sim->model->nb * sizeof *l->z);
  mb_linear_find(sim, t);
  for (size_t i = 0; i < 6 * sim->model->nb; i++) sim->x.f[i] += l->e[i];
}

void mb_blocks_change(const MbSim *sim, MbTangent *t) {
  const MbTangentLinear *l = t->linear;
  for (size_t k = 0; k < mb_linear_blocks(sim->model); k++) {
    const MbLinearBlock of = mb_linear_block(sim->model, k);
    double by[6];
    mb_mat6_apply(by, l->B + 36 * k, t->dalpha + 6 * of.column);
    for (size_t i = 0; i < 6; i++) t->dF[6 * of.row + i] -= l->of.y1[0] * by[i];
  }
}

void mb_blocks_weigh(const MbSim *sim, MbTangent *t) {
  const MbTangentLinear *l = t->linear;
  memset(l->dphi, 0, 6 * sim->model->nb * sizeof *l->dphi);
  for (size_t k = 0; l->blocks && k < mb_linear_blocks(sim->model); k++) {
    const MbLinearBlock of = mb_linear_block(sim->model, k);
    double sum[6] = {0};
    mb_add_transposed(sum, l->B + 36 * k, t->dF + 6 * of.row);
    for (size_t i = 0; i < 6; i++) t->dalpha[6 * of.column + i] -= l->of.y1[0] * sum[i];
  }
}

void mb_tangent_blocks_value(MbSim *sim, MbTangent *t, double *out) {
  take_motion(sim, t->linear, sim->x.phi);
  mb_linear_find(sim, t);
  sim->solver->gather(sim->work, t->linear->e, out);
}

void mb_tangent_blocks_wrenches(MbSim *sim, MbTangent *t, const double *X, double *out) {
  take_motion(sim, t->linear, X);
  mb_linear_find(sim, t);
  memcpy(out, t->linear->e, 6 * sim->model->nb * sizeof *out);
}

void mb_tangent_blocks_change(MbSim *sim, MbTangent *t, const double *X, double *out) {
  take_motion(sim, t->linear, X);
  memset(t->dF, 0, 6 * sim->model->nb * sizeof *t->dF);
  mb_linear_take_curves(sim, t);
  memcpy(out, t->dF, 6 * sim->model->nb * sizeof *out);
}

void mb_tangent_blocks_weigh(MbSim *sim, MbTangent *t, const double *X, const double *Z, double *move,
                             double *phi) {
  MbTangentLinear *l = t->linear;
  take_motion(sim, l, X);
  mb_linear_curves(sim, t, Z);
  for (size_t i = 0; i < 6 * sim->model->nb; i++) {
    move[i] = -l->by_move[i], phi[i] = -l->by_phi[i];
    l->by_move[i] = l->by_phi[i] = 0;
  }
}

void mb_tangent_weights(const MbSim *sim, const MbTangent *t, double *Z) {
  memcpy(Z, t->dF, 6 * sim->model->nb * sizeof *Z);
}
