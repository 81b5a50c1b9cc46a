// A number that moves frames of a joint and leaves the joint as it is. With E = P Q B of the body in its parent's C, P ← exp(p) P and B ← B exp(b) are
//
//   ε = X p + b,   ΔX = −ad(ε) X,   ΔT = −ad(b) T,   ΔṪ = −ad(b) Ṫ,                X = Ad(E⁻¹)
//
// so that what tangent.c has of the body changes, the parent being as it is, by
//
//   Δ(X φ_p) = −ad(ε) X φ_p,  Δφ = Δ(X φ_p) − ad(b) T v,  ΔZ = −ad(ε) X Z_p − ad(b) T z
//   Δα = −ad(ε) X α_p + ad(Δ(X φ_p)) T v − ad(X φ_p) ad(b) T v − ad(b)(Ṫ v + T a)
//
// p and b are the same at every step. Both sides of the number are as far from the middle, so that what is left out is of third order.
#include "core/sim/tangent_framed.h"
#include "core/math/dense6.h"
#include "core/math/se3.h"

#include <string.h>

MbTangentFramed mb_tangent_framed(const MbModel *less, const MbModel *more, size_t b) {
  MbTangentFramed framed;
  MbPose back, apart;
  mb_pose_inverse(&back, &less->P[b]);
  mb_pose_mul(&apart, &more->P[b], &back);
  mb_se3_log(framed.before, &apart);
  mb_pose_inverse(&back, &less->B[b]);
  mb_pose_mul(&apart, &back, &more->B[b]);
  mb_se3_log(framed.behind, &apart);
  return framed;
}

// What Φ⁺ is felt by, of which the change is that of φ.
static double of_motion_to_come(const MbTangentFramed *framed, const MbTangent *t, size_t b, size_t p,
                                const double epsilon[6]) {
  const MbTangentLinear *l = t->linear;
  double change[6] = {0};
  mb_add_bracket(change, -1, framed->behind, l->Tv + 6 * b);
  if (p != MB_WORLD) mb_add_bracket(change, -1, epsilon, l->Xphi + 6 * b);
  return mb_dot6(l->dphi + 6 * b, change);
}

double mb_tangent_of_framed(const MbTangentFramed *framed, const MbModel *model, const MbTangent *t, size_t b,
                            const double *v, const double *a, const double *z) {
  const size_t first = model->v_first[b], n = model->joint[b].n, p = model->parent[b];
  const double *X = t->X + 36 * b, *behind = framed->behind, *Xphi = t->Xphi + 6 * b, *Tv = t->Tv + 6 * b;
  double epsilon[6], dXphi[6] = {0}, dTv[6] = {0}, dalpha[6] = {0}, dZ[6] = {0}, Ta[6] = {0}, Tz[6] = {0},
                     XZ[6];
  mb_mat6_apply(epsilon, X, framed->before);
  for (size_t k = 0; k < 6; k++) epsilon[k] += behind[k];
  mb_add_columns(Ta, t->T + 6 * first, n, a + first);
  mb_add_columns(Ta, t->Tdot + 6 * first, n, v + first);
  mb_add_columns(Tz, t->T + 6 * first, n, z + first);
  mb_add_bracket(dTv, -1, behind, Tv);
  mb_add_bracket(dalpha, 1, Xphi, dTv);
  mb_add_bracket(dalpha, -1, behind, Ta);
  mb_add_bracket(dZ, -1, behind, Tz);
  if (p != MB_WORLD) {
    mb_mat6_apply(XZ, X, t->dF + 6 * p);
    mb_add_bracket(dXphi, -1, epsilon, Xphi);
    mb_add_bracket(dalpha, -1, epsilon, t->Xalpha + 6 * b);
    mb_add_bracket(dalpha, 1, dXphi, Tv);
    mb_add_bracket(dZ, -1, epsilon, XZ);
  }
  double sum = 0;
  for (size_t k = 0; k < 6; k++)
    sum += t->move[6 * b + k] * epsilon[k] + t->dphi[6 * b + k] * (dXphi[k] + dTv[k]) +
           t->dalpha[6 * b + k] * dalpha[k] + t->F[6 * b + k] * dZ[k];
  return t->linearised ? sum + of_motion_to_come(framed, t, b, p, epsilon) : sum;
}
