// With a = (w − from)/(γ h) the stage  M (w − from) = γ h F  is  τ(q₀ ⊕ h (base + γ w), w, a, t) = 0  (tangent.h), whose derivatives by w
// are exact: near the solution each iteration squares what is left. The matrix is as large as the velocities are many, not symmetric, and
// solved for by elimination (rows: newton_rows.c).
#include "core/sim/newton.h"
#include "core/sim/dense_lu.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/newton_krylov.h"
#include "core/sim/newton_rows.h"
#include "core/sim/tangent_moved.h"

#include <math.h>
#include <string.h>

// Beyond so many velocities there is no matrix, and its products are all that is asked (newton_krylov.c); beyond the other, passes alone.
enum { MOST = 96, MOST_BY_PRODUCTS = 400000 };

struct MbNewton {
  MbTangent *tangent;
  MbKrylov *krylov;   // NULL: there is a matrix
  double *a, *step;   // (nv)
  double *A;          // (nv x nv) column after column
  double *along;      // (nv x nv) how coordinates move with each velocity of a stage, where there are rows
  MbNewtonRows *rows; // NULL: there are none
  size_t *pivot;      // (nv)
};

bool mb_newton_fits(const MbSim *sim) {
  const MbModel *model = sim->model;
  return sim->integrator->scheme == MB_STAGES && !model->contacts.nsolids &&
         sim->nv <= (model->nslots ? MOST : MOST_BY_PRODUCTS) && !mb_tangent_refuses(sim);
}

bool mb_newton_dear(const MbSim *sim) { return sim->newton->krylov || sim->newton->rows; }

MbNewton *mb_newton_create(MbSim *sim) {
  const size_t nv = sim->nv;
  MbNewton *n = mb_arena_alloc(&sim->arena, 1, sizeof *n);
  if (!n) return NULL;
  n->tangent = mb_tangent_create(sim);
  n->a = mb_arena_alloc(&sim->arena, nv, sizeof *n->a);
  n->step = mb_arena_alloc(&sim->arena, nv, sizeof *n->step);
  bool ok = true;
  if (nv > MOST) {
    ok = (n->krylov = mb_krylov_create(sim)) != NULL;
  } else {
    n->A = mb_arena_alloc(&sim->arena, nv * nv, sizeof *n->A);
    n->pivot = mb_arena_alloc(&sim->arena, nv, sizeof *n->pivot);
    ok = n->A && n->pivot;
  }
  if (sim->model->nslots) {
    n->rows = mb_newton_rows_create(sim);
    n->along = mb_arena_alloc(&sim->arena, nv * nv, sizeof *n->along);
    ok = ok && n->rows && n->along;
  }
  return ok && n->tangent && n->a && n->step ? n : NULL;
}

MbTangent *mb_newton_tangent(const MbSim *sim) { return sim->newton->tangent; }

// ---- the matrix --------------------------------------------------------------------------------------------------------

// n->A and n->along at q1, which the bodies are taken to.
static void linearise(MbSim *sim, const MbStageNote *stage, const double *q1, const double *step,
                      const double *a, double *tau) {
  MbNewton *n = sim->newton;
  const double span = stage->gamma * sim->model->h;
  mb_sim_kinematics(sim, q1, stage->w);
  mb_tangent_at(sim, n->tangent, stage->w, a, stage->t, tau);
  mb_tangent_matrix(sim, n->tangent, step, span, span, n->A);
}

bool mb_newton_factor(MbSim *sim, const MbStageNote *stage, const double *q1, const double *step,
                      const double *a, double *tau) {
  MbNewton *n = sim->newton;
  if (n->krylov) return mb_krylov_at(sim, n->krylov, n->tangent, stage, q1, step, a, tau);
  linearise(sim, stage, q1, step, a, tau);
  return mb_lu_factor(sim->newton->A, sim->nv, sim->newton->pivot);
}

static const double TIGHT = 1e-13; // of a solution by products

bool mb_newton_solve(MbSim *sim, double *x) {
  const MbNewton *n = sim->newton;
  if (n->krylov) return mb_krylov_solve(sim, n->krylov, false, TIGHT, x);
  mb_lu_solve(n->A, sim->nv, n->pivot, x);
  return true;
}

bool mb_newton_solve_transposed(MbSim *sim, double *x) {
  const MbNewton *n = sim->newton;
  if (n->krylov) return mb_krylov_solve(sim, n->krylov, true, TIGHT, x);
  mb_lu_solve_transposed(n->A, sim->nv, n->pivot, x);
  return true;
}

// n->along ← how coordinates move with each velocity of a stage, over so many seconds.
static void find_along(const MbSim *sim, const double *step, double reach) {
  const MbModel *model = sim->model;
  double *along = sim->newton->along, T[MB_JOINT_MOST * MB_JOINT_MOST], T0[MB_JOINT_MOST * MB_JOINT_MOST];
  memset(along, 0, sim->nv * sim->nv * sizeof *along);
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->v_first[b], n = mb_tangent_dofs(model, b);
    if (!n) continue;
    mb_tangent_ahead(model, b, step + first, T, T0);
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < n; i++) along[sim->nv * (first + k) + first + i] = reach * T[n * i + k];
  }
}

// The matrix, and the rows beside it.
static bool change_by_matrix(MbSim *sim, const MbFullStage *stage, const MbStageNote *at, double *z) {
  MbNewton *n = sim->newton;
  linearise(sim, at, sim->q1, n->step, n->a, z);
  if (n->rows) find_along(sim, n->step, stage->gamma * sim->model->h);
  if (n->rows && !mb_newton_rows_at(sim, n->rows, stage, at->w, n->along, n->A)) return false;
  if (!mb_lu_factor(n->A, sim->nv, n->pivot)) return false;
  mb_lu_solve(n->A, sim->nv, n->pivot, z);
  for (size_t i = 0; i < sim->nv; i++) z[i] = -z[i];
  return !n->rows || mb_newton_rows_solve(sim, n->rows, stage, mb_newton_solve, z);
}

static bool change_by_products(MbSim *sim, const MbStageNote *at, double *z) {
  static const double ENOUGH = 1e-8; // of a change
  MbNewton *n = sim->newton;
  if (!mb_krylov_at(sim, n->krylov, n->tangent, at, sim->q1, n->step, n->a, z)) return false;
  if (!mb_krylov_solve(sim, n->krylov, false, ENOUGH, z)) return false;
  for (size_t i = 0; i < sim->nv; i++) z[i] = -z[i];
  return true;
}

bool mb_newton_change(MbSim *sim, const MbFullStage *stage, const double *w, double *z) {
  MbNewton *n = sim->newton;
  const double h = sim->model->h, span = stage->gamma * h;
  for (size_t i = 0; i < sim->nv; i++) {
    n->step[i] = h * (stage->base[i] + stage->gamma * w[i]);
    n->a[i] = (w[i] - stage->from[i]) / span;
  }
  const MbStageNote at = {.gamma = stage->gamma, .t = stage->t, .w = (double *)w};
  mb_sim_move(sim, 1, n->step);
  return n->krylov ? change_by_products(sim, &at, z) : change_by_matrix(sim, stage, &at, z);
}
