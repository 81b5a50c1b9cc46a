// Runs of trees of joints under every integrator: resume, threads, memory, failure; stiff and damped joints.
#include "core/base/alloc.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

static MbSceneSpec forest(MbIntegratorKind kind, MbDynamics dynamics) {
  uint64_t seed = 5;
  MbSceneSpec spec = test_forest(kind, &seed);
  spec.time.step = 0.005;
  spec.solver.dynamics = dynamics;
  MbBodySpec *spinner = test_random_body(&spec, &seed);
  test_hang(&spec, spinner, MB_JOINT_SPHERICAL, NULL, &seed);
  spinner->joint.velocity = test_one_number(&spec.arena, 6);
  spinner->joint.damping = spinner->joint.stiffness = test_one_number(&spec.arena, 0);
  MbForceSpec *force = test_force(&spec, MB_FORCE_POINT, spec.bodies[3].name);
  test_wrench(force)->at[0] = 0.3, test_wrench(force)->force[1] = test_expression("3*sin(5*t)");
  return spec;
}

// The checkpoint is t, q and v: half steps start from nothing else. In 200 steps the spinner's
// rotation vector is exchanged for another.
Test(tree_runs_long, a_resumed_run_is_bitwise_the_uninterrupted_one) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++)
      for (int at = 0; at <= 200; at += 100) {
        MbSceneSpec spec = forest(kind, dynamics);
        MbModel *model = test_model(&spec);
        MbSim *whole = test_sim(model, 1), *resumed = test_sim(model, 1);
        test_steps(whole, at);
        const size_t size = mb_sim_checkpoint_size(whole);
        void *bytes = mb_arena_alloc(&spec.arena, size, 1), *again = mb_arena_alloc(&spec.arena, size, 1);
        mb_sim_checkpoint(whole, bytes);
        MbReport report = {0};
        test_steps(resumed, 7); // what it did before must leave no trace
        test_ok(mb_sim_restore(resumed, bytes, size, &report), &report);
        test_steps(whole, 30);
        test_steps(resumed, 30);
        mb_sim_checkpoint(whole, bytes);
        mb_sim_checkpoint(resumed, again);
        cr_expect_eq(memcmp(bytes, again, size), 0, "%s, %s, resumed at step %d", mb_integrator_words[kind],
                     mb_dynamics_words[dynamics], at);
        mb_sim_free(whole);
        mb_sim_free(resumed);
        mb_model_free(model);
        mb_arena_free(&spec.arena);
      }
}

// Five hundred pendulums, more than a thread's least share of bodies.
static MbSceneSpec pendulums(MbIntegratorKind kind) {
  uint64_t seed = 6;
  MbSceneSpec spec = test_scene(kind, 0.01, 1);
  spec.gravity[2] = -9.81;
  for (int i = 0; i < 500; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    test_hang(&spec, body, i % 3 ? MB_JOINT_REVOLUTE : MB_JOINT_SPHERICAL,
              i % 5 ? spec.bodies[i - 1].name : NULL, &seed);
  }
  return spec;
}

Test(tree_runs_long, two_threads_give_the_same_bits_as_one) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = pendulums(kind);
    MbModel *model = test_model(&spec);
    MbSim *one = test_sim(model, 1), *two = test_sim(model, 2);
    test_steps(one, 20);
    test_steps(two, 20);
    cr_expect_eq(memcmp(one->state.q, two->state.q, one->nq * sizeof(double)), 0, "%s: coordinates",
                 mb_integrator_words[kind]);
    cr_expect_eq(memcmp(one->state.v, two->state.v, one->nv * sizeof(double)), 0, "%s: velocities",
                 mb_integrator_words[kind]);
    mb_sim_free(one);
    mb_sim_free(two);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(tree_runs, steps_do_not_allocate_and_nothing_leaks) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++) {
      MbSceneSpec spec = forest(kind, dynamics);
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      const int64_t before = mb_alloc_calls();
      test_steps(sim, 20);
      cr_expect_eq(mb_alloc_calls(), before, "%s, %s", mb_integrator_words[kind],
                   mb_dynamics_words[dynamics]);
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
      cr_expect_eq(mb_alloc_live(), 0, "%s, %s leaks", mb_integrator_words[kind],
                   mb_dynamics_words[dynamics]);
    }
}

Test(tree_runs, running_out_of_memory_anywhere_is_clean) {
  for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++)
    for (int k = 0;; k++) {
      MbSceneSpec spec = forest(MB_BRIDSON_MARINO, dynamics);
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

// A force that is infinite from some time on, the half of a step too.
Test(tree_runs, a_blow_up_names_time_step_and_body_and_leaves_the_state) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++) {
      const char *word = mb_integrator_words[kind], *how = mb_dynamics_words[dynamics];
      MbSceneSpec spec = forest(kind, dynamics);
      MbForceSpec *force = test_force(&spec, MB_FORCE_WRENCH, spec.bodies[9].name);
      test_wrench(force)->force[0] = test_expression("1/(t < 0.0263 ? 1 : 0)");
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      double *q = mb_arena_alloc(&spec.arena, sim->nq, sizeof *q);
      double *v = mb_arena_alloc(&spec.arena, sim->nv, sizeof *v);
      double *phi = mb_arena_alloc(&spec.arena, 6 * model->nb, sizeof *phi);
      MbReport report = {0};
      MbStatus status = MB_OK;
      while (status == MB_OK && sim->state.step < 100) {
        memcpy(q, sim->state.q, sim->nq * sizeof *q);
        memcpy(v, sim->state.v, sim->nv * sizeof *v);
        memcpy(phi, sim->x.phi, 6 * model->nb * sizeof *phi);
        status = mb_sim_step(sim, &report);
      }
      cr_assert_eq(status, MB_NUMBERS, "%s, %s", word, how);
      const char *text = report.issues[0].text;
      cr_expect(strstr(text, "t = 0.0") && strstr(text, "body \""), "%s, %s: %s", word, how, text);
      cr_expect_eq(memcmp(q, sim->state.q, sim->nq * sizeof *q), 0, "%s, %s: coordinates moved", word, how);
      cr_expect_eq(memcmp(v, sim->state.v, sim->nv * sizeof *v), 0, "%s, %s: velocities moved", word, how);
      test_near("twists", sim->x.phi, phi, 6 * model->nb, 0);
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

// ---- stiff and damped joints ------------------------------------------------------------------------------

// The chain with a spring and a damper in every joint, at rest where it is: it sags and swings, or settles.
typedef struct Swing {
  double rise;           // of the energy above that of the start
  double off;            // joints' greatest way from rest, rad
  double speed;          // joints' greatest velocity at the end
  double kinetic, start; // greatest kinetic energy; the energy at the start
} Swing;

static Swing swing(MbIntegratorKind kind, double h, double end, double stiffness, double damping,
                   double bend) {
  MbSceneSpec spec = test_chain(kind, h);
  for (size_t b = 0; b < spec.nbodies; b++) {
    MbJointSpec *joint = &spec.bodies[b].joint;
    joint->stiffness = test_one_number(&spec.arena, stiffness);
    joint->damping = test_one_number(&spec.arena, damping);
    joint->rest = test_one_number(&spec.arena, 0.2 - bend);
  }
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const double E0 = mb_energy(model, &sim->x).total;
  Swing s = {.start = E0};
  for (long i = 0; i < lrint(end / h); i++) {
    test_steps(sim, 1);
    const MbEnergy E = mb_energy(model, &sim->x);
    s.rise = fmax(s.rise, E.total - E0);
    s.kinetic = fmax(s.kinetic, E.kinetic);
    for (size_t j = 0; j < model->nv; j++) s.off = fmax(s.off, fabs(sim->state.q[j] - model->rest[j]));
  }
  for (size_t j = 0; j < model->nv; j++) s.speed = fmax(s.speed, fabs(sim->state.v[j]));
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return s;
}

// The weight of ten links on the first joint gives a static sag of 150 Nm by the stiffness, let go suddenly twice that.
static const double SAG = 2.5 * 150;

Test(tree_runs, trapezoidal_is_stable_with_stiff_joints) {
  for (double stiffness = 1e4; stiffness < 1e9; stiffness *= 100) {
    const Swing s = swing(MB_TRAPEZOIDAL, 0.01, 20, stiffness, 0, 0);
    printf("trapezoidal, joints of %g Nm/rad, h = 0.01: %.1e rad from rest, energy %.1e J up\n", stiffness,
           s.off, s.rise);
    cr_expect_lt(s.off, SAG / stiffness, "%g rad from rest at %g Nm/rad", s.off, stiffness);
    cr_expect_lt(s.rise, 1e-4, "the energy rose by %g J at %g Nm/rad", s.rise, stiffness);
  }
}

// Bent away from rest: 0.05 rad in every joint, hundreds of radians a step if the frequencies were followed.
Test(tree_runs, trapezoidal_keeps_stiff_joints_that_swing_within_their_energy) {
  static const double SHARE = 0.3; // of the energy at the start; up to 0.09 seen, to and fro without a trend
  for (double stiffness = 1e4; stiffness < 1e9; stiffness *= 100) {
    const Swing s = swing(MB_TRAPEZOIDAL, 0.01, 20, stiffness, 0, 0.05);
    const double scale = fabs(s.start);
    printf(
        "trapezoidal, joints of %g Nm/rad bent by 0.05: %.2f rad from rest, energy of %.3g J up by %.3g J\n",
        stiffness, s.off, s.start, s.rise);
    cr_expect_lt(s.rise, SHARE * scale, "the energy of %g J rose by %g J", s.start, s.rise);
  }
}

// Its stiffness is explicit, as in velocity Verlet: stable where h is below 2/ω.
Test(tree_runs, bridson_marino_is_stable_with_joints_that_its_step_follows) {
  const Swing s = swing(MB_BRIDSON_MARINO, 1e-3, 10, 1e4, 0, 0);
  printf("bridson_marino, joints of 1e4 Nm/rad, h = 0.001: %.1e rad from rest, energy %.1e J up\n", s.off,
         s.rise);
  cr_expect_lt(s.off, SAG / 1e4);
  cr_expect_lt(s.rise, 1e-3, "the energy rose by %g J", s.rise);
}

Test(tree_runs, damped_joints_lose_energy_whatever_the_damping) {
  static const double ROUNDING = 1e-9; // J, of some hundred
  for (int k = 0; k < 2; k++)
    for (double damping = 1; damping < 1e7; damping *= 10) {
      const MbIntegratorKind kind = k ? MB_BRIDSON_MARINO : MB_TRAPEZOIDAL;
      const Swing s = swing(kind, 0.01, 10, 0, damping, 0);
      cr_expect_lt(s.rise, ROUNDING, "%s, damping %g: energy up by %g J", mb_integrator_words[kind], damping,
                   s.rise);
    }
}

Test(tree_runs, stiff_joints_with_damping_settle) {
  static const double STILL =
      1e-4; // rad/s: what stiff damping leaves goes on alternating, a little less each step
  for (int k = 0; k < 2; k++)
    for (double stiffness = 1e4; stiffness < 1e9; stiffness *= 100) {
      const MbIntegratorKind kind = k ? MB_BRIDSON_MARINO : MB_TRAPEZOIDAL;
      const Swing s = swing(kind, 0.01, 20, stiffness, stiffness / 100, 0);
      printf("%s, joints of %g Nm/rad, %g Nms/rad, h = 0.01: %.1e rad/s at the end\n",
             mb_integrator_words[kind], stiffness, stiffness / 100, s.speed);
      cr_expect_lt(s.speed, STILL, "%s at %g Nm/rad", mb_integrator_words[kind], stiffness);
      cr_expect_lt(s.off, SAG / stiffness, "%s: %g rad from rest at %g Nm/rad", mb_integrator_words[kind],
                   s.off, stiffness);
    }
}
