// Reduced coordinates: the two inverses agree with each other and with A itself; and motions that are known.
#include "core/model/coordinates.h"
#include "core/solvers/solvers.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

// A x by products with J alone: momentum, blocks, the joints' own
static void multiply(MbSim *sim, double a, double b, const double *x, double *y) {
  sim->solver->momentum(sim->work, x, y);
  mb_sim_add_blocks(sim, -a, -b, x, y);
}

Test(redmax, dense_and_recursive_invert_the_same_matrix) {
  uint64_t seed = 21;
  for (int round = 0; round < 20; round++) {
    MbSceneSpec spec = test_forest(MB_IMPLICIT, &seed);
    double y[2][400], back[400], x[400];
    const double a = 0.02, b = 4e-4;
    size_t nv = 0, blame = 0;
    for (int k = 0; k < 2; k++) {
      spec.solver.dynamics = k ? MB_DENSE : MB_RECURSIVE;
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      nv = model->nv;
      cr_assert_leq(nv, 400);
      if (!k)
        for (size_t i = 0; i < nv; i++) x[i] = test_around_zero(&seed);
      mb_sim_forces(sim, 0, true);
      cr_assert(sim->solver->factor(sim->work, &sim->x, a, b, false, &blame));
      // A is symmetrised in the solvers: make the blocks so for the product
      for (size_t n = 0; n < 36 * model->nb; n += 36)
        for (size_t i = 0; i < 6; i++)
          for (size_t j = 0; j < i; j++) {
            double *K = sim->x.K + n;
            K[6 * i + j] = K[6 * j + i] = (K[6 * i + j] + K[6 * j + i]) / 2;
          }
      memcpy(y[k], x, sizeof x);
      sim->solver->apply(sim->work, y[k], NULL, NULL);
      multiply(sim, a, b, y[k], back);
      test_near("A A⁻¹ x", back, x, nv, 1e-10); // condition of some thousands
      mb_sim_free(sim);
      mb_model_free(model);
    }
    double most = 0;
    for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(y[0][i]));
    test_near("recursive against dense", y[0], y[1], nv, 1e-10 * most);
    mb_arena_free(&spec.arena);
  }
}

// M v + s Jᵀ f in one pass is what products by themselves come to.
Test(redmax, momentum_and_wrenches_are_gathered_at_once) {
  uint64_t seed = 8;
  for (int round = 0; round < 5; round++) {
    MbSceneSpec spec = test_forest(MB_IMPLICIT, &seed);
    spec.solver.dynamics = MB_RECURSIVE;
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    double at_once[400], momentum[400], force[400], most = 0;
    const double s = 0.3, *v = sim->state.v;
    cr_assert_leq(model->nv, 400);
    cr_assert_not_null(sim->solver->impel);
    for (size_t i = 0; i < 6 * model->nb; i++) sim->x.f[i] = test_around_zero(&seed);
    sim->solver->momentum(sim->work, v, momentum);
    sim->solver->gather(sim->work, sim->x.f, force);
    sim->solver->impel(sim->work, v, sim->x.f, s, at_once);
    for (size_t i = 0; i < model->nv; i++) {
      momentum[i] += s * force[i];
      most = fmax(most, fabs(momentum[i]));
    }
    cr_expect_gt(most, 0.1);
    test_near("M v + s Jᵀ f", at_once, momentum, model->nv, 1e-13 * most);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// J̇ v: the bias of the accelerations against differences of the twists along the motion.
Test(redmax, twists_change_as_the_bias_says) {
  uint64_t seed = 4;
  MbSceneSpec spec = test_forest(MB_SYMPLECTIC, &seed);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double q[600], twist[2][6 * 64], bias[6 * 64];
  const double e = 1e-5;
  cr_assert_leq(model->nq, 600);
  memset(sim->x.f, 0, 6 * model->nb * sizeof *sim->x.f);
  sim->solver->bias(sim->work, &sim->x);
  for (size_t i = 0; i < 6 * model->nb; i++) bias[i] = -sim->x.f[i] / model->M[i];
  for (int side = 0; side < 2; side++) {
    memcpy(q, sim->state.q, model->nq * sizeof *q);
    mb_coordinates_advance(model, q, side ? e : -e, sim->state.v, 0, model->nb);
    mb_sim_kinematics(sim, q, sim->state.v);
    memcpy(twist[side], sim->x.phi, 6 * model->nb * sizeof(double));
  }
  for (size_t i = 0; i < 6 * model->nb; i++) twist[0][i] = (twist[1][i] - twist[0][i]) / (2 * e);
  double most = 0;
  for (size_t i = 0; i < 6 * model->nb; i++) most = fmax(most, fabs(bias[i]));
  test_near("J̇ v", twist[0], bias, 6 * model->nb, 1e-7 * most); // ε² times third derivatives
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// Point mass on a massless rod from the horizontal: IFToMM benchmark A01, period 4 √(l/g) K(½); angles by own
// integration to all digits.
Test(redmax, a_large_pendulum_swings_as_the_elliptic_integral_says) {
  MbSceneSpec spec = test_scene(MB_RK45, 0.01, 1000);
  spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-14;
  spec.gravity[1] = -9.81;
  MbBodySpec *bob = test_body(&spec, "bob", 1, 0, 0, 0);
  bob->jointed = true;
  bob->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 0, 1}};
  bob->joint.in_parent.rotation[0] = bob->joint.in_body.rotation[0] = 1;
  bob->joint.in_body.position[1] = 1; // angle from the vertical that points down
  bob->joint.position = test_one_number(&spec.arena, -acos(-1.0) / 2);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const struct {
    int steps;
    double theta, rate;
  } known[] = {{100, 1.4050273115248006, 1.7993090169071244},
               {200, -0.9166475896632261, -3.4552068990593883},
               {500, -1.2294518114854232, 2.5627875681925354},
               {1000, -0.2786806735700749, 4.343160692864604}};
  for (size_t k = 0; k < 4; k++) {
    test_steps(sim, known[k].steps - mb_sim_steps(sim));
    test_near("angle", sim->state.q, &known[k].theta, 1, 1e-8);
    test_near("rate", sim->state.v, &known[k].rate, 1, 1e-8);
  }
  const double E = mb_energy(model, &sim->x).total;
  test_near("energy", &E, &(double){0}, 1, 1e-9);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// Heavy top of Terze and others (2016): m = 15, centre of mass 1 m from the fixed point, spinning at 150 rad/s about its
// axis; numbers by own integration to all digits.
Test(redmax, a_heavy_top_precesses_as_known) {
  MbSceneSpec spec = test_scene(MB_RK45, 0.05, 40);
  spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-13;
  spec.gravity[2] = -9.81;
  MbBodySpec *top = test_body(&spec, "top", 15, 0.234375, 0.46875, 0.234375);
  top->inertia->center[1] = 1;
  top->jointed = true;
  top->joint = (MbJointSpec){.kind = MB_JOINT_SPHERICAL};
  top->joint.in_parent.rotation[0] = top->joint.in_body.rotation[0] = 1;
  const double spin[3] = {0, 150, -4.61538};
  top->joint.velocity = (MbNumbersSpec){3, spin};
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const struct {
    int steps;
    double com[3], spin[3];
  } known[] = {{2,
                {0.4212966589253896, 0.8945719743455972, -0.14916470056191125},
                {4.808941331728398, 150, 1.0283007567181068}},
               {10,
                {-0.7024682970566295, -0.0211651847018004, -0.711400257651694},
                {-0.47105310174392384, 150, 5.901083048326459}},
               {40,
                {-0.1504168227458653, -0.7241655916369609, -0.6730222695603012},
                {0.12222321949180438, 150, -5.855624589205013}}};
  for (size_t k = 0; k < 3; k++) {
    test_steps(sim, known[k].steps - mb_sim_steps(sim));
    test_near("centre of mass", sim->x.E[0].p, known[k].com, 3, 1e-7);
    if (k < 2) test_near("spin", sim->x.phi, known[k].spin, 3, 2e-6);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// A joint without coordinates' worth of freedom in it: the free joint moves like a body free in space.
Test(redmax, a_free_joint_is_a_body_free_in_space) {
  uint64_t seed = 9;
  double end[2][12];
  for (int k = 0; k < 2; k++) {
    MbSceneSpec spec = test_scene(MB_RK45, 0.1, 10);
    spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-12;
    spec.gravity[2] = -9.81;
    seed = 9;
    MbBodySpec *body = test_random_body(&spec, &seed);
    const double w[3] = {1, -2, 0.5}, v[3] = {0.3, 0.2, 0.1}, velocity[6] = {0.3, 0.2, 0.1, 1, -2, 0.5};
    if (k == 0) {
      mb_vec3_copy(body->angular, w);
      mb_vec3_copy(body->linear, v);
    } else {
      body->jointed = true;
      body->joint = (MbJointSpec){.kind = MB_JOINT_FREE3D};
      body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
      body->joint.velocity = (MbNumbersSpec){6, velocity}; // at the identity rates are twists
    }
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 10);
    double R[9];
    mb_quat_to_mat3(R, sim->x.E[0].q);
    memcpy(end[k], sim->x.E[0].p, 3 * sizeof(double));
    memcpy(end[k] + 3, R, 9 * sizeof(double));
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  test_near("pose", end[1], end[0], 12, 1e-8);
}

// The order of bodies in the file, children before parents, changes nothing but rounding.
Test(redmax, the_order_of_bodies_in_the_scene_does_not_matter) {
  uint64_t seed = 30;
  MbSceneSpec spec = test_forest(MB_IMPLICIT, &seed);
  const char *channels[] = {"body.position"};
  spec.output.channels = channels, spec.output.nchannels = 1;
  double frame[2][3 * 64];
  const size_t nb = spec.nbodies;
  cr_assert_leq(nb, 64);
  for (int k = 0; k < 2; k++) {
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 10);
    mb_sim_sample(sim, frame[k], NULL);
    mb_sim_free(sim);
    mb_model_free(model);
    for (size_t i = 0; i < nb / 2; i++) {
      const MbBodySpec other = spec.bodies[i];
      spec.bodies[i] = spec.bodies[nb - 1 - i];
      spec.bodies[nb - 1 - i] = other;
    }
  }
  for (size_t i = 0; i < nb; i++)
    test_near("position", frame[1] + 3 * (nb - 1 - i), frame[0] + 3 * i, 3, 1e-9);
  mb_arena_free(&spec.arena);
}

// Explicit stiffness of 1e6 would need steps of some 1e-3; the implicit step stays where it should.
Test(redmax, a_stiff_chain_is_stable_under_implicit) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 500);
  uint64_t seed = 2;
  spec.gravity[2] = -9.81;
  for (int i = 0; i < 10; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    test_hang(&spec, body, MB_JOINT_REVOLUTE, i ? spec.bodies[i - 1].name : NULL, &seed);
    body->joint.stiffness = test_one_number(&spec.arena, 1e6);
    body->joint.velocity = test_one_number(&spec.arena, 0);
    body->joint.rest = body->joint.position;
    body->joint.damping = test_one_number(&spec.arena, 0);
  }
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, 500);
  double most = 0;
  for (size_t i = 0; i < model->nv; i++) most = fmax(most, fabs(sim->state.q[i] - model->rest[i]));
  cr_assert_lt(most, 0.01, "some joint is %g rad from rest", most);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(redmax, a_link_that_turns_no_inertia_is_to_blame) {
  for (int k = 0; k < 2; k++) {
    MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 0.01, 1);
    spec.solver.dynamics = k ? MB_DENSE : MB_RECURSIVE;
    const char *const names[] = {"upper", "lower", "tip"};
    for (int i = 0; i < 3; i++) {
      // the tip is a point with mass on its own axis
      MbBodySpec *body = test_body(&spec, names[i], 1, i < 2, i < 2, i < 2);
      body->jointed = true;
      body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 0, 1}};
      body->joint.parent = i ? names[i - 1] : NULL;
      body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    }
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    MbReport report = {0};
    cr_assert_eq(mb_sim_step(sim, &report), MB_NUMBERS);
    cr_assert(strstr(report.issues[0].text, "body \"tip\""), "%s", report.issues[0].text);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
