#include "tests/runs.h"
#include "core/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MbStatus load(const char *from, const char *const *sets, MbScene **scene, MbReport *report) {
  size_t n = 0;
  char path[300];
  while (sets && sets[n]) n++;
  const MbSceneOptions options = {.sets = sets, .nsets = n};
  if (*from == '{') return mb_scene_parse(from, strlen(from), "test", ".", &options, scene, report);
  snprintf(path, sizeof path, strchr(from, '/') ? "scenes/%s.json" : "scenes/redmax/%s.json", from);
  return mb_scene_load(path, &options, scene, report);
}

TestRun test_run(const char *from, const char *const *sets) {
  TestRun run = {0};
  MbReport report = {0};
  test_ok(load(from, sets, &run.scene, &report), &report);
  test_ok(mb_model_create(run.scene, &run.model, &report), &report);
  test_ok(mb_sim_create(run.model, NULL, &run.sim, &report), &report);
  return run;
}

void test_run_free(TestRun *run) {
  mb_sim_free(run->sim);
  mb_model_free(run->model);
  mb_scene_free(run->scene);
  *run = (TestRun){0};
}

MbStatus test_try(const char *from, const char *const *sets, int64_t steps, MbReport *report) {
  TestRun run = {0};
  MbStatus status = load(from, sets, &run.scene, report);
  if (status == MB_OK) status = mb_model_create(run.scene, &run.model, report);
  if (status == MB_OK) status = mb_sim_create(run.model, NULL, &run.sim, report);
  for (int64_t i = 0; i < steps && status == MB_OK; i++) {
    status = mb_sim_step(run.sim, report);
    for (size_t k = 0; k < run.sim->nv; k++) cr_assert(isfinite(run.sim->state.v[k]), "velocity %zu", k);
    for (size_t k = 0; k < run.sim->nq; k++) cr_assert(isfinite(run.sim->state.q[k]), "coordinate %zu", k);
  }
  test_run_free(&run);
  return status;
}

size_t test_bodies(const MbSim *sim, double *out, size_t most) {
  const size_t nb = sim->model->nb;
  cr_assert_leq(18 * nb, most);
  for (size_t b = 0; b < nb; b++) {
    memcpy(out + 18 * b, sim->x.E[b].p, 3 * sizeof *out);
    mb_quat_to_mat3(out + 18 * b + 3, sim->x.E[b].q);
    memcpy(out + 18 * b + 12, sim->x.phi + 6 * b, 6 * sizeof *out);
  }
  return 18 * nb;
}

double test_distance(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n && !isnan(most); i++) // stays a NaN once it is one
    if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
  return most;
}

const double *test_channel(MbSim *sim, const char *name, size_t *count) {
  static double frame[4096];
  size_t n = 0;
  const MbChannel *channels = mb_sim_channels(sim, &n);
  cr_assert_leq(mb_sim_frame_size(sim), sizeof frame / sizeof *frame);
  mb_sim_sample(sim, frame, NULL);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(channels[i].name, name)) {
      if (count) *count = channels[i].items * channels[i].width;
      return frame + channels[i].offset;
    }
  cr_assert_fail("there is no channel %s", name);
  return NULL;
}

char *test_text_of(const char *path) {
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s", path);
  cr_assert_eq(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  cr_assert_eq(fread(text, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  return text;
}

void test_in_order(const MbModel *model, const double *from, const size_t *first, double *out) {
  for (size_t i = 0; i < model->nb; i++) {
    const size_t b = i < model->nlisted ? model->number[i] : i, n = model->joint[b].n;
    memcpy(out, from + first[b], n * sizeof *out);
    out += n;
  }
}

static char *checkpoint_of(const MbSim *sim, size_t *size) {
  *size = mb_sim_checkpoint_size(sim);
  char *bytes = mb_calloc(*size, 1);
  mb_sim_checkpoint(sim, bytes);
  return bytes;
}

void test_resumes(MbSim *one, MbSim *other, int64_t before, int64_t after, const char *what) {
  MbReport report = {0};
  size_t size[3];
  test_steps(one, before);
  char *half_way = checkpoint_of(one, &size[0]);
  test_ok(mb_sim_restore(other, half_way, size[0], &report), &report);
  test_steps(one, after);
  test_steps(other, after);
  char *end = checkpoint_of(one, &size[1]), *end_of_other = checkpoint_of(other, &size[2]);
  cr_expect(size[1] == size[2] && !memcmp(end, end_of_other, size[1]), "%s: resumed it differs", what);
  mb_free(half_way);
  mb_free(end);
  mb_free(end_of_other);
}
