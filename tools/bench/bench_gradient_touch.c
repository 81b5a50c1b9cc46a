// Derivatives of a run in which bodies touch, by how many numbers they are: a leg of three motors hops on the ground, and the numbers are what the tables of
// its motors' targets hold. Back through the run, and along with it by single steps. The same leg with a rubber sole, whose nodes touch the ground, with joints that rub by what they carry, and with a ball before the foot, which rolls over it and is pushed. MBSIM_BENCH_NUMBERS is how many numbers it is run with, once, back
// (0: the run alone), MBSIM_BENCH_CASE=1 with the sole, 2 with such joints, 3 with the ball: for those who count instructions of `one_run_timed`.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_back.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 250, JOINTS = 3, MOST = 192, ALONG = 24, TIMES = 7 };
static const double MOVE = 1e-6;

// What is under or before the leg, and whether its joints rub by what they carry.
typedef enum Foot { BARE, SOLED, RUBBING, PUSHING, FEET } Foot;

// A table of `count` targets of a joint; its number k is `by` more.
static void print_table(FILE *out, int count, double base, double swing, int k, double by) {
  fputs("{\"times\":[", out);
  for (int i = 0; i < count; i++) fprintf(out, "%s%.17g", i ? "," : "", 0.8 * i / (count - 1));
  fputs("],\"values\":[", out);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s%.17g", i ? "," : "", base + swing * sin(7.2 * i / (count - 1)) + (i == k ? by : 0));
  fputs("]}", out);
}

// The sole is under the foot, whose turns about the joints at the start cancel.
static void print_sole(FILE *out) {
  const double ankle[2] = {-0.02 * sin(0.4), 0.6 - 0.58 * cos(0.4)};
  fprintf(out,
          "\"deformables\":[{\"name\":\"sole\",\"type\":\"tets\",\"mesh\":{\"box\":[6,4,3],\"size\":[0.16,"
          "0.08,0.03]},\"pose\":{\"position\":[%.17g,-0.04,%.17g]},\"velocity\":{\"linear\":[0.3,0.05,0]},"
          "\"attach\":[{\"select\":{\"side\":\"+z\"},\"body\":\"foot\"}],\"material\":{\"model\":"
          "\"corotational\",\"young\":1e6,\"poisson\":0.4,\"density\":1100,\"damping\":0.01}}],",
          ankle[0] - 0.08, ankle[1] - 0.045);
}

// A leg whose tables have `numbers` numbers in all, of which number k is `by` more.
static char *leg_text(Foot foot, int numbers, int k, double by) {
  static const struct {
    const char *name, *parent, *shape;
    double aim, swing, stiffness, damping, from, into;
  } links[JOINTS] = {
      {"thigh", "hip", "\"type\":\"capsule\",\"radius\":0.03,\"length\":0.3", 0.4, 0.3, 40, 0.6, 0, 0.15},
      {"shank", "thigh", "\"type\":\"capsule\",\"radius\":0.025,\"length\":0.28", -0.8, 0.5, 40, 0.6, -0.15,
       0.14},
      {"foot", "shank", "\"type\":\"box\",\"size\":[0.16,0.08,0.03]", 0.4, 0.25, 13, 0.12, -0.14, 0}};
  const int each = numbers / JOINTS;
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(out,
          "{\"mbsim\":1,\"integrator\":\"%s\",\"solver\":\"redmax\",\"time\":{\"step\":0.002,"
          "\"steps\":%d},"
          "\"contact\":{\"friction\":0.8,\"tolerance\":1e-12%s},\"bodies\":[{\"name\":\"floor\",\"joint\":{"
          "\"type\":"
          "\"fixed\"},\"shape\":{\"type\":\"plane\"}},{\"name\":\"hip\",\"inertia\":{\"mass\":3,\"matrix\":["
          "0.2,0.2,"
          "0.2,0,0,0]},\"pose\":{\"position\":[0,0,0.6]},\"velocity\":{\"linear\":[0.3,0.05,0],\"angular\":["
          "0,0,0.2]}}",
          foot == SOLED ? "implicit" : "symplectic", STEPS,
          foot == SOLED ? ",\"exclude\":[[\"foot\",\"sole\"],[\"shank\",\"sole\"]]" : "");
  for (int i = 0; i < JOINTS; i++) {
    fprintf(
        out,
        ",{\"name\":\"%s\",\"shape\":{%s},\"density\":900,\"joint\":{\"type\":\"revolute\",\"parent\":\"%s\","
        "\"axis\":[0,1,0],\"position\":%g,\"in_parent\":{\"position\":[0,0,%g]},\"in_body\":{\"position\":[0,"
        "0,%g]},"
        "\"motor\":{\"stiffness\":%g,\"damping\":%g,\"target\":",
        links[i].name, links[i].shape, links[i].parent, links[i].aim, links[i].from, links[i].into,
        links[i].stiffness, links[i].damping);
    print_table(out, each, links[i].aim, links[i].swing, k - i * each, by);
    fputs("}", out);
    if (foot == RUBBING)
      fputs(",\"friction\":{\"coefficient\":0.1,\"radius\":0.02,\"length\":0.04,\"tolerance\":1e-12}", out);
    fputs("}}", out);
  }
  if (foot == PUSHING)
    fputs(",{\"name\":\"ball\",\"density\":300,\"shape\":{\"type\":\"sphere\",\"radius\":0.06},\"pose\":{"
          "\"position\":[0.145,0.01,0.06]}}",
          out);
  fputs("],", out);
  if (foot == SOLED) print_sole(out);
  fputs("\"output\":{\"channels\":[\"body.position\"]}}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(Foot foot, int numbers, int k, double by) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = leg_text(foot, numbers, k, by);
  if (!text || mb_scene_parse(text, strlen(text), "leg", ".", NULL, &scene, &report) != MB_OK ||
      mb_model_create(scene, &model, &report) != MB_OK)
    fprintf(stderr, "no leg: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_scene_free(scene);
  free(text);
  return model;
}

typedef struct Leg {
  int count;
  MbModel *model, *less[MOST], *more[MOST];
  MbSensitivityNumber numbers[MOST];
} Leg;

static void free_leg(Leg *leg) {
  if (!leg) return;
  for (int k = 0; k < leg->count; k++) mb_model_free(leg->less[k]), mb_model_free(leg->more[k]);
  mb_model_free(leg->model);
  mb_free(leg);
}

static Leg *make_leg(Foot foot, int count) {
  Leg *leg = mb_calloc(1, sizeof *leg);
  if (!leg) return NULL;
  bool fine = (leg->model = make(foot, count, -MOST, 0)) != NULL;
  for (int k = 0; k < count && fine; k++) {
    leg->less[k] = make(foot, count, k, -MOVE), leg->more[k] = make(foot, count, k, MOVE);
    leg->numbers[k] = (MbSensitivityNumber){"a target", leg->less[k], leg->more[k], MOVE};
    leg->count = k + 1;
    fine = leg->less[k] && leg->more[k];
  }
  if (fine) return leg;
  free_leg(leg);
  return NULL;
}

// Where the hip is, along x.
static void hip(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[3] = 1;
}

static double measure(const Leg *leg, MbBenchWay way, int times) {
  return mb_bench_back(&(MbBenchBack){leg->model, leg->numbers, (size_t)leg->count, STEPS, hip}, way, times);
}

static bool of_count(Foot foot, int count) {
  Leg *leg = make_leg(foot, count);
  const int times = foot == SOLED ? 1 : TIMES;
  if (!leg) return false;
  const double alone = measure(leg, MB_BENCH_ALONE, times), back = measure(leg, MB_BENCH_BACK, times) / alone;
  char what[60];
  snprintf(what, sizeof what, "%d numbers, back", count);
  const bool met = mb_bench_target(what, back, "runs", 4, false);
  if (count <= ALONG)
    printf("    %d numbers, along by single steps %.1f runs\n", count,
           measure(leg, MB_BENCH_ALONG, 1) / alone);
  free_leg(leg);
  return met && isfinite(back);
}

bool mb_bench_gradient_touch(void) {
  static const int counts[] = {6, ALONG, MOST};
  const char *const numbers = getenv("MBSIM_BENCH_NUMBERS"), *const which = getenv("MBSIM_BENCH_CASE");
  bool met = true;
  if (numbers) {
    const int count = atoi(numbers);
    const int foot = which ? atoi(which) : BARE;
    const bool known = count >= 0 && count <= MOST && foot >= 0 && foot < FEET;
    Leg *leg = known ? make_leg((Foot)foot, count < 2 * JOINTS ? 2 * JOINTS : count) : NULL;
    const double took = leg ? measure(leg, count ? MB_BENCH_BACK : MB_BENCH_ALONE, 1) : NAN;
    printf("    %d numbers %.5f s\n", count, took);
    free_leg(leg);
    return isfinite(took);
  }
  static const char *const names[FEET] = {
      "a leg of three motors on tables hops", "the same leg on a rubber sole of 72 nodes",
      "the same leg with joints that rub by what they carry", "the same leg pushes a ball"};
  for (int foot = 0; foot < FEET; foot++) {
    printf("  %s, %d steps\n", names[foot], STEPS);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) met &= of_count((Foot)foot, counts[i]);
  }
  return met;
}
