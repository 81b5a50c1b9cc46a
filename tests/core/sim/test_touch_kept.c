// What parts what is deep keeps momentum, and what it adds to the energy is told.
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BODY(name_, shape_, at_, v_, w_)                                                                     \
  "{\"name\": \"" name_ "\", \"density\": 500, \"shape\": {" shape_ "}, \"pose\": {\"position\": " at_       \
  ", \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}}, \"velocity\": {\"linear\": " v_                     \
  ", \"angular\": " w_ "}}"
#define SPRING(a_, b_)                                                                                       \
  "{\"type\": \"spring\", \"between\": [{\"body\": \"" a_ "\"}, {\"body\": \"" b_                            \
  "\"}], \"stiffness\": 200, \"length\": 0}"

// Bodies of all kinds, far from the world's origin, that springs draw into a heap which tumbles.
static const char
    heap
        [] =
            "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"integrator\": \"symplectic\", \"time\": {\"step\": "
            "0.004, "
            "\"steps\": 300}, \"contact\": {\"friction\": 0.5}, \"output\": {\"channels\": [\"momentum\"]}, "
            "\"bodies\": "
            "[" BODY("a", "\"type\": \"box\", \"size\": [0.2, 0.3, 0.15]", "[1, 0, 0]", "[0, 0.5, 0]", "[3, 1, 0]") ", " BODY(
                "b", "\"type\": \"ellipsoid\", \"radii\": [0.1, 0.07, 0.14]", "[1.3, 0, 0.1]", "[0, -0.5, 0]",
                "[0, 2, 3]") ", " BODY("c", "\"type\": \"capsule\", \"radius\": 0.07, \"length\": 0.15",
                                       "[1, 0.35, 0]", "[-0.5, 0, 0.4]",
                                       "[1, 0, 2]") ", " BODY("d",
                                                              "\"type\": \"cylinder\", \"radius\": 0.09, "
                                                              "\"length\": 0.2",
                                                              "[1.3, 0.4, 0.2]", "[0.2, 0, 0]",
                                                              "[0, 5, 0]") "], "
                                                                           "\"forces\": [" SPRING("a", "b") ", " SPRING(
                                                                               "b",
                                                                               "c") ", " SPRING("c",
                                                                                                "d") ","
                                                                                                     " " SPRING(
                                                                                                         "d",
                                                                                                         "a") "]}";

// Asks that momentum stays to rounding while contacts push. How often something was parted, and the steps that had contacts.
static void stays(const char *text, const char *const *sets, int steps, double close) {
  TestRun run = test_run(text, sets);
  size_t n = 0;
  double before[6], size[2];
  int pushed = 0;
  memcpy(before, test_channel(run.sim, "momentum", &n), sizeof before);
  for (int i = 0; i < steps; i++) {
    test_steps(run.sim, 1);
    pushed += run.sim->touching->last.n > 0;
  }
  const double *after = test_channel(run.sim, "momentum", &n);
  size[0] = fmax(mb_vec3_norm(before), 1), size[1] = mb_vec3_norm(before + 3);
  test_near(sets[0], after, before, 3, 1e-12 * size[0]);
  test_near(sets[0], after + 3, before + 3, 3, close * size[1]);
  cr_expect_gt(pushed, steps / 10, "%s: contacts have pushed in %d steps", sets[0], pushed);
  cr_expect_neq(run.sim->touching->kept.parted, 0, "%s: nothing was parted", sets[0]);
  test_run_free(&run);
}

Test(touch_kept, a_heap_that_floats_keeps_its_angular_momentum_while_it_is_parted) {
  static const char *const ways[] = {
      "/solver=\"redmax\"", "/solver={\"type\": \"maximal\", \"project\": false}",
      "/contact={\"friction\": 0.5, \"method\": \"gauss_seidel\", "
      "\"iterations\": 10}",
      "/contact={\"method\": \"pivoting\", \"cone\": \"none\"}", "/contact/restitution=0.5"};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    stays(heap, (const char *const[]){ways[k], NULL}, 120, 1e-12);
}

// Links in place of two of the bodies.
Test(touch_kept, links_that_float_keep_it_where_bodies_have_velocities_of_their_own) {
  stays(heap,
        (const char *const[]){"/solver={\"type\": \"maximal\", \"project\": false}",
                              "/bodies/3={\"name\": \"d\", \"density\": 500, \"shape\": {\"type\": \"box\", "
                              "\"size\": [0.3, 0.1, 0.1]}, \"joint\": {\"parent\": \"a\", \"type\": "
                              "\"spherical\", \"in_parent\": {\"position\": [0, 0, 0.2]}, \"in_body\": "
                              "{\"position\": [0.2, 0, 0]}}}",
                              NULL},
        200, 1e-9);
}

// Nodes without stiffness to speak of, as steps of elements lose angular momentum by themselves, and without friction, whose points of two deformables are
// a gap apart.
static const char dust[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.004, "
    "\"steps\": 100}, \"contact\": {\"friction\": 0}, \"output\": {\"channels\": [\"momentum\"]}, "
    "\"bodies\": "
    "[" BODY("a", "\"type\": \"box\", \"size\": [0.2, 0.3, 0.15]", "[1, 0, 0]", "[0, 0.5, 0]",
             "[3, 1, 0]") "], \"deformables\": [{\"name\": \"ball\", \"type\": \"tets\", \"mesh\": "
                          "{\"ball\": 2, \"radius\": 0.1}, \"pose\": {\"position\": [1.1, 0.04, 0.25]}, "
                          "\"velocity\": {\"linear\": [0.3, 0, -1]}, \"material\": {\"model\": "
                          "\"corotational\", \"young\": 1e-6, \"poisson\": 0.3, \"density\": 500}}, "
                          "{\"name\": \"other\", \"type\": \"tets\", \"mesh\": {\"ball\": 2, \"radius\": "
                          "0.1}, \"pose\": {\"position\": [1.15, 0, 0.5]}, \"velocity\": {\"linear\": "
                          "[0.3, 0, -3]}, \"material\": {\"model\": \"corotational\", \"young\": 1e-6, "
                          "\"poisson\": 0.3, \"density\": 500}}]}";

Test(touch_kept, nodes_that_are_parted_keep_it_with_bodies_and_with_one_another) {
  static const char *const ways[] = {"/solver=\"redmax\"",
                                     "/solver={\"type\": \"maximal\", \"project\": false}",
                                     "/solver={\"type\": \"projective\", \"iterations\": 20}",
                                     "/solver={\"type\": \"projective\", \"method\": \"newton\"}"};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    stays(dust, (const char *const[]){ways[k], NULL}, 25, 1e-9);
}

// ---- energy -----------------------------------------------------------------------------------------------

// On its broad side, about which it rocks.
static const char egg[] =
    "{\"mbsim\": 1, \"parameters\": {\"h\": 0.008}, \"time\": {\"step\": \"=h\", \"steps\": 2000}, "
    "\"contact\": "
    "{\"friction\": 0.8}, \"output\": {\"channels\": [\"energy\"]}, \"bodies\": [{\"name\": \"ground\", "
    "\"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"egg\", \"density\": "
    "500, \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.14, 0.1, 0.07]}, \"pose\": {\"position\": [0, "
    "0, "
    "0.07]}, \"velocity\": {\"linear\": [0.035, 0, 0], \"angular\": [0, 0.5, 0]}}]}";

// Of one second: the largest rise of the total in a step, the largest of the total without what parting has added, and all that this has added while
// it added.
typedef struct Rises {
  double total, rest, added;
} Rises;

static Rises roll(const char *h) {
  TestRun run = test_run(egg, (const char *const[]){h, NULL});
  const int steps = (int)lround(1 / run.model->h);
  size_t n = 0;
  double before[7];
  Rises most = {0, -INFINITY, 0};
  memcpy(before, test_channel(run.sim, "energy", &n), 6 * sizeof *before);
  const double first = before[3];
  cr_assert_eq(n, 6);
  for (int i = 0; i < steps; i++) {
    test_steps(run.sim, 1);
    const double *now = test_channel(run.sim, "energy", &n);
    most.total = fmax(most.total, (now[3] - before[3]) / first);
    most.rest = fmax(most.rest, (now[3] - before[3] - (now[5] - before[5])) / first);
    most.added += fmax(now[5] - before[5], 0) / first;
    memcpy(before, now, 6 * sizeof *before);
  }
  test_run_free(&run);
  return most;
}

// A depth of ½ κ (h v)² is parted (depths below a millionth of a size come together before they are) in each step in which the ground falls off too little.
Test(touch_kept, no_step_has_more_energy_but_for_what_parting_adds_which_is_told_and_of_second_order) {
  static const char *const steps[] = {"/parameters/h=0.008", "/parameters/h=0.004", "/parameters/h=0.002"};
  Rises rises[3];
  printf("of the energy, an egg that rolls: rises in a step, without what parting adds, all of that\n");
  for (int i = 0; i < 3; i++) {
    rises[i] = roll(steps[i]);
    printf("%s s %9.2e %9.2e %9.2e\n", strchr(steps[i], '=') + 1, rises[i].total, rises[i].rest,
           rises[i].added);
    cr_expect_lt(rises[i].rest, 1e-12, "%s: %g", steps[i], rises[i].rest);
    cr_expect_gt(rises[i].total, 1e-9, "%s: nothing rises", steps[i]);
  }
  for (int i = 1; i < 3; i++) {
    cr_expect(rises[i].total < 0.35 * rises[i - 1].total, "%g, then %g", rises[i - 1].total, rises[i].total);
    cr_expect(rises[i].added < 0.65 * rises[i - 1].added, "%g, then %g", rises[i - 1].added, rises[i].added);
  }
}
