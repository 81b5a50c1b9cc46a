// A joint holds two frames. With X the second frame in the first, the joint's coordinates are found by Newton's
// method, and what its motion leaves of X is the gap. With D = Q(q)⁻¹ X, ξ the twist of X and ψ that of D, in D's axes,
//   f(D) = ( 2 vec(quaternion of D) ; position of D ),   ḟ = L ψ,   ψ = ξ − Y S q̇,   Y = Ad(D⁻¹),
//   L = ( |w| + ½ [u]  0 ; 0  R_D ),  u = f's first half, |w| = √(1 − u²/4).
// As many of the six numbers as there are coordinates, P, are those that S moves most (complete pivoting at the last
// coordinates): f_P = 0 gives q. The others are g. With F = ∂f/∂q = −L Y S,  q̇ = −F_P⁻¹ (L ξ)_P  and, for each other
// number k and w = e_k − (F_k F_P⁻¹) e_P,
//   ġ = w · L ξ,    g̈ = w · ( L ξ̇ + β ),    q̈ = −F_P⁻¹ ( L ξ̇ + β )_P,
//   β = − L Y Ṡ q̇ + L ad_ψ Y S q̇ + L̇ ψ,    L̇ ψ = ( −¼ (u·ω) ω + ½ u̇ × ω ; R (ω × v) ).
// All of it is exact wherever X is.
#include "core/model/joint_gap.h"
#include "core/math/dense6.h"

#include <string.h>

// f, its slopes by q, and what they are made of, at one q
typedef struct Slopes {
  MbPose D;
  double f[6], L[36], Y[36], S[36], Sdot[36];
  double F[36]; // columns (n)
} Slopes;

static void measure(const MbJoint *joint, const MbPose *X, const double *q, const double *v, Slopes *at) {
  MbPose Q, inverse;
  joint->ops->eval(joint, q, v, &Q, at->S, at->Sdot);
  mb_pose_inverse(&inverse, &Q);
  mb_pose_mul(&at->D, &inverse, X);
  const double sign = at->D.q[0] < 0 ? -1 : 1;
  double U[9], R[9];
  mb_vec3_scale(at->f, 2 * sign, at->D.q + 1);
  mb_vec3_copy(at->f + 3, at->D.p);
  mb_mat3_cross(U, at->f);
  mb_quat_to_mat3(R, at->D.q);
  memset(at->L, 0, sizeof at->L);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      at->L[6 * i + j] = (i == j) * sign * at->D.q[0] + U[3 * i + j] / 2;
      at->L[6 * (i + 3) + j + 3] = R[3 * i + j];
    }
  mb_pose_inverse(&inverse, &at->D);
  mb_se3_adjoint(at->Y, &inverse);
  for (size_t i = 0; i < joint->n; i++) {
    double y[6];
    mb_mat6_apply(y, at->Y, at->S + 6 * i);
    mb_mat6_apply(at->F + 6 * i, at->L, y);
    for (size_t k = 0; k < 6; k++) at->F[6 * i + k] = -at->F[6 * i + k];
  }
}

// order: first the n numbers that the columns of S move most, then the others, ascending; false where some motions of
// the joint are the same. Of numbers that move alike, as those of an axis [1, 1, 0], the first is taken, so that a little more of one does not change the choice, and with it what a gap leaves of q.
static bool choose(const double *S, size_t n, size_t order[6]) {
  static const double SAME = 1e-9,
                      ALIKE = 1.001; // of what numbers move by; the first of those that move alike
  double a[36], largest = 0;
  bool taken[6] = {false}, used[6] = {false};
  memcpy(a, S, 6 * n * sizeof *a);
  for (size_t k = 0; k < n; k++) {
    size_t row = 0, column = 0;
    double best = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < 6 && !used[i]; r++)
        if (!taken[r] && fabs(a[6 * i + r]) > ALIKE * best) best = fabs(a[6 * i + r]), row = r, column = i;
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

bool mb_joint_moves_apart(const MbJoint *joint, const double *q) {
  static const double still[MB_JOINT_DOFS] = {0};
  MbPose Q;
  double S[36], Sdot[36];
  size_t order[6];
  if (joint->n > MB_JOINT_DOFS) return false;
  joint->ops->eval(joint, q, still, &Q, S, Sdot);
  return choose(S, joint->n, order);
}

// F_P, or its transpose
static bool factor(const Slopes *at, size_t n, const size_t order[6], bool transposed, double A[36],
                   int pivot[6]) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t row = transposed ? j : i, column = transposed ? i : j;
      A[6 * i + j] = at->F[6 * column + order[row]];
    }
  return mb_lu6_factor_of(A, (int)n, pivot);
}

// Not inlined: six calls of some hundred instructions.
__attribute__((noinline)) static void solve(const double A[36], size_t n, const int pivot[6], double x[6]) {
  mb_lu6_solve_of(A, (int)n, pivot, x);
}

// q of f_P = 0, from q
static bool search(const MbJoint *joint, const MbPose *X, const size_t order[6], double *q, Slopes *at) {
  enum { TURNS = 40 };
  static const double CLOSE = 1e-12; // the last turn is below its square
  static const double still[MB_JOINT_DOFS] = {0};
  for (int turn = 0; turn < TURNS; turn++) {
    double A[36], dq[6] = {0}, change = 0;
    int pivot[6];
    measure(joint, X, q, still, at);
    if (!factor(at, joint->n, order, false, A, pivot)) return false;
    for (size_t i = 0; i < joint->n; i++) dq[i] = -at->f[order[i]];
    solve(A, joint->n, pivot, dq);
    for (size_t i = 0; i < joint->n; i++) {
      q[i] += dq[i];
      if (!isfinite(q[i])) return false;
      change = fmax(change, fabs(dq[i]) / (1 + fabs(q[i])));
    }
    if (change <= CLOSE) return true;
  }
  return false;
}

// What of f̈ neither ξ̇ nor q̈ makes: −L Y Ṡ q̇ + L ad_ψ Y S q̇ + L̇ ψ
static void bend_of(const MbJoint *joint, const Slopes *at, const double *v, const double xi[6],
                    double bend[6]) {
  double slide[6] = {0}, turn[6] = {0}, psi[6], A[36], a[6], b[6], rate[6], t[3];
  for (size_t i = 0; i < joint->n; i++)
    for (size_t k = 0; k < 6; k++) slide[k] += at->S[6 * i + k] * v[i], turn[k] += at->Sdot[6 * i + k] * v[i];
  mb_mat6_apply(a, at->Y, slide);
  mb_mat6_apply(b, at->Y, turn);
  for (int k = 0; k < 6; k++) psi[k] = xi[k] - a[k];
  mb_se3_ad(A, psi);
  mb_mat6_apply(slide, A, a);
  for (int k = 0; k < 6; k++) slide[k] -= b[k];
  mb_mat6_apply(bend, at->L, slide);

  mb_mat6_apply(rate, at->L, psi);
  mb_vec3_cross(t, rate, psi);
  mb_vec3_add_scaled(bend, bend, 0.5, t);
  mb_vec3_add_scaled(bend, bend, -mb_vec3_dot(at->f, psi) / 4, psi);
  mb_vec3_cross(t, psi, psi + 3);
  mb_quat_rotate(t, at->D.q, t);
  mb_vec3_add(bend + 3, bend + 3, t);
}

// (row vector a) A
static void times(const double a[6], const double A[36], double out[6]) {
  for (int j = 0; j < 6; j++) {
    out[j] = 0;
    for (int i = 0; i < 6; i++) out[j] += a[i] * A[6 * i + j];
  }
}

void mb_joint_between(const MbPose *P, const MbPose *B, const MbPose *E, MbPose *X) {
  MbPose inverse;
  mb_pose_inverse(&inverse, P);
  mb_pose_mul(X, &inverse, E);
  mb_pose_inverse(&inverse, B);
  mb_pose_mul(X, X, &inverse);
}

bool mb_joint_gap(const MbJoint *joint, const MbPose *X, const double xi[6], double *q, MbJointGap *gap) {
  const size_t n = joint->n;
  Slopes at;
  size_t order[6];
  double v[6] = {0}, A[36], Lxi[6], bend[6];
  int pivot[6];
  if (n > MB_JOINT_DOFS) return false;
  measure(joint, X, q, v, &at);
  if (!choose(at.S, n, order) || !search(joint, X, order, q, &at)) return false;

  measure(joint, X, q, v, &at);
  if (!factor(&at, n, order, false, A, pivot)) return false;
  mb_mat6_apply(Lxi, at.L, xi);
  for (size_t i = 0; i < n; i++) v[i] = -Lxi[order[i]];
  solve(A, n, pivot, v);
  measure(joint, X, q, v, &at);
  bend_of(joint, &at, v, xi, bend);

  gap->n = n, gap->rows = 6 - n;
  memcpy(gap->v, v, sizeof v);
  for (size_t i = 0; i < 6; i++) gap->turn[i] = i < n ? -bend[order[i]] : 0;
  solve(A, n, pivot, gap->turn);
  for (size_t j = 0; j < 6; j++) {
    double column[6] = {0};
    for (size_t i = 0; i < n; i++) column[i] = -at.L[6 * order[i] + j];
    solve(A, n, pivot, column);
    for (size_t i = 0; i < n; i++) gap->V[6 * i + j] = column[i];
  }
  for (size_t i = 0; i < n; i++) mb_mat6_apply(gap->N + 6 * i, at.Y, at.S + 6 * i);
  double L[36];
  int exchange[6];
  memcpy(L, at.L, sizeof L);
  if (!mb_lu6_factor(L, exchange)) return false;
  for (size_t r = 0; r < gap->rows; r++) {
    double *z = gap->Z + 6 * r;
    memset(z, 0, 6 * sizeof *z);
    z[order[n + r]] = 1;
    mb_lu6_solve(L, exchange, z);
  }
  if (!factor(&at, n, order, true, A, pivot)) return false;
  for (size_t r = 0; r < gap->rows; r++) {
    const size_t k = order[n + r];
    double c[6] = {0}, w[6] = {0};
    for (size_t i = 0; i < n; i++) c[i] = at.F[6 * i + k];
    solve(A, n, pivot, c);
    w[k] = 1;
    for (size_t i = 0; i < n; i++) w[order[i]] = -c[i];
    times(w, at.L, gap->W + 6 * r);
    gap->g[r] = at.f[k], gap->of[r] = k, gap->bend[r] = 0;
    for (int i = 0; i < 6; i++) gap->bend[r] += w[i] * bend[i];
  }
  return true;
}
