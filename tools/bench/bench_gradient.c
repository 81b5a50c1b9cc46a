// Derivatives of a run: what they cost beside the run itself, by how many numbers they are. A chain of twelve links, whose links'
// inertias and places change, hanging free, with its tip held on a sphere, with springs between links, with pins that rub or links that come to limits: exact derivatives along with the run, those by differences of single steps under bridson_marino, and exact ones
// backwards through long runs. MBSIM_BENCH_CASE is the number of one case backwards, from 0, and MBSIM_BENCH_NUMBERS how many numbers it is run with, once, with all memory there is (0: the run alone): for those who count
// instructions of `one_run_back`.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The tip hangs free, or is held on a sphere, or springs tie links to one another, or pins rub, or rub by what they carry, or every third comes to its limits.
typedef enum Hang { FREE, CLOSED, SPRUNG, RUBBED, LOADED, LIMITED } Hang;
enum { LINKS = 12, STEPS = 400, MOST = 24, TIMES = 3 };
static const int counts[] = {1, 6, MOST};
enum { COUNT = sizeof counts / sizeof *counts };
static const double MOVE = 3e-6;

// What moves the chain.
typedef struct Way {
  const char *solver, *integrator;
} Way;

// Number k changes link k's mass, or from LINKS on its place.
static char *scene_text(const Way *way, Hang hang, int k, double by) {
  const char *const integrator = way->integrator;
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(out,
          "{\"mbsim\":1,\"time\":{\"step\":0.005,\"steps\":%d},\"integrator\":\"%s\",\"solver\":\"%s\","
          "\"bodies\":[",
          STEPS, integrator, way->solver);
  for (int i = 0; i < LINKS; i++) {
    const double mass = 1 + 0.1 * i + (k == i ? by : 0), place = -0.2 - (k == LINKS + i ? by : 0);
    fprintf(out,
            "%s{\"name\":\"b%d\",\"inertia\":{\"mass\":%.17g,\"center\":[0,0,-0.1],\"matrix\":[0.01,0.012,0."
            "008,0,0,0]},"
            "\"joint\":{\"type\":\"revolute\",\"axis\":[%d,%d,0],\"position\":0.2,\"damping\":%g",
            i ? "," : "", i, mass, i % 2, 1 - i % 2,
            hang == CLOSED                                               ? 0.03
            : strstr(integrator, "plicit") || strstr(integrator, "symp") ? 0.1
                                                                         : 0.01);
    if (hang == RUBBED) fputs(",\"frictionloss\":0.05", out);
    if (hang == LIMITED && i % 3 == 0) fputs(",\"limits\":[-0.3,0.3]", out);
    if (hang == LOADED) fputs(",\"friction\":{\"coefficient\":0.1,\"radius\":0.01,\"length\":0.05}", out);
    if (i) fprintf(out, ",\"parent\":\"b%d\",\"in_parent\":{\"position\":[0,0,%.17g]}", i - 1, place);
    fputs("}}", out);
  }
  fputs("]", out);
  if (hang == SPRUNG) { // each to the one but one before it
    fputs(",\"forces\":[", out);
    for (int i = 2; i < LINKS; i++)
      fprintf(
          out,
          "%s{\"type\":\"spring\",\"between\":[{\"body\":\"b%d\",\"at\":[0,0.1,0]},{\"body\":\"b%d\",\"at\":"
          "[0.1,0,0]}],\"stiffness\":20,\"damping\":0.5,\"length\":0.3}",
          i > 2 ? "," : "", i - 2, i);
    fputs("]", out);
  }
  if (hang == CLOSED)
    fprintf(out,
            ",\"constraints\":[{\"type\":\"distance\",\"between\":[{\"body\":\"b%d\",\"at\":[0,0,-0.2]},{"
            "\"body\":"
            "\"world\",\"at\":[1,0.5,-1]}]}]",
            LINKS - 1);
  fputs(",\"output\":{\"channels\":[\"body.position\"]}}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(const Way *way, Hang hang, int k, double by) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = scene_text(way, hang, k, by);
  if (!text || mb_scene_parse(text, strlen(text), "gradient", ".", NULL, &scene, &report) != MB_OK ||
      mb_model_create(scene, &model, &report) != MB_OK)
    fprintf(stderr, "no numbers: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_scene_free(scene);
  free(text);
  return model;
}

// Seconds of processor time of a run with derivatives by the first `count` numbers; 0: the run alone.
static double measure(const MbModel *model, const MbSensitivityNumber *numbers, int count) {
  double best = NAN;
  for (int i = 0; i < TIMES; i++) {
    MbReport report = {0};
    MbSensitivity *with = NULL;
    MbSim *alone = NULL;
    MbStatus status = count ? mb_sensitivity_create(model, numbers, (size_t)count, &with, &report)
                            : mb_sim_create(model, NULL, &alone, &report);
    const double start = mb_bench_cpu();
    for (int s = 0; s < STEPS && status == MB_OK; s++)
      status = count ? mb_sensitivity_step(with, &report) : mb_sim_step(alone, &report);
    best = fmin(best, mb_bench_cpu() - start);
    mb_sensitivity_free(with);
    mb_sim_free(alone);
    if (status != MB_OK) return NAN;
  }
  return best;
}

// The chain, and with a little less and more of each number.
typedef struct Models {
  MbModel *model, *less[MOST], *more[MOST];
  MbSensitivityNumber numbers[MOST];
} Models;

static bool make_all(const Way *way, Hang hang, Models *of) {
  of->model = make(way, hang, -1, 0);
  bool fine = of->model;
  for (int k = 0; k < MOST; k++) {
    of->less[k] = make(way, hang, k, -MOVE), of->more[k] = make(way, hang, k, MOVE);
    of->numbers[k] = (MbSensitivityNumber){"a number", of->less[k], of->more[k], MOVE};
    fine = fine && of->less[k] && of->more[k];
  }
  return fine;
}

static void free_all(Models *of) {
  for (int k = 0; k < MOST; k++) mb_model_free(of->less[k]), mb_model_free(of->more[k]);
  mb_model_free(of->model);
}

static bool of_integrator(const char *integrator, double six) {
  Models of;
  const bool fine = make_all(&(Way){"redmax", integrator}, FREE, &of);
  bool met = true;
  const double alone = fine ? measure(of.model, of.numbers, 0) : NAN;
  printf("  %s, %d links: a step takes %.1f us\n", integrator, LINKS, 1e6 * alone / STEPS);
  for (int i = 0; i < COUNT && fine; i++) {
    const double runs = measure(of.model, of.numbers, counts[i]) / alone;
    char what[40];
    snprintf(what, sizeof what, "%d number%s", counts[i], counts[i] == 1 ? "" : "s");
    if (counts[i] == 6)
      met = mb_bench_target(what, runs, "runs", six, false);
    else
      printf("    %-12s %9.2f runs\n", what, runs);
  }
  free_all(&of);
  return fine && met;
}

// ---- backwards ------------------------------------------------------------------------------------------------------

enum { LONG = 10000 };

static bool at_the_end(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == LONG;
}

// Where the last link is, along x.
static void last_link(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[3 * (LINKS - 1)] = 1;
}

static __attribute__((noinline)) MbStatus one_run_back(MbSensitivity *with, MbSim *alone, size_t memory,
                                                       int64_t *stepped, MbReport *report) {
  const MbSensitivityWeights weights = {.wanted = at_the_end, .weigh = last_link};
  double derivatives[MOST];
  MbStatus status = MB_OK;
  if (with) return mb_sensitivity_backward(with, LONG, memory, &weights, derivatives, stepped, report);
  for (int s = 0; s < LONG && status == MB_OK; s++) status = mb_sim_step(alone, report);
  return status;
}

// Seconds of processor time of a long run with derivatives backwards by the first `count` numbers; 0: the run alone.
static double measure_back(const MbModel *model, const MbSensitivityNumber *numbers, int count, size_t memory,
                           int64_t *stepped) {
  double took;
  MbReport report = {0};
  MbSensitivity *with = NULL;
  MbSim *alone = NULL;
  MbStatus status = count ? mb_sensitivity_create(model, numbers, (size_t)count, &with, &report)
                          : mb_sim_create(model, NULL, &alone, &report);
  const double start = mb_bench_cpu();
  if (status == MB_OK) status = one_run_back(with, alone, memory, stepped, &report);
  took = mb_bench_cpu() - start;
  mb_sensitivity_free(with);
  mb_sim_free(alone);
  if (status != MB_OK)
    fprintf(stderr, "no run back: %s\n", report.kept ? report.issues[0].text : "no memory");
  return status == MB_OK ? took : NAN;
}

// One run of a case with as many numbers as are asked for.
static bool once_back(const Models *of, const char *numbers) {
  const int count = atoi(numbers);
  if (count < 0 || count > MOST) return fprintf(stderr, "0 to %d numbers, not %s\n", MOST, numbers) < 0;
  const double took = measure_back(of->model, of->numbers, count, (size_t)1 << 28, NULL);
  printf("    %d numbers %.5f s\n", count, took);
  return !isnan(took);
}

// Runs that one backwards takes, the median of pairs, each behind a run alone; *alone: seconds of the last of these.
static double runs_back(const Models *of, int count, size_t memory, size_t pairs, double *alone,
                        int64_t *stepped) {
  enum { MOST_PAIRS = 5 };
  double runs[MOST_PAIRS];
  for (size_t i = 0; i < pairs; i++) {
    *alone = measure_back(of->model, of->numbers, 0, 0, NULL);
    runs[i] = measure_back(of->model, of->numbers, count, memory, stepped) / *alone;
  }
  qsort(runs, pairs, sizeof *runs, mb_bench_ascending);
  return runs[pairs / 2];
}

static bool backwards(Way way, Hang hang, int number) {
  static const size_t memory[] = {(size_t)1 << 28, (size_t)1 << 20};
  const char *const only = getenv("MBSIM_BENCH_CASE"), *const numbers = getenv("MBSIM_BENCH_NUMBERS");
  Models of;
  if (only && atoi(only) != number) return true;
  const bool fine = make_all(&way, hang, &of);
  bool met = true;
  if (only && numbers) {
    met = fine && once_back(&of, numbers);
    free_all(&of);
    return met;
  }
  double alone = NAN;
  // a processor that has rested is slow, and memory that is new has to be given
  if (fine) (void)runs_back(&of, 1, memory[0], 1, &alone, &(int64_t){0});
  printf("  backwards: %s, %s, %d links%s, %d steps\n", way.solver, way.integrator, LINKS,
         hang == CLOSED    ? " and a loop"
         : hang == SPRUNG  ? " and springs"
         : hang == RUBBED  ? " whose pins rub"
         : hang == LOADED  ? " whose pins rub by what they carry"
         : hang == LIMITED ? " of which some come to limits"
                           : "",
         LONG);
  for (int i = 0; i < COUNT && fine; i++)
    for (size_t m = 0; m < 2; m++) {
      int64_t stepped = 0;
      char what[60];
      const bool aim = i == COUNT - 1 && m == 0;
      const double runs = runs_back(&of, counts[i], memory[m], aim ? 5 : 1, &alone, &stepped);
      snprintf(what, sizeof what, "%d number%s, %zu MiB, %.2f times the steps", counts[i],
               counts[i] == 1 ? "" : "s", memory[m] >> 20, (double)stepped / LONG);
      if (aim)
        met = mb_bench_target(what, runs, "runs", 4, false);
      else
        printf("    %-44s %9.2f runs\n", what, runs);
    }
  printf("    the run alone %.3f s\n", alone);
  free_all(&of);
  return fine && met;
}

bool mb_bench_gradient(void) {
  static const char *const schemes[] = {"bdf1", "bdf2", "sdirk2"}, *const once[] = {"symplectic", "implicit",
                                                                                    "trapezoidal"};
  static const Hang hangs[] = {FREE, SPRUNG, CLOSED};
  bool back = true;
  int number = 0;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    for (int k = 0; k < 3; k += 2) back &= backwards((Way){"redmax", schemes[i]}, hangs[k], number++);
  for (size_t i = 0; i < sizeof once / sizeof *once; i++)
    for (int k = 0; k < 3; k++) back &= backwards((Way){"redmax", once[i]}, hangs[k], number++);
  for (size_t i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) back &= backwards((Way){"maximal", once[i]}, hangs[k], number++);
  back &= backwards((Way){"redmax", "symplectic"}, RUBBED, number++);
  back &= backwards((Way){"maximal", "symplectic"}, RUBBED, number++);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    for (int k = 0; k < 3; k += 2) back &= backwards((Way){"maximal", schemes[i]}, hangs[k], number++);
  back &= backwards((Way){"redmax", "symplectic"}, LOADED, number++);
  back &= backwards((Way){"maximal", "symplectic"}, LOADED, number++);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    back &= backwards((Way){"redmax", schemes[i]}, LIMITED, number++);
  back &= backwards((Way){"redmax", "trapezoidal"}, LIMITED, number++);
  for (int k = 0; k < 2; k++)
    back &= backwards((Way){"maximal", "trapezoidal"}, k ? LIMITED : CLOSED, number++);
  back &= backwards((Way){"maximal", "bdf2"}, LIMITED, number++);
  if (getenv("MBSIM_BENCH_CASE")) return back;
  const bool exact = of_integrator("bdf2", 6), steps = of_integrator("bridson_marino", 24);
  return exact && steps && back;
}
