// Joints held by rows: J v and J̇ v, the coordinates' rates and their changes along random motions of a forest whose joints
// have come apart a little; transposes; and the system that is solved.
#include "core/constraints/closure.h"
#include "core/constraints/distance.h"
#include "core/constraints/on_line.h"
#include "core/solvers/maximal/poses.h"
#include "core/model/coordinates.h"
#include "core/solvers/solvers.h"
#include "core/solvers/watched.h"
#include "tests/trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 }; // velocities of bodies, rows, coordinates here

// The forest with springs that couple bodies, and joints' coordinates that stay away from singular places.
static MbSceneSpec held_forest(MbIntegratorKind kind, MbLinear linear, bool springs, uint64_t *seed) {
  MbSceneSpec spec = test_forest(kind, seed);
  spec.solver.kind = MB_SOLVER_MAXIMAL;
  spec.solver.linear = linear;
  for (size_t i = 0; springs && i < 6; i++) {
    MbForceSpec *spring = test_force(&spec, MB_FORCE_SPRING, NULL);
    spring->npoints = 2;
    spring->points = mb_arena_alloc(&spec.arena, 2, sizeof *spring->points);
    for (int k = 0; k < 2; k++) {
      spring->points[k] =
          (MbPointSpec){.body = spec.bodies[5 * i + 3 * (size_t)k].name, .frame.rotation = {1, 0, 0, 0}};
      for (int j = 0; j < 3; j++) spring->points[k].frame.position[j] = test_around_zero(seed);
    }
    *test_spring(spring) = (MbSpringSpec){.stiffness = 20, .damping = 1, .length = 0.5};
  }
  return spec;
}

// Bodies free in space, each held by a constraint of some kind on a body before it or on the world.
static void hold_more(MbSceneSpec *spec, uint64_t *seed) {
  static const MbConstraintKind kinds[] = {MB_CONSTRAINT_POINT, MB_CONSTRAINT_DISTANCE, MB_CONSTRAINT_ON_LINE,
                                           MB_CONSTRAINT_ON_PLANE, MB_CONSTRAINT_JOINT};
  enum { MORE = 10 };
  spec->constraints = mb_arena_alloc(&spec->arena, MORE, sizeof *spec->constraints);
  for (size_t i = 0; i < MORE; i++) {
    const size_t before = spec->nbodies;
    MbBodySpec *body = test_random_body(spec, seed);
    test_random_frame(&body->pose, seed);
    MbConstraintSpec *constraint = &spec->constraints[spec->nconstraints++];
    *constraint = (MbConstraintSpec){.kind = kinds[i % 5], .nbetween = 2};
    union {
      MbClosureSpec closure;
      MbDistanceSpec distance;
      MbAxisSpec line;
    } *own = mb_arena_alloc(&spec->arena, 1, sizeof *own);
    constraint->parameters = own;
    const MbJointKind joint = i < 5 ? MB_JOINT_REVOLUTE : MB_JOINT_CYLINDRICAL;
    if (constraint->kind == MB_CONSTRAINT_JOINT)
      own->closure = (MbClosureSpec){.joint = {.kind = joint, .axis = {0, 0, 1}}, .axis = {0, 0, 1}};
    else if (constraint->kind == MB_CONSTRAINT_DISTANCE)
      own->distance.length = 0.7;
    else
      own->line.axis[2] = 1;
    constraint->between = mb_arena_alloc(&spec->arena, 2, sizeof *constraint->between);
    const char *on = i % 3 ? spec->bodies[(size_t)(test_random(seed) * (double)before)].name : "world";
    for (size_t k = 0; k < 2; k++) {
      constraint->between[k] = (MbPointSpec){.body = (i % 2 == k) ? body->name : on};
      test_random_frame(&constraint->between[k].frame, seed);
      if (constraint->kind == MB_CONSTRAINT_JOINT) continue;
      constraint->between[k].frame = (MbFrameSpec){.rotation = {1, 0, 0, 0}};
      for (int j = 0; j < 3; j++) constraint->between[k].frame.position[j] = test_around_zero(seed);
    }
  }
}

// Poses aside, velocities any: the joints are open and move apart.
static void pull_apart(MbSim *sim, double size, uint64_t *seed) {
  for (size_t b = 0; b < sim->model->nb; b++) {
    double off[6];
    MbPose E;
    for (int i = 0; i < 6; i++) off[i] = size * test_around_zero(seed);
    memcpy(E.p, sim->state.q + 7 * b, sizeof E.p);
    memcpy(E.q, sim->state.q + 7 * b + 3, sizeof E.q);
    mb_pose_advance(&E, 1, off);
    memcpy(sim->state.q + 7 * b, E.p, sizeof E.p);
    memcpy(sim->state.q + 7 * b + 3, E.q, sizeof E.q);
  }
  for (size_t i = 0; i < sim->nv; i++) sim->state.v[i] = test_around_zero(seed);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
}

// What the solver says where the bodies are after s seconds of their velocities.
typedef struct Moment {
  double g[MOST], speed[MOST], bend[MOST], q[MOST], rate[MOST], turn[MOST];
} Moment;

static void moment(MbSim *sim, double s, Moment *m) {
  static double q[2 * MOST];
  const MbClaimOps *claims = sim->solver->claims;
  const size_t rows = claims->rows(sim->work).n, nv = sim->model->nv;
  cr_assert(sim->nq <= 2 * MOST && rows <= MOST && sim->model->nq <= MOST);
  memcpy(q, sim->state.q, sim->nq * sizeof *q);
  mb_sim_advance(sim, q, s, sim->state.v);
  mb_sim_kinematics(sim, q, sim->state.v);
  memcpy(m->g, claims->rows(sim->work).g, rows * sizeof(double));
  memcpy(m->bend, claims->bends(sim->work), rows * sizeof(double));
  memcpy(m->turn, sim->solver->map->turns(sim->work), nv * sizeof(double));
  claims->speeds(sim->work, sim->state.v, m->speed);
  sim->solver->map->rates(sim->work, sim->model, sim->state.v, m->rate);
  memcpy(m->q, sim->x.q, sim->model->nq * sizeof(double));
  test_near("velocities of the joints", sim->x.v, m->rate, nv, 1e-11); // the same by two ways, to rounding
}

// Central differences of fourth order
static void differ(const Moment at[4], size_t offset, size_t n, double e, double *out) {
  static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  memset(out, 0, n * sizeof *out);
  for (int k = 0; k < 4; k++) {
    const double *numbers = (const double *)((const char *)&at[k] + offset);
    for (size_t i = 0; i < n; i++) out[i] += weight[k] / e * numbers[i];
  }
}

static void near(const char *what, const double *is, const double *wanted, size_t n) {
  static const double TOLERANCE =
      1e-8; // E⁴ times fifth derivatives, which splines have large; rounding over E
  double most = 1;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(wanted[i]));
  test_near(what, is, wanted, n, TOLERANCE * most);
}

Test(maximal, rows_and_coordinates_change_along_motions_as_told) {
  static const double E = 3e-5, side[4] = {-2, -1, 1, 2}, aside[] = {0, 1e-4, 0.01};
  static Moment here, at[4];
  uint64_t seed = 61;
  double wanted[MOST];
  for (int round = 0; round < 12; round++) {
    MbSceneSpec spec = held_forest(MB_SYMPLECTIC, MB_LINEAR_AUTO, false, &seed);
    if (round % 2) hold_more(&spec, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const size_t rows = sim->solver->claims->rows(sim->work).n;
    pull_apart(sim, aside[round % 3], &seed);
    moment(sim, 0, &here);
    for (int k = 0; k < 4; k++) moment(sim, side[k] * E, &at[k]);
    differ(at, offsetof(Moment, g), rows, E, wanted);
    near("J v", here.speed, wanted, rows);
    differ(at, offsetof(Moment, speed), rows, E, wanted);
    near("J̇ v", here.bend, wanted, rows);
    for (size_t b = 0; b < model->nb; b++) {
      if (!model->joint[b].ops) continue; // coordinates of those are no velocities' integrals
      const size_t q = model->q_first[b], v = model->v_first[b], n = model->joint[b].n;
      differ(at, offsetof(Moment, q) + q * sizeof(double), n, E, wanted);
      near("q̇", here.rate + v, wanted, n);
      differ(at, offsetof(Moment, rate) + v * sizeof(double), n, E, wanted);
      near("q̈", here.turn + v, wanted, n);
    }
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

static double product(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void random_numbers(double *x, size_t n, uint64_t *seed) {
  for (size_t i = 0; i < n; i++) x[i] = test_around_zero(seed);
}

Test(maximal, forces_along_coordinates_are_spread_by_the_transpose_of_the_rates) {
  mb_watch_solvers = false; // it looks into the work
  uint64_t seed = 5;
  for (int round = 0; round < 4; round++) {
    MbSceneSpec spec = held_forest(MB_SYMPLECTIC, MB_LINEAR_AUTO, false, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const MbCoordinateMap *map = sim->solver->map;
    pull_apart(sim, 0.01, &seed);
    double f[MOST], v[MOST], rate[MOST], y[MOST] = {0}, one[MOST] = {0};
    random_numbers(f, model->nv, &seed);
    random_numbers(v, sim->nv, &seed);
    map->rates(sim->work, model, v, rate);
    mb_held_spread(&sim->work->held, f, y);
    const double work = product(f, rate, model->nv), same = product(y, v, sim->nv);
    test_near("f · V v = Vᵀ f · v", &same, &work, 1, 1e-10); // sums of some hundred numbers up to 10
    for (size_t k = 0; k < model->nv; k++) map->along(sim->work, k, f[k], one);
    test_near("one coordinate after the other", one, y, sim->nv, 1e-11);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// The solvers symmetrise A: so do the blocks here, for products.
static void symmetrise(const MbModel *model, double *B) {
  for (size_t n = 0; n < 36 * model->nb; n += 36)
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < i; j++)
        B[n + 6 * i + j] = B[n + 6 * j + i] = (B[n + 6 * i + j] + B[n + 6 * j + i]) / 2;
  for (size_t n = 0; n < model->npairs; n++) {
    double *first = B + 36 * (model->nb + 2 * n), *second = first + 36;
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++)
        first[6 * i + j] = second[6 * j + i] = (first[6 * i + j] + second[6 * j + i]) / 2;
  }
}

// A v = x + Jᵀ λ and J v = b, with products that the solver does not use itself
static void check_system(MbSim *sim, double a, double b, uint64_t *seed) {
  static double J[MOST * MOST];
  const MbClaimOps *claims = sim->solver->claims;
  const size_t nv = sim->nv, rows = claims->rows(sim->work).n;
  double x[MOST], v[MOST], aim[MOST], lambda[MOST], back[MOST], speed[MOST], unit[MOST] = {0};
  size_t blame = 0;
  cr_assert(nv <= MOST && rows <= MOST);
  for (size_t i = 0; i < nv; i++) {
    unit[i] = 1;
    claims->speeds(sim->work, unit, speed);
    for (size_t r = 0; r < rows; r++) J[r * nv + i] = speed[r];
    unit[i] = 0;
  }
  random_numbers(x, nv, seed);
  random_numbers(aim, rows, seed);
  memcpy(v, x, sizeof v);
  memcpy(lambda, aim, sizeof lambda);
  mb_sim_forces(sim, 0, sim->x.K != NULL);
  cr_assert(sim->solver->factor(sim->work, &sim->x, a, b, false, &blame), "body %zu", blame);
  cr_assert(sim->solver->apply(sim->work, v, lambda, lambda));
  claims->speeds(sim->work, v, speed);
  double size = 1, force = 1;
  for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(v[i]));
  for (size_t r = 0; r < rows; r++) force = fmax(force, fabs(lambda[r]));
  static const double CLOSE = 1e-10; // a condition of some thousands
  test_near("J v = b", speed, aim, rows, CLOSE * size);
  if (sim->x.K) symmetrise(sim->model, sim->x.K), symmetrise(sim->model, sim->x.D);
  sim->solver->momentum(sim->work, v, back);
  mb_sim_add_blocks(sim, -a, -b, v, back);
  for (size_t i = 0; i < nv; i++)
    for (size_t r = 0; r < rows; r++) back[i] -= J[r * nv + i] * lambda[r];
  test_near("A v − Jᵀ λ = x", back, x, nv, CLOSE * (size + force));
}

Test(maximal, velocities_and_multipliers_solve_the_system) {
  uint64_t seed = 9;
  for (MbLinear linear = MB_LINEAR_AUTO; linear <= MB_LINEAR_DENSE; linear++)
    for (int springs = 0; springs < 2; springs++) {
      MbSceneSpec spec = held_forest(MB_IMPLICIT, linear, springs, &seed);
      hold_more(&spec, &seed);
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      pull_apart(sim, 0.01, &seed);
      check_system(sim, 0.02, 4e-4, &seed);
      check_system(sim, 0, 0, &seed);
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

// Mass without extent at the end of a rod without mass: A itself is singular, under the rows it is not.
Test(maximal, bodies_without_inertia_in_some_direction_are_held_by_their_joints) {
  uint64_t seed = 3;
  for (MbLinear linear = MB_LINEAR_AUTO; linear <= MB_LINEAR_DENSE; linear++) {
    MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 0.01, 1);
    spec.solver.kind = MB_SOLVER_MAXIMAL, spec.solver.linear = linear;
    for (int i = 0; i < 3; i++) {
      char name[32];
      snprintf(name, sizeof name, "bob%d", i);
      MbBodySpec *bob = test_body(&spec, mb_arena_strdup(&spec.arena, name), 1 + i, 0, 0, 0);
      bob->jointed = true;
      bob->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 1, 0}};
      bob->joint.in_parent.rotation[0] = bob->joint.in_body.rotation[0] = 1;
      bob->joint.in_body.position[0] = -1;
      if (i) bob->joint.parent = spec.bodies[i - 1].name;
      bob->joint.position = test_one_number(&spec.arena, 0.4);
    }
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    check_system(sim, 0, 0, &seed);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
