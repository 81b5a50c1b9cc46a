// Bodies and deformables of elements in one step: what comes of them is what comes of the same scene where nodes are bodies and elements
// forces between them; momentum, reactions, extremes, resumed runs.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define OUTPUT                                                                                               \
  "\"output\": {\"channels\": [\"body.position\", \"body.velocity\", \"momentum\""                           \
  "]}, "
#define HEAD                                                                                                 \
  "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.002, \"steps\": 1000}, " OUTPUT
#define FREE "\"gravity\": [0, 0, 0], "
#define BOX(name, rest)                                                                                      \
  "{\"name\": \"" name                                                                                       \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1]}, \"density\": 500" rest "}"
#define HINGE(parent, x)                                                                                     \
  ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"" parent                         \
  "\", \"in_parent\": {\"position\": [" x ", 0, 0]}, \"in_body\": {\"position\": [-0.1, 0, 0]}, "            \
  "\"position\": 0.2, \"velocity\": 1}"
#define TETS(name, box, size, place, attach)                                                                 \
  "{\"name\": \"" name "\", \"type\": \"tets\", \"mesh\": {\"box\": " box ", \"size\": " size "}, "          \
  "\"pose\": {\"position\": " place "}, \"material\": {\"model\": \"corotational\", \"young\": 2e4, "        \
  "\"poisson\": 0.3, \"density\": 300}" attach "}"

// ---- agreement --------------------------------------------------------------------------------------------

// An arm of two boxes on hinges with a bar of rubber between the world's side of the one and the free end of the other: a loop.
static const char arm[] = HEAD "\"bodies\": [" BOX("upper", HINGE("world", "0")) ", " BOX(
    "lower",
    HINGE("upper", "0.1")) "], "
                           "\"deformables\": [" TETS(
                               "bar", "[3, 3, 5]", "[0.1, 0.1, 0.3]", "[0.1, -0.05, -0.35]",
                               ", \"attach\": [{\"select\": {\"side\": \"+z\"}, \"body\": \"upper\"}, "
                               "{\"select\": {\"vertices\": [0, 2]}, \"body\": \"lower\"}]") "]}";
// Cloth on two bars of a linkage of four.
static const char linkage[] =
    HEAD "\"bodies\": [" BOX("left", HINGE("world", "0")) ", " BOX("top", HINGE("left", "0.1")) ", " BOX(
        "right", HINGE("top", "0.1")) "], "
                                      "\"constraints\": [{\"type\": \"point\", \"compliance\": 1e-5, "
                                      "\"between\": [{\"body\": \"right\", \"at\": [0.1, 0, 0]}, "
                                      "{\"body\": \"world\", \"at\": [0.55, 0, -0.23]}]}], "
                                      "\"deformables\": [{\"name\": \"sail\", \"type\": \"cloth\", \"mesh\": "
                                      "{\"grid\": [5, 5], \"size\": [0.2, 0.2], "
                                      "\"pattern\": \"cross\"}, \"pose\": {\"position\": [0.1, 0.1, 0]}, "
                                      "\"material\": {\"young\": 2e4, \"poisson\": 0.3, "
                                      "\"density\": 300, \"thickness\": 1e-3}, \"attach\": [{\"select\": "
                                      "{\"vertices\": [0, 4]}, \"body\": \"left\"}, "
                                      "{\"select\": {\"vertices\": [24]}, \"body\": \"right\"}]}]}";
// A muscle from a body to a soft block, a spring from the block to a body in space, which a rod holds at the block as well.
static const char muscle[] = HEAD "\"bodies\": [" BOX("arm", HINGE("world", "0")) ", " BOX(
    "ball",
    ", \"pose\": {\"position\": [0.8, 0.3, 0]}") "], "
                                                 "\"deformables\": [" TETS(
                                                     "block", "[3, 3, 3]", "[0.2, 0.2, 0.2]",
                                                     "[0.5, -0.1, -0.1]",
                                                     "") "], "
                                                         "\"forces\": [{\"type\": \"muscle\", \"path\": "
                                                         "[{\"body\": \"arm\", \"at\": [0.1, 0, 0]}, "
                                                         "{\"node\": \"block\", \"index\": 4}], "
                                                         "\"activation\": \"=0.5*(1-cos(20*t))\", "
                                                         "\"max_force\": 20, \"optimal_length\": 0.4, "
                                                         "\"max_velocity\": 5}, "
                                                         "{\"type\": \"spring\", \"between\": [{\"body\": "
                                                         "\"ball\", \"at\": [0.05, 0, 0]}, {\"node\": "
                                                         "\"block\", \"index\": 20}], "
                                                         "\"stiffness\": 5000, \"damping\": 1}, {\"type\": "
                                                         "\"damping\", \"coefficient\": 0.1}], "
                                                         "\"constraints\": [{\"type\": \"distance\", "
                                                         "\"between\": [{\"body\": \"ball\", \"at\": [0, "
                                                         "0.05, 0]}, {\"node\": \"block\", "
                                                         "\"index\": 26}]}]}";
// A string from a body through a soft finger, a spring along a path.
static const char finger[] = HEAD "\"bodies\": [" BOX(
    "palm", HINGE("world", "0")) "], "
                                 "\"deformables\": [" TETS(
                                     "finger", "[5, 3, 3]", "[0.4, 0.1, 0.1]", "[0.2, -0.05, -0.05]",
                                     ", \"attach\": [{\"select\": {\"side\": \"-x\"}, \"body\": "
                                     "\"palm\"}]") "], "
                                                   "\"forces\": [{\"type\": \"multi_spring\", \"path\": "
                                                   "[{\"body\": \"palm\", \"at\": [0, 0, 0.1]}, "
                                                   "{\"node\": \"finger\", "
                                                   "\"index\": 41}, {\"node\": \"finger\", \"index\": "
                                                   "43}, {\"node\": \"finger\", \"index\": 44}], "
                                                   "\"stiffness\": 40, \"length\": 0.4, "
                                                   "\"damping\": 1}]}";

enum { MOST = 4000 };

// Places of bodies and nodes when `time` has passed, in steps of h.
static size_t places(const char *scene, const char *solver, double h, double time, double *out) {
  char step[60];
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  TestRun run = test_run(scene, (const char *const[]){solver, step, NULL});
  test_steps(run.sim, lrint(time / h));
  size_t n = 0;
  const double *bodies = test_channel(run.sim, "body.position", &n);
  cr_assert_leq(n, MOST);
  memcpy(out, bodies, n * sizeof *out);
  for (size_t i = 0; i < run.model->ndeformables; i++) {
    const MbDeformable *of = &run.model->deformables[i];
    cr_assert_leq(n + 3 * of->count, MOST);
    for (size_t k = 0; k < of->count; k++, n += 3)
      mb_vec3_copy(out + n, of->points ? mb_nodes_places(run.sim) + 3 * (of->first + k)
                                       : run.sim->x.E[of->first + k].p);
  }
  test_run_free(&run);
  return n;
}

// Both are of first order and differ in how a step's equations are made linear, by c h + d h² + …: with the first two powers taken out of
// three steps nothing is left of it but `limit`, of 1e-6 of the scene's size.
static void check_steps(const char *name, const char *scene, const char *bodies, double longest, double time,
                        double last, double limit) {
  static double a[MOST], b[MOST], apart[3][MOST];
  char solver[160];
  double before = 0, far = 0, left = 0;
  size_t n = 0;
  snprintf(solver, sizeof solver,
           "/solver={\"type\": \"projective\", \"iterations\": 300, \"bodies\": \"%s\"}", bodies);
  for (int k = 0; k < 3; k++) {
    const double h = longest / (1 << k);
    n = places(scene, "/solver=\"redmax\"", h, time, a);
    cr_assert_eq(places(scene, solver, h, time, b), n);
    before = far, far = test_distance(a, b, n);
    for (size_t i = 0; i < n; i++) apart[k][i] = b[i] - a[i];
    printf("%-8s bodies by %-7s h = %.0e s: %.2e m from \"redmax\"\n", name, bodies, h, far);
  }
  for (size_t i = 0; i < n; i++)
    left = fmax(left, fabs((8 * apart[2][i] - 6 * apart[1][i] + apart[0][i]) / 3));
  printf("%-8s bodies by %-7s h -> 0: %.2e m\n", name, bodies, left);
  cr_expect_lt(far, last, "%s, bodies by %s: %g m apart", name, bodies, far);
  cr_expect_lt(far, 0.62 * before, "%s, bodies by %s: %g m apart, and %g m with steps twice as long", name,
               bodies, far, before);
  cr_expect_lt(left, limit, "%s, bodies by %s: %g m apart in the limit", name, bodies, left);
}

static void check_both(const char *name, const char *scene, double time, double last, double limit) {
  check_steps(name, scene, "redmax", 4e-3, time, last, limit);
  check_steps(name, scene, "maximal", 4e-3, time, last, limit);
}

Test(coupled_long, an_arm_with_a_bar_of_rubber_in_its_loop_moves_as_by_forces) {
  check_both("arm", arm, 0.04, 1e-5, 1e-6);
}
// The cloth is pushed together, where nothing but its masses holds it, and crumples: steps of milliseconds do not follow that. What is apart
// falls as fast all the same, and with steps of 1/16 ms the limit is as near as the others' is.
Test(coupled_long, cloth_on_a_linkage_moves_as_by_forces, TEST_LONG) {
  check_both("linkage", linkage, 0.04, 2e-4, INFINITY);
  check_steps("linkage", linkage, "redmax", 2.5e-4, 0.04, 1e-6, 1e-6);
}
Test(coupled, a_muscle_a_spring_and_a_rod_between_bodies_and_a_block_move_as_by_forces) {
  check_both("muscle", muscle, 0.04, 1e-5, 1e-6);
}
Test(coupled_long, a_string_through_a_finger_moves_as_by_forces, TEST_LONG) {
  check_both("finger", finger, 0.04, 1e-5, 1e-6);
}

// Fewer iterations come nearer with each.
Test(coupled, iterations_come_to_the_solution_of_the_step) {
  static double all[MOST], some[MOST];
  static const int counts[] = {2, 5, 15, 40};
  const size_t n = places(arm, "/solver={\"type\": \"projective\", \"iterations\": 400}", 2e-3, 0.02, all);
  double before = INFINITY;
  for (int i = 0; i < 4; i++) {
    char solver[100];
    snprintf(solver, sizeof solver, "/solver={\"type\": \"projective\", \"iterations\": %d}", counts[i]);
    places(arm, solver, 2e-3, 0.02, some);
    const double far = test_distance(all, some, n);
    printf("%3d iterations: %.2e m\n", counts[i], far);
    cr_expect_lt(far, fmax(before, 1e-12), "%d iterations: %g m, fewer %g m", counts[i], far, before);
    before = far;
  }
  cr_expect_lt(before, 1e-7);
}

// Local-global iterations, quasi-Newton steps and Newton's method have one solution of a step: with joints' rows in the bodies' solver or
// beside it, soft rows, forces between bodies and nodes.
Test(coupled_long, every_method_comes_to_the_same_motion) {
  static const char *const scenes[] = {arm, linkage, muscle, finger},
                           *const methods[] = {"newton", "projective", "lbfgs"},
                           *const bodies[] = {"redmax", "maximal"};
  static double all[MOST], one[MOST];
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < 6; k++) {
      char solver[160];
      snprintf(solver, sizeof solver,
               "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": 4000, "
               "\"tolerance\": 1e-11, \"bodies\": \"%s\"}",
               methods[k % 3], bodies[k / 3]);
      const size_t n = places(scenes[s], solver, 4e-3, 0.04, k % 3 ? one : all);
      if (k % 3 == 0) continue;
      const double far = test_distance(all, one, n);
      printf("scene %d, %-10s bodies by %-7s: %.1e m from \"newton\"\n", s, methods[k % 3], bodies[k / 3],
             far);
      cr_expect_lt(far, 1e-8, "scene %d, %s: %g m", s, solver, far);
    }
}

// ---- momentum and reactions -------------------------------------------------------------------------------

#define PROJECTIVE "\"solver\": {\"type\": \"projective\", \"iterations\": 6}, "
static const char pair[] = HEAD FREE PROJECTIVE
    "\"bodies\": [" BOX("a", ", \"velocity\": {\"linear\": [1, 0, 0.3], \"angular\": [0, 3, 1]}") ", " BOX(
        "b", ", \"pose\": {\"position\": [0.6, 0, 0]}") "], "
                                                        "\"deformables\": [" TETS(
                                                            "bar", "[5, 3, 3]", "[0.4, 0.1, 0.1]",
                                                            "[0.1, -0.05, -0.05]",
                                                            ", \"attach\": [{\"select\": {\"side\": \"-x\"}, "
                                                            "\"body\": \"a\"}, "
                                                            "{\"select\": {\"side\": \"+x\"}, \"body\": "
                                                            "\"b\"}]") "]}";

Test(coupled_long, what_is_free_keeps_its_linear_momentum_in_every_step, TEST_LONG) {
  static const char *const solvers[] = {"redmax", "maximal"}, *const methods[] = {"projective", "lbfgs",
                                                                                  "newton"};
  for (int i = 0; i < 6; i++) {
    char solver[160];
    snprintf(solver, sizeof solver,
             "/solver={\"type\": \"projective\", \"method\": \"%s\", %s, \"bodies\": \"%s\"}", methods[i % 3],
             i % 3 < 2 ? "\"iterations\": 4" : "\"tolerance\": 1", solvers[i / 3]);
    TestRun run = test_run(pair, (const char *const[]){solver, NULL});
    double first[6];
    memcpy(first, test_channel(run.sim, "momentum", NULL), sizeof first);
    for (int step = 0; step < 200; step++) {
      test_steps(run.sim, 1);
      test_near(solver, test_channel(run.sim, "momentum", NULL), first, 3, 1e-12);
    }
    // angular momentum is kept to the order of the step
    test_near("angular", test_channel(run.sim, "momentum", NULL) + 3, first + 3, 3, 1e-3);
    test_run_free(&run);
  }
}

// A ball flies against a block that a spring holds to a weight: what contacts push nodes with in one step is no part of the next.
static const char sprung[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 10}, " OUTPUT FREE
    "\"contact\": {\"tolerance\": 1e-14, \"friction\": 0}, \"bodies\": [{\"name\": \"ball\", \"mass\": 0.5, "
    "\"shape\": "
    "{\"type\": \"sphere\", \"radius\": 0.06}, \"pose\": {\"position\": [0.0043, 0.002, -0.1203]}, "
    "\"velocity\": "
    "{\"linear\": [0, 0, 0.3]}}, {\"name\": \"weight\", \"mass\": 0.4, \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.02, "
    "\"collide\": false}, \"pose\": {\"position\": [0.03, 0.01, 0.1]}}], \"deformables\": [" TETS(
        "soft", "[3, 2, 2]", "[0.1, 0.05, 0.05]", "[-0.05, -0.02, -0.06]",
        "") "], \"forces\": [{\"type\": \"spring\", \"between\": [{\"body\": \"weight\"}, {\"node\": "
            "\"soft\", "
            "\"index\": 6}], \"stiffness\": 800}]}";

Test(coupled, what_touches_beside_forces_on_nodes_keeps_its_momentum_by_every_method) {
  static const char *const methods[] = {"newton", "lbfgs", "projective"};
  double ends[3][12];
  for (size_t k = 0; k < 3; k++) {
    char solver[120];
    snprintf(solver, sizeof solver,
             "/solver={\"type\":\"projective\",\"method\":\"%s\",\"tolerance\":1e-12,\"iterations\":3000}",
             methods[k]);
    TestRun run = test_run(sprung, (const char *const[]){solver, NULL});
    MbReport report = {0};
    const double wanted[3] = {0, 0, 0.15};
    for (int i = 0; i < 10; i++) {
      test_ok(mb_sim_step(run.sim, &report), &report);
      test_near(methods[k], test_channel(run.sim, "momentum", NULL), wanted, 3, 1e-12);
    }
    memcpy(ends[k], test_channel(run.sim, "body.velocity", NULL), sizeof ends[k]);
    test_near(methods[k], ends[k], ends[0], 12, 1e-7);
    test_run_free(&run);
  }
}

// By as much as implicit Euler takes of it, whichever method solves the step.
Test(coupled_long, angular_momentum_changes_as_under_newtons_method) {
  static const char *const methods[] = {"newton", "lbfgs", "projective"};
  double first[6], last[3][6];
  for (int i = 0; i < 3; i++) {
    char solver[160];
    snprintf(
        solver, sizeof solver,
        "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": 3000, \"tolerance\": 1e-10}",
        methods[i]);
    TestRun run = test_run(pair, (const char *const[]){solver, NULL});
    memcpy(first, test_channel(run.sim, "momentum", NULL), sizeof first);
    test_steps(run.sim, 50);
    memcpy(last[i], test_channel(run.sim, "momentum", NULL), sizeof last[i]);
    test_run_free(&run);
    printf("%-10s changes angular momentum by %.9e, %.9e, %.9e\n", methods[i], last[i][3] - first[3],
           last[i][4] - first[4], last[i][5] - first[5]);
    test_near(methods[i], last[i], first, 3, 1e-12);
    test_near(methods[i], last[i] + 3, last[0] + 3, 3, 1e-9);
  }
}

// The rows of attachments are along the world's axes: what they push node by node is what the bodies' momentum loses.
static void check_third_law(const char *method, const char *until) {
  char solver[160];
  snprintf(solver, sizeof solver, "/solver={\"type\": \"projective\", \"method\": \"%s\", %s}", method,
           until);
  TestRun run = test_run(pair, (const char *const[]){solver, NULL});
  const double mass = 500 * 0.2 * 0.1 * 0.1;
  double before[3], sum[3] = {0};
  memcpy(before, test_channel(run.sim, "body.velocity", NULL) + 3, sizeof before);
  for (int step = 0; step < 20; step++) {
    test_steps(run.sim, 1);
    const double *force = mb_section(run.sim, MB_SECTION_FORCES);
    for (size_t i = 0; i < run.model->nconstraints; i++)
      for (size_t k = 0; k < 3 && run.model->constraints[i].body[1] == 0; k++)
        sum[k] += 0.002 * force[run.model->constraints[i].slot + k];
  }
  double change[3];
  for (int k = 0; k < 3; k++)
    change[k] = -mass * (test_channel(run.sim, "body.velocity", NULL)[3 + k] - before[k]);
  cr_assert_gt(mb_vec3_norm(sum), 0.1);
  test_near(method, sum, change, 3, 1e-12);
  test_run_free(&run);
}

// So it is however few the iterations are.
Test(coupled, what_the_nodes_feel_the_body_feels) {
  check_third_law("projective", "\"iterations\": 1"), check_third_law("projective", "\"iterations\": 6");
  check_third_law("lbfgs", "\"iterations\": 1"), check_third_law("lbfgs", "\"iterations\": 6");
  check_third_law("newton", "\"tolerance\": 1"), check_third_law("newton", "\"iterations\": 100");
}

Test(coupled, a_blow_on_a_body_is_felt_by_the_nodes_it_holds) {
  TestRun run = test_run(pair, (const char *const[]){"/bodies/0/velocity={}", NULL});
  size_t n = 0;
  cr_assert_eq(mb_sim_impulse(run.sim, 0, (const double[3]){0, 0, 0}, (const double[3]){2, 0, 0}), MB_OK);
  const double *p = test_channel(run.sim, "momentum", NULL);
  test_near("momentum", p, (const double[3]){2, 0, 0}, 3, 1e-12);
  const double *v = mb_nodes_velocities(run.sim), *a = test_channel(run.sim, "body.velocity", &n);
  double wanted[3]; // it is on the side that the body holds
  mb_vec3_cross(wanted, a, (const double[3]){0.1, -0.05, -0.05});
  mb_vec3_add(wanted, wanted, a + 3);
  cr_assert_gt(mb_vec3_norm(wanted), 1);
  test_near("node 0", v, wanted, 3, 1e-12);
  test_run_free(&run);
}

// ---- extremes ---------------------------------------------------------------------------------------------

// Runs half a second by every method, and wants constraints closed and all numbers of the size of the scene.
static void check_lasts(const char *what, const char *scene, const char *const *sets) {
  static const char *const solvers[] = {
      "/solver={\"type\": \"projective\", \"method\": \"projective\", \"iterations\": 20}",
      "/solver={\"type\": \"projective\", \"iterations\": 20}",
      "/solver={\"type\": \"projective\", \"method\": \"newton\"}"};
  for (int k = 0; k < 3; k++) {
    const char *all[6] = {solvers[k]};
    for (size_t i = 0; sets && sets[i]; i++) all[i + 1] = sets[i];
    TestRun run = test_run(scene, all);
    test_steps(run.sim, 250);
    cr_expect_lt(mb_sim_constraint_error(run.sim), 2e-3, "%s, %s: %g m open", what, solvers[k],
                 mb_sim_constraint_error(run.sim));
    size_t n = 0;
    const double *x = test_channel(run.sim, "body.position", &n);
    for (size_t i = 0; i < n; i++)
      cr_expect(fabs(x[i]) < 10, "%s, %s: a body is at %g m", what, solvers[k], x[i]);
    test_run_free(&run);
  }
}

Test(coupled_long, masses_may_be_ten_thousand_times_apart_both_ways, TEST_LONG) {
  check_lasts("heavy body", arm,
              (const char *const[]){"/bodies/1/density=5e6", "/deformables/0/material/young=2e7", NULL});
  check_lasts("light body", arm,
              (const char *const[]){"/bodies/0/density=0.05", "/bodies/1/density=0.05", NULL});
}

Test(coupled_long, a_body_may_hang_on_deformables_alone, TEST_LONG) {
  static const char text[] = HEAD PROJECTIVE "\"bodies\": [" BOX(
      "weight", ", \"pose\": {\"position\": [0, 0, -0.35]}") "], "
                                                             "\"deformables\": [" TETS(
                                                                 "strap", "[3, 3, 5]", "[0.1, 0.1, 0.3]",
                                                                 "[-0.05, -0.05, -0.3]",
                                                                 ", \"attach\": [{\"select\": {\"side\": "
                                                                 "\"+z\"}, \"body\": \"world\"}, "
                                                                 "{\"select\": {\"side\": \"-z\"}, \"body\": "
                                                                 "\"weight\"}]") "]}";
  check_lasts("strap", text, NULL);
}

Test(coupled, a_deformable_may_be_one_element_and_all_of_its_nodes_attached) {
  static const char text[] = HEAD PROJECTIVE "\"bodies\": [" BOX("a", HINGE("world", "0")) ", " BOX(
      "b",
      HINGE("a", "0.1")) "], "
                         "\"deformables\": [" TETS(
                             "block", "[2, 2, 2]", "[0.1, 0.1, 0.1]", "[0.1, -0.05, -0.15]",
                             ", \"attach\": [{\"select\": {\"vertices\": [0, 1, 2, 3]}, \"body\": \"a\"}, "
                             "{\"select\": {\"vertices\": [4, 5, 6, 7]}, \"body\": \"b\"}]") "]}";
  check_lasts("block", text, NULL);
}

Test(coupled, a_spring_that_is_all_of_a_deformable_may_be_held_at_both_of_its_nodes) {
  static const char text[] = HEAD "\"bodies\": [" BOX("a", HINGE("world", "0")) ", " BOX(
      "b", ", \"pose\": {\"position\": [0.6, 0, 0]}") "], \"deformables\": [{\"name\": \"link\", \"type\": "
                                                      "\"springs\", \"mesh\": {\"rope\": 2, \"length\": "
                                                      "0.3}, \"pose\": {\"position\": [0.2, 0, 0]}, "
                                                      "\"material\": {\"mass\": 0.01, \"stiffness\": 1000}, "
                                                      "\"attach\": [{\"select\": {\"vertices\": [0]}, "
                                                      "\"body\": \"a\"}, {\"select\": {\"vertices\": [1]}, "
                                                      "\"body\": \"b\"}]}]}";
  check_lasts("link", text, NULL);
}

Test(coupled, nodes_may_be_attached_to_nodes_of_other_deformables) {
  static const char text[] = HEAD PROJECTIVE "\"deformables\": [" TETS(
      "one", "[3, 3, 3]", "[0.1, 0.1, 0.1]", "[0, 0, 0]",
      ", \"attach\": [{\"select\": {\"side\": \"+z\"}, \"body\": "
      "\"world\"}]") ", " TETS("two", "[3, 3, 3]", "[0.1, 0.1, 0.1]", "[0, 0, -0.1]",
                               ", \"attach\": [{\"select\": "
                               "{\"vertices\": [18]}, \"to\": "
                               "{\"deformable\": \"one\", "
                               "\"vertices\": [0]}}, "
                               "{\"select\": {\"vertices\": [20]}, "
                               "\"to\": {\"deformable\": \"one\", "
                               "\"vertices\": [2]}}, "
                               "{\"select\": {\"vertices\": [25]}, "
                               "\"to\": {\"deformable\": \"one\", "
                               "\"vertices\": [6, 8]}}]") "]}";
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 200);
  const double *x = mb_nodes_places(run.sim);
  test_near("a node at a node", x + 3 * (27 + 18), x, 3, 1e-9);
  double middle[3];
  for (int k = 0; k < 3; k++) middle[k] = (x[18 + k] + x[24 + k]) / 2;
  test_near("a node between two", x + 3 * (27 + 25), middle, 3, 1e-9);
  cr_expect_lt(x[3 * 27 + 2], -0.1, "it hangs lower than it began");
  test_run_free(&run);
}

// A weight at the end of a bar with a string in it that does not stretch: rows of the weight and the string hold at once.
Test(coupled, a_cable_keeps_its_length_where_rows_pull_at_its_deformable) {
  static const char text[] =
      HEAD "\"solver\": {\"type\": \"projective\", \"iterations\": 200}, \"bodies\": [" BOX(
          "weight",
          ", \"pose\": {\"position\": [0.5, 0.05, 0.05]}") "], \"deformables\": [" TETS("bar", "[5, 2, 2]",
                                                                                        "[0.4, 0.1, 0.1]",
                                                                                        "[0, 0, 0]",
                                                                                        ", \"pin\": "
                                                                                        "[{\"select\": "
                                                                                        "{\"side\": "
                                                                                        "\"-x\"}}], "
                                                                                        "\"attach\": "
                                                                                        "[{\"select\": "
                                                                                        "{\"side\": \"+x\"}, "
                                                                                        "\"body\": "
                                                                                        "\"weight\"}], "
                                                                                        "\"cables\": "
                                                                                        "[{\"path\": "
                                                                                        "[{\"vertices\": "
                                                                                        "[15]}, "
                                                                                        "{\"vertices\": "
                                                                                        "[19]}]}]") "]}";
  TestRun run = test_run(text, NULL);
  double longest = 0;
  for (int step = 0; step < 100; step++) {
    double along[3];
    test_steps(run.sim, 1);
    const double *x = mb_nodes_places(run.sim);
    mb_vec3_sub(along, x + 3 * 19, x + 3 * 15);
    longest = fmax(longest, mb_vec3_norm(along));
  }
  cr_expect_leq(longest, 0.4 + 1e-9, "it is %g m longer", longest - 0.4);
  cr_expect_geq(longest, 0.4 - 1e-9);
  test_run_free(&run);
}

// ---- runs -------------------------------------------------------------------------------------------------

Test(coupled, a_run_goes_on_from_a_checkpoint_to_the_same_bits) {
  TestRun whole =
      test_run(muscle, (const char *const[]){"/solver={\"type\": \"projective\", \"iterations\": 10}", NULL});
  TestRun parted =
      test_run(muscle, (const char *const[]){"/solver={\"type\": \"projective\", \"iterations\": 10}", NULL});
  const size_t size = mb_sim_checkpoint_size(whole.sim);
  unsigned char *at = mb_calloc(size, 1), *one = mb_calloc(size, 1), *other = mb_calloc(size, 1);
  MbReport report = {0};
  test_steps(whole.sim, 15);
  mb_sim_checkpoint(whole.sim, at);
  test_ok(mb_sim_restore(parted.sim, at, size, &report), &report);
  test_steps(whole.sim, 15), test_steps(parted.sim, 15);
  mb_sim_checkpoint(whole.sim, one), mb_sim_checkpoint(parted.sim, other);
  cr_assert_arr_eq(one, other, size);
  mb_free(at), mb_free(one), mb_free(other);
  test_run_free(&whole), test_run_free(&parted);
}

Test(coupled, two_threads_come_to_the_same_bits_and_a_step_allocates_nothing) {
  const char *const sets[] = {"/solver={\"type\": \"projective\", \"iterations\": 10}", NULL};
  TestRun one = test_run(arm, sets);
  MbSim *two = test_sim(one.model, 2);
  test_steps(one.sim, 2), test_steps(two, 2);
  const int64_t live = mb_alloc_live();
  mb_alloc_fail_after(0);
  test_steps(one.sim, 20);
  mb_alloc_fail_after(-1);
  cr_expect_eq(mb_alloc_live(), live);
  test_steps(two, 20);
  cr_assert_arr_eq(mb_nodes_places(one.sim), mb_nodes_places(two), 3 * 45 * sizeof(double));
  mb_sim_free(two);
  test_run_free(&one);
}
