// Impulses (B96 3) where constraints answer: what holds does so at once, and nothing else changes.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const ALL[] = {"\"symplectic\"", "\"implicit\"", "\"trapezoidal\"", "\"bridson_marino\"",
                                  "\"rk45\""};
static const double ROUNDING = 1e-12; // of velocities of about 1

static TestRun load(const char *from, const char *integrator) {
  char way[100];
  snprintf(way, sizeof way, "/integrator=%s", integrator);
  return test_run(from, (const char *[]){way, NULL});
}

static void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"gravity\": [0, 0, 0], "

// A rod of 1 m and 3 kg whose end a point holds: struck at the other end it turns about the first by p l/(m l²/3), and
// through a joint it would do the same.
Test(impulses, a_held_rod_turns_about_what_holds_it) {
  static const char *const held[] = {
      HEAD
      "\"bodies\": [{\"name\": \"rod\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.01, 0.01]}, "
      "\"inertia\": {\"mass\": 3, \"center\": [0, 0, 0], \"matrix\": [0.25, 0.25, 0.25, 0, 0, 0]}}], "
      "\"constraints\": [{\"type\": \"point\", \"between\": [{\"body\": \"world\", \"at\": [-0.5, 0, 0]}, "
      "{\"body\": \"rod\", \"at\": [-0.5, 0, 0]}]}]}",
      HEAD
      "\"bodies\": [{\"name\": \"rod\", \"inertia\": {\"mass\": 3, \"center\": [0, 0, 0], \"matrix\": [0.25, "
      "0.25, 0.25, 0, 0, 0]}, \"joint\": {\"type\": \"free3d\"}}], "
      "\"constraints\": [{\"joint\": \"revolute\", \"between\": [{\"body\": \"world\", \"frame\": "
      "{\"position\": [-0.5, 0, 0]}}, {\"body\": \"rod\", \"frame\": {\"position\": [-0.5, 0, 0]}}]}]}"};
  static const double at[3] = {0.5, 0, 0}, impulse[3] = {0.7, 2, 0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 5; i++) {
      char text[800];
      snprintf(text, sizeof text, "%s", held[k]);
      char *shape = strstr(text, "\"shape\"");
      if (shape) memmove(shape, strstr(text, "\"inertia\""), strlen(strstr(text, "\"inertia\"")) + 1);
      TestRun run = load(text, ALL[i]);
      cr_assert_eq(mb_sim_impulse(run.sim, 0, at, impulse), MB_OK);
      const double known[6] = {0, 0, 2, 0, 1, 0}; // 2 N s · 1 m/(3 kg · 1/3 m²); along the rod it is held
      double now[6], error[2];
      MbPose R = run.sim->x.E[0];
      mb_quat_rotate(now, R.q, run.sim->x.phi);
      mb_quat_rotate(now + 3, R.q, run.sim->x.phi + 3);
      test_near(ALL[i], now, known, 6, ROUNDING);
      mb_constraint_errors(run.sim, error);
      cr_expect_lt(error[1], ROUNDING);
      test_steps(run.sim, 1); // steps agree with it: nothing is left for them to take
      const double energy = mb_energy(run.model, &run.sim->x).kinetic, wanted = 2;
      test_near("energy", &energy, &wanted, 1, 1e-5);
      end(&run);
    }
}

// What a linkage does is linear in the impulse, its energy gain half the work at the point struck, and its loop stays closed.
Test(impulses, a_linkage_moves_as_its_loop_lets_it) {
  static const double at[3] = {0.02, 0, 0.01}, impulse[3] = {0.3, 0, 0.2}, back[3] = {-0.3, 0, -0.2};
  for (int i = 0; i < 5; i++) {
    TestRun run = load("four_bar", ALL[i]);
    MbSim *sim = run.sim;
    double error[2], before[8], after[8];
    cr_assert_leq(sim->nv, 8);
    memset(sim->state.v, 0, sim->nv * sizeof *sim->state.v);
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
    memcpy(before, sim->state.v, sim->nv * sizeof *before);
    cr_assert_eq(mb_sim_impulse(sim, 1, at, impulse), MB_OK);
    memcpy(after, sim->state.v, sim->nv * sizeof *after);
    mb_constraint_errors(sim, error);
    cr_expect_lt(error[1], ROUNDING, "%s: the loop opens at %g m/s", ALL[i], error[1]);

    // ½ v · p, with v the velocity of the point
    const size_t b = run.model->number[1];
    MbPose inverse;
    double r[3], turn[3], v[3];
    mb_pose_inverse(&inverse, &run.model->C[b]);
    mb_pose_point(r, &inverse, at);
    mb_vec3_cross(turn, sim->x.phi + 6 * b, r);
    mb_vec3_add(turn, turn, sim->x.phi + 6 * b + 3);
    mb_quat_rotate(v, sim->x.E[b].q, turn);
    const double work = mb_vec3_dot(v, impulse) / 2, kinetic = mb_energy(run.model, &sim->x).kinetic;
    cr_expect_gt(work, 1e-4);
    test_near("energy", &kinetic, &work, 1, ROUNDING);

    cr_assert_eq(mb_sim_impulse(sim, 1, at, back), MB_OK);
    test_near("and back", sim->state.v, before, sim->nv, ROUNDING);
    cr_expect_gt(fabs(after[0]), 1e-3);
    end(&run);
  }
}

// A taut rope answers what would stretch it, and nothing else; a slack one does not know of it.
Test(impulses, ropes_answer_where_they_are_taut) {
  static const char *const ROPE = HEAD
      "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2, "
      "\"pose\": {\"position\": [1, 0, 0]}}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, "
      "\"length\": %s, \"between\": [{\"body\": \"world\"}, {\"body\": \"ball\"}]}]}";
  static const double middle[3] = {0}, out[3] = {2, 2, 0}, in[3] = {-2, 2, 0};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) { // taut and out, taut and in, slack and out
      char text[600];
      snprintf(text, sizeof text, ROPE, k < 2 ? "1" : "1.5");
      TestRun run = load(text, ALL[i]);
      cr_assert_eq(mb_sim_impulse(run.sim, 0, middle, k == 1 ? in : out), MB_OK);
      const double known[3] = {k == 0 ? 0 : k == 1 ? -1 : 1, 1, 0};
      test_near(ALL[i], run.sim->state.v + 3, known, 3, ROUNDING);
      end(&run);
    }
}

// What is not finite is refused, and so is what would make velocities so; nothing has changed then.
Test(impulses, what_is_not_finite_is_refused) {
  static const double none[3] = {0}, nan[3] = {0, NAN, 0}, endless[3] = {INFINITY, 0, 0},
                      huge[3] = {1.7e308, 0, 0};
  static const char *const BALL = HEAD
      "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 0.01, "
      "\"velocity\": {\"linear\": [1, 2, 3]}}]}";
  for (int i = 0; i < 5; i++) {
    TestRun run = load(BALL, ALL[i]);
    double before[6];
    memcpy(before, run.sim->state.v, sizeof before);
    cr_assert_eq(mb_sim_impulse(run.sim, 0, nan, none), MB_USAGE);
    cr_assert_eq(mb_sim_impulse(run.sim, 0, none, nan), MB_USAGE);
    cr_assert_eq(mb_sim_impulse(run.sim, 0, none, endless), MB_USAGE);
    cr_assert_eq(mb_sim_impulse(run.sim, 0, none, huge), MB_NUMBERS);
    cr_assert_arr_eq(run.sim->state.v, before, sizeof before);
    test_steps(run.sim, 1);
    end(&run);
  }
}
