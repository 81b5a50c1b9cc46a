// K = ∂f/∂δ and D = ∂f/∂φ of every row of the forces' table, and of gravity and the velocity term, against
// central differences, at random states and under random parameters.
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "tests/support.h"

#include <string.h>

static double around_zero(uint64_t *seed) { return 2 * test_random(seed) - 1; }

// One body with everything random.
static MbSceneSpec random_scene(uint64_t *seed, MbForceKind kind, MbAxes axes) {
  MbSceneSpec spec = test_scene(MB_TRAPEZOIDAL, 0.01, 1);
  MbBodySpec *body = test_body(&spec, "b", 1 + test_random(seed), 1, 1.2, 1.5);
  body->damping = test_random(seed);
  for (int i = 0; i < 3; i++) {
    spec.gravity[i] = 10 * around_zero(seed);
    body->inertia.matrix[3 + i] = 0.1 * around_zero(seed);
    body->inertia.center[i] = around_zero(seed);
    body->pose.position[i] = around_zero(seed);
    body->angular[i] = 3 * around_zero(seed);
    body->linear[i] = 3 * around_zero(seed);
  }
  for (int i = 0; i < 4; i++) body->pose.rotation[i] = around_zero(seed);
  mb_quat_normalise(body->pose.rotation);
  MbForceSpec *force = test_force(&spec, kind, "b");
  force->axes = axes;
  force->coefficient = test_random(seed);
  for (int i = 0; i < 3; i++) {
    force->at[i] = around_zero(seed);
    force->force[i] = test_constant(5 * around_zero(seed));
    force->torque[i] = test_constant(5 * around_zero(seed));
  }
  return spec;
}

// Columns of the derivative by central differences: error about f‴ε²/6 + 1e-16 |f|/ε, some 1e-9 for numbers
// near 10.
static const double EPSILON = 1e-5, TOLERANCE = 1e-7;

static void differences(MbSim *sim, double K[36], double D[36]) {
  for (int j = 0; j < 6; j++) {
    double f[4][6];
    for (int side = 0; side < 4; side++) {
      double q[7], v[6], delta[6] = {0};
      memcpy(q, sim->state.q, sizeof q);
      memcpy(v, sim->state.v, sizeof v);
      const double e = side % 2 ? EPSILON : -EPSILON;
      if (side < 2)
        delta[j] = e;
      else
        v[j] += e;
      mb_coordinates_advance(sim->model, q, 1, delta, 0, 1);
      mb_sim_kinematics(sim, q, v);
      mb_sim_forces(sim, 0.7, false);
      memcpy(f[side], sim->x.f, sizeof f[side]);
    }
    for (int i = 0; i < 6; i++) {
      K[6 * i + j] = (f[1][i] - f[0][i]) / (2 * EPSILON);
      D[6 * i + j] = (f[3][i] - f[2][i]) / (2 * EPSILON);
    }
  }
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
}

Test(force_derivatives, of_every_kind_agree_with_central_differences) {
  uint64_t seed = 1;
  for (int round = 0; round < 20; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++)
      for (MbAxes axes = MB_AXES_WORLD; axes <= MB_AXES_BODY; axes++) {
        MbSceneSpec spec = random_scene(&seed, kind, axes);
        MbModel *model = test_model(&spec);
        MbSim *sim = test_sim(model, 1);
        double K[36], D[36];
        differences(sim, K, D);
        mb_sim_forces(sim, 0.7, true);
        test_near(mb_force_words[kind], sim->x.K, K, 36, TOLERANCE);
        test_near(mb_force_words[kind], sim->x.D, D, 36, TOLERANCE);
        mb_sim_free(sim);
        mb_model_free(model);
        mb_arena_free(&spec.arena);
      }
}

// A wrench's force acts at the body frame's origin, a point force at its point: both against their moments about the
// centre of mass, from the scene's numbers.
Test(force_derivatives, forces_act_where_the_scene_says) {
  uint64_t seed = 7;
  const MbForceKind kinds[2] = {MB_FORCE_POINT, MB_FORCE_WRENCH};
  for (int round = 0; round < 4; round++) {
    const int k = round % 2;
    const MbAxes axes = round < 2 ? MB_AXES_WORLD : MB_AXES_BODY;
    MbSceneSpec spec = random_scene(&seed, kinds[k], axes);
    memset(spec.gravity, 0, sizeof spec.gravity);
    spec.bodies[0].damping = 0;
    memset(spec.bodies[0].angular, 0, sizeof spec.bodies[0].angular);
    memset(spec.bodies[0].linear, 0, sizeof spec.bodies[0].linear);
    if (kinds[k] == MB_FORCE_POINT)
      for (int i = 0; i < 3; i++) spec.forces[0].torque[i] = test_constant(0);
    else
      memset(spec.forces[0].at, 0, sizeof spec.forces[0].at);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    mb_sim_forces(sim, 0, false);

    MbPose B;
    double point[3], arm[3], F[3], couple[3], moment[3], seen[6];
    memcpy(B.p, spec.bodies[0].pose.position, sizeof B.p);
    memcpy(B.q, spec.bodies[0].pose.rotation, sizeof B.q);
    mb_pose_point(point, &B, spec.forces[0].at);
    mb_vec3_sub(arm, point, sim->x.E[0].p);
    for (int i = 0; i < 3; i++)
      F[i] = spec.forces[0].force[i].value, couple[i] = spec.forces[0].torque[i].value;
    if (axes == MB_AXES_BODY) {
      mb_quat_rotate(F, B.q, F);
      mb_quat_rotate(couple, B.q, couple);
    }
    mb_vec3_cross(moment, arm, F);
    mb_vec3_add(moment, moment, couple);
    mb_quat_rotate(seen, sim->x.E[0].q, sim->x.f);
    mb_quat_rotate(seen + 3, sim->x.E[0].q, sim->x.f + 3);
    const double wanted[6] = {moment[0], moment[1], moment[2], F[0], F[1], F[2]};
    test_near("wrench in the world", seen, wanted, 6, 1e-13);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
