// Spherical joint in exponential coordinates (RM 2.4.8): q the rotation vector, R = exp [q], x = q·q = θ²,
//   S = ( J_r ; 0 ),  J_r = 1 − a [q] + b [q]²,  a = (1 − cos θ)/θ²,  b = (θ − sin θ)/θ³
//   Ṡ = ( −ȧ [q] − a [q̇] + ḃ [q]² + b ([q̇][q] + [q][q̇]) ; 0 ),  ȧ = 2 a′ q·q̇,  a′ = da/dx = (1 − x b −
//   2a)/2x, b′ = (a − 3b)/2x; all four by their series where x is small.
// At |q| = 2π the coordinates are singular: beyond 3π/2 they are exchanged for (1 − 2π/|q|) q, the same
// rotation, and the velocities for J_r(q_new)⁻¹ J_r(q) q̇. Three turns of free3d are the same joint after a
// translation in the parent's frame.
//
// Far from q = 0 these coordinates are bent: what a step takes as straight in them is not, and a fast turn loses or gains energy.
// The turning form has the angular velocity ω of the child in its parent, in the child's axes, for its velocities, so that a step
// moves it along the rotation about where it is, as a body free in space:
//   S = ( 1 ; 0 ),  Ṡ = 0,  q ⊕ h ω = log(exp [q] exp [h ω]),  q̇ = N ω,
//   N = J_r⁻¹ = 1 + ½ [q] + c [q]²,  c = (1 − (θ/2) cot(θ/2))/θ²,   q̈ = N (ω̇ − J̇_r q̇)
// where the logarithm goes on beyond π, so that q does not jump.
#include "core/joints/joints.h"
#include "core/joints/joint_parts.h"

#include <string.h>

typedef struct Coefficients {
  double a, b, a1, b1;
} Coefficients;

static Coefficients coefficients(double x) {
  Coefficients c = {0};
  if (x >= 0.25) {
    const double theta = sqrt(x), half = sin(theta / 2);
    c.a = 2 * half * half / x;
    c.b = (theta - sin(theta)) / (theta * x);
    c.a1 = (1 - x * c.b - 2 * c.a) / (2 * x);
    c.b1 = (c.a - 3 * c.b) / (2 * x);
    return c;
  }
  // a = Σ (−x)ᵏ/(2k+2)!, b = Σ (−x)ᵏ/(2k+3)!, and their derivatives
  double even = 0.5, odd = 1.0 / 6, power = 1, before = 0;
  for (int k = 0; k < 10; k++) {
    c.a += power * even, c.b += power * odd;
    c.a1 -= k * before * even, c.b1 -= k * before * odd;
    before = power, power *= -x;
    even /= (2 * k + 3) * (2 * k + 4), odd /= (2 * k + 4) * (2 * k + 5);
  }
  return c;
}

// J (9) = J_r(q), Jdot (9, may be NULL) = its rate
static void right_jacobian(const double q[3], const double v[3], double J[9], double *Jdot) {
  const Coefficients c = coefficients(mb_vec3_dot(q, q));
  double Q[9], V[9], QQ[9], VQ[9], QV[9];
  mb_mat3_cross(Q, q);
  mb_mat3_mul(QQ, Q, Q);
  for (int i = 0; i < 9; i++) J[i] = (i % 4 == 0) - c.a * Q[i] + c.b * QQ[i];
  if (!Jdot) return;
  const double rate = 2 * mb_vec3_dot(q, v);
  mb_mat3_cross(V, v);
  mb_mat3_mul(VQ, V, Q);
  mb_mat3_mul(QV, Q, V);
  for (int i = 0; i < 9; i++)
    Jdot[i] = -c.a1 * rate * Q[i] - c.a * V[i] + c.b1 * rate * QQ[i] + c.b * (VQ[i] + QV[i]);
}

static void eval(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot) {
  (void)joint;
  double J[9], Jdot[9];
  mb_vec3_set(Q->p, 0, 0, 0);
  mb_quat_exp(Q->q, q);
  right_jacobian(q, v, J, Jdot);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      S[6 * i + k] = J[3 * k + i], Sdot[6 * i + k] = Jdot[3 * k + i];
      S[6 * i + 3 + k] = Sdot[6 * i + 3 + k] = 0;
    }
}

static bool renew(const MbJoint *joint, double *q, double *v) {
  (void)joint;
  const double pi = 3.14159265358979323846, length = mb_vec3_norm(q);
  if (length <= 1.5 * pi) return false;
  double J[9], w[3], inverse[9];
  right_jacobian(q, v, J, NULL);
  mb_mat3_apply(w, J, v);
  mb_vec3_scale(q, 1 - 2 * pi / length, q);
  right_jacobian(q, v, J, NULL);
  // J⁻¹ by its cofactors: rows (b×c, c×a, a×b)/det of its columns a, b, c
  const double a[3] = {J[0], J[3], J[6]}, b[3] = {J[1], J[4], J[7]}, c[3] = {J[2], J[5], J[8]};
  mb_vec3_cross(inverse, b, c);
  mb_vec3_cross(inverse + 3, c, a);
  mb_vec3_cross(inverse + 6, a, b);
  const double det = mb_vec3_dot(a, inverse);
  mb_mat3_apply(v, inverse, w);
  mb_vec3_scale(v, 1 / det, v);
  return true;
}

// ---- turned by angular velocities ---------------------------------------------------------------------------

static void eval_turning(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                         double *Sdot) {
  (void)joint, (void)v;
  mb_vec3_set(Q->p, 0, 0, 0);
  mb_quat_exp(Q->q, q);
  for (int i = 0; i < 18; i++) S[i] = i % 7 == 0, Sdot[i] = 0;
}

// The angular velocity is the same for either rotation vector.
static bool renew_turning(const MbJoint *joint, double *q, double *v) {
  (void)joint, (void)v;
  const double pi = 3.14159265358979323846, length = mb_vec3_norm(q);
  if (length <= 1.5 * pi) return false;
  mb_vec3_scale(q, 1 - 2 * pi / length, q);
  return true;
}

// (w, n) of the product is (cos θ/2, sin θ/2), up to θ = 2π: the sign of w is kept, which tells angles beyond π.
static void advance(const MbJoint *joint, double *q, double h, const double *v) {
  (void)joint;
  double turn[3], a[4], b[4];
  mb_vec3_scale(turn, h, v);
  mb_quat_exp(a, q);
  mb_quat_exp(b, turn);
  mb_quat_mul(a, a, b);
  const double n2 = mb_vec3_dot(a + 1, a + 1), n = sqrt(n2), r = n2 / (a[0] * a[0]);
  const double s = a[0] > 0 && n2 < 1e-6 ? (1 - r / 3 + r * r / 5) / a[0] : n > 0 ? atan2(n, a[0]) / n : 0;
  mb_vec3_scale(q, 2 * s, a + 1);
}

// c of N, by its series where x = θ² is small: Σ 2 ζ(2k)/(2π)²ᵏ xᵏ⁻¹
static double inverse_coefficient(double x) {
  if (x < 0.25)
    return 1.0 / 12 +
           x * (1.0 / 720 + x * (1.0 / 30240 +
                                 x * (1.0 / 1209600 +
                                      x * (1.0 / 47900160 + x * (691.0 / 1307674368000 + x / 74724249600)))));
  const double half = sqrt(x) / 2;
  return (1 - half * cos(half) / sin(half)) / x;
}

static void change(const MbJoint *joint, const double *q, MbJointWay way, double *x) {
  (void)joint;
  if (way == MB_TO_VELOCITIES) {
    double J[9], rate[3];
    mb_vec3_copy(rate, x);
    right_jacobian(q, rate, J, NULL);
    mb_mat3_apply(x, J, rate);
    return;
  }
  double once[3], twice[3];
  mb_vec3_cross(once, q, x);
  mb_vec3_cross(twice, q, once);
  mb_vec3_add_scaled(x, x, way == MB_TO_RATES ? 0.5 : -0.5, once);
  mb_vec3_add_scaled(x, x, inverse_coefficient(mb_vec3_dot(q, q)), twice);
}

static void accelerate(const MbJoint *joint, const double *q, const double *v, double *a) {
  double rate[3], J[9], Jdot[9], t[3];
  mb_vec3_copy(rate, v);
  change(joint, q, MB_TO_RATES, rate);
  right_jacobian(q, rate, J, Jdot);
  mb_mat3_apply(t, Jdot, rate);
  mb_vec3_sub(a, a, t);
  change(joint, q, MB_TO_RATES, a);
}

// exp [δ₀] exp [s + δ] = exp [s] exp [exp [−s] δ₀] exp [J_r(s) δ]
static void ahead(const MbJoint *joint, const double *s, double *T, double *T0, size_t stride) {
  (void)joint;
  double J[9], R[9], turn[4];
  right_jacobian(s, s, J, NULL);
  mb_quat_exp(turn, s);
  mb_quat_to_mat3(R, turn);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) T[stride * i + k] = J[3 * i + k], T0[stride * i + k] = R[3 * k + i];
}

static const MbJointOps turning = {.name = "spherical, turning",
                                   .n = 3,
                                   .eval = eval_turning,
                                   .carries = mb_joint_carries_nothing,
                                   .ahead = ahead,
                                   .renew = renew_turning,
                                   .advance = advance,
                                   .change = change,
                                   .accelerate = accelerate};

extern const MbJointOps mb_joint_spherical;
const MbJointOps mb_joint_spherical = {
    .name = "spherical", .n = 3, .eval = eval, .renew = renew, .turning = &turning};

// ---- free3d: translation in the parent's frame, then the rotation vector
// -------------------------------------

static void append_parts(const MbJointOps *turn, const double *q, const double *v, MbPose *Q, double *S,
                         double *Sdot) {
  static const MbJoint slide = {.ops = &mb_joint_translational, .n = 3};
  mb_pose_identity(Q);
  mb_joint_append(&slide, 0, q, v, Q, S, Sdot);
  mb_joint_append(&(MbJoint){.ops = turn, .n = 3}, 3, q, v, Q, S, Sdot);
}

static void eval_free(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                      double *Sdot) {
  (void)joint;
  append_parts(&mb_joint_spherical, q, v, Q, S, Sdot);
}

static bool renew_free(const MbJoint *joint, double *q, double *v) { return renew(joint, q + 3, v + 3); }

static void eval_free_turning(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                              double *Sdot) {
  (void)joint;
  append_parts(&turning, q, v, Q, S, Sdot);
}

static bool renew_free_turning(const MbJoint *joint, double *q, double *v) {
  return renew_turning(joint, q + 3, v + 3);
}

static void advance_free(const MbJoint *joint, double *q, double h, const double *v) {
  mb_vec3_add_scaled(q, q, h, v);
  advance(joint, q + 3, h, v + 3);
}

static void change_free(const MbJoint *joint, const double *q, MbJointWay way, double *x) {
  change(joint, q + 3, way, x + 3);
}

static void accelerate_free(const MbJoint *joint, const double *q, const double *v, double *a) {
  accelerate(joint, q + 3, v + 3, a + 3);
}

static void ahead_free(const MbJoint *joint, const double *s, double *T, double *T0, size_t stride) {
  ahead(joint, s + 3, T + 3 * stride + 3, T0 + 3 * stride + 3, stride);
}

// The turn carries the columns of the translation with it.
static bool carries_free(const MbJoint *joint, bool *carried, size_t stride) {
  (void)joint;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 3; k < 6; k++) carried[stride * i + k] = true;
  return true;
}

static const MbJointOps free_turning = {.name = "free3d, turning",
                                        .n = 6,
                                        .eval = eval_free_turning,
                                        .carries = carries_free,
                                        .ahead = ahead_free,
                                        .renew = renew_free_turning,
                                        .advance = advance_free,
                                        .change = change_free,
                                        .accelerate = accelerate_free};

extern const MbJointOps mb_joint_free3d;
const MbJointOps mb_joint_free3d = {
    .name = "free3d", .n = 6, .eval = eval_free, .renew = renew_free, .turning = &free_turning};
