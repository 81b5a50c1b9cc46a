// A joint of any kind closes a loop: with X the second frame in the first, the joint's coordinates are found by Newton's
// method, and what its motion leaves of X is held. With D = Q(q)⁻¹ X, ξ the twist of X and ψ that of D, in D's axes,
//   f(D) = ( 2 vec(quaternion of D) ; position of D ),   ḟ = L ψ,   ψ = ξ − Y S q̇,   Y = Ad(D⁻¹),
//   L = ( |w| + ½ [u]  0 ; 0  R_D ),  u = f's first half, |w| = √(1 − u²/4).
// As many of the six numbers as there are coordinates, P, are those that S moves most (complete pivoting at the last
// coordinates): f_P = 0 gives q. The others are g. With F = ∂f/∂q = −L Y S,  q̇ = −F_P⁻¹ (L ξ)_P  and, for each other
// number k and w = e_k − (F_k F_P⁻¹) e_P,
//   ġ = w · L ξ,    g̈ = w · ( L ξ̇ − L Y Ṡ q̇ + L ad_ψ Y S q̇ + L̇ ψ ),
//   L̇ ψ = ( −¼ (u·ω) ω + ½ u̇ × ω ; R (ω × v) ),   ξ̇ = φ̇_B − Ad(X⁻¹) φ̇_A + ad_ξ Ad(X⁻¹) φ_A.
// All of it is exact wherever X is; where the loop is closed the multipliers are torques and forces along the second
// frame's axes. Where no q is found g is not a number.
#include "core/constraints/constraints.h"
#include "core/math/dense6.h"

#include <string.h>

// f, its slopes by q, and what they are made of, at one q
typedef struct Gap {
  MbPose D;
  double f[6], L[36], Y[36], S[36], Sdot[36];
  double F[36]; // columns (n)
} Gap;

static void measure(const MbJoint *joint, const MbPose *X, const double *q, const double *v, Gap *gap) {
  MbPose Q, inverse;
  joint->ops->eval(joint, q, v, &Q, gap->S, gap->Sdot);
  mb_pose_inverse(&inverse, &Q);
  mb_pose_mul(&gap->D, &inverse, X);
  const double sign = gap->D.q[0] < 0 ? -1 : 1;
  double U[9], R[9];
  mb_vec3_scale(gap->f, 2 * sign, gap->D.q + 1);
  mb_vec3_copy(gap->f + 3, gap->D.p);
  mb_mat3_cross(U, gap->f);
  mb_quat_to_mat3(R, gap->D.q);
  memset(gap->L, 0, sizeof gap->L);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      gap->L[6 * i + j] = (i == j) * sign * gap->D.q[0] + U[3 * i + j] / 2;
      gap->L[6 * (i + 3) + j + 3] = R[3 * i + j];
    }
  mb_pose_inverse(&inverse, &gap->D);
  mb_se3_adjoint(gap->Y, &inverse);
  for (size_t i = 0; i < joint->n; i++) {
    double y[6];
    mb_mat6_apply(y, gap->Y, gap->S + 6 * i);
    mb_mat6_apply(gap->F + 6 * i, gap->L, y);
    for (size_t k = 0; k < 6; k++) gap->F[6 * i + k] = -gap->F[6 * i + k];
  }
}

// order: first the n numbers that the columns of S move most, then the others, ascending; false where some motions of
// the joint are the same.
static bool choose(const double *S, size_t n, size_t order[6]) {
  static const double SAME = 1e-9;
  double a[36], largest = 0;
  bool taken[6] = {false}, used[6] = {false};
  memcpy(a, S, 6 * n * sizeof *a);
  for (size_t k = 0; k < n; k++) {
    size_t row = 0, column = 0;
    double best = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < 6 && !used[i]; r++)
        if (!taken[r] && fabs(a[6 * i + r]) > best) best = fabs(a[6 * i + r]), row = r, column = i;
    largest = fmax(largest, best);
    if (!(best > SAME * largest) || !isfinite(best)) return false;
    taken[row] = used[column] = true;
    order[k] = row;
    for (size_t i = 0; i < n; i++) {
      if (used[i]) continue;
      const double s = a[6 * i + row] / a[6 * column + row];
      for (size_t r = 0; r < 6; r++) a[6 * i + r] -= s * a[6 * column + r];
    }
  }
  for (size_t r = 0; r < 6; r++)
    if (!taken[r]) order[n++] = r;
  return true;
}

// F_P, or its transpose, with ones on the rest of the diagonal
static bool factor(const Gap *gap, size_t n, const size_t order[6], bool transposed, double A[36],
                   int pivot[6]) {
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) {
      const size_t row = transposed ? j : i, column = transposed ? i : j;
      A[6 * i + j] = i < n && j < n ? gap->F[6 * column + order[row]] : i == j;
    }
  return mb_lu6_factor(A, pivot);
}

// q of f_P = 0, from q
static bool search(const MbJoint *joint, const MbPose *X, const size_t order[6], double *q, Gap *gap) {
  enum { TURNS = 40 };
  static const double CLOSE = 1e-12; // the last turn is below its square
  static const double still[MB_JOINT_DOFS] = {0};
  for (int turn = 0; turn < TURNS; turn++) {
    double A[36], dq[6] = {0}, change = 0;
    int pivot[6];
    measure(joint, X, q, still, gap);
    if (!factor(gap, joint->n, order, false, A, pivot)) return false;
    for (size_t i = 0; i < joint->n; i++) dq[i] = -gap->f[order[i]];
    mb_lu6_solve(A, pivot, dq);
    for (size_t i = 0; i < joint->n; i++) {
      q[i] += dq[i];
      if (!isfinite(q[i])) return false;
      change = fmax(change, fabs(dq[i]) / (1 + fabs(q[i])));
    }
    if (change <= CLOSE) return true;
  }
  return false;
}

// The two frames, and the motion of one in the other.
typedef struct Pair {
  MbFrameMotion end[2];
  MbPose X;
  double back[36];        // Ad(X⁻¹)
  double xi[6], carry[6]; // ξ, and what of ξ̇ the bodies' accelerations do not make
} Pair;

static void relate(const MbConstraint *constraint, const MbMaximal *x, Pair *pair) {
  MbPose inverse;
  double seen[6], A[36];
  for (int end = 0; end < 2; end++) mb_constraint_frame(constraint, end, x, &pair->end[end]);
  mb_pose_inverse(&inverse, &pair->end[0].E);
  mb_pose_mul(&pair->X, &inverse, &pair->end[1].E);
  mb_pose_inverse(&inverse, &pair->X);
  mb_se3_adjoint(pair->back, &inverse);
  mb_mat6_apply(seen, pair->back, pair->end[0].phi);
  for (int k = 0; k < 6; k++) pair->xi[k] = pair->end[1].phi[k] - seen[k];
  mb_se3_ad(A, pair->xi);
  mb_mat6_apply(pair->carry, A, seen);
}

// What of f̈ neither ξ̇ nor q̈ makes: −L Y Ṡ q̇ + L ad_ψ Y S q̇ + L̇ ψ
static void bend_of(const MbJoint *joint, const Gap *gap, const double *v, const double xi[6],
                    double bend[6]) {
  double slide[6] = {0}, turn[6] = {0}, psi[6], A[36], a[6], b[6], rate[6], t[3];
  for (size_t i = 0; i < joint->n; i++)
    for (size_t k = 0; k < 6; k++)
      slide[k] += gap->S[6 * i + k] * v[i], turn[k] += gap->Sdot[6 * i + k] * v[i];
  mb_mat6_apply(a, gap->Y, slide);
  mb_mat6_apply(b, gap->Y, turn);
  for (int k = 0; k < 6; k++) psi[k] = xi[k] - a[k];
  mb_se3_ad(A, psi);
  mb_mat6_apply(slide, A, a);
  for (int k = 0; k < 6; k++) slide[k] -= b[k];
  mb_mat6_apply(bend, gap->L, slide);

  mb_mat6_apply(rate, gap->L, psi);
  mb_vec3_cross(t, rate, psi);
  mb_vec3_add_scaled(bend, bend, 0.5, t);
  mb_vec3_add_scaled(bend, bend, -mb_vec3_dot(gap->f, psi) / 4, psi);
  mb_vec3_cross(t, psi, psi + 3);
  mb_quat_rotate(t, gap->D.q, t);
  mb_vec3_add(bend + 3, bend + 3, t);
}

// (row vector a) A
static void times(const double a[6], const double A[36], double out[6]) {
  for (int j = 0; j < 6; j++) {
    out[j] = 0;
    for (int i = 0; i < 6; i++) out[j] += a[i] * A[6 * i + j];
  }
}

static bool make(const MbConstraint *constraint, const MbInstant *at, double *q, MbRow *rows) {
  const MbJoint *joint = constraint->closure;
  const size_t n = joint->n;
  Pair pair;
  Gap gap;
  size_t order[6];
  double v[6] = {0}, A[36], Lxi[6], bend[6];
  int pivot[6];
  relate(constraint, at->x, &pair);
  measure(joint, &pair.X, q, v, &gap);
  if (!choose(gap.S, n, order) || !search(joint, &pair.X, order, q, &gap)) return false;

  measure(joint, &pair.X, q, v, &gap);
  if (!factor(&gap, n, order, false, A, pivot)) return false;
  mb_mat6_apply(Lxi, gap.L, pair.xi);
  for (size_t i = 0; i < n; i++) v[i] = -Lxi[order[i]];
  mb_lu6_solve(A, pivot, v);
  measure(joint, &pair.X, q, v, &gap);
  bend_of(joint, &gap, v, pair.xi, bend);
  if (!factor(&gap, n, order, true, A, pivot)) return false;

  const double far = 1e-3 + mb_vec3_norm(constraint->at[0]) + mb_vec3_norm(constraint->at[1]) +
                     mb_vec3_norm(pair.end[0].E.p) + mb_vec3_norm(pair.end[1].E.p);
  for (size_t r = 0; r < constraint->rows; r++) {
    const size_t k = order[n + r];
    double c[6] = {0}, w[6] = {0}, a[6], b[6];
    for (size_t i = 0; i < n; i++) c[i] = gap.F[6 * i + k];
    mb_lu6_solve(A, pivot, c);
    w[k] = 1;
    for (size_t i = 0; i < n; i++) w[order[i]] = -c[i];
    times(w, gap.L, a);
    times(a, pair.back, b);
    mb_constraint_on_frame(constraint, 1, &pair.end[1], a, 1, &rows[r]);
    mb_constraint_on_frame(constraint, 0, &pair.end[0], b, -1, &rows[r]);
    rows[r].g = gap.f[k];
    for (int i = 0; i < 6; i++) rows[r].gtt += a[i] * pair.carry[i] + w[i] * bend[i];
    rows[r].size = k < 3 ? 1 : far;
  }
  return true;
}

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  double q[MB_JOINT_DOFS] = {0};
  const size_t n = constraint->closure->n;
  memcpy(q, at->guess + constraint->guess, n * sizeof *q);
  if (make(constraint, at, q, rows))
    memcpy(at->found + constraint->guess, q, n * sizeof *q);
  else
    for (size_t r = 0; r < constraint->rows; r++) rows[r].g = NAN, rows[r].size = 1;
}

const MbConstraintOps mb_closure_search_ops = {
    .name = "joint",
    .rows = 6,
    .singular = "its joint is at a singular position, or too far from where it was",
    .eval = eval};
