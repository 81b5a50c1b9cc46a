// What a scene of very many bodies takes of memory on its way to a simulation, and what is left of it there.
#include "core/base/alloc.h"
#include "core/sim/channels.h"
#include "io/json/json_text.h"
#include "io/scene/scene.h"
#include "tests/support.h"
#include <glob.h>

#include <string.h>

// A chain of boxes on hinges, as tools/chain.sh prints it: in one block that is as large as the text and its zero.
static char *chain(size_t links, size_t *length) {
  MbText t = {0};
  mb_text_add(&t, "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"bodies\": [\n");
  for (size_t i = 0; i < links; i++) {
    mb_text_format(&t, "{\"name\": \"link%zu\", \"shape\": {\"type\": \"box\", ", i);
    mb_text_add(&t, "\"size\": [0.1, 0.1, 1]}, \"density\": 1000, \"joint\": {\"type\": \"revolute\", ");
    if (i) mb_text_format(&t, "\"parent\": \"link%zu\", ", i - 1);
    mb_text_add(&t, "\"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0, 0, -0.5]}, ");
    mb_text_format(&t, "\"in_body\": {\"position\": [0, 0, 0.5]}}}%s\n", i + 1 < links ? "," : "");
  }
  mb_text_add(&t, "]}\n");
  *length = t.length;
  char *const text = mb_calloc(t.length + 1, 1);
  memcpy(text, t.text, t.length);
  mb_free(mb_text_take(&t));
  return text;
}

// As `mbsim validate` goes: read, built, let go, and made a simulation.
Test(scene_memory, a_link_of_a_long_chain_takes_at_most_1500_bytes_at_any_time) {
  enum { LINKS = 10000, MOST = 1500 };
  size_t length = 0;
  char *const text = chain(LINKS, &length);
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  mb_alloc_most();
  test_ok(mb_scene_take(text, length, "chain", ".", NULL, &scene, &report), &report);
  test_ok(mb_model_create(scene, &model, &report), &report);
  mb_scene_let_go(scene);
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  const double each = (double)mb_alloc_most() / LINKS;
  cr_expect_lt(each, MOST, "%.0f bytes a link, %zu of them text", each, length / LINKS);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
}

Test(scene_memory, a_link_of_a_long_chain_takes_no_block_of_its_own_beside_its_text) {
  enum { LINKS = 3000 };
  size_t length = 0;
  char *const text = chain(LINKS, &length);
  MbReport report = {0};
  MbScene *scene = NULL;
  test_ok(mb_scene_take(text, length, "chain", ".", NULL, &scene, &report), &report);
  cr_expect_lt(mb_alloc_live(), LINKS / 10, "%lld blocks", (long long)mb_alloc_live());
  mb_scene_free(scene);
}

// The numbers after one step, but for those that depend on the clock.
static double *frame_after_a_step(const char *path, bool let_go, size_t *size) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  test_ok(mb_scene_load(path, NULL, &scene, &report), &report);
  test_ok(mb_model_create(scene, &model, &report), &report);
  if (let_go) mb_scene_let_go(scene);
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  test_ok(mb_sim_step(sim, &report), &report);
  *size = mb_sim_frame_size(sim);
  double *const frame = mb_calloc(*size, sizeof *frame);
  test_ok(mb_sim_sample(sim, frame, &report), &report);
  for (size_t i = 0, at = 0; i < sim->nchannels; at += mb_channel_size(&sim->channels[i++]))
    if (sim->channels[i].unstable) memset(frame + at, 0, mb_channel_size(&sim->channels[i]) * sizeof *frame);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  return frame;
}

Test(scene_memory, a_model_has_all_that_it_needs_of_its_scene) {
  glob_t found = {0};
  glob("scenes/[!b]*/*.json", 0, NULL, &found);
  cr_assert_gt(found.gl_pathc, 20);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    if (strstr(found.gl_pathv[i], ".study.json")) continue; // no scene
    size_t n = 0, m = 0;
    double *const kept = frame_after_a_step(found.gl_pathv[i], false, &n),
                  *gone = frame_after_a_step(found.gl_pathv[i], true, &m);
    cr_expect(n == m && !memcmp(kept, gone, n * sizeof *kept), "%s", found.gl_pathv[i]);
    mb_free(kept);
    mb_free(gone);
  }
  globfree(&found);
  cr_expect_eq(mb_alloc_live(), 0);
}

// A place in the text can still be told.
Test(scene_memory, issues_find_their_place_in_a_scene_that_was_let_go_of) {
  const char text[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"bodies\": [\n"
                      "{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 1}}]}";
  MbReport report = {0};
  MbScene *scene = NULL;
  test_ok(mb_scene_parse(text, strlen(text), "a", ".", NULL, &scene, &report), &report);
  mb_scene_let_go(scene);
  cr_expect(!scene->spec.bodies && scene->spec.nbodies == 1 && scene->spec.time.steps == 1);
  mb_warning(&report, "/bodies/0/mass", "light");
  mb_scene_locate(scene, &report);
  cr_expect(report.issues[0].line == 2 && report.issues[0].column == 23, "%d:%d", report.issues[0].line,
            report.issues[0].column);
  mb_scene_free(scene);
}
