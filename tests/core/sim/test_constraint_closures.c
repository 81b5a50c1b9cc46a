// Joints as loop closures, in motion.
#include "tests/core/sim/constraint_runs.h"

#include <stdio.h>
#include <string.h>

// What a joint needs besides its type, with a comma behind it.
static void keys_of(const char *joint, char *text, size_t size) {
  static const char *const frames =
      "\"frames\": [{\"position\": [0, 0, 0]}, {\"position\": [0.3, 0.1, 0]}, {\"position\": [0.6, 0.3, "
      "0.2], "
      "\"rotation\": {\"axis\": [0, 1, 0], \"angle\": 0.4}}, {\"position\": [0.8, 0.8, 0.1]}, {\"position\": "
      "[1, 1, 0.3]}],";
  text[0] = 0;
  if (!strcmp(joint, "euler")) snprintf(text, size, "\"order\": \"xyz\",");
  if (!strcmp(joint, "screw")) snprintf(text, size, "\"pitch\": 0.4, \"axis\": [1, 2, 0],");
  if (!strcmp(joint, "composite"))
    snprintf(text, size, "\"joints\": [{\"type\": \"spherical\"}, {\"type\": \"prismatic\"}],");
  if (!strcmp(joint, "spline_curve")) snprintf(text, size, "%s", frames);
  if (strcmp(joint, "spline_surface")) return;
  size_t n = (size_t)snprintf(text, size, "\"control\": [");
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        n += (size_t)snprintf(text + n, size - n, "%s%g%s",
                              i + j ? j ? ", " : "], ["
                              : k   ? ", [["
                                    : "[[",
                              k == 0   ? i
                              : k == 1 ? j
                              : k == 2 ? 0.1 * i * j
                                       : 0.05 * (i - j),
                              i + j == 6 ? "]]" : "");
  snprintf(text + n, size - n, "],");
}

// A body on a swinging arm: hanging on it by a joint of the tree, or free in space and held by a closure.
static void arm(char *text, size_t size, const char *joint, bool closure) {
  char geometry[1000], place[200];
  snprintf(place, sizeof place, "\"position\": %g", closure ? 0.25 : 0.3); // near it
  if (!strcmp(joint, "fixed")) place[0] = 0;
  keys_of(joint, geometry, sizeof geometry);
  static const char *const
      F = "{\"position\": [0.1, -0.2, 0.7], \"rotation\": {\"euler\": \"xyz\", \"angles\": [0.3, "
          "0.5, -0.2]}}",
      *const G = "{\"position\": [-0.3, 0.1, 0.2], \"rotation\": {\"euler\": \"xyz\", \"angles\": [-0.4, "
                 "0.1, 0.6]}}";
  char own[1500], rest[1500] = "";
  snprintf(own, sizeof own,
           "\"joint\": {\"type\": \"%s\", %s \"parent\": \"arm\", \"in_parent\": %s, \"in_body\": %s%s%s}",
           joint, geometry, F, G, place[0] ? ", " : "", place);
  if (closure)
    snprintf(rest, sizeof rest,
             ", \"constraints\": [{\"joint\": {%s \"type\": \"%s\"%s%s}, \"between\": [{\"body\": \"arm\", "
             "\"frame\": %s}, "
             "{\"body\": \"held\", \"frame\": %s}]}]",
             geometry, joint, place[0] ? ", " : "", place, F, G);
  snprintf(
      text, size,
      "{\"mbsim\": 1, \"time\": {\"step\": 0.05, \"duration\": 0.5}, \"integrator\": {\"type\": \"rk45\", "
      "\"relative\": 1e-9, \"absolute\": 1e-11}, \"bodies\": ["
      "{\"name\": \"arm\", \"inertia\": {\"mass\": 2, \"center\": [0, 0.3, 0.4], \"matrix\": [0.1, 0.2, 0.3, "
      "0, 0, "
      "0]}, \"joint\": {\"type\": \"revolute\", \"axis\": [1, 0.2, 0], \"velocity\": 0}}, "
      "{\"name\": \"held\", \"inertia\": {\"mass\": 1, \"center\": [0.1, 0.2, -0.3], \"matrix\": [0.2, 0.25, "
      "0.3, "
      "0.01, 0.02, 0]}, %s}]%s}",
      closure ? "\"pose\": {}" : own, rest);
}

Test(constraints, a_joint_that_closes_a_loop_holds_as_one_of_the_tree) {
  static const char *const joints[] = {
      "fixed",     "revolute", "prismatic", "cylindrical", "universal", "planar",       "translational",
      "spherical", "euler",    "free2d",    "screw",       "composite", "spline_curve", "spline_surface"};
  static char text[6000];
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    arm(text, sizeof text, joints[i], false);
    TestRun tree = parse(text);
    arm(text, sizeof text, joints[i], true);
    // put the free body where the joint has it, before the run begins
    char set[300];
    MbPose B, inverse;
    mb_pose_inverse(&inverse, &tree.model->C[1]);
    mb_pose_mul(&B, &tree.sim->x.E[1], &inverse);
    mb_quat_normalise(B.q);
    snprintf(
        set, sizeof set,
        "/bodies/1/pose={\"position\": [%.17g, %.17g, %.17g], \"rotation\": [%.17g, %.17g, %.17g, %.17g]}",
        B.p[0], B.p[1], B.p[2], B.q[0], B.q[1], B.q[2], B.q[3]);
    const char *sets[] = {set, NULL};
    TestRun loop = test_run(text, sets);
    test_steps(tree.sim, 10);
    test_steps(loop.sim, 10);
    for (size_t b = 0; b < 2; b++) {
      double R[2][9];
      mb_quat_to_mat3(R[0], tree.sim->x.E[b].q);
      mb_quat_to_mat3(R[1], loop.sim->x.E[b].q);
      test_near(joints[i], loop.sim->x.E[b].p, tree.sim->x.E[b].p, 3, 1e-6);
      test_near(joints[i], R[1], R[0], 9, 1e-6);
    }
    mb_sim_free(tree.sim);
    mb_model_free(tree.model);
    mb_scene_free(tree.scene);
    end(&loop);
  }
}

// A constant torque on the spindle: (I + m l²) θ̈ = τ − m g l, l metres a radian; many turns, and on from a checkpoint.
Test(constraints_long, a_screw_that_closes_a_loop_counts_its_turns) {
  for (int adaptive = 0; adaptive < 2; adaptive++) {
    static char bytes[20000];
    TestRun run = load("screw_jack", adaptive ? RK45 : "/integrator=\"implicit\"", NULL);
    const double pi = 3.14159265358979323846, l = 0.05 / (2 * pi), t = 2;
    const double I = 0.5 * 7800 * pi * 0.02 * 0.02 * 0.02 * 0.02, m = 20;
    const double a = (2 - m * 9.81 * l) / (I + m * l * l);
    test_steps(run.sim, 1000);
    cr_assert_leq(mb_sim_checkpoint_size(run.sim), sizeof bytes);
    mb_sim_checkpoint(run.sim, bytes);
    test_steps(run.sim, 1000);
    const double *q = run.sim->state.q, turned = -q[0], up = q[1] + 0.4;
    const double expected = adaptive ? a * t * t / 2 : a * t * (t + 1e-3) / 2; // Euler's sum of velocities
    cr_expect_gt(turned, 20 * pi);
    test_near("angle", &turned, &expected, 1, 1e-8 * expected);
    test_near("lift", &up, &(double){l * turned}, 1, 1e-9);
    const double last[2] = {q[0], q[1]};
    MbReport report = {0};
    test_ok(mb_sim_restore(run.sim, bytes, mb_sim_checkpoint_size(run.sim), &report), &report);
    test_steps(run.sim, 1000);
    cr_assert_eq(memcmp(last, run.sim->state.q, sizeof last), 0);
    end(&run);
  }
}

// The rotation vector of the closure's coordinates is exchanged for its equivalent on the way.
Test(constraints, a_composite_that_closes_a_loop_goes_round) {
  static const char *const integrators[] = {"\"symplectic\"", "\"rk45\""};
  for (int i = 0; i < 2; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"duration\": 3}, "
             "\"integrator\": %s, \"bodies\": "
             "[{\"name\": "
             "\"top\", \"inertia\": {\"mass\": 1, \"matrix\": [0.1, 0.1, 0.2, 0, 0, 0]}, \"velocity\": "
             "{\"angular\": "
             "[0, 0, 6], \"linear\": [0, 0, 0.5]}}], \"constraints\": [{\"joint\": {\"type\": \"composite\", "
             "\"joints\": "
             "[{\"type\": \"prismatic\"}, {\"type\": \"spherical\"}]}, \"between\": [{\"body\": \"world\"}, "
             "{\"body\": \"top\"}]}]}",
             integrators[i]);
    TestRun run = parse(text);
    test_steps(run.sim, 300);
    const double w = mb_vec3_norm(run.sim->state.v), z = run.sim->x.E[0].p[2];
    test_near("spin", &w, &(double){6}, 1, 1e-9); // nothing turns or slows it
    test_near("way", &z, &(double){1.5}, 1, 1e-9);
    const double *q = mb_section(run.sim, MB_SECTION_CLOSURES); // way, rotation vector
    cr_assert_lt(mb_vec3_norm(q + 1), 5);                       // 3/4 of a turn
    cr_assert_lt(mb_sim_constraint_error(run.sim), 1e-9);
    end(&run);
  }
}

// Six hinges hold thirty of thirty freedoms, and one of the five rows is made of the others: one freedom is left.
Test(constraints, bricards_linkage_moves_although_counting_forbids_it) {
  TestRun run = load("bricard", NULL, NULL);
  test_steps(run.sim, 1500);
  cr_assert_eq(run.sim->nv, 5);
  cr_assert_eq(run.model->nslots, 5);
  cr_expect_gt(energy(&run).kinetic, 1); // J, of some ten that it can have
  cr_expect_lt(mb_sim_constraint_error(run.sim), 1e-5);
  end(&run);
}
