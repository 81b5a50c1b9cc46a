// A scene in which all that is measured by time is another number, as if a second were another one, goes the same way: steps, gravity, velocities and
// stiffness tell how long things take, and no number of what parts and pushes does.
#include "core/base/report.h"
#include "core/sim/touch.h"
#include "core/sim/touch_pile.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 40, MANY = 130, MOST = 3 * (MANY + 40) };

#define BOX(name, size, x, z)                                                                                \
  "{\"name\": \"" name "\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": " size                \
  "}, \"pose\": {\"position\": [" x ", 0, " z "]}}"
#define CUBE "[0.5, 0.5, 0.5]"

// Two boxes in one another, one in the ground, one that falls, a ball; each 0.1 to 0.02 of half its size deep.
#define SOME                                                                                                 \
  "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, " BOX(        \
      "low", CUBE, "0",                                                                                      \
      "0.245") ", " BOX("high", CUBE, "0.05",                                                                \
                        "0.725") ", " BOX("deep", CUBE, "2",                                                 \
                                          "0.23") ", "                                                       \
                                                  "{\"name\": \"ball\", \"density\": 500, \"shape\": "       \
                                                  "{\"type\": \"sphere\", \"radius\": 0.2}, \"pose\": "      \
                                                  "{\"position\": [4, 0, 0.185]}}, " BOX(                    \
                                                      "falls", "[0.2, 0.3, 0.1]", "6", "0.25")

// And a door that hangs in a wall, so that rows are not of bodies alone.
#define DOOR                                                                                                 \
  ", {\"name\": \"post\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.4]}, "     \
  "\"pose\": {\"position\": [8, 0, 0.195]}}, {\"name\": \"door\", \"density\": 500, "                        \
  "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.05, 0.3]}, \"joint\": {\"type\": \"revolute\", "         \
  "\"parent\": \"post\", "                                                                                   \
  "\"axis\": [0, 0, 1], \"in_parent\": {\"position\": [0.3, 0, 0]}}}"

// And a block of rubber on a cube.
#define RUBBER                                                                                               \
  ", \"deformables\": [{\"name\": \"rubber\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], "           \
  "\"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": [2, 0, 0.59]}, \"material\": {\"model\": "           \
  "\"corotational\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}}]"

#define FEW  "\"method\": \"gauss_seidel\", \"iterations\": 10"
#define NEAR "\"tolerance\": 1e-8"

static const struct Case {
  const char *solver, *contact, *more, *deformables;
  size_t boxes; // in the ground, beside the others: so many that they are a pile
} cases[] = {{"\"redmax\"", NEAR, "", "", 0},
             {"\"redmax\"", FEW, "", "", 0},
             {"\"redmax\"", FEW, "", "", MANY},
             {"\"redmax\"", NEAR, DOOR, "", 0},
             {"{\"type\": \"maximal\", \"project\": false}", FEW, DOOR, "", 0},
             {"{\"type\": \"projective\", \"iterations\": 20}", NEAR, "", RUBBER, 0}};

static void write_scene(char *text, size_t size, const struct Case *c) {
  size_t n =
      (size_t)snprintf(text, size,
                       "{\"mbsim\": 1, \"solver\": %s, \"integrator\": \"implicit\", \"time\": {\"step\": "
                       "0.01, \"steps\": 2}, \"contact\": {\"friction\": 0.5, \"restitution\": %g, %s}, "
                       "\"bodies\": [" SOME "%s",
                       c->solver, c->boxes ? 0 : 0.3, c->contact, c->more);
  for (size_t k = 0; k < c->boxes; k++) {
    n += (size_t)snprintf(
        text + n, size - n,
        ", {\"name\": \"%zu\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": " CUBE
        "}, \"pose\": {\"position\": [%zu, 5, 0.24]}}",
        k, k);
    cr_assert_lt(n, size);
  }
  n += (size_t)snprintf(text + n, size - n, "]%s}", c->deformables);
  cr_assert_lt(n, size);
}

// Where bodies and nodes are after each step, if a second were `unit` of them: `place` (STEPS x most); how many numbers that is.
static size_t go(const struct Case *c, double unit, double *place, size_t most) {
  static char text[30000], set[4][80];
  write_scene(text, sizeof text, c);
  snprintf(set[0], sizeof *set, "/time/step=%.17g", 0.01 * unit);
  snprintf(set[1], sizeof *set, "/gravity=[0, 0, %.17g]", -9.81 / (unit * unit));
  snprintf(set[2], sizeof *set, "/contact/restitution_threshold=%.17g", 0.05 / unit);
  snprintf(set[3], sizeof *set, "/deformables/0/material/young=%.17g", 1e5 / (unit * unit));
  const char *const sets[] = {set[0], set[1], set[2], *c->deformables ? set[3] : NULL, NULL};
  TestRun run = test_run(text, sets);
  const size_t nb = run.model->nb, nodes = *c->deformables ? 27 : 0, n = 3 * (nb + nodes);
  double *v = run.sim->state.v + run.model->v_first[5];
  memcpy(v, (const double[]){1 / unit, 2 / unit, -1 / unit, 0.2 / unit, 0, 0}, 6 * sizeof *v);
  mb_sim_kinematics(run.sim, run.sim->state.q, run.sim->state.v);
  cr_assert_leq(n, most);
  for (size_t step = 0; step < STEPS; step++, place += most) {
    test_steps(run.sim, 1);
    cr_assert_eq(c->boxes > 0, run.sim->touching->pile && run.sim->touching->pile->solved);
    for (size_t b = 0; b < nb; b++) memcpy(place + 3 * b, run.sim->x.E[b].p, 3 * sizeof *place);
    if (nodes) memcpy(place + 3 * nb, mb_nodes_places(run.sim), 3 * nodes * sizeof *place);
  }
  test_run_free(&run);
  return n;
}

Test(touch_time, a_scene_in_other_units_of_time_goes_the_same_way, TEST_LONG) {
  static const double units[] = {1024, 1.0 / 1024}; // of powers of two: what is scaled has the same digits
  static double is[STEPS * MOST], was[STEPS * MOST];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const size_t n = go(&cases[k], 1, was, MOST);
    double parted = 0;
    for (size_t u = 0; u < 2; u++) {
      double far = 0;
      cr_assert_eq(go(&cases[k], units[u], is, MOST), n);
      for (size_t step = 0; step < STEPS; step++)
        for (size_t i = 0; i < n; i++) far = fmax(far, fabs(is[step * MOST + i] - was[step * MOST + i]));
      cr_expect_lt(far, 1e-12, "case %zu, %g: %g m", k, units[u], far);
    }
    for (size_t step = 0; step < 2; step++) parted = was[step * MOST + 3 * 3 + 2] - 0.23;
    cr_expect(parted > 0.004 && parted < 0.006, "%g m in two steps, of which each may be 0.0025", parted);
  }
}

// A ball that strikes a box above the floor drives it 0.31 of its size into that, as nothing foresees the blow's speed where the step begins. What is deeper than a tenth is
// told with the step and by name, once; it was told at a run's end alone.
Test(touch_time, what_a_blow_drives_into_the_floor_is_told_with_its_step) {
  static const char scene[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 30}, \"contact\": {\"friction\": 0.5}, "
      "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "
      "\"fixed\"}}, "
      "{\"name\": \"box\", \"density\": 100, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.4]}, "
      "\"pose\": {\"position\": [0, 0, 0.35]}}, {\"name\": \"ball\", \"density\": 8000, \"shape\": "
      "{\"type\": "
      "\"sphere\", \"radius\": 0.1}, \"pose\": {\"position\": [0, 0, 0.8]}, \"velocity\": {\"linear\": [0, "
      "0, "
      "-20]}}]}";
  static const char *const few = "/contact={\"method\": \"gauss_seidel\", \"iterations\": 10}",
                           *const slow = "/bodies/2/velocity/linear=[0, 0, -2]";
  const char *const sets[][2] = {{NULL}, {few, NULL}, {slow, NULL}};
  for (size_t i = 0; i < 3; i++) {
    MbReport report = {0};
    cr_assert_eq(test_try(scene, sets[i], 30, &report), MB_OK);
    cr_expect_eq(report.warnings, i < 2, "%zu: %d", i, report.warnings);
    if (i < 2) cr_expect(strstr(report.issues[0].text, "into one another"), "%s", report.issues[0].text);
    if (i == 0)
      cr_expect(strstr(report.issues[0].text, "t = 0.02 s, step 2: \"floor\" and \"box\""), "%s",
                report.issues[0].text);
  }
}
