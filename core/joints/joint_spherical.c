// Spherical joint in exponential coordinates (RM 2.4.8): q the rotation vector, R = exp [q], x = q·q = θ²,
//   S = ( J_r ; 0 ),  J_r = 1 − a [q] + b [q]²,  a = (1 − cos θ)/θ²,  b = (θ − sin θ)/θ³
//   Ṡ = ( −ȧ [q] − a [q̇] + ḃ [q]² + b ([q̇][q] + [q][q̇]) ; 0 ),  ȧ = 2 a′ q·q̇,  a′ = da/dx = (1 − x b −
//   2a)/2x, b′ = (a − 3b)/2x; all four by their series where x is small.
// At |q| = 2π the coordinates are singular: beyond 3π/2 they are exchanged for (1 − 2π/|q|) q, the same
// rotation, and the velocities for J_r(q_new)⁻¹ J_r(q) q̇. Three turns of free3d are the same joint after a
// translation in the parent's frame.
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

extern const MbJointOps mb_joint_spherical;
const MbJointOps mb_joint_spherical = {"spherical", 3, eval, renew};

// ---- free3d: translation in the parent's frame, then the rotation vector
// -------------------------------------

static void eval_free(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                      double *Sdot) {
  static const MbJoint slide = {.ops = &mb_joint_translational, .n = 3},
                       turn = {.ops = &mb_joint_spherical, .n = 3};
  (void)joint;
  mb_pose_identity(Q);
  mb_joint_append(&slide, 0, q, v, Q, S, Sdot);
  mb_joint_append(&turn, 3, q, v, Q, S, Sdot);
}

static bool renew_free(const MbJoint *joint, double *q, double *v) { return renew(joint, q + 3, v + 3); }

extern const MbJointOps mb_joint_free3d;
const MbJointOps mb_joint_free3d = {"free3d", 6, eval_free, renew_free};
