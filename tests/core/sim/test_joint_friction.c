// Friction inside joints in chains, loops and beside contacts: the same under every solver, what is refused, and passes that come to the law. That one joint keeps it is in
// test_joint_friction_law.c.
#include "core/base/alloc.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const solvers[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "/solver=\"maximal\"",
                                      "/solver={\"type\": \"maximal\", \"project\": true}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// ---- chains and loops -------------------------------------------------------------------------------------

#define RUBS  ", \"friction\": {\"coefficient\": 0.5, \"radius\": 0.04, \"length\": 0.1}"
#define HOLDS ", \"friction\": {\"coefficient\": 1.5, \"radius\": 0.06, \"length\": 0.1}"
static const char limb[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 12000}, \"bodies\": ["
                           "{\"name\": \"upper\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.06, 0.06, 0.4]}, \"joint\": "
                           "{\"type\": \"spherical\", \"in_body\": {\"position\": [0, 0, 0.2]}, "
                           "\"position\": [0.1, 0.15, 0.2], \"friction\": "
                           "{\"coefficient\": 1.6, \"radius\": 0.05}}}, "
                           "{\"name\": \"lower\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.05, 0.05, 0.3]}, \"joint\": "
                           "{\"type\": \"revolute\", \"parent\": \"upper\", \"axis\": [0, 1, 0], "
                           "\"in_parent\": {\"position\": [0, 0, -0.2]}, "
                           "\"in_body\": {\"position\": [0, 0, 0.15]}, \"position\": 0.2" HOLDS "}}, "
                           "{\"name\": \"hand\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.04, 0.04, 0.1]}, \"joint\": "
                           "{\"type\": \"universal\", \"parent\": \"lower\", \"in_parent\": {\"position\": "
                           "[0, 0, -0.15]}, \"in_body\": "
                           "{\"position\": [0, 0, 0.05]}, \"position\": [0.1, -0.2]" HOLDS "}}]}";

Test(joint_friction_long, a_limb_that_it_holds_does_not_creep) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun run = test_run(limb, sets);
    double first[54], last[54];
    test_bodies(run.sim, first, 54);
    test_steps(run.sim, k == 0 || k == 2 ? 12000 : 400);
    test_bodies(run.sim, last, 54);
    for (size_t b = 0; b < 3; b++) test_near(solvers[k], last + 18 * b, first + 18 * b, 3, 1e-8);
    test_run_free(&run);
    // half of it lets go
    const char *const weak[] = {solvers[k], "/bodies/0/joint/friction/coefficient=0.3",
                                "/bodies/1/joint/friction/coefficient=0.1", NULL};
    run = test_run(limb, weak);
    test_steps(run.sim, 100);
    test_bodies(run.sim, last, 54);
    cr_expect_gt(test_distance(last, first, 54), 0.01);
    test_run_free(&run);
  }
}

Test(joint_friction, solvers_take_the_same_steps) {
  double at[SOLVERS][54];
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k],
                                "/bodies/0/joint/friction/coefficient=0.2",
                                "/time/step=0.0005",
                                "/bodies/1/joint/friction/coefficient=0.1",
                                "/bodies/1/joint/velocity=2",
                                NULL};
    TestRun run = test_run(limb, sets);
    test_steps(run.sim, 400);
    test_bodies(run.sim, at[k], 54);
    const double *energy = test_channel(run.sim, "energy", NULL);
    cr_expect_lt(energy[4], -1e-3, "friction has done %g J", energy[4]);
    test_run_free(&run);
  }
  for (size_t k = 1; k < SOLVERS; k++)
    for (size_t b = 0; b < 3; b++)
      test_near(solvers[k], at[k] + 18 * b, at[0] + 18 * b, 3, k == 1 ? 1e-9 : 1e-3);
}

// A four-bar linkage in a plane, where loads are determined: out of it, which pin carries what would be the cut's choice. It is cut at its
// coupler's far end or at the rocker's foot, with places fixed in the second body. The same motion, the same friction in all four pins.
static const char four_bar[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.0005, \"steps\": 2000}, \"solver\": {\"type\": \"redmax\", "
    "\"stabilization\": {\"type\": \"post\"}}, \"bodies\": ["
    "{\"name\": \"crank\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.03, 0.2]}, "
    "\"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [0, 0, -0.1]}, \"velocity\": "
    "3" RUBS "}}, {\"name\": \"coupler\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.6, "
    "0.03, 0.04]}, "
    "\"joint\": {\"type\": \"revolute\", \"parent\": \"crank\", \"axis\": [0, 1, 0], \"in_parent\": "
    "{\"position\": [0, "
    "0, 0.1]}, \"in_body\": {\"position\": [-0.3, 0, 0]}" RUBS "}}, "
    "{\"name\": \"rocker\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.03, 0.2]}, "
    "\"joint\": "
    "%s}], \"constraints\": [{\"type\": \"joint\", \"name\": \"loop\", \"joint\": {\"type\": "
    "\"revolute\"" RUBS "}, \"axis\": [0, 1, 0], \"between\": [%s]}]}";
#define FOOT                                                                                                 \
  "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0.6, 0, 0]}, \"in_body\": "  \
  "{\"position\": [0, 0, -0.1]}, \"velocity\": 3" RUBS "}"
#define TOP                                                                                                  \
  "{\"type\": \"revolute\", \"parent\": \"coupler\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": "    \
  "[0.3, 0, 0]}, \"in_body\": {\"position\": [0, 0, 0.1]}, \"velocity\": 3" RUBS "}"
#define TOP_ENDS                                                                                             \
  "{\"body\": \"coupler\", \"frame\": {\"position\": [0.3, 0, 0]}}, {\"body\": \"rocker\", \"frame\": "      \
  "{\"position\": [0, 0, 0.1]}}"
#define FOOT_ENDS                                                                                            \
  "{\"body\": \"world\", \"frame\": {\"position\": [0.6, 0, 0]}}, {\"body\": \"rocker\", \"frame\": "        \
  "{\"position\": [0, 0, -0.1]}}"

Test(joint_friction_long, a_four_bar_linkage_moves_the_same_wherever_its_loop_is_cut) {
  static const char *const cuts[2][2] = {{FOOT, TOP_ENDS}, {TOP, FOOT_ENDS}};
  static const char *const held[] = {
      "/solver={\"type\": \"redmax\", \"stabilization\": {\"type\": \"post\"}}",
      "/solver={\"type\": \"maximal\", \"stabilization\": {\"type\": \"post\"}}"};
  double crank[2][2], work[2][2];
  for (int cut = 0; cut < 2; cut++)
    for (int solver = 0; solver < 2; solver++) {
      char text[4000];
      snprintf(text, sizeof text, four_bar, cuts[cut][0], cuts[cut][1]);
      // the coupler does not turn, and the rocker at its end turns back as far as it is carried
      const char *const sets[] = {held[solver], "/bodies/1/joint/velocity=-3", NULL};
      TestRun run = test_run(text, sets);
      test_steps(run.sim, 600);
      crank[cut][solver] = test_channel(run.sim, "joint.position", NULL)[0];
      work[cut][solver] = test_channel(run.sim, "energy", NULL)[4];
      cr_expect_lt(work[cut][solver], -1e-3);
      test_run_free(&run);
    }
  // solver "maximal" asks for the mean of a step, from its first one on
  test_near("crank", &crank[1][0], &crank[0][0], 1, 1e-4);
  test_near("friction's work", &work[1][0], &work[0][0], 1, 1e-3 * fabs(work[0][0]));
  for (int cut = 0; cut < 2; cut++) test_near("crank", &crank[cut][1], &crank[0][0], 1, 1e-3);
}

// What the air does to an arm presses its pin, by as much under one integrator as under the other: `implicit` counted it twice, and the arm was 5e-3 slower.
Test(joint_friction, what_slows_a_body_loads_its_joint_the_same_under_every_integrator) {
  static const char arm[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.0002, \"steps\": 500}, \"gravity\": [0, 0, 0], \"bodies\": ["
      "{\"name\": \"arm\", \"mass\": 1, \"damping\": 3, \"shape\": {\"type\": \"box\", \"size\": [0.05, "
      "0.05, "
      "0.6]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"velocity\": 1, \"force\": 3, "
      "\"in_body\": {\"position\": [0, 0, 0.3]}" RUBS
      "}}], \"output\": {\"channels\": [\"joint.velocity\"]}}";
  for (size_t k = 0; k < SOLVERS; k += 2) {
    double rate[2];
    for (int i = 0; i < 2; i++) {
      const char *const sets[] = {solvers[k], i ? "/integrator=\"implicit\"" : "/integrator=\"symplectic\"",
                                  NULL};
      TestRun run = test_run(arm, sets);
      test_steps(run.sim, 500);
      rate[i] = test_channel(run.sim, "joint.velocity", NULL)[0];
      test_run_free(&run);
    }
    printf("%s: %.9f and %.9f rad/s\n", solvers[k], rate[0], rate[1]);
    test_near(solvers[k], &rate[1], &rate[0], 1, 1e-3);
  }
}

Test(joint_friction, a_run_that_is_resumed_goes_on_bit_for_bit) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], "/bodies/1/joint/velocity=3", NULL};
    TestRun first = test_run(limb, sets), other = test_run(limb, sets);
    test_resumes(first.sim, other.sim, 20, 30, solvers[k]);
    test_run_free(&first);
    test_run_free(&other);
  }
}

Test(joint_friction, steps_do_not_allocate) {
  TestRun run = test_run(limb, NULL);
  test_steps(run.sim, 1);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 50);
  cr_expect_eq(mb_alloc_calls(), before);
  test_run_free(&run);
}

static void refused(const char *set, const char *where, const char *text) {
  MbReport report = {0};
  const char *const sets[] = {set, NULL};
  cr_assert_eq(test_try(limb, sets, 0, &report), MB_SCENE, "%s", set);
  bool found = false;
  for (int i = 0; i < report.kept; i++)
    found |= !strcmp(report.issues[i].where, where) && strstr(report.issues[i].text, text);
  cr_expect(found, "%s: %s", report.issues[0].where, report.issues[0].text);
}

Test(joint_friction, what_makes_no_sense_is_refused_by_name) {
  static const char where[] = "/bodies/0/joint/friction";
  refused("/bodies/0/joint/friction={\"coefficient\": 1, \"radius\": 1, \"length\": 2}", where,
          "friction inside a \"spherical\" joint takes a \"radius\", and no more");
  refused("/bodies/1/joint/friction={\"coefficient\": 1, \"radius\": 1}", "/bodies/1/joint/friction",
          "takes a \"radius\" and a \"length\"");
  refused("/bodies/0/joint={\"type\": \"planar\", \"friction\": {\"coefficient\": 1, \"radius\": 1}}", where,
          "a \"planar\" joint has no friction inside it");
  refused("/bodies/0/joint={\"type\": \"prismatic\", \"axis\": [1, 1, 0], \"friction\": {\"coefficient\": 1, "
          "\"size\": "
          "[1, 1, 1]}}",
          where, "is none of these");
  refused("/integrator=\"bridson_marino\"", where, "\"bridson_marino\" takes no dry friction");
}

// Before somebody pulls at it and after that it stays.
Test(joint_friction, a_desk_lamp_stays_where_it_is_left) {
  TestRun run = test_run("desk_lamp", NULL);
  double start[72], pulled[72], before[72], after[72];
  test_bodies(run.sim, start, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, before, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, pulled, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, after, 72);
  cr_expect_lt(test_distance(before, start, 72), 1e-8);
  cr_expect_gt(test_distance(pulled, before, 72), 0.1);
  cr_expect_lt(test_distance(after, pulled, 72), 1e-8);
  test_run_free(&run);
}

// ---- passes that do not come to an end by themselves -------------------------------------------------------

// A body that turns and slides on a shaft and has another one on a pin: what the pin rubs with loads the shaft, and passes go round.
static const char going_round[] =
    "{\"mbsim\": 1, \"gravity\": [-2.21, -1.51, -4.35], \"solver\": \"redmax\", \"integrator\": "
    "\"symplectic\", "
    "\"time\": {\"step\": 0.0001, \"steps\": 4}, \"bodies\": [{\"name\": \"b0\", \"mass\": 1.39, \"shape\": "
    "{\"type\": "
    "\"box\", \"size\": [0.496, 0.275, 0.343]}, \"joint\": {\"type\": \"cylindrical\", \"in_parent\": "
    "{\"position\": [-0.062, 0.167, -0.229], \"rotation\": {\"axis\": [0.36, 2.12, -0.488], \"angle\": "
    "1.22}}, \"in_body\": {\"position\": [0.079, -0.21, 0.0308], \"rotation\": {\"axis\": [0.605, -0.309, "
    "-0.515], \"angle\": 0.607}}, \"friction\": {\"coefficient\": 0.755, \"radius\": 0.0688, \"length\": "
    "0.14}, \"position\": [-0.302, -0.13], \"velocity\": [-0.924, -1.43], \"force\": [1.17, 0.675], "
    "\"axis\": [1, 0, 0]}}, {\"name\": \"b1\", \"mass\": 1.74, \"shape\": {\"type\": \"box\", \"size\": "
    "[0.282, "
    "0.294, 0.275]}, \"joint\": {\"type\": \"revolute\", \"in_parent\": {\"position\": [0.103, -0.138, "
    "0.0745], \"rotation\": {\"axis\": [-1.15, -0.809, 0.0778], \"angle\": -0.982}}, \"in_body\": "
    "{\"position\": [-0.227, 0.3, -0.133], \"rotation\": {\"axis\": [0.437, 0.402, -1.29], \"angle\": "
    "0.344}}, \"friction\": {\"coefficient\": 0.484, \"radius\": 0.135, \"length\": 0.177}, \"position\": "
    "[-0.0598], \"velocity\": [-0.0435], \"force\": [1.6], \"axis\": [0, 1, 0], \"parent\": \"b0\"}}], "
    "\"output\": {\"channels\": [\"joint.position\", \"joint.velocity\"]}}";
// A slide whose load is far beside it, which jams: friction grows from pass to pass until it holds.
static const char jamming[] =
    "{\"mbsim\": 1, \"gravity\": [-0.146, -2.58, 0.429], \"solver\": \"redmax\", \"integrator\": "
    "\"symplectic\", "
    "\"time\": {\"step\": 0.002, \"steps\": 4}, \"bodies\": [{\"name\": \"b0\", \"mass\": 2.17, \"shape\": "
    "{\"type\": "
    "\"box\", \"size\": [0.36, 0.475, 0.109]}, \"joint\": {\"type\": \"prismatic\", \"in_parent\": "
    "{\"position\": "
    "[-0.158, -0.298, -0.0774], \"rotation\": {\"axis\": [-0.0927, -0.326, -0.194], \"angle\": 1.18}}, "
    "\"in_body\": {\"position\": [-0.161, -0.16, -0.275], \"rotation\": {\"axis\": [1.64, -0.0251, 0.978], "
    "\"angle\": -1.86}}, \"friction\": {\"coefficient\": 0.526, \"size\": [0.17, 0.104, 0.248]}, "
    "\"position\": "
    "[-0.137], \"velocity\": [-2.36], \"force\": [-1.96], \"axis\": [0, 1, 0]}}], \"output\": {\"channels\": "
    "[\"joint.position\", \"joint.velocity\"]}}";

static double missed(const MbSim *sim) { return mb_section(sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED]; }

// The rates of the first step are those of the one way to slip that keeps the law at all places, which every way to slip or stick, taken
// in turn, comes to.
Test(joint_friction, passes_that_go_round_or_away_come_to_the_law) {
  static const double rates[] = {-0.923032211, -1.425858415, -0.034851356};
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun run = test_run(going_round, sets);
    test_steps(run.sim, 1);
    if (k < 2) test_near(solvers[k], test_channel(run.sim, "joint.velocity", NULL), rates, 3, 2e-9);
    test_steps(run.sim, 3);
    cr_expect_eq(missed(run.sim), 0, "%s: %g steps missed", solvers[k], missed(run.sim));
    test_run_free(&run);
    run = test_run(jamming, sets);
    test_steps(run.sim, 4);
    cr_expect_eq(missed(run.sim), 0, "%s: %g steps missed", solvers[k], missed(run.sim));
    cr_expect_lt(fabs(test_channel(run.sim, "joint.velocity", NULL)[0]), 1e-9);
    test_run_free(&run);
  }
}

// ---- beside contacts ----------------------------------------------------------------------------------------

// A crane on the ground, whose arm falls against the friction of its pin while a ball comes down on it.
static const char crane[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"duration\": 1}, \"contact\": {\"friction\": 0.5}, "
    "\"bodies\": ["
    "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}},"
    "{\"name\": \"base\", \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.6, 0.2]}, \"density\": 1000, "
    "\"pose\": "
    "{\"position\": [0, 0, 0.1]}},"
    "{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.05, 0.05]}, \"density\": 500, "
    "\"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"base\", \"in_parent\": {\"position\": [0, "
    "0, "
    "0.6]}, \"in_body\": {\"position\": [-0.3, 0, 0]}, \"friction\": {\"coefficient\": 0.5, \"radius\": "
    "0.05, "
    "\"length\": 0.1}}},"
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, \"pose\": "
    "{\"position\": [0.2, 0, 1.2]}}]}";

// Passes for the pins' loads go around whichever method solves a pass: of staggered ones both turns are projections.
Test(joint_friction_long, every_method_solves_it_beside_contacts, TEST_LONG) {
  static const char *const ways[] = {"/contact/method=\"auto\"", "/contact/method=\"staggered\"",
                                     "/contact/method=\"gauss_seidel\"", "/contact/method=\"admm\"",
                                     "/contact/method=\"nonsmooth_newton\""};
  double is[72], wanted[72], loose[72];
  for (size_t s = 0; s < SOLVERS; s += 2)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      const char *const sets[] = {solvers[s], ways[w], NULL};
      TestRun run = test_run(crane, sets);
      test_steps(run.sim, 400);
      cr_assert_gt(run.sim->touching->last.n, 4);
      test_bodies(run.sim, w ? is : wanted, 72);
      if (w) test_near(ways[w], is, wanted, 72, 1e-5);
      test_run_free(&run);
    }
  const char *const none[] = {solvers[SOLVERS - 1], "/bodies/2/joint/friction/coefficient=0", NULL};
  TestRun run = test_run(crane, none);
  test_steps(run.sim, 400);
  test_bodies(run.sim, loose, 72);
  cr_expect_gt(test_distance(loose, wanted, 72), 0.05, "the pin's friction makes no difference");
  test_run_free(&run);
}
