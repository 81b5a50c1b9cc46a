// W = G A⁻¹ Gᵀ of many rows at once, beside as many solutions of A x = Gᵀ one after the other.
#include "core/base/alloc.h"
#include "core/joints/joints.h"
#include "core/solvers/redmax/responses.h"
#include "core/solvers/solvers.h"
#include "tests/trees.h"

#include <string.h>

enum { ROWS = 120, FEW = 33, MOST = 400 }; // more and fewer than meet in a square of their own

typedef struct Problem {
  MbSceneSpec spec;
  MbModel *model;
  MbSim *sim;
  size_t n; // rows there are
  MbRow row[ROWS];
  const MbRow *picked[ROWS];
} Problem;

typedef enum Way { REDMAX, MAXIMAL, PROJECTED, WAYS } Way;
static const char *const way_names[WAYS] = {"redmax", "maximal", "maximal, projected"};

// Springs to the world give bodies full blocks K and D, and couple none.
static void tie_to_world(MbSceneSpec *spec, uint64_t *seed) {
  for (size_t i = 0; i < 6; i++) {
    MbForceSpec *spring = test_force(spec, MB_FORCE_SPRING, NULL);
    spring->npoints = 2;
    spring->points = mb_arena_alloc(&spec->arena, 2, sizeof *spring->points);
    spring->points[0] = (MbPointSpec){.body = "world", .frame.rotation = {1, 0, 0, 0}};
    spring->points[1] = (MbPointSpec){.body = spec->bodies[4 * i + 1].name, .frame.rotation = {1, 0, 0, 0}};
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 3; j++) spring->points[k].frame.position[j] = test_around_zero(seed);
    *test_spring(spring) = (MbSpringSpec){.stiffness = 20, .damping = 1, .length = 0.5};
  }
}

// Joints held by rows come apart a little.
static void pull_apart(MbSim *sim, uint64_t *seed) {
  if (!sim->solver->claims->rows(sim->work).n) return;
  for (size_t b = 0; b < sim->model->nb; b++) {
    double off[6], *q = sim->state.q + 7 * b;
    MbPose E;
    for (int i = 0; i < 6; i++) off[i] = 0.01 * test_around_zero(seed);
    memcpy(E.p, q, sizeof E.p), memcpy(E.q, q + 3, sizeof E.q);
    mb_pose_advance(&E, 1, off);
    memcpy(q, E.p, sizeof E.p), memcpy(q + 3, E.q, sizeof E.q);
  }
}

static size_t random_body(const MbModel *model, uint64_t *seed) {
  return (size_t)(test_random(seed) * (double)model->nb);
}

// A coordinate of a hinge or, where `any`, of whatever.
static size_t random_coordinate(const MbModel *model, bool any, uint64_t *seed) {
  if (any) return (size_t)(test_random(seed) * (double)model->nv);
  size_t b = random_body(model, seed);
  while (model->joint[b].ops != mb_joint_table[MB_JOINT_REVOLUTE]) b = (b + 1) % model->nb;
  return model->v_first[b];
}

static void act_on(MbRow *row, int end, size_t body, uint64_t *seed) {
  row->body[end] = body;
  for (int k = 0; k < 6; k++) row->H[end][k] = test_around_zero(seed);
}

// On one body, two, the same one twice, a body and its parent; along one coordinate, two, the same one twice; on nothing.
static void random_rows(Problem *p, size_t n, bool any, uint64_t *seed) {
  const MbModel *model = p->model;
  p->n = n;
  for (size_t i = 0; i < n; i++) {
    MbRow *row = &p->row[i];
    *row = (MbRow){.body = {MB_WORLD, MB_WORLD}};
    p->picked[i] = row;
    if (i % 8 < 4) act_on(row, (int)(i / 8 % 2), random_body(model, seed), seed);
    const int other = row->body[0] == MB_WORLD ? 0 : 1;
    const size_t one = row->body[1 - other];
    if (i % 8 == 1) act_on(row, other, random_body(model, seed), seed);
    if (i % 8 == 2) act_on(row, other, one, seed);
    if (i % 8 == 3 && model->parent[one] != MB_WORLD) act_on(row, other, model->parent[one], seed);
    for (int end = 0; end < 2 && i % 8 >= 4 && i % 8 < 7; end++) {
      if (i % 8 == 4 && end) break;
      row->v[end] = end && i % 8 == 6 ? row->v[0] : random_coordinate(model, any, seed);
      row->c[end] = test_around_zero(seed);
    }
  }
}

// Each on one body, as contacts with the ground.
static void single_rows(Problem *p, size_t n, uint64_t *seed) {
  p->n = n;
  for (size_t i = 0; i < n; i++) {
    p->row[i] = (MbRow){.body = {MB_WORLD, MB_WORLD}};
    p->picked[i] = &p->row[i];
    act_on(&p->row[i], (int)(i % 2), i % 3 ? p->row[i - 1].body[(i - 1) % 2] : random_body(p->model, seed),
           seed);
  }
}

static Problem make(Way way, MbIntegratorKind kind, uint64_t *seed) {
  Problem p = {.spec = test_forest(kind, seed)};
  tie_to_world(&p.spec, seed);
  p.spec.solver.kind = way == REDMAX ? MB_SOLVER_REDMAX : MB_SOLVER_MAXIMAL;
  p.spec.solver.dynamics = MB_RECURSIVE;
  p.spec.solver.project = way == PROJECTED;
  p.model = test_model(&p.spec);
  p.sim = test_sim(p.model, 1);
  cr_assert_eq(p.model->npairs, 0);
  cr_assert(p.sim->solver->reserve(p.sim->work, ROWS));
  pull_apart(p.sim, seed);
  return p;
}

static void factor(Problem *p, double a, double b) {
  MbSim *sim = p->sim;
  size_t blame = 0;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  mb_sim_forces(sim, 0, sim->x.K != NULL);
  cr_assert(sim->solver->factor(sim->work, &sim->x, a, b, false, &blame), "body %zu", blame);
}

static void drop(Problem *p) {
  mb_sim_free(p->sim);
  mb_model_free(p->model);
  mb_arena_free(&p->spec.arena);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Gᵀ of one row
static void spread(const Problem *p, MbRow *row, double *y) {
  const MbSolverOps *solver = p->sim->solver;
  memset(y, 0, p->sim->nv * sizeof *y);
  for (int end = 0; end < 2; end++) {
    if (row->body[end] != MB_WORLD)
      solver->carry(p->sim->work, row->body[end], row->H[end], row->seen[end], y);
    if (row->c[end] != 0) solver->map->along(p->sim->work, row->v[end], row->c[end], y);
  }
}

// W by a solution for every row
static void one_by_one(Problem *p, double *W) {
  static double G[ROWS][MOST];
  const size_t nv = p->sim->nv;
  double x[MOST];
  cr_assert(nv <= MOST);
  for (size_t i = 0; i < p->n; i++) spread(p, &p->row[i], G[i]);
  for (size_t j = 0; j < p->n; j++) {
    memcpy(x, G[j], nv * sizeof *x);
    cr_assert(p->sim->solver->apply(p->sim->work, x, NULL, NULL));
    for (size_t i = 0; i < p->n; i++) {
      W[p->n * i + j] = 0;
      for (size_t k = 0; k < nv; k++) W[p->n * i + j] += G[i][k] * x[k];
    }
  }
}

static bool at_once(Problem *p, double *W) {
  double y[MOST];
  for (size_t i = 0; i < p->n; i++) spread(p, &p->row[i], y); // the solver sees them
  return p->sim->solver->responses(p->sim->work, p->n, p->picked, W);
}

static void check(Problem *p, Way way, double a, double b) {
  static const double SAME =
      1e-10; // of the largest: rounding of some hundred products a body, and a condition of thousands
  static double W[ROWS * ROWS], again[ROWS * ROWS], wanted[ROWS * ROWS];
  factor(p, a, b);
  cr_assert(at_once(p, W), "%s does not tell W at once", way_names[way]);
  one_by_one(p, wanted);
  double most = 0;
  for (size_t i = 0; i < p->n * p->n; i++) most = fmax(most, fabs(wanted[i]));
  cr_assert_gt(most, 0.1);
  test_near(way_names[way], W, wanted, p->n * p->n, SAME * most);
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < i; j++)
      cr_assert_eq(W[p->n * i + j], W[p->n * j + i], "%s: (%zu, %zu) %.17g, (%zu, %zu) %.17g", way_names[way],
                   i, j, W[p->n * i + j], j, i, W[p->n * j + i]);
  memset(again, 0x55, sizeof again);
  cr_assert(at_once(p, again));
  cr_assert_arr_eq(again, W, p->n * p->n * sizeof *W, "%s: another call, other bits", way_names[way]);
}

Test(responses, are_those_of_one_solution_a_row) {
  uint64_t seed = 71;
  for (int round = 0; round < 12; round++)
    for (Way way = 0; way < WAYS; way++) {
      const bool implicit = round % 2;
      Problem p = make(way, implicit ? MB_IMPLICIT : MB_SYMPLECTIC, &seed);
      random_rows(&p, ROWS, way != REDMAX, &seed);
      check(&p, way, implicit ? 0.02 : 0, implicit ? 4e-4 : 0);
      random_rows(&p, FEW, way != REDMAX, &seed); // others, by the same factor or by another
      check(&p, way, 0, 0);
      single_rows(&p, round % 2 ? FEW : ROWS, &seed);
      check(&p, way, 0, 0);
      drop(&p);
    }
}

// Joints of other kinds have coordinates whose axes are not at hand.
Test(responses, about_coordinates_of_joints_that_are_no_hinges_are_left_to_single_solutions) {
  uint64_t seed = 23;
  static double W[ROWS * ROWS];
  Problem p = make(REDMAX, MB_SYMPLECTIC, &seed);
  factor(&p, 0, 0);
  for (size_t b = 0; b < p.model->nb; b++)
    for (size_t k = 0; k < (p.model->joint[b].ops ? p.model->joint[b].n : 6); k++) {
      random_rows(&p, ROWS, false, &seed);
      p.row[4] = (MbRow){.body = {MB_WORLD, MB_WORLD}, .v[1] = p.model->v_first[b] + k, .c[1] = 1};
      cr_assert_eq(at_once(&p, W), p.model->joint[b].ops == mb_joint_table[MB_JOINT_REVOLUTE], "body %zu", b);
    }
  random_rows(&p, ROWS, false, &seed); // nothing is left of those that were given up
  check(&p, REDMAX, 0, 0);
  drop(&p);
}

// Where forces couple bodies the recursion is but a preconditioner.
Test(responses, of_bodies_that_forces_couple_are_left_to_single_solutions) {
  uint64_t seed = 29;
  static double W[ROWS * ROWS];
  Problem p = {.spec = test_forest(MB_IMPLICIT, &seed)};
  MbForceSpec *spring = test_force(&p.spec, MB_FORCE_SPRING, NULL);
  spring->npoints = 2;
  spring->points = mb_arena_alloc(&p.spec.arena, 2, sizeof *spring->points);
  for (size_t k = 0; k < 2; k++)
    spring->points[k] = (MbPointSpec){.body = p.spec.bodies[3 + 9 * k].name, .frame.rotation = {1, 0, 0, 0}};
  *test_spring(spring) = (MbSpringSpec){.stiffness = 20, .length = 0.5};
  p.model = test_model(&p.spec);
  p.sim = test_sim(p.model, 1);
  cr_assert(p.sim->solver->reserve(p.sim->work, ROWS));
  random_rows(&p, ROWS, false, &seed);
  factor(&p, 0.02, 4e-4);
  cr_assert_not(at_once(&p, W));
  check(&p, REDMAX, 0, 0); // without the forces' derivatives nothing is coupled
  drop(&p);
}
