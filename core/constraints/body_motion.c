// A body that is driven: six rows on the frame B of the body.
//
// Along a path X(t), given as a joint's motion, so that its own twist is χ = S q̇ and χ̇ = S q̈ + Ṡ q̇: with r = log(E_B⁻¹ X),
//   g = −r,   ġ = J_l(r)⁻¹ φ − J_r(r)⁻¹ χ,   g̈ = φ̇ − χ̇ + ad_φ χ  where r = 0,   J_l(r) = J_r(−r).
// As J_l(r) r = r, a step that asks for ġ = −g/h ends with E_B exp(h φ) = X: the path is met but for rounding. The
// multipliers are the torque and the force at B's origin that this takes, in B's axes.
//
// At a speed s(t) = (s_ω, s_v) of B's origin, in B's axes: φ = s. In the world's, R being B's,
//   R ω = s_ω,   R V(h ω) v = s_v,   g̈ = H φ̇ + ( 0 ; R (ω × v) ) − ṡ,
// where V, the mean of the turn over the step, makes the origin go h s_v in a step while B turns; h = 0 for accelerations,
// and half way, where the mean is to second order.
// The multipliers are torque and force in the same axes.
#include "core/constraints/constraints.h"
#include "core/math/dense6.h"

// a A⁻¹ for all six rows: out (6 x 6) = A⁻¹; A is J, which can be inverted where |r| < 2π
static bool inverse_jacobian(double out[36], const double r[6]) {
  double J[36];
  int pivot[6];
  mb_se3_right_jacobian(J, r);
  if (!mb_lu6_factor(J, pivot)) return false;
  for (int j = 0; j < 6; j++) {
    double e[6] = {0};
    e[j] = 1;
    mb_lu6_solve(J, pivot, e);
    for (int i = 0; i < 6; i++) out[6 * i + j] = e[i];
  }
  return true;
}

// X, χ and χ̇ at the instant
static void path_at(const MbConstraint *constraint, const MbInstant *at, MbPose *X, double chi[6],
                    double chidot[6]) {
  const MbJoint *joint = constraint->closure;
  double q[MB_JOINT_DOFS], v[MB_JOINT_DOFS], S[6 * MB_JOINT_DOFS], Sdot[6 * MB_JOINT_DOFS];
  const double *signal = at->signal + 3 * constraint->path;
  for (size_t i = 0; i < joint->n; i++) q[i] = signal[3 * i], v[i] = signal[3 * i + 1];
  joint->ops->eval(joint, q, v, X, S, Sdot);
  for (size_t k = 0; k < 6; k++) {
    chi[k] = chidot[k] = 0;
    for (size_t i = 0; i < joint->n; i++) {
      chi[k] += S[6 * i + k] * v[i];
      chidot[k] += S[6 * i + k] * signal[3 * i + 2] + Sdot[6 * i + k] * v[i];
    }
  }
}

static void eval_path(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  MbFrameMotion frame;
  MbPose X, D;
  double chi[6], chidot[6], r[6], back[6], left[36], right[36], ad[36], bend[6], rate[6];
  mb_constraint_frame(constraint, 0, at->x, &frame);
  path_at(constraint, at, &X, chi, chidot);
  mb_pose_inverse(&D, &frame.E);
  mb_pose_mul(&D, &D, &X);
  mb_se3_log(r, &D);
  for (int k = 0; k < 6; k++) back[k] = -r[k];
  const bool fine = inverse_jacobian(left, back) && inverse_jacobian(right, r);
  mb_mat6_apply(rate, right, chi);
  mb_se3_ad(ad, frame.phi);
  mb_mat6_apply(bend, ad, chi);
  const double size = 1e-3 + mb_vec3_norm(frame.E.p) + mb_vec3_norm(X.p);
  for (int k = 0; k < 6; k++) {
    rows[k].g = fine ? -r[k] : NAN;
    rows[k].gt = -rate[k];
    rows[k].gtt = bend[k] - chidot[k];
    rows[k].size = k < 3 ? 1 : size;
    rows[k].angle = k < 3;
    if (fine) mb_constraint_on_frame(constraint, 0, &frame, left + 6 * k, 1, &rows[k]);
  }
}

// out = V(h ω)ᵀ m = V(−h ω) m
static void mean_turn(double out[3], const double w[3], double h, const double m[3]) {
  double u[3], um[3], uum[3];
  mb_vec3_scale(u, -h, w);
  const double x2 = mb_vec3_dot(u, u), s = mb_half_sinc(x2), b = 2 * s * s, c = mb_exp_c(x2);
  mb_vec3_cross(um, u, m);
  mb_vec3_cross(uum, u, um);
  for (int i = 0; i < 3; i++) out[i] = m[i] + b * um[i] + c * uum[i];
}

static void eval_speed(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  MbFrameMotion frame;
  double s[6], w[3], turn[3];
  mb_constraint_frame(constraint, 0, at->x, &frame);
  for (size_t k = 0; k < 6; k++) s[k] = at->signal[3 * (constraint->path + k)];
  mb_quat_unrotate(w, frame.E.q, s);
  mb_vec3_cross(turn, frame.phi, frame.phi + 3);
  mb_quat_rotate(turn, frame.E.q, turn);
  for (int k = 0; k < 6; k++) {
    double a[6] = {0}, e[3] = {0};
    if (constraint->axes == MB_AXES_BODY) {
      a[k] = 1;
    } else {
      e[k % 3] = 1;
      mb_quat_unrotate(e, frame.E.q, e);
      if (k < 3)
        mb_vec3_copy(a, e);
      else
        mean_turn(a + 3, w, at->turn, e);
    }
    mb_constraint_on_frame(constraint, 0, &frame, a, 1, &rows[k]);
    rows[k].order = 1;
    rows[k].gt = -s[k];
    rows[k].gtt = -at->signal[3 * (constraint->path + (size_t)k) + 1];
    if (k > 2 && constraint->axes == MB_AXES_WORLD) rows[k].gtt += turn[k - 3];
    rows[k].size = 1;
  }
}

const MbConstraintOps mb_path_ops = {.name = "motion", .rows = 6, .eval = eval_path};
const MbConstraintOps mb_speed_ops = {.name = "motion", .rows = 6, .eval = eval_speed};
