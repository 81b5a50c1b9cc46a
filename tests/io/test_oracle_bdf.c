// The published differentiable REDMAX scenes under fully implicit schemes: coordinates, velocities and energies at every recorded step,
// under both ways of inverting A. A number may be off by 1e-8 of its coordinate's largest, or by ten times what one more of the
// reference's own iterations moves it by.
#include "tests/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double item(const cJSON *list, size_t i) {
  if (cJSON_IsNumber(list)) return list->valuedouble;
  return cJSON_GetArrayItem(list, (int)i)->valuedouble;
}

static double number(const cJSON *sample, const char *key) {
  return cJSON_GetObjectItem(sample, key)->valuedouble;
}

// How far numbers of a sample are off, of what they may be.
static double off(const cJSON *samples, const cJSON *sample, const char *key, const char *spread,
                  const double *x, size_t n) {
  static const double CLOSE = 1e-8, TIMES = 10;
  const cJSON *list = cJSON_GetObjectItem(sample, key), *other;
  double worst = 0, largest = 0;
  cJSON_ArrayForEach(other, samples) for (size_t i = 0; i < n; i++) largest =
      fmax(largest, fabs(item(cJSON_GetObjectItem(other, key), i)));
  const double may = fmax(CLOSE * largest, spread ? TIMES * number(sample, spread) : 0);
  for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - item(list, i)) / may);
  return worst;
}

static double run(const cJSON *file, const char *integrator, const char *dynamics) {
  char *text = cJSON_Print(cJSON_GetObjectItem(file, "scene")), how[60], solver[80];
  snprintf(how, sizeof how, "/integrator=\"%s\"", integrator);
  snprintf(solver, sizeof solver, "/solver={\"type\": \"redmax\", \"dynamics\": \"%s\"}", dynamics);
  const char *sets[] = {how, solver, NULL};
  TestRun run = test_run(text, sets);
  free(text);
  MbSim *sim = run.sim;
  const cJSON *samples = cJSON_GetObjectItem(file, integrator), *sample;
  const double potential0 = mb_energy(run.model, &sim->x).total - mb_energy(run.model, &sim->x).kinetic;
  double worst = 0;
  cJSON_ArrayForEach(sample, samples) {
    test_steps(sim, (int64_t)number(sample, "step") - mb_sim_steps(sim));
    double x[64];
    cr_assert_leq(sim->nq, 64);
    test_in_order(run.model, sim->state.q, run.model->q_first, x);
    worst = fmax(worst, off(samples, sample, "q", "spread_q", x, sim->nq));
    test_in_order(run.model, sim->state.v, run.model->v_first, x);
    worst = fmax(worst, off(samples, sample, "qdot", "spread_qdot", x, sim->nv));
    const double potential =
        mb_energy(run.model, &sim->x).total - mb_energy(run.model, &sim->x).kinetic - potential0;
    worst = fmax(worst, off(samples, sample, "potential", NULL, &potential, 1));
  }
  test_run_free(&run);
  return worst;
}

Test(oracle_bdf, fully_implicit_reference_scenes_come_out) {
  struct dirent **list;
  const int n = scandir("tests/oracle/bdf", &list, NULL, alphasort);
  int scenes = 0;
  printf("%-32s %12s %12s %12s %12s\n", "of what it may be off", "bdf1", "bdf1, dense", "bdf2",
         "bdf2, dense");
  for (int i = 0; i < n; i++) {
    char path[300];
    snprintf(path, sizeof path, "tests/oracle/bdf/%s", list[i]->d_name);
    if (strstr(list[i]->d_name, ".json")) {
      char *text = test_text_of(path);
      cJSON *file = cJSON_Parse(text);
      cr_assert_not_null(file, "%s", path);
      double worst[4] = {run(file, "bdf1", "recursive"), run(file, "bdf1", "dense"),
                         run(file, "bdf2", "recursive"), run(file, "bdf2", "dense")};
      printf("%-32s %12.2g %12.2g %12.2g %12.2g\n", list[i]->d_name, worst[0], worst[1], worst[2], worst[3]);
      for (int k = 0; k < 4; k++) cr_expect(worst[k] <= 1, "%s", path);
      scenes++;
      cJSON_Delete(file);
      free(text);
    }
    free(list[i]);
  }
  free(list);
  cr_assert_gt(scenes, 7);
}
