// Fully implicit steps of trees of 10³ to 10⁵ bodies: what a step costs for each body, an iteration of Newton's method by products, and a step
// with a derivative beside it.
#include "core/base/alloc.h"
#include "core/sim/newton.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5, SIZES = 3 };
static const int sizes[SIZES] = {1000, 10000, 100000};
static const double MOVE = 1e-5;

// A binary tree of rods on hinges with springs, that swings.
static char *scene_text(int n, double gravity) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(
      out,
      "{\"mbsim\":1,\"gravity\":[0,0,%.17g],\"time\":{\"step\":0.005,\"steps\":%d},\"integrator\":\"bdf2\","
      "\"solver\":\"redmax\",\"bodies\":[",
      gravity, STEPS);
  for (int i = 0; i < n; i++) {
    fprintf(out,
            "%s{\"name\":\"b%d\",\"density\":1000,\"shape\":{\"type\":\"box\",\"size\":[0.1,0.03,0.03]},"
            "\"joint\":{\"type\":\"revolute\",\"axis\":[0,%d,%d],\"position\":%.17g,\"velocity\":%.17g,"
            "\"stiffness\":0.1,\"damping\":0.001,\"in_body\":{\"position\":[-0.05,0,0]}",
            i ? "," : "", i, 1 - i % 2, i % 2, 0.3 * sin(0.7 * i), 2 * cos(1.3 * i));
    if (i) fprintf(out, ",\"parent\":\"b%d\",\"in_parent\":{\"position\":[0.05,0,0]}", (i - 1) / 2);
    fputs("}}", out);
  }
  fputs("],\"output\":{\"channels\":[\"energy\"]}}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(int n, double gravity) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = scene_text(n, gravity);
  if (!text || mb_scene_parse(text, strlen(text), "stages", ".", NULL, &scene, &report) != MB_OK ||
      mb_model_create(scene, &model, &report) != MB_OK)
    fprintf(stderr, "no numbers: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_scene_free(scene);
  free(text);
  return model;
}

// Seconds of a step of the run alone, and of an iteration of Newton's method where it ends.
static bool measure_steps(const MbModel *model, double *step, double *iteration) {
  MbReport report = {0};
  MbSim *sim = NULL;
  bool ok = mb_sim_create(model, &(MbSimOptions){.threads = 1}, &sim, &report) == MB_OK;
  double start = mb_bench_cpu();
  for (int i = 0; i < STEPS && ok; i++) ok = mb_sim_step(sim, &report) == MB_OK;
  *step = (mb_bench_cpu() - start) / STEPS;
  double *base = ok ? mb_calloc(sim->nv, sizeof *base) : NULL, *z = ok ? mb_calloc(sim->nv, sizeof *z) : NULL;
  if (ok && base && z) {
    const MbFullStage stage = {.gamma = 1, .t = sim->state.t, .base = base, .from = sim->state.v};
    start = mb_bench_cpu();
    ok = mb_newton_change(sim, &stage, sim->state.v, z);
    *iteration = mb_bench_cpu() - start;
  }
  if (!ok) fprintf(stderr, "no numbers: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_free(base), mb_free(z);
  mb_sim_free(sim);
  return ok;
}

// Seconds of a step with a derivative along with it.
static bool measure_derivative(const MbModel *model, int n, double *step) {
  MbModel *less = make(n, -9.81 - MOVE), *more = make(n, -9.81 + MOVE);
  const MbSensitivityNumber number = {"gravity", less, more, MOVE};
  MbSensitivity *run = NULL;
  MbReport report = {0};
  bool ok = less && more && mb_sensitivity_create(model, &number, 1, &run, &report) == MB_OK;
  const double start = mb_bench_cpu();
  for (int i = 0; i < STEPS && ok; i++) ok = mb_sensitivity_step(run, &report) == MB_OK;
  *step = (mb_bench_cpu() - start) / STEPS;
  if (!ok) fprintf(stderr, "no numbers: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_sensitivity_free(run);
  mb_model_free(less), mb_model_free(more);
  return ok;
}

bool mb_bench_stages(void) {
  printf("bdf2, a binary tree of hinges with springs, microseconds of processor time for each body\n");
  printf("%10s %10s %20s %24s\n", "bodies", "a step", "Newton's iteration", "a step with derivative");
  for (size_t i = 0; i < SIZES; i++) {
    MbModel *model = make(sizes[i], -9.81);
    double step = 0, iteration = 0, with = 0;
    const bool ok =
        model && measure_steps(model, &step, &iteration) && measure_derivative(model, sizes[i], &with);
    mb_model_free(model);
    if (!ok) return false;
    const double each = 1e6 / sizes[i];
    printf("%10d %10.1f %20.1f %24.1f\n", sizes[i], step * each, iteration * each, with * each);
  }
  return true;
}
