// K = ∂f/∂δ and D = ∂f/∂φ of every row of the forces' table, and of gravity and the velocity term, against
// central differences, at random states and under random parameters.
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "tests/pulled.h"

#include <string.h>

enum { BODIES = TEST_PULLED, N = 6 * BODIES };

// Columns of the derivative by central differences: error about f‴ε²/6 + 1e-16 |f|/ε, some 1e-9 for numbers
// near 10; f‴ grows where points are near each other.
static const double EPSILON = 1e-5, TOLERANCE = 1e-7;

// Of what the forces do along the coordinates, whose displacements and velocities are turned to the axes that the bodies have at the
// state.
static void differences(MbSim *sim, double K[N * N], double D[N * N]) {
  const size_t nb = sim->model->nb, n = 6 * nb;
  MbPose E[BODIES];
  memcpy(E, sim->x.E, nb * sizeof *E);
  for (size_t j = 0; j < n; j++) {
    double f[4][N];
    for (int side = 0; side < 4; side++) {
      double q[7 * BODIES], v[N], own[N] = {0}, delta[N], y[N];
      memcpy(q, sim->state.q, 7 * nb * sizeof *q);
      memcpy(v, sim->state.v, n * sizeof *v);
      own[j] = side % 2 ? EPSILON : -EPSILON;
      for (size_t b = 0; b < nb; b++) mb_velocity_of_twist(&E[b], own + 6 * b, delta + 6 * b);
      if (side < 2)
        mb_coordinates_advance(sim->model, q, 1, delta, 0, nb);
      else
        for (size_t i = 0; i < n; i++) v[i] += delta[i];
      mb_sim_kinematics(sim, q, v);
      mb_sim_forces(sim, 0.7, false);
      mb_sim_gather(sim, q, v, y);
      for (size_t b = 0; b < nb; b++) mb_twist_of_velocity(&E[b], y + 6 * b, f[side] + 6 * b);
    }
    for (size_t i = 0; i < n; i++) {
      K[n * i + j] = (f[1][i] - f[0][i]) / (2 * EPSILON);
      D[n * i + j] = (f[3][i] - f[2][i]) / (2 * EPSILON);
    }
  }
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
}

// The whole matrix from its blocks
static void assemble(const MbModel *model, const double *B, double A[N * N]) {
  const size_t n = 6 * model->nb;
  memset(A, 0, N * N * sizeof *A);
  for (size_t k = 0; k < model->nb + 2 * model->npairs; k++) {
    const size_t p = k - model->nb, a = k < model->nb ? k : model->pair[p],
                 b = k < model->nb ? k : model->pair[p ^ 1];
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) A[n * (6 * a + i) + 6 * b + j] = B[36 * k + 6 * i + j];
  }
}

static void compare(const char *what, const MbModel *model, const double *B, const double *wanted) {
  const size_t n = 6 * model->nb;
  double A[N * N], most = 1;
  assemble(model, B, A);
  for (size_t i = 0; i < n * n; i++) most = fmax(most, fabs(wanted[i]) / 10);
  test_near(what, A, wanted, n * n, TOLERANCE * most);
}

Test(force_derivatives, of_every_kind_agree_with_central_differences) {
  uint64_t seed = 1;
  for (int round = 0; round < 40; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++)
      for (MbAxes axes = MB_AXES_WORLD; axes <= MB_AXES_BODY; axes++) {
        MbSceneSpec spec = test_pulled(MB_TRAPEZOIDAL, &seed, kind, axes);
        MbModel *model = test_model(&spec);
        MbSim *sim = test_sim(model, 1);
        double K[N * N], D[N * N];
        differences(sim, K, D);
        mb_sim_forces(sim, 0.7, true);
        compare(mb_force_words[kind], model, sim->x.K, K);
        compare(mb_force_words[kind], model, sim->x.D, D);
        mb_sim_free(sim);
        mb_model_free(model);
        mb_arena_free(&spec.arena);
      }
}

// Elastic forces are the gradient of their energy:  f = −∂E/∂δ.
Test(force_derivatives, springs_pull_down_their_energy) {
  uint64_t seed = 12;
  for (int round = 0; round < 40; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++) {
      const MbForceOps *ops = mb_force_table[kind];
      if (!ops->energy) continue;
      MbSceneSpec spec = test_pulled(MB_TRAPEZOIDAL, &seed, kind, MB_AXES_WORLD);
      memset(spec.gravity, 0, sizeof spec.gravity);
      for (size_t b = 0; b < BODIES; b++) {
        spec.bodies[b].damping = 0;
        memset(spec.bodies[b].angular, 0, sizeof spec.bodies[b].angular);
        memset(spec.bodies[b].linear, 0, sizeof spec.bodies[b].linear);
      }
      if (kind == MB_FORCE_MULTI_SPRING) // passive segments add a tension that no energy has
        test_spring(&spec.forces[0])->passive = (MbNumbersSpec){0};
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      double f[N], pull[N], e[2];
      MbPose E[BODIES];
      memcpy(E, sim->x.E, sizeof E);
      mb_sim_forces(sim, 0, false);
      memcpy(f, sim->x.f, sizeof f);
      for (size_t i = 0; i < N; i++) {
        for (int side = 0; side < 2; side++) {
          double q[7 * BODIES], own[N] = {0}, delta[N];
          memcpy(q, sim->state.q, sizeof q);
          own[i] = side ? EPSILON : -EPSILON;
          for (size_t b = 0; b < BODIES; b++) mb_velocity_of_twist(&E[b], own + 6 * b, delta + 6 * b);
          mb_coordinates_advance(model, q, 1, delta, 0, BODIES);
          mb_sim_kinematics(sim, q, sim->state.v);
          e[side] = mb_energy(model, &sim->x).elastic;
        }
        pull[i] = -(e[1] - e[0]) / (2 * EPSILON);
      }
      test_near(mb_force_words[kind], f, pull, N, 1e-6); // rounding of energies up to 100, divided by ε
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

// Forces between bodies come in pairs: all of them together move and turn nothing, but for zero_length's damper and a frame
// spring's, whose two forces are not on one line.
Test(force_derivatives, forces_between_bodies_balance) {
  uint64_t seed = 3;
  for (int round = 0; round < 40; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++) {
      if (!mb_force_table[kind]->least) continue;
      MbSceneSpec spec = test_pulled(MB_TRAPEZOIDAL, &seed, kind, MB_AXES_WORLD);
      MbForceSpec *force = &spec.forces[0];
      memset(spec.gravity, 0, sizeof spec.gravity);
      for (size_t b = 0; b < BODIES; b++) {
        spec.bodies[b].damping = 0;
        memset(spec.bodies[b].angular, 0, sizeof spec.bodies[b].angular);
      }
      for (size_t i = 0; i < force->npoints; i++)
        if (!strcmp(force->points[i].body, "world")) force->points[i].body = "d";
      if (force->npoints == 2) force->points[0].body = "b", force->points[1].body = "c";
      if (kind == MB_FORCE_SPRING && test_spring(force)->law == MB_LAW_ZERO_LENGTH)
        test_spring(force)->damping = 0;
      if (kind == MB_FORCE_FRAME_SPRING) test_frame_spring(force)->damping[0] = 0;
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      mb_sim_forces(sim, 0, false);
      double sum[6] = {0};
      const double zero[6] = {0};
      for (size_t b = 0; b < model->nb; b++) {
        double F[3], torque[3], moment[3];
        mb_quat_rotate(torque, sim->x.E[b].q, sim->x.f + 6 * b);
        mb_quat_rotate(F, sim->x.E[b].q, sim->x.f + 6 * b + 3);
        mb_vec3_cross(moment, sim->x.E[b].p, F);
        for (int i = 0; i < 3; i++) sum[i] += torque[i] + moment[i], sum[3 + i] += F[i];
      }
      test_near(mb_force_words[kind], sum, zero, 6, 1e-12); // rounding of forces near 10
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
    MbSceneSpec spec = test_pulled(MB_TRAPEZOIDAL, &seed, kinds[k], axes);
    memset(spec.gravity, 0, sizeof spec.gravity);
    spec.bodies[0].damping = 0;
    memset(spec.bodies[0].angular, 0, sizeof spec.bodies[0].angular);
    memset(spec.bodies[0].linear, 0, sizeof spec.bodies[0].linear);
    if (kinds[k] == MB_FORCE_POINT)
      for (int i = 0; i < 3; i++) test_wrench(&spec.forces[0])->torque[i] = test_constant(0);
    else
      memset(test_wrench(&spec.forces[0])->at, 0, 3 * sizeof(double));
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    mb_sim_forces(sim, 0, false);

    MbPose B;
    double point[3], arm[3], F[3], couple[3], moment[3], seen[6];
    memcpy(B.p, spec.bodies[0].pose.position, sizeof B.p);
    memcpy(B.q, spec.bodies[0].pose.rotation, sizeof B.q);
    mb_pose_point(point, &B, test_wrench(&spec.forces[0])->at);
    mb_vec3_sub(arm, point, sim->x.E[0].p);
    for (int i = 0; i < 3; i++)
      F[i] = test_wrench(&spec.forces[0])->force[i].value,
      couple[i] = test_wrench(&spec.forces[0])->torque[i].value;
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
