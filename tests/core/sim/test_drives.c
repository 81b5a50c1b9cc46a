// Forces and motors in joints, on a wheel of inertia 2 about its hinge, and on a slide that carries mass 2.
#include "core/model/coordinates.h"
#include "tests/trees.h"

#include <string.h>

static const double INERTIA = 2;

static MbSceneSpec driven(MbIntegratorKind integrator, double h, MbJointKind kind) {
  MbSceneSpec spec = test_scene(integrator, h, 1);
  spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-13;
  MbBodySpec *body = test_body(&spec, "wheel", INERTIA, INERTIA, INERTIA, INERTIA);
  body->jointed = true;
  body->joint = (MbJointSpec){.kind = kind, .axis = {0, 0, 1}};
  body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
  return spec;
}

static MbSignalsSpec one_signal(MbSceneSpec *spec, MbSignalSpec signal) {
  MbSignalSpec *value = mb_arena_alloc(&spec->arena, 1, sizeof *value);
  *value = signal;
  return (MbSignalsSpec){.count = 1, .signal = value};
}

static MbMotorSpec *servo(MbSceneSpec *spec, double k, double d, double target) {
  MbMotorSpec *motor = mb_arena_alloc(&spec->arena, 1, sizeof *motor);
  *motor = (MbMotorSpec){.target = one_signal(spec, test_constant(target)),
                         .stiffness = test_one_number(&spec->arena, k),
                         .damping = test_one_number(&spec->arena, d)};
  return motor;
}

// (q, v) after `steps`
static void run(const MbSceneSpec *spec, int64_t steps, double end[2]) {
  MbModel *model = test_model(spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, steps);
  end[0] = sim->state.q[0], end[1] = sim->state.v[0];
  mb_sim_free(sim);
  mb_model_free(model);
}

// q̈ = 6 t / I: q = t³/I
Test(drives, a_force_moves_its_coordinate) {
  const MbJointKind kinds[] = {MB_JOINT_REVOLUTE, MB_JOINT_PRISMATIC};
  for (int i = 0; i < 2; i++) {
    MbSceneSpec spec = driven(MB_RK45, 0.1, kinds[i]);
    spec.bodies[0].joint.force = one_signal(&spec, test_expression("6*t"));
    double end[2];
    run(&spec, 10, end);
    test_near("q, v", end, (double[]){1 / INERTIA, 3 / INERTIA}, 2, 1e-9);
    mb_arena_free(&spec.arena);
  }
}

// I q̈ = k (T − q) − d q̇ from rest: q = T (1 − e^(−a t)(cos ω t + (a/ω) sin ω t)), a = d/2I, ω² = k/I − a²
Test(drives, a_motor_swings_to_its_target) {
  MbSceneSpec spec = driven(MB_RK45, 0.1, MB_JOINT_REVOLUTE);
  const double k = 50, d = 4, T = 0.7, a = d / (2 * INERTIA), w = sqrt(k / INERTIA - a * a);
  spec.bodies[0].joint.motor = servo(&spec, k, d, T);
  for (int i = 1; i <= 10; i++) {
    double end[2];
    run(&spec, i, end);
    const double t = 0.1 * i, q = T * (1 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t)));
    test_near("q", end, &q, 1, 1e-9);
  }
  mb_arena_free(&spec.arena);
}

// joint.force at a frame's time: what is applied, and what the motor gives
Test(drives, a_frame_tells_the_force) {
  MbSceneSpec spec = driven(MB_IMPLICIT, 0.1, MB_JOINT_REVOLUTE);
  const char *channels[] = {"joint.force"};
  spec.output.channels = channels, spec.output.nchannels = 1;
  spec.bodies[0].joint.force = one_signal(&spec, test_expression("6*t"));
  spec.bodies[0].joint.motor = servo(&spec, 50, 4, 0.7);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, 3);
  double force;
  cr_assert_eq(mb_sim_frame_size(sim), 1);
  mb_sim_sample(sim, &force, NULL);
  const double wanted = 6 * 0.3 + 50 * (0.7 - sim->state.q[0]) - 4 * sim->state.v[0];
  test_near("force", &force, &wanted, 1, 1e-12);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(drives, a_motor_pulls_no_more_than_its_most) {
  MbSceneSpec spec = driven(MB_RK45, 0.1, MB_JOINT_REVOLUTE);
  spec.bodies[0].joint.motor = servo(&spec, 1e4, 0, 100);
  spec.bodies[0].joint.motor->max = test_one_number(&spec.arena, 3);
  double end[2];
  run(&spec, 10, end);
  test_near("q, v", end, (double[]){1.5 / INERTIA, 3 / INERTIA}, 2, 1e-9);
  mb_arena_free(&spec.arena);
}

// One implicit step: (I + h d + h² k) v⁺ = I v + h (k (T − q)); at its most a motor has no derivatives.
Test(drives, implicit_steps_know_the_motors_derivatives) {
  for (int k = 0; k < 4; k++) {
    const bool limited = k / 2;
    MbSceneSpec spec = driven(MB_IMPLICIT, 0.1, MB_JOINT_REVOLUTE);
    spec.solver.dynamics = k % 2 ? MB_DENSE : MB_RECURSIVE;
    spec.bodies[0].joint.velocity = test_one_number(&spec.arena, 0.5);
    spec.bodies[0].joint.motor = servo(&spec, 1e5, 300, 0.4);
    if (limited) spec.bodies[0].joint.motor->max = test_one_number(&spec.arena, 70);
    double end[2];
    run(&spec, 1, end);
    const double v = limited ? 0.5 + 0.1 * 70 / INERTIA
                             : (INERTIA * 0.5 + 0.1 * 1e5 * 0.4) / (INERTIA + 0.1 * 300 + 0.01 * 1e5);
    test_near("v", &end[1], &v, 1, 1e-12);
    mb_arena_free(&spec.arena);
  }
}

// I q̈ = d (r − q̇) from rest: q̇ = r (1 − e^(−d t/I))
Test(drives, a_motor_without_stiffness_comes_to_its_target_velocity) {
  MbSceneSpec spec = driven(MB_RK45, 0.1, MB_JOINT_REVOLUTE);
  const double d = 4, rate = 3;
  spec.bodies[0].joint.motor = &(MbMotorSpec){.target_velocity = one_signal(&spec, test_constant(rate)),
                                              .damping = test_one_number(&spec.arena, d)};
  double end[2];
  run(&spec, 7, end);
  const double v = rate * (1 - exp(-d * 0.7 / INERTIA));
  test_near("v", &end[1], &v, 1, 1e-9);
  mb_arena_free(&spec.arena);
}

// With the target's own rate nothing pulls as long as it is on its way: no lag.
Test(drives, a_motor_that_knows_its_targets_rate_does_not_lag) {
  for (int known = 0; known < 2; known++) {
    MbSceneSpec spec = driven(MB_RK45, 0.01, MB_JOINT_REVOLUTE);
    spec.bodies[0].joint.velocity = test_one_number(&spec.arena, 2);
    spec.bodies[0].joint.motor = servo(&spec, 50, 40, 0);
    spec.bodies[0].joint.motor->target = one_signal(&spec, test_expression("2*t"));
    if (known) spec.bodies[0].joint.motor->target_velocity = one_signal(&spec, test_constant(2));
    double end[2];
    run(&spec, 500, end);
    const double q = known ? 10 : 10 - 40. / 50 * 2; // it lags by damping/stiffness of the rate
    test_near("q", &end[0], &q, 1, known ? 1e-8 : 0.05);
    mb_arena_free(&spec.arena);
  }
}

// One implicit step: (I + h d + h² k) v⁺ = I v + h (k (T − q) + d r); the target velocity changes no derivative, and counts in
// what the motor's most cuts off.
Test(drives, implicit_steps_take_the_target_velocity_in) {
  for (int limited = 0; limited < 2; limited++) {
    MbSceneSpec spec = driven(MB_IMPLICIT, 0.1, MB_JOINT_REVOLUTE);
    spec.bodies[0].joint.velocity = test_one_number(&spec.arena, 0.5);
    spec.bodies[0].joint.motor = servo(&spec, 1e3, 300, 0.4);
    spec.bodies[0].joint.motor->target_velocity = one_signal(&spec, test_constant(7));
    if (limited) spec.bodies[0].joint.motor->max = test_one_number(&spec.arena, 2000);
    double end[2];
    run(&spec, 1, end);
    const double v = limited
                         ? 0.5 + 0.1 * 2000 / INERTIA
                         : (INERTIA * 0.5 + 0.1 * (1e3 * 0.4 + 300 * 7)) / (INERTIA + 0.1 * 300 + 0.01 * 1e3);
    test_near("v", &end[1], &v, 1, 1e-12);
    mb_arena_free(&spec.arena);
  }
}

// The derivatives that a step takes, against differences of the forces, for motors with and without target velocities.
Test(drives, derivatives_are_those_of_the_forces) {
  static const double STEP = 1e-6, CLOSE = 1e-5;
  MbSceneSpec spec = driven(MB_IMPLICIT, 0.1, MB_JOINT_TRANSLATIONAL);
  MbSignalSpec rate[3] = {test_constant(1.5), test_constant(-20), test_constant(0)};
  const double most[3] = {1e6, 30, 1e6};
  spec.bodies[0].joint.motor = servo(&spec, 50, 4, 0.7);
  spec.bodies[0].joint.motor->target_velocity = (MbSignalsSpec){.count = 3, .signal = rate};
  spec.bodies[0].joint.motor->max = (MbNumbersSpec){3, most};
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double q[3] = {0.1, 0.2, 0.3}, v[3] = {1, 2, 3}, K[3], D[3];
  sim->x.q = q, sim->x.v = v;
  for (size_t i = 0; i < model->nsignals; i++) sim->signal[i] = model->signals[i].value;
  mb_coordinates_derivatives(model, &sim->x, K, D);
  for (int i = 0; i < 3; i++)
    for (int of_rate = 0; of_rate < 2; of_rate++) {
      double high[3] = {0}, low[3] = {0}, *place = of_rate ? &v[i] : &q[i];
      const double before = *place;
      *place = before + STEP, mb_coordinates_drives(model, &sim->x, q, v, high);
      *place = before - STEP, mb_coordinates_drives(model, &sim->x, q, v, low);
      *place = before;
      const double slope = -(high[i] - low[i]) / (2 * STEP);
      test_near(of_rate ? "D" : "K", of_rate ? &D[i] : &K[i], &slope, 1, CLOSE);
    }
  cr_expect_eq(D[1], 0, "at its most");
  cr_expect_eq(D[0], 4);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// The bound of the motor's force must not turn it into a number.
Test(drives, a_target_that_is_no_number_ends_the_run_though_the_motor_has_a_most) {
  for (int rate = 0; rate < 2; rate++) {
    MbSceneSpec spec = driven(MB_IMPLICIT, 0.01, MB_JOINT_REVOLUTE);
    MbMotorSpec *motor = spec.bodies[0].joint.motor = servo(&spec, 50, 4, 0);
    *(rate ? &motor->target_velocity : &motor->target) = one_signal(&spec, test_expression("sqrt(0.045-t)"));
    motor->max = test_one_number(&spec.arena, 3);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    MbReport report = {0};
    MbStatus status = MB_OK;
    for (int k = 0; k < 10 && status == MB_OK; k++) status = mb_sim_step(sim, &report);
    cr_expect_eq(status, MB_NUMBERS);
    cr_expect(strstr(report.issues[0].text, rate ? "target velocity of the motor of \"wheel\" is nan"
                                                 : "target of the motor of \"wheel\" is nan"),
              "%s", report.issues[0].text);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// What one joint has is shared by its degrees of freedom, or given for each.
Test(drives, forces_are_for_all_degrees_of_freedom_or_each) {
  for (uint32_t n = 1; n <= 3; n += 2) {
    MbSceneSpec spec = driven(MB_RK45, 0.1, MB_JOINT_TRANSLATIONAL);
    MbSignalSpec each[3] = {test_constant(2), test_constant(n == 1 ? 2 : -4), test_constant(n == 1 ? 2 : 0)};
    spec.bodies[0].joint.force = (MbSignalsSpec){.count = n, .signal = each};
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 10);
    for (int i = 0; i < 3; i++) {
      const double v = each[i].value / INERTIA;
      test_near("v", &sim->state.v[i], &v, 1, 1e-10);
    }
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
