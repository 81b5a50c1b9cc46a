// Whether elements push alike: every number that they feel tells, and density, which is felt as masses, does not. A number that did not would have a derivative of 0.
#include "core/sim/same_elements.h"
#include "tests/runs.h"

#include <stdio.h>

#define HEAD  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"deformables\": [{\"name\": \"it\", "
#define SHEET "\"type\": \"cloth\", \"mesh\": {\"grid\": [2, 2], \"size\": [0.3, 0.4]}, "
#define BALL  "\"type\": \"cloth\", \"mesh\": {\"ball\": 1, \"radius\": 0.3}, "
#define STUFF "\"material\": {\"model\": \"arap\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100"

static const char
    tets[] = HEAD "\"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.3, 0.4]}, " STUFF
                  ", \"damping\": 0.1, \"fibres\": [{\"direction\": [1, 2, 0.5], \"stiffness\": 900, "
                  "\"limit\": 0.05, \"beyond\": 4000, \"strength\": 700, \"activation\": 0.6}]}}]}",
    sheet[] = HEAD SHEET STUFF ", \"thickness\": 0.1, \"bending\": {\"stiffness\": 2, \"damping\": 0.2}}, "
                               "\"wind\": {\"velocity\": [2, -1, "
                               "3], \"density\": 1.5, \"drag\": 1.2, \"lift\": 0.7}}]}",
    ball[] = HEAD BALL STUFF
    ", \"thickness\": 0.1, \"bending\": {\"stiffness\": 2, \"damping\": 0.2}}, \"pressure\": 300}]}",
    rod[] = HEAD
    "\"type\": \"rod\", \"mesh\": {\"points\": [[0, 0, 0], [0.1, 0, 0], [0.2, 0.02, 0]]}, \"material\": "
    "{\"radius\": "
    "0.02, \"young\": 2e4, \"bending\": 0.5, \"twisting\": 0.4, \"density\": 1000, \"damping\": 0.2}}]}";

static const MbElementForce *elements_of(const TestRun *run) {
  for (size_t i = 0; i < run->model->nforces; i++)
    if (run->model->forces[i].elements) return run->model->forces[i].elements;
  cr_assert(false, "there are no elements");
  return NULL;
}

static bool same_with(const char *scene, const char *set) {
  const char *const sets[] = {set, NULL};
  TestRun one = test_run(scene, NULL), other = test_run(scene, sets);
  const bool same = mb_same_elements(elements_of(&one), elements_of(&other));
  test_run_free(&one);
  test_run_free(&other);
  return same;
}

Test(same_elements, every_number_that_they_feel_tells) {
  static const struct {
    const char *scene, *set;
  } felt[] = {
      {tets, "/deformables/0/material/young=1001"},
      {tets, "/deformables/0/material/poisson=0.31"},
      {tets, "/deformables/0/material/damping=0.11"},
      {tets, "/deformables/0/material/model=\"corotational\""},
      {tets, "/deformables/0/mesh/size=[0.2, 0.3, 0.41]"},
      {tets, "/deformables/0/material/fibres/0/direction=[1, 2, 0.6]"},
      {tets, "/deformables/0/material/fibres/0/stiffness=901"},
      {tets, "/deformables/0/material/fibres/0/limit=0.06"},
      {tets, "/deformables/0/material/fibres/0/beyond=4001"},
      {tets, "/deformables/0/material/fibres/0/strength=701"},
      {sheet, "/deformables/0/material/thickness=0.11"},
      {sheet, "/deformables/0/material/bending/stiffness=2.1"},
      {sheet, "/deformables/0/material/bending/damping=0.21"},
      {sheet, "/deformables/0/wind/density=1.6"},
      {sheet, "/deformables/0/wind/drag=1.3"},
      {sheet, "/deformables/0/wind/lift=0.8"},
      {ball, "/deformables/0/material/bending/stiffness=2.1"},
      {ball, "/deformables/0/mesh/radius=0.31"},
      {rod, "/deformables/0/material/radius=0.021"},
      {rod, "/deformables/0/material/young=2.1e4"},
      {rod, "/deformables/0/material/bending=0.51"},
      {rod, "/deformables/0/material/twisting=0.41"},
      {rod, "/deformables/0/material/damping=0.21"},
  };
  for (size_t i = 0; i < sizeof felt / sizeof *felt; i++)
    cr_expect(!same_with(felt[i].scene, felt[i].set), "%s", felt[i].set);
}

Test(same_elements, masses_and_what_is_beside_them_do_not) {
  static const char *const scenes[] = {tets, sheet, ball, rod};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    cr_expect(same_with(scenes[i], "/deformables/0/material/density=120"), "%zu, density", i);
    cr_expect(same_with(scenes[i], "/gravity=[0, 0, -1]"), "%zu, gravity", i);
  }
}
