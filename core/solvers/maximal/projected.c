// Reduced coordinates by way of the multipliers (B96 2.2): the state is the joints' coordinates, so that joints cannot come
// apart, and A⁻¹ in them goes through the bodies. With f = Vᵀ y a wrench does along the coordinates what y asks, and the
// bodies' velocities with J v = 0 tell the coordinates' by V:
//   (J_rᵀ A J_r)⁻¹ y = V P Vᵀ y,   P f = v of A v = f + Jᵀ λ, J v = 0.
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/tree.h"
#include "core/solvers/solvers.h"

#include <string.h>

struct MbSolverWork {
  MbHeld held;
  MbTree tree;
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  mb_held_free(&work->held);
  mb_tree_free(&work->tree);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  const bool held = mb_held_create(model, threads, &work->held);
  if (mb_tree_create(model, &work->tree) && held) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbSolverWork *work) {
  return sizeof *work + mb_held_bytes(&work->held) + mb_tree_bytes(work->held.model);
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  (void)begin, (void)end;
  mb_tree_kinematics(&work->tree, q, v, x);
  mb_held_update(&work->held, q, x);
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  (void)exact;
  return mb_held_factor(&work->held, x, a, b, blame);
}

static bool apply(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  (void)aim, (void)lambda;
  MbHeld *held = &work->held;
  memset(held->r, 0, 6 * held->model->nb * sizeof *held->r);
  memset(held->lambda, 0, held->shape.nrows * sizeof *held->lambda);
  mb_held_spread(held, x, held->r);
  if (held->posture)
    mb_held_posture_solve(held, held->r, NULL);
  else
    mb_held_solve(held, held->r, held->lambda);
  mb_held_rates(held, held->r, x);
  return true;
}

static void bias(MbSolverWork *work, MbMaximal *x) { mb_tree_bias(&work->tree, x); }
static void momentum(MbSolverWork *work, const double *v, double *y) {
  mb_tree_momentum(&work->tree, v, y);
  mb_coordinates_momentum(work->held.model, v, y);
}
static void gather(MbSolverWork *work, const double *f, double *y) { mb_tree_gather(&work->tree, f, y); }
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  mb_tree_blocks(&work->tree, B, s, v, y);
}
static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  (void)seen;
  mb_tree_push(&work->tree, body, w, y);
}
static void drift(MbSolverWork *work, double *a) { mb_tree_drift(&work->tree, a); }

static bool reserve(MbSolverWork *work, size_t rows) {
  return !work->held.posture || mb_held_posture_reserve(work->held.posture, rows);
}
static bool responses(MbSolverWork *work, size_t k, const MbRow *const *row, double *W) {
  return work->held.posture && mb_held_posture_responses(&work->held, k, row, W);
}

const MbSolverOps mb_maximal_projected_ops = {
    .name = "maximal, projected",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .kinematics = kinematics,
    .bias = bias,
    .factor = factor,
    .apply = apply,
    .map = &mb_own_coordinates,
    .claims = &mb_claims_nothing,
    .momentum = momentum,
    .gather = gather,
    .blocks = blocks,
    .carry = carry,
    .drift = drift,
    .reserve = reserve,
    .responses = responses,
};
