// A block of tetrahedra whose far end is pushed through its near end and pulled back: elements are inside out, and a step's first guess is
// wild. What iterations leave of it must not feed the next steps.
#include "tests/runs.h"

#include <stdio.h>

static const char block[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.02, \"duration\": 2}, \"gravity\": [0, 0, 0], "
    "\"solver\": \"projective\", \"deformables\": [{\"name\": \"block\", \"type\": \"tets\", "
    "\"mesh\": {\"box\": [6, 2, 2], \"size\": [0.6, 0.2, 0.2]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"density\": 1000}, "
    "\"pin\": [{\"select\": {\"side\": \"-x\"}}, {\"select\": {\"side\": \"+x\"}, "
    "\"motion\": {\"translate\": [\"=-far*(1-cos(pi*t))/2\", 0, 0]}}]}], "
    "\"parameters\": {\"far\": 0.9}, \"output\": {\"channels\": [\"energy\"]}}";

Test(soft_inside_out, a_block_pushed_through_itself_and_back_keeps_an_energy_of_its_size) {
  static const double MOST = 1e5; // J; where iterations ended early it was 1e21 and more
  static const double poisson[] = {0.3, 0.45}, far[] = {0.9, 1.2};
  for (int i = 0; i < 4; i++) {
    char sets[2][64];
    snprintf(sets[0], sizeof sets[0], "/deformables/0/material/poisson=%g", poisson[i % 2]);
    snprintf(sets[1], sizeof sets[1], "/parameters/far=%g", far[i / 2]);
    const char *const list[] = {sets[0], sets[1], NULL};
    TestRun run = test_run(block, list);
    double most = 0;
    for (int step = 0; step < 100; step++) {
      test_steps(run.sim, 1);
      size_t count = 0;
      most = fmax(most, fabs(test_channel(run.sim, "energy", &count)[3]));
    }
    cr_expect(most > 1000 && most < MOST, "Poisson's ratio %g, pushed by %g m: %g J", poisson[i % 2],
              far[i / 2], most);
    test_run_free(&run);
  }
}
