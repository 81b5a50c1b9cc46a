// Scenes of tests/gradient run and differentiated in several ways: by differences of whole runs, along with the run, and back through it.
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gradient_constraints[GRADIENT_CONSTRAINTS] = {
    GRADIENT_CONSTRAINT("\"type\":\"point\"," GRADIENT_TIPS),
    GRADIENT_CONSTRAINT("\"type\":\"point\",\"compliance\":\"=number*1e-3\",\"damping\":0.02," GRADIENT_TIPS),
    GRADIENT_CONSTRAINT("\"type\":\"distance\",\"between\":[{\"body\":\"a3\"},{\"body\":\"b3\"}]"),
    GRADIENT_CONSTRAINT("\"type\":\"point_on_line\",\"axis\":[\"=number\",1,0.2]," GRADIENT_TIPS),
    GRADIENT_CONSTRAINT("\"type\":\"point_on_plane\",\"normal\":[\"=number\",0.2,1]," GRADIENT_TIPS),
    GRADIENT_CONSTRAINT("\"type\":\"velocity_ratio\",\"bodies\":[\"a3\",\"b3\"],\"axes\":[[1,0,0],[0.2,0,1]],"
                        "\"ratio\":\"=number\""),
    GRADIENT_CLOSURE("\"fixed\""),
    GRADIENT_CLOSURE("\"revolute\""),
    GRADIENT_CLOSURE("\"prismatic\""),
    GRADIENT_CLOSURE("\"cylindrical\""),
    GRADIENT_CLOSURE("{\"type\":\"screw\",\"pitch\":\"=number\"}"),
    GRADIENT_CLOSURE("\"universal\""),
    GRADIENT_CLOSURE("\"planar\"")};

const char *const gradient_lengths[2] = {
    GRADIENT_CONSTRAINT("\"type\":\"distance\",\"between\":[{\"body\":\"a3\"},{\"body\":\"b3\"}]"),
    GRADIENT_CONSTRAINT("\"type\":\"distance\",\"length\":\"=number+length/3\",\"compliance\":1e-3,"
                        "\"between\":[{\"body\":\"a3\"},{\"body\":\"b3\"}]")};

// A scene of a way, of a material, or with what a text that begins with / sets, with the number moved by a share of itself.
static TestRun variant(const char *scene, const GradientWay *way, const char *material, const char *name,
                       double value) {
  char path[80], solver[100], integrator[60], model[80], number[80];
  const char *sets[5] = {solver, integrator};
  size_t n = 2;
  snprintf(path, sizeof path, "tests/gradient/%s.json", scene);
  snprintf(solver, sizeof solver, "/solver=%s", way->solver);
  snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", way->integrator);
  snprintf(model, sizeof model, "/deformables/0/material/model=\"%s\"", material ? material : "");
  snprintf(number, sizeof number, "/parameters/%s=%.17g", name ? name : "", value);
  if (material) sets[n++] = material[0] == '/' ? material : model;
  if (name) sets[n++] = number;
  char *text = test_text_of(path);
  const TestRun run = test_run(text, sets);
  free(text);
  return run;
}

static size_t end_of(TestRun *run, double *frame) {
  MbReport report = {0};
  test_steps(run->sim, mb_model_steps(run->model));
  test_ok(mb_sim_sample(run->sim, frame, &report), &report);
  const size_t size = mb_sim_frame_size(run->sim);
  test_run_free(run);
  return size;
}

enum { MOST = 400 };

TestRun gradient_moved(const GradientCase *c, double share) {
  return variant(c->scene, c->way, c->material, c->name, c->value * (1 + share));
}

void gradient_by_differences(const GradientCase *c, double *wanted, double *unsure) {
  static const double LEFT = 1e-3; // what fourth order leaves is smaller by the square of the move
  double at[4][MOST];
  size_t size = 0;
  for (int i = 0; i < 4; i++) {
    TestRun run = gradient_moved(c, (i < 2 ? i - 2 : i - 1) * c->move);
    size = end_of(&run, at[i]);
  }
  for (size_t i = 0; i < size; i++) {
    const double second = (at[2][i] - at[1][i]) / (2 * c->move);
    wanted[i] = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * c->move);
    unsure[i] = LEFT * fabs(wanted[i] - second);
  }
}

// What the end is weighed by, for a derivative backwards: all channels that have one.
typedef struct End {
  int64_t step;
  size_t size;
  const MbSensitivity *run;
} End;
static double weight_of(const End *end, size_t i) {
  const bool none = end->run && (mb_sensitivity_bends(end->run, i) || mb_sensitivity_adds_up(end->run, i));
  return none ? 0 : sin(1.0 + 2.0 * (double)i);
}
static bool wanted_at(void *to, int64_t step, double t) {
  (void)t;
  return step == ((const End *)to)->step;
}
static void weigh_end(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)t, (void)frame;
  for (size_t i = 0; i < ((const End *)to)->size; i++) weights[i] = weight_of(to, i);
}

// Derivatives by some numbers of what the end is weighed by, and its weights (may be NULL).
static void go_back(const TestRun *at, const MbSensitivityNumber *numbers, size_t count, double *back,
                    double *weighs) {
  MbReport report = {0};
  MbSensitivity *run = NULL;
  End end = {mb_model_steps(at->model), mb_sim_frame_size(at->sim), NULL};
  const MbSensitivityWeights weights = {.to = &end, .wanted = wanted_at, .weigh = weigh_end};
  test_ok(mb_sensitivity_create(at->model, numbers, count, &run, &report), &report);
  end.run = run;
  test_ok(mb_sensitivity_backward(run, end.step, 1 << 24, &weights, back, NULL, &report), &report);
  for (size_t i = 0; weighs && i < end.size; i++) weighs[i] = weight_of(&end, i);
  mb_sensitivity_free(run);
}

static bool is_last(void *to, int64_t step, double t) {
  (void)t;
  return step == *(const int64_t *)to;
}
static void weigh_first(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[0] = 1;
}

MbStatus gradient_back_from(const GradientCase *c, int64_t steps, double *back, MbReport *report) {
  static const double LITTLE = 1e-6;
  TestRun at = gradient_moved(c, 0), less = gradient_moved(c, -LITTLE), more = gradient_moved(c, LITTLE);
  const MbSensitivityNumber number = {c->name, less.model, more.model, LITTLE * c->value};
  const MbSensitivityWeights first = {.to = &steps, .wanted = is_last, .weigh = weigh_first};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(at.model, &number, 1, &run, report), report);
  cr_expect(!mb_sensitivity_no_way_back(run));
  const MbStatus status = mb_sensitivity_backward(run, steps, 1u << 24, &first, back, NULL, report);
  mb_sensitivity_free(run);
  test_run_free(&at), test_run_free(&less), test_run_free(&more);
  return status;
}

MbReport gradient_warned(const GradientCase *c, double little, int64_t steps, bool back) {
  TestRun at = gradient_moved(c, 0), less = gradient_moved(c, -little), more = gradient_moved(c, little);
  const MbSensitivityNumber number = {c->name, less.model, more.model, little * c->value};
  const MbSensitivityWeights first = {.to = &steps, .wanted = is_last, .weigh = weigh_first};
  MbReport report = {0}, warned = {0};
  MbSensitivity *run = NULL;
  double slope = 0;
  test_ok(mb_sensitivity_create(at.model, &number, 1, &run, &report), &report);
  if (back) test_ok(mb_sensitivity_backward(run, steps, 1u << 24, &first, &slope, NULL, &warned), &warned);
  for (int64_t k = 0; k < steps && !back; k++) test_ok(mb_sensitivity_step(run, &warned), &warned);
  mb_sensitivity_free(run);
  test_run_free(&at), test_run_free(&less), test_run_free(&more);
  return warned;
}

void gradient_sled(char text[GRADIENT_SLED], double limit) {
  snprintf(text, GRADIENT_SLED,
           "/bodies=[{\"name\":\"sled\",\"mass\":1,\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"joint\":"
           "{\"type\":\"prismatic\",\"axis\":[-1,0,0],\"velocity\":1,\"limits\":[-1,%.17g]}}]",
           limit);
}

// Backwards the same comes out, of channels that go back.
static void check_back(const GradientCase *c, TestRun *at, const MbSensitivity *run,
                       const MbSensitivityNumber *number, const double *slope) {
  static const double CLOSE = 1e-8; // of what is summed up: differences of rows
  const End end = {mb_model_steps(at->model), mb_sim_frame_size(at->sim), run};
  double back = 0, sum = 0, sizes = 1e-3;
  go_back(at, number, 1, &back, NULL);
  for (size_t i = 0; i < end.size; i++)
    sum += weight_of(&end, i) * slope[i], sizes += fabs(weight_of(&end, i) * slope[i]);
  cr_expect_lt(fabs(back - sum), CLOSE * sizes, "%s %s by %s: %.12g back, %.12g along", c->way->integrator,
               c->material ? c->material : c->scene, c->name, back, sum);
}

double gradient_check_meets(const char *scene, const char *material, const GradientWay *way, double move) {
  static const double CLOSE = 1e-6; // of what is summed up
  double worst = 0;
  TestRun run = variant(scene, way, material, NULL, 0);
  const MbSceneSpec *spec = &run.scene->spec;
  for (size_t k = 0; k < spec->nparameters; k++) {
    const GradientCase c = {scene, material, way, spec->parameters[k].name, spec->parameters[k].value, move};
    const double little = mb_sensitivity_little(run.model);
    TestRun less = gradient_moved(&c, -little), more = gradient_moved(&c, little);
    const MbSensitivityNumber number = {c.name, less.model, more.model, little};
    double wanted[MOST], unsure[MOST], weights[MOST], back = 0, sum = 0, sizes = 1e-3, doubt = 0;
    gradient_by_differences(&c, wanted, unsure);
    go_back(&run, &number, 1, &back, weights);
    for (size_t i = 0; i < mb_sim_frame_size(run.sim); i++) {
      sum += weights[i] * wanted[i], sizes += fabs(weights[i] * wanted[i]);
      doubt += fabs(weights[i]) * unsure[i];
    }
    worst = fmax(worst, (fabs(back - sum) - doubt) / sizes);
    cr_expect_lt(fabs(back - sum), CLOSE * sizes + doubt, "%s %s %s by %s: %.12g back, %.12g by whole runs",
                 way->integrator, scene, material ? material : "", c.name, back, sum);
    test_run_free(&less), test_run_free(&more);
  }
  test_run_free(&run);
  return worst;
}

// What channels that go back make of the end, of derivatives of it; *sizes and *doubt: of what is summed up.
static double sum_of(const End *end, const double *slope, const double *unsure, double *sizes,
                     double *doubt) {
  double sum = 0;
  *sizes = 1e-3, *doubt = 0;
  for (size_t i = 0; i < end->size; i++) {
    const double weight = weight_of(end, i);
    sum += weight * slope[i], *sizes += fabs(weight * slope[i]), *doubt += fabs(weight) * unsure[i];
  }
  return sum;
}

void gradient_check_nodes(const char *scene, const char *material, const GradientWay *way, double move,
                          double worst[2]) {
  static const double CLOSE[2] = {1e-6, 1e-7}; // of what is summed up: along by single steps, of whole runs
  TestRun run = variant(scene, way, material, NULL, 0);
  const MbSceneSpec *spec = &run.scene->spec;
  for (size_t k = 0; k < spec->nparameters; k++) {
    const GradientCase c = {scene, material, way, spec->parameters[k].name, spec->parameters[k].value, move};
    const double little = mb_sensitivity_little(run.model);
    TestRun less = gradient_moved(&c, -little), more = gradient_moved(&c, little), at = gradient_moved(&c, 0);
    const MbSensitivityNumber number = {c.name, less.model, more.model, little};
    double frame[MOST], slope[2][MOST], unsure[2][MOST] = {{0}}, back = 0, sizes, doubt;
    MbReport report = {0};
    MbSensitivity *told = NULL;
    gradient_by_derivatives(&c, &at, frame, slope[0], &report);
    gradient_by_differences(&c, slope[1], unsure[1]);
    test_ok(mb_sensitivity_create(run.model, &number, 1, &told, &report), &report);
    cr_expect(mb_sensitivity_of_nodes(told) && !mb_sensitivity_no_way_back(told));
    const End end = {mb_model_steps(run.model), mb_sim_frame_size(run.sim), told};
    go_back(&run, &number, 1, &back, NULL);
    for (int i = 0; i < 2; i++) {
      const double sum = sum_of(&end, slope[i], unsure[i], &sizes, &doubt);
      const double off = fmax(fabs(back - sum) - doubt, 0) / sizes;
      worst[i] = fmax(worst[i], off);
      cr_expect_lt(off, CLOSE[i], "%s %s by %s: %.12g back, %.12g %s", scene, material ? material : "",
                   c.name, back, sum, i ? "by whole runs" : "along");
    }
    mb_sensitivity_free(told);
    test_run_free(&less), test_run_free(&more), test_run_free(&at);
  }
  test_run_free(&run);
}

void gradient_by_derivatives(const GradientCase *c, TestRun *at, double *frame, double *slope,
                             MbReport *warned) {
  MbReport report = {0};
  const double little = mb_sensitivity_little(at->model);
  TestRun less = gradient_moved(c, -little), more = gradient_moved(c, little);
  const MbSensitivityNumber number = {c->name, less.model, more.model, little};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(at->model, &number, 1, &run, &report), &report);
  cr_assert_leq(mb_sim_frame_size(at->sim), MOST);
  cr_expect_eq(mb_sensitivity_by_steps(run) == NULL, c->way->exact, "%s %s", c->way->solver,
               c->way->integrator);
  for (int64_t k = 0; k < mb_model_steps(at->model); k++) test_ok(mb_sensitivity_step(run, warned), warned);
  test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
  if (c->way->exact) check_back(c, at, run, &number, slope);
  mb_sensitivity_free(run);
  test_run_free(&less), test_run_free(&more);
}

size_t gradient_check_ways(const char *scene, const GradientWay *way, double *worst) {
  static const double CLOSE = 2e-6; // of what is summed up
  size_t warnings = 0;
  TestRun run = variant(scene, way, NULL, NULL, 0);
  const MbSceneSpec *spec = &run.scene->spec;
  for (size_t k = 0; k < spec->nparameters; k++) {
    const GradientCase c = {scene, NULL, way, spec->parameters[k].name, spec->parameters[k].value, 0};
    const double little = mb_sensitivity_little(run.model);
    TestRun at = gradient_moved(&c, 0), less = gradient_moved(&c, -little), more = gradient_moved(&c, little);
    const MbSensitivityNumber number = {c.name, less.model, more.model, little};
    double frame[MOST], slope[MOST], weights[MOST], back, sum = 0, sizes = 1e-3;
    MbReport report = {0};
    gradient_by_derivatives(&c, &at, frame, slope, &report);
    warnings += (size_t)report.warnings;
    go_back(&run, &number, 1, &back, weights);
    for (size_t i = 0; i < mb_sim_frame_size(run.sim); i++)
      sum += weights[i] * slope[i], sizes += fabs(weights[i] * slope[i]);
    *worst = fmax(*worst, fabs(back - sum) / sizes);
    cr_expect_lt(fabs(back - sum), CLOSE * sizes, "%s by %s: %.12g back, %.12g along", scene, c.name, back,
                 sum);
    test_run_free(&at), test_run_free(&less), test_run_free(&more);
  }
  test_run_free(&run);
  return warnings;
}

// How far derivatives by shares of a number are off, of the largest of their channel.
static double check(const GradientCase *c, size_t *warnings) {
  MbReport report = {0};
  static const double LEAST = 1e-3; // of less than that differences are not sure
  double frame[MOST], slope[MOST], wanted[MOST], unsure[MOST], off = 0;
  TestRun at = gradient_moved(c, 0);
  gradient_by_derivatives(c, &at, frame, slope, &report);
  *warnings += (size_t)report.warnings;
  gradient_by_differences(c, wanted, unsure);
  size_t channels = 0;
  const MbChannel *channel = mb_sim_channels(at.sim, &channels);
  for (size_t k = 0; k < channels; k++) {
    double most = LEAST, apart = 0;
    const size_t first = channel[k].offset, end = first + channel[k].items * channel[k].width;
    for (size_t i = first; i < end; i++) most = fmax(most, fmax(fabs(wanted[i]), LEAST * fabs(frame[i])));
    for (size_t i = first; i < end; i++) apart = fmax(apart, fabs(slope[i] - wanted[i]) - unsure[i]);
    off = fmax(off, apart / most);
  }
  test_run_free(&at);
  return off;
}

size_t gradient_check_scene(const char *scene, const char *material, const GradientWay *way, double move,
                            double *worst) {
  size_t warnings = 0;
  TestRun run = variant(scene, way, material, NULL, 0);
  const MbSceneSpec *spec = &run.scene->spec;
  for (size_t k = 0; k < spec->nparameters; k++) {
    const GradientCase c = {scene, material, way, spec->parameters[k].name, spec->parameters[k].value, move};
    const double off = check(&c, &warnings);
    *worst = fmax(*worst, off);
    cr_expect_lt(off, way->exact ? 2e-7 : 2e-6, "%s, %s, %s %s by %s: %g", way->solver, way->integrator,
                 scene, material ? material : "", c.name, off);
  }
  test_run_free(&run);
  return warnings;
}

void gradient_check_together(const char *scene, const char *material, const GradientWay *way) {
  enum { NUMBERS = 8 };
  TestRun run = variant(scene, way, material, NULL, 0), less[NUMBERS], more[NUMBERS];
  const MbSceneSpec *spec = &run.scene->spec;
  MbSensitivityNumber numbers[NUMBERS];
  const size_t count = spec->nparameters;
  const double little = mb_sensitivity_little(run.model);
  double together[NUMBERS], alone;
  cr_assert_leq(count, NUMBERS);
  for (size_t k = 0; k < count; k++) {
    const GradientCase c = {scene, material, way, spec->parameters[k].name, spec->parameters[k].value, 0};
    less[k] = gradient_moved(&c, -little), more[k] = gradient_moved(&c, little);
    numbers[k] = (MbSensitivityNumber){c.name, less[k].model, more[k].model, little};
  }
  go_back(&run, numbers, count, together, NULL);
  for (size_t k = 0; k < count; k++) {
    go_back(&run, &numbers[k], 1, &alone, NULL);
    cr_expect_lt(fabs(together[k] - alone), 1e-8 * fmax(fabs(alone), 1e-3),
                 "%s %s by %s: %.12g with others, %.12g alone", way->integrator, material, numbers[k].name,
                 together[k], alone);
  }
  for (size_t k = 0; k < count; k++) test_run_free(&less[k]), test_run_free(&more[k]);
  test_run_free(&run);
}
