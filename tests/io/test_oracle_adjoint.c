// The published gradient of a task: two links are thrown at a target by constant torques, and the derivatives of how far they miss it by these
// torques, by the reference's own backward sweep, are those that come out here.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "io/sweep/measure_slope.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Variant {
  TestRun run;
  MbMeasures *measures;
} Variant;

static Variant variant_of(const cJSON *file, const double p[2]) {
  Variant v = {0};
  char set[2][60], *text = cJSON_Print(cJSON_GetObjectItem(file, "scene"));
  for (int i = 0; i < 2; i++) snprintf(set[i], sizeof set[i], "/parameters/p%d=%.17g", i + 1, p[i]);
  v.run = test_run(text, (const char *const[]){set[0], set[1], NULL});
  free(text);
  const MbConstant constants[2] = {{"p1", p[0]}, {"p2", p[1]}};
  const MbMeasureAsk ask = {"P", cJSON_GetObjectItem(file, "measure")->valuestring};
  size_t n = 0;
  const MbChannel *channels = mb_sim_channels(v.run.sim, &n);
  MbReport report = {0};
  test_ok(mb_measures_create(&ask, 1, channels, n, constants, 2, 1, &v.measures, &report), &report);
  return v;
}

static void variant_free(Variant *v) {
  mb_measures_free(v->measures);
  test_run_free(&v->run);
}

// P and its derivative by the torque i.
static void evaluate(const cJSON *file, const double p[2], int i, double *P, double *slope) {
  static const double LITTLE = 1e-6;
  double less[2] = {p[0], p[1]}, more[2] = {p[0], p[1]};
  less[i] -= LITTLE, more[i] += LITTLE;
  Variant at = variant_of(file, p), down = variant_of(file, less), up = variant_of(file, more);
  const MbSensitivityNumber number = {"p", down.run.model, up.run.model, LITTLE};
  MbSensitivity *run = NULL;
  MbMeasureSlopes *slopes = NULL;
  MbReport report = {0};
  test_ok(mb_sensitivity_create(at.run.model, &number, 1, &run, &report), &report);
  test_ok(mb_measure_slopes_create(at.measures, down.measures, up.measures, LITTLE, &slopes, &report),
          &report);
  const size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
  double *frame = mb_calloc(2 * size, sizeof *frame);
  for (int64_t step = 0; step < mb_model_steps(at.run.model); step++)
    test_ok(mb_sensitivity_step(run, &report), &report);
  test_ok(mb_sensitivity_frame(run, frame, frame + size, &report), &report);
  const double t = mb_sim_time(mb_sensitivity_sim(run));
  mb_measure_slopes_frame(slopes, t, frame, frame + size);
  mb_measures_frame(at.measures, t, frame);
  test_ok(mb_measures_values(at.measures, P, &report), &report);
  test_ok(mb_measure_slopes_values(slopes, slope, &report), &report);
  mb_free(frame);
  mb_measure_slopes_free(slopes);
  mb_sensitivity_free(run);
  variant_free(&at), variant_free(&down), variant_free(&up);
}

Test(oracle_adjoint, the_published_gradient_comes_out) {
  static const double CLOSE = 1e-8; // of itself
  char *text = test_text_of("tests/oracle/adjoint/two-links-bdf1.json");
  cJSON *file = cJSON_Parse(text);
  const cJSON *list = cJSON_GetObjectItem(file, "evaluations"), *item;
  int points = 0;
  cJSON_ArrayForEach(item, list) {
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(item, "p"),
                *gradient = cJSON_GetObjectItem(item, "gradient");
    const double p[2] = {cJSON_GetArrayItem(at, 0)->valuedouble, cJSON_GetArrayItem(at, 1)->valuedouble};
    const double wanted_P = cJSON_GetObjectItemCaseSensitive(item, "P")->valuedouble;
    for (int i = 0; i < 2; i++) {
      const double wanted = cJSON_GetArrayItem(gradient, i)->valuedouble;
      double P, slope;
      evaluate(file, p, i, &P, &slope);
      printf("P off by %.1e of itself, dP/dp%d by %.1e\n", P / wanted_P - 1, i + 1, slope / wanted - 1);
      cr_expect_lt(fabs(P / wanted_P - 1), CLOSE, "P = %.15g, wanted %.15g", P, wanted_P);
      cr_expect_lt(fabs(slope / wanted - 1), CLOSE, "dP/dp%d = %.15g, wanted %.15g", i + 1, slope, wanted);
    }
    points++;
  }
  cr_expect_eq(points, 2);
  cJSON_Delete(file);
  free(text);
}
