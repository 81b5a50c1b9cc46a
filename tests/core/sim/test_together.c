// Bodies on joints that strike their limits, are driven, geared or roll, and deformables that are attached to them, to one another and tied
// by ropes: all at once. Each solver comes to the same motion, and the nearer the shorter its steps are, as they differ in what a step makes
// linear alone.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 400 };

#define OPENS "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.002, \"steps\": 1000}, "
#define BOX(name, rest)                                                                                      \
  "{\"name\": \"" name                                                                                       \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1]}, \"density\": 500, " rest "}"
#define HINGE(z, more)                                                                                       \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0, 0, " z         \
  "]}, \"in_body\": {\"position\": [-0.1, 0, 0]}" more "}"
#define BLOCK(name, box, size, place, more)                                                                  \
  "{\"name\": \"" name "\", \"type\": \"tets\", \"mesh\": {\"box\": " box ", \"size\": " size                \
  "}, \"pose\": {\"position\": " place "}, \"material\": {\"model\": \"neo_hookean\", \"young\": 2e4, "      \
  "\"poisson\": 0.3, \"density\": 300}" more "}"
#define HELD(side, body)  "{\"select\": {\"side\": \"" side "\"}, \"body\": \"" body "\"}"
#define NODE(name, index) "{\"node\": \"" name "\", \"index\": " index "}"
#define ROPE(length, a, b)                                                                                   \
  "{\"type\": \"distance\", \"rope\": true, \"length\": " length ", \"between\": [" a ", " b "]}"

static const struct {
  const char *name, *scene;
  double time;
} scenes[] = {
    {"ropes between what two arms carry, which strike their limits",
     OPENS "\"bodies\": [" BOX("a", HINGE("0", ", \"limits\": [-1, 0.5]")) ", " BOX(
         "b",
         HINGE(
             "0.3",
             ", \"limits\": [-0.3, 0.02]")) "], \"deformables\": ["
                                            "{\"name\": \"c\", \"type\": \"cloth\", \"mesh\": "
                                            "{\"grid\": [4, 4], \"size\": [0.2, 0.2]}, \"pose\": "
                                            "{\"position\": [0.1, -0.1, 0.3]}, "
                                            "\"material\": {\"young\": 2e4, \"poisson\": 0.3, "
                                            "\"density\": 300, \"thickness\": 1e-3}, "
                                            "\"attach\": [" HELD("-x", "b") "]}, " BLOCK(
                                                "d", "[3, 3, 3]", "[0.1, 0.1, 0.1]", "[0.1, -0.05, -0.05]",
                                                ", \"attach\": [" HELD(
                                                    "-x",
                                                    "a") "]") "], \"constraints\": [" ROPE("0.28",
                                                                                           NODE("c", "3"),
                                                                                           NODE(
                                                                                               "d",
                                                                                               "20")) ","
                                                                                                      " " ROPE(
                                                                                                          "0."
                                                                                                          "2"
                                                                                                          "8",
                                                                                                          NODE(
                                                                                                              "c",
                                                                                                              "15"),
                                                                                                          NODE(
                                                                                                              "d",
                                                                                                              "26")) "]}",
     0.12},
    {"a bar between an arm that is driven and a body in space",
     OPENS "\"bodies\": [" BOX("a", HINGE("0", ", \"motion\": {\"position\": \"=0.5*sin(10*t)\"}")) ", " BOX(
         "b",
         "\"pose\": {\"position\": [0.6, 0, 0]}") "], \"deformables\": [" BLOCK("d", "[5, 3, 3]",
                                                                                "[0.3, 0.08, 0.08]",
                                                                                "[0.2, -0.04, -0.04]",
                                                                                ", \"attach\": [" HELD(
                                                                                    "-x",
                                                                                    "a") ", " HELD("+x",
                                                                                                   "b") "]") "]}",
     0.12},
    {"a bar between arms that are geared, one of which has a limit",
     OPENS "\"bodies\": [" BOX("a", HINGE("0", ", \"velocity\": 1, \"limits\": [-0.2, 0.02]")) ", " BOX(
         "b",
         HINGE("0.3", ", \"velocity\": -1")) "], \"constraints\": [{\"type\": \"ratio\", \"joints\": [\"a\", "
                                             "\"b\"], \"ratio\": -1}], \"deformables\": [" BLOCK(
                                                 "d", "[3, 3, 4]", "[0.1, 0.1, 0.2]", "[0, -0.05, 0.05]",
                                                 ", \"attach\": [" HELD("-z", "a") ", " HELD("+z",
                                                                                             "b") "]") "]}",
     0.12},
    {"a node that is attached to nodes, ropes, and soft stops",
     OPENS "\"bodies\": [" BOX(
         "a",
         HINGE("0",
               ", \"limits\": [-0.1, 0.1], \"stops\": {\"stiffness\": 50, \"damping\": "
               "0.5}")) "], "
                        "\"deformables\": [" BLOCK(
                            "c", "[3, 3, 3]", "[0.1, 0.1, 0.1]", "[0.1, -0.05, -0.05]",
                            ", \"attach\": [" HELD(
                                "-x",
                                "a") "]") ", " BLOCK("d", "[3, 3, 3]", "[0.1, 0.1, 0.1]",
                                                     "[0.1, -0.05, -0.16]",
                                                     ", \"attach\": [{\"select\": "
                                                     "{\"vertices\": [18]}, \"to\": "
                                                     "{\"deformable\": \"c\", "
                                                     "\"vertices\": "
                                                     "[0, 1]}}]") "], \"constraints\": "
                                                                  "[" ROPE(
                                                                      "0.02", NODE("c", "2"),
                                                                      NODE("d",
                                                                           "20")) ","
                                                                                  " " ROPE(
                                                                                      "0.02", NODE("c", "8"),
                                                                                      NODE("d", "26")) "]}",
     0.12},
};

// Places of all nodes after `time` in steps of h, behind those of bodies; how many numbers.
static size_t places(const char *scene, const char *solver, double h, double time, double *out) {
  char step[40];
  size_t n = 0, all = 0;
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  static const char *const channels[] = {"body.position", "body.rotation", "deformable.d.position"};
  TestRun run =
      test_run(scene, (const char *const[]){solver, step,
                                            "/output={\"channels\": [\"body.position\", \"body.rotation\", "
                                            "\"deformable.d.position\"]}",
                                            NULL});
  test_steps(run.sim, lrint(time / h));
  for (int k = 0; k < 3; k++) {
    const double *at = test_channel(run.sim, channels[k], &n);
    cr_assert_leq(all + n, MOST);
    memcpy(out + all, at, n * sizeof *out);
    all += n;
  }
  test_run_free(&run);
  return all;
}

static void check(size_t i) {
  static const char *const ways[] = {
      "/solver=\"maximal\"", "/solver={\"type\": \"projective\", \"method\": \"newton\"}",
      "/solver={\"type\": \"projective\", \"method\": \"newton\", \"bodies\": \"maximal\"}",
      "/solver={\"type\": \"projective\", \"method\": \"lbfgs\", \"tolerance\": 1e-9}"};
  enum { WAYS = sizeof ways / sizeof *ways };
  double known[MOST], found[MOST], apart[WAYS][2] = {{0}};
  for (int turn = 0; turn < 2; turn++) {
    const double h = turn ? 0.0005 : 0.002;
    const size_t n = places(scenes[i].scene, "/solver=\"redmax\"", h, scenes[i].time, known);
    for (size_t k = 0; k < WAYS; k++) {
      places(scenes[i].scene, ways[k], h, scenes[i].time, found);
      apart[k][turn] = test_distance(known, found, n);
    }
  }
  for (size_t k = 0; k < WAYS; k++) {
    printf("%s, %s: %.2g m apart, in steps of a quarter %.2g m\n", scenes[i].name, ways[k], apart[k][0],
           apart[k][1]);
    cr_expect(apart[k][0] < 1e-3 && (apart[k][1] < 1e-6 || apart[k][1] < 0.3 * apart[k][0]),
              "%s, %s: %.2g m apart, in steps of a quarter %.2g m", scenes[i].name, ways[k], apart[k][0],
              apart[k][1]);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(together_long, ropes_tie_what_arms_at_their_limits_carry, TEST_LONG) { check(0); }
Test(together_long, what_is_driven_pulls_at_what_is_free, TEST_LONG) { check(1); }
Test(together_long, gears_are_held_by_what_is_attached_to_both, TEST_LONG) { check(2); }
Test(together_long, what_hangs_on_what_is_attached_hangs_alike, TEST_LONG) { check(3); }
