// Soft limits of coordinates: against a mass on a spring, under every solver, and where they cannot be.
#include "core/sim/accounting.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char wheel[] =
    "{\"mbsim\":1,\"gravity\":[0,0,0],\"time\":{\"step\":0.01,\"steps\":100},\"solver\":\"redmax\","
    "\"integrator\":"
    "{\"type\":\"rk45\",\"relative\":1e-11,\"absolute\":1e-13},\"bodies\":[{\"name\":\"wheel\",\"inertia\":"
    "{\"mass\":1,\"matrix\":[2,2,2,0,0,0]},\"joint\":{\"type\":\"revolute\",\"axis\":[0,0,1],\"position\":0."
    "5,"
    "\"velocity\":3,\"limits\":[-1,0.5],\"stops\":{\"stiffness\":50}}}]}";

// Beyond the limit it is a mass on a spring for half a period, and goes back as fast as it came.
Test(stops, a_wheel_comes_back_from_a_soft_limit_as_fast_as_it_went) {
  const double I = 2, K = 50, speed = 3, rate = sqrt(K / I);
  TestRun run = test_run(wheel, (const char *[]){NULL});
  for (int step = 1; step <= 100; step++) {
    test_steps(run.sim, 1);
    const double t = mb_sim_time(run.sim), back = t - acos(-1) / rate;
    const double q = back < 0 ? 0.5 + speed / rate * sin(rate * t) : 0.5 - speed * back,
                 v = back < 0 ? speed * cos(rate * t) : -speed;
    if (0.5 - speed * back < -1) break; // at the other limit
    cr_expect_float_eq(run.sim->state.q[0], q, 1e-8, "%g s: %.12g, wanted %.12g", t, run.sim->state.q[0], q);
    cr_expect_float_eq(run.sim->state.v[0], v, 1e-7, "%g s: %.12g, wanted %.12g", t, run.sim->state.v[0], v);
    const MbEnergy energy = mb_energy(run.model, &run.sim->x);
    cr_expect_float_eq(energy.total, I * speed * speed / 2, 1e-7);
    cr_expect_float_eq(energy.elastic, q > 0.5 ? K * (q - 0.5) * (q - 0.5) / 2 : 0, 1e-7);
  }
  test_run_free(&run);
}

// How far bodies are apart after 0.3 s, under two solvers.
static double apart(const char *text, const char *integrator, const char *solver, double step) {
  char how[60], by[80], length[60];
  double worst = 0;
  snprintf(how, sizeof how, "/integrator=\"%s\"", integrator);
  snprintf(by, sizeof by, "/solver=%s", solver);
  snprintf(length, sizeof length, "/time/step=%.17g", step);
  TestRun one = test_run(text, (const char *[]){how, length, NULL}),
          other = test_run(text, (const char *[]){how, length, by, NULL});
  test_steps(one.sim, llround(0.3 / step)), test_steps(other.sim, llround(0.3 / step));
  for (size_t b = 0; b < one.model->nb; b++)
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(one.sim->x.E[b].p[k] - other.sim->x.E[b].p[k]));
  test_run_free(&one), test_run_free(&other);
  return worst;
}

// An arm on stops, whose wrist has three angles: the dense way is the same to rounding; the maximal one, whose steps are others, comes to it as
// steps become shorter.
Test(stops_long, all_solvers_move_alike, TEST_LONG) {
  static const char *const integrators[] = {"symplectic", "implicit", "bdf2"};
  char *text = test_text_of("scenes/redmax/soft_limits.json");
  for (int i = 0; i < 3; i++) {
    const double dense = apart(text, integrators[i], "{\"type\":\"redmax\",\"dynamics\":\"dense\"}", 1e-3),
                 maximal = apart(text, integrators[i], "\"maximal\"", 1e-3),
                 shorter = apart(text, integrators[i], "\"maximal\"", 2.5e-5);
    printf("%-12s dense %.1e m, maximal %.1e m, with a fortieth of the step %.1e m\n", integrators[i], dense,
           maximal, shorter);
    cr_expect_lt(dense, 1e-9, "%s: %g m", integrators[i], dense);
    cr_expect_lt(maximal, 1e-3, "%s: %g m", integrators[i], maximal);
    cr_expect_lt(shorter, maximal / 10, "%s: %g m, then %g m", integrators[i], maximal, shorter);
  }
  free(text);
}

static void refused(const char *set, const char *why) {
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbReport report = {0};
  const MbSceneOptions options = {.sets = &set, .nsets = 1};
  MbStatus status = mb_scene_parse(wheel, strlen(wheel), "wheel", ".", &options, &scene, &report);
  if (status == MB_OK) status = mb_model_create(scene, &model, &report);
  cr_expect_eq(status, MB_SCENE, "%s", set);
  cr_expect(strstr(report.issues[0].text, why), "%s: %s", set, report.issues[0].text);
  mb_model_free(model);
  mb_scene_free(scene);
}

Test(stops, what_makes_no_sense_is_refused) {
  refused("/bodies/0/joint={\"type\":\"revolute\",\"stops\":{\"stiffness\":5}}", "which are not there");
  refused("/bodies/0/joint/stops={\"stiffness\":0,\"damping\":5}", "above 0");
  refused("/bodies/0/joint/stops={\"damping\":5}", "stiffness");
  refused("/bodies/0/joint/stops={\"stiffness\":[1,2]}", "2");
  refused("/bodies/0/joint/stops={\"stiffness\":-1}", "0");
  refused("/bodies/0/joint/type=\"spherical\"", "limits");
}
