// Derivatives back through a run of a deformable that solver projective moves, by how many numbers they are: a rubber bar is held at one end and led at the
// other by a pin on tables, whose values are the numbers; or its material, density and gravity are. MBSIM_BENCH_NUMBERS is how many numbers it is run with, once, back
// (0: the run alone; below 0: so many numbers that are not of tables): for those who count instructions of `one_run_timed`. MBSIM_BENCH_CASE 1 is a bar that an arm of four links holds, whose motors'
// targets the tables are, and presses onto a ball.
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

// The numbers of a scene: tables have `numbers` in all, of which number k is `by` more; or of those that are not of tables number −1 − k is.
typedef struct Numbers {
  int numbers, k;
  double by;
} Numbers;

// How much one of those that are not of tables is of itself.
static double plain(const Numbers *n, int which) {
  return n->k < 0 && (-1 - n->k) % 4 == which ? 1 + n->by * (1 + (-1 - n->k) / 4 / 10.0) : 1;
}

static void print_tables(FILE *out, const Numbers *n, int table, double swing) {
  const int each = n->numbers / TABLES;
  print_table(out, each, swing, n->k < 0 ? -1 : n->k - table * each, n->by);
}

static void print_head(FILE *out, const Numbers *n) {
  fprintf(
      out,
      "{\"mbsim\":1,\"integrator\":\"implicit\",\"solver\":{\"type\":\"projective\",\"method\":\"newton\"},"
      "\"time\":{\"step\":0.01,\"steps\":%d},\"gravity\":[0,0,%.17g],\"output\":{\"channels\":"
      "[\"deformable.bar.position\"]},\"deformables\":[{\"name\":\"bar\",\"type\":\"tets\",\"material\":{"
      "\"model\":\"neo_hookean\",\"young\":%.17g,\"poisson\":%.17g,\"density\":%.17g},\"mesh\":{",
      STEPS, -9.81 * plain(n, 3), 1e5 * plain(n, 0), 0.4 * plain(n, 1), 1000 * plain(n, 2));
}

static void print_bar(FILE *out, const Numbers *n) {
  static const double swing[TABLES] = {0.03, 0.04, 0.05, 0.8};
  fputs("\"box\":[10,3,3],\"size\":[0.3,0.06,0.06]},\"pin\":[{\"select\":{\"side\":\"-x\"}},{\"select\":{"
        "\"side\":"
        "\"+x\"},\"motion\":{\"translate\":[",
        out);
  for (int i = 0; i < 3; i++) {
    if (i) fputs(",", out);
    print_tables(out, n, i, swing[i]);
  }
  fputs("],\"rotate\":{\"axis\":[1,0,0],\"through\":[0.3,0.03,0.03],\"angle\":", out);
  print_tables(out, n, 3, swing[3]);
  fputs("}}}]}]}", out);
}

static void print_hand(FILE *out, const Numbers *n) {
  fputs(
      "\"box\":[3,3,10],\"size\":[0.05,0.05,0.2]},\"pose\":{\"position\":[-0.025,-0.025,-0.06]},\"attach\":[{"
      "\"select\":{\"side\":\"+z\"},\"body\":\"link3\"}]}],\"contact\":{\"tolerance\":1e-14,\"friction\":0.4}"
      ","
      "\"bodies\":[{\"name\":\"ball\",\"mass\":1,\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"joint\":{"
      "\"type\":"
      "\"fixed\",\"in_parent\":{\"position\":[0.01,0.002,-0.161]}}}",
      out);
  for (int i = 0; i < TABLES; i++) {
    fprintf(
        out,
        ",{\"name\":\"link%d\",\"mass\":0.2,\"shape\":{\"type\":\"capsule\",\"radius\":0.02,\"length\":0.05},"
        "\"joint\":{\"type\":\"revolute\",\"axis\":[0,1,0],",
        i);
    if (i) fprintf(out, "\"parent\":\"link%d\",", i - 1);
    fprintf(out,
            "\"in_parent\":{\"position\":[0,0,%g]},\"in_body\":{\"position\":[0,0,0.045]},\"motor\":{"
            "\"stiffness\":"
            "20,\"damping\":0.5,\"target\":",
            i ? -0.045 : 0.5);
    print_tables(out, n, i, i % 2 ? -0.15 : 0.15);
    fputs("}}}", out);
  }
  fputs("]}", out);
}

static bool is_hand(void) {
  const char *const which = getenv("MBSIM_BENCH_CASE");
  return which && atoi(which) == 1;
}

static char *bar_text(const Numbers *n) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  print_head(out, n);
  (is_hand() ? print_hand : print_bar)(out, n);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(int numbers, int k, double by) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = bar_text(&(Numbers){numbers, k, by});
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

// By so many numbers of tables, or that are not (`others`).
static Bar *make_bar(int count, bool others) {
  Bar *bar = mb_calloc(1, sizeof *bar);
  const int numbers = others || count < 4 * TABLES ? 4 * TABLES : count;
  if (!bar) return NULL;
  bool fine = (bar->model = make(numbers, numbers, 0)) != NULL;
  for (int k = 0; k < count && fine; k++) {
    bar->less[k] = make(numbers, others ? -1 - k : k, -MOVE),
    bar->more[k] = make(numbers, others ? -1 - k : k, MOVE);
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

static bool of_count(int count, bool others) {
  Bar *bar = make_bar(count, others);
  if (!bar) return false;
  const double alone = measure(bar, MB_BENCH_ALONE, TIMES), back = measure(bar, MB_BENCH_BACK, TIMES) / alone;
  char what[60];
  if (count <= PLAIN)
    printf("    %d numbers%s, along by single steps %.1f runs\n", count,
           others ? " of material and gravity" : " of tables", measure(bar, MB_BENCH_ALONG, 1) / alone);
  snprintf(what, sizeof what, "%d numbers%s, back", count,
           others ? " of material and gravity" : " of tables");
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
  printf("  a rubber bar of 90 nodes is led by %s, %d steps\n",
         is_hand() ? "motors' tables, on an arm, and pressed onto a ball" : "tables", STEPS);
  met &= of_count(PLAIN, false) & of_count(PLAIN, true) & of_count(MANY, false);
  return met;
}
