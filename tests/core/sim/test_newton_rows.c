// Newton's method on stages with rows: what is left is squared by each iteration, for every kind of constraint.
#include "core/base/alloc.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/newton.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Two chains of three on ball joints, one along x and one from above, whose tips meet.
#define LINK(name, joint)                                                                                    \
  "{\"name\": \"" name                                                                                       \
  "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.06, 0.04]}, "                     \
  "\"joint\": {\"type\": \"spherical\", \"in_body\": {\"position\": [-0.15, 0, 0]}" joint "}}"
#define ON(parent) ", \"parent\": \"" parent "\", \"in_parent\": {\"position\": [0.15, 0, 0]}"
#define ABOVE                                                                                                \
  ", \"in_parent\": {\"position\": [0.9, 0, 0.9], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": "           \
  "\"=pi/2\"}}"
#define CHAINS(more)                                                                                         \
  "{\"mbsim\": 1, \"gravity\": [2, 5, -9.81], \"time\": {\"step\": 0.02, \"steps\": 20}, \"bodies\": "       \
  "[" LINK("a1", "") ", " LINK("a2", ON("a1")) ", " LINK("a3", ON("a2") ", \"damping\": 0.02") ", " LINK(    \
      "b1", ABOVE) ", " LINK("b2", ON("b1")) ", " LINK("b3",                                                 \
                                                       ON("b2") ", \"stiffness\": 2") "], " more             \
                                                                                      ", \"output\": {}}"
#define TIPS                                                                                                 \
  "\"between\": [{\"body\": \"a3\", \"at\": [0.15, 0, 0]}, {\"body\": \"b3\", \"at\": [0.15, 0, 0]}]"
#define FRAMES                                                                                               \
  "\"between\": [{\"body\": \"a3\", \"frame\": {\"position\": [0.15, 0, 0]}}, {\"body\": \"b3\", "           \
  "\"frame\": {\"position\": "                                                                               \
  "[0.15, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"=-pi/2\"}}}]"
#define CONSTRAINT(text) CHAINS("\"constraints\": [{" text "}]")
#define CLOSURE(joint)   CONSTRAINT("\"type\": \"joint\", \"joint\": " joint ", " FRAMES)

static const char *const scenes[] = {
    CONSTRAINT("\"type\": \"point\", " TIPS),
    CONSTRAINT("\"type\": \"distance\", \"between\": [{\"body\": \"a3\"}, {\"body\": \"b3\"}]"),
    CONSTRAINT("\"type\": \"point_on_line\", \"axis\": [0.3, 1, 0.2], " TIPS),
    CONSTRAINT("\"type\": \"point_on_plane\", \"normal\": [0.3, 0.2, 1], " TIPS),
    CONSTRAINT("\"type\": \"velocity_ratio\", \"bodies\": [\"a3\", \"b3\"], \"axes\": [[1, 0, 0], [0.2, 0, "
               "1]], \"ratio\": 0.6"),
    CLOSURE("\"fixed\""),
    CLOSURE("\"revolute\""),
    CLOSURE("\"prismatic\""),
    CLOSURE("\"cylindrical\""),
    CLOSURE("{\"type\": \"screw\", \"pitch\": 0.1}"),
    CLOSURE("\"universal\""),
    CLOSURE("\"spherical\""),
    CLOSURE("\"planar\""),
    "four_bar",
    "bricard",
    "slider_crank",
    "gears",
    "screw_jack",
    "prescribed_crank",
    "andrews_squeezer",
    "04-loop",
    "constraints/rolling_disk",
    "constraints/friction_wheels",
    "rope",
    "06-joint-limits",
};

// Takes some steps, solves the next one's stage, and does so again by exact iterations alone: what they change velocities by.
static void iterate(const char *scene, double left[], int most, double *off) {
  static const char *const sets[] = {"/integrator=\"bdf1\"", "/solver=\"redmax\"", "/time/step=0.005", NULL};
  enum { STEPS = 12 };
  TestRun run = test_run(scene, sets);
  MbSim *sim = run.sim;
  const size_t n = sim->nv;
  MbReport report = {0};
  cr_assert_not_null(sim->newton, "%s", scene);
  test_steps(sim, STEPS);
  double *base = mb_calloc(n, sizeof *base), *w = mb_calloc(n, sizeof *w), *z = mb_calloc(n, sizeof *z),
         *solved = mb_calloc(n, sizeof *solved);
  const double h = run.model->h;
  test_ok(mb_constrain_begin(sim, &report), &report);
  const MbFullStage stage = {.gamma = 1, .t = sim->state.t + h, .base = base, .from = sim->start};
  memcpy(solved, sim->state.v, n * sizeof *w), memcpy(w, sim->state.v, n * sizeof *w);
  test_ok(mb_full_stage_solve(sim, &stage, solved, &report), &report);
  for (int k = 0; k < most; k++) {
    cr_assert(mb_newton_change(sim, &stage, w, z), "%s, iteration %d", scene, k);
    left[k] = 0;
    for (size_t i = 0; i < n; i++) left[k] = fmax(left[k], fabs(z[i])), w[i] += z[i];
  }
  *off = test_distance(w, solved, n);
  mb_free(base), mb_free(w), mb_free(z), mb_free(solved);
  test_run_free(&run);
}

Test(newton_rows, what_is_left_of_a_stage_with_rows_is_squared) {
  enum { MOST = 7 };
  static const double SQUARE = 4, ROUNDING = 1e-11; // rad/s, m/s
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    double left[MOST], off;
    const char *constraint = strstr(scenes[i], "constraints\": "),
               *name = constraint ? constraint + 14 : scenes[i];
    iterate(scenes[i], left, MOST, &off);
    for (int k = 0; k < MOST; k++) printf("%9.1e", left[k]);
    printf("  %.60s\n", name);
    for (int k = 2; k < MOST; k++)
      if (left[k - 1] < 1)
        cr_expect_leq(left[k], fmax(SQUARE * left[k - 1] * left[k - 1], ROUNDING), "%s: iteration %d", name,
                      k);
    cr_expect_lt(left[MOST - 1], ROUNDING, "%s", name);
    cr_expect_lt(off, 1e-8, "%s: %g from where passes have come to", name, off);
  }
}
