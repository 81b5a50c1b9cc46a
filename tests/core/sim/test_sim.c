// The run as a whole: determinism, resume, memory, failure, the kinematic mode.
#include "core/base/alloc.h"
#include "core/sim/plan.h"
#include "core/model/coordinates.h"
#include "core/integrators/integrators.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

// `n` bodies of all sorts under all sorts of forces.
static MbSceneSpec crowd(MbIntegratorKind kind, size_t n) {
  MbSceneSpec spec = test_scene(kind, 0.01, 100);
  uint64_t seed = 3;
  spec.gravity[2] = -9.81;
  for (size_t b = 0; b < n; b++) {
    char name[32];
    snprintf(name, sizeof name, "body%zu", b);
    MbBodySpec *body =
        test_body(&spec, mb_arena_strdup(&spec.arena, name), 1 + test_random(&seed), 1, 1.2, 1.5);
    for (int i = 0; i < 3; i++) {
      body->angular[i] = 4 * test_random(&seed) - 2;
      body->inertia->center[i] = test_random(&seed);
      body->pose.position[i] = 10 * test_random(&seed);
    }
    body->damping = 0.1 * test_random(&seed);
  }
  MbForceSpec *force = test_force(&spec, MB_FORCE_POINT, "body1");
  test_wrench(force)->at[0] = 0.3;
  test_wrench(force)->force[1] = test_expression("3*sin(5*t)");
  static const double times[] = {0, 0.11, 0.37}, values[] = {0, 2, -1};
  for (int i = 0; i < 3; i++)
    test_wrench(force)->torque[i] = test_constant(0),
    test_wrench(force)->force[i == 1 ? 0 : i] = (MbSignalSpec){.kind = MB_SIGNAL_TABLE,
                                                               .interpolation = (MbInterpolation)i,
                                                               .count = 3,
                                                               .times = times,
                                                               .values = values};
  return spec;
}

Test(sim_long, two_threads_give_the_same_bits_as_one) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = crowd(kind, 500);
    MbModel *model = test_model(&spec);
    MbSim *one = test_sim(model, 1), *two = test_sim(model, 2);
    test_steps(one, 20);
    test_steps(two, 20);
    cr_assert_eq(memcmp(one->state.q, two->state.q, one->nq * sizeof(double)), 0, "%s: poses",
                 mb_integrator_words[kind]);
    cr_assert_eq(memcmp(one->state.v, two->state.v, one->nv * sizeof(double)), 0, "%s: twists",
                 mb_integrator_words[kind]);
    mb_sim_free(one);
    mb_sim_free(two);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(sim, a_resumed_run_is_bitwise_the_uninterrupted_one) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (int at = 0; at < 40; at += 13) {
      MbSceneSpec spec = crowd(kind, 5);
      MbModel *model = test_model(&spec);
      MbSim *whole = test_sim(model, 1), *resumed = test_sim(model, 1);
      test_steps(whole, at);
      const size_t size = mb_sim_checkpoint_size(whole);
      void *bytes = mb_arena_alloc(&spec.arena, size, 1), *again = mb_arena_alloc(&spec.arena, size, 1);
      mb_sim_checkpoint(whole, bytes);
      MbReport report = {0};
      test_ok(mb_sim_restore(resumed, bytes, size, &report), &report);
      test_steps(whole, 30);
      test_steps(resumed, 30);
      mb_sim_checkpoint(whole, bytes);
      mb_sim_checkpoint(resumed, again);
      cr_assert_eq(memcmp(bytes, again, size), 0, "%s, resumed at step %d", mb_integrator_words[kind], at);
      mb_sim_free(whole);
      mb_sim_free(resumed);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

Test(sim, a_checkpoint_of_another_model_is_refused) {
  MbSceneSpec spec = crowd(MB_IMPLICIT, 5), other = crowd(MB_IMPLICIT, 5);
  other.bodies[2].inertia->mass *= 1.5;
  MbModel *model = test_model(&spec), *another = test_model(&other);
  MbSim *sim = test_sim(model, 1), *stranger = test_sim(another, 1);
  const size_t size = mb_sim_checkpoint_size(sim);
  void *bytes = mb_arena_alloc(&spec.arena, size, 1);
  mb_sim_checkpoint(stranger, bytes);
  MbReport report = {0};
  cr_assert_eq(mb_sim_restore(sim, bytes, size, &report), MB_USAGE);
  cr_assert_eq(mb_sim_restore(sim, bytes, size - 8, &report), MB_USAGE);
  cr_assert_eq(report.errors, 2);
  mb_sim_free(sim);
  mb_sim_free(stranger);
  mb_model_free(model);
  mb_model_free(another);
  mb_arena_free(&spec.arena);
  mb_arena_free(&other.arena);
}

Test(sim, steps_and_samples_do_not_allocate) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = crowd(kind, 5);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    double *frame = mb_arena_alloc(&spec.arena, mb_sim_frame_size(sim), sizeof *frame);
    const int64_t before = mb_alloc_calls();
    for (int i = 0; i < 50; i++) {
      test_steps(sim, 1);
      mb_sim_sample(sim, frame, NULL);
    }
    cr_assert_eq(mb_alloc_calls(), before, "%s", mb_integrator_words[kind]);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(sim, a_blow_up_names_time_step_and_body_and_leaves_the_state) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = crowd(kind, 3);
    MbForceSpec *force = test_force(&spec, MB_FORCE_WRENCH, "body2");
    test_wrench(force)->force[0] = test_expression("1/(t < 0.055 ? 1 : 0)");
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    MbReport report = {0};
    MbStatus status = MB_OK;
    double q[21], v[18];
    while (status == MB_OK && sim->state.step < 100) {
      memcpy(q, sim->state.q, sizeof q);
      memcpy(v, sim->state.v, sizeof v);
      status = mb_sim_step(sim, &report);
    }
    cr_assert_eq(status, MB_NUMBERS, "%s", mb_integrator_words[kind]);
    const char *text = report.issues[0].text;
    cr_assert(strstr(text, "body2"), "%s: %s", mb_integrator_words[kind], text);
    cr_assert(strstr(text, "t = 0.0") && strstr(text, "step "), "%s: %s", mb_integrator_words[kind], text);
    cr_assert_eq(memcmp(q, sim->state.q, sizeof q), 0, "%s: poses moved", mb_integrator_words[kind]);
    cr_assert_eq(memcmp(v, sim->state.v, sizeof v), 0, "%s: twists moved", mb_integrator_words[kind]);
    for (size_t b = 0; b < 3; b++) {
      double twist[6];
      mb_twist_of_velocity(&sim->x.E[b], v + 6 * b, twist);
      test_near("kinematics", sim->x.phi + 6 * b, twist, 6, 0);
    }
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(sim, in_the_kinematic_mode_force_is_mass_times_velocity) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    if (!mb_integrator_first_order_mode(kind)) continue;
    MbSceneSpec spec = test_scene(kind, 0.001, 500);
    spec.solver = (MbSolverSpec){.kind = MB_SOLVER_MAXIMAL, .mode = MB_FIRST_ORDER, .threads = 1};
    MbBodySpec *body = test_body(&spec, "bead", 2, 1, 1, 1);
    body->damping = 3;
    MbForceSpec *force = test_force(&spec, MB_FORCE_WRENCH, "bead");
    test_wrench(force)->force[0] = test_expression("5*cos(t)"),
    test_wrench(force)->torque[2] = test_constant(8);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    // (m + d) v = F, (I + d) ω = τ; x = ∫ v, to the order of the integrator
    // implicit symmetrises K, as the papers do, which couples spin and speed a little
    const double exact = kind == MB_IMPLICIT ? 1e-5 : 1e-14;
    const double order1 = kind == MB_SYMPLECTIC || kind == MB_IMPLICIT ? 2e-3 : 1e-6;
    test_near("spin at the start", &sim->x.phi[2], &(double){2}, 1, 1e-14);
    test_near("speed at the start", &sim->x.phi[3], &(double){1}, 1, 1e-14);
    test_steps(sim, 500);
    test_near("spin", &sim->x.phi[2], &(double){2}, 1, exact);
    test_near("way", &sim->x.E[0].p[0], &(double){sin(0.5)}, 1, order1);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(sim, damping_decays_as_each_integrator_says) {
  const double h = 0.1, d = 2, m = 4, x = h * d / m, a = 1 - sqrt(0.5);
  const double sdirk2 = (1 - (1 - 2 * a) * x) / ((1 + a * x) * (1 + a * x));
  double last = 1, now = sdirk2; // of bdf2, whose first step is sdirk2's
  for (int i = 1; i < 10; i++) {
    const double next = (4 * now - last) / (3 + 2 * x);
    last = now, now = next;
  }
  const double decay[] = {[MB_SYMPLECTIC] = 1 - x,
                          [MB_IMPLICIT] = 1 / (1 + x),
                          [MB_TRAPEZOIDAL] = (1 - x / 2) / (1 + x / 2),
                          [MB_BRIDSON_MARINO] = (1 - x / 2) / (1 + x / 2),
                          [MB_RK45] = exp(-x),
                          [MB_BDF1] = 1 / (1 + x),
                          [MB_SDIRK2] = sdirk2};
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = test_scene(kind, h, 10);
    MbBodySpec *body = test_body(&spec, "puck", m, 1, 1, 1);
    body->linear[0] = 3;
    body->damping = d;
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 10);
    const double wanted = 3 * (kind == MB_BDF2 ? now : pow(decay[kind], 10));
    test_near(mb_integrator_words[kind], &sim->x.phi[3], &wanted, 1,
              kind == MB_RK45 ? 1e-5 : 1e-13); // its default tolerance
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(sim, rk45_does_not_jump_over_a_pulse_in_a_table) {
  MbSceneSpec spec = test_scene(MB_RK45, 1, 10);
  test_body(&spec, "puck", 1, 1, 1, 1);
  static const double times[] = {5, 5.01, 5.02}, values[] = {0, 100, 0};
  MbForceSpec *force = test_force(&spec, MB_FORCE_WRENCH, "puck");
  test_wrench(force)->force[0] = (MbSignalSpec){
      .kind = MB_SIGNAL_TABLE, .interpolation = MB_HOLD, .count = 3, .times = times, .values = values};
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, 10);
  test_near("speed after 100 N for 10 ms", &sim->x.phi[3], &(double){1}, 1, 1e-6);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// Steps could grow without end while nothing happens: `step` is the longest.
Test(sim, rk45_does_not_jump_over_a_pulse_in_an_expression) {
  MbSceneSpec spec = test_scene(MB_RK45, 0.05, 200);
  test_body(&spec, "puck", 1, 1, 1, 1);
  test_wrench(test_force(&spec, MB_FORCE_WRENCH, "puck"))->force[0] =
      test_expression("abs(t - 5.37) < 0.05 ? 100 : 0");
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, 200);
  // At each of the two jumps steps are halved until the estimated error fits; with the jump early in a step the true one
  // is up to 80 times that.
  test_near("speed after 100 N for 100 ms", &sim->x.phi[3], &(double){10}, 1, 2e-3);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(sim, running_out_of_memory_anywhere_is_clean) {
  for (int k = 0;; k++) {
    MbSceneSpec spec = crowd(MB_RK45, 3);
    MbReport report = {0};
    MbModel *model = NULL;
    MbSim *sim = NULL;
    mb_alloc_fail_after(k);
    MbStatus status = mb_compile(&spec, &model, &report);
    if (status == MB_OK) status = mb_sim_create(model, NULL, &sim, &report);
    mb_alloc_fail_after(-1);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
    cr_assert_eq(mb_alloc_live(), 0, "failing call %d leaks", k);
    if (status == MB_OK) break;
    cr_assert(report.errors > 0, "failing call %d says nothing", k);
    cr_assert_lt(k, 1000);
  }
}

Test(plan, frames_come_every_so_many_steps_and_at_both_ends) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 10);
  spec.output.every = 4;
  MbPlan plan = mb_plan(&spec);
  const bool wanted[11] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1};
  for (int i = 0; i <= 10; i++) cr_assert_eq(mb_plan_frame_due(&plan, i), wanted[i], "step %d", i);
  mb_arena_free(&spec.arena);
}

Test(plan, an_interval_takes_the_nearest_steps) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 100);
  spec.output.every = 0, spec.output.interval = 1.0 / 60;
  spec.output.checkpoint = 0.25;
  MbPlan plan = mb_plan(&spec);
  int frames = 0;
  for (int64_t i = 0; i <= 100; i++) {
    frames += mb_plan_frame_due(&plan, i);
    cr_assert_eq(mb_plan_checkpoint_due(&plan, i), i == 25 || i == 50 || i == 75 || i == 100);
  }
  cr_assert_eq(frames, 61);
  cr_assert(mb_plan_frame_due(&plan, 2) && !mb_plan_frame_due(&plan, 1) && mb_plan_frame_due(&plan, 3));
  mb_arena_free(&spec.arena);
}

Test(plan, a_duration_that_is_whole_but_for_rounding_makes_no_extra_step) {
  const MbTimeSpec whole = {.step = 0.1, .duration = 0.3, .steps = -1},
                   part = {.step = 0.1, .duration = 0.31, .steps = -1};
  cr_assert_eq(mb_time_steps(&whole), 3);
  cr_assert_eq(mb_time_steps(&part), 4);
}
