// Derivatives back through a run of a deformable that solver projective moves, by how many numbers they are: a rubber bar is held at one end and led at the
// other by a pin on tables, whose values are the numbers; or its material, density and gravity are. MBSIM_BENCH_NUMBERS is how many numbers it is run with, once, back
// (0: the run alone; below 0: so many numbers that are not of tables): for those who count instructions of `one_run_timed`.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_back.h"

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

// Where a node in the middle is, along z.
static void middle(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[3 * 40 + 2] = 1;
}

static double measure(const Bar *bar, MbBenchWay way, int times) {
  return mb_bench_back(&(MbBenchBack){bar->model, bar->numbers, (size_t)bar->count, STEPS, middle}, way,
                       times);
}

static bool of_count(int count, bool plain) {
  Bar *bar = make_bar(count, plain);
  if (!bar) return false;
  const double alone = measure(bar, MB_BENCH_ALONE, TIMES), back = measure(bar, MB_BENCH_BACK, TIMES) / alone;
  char what[60];
  if (count <= PLAIN)
    printf("    %d numbers%s, along by single steps %.1f runs\n", count,
           plain ? " of material and gravity" : " of tables", measure(bar, MB_BENCH_ALONG, 1) / alone);
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
    const double took = bar ? measure(bar, count ? MB_BENCH_BACK : MB_BENCH_ALONE, 1) : NAN;
    printf("    %d numbers %.5f s\n", count, took);
    free_bar(bar);
    return isfinite(took);
  }
  printf("  a rubber bar of 90 nodes is led by tables, %d steps\n", STEPS);
  met &= of_count(PLAIN, false) & of_count(PLAIN, true) & of_count(MANY, false);
  return met;
}
