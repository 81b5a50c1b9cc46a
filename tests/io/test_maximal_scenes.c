// Every example scene under both families of solvers: the same accelerations at the start.
#include "core/model/coordinates.h"
#include "core/solvers/redmax/tree.h"
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// (nb x 6) accelerations of the bodies' twists at t = 0; the number of bodies
static size_t accelerations(const char *path, const char *solver, double *out, size_t most) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  char set[200];
  snprintf(set, sizeof set, "/solver=%s", solver);
  const char *sets[] = {set, "/integrator=\"rk45\"", "/output={}"};
  const MbSceneOptions options = {.sets = sets, .nsets = 3};
  test_ok(mb_scene_load(path, &options, &scene, &report), &report);
  test_ok(mb_model_create(scene, &model, &report), &report);
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  const size_t nb = model->nb;
  cr_assert_leq(6 * nb, most);
  double *vdot = calloc(sim->nv + 1, sizeof *vdot);
  test_ok(mb_sim_accelerations(sim, 0, sim->state.q, sim->state.v, vdot, &report), &report);
  test_ok(mb_constrain_acceleration(sim, sim->state.q, sim->state.v, 0, vdot, &report), &report);
  if (sim->solver->map->turns) {
    for (size_t b = 0; b < nb; b++) {
      double drift[6];
      mb_twist_of_velocity(&sim->x.E[b], vdot + 6 * b, out + 6 * b);
      mb_twist_drift(sim->x.phi + 6 * b, drift);
      for (size_t i = 0; i < 6; i++) out[6 * b + i] += drift[i];
    }
  } else { // φ̇ = J v̇ + J̇ v
    MbTree tree;
    double *drift = calloc(6 * nb, sizeof *drift);
    cr_assert(mb_tree_create(model, &tree));
    mb_tree_kinematics(&tree, sim->state.q, sim->state.v, &sim->x);
    mb_tree_drift(&tree, drift);
    mb_tree_twists(&tree, vdot, out);
    for (size_t i = 0; i < 6 * nb; i++) out[i] += drift[i];
    mb_tree_free(&tree);
    free(drift);
  }
  free(vdot);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  return nb;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

Test(maximal_scenes, accelerations_at_the_start_are_those_of_reduced_coordinates) {
  enum { MOST = 6 * 4000 };
  static const double CLOSE = 1e-9; // of the largest
  static const char *const solvers[] = {
      "{\"type\": \"maximal\", \"linear\": \"tree\"}", "{\"type\": \"maximal\", \"linear\": \"sparse\"}",
      "{\"type\": \"maximal\", \"linear\": \"dense\"}", "{\"type\": \"maximal\", \"project\": true}"};
  struct dirent **list;
  double *reduced = calloc(MOST, sizeof *reduced), *maximal = calloc(MOST, sizeof *maximal);
  const int n = scandir("scenes/redmax", &list, NULL, by_name);
  int scenes = 0;
  printf("%-36s %10s %10s %10s %10s\n", "scene", "tree", "sparse", "dense", "projected");
  for (int i = 0; i < n; i++) {
    char path[512];
    snprintf(path, sizeof path, "scenes/redmax/%s", list[i]->d_name);
    char *text = strstr(list[i]->d_name, ".json") ? test_text_of(path) : NULL;
    const bool rubs = text && strstr(text, "\"friction\""); // dry friction has no accelerations of its own
    free(text);
    if (text && !rubs) {
      const size_t nb = accelerations(path, "\"redmax\"", reduced, MOST);
      printf("%-36s", list[i]->d_name);
      for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        double worst = 0, size = 1; // accelerations may all be none
        if (nb > 100 && k == 2) continue;
        accelerations(path, solvers[k], maximal, MOST);
        for (size_t j = 0; j < 6 * nb; j++) {
          worst = fmax(worst, fabs(reduced[j] - maximal[j]));
          size = fmax(size, fabs(reduced[j]));
          if (isnan(maximal[j])) worst = NAN;
        }
        printf(" %10.2e", worst / size);
        cr_expect(worst <= CLOSE * size, "%s under %s: off by %g of %g", list[i]->d_name, solvers[k], worst,
                  size);
      }
      printf("\n");
      scenes++;
    }
    free(list[i]);
  }
  free(list);
  free(reduced);
  free(maximal);
  cr_assert_gt(scenes, 40);
}
