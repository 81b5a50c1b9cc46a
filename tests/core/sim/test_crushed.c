// Steps that end with elements crushed or inside out are told once and counted, whatever solver and element; others are not.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A body without a shape takes the far end along, so that every solver takes it.
#define BLOCK(type_, mesh_, more_)                                                                           \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"gravity\": [0, 0, 0], \"integrator\": "       \
  "\"implicit\", "                                                                                           \
  "\"parameters\": {\"far\": 0.9}, \"bodies\": [{\"name\": \"hand\", \"inertia\": {\"mass\": 1, "            \
  "\"matrix\": [1, 1, 1, 0, 0, 0]}, "                                                                        \
  "\"motion\": {\"pose\": {\"position\": [\"=-far*(1-cos(5*pi*t))/2\", 0, 0]}}}], "                          \
  "\"deformables\": [{\"name\": \"block\", \"type\": \"" type_ "\", \"mesh\": {" mesh_ "}, "                 \
  "\"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"density\": 1000" more_ "}, "                 \
  "\"pin\": [{\"select\": {\"side\": \"-x\"}}], \"attach\": [{\"select\": {\"side\": \"+x\"}, \"body\": "    \
  "\"hand\"}]}]}"
static const char tets[] = BLOCK("tets", "\"box\": [4, 3, 3], \"size\": [0.6, 0.4, 0.4]", "");
static const char ten[] = BLOCK("tets", "\"box\": [3, 2, 2], \"size\": [0.6, 0.4, 0.4], \"order\": 2", "");
static const char cloth[] = BLOCK("cloth", "\"grid\": [4, 3], \"size\": [0.6, 0.4]", ", \"thickness\": 0.01");

// Steps until the far end is back; how many are counted, the warnings, and the first of these.
static int64_t count(const char *scene, const char *const *sets, int *warnings, char text[700]) {
  TestRun run = test_run(scene, sets);
  MbReport report = {0};
  for (int i = 0; i < 40; i++)
    cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK, "%s", report.issues[0].text);
  const int64_t steps = mb_sim_steps_crushed(run.sim);
  *warnings = report.warnings;
  snprintf(text, 700, "%s", report.warnings ? report.issues[0].text : "");
  test_run_free(&run);
  return steps;
}

Test(crushed_long, what_ends_crushed_or_inside_out_is_told_once_and_counted) {
  // a flat sheet that is pressed stays flat under newton, whose steps keep all symmetries
  static const char *const scenes[] = {tets, ten, cloth};
  static const char *const solvers[] = {"/solver={\"type\": \"projective\", \"method\": \"newton\"}",
                                        "/solver=\"redmax\""};
  static const char *const far[] = {"/parameters/far=0.57", "/parameters/far=0.2"};
  for (size_t s = 0; s < 3; s++)
    for (size_t k = 0; k < 2; k++)
      for (size_t f = 0; f < 2; f++) {
        const char *const sets[] = {solvers[k], far[f], "/deformables/0/material/poisson=0", NULL};
        int warnings;
        char text[700];
        const int64_t steps = count(scenes[s], sets, &warnings, text);
        const bool told = strstr(text, "crushed or inside out");
        if (f == 0)
          cr_expect(steps > 1 && steps < 40 && told, "%s, scene %zu: %d steps, \"%s\"", solvers[k], s,
                    (int)steps, text);
        else
          cr_expect(steps == 0 && !told, "%s, scene %zu: %d steps, \"%s\"", solvers[k], s, (int)steps, text);
        cr_expect_leq(warnings, 2, "told again and again");
      }
  cr_expect_eq(mb_alloc_live(), 0);
}

// An inverted tetrahedron of another material counts, a crushed one does not; a law that is linear has one solution wherever it is.
Test(crushed, materials_count_from_where_there_is_more_than_one_way_back) {
  static const struct {
    const char *model, *far;
    bool counts;
  } cases[] = {{"neo_hookean", "0.57", true},
               {"corotational", "0.5", false},
               {"corotational", "0.9", true},
               {"arap", "0.9", true},
               {"linear", "0.9", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char model[64], far[64], text[700];
    int warnings;
    snprintf(model, sizeof model, "/deformables/0/material/model=\"%s\"", cases[i].model);
    snprintf(far, sizeof far, "/parameters/far=%s", cases[i].far);
    const char *const sets[] = {"/solver=\"projective\"", model, far, "/deformables/0/material/poisson=0",
                                NULL};
    const int64_t steps = count(tets, sets, &warnings, text);
    cr_expect_eq(steps > 0, cases[i].counts, "%s, %s: %d steps, \"%s\"", cases[i].model, cases[i].far,
                 (int)steps, text);
  }
}

Test(crushed, the_count_goes_on_in_a_run_that_is_resumed) {
  static const char *const sets[] = {"/solver=\"projective\"", NULL};
  TestRun one = test_run(tets, sets), other = test_run(tets, sets);
  test_resumes(one.sim, other.sim, 20, 10, "crushed");
  cr_expect_eq(mb_sim_steps_crushed(one.sim), mb_sim_steps_crushed(other.sim));
  cr_expect_gt(mb_sim_steps_crushed(one.sim), 0);
  test_run_free(&one);
  test_run_free(&other);
}
