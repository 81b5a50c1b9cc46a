// Derivatives back through a run of a deformable that solver projective moves, by how many numbers they are: a rubber bar is held at one end and led at the
// other by a pin on tables, whose values are the numbers; or its material, density and gravity are. MBSIM_BENCH_NUMBERS is how many numbers it is run with, once, back
// (0: the run alone; below 0: so many numbers that are not of tables): for those who count instructions of `one_bar_back`.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, TABLES = 4, PLAIN = 24, MANY = 1000, TIMES = 3 };
static const double MOVE = 3e-5;

// A table of `count` values; its number k is `by` more.
static void print_table(FILE *out, int count, double swing, int k, double by) {
  fputs("{\"times\":[", out);
  for (int i = 0; i < count; i++) fprintf(out, "%s%.17g", i ? "," : "", 0.6 * i / (count - 1));
  fputs("],\"values\":[", out);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s%.17g", i ? "," : "", swing * sin(6.0 * i / (count - 1)) + (i == k ? by : 0));
  fputs("]}", out);
}

// A bar whose tables have `numbers` numbers in all, of which number k is `by` more; or of those that are not of tables number −1 − k is.
static char *bar_text(int numbers, int k, double by) {
  static const double swing[TABLES] = {0.03, 0.04, 0.05, 0.8};
  const int each = numbers / TABLES, plain = k < 0 ? (-1 - k) % 4 : -1;
  const double more = k < 0 ? 1 + by * (1 + (-1 - k) / 4 / 10.0) : 1;
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(
      out,
      "{\"mbsim\":1,\"integrator\":\"implicit\",\"solver\":{\"type\":\"projective\",\"method\":\"newton\"},"
      "\"time\":{\"step\":0.01,\"steps\":%d},\"gravity\":[0,0,%.17g],\"deformables\":[{\"name\":\"bar\","
      "\"type\":\"tets\",\"mesh\":{\"box\":[10,3,3],\"size\":[0.3,0.06,0.06]},\"material\":{\"model\":"
      "\"neo_hookean\",\"young\":%.17g,\"poisson\":%.17g,\"density\":%.17g},\"pin\":[{\"select\":{\"side\":"
      "\"-x\"}},{\"select\":{\"side\":\"+x\"},\"motion\":{\"translate\":[",
      STEPS, -9.81 * (plain == 3 ? more : 1), 1e5 * (plain == 0 ? more : 1), 0.4 * (plain == 1 ? more : 1),
      1000 * (plain == 2 ? more : 1));
  for (int i = 0; i < 3; i++) {
    if (i) fputs(",", out);
    print_table(out, each, swing[i], k - i * each, by);
  }
  fputs("],\"rotate\":{\"axis\":[1,0,0],\"through\":[0.3,0.03,0.03],\"angle\":", out);
  print_table(out, each, swing[3], k - 3 * each, by);
  fputs("}}}]}],\"output\":{\"channels\":[\"deformable.bar.position\"]}}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(int numbers, int k, double by) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = bar_text(numbers, k, by);
  if (!text || mb_scene_parse(text, strlen(text), "bar", ".", NULL, &scene, &report) != MB_OK ||
      mb_model_create(scene, &model, &report) != MB_OK)
    fprintf(stderr, "no bar: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_scene_free(scene);
  free(text);
  return model;
}

typedef struct Bar {
  int count;
  MbModel *model, *less[MANY], *more[MANY];
  MbSensitivityNumber numbers[MANY];
} Bar;

static void free_bar(Bar *bar) {
  if (!bar) return;
  for (int k = 0; k < bar->count; k++) mb_model_free(bar->less[k]), mb_model_free(bar->more[k]);
  mb_model_free(bar->model);
  mb_free(bar);
}

// By so many numbers of tables, or that are not (`plain`).
static Bar *make_bar(int count, bool plain) {
  Bar *bar = mb_calloc(1, sizeof *bar);
  const int numbers = plain || count < 4 * TABLES ? 4 * TABLES : count;
  if (!bar) return NULL;
  bool fine = (bar->model = make(numbers, numbers, 0)) != NULL;
  for (int k = 0; k < count && fine; k++) {
    bar->less[k] = make(numbers, plain ? -1 - k : k, -MOVE),
    bar->more[k] = make(numbers, plain ? -1 - k : k, MOVE);
    bar->numbers[k] = (MbSensitivityNumber){"a number", bar->less[k], bar->more[k], MOVE};
    bar->count = k + 1;
    fine = bar->less[k] && bar->more[k];
  }
  if (fine) return bar;
  free_bar(bar);
  return NULL;
}

static bool at_the_end(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == STEPS;
}

// Where a node in the middle is, along z.
static void middle(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[3 * 40 + 2] = 1;
}

static __attribute__((noinline)) MbStatus one_bar_back(MbSensitivity *with, MbSim *alone, MbReport *report) {
  const MbSensitivityWeights weights = {.wanted = at_the_end, .weigh = middle};
  double derivatives[MANY];
  MbStatus status = MB_OK;
  if (with) return mb_sensitivity_backward(with, STEPS, (size_t)1 << 28, &weights, derivatives, NULL, report);
  for (int s = 0; s < STEPS && status == MB_OK; s++) status = mb_sim_step(alone, report);
  return status;
}

static MbStatus one_bar_along(MbSensitivity *with, MbReport *report) {
  MbStatus status = MB_OK;
  for (int s = 0; s < STEPS && status == MB_OK; s++) status = mb_sensitivity_step(with, report);
  return status;
}

typedef enum Way { ALONE, BACK, ALONG } Way;

// Seconds of processor time, the least of some; by the numbers, or alone.
static double measure(const Bar *bar, Way way, int times) {
  double best = NAN;
  for (int i = 0; i < times; i++) {
    MbReport report = {0};
    MbSensitivity *with = NULL;
    MbSim *alone = NULL;
    MbStatus status =
        way ? mb_sensitivity_create(bar->model, bar->numbers, (size_t)bar->count, &with, &report)
            : mb_sim_create(bar->model, NULL, &alone, &report);
    const double start = mb_bench_cpu();
    if (status == MB_OK)
      status = way == ALONG ? one_bar_along(with, &report) : one_bar_back(with, alone, &report);
    best = fmin(best, mb_bench_cpu() - start);
    if (status != MB_OK) fprintf(stderr, "%s\n", report.kept ? report.issues[0].text : "no derivatives");
    mb_sensitivity_free(with);
    mb_sim_free(alone);
    if (status != MB_OK) return NAN;
  }
  return best;
}

static bool of_count(int count, bool plain) {
  Bar *bar = make_bar(count, plain);
  if (!bar) return false;
  const double alone = measure(bar, ALONE, TIMES), back = measure(bar, BACK, TIMES) / alone;
  char what[60];
  if (count <= PLAIN)
    printf("    %d numbers%s, along by single steps %.1f runs\n", count,
           plain ? " of material and gravity" : " of tables", measure(bar, ALONG, 1) / alone);
  snprintf(what, sizeof what, "%d numbers%s, back", count, plain ? " of material and gravity" : " of tables");
  free_bar(bar);
  return mb_bench_target(what, back, "runs", 4, false) && isfinite(back);
}

bool mb_bench_gradient_nodes(void) {
  const char *const numbers = getenv("MBSIM_BENCH_NUMBERS");
  bool met = true;
  if (numbers) {
    const int count = abs(atoi(numbers));
    Bar *bar = count <= MANY ? make_bar(count, atoi(numbers) < 0) : NULL;
    const double took = bar ? measure(bar, count ? BACK : ALONE, 1) : NAN;
    printf("    %d numbers %.5f s\n", count, took);
    free_bar(bar);
    return isfinite(took);
  }
  printf("  a rubber bar of 90 nodes is led by tables, %d steps\n", STEPS);
  met &= of_count(PLAIN, false) & of_count(PLAIN, true) & of_count(MANY, false);
  return met;
}
