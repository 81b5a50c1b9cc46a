// A joint as a constraint: W, V, bend and turn of every row of the joints' table against central differences, on poses that
// the joint allows and beside them.
#include "core/model/joint_gap.h"
#include "core/joints/joints.h"
#include "tests/trees.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

enum { DOFS = MB_JOINT_DOFS };

// Central differences of fourth order at ±E, ±2E: E⁴ times fifth derivatives, and rounding 1e-15/E.
static const double E = 3e-5, TOLERANCE = 1e-8;
enum { SIDES = 4 };
static const double side[SIDES] = {-2, -1, 1, 2}, weight[SIDES] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

// A composite of simple joints with six degrees of freedom at most, every part about an axis of its own.
static void make_composite(TestJoint *s, uint64_t *seed) {
  static const MbJointKind kinds[] = {MB_JOINT_REVOLUTE,  MB_JOINT_PRISMATIC, MB_JOINT_CYLINDRICAL,
                                      MB_JOINT_SCREW,     MB_JOINT_UNIVERSAL, MB_JOINT_SPLINE_CURVE,
                                      MB_JOINT_SPHERICAL, MB_JOINT_FIXED};
  test_random_joint(s, MB_JOINT_COMPOSITE, seed);
  MbJoint *joint = &s->joint;
  joint->n = joint->nparts = 0;
  while (joint->nparts < 3) {
    MbJoint *part = &s->part[joint->nparts];
    const MbJointKind kind = kinds[(size_t)(test_random(seed) * sizeof kinds / sizeof *kinds)];
    if (joint->n + mb_joint_table[kind]->n > DOFS) continue;
    *part = *joint;
    part->ops = mb_joint_table[kind], part->n = mb_joint_table[kind]->n;
    for (int i = 0; i < 3; i++) part->axis[i] = test_around_zero(seed);
    mb_vec3_scale(part->axis, 1 / mb_vec3_norm(part->axis), part->axis);
    joint->n += part->n, joint->nparts++;
  }
}

typedef struct Case {
  TestJoint made;
  MbPose X; // Q(q) exp(off)
  double q[DOFS], xi[6];
} Case;

static void make_case(Case *c, MbJointKind kind, int round, uint64_t *seed) {
  static const double sizes[] = {1e-3, 0.8, 1.4}; // small, middling and large coordinates
  static const double beside[] = {0, 1e-4, 0.02};
  double off[6], S[6 * DOFS], Sdot[6 * DOFS];
  const double still[DOFS] = {0};
  MbPose Q, D;
  if (kind == MB_JOINT_COMPOSITE)
    make_composite(&c->made, seed);
  else
    test_random_joint(&c->made, kind, seed);
  for (int i = 0; i < 6; i++) {
    c->q[i] = sizes[round % 3] * test_around_zero(seed);
    c->xi[i] = test_around_zero(seed);
    off[i] = beside[round / 3 % 3] * test_around_zero(seed);
  }
  for (int i = 0; i < 2 && kind >= MB_JOINT_SPLINE_CURVE; i++) // inside a segment
    c->q[i] = 0.1 + 0.8 * test_random(seed);
  c->made.joint.ops->eval(&c->made.joint, c->q, still, &Q, S, Sdot);
  mb_se3_exp(&D, off);
  mb_pose_mul(&c->X, &Q, &D);
}

// Where the frame is after s seconds; looked for from the same coordinates, so that the rows are the same.
static bool gap_after(const Case *c, double s, double q[DOFS], MbJointGap *gap) {
  MbPose X = c->X;
  mb_pose_advance(&X, s, c->xi);
  memcpy(q, c->q, DOFS * sizeof *q);
  return mb_joint_gap(&c->made.joint, &X, c->xi, q, gap);
}

static void times(double *out, const double *A, size_t rows, const double x[6]) {
  for (size_t r = 0; r < rows; r++) {
    out[r] = 0;
    for (size_t i = 0; i < 6; i++) out[r] += A[6 * r + i] * x[i];
  }
}

static void near(const char *name, const char *what, const double *is, const double *wanted, size_t n) {
  char text[80];
  double most = 1;
  snprintf(text, sizeof text, "%s: %s", name, what);
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(wanted[i]));
  test_near(text, is, wanted, n, TOLERANCE * most);
}

// Whether no motion of the joint is nearly another one: composites of turns about one point have more than they can use.
static bool is_tame(const Case *c) {
  static const double LEAST = 0.1; // 1/LEAST is by how much V multiplies errors
  double S[6 * DOFS], Sdot[6 * DOFS], values[6] = {INFINITY}, none[1];
  const double still[DOFS] = {0};
  MbPose Q;
  const int n = (int)c->made.joint.n;
  c->made.joint.ops->eval(&c->made.joint, c->q, still, &Q, S, Sdot);
  if (n) cr_assert_eq(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', 6, n, S, 6, values, none, 6, none, 6), 0);
  return values[n ? n - 1 : 0] > LEAST;
}

static void check_differences(const Case *c, const char *name) {
  MbJointGap gap, there;
  double q[DOFS], moved[DOFS], is[6], g[6] = {0}, rate[6] = {0}, bend[6] = {0}, turn[6] = {0};
  cr_assert(gap_after(c, 0, q, &gap), "%s", name);
  cr_assert_eq(gap.n + gap.rows, 6);
  for (int k = 0; k < SIDES; k++) {
    const double w = weight[k] / E;
    cr_assert(gap_after(c, side[k] * E, moved, &there), "%s", name);
    times(is, there.W, there.rows, c->xi);
    for (size_t r = 0; r < gap.rows; r++) g[r] += w * there.g[r], bend[r] += w * is[r];
    for (size_t i = 0; i < gap.n; i++) rate[i] += w * (moved[i] - q[i]), turn[i] += w * there.v[i];
  }
  times(is, gap.W, gap.rows, c->xi);
  near(name, "ġ = W ξ", is, g, gap.rows);
  near(name, "bend", gap.bend, bend, gap.rows);
  times(is, gap.V, gap.n, c->xi);
  near(name, "q̇ = V ξ", is, rate, gap.n);
  near(name, "q̇", gap.v, rate, gap.n);
  near(name, "turn", gap.turn, turn, gap.n);
}

Test(joint_gap, slopes_and_second_derivatives_of_every_kind_agree_with_central_differences) {
  uint64_t seed = 8;
  enum { ROUNDS = 45 };
  for (MbJointKind kind = 0; kind < MB_JOINTS; kind++) {
    int seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Case c;
      make_case(&c, kind, round, &seed);
      if (!is_tame(&c)) continue;
      check_differences(&c, mb_joint_words[kind]);
      seen++;
    }
    cr_assert_gt(seen, ROUNDS / 2, "%s: %d", mb_joint_words[kind], seen);
  }
}

Test(joint_gap, a_pose_that_the_joint_allows_has_no_gap_and_its_own_coordinates) {
  uint64_t seed = 19;
  for (int round = 0; round < 45; round++)
    for (MbJointKind kind = 0; kind < MB_JOINTS; kind++) {
      Case c;
      MbJointGap gap;
      double q[DOFS], S[6 * DOFS], Sdot[6 * DOFS], v[DOFS];
      const double none[6] = {0};
      MbPose Q;
      make_case(&c, kind, round % 3, &seed);
      for (int i = 0; i < 6; i++) v[i] = test_around_zero(&seed);
      if (!is_tame(&c)) continue;
      const size_t n = c.made.joint.n;
      c.made.joint.ops->eval(&c.made.joint, c.q, v, &Q, S, Sdot);
      memset(c.xi, 0, sizeof c.xi);
      for (size_t i = 0; i < 6 * n; i++) c.xi[i % 6] += S[i] * v[i / 6];
      // from a little aside, and with the other of the two quaternions
      for (int i = 0; i < 6; i++) q[i] = c.q[i] + 0.02 * test_around_zero(&seed);
      for (int i = 0; i < 4 && round % 2; i++) c.X.q[i] = -c.X.q[i];
      cr_assert(mb_joint_gap(&c.made.joint, &c.X, c.xi, q, &gap), "%s", mb_joint_words[kind]);
      double rate[6];
      times(rate, gap.W, gap.rows, c.xi);
      test_near(mb_joint_words[kind], q, c.q, n, 1e-11);             // what is_tame allows of rounding
      test_near(mb_joint_words[kind], gap.g, none, gap.rows, 1e-13); // rounding
      test_near(mb_joint_words[kind], rate, none, gap.rows, 1e-12);
      test_near(mb_joint_words[kind], gap.v, v, n, 1e-11);
    }
}

Test(joint_gap, motions_that_are_the_same_are_told) {
  const double xi[6] = {0};
  const MbPose still = {{0, 0, 0}, {1, 0, 0, 0}};
  MbJointGap gap;
  double q[DOFS] = {0};
  MbJoint twice[2] = {{.ops = mb_joint_table[MB_JOINT_REVOLUTE], .n = 1, .axis = {0, 0, 1}}};
  twice[1] = twice[0];
  const MbJoint composite = {.ops = mb_joint_table[MB_JOINT_COMPOSITE], .n = 2, .nparts = 2, .part = twice};
  cr_expect_not(mb_joint_gap(&composite, &still, xi, q, &gap));

  const MbJoint euler = {.ops = mb_joint_table[MB_JOINT_EULER], .n = 3, .order = {0, 1, 2}};
  q[1] = acos(-1.0) / 2; // x and z turn about the same axis
  MbPose Q;
  double S[36], Sdot[36];
  euler.ops->eval(&euler, q, xi, &Q, S, Sdot);
  cr_expect_not(mb_joint_gap(&euler, &Q, xi, q, &gap));

  TestJoint seven;
  uint64_t seed = 1;
  test_random_joint(&seven, MB_JOINT_COMPOSITE, &seed);
  double many[MB_JOINT_MOST] = {0};
  cr_expect_not(mb_joint_gap(&seven.joint, &still, xi, many, &gap));
}

Test(joint_gap, what_is_not_a_number_is_refused) {
  uint64_t seed = 30;
  for (MbJointKind kind = 0; kind < MB_JOINTS; kind++) {
    Case c;
    MbJointGap gap;
    make_case(&c, kind, 1, &seed);
    if (!c.made.joint.n) continue; // a fixed joint has nothing to look for
    c.X.p[1] = NAN, c.X.q[2] = NAN;
    cr_expect_not(mb_joint_gap(&c.made.joint, &c.X, c.xi, c.q, &gap), "%s", mb_joint_words[kind]);
  }
}
