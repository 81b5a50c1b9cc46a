// Derivatives of a run: what they cost beside the run itself, by how many numbers they are. A chain of twelve links under bdf2, whose links'
// inertias change; exact derivatives, and those by differences of single steps under implicit.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 12, STEPS = 400, MOST = 24, TIMES = 3 };
static const int counts[] = {1, 6, MOST};
enum { COUNT = sizeof counts / sizeof *counts };
static const double MOVE = 3e-6;

// Number k changes link k's mass, or from LINKS on its place.
static char *scene_text(const char *integrator, int k, double by) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(out,
          "{\"mbsim\":1,\"time\":{\"step\":0.005,\"steps\":%d},\"integrator\":\"%s\",\"solver\":\"redmax\","
          "\"bodies\":[",
          STEPS, integrator);
  for (int i = 0; i < LINKS; i++) {
    const double mass = 1 + 0.1 * i + (k == i ? by : 0), place = -0.2 - (k == LINKS + i ? by : 0);
    fprintf(out,
            "%s{\"name\":\"b%d\",\"inertia\":{\"mass\":%.17g,\"center\":[0,0,-0.1],\"matrix\":[0.01,0.012,0."
            "008,0,0,0]},"
            "\"joint\":{\"type\":\"revolute\",\"axis\":[%d,%d,0],\"position\":0.2,\"damping\":0.01",
            i ? "," : "", i, mass, i % 2, 1 - i % 2);
    if (i) fprintf(out, ",\"parent\":\"b%d\",\"in_parent\":{\"position\":[0,0,%.17g]}", i - 1, place);
    fputs("}}", out);
  }
  fputs("],\"output\":{\"channels\":[\"body.position\"]}}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

static MbModel *make(const char *integrator, int k, double by) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char *const text = scene_text(integrator, k, by);
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

static bool of_integrator(const char *integrator, double six) {
  MbSensitivityNumber numbers[MOST];
  MbModel *less[MOST], *more[MOST], *model = make(integrator, -1, 0);
  bool fine = model, met = true;
  for (int k = 0; k < MOST; k++) {
    less[k] = make(integrator, k, -MOVE), more[k] = make(integrator, k, MOVE);
    numbers[k] = (MbSensitivityNumber){"a number", less[k], more[k], MOVE};
    fine = fine && less[k] && more[k];
  }
  const double alone = fine ? measure(model, numbers, 0) : NAN;
  printf("  %s, %d links: a step takes %.1f us\n", integrator, LINKS, 1e6 * alone / STEPS);
  for (int i = 0; i < COUNT && fine; i++) {
    const double runs = measure(model, numbers, counts[i]) / alone;
    char what[40];
    snprintf(what, sizeof what, "%d number%s", counts[i], counts[i] == 1 ? "" : "s");
    if (counts[i] == 6)
      met = mb_bench_target(what, runs, "runs", six, false);
    else
      printf("    %-12s %9.2f runs\n", what, runs);
  }
  for (int k = 0; k < MOST; k++) mb_model_free(less[k]), mb_model_free(more[k]);
  mb_model_free(model);
  return fine && met;
}

bool mb_bench_gradient(void) {
  const bool exact = of_integrator("bdf2", 6), steps = of_integrator("implicit", 24);
  return exact && steps;
}
