// A body that is driven: six rows on the frame B of the body.
//
// A step turns a body by exp(h ω) and moves its centre C by h u, with u in the world's axes: what is asked of (ω, u) for the
// step to end on the path is asked here of B. With c the place of C in B, o = −c, all in B's axes but where W says,
//   turning   r = log(R_Bᵀ R_X),   g = −r,   ġ = J_l(r)⁻¹ ω − J_r(r)⁻¹ χ_ω,   g̈ = ω̇ − χ̇_ω + ω × χ_ω where r = 0
//   moving    Δ = R_Xᵀ (X c − p_C),   g = −Δ − o × g_turning,   d/dt(−Δ) = R_Xᵀ R_B v_C − χ_C + χ_ω × Δ,
//             d²/dt²(−Δ) = v̇_C + ω × v_C − χ̇_C + χ_ω × χ_C − 2 χ_ω × v_C  where Δ = r = 0,   χ_C = χ_v + χ_ω × c
// along a path X(t), given as a joint's motion, so that its own twist is χ = S q̇ and χ̇ = S q̈ + Ṡ q̇. As J_l(r) r = r, a step that
// asks for ġ = −g/h, of ω and v alone, turns by r and moves by R_X Δ: the path is met but for rounding. What is subtracted
// from Δ makes the multipliers the torque and the force at B's origin that this takes, in B's axes.
//
// At a speed s(t) = (s_ω, s_v) of B's origin, with V the mean of the turn over the step: in B's axes, ω = s_ω, and C goes where B takes
// it by its speed, V(h ω)⁻¹ v_C + ω × o = s_v. In the world's, R being B's, R ω = s_ω, and the origin goes h s_v in a step while
// B turns about C,
//   R ( v_C + V(h ω) (ω × o) ) = s_v,   g̈ = H φ̇ + ( 0 ; R (ω × v) ) − ṡ.
// h = 0 for accelerations, and half way, where the mean is to second order. The multipliers are torque and force in the same
// axes.
#include "core/constraints/constraints.h"

// y = J_l(s r)⁻¹ x: 1 − ½ [r] + d [r]² of s r; y may be x
static void inverse_left(double y[3], const double r[3], double s, const double x[3]) {
  const double d = mb_log_d(s * s * mb_vec3_dot(r, r));
  double rx[3], rrx[3];
  mb_vec3_cross(rx, r, x);
  mb_vec3_cross(rrx, r, rx);
  for (int i = 0; i < 3; i++) y[i] = x[i] - s * rx[i] / 2 + s * s * d * rrx[i];
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

// a + s b × c
static void add_cross(double a[3], double s, const double b[3], const double c[3]) {
  double t[3];
  mb_vec3_cross(t, b, c);
  mb_vec3_add_scaled(a, a, s, t);
}

// o: B's origin as seen from C, in B's axes
static void origin_of(const MbFrameMotion *frame, double o[3]) {
  mb_quat_unrotate(o, frame->F.q, frame->F.p);
}

// g, ġ_t, g̈_t of the turning rows and then of Δ's
typedef struct PathGap {
  double g[6], gt[6], gtt[6];
} PathGap;

static void path_gap(const MbFrameMotion *frame, const MbPose *X, const double *chi, const double *chidot,
                     const double o[3], const double r[3], PathGap *gap) {
  const double *w = frame->phi;
  double c[3], C[3], D[3], vC[3], chiC[3];
  mb_vec3_scale(c, -1, o);
  mb_vec3_scale(gap->g, -1, r);
  inverse_left(gap->gt, r, -1, chi);
  mb_vec3_scale(gap->gt, -1, gap->gt);
  mb_vec3_scale(gap->gtt, -1, chidot);
  add_cross(gap->gtt, 1, w, chi);

  mb_pose_point(D, X, c);
  mb_pose_point(C, &frame->E, c);
  mb_vec3_sub(D, D, C);
  mb_quat_unrotate(D, X->q, D);
  mb_vec3_copy(vC, frame->phi + 3);
  add_cross(vC, 1, w, c);
  mb_vec3_copy(chiC, chi + 3);
  add_cross(chiC, 1, chi, c);
  mb_vec3_scale(gap->g + 3, -1, D);
  mb_vec3_scale(gap->gt + 3, -1, chiC);
  add_cross(gap->gt + 3, 1, chi, D);
  mb_vec3_scale(gap->gtt + 3, -1, chidot + 3);
  add_cross(gap->gtt + 3, -1, chidot, c);
  add_cross(gap->gtt + 3, 1, w, vC);
  add_cross(gap->gtt + 3, 1, chi, chiC);
  add_cross(gap->gtt + 3, -2, chi, vC);
  add_cross(gap->g + 3, -1, o, gap->g);
  add_cross(gap->gt + 3, -1, o, gap->gt);
  add_cross(gap->gtt + 3, -1, o, gap->gtt);
}

static void eval_path(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  MbFrameMotion frame;
  MbPose X;
  PathGap gap;
  double chi[6], chidot[6], r[3], turn[4], o[3];
  mb_constraint_frame(constraint, 0, at->x, &frame);
  path_at(constraint, at, &X, chi, chidot);
  mb_quat_conj(turn, frame.E.q);
  mb_quat_mul(turn, turn, X.q);
  mb_quat_log(r, turn);
  origin_of(&frame, o);
  path_gap(&frame, &X, chi, chidot, o, r, &gap);
  const double size = 1e-3 + mb_vec3_norm(frame.E.p) + mb_vec3_norm(X.p);
  for (int k = 0; k < 6; k++) {
    double a[6] = {0}, e[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    if (k < 3) {
      inverse_left(a, r, -1, e); // J_l⁻ᵀ(r) = J_l⁻¹(−r)
    } else {
      double oe[3] = {0};
      mb_quat_rotate(a + 3, turn, e);
      add_cross(oe, 1, o, e);
      inverse_left(a, r, -1, oe);
      add_cross(a, -1, o, a + 3);
    }
    rows[k].g = gap.g[k], rows[k].gt = gap.gt[k], rows[k].gtt = gap.gtt[k];
    rows[k].size = k < 3 ? 1 : size;
    rows[k].angle = k < 3;
    mb_constraint_on_frame(constraint, 0, &frame, a, 1, &rows[k]);
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

// m · v_C + n · (ω × o) = m · v_B + (n − m) · (ω × o)
static void about_centre(double a[6], const double m[3], const double n[3], const double o[3]) {
  double d[3];
  mb_vec3_sub(d, n, m);
  mb_vec3_set(a, 0, 0, 0);
  add_cross(a, 1, o, d);
  mb_vec3_copy(a + 3, m);
}

static void eval_speed(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  MbFrameMotion frame;
  double s[6], w[3], o[3], turn[3];
  mb_constraint_frame(constraint, 0, at->x, &frame);
  for (size_t k = 0; k < 6; k++) s[k] = at->signal[3 * (constraint->path + k)];
  const bool body = constraint->axes == MB_AXES_BODY;
  mb_vec3_copy(w, s);
  if (!body) mb_quat_unrotate(w, frame.E.q, s);
  origin_of(&frame, o);
  mb_vec3_cross(turn, frame.phi, frame.phi + 3);
  mb_quat_rotate(turn, frame.E.q, turn);
  for (int k = 0; k < 6; k++) {
    double a[6] = {0}, e[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, mean[3];
    if (!body) mb_quat_unrotate(e, frame.E.q, e);
    if (k < 3) {
      mb_vec3_copy(a, e);
    } else if (body) {
      inverse_left(mean, w, -at->turn, e); // V⁻ᵀ(h ω) = J_l⁻¹(−h ω)
      about_centre(a, mean, e, o);
    } else {
      mean_turn(mean, w, at->turn, e);
      about_centre(a, e, mean, o);
    }
    mb_constraint_on_frame(constraint, 0, &frame, a, 1, &rows[k]);
    rows[k].order = 1;
    rows[k].gt = -s[k];
    rows[k].gtt = -at->signal[3 * (constraint->path + (size_t)k) + 1];
    if (k > 2 && !body) rows[k].gtt += turn[k - 3];
    rows[k].size = 1;
  }
}

const MbConstraintOps mb_path_ops = {.name = "motion", .rows = 6, .eval = eval_path};
const MbConstraintOps mb_speed_ops = {.name = "motion", .rows = 6, .eval = eval_speed};
