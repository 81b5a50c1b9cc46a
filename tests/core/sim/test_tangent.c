// Derivatives of what fully implicit steps evaluate, against central differences: trees of every kind of joint, under every kind of force.
#include "core/forces/forces.h"
#include "core/joints/joints.h"
#include "core/model/coordinates.h"
#include "core/sim/tangent.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

// Differences of fourth order: what is left is the rounding of numbers of this size.
static const double MOVE = 1e-3, TOLERANCE = 1e-8;

// ---- second derivatives of joints ---------------------------------------------------------------------------------

static void curve_by_differences(const MbJoint *joint, const double *q, const double *v, double *C) {
  enum { MOST = 16 };
  double S[6 * MOST], Sdot[6 * MOST];
  MbPose Q;
  memset(C, 0, 6 * joint->n * sizeof *C);
  for (size_t k = 0; k < joint->n; k++)
    for (int side = -2; side <= 2; side++) {
      static const double weight[5] = {1, -8, 0, 8, -1};
      double moved[MOST], along[MOST] = {0};
      memcpy(moved, q, joint->n * sizeof *moved);
      along[k] = 1;
      if (joint->ops->advance)
        joint->ops->advance(joint, moved, side * MOVE, along);
      else
        moved[k] += side * MOVE;
      joint->ops->eval(joint, moved, v, &Q, S, Sdot);
      for (size_t i = 0; i < joint->n; i++)
        for (size_t r = 0; r < 6; r++)
          C[6 * k + r] += weight[side + 2] / (12 * MOVE) * Sdot[6 * i + r] * v[i];
    }
}

Test(tangent, second_derivatives_of_every_joint_agree_with_differences) {
  uint64_t seed = 31;
  int exact = 0;
  for (int round = 0; round < 20; round++)
    for (MbJointKind kind = 0; kind < MB_JOINTS; kind++)
      for (int turning = 0; turning < 2; turning++) {
        TestJoint s;
        double q[16], v[16], S[96], Sdot[96], C[96], wanted[96];
        MbPose Q;
        test_random_joint(&s, kind, &seed);
        if (turning && !s.joint.ops->turning) continue;
        if (turning) { // with the parts
          for (int i = 0; i < 3; i++)
            if (s.joint.nparts && s.part[i].ops->turning) s.part[i].ops = s.part[i].ops->turning;
          for (int i = 0; i < 2; i++)
            if (s.joint.nparts && s.inner[i].ops->turning) s.inner[i].ops = s.inner[i].ops->turning;
          s.joint.ops = s.joint.ops->turning;
        }
        for (int i = 0; i < 16; i++) q[i] = test_around_zero(&seed), v[i] = test_around_zero(&seed);
        if (kind >= MB_JOINT_SPLINE_CURVE) // inside the segments
          for (int i = 0; i < 2; i++) q[i] = 0.1 + 0.8 * test_random(&seed);
        bool carried[16 * 16] = {0};
        exact += round == 0 && s.joint.ops->carries && s.joint.ops->carries(&s.joint, carried, s.joint.n);
        s.joint.ops->eval(&s.joint, q, v, &Q, S, Sdot);
        mb_joint_curve(&s.joint, q, v, S, C);
        curve_by_differences(&s.joint, q, v, wanted);
        test_near(s.joint.ops->name, C, wanted, 6 * s.joint.n, 1e-9);
      }
  cr_expect_eq(exact, 13, "%d joints say what carries what", exact);
}

// Ṡ v of a spline has a corner at each knot, of which the piece next to it knows nothing: next to the knot C is what a parabola through
// three places further away comes to, up to third derivatives of some thousand times 1e-6.
Test(tangent, second_derivatives_of_splines_are_of_one_piece) {
  uint64_t seed = 8;
  for (int kind = MB_JOINT_SPLINE_CURVE; kind <= MB_JOINT_SPLINE_SURFACE; kind++)
    for (int side = -1; side <= 1; side += 2)
      for (size_t k = 0; k < (kind == MB_JOINT_SPLINE_CURVE ? 1 : 2); k++) {
        TestJoint s;
        double at[4][12], wanted[12];
        test_random_joint(&s, (MbJointKind)kind, &seed);
        for (int i = 0; i < 4; i++) {
          double q[2] = {0.4, 0.6}, S[12], Sdot[12], v[2] = {0.7, -0.4};
          MbPose Q;
          q[k] = 1 + side * (i == 0 ? 5e-4 : 0.01 * i);
          s.joint.ops->eval(&s.joint, q, v, &Q, S, Sdot);
          mb_joint_curve(&s.joint, q, v, S, at[i]);
        }
        for (size_t i = 0; i < 6 * s.joint.n; i++) {
          const double x = 0.05; // in parts of 0.01
          wanted[i] = (x - 2) * (x - 3) / 2 * at[1][i] - (x - 1) * (x - 3) * at[2][i] +
                      (x - 1) * (x - 2) / 2 * at[3][i];
        }
        test_near(s.joint.ops->name, at[0], wanted, 6 * s.joint.n, 2e-3);
      }
}

// ---- trees ----------------------------------------------------------------------------------------------------------

// A tree with every kind of joint, a force of every kind on it, motors on its joints.
static MbSceneSpec loaded_forest(uint64_t *seed, bool tied) {
  MbSceneSpec spec = test_forest(MB_BDF1, seed);
  for (size_t b = 0; b < spec.nbodies; b++)
    for (int i = 0; i < 3 && !spec.bodies[b].jointed; i++)
      spec.bodies[b].angular[i] = 3 * test_around_zero(seed),
      spec.bodies[b].linear[i] = test_around_zero(seed);
  for (MbForceKind kind = 0; kind < MB_FORCES; kind++) {
    static const double stiffness[2] = {3, 2}, damping[2] = {0.4, 0.7};
    const bool between = mb_force_table[kind]->least > 0;
    if (between && !tied) continue;
    MbForceSpec *force = test_force(&spec, kind, spec.bodies[(3 * (size_t)kind) % spec.nbodies].name);
    if (!between) {
      if (kind == MB_FORCE_DAMPING) {
        test_damping(force)->coefficient = 0.3;
        continue;
      }
      MbBodyForceSpec *own = test_wrench(force);
      own->axes = kind % 2 ? MB_AXES_WORLD : MB_AXES_BODY;
      for (int i = 0; i < 3; i++)
        own->at[i] = test_around_zero(seed), own->force[i] = test_constant(5 * test_around_zero(seed)),
        own->torque[i] = test_constant(kind == MB_FORCE_POINT ? 0 : test_around_zero(seed));
      continue;
    }
    force->npoints = mb_force_table[kind]->most == 2 ? 2 : 4;
    force->points = mb_arena_alloc(&spec.arena, 4, sizeof *force->points);
    for (size_t i = 0; i < force->npoints; i++) {
      force->points[i].body = i == 2 ? "world" : spec.bodies[(5 * i + 2 * (size_t)kind) % spec.nbodies].name;
      test_random_frame(&force->points[i].frame, seed);
    }
    test_pull(force, stiffness, damping, 1.5);
    if (kind == MB_FORCE_MUSCLE) {
      test_muscle(force)->activation = test_constant(0.6);
      test_muscle(force)->numbers =
          (MbMuscle){.max_force = 5, .max_velocity = 6, .tendon_length = 0.5, .optimal_length = 8};
    }
  }
  for (size_t b = 0; b < spec.nbodies; b++) { // of some joints, on all their coordinates
    if (!spec.bodies[b].jointed || spec.bodies[b].joint.kind != MB_JOINT_SPHERICAL) continue;
    static const double gain[3] = {2, 2, 2};
    spec.bodies[b].joint.stiffness = (MbNumbersSpec){3, gain};
  }
  return spec;
}

typedef struct Point {
  double *q, *v, *a;
} Point;

static Point point_of(MbArena *arena, const MbSim *sim, uint64_t *seed) {
  Point p = {mb_arena_alloc(arena, sim->nq, sizeof(double)), mb_arena_alloc(arena, sim->nv, sizeof(double)),
             mb_arena_alloc(arena, sim->nv, sizeof(double))};
  memcpy(p.q, sim->state.q, sim->nq * sizeof *p.q);
  for (size_t i = 0; i < sim->nv; i++)
    p.v[i] = sim->state.v[i] + 0.5 * test_around_zero(seed), p.a[i] = 3 * test_around_zero(seed);
  return p;
}

static void tau_at(MbSim *sim, MbTangent *tangent, const Point *p, double *tau) {
  mb_sim_kinematics(sim, p->q, p->v);
  mb_tangent_at(sim, tangent, p->v, p->a, 0.3, tau);
}

// δτ by differences along a direction.
static void differences(MbSim *sim, MbTangent *tangent, const Point *p, const double *dq, const double *dv,
                        const double *da, double *out) {
  static const double weight[5] = {1, -8, 0, 8, -1};
  MbArena arena = {0};
  uint64_t seed = 1;
  Point moved = point_of(&arena, sim, &seed);
  double *tau = mb_arena_alloc(&arena, sim->nv, sizeof *tau);
  memset(out, 0, sim->nv * sizeof *out);
  for (int side = -2; side <= 2; side++) {
    if (!side) continue;
    memcpy(moved.q, p->q, sim->nq * sizeof *moved.q);
    mb_coordinates_advance(sim->model, moved.q, side * MOVE, dq, 0, sim->model->nb);
    for (size_t i = 0; i < sim->nv; i++)
      moved.v[i] = p->v[i] + side * MOVE * dv[i], moved.a[i] = p->a[i] + side * MOVE * da[i];
    tau_at(sim, tangent, &moved, tau);
    for (size_t i = 0; i < sim->nv; i++) out[i] += weight[side + 2] / (12 * MOVE) * tau[i];
  }
  mb_arena_free(&arena);
}

// z · δτ forwards and backwards, and the same of a step's motion.
static void check_transposed(MbSim *sim, MbTangent *tangent, const Point *p, const char *what,
                             uint64_t *seed) {
  enum { COLUMNS = 8 };
  MbArena arena = {0};
  double *x[COLUMNS], forwards = 0, backwards = 0, size = 0;
  const size_t nv = sim->nv;
  for (int k = 0; k < COLUMNS; k++) {
    x[k] = mb_arena_alloc(&arena, nv, sizeof **x);
    for (size_t i = 0; i < nv; i++) x[k][i] = test_around_zero(seed);
  }
  tau_at(sim, tangent, p, x[4]);
  mb_tangent_times(sim, tangent, x[1], x[2], x[3], x[4]);
  mb_tangent_transposed(sim, tangent, x[0], x[5], x[6], x[7]);
  for (size_t i = 0; i < nv; i++) {
    forwards += x[0][i] * x[4][i], size += fabs(x[0][i] * x[4][i]);
    backwards += x[1][i] * x[5][i] + x[2][i] * x[6][i] + x[3][i] * x[7][i];
  }
  cr_expect_float_eq(forwards, backwards, 1e-12 * size, "%s: %.17g and %.17g", what, forwards, backwards);
  mb_tangent_moved(sim, x[3], x[1], x[2], x[4]);
  mb_tangent_moved_transposed(sim, x[3], x[0], x[5], x[6]);
  forwards = backwards = size = 0;
  for (size_t i = 0; i < nv; i++) {
    forwards += x[0][i] * x[4][i], size += fabs(x[0][i] * x[4][i]);
    backwards += x[1][i] * x[5][i] + x[2][i] * x[6][i];
  }
  cr_expect_float_eq(forwards, backwards, 1e-13 * size, "%s, motion: %.17g and %.17g", what, forwards,
                     backwards);
  mb_arena_free(&arena);
}

static void check(MbSim *sim, const char *what, uint64_t *seed) {
  MbArena arena = {0};
  const size_t nv = sim->nv;
  MbTangent *tangent = mb_tangent_create(sim);
  const Point p = point_of(&arena, sim, seed);
  double *wanted = mb_arena_alloc(&arena, nv, sizeof *wanted), *tau = mb_arena_alloc(&arena, nv, sizeof *tau),
         *got = mb_arena_alloc(&arena, nv, sizeof *got), *other = mb_arena_alloc(&arena, nv, sizeof *other);
  double *zero = mb_arena_alloc(&arena, nv, sizeof *zero), *one = mb_arena_alloc(&arena, nv, sizeof *one);
  cr_assert_null(mb_tangent_refuses(sim));
  tau_at(sim, tangent, &p, tau);
  // alone it has the same bits
  mb_tangent_value(sim, tangent, p.v, p.a, 0.3, other);
  cr_expect_arr_eq(tau, other, nv * sizeof *tau, "%s", what);
  // τ itself is what the solver has for it
  mb_sim_forces(sim, 0.3, false);
  sim->solver->momentum(sim->work, p.a, wanted);
  mb_sim_gather(sim, p.q, p.v, other);
  double size = 0;
  for (size_t i = 0; i < nv; i++) wanted[i] -= other[i], size = fmax(size, fabs(wanted[i]));
  test_near(what, tau, wanted, nv, 1e-12 * size);
  for (size_t k = 0; k < nv; k++)
    for (int of = 0; of < 3; of++) {
      one[k] = 1;
      const double *dq = of == 0 ? one : zero, *dv = of == 1 ? one : zero, *da = of == 2 ? one : zero;
      differences(sim, tangent, &p, dq, dv, da, wanted);
      tau_at(sim, tangent, &p, tau);
      mb_tangent_times(sim, tangent, dq, dv, da, got);
      char text[120];
      snprintf(text, sizeof text, "%s, by %s of %s", what,
               of == 0   ? "coordinates"
               : of == 1 ? "velocities"
                         : "accelerations",
               sim->model->body_name[mb_sim_body(sim, sim->nq + k)]);
      test_near(text, got, wanted, nv, TOLERANCE * size);
      one[k] = 0;
    }
  for (int round = 0; round < 5; round++) check_transposed(sim, tangent, &p, what, seed);
  mb_arena_free(&arena);
}

Test(tangent_long, of_trees_of_every_joint_under_every_force_agrees_with_differences, TEST_LONG) {
  for (uint64_t seed = 1; seed < 4; seed++)
    for (int tied = 0; tied < 2; tied++) {
      uint64_t stream = seed;
      MbSceneSpec spec = loaded_forest(&stream, tied);
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      cr_expect_eq(model->npairs > 0, tied);
      check(sim, tied ? "tied forest" : "forest", &stream);
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}
