// Stiff deformables that turn in steps of one solution beside the same steps solved to their end by Newton's method.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 60 };
static const double STEP = 0.002;

#define STIFF "\"material\": {\"model\": \"%s\", \"young\": 1e10, \"poisson\": 0.3, \"density\": 1000%s}"
#define SPIN  "\"velocity\": {\"angular\": [1, 2, 4], \"linear\": [0, 0, 0.5]}"

static const char *const shape[] = {
    "\"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.2, 0.2]}",
    "\"type\": \"cloth\", \"mesh\": {\"grid\": [3, 3], \"size\": [0.2, 0.2]}"};
static const char *const thick[] = {"", ", \"thickness\": 0.001"};

// Where its nodes are after so many seconds.
static size_t spin(const char *solver, const char *model, int kind, double seconds, double x[3 * NODES]) {
  char text[2000], material[300];
  snprintf(material, sizeof material, STIFF, model, thick[kind]);
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"integrator\": \"implicit\", \"solver\": %s, \"time\": "
           "{\"step\": "
           "%.17g, \"steps\": 10000}, \"deformables\": [{\"name\": \"it\", %s, %s, " SPIN
           "}], \"output\": {\"channels\": [\"deformable.it.position\"]}}",
           solver, STEP, shape[kind], material);
  TestRun run = test_run(text, NULL);
  size_t n = 0;
  test_steps(run.sim, (int64_t)(seconds / STEP + 0.5));
  const double *at = test_channel(run.sim, "deformable.it.position", &n);
  cr_assert_leq(n, 3 * NODES);
  memcpy(x, at, n * sizeof *x);
  test_run_free(&run);
  return n;
}

// At 4.6 rad/s it has turned by more than two radians. Linearised where elements are, the block comes 0.2 m from these, and stands still.
Test(element_turn, what_is_stiff_and_spins_goes_by_one_solution_as_by_newtons_method) {
  static const char *const solvers[] = {"\"redmax\"", "\"maximal\""};
  static const char *const models[] = {"corotational", "arap", "neo_hookean"};
  static const double CLOSE = 1e-6, APART = 0.05; // m
  for (int kind = 0; kind < 2; kind++)
    for (size_t m = 0; m < (kind ? 2 : 3); m++) {
      double x[3 * NODES], wanted[3 * NODES], first[3 * NODES];
      char what[100];
      const size_t n = spin(
          "{\"type\": \"projective\", \"method\": \"newton\", \"iterations\": 100, \"tolerance\": 1e-11}",
          models[m], kind, 0.5, wanted);
      spin(solvers[0], models[m], kind, 0, first);
      cr_expect_gt(test_distance(first, wanted, n), APART);
      for (size_t s = 0; s < 2; s++) {
        spin(solvers[s], models[m], kind, 0.5, x);
        snprintf(what, sizeof what, "nodes of a %s of %s under %s", kind ? "sheet" : "block", models[m],
                 solvers[s]);
        printf("%s: %.2g m from Newton's\n", what, test_distance(x, wanted, n));
        test_near(what, x, wanted, n, CLOSE);
      }
    }
}
