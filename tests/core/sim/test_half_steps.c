// Trees of joints under the integrators with fixed steps: orders, energy, stiffness, resume.
#include "core/base/alloc.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 }; // bodies of a scene here

// Ten links with axes y and z in turn, let go from the horizontal, bent a little at every joint.
static MbSceneSpec chain(MbIntegratorKind kind, double h) {
  MbSceneSpec spec = test_scene(kind, h, 1);
  spec.gravity[2] = -9.81;
  for (int i = 0; i < 10; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    MbBodySpec *body = test_body(&spec, mb_arena_strdup(&spec.arena, name), 1, 0.002, 0.01, 0.01);
    body->inertia.center[0] = 0.15;
    body->jointed = true;
    body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE};
    body->joint.axis[1 + i % 2] = 1;
    body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    if (i) body->joint.parent = spec.bodies[i - 1].name, body->joint.in_parent.position[0] = 0.3;
    body->joint.position = test_one_number(&spec.arena, 0.2);
  }
  return spec;
}

// The forest with forces that vary in time, in both sorts of axes, on bodies deep in it and free in space.
static MbSceneSpec loaded_forest(MbIntegratorKind kind, double h) {
  uint64_t seed = 12;
  MbSceneSpec spec = test_forest(kind, &seed);
  spec.time.step = h;
  for (size_t b = 0; b < spec.nbodies; b += 4) {
    MbForceSpec *pull = test_force(&spec, MB_FORCE_POINT, spec.bodies[b].name);
    for (int i = 0; i < 3; i++) pull->at[i] = test_around_zero(&seed);
    pull->force[0] = test_expression("6*cos(5*t)"), pull->force[2] = test_constant(4);
    MbForceSpec *jet = test_force(&spec, MB_FORCE_WRENCH, spec.bodies[b + 1].name);
    jet->axes = b % 8 ? MB_AXES_WORLD : MB_AXES_BODY;
    jet->torque[1] = test_expression("2*sin(4*t)"), jet->force[0] = test_expression("3*t");
  }
  for (size_t b = 0; b < spec.nbodies; b++)
    for (int i = 0; i < 3 && !spec.bodies[b].jointed; i++)
      spec.bodies[b].angular[i] = 3 * test_around_zero(&seed);
  test_force(&spec, MB_FORCE_DAMPING, NULL)->coefficient = 0.2;
  return spec;
}

typedef MbSceneSpec (*Scene)(MbIntegratorKind kind, double h);

// Positions, rotations and twists of all bodies at time `end`: what does not depend on the choice of coordinates.
static size_t end_state(Scene scene, MbIntegratorKind kind, MbDynamics dynamics, double h, double end,
                        double state[18 * MOST]) {
  MbSceneSpec spec = scene(kind, h);
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

static void measure_orders(const char *name, Scene scene, double h, double end) {
  static const int wanted[] = {
      [MB_SYMPLECTIC] = 1, [MB_IMPLICIT] = 1, [MB_TRAPEZOIDAL] = 2, [MB_BRIDSON_MARINO] = 2};
  static double exact[18 * MOST], state[3][18 * MOST], limit[18 * MOST];
  const size_t n = end_state(scene, MB_RK45, MB_RECURSIVE, h, end, exact);
  printf("%-24s   h = %-8g %12s %12s   order   limit against rk45\n", name, h, "h/2", "h/4");
  for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) {
    double error[4] = {0};
    for (int k = 0; k < 3; k++) {
      end_state(scene, kind, k % 2 ? MB_DENSE : MB_RECURSIVE, h / (1 << k), end, state[k]);
      for (size_t i = 0; i < n; i++) error[k] = fmax(error[k], fabs(state[k][i] - exact[i]));
    }
    // the limit h → 0, by leaving out the error's first power
    const double p = pow(2, wanted[kind]);
    for (size_t i = 0; i < n; i++) {
      limit[i] = (p * state[2][i] - state[1][i]) / (p - 1);
      error[3] = fmax(error[3], fabs(limit[i] - exact[i]));
    }
    const double order = log2(error[1] / error[2]);
    printf("%-24s %12.3e %12.3e %12.3e   %5.3f   %.3e\n", mb_integrator_words[kind], error[0], error[1],
           error[2], order, error[3]);
    cr_expect(fabs(order - wanted[kind]) < 0.1, "%s on %s: order %.3f, wanted %d", mb_integrator_words[kind],
              name, order, wanted[kind]);
    cr_expect_lt(error[3], 0.15 * error[2], "%s on %s does not tend to what rk45 finds",
                 mb_integrator_words[kind], name);
  }
}

Test(half_steps, each_integrator_has_its_order_on_a_chain) {
  measure_orders("chain of ten", chain, 1.0 / 1600, 0.5);
}
Test(half_steps, each_integrator_has_its_order_on_a_forest_under_every_force) {
  measure_orders("loaded forest", loaded_forest, 1.0 / 800, 0.25);
}

Test(half_steps, energy_of_a_chain) {
  static const double steps[] = {1e-2, 1e-3};
  printf("energy of the chain, of %s\n", "its scale");
  for (int k = 0; k < 2; k++)
    for (MbIntegratorKind kind = 0; kind < MB_INTEGRATORS; kind++) {
      MbSceneSpec spec = chain(kind, steps[k]);
      spec.integrator.relative = 1e-9, spec.integrator.absolute = 1e-11;
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      const double E0 = mb_energy(model, &sim->x, sim->state.q).total;
      double most = 0, E = E0;
      MbReport report = {0};
      MbStatus status = MB_OK;
      for (int i = 0; i < lrint(10 / steps[k]); i++) {
        status = mb_sim_step(sim, &report);
        if (status != MB_OK) break;
        E = mb_energy(model, &sim->x, sim->state.q).total;
        most = fmax(most, fabs(E - E0));
      }
      printf("%-16s h %g: at the end %+.3e, most %.3e %s\n", mb_integrator_words[kind], steps[k], E - E0,
             most, status ? "FAILED" : "");
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}
