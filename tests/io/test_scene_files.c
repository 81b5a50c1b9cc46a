// The scenes in the repository: the examples are read, the bad ones refused, and nothing that is nearly one
// of them does harm.
#include "core/base/alloc.h"
#include "io/scene/scene.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *text = calloc(1 << 16, 1);
  *length = fread(text, 1, (1 << 16) - 1, f);
  fclose(f);
  return text;
}

static glob_t files(const char *pattern, size_t least) {
  glob_t found = {0};
  glob(pattern, 0, NULL, &found);
  cr_assert_geq(found.gl_pathc, least, "%s: only %zu files", pattern, found.gl_pathc);
  return found;
}

Test(scene_files, every_example_is_read_and_says_first_what_it_shows) {
  glob_t found = files("scenes/[!b]*/*.json", 8);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    if (strstr(found.gl_pathv[i], ".study.json")) continue;
    MbReport report = {0};
    MbScene *scene = NULL;
    const MbStatus status = mb_scene_load(found.gl_pathv[i], NULL, &scene, &report);
    cr_expect_eq(status, MB_OK, "%s:%d:%d: %s: %s", found.gl_pathv[i], report.issues[0].line,
                 report.issues[0].column, report.issues[0].where, report.issues[0].text);
    if (status) continue;
    cr_expect_str_eq(scene->resolved->child->string, "description");
    cr_expect_gt(strlen(scene->spec.description), 20);
    mb_scene_free(scene);
  }
  globfree(&found);
  cr_assert_eq(mb_alloc_live(), 0);
}

// What a bad scene must be refused with: its "_expect", or the file beside it.
static void expectation(const char *path, const char *text, size_t length, char *out, size_t size) {
  char sidecar[300];
  snprintf(sidecar, sizeof sidecar, "%.*s.expect", (int)(strlen(path) - 5), path);
  size_t n = 0;
  char *const beside = read_file(sidecar, &n);
  cJSON *tree = NULL;
  if (beside) {
    snprintf(out, size, "%.*s", (int)strcspn(beside, "\n"), beside);
  } else {
    mb_json_parse(text, length, &tree, NULL);
    const cJSON *const expect = tree ? mb_json_at(tree, "/_expect") : NULL;
    cr_assert(cJSON_IsString(expect), "%s says nothing of what is expected", path);
    snprintf(out, size, "%s", expect->valuestring);
  }
  cJSON_Delete(tree);
  free(beside);
}

Test(scene_files, every_bad_scene_is_refused_with_the_expected_words) {
  glob_t found = files("scenes/bad/*.json", 60);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *const path = found.gl_pathv[i];
    size_t length = 0;
    char *const text = read_file(path, &length);
    char expect[200];
    expectation(path, text, length, expect, sizeof expect);
    MbReport report = {0};
    MbScene *scene = NULL;
    MbStatus status = mb_scene_load(path, NULL, &scene, &report);
    MbModel *model = NULL;
    if (status == MB_OK) status = mb_model_create(scene, &model, &report); // what only the build can see
    cr_expect(status == MB_SCENE || status == MB_IO, "%s was taken", path);
    mb_model_free(model);
    bool said = false;
    for (int k = 0; k < report.kept; k++) {
      said |= strstr(report.issues[k].text, expect) != NULL;
      cr_expect_gt(report.issues[k].line, 0, "%s: \"%s\" has no place", path, report.issues[k].text);
    }
    cr_expect(said, "%s: \"%s\" has no \"%s\" in it", path, report.issues[0].text, expect);
    mb_scene_free(scene);
    free(text);
  }
  globfree(&found);
  cr_assert_eq(mb_alloc_live(), 0);
}

// ---- mutations --------------------------------------------------------------------------------------------

static uint64_t seed = 88172645463325252u;

static size_t below(size_t n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (size_t)(seed % n);
}

// Changes a text (with room for 64 more bytes) in one to four places.
static size_t mutate(char *text, size_t n) {
  static const char *const pieces[] = {"null",    "-1",   "1e308",     "\"=t\"",  "\"=1/0\"", "[]",
                                       "{}",      "true", "\"\"",      "0",       "{\"_\":[", "]",
                                       "}",       ",",    "\"",        "\\u0000", "1e-320",   "\xff",
                                       "\"=pi\"", "[[",   "\"type\":", "-",       "e9",       "\"world\""};
  for (size_t changes = 1 + below(4); changes; changes--) {
    const size_t at = below(n + 1);
    switch (below(4)) {
    case 0: { // a byte
      if (at < n) text[at] = (char)below(256);
      break;
    }
    case 1: { // a piece out
      size_t gone = below(12);
      if (gone > n - at) gone = n - at;
      memmove(text + at, text + at + gone, n - at - gone);
      n -= gone;
      break;
    }
    default: { // a piece in, over what is there
      const char *const piece = pieces[below(sizeof pieces / sizeof *pieces)];
      size_t skip = below(8);
      if (skip > n - at) skip = n - at;
      const size_t m = strlen(piece);
      memmove(text + at + m, text + at + skip, n - at - skip);
      memcpy(text + at, piece, m);
      n += m - skip;
    }
    }
  }
  return n;
}

// What is left of a mutated scene may be refused, or run into numbers that fail: both are answers.
static void run_a_little(const MbScene *scene) {
  MbReport report = {0};
  MbModel *model = NULL;
  MbSim *sim = NULL;
  if (mb_model_create(scene, &model, &report) == MB_OK && mb_sim_create(model, NULL, &sim, &report) == MB_OK)
    for (int i = 0; i < 3; i++)
      if (mb_sim_step(sim, &report) != MB_OK) break;
  mb_sim_free(sim);
  mb_model_free(model);
}

Test(scene_files, three_hundred_mutations_of_every_example_do_no_harm) {
#ifdef MB_SANITIZED
  enum { MUTATIONS = 75 }; // sanitizers take four times as long; fuzzers go on from there
#else
  enum { MUTATIONS = 300 };
#endif
  glob_t found = files("scenes/[!b]*/*.json", 8);
  size_t taken = 0, refused = 0;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    size_t length = 0;
    char *const text = read_file(found.gl_pathv[i], &length), *const changed = malloc(length + 64);
    char folder[64]; // where its meshes are
    snprintf(folder, sizeof folder, "%s", found.gl_pathv[i]);
    *strrchr(folder, '/') = 0;
    for (int k = 0; k < MUTATIONS; k++) {
      memcpy(changed, text, length);
      const size_t n = mutate(changed, length);
      MbReport report = {0};
      MbScene *scene = NULL;
      const MbStatus status = mb_scene_parse(changed, n, "mutation", folder, NULL, &scene, &report);
      cr_assert_eq(status == MB_OK, scene != NULL);
      cr_assert_eq(status == MB_OK, report.errors == 0, "%.*s", (int)n, changed);
      *(scene ? &taken : &refused) += 1;
      if (scene) run_a_little(scene);
      mb_scene_free(scene);
    }
    free(changed);
    free(text);
  }
  globfree(&found);
  cr_assert_eq(mb_alloc_live(), 0);
  cr_assert(taken > 100 && refused > 1000, "%zu taken, %zu refused: the mutations say nothing", taken,
            refused);
}
