// Scenes under solver `projective`: the run's state, its channels, what bodies carry, and what is refused.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD       "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"integrator\": \"implicit\", "
#define PROJECTIVE "\"solver\": {\"type\": \"projective\", \"method\": \"projective\", \"iterations\": 8}, "
#define LBFGS      "\"solver\": {\"type\": \"projective\", \"method\": \"lbfgs\", \"iterations\": 8}, "
#define CLOTH                                                                                                \
  "{\"name\": \"cloth\", \"type\": \"cloth\", \"mesh\": {\"grid\": [6, 6], \"size\": [1, 1], \"pattern\": "  \
  "\"cross\"}, \"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"poisson\": 0.3, \"density\": "   \
  "300, \"thickness\": 1e-3, \"bending\": {\"model\": \"isometric\", \"stiffness\": 1e-4}}, \"pin\": "       \
  "[{\"select\": {\"vertices\": [0, 5]}}]}"
#define BAR(rest)                                                                                            \
  "{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 6], \"size\": [0.2, 0.2, 0.5]}, "      \
  "\"material\": {\"model\": \"corotational\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}" rest    \
  "}"

typedef struct Scene {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
  MbReport report;
} Scene;

// As far as it comes.
static MbStatus open_scene(Scene *s, const char *text, int threads) {
  *s = (Scene){0};
  MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", NULL, &s->scene, &s->report);
  if (status == MB_OK) status = mb_model_create(s->scene, &s->model, &s->report);
  const MbSimOptions options = {.threads = threads};
  if (status == MB_OK) status = mb_sim_create(s->model, &options, &s->sim, &s->report);
  return status;
}

static void close_scene(Scene *s) {
  mb_sim_free(s->sim);
  mb_model_free(s->model);
  mb_scene_free(s->scene);
}

static void start_scene(Scene *s, const char *text) { test_ok(open_scene(s, text, 1), &s->report); }

static void expect_refused(const char *text, MbStatus wanted, const char *what) {
  Scene s;
  MbStatus status = open_scene(&s, text, 1);
  for (int k = 0; k < 40 && status == MB_OK; k++) status = mb_sim_step(s.sim, &s.report);
  cr_expect(status == wanted && strstr(s.report.issues[0].text, what), "status %d: %s %s", status,
            s.report.issues[0].where, s.report.issues[0].text);
  close_scene(&s);
}

// Where the numbers of a channel begin in a frame
static size_t find(const Scene *s, const char *name) {
  size_t count = 0;
  const MbChannel *channels = mb_sim_channels(s->sim, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(channels[i].name, name)) return channels[i].offset;
  cr_assert(false, "no channel %s", name);
  return 0;
}

static double *sample(const Scene *s) {
  double *frame = mb_calloc(mb_sim_frame_size(s->sim), sizeof *frame);
  mb_sim_sample(s->sim, frame, NULL);
  return frame;
}

// ---- state ------------------------------------------------------------------------------------------------

static void check_resume(const char *text) {
  Scene a, b;
  start_scene(&a, text);
  start_scene(&b, text);
  const size_t size = mb_sim_checkpoint_size(a.sim);
  unsigned char *half = mb_calloc(size, 1), *end[2] = {mb_calloc(size, 1), mb_calloc(size, 1)};
  test_steps(a.sim, 15);
  mb_sim_checkpoint(a.sim, half);
  test_steps(a.sim, 15);
  mb_sim_checkpoint(a.sim, end[0]);
  test_steps(b.sim, 3); // whatever it did before
  test_ok(mb_sim_restore(b.sim, half, size, &b.report), &b.report);
  test_steps(b.sim, 15);
  mb_sim_checkpoint(b.sim, end[1]);
  cr_expect(!memcmp(end[0], end[1], size), "the resumed run differs");
  mb_free(half);
  mb_free(end[0]);
  mb_free(end[1]);
  close_scene(&a);
  close_scene(&b);
}

Test(projective_scenes, a_resumed_run_has_the_same_bits) {
  check_resume(HEAD PROJECTIVE "\"deformables\": [" CLOTH
                               ", " BAR(", \"pin\": [{\"select\": {\"side\": \"-z\"}}]") "]}");
  check_resume(HEAD "\"solver\": {\"type\": \"projective\", \"method\": \"newton\"}, \"deformables\": [" CLOTH
                    "]}");
  check_resume(HEAD LBFGS "\"deformables\": [" CLOTH ", " BAR(
      ", \"pin\": [{\"select\": {\"side\": \"-z\"}}], \"cables\": [{\"path\": [{\"side\": \"-x\"}, "
      "{\"side\": "
      "\"+x\"}]}, {\"path\": [{\"side\": \"-y\"}, {\"side\": \"+y\"}], \"pull\": \"=t\"}]") "]}");
  cr_expect(mb_alloc_live() == 0, "%lld blocks left", (long long)mb_alloc_live());
}

static void check_threads(const char *text) {
  double *frame[2];
  for (int k = 0; k < 2; k++) {
    Scene s;
    test_ok(open_scene(&s, text, 1 + 2 * k), &s.report);
    test_steps(s.sim, 20);
    frame[k] = sample(&s);
    if (k) cr_expect(!memcmp(frame[0], frame[1], mb_sim_frame_size(s.sim) * sizeof(double)));
    close_scene(&s);
  }
  mb_free(frame[0]);
  mb_free(frame[1]);
}

Test(projective_scenes, threads_change_no_bit) {
  check_threads(HEAD PROJECTIVE "\"deformables\": [" CLOTH "]}");
  check_threads(HEAD LBFGS "\"deformables\": [" CLOTH "]}");
}

// ---- channels ---------------------------------------------------------------------------------------------

// Runs an example with so many iterations; what it warned of, and how far it says that steps were from their solutions.
static MbReport watched(const char *name, const char *iterations, int64_t steps, double *left) {
  char set[60];
  snprintf(set, sizeof set, "/solver/iterations=%s", iterations);
  const char *const sets[] = {set, "/output={\"channels\": [\"solver\"]}", NULL};
  TestRun run = test_run(name, sets);
  MbReport report = {0};
  double most = 0;
  for (int64_t i = 0; i < steps; i++) {
    test_ok(mb_sim_step(run.sim, &report), &report);
    most = fmax(most, test_channel(run.sim, "solver", NULL)[2]);
  }
  *left = mb_sim_solution_left(run.sim);
  cr_expect_eq(most, *left, "the channel says %g at most, the run %g", most, *left);
  test_run_free(&run);
  return report;
}

Test(projective_scenes, steps_that_end_far_from_their_solution_are_told_once) {
  double left = 0, more = 0;
  const MbReport report = watched("projective/hanging_cloth", "5", 40, &left);
  cr_assert_eq(report.warnings, 1, "%d warnings", report.warnings);
  cr_expect(strstr(report.issues[0].text, "after 5 iterations nodes are about"), "%s", report.issues[0].text);
  cr_expect(strstr(report.issues[0].text, "allow more \"iterations\""), "%s", report.issues[0].text);
  cr_expect_gt(left, 1e-3);
  const MbReport calm = watched("projective/jelly_ball", "10", 20, &more);
  cr_expect_eq(calm.warnings, 0, "%s", calm.issues[0].text);
  cr_expect_lt(more, 1e-3);
  cr_expect_eq(mb_alloc_live(), 0);
}

// Of steps that end by their energy what is told is near what Newton's method finds them to be off: corrections of quasi-Newton steps rise and
// fall, and the last two alone would say five hundred times as much, or a twentieth.
Test(projective_scenes, how_far_steps_are_said_to_be_from_their_solution_is_about_how_far_they_are) {
  static const char bar[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.02, \"steps\": 1}, \"output\": "
                            "{\"channels\": [\"deformable.*.position\"]}, "
                            "\"deformables\": [{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": {\"box\": "
                            "[13, 5, 5], \"size\": [0.6, 0.2, "
                            "0.2]}, \"material\": {\"model\": \"neo_hookean\", \"young\": 1e6, \"poisson\": "
                            "0.4, \"density\": 1000}, \"pin\": "
                            "[{\"select\": {\"side\": \"-x\"}}]}]}";
  static const char *const young[] = {"1e4", "1e6", "1e8"}, *const h[] = {"0.02", "0.02", "0.005"};
  for (size_t k = 0; k < 3; k++) {
    char stiff[60], step[40];
    snprintf(stiff, sizeof stiff, "/deformables/0/material/young=%s", young[k]);
    snprintf(step, sizeof step, "/time/step=%s", h[k]);
    const char *const plain[] = {"/solver=\"projective\"", stiff, step, NULL},
                      *const exact[] = {"/solver={\"type\": \"projective\", \"method\": \"newton\"}", stiff,
                                        step, NULL};
    TestRun run = test_run(bar, plain), other = test_run(bar, exact);
    size_t count;
    double off = 0;
    test_steps(run.sim, 1), test_steps(other.sim, 1);
    const double *q = test_channel(run.sim, "deformable.bar.position", &count);
    double *kept = mb_calloc(count, sizeof *kept);
    memcpy(kept, q, count * sizeof *kept);
    const double *p = test_channel(other.sim, "deformable.bar.position", &count);
    for (size_t i = 0; i < count; i += 3) {
      double d[3];
      mb_vec3_sub(d, kept + i, p + i);
      off = fmax(off, mb_vec3_norm(d));
    }
    off /= sqrt(0.6 * 0.6 + 2 * 0.2 * 0.2);
    const double told = mb_sim_solution_left(run.sim);
    cr_expect(told > off / 4 && told < 8 * off, "E = %s: told %g, is %g", young[k], told, off);
    mb_free(kept);
    test_run_free(&run), test_run_free(&other);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// Where a scene says nothing steps are quasi-Newton's, each as long as its energy asks for, and carry no dual; where nodes are tied to
// bodies that move they are local-global ones.
Test(projective_scenes, what_says_nothing_ends_steps_by_their_energy) {
  static const char *const sets[] = {"/solver=\"projective\"", "/output={\"channels\": [\"solver\"]}", NULL},
                           *const dual[] = {"/solver={\"type\": \"projective\", \"method\": \"projective\"}",
                                            "/output={\"channels\": [\"solver\"]}", NULL};
  TestRun run = test_run("projective/twisting_bar", sets), other = test_run("projective/twisting_bar", dual);
  double least = INFINITY, most = 0;
  for (int i = 0; i < 20; i++) {
    test_steps(run.sim, 1);
    const double iterations = test_channel(run.sim, "solver", NULL)[0];
    least = fmin(least, iterations), most = fmax(most, iterations);
  }
  cr_expect(least >= 2 && least < most && most < 40, "%g to %g iterations", least, most);
  cr_expect_eq(mb_sim_steps_missed(run.sim), 0);
  cr_expect_lt(mb_sim_checkpoint_size(run.sim), mb_sim_checkpoint_size(other.sim));
  test_run_free(&run);
  test_run_free(&other);
}

// Steps that may not take the iterations that their accuracy takes are counted, in the channel and by the run.
Test(projective_scenes, steps_that_miss_the_energy_that_is_wanted_are_counted_and_told_once) {
  static const char *const wanted[] = {"1e-9", "0.5"};
  for (size_t k = 0; k < 2; k++) {
    char set[60];
    snprintf(set, sizeof set, "/solver/energy_tolerance=%s", wanted[k]);
    const char *const sets[] = {set, k ? "/solver/iterations=60" : "/solver/iterations=4",
                                "/output={\"channels\": [\"solver\"]}", NULL};
    TestRun run = test_run("projective/hanging_cloth", sets);
    MbReport report = {0};
    for (int i = 0; i < 5; i++) test_ok(mb_sim_step(run.sim, &report), &report);
    cr_expect_eq(mb_sim_steps_missed(run.sim), k ? 0 : 5);
    cr_expect_eq(test_channel(run.sim, "solver", NULL)[3], k ? 0 : 5);
    cr_expect_eq(report.warnings, k ? 0 : 1);
    if (!k)
      cr_expect(strstr(report.issues[0].text, "4 iterations do not bring"), "%s", report.issues[0].text);
    if (k) cr_expect_lt(test_channel(run.sim, "solver", NULL)[0], 60, "all iterations are done");
    test_run_free(&run);
  }
}

// The residual that is refused reads as more than the tolerance, however near they are.
Test(projective_scenes, a_residual_that_is_refused_is_told_as_larger_than_the_tolerance) {
  static const char *const plain[] = {"/output={\"channels\": [\"solver\"]}", NULL};
  TestRun run = test_run("projective/jelly_ball", plain);
  test_steps(run.sim, 1);
  char set[80];
  snprintf(set, sizeof set, "/solver/tolerance=%.12g", test_channel(run.sim, "solver", NULL)[1] * (1 - 1e-6));
  test_run_free(&run);
  const char *const sets[] = {set, NULL};
  MbReport report = {0};
  cr_assert_eq(test_try("projective/jelly_ball", sets, 1, &report), MB_NUMBERS);
  const char *found = strstr(report.issues[0].text, "solved to "),
             *wanted = strstr(report.issues[0].text, "not to ");
  cr_assert(found && wanted, "%s", report.issues[0].text);
  cr_expect_gt(strtod(found + strlen("solved to "), NULL), strtod(wanted + strlen("not to "), NULL), "%s",
               report.issues[0].text);
}

Test(projective_scenes, a_bar_that_falls_and_spins_tells_energy_momentum_volume_and_strain) {
  const double TOLERANCE = 1e-10; // relative; rounding
  Scene s;
  start_scene(&s, HEAD PROJECTIVE "\"deformables\": [" BAR(
                      ", \"velocity\": {\"linear\": [1, 2, 3]}") "], "
                                                                 "\"output\": {\"channels\": [\"energy\", "
                                                                 "\"momentum\", \"deformable.bar.volume\", "
                                                                 "\"deformable.*.strain\", \"solver\", "
                                                                 "\"solver.time\", \"solver.history\", "
                                                                 "\"deformable.bar.velocity\"]}}");
  test_steps(s.sim, 10);
  double *frame = sample(&s);
  const double m = 0.2 * 0.2 * 0.5 * 1000, vz = 3 - 9.81 * 0.1, z = 0.25 + 3 * 0.1 - 9.81 * 1e-4 * 55;
  const double *e = frame + find(&s, "energy"), *p = frame + find(&s, "momentum");
  const double want[4] = {m * (1 + 4 + vz * vz) / 2, m * 9.81 * z, 0,
                          m * (1 + 4 + vz * vz) / 2 + m * 9.81 * z};
  const double momentum[3] = {m, 2 * m, m * vz}, volume = 0.02, none = 0;
  test_near("energy", e, want, 4, TOLERANCE * want[3]);
  test_near("momentum", p, momentum, 3, TOLERANCE * m);
  test_near("volume", frame + find(&s, "deformable.bar.volume"), &volume, 1, TOLERANCE);
  test_near("strain", frame + find(&s, "deformable.bar.strain"), &none, 1, 1e-12);
  cr_expect(frame[find(&s, "solver")] == 8, "%g iterations", frame[find(&s, "solver")]);
  const double *history = frame + find(&s, "solver.history");
  cr_expect(history[7] == frame[find(&s, "solver") + 1], "last %g of %g", history[7],
            frame[find(&s, "solver") + 1]);
  size_t count = 0;
  const MbChannel *channels = mb_sim_channels(s.sim, &count);
  for (size_t i = 0; i < count; i++)
    cr_expect(channels[i].unstable == !strcmp(channels[i].name, "solver.time"), "%s", channels[i].name);
  mb_free(frame);
  close_scene(&s);
}

// ---- what holds nodes -------------------------------------------------------------------------------------

Test(projective_scenes, pins_move_as_their_motion_says) {
  const double TOLERANCE = 1e-14; // m; rounding
  Scene s;
  start_scene(&s, HEAD PROJECTIVE "\"deformables\": [" BAR(
                      ", \"pin\": [{\"select\": {\"side\": \"-z\"}}, {\"select\": {\"side\": "
                      "\"+z\"}, \"motion\": {\"translate\": [0, 0, \"=0.1*t\"], \"rotate\": "
                      "{\"axis\": [0, 0, 2], \"through\": [0.1, 0.1, 0], \"angle\": "
                      "\"=3*t\"}}}]") "]}");
  test_steps(s.sim, 25);
  double *frame = sample(&s);
  const double *q = frame + find(&s, "deformable.bar.position"), a = 3 * 0.25;
  const double corner[3] = {0.1 + 0.1 * (cos(a) * -1 - sin(a) * -1), 0.1 + 0.1 * (sin(a) * -1 + cos(a) * -1),
                            0.525};
  test_near("a corner of the top", q + 3 * 45, corner, 3, TOLERANCE);
  const double still[3] = {0, 0, 0};
  test_near("a corner of the foot", q, still, 3, 0.1 * TOLERANCE);
  mb_free(frame);
  close_scene(&s);
}

Test(projective_scenes, a_driven_body_carries_nodes) {
  const double TOLERANCE = 1e-12; // m; the body is on its path but for rounding
  Scene s;
  start_scene(
      &s, HEAD PROJECTIVE
      "\"bodies\": [{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 0.1]}, \"mass\": "
      "1, "
      "\"motion\": {\"pose\": {\"position\": [\"=t^2\", 0, 0], \"turn\": {\"axis\": [0, 0, 1], \"angle\": "
      "\"=t\"}}}}], "
      "\"deformables\": [" BAR(", \"attach\": [{\"select\": {\"side\": \"-z\"}, \"body\": \"plate\"}]") "]}");
  test_steps(s.sim, 30);
  double *frame = sample(&s);
  const double *q = frame + find(&s, "deformable.bar.position");
  const double want[3] = {0.09 + 0.2 * cos(0.3), 0.2 * sin(0.3), 0}; // the node at (0.2, 0, 0)
  test_near("a node of the foot", q + 3 * 2, want, 3, TOLERANCE);
  mb_free(frame);
  close_scene(&s);
}

Test(projective_scenes, a_cable_pulls_and_never_pushes) {
  static const char *const pulls[] = {"0", "\"=-5*t\"", "\"=5*t\""};
  double *frame[3];
  size_t at = 0, n = 0;
  for (int k = 0; k < 3; k++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        HEAD PROJECTIVE "\"deformables\": [" BAR(
            ", \"pin\": [{\"select\": {\"side\": \"-z\"}}], \"cables\": [{\"path\": [{\"side\": \"-z\"}, "
            "{\"nearest\": [0.2, 0.1, 0.5]}], \"pull\": %s}]") "]}",
        pulls[k]);
    Scene s;
    start_scene(&s, text);
    test_steps(s.sim, 20);
    frame[k] = sample(&s), at = find(&s, "deformable.bar.position"), n = 3 * 54;
    close_scene(&s);
  }
  test_near("a cable that would push", frame[1] + at, frame[0] + at, n, 0);
  cr_assert_neq(memcmp(frame[2] + at, frame[0] + at, n * sizeof *frame[0]), 0, "it does not pull either");
  for (int k = 0; k < 3; k++) mb_free(frame[k]);
}

// ---- memory -----------------------------------------------------------------------------------------------

#define ALL(method)                                                                                          \
  HEAD "\"solver\": {\"type\": \"projective\", " method                                                      \
       "}, \"bodies\": [{\"name\": \"plate\", \"shape\": {\"type\": "                                        \
       "\"box\", \"size\": [1, 1, 0.1]}, \"mass\": 1, \"motion\": {\"pose\": {\"position\": [\"=t^2\", 0, "  \
       "0]}}}], "                                                                                            \
       "\"deformables\": [" CLOTH ", " BAR(", \"pin\": [{\"select\": {\"side\": \"-z\"}, \"axes\": \"xz\", " \
                                           "\"motion\": {\"translate\": [\"=t\", 0, 0]}}], "                 \
                                           "\"attach\": [{\"select\": {\"side\": \"+z\"}, \"body\": "        \
                                           "\"plate\"}], \"cables\": [{\"path\": [{\"side\": "               \
                                           "\"-x\"}, {\"side\": \"+x\"}]}, {\"path\": [{\"side\": \"-y\"}, " \
                                           "{\"side\": \"+y\"}], \"pull\": \"=t\"}]") "]}"

#define TIED                                                                                                 \
  HEAD PROJECTIVE                                                                                            \
      "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 1, "  \
      "\"pose\": "                                                                                           \
      "{\"position\": [0, 0, -0.3]}}], \"deformables\": [{\"name\": \"block\", \"type\": \"tets\", "         \
      "\"mesh\": {\"box\": "                                                                                 \
      "[3, 3, 3], \"size\": [0.2, 0.2, 0.2]}, \"material\": {\"young\": 1e4, \"density\": 300}, "            \
      "\"attach\": "                                                                                         \
      "[{\"select\": {\"side\": \"-z\"}, \"body\": \"ball\"}]}], \"forces\": [{\"type\": \"spring\", "       \
      "\"between\": [{\"body\": \"ball\"}, {\"node\": \"block\", \"index\": 26}], \"stiffness\": 100}]}"
static const char *const with_memory[] = {
    TIED,
    ALL("\"iterations\": 4"),
    ALL("\"iterations\": 4, \"global\": \"partitioned_inverse\", \"precision\": \"single\""),
    ALL("\"iterations\": 4, \"global\": \"chebyshev\""),
    ALL("\"method\": \"newton\""),
    ALL("\"method\": \"lbfgs\"")};

Test(projective_scenes, steps_allocate_nothing) {
  for (size_t k = 0; k < sizeof with_memory / sizeof *with_memory; k++) {
    Scene s;
    start_scene(&s, with_memory[k]);
    test_steps(s.sim, 2);
    const int64_t calls = mb_alloc_calls();
    test_steps(s.sim, 3);
    cr_expect_eq(mb_alloc_calls(), calls, "%zu: %lld calls", k, (long long)(mb_alloc_calls() - calls));
    close_scene(&s);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(projective_scenes, running_out_of_memory_anywhere_is_told_and_leaks_nothing) {
  for (size_t k = 0; k < sizeof with_memory / sizeof *with_memory; k++) {
    Scene s;
    start_scene(&s, with_memory[k]);
    mb_sim_free(s.sim), s.sim = NULL;
    const int64_t live = mb_alloc_live();
    bool finished = false;
    for (int64_t n = 0; !finished; n++) {
      MbReport report = {0};
      MbSim *sim = NULL;
      mb_alloc_fail_after(n);
      const MbStatus status = mb_sim_create(s.model, NULL, &sim, &report);
      mb_alloc_fail_after(-1);
      finished = status == MB_OK;
      cr_assert(finished || status == MB_IO, "call %lld failed, and it was told as %d", (long long)n, status);
      mb_sim_free(sim);
      cr_assert_eq(mb_alloc_live(), live, "call %lld failed and something leaked", (long long)n);
    }
    close_scene(&s);
  }
}

// ---- what is refused --------------------------------------------------------------------------------------

Test(projective_scenes, what_it_cannot_do_is_refused_with_a_reason) {
  expect_refused("{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 4}, \"integrator\": "
                 "\"symplectic\", " PROJECTIVE "\"deformables\": [" CLOTH "]}",
                 MB_SCENE, "goes with integrator \"implicit\"");
  expect_refused(HEAD PROJECTIVE "\"bodies\": []}", MB_SCENE, "moves deformables, and there are none");
  expect_refused(
      HEAD PROJECTIVE
      "\"deformables\": [{\"name\": \"rope\", \"type\": \"springs\", \"mesh\": {\"rope\": 4, \"length\": "
      "1}, \"material\": {\"mass\": 1, \"stiffness\": 5, \"law\": \"zero_length\"}}]}",
      MB_SCENE, "law \"linear\" or \"strain\", not \"zero_length\"");
}

// A strip a thousand millionth of its length wide: rounding leaves nothing of what holds its nodes apart.
Test(projective_scenes, a_mesh_too_thin_to_be_solved_for_is_the_scenes_fault_and_has_a_place) {
  static const char text[] = HEAD PROJECTIVE
      "\"deformables\": [" CLOTH
      ", {\"name\": \"strip\", \"type\": \"cloth\", \"mesh\": {\"grid\": [21, 21], \"size\": [1, 1e-9], "
      "\"pattern\": \"cross\"}, \"material\": {\"young\": 1e6, \"density\": 300, \"thickness\": 0.001}, "
      "\"pin\": [{\"select\": {\"side\": \"-x\"}}, {\"select\": {\"side\": \"+x\"}}]}]}";
  Scene s;
  cr_expect_eq(open_scene(&s, text, 1), MB_SCENE);
  cr_expect_eq(s.report.status, MB_SCENE);
  cr_expect_str_eq(s.report.issues[0].where, "/deformables/1/mesh");
  cr_expect(strstr(s.report.issues[0].text, "of \"strip\": the elements there are too thin"), "%s",
            s.report.issues[0].text);
  close_scene(&s);
}

Test(projective_scenes, what_goes_wrong_on_the_way_is_told_with_its_time_and_step) {
  expect_refused(HEAD PROJECTIVE
                 "\"deformables\": [" BAR(", \"pin\": [{\"select\": {\"side\": \"-z\"}, \"motion\": "
                                          "{\"translate\": [0, 0, \"=sqrt(0.1-t)-sqrt(0.1)\"]}}]") "]}",
                 MB_NUMBERS, "at t = 0.11 s, step 11: the motion of a pin of \"bar\" is nan");
  expect_refused(HEAD "\"solver\": {\"type\": \"projective\", \"iterations\": 3, \"tolerance\": 1e-9}, "
                      "\"deformables\": [" CLOTH "]}",
                 MB_NUMBERS, "after 3 iterations, not to 1e-09: allow more");
  // squeezed flat: more iterations would not help
  expect_refused(HEAD
                 "\"solver\": {\"type\": \"projective\", \"method\": \"newton\"}, \"deformables\": ["
                 "{\"name\": \"cube\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], \"size\": [1, 1, "
                 "1]}, \"material\": {\"young\": 1e5, \"density\": 1000}, \"pin\": [{\"select\": {\"side\": "
                 "\"-x\"}}], \"cables\": [{\"path\": [{\"side\": \"-x\"}, {\"side\": \"+x\"}], \"pull\": "
                 "1e7}]}]}",
                 MB_NUMBERS, "no step takes the energy further down: take a smaller step");
}

// A failed step leaves the state as it was.
Test(projective_scenes, a_failed_step_changes_nothing) {
  Scene s;
  start_scene(&s, HEAD PROJECTIVE "\"deformables\": [" BAR(
                      ", \"pin\": [{\"select\": {\"side\": \"-z\"}, \"motion\": {\"translate\": [0, "
                      "0, \"=sqrt(0.1-t)-sqrt(0.1)\"]}}]") "]}");
  test_steps(s.sim, 9);
  while (mb_sim_step(s.sim, &s.report) == MB_OK) continue;
  const size_t size = mb_sim_checkpoint_size(s.sim);
  unsigned char *before = mb_calloc(size, 1), *after = mb_calloc(size, 1);
  mb_sim_checkpoint(s.sim, before);
  cr_expect(mb_sim_step(s.sim, &s.report) == MB_NUMBERS);
  mb_sim_checkpoint(s.sim, after);
  cr_expect(!memcmp(before, after, size));
  mb_free(before);
  mb_free(after);
  close_scene(&s);
}
