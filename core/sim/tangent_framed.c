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

// What Φ⁺ is felt by, of which the change is that of φ.
static double of_motion_to_come(const MbTangentFramed *framed, const MbTangent *t, size_t b, size_t p,
                                const double epsilon[6]) {
  const MbTangentLinear *l = t->linear;
  double change[6] = {0};
  mb_add_bracket(change, -1, framed->behind, l->Tv + 6 * b);
  if (p != MB_WORLD) mb_add_bracket(change, -1, epsilon, l->Xphi + 6 * b);
  return mb_dot6(l->dphi + 6 * b, change);
}

// What changes beside E: of X φ_p, T v, α and Z.
typedef struct Changes {
  double Xphi[6], Tv[6], alpha[6], Z[6];
} Changes;

static void add_behind(const double behind[6], const MbTangent *t, size_t b, size_t n, size_t first,
                       const double *v, const double *a, const double Tz[6], Changes *d) {
  double Ta[6] = {0};
  mb_add_columns(Ta, t->T + 6 * first, n, a + first);
  mb_add_columns(Ta, t->Tdot + 6 * first, n, v + first);
  mb_add_bracket(d->Tv, -1, behind, t->Tv + 6 * b);
  mb_add_bracket(d->alpha, 1, t->Xphi + 6 * b, d->Tv);
  mb_add_bracket(d->alpha, -1, behind, Ta);
  mb_add_bracket(d->Z, -1, behind, Tz);
}

// X Z_p = Z − T z
static void add_before(const double epsilon[6], const MbTangent *t, size_t b, const double Tz[6],
                       Changes *d) {
  double XZ[6];
  for (size_t k = 0; k < 6; k++) XZ[k] = t->dF[6 * b + k] - Tz[k];
  mb_add_bracket(d->Xphi, -1, epsilon, t->Xphi + 6 * b);
  mb_add_bracket(d->alpha, -1, epsilon, t->Xalpha + 6 * b);
  mb_add_bracket(d->alpha, 1, d->Xphi, t->Tv + 6 * b);
  mb_add_bracket(d->Z, -1, epsilon, XZ);
}

double mb_tangent_of_framed(const MbTangentFramed *framed, const MbModel *model, const MbTangent *t, size_t b,
                            const double *v, const double *a, const double *z) {
  const size_t first = model->v_first[b], n = model->joint[b].n, p = model->parent[b];
  double epsilon[6], Tz[6] = {0}, sum = 0;
  Changes d = {{0}, {0}, {0}, {0}};
  mb_apply_motion(epsilon, t->X + 36 * b, framed->before);
  for (size_t k = 0; k < 6; k++) epsilon[k] += framed->behind[k];
  mb_add_columns(Tz, t->T + 6 * first, n, z + first);
  if (!framed->stays) add_behind(framed->behind, t, b, n, first, v, a, Tz, &d);
  if (p != MB_WORLD) add_before(epsilon, t, b, Tz, &d);
  for (size_t k = 0; k < 6; k++)
    sum += t->move[6 * b + k] * epsilon[k] + t->dphi[6 * b + k] * (d.Xphi[k] + d.Tv[k]) +
           t->dalpha[6 * b + k] * d.alpha[k] + t->F[6 * b + k] * d.Z[k];
  return t->linearised ? sum + of_motion_to_come(framed, t, b, p, epsilon) : sum;
}
