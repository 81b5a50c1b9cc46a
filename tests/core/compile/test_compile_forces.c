// Kinds of forces in core/compile: those that act everywhere, where nodes are no bodies.
#include "core/base/alloc.h"
#include "core/compile/compile_internal.h"
#include "core/forces/forces.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A net of one triangle that falls; with the force of that kind that the rows of the table make, if any.
#define CLOTH(forces_)                                                                                       \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, \"solver\": \"projective\","                    \
  "\"deformables\": [{\"name\": \"cloth\", \"type\": \"cloth\", \"mesh\": {\"grid\": [2, 2], \"size\": [1, " \
  "1]},"                                                                                                     \
  "\"material\": {\"young\": 1e4, \"poisson\": 0.3, \"density\": 1000, \"thickness\": 0.001}}]" forces_ "}"

static double fallen(const char *forces) {
  char text[900];
  snprintf(text, sizeof text, CLOTH("%s"), forces);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 20);
  const double z = mb_nodes_places(run.sim)[2];
  test_run_free(&run);
  return z;
}

Test(compile_forces, what_acts_everywhere_acts_on_projective_nodes_or_is_refused_by_name) {
  const double free = fallen("");
  int everywhere = 0;
  for (int kind = 0; kind < MB_FORCES; kind++) {
    const MbForceOps *ops = mb_force_table[kind];
    MbReport report = {0};
    if (!ops->everywhere) continue;
    everywhere++;
    if (ops->drag) { // its coefficient is called as in every such kind
      char force[200];
      snprintf(force, sizeof force, ", \"forces\": [{\"type\": \"%s\", \"coefficient\": 1}]", ops->name);
      cr_expect_gt(fallen(force), free + 0.01, "\"%s\" does nothing to nodes", ops->name);
      continue;
    }
    cr_expect_eq(mb_compile_everywhere(ops, MB_SOLVER_PROJECTIVE, "/forces/0", &report), MB_SCENE);
  }
  cr_assert_gt(everywhere, 0);
}

Test(compile_forces, a_kind_without_drag_is_refused_where_nodes_are_no_bodies) {
  const MbForceOps wind = {.name = "wind", .everywhere = true};
  MbReport report = {0};
  cr_assert_eq(mb_compile_everywhere(&wind, MB_SOLVER_REDMAX, "/forces/3", &report), MB_OK);
  cr_assert_eq(mb_compile_everywhere(&wind, MB_SOLVER_MAXIMAL, "/forces/3", &report), MB_OK);
  cr_assert_eq(report.kept, 0);
  cr_assert_eq(mb_compile_everywhere(&wind, MB_SOLVER_PROJECTIVE, "/forces/3", &report), MB_SCENE);
  cr_assert_str_eq(report.issues[0].where, "/forces/3");
  cr_assert(strstr(report.issues[0].text, "\"wind\" does nothing to nodes"), "%s", report.issues[0].text);
}

// Body b starts at y = 2, since its coordinate follows that of a.
#define FOLLOWING                                                                                            \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"steps\": 1}, \"solver\": \"%s\","     \
  "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "         \
  "\"joint\": "                                                                                              \
  "{\"type\": \"prismatic\", \"axis\": [1, 0, 0], \"position\": 1}}, {\"name\": \"b\", \"mass\": 1, "        \
  "\"shape\": "                                                                                              \
  "{\"type\": \"sphere\", \"radius\": 0.1}, \"joint\": {\"type\": \"prismatic\", \"axis\": [0, 1, 0]}}], "   \
  "\"constraints\": [{\"type\": \"ratio\", \"joints\": [\"a\", \"b\"], \"ratio\": 2, \"enforce\": "          \
  "\"reduction\"}], \"forces\": [{\"type\": \"spring\", \"stiffness\": 100, \"between\": [{\"body\": "       \
  "\"b\"}, "                                                                                                 \
  "{\"body\": \"world\", \"at\": [0, -1, 0]}]}], \"deformables\": [{\"name\": \"rope\", \"type\": "          \
  "\"springs\", "                                                                                            \
  "\"mesh\": {\"rope\": 2, \"length\": 1}, \"pose\": {\"position\": [0, 2, 0]}, \"material\": {\"mass\": "   \
  "1, "                                                                                                      \
  "\"stiffness\": 10}, \"attach\": [{\"select\": {\"vertices\": [0]}, \"body\": \"b\", \"enforce\": "        \
  "\"reduction\"}]}], \"output\": {\"channels\": [\"energy\", \"deformable.*.position\"]}}"

Test(compile_forces, lengths_and_places_at_the_start_are_those_that_reductions_make) {
  static const char *const solvers[] = {"redmax", "maximal"};
  for (size_t i = 0; i < 2; i++) {
    char text[1600];
    snprintf(text, sizeof text, FOLLOWING, solvers[i]);
    TestRun run = test_run(text, NULL);
    test_near("spring at rest", test_channel(run.sim, "energy", NULL), (double[]){0, 0, 0, 0}, 4, 1e-12);
    test_near("node where it was put", test_channel(run.sim, "deformable.rope.position", NULL),
              (double[]){0, 2, 0}, 3, 1e-12);
    test_steps(run.sim, 1);
    test_near("and it stays there", test_channel(run.sim, "deformable.rope.position", NULL),
              (double[]){0, 2, 0}, 3, 1e-12);
    test_run_free(&run);
  }
}
