// Derivatives of runs in which bodies touch, against differences of whole runs. Where contacts begin, end, and come to slide are kinks of the run:
// whole runs on both sides have to lie near.
#include "core/base/alloc.h"
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-6;

static void check_scene(const char *scene) {
  static const GradientWay steps[] = {{"\"redmax\"", "symplectic", false},
                                      {"\"redmax\"", "implicit", false},
                                      {"\"maximal\"", "symplectic", false}};
  double worst[3] = {0};
  for (size_t w = 0; w < 3; w++) gradient_check_scene(scene, NULL, &steps[w], NEAR, &worst[w]);
  printf("largest error, of the largest derivative: %s  %.1e  %.1e  %.1e\n", scene, worst[0], worst[1],
         worst[2]);
}

Test(gradient_contact, derivatives_of_balls_that_touch_are_those_of_whole_runs, TEST_LONG) {
  check_scene("rolling");
  check_scene("colliding");
  check_scene("foot");
}

Test(gradient_contact, derivatives_of_a_box_that_tips_over_its_edge_are_those_of_whole_runs) {
  check_scene("tipping");
}

// The next step begins at the impulses of this one, which change with the number as well.
Test(gradient_contact, derivatives_where_loads_are_not_unique_are_those_of_whole_runs) {
  check_scene("sliding");
}

// A step beside the run's parts what is deep as often as that, and closes the same contacts, however little deep they are.
Test(gradient_contact, derivatives_of_what_is_deep_and_is_parted_are_those_of_whole_runs) {
  check_scene("rod");
}

Test(gradient_contact, derivatives_of_a_leg_that_hops_are_those_of_whole_runs, TEST_LONG) {
  check_scene("hopping");
}

// Back through the run what has touched is told by its equations, step by step.
Test(gradient_contact, derivatives_back_through_contact_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay ways[] = {{"\"redmax\"", "symplectic", false}, {"\"redmax\"", "implicit", false}};
  static const struct {
    const char *scene, *set;
  } cases[] = {{"rolling", NULL},
               {"colliding", NULL},
               {"foot", NULL},
               {"tipping", NULL},
               {"rod", NULL},
               {"hopping", NULL},
               {"rolling", "/contact/compliance=1e-4"},
               {"hopping", "/contact/compliance=2e-5"},
               {"hopping", "/bodies/3/joint/limits=[-0.85,-0.75]"},
               {"hopping", "/bodies/3/joint/frictionloss=\"=c/8\""},
               {"pile", NULL},
               {"flail", NULL},
               {"rod", "/contact/friction=0"},
               {"hopping", "/contact/friction=0"},
               {"bouncing", NULL},
               {"colliding", "/bodies/0/shape/restitution=0.5"},
               {"rod", "/bodies/0/shape/restitution=0.9"},
               {"hopping", "/bodies/0/shape/restitution=0.4"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double worst[2];
    for (size_t w = 0; w < 2; w++)
      worst[w] = gradient_check_meets(cases[k].scene, cases[k].set, &ways[w], NEAR);
    printf("largest error back, of what is summed up: %s %s  %.1e  %.1e\n", cases[k].scene,
           cases[k].set ? cases[k].set : "", worst[0], worst[1]);
  }
}

// What rebounds asks for a share of the velocity it had, and for what forces beside the blow would have made of it: along the run steps beside it take its branch, and back it has equations of its own.
// A brick of uneven moments spins anew behind each blow, and gets the swing of that spin.
Test(gradient_contact, derivatives_of_what_rebounds_are_those_of_whole_runs) {
  double worst;
  gradient_check_scene("bouncing", NULL, &(GradientWay){"\"redmax\"", "symplectic", false}, NEAR, &worst);
  printf("largest error, of the largest derivative: bouncing %.1e; back, of what is summed up: %.1e\n", worst,
         gradient_check_meets("bouncing", NULL, &(GradientWay){"\"redmax\"", "implicit", false}, NEAR));
}

// What slides without friction has a way that it slides, as what rubs has.
Test(gradient_contact, derivatives_back_without_friction_are_those_of_whole_runs) {
  const GradientWay way = {"\"redmax\"", "symplectic", false};
  printf("largest error back, of what is summed up: rod without friction %.1e\n",
         gradient_check_meets("rod", "/contact/friction=0", &way, NEAR));
}

// A box and a pyramid have sides and corners, and tangents that do not turn with what slides.
static void check_cones(const GradientWay *way, const char *scene, const char *rules) {
  printf("largest error back, of what is summed up: %s %s %.1e\n", scene, rules,
         gradient_check_meets(scene, rules, way, NEAR));
}

#define CONE(friction, more) "/contact={\"tolerance\":1e-13,\"friction\":" friction ",\"cone\":" more "}"

Test(gradient_contact, derivatives_back_under_cones_that_are_not_round_are_those_of_whole_runs) {
  const GradientWay way = {"\"redmax\"", "symplectic", false};
  check_cones(&way, "rod", CONE("\"=mu\"", "\"pyramid\""));
  check_cones(&way, "rod", CONE("\"=mu\"", "\"box\""));
}

Test(gradient_contact, so_they_are_of_whatever_touches, TEST_LONG) {
  static const char *const scenes[] = {"rolling", "colliding", "hopping"},
                           *const rules[] = {CONE("\"=mu\"", "\"box\""), CONE("\"=mu\"", "\"pyramid\""),
                                             CONE("\"=mu\"", "\"pyramid\",\"sides\":6"),
                                             CONE("0.3", "\"none\"")};
  const GradientWay way = {"\"redmax\"", "implicit", false};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) check_cones(&way, scenes[i], rules[k]);
}

// Where bodies on joints touch, "maximal" has the joints' coordinates for its state, and goes back as "redmax" does.
Test(gradient_contact, derivatives_back_through_contact_under_maximal_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay ways[] = {{"\"maximal\"", "symplectic", false},
                                     {"\"maximal\"", "implicit", false}};
  static const char *const scenes[] = {"hopping", "flail"};
  for (size_t i = 0; i < 2; i++)
    for (size_t w = 0; w < 2; w++)
      printf("largest error back under maximal, of what is summed up: %s %.1e\n", scenes[i],
             gradient_check_meets(scenes[i], NULL, &ways[w], NEAR));
}

typedef struct End {
  int64_t step;
  size_t size;
} End;

static bool at_end(void *to, int64_t step, double t) {
  (void)t;
  return step == ((const End *)to)->step;
}

static void weigh_all(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)t, (void)frame;
  for (size_t i = 0; i < ((const End *)to)->size; i++) weights[i] = 1 + 0.1 * (double)i;
}

// A scene back by one number; *astray: a step has no way back. Returns how it ended.
static MbStatus go_back(const GradientCase *c, size_t memory, double *back, int64_t *stepped, bool *astray,
                        MbReport *report) {
  MbReport own = {0};
  MbSensitivity *run = NULL;
  TestRun at = gradient_moved(c, 0);
  const double little = mb_sensitivity_little(at.model);
  TestRun less = gradient_moved(c, -little), more = gradient_moved(c, little);
  const MbSensitivityNumber number = {c->name, less.model, more.model, little};
  End end = {mb_model_steps(at.model), mb_sim_frame_size(at.sim)};
  const MbSensitivityWeights weights = {.to = &end, .wanted = at_end, .weigh = weigh_all};
  test_ok(mb_sensitivity_create(at.model, &number, 1, &run, &own), &own);
  cr_expect(mb_sensitivity_meets(run) && !mb_sensitivity_no_way_back(run) && mb_sensitivity_by_steps(run));
  const MbStatus status = mb_sensitivity_backward(run, end.step, memory, &weights, back, stepped, report);
  *astray = mb_sensitivity_astray(run);
  mb_sensitivity_free(run);
  test_run_free(&at), test_run_free(&less), test_run_free(&more);
  return status;
}

static const GradientWay by_symplectic = {"\"redmax\"", "symplectic", false};

enum { TARGETS = 24 };

// A scene with a little less and more of each of its parameters.
typedef struct Moved {
  size_t count;
  TestRun at, less[TARGETS], more[TARGETS];
  MbSensitivityNumber number[TARGETS];
} Moved;

static void make_moved(const char *scene, Moved *moved) {
  const GradientCase none = {scene, NULL, &by_symplectic, NULL, 0, NEAR};
  moved->at = gradient_moved(&none, 0);
  const MbSceneSpec *spec = &moved->at.scene->spec;
  const double little = mb_sensitivity_little(moved->at.model);
  moved->count = spec->nparameters;
  cr_assert_leq(moved->count, TARGETS);
  for (size_t k = 0; k < moved->count; k++) {
    const GradientCase c = {scene, NULL, &by_symplectic, spec->parameters[k].name, spec->parameters[k].value,
                            NEAR};
    moved->less[k] = gradient_moved(&c, -little), moved->more[k] = gradient_moved(&c, little);
    moved->number[k] = (MbSensitivityNumber){c.name, moved->less[k].model, moved->more[k].model, little};
  }
}

// A motor's table is what a hopping robot is steered by: all of its numbers come out at once, as along with the run.
Test(gradient_contact, a_leg_on_motors_has_the_derivatives_by_all_targets_at_once, TEST_LONG) {
  MbReport report = {0};
  MbSensitivity *along = NULL, *run = NULL;
  double frame[64], *slopes = mb_calloc(64 * TARGETS, sizeof *slopes), back[TARGETS], worst = 0;
  Moved *moved = mb_calloc(1, sizeof *moved);
  make_moved("driven_leg", moved);
  End end = {mb_model_steps(moved->at.model), mb_sim_frame_size(moved->at.sim)};
  cr_assert_leq(end.size, 64);
  const MbSensitivityWeights weights = {.to = &end, .wanted = at_end, .weigh = weigh_all};
  test_ok(mb_sensitivity_create(moved->at.model, moved->number, moved->count, &along, &report), &report);
  for (int64_t s = 0; s < end.step; s++) test_ok(mb_sensitivity_step(along, &report), &report);
  test_ok(mb_sensitivity_frame(along, frame, slopes, &report), &report);
  test_ok(mb_sensitivity_create(moved->at.model, moved->number, moved->count, &run, &report), &report);
  test_ok(mb_sensitivity_backward(run, end.step, 1 << 24, &weights, back, NULL, &report), &report);
  for (size_t k = 0; k < moved->count; k++) {
    double sum = 0, sizes = 1e-3;
    for (size_t i = 0; i < end.size; i++) {
      const double one = (1 + 0.1 * (double)i) * slopes[end.size * k + i];
      sum += one, sizes += fabs(one);
    }
    worst = fmax(worst, fabs(back[k] - sum) / sizes);
    cr_expect_lt(fabs(back[k] - sum), NEAR * sizes, "%s: %.12g back, %.12g along", moved->number[k].name,
                 back[k], sum);
  }
  printf("largest difference of %zu derivatives, back and along, of what is summed up: %.1e\n", moved->count,
         worst);
  mb_sensitivity_free(along), mb_sensitivity_free(run);
  for (size_t k = 0; k < moved->count; k++) test_run_free(&moved->less[k]), test_run_free(&moved->more[k]);
  test_run_free(&moved->at);
  mb_free(moved), mb_free(slopes);
}

// With little memory steps are done anew from states that are kept, with what has pushed before them: the same comes out.
Test(gradient_contact, the_way_back_with_little_memory_is_the_same) {
  const GradientCase c = {"rod", NULL, &by_symplectic, "mu", 0.3, NEAR};
  static const size_t memories[] = {(size_t)1 << 24, 30000, 9000};
  double back[3];
  int64_t stepped[3];
  for (size_t k = 0; k < 3; k++) {
    MbReport report = {0};
    bool astray;
    test_ok(go_back(&c, memories[k], &back[k], &stepped[k], &astray, &report), &report);
    cr_expect_float_eq(back[k], back[0], 1e-12 * fabs(back[0]), "%zu bytes: %.15g, %.15g", memories[k],
                       back[k], back[0]);
    cr_expect(k == 0 || stepped[k] > stepped[k - 1], "%lld steps", (long long)stepped[k]);
  }
}

// A box that turns as it slides on four corners has loads that its equations do not tell.
Test(gradient_contact, loads_that_are_not_unique_are_left_to_the_way_along) {
  const GradientCase c = {"sliding", NULL, &by_symplectic, "mu", 0.3, NEAR};
  MbReport report = {0};
  double back;
  bool astray;
  cr_expect_neq(go_back(&c, 1 << 24, &back, NULL, &astray, &report), MB_OK);
  cr_expect(astray && strstr(report.issues[0].text, "loads that are not unique"), "%s",
            report.issues[0].text);
}

// A rod with e = 1 that friction holds back would come off with more energy than it had.
Test(gradient_contact, rebounds_that_are_made_less_are_left_to_the_way_along) {
  const GradientCase c = {"rod", "/bodies/0/shape/restitution=1", &by_symplectic, "mu", 0.3, NEAR};
  MbReport report = {0};
  double back;
  bool astray;
  cr_expect_neq(go_back(&c, 1 << 24, &back, NULL, &astray, &report), MB_OK);
  cr_expect(astray && strstr(report.issues[0].text, "rebound"), "%s", report.issues[0].text);
}

// What contacts would need more memory than is given for.
Test(gradient_contact, the_way_back_takes_no_more_memory_for_contacts_than_is_given) {
  const GradientCase c = {"rod", NULL, &by_symplectic, "mu", 0.3, NEAR};
  MbReport report = {0};
  double back;
  bool astray;
  cr_expect_neq(go_back(&c, 1200, &back, NULL, &astray, &report), MB_OK);
  cr_expect(astray && strstr(report.issues[0].text, "more memory"), "%s", report.issues[0].text);
}

// The same is told back as along.
Test(gradient_contact, a_number_that_lifts_off_what_rests_is_told_on_the_way_back) {
  static const char *const shifted = "/bodies/1/pose/position/2=\"=height - 0.2\"";
  const GradientCase rests = {"tipping", NULL, &by_symplectic, "height", 0.4, NEAR},
                     lifted = {"tipping", shifted, &by_symplectic, "height", 0.4, NEAR};
  const GradientCase *const cases[] = {&rests, &lifted};
  for (size_t k = 0; k < 2; k++) {
    MbReport report = {0};
    double back;
    bool astray;
    test_ok(go_back(cases[k], 1 << 24, &back, NULL, &astray, &report), &report);
    cr_expect_eq(report.warnings, k, "%zu warnings", (size_t)report.warnings);
    cr_expect(k == 0 || strstr(report.issues[0].text, "height"), "%s", report.issues[0].text);
  }
}

// A ball of radius 0.1 that falls freely from a height is lower by g h² k (k + 1)/2 after k steps of tests/gradient/rolling.json. It just does not touch the floor behind the twentieth, or is above it by more.
Test(gradient_contact, a_contact_that_is_about_to_press_is_told_once_on_the_way_back) {
  static const double gaps[] = {1e-9, 1e-4}, fallen = 9.81 * 0.002 * 0.002 * 20 * 21 / 2;
  for (size_t k = 0; k < 2; k++) {
    char start[120];
    MbReport report = {0};
    double back;
    bool astray;
    snprintf(start, sizeof start, "/bodies/1/pose/position/2=\"=%.17g*cos(slope)+0.1+%g\"", fallen, gaps[k]);
    const GradientCase c = {"rolling", start, &by_symplectic, "mu", 0.23, NEAR};
    test_ok(go_back(&c, 1 << 24, &back, NULL, &astray, &report), &report);
    cr_expect_eq(report.warnings, k == 0, "%zu warnings", (size_t)report.warnings);
    cr_expect(k == 1 || strstr(report.issues[0].text, "\"ball\" is about to press"), "%s",
              report.issues[0].text);
  }
}

// The ball of tests/gradient/rolling.json comes down after 45 steps, so fast that it just rebounds or does not, or by a thousandth of it less fast than it would have to.
Test(gradient_contact, a_contact_that_just_rebounds_or_not_is_told_once_on_the_way_back) {
  static const double shares[] = {1 - 1e-9, 1 + 1e-9, 1 + 1e-3};
  for (size_t k = 0; k < 3; k++) {
    char rules[160];
    MbReport report = {0};
    double back;
    bool astray;
    snprintf(rules, sizeof rules,
             "/contact={\"tolerance\":1e-13,\"restitution\":0.5,\"restitution_threshold\":\"=9.81*cos(slope)*"
             "0.002*"
             "45*%.12g\"}",
             shares[k]);
    const GradientCase c = {"rolling", rules, &by_symplectic, "mu", 0.23, NEAR};
    test_ok(go_back(&c, 1 << 24, &back, NULL, &astray, &report), &report);
    // that of what rebounds comes first
    const size_t near = k == 0, rebounds = k == 0;
    cr_expect_eq(report.warnings, rebounds + (k < 2), "%zu: %zu warnings", k, (size_t)report.warnings);
    cr_expect(!rebounds || strstr(report.issues[0].text, "rebound: the derivative is that of the steps"),
              "%s", report.issues[0].text);
    cr_expect(k == 2 || strstr(report.issues[near].text, "to rebound or not"), "%s",
              report.issues[near].text);
  }
}

// As long as the one floor holds, the other one presses neither, wherever the ball has got to.
Test(gradient_contact, contacts_that_others_hold_are_not_told_of) {
  static const char *const starts[] = {NULL,
                                       "/bodies/2/velocity={\"linear\":[4,1,0],\"angular\":[-10,40,0]}"};
  for (size_t k = 0; k < 2; k++) {
    const GradientCase c = {"twice", starts[k], &by_symplectic, "mu", 0.3, NEAR};
    MbReport report = {0};
    double back;
    bool astray;
    test_ok(go_back(&c, 1 << 24, &back, NULL, &astray, &report), &report);
    cr_expect_eq(report.warnings, 0, "%s", report.warnings ? report.issues[0].text : "");
  }
}

// The work of contacts is no number of the state.
static void check_work(const char *scene, const GradientWay *way) {
  const GradientCase c = {scene, "/output/channels=[\"energy\"]", way, "mu", 0.3, NEAR};
  MbReport report = {0};
  TestRun at = gradient_moved(&c, 0), less = gradient_moved(&c, -1e-6), more = gradient_moved(&c, 1e-6);
  const MbSensitivityNumber number = {"mu", less.model, more.model, 1e-6};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(at.model, &number, 1, &run, &report), &report);
  cr_expect_eq(mb_sim_frame_size(at.sim), 6);
  for (size_t i = 0; i < 6; i++) cr_expect_eq(mb_sensitivity_adds_up(run, i), i >= 4, "%s", scene);
  mb_sensitivity_free(run);
  test_run_free(&at), test_run_free(&less), test_run_free(&more);
}

Test(gradient_contact, what_contacts_have_done_has_no_way_back) {
  static const GradientWay newton = {"{\"type\":\"projective\",\"method\":\"newton\",\"tolerance\":1e-12}",
                                     "implicit", false};
  check_work("rod", &by_symplectic);
  check_work("soft_led", &newton);
}

// The run's own decisions are its state's: what a step beside it has been told is no part of them.
Test(gradient_contact, a_run_with_derivatives_beside_is_the_run) {
  static const GradientWay symplectic = {"\"redmax\"", "symplectic", false};
  const GradientCase c = {"rod", NULL, &symplectic, "mu", 0.3, NEAR};
  TestRun run = gradient_moved(&c, 0), alone = gradient_moved(&c, 0);
  MbReport report = {0};
  double frame[64], slope[64], wanted[64];
  const size_t size = mb_sim_frame_size(run.sim);
  cr_assert_leq(size, 64);
  gradient_by_derivatives(&c, &run, frame, slope, &report);
  test_steps(alone.sim, mb_model_steps(alone.model));
  test_ok(mb_sim_sample(alone.sim, wanted, &report), &report);
  cr_expect_arr_eq(frame, wanted, size * sizeof *frame);
  test_run_free(&run), test_run_free(&alone);
}

// A box that stands on the floor is lifted off by its own height, and pressed in by less of it.
Test(gradient_contact, a_number_that_lifts_off_what_rests_is_told) {
  static const GradientWay symplectic = {"\"redmax\"", "symplectic", false};
  static const char *const shifted = "/bodies/1/pose/position/2=\"=height - 0.2\"";
  const GradientCase rests = {"tipping", NULL, &symplectic, "height", 0.4, NEAR},
                     lifted = {"tipping", shifted, &symplectic, "height", 0.4, NEAR};
  const GradientCase *const cases[] = {&rests, &lifted};
  for (size_t k = 0; k < 2; k++) {
    MbReport warned = {0};
    double frame[64], slope[64];
    TestRun run = gradient_moved(cases[k], 0);
    gradient_by_derivatives(cases[k], &run, frame, slope, &warned);
    cr_expect_eq(warned.warnings, k, "%zu warnings", (size_t)warned.warnings);
    cr_expect(k == 0 || strstr(warned.issues[0].text, "contact"), "%s", warned.issues[0].text);
    test_run_free(&run);
  }
}

// The box of tests/gradient/sliding.json, which begins at a height, in a run of one step.
static TestRun box_at(double height) {
  char set[80];
  snprintf(set, sizeof set, "/bodies/1/pose/position/2=%.17g", height);
  const char *const sets[] = {"/time={\"step\": 0.005, \"steps\": 1}", "/integrator=\"symplectic\"", set,
                              NULL};
  char *text = test_text_of("tests/gradient/sliding.json");
  const TestRun run = test_run(text, sets);
  free(text);
  return run;
}

// Where the run closes what touches, or parts what is deep by just more than the slop, so do the steps beside it, which begin above and below:
// the box comes to lie on the floor in all of them. What is deep by just less stays so in all.
Test(gradient_contact, steps_beside_a_run_decide_by_its_depths) {
  enum { HEIGHT = 5 }; // of the box, in a frame
  static const double least = 0.05, slop = 1e-6 * 0.05, move = 1e-9;
  const struct {
    double begin, kept;
  } cases[] = {{least, 0}, {least - 1.001 * slop, 0}, {least - 0.999 * slop, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    MbReport report = {0};
    double frame[64], slope[64];
    TestRun run = box_at(cases[k].begin), less = box_at(cases[k].begin - move),
            more = box_at(cases[k].begin + move);
    const MbSensitivityNumber number = {"height", less.model, more.model, move};
    MbSensitivity *gradient = NULL;
    test_ok(mb_sensitivity_create(run.model, &number, 1, &gradient, &report), &report);
    test_ok(mb_sensitivity_step(gradient, &report), &report);
    test_ok(mb_sensitivity_frame(gradient, frame, slope, &report), &report);
    cr_expect_float_eq(slope[HEIGHT], cases[k].kept, 1e-5, "from %.17g: %g", cases[k].begin, slope[HEIGHT]);
    mb_sensitivity_free(gradient);
    test_run_free(&run), test_run_free(&less), test_run_free(&more);
  }
}

static void refused(const char *set, const char *why) {
  const char *const sets[] = {"/integrator=\"symplectic\"", set, NULL};
  char *text = test_text_of("tests/gradient/rolling.json");
  TestRun run = test_run(text, sets);
  free(text);
  const char *told = mb_sensitivity_refuses(run.model);
  cr_expect(told && strstr(told, why), "%s: %s", set, told);
  test_run_free(&run);
}

Test(gradient_contact, contacts_that_differences_do_not_follow_are_refused_by_name) {
  refused("/contact={}", "1e-12");
}
