// The published REDMAX reference scenes: coordinates, velocities and energies at every recorded step, under both ways
// of inverting A. Prints a table: scene, largest error relative to the coordinate's largest magnitude over the run.
#include "core/constraints/constraints.h"
#include "tests/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double item(const cJSON *list, size_t i) {
  if (cJSON_IsNumber(list)) return list->valuedouble;
  return cJSON_GetArrayItem(list, (int)i)->valuedouble;
}

// Largest magnitude of number i of `key` over all samples.
static double scale(const cJSON *samples, const char *key, size_t i) {
  double most = 0;
  const cJSON *sample;
  cJSON_ArrayForEach(sample, samples) most = fmax(most, fabs(item(cJSON_GetObjectItem(sample, key), i)));
  return most;
}

static double worst_of(const cJSON *samples, const cJSON *sample, const char *key, const double *x, size_t n,
                       double worst) {
  // coordinates that stay at rounding's size all the time have no scale of their own
  static const double LEAST = 1e-6; // of the largest of all
  const cJSON *list = cJSON_GetObjectItem(sample, key);
  double largest = 1;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, scale(samples, key, i));
  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs(x[i] - item(list, i)) / fmax(scale(samples, key, i), LEAST * largest));
  return worst;
}

static void run(const char *name, MbDynamics dynamics, double worst[2]) {
  char path[300], set[160];
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  snprintf(path, sizeof path, "scenes/redmax/%s", name);
  char *scene_text = test_text_of(path);
  const bool object = strstr(scene_text, "\"stabilization\"") != NULL; // "solver" is an object, not a word
  free(scene_text);
  snprintf(set, sizeof set,
           object ? "/solver/dynamics=\"%s\"" : "/solver={\"type\": \"redmax\", \"dynamics\": \"%s\"}",
           mb_dynamics_words[dynamics]);
  const char *sets[] = {set};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  test_ok(mb_scene_load(path, &options, &scene, &report), &report);
  test_ok(mb_model_create(scene, &model, &report), &report);
  MbSim *sim = test_sim(model, 1);
  snprintf(path, sizeof path, "tests/oracle/redmax/%s", name);
  char *text = test_text_of(path);
  cJSON *tree = cJSON_Parse(text);
  const cJSON *samples = cJSON_GetObjectItem(tree, "samples"), *sample;
  const double potential0 = mb_energy(model, &sim->x).total - mb_energy(model, &sim->x).kinetic;
  cJSON_ArrayForEach(sample, samples) {
    test_steps(sim, (int64_t)cJSON_GetObjectItem(sample, "step")->valuedouble - mb_sim_steps(sim));
    double x[64];
    cr_assert_leq(sim->nq, 64);
    test_in_order(model, sim->state.q, model->q_first, x);
    worst[0] = worst_of(samples, sample, "q", x, sim->nq, worst[0]);
    test_in_order(model, sim->state.v, model->v_first, x);
    worst[0] = worst_of(samples, sample, "qdot", x, sim->nv, worst[0]);
    const MbEnergy e = mb_energy(model, &sim->x);
    worst[1] = worst_of(samples, sample, "kinetic", &e.kinetic, 1, worst[1]);
    worst[1] =
        worst_of(samples, sample, "potential", &(double){e.total - e.kinetic - potential0}, 1, worst[1]);
  }
  cJSON_Delete(tree);
  free(text);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

Test(oracle_redmax, reference_scenes_come_out_to_1e_8) {
  struct dirent **list;
  const int n = scandir("tests/oracle/redmax", &list, NULL, by_name);
  int scenes = 0;
  printf("%-36s %14s %14s %14s\n", "reference scene", "recursive", "dense", "energy");
  for (int i = 0; i < n; i++) {
    const double close =
        !strncmp(list[i]->d_name, "06", 2) ? 1e-6 : 1e-8; // the reference iterated in scene 6
    if (strstr(list[i]->d_name, ".json")) {
      double recursive[2] = {0}, dense[2] = {0};
      run(list[i]->d_name, MB_RECURSIVE, recursive);
      run(list[i]->d_name, MB_DENSE, dense);
      printf("%-36s %14.2e %14.2e %14.2e\n", list[i]->d_name, recursive[0], dense[0],
             fmax(recursive[1], dense[1]));
      scenes++;
      cr_expect(recursive[0] <= close && dense[0] <= close && recursive[1] <= close && dense[1] <= close,
                "%s", list[i]->d_name);
    }
    free(list[i]);
  }
  free(list);
  cr_assert_gt(scenes, 10);
}
