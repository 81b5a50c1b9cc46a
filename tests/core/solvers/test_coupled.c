// Bodies that forces couple: all ways of solving for them agree, and motions of bodies on springs that are known.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/solvers/solvers.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

// A force of some kind between random bodies of the scene, the first and the last two different ones.
static MbForceSpec *couple(MbSceneSpec *spec, MbForceKind kind, size_t npoints, uint64_t *seed) {
  MbForceSpec *force = test_force(spec, kind, NULL);
  force->npoints = npoints;
  force->points = mb_arena_alloc(&spec->arena, npoints, sizeof *force->points);
  size_t body = (size_t)(test_random(seed) * (double)spec->nbodies);
  for (size_t i = 0; i < npoints; i++) {
    force->points[i].body = spec->bodies[body].name;
    test_random_frame(&force->points[i].frame, seed);
    body = (body + 1 + (size_t)(test_random(seed) * (double)(spec->nbodies - 1))) % spec->nbodies;
  }
  double stiffness[2], damping[2];
  for (int i = 0; i < 2; i++) {
    stiffness[i] = 100 * test_random(seed);
    damping[i] = 5 * test_random(seed);
  }
  test_pull(force, stiffness, damping, NAN); // at rest at first, or with the tension that the law has then
  return force;
}

static MbForceSpec *spring(MbSceneSpec *spec, const char *a, const char *b, MbSpringLaw law, double k,
                           double L) {
  MbForceSpec *force = test_force(spec, MB_FORCE_SPRING, NULL);
  force->npoints = 2;
  force->points = mb_arena_alloc(&spec->arena, 2, sizeof *force->points);
  force->points[0].body = a, force->points[1].body = b;
  for (int i = 0; i < 2; i++) force->points[i].frame.rotation[0] = 1;
  *test_spring(force) = (MbSpringSpec){.stiffness = k, .length = L, .law = law};
  return force;
}

static void couple_all(MbSceneSpec *spec, uint64_t *seed) {
  for (int i = 0; i < 6; i++) {
    MbForceSpec *force = couple(spec, MB_FORCE_SPRING, 2, seed);
    test_spring(force)->law = (MbSpringLaw)(i % MB_LAWS);
  }
  couple(spec, MB_FORCE_FRAME_SPRING, 2, seed);
  couple(spec, MB_FORCE_MULTI_SPRING, 5, seed);
  couple(spec, MB_FORCE_MUSCLE, 4, seed);
}

// B ← (B + Bᵀ)/2 as a whole matrix
static void symmetrise(const MbModel *model, double *B) {
  for (size_t n = 0; n < model->nb + 2 * model->npairs; n++) {
    const size_t p = n - model->nb;
    double *one = B + 36 * n, *other = n < model->nb ? one : B + 36 * (model->nb + (p ^ 1));
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) {
        const double mean = (one[6 * i + j] + other[6 * j + i]) / 2;
        one[6 * i + j] = other[6 * j + i] = mean;
      }
  }
}

Test(coupled, dense_and_iterations_invert_the_same_matrix) {
  uint64_t seed = 8;
  for (int round = 0; round < 10; round++) {
    MbSceneSpec spec = test_forest(MB_IMPLICIT, &seed);
    couple_all(&spec, &seed);
    enum { MOST = 400 };
    double y[2][MOST], back[MOST], x[MOST];
    const double a = 0.02, b = 4e-4;
    size_t nv = 0, blame = 0;
    for (int k = 0; k < 2; k++) {
      spec.solver.dynamics = k ? MB_DENSE : MB_RECURSIVE;
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      nv = model->nv;
      cr_assert_leq(nv, MOST);
      cr_assert_gt(model->npairs, 10);
      for (size_t i = 0; i < nv && !k; i++) x[i] = test_around_zero(&seed);
      mb_sim_forces(sim, 0, true);
      symmetrise(model, sim->x.K); // as A has them: for the product below
      symmetrise(model, sim->x.D);
      cr_assert(sim->solver->factor(sim->work, &sim->x, a, b, false, &blame));
      memcpy(y[k], x, sizeof x);
      cr_assert(sim->solver->apply(sim->work, y[k], NULL, NULL));
      sim->solver->momentum(sim->work, y[k], back);
      mb_sim_add_blocks(sim, -a, -b, y[k], back);
      test_near("A A⁻¹ x", back, x, nv, 1e-10); // condition of some thousands
      mb_sim_free(sim);
      mb_model_free(model);
    }
    double most = 0;
    for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(y[0][i]));
    test_near("iterations against dense", y[0], y[1], nv, 1e-10 * most);
    mb_arena_free(&spec.arena);
  }
}

// A cloth and an arm. What couples the cloth's nodes is all there is, or a spring ties the arm to a box as well.
Test(coupled, nodes_of_a_cloth_are_solved_for_by_their_factor_with_or_without_other_pairs) {
  static const char *const scene =
      "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.01, \"steps\": 10}, \"bodies\": "
      "[{\"name\": \"arm\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, "
      "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.2, 0, 0]}}}, "
      "{\"name\": \"box\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.2]}, "
      "\"pose\": {\"position\": [1, 0, 0]}}], \"forces\": [%s], \"deformables\": [{\"name\": \"d\", "
      "\"type\": \"cloth\", \"mesh\": {\"grid\": [5, 5], \"size\": [0.4, 0.4]}, \"pin\": [{\"select\": "
      "{\"side\": \"-x\"}, \"axes\": \"z\"}], \"material\": {\"model\": \"corotational\", \"young\": 5e6, "
      "\"poisson\": 0.3, \"density\": 300, \"thickness\": 0.01, \"bending\": {}}}]}";
  static const char *const spring[] = {"", "{\"type\": \"spring\", \"stiffness\": 5e3, \"between\": "
                                           "[{\"body\": \"arm\"}, {\"body\": \"box\"}]}"};
  static const char *const ways[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                     "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}"};
  enum { MOST = 200 };
  for (int s = 0; s < 2; s++) {
    double y[2][MOST], x[MOST], most = 0;
    size_t nv = 0, blame = 0;
    uint64_t seed = 3;
    char text[2000];
    snprintf(text, sizeof text, scene, spring[s]);
    for (size_t i = 0; i < MOST; i++) x[i] = test_around_zero(&seed);
    for (int k = 0; k < 2; k++) {
      TestRun run = test_run(text, (const char *const[]){ways[k], NULL});
      MbSim *sim = run.sim;
      nv = sim->nv;
      cr_assert(nv > 60 && nv < MOST, "%zu", nv);
      mb_sim_forces(sim, 0, true);
      cr_assert(sim->solver->factor(sim->work, &sim->x, 0.01, 1e-4, false, &blame));
      memcpy(y[k], x, sizeof x);
      cr_assert(sim->solver->apply(sim->work, y[k], NULL, NULL));
      test_run_free(&run);
    }
    for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(y[1][i]));
    test_near(s ? "with a spring" : "alone", y[0], y[1], nv, 1e-10 * most);
  }
}

static MbSceneSpec cloud(MbIntegratorKind integrator, int bodies, double h, uint64_t *seed) {
  MbSceneSpec spec = test_scene(integrator, h, 1);
  for (int i = 0; i < bodies; i++) {
    MbBodySpec *body = test_random_body(&spec, seed);
    test_random_frame(&body->pose, seed);
    for (int k = 0; k < 3; k++) {
      body->pose.position[k] *= 2;
      body->angular[k] = test_around_zero(seed);
      body->linear[k] = test_around_zero(seed);
    }
  }
  return spec;
}

// Free bodies, where A is symmetric (implicit) and where it is not (trapezoidal)
Test(coupled, free_bodies_are_solved_to_rounding) {
  uint64_t seed = 5;
  for (int round = 0; round < 20; round++) {
    const bool exact = round % 2;
    MbSceneSpec spec = cloud(exact ? MB_TRAPEZOIDAL : MB_IMPLICIT, 12, 0.01, &seed);
    couple_all(&spec, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    enum { MOST = 72 };
    double x[MOST], y[MOST], back[MOST];
    size_t blame = 0;
    cr_assert_eq(model->nv, MOST);
    for (size_t i = 0; i < MOST; i++) y[i] = x[i] = test_around_zero(&seed);
    mb_sim_forces(sim, 0, true);
    if (!exact) symmetrise(model, sim->x.K), symmetrise(model, sim->x.D);
    cr_assert(sim->solver->factor(sim->work, &sim->x, 0.05, 0.0025, exact, &blame));
    cr_assert(sim->solver->apply(sim->work, y, NULL, NULL));
    sim->solver->momentum(sim->work, y, back);
    mb_sim_add_blocks(sim, -0.05, -0.0025, y, back);
    test_near("A A⁻¹ x", back, x, MOST, 1e-10);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// Pressed by a sixth, the spring's sideways push k (1 − L/l) h² = 2 is more than the bodies' reduced mass.
Test(coupled, an_indefinite_matrix_is_refused_and_stepped_round) {
  for (int tree = 0; tree < 2; tree++)
    for (int dense = 0; dense <= tree; dense++) {
      MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
      spec.solver.dynamics = dense ? MB_DENSE : MB_RECURSIVE;
      test_body(&spec, "a", 1, 1, 1, 1);
      MbBodySpec *other = test_body(&spec, "b", 1, 1, 1, 1);
      static const double position[] = {1, 0, 0};
      if (!tree) mb_vec3_copy(other->pose.position, position);
      for (int b = 0; b < 2 * tree; b++) {
        spec.bodies[b].jointed = true;
        spec.bodies[b].joint = (MbJointSpec){.kind = MB_JOINT_TRANSLATIONAL};
        spec.bodies[b].joint.in_parent.rotation[0] = spec.bodies[b].joint.in_body.rotation[0] = 1;
        if (b) spec.bodies[b].joint.position = (MbNumbersSpec){3, position};
      }
      spring(&spec, "a", "b", MB_LAW_LINEAR, 1e5, 1.2);
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      double x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
      size_t blame = 0;
      mb_sim_forces(sim, 0, true);
      const bool solved = sim->solver->factor(sim->work, &sim->x, 0.01, 1e-4, false, &blame) &&
                          sim->solver->apply(sim->work, x, NULL, NULL);
      cr_assert(!solved);
      test_steps(sim, 200);
      const double length = sim->x.E[1].p[0] - sim->x.E[0].p[0], rest = 1.2;
      test_near("length", &length, &rest, 1, 1e-6); // implicit steps damp
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

// Two bodies on a spring, along a line: the distance swings with ω² = k/μ, μ = m₁m₂/(m₁ + m₂), about the rest length.
Test(coupled, two_bodies_swing_with_their_reduced_mass) {
  const struct {
    MbSpringLaw law;
    double k, omega2, rest;
  } laws[] = {{MB_LAW_LINEAR, 18, 18 / 0.75, 2},
              {MB_LAW_STRAIN, 18, 9 / 0.75, 2},
              {MB_LAW_ZERO_LENGTH, 18, 18 / 0.75, 0}};
  for (size_t i = 0; i < 3; i++) {
    MbSceneSpec spec = test_scene(MB_RK45, 0.1, 20);
    spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-13;
    test_body(&spec, "a", 1, 1, 1, 1);
    test_body(&spec, "b", 3, 1, 1, 1)->pose.position[0] = 2.5;
    spec.bodies[0].linear[0] = spec.bodies[1].linear[0] = 0.7;
    spring(&spec, "a", "b", laws[i].law, laws[i].k, laws[i].rest > 0 ? laws[i].rest : NAN);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const double E0 = mb_energy(model, &sim->x).total;
    for (int s = 0; s < 20; s++) {
      test_steps(sim, 1);
      const double distance = sim->x.E[1].p[0] - sim->x.E[0].p[0];
      const double wanted =
          laws[i].rest + (2.5 - laws[i].rest) * cos(sqrt(laws[i].omega2) * mb_sim_time(sim));
      test_near("distance", &distance, &wanted, 1, 1e-8);
    }
    const double E = mb_energy(model, &sim->x).total;
    test_near("energy", &E, &E0, 1, 1e-8);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// Two bodies turned against each other on a frame spring: ω² = k_r/μ about the common axis, μ = I₁I₂/(I₁ + I₂).
Test(coupled, a_frame_spring_swings_in_torsion) {
  MbSceneSpec spec = test_scene(MB_RK45, 0.1, 20);
  spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-13;
  test_body(&spec, "a", 1, 1, 1, 2);
  MbBodySpec *b = test_body(&spec, "b", 1, 1, 1, 6);
  const double angle = 2.5;
  b->pose.rotation[0] = cos(angle / 2), b->pose.rotation[3] = sin(angle / 2);
  MbForceSpec *force = spring(&spec, "a", "b", MB_LAW_LINEAR, 3, NAN);
  force->kind = MB_FORCE_FRAME_SPRING;
  *test_frame_spring(force) = (MbFrameSpring){.stiffness = {3, 12}};
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  for (int s = 0; s < 20; s++) {
    test_steps(sim, 1);
    double q[4], r[3];
    mb_quat_conj(q, sim->x.E[0].q);
    mb_quat_mul(q, q, sim->x.E[1].q);
    mb_quat_log(r, q);
    const double wanted[3] = {0, 0, angle * cos(sqrt(12 / 1.5) * mb_sim_time(sim))};
    test_near("turn", r, wanted, 3, 1e-8);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// ---- orders and invariants --------------------------------------------------------------------------------

static void end_of(MbIntegratorKind integrator, bool tree, double h, double end[21]) {
  uint64_t seed = 33;
  MbSceneSpec spec = cloud(integrator, 3, h, &seed);
  spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-13;
  spec.time.steps = (int64_t)(0.5 / h + 0.5);
  for (size_t b = 0; tree && b < 3; b++) {
    test_hang(&spec, &spec.bodies[b], b == 1 ? MB_JOINT_UNIVERSAL : MB_JOINT_REVOLUTE, NULL, &seed);
    spec.bodies[b].joint.stiffness = spec.bodies[b].joint.damping = (MbNumbersSpec){0};
    // what a body free in space starts with, the joint says
    spec.bodies[b].pose = (MbFrameSpec){.rotation = {1}};
    for (int k = 0; k < 3; k++) spec.bodies[b].angular[k] = spec.bodies[b].linear[k] = 0;
  }
  for (int i = 0; i < 3; i++) {
    const MbForceKind kinds[] = {MB_FORCE_SPRING, MB_FORCE_FRAME_SPRING, MB_FORCE_MULTI_SPRING};
    MbForceSpec *force = couple(&spec, kinds[i], i == 2 ? 3 : 2, &seed);
    test_pull(force, (double[]){20, 5}, (double[]){0.5, 0.5}, 1);
  }
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, spec.time.steps);
  for (size_t b = 0; b < 3; b++) {
    memcpy(end + 7 * b, sim->x.E[b].p, 3 * sizeof *end);
    memcpy(end + 7 * b + 3, sim->x.E[b].q, 4 * sizeof *end);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

static double distance(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

Test(coupled_long, integrators_keep_their_order_with_springs) {
  static const MbIntegratorKind kinds[] = {MB_SYMPLECTIC,     MB_IMPLICIT, MB_BDF1,  MB_TRAPEZOIDAL,
                                           MB_BRIDSON_MARINO, MB_BDF2,     MB_SDIRK2};
  for (int tree = 0; tree < 2; tree++) {
    double exact[21];
    end_of(MB_RK45, tree, 0.05, exact);
    printf("%-24s %12s %12s %12s %7s\n", tree ? "springs, hinged bodies" : "springs, free bodies",
           "h = 1/200", "1/400", "1/800", "order");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      double error[3];
      for (int k = 0; k < 3; k++) {
        double end[21];
        end_of(kinds[i], tree, 0.005 / (1 << k), end);
        error[k] = distance(end, exact, 21);
      }
      const double order = log2(error[1] / error[2]), wanted = i < 3 ? 1 : 2;
      printf("%-24s %12.3e %12.3e %12.3e %7.3f\n", mb_integrator_words[kinds[i]], error[0], error[1],
             error[2], order);
      cr_expect_float_eq(order, wanted, 0.1, "%s: order %g", mb_integrator_words[kinds[i]], order);
    }
  }
}

typedef struct Drift {
  double linear, angular; // largest changes of momentum in one second
} Drift;

static Drift drift(MbIntegratorKind kind, double h) {
  uint64_t seed = 14;
  MbSceneSpec spec = cloud(kind, 4, h, &seed);
  spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-12;
  for (int i = 0; i < 4; i++) {
    MbForceSpec *force = couple(&spec, i < 3 ? MB_FORCE_SPRING : MB_FORCE_MUSCLE, 2, &seed);
    test_pull(force, (double[]){30, 0}, (double[]){i == MB_LAW_ZERO_LENGTH ? 0 : 1, 0}, 1.5);
    if (i < 3) test_spring(force)->law = (MbSpringLaw)(i % 3);
  }
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double before[6], after[6];
  Drift most = {0};
  mb_momentum(model, &sim->x, before, before + 3);
  test_steps(sim, (int64_t)(1 / h + 0.5));
  mb_momentum(model, &sim->x, after, after + 3);
  for (int i = 0; i < 3; i++) {
    most.linear = fmax(most.linear, fabs(after[i] - before[i]));
    most.angular = fmax(most.angular, fabs(after[3 + i] - before[3 + i]));
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return most;
}

// Forces between bodies push as much one way as the other, and so do their derivatives: every integrator keeps linear momentum to
// rounding. Angular momentum the symplectic step keeps too; the others turn bodies as well as their order allows.
Test(coupled, free_bodies_on_springs_keep_their_momentum) {
  static const double ROUNDING = 1e-11; // of some thousand steps
  static const MbIntegratorKind kinds[] = {MB_SYMPLECTIC, MB_IMPLICIT, MB_TRAPEZOIDAL, MB_BRIDSON_MARINO};
  for (size_t i = 0; i < 4; i++) {
    const Drift coarse = drift(kinds[i], 1e-3), fine = drift(kinds[i], 5e-4);
    const char *name = mb_integrator_words[kinds[i]];
    cr_expect_lt(coarse.linear, ROUNDING, "%s: linear momentum off by %g", name, coarse.linear);
    const bool kept = kinds[i] == MB_SYMPLECTIC && coarse.angular < ROUNDING;
    cr_expect(kept || coarse.angular / fine.angular > (i < 2 ? 1.9 : 3.8),
              "%s: angular momentum off by %g, by %g at half the step", name, coarse.angular, fine.angular);
  }
  const Drift adaptive = drift(MB_RK45, 0.01);
  cr_expect_lt(adaptive.linear, 1e-8, "rk45: linear momentum off by %g", adaptive.linear);
  cr_expect_lt(adaptive.angular, 1e-8, "rk45: angular momentum off by %g", adaptive.angular);
}

// Its nodes hang on the weight, a body in space that they are parts of: forces on them are forces on it.
Test(coupled_long, a_stiff_rope_that_swings_a_weight_gains_no_energy, TEST_LONG) {
  static const char *const step[] = {"/time/step=0.001", "/time/step=0.005", "/time/step=0.01"};
  for (int i = 0; i < 3; i++) {
    TestRun run = test_run("rope_nodes", (const char *[]){step[i], NULL});
    const double at_first = mb_energy(run.model, &run.sim->x).total;
    double most = -INFINITY;
    for (int k = 0; k < 2 / run.model->h; k++) {
      test_steps(run.sim, 1);
      most = fmax(most, mb_energy(run.model, &run.sim->x).total - at_first);
    }
    cr_expect_lt(most, 1e-3, "%s: %g J are gained, of 12 that there are to move with", step[i], most);
    test_run_free(&run);
  }
}

Test(coupled, steps_allocate_nothing) {
  static const MbIntegratorKind kinds[] = {MB_IMPLICIT, MB_TRAPEZOIDAL, MB_BRIDSON_MARINO};
  for (int i = 0; i < 6; i++) {
    uint64_t seed = 40;
    MbSceneSpec spec = i % 2 ? test_chain(kinds[i / 2], 1e-3) : cloud(kinds[i / 2], 8, 1e-3, &seed);
    spec.solver.dynamics = MB_RECURSIVE;
    couple_all(&spec, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 1);
    const int64_t calls = mb_alloc_calls();
    test_steps(sim, 20);
    cr_assert_eq(mb_alloc_calls(), calls);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// A whole run by iterations and by a dense factor.
Test(coupled, runs_agree_whichever_way_they_are_solved) {
  double end[2][64];
  size_t nq = 0;
  for (int k = 0; k < 2; k++) {
    uint64_t seed = 17;
    MbSceneSpec spec = test_chain(MB_IMPLICIT, 0.01);
    spec.solver.dynamics = k ? MB_DENSE : MB_RECURSIVE;
    couple_all(&spec, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 100);
    nq = model->nq;
    cr_assert_leq(nq, 64);
    memcpy(end[k], sim->state.q, nq * sizeof(double));
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  test_near("coordinates", end[0], end[1], nq, 1e-8); // 1e-12 a step, grown by the motion
}

// A swing in a step of 1e9 periods is refused, not followed to the end of days.
Test(coupled_long, an_endless_adaptive_step_is_refused) {
  MbSceneSpec spec = test_scene(MB_RK45, 1e9, 1);
  test_body(&spec, "a", 1, 1, 1, 1);
  test_body(&spec, "b", 1, 1, 1, 1)->pose.position[0] = 1;
  spring(&spec, "a", "b", MB_LAW_LINEAR, 100, 0.9);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  cr_assert_eq(mb_sim_step(sim, &report), MB_NUMBERS);
  cr_assert_not_null(strstr(report.issues[0].text, "take a smaller step"), "%s", report.issues[0].text);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}
