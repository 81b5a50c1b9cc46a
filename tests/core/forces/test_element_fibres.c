// Fibres in elements: forces are the energy's slopes and K theirs; bars contract and sheets stretch as far as they should, and the stress
// that is told has theirs in it.
#include "core/base/alloc.h"
#include "core/deformables/fibres.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(element_fibres, .fini = no_leaks);

enum { MOST = 30 * 6 };

// An arm that carries one side of a block; a sheet that is free.
#define FIBRES                                                                                               \
  "\"fibres\": [{\"direction\": [1, 2, 0.5], \"stiffness\": 900, \"limit\": 0.05, \"beyond\": 4000, "        \
  "\"strength\": 700, "                                                                                      \
  "\"activation\": 0.6}, {\"direction\": [-1, 0.3, 1], \"stiffness\": 500}]"
static const char scene[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "
    "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "
    "\"deformables\": ["
    "{\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 3], \"size\": [0.2, 0.3, 0.4]}, "
    "\"material\": {\"young\": 1000, \"poisson\": 0.3, \"density\": 100, " FIBRES "}, "
    "\"pose\": {\"position\": [0.2, 0.1, 0.3]}, \"attach\": [{\"select\": {\"side\": \"-z\"}, \"body\": "
    "\"arm\", \"enforce\": \"reduction\"}]}, "
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 4], \"size\": [0.3, 0.4]}, "
    "\"material\": {\"young\": 1000, \"poisson\": 0.3, \"density\": 100, \"thickness\": 0.1, " FIBRES
    "}, \"pose\": "
    "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 0.2}}}]}";

Test(element_fibres, forces_are_the_energys_slopes_and_stiffness_is_theirs) {
  static double K[MOST * MOST], wanted[MOST * MOST];
  for (int d = 0; d < 2; d++) {
    TestRun run = test_run(scene, (const char *const[]){NULL});
    uint64_t seed = 7;
    cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK); // signals have their values
    for (size_t b = run.model->nlisted; b < run.model->nb; b++)
      for (size_t k = 0; k < 3; k++) run.sim->x.E[b].p[k] += 0.03 * (2 * test_random(&seed) - 1);
    const MbForce *force = test_elements_of(run.model, d);
    TestWay ways[MOST];
    double f[MOST], slope[MOST], without[MOST];
    const size_t n = test_ways(run.model, d, ways, MOST);
    test_evaluate(run.sim, force, true);
    for (size_t i = 0; i < n; i++) f[i] = run.sim->x.f[6 * ways[i].body + ways[i].axis];
    test_ways_blocks(run.model, run.sim->x.K, ways, n, K);
    for (size_t j = 0; j < n; j++) slope[j] = test_differ(run.sim, force, ways, n, j, true, wanted);
    test_near("forces", f, slope, n, TEST_CLOSE * (1 + test_largest(f, n)));
    test_near("stiffness", K, wanted, n * n, TEST_CLOSE * (1 + test_largest(K, n * n)));
    ((MbElements *)run.model->deformables[d].elements)->nfibres = 0;
    test_evaluate(run.sim, force, false);
    for (size_t i = 0; i < n; i++) without[i] = f[i] - run.sim->x.f[6 * ways[i].body + ways[i].axis];
    cr_expect_gt(test_largest(without, n), 1);
    test_run_free(&run);
  }
}

// At rest they are at a corner, where rounding would have one element's taut and the next one's slack.
Test(element_fibres, fibres_at_rest_are_between_taut_and_slack_whatever_rounding_says) {
  const MbFibres fibres = {.stiffness = 900, .beyond = 4000, .limit = 0.05};
  static const struct {
    double stretch, wanted;
  } cases[] = {{1 - 1e-3, 0},   {1 - 1e-15, 450},     {1, 450},    {1 + 1e-13, 450},
               {1 + 1e-3, 900}, {1.05 + 1e-14, 2900}, {1.06, 4900}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double T, slope;
    mb_fibre_energy(&fibres, 0, cases[i].stretch, &T, &slope);
    cr_expect_eq(slope, cases[i].wanted, "%g: %g", cases[i].stretch, slope);
  }
}

static const char *const solvers[] = {"redmax", "maximal", "projective"};

// A bar of what does not contract across, P = E (λ − 1), whose one end is free: λ = 1 − a σ/E. Slack fibres do not hold it back.
Test(element_fibres, a_bar_of_muscle_contracts_until_what_is_around_it_pushes_back) {
  for (int s = 0; s < 3; s++) {
    char solver[40];
    snprintf(solver, sizeof solver, "/solver=\"%s\"", solvers[s]);
    TestRun run = test_run("{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, "
                           "\"integrator\": \"static\", "
                           "\"deformables\": [{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": {\"box\": "
                           "[5, 2, 3], \"size\": [0.4, 0.1, "
                           "0.2]}, \"material\": {\"model\": \"arap\", \"young\": 1e4, \"poisson\": 0, "
                           "\"density\": 1000, \"fibres\": "
                           "[{\"direction\": [2, 0, 0], \"stiffness\": 5e4, \"strength\": 4000, "
                           "\"activation\": \"=0.5*t\"}]}, \"pin\": "
                           "[{\"select\": {\"side\": \"-x\"}}]}]}",
                           (const char *const[]){solver, NULL});
    size_t count;
    cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
    const double *x = test_channel(run.sim, "deformable.bar.position", &count);
    for (size_t i = 0; i < 30; i++)
      cr_expect_float_eq(x[3 * i], 0.4 * (double)(i % 5) / 4 * (1 - 0.5 * 4000 / 1e4), 1e-6,
                         "%s: node %zu is at %g", solvers[s], i, x[3 * i]);
    test_run_free(&run);
  }
}

// A sheet that is stretched by 8 %: σ = (E + k) 0.08 + k' (0.08 − 0.05) along the warp, E 0.08 along the weft.
Test(element_fibres, warp_is_stiffer_than_weft_and_beyond_its_limit_stiffer_still) {
  for (int s = 0; s < 3; s++)
    for (int weft = 0; weft < 2; weft++) {
      char solver[40];
      snprintf(solver, sizeof solver, "/solver=\"%s\"", solvers[s]);
      TestRun run = test_run(
          "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, \"integrator\": "
          "\"static\", "
          "\"deformables\": [{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"file\": "
          "\"scenes/bad/strip.obj\"}, "
          "\"start\": {\"file\": \"scenes/bad/strip_pulled.obj\"}, \"material\": {\"model\": \"arap\", "
          "\"young\": 1e4, "
          "\"poisson\": 0, \"density\": 1000, \"thickness\": 0.001, \"fibres\": [{\"direction\": [1, 0, 0], "
          "\"stiffness\": 3e4, \"limit\": 0.05, \"beyond\": 2e5}]}, \"pin\": [{\"select\": {\"side\": "
          "\"-x\"}}, "
          "{\"select\": {\"side\": \"+x\"}}]}], \"output\": {\"channels\": [\"deformable.*.stress\", "
          "\"deformable.*.principal_stress\"]}}",
          (const char *const[]){solver, weft ? "/deformables/0/material/fibres/0/direction=[0,1,0]" : NULL,
                                NULL});
      size_t count;
      cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
      const double *stress = test_channel(run.sim, "deformable.sheet.stress", &count);
      const double wanted = weft ? 1e4 * 0.08 : 4e4 * 0.08 + 2e5 * 0.03;
      for (size_t k = 0; k < count / 6; k++) {
        cr_expect_float_eq(stress[6 * k], wanted, 1e-3, "%s: %g Pa, and %g are wanted", solvers[s],
                           stress[6 * k], wanted);
        cr_expect_float_eq(stress[6 * k + 1], 0, 1e-3);
      }
      const double *principal = test_channel(run.sim, "deformable.sheet.principal_stress", &count);
      for (size_t k = 0; k < count / 2; k++) {
        cr_expect_float_eq(principal[2 * k], wanted, 1e-3);
        cr_expect_float_eq(principal[2 * k + 1], 0, 1e-3);
      }
      test_run_free(&run);
    }
}

Test(element_fibres, fibres_that_stand_across_a_sheet_are_refused) {
  MbReport report = {0};
  cr_expect_eq(test_try(scene,
                        (const char *const[]){"/deformables/1/material/fibres/0/direction=[0,0,1]", NULL}, 0,
                        &report),
               MB_SCENE);
  cr_expect(strstr(report.issues[0].text, "stand across element 0 of \"sheet\""), "%s",
            report.issues[0].text);
}
