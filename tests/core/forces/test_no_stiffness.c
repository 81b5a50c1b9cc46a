// Steps in whose A there is no K, as those of velocity Verlet, do not have it made: forces and D are the same bits without it, of every
// kind of force and material that the scenes of the format's words have (tests/io/words_probes.c).
#include "core/sim/evaluate.h"
#include "tests/io/words_scenes.h"
#include "tests/runs.h"

#include <stdlib.h>
#include <string.h>

static int evaluated;

static void check_sim(MbSim *sim, const char *path) {
  const MbModel *model = sim->model;
  const size_t n = 36 * (model->nb + 2 * model->npairs);
  double *K = calloc(n, sizeof *K), *D = calloc(n, sizeof *D), *with = calloc(n, sizeof *with);
  double *f = calloc(6 * model->nb, sizeof *f);
  cr_assert(K && D && with && f);
  cr_expect_null(sim->x.K, "%s: a step without K in A has room for it", path);
  for (int exact = 0; exact < 2; exact++) {
    sim->x.exact = exact;
    sim->x.K = K, sim->x.D = with;
    mb_sim_forces(sim, 0, true);
    memcpy(f, sim->x.f, 6 * model->nb * sizeof *f);
    sim->x.K = NULL, sim->x.D = D;
    mb_sim_forces(sim, 0, true);
    cr_expect_arr_eq(sim->x.f, f, 6 * model->nb * sizeof *f, "%s: other forces", path);
    cr_expect_arr_eq(D, with, n * sizeof *D, "%s: another D", path);
  }
  sim->x.D = NULL;
  evaluated++;
  free(K), free(D), free(with), free(f);
}

static void try_probe(const Probe *probe, const char *word) {
  static char scene[WORDS_TEXT], setting[WORDS_TEXT], setup[WORDS_TEXT], with[WORDS_TEXT];
  const char *sets[WORDS_SETS];
  words_fill(scene, words_base, NULL);
  words_fill(setting, "/solver={'type':'redmax'} | /integrator={'type':'bridson_marino'}", NULL);
  words_fill(setup, probe->setup, word);
  words_fill(with, probe->with, word);
  size_t n = words_cut(setting, sets, 0);
  n = words_cut(setup, sets, n);
  n = words_cut(with, sets, n);
  const MbSceneOptions options = {.sets = sets, .nsets = n};
  MbReport report = {0};
  MbScene *read = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  MbStatus status = mb_scene_parse(scene, strlen(scene), "words", ".", &options, &read, &report);
  if (status == MB_OK) status = mb_model_create(read, &model, &report);
  if (status == MB_OK && model->integrator.kind == MB_BRIDSON_MARINO)
    status = mb_sim_create(model, NULL, &sim, &report);
  if (status == MB_OK && sim) check_sim(sim, probe->path);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(read);
}

Test(no_stiffness, forces_and_damping_are_the_same_bits_where_no_stiffness_is_asked_for) {
  for (size_t p = 0; p < words_count; p++) {
    const Probe *probe = &words_probes[p];
    if (strchr(probe->path, '*')) {
      const Words words = words_at(probe->path);
      for (size_t w = 0; words.list[w]; w++) try_probe(probe, words.list[w]);
    } else {
      try_probe(probe, NULL);
    }
  }
  cr_assert_geq(evaluated, 100);
}
