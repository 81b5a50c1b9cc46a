// A revolute joint as rows, all in the body's C axes. Of the body: the axis a, u and w = a × u across it, the point d on it. Of
// the parent, as seen from the body: its axis a′ = R a_p, the direction u′ = R u_p, its point s = p + R d_p; they move by
//   ȧ′ = −ω × a′,   u̇′ = −ω × u′,   ṡ = −(v + ω × s)          with η = (ω, v)
// Five rows:
//   g = u · a′    ġ = (u × a′) · ω        g̈ = (u × a′) · ω̇ − u × (ω × a′) · ω     and the same with w
//   g = d − s     ġ = v + ω × s           g̈ = v̇ + ω̇ × s − ω × ġ
// The angle: with c = u · u′, σ = −w · u′,
//   q = atan2(σ, c),   q̇ = n · ω/ρ²,   n = c (u′ × w) + σ (u′ × u),   ρ² = c² + σ²,
//   q̈ = n · ω̇/ρ² + ( ṅ · ω − 2 (c ċ + σ σ̇) q̇ )/ρ²
// η̇ = φ̇_c − X φ̇_p + carry,   carry = ad_η X φ_p. On the parent's twist J is −J X:
//   −(R[0 1]… ) of a row ( m ; f ): −( Rᵀ (m − p × f) ; Rᵀ f )
#include "core/joints/joints.h"
#include "core/solvers/maximal/held.h"

#include <string.h>

void mb_held_make_hinge(const MbModel *model, size_t b, MbHeldHinge *hinge) {
  const MbJoint *joint = &model->joint[b];
  *hinge = (MbHeldHinge){.is = joint->ops == mb_joint_table[MB_JOINT_REVOLUTE]};
  if (!hinge->is) return;
  const double *a = joint->axis;
  double least[3] = {0}, u[3];
  const int k = fabs(a[0]) <= fabs(a[1])   ? (fabs(a[0]) <= fabs(a[2]) ? 0 : 2)
                : fabs(a[1]) <= fabs(a[2]) ? 1
                                           : 2;
  least[k] = 1;
  mb_vec3_cross(u, a, least);
  mb_vec3_scale(u, 1 / mb_vec3_norm(u), u);

  const MbPose *B = &model->B[b],
               *P = &model->P[b]; // C in the joint's frame; the joint's frame in the parent
  MbPose inverse;
  mb_pose_inverse(&inverse, B);
  mb_quat_rotate(hinge->a, inverse.q, a);
  mb_quat_rotate(hinge->u, inverse.q, u);
  mb_vec3_cross(hinge->w, hinge->a, hinge->u);
  mb_vec3_copy(hinge->d, inverse.p);
  mb_quat_rotate(hinge->pa, P->q, a);
  mb_quat_rotate(hinge->pu, P->q, u);
  mb_vec3_copy(hinge->pd, P->p);
}

// What of the parent is seen from the body.
typedef struct Seen {
  double a[3], u[3], s[3];
  double c, sigma, rho2;
} Seen;

static inline Seen see(const MbHeldHinge *hinge, const MbHeldPlace *X) {
  Seen seen;
  mb_mat3_apply(seen.a, X->R, hinge->pa);
  mb_mat3_apply(seen.u, X->R, hinge->pu);
  mb_mat3_apply(seen.s, X->R, hinge->pd);
  mb_vec3_add(seen.s, seen.s, X->p);
  seen.c = mb_vec3_dot(hinge->u, seen.u);
  seen.sigma = -mb_vec3_dot(hinge->w, seen.u);
  seen.rho2 = seen.c * seen.c + seen.sigma * seen.sigma;
  return seen;
}

// The row ( m ; 0 )
static inline void turning(const MbHeldPlace *X, const double m[3], double *Jc, double *Jp) {
  mb_vec3_copy(Jc, m);
  Jc[3] = Jc[4] = Jc[5] = 0;
  if (!Jp) return;
  mb_mat3_tapply(Jp, X->R, m);
  for (int k = 0; k < 3; k++) Jp[k] = -Jp[k], Jp[3 + k] = 0;
}

// The rows ( s × e_k ; e_k ) of v + ω × s;  to the parent −( d_p × r ; r ), r the row k of R, as s = p + R d_p
static inline void sliding(const MbHeldPlace *X, const double s[3], const double d[3], double *Jc,
                           double *Jp) {
  const double J[18] = {0, s[2], -s[1], 1, 0, 0, -s[2], 0, s[0], 0, 1, 0, s[1], -s[0], 0, 0, 0, 1};
  memcpy(Jc, J, sizeof J);
  for (size_t k = 0; k < 3 && Jp; k++) {
    const double r[3] = {-X->R[3 * k], -X->R[3 * k + 1], -X->R[3 * k + 2]};
    mb_vec3_cross(Jp + 6 * k, d, r);
    mb_vec3_copy(Jp + 6 * k + 3, r);
  }
}

void mb_held_hinge(MbHeld *held, size_t b, double guess) {
  static const double turn = 6.283185307179586476925;
  const MbModel *model = held->model;
  const MbHeldHinge *hinge = &held->hinge[b];
  const MbHeldPlace *X = &held->X[b];
  const size_t first = held->first[b], v = model->v_first[b];
  const Seen seen = see(hinge, X);
  double *Jc = held->Jc + 6 * first, *Jp = held->Jp + 6 * first, *g = held->g + first, m[3], n[3], t[3];
  const bool alone = held->world; // the articulated form has no use for Jp
  mb_vec3_cross(m, hinge->u, seen.a);
  turning(X, m, Jc, alone ? NULL : Jp);
  mb_vec3_cross(m, hinge->w, seen.a);
  turning(X, m, Jc + 6, alone ? NULL : Jp + 6);
  sliding(X, seen.s, hinge->pd, Jc + 12, alone ? NULL : Jp + 12);
  g[0] = mb_vec3_dot(hinge->u, seen.a), g[1] = mb_vec3_dot(hinge->w, seen.a);
  mb_vec3_sub(g + 2, hinge->d, seen.s);

  mb_vec3_cross(n, seen.u, hinge->w);
  mb_vec3_cross(t, seen.u, hinge->u);
  double *V = held->V + 6 * v;
  for (int k = 0; k < 3; k++) V[k] = (seen.c * n[k] + seen.sigma * t[k]) / seen.rho2, V[3 + k] = 0;
  const double angle = atan2(seen.sigma, seen.c);
  held->q[model->q_first[b]] = angle + turn * rint((guess - angle) / turn);
  held->v[v] = mb_vec3_dot(V, held->eta + 6 * b);
}

void mb_held_bend_hinge(MbHeld *held, size_t b) {
  const MbHeldHinge *hinge = &held->hinge[b];
  const Seen seen = see(hinge, &held->X[b]);
  const size_t first = held->first[b], v = held->model->v_first[b];
  const double *eta = held->eta + 6 * b, *down = held->seen + 6 * b, *Jc = held->Jc + 6 * first;
  double *bend = held->bend + first, carry[6], t[3], rate[3];
  mb_vec3_cross(carry, eta, down);
  mb_vec3_cross(carry + 3, eta, down + 3);
  mb_vec3_cross(t, eta + 3, down);
  mb_vec3_add(carry + 3, carry + 3, t);
  for (int r = 0; r < 5; r++) {
    bend[r] = 0;
    for (int k = 0; k < 6; k++) bend[r] += Jc[6 * r + k] * carry[k];
  }
  mb_vec3_cross(rate, eta, seen.a);
  mb_vec3_cross(t, hinge->u, rate);
  bend[0] -= mb_vec3_dot(t, eta);
  mb_vec3_cross(t, hinge->w, rate);
  bend[1] -= mb_vec3_dot(t, eta);
  mb_vec3_cross(rate, eta, seen.s);
  mb_vec3_add(rate, rate, eta + 3);
  mb_vec3_cross(t, eta, rate);
  mb_vec3_sub(bend + 2, bend + 2, t);

  double du[3], nw[3], nu[3], dw[3], duu[3], ndot = 0;
  mb_vec3_cross(du, eta, seen.u);
  mb_vec3_scale(du, -1, du);
  const double cdot = mb_vec3_dot(hinge->u, du), sdot = -mb_vec3_dot(hinge->w, du);
  mb_vec3_cross(nw, seen.u, hinge->w);
  mb_vec3_cross(nu, seen.u, hinge->u);
  mb_vec3_cross(dw, du, hinge->w);
  mb_vec3_cross(duu, du, hinge->u);
  for (int k = 0; k < 3; k++)
    ndot += eta[k] * (cdot * nw[k] + sdot * nu[k] + seen.c * dw[k] + seen.sigma * duu[k]);
  const double rate2 = 2 * (seen.c * cdot + seen.sigma * sdot);
  held->turn[v] = (ndot - rate2 * held->v[v]) / seen.rho2 + mb_vec3_dot(held->V + 6 * v, carry);
}
