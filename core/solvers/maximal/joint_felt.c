// With η = φ_c − X φ_p as in held.h, and η⁺ and η_z the same of the twists φ⁺ to come and of the weights Z of the equations of motion, the sum of a
// joint is
//
//   S = Σ_r ( ζ (α W η⁺ + γ g + s (W c + b)) − μ W η_z )  +  Σ_k ( w_q q + V (w_v η + w_p η⁺ + w_z η_z) + w_t (V c + t) )
//
// with W c + b what is J̇ v: c = ad_η X φ_p and what linear velocities in the world's axes make beside it, b and t what the joint's own rows and coordinates do. W, g,
// b, V, t and q are functions of where the body is from its parent; along a motion σ = ε_c − X ε_p of it
//
//   δ(X φ_p) = − ad_σ X φ_p,     δφ = (0, v × ε_ω)      the latter as linear velocities are the world's
//
// Of revolute joints (held_hinge.h) all derivatives are written down. Of others those along σ are differences of S, some 1e-10 off, and those of b and t, which
// are quadratic in η, too, which are exact but for rounding. Who asks for many weights at one place finds the differences of W and V there once (MbJointSlopes).
#include "core/solvers/maximal/joint_felt.h"
#include "core/base/targets.h"
#include "core/math/dense6.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/model/joint_gap.h"
#include "core/solvers/maximal/held_hinge.h"

#include <string.h>

// A joint at an instant: X, where the body is in its parent, and the motions of it in the body's axes.
typedef struct At {
  MbHeldPlace X;
  MbPose seen;       // of the parent in the body
  double down[3][6]; // X φ_p, X φ⁺_p, X Z_p
  double eta[3][6];  // η, η⁺, η_z
  double falls[3];   // what the parent's linear velocity makes of c, in its own axes
  double carry[6];   // c
  size_t rows, n;    //
  double by_sigma[6], by_eta[3][6], by_carry[6]; // what S is felt by
} At;

static const double *twist_of(const MbJointMotions *at, int which, size_t b) {
  return (which == 0 ? at->phi : which == 1 ? at->plus : at->z) + 6 * b;
}

static void stand(const MbModel *model, size_t b, const MbJointMotions *motions, At *at) {
  const size_t p = model->parent[b];
  const double *phi = motions->phi + 6 * b;
  double own[6];
  memset(at, 0, sizeof *at);
  at->n = model->joint[b].n, at->rows = 6 - at->n;
  mb_pose_inverse(&at->seen, &motions->E[b]);
  if (p != MB_WORLD) mb_pose_mul(&at->seen, &at->seen, &motions->E[p]);
  mb_quat_to_mat3(at->X.R, at->seen.q);
  mb_vec3_copy(at->X.p, at->seen.p);
  for (int k = 0; k < 3; k++) {
    if (p != MB_WORLD) mb_held_down(&at->X, twist_of(motions, k, p), at->down[k]);
    for (int i = 0; i < 6; i++) at->eta[k][i] = twist_of(motions, k, b)[i] - at->down[k][i];
  }
  mb_add_bracket(at->carry, 1, at->eta[0], at->down[0]);
  mb_twist_drift(phi, own);
  mb_vec3_add(at->carry + 3, at->carry + 3, own + 3);
  if (p == MB_WORLD) return;
  mb_twist_drift(motions->phi + 6 * p, own);
  mb_vec3_copy(at->falls, own + 3);
  mb_mat3_apply(own, at->X.R, at->falls);
  mb_vec3_sub(at->carry + 3, at->carry + 3, own);
}

// ---- to the bodies ------------------------------------------------------------------------------------------------

// x += a × b
MB_INLINE void add_cross(double x[3], const double a[3], const double b[3]) {
  double t[3];
  mb_vec3_cross(t, a, b);
  mb_vec3_add(x, x, t);
}

// a ← what c, weighed by w, is felt by along η (eta), X φ_p (down), φ of both bodies and σ.
MB_INLINE void of_carry(const At *at, const double *phi, const double *phi_p, double eta[6], double down[6],
                        double by_phi[6], double by_parent[6], double sigma[6]) {
  const double *w = at->by_carry, *e = at->eta[0], *d = at->down[0];
  double fall[3], seen[3];
  add_cross(eta, d, w), add_cross(eta, d + 3, w + 3), add_cross(eta + 3, d, w + 3);
  add_cross(down, w, e), add_cross(down, w + 3, e + 3), add_cross(down + 3, w + 3, e);
  add_cross(by_phi + 3, phi, w + 3), add_cross(by_phi, w + 3, phi + 3);
  if (!phi_p) return;
  mb_mat3_tapply(fall, at->X.R, w + 3);
  mb_vec3_scale(fall, -1, fall);
  add_cross(by_parent + 3, phi_p, fall), add_cross(by_parent, fall, phi_p + 3);
  mb_mat3_apply(seen, at->X.R, at->falls);
  add_cross(sigma, seen, w + 3);
}

// Of velocities whose linear part is in the world's axes: what a twist that is felt by so much makes of a turn of the body.
MB_INLINE void add_turn(double *move, const double *by, const double *phi) {
  add_cross(move, by + 3, phi + 3);
}

static void spread(const MbModel *model, size_t b, const MbJointMotions *motions, At *at, MbJointFelt *felt) {
  const size_t p = model->parent[b];
  double down[3][6] = {{0}}, by[6] = {0}, by_parent[6] = {0};
  of_carry(at, motions->phi + 6 * b, p == MB_WORLD ? NULL : motions->phi + 6 * p, at->by_eta[0], down[0], by,
           by_parent, at->by_sigma);
  for (int k = 0; k < 3; k++) {
    double own[6], of_parent[6] = {0}, back[6] = {0};
    for (int i = 0; i < 6; i++) own[i] = at->by_eta[k][i], down[k][i] -= at->by_eta[k][i];
    mb_add_transposed_bracket(back, 1, at->down[k], down[k]);
    // −ad(σ) y = ad(y) σ
    for (int i = 0; i < 6; i++) at->by_sigma[i] += back[i];
    if (p != MB_WORLD) mb_held_up(&at->X, 1, down[k], of_parent);
    for (int i = 0; k == 0 && i < 6; i++) own[i] += by[i], of_parent[i] += by_parent[i];
    for (int i = 0; k == 0 && i < 6; i++) felt->phi[6 * b + (size_t)i] += own[i];
    for (int i = 0; k == 1 && felt->plus && i < 6; i++) felt->plus[6 * b + (size_t)i] += own[i];
    add_turn(felt->move + 6 * b, own, twist_of(motions, k, b));
    if (p == MB_WORLD) continue;
    for (int i = 0; k == 1 && felt->plus && i < 6; i++) felt->plus[6 * p + (size_t)i] += of_parent[i];
    for (int i = 0; k == 0 && i < 6; i++) felt->phi[6 * p + (size_t)i] += of_parent[i];
    add_turn(felt->move + 6 * p, of_parent, twist_of(motions, k, p));
  }
  for (size_t i = 0; i < 6; i++) felt->move[6 * b + i] += at->by_sigma[i];
  if (p != MB_WORLD) mb_held_up(&at->X, -1, at->by_sigma, felt->move + 6 * p);
}

// What motions of the joint's frames are felt by, P ← exp(p) P and B ← B exp(b): the body moves by  − X p − b  of what the joint sees, and the twists that it
// sees change by ad_b of them.
MB_INLINE void of_frames(const At *at, size_t b, MbJointFelt *felt) {
  double *behind = felt->behind + 6 * b;
  if (felt->any_before[b]) mb_held_up(&at->X, -1, at->by_sigma, felt->before + 6 * b);
  if (!felt->any_behind[b]) return;
  for (int i = 0; i < 6; i++) behind[i] -= at->by_sigma[i];
  for (int k = 0; k < 3; k++) mb_add_transposed_bracket(behind, -1, at->eta[k], at->by_eta[k]);
  mb_add_transposed_bracket(behind, -1, at->carry, at->by_carry);
}

// ---- a revolute joint ---------------------------------------------------------------------------------------------

// What a row weighs W by: ζ (α η⁺ + s c) − μ η_z
static void weigh_row(const At *at, const MbJointWeights *w, size_t r, double t[6]) {
  for (int i = 0; i < 6; i++)
    t[i] = w->zeta[r] * (w->asked * at->eta[1][i] + w->curve * at->carry[i]) - w->mu[r] * at->eta[2][i];
}

// Adds what a row W = (m, f) is felt by along η⁺, c and η_z.
static void add_row(At *at, const MbJointWeights *w, size_t r, const double m[3], const double f[3]) {
  for (int i = 0; i < 6; i++) {
    const double W = i < 3 ? m[i] : f[i - 3];
    at->by_eta[1][i] += w->asked * w->zeta[r] * W, at->by_eta[2][i] -= w->mu[r] * W;
    at->by_carry[i] += w->curve * w->zeta[r] * W;
  }
}

// The same of V.
MB_INLINE void add_rates(At *at, const MbJointWeights *w, size_t k, double turn, const double V[6]) {
  for (int i = 0; i < 6; i++)
    at->by_eta[0][i] += w->rate[k] * V[i], at->by_eta[1][i] += w->plus[k] * V[i],
        at->by_eta[2][i] += w->z[k] * V[i], at->by_carry[i] += turn * V[i];
}

// What W is weighed by in rows by their ζ, and by μ.
MB_INLINE void weigh(const At *at, const MbJointWeights *w, double asked[6]) {
  for (int i = 0; i < 6; i++) asked[i] = w->asked * at->eta[1][i] + w->curve * at->carry[i];
}

// W of ζ and of μ, as what S is felt by along η⁺, c and η_z. Either half of these.
MB_INLINE void add_halves(At *at, const MbJointWeights *w, int half, const double zeta[3],
                          const double mu[3]) {
  for (int i = 0; i < 3; i++) {
    at->by_eta[1][half + i] += w->asked * zeta[i], at->by_eta[2][half + i] -= mu[i];
    at->by_carry[half + i] += w->curve * zeta[i];
  }
}

// g = u · a′ and w · a′, which are linear in u and w: x of ζ, and of μ
static double turning_rows(At *at, const MbJointWeights *w, const MbHeldHinge *own, const double a[3],
                           double by_a[3]) {
  const double *turn = at->eta[0];
  double x[3], y[3], m[3], n[3], asked[6], rate[3], across[3], c[3];
  for (int i = 0; i < 3; i++) {
    x[i] = w->zeta[0] * own->u[i] + w->zeta[1] * own->w[i];
    y[i] = w->mu[0] * own->u[i] + w->mu[1] * own->w[i];
  }
  weigh(at, w, asked);
  mb_vec3_cross(m, x, a), mb_vec3_cross(n, y, a);
  add_halves(at, w, 0, m, n);
  add_cross(by_a, asked, x), add_cross(by_a, y, at->eta[2]);
  mb_vec3_add_scaled(by_a, by_a, w->gamma, x);
  mb_vec3_cross(rate, turn, a), mb_vec3_cross(across, turn, x);
  mb_vec3_cross(c, across, turn);
  mb_vec3_add_scaled(by_a, by_a, -w->curve, c);
  mb_vec3_cross(c, a, across);
  mb_vec3_add_scaled(at->by_eta[0], at->by_eta[0], -w->curve, c);
  mb_vec3_cross(c, x, rate);
  mb_vec3_add_scaled(at->by_eta[0], at->by_eta[0], -w->curve, c);
  return mb_vec3_dot(m, asked) - mb_vec3_dot(n, at->eta[2]) + w->gamma * mb_vec3_dot(x, a) -
         w->curve * mb_vec3_dot(rate, across);
}

// g = d − s, the last three rows: ζ · (v + ω × s)
static double point_rows(At *at, const MbJointWeights *w, const double d[3], const double s[3],
                         double by_s[3]) {
  const double *eta = at->eta[0], *zeta = w->zeta + 2, *mu = w->mu + 2;
  double sum = 0, asked[6], rate[3], felt[3], m[3], n[3], c[3];
  weigh(at, w, asked);
  mb_vec3_cross(m, s, zeta), mb_vec3_cross(n, s, mu);
  add_halves(at, w, 0, m, n), add_halves(at, w, 3, zeta, mu);
  add_cross(by_s, zeta, asked), add_cross(by_s, at->eta[2], mu);
  mb_vec3_add_scaled(by_s, by_s, -w->gamma, zeta);
  for (int i = 0; i < 3; i++)
    sum += m[i] * asked[i] + zeta[i] * asked[3 + i] - n[i] * at->eta[2][i] - mu[i] * at->eta[2][3 + i] +
           w->gamma * zeta[i] * (d[i] - s[i]);
  mb_vec3_cross(rate, eta, s);
  mb_vec3_add(rate, rate, eta + 3);
  mb_vec3_cross(felt, zeta, eta); // −s ζ · (ω × r) = −s r · (ζ × ω)
  mb_vec3_cross(c, felt, eta);
  mb_vec3_add_scaled(by_s, by_s, -w->curve, c);
  mb_vec3_add_scaled(at->by_eta[0] + 3, at->by_eta[0] + 3, -w->curve, felt);
  mb_vec3_cross(c, rate, zeta);
  mb_vec3_add_scaled(at->by_eta[0], at->by_eta[0], -w->curve, c);
  mb_vec3_cross(c, s, felt);
  mb_vec3_add_scaled(at->by_eta[0], at->by_eta[0], -w->curve, c);
  return sum - w->curve * mb_vec3_dot(rate, felt);
}

// Near `q`, of angles that differ by whole turns.
static double near(double angle, double q) {
  static const double TURN = 6.283185307179586476925;
  return angle + TURN * rint((q - angle) / TURN);
}

// V of the angle; by_u is what the angle is felt by, too.
static double rates_of_angle(At *at, const MbJointWeights *w, const MbHeldHinge *hinge, const Seen *seen,
                             double by_u[3]) {
  const double *u = seen->u, c = seen->c, sigma = seen->sigma, rho2 = seen->rho2;
  double t[3], V[6] = {0}, one[3], other[3], n[3];
  for (int i = 0; i < 3; i++)
    t[i] = w->rate[0] * at->eta[0][i] + w->plus[0] * at->eta[1][i] + w->z[0] * at->eta[2][i];
  mb_vec3_cross(one, u, hinge->w), mb_vec3_cross(other, u, hinge->u);
  for (int i = 0; i < 3; i++) n[i] = c * one[i] + sigma * other[i], V[i] = n[i] / rho2;
  add_rates(at, w, 0, 0, V);
  mb_vec3_cross(one, hinge->w, t), mb_vec3_cross(other, hinge->u, t);
  const double A = mb_vec3_dot(u, one), B = mb_vec3_dot(u, other),
               turned = 2 * mb_vec3_dot(n, t) / (rho2 * rho2);
  for (int i = 0; i < 3; i++) {
    by_u[i] += w->q[0] * (-c * hinge->w[i] - sigma * hinge->u[i]) / rho2;
    by_u[i] += (A * hinge->u[i] + c * one[i] - B * hinge->w[i] + sigma * other[i]) / rho2;
    by_u[i] -= turned * (c * hinge->u[i] - sigma * hinge->w[i]);
  }
  return mb_vec3_dot(V, t);
}

// All of S but for the angle itself.
static double hinge(const MbHeldHinge *own, const MbJointWeights *w, At *at) {
  const Seen seen = see(own, &at->X);
  double by_a[3] = {0}, by_u[3] = {0}, by_s[3] = {0}, c[3];
  double sum = turning_rows(at, w, own, seen.a, by_a);
  sum += point_rows(at, w, own->d, seen.s, by_s);
  sum += rates_of_angle(at, w, own, &seen, by_u);
  mb_vec3_sub(at->by_sigma + 3, at->by_sigma + 3, by_s);
  mb_vec3_cross(c, seen.a, by_a);
  mb_vec3_sub(at->by_sigma, at->by_sigma, c);
  mb_vec3_cross(c, seen.u, by_u);
  mb_vec3_sub(at->by_sigma, at->by_sigma, c);
  mb_vec3_cross(c, seen.s, by_s);
  mb_vec3_sub(at->by_sigma, at->by_sigma, c);
  return sum;
}

// V c + t of the angle; V (6, may be NULL) ← V. As held_hinge.c has it, of which this is the value alone.
static double turn_of(const MbModel *model, const MbModel *like, size_t b, const MbHeldPlace *X,
                      const double eta[6], const double c[6], double *V) {
  MbHeldHinge own;
  mb_held_make_hinge(model, like, b, &own);
  const Seen seen = see(&own, X);
  double du[3], nw[3], nu[3], dw[3], duu[3], bent = 0, rate = 0, along = 0;
  mb_vec3_cross(du, seen.u, eta);
  const double cdot = mb_vec3_dot(own.u, du), sdot = -mb_vec3_dot(own.w, du);
  mb_vec3_cross(nw, seen.u, own.w), mb_vec3_cross(nu, seen.u, own.u);
  mb_vec3_cross(dw, du, own.w), mb_vec3_cross(duu, du, own.u);
  for (int k = 0; k < 3; k++) {
    const double n = (seen.c * nw[k] + seen.sigma * nu[k]) / seen.rho2;
    bent += eta[k] * (cdot * nw[k] + sdot * nu[k] + seen.c * dw[k] + seen.sigma * duu[k]);
    rate += n * eta[k], along += n * c[k];
    if (V) V[k] = n, V[3 + k] = 0;
  }
  return (bent - 2 * (seen.c * cdot + seen.sigma * sdot) * rate) / seen.rho2 + along;
}

// Gears alone ask for it: by differences.
static __attribute__((noinline)) void turn_hinge(const MbModel *model, size_t b, const MbJointWeights *w,
                                                 At *at) {
  static const double MOVE = 1e-5;
  const double turn = w->turn[0];
  double V[6], fastest = 1;
  turn_of(model, model, b, &at->X, at->eta[0], at->carry, V);
  for (size_t i = 0; i < 6; i++) at->by_carry[i] += turn * V[i], fastest = fmax(fastest, fabs(at->eta[0][i]));
  for (size_t k = 0; k < 6; k++)
    for (int side = -1; side <= 1; side += 2) {
      double move[6] = {0}, eta[6];
      MbHeldPlace X;
      MbPose moved;
      move[k] = -side * MOVE;
      mb_se3_exp(&moved, move);
      mb_pose_mul(&moved, &moved, &at->seen);
      mb_quat_to_mat3(X.R, moved.q);
      mb_vec3_copy(X.p, moved.p);
      memcpy(eta, at->eta[0], sizeof eta);
      eta[k] += side * fastest;
      at->by_sigma[k] += side * turn * turn_of(model, model, b, &X, at->eta[0], at->carry, NULL) / (2 * MOVE);
      at->by_eta[0][k] +=
          side * turn * turn_of(model, model, b, &at->X, eta, at->carry, NULL) / (2 * fastest);
    }
}

// ---- any joint ----------------------------------------------------------------------------------------------------

// Its gap where the body is moved by a pose in its own axes, with a twist.
static bool gap_at(const MbModel *model, size_t b, const At *at, const MbPose *moved, const double eta[6],
                   const double *near, MbJointGap *gap, double *q) {
  const MbJoint *joint = &model->joint[b];
  MbPose E;
  double Ad[36], xi[6];
  mb_pose_inverse(&E, &at->seen);
  if (moved) mb_pose_mul(&E, &E, moved);
  mb_joint_between(&model->P[b], &model->B[b], &E, &E);
  mb_se3_adjoint(Ad, &model->B[b]);
  mb_mat6_apply(xi, Ad, eta);
  memcpy(q, near + model->q_first[b], joint->n * sizeof *q);
  return mb_joint_gap(joint, &E, xi, q, gap);
}

static double dot6(const double a[6], const double b[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += a[i] * b[i];
  return sum;
}

// W and V of it in the body's axes.
static void turn_rows(const MbModel *model, size_t b, const double *rows, size_t n, double *out) {
  double Ad[36];
  mb_se3_adjoint(Ad, &model->B[b]);
  memset(out, 0, 6 * n * sizeof *out);
  for (size_t r = 0; r < n; r++)
    for (size_t j = 0; j < 6; j++)
      for (size_t i = 0; i < 6; i++) out[6 * r + j] += Ad[6 * i + j] * rows[6 * r + i];
}

static double sum_of(const MbModel *model, size_t b, const At *at, const MbJointWeights *w,
                     const MbJointGap *gap, const double *q) {
  double W[36], V[36], sum = 0;
  turn_rows(model, b, gap->W, at->rows, W), turn_rows(model, b, gap->V, at->n, V);
  for (size_t r = 0; r < at->rows; r++) {
    double t[6];
    weigh_row(at, w, r, t);
    sum += dot6(W + 6 * r, t) + w->zeta[r] * (w->gamma * gap->g[r] + w->curve * gap->bend[r]);
  }
  for (size_t k = 0; k < at->n; k++) {
    double t[6];
    for (int i = 0; i < 6; i++)
      t[i] = w->rate[k] * at->eta[0][i] + w->plus[k] * at->eta[1][i] + w->z[k] * at->eta[2][i];
    sum += w->q[k] * q[k] + dot6(V + 6 * k, t) + w->turn[k] * (gap->turn[k] + dot6(V + 6 * k, at->carry));
  }
  return sum;
}

static bool turned(const MbJointWeights *w, size_t n) {
  bool any = false;
  for (size_t k = 0; k < n; k++) any |= w->turn[k] != 0;
  return any;
}

// How S changes where the body is moved along σ.
static bool along_moves(const MbModel *model, size_t b, const MbJointMotions *motions,
                        const MbJointWeights *w, At *at) {
  static const double MOVE = 1e-5;
  for (size_t k = 0; k < 6; k++)
    for (int side = -1; side <= 1; side += 2) {
      double move[6] = {0}, q[MB_JOINT_DOFS];
      MbPose moved;
      MbJointGap gap;
      move[k] = side * MOVE;
      mb_se3_exp(&moved, move);
      if (!gap_at(model, b, at, &moved, at->eta[0], motions->q, &gap, q)) return false;
      at->by_sigma[k] += side * sum_of(model, b, at, w, &gap, q) / (2 * MOVE);
    }
  return true;
}

// How what b is weighed by changes with η.
static bool along_twists(const MbModel *model, size_t b, const MbJointMotions *motions,
                         const MbJointWeights *w, At *at) {
  double fastest = 1;
  for (int i = 0; i < 6; i++) fastest = fmax(fastest, fabs(at->eta[0][i]));
  for (size_t k = 0; k < 6; k++)
    for (int side = -1; side <= 1; side += 2) {
      double eta[6], q[MB_JOINT_DOFS];
      MbJointGap gap;
      memcpy(eta, at->eta[0], sizeof eta);
      eta[k] += side * fastest;
      if (!gap_at(model, b, at, NULL, eta, motions->q, &gap, q)) return false;
      for (size_t r = 0; r < at->rows; r++)
        at->by_eta[0][k] += side * w->curve * w->zeta[r] * gap.bend[r] / (2 * fastest);
      for (size_t i = 0; i < at->n; i++) at->by_eta[0][k] += side * w->turn[i] * gap.turn[i] / (2 * fastest);
    }
  return true;
}

// How S changes along σ by slopes that have been found; γ g and the coordinates change as their rates tell.
static void along_slopes(const MbJointSlopes *s, const MbJointWeights *w, At *at) {
  for (size_t r = 0; r < at->rows; r++) {
    double t[6];
    weigh_row(at, w, r, t);
    for (size_t k = 0; k < 6; k++)
      at->by_sigma[k] += dot6(s->dW[k] + 6 * r, t) + w->zeta[r] * w->gamma * s->W[6 * r + k];
  }
  for (size_t j = 0; j < at->n; j++) {
    double t[6];
    for (int i = 0; i < 6; i++)
      t[i] = w->rate[j] * at->eta[0][i] + w->plus[j] * at->eta[1][i] + w->z[j] * at->eta[2][i];
    for (size_t k = 0; k < 6; k++) at->by_sigma[k] += dot6(s->dV[k] + 6 * j, t) + w->q[j] * s->V[6 * j + k];
  }
}

static void by_slopes(const MbJointSlopes *s, const MbJointWeights *w, At *at) {
  for (size_t r = 0; r < at->rows; r++) add_row(at, w, r, s->W + 6 * r, s->W + 6 * r + 3);
  for (size_t k = 0; k < at->n; k++) add_rates(at, w, k, 0, s->V + 6 * k);
  along_slopes(s, w, at);
}

static bool rates_at(const MbModel *model, size_t b, const MbJointMotions *motions, At *at,
                     MbJointSlopes *out) {
  double q[MB_JOINT_DOFS];
  MbJointGap gap;
  stand(model, b, motions, at);
  memset(out, 0, sizeof *out);
  if (!gap_at(model, b, at, NULL, at->eta[0], motions->q, &gap, q)) return false;
  turn_rows(model, b, gap.W, at->rows, out->W), turn_rows(model, b, gap.V, at->n, out->V);
  return true;
}

bool mb_joint_rates(const MbModel *model, size_t b, const MbJointMotions *motions, MbJointSlopes *out) {
  At at;
  return rates_at(model, b, motions, &at, out);
}

bool mb_joint_slopes(const MbModel *model, size_t b, const MbJointMotions *motions, MbJointSlopes *out) {
  static const double MOVE = 1e-5;
  double q[MB_JOINT_DOFS], W[2][36], V[2][36];
  MbJointGap gap;
  At at;
  if (!rates_at(model, b, motions, &at, out)) return false;
  for (size_t k = 0; k < 6; k++) {
    for (int side = 0; side < 2; side++) {
      double move[6] = {0};
      MbPose moved;
      move[k] = side ? MOVE : -MOVE;
      mb_se3_exp(&moved, move);
      if (!gap_at(model, b, &at, &moved, at.eta[0], motions->q, &gap, q)) return false;
      turn_rows(model, b, gap.W, at.rows, W[side]), turn_rows(model, b, gap.V, at.n, V[side]);
    }
    for (size_t i = 0; i < 6 * at.rows; i++) out->dW[k][i] = (W[1][i] - W[0][i]) / (2 * MOVE);
    for (size_t i = 0; i < 6 * at.n; i++) out->dV[k][i] = (V[1][i] - V[0][i]) / (2 * MOVE);
  }
  return true;
}

static bool any_joint(const MbModel *model, size_t b, const MbJointMotions *motions, const MbJointWeights *w,
                      At *at) {
  double q[MB_JOINT_DOFS], W[36], V[36];
  MbJointGap gap;
  if (!gap_at(model, b, at, NULL, at->eta[0], motions->q, &gap, q)) return false;
  turn_rows(model, b, gap.W, at->rows, W), turn_rows(model, b, gap.V, at->n, V);
  for (size_t r = 0; r < at->rows; r++) add_row(at, w, r, W + 6 * r, W + 6 * r + 3);
  for (size_t k = 0; k < at->n; k++) add_rates(at, w, k, w->turn[k], V + 6 * k);
  if (!along_moves(model, b, motions, w, at)) return false;
  return (w->curve == 0 && !turned(w, at->n)) || along_twists(model, b, motions, w, at);
}

bool mb_joint_hinges(MbArena *arena, const MbModel *model, const MbHeldHinge **hinges) {
  MbHeldHinge *list = mb_arena_alloc(arena, model->nb + 1, sizeof *list);
  for (size_t b = 0; list && b < model->nb; b++)
    if (mb_held_is_hinge(model, b)) mb_held_make_hinge(model, model, b, &list[b]);
  *hinges = list;
  return list;
}

size_t mb_joint_rows_in_body(const MbModel *model, size_t b) {
  enum { HINGE_POINT = 2 }; // as held_hinge.h has them
  return mb_held_is_hinge(model, b) ? HINGE_POINT : SIZE_MAX;
}

// Of a revolute joint all at once, as there is no joint that there are more of.
MB_CLONES __attribute__((flatten)) static void hinge_felt(const MbModel *model, size_t b,
                                                          const MbJointMotions *motions,
                                                          const MbJointWeights *w, MbJointFelt *felt) {
  At at;
  stand(model, b, motions, &at);
  hinge(&motions->hinge[b], w, &at);
  if (w->turn[0] != 0) turn_hinge(model, b, w, &at);
  of_frames(&at, b, felt);
  spread(model, b, motions, &at, felt);
}

bool mb_joint_felt(const MbModel *model, size_t b, const MbJointMotions *motions, const MbJointWeights *w,
                   MbJointFelt *felt) {
  At at;
  if (mb_held_is_hinge(model, b)) {
    hinge_felt(model, b, motions, w, felt);
    return true;
  }
  stand(model, b, motions, &at);
  if (motions->slopes)
    by_slopes(&motions->slopes[b], w, &at);
  else if (!any_joint(model, b, motions, w, &at))
    return false;
  of_frames(&at, b, felt);
  spread(model, b, motions, &at, felt);
  return true;
}

// As a model has it, with the angle.
static double sum_of_hinge(const MbModel *model, size_t b, const MbJointMotions *motions,
                           const MbJointWeights *w, At *at) {
  MbHeldHinge own;
  mb_held_make_hinge(model, motions->like, b, &own);
  const Seen seen = see(&own, &at->X);
  double sum = hinge(&own, w, at) + w->q[0] * near(atan2(seen.sigma, seen.c), motions->q[model->q_first[b]]);
  if (w->turn[0] != 0)
    sum += w->turn[0] * turn_of(model, motions->like, b, &at->X, at->eta[0], at->carry, NULL);
  return sum;
}

bool mb_joint_sum(const MbModel *model, size_t b, const MbJointMotions *motions, const MbJointWeights *w,
                  size_t of[6], double *sum) {
  double q[MB_JOINT_DOFS];
  MbJointGap gap;
  At at;
  stand(model, b, motions, &at);
  memset(of, 0, 6 * sizeof *of);
  if (mb_held_is_hinge(model, b)) {
    *sum = sum_of_hinge(model, b, motions, w, &at);
    return true;
  }
  if (!gap_at(model, b, &at, NULL, at.eta[0], motions->q, &gap, q)) return false;
  memcpy(of, gap.of, at.rows * sizeof *of);
  *sum = sum_of(model, b, &at, w, &gap, q);
  return true;
}
