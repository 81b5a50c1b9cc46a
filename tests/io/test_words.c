// Every word and every key of the scene format that says what happens, in a minimal scene (words_probes.c), under every solver and
// integrator: it changes the result, or the scene is refused with a message that names what does not go together,
// or a warning says that it does nothing. What changes the result changes the model's fingerprint, and a scene has one fingerprint
// however often it is compiled. The list of what there is comes from the schema table: a row or a word
// that is added there and not in the probes fails the last test.
#include "core/model/model.h"
#include "io/scene/schema_walk.h"
#include "tests/io/words_scenes.h"
#include "tests/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = WORDS_TEXT, NUMBERS = 1000, SETS = WORDS_SETS };

// ---- scenes ---------------------------------------------------------------------------------------------------

typedef struct Result {
  MbStatus status;
  uint64_t fingerprint, again; // of the model, and of another that is made of the same
  MbReport report;
  size_t count;
  double frame[NUMBERS];
} Result;

// Other bytes where structs are put together.
static void scribble(void) {
  volatile unsigned char bytes[20000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(0xa5 + i);
}

static uint64_t fingerprint_again(const MbScene *scene) {
  MbReport report = {0};
  MbModel *model = NULL;
  scribble();
  test_ok(mb_model_create(scene, &model, &report), &report);
  const uint64_t mark = model->fingerprint;
  mb_model_free(model);
  return mark;
}

static void run_scene(const char *const *sets, int steps, Result *result) {
  static char scene[TEXT];
  words_fill(scene, words_base, NULL);
  *result = (Result){0};
  MbScene *read = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  size_t n = 0;
  while (sets[n]) n++;
  const MbSceneOptions options = {.sets = sets, .nsets = n};
  MbReport *report = &result->report;
  result->status = mb_scene_parse(scene, strlen(scene), "words", ".", &options, &read, report);
  if (result->status == MB_OK) result->status = mb_model_create(read, &model, report);
  if (result->status == MB_OK) result->fingerprint = model->fingerprint;
  if (result->status == MB_OK) result->again = fingerprint_again(read);
  if (result->status == MB_OK) result->status = mb_sim_create(model, NULL, &sim, report);
  for (int step = 0; step < steps && result->status == MB_OK; step++)
    result->status = mb_sim_step(sim, report);
  if (result->status == MB_OK) {
    result->count = mb_sim_frame_size(sim);
    cr_assert_leq(result->count, NUMBERS);
    result->status = mb_sim_sample(sim, result->frame, report);
  }
  for (size_t i = 0; i < result->count; i++)
    if (!isfinite(result->frame[i])) result->status = MB_DIFFERS; // a wrong number, and nobody said so
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(read);
}

// ---- verdicts -------------------------------------------------------------------------------------------------

// A solver and an integrator, and what is said of them beside their words.
typedef struct Pair {
  const char *solver, *keys, *integrator;
  int steps;
} Pair;

// Whether an issue's text has the word in it, or the key where it stands.
static bool names(const MbIssue *issue, const char *word) {
  const size_t n = strlen(issue->where), m = strlen(word);
  return strstr(issue->text, word) ||
         (n > m && issue->where[n - m - 1] == '/' && !strcmp(issue->where + n - m, word));
}

// Whether one of the errors, or of the warnings, names the word, the key or the value that the probe sets; or, of
// errors, the solver or the integrator.
static bool named(const MbReport *report, bool warnings, const Probe *probe, const char *word,
                  const Pair *pair) {
  char key[100];
  const size_t end = strcspn(probe->path, "=*");
  size_t start = end;
  while (start && probe->path[start - 1] != '.') start--;
  snprintf(key, sizeof key, "%.*s", (int)(end - start), probe->path + start);
  for (int i = 0; i < report->kept; i++) {
    const MbIssue *issue = &report->issues[i];
    if (issue->warning != warnings) continue;
    if ((word && names(issue, word)) || (*key && names(issue, key))) return true;
    if (issue->where[0] && strstr(probe->with, issue->where)) return true;
    if (!warnings && (names(issue, pair->solver) || names(issue, pair->integrator))) return true;
  }
  return false;
}

// Whether it is refused; "static" refuses by its steps, too, where it finds no equilibrium.
static bool refused(const Result *result, const Pair *pair) {
  const bool still = !strcmp(pair->integrator, mb_integrator_words[MB_STATIC]);
  return result->status == MB_SCENE || result->status == MB_DEVICE || (still && result->status == MB_NUMBERS);
}

static double distance(const Result *a, const Result *b) {
  if (a->count != b->count) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a->count; i++) most = fmax(most, fabs(a->frame[i] - b->frame[i]));
  return most;
}

static const char *last_issue(const Result *result) {
  return result->report.kept ? result->report.issues[result->report.kept - 1].text : "";
}

// What is wrong with it; NULL where nothing is.
static const char *judge(const Probe *probe, const char *word, bool usual, const Pair *pair,
                         const Result *without, const Result *with, double *far) {
  static const double rounding = 1e-9, close = 1e-6;
  *far = NAN;
  if (refused(with, pair))
    return named(&with->report, false, probe, word, pair) ? NULL : "refused without a name";
  if (with->status != MB_OK) return "fails";
  *far = distance(without, with);
  if (with->fingerprint != with->again) return "has another fingerprint each time";
  if (*far > rounding && probe->expected != SAME && with->fingerprint == without->fingerprint)
    return "changes the result and not the fingerprint";
  if (probe->expected == SAME || usual)
    return *far <= close || probe->expected == EITHER ? NULL : "should be the same";
  if (*far > rounding || probe->expected == EITHER) return NULL;
  return named(&with->report, true, probe, word, pair) ? NULL : "does nothing, and nobody says so";
}

static int failures;
static bool acted[WORDS_MOST]; // in some scene that was not refused

static void complain(const Pair *pair, const Probe *probe, const char *word, const char *wrong,
                     const Result *result, double far) {
  failures++;
  printf("%s%s, %s: %s%s%s %s (%d, %.2g) %s\n    without %s\n    with %s\n", pair->solver, pair->keys,
         pair->integrator, probe->path, word ? " " : "", word ? word : "", wrong, result->status, far,
         last_issue(result), probe->setup, probe->with);
}

static void try_probe(const Probe *probe, const char *word, bool usual, const Pair *pair) {
  static char setting[TEXT], setup[TEXT], with[TEXT];
  static Result without, result;
  static char before[2 * TEXT];
  static bool known;
  const char *sets[SETS];
  char key[2 * TEXT];
  snprintf(setting, sizeof setting, "/solver={'type':'%s'%s} | /integrator={'type':'%s'}", pair->solver,
           pair->keys, pair->integrator);
  char first[TEXT];
  words_fill(first, setting, NULL);
  words_fill(setup, probe->setup, word);
  words_fill(with, probe->with, word);
  snprintf(key, sizeof key, "%s%s", first, setup);
  size_t n = words_cut(first, sets, 0);
  n = words_cut(setup, sets, n);
  if (!known || strcmp(key, before) != 0) run_scene(sets, pair->steps, &without);
  known = true;
  strcpy(before, key);
  if (without.status != MB_OK) {
    if (!refused(&without, pair) || !named(&without.report, false, probe, word, pair))
      complain(pair, probe, word, "already without it", &without, NAN);
    return;
  }
  words_cut(with, sets, n);
  run_scene(sets, pair->steps, &result);
  double far = 0;
  const char *wrong = judge(probe, word, usual, pair, &without, &result, &far);
  if (wrong) complain(pair, probe, word, wrong, &result, far);
  acted[probe - words_probes] |= !wrong && result.status == MB_OK;
}

static bool is_fallback(const Words *words, const char *word) {
  const size_t n = strlen(word);
  const char *fallback = words->fallback;
  fallback += fallback && *fallback == '"';
  return fallback && !strncmp(fallback, word, n) &&
         !strchr("_abcdefghijklmnopqrstuvwxyz", fallback[n] ? fallback[n] : '"');
}

// Whether it is a word's own scene, which every integrator has to do with, and not that of a number or of what kinds have.
static bool is_of_word(const Probe *probe) {
  if (strchr(probe->path, '*')) return !strchr(probe->setup, '*');
  const MbSchemaObject *object = words_object(probe->path);
  for (size_t i = 0; object->words && object->words[i]; i++)
    if (!strcmp(probe->path + strlen(object->name) + 1, object->words[i])) return true;
  return false;
}

static void try_all(const Pair *pair, bool numbers) {
  for (size_t p = 0; p < words_count; p++) {
    const Probe *probe = &words_probes[p];
    const bool of_pair = !strncmp(probe->path, "integrator.", 11),
               of_solver = !strncmp(probe->path, "solver.", 7);
    if (!numbers && !of_pair && !is_of_word(probe)) continue;
    // a mode is the solver's own choice of such a word; and what every kind of joint has is seen without modes
    if (*pair->keys && (of_solver || strchr(probe->setup, '*'))) continue;
    if (!strchr(probe->path, '*')) {
      try_probe(probe, NULL, false, pair);
      continue;
    }
    const Words words = words_at(probe->path);
    for (size_t w = 0; words.list[w]; w++)
      try_probe(probe, words.list[w], is_fallback(&words, words.list[w]), pair);
  }
}

static void check_failures(void) { cr_assert_eq(failures, 0, "%d probes fail", failures); }

Test(words, each_acts_or_is_refused_by_name_under_every_solver) {
  for (size_t i = 0; mb_solver_words[i]; i++)
    try_all(&(Pair){mb_solver_words[i], "", mb_integrator_words[MB_IMPLICIT], 10}, true);
  check_failures();
  for (size_t p = 0; p < words_count; p++)
    cr_assert(acted[p] || !strncmp(words_probes[p].path, "integrator.", 11),
              "%s is refused everywhere: %s and %s", words_probes[p].path, words_probes[p].setup,
              words_probes[p].with);
}

Test(words, each_acts_or_is_refused_by_name_with_every_integrator, TEST_LONG) {
  for (size_t i = 0; mb_solver_words[i]; i++)
    for (size_t k = 0; mb_integrator_words[k]; k++)
      if (k != MB_IMPLICIT) try_all(&(Pair){mb_solver_words[i], "", mb_integrator_words[k], 5}, false);
  check_failures();
}

Test(words, each_acts_or_is_refused_by_name_in_every_mode_of_solvers) {
  static const Pair modes[] = {{"maximal", ",'mode':'first_order'", "implicit", 5},
                               {"maximal", ",'project':true", "implicit", 5},
                               {"projective", ",'bodies':'maximal'", "implicit", 5},
                               {"projective", ",'method':'lbfgs'", "implicit", 5},
                               {"projective", ",'method':'newton'", "implicit", 5}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) try_all(&modes[i], true);
  check_failures();
}

// ---- what there is --------------------------------------------------------------------------------------------

// Whether a key says what happens, and not what something is called, where it is read or how it is written.
static bool says_something(const MbSchemaRow *row) {
  switch (row->type) {
  case MB_TYPE_NUMBER:
  case MB_TYPE_INTEGER:
  case MB_TYPE_COUNT:
  case MB_TYPE_BOOL:
  case MB_TYPE_REFERENCE:
  case MB_TYPE_REFERENCES:
  case MB_TYPE_REFERENCE_LISTS:
  case MB_TYPE_WORD:
  case MB_TYPE_NUMBERS:
  case MB_TYPE_DIRECTION:
  case MB_TYPE_DIRECTIONS:
  case MB_TYPE_SEQUENCE:
  case MB_TYPE_ROTATION:
  case MB_TYPE_SIGNAL:
  case MB_TYPE_SIGNALS:
  case MB_TYPE_SIGNAL_LIST:
  case MB_TYPE_LIMITS:
  case MB_TYPE_POINTS:
  case MB_TYPE_CORNERS:
  case MB_TYPE_COLOR:
  case MB_TYPE_GRIDS:
    return true;
  case MB_TYPE_TEXT:
    return row->words || row->pattern;
  // names, files, what is written and how, what sweeps take; objects' own keys are asked for
  case MB_TYPE_VERSION:
  case MB_TYPE_NAME:
  case MB_TYPE_WORDS:
  case MB_TYPE_OBJECT:
  case MB_TYPE_LIST:
  case MB_TYPE_ONE_OR_LIST:
  case MB_TYPE_PARAMETERS:
  case MB_TYPE_MAP:
  case MB_TYPE_ERROR:
  case MB_TYPE_MESH:
  case MB_TYPE_ELEMENTS:
  case MB_TYPE_TEXTS:
  case MB_TYPE_VALUES:
  case MB_TYPES:
    return false;
  }
  return true; // a type that is added and not told of here needs scenes
}

static bool has_probe(const char *path) {
  const size_t n = strlen(path);
  for (size_t p = 0; p < words_count; p++)
    if (!strncmp(words_probes[p].path, path, n) &&
        (!words_probes[p].path[n] || !strcmp(words_probes[p].path + n, "=*")))
      return true;
  return false;
}

static int missing;

static void want(const char *path) {
  // how long a run is, and at what error it ends, are no part of what happens; words of the last two are the pairs
  static const char *const left_out[] = {"time.duration", "time.steps", "stabilization.largest_error",
                                         "solver.*", "integrator.*"};
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (!strcmp(path, left_out[i])) return;
  if (has_probe(path)) return;
  missing++;
  printf("%s has no scene\n", path);
}

static void want_rows(const char *of, const MbSchemaRow *rows) {
  char path[200];
  for (; rows && rows->key; rows++) {
    snprintf(path, sizeof path, "%s.%s", of, rows->key);
    if (!(rows->flags & MB_LATER) && says_something(rows)) want(path);
  }
}

Test(words, every_word_and_number_of_the_format_has_a_scene) {
  const MbSchemaWalk walk = mb_schema_walk(&mb_schema_scene);
  char path[200], all[200];
  for (size_t i = 0; i < walk.count; i++) {
    const MbSchemaObject *object = walk.object[i];
    if (!strcmp(object->name, "output") || !strcmp(object->name, "error")) continue;
    want_rows(object->name, object->rows);
    for (size_t k = 0; object->words && object->words[k]; k++) {
      snprintf(path, sizeof path, "%s.%s", object->name, object->words[k]);
      snprintf(all, sizeof all, "%s.*", object->name);
      want_rows(path, object->variants[k].rows);
      want(has_probe(path) ? path : all);
    }
  }
  cr_assert_eq(missing, 0, "%d words or keys have no scene", missing);
}
