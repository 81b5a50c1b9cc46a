// S and Ṡ of every row of the joints' table against central differences of Q and S; and the change of
// coordinates.
#include "core/joints/joints.h"
#include "tests/trees.h"

#include <string.h>

enum { MOST = 16, KNOTS = TEST_KNOTS };

static void eval(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot) {
  joint->ops->eval(joint, q, v, Q, S, Sdot);
}

// Central differences with ε = 1e-5: error about ε² times third derivatives of some tens.
static const double EPSILON = 1e-5, TOLERANCE = 3e-8;

static void check_derivatives(const MbJoint *joint, const char *name, const double *q, const double *v) {
  double S[6 * MOST], Sdot[6 * MOST], other[6 * MOST], ahead[6 * MOST], back[6 * MOST], moved[MOST];
  MbPose Q, Q1, Q2, inverse, D;
  const size_t n = joint->n;
  eval(joint, q, v, &Q, S, Sdot);
  mb_pose_inverse(&inverse, &Q);
  for (size_t i = 0; i < n; i++) {
    double plus[6], minus[6], wanted[6];
    memcpy(moved, q, n * sizeof *q);
    moved[i] = q[i] + EPSILON;
    eval(joint, moved, v, &Q1, other, ahead);
    mb_pose_mul(&D, &inverse, &Q1);
    mb_se3_log(plus, &D);
    moved[i] = q[i] - EPSILON;
    eval(joint, moved, v, &Q2, other, ahead);
    mb_pose_mul(&D, &inverse, &Q2);
    mb_se3_log(minus, &D);
    for (int k = 0; k < 6; k++) wanted[k] = (plus[k] - minus[k]) / (2 * EPSILON);
    test_near(name, S + 6 * i, wanted, 6, TOLERANCE);
  }
  for (size_t i = 0; i < n; i++) moved[i] = q[i] + EPSILON * v[i];
  eval(joint, moved, v, &Q1, ahead, other);
  for (size_t i = 0; i < n; i++) moved[i] = q[i] - EPSILON * v[i];
  eval(joint, moved, v, &Q1, back, other);
  for (size_t i = 0; i < 6 * n; i++) ahead[i] = (ahead[i] - back[i]) / (2 * EPSILON);
  test_near(name, Sdot, ahead, 6 * n, TOLERANCE);
}

Test(joints, derivatives_of_every_kind_agree_with_central_differences) {
  uint64_t seed = 11;
  for (int round = 0; round < 40; round++)
    for (MbJointKind kind = 0; kind < MB_JOINTS; kind++) {
      TestJoint s;
      double q[MOST], v[MOST];
      test_random_joint(&s, kind, &seed);
      // small, middling and large coordinates: the series and the closed forms
      const double size = round % 3 == 0 ? 1e-3 : round % 3 == 1 ? 1 : 2.4;
      for (int i = 0; i < MOST; i++) q[i] = size * test_around_zero(&seed), v[i] = test_around_zero(&seed);
      if (kind >= MB_JOINT_SPLINE_CURVE) // inside the segments
        for (int i = 0; i < 2; i++) q[i] = 0.1 + 1.8 * test_random(&seed);
      check_derivatives(&s.joint, mb_joint_table[kind]->name, q, v);
    }
}

Test(joints, new_coordinates_are_the_same_pose_and_motion) {
  uint64_t seed = 5;
  const MbJointKind kinds[3] = {MB_JOINT_SPHERICAL, MB_JOINT_FREE3D, MB_JOINT_COMPOSITE};
  for (int round = 0; round < 60; round++) {
    TestJoint s;
    double q[MOST], v[MOST], S[6 * MOST], Sdot[6 * MOST], before[6] = {0}, after[6] = {0};
    test_random_joint(&s, kinds[round % 3], &seed);
    const MbJoint *joint = &s.joint;
    for (int i = 0; i < MOST; i++) q[i] = 8 * test_around_zero(&seed), v[i] = test_around_zero(&seed);
    MbPose Q1, Q2, inverse, D;
    double apart[6], none[6] = {0};
    eval(joint, q, v, &Q1, S, Sdot);
    for (size_t i = 0; i < joint->n; i++)
      for (int k = 0; k < 6; k++) before[k] += S[6 * i + (size_t)k] * v[i];
    const bool renewed = joint->ops->renew(joint, q, v);
    eval(joint, q, v, &Q2, S, Sdot);
    for (size_t i = 0; i < joint->n; i++)
      for (int k = 0; k < 6; k++) after[k] += S[6 * i + (size_t)k] * v[i];
    mb_pose_inverse(&inverse, &Q1);
    mb_pose_mul(&D, &inverse, &Q2);
    mb_se3_log(apart, &D);
    test_near("pose", apart, none, 6, 1e-12);
    test_near("twist", after, before, 6, 1e-11);
    if (round % 3 == 0 && renewed) cr_assert_lt(mb_vec3_norm(q), 1.5 * 3.15 + 4);
  }
}

// Makes the turning form of a joint, with its parts.
static void turn_parts(TestJoint *s) {
  for (int i = 0; i < 3; i++)
    if (s->part[i].ops && s->part[i].ops->turning) s->part[i].ops = s->part[i].ops->turning;
  for (int i = 0; i < 2; i++)
    if (s->inner[i].ops && s->inner[i].ops->turning) s->inner[i].ops = s->inner[i].ops->turning;
  s->joint.ops = s->joint.ops->turning;
}

// The motion that `advance` makes, its S and Ṡ, and N against central differences of both; and the ways there and back.
Test(joints, turned_by_angular_velocities_they_move_as_they_say) {
  static const MbJointKind kinds[3] = {MB_JOINT_SPHERICAL, MB_JOINT_FREE3D, MB_JOINT_COMPOSITE};
  uint64_t seed = 8;
  for (int round = 0; round < 90; round++) {
    TestJoint s = {0};
    double q[MOST], v[MOST], f[MOST], end[2][MOST], S[6 * MOST], Sdot[6 * MOST], Send[2][6 * MOST],
        other[6 * MOST];
    test_random_joint(&s, kinds[round % 3], &seed);
    turn_parts(&s);
    const MbJoint *joint = &s.joint;
    const double size = round < 30 ? 1e-3 : round < 60 ? 1 : 2.6; // the longest are beyond π
    for (int i = 0; i < MOST; i++) q[i] = size * test_around_zero(&seed), v[i] = test_around_zero(&seed);
    for (int i = 0; i < MOST; i++) f[i] = test_around_zero(&seed);
    MbPose Q, Qend[2], inverse, D;
    double moved[2][6], twist[6] = {0}, wanted[6 * MOST], rate[MOST], back[MOST], force[MOST];
    eval(joint, q, v, &Q, S, Sdot);
    mb_pose_inverse(&inverse, &Q);
    for (int k = 0; k < 2; k++) {
      memcpy(end[k], q, sizeof q);
      joint->ops->advance(joint, end[k], k ? -EPSILON : EPSILON, v);
      eval(joint, end[k], v, &Qend[k], Send[k], other);
      mb_pose_mul(&D, &inverse, &Qend[k]);
      mb_se3_log(moved[k], &D);
    }
    for (size_t i = 0; i < joint->n; i++)
      for (size_t k = 0; k < 6; k++) twist[k] += S[6 * i + k] * v[i];
    for (int k = 0; k < 6; k++) wanted[k] = (moved[0][k] - moved[1][k]) / (2 * EPSILON);
    test_near("S v", twist, wanted, 6, TOLERANCE);
    for (size_t i = 0; i < 6 * joint->n; i++) wanted[i] = (Send[0][i] - Send[1][i]) / (2 * EPSILON);
    test_near("its rate", Sdot, wanted, 6 * joint->n, TOLERANCE);

    for (size_t i = 0; i < joint->n; i++) wanted[i] = (end[0][i] - end[1][i]) / (2 * EPSILON);
    memcpy(rate, v, sizeof v);
    joint->ops->change(joint, q, MB_TO_RATES, rate);
    test_near("N v", rate, wanted, joint->n, 10 * TOLERANCE);
    double ahead[MOST], behind[MOST], a[MOST]; // q̈ while v changes by f a second
    for (int i = 0; i < MOST; i++)
      ahead[i] = v[i] + EPSILON * f[i], behind[i] = v[i] - EPSILON * f[i], a[i] = f[i];
    joint->ops->change(joint, end[0], MB_TO_RATES, ahead);
    joint->ops->change(joint, end[1], MB_TO_RATES, behind);
    for (size_t i = 0; i < joint->n; i++) wanted[i] = (ahead[i] - behind[i]) / (2 * EPSILON);
    joint->ops->accelerate(joint, q, v, a);
    test_near("its rate", a, wanted, joint->n, 30 * TOLERANCE);
    memcpy(back, rate, sizeof rate);
    joint->ops->change(joint, q, MB_TO_VELOCITIES, back);
    test_near("back", back, v, joint->n, 1e-12);
    memcpy(force, f, sizeof f);
    joint->ops->change(joint, q, MB_TO_FORCES, force);
    double along_q = 0, along_v = 0;
    for (size_t i = 0; i < joint->n; i++) along_q += f[i] * rate[i], along_v += force[i] * v[i];
    test_near("power", &along_v, &along_q, 1, 1e-12);
  }
}

// Whatever the angle, the numbers go on beyond π, and the same rotation comes of a whole step and of two halves about one axis.
Test(joints, a_rotation_vector_goes_on_beyond_half_a_turn) {
  const MbJoint joint = {.ops = mb_joint_table[MB_JOINT_SPHERICAL]->turning, .n = 3};
  const double axis[3] = {0.6, 0, -0.8};
  double q[3] = {0};
  for (int i = 1; i <= 60; i++) {
    double wanted[3];
    joint.ops->advance(&joint, q, 0.1, axis);
    mb_vec3_scale(wanted, 0.1 * i, axis);
    test_near("rotation vector", q, wanted, 3, 1e-13);
  }
  double none[3] = {0}, still[3] = {0};
  joint.ops->advance(&joint, still, 1e-3, none);
  test_near("at rest", still, none, 3, 0);
}

Test(joints, a_spline_curve_is_smooth_across_its_segments_and_closes) {
  uint64_t seed = 3;
  TestJoint s;
  test_random_joint(&s, MB_JOINT_SPLINE_CURVE, &seed);
  double S[6], Sdot[6], S2[6], S2dot[6];
  const double v = 1;
  MbPose A, B;
  for (int closed = 0; closed < 2; closed++) {
    s.spline.closed = closed;
    const int segments = closed ? KNOTS : KNOTS - 3;
    for (int k = 1; k < segments; k++) {
      eval(&s.joint, &(double){k - 1e-9}, &v, &A, S, Sdot);
      eval(&s.joint, &(double){k + 1e-9}, &v, &B, S2, S2dot);
      test_near("position", A.p, B.p, 3, 1e-7);
      test_near("slope", S, S2, 6, 1e-6);
      test_near("curvature", Sdot, S2dot, 6, 1e-6);
    }
  }
  eval(&s.joint, &(double){0.3}, &v, &A, S, Sdot);
  eval(&s.joint, &(double){0.3 - KNOTS}, &v, &B, S2, S2dot);
  test_near("once round", A.p, B.p, 3, 1e-13);
}

// R about an axis (0, 1, 2 = x, y, z), p along one
static MbPose turn(int axis, double angle) {
  MbPose E;
  double w[3] = {0};
  mb_pose_identity(&E);
  w[axis] = angle;
  mb_quat_exp(E.q, w);
  return E;
}

static MbPose slide(double x, double y, double z) { return (MbPose){{x, y, z}, {1, 0, 0, 0}}; }

// Q = R_z(a) B R_z(b): a part stands in its frame in what the part before it moves, the first in the joint's own.
Test(joints, a_part_of_a_composite_stands_in_its_frame) {
  const double q[2] = {0.3, -0.7}, v[2] = {1, 2};
  double S[12], Sdot[12];
  MbPose wanted, Q;
  for (size_t k = 0; k < 2; k++) {
    MbJoint part[2] = {{.ops = mb_joint_table[MB_JOINT_REVOLUTE], .n = 1, .axis = {0, 0, 1}},
                       {.ops = mb_joint_table[MB_JOINT_REVOLUTE], .n = 1, .axis = {0, 0, 1}}};
    const MbPose base = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}};
    part[k].base = &base;
    const MbJoint joint = {.ops = mb_joint_table[MB_JOINT_COMPOSITE], .n = 2, .nparts = 2, .part = part};
    const MbPose first = turn(2, q[0]), second = turn(2, q[1]);
    eval(&joint, q, v, &Q, S, Sdot);
    mb_pose_mul(&wanted, k ? &first : &base, k ? &base : &first);
    mb_pose_mul(&wanted, &wanted, &second);
    test_near("place", Q.p, wanted.p, 3, 1e-14);
    test_near("rotation", Q.q, wanted.q, 4, 1e-14);
  }
}

// ---- joints that are made of turns -------------------------------------------------------------------------

// Q, S and Ṡ v of the turns that a joint lists, against what it says of itself.
static void check_turns(const char *name, const MbJoint *joint, uint64_t *seed) {
  MbJointTurn turn[MB_JOINT_MOST];
  double q[MOST], v[MOST], S[6 * MOST], Sdot[6 * MOST], s[MOST][3], swing[3] = {0}, spin[3] = {0};
  double wanted[3] = {0}, R[9], found[9];
  MbPose Q;
  cr_assert(joint->ops->turns(joint, turn), "%s", name);
  for (int i = 0; i < MOST; i++) q[i] = 2 * test_around_zero(seed), v[i] = test_around_zero(seed);
  eval(joint, q, v, &Q, S, Sdot);
  double whole[4] = {1, 0, 0, 0};
  for (size_t i = 0; i < joint->n; i++) {
    const double c = cos(q[i] / 2), sine = sin(q[i] / 2), *a = turn[i].a;
    double across[3];
    mb_quat_mul(whole, whole, turn[i].k);
    mb_quat_mul(whole, whole, (const double[4]){c, sine * a[0], sine * a[1], sine * a[2]});
    mb_quat_rotate(s[i], whole, a);
    mb_vec3_cross(across, spin, s[i]);
    for (int k = 0; k < 3; k++) swing[k] += v[i] * across[k], spin[k] += v[i] * s[i][k];
  }
  mb_quat_to_mat3(R, Q.q), mb_quat_to_mat3(found, whole);
  test_near(name, found, R, 9, 1e-14);
  test_near(name, Q.p, wanted, 3, 1e-15);
  for (size_t i = 0; i < joint->n; i++) {
    mb_quat_unrotate(s[i], whole, s[i]);
    test_near(name, S + 6 * i, s[i], 3, 1e-14);
    test_near(name, S + 6 * i + 3, (const double[3]){0}, 3, 1e-14);
    for (int k = 0; k < 3; k++) wanted[k] += Sdot[6 * i + (size_t)k] * v[i];
  }
  mb_quat_unrotate(swing, whole, swing);
  test_near(name, swing, wanted, 3, 1e-13);
}

Test(joints, what_is_made_of_turns_lists_them) {
  uint64_t seed = 21;
  const MbPose tilted = {{0}, {0.5, 0.5, -0.5, 0.5}}, away = {{0, 1, 0}, {1, 0, 0, 0}};
  const MbJoint hinge = {.ops = mb_joint_table[MB_JOINT_REVOLUTE], .n = 1, .axis = {0.6, 0, 0.8}};
  const MbJoint universal = {.ops = mb_joint_table[MB_JOINT_UNIVERSAL], .n = 2, .base = &tilted};
  const MbJoint euler = {.ops = mb_joint_table[MB_JOINT_EULER], .n = 3, .order = {2, 0, 1}};
  const MbJoint slide = {.ops = mb_joint_table[MB_JOINT_PRISMATIC], .n = 1, .axis = {1, 0, 0}};
  const MbJoint inner[2] = {hinge, universal};
  const MbJoint nest = {
      .ops = mb_joint_table[MB_JOINT_COMPOSITE], .n = 3, .nparts = 2, .part = inner, .base = &tilted};
  const MbJoint parts[3] = {universal, nest, euler};
  MbJoint all = {.ops = mb_joint_table[MB_JOINT_COMPOSITE], .n = 8, .nparts = 3, .part = parts};
  check_turns("revolute", &hinge, &seed), check_turns("euler", &euler, &seed);
  for (int round = 0; round < 5; round++) check_turns("composite", &all, &seed);

  MbJointTurn turn[MB_JOINT_MOST];
  const MbJoint none = {.ops = mb_joint_table[MB_JOINT_COMPOSITE]};
  MbJoint off = hinge;
  off.base = &away;
  const MbJoint sliding[2] = {hinge, slide}, aside[2] = {hinge, off};
  all.n = all.nparts = 2;
  for (size_t k = 0; k < 2; k++) {
    all.part = k ? sliding : aside;
    cr_expect(!all.ops->turns(&all, turn), "axes that do not meet, or what slides: %zu", k);
  }
  cr_expect(!none.ops->turns(&none, turn));
  cr_expect_null(slide.ops->turns);
}

// The poses that the reference of the scene format promises, coordinate by coordinate.
Test(joints, coordinates_mean_what_the_reference_says) {
  const double a = 0.3, b = -0.7, c = 1.1, x = 0.2, y = -0.5, z = 0.9, lead = 0.25;
  const struct {
    MbJointKind kind;
    double q[6];
    MbPose part[3]; // whose product is Q
  } cases[] = {
      {MB_JOINT_REVOLUTE, {a}, {turn(2, a), turn(2, 0), turn(2, 0)}},
      {MB_JOINT_PRISMATIC, {z}, {slide(0, 0, z), turn(2, 0), turn(2, 0)}},
      {MB_JOINT_CYLINDRICAL, {a, z}, {turn(2, a), slide(0, 0, z), turn(2, 0)}},
      {MB_JOINT_SCREW, {a}, {turn(2, a), slide(0, 0, lead * a), turn(2, 0)}},
      {MB_JOINT_UNIVERSAL, {a, b}, {turn(0, a), turn(1, b), turn(2, 0)}},
      {MB_JOINT_PLANAR, {x, y}, {slide(x, y, 0), turn(2, 0), turn(2, 0)}},
      {MB_JOINT_TRANSLATIONAL, {x, y, z}, {slide(x, y, z), turn(2, 0), turn(2, 0)}},
      {MB_JOINT_EULER, {a, b, c}, {turn(2, a), turn(0, b), turn(1, c)}},
      {MB_JOINT_SPHERICAL, {0, b, 0}, {turn(1, b), turn(2, 0), turn(2, 0)}},
      {MB_JOINT_FREE2D, {x, y, c}, {slide(x, y, 0), turn(2, c), turn(2, 0)}},
      {MB_JOINT_FREE3D, {x, y, z, 0, 0, c}, {slide(x, y, z), turn(2, c), turn(2, 0)}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const MbJointOps *ops = mb_joint_table[cases[i].kind];
    const MbJoint joint = {.ops = ops, .n = ops->n, .axis = {0, 0, 1}, .lead = lead, .order = {2, 0, 1}};
    const double still[6] = {0};
    double S[36], Sdot[36], found[9], wanted[9];
    MbPose Q, W;
    eval(&joint, cases[i].q, still, &Q, S, Sdot);
    mb_pose_mul(&W, &cases[i].part[0], &cases[i].part[1]);
    mb_pose_mul(&W, &W, &cases[i].part[2]);
    test_near(ops->name, Q.p, W.p, 3, 1e-15);
    mb_quat_to_mat3(found, Q.q);
    mb_quat_to_mat3(wanted, W.q);
    test_near(ops->name, found, wanted, 9, 1e-15);
  }
}

Test(joints, a_spline_takes_any_coordinate) {
  double u = 0;
  const double any[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
  for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
    cr_assert_lt(mb_spline_segment(any[i], 3, false, &u), 3, "open, %g", any[i]);
    cr_assert_lt(mb_spline_segment(any[i], 3, true, &u), 3, "closed, %g", any[i]);
  }
}
