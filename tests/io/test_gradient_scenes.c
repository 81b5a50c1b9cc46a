// Derivatives of runs of scenes in tests/gradient against differences of whole runs, by every parameter of theirs: of deformables of every material,
// where nodes are bodies, exact and by single steps, and under solver projective; of balls that touch.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What moves the deformables, and whether derivatives are exact.
typedef struct Way {
  const char *solver, *integrator;
  bool exact;
} Way;
static const Way ways[] = {{"\"redmax\"", "bdf1", true},
                           {"\"redmax\"", "bdf2", true},
                           {"\"redmax\"", "sdirk2", true},
                           {"\"redmax\"", "implicit", false},
                           {"\"maximal\"", "implicit", false},
                           {"\"redmax\"", "trapezoidal", false},
                           {"{\"type\":\"projective\",\"method\":\"newton\"}", "implicit", false}};
enum { WAYS = sizeof ways / sizeof *ways };
static const double MOVE = 1e-3;

// A scene of a way, of a material, or with what a text that begins with / sets, with the number moved by a share of itself.
static TestRun variant(const char *scene, const Way *way, const char *material, const char *name,
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

// A number of a scene, and how it is run.
typedef struct Case {
  const char *scene, *material; // NULL: the scene's own
  const Way *way;
  const char *name;
  double value, move; // of the number, of itself, between whole runs
} Case;

static TestRun moved(const Case *c, double share) {
  return variant(c->scene, c->way, c->material, c->name, c->value * (1 + share));
}

// What the end of a run changes by, by differences of fourth order of whole runs; unsure ← some of how far these are from those of second
// order.
static void by_differences(const Case *c, double *wanted, double *unsure) {
  static const double LEFT = 1e-3; // what fourth order leaves is smaller by the square of the move
  double at[4][MOST];
  size_t size = 0;
  for (int i = 0; i < 4; i++) {
    TestRun run = moved(c, (i < 2 ? i - 2 : i - 1) * c->move);
    size = end_of(&run, at[i]);
  }
  for (size_t i = 0; i < size; i++) {
    const double second = (at[2][i] - at[1][i]) / (2 * c->move);
    wanted[i] = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * c->move);
    unsure[i] = LEFT * fabs(wanted[i] - second);
  }
}

// What the end is weighed by, for a derivative backwards.
typedef struct End {
  int64_t step;
  size_t size;
} End;
static double weight_of(size_t i) { return sin(1.0 + 2.0 * (double)i); }
static bool wanted_at(void *to, int64_t step, double t) {
  (void)t;
  return step == ((const End *)to)->step;
}
static void weigh_end(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)t, (void)frame;
  for (size_t i = 0; i < ((const End *)to)->size; i++) weights[i] = weight_of(i);
}

// Backwards the same comes out, of channels that go back.
static void check_back(const Case *c, TestRun *at, const MbSensitivityNumber *number, const double *slope) {
  static const double CLOSE = 1e-8; // of what is summed up: differences of rows
  MbReport report = {0};
  MbSensitivity *run = NULL;
  End end = {mb_model_steps(at->model), mb_sim_frame_size(at->sim)};
  const MbSensitivityWeights weights = {.to = &end, .wanted = wanted_at, .weigh = weigh_end};
  double back = 0, sum = 0, sizes = 1e-3;
  test_ok(mb_sensitivity_create(at->model, number, 1, &run, &report), &report);
  test_ok(mb_sensitivity_backward(run, end.step, 1 << 24, &weights, &back, NULL, &report), &report);
  for (size_t i = 0; i < end.size; i++)
    sum += weight_of(i) * slope[i], sizes += fabs(weight_of(i) * slope[i]);
  cr_expect_lt(fabs(back - sum), CLOSE * sizes, "%s %s by %s: %.12g back, %.12g along", c->way->integrator,
               c->material ? c->material : c->scene, c->name, back, sum);
  mb_sensitivity_free(run);
}

// What the end of a run changes by, by derivatives.
static void by_derivatives(const Case *c, TestRun *at, double *frame, double *slope) {
  MbReport report = {0};
  const double little = mb_sensitivity_little(at->model);
  TestRun less = moved(c, -little), more = moved(c, little);
  const MbSensitivityNumber number = {c->name, less.model, more.model, little};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(at->model, &number, 1, &run, &report), &report);
  cr_assert_leq(mb_sim_frame_size(at->sim), MOST);
  cr_expect_eq(mb_sensitivity_by_steps(run) == NULL, c->way->exact, "%s %s", c->way->solver,
               c->way->integrator);
  for (int64_t k = 0; k < mb_model_steps(at->model); k++) test_ok(mb_sensitivity_step(run, &report), &report);
  test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
  mb_sensitivity_free(run);
  if (c->way->exact && !at->model->ndeformables) check_back(c, at, &number, slope);
  test_run_free(&less), test_run_free(&more);
}

// How far derivatives by shares of a number are off, of the largest of their channel.
static double check(const Case *c) {
  static const double LEAST = 1e-3; // of less than that differences are not sure
  double frame[MOST], slope[MOST], wanted[MOST], unsure[MOST], off = 0;
  TestRun at = moved(c, 0);
  by_derivatives(c, &at, frame, slope);
  by_differences(c, wanted, unsure);
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

// By every parameter of a scene.
static void check_scene(const char *scene, const char *material, const Way *way, double move, double *worst) {
  TestRun run = variant(scene, way, material, NULL, 0);
  const MbSceneSpec *spec = &run.scene->spec;
  for (size_t k = 0; k < spec->nparameters; k++) {
    const Case c = {scene, material, way, spec->parameters[k].name, spec->parameters[k].value, move};
    const double off = check(&c);
    *worst = fmax(*worst, off);
    cr_expect_lt(off, way->exact ? 1e-7 : 1e-6, "%s, %s, %s %s by %s: %g", way->solver, way->integrator,
                 scene, material ? material : "", c.name, off);
  }
  test_run_free(&run);
}

static void tell(const char *what, const double worst[WAYS]) {
  printf("largest error, of the largest derivative: %s", what);
  for (size_t w = 0; w < WAYS; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

static void check_ways(const char *scene) {
  double worst[WAYS] = {0};
  for (size_t w = 0; w < WAYS; w++) check_scene(scene, NULL, &ways[w], MOVE, &worst[w]);
  tell(scene, worst);
}

Test(gradient_deformables, derivatives_by_every_number_of_every_material_are_those_of_whole_runs, TEST_LONG) {
  for (size_t m = 0; mb_elastic_words[m]; m++) {
    double worst[WAYS] = {0};
    for (size_t w = 0; w < WAYS; w++) check_scene("beam", mb_elastic_words[m], &ways[w], MOVE, &worst[w]);
    tell(mb_elastic_words[m], worst);
  }
}

Test(gradient_deformables, derivatives_by_numbers_of_bodies_that_carry_deformables_are_those_of_whole_runs,
     TEST_LONG) {
  check_ways("hand");
}
Test(gradient_deformables, derivatives_by_fibres_and_wind_are_those_of_whole_runs) { check_ways("muscle"); }
Test(gradient_deformables, derivatives_by_numbers_of_cloth_that_bends_are_those_of_whole_runs, TEST_LONG) {
  check_ways("cloth");
}
Test(gradient_deformables, derivatives_by_pressure_inside_are_those_of_whole_runs) { check_ways("balloon"); }

static void refused(const char *solver, const char *set, const char *why) {
  char chosen[200];
  snprintf(chosen, sizeof chosen, "/solver=%s", solver);
  const char *const sets[] = {chosen, set, NULL};
  char *text = test_text_of("tests/gradient/beam.json");
  TestRun run = test_run(text, sets);
  free(text);
  const MbSensitivityNumber number = {"p", run.model, run.model, 1};
  MbSensitivity *gradient = NULL;
  MbReport report = {0};
  cr_expect_eq(mb_sensitivity_create(run.model, &number, 1, &gradient, &report), MB_SCENE);
  cr_expect_not_null(strstr(report.issues[0].text, why), "%s", report.issues[0].text);
  mb_sensitivity_free(gradient);
  test_run_free(&run);
}

Test(gradient_deformables, steps_that_are_not_solved_to_their_end_have_no_derivative) {
  refused("\"projective\"", NULL, "solved to its end");
  refused("{\"type\":\"projective\",\"method\":\"newton\",\"tolerance\":1e-6}", NULL, "solved to its end");
  refused("{\"type\":\"projective\",\"method\":\"newton\"}", "/output/channels=[\"solver\"]",
          "output has others");
}

// Where contacts begin, end, and come to slide are kinks of the run: whole runs on both sides have to lie near.
Test(gradient_contact, derivatives_of_balls_that_touch_are_those_of_whole_runs) {
  static const double NEAR = 1e-6;
  static const char *const touching[] = {"rolling", "colliding", "foot"};
  static const Way steps[] = {{"\"redmax\"", "symplectic", false}, {"\"redmax\"", "implicit", false}};
  for (size_t i = 0; i < sizeof touching / sizeof *touching; i++) {
    double worst[2] = {0};
    for (size_t w = 0; w < 2; w++) check_scene(touching[i], NULL, &steps[w], NEAR, &worst[w]);
    printf("largest error, of the largest derivative: %s  %.1e  %.1e\n", touching[i], worst[0], worst[1]);
  }
}

static void refused_contact(const char *set, const char *why) {
  const char *const sets[] = {"/integrator=\"symplectic\"", set, NULL};
  char *text = test_text_of("tests/gradient/rolling.json");
  TestRun run = test_run(text, sets);
  free(text);
  const char *told = mb_sensitivity_refuses(run.model);
  cr_expect(told && strstr(told, why), "%s: %s", set, told);
  test_run_free(&run);
}

Test(gradient_contact, contacts_that_differences_do_not_follow_are_refused_by_name) {
  refused_contact("/bodies/1/shape={\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}",
                  "spheres and planes alone");
  refused_contact("/bodies/1/shape/restitution=0.5", "restitution");
  refused_contact("/contact={\"compliance\": 1e-5}", "compliance");
  refused_contact("/contact={}", "1e-12");
}

#define TIPS "\"between\":[{\"body\":\"a3\",\"at\":[0.15,0,0]},{\"body\":\"b3\",\"at\":[0.15,0,0]}]"
#define FRAMES                                                                                               \
  "\"between\":[{\"body\":\"a3\",\"frame\":{\"position\":[0.15,0,0]}},{\"body\":\"b3\",\"frame\":{"          \
  "\"position\":"                                                                                            \
  "[0.15,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle\":\"=-pi/2\"}}}]"
#define CONSTRAINT(text) "/constraints=[{" text "}]"
#define CLOSURE(joint)   CONSTRAINT("\"joint\":" joint "," FRAMES)

Test(gradient_constraints, derivatives_of_what_rolls_and_of_what_is_driven_are_those_of_whole_runs) {
  static const char *const names[] = {"rolls", "driven"};
  static const Way exact[] = {
      {"\"redmax\"", "bdf1", true}, {"\"redmax\"", "bdf2", true}, {"\"redmax\"", "sdirk2", true}};
  for (size_t i = 0; i < 2; i++) {
    double worst[3] = {0};
    for (size_t k = 0; k < 3; k++) check_scene(names[i], NULL, &exact[k], MOVE, &worst[k]);
    printf("largest error, of the largest derivative: %s  %.1e  %.1e  %.1e\n", names[i], worst[0], worst[1],
           worst[2]);
  }
}

Test(gradient_constraints, derivatives_of_every_kind_of_constraint_are_those_of_whole_runs, TEST_LONG) {
  static const char *const kinds[] = {
      CONSTRAINT("\"type\":\"point\"," TIPS),
      CONSTRAINT("\"type\":\"point\",\"compliance\":\"=number*1e-3\",\"damping\":0.02," TIPS),
      CONSTRAINT("\"type\":\"distance\",\"between\":[{\"body\":\"a3\"},{\"body\":\"b3\"}]"),
      CONSTRAINT("\"type\":\"point_on_line\",\"axis\":[\"=number\",1,0.2]," TIPS),
      CONSTRAINT("\"type\":\"point_on_plane\",\"normal\":[\"=number\",0.2,1]," TIPS),
      CONSTRAINT("\"type\":\"velocity_ratio\",\"bodies\":[\"a3\",\"b3\"],\"axes\":[[1,0,0],[0.2,0,1]],"
                 "\"ratio\":\"=number\""),
      CLOSURE("\"fixed\""),
      CLOSURE("\"revolute\""),
      CLOSURE("\"prismatic\""),
      CLOSURE("\"cylindrical\""),
      CLOSURE("{\"type\":\"screw\",\"pitch\":\"=number\"}"),
      CLOSURE("\"universal\""),
      CLOSURE("\"planar\"")};
  static const char *const integrators[] = {"bdf1",     "bdf2",        "sdirk2",        "symplectic",
                                            "implicit", "trapezoidal", "bridson_marino"};
  enum { INTEGRATORS = sizeof integrators / sizeof *integrators };
  double worst[INTEGRATORS] = {0};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t k = 0; k < INTEGRATORS; k++) {
      const Way way = {"\"redmax\"", integrators[k], k < 3};
      check_scene("chains", kinds[i], &way, MOVE, &worst[k]);
    }
  printf("largest error, of the largest derivative: constraints");
  for (size_t k = 0; k < INTEGRATORS; k++) printf("  %.1e", worst[k]);
  printf("\n");
}
