// What a run says about numbers that will fail, or did: who is to blame.
#include "core/base/alloc.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static const MbIntegratorKind kinds[] = {MB_SYMPLECTIC, MB_IMPLICIT, MB_TRAPEZOIDAL, MB_BRIDSON_MARINO,
                                         MB_RK45};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Steps until it fails; the report says why.
static MbReport failure(MbSceneSpec *spec) {
  MbReport report = {0};
  MbModel *model = test_model(spec);
  MbSim *sim = test_sim(model, 1);
  MbStatus status = MB_OK;
  while (status == MB_OK && mb_sim_steps(sim) < spec->time.steps) status = mb_sim_step(sim, &report);
  cr_assert_eq(status, MB_NUMBERS, "%s: it did not fail", mb_integrator_words[spec->integrator.kind]);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec->arena);
  return report;
}

static void expect(const MbReport *report, const char *text) {
  cr_assert(strstr(report->issues[0].text, text), "\"%s\" does not say \"%s\"", report->issues[0].text, text);
}

static MbForceSpec *pushed(MbSceneSpec *spec, MbForceKind kind) {
  test_body(spec, "calm", 1, 1, 1, 1);
  test_body(spec, "ball", 1, 1, 1, 1);
  MbForceSpec *force = test_force(spec, kind, "ball");
  for (int i = 0; i < 3; i++) test_wrench(force)->force[i] = test_wrench(force)->torque[i] = test_constant(0);
  return force;
}

Test(trouble, a_signal_that_is_not_finite_is_named_with_its_time) {
  for (int k = 0; k < KINDS; k++) {
    MbSceneSpec spec = test_scene(kinds[k], 0.01, 30);
    test_wrench(pushed(&spec, MB_FORCE_WRENCH))->torque[1] = test_expression("sqrt(0.105-t)");
    const MbReport report = failure(&spec);
    expect(&report, "at t = 0.1");
    expect(&report, "torque y of the wrench \"forces/0\" on body \"ball\" is nan: \"=sqrt(0.105-t)\"");
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(trouble, a_force_that_overflows_is_named) {
  for (int k = 0; k < KINDS; k++) {
    MbSceneSpec spec = test_scene(kinds[k], 0.01, 30);
    MbForceSpec *force = pushed(&spec, MB_FORCE_POINT);
    test_wrench(force)->at[0] = 1e200;
    test_wrench(force)->force[1] = test_constant(1e150);
    const MbReport report = failure(&spec);
    expect(&report, "the point_force \"forces/0\" on body \"ball\" is not finite");
  }
}

Test(trouble, a_body_that_grows_by_itself_is_still_named) {
  for (int k = 0; k < KINDS; k++) {
    MbSceneSpec spec = test_scene(kinds[k], 0.01, 100);
    test_wrench(pushed(&spec, MB_FORCE_WRENCH))->force[0] = test_expression("exp(1000*t)");
    const MbReport report = failure(&spec);
    expect(&report, "body \"ball\" has grown beyond all bounds");
  }
}

// The warnings of a pendulum with a light ball, damped in its joint, by its own drag or by the scene's.
static MbReport damped(MbIntegratorKind kind, double joint, double own, double everywhere) {
  MbReport report = {0};
  MbSceneSpec spec = test_scene(kind, 0.01, 1);
  test_body(&spec, "heavy", 100, 100, 100, 100);
  MbBodySpec *ball = test_body(&spec, "ball", 1, 1, 1, 1);
  ball->jointed = true;
  ball->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 0, 1}};
  ball->joint.in_parent.rotation[0] = ball->joint.in_body.rotation[0] = 1;
  ball->joint.damping = (MbNumbersSpec){1, &joint};
  ball->damping = own;
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = everywhere;
  MbModel *model = test_model(&spec);
  MbSim *sim = NULL;
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return report;
}

Test(trouble, damping_that_holds_rk45_to_tiny_steps_is_a_warning) {
  // a moment of 1 kg m² and the step 0.01 s: 330 steps in one at a rate of 1.1e5 1/s
  const double strong = 1.1e5;
  const MbReport by[] = {damped(MB_RK45, strong, 0, 0), damped(MB_RK45, 0, strong, 0),
                         damped(MB_RK45, 0, 0, strong)};
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(by[i].warnings, 1, "case %d: %d warnings", i, by[i].warnings);
    expect(&by[i], "body \"ball\" at a rate of 1.1e+05 1/s");
    expect(&by[i], "333 in each");
    cr_assert_str_eq(by[i].issues[0].where, "/bodies/1");
  }
  cr_assert_eq(damped(MB_RK45, 1, 1, 1).warnings, 0);
  cr_assert_eq(damped(MB_IMPLICIT, strong, 0, 0).warnings, 0);
  cr_assert_eq(mb_alloc_live(), 0);
}

static const MbPointSpec ends[] = {{.body = "left", .frame.rotation = {1}},
                                   {.body = "right", .frame.rotation = {1}}};

// Two bodies of 1 kg at a distance of 1 m, and a force of that kind between them.
static MbForceSpec *couple(MbSceneSpec *spec, MbForceKind kind) {
  test_body(spec, "left", 1, 1, 1, 1);
  test_body(spec, "right", 1, 1, 1, 1)->pose.position[0] = 1;
  MbForceSpec *force = test_force(spec, kind, NULL);
  force->name = "link";
  force->npoints = 2;
  force->points = (MbPointSpec *)ends;
  test_pull(force, (double[]){0, 0}, (double[]){0, 0}, NAN);
  return force;
}

Test(trouble, damping_between_two_bodies_counts_too) {
  MbReport report = {0};
  MbSceneSpec spec = test_scene(MB_RK45, 0.01, 1);
  test_spring(couple(&spec, MB_FORCE_SPRING))->damping = 1e5; // they stop each other at twice the rate
  MbModel *model = test_model(&spec);
  MbSim *sim = NULL;
  test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
  cr_assert_eq(report.warnings, 1);
  expect(&report, "at a rate of 2e+05 1/s");
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(trouble, a_muscle_whose_activation_is_no_number_is_named) {
  for (int k = 0; k < KINDS; k++) {
    MbSceneSpec spec = test_scene(kinds[k], 0.01, 30);
    MbForceSpec *force = couple(&spec, MB_FORCE_MUSCLE);
    test_muscle(force)->numbers = (MbMuscle){.max_force = 1, .optimal_length = 1, .max_velocity = 10};
    test_muscle(force)->activation = test_expression("sqrt(0.105-t)");
    const MbReport report = failure(&spec);
    expect(&report, "activation of the muscle \"link\" is nan: \"=sqrt(0.105-t)\"");
  }
}

Test(trouble, a_start_beyond_all_bounds_is_refused_with_the_body) {
  for (int solver = 0; solver < 2; solver++) {
    MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 0);
    MbReport report = {0};
    MbModel *model = NULL;
    MbSim *sim = NULL;
    spec.solver.kind = solver ? MB_SOLVER_MAXIMAL : MB_SOLVER_REDMAX;
    test_body(&spec, "calm", 1, 1, 1, 1);
    test_body(&spec, "shot", 1, 1, 1, 1)->linear[0] = 1e200;
    test_ok(mb_compile(&spec, &model, &report), &report);
    cr_assert_eq(mb_sim_create(model, NULL, &sim, &report), MB_SCENE);
    cr_assert_null(sim);
    expect(&report, "at t = 0 s, step 0: body \"shot\" starts beyond all bounds (speed 1e+200 m/s");
    cr_assert_str_eq(report.issues[0].where, "/bodies/1");
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// A body of 1e290 kg is no trouble at rest; its kinetic energy is as soon as it moves.
Test(trouble, a_number_of_a_frame_that_is_not_finite_is_named) {
  for (int start = 0; start < 2; start++) {
    MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 0.01, 30);
    MbReport report = {0};
    MbModel *model = NULL;
    MbSim *sim = NULL;
    MbForceSpec *force = pushed(&spec, MB_FORCE_WRENCH);
    spec.bodies[1].inertia->mass = 1e290;
    spec.bodies[1].linear[2] = start ? 1e10 : 0;
    test_wrench(force)->force[2] = test_constant(1e301);
    test_ok(mb_compile(&spec, &model, &report), &report);
    MbStatus status = mb_sim_create(model, NULL, &sim, &report);
    cr_assert_eq(status, start ? MB_SCENE : MB_OK);
    double *frame = start ? NULL : mb_arena_alloc(&spec.arena, mb_sim_frame_size(sim), sizeof *frame);
    for (int i = 0; i < 30 && status == MB_OK; i++) {
      test_steps(sim, 1);
      mb_sim_sample(sim, frame, NULL);
      status = mb_sim_check_frame(sim, frame, &report);
    }
    cr_assert_eq(status, start ? MB_SCENE : MB_NUMBERS);
    expect(&report,
           start ? "at t = 0 s, step 0: energy (kinetic) is inf" : "step 2: energy (kinetic) is inf");
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}
