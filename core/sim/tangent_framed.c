// A number that moves frames of a joint and leaves the joint as it is. With E = P Q B of the body in its parent's C, P ← exp(p) P and B ← B exp(b) are
//
//   ε = X p + b,   ΔX = −ad(ε) X,   ΔT = −ad(b) T,   ΔṪ = −ad(b) Ṫ,                X = Ad(E⁻¹)
//
// so that the body is moved by ε as its joint's velocities move it, which is felt by what the way back has found of these (`turn` in tangent.c: all but the joint's own axes),
// and its columns turn by −b, of which
//
//   Δ(T v) = −ad(b) T v,   Δα = ad(X φ_p) Δ(T v) − ad(b)(Ṫ v + T a),   ΔZ = −ad(b) T z
//
// p and b are the same at every step. Both sides of the number are as far from the middle, so that what is left out is of third order.
#include "core/sim/tangent_framed.h"
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
  framed.stays = memcmp(&less->B[b], &more->B[b], sizeof *less->B) == 0;
  if (framed.stays) memset(framed.behind, 0, sizeof framed.behind);
  return framed;
}

// What the columns' turn is felt by.
static double of_columns(const double behind[6], const MbTangent *t, size_t b, size_t first, size_t n,
                         const double *v, const double *a, const double *z) {
  double Tz[6] = {0}, Ta[6] = {0}, turned[6] = {0}, alpha[6] = {0}, Z[6] = {0}, plus[6] = {0}, sum;
  mb_add_columns(Tz, t->T + 6 * first, n, z + first);
  mb_add_columns(Ta, t->T + 6 * first, n, a + first);
  mb_add_columns(Ta, t->Tdot + 6 * first, n, v + first);
  mb_add_bracket(turned, -1, behind, t->Tv + 6 * b);
  mb_add_bracket(alpha, 1, t->Xphi + 6 * b, turned);
  mb_add_bracket(alpha, -1, behind, Ta);
  mb_add_bracket(Z, -1, behind, Tz);
  sum = mb_dot6(t->dphi + 6 * b, turned) + mb_dot6(t->dalpha + 6 * b, alpha) + mb_dot6(t->F + 6 * b, Z);
  if (!t->linearised) return sum;
  mb_add_bracket(plus, -1, behind, t->linear->Tv + 6 * b);
  return sum + mb_dot6(t->linear->dphi + 6 * b, plus);
}

double mb_tangent_of_framed(const MbTangentFramed *framed, const MbModel *model, const MbTangent *t, size_t b,
                            const double *v, const double *a, const double *z) {
  double epsilon[6];
  mb_apply_motion(epsilon, t->X + 36 * b, framed->before);
  if (framed->stays) return mb_dot6(t->turn + 6 * b, epsilon);
  for (size_t k = 0; k < 6; k++) epsilon[k] += framed->behind[k];
  return mb_dot6(t->turn + 6 * b, epsilon) +
         of_columns(framed->behind, t, b, model->v_first[b], model->joint[b].n, v, a, z);
}
