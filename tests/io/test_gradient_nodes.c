// Derivatives back through steps of deformables under solver projective, by every number of their materials, of what acts on them and of what holds
// them, beside derivatives along the run and differences of whole runs.
#include "core/base/alloc.h"
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const GradientWay newton = {"{\"type\":\"projective\",\"method\":\"newton\"}", "implicit", false};
static const double MOVE = 1e-3;

static void check(const char *scene, const char *set) {
  double worst[2] = {0};
  gradient_check_nodes(scene, set, &newton, MOVE, worst);
  printf("largest error back, of what is summed up: %s %s  %.1e along  %.1e by whole runs\n", scene,
         set ? set : "", worst[0], worst[1]);
}

Test(gradient_nodes, every_material_has_a_way_back, TEST_LONG) {
  for (size_t m = 0; mb_elastic_words[m]; m++) check("beam", mb_elastic_words[m]);
}

Test(gradient_nodes, bending_and_its_damping_have_a_way_back, TEST_LONG) {
  check("cloth", NULL);
  check("rods", NULL);
}

Test(gradient_nodes, fibres_wind_pressure_and_gas_have_a_way_back, TEST_LONG) {
  check("muscle", NULL);
  check("balloon", NULL);
  check("balloon", "/deformables/0/gas={\"pressure\":\"=1e4+pressure\",\"outside\":10000}");
}

Test(gradient_nodes, pins_that_move_cables_springs_and_what_stands_still_have_a_way_back, TEST_LONG) {
  check("held", NULL);
}

Test(gradient_nodes, bodies_that_move_beside_have_a_way_back, TEST_LONG) { check("jaw", NULL); }

// What bodies and nodes push one another with: attachments to what moves and to means of other nodes, soft distances, ropes.
Test(gradient_nodes, rows_between_bodies_and_nodes_have_a_way_back, TEST_LONG) {
  check("hand", NULL);
  check("hand", "/constraints=[{\"type\":\"distance\",\"between\":[{\"body\":\"arm\",\"at\":[0.2,0.02,0.1]},"
                "{\"node\":\"hand\",\"index\":9}],\"compliance\":1e-4,\"damping\":0.01}]");
  check("hand",
        "/constraints=[{\"type\":\"distance\",\"between\":[{\"body\":\"world\",\"at\":[0.2,0.02,0.3]},"
        "{\"node\":\"hand\",\"index\":10}],\"length\":\"=reach\",\"rope\":true}]");
  check("curtain", NULL);
}

Test(gradient_nodes, tables_of_loads_are_gathered) {
  check("muscle", "/deformables/0/material/fibres/0/activation={\"times\":[0,0.041,0.12],\"values\":[0.1,"
                  "\"=along\",\"=2*along\"],\"interpolation\":\"cubic\"}");
  check("muscle", "/deformables/0/wind/velocity/0={\"times\":[0,0.041,0.12],\"values\":[0,\"=gust\","
                  "\"=-gust\"]}");
  check("balloon", "/deformables/0/pressure={\"times\":[0,0.043,0.12],\"values\":[0,\"=pressure\","
                   "\"=0.5*pressure\"]}");
}

// ---- all frames, and little memory --------------------------------------------------------------------------------

typedef struct Frames {
  size_t size;
} Frames;

static double weight_at(size_t i, int64_t step) { return cos(0.3 * (double)i + 0.7 * (double)step); }

static bool every(void *to, int64_t step, double t) {
  (void)to, (void)step, (void)t;
  return true;
}

static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)t, (void)frame;
  for (size_t i = 0; i < ((const Frames *)to)->size; i++) weights[i] = weight_at(i, step);
}

// What weighed frames of a whole run change by, along with it; *sizes: of what is summed up.
static double along(const TestRun *at, const MbSensitivityNumber *number, double *sizes) {
  MbReport report = {0};
  MbSensitivity *run = NULL;
  const size_t size = mb_sim_frame_size(at->sim);
  double *frame = calloc(size, sizeof *frame), *slope = calloc(size, sizeof *slope), sum = 0;
  test_ok(mb_sensitivity_create(at->model, number, 1, &run, &report), &report);
  *sizes = 0;
  for (int64_t step = 0; step <= mb_model_steps(at->model); step++) {
    if (step) test_ok(mb_sensitivity_step(run, &report), &report);
    test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
    for (size_t i = 0; i < size; i++)
      sum += weight_at(i, step) * slope[i], *sizes += fabs(weight_at(i, step) * slope[i]);
  }
  mb_sensitivity_free(run);
  free(frame), free(slope);
  return sum;
}

static double back(const TestRun *at, const MbSensitivityNumber *number, size_t memory, int64_t *stepped) {
  MbReport report = {0};
  MbSensitivity *run = NULL;
  Frames frames = {mb_sim_frame_size(at->sim)};
  const MbSensitivityWeights weights = {.to = &frames, .wanted = every, .weigh = weigh};
  double slope = NAN;
  test_ok(mb_sensitivity_create(at->model, number, 1, &run, &report), &report);
  test_ok(mb_sensitivity_backward(run, mb_model_steps(at->model),
                                  memory ? memory : mb_sensitivity_least_memory(run) / 4, &weights, &slope,
                                  stepped, &report),
          &report);
  mb_sensitivity_free(run);
  return slope;
}

// Other methods that go to the end of each step come to the same, and have the same derivatives; those that do not have none.
Test(gradient_nodes, methods_that_come_to_their_end_have_the_same_way_back, TEST_LONG) {
  static const char *const solvers[] = {
      "{\"type\":\"projective\",\"method\":\"lbfgs\",\"tolerance\":1e-13,\"iterations\":2000}",
      "{\"type\":\"projective\",\"method\":\"projective\",\"tolerance\":1e-12,\"iterations\":5000}"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    const GradientWay way = {solvers[k], "implicit", false};
    double worst[2] = {0};
    gradient_check_nodes("jaw", NULL, &way, MOVE, worst);
    // with rows quasi-Newton steps leave 1e-10 of the size, which differences of whole runs see
    if (k) gradient_check_nodes("hand", NULL, &way, MOVE, worst);
    printf("largest error back, of what is summed up: %s  %.1e along  %.1e by whole runs\n", solvers[k],
           worst[0], worst[1]);
  }
}

// Why derivatives of a run by a solver are not there, or end.
static void refuses(const char *solver, const char *wanted) {
  const GradientWay way = {solver, "implicit", false};
  TestRun at = gradient_moved(&(GradientCase){.scene = "hand", .way = &way}, 0);
  const MbSensitivityNumber number = {"p", at.model, at.model, 1};
  MbSensitivity *run = NULL;
  MbReport report = {0};
  if (mb_sensitivity_create(at.model, &number, 1, &run, &report) == MB_OK)
    for (int k = 0; k < 3 && !report.errors; k++) (void)mb_sensitivity_step(run, &report);
  cr_expect(report.errors && strstr(report.issues[report.kept - 1].text, wanted), "%s: %s", solver,
            report.kept ? report.issues[report.kept - 1].text : "none");
  mb_sensitivity_free(run);
  test_run_free(&at);
}

Test(gradient_nodes, methods_that_do_not_come_to_their_end_are_refused) {
  refuses("{\"type\":\"projective\",\"method\":\"lbfgs\"}", "a \"tolerance\" of 1e-10 or less");
  refuses("{\"type\":\"projective\",\"method\":\"lbfgs\",\"tolerance\":1e-8}", "a \"tolerance\" of 1e-10");
  refuses("{\"type\":\"projective\",\"method\":\"projective\",\"tolerance\":1e-10,\"iterations\":4}",
          "iterations");
}

// All frames of a scene, by one of its parameters.
static void check_frames(const char *scene, const char *name) {
  TestRun at = gradient_moved(&(GradientCase){.scene = scene, .way = &newton}, 0);
  const double little = mb_sensitivity_little(at.model);
  double value = 0;
  for (size_t k = 0; k < at.scene->spec.nparameters; k++)
    if (!strcmp(at.scene->spec.parameters[k].name, name)) value = at.scene->spec.parameters[k].value;
  const GradientCase c = {scene, NULL, &newton, name, value, MOVE};
  TestRun less = gradient_moved(&c, -little), more = gradient_moved(&c, little);
  const MbSensitivityNumber number = {c.name, less.model, more.model, little};
  int64_t once = 0, again = 0;
  double sizes;
  const double wanted = along(&at, &number, &sizes), all = back(&at, &number, 1 << 24, &once);
  const double kept = back(&at, &number, 0, &again);
  cr_expect_lt(fabs(all - wanted), 1e-7 * sizes, "%s %s: %.12g back, %.12g along", scene, c.name, all,
               wanted);
  cr_expect_eq(all, kept, "%s %s: %.17g and %.17g", scene, c.name, all, kept);
  cr_expect_eq(once, mb_model_steps(at.model));
  cr_expect_gt(again, once);
  test_run_free(&less), test_run_free(&more), test_run_free(&at);
}

Test(gradient_nodes, all_frames_go_back_and_little_memory_changes_nothing) {
  static const char *const cases[][2] = {
      {"held", "turn"}, {"held", "mass"}, {"jaw", "length"}, {"soft_arm", "motor"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_frames(cases[k][0], cases[k][1]);
}

Test(gradient_nodes, what_else_moves_or_touches_is_left_to_the_way_along) {
  static const struct {
    const char *scene, *set, *why;
  } cases[] = {
      {"held",
       "/forces=[{\"type\":\"spring\",\"between\":[{\"body\":\"world\"},{\"node\":\"block\",\"index\":9}],"
       "\"stiffness\":10}]",
       "and cables hold nodes"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const GradientCase c = {cases[k].scene, cases[k].set, &newton, NULL, 0, 0};
    TestRun at = gradient_moved(&c, 0);
    const MbSensitivityNumber number = {"p", at.model, at.model, 1};
    MbSensitivity *run = NULL;
    MbReport report = {0};
    test_ok(mb_sensitivity_create(at.model, &number, 1, &run, &report), &report);
    const char *why = mb_sensitivity_no_way_back(run);
    cr_expect(why && strstr(why, cases[k].why), "%s: %s", cases[k].scene, why ? why : "none");
    mb_sensitivity_free(run);
    test_run_free(&at);
  }
}
