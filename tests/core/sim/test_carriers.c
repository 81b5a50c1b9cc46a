// Deformables on links that are driven: one joint moves as it is told, the next one is pulled by a motor, and a third swings freely. Rubber
// and a rod hang on them; all solvers come to the same motion, and to the same torque of what drives.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(carriers, .fini = no_leaks);
TestSuite(carriers_long, .fini = no_leaks);

#define LINK(name, parent, place, joint)                                                                     \
  "{\"name\": \"" name "\", \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.05, 0.05], \"frame\": "         \
  "{\"position\": [0.15, 0, 0]}}, \"density\": 500, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, "   \
  "0], "                                                                                                     \
  "\"parent\": \"" parent "\", \"in_parent\": {\"position\": [" place ", 0, 0]}, " joint "}}"
static const char scene[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 20}, \"integrator\": \"implicit\", \"bodies\": "
    "[" LINK(
        "shoulder", "world", "0",
        "\"motion\": {\"position\": \"=0.5*sin(8*t)\", \"velocity\": \"=4*cos(8*t)\", \"acceleration\": "
        "\"=-32*sin(8*t)\"}") ", " LINK("elbow", "shoulder", "0.3",
                                        "\"motor\": {\"stiffness\": 30, \"damping\": 1, \"target\": "
                                        "\"=0.8*sin(5*t)\"}") ", " LINK("wrist", "elbow", "0.3",
                                                                        "\"damping\": 0.01") "], "
                                                                                             "\"deformables\""
                                                                                             ": ["
                                                                                             "{\"name\": "
                                                                                             "\"hand\", "
                                                                                             "\"type\": "
                                                                                             "\"tets\", "
                                                                                             "\"mesh\": "
                                                                                             "{\"box\": [4, "
                                                                                             "2, 2], "
                                                                                             "\"size\": "
                                                                                             "[0.2, 0.05, "
                                                                                             "0.05]}, "
                                                                                             "\"pose\": "
                                                                                             "{\"position\": "
                                                                                             "[0.9, -0.025, "
                                                                                             "-0.025]}, "
                                                                                             "\"material\": "
                                                                                             "{\"young\": "
                                                                                             "1e5, "
                                                                                             "\"density\": "
                                                                                             "1000}, "
                                                                                             "\"attach\": "
                                                                                             "[{\"select\": "
                                                                                             "{\"side\": "
                                                                                             "\"-x\"}, "
                                                                                             "\"body\": "
                                                                                             "\"wrist\"}]}, "
                                                                                             "{\"name\": "
                                                                                             "\"sleeve\", "
                                                                                             "\"type\": "
                                                                                             "\"cloth\", "
                                                                                             "\"mesh\": "
                                                                                             "{\"grid\": [3, "
                                                                                             "3], \"size\": "
                                                                                             "[0.1, 0.1]}, "
                                                                                             "\"pose\": "
                                                                                             "{\"position\": "
                                                                                             "[0.4, 0.025, "
                                                                                             "0]}, "
                                                                                             "\"material\": "
                                                                                             "{\"young\": "
                                                                                             "1e4, "
                                                                                             "\"thickness\": "
                                                                                             "0.002, "
                                                                                             "\"density\": "
                                                                                             "500, "
                                                                                             "\"bending\": "
                                                                                             "{}}, "
                                                                                             "\"attach\": "
                                                                                             "[{\"select\": "
                                                                                             "{\"side\": "
                                                                                             "\"-y\"}, "
                                                                                             "\"body\": "
                                                                                             "\"elbow\"}]}, "
                                                                                             "{\"name\": "
                                                                                             "\"feeler\", "
                                                                                             "\"type\": "
                                                                                             "\"rod\", "
                                                                                             "\"mesh\": "
                                                                                             "{\"rope\": 5, "
                                                                                             "\"length\": "
                                                                                             "0.2}, "
                                                                                             "\"pose\": "
                                                                                             "{\"position\": "
                                                                                             "[0.15, 0, "
                                                                                             "0.025], "
                                                                                             "\"rotation\": "
                                                                                             "{\"axis\": [0, "
                                                                                             "1, 0], "
                                                                                             "\"angle\": "
                                                                                             "-1.5}}, "
                                                                                             "\"material\": "
                                                                                             "{\"radius\": "
                                                                                             "0.01, "
                                                                                             "\"young\": "
                                                                                             "1e6, "
                                                                                             "\"density\": "
                                                                                             "1000}, "
                                                                                             "\"attach\": "
                                                                                             "[{\"select\": "
                                                                                             "{\"clamp\": "
                                                                                             "\"first\"}, "
                                                                                             "\"body\": "
                                                                                             "\"shoulder\"}]}"
                                                                                             "], "
                                                                                             "\"output\": "
                                                                                             "{\"channels\": "
                                                                                             "[\"joint."
                                                                                             "position\", "
                                                                                             "\"joint."
                                                                                             "force\", "
                                                                                             "\"deformable.*."
                                                                                             "position\"]}}";

static const struct {
  const char *name, *set;
} solvers[] = {{"redmax", "/solver=\"redmax\""},
               {"maximal", "/solver=\"maximal\""},
               {"projective with redmax", "/solver={\"type\":\"projective\",\"bodies\":\"redmax\"}"},
               {"projective with maximal", "/solver={\"type\":\"projective\",\"bodies\":\"maximal\"}"}};
enum {
  SOLVERS = 4,
  JOINTS = 3,
  HAND = 48,
  SLEEVE = 27,
  FEELER = 15,
  NUMBERS = JOINTS + HAND + SLEEVE + FEELER
};

// Joints' coordinates and nodes' places after 0.04 s, and the torque that the motion takes then.
static double run(const char *solver, int finer, double x[NUMBERS]) {
  char time[60];
  snprintf(time, sizeof time, "/time={\"step\":%g,\"steps\":%d}", 0.002 / finer, 20 * finer);
  TestRun run = test_run(scene, (const char *const[]){solver, time, NULL});
  size_t count;
  MbReport report = {0};
  for (int k = 0; k < 20 * finer; k++)
    cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK, "%s", report.issues[0].text);
  memcpy(x, test_channel(run.sim, "joint.position", &count), JOINTS * sizeof *x);
  memcpy(x + JOINTS, test_channel(run.sim, "deformable.hand.position", &count), HAND * sizeof *x);
  memcpy(x + JOINTS + HAND, test_channel(run.sim, "deformable.sleeve.position", &count), SLEEVE * sizeof *x);
  memcpy(x + JOINTS + HAND + SLEEVE, test_channel(run.sim, "deformable.feeler.position", &count),
         FEELER * sizeof *x);
  const double torque = test_channel(run.sim, "joint.force", &count)[0];
  test_run_free(&run);
  return torque;
}

Test(carriers_long, driven_links_carry_deformables_alike_under_every_solver) {
  double apart[SOLVERS][3], torque[SOLVERS] = {0};
  static double x[SOLVERS][NUMBERS];
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < SOLVERS; s++) {
      torque[s] = run(solvers[s].set, 1 << k, x[s]);
      apart[s][k] = test_distance(x[s], x[0], NUMBERS);
    }
  for (int s = 0; s < SOLVERS; s++) {
    printf("    %-24s %.2e %.2e %.2e m from redmax, %.6f N m\n", solvers[s].name, apart[s][0], apart[s][1],
           apart[s][2], torque[s]);
    cr_expect(apart[s][2] < 4e-5, "%s: %g", solvers[s].name, apart[s][2]);
    if (s)
      cr_expect(apart[s][2] < 0.65 * apart[s][1] && apart[s][1] < 0.65 * apart[s][0], "%s: %g, %g, %g",
                solvers[s].name, apart[s][0], apart[s][1], apart[s][2]);
    cr_expect_float_eq(torque[s], torque[0], 1e-3 * fabs(torque[0]), "%s: %g N m, not %g", solvers[s].name,
                       torque[s], torque[0]);
  }
  cr_expect_gt(fabs(x[0][0]), 0.1); // it has moved
  cr_expect_gt(fabs(torque[0]), 0.1);
}

// Without what hangs on them the links take another torque, and go elsewhere: they feel it.
Test(carriers, driven_links_feel_what_they_carry) {
  double with[NUMBERS], light[NUMBERS];
  for (int s = 0; s < SOLVERS; s++) {
    const double torque = run(solvers[s].set, 1, with);
    TestRun other =
        test_run(scene, (const char *const[]){solvers[s].set, "/deformables/0/material/density=1", NULL});
    size_t count;
    for (int k = 0; k < 20; k++) cr_assert_eq(mb_sim_step(other.sim, NULL), MB_OK);
    memcpy(light, test_channel(other.sim, "joint.position", &count), JOINTS * sizeof *light);
    const double less = test_channel(other.sim, "joint.force", &count)[0];
    cr_expect_gt(fabs(torque - less), 0.01 * fabs(torque), "%s: %g and %g N m", solvers[s].name, torque,
                 less);
    cr_expect_gt(test_distance(with + 1, light + 1, 2), 1e-3, "%s", solvers[s].name);
    test_run_free(&other);
  }
}
