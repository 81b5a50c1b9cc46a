// Energy and momentum, summed in the order of the bodies.
#include "core/sim/accounting.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"

// kinetic ½ φᵀMφ, and that of joints' own inertia; gravity −m g·p, zero at the world's origin; elastic: of joints and springs
MbEnergy mb_energy(const MbModel *model, const MbMaximal *x) {
  MbEnergy e = {0};
  for (size_t b = 0; b < mb_model_own(model); b++) {
    const double *M = model->M + 6 * b, *phi = x->phi + 6 * b;
    for (int i = 0; i < 6; i++) e.kinetic += M[i] * phi[i] * phi[i] / 2;
    e.gravity -= M[3] * mb_vec3_dot(model->gravity, x->E[b].p);
  }
  if (model->jointed) e.elastic = mb_coordinates_energy(model, x->q);
  if (model->rotors) e.kinetic += mb_coordinates_motion(model, x->v);
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].ops->energy) e.elastic += model->forces[i].ops->energy(&model->forces[i], x);
  e.total = e.kinetic + e.gravity + e.elastic;
  return e;
}

// linear Σ m R v; angular about the world's origin Σ (R I ω + p × m R v)
void mb_momentum(const MbModel *model, const MbMaximal *x, double linear[3], double angular[3]) {
  mb_vec3_set(linear, 0, 0, 0);
  mb_vec3_set(angular, 0, 0, 0);
  for (size_t b = 0; b < mb_model_own(model); b++) {
    const double *M = model->M + 6 * b, *phi = x->phi + 6 * b;
    double P[3], L[3] = {M[0] * phi[0], M[1] * phi[1], M[2] * phi[2]}, arm[3];
    mb_quat_rotate(P, x->E[b].q, phi + 3);
    mb_vec3_scale(P, M[3], P);
    mb_quat_rotate(L, x->E[b].q, L);
    mb_vec3_cross(arm, x->E[b].p, P);
    mb_vec3_add(linear, linear, P);
    mb_vec3_add(angular, angular, L);
    mb_vec3_add(angular, angular, arm);
  }
}

double mb_spin(const MbMaximal *x) {
  double fastest = 0;
  for (size_t b = 0; b < x->nb; b++) fastest = fmax(fastest, mb_vec3_dot(x->phi + 6 * b, x->phi + 6 * b));
  return sqrt(fastest);
}
