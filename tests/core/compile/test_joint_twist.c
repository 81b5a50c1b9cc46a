// A joint's velocity at the start, given as how the body moves in its parent.
#include "core/compile/compile_internal.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <string.h>

#define SCENE(joint)                                                                                         \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"duration\": 1}, \"bodies\": [{\"name\": \"a\", "             \
  "\"inertia\": {\"mass\": 1, \"matrix\": [1, 2, 3, 0, 0, 0]}, \"joint\": " joint "}], "                     \
  "\"output\": {\"channels\": [\"joint.velocity\", \"body.velocity\"]}}"

static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"trapezoidal\"",
                                          "/integrator=\"rk45\"", "/solver=\"maximal\""};

// Rates of the coordinates, and the body's twist in the world, whatever integrates.
static void expect(const char *text, size_t n, const double *rates, const double twist[6]) {
  for (size_t k = 0; k < 4; k++) {
    TestRun run = test_run(text, (const char *const[]){integrators[k], NULL});
    if (rates) test_near(text + 130, test_channel(run.sim, "joint.velocity", NULL), rates, n, 1e-12);
    if (twist) test_near(text + 130, test_channel(run.sim, "body.velocity", NULL), twist, 6, 1e-12);
    test_run_free(&run);
  }
}

static void refuse(const char *text, const char *message) {
  for (size_t k = 0; k < 4; k++) {
    MbReport report = {0};
    const MbStatus status = test_try(text, (const char *const[]){integrators[k], NULL}, 0, &report);
    cr_expect_eq(status, MB_SCENE, "%s", text + 130);
    cr_expect(report.kept && strstr(report.issues[0].text, message), "%s: %s", text + 130,
              report.kept ? report.issues[0].text : "nothing said");
  }
}

Test(joint_twist, every_joint_that_turns_freely_turns_as_it_is_told) {
  const double w[6] = {1, 2, 3};
  expect(SCENE("{\"type\": \"spherical\", \"velocity\": {\"angular\": [1, 2, 3]}}"), 3, w, w);
  expect(
      SCENE("{\"type\": \"spherical\", \"position\": [0.5, -1, 2], \"velocity\": {\"angular\": [1, 2, 3]}}"),
      0, NULL, w);
  expect(
      SCENE(
          "{\"type\": \"euler\", \"order\": \"zxz\", \"position\": [0.5, -1, 2], \"velocity\": {\"angular\": "
          "[1, 2, 3]}}"),
      0, NULL, w);
  const double both[6] = {1, 2, 3, 4, 5, 6}, rates[6] = {4, 5, 6, 1, 2, 3};
  expect(SCENE("{\"type\": \"free3d\", \"velocity\": {\"angular\": [1, 2, 3], \"linear\": [4, 5, 6]}}"), 6,
         rates, both);
  expect(
      SCENE(
          "{\"type\": \"free3d\", \"position\": [9, 8, 7, 2, 1, -2], \"velocity\": {\"angular\": [1, 2, 3], "
          "\"linear\": [4, 5, 6]}}"),
      0, NULL, both);
}

Test(joint_twist, axes_are_those_of_the_joint_in_the_parent_or_in_the_body) {
  // the joint's z is the world's x; the body has turned about it by 90 degrees, so that its x is the joint's y, the world's z
#define TURNED "\"in_parent\": {\"rotation\": {\"axis\": [1, 1, 1], \"angle\": \"=120*deg\"}}, "
  const double parent[6] = {3, 1, 2}, body[6] = {3, -2, 1};
  expect(SCENE("{\"type\": \"spherical\", " TURNED "\"velocity\": {\"angular\": [1, 2, 3]}}"), 0, NULL,
         parent);
  expect(SCENE("{\"type\": \"spherical\", " TURNED
               "\"position\": [0, 0, \"=90*deg\"], \"velocity\": {\"angular\": "
               "[1, 2, 3], \"frame\": \"body\"}}"),
         0, NULL, body);
}

Test(joint_twist, what_is_not_given_is_as_small_as_it_can_be) {
  const double turn = 6.283185307179586;
  expect(
      SCENE(
          "{\"type\": \"screw\", \"axis\": [0, 0, 1], \"pitch\": 2, \"velocity\": {\"angular\": [0, 0, 3]}}"),
      1, (const double[]){3}, (const double[]){0, 0, 3, 0, 0, 6 / turn});
  expect(
      SCENE(
          "{\"type\": \"screw\", \"axis\": [0, 0, 1], \"pitch\": 2, \"velocity\": {\"linear\": [0, 0, 3]}}"),
      1, (const double[]){1.5 * turn}, (const double[]){0, 0, 1.5 * turn, 0, 0, 3});
  expect(SCENE("{\"type\": \"cylindrical\", \"axis\": [0, 0, 1], \"velocity\": {\"angular\": [0, 0, 3]}}"), 2,
         (const double[]){3, 0}, NULL);
  expect(SCENE("{\"type\": \"cylindrical\", \"axis\": [0, 0, 1], \"velocity\": {\"linear\": [0, 0, 3]}}"), 2,
         (const double[]){0, 3}, NULL);
  expect(SCENE("{\"type\": \"universal\", \"position\": [0.3, 0.4], \"velocity\": {\"angular\": [2, 0, 0]}}"),
         2, (const double[]){2, 0}, NULL);
  expect(
      SCENE(
          "{\"type\": \"composite\", \"joints\": [{\"type\": \"prismatic\", \"axis\": [1, 0, 0]}, {\"type\": "
          "\"spherical\"}], \"position\": [1, 0.1, 2, 0.3], \"velocity\": {\"angular\": [1, 2, 3], "
          "\"linear\": "
          "[4, 0, 0]}}"),
      0, NULL, (const double[]){1, 2, 3, 4, 0, 0});
}

Test(joint_twist, what_the_joint_cannot_do_is_refused_with_what_it_can) {
  refuse(SCENE("{\"type\": \"revolute\", \"axis\": [0, 0, 1], \"velocity\": {\"angular\": [1, 0, 3]}}"),
         "found [1, 0, 3], which this joint cannot do at this position: the nearest is [0, 0, 3]");
  refuse(SCENE("{\"type\": \"revolute\", \"axis\": [0, 0, 1], \"velocity\": {\"linear\": [1, 0, 0]}}"),
         "the nearest is [0, 0, 0]");
  refuse(
      SCENE("{\"type\": \"screw\", \"axis\": [0, 0, 1], \"pitch\": 2, \"velocity\": {\"angular\": [0, 0, 3], "
            "\"linear\": [0, 0, 1]}}"),
      "cannot do with this angular velocity: the nearest is [0, 0, 0.95493]");
  refuse(SCENE("{\"type\": \"euler\", \"order\": \"zxz\", \"velocity\": {\"angular\": [0, 1, 0]}}"),
         "cannot do at this position: the nearest is [0, 0, 0]");
  refuse(SCENE("{\"type\": \"euler\", \"order\": \"zxz\", \"velocity\": {\"angular\": [0, 0, 1]}}"),
         "some of the joint's 3 coordinates make the same motion");
  refuse(SCENE("{\"type\": \"fixed\", \"velocity\": {\"angular\": [0, 0, 1]}}"), "the nearest is [0, 0, 0]");
  refuse(SCENE("{\"type\": \"spherical\", \"velocity\": {\"angular\": [0, 0]}}"),
         "wanted a list of 3 numbers");
}

Test(joint_twist, random_motions_of_random_joints_are_found_again) {
  uint64_t seed = 77;
  static const MbJointKind kinds[] = {MB_JOINT_REVOLUTE,    MB_JOINT_SCREW, MB_JOINT_UNIVERSAL,
                                      MB_JOINT_CYLINDRICAL, MB_JOINT_EULER, MB_JOINT_SPHERICAL,
                                      MB_JOINT_FREE3D,      MB_JOINT_FREE2D};
  for (int round = 0; round < 80; round++) {
    TestJoint s;
    double q[8], v[8], found[8], S[48], Sdot[48], twist[6] = {0};
    test_random_joint(&s, kinds[round % 8], &seed);
    for (int i = 0; i < 8; i++) q[i] = test_around_zero(&seed), v[i] = test_around_zero(&seed);
    MbPose Q;
    s.joint.ops->eval(&s.joint, q, v, &Q, S, Sdot);
    for (size_t i = 0; i < s.joint.n; i++)
      for (size_t k = 0; k < 6; k++) twist[k] += S[6 * i + k] * v[i];
    MbJointTwistSpec given = {.has_angular = true, .has_linear = true, .axes = MB_SIDE_PARENT};
    mb_quat_rotate(given.angular, Q.q, twist);
    mb_quat_rotate(given.linear, Q.q, twist + 3);
    MbReport report = {0};
    test_ok(mb_compile_joint_twist(&given, &s.joint, q, "/joint", found, &report), &report);
    test_near(s.joint.ops->name, found, v, s.joint.n, 1e-11);
  }
}
