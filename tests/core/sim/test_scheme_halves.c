// Trees of joints under the integrators with fixed steps: orders and energy.
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 }; // bodies of a scene here

static MbSceneSpec chain(MbIntegratorKind kind, MbJointKind unused, double h) {
  (void)unused;
  return test_chain(kind, h);
}

// The forest with forces that vary in time, in both sorts of axes, on bodies deep in it and free in space.
static MbSceneSpec loaded_forest(MbIntegratorKind kind, MbJointKind unused, double h) {
  (void)unused;
  uint64_t seed = 12;
  MbSceneSpec spec = test_forest(kind, &seed);
  spec.time.step = h;
  for (size_t b = 0; b < spec.nbodies; b += 4) {
    MbForceSpec *pull = test_force(&spec, MB_FORCE_POINT, spec.bodies[b].name);
    for (int i = 0; i < 3; i++) test_wrench(pull)->at[i] = test_around_zero(&seed);
    test_wrench(pull)->force[0] = test_expression("6*cos(5*t)"),
    test_wrench(pull)->force[2] = test_constant(4);
    MbForceSpec *jet = test_force(&spec, MB_FORCE_WRENCH, spec.bodies[b + 1].name);
    test_wrench(jet)->axes = b % 8 ? MB_AXES_WORLD : MB_AXES_BODY;
    test_wrench(jet)->torque[1] = test_expression("2*sin(4*t)"),
    test_wrench(jet)->force[0] = test_expression("3*t");
  }
  for (size_t b = 0; b < spec.nbodies; b++)
    for (int i = 0; i < 3 && !spec.bodies[b].jointed; i++)
      spec.bodies[b].angular[i] = 3 * test_around_zero(&seed);
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.2;
  return spec;
}

// A tree that hangs on nothing: a body free in space, tumbling, and three more on joints of one kind.
static MbSceneSpec floating_tree(MbIntegratorKind kind, MbJointKind joint, double h) {
  uint64_t seed = 40;
  MbSceneSpec spec = test_scene(kind, h, 1);
  spec.gravity[2] = -9.81;
  MbBodySpec *root = test_random_body(&spec, &seed);
  mb_vec3_set(root->angular, 1.5, -2, 1);
  mb_vec3_set(root->linear, 0.3, -0.2, 0.1);
  for (int i = 0; i < 3; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    test_hang(&spec, body, joint, spec.bodies[i == 2 ? 0 : i].name, &seed);
  }
  return spec;
}

typedef MbSceneSpec (*Scene)(MbIntegratorKind kind, MbJointKind joint, double h);

// Positions, rotations and twists of all bodies at time `end`: what does not depend on the choice of coordinates.
static size_t end_state(Scene scene, MbJointKind joint, MbIntegratorKind kind, MbDynamics dynamics, double h,
                        double end, double state[18 * MOST]) {
  MbSceneSpec spec = scene(kind, joint, h);
  spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-12;
  spec.solver.dynamics = dynamics;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, lrint(end / h));
  const size_t nb = model->nb;
  cr_assert_leq(nb, MOST);
  for (size_t b = 0; b < nb; b++) {
    memcpy(state + 18 * b, sim->x.E[b].p, 3 * sizeof *state);
    mb_quat_to_mat3(state + 18 * b + 3, sim->x.E[b].q);
    memcpy(state + 18 * b + 12, sim->x.phi + 6 * b, 6 * sizeof *state);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return 18 * nb;
}

static double distance(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

typedef struct Problem {
  const char *name;
  Scene scene;
  MbJointKind joint;
  double h, end;
} Problem;

// Errors against a tight rk45 at h, h/2, h/4; their slope; how far the limit h → 0 is from rk45.
typedef struct Measured {
  double error[3], order, left;
} Measured;

static Measured measure(const Problem *p, MbIntegratorKind kind, MbDynamics dynamics, const double *exact) {
  static const double SLOPE = 0.1; // the next power of h still shows at these steps
  static const double LIMIT = 0.2; // what may be left of the last error when its first power is taken out
  static const int wanted[] = {
      [MB_SYMPLECTIC] = 1, [MB_IMPLICIT] = 1, [MB_TRAPEZOIDAL] = 2, [MB_BRIDSON_MARINO] = 2};
  static double state[3][18 * MOST], limit[18 * MOST];
  const char *word = mb_integrator_words[kind], *how = mb_dynamics_words[dynamics];
  const double power = pow(2, wanted[kind]);
  Measured m;
  size_t n = 0;
  for (int k = 0; k < 3; k++) {
    n = end_state(p->scene, p->joint, kind, dynamics, p->h / (1 << k), p->end, state[k]);
    m.error[k] = distance(state[k], exact, n);
  }
  for (size_t i = 0; i < n; i++) limit[i] = (power * state[2][i] - state[1][i]) / (power - 1);
  m.order = log2(m.error[1] / m.error[2]);
  m.left = distance(limit, exact, n);
  cr_expect(fabs(m.order - wanted[kind]) < SLOPE, "%s, %s, on %s: order %.3f, wanted %d", word, how, p->name,
            m.order, wanted[kind]);
  cr_expect(m.left < LIMIT * m.error[2],
            "%s, %s, on %s tends to a limit %g away from rk45's, its error is %g", word, how, p->name, m.left,
            m.error[2]);
  return m;
}

static void measure_orders(const Problem *p) {
  static double exact[18 * MOST];
  char first[32];
  snprintf(first, sizeof first, "h = 1/%g", 1 / p->h);
  end_state(p->scene, p->joint, MB_RK45, MB_RECURSIVE, p->h, p->end, exact);
  printf("%-27s %12s %12s %12s   order   limit\n", p->name, first, "h/2", "h/4");
  for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++)
    for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++) {
      const Measured m = measure(p, kind, dynamics, exact);
      printf("  %-15s %-9s %12.3e %12.3e %12.3e   %5.3f   %.1e\n", mb_integrator_words[kind],
             mb_dynamics_words[dynamics], m.error[0], m.error[1], m.error[2], m.order, m.left);
    }
}

Test(half_steps_long, each_integrator_has_its_order_on_a_chain, TEST_LONG) {
  measure_orders(&(Problem){"chain of ten", chain, 0, 1.0 / 1600, 0.5});
}

Test(half_steps_long, each_integrator_has_its_order_on_a_forest_under_every_force, TEST_LONG) {
  measure_orders(&(Problem){"loaded forest", loaded_forest, 0, 1.0 / 800, 0.25});
}

Test(half_steps_long, each_integrator_has_its_order_on_free_floating_trees_of_every_joint, TEST_LONG) {
  static double exact[18 * MOST];
  printf("%-27s", "order, recursive and dense");
  for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) printf(" %16s", mb_integrator_words[kind]);
  printf("\n");
  for (MbJointKind joint = 0; joint < MB_JOINTS; joint++) {
    char name[64];
    snprintf(name, sizeof name, "floating, %s", mb_joint_words[joint]);
    const Problem problem = {name, floating_tree, joint, 1.0 / 800, 0.25};
    end_state(floating_tree, joint, MB_RK45, MB_RECURSIVE, problem.h, problem.end, exact);
    printf("  %-25s", name);
    for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++)
      printf("      %5.3f %5.3f", measure(&problem, kind, MB_RECURSIVE, exact).order,
             measure(&problem, kind, MB_DENSE, exact).order);
    printf("\n");
  }
}

// Greatest |E − E0| until each of two times, and the greatest kinetic energy.
typedef struct Drift {
  double early, late, scale;
} Drift;

static Drift energy_drift(MbIntegratorKind kind, MbDynamics dynamics, double h, double early, double late) {
  MbSceneSpec spec = test_chain(kind, h);
  spec.solver.dynamics = dynamics;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const double E0 = mb_energy(model, &sim->x).total;
  Drift drift = {0};
  for (long i = 0; i < lrint(late / h); i++) {
    test_steps(sim, 1);
    const MbEnergy E = mb_energy(model, &sim->x);
    drift.late = fmax(drift.late, fabs(E.total - E0));
    if (i < lrint(early / h)) drift.early = drift.late;
    drift.scale = fmax(drift.scale, E.kinetic);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return drift;
}

// The chain falls and whips about: after some seconds two runs with different steps have nothing in common, and the
// greatest error depends on how sharp a whip each met; within the first second it is the error's h² alone.
Test(half_steps_long, energy_of_a_chain_stays_for_10_s_and_its_error_falls_by_4_with_half_the_step,
     TEST_LONG) {
  static const double BOUND = 5e-4; // of the kinetic energy, at h = 1e-3; 1e-4 seen. symplectic: 0.1
  static const double FALL = 0.3;   // by which the ratio 4 may be off: h³ at these steps
  printf("energy of the chain of ten   error in 1 s: h = 1e-3   5e-4   ratio; in 10 s, h = 1e-3, of the "
         "kinetic\n");
  for (int k = 0; k < 2; k++)
    for (MbDynamics dynamics = MB_RECURSIVE; dynamics <= MB_DENSE; dynamics++) {
      const MbIntegratorKind kind = k ? MB_BRIDSON_MARINO : MB_TRAPEZOIDAL;
      const char *word = mb_integrator_words[kind], *how = mb_dynamics_words[dynamics];
      const Drift one = energy_drift(kind, dynamics, 1e-3, 1, 10),
                  half = energy_drift(kind, dynamics, 5e-4, 1, 1);
      const double ratio = one.early / half.early, share = one.late / one.scale;
      printf("  %-15s %-10s %.3e J %.3e J %6.3f; %.3e J of %.0f J: %.1e\n", word, how, one.early, half.early,
             ratio, one.late, one.scale, share);
      cr_expect(fabs(ratio - 4) < FALL, "%s, %s: half the step, the error by %g", word, how, ratio);
      cr_expect(share < BOUND, "%s, %s: the energy is off by %g of itself", word, how, share);
    }
}

// A body that tumbles by a radian a step, an arm on it, nothing else: what is not converged must decay, not grow.
Test(half_steps, a_fast_tumbling_tree_gains_no_energy) {
  static const double GAIN = 0.01; // it goes up and down before it goes down
  for (int k = 0; k < 2; k++) {
    const MbIntegratorKind kind = k ? MB_BRIDSON_MARINO : MB_TRAPEZOIDAL;
    MbSceneSpec spec = test_scene(kind, 0.01, 1);
    MbBodySpec *body = test_body(&spec, "free", 1, 1, 2, 3);
    mb_vec3_set(body->angular, 1, 100, 1);
    MbBodySpec *arm = test_body(&spec, "arm", 0.2, 0.2, 0.2, 0.1);
    arm->jointed = true;
    arm->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .parent = "free", .axis = {0, 0, 1}};
    arm->joint.in_parent.rotation[0] = arm->joint.in_body.rotation[0] = 1;
    arm->joint.stiffness = test_one_number(&spec.arena, 10);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const double E0 = mb_energy(model, &sim->x).total;
    double most = E0;
    for (int i = 0; i < 5000; i++) {
      test_steps(sim, 1);
      most = fmax(most, mb_energy(model, &sim->x).total);
    }
    printf("%s: a tree that tumbles by a radian a step has %.1e of its energy more at most\n",
           mb_integrator_words[kind], most / E0 - 1);
    cr_expect_lt(most / E0 - 1, GAIN, "%s gains %g", mb_integrator_words[kind], most / E0 - 1);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
