// Coordinates that follow others (RM 2.6): v_b = ratio v_a takes the velocities v = P v̂ from those that are left. The
// velocities that A and a right-hand side give are then
//
//   P (Pᵀ A P)⁻¹ Pᵀ x = y − Y (H Y)⁻¹ H y,   y = A⁻¹ x,   Y = A⁻¹ Hᵀ
//
// with a row of H, ratio v_a − v_b, for each coordinate that follows: k more solutions a factorisation, and a k x k system,
// on top of whatever solver inverts A. What comes out is in the range of P to the last digit. All else, from M v to the
// constraints' G, is about v itself and stays as it is.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/solvers/solvers.h"

#include <lapacke.h>
#include <string.h>

struct MbSolverWork {
  const MbModel *model;
  const MbSolverOps *inner;
  MbSolverWork *work;
  double *Y;      // (k x nv) rows A⁻¹ Hᵀ
  double *W;      // (k x k) H Y, its Cholesky factor
  double *lambda; // (k) of the last application
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  if (work->work) work->inner->free(work->work);
  mb_free(work->Y);
  mb_free(work->W);
  mb_free(work->lambda);
  mb_free(work);
}

static MbSolverWork *create(const MbSolverOps *inner, const MbModel *model, int threads) {
  const size_t k = model->nreductions;
  size_t columns = 0, square = 0;
  mb_blas_one_thread();
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  const bool fits = !__builtin_mul_overflow(k, model->nv, &columns) && !__builtin_mul_overflow(k, k, &square);
  work->model = model, work->inner = inner;
  work->work = inner->create(model, threads);
  work->Y = fits ? mb_calloc(columns, sizeof(double)) : NULL;
  work->W = fits ? mb_calloc(square, sizeof(double)) : NULL;
  work->lambda = mb_calloc(k, sizeof(double));
  if (work->work && work->Y && work->W && work->lambda) return work;
  free_work(work);
  return NULL;
}

static MbSolverWork *create_dense(const MbModel *model, int threads) {
  return create(&mb_redmax_dense_ops, model, threads);
}
static MbSolverWork *create_recursive(const MbModel *model, int threads) {
  return create(&mb_redmax_recursive_ops, model, threads);
}

static size_t bytes(const MbSolverWork *work) {
  const size_t k = work->model->nreductions;
  return sizeof *work + work->inner->bytes(work->work) + k * (work->model->nv + k + 1) * sizeof(double);
}

// One row of H times v
static double rate(const MbReduction *r, const double *v) { return r->ratio * v[r->v[0]] - v[r->v[1]]; }

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  const MbModel *model = work->model;
  const size_t k = model->nreductions;
  if (!work->inner->factor(work->work, x, a, b, exact, blame)) return false;
  memset(work->Y, 0, k * model->nv * sizeof *work->Y);
  for (size_t i = 0; i < k; i++) {
    const MbReduction *r = &model->reductions[i];
    double *y = work->Y + i * model->nv;
    y[r->v[0]] = r->ratio, y[r->v[1]] = -1;
    *blame = r->body;
    if (!work->inner->apply(work->work, y)) return false;
    for (size_t j = 0; j < k; j++) work->W[i * k + j] = rate(&model->reductions[j], y);
  }
  const lapack_int n = (lapack_int)k;
  const lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, work->W, n);
  if (info > 0) *blame = model->reductions[info - 1].body;
  return info == 0;
}

static bool apply(MbSolverWork *work, double *x) {
  const MbModel *model = work->model;
  const size_t k = model->nreductions;
  const lapack_int n = (lapack_int)k;
  if (!work->inner->apply(work->work, x)) return false;
  for (size_t i = 0; i < k; i++) work->lambda[i] = rate(&model->reductions[i], x);
  LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, work->W, n, work->lambda, n);
  for (size_t i = 0; i < k; i++) {
    const double *y = work->Y + i * model->nv;
    for (size_t j = 0; j < model->nv; j++) x[j] -= work->lambda[i] * y[j];
  }
  for (size_t i = 0; i < k; i++) {
    const MbReduction *r = &model->reductions[i];
    x[r->v[1]] = r->ratio * x[r->v[0]];
  }
  return true;
}

// A v = x + Hᵀ μ with μ = −λ
static void reactions(const MbSolverWork *work, double *y) {
  for (size_t i = 0; i < work->model->nreductions; i++) {
    const MbReduction *r = &work->model->reductions[i];
    y[r->v[0]] -= r->ratio * work->lambda[i];
    y[r->v[1]] += work->lambda[i];
  }
}

// ---- what the solver below does ---------------------------------------------------------------------------

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  work->inner->kinematics(work->work, q, v, x, begin, end);
}
static void bias(MbSolverWork *work, MbMaximal *x) { work->inner->bias(work->work, x); }
static void momentum(MbSolverWork *work, const double *v, double *y) {
  work->inner->momentum(work->work, v, y);
}
static void gather(MbSolverWork *work, const double *f, double *y) { work->inner->gather(work->work, f, y); }
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  work->inner->blocks(work->work, B, s, v, y);
}
static void carry(MbSolverWork *work, size_t body, const double w[6], double *y) {
  work->inner->carry(work->work, body, w, y);
}
static void drift(MbSolverWork *work, double *a) { work->inner->drift(work->work, a); }

#define OPS                                                                                                  \
  .free = free_work, .bytes = bytes, .kinematics = kinematics, .bias = bias, .factor = factor,               \
  .apply = apply, .momentum = momentum, .gather = gather, .blocks = blocks, .carry = carry, .drift = drift,  \
  .reactions = reactions

const MbSolverOps mb_reduced_dense_ops = {.name = "redmax dense, reduced", .create = create_dense, OPS};
const MbSolverOps mb_reduced_recursive_ops = {
    .name = "redmax recursive, reduced", .create = create_recursive, OPS};
