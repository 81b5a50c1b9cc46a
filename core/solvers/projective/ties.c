// A spring between a body and a node of a deformable couples two matrices: the bodies' A_b, which forces' derivatives are part of, and
// the deformables' constant A_n, which they are not. Let B pick the velocities that such forces see, twists of the bodies that they
// act on and the velocities of the ports, and C = −a D − b K be what they add to A between those, without the bodies' own blocks, which
// are in A_b. With A₀ of the two blocks A_b and A_n, and R = B A₀⁻¹ Bᵀ,
//
//   (A₀ + Bᵀ C B)⁻¹ r = x − A₀⁻¹ Bᵀ w,   w = C (1 + R C)⁻¹ B x,   x = A₀⁻¹ r
//
// which takes 6 solutions a body and factor, and the ports' response, which is constant. Over a step these forces push ports by
// − C B v⁺ beside what they are at its start.
#include "core/solvers/projective/ties.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/solvers/body_block.h"

#include <string.h>

struct MbTies {
  MbArena arena;
  size_t nbodies, nports, n; // n = 6 nbodies + 3 nports
  size_t nv, first;          // velocities; where those of ports begin
  size_t *body, *port;       // numbers of the bodies that they are
  size_t *at;                // (nports) where each one's velocities begin
  size_t *place;             // (nb) of a body: where in B v; SIZE_MAX = not there
  size_t npairs, *pair;      // of the model's pairs, those with ports
  MbMaximal left; // what the bodies' solver has factored, which may look at it as long as the factor is there
  double *K, *D;  // (blocks x 36) without those pairs
  double *C, *R, *F;      // (n x n); F: 1 + R C, factored
  lapack_int *pivot;      // (n)
  double *along, *column; // (6 nbodies x nv) Bᵀ of the bodies, A_b⁻¹ of that
  double *u, *w;          // (n)
  double *x, *y;          // (velocities with those of all nodes); y is zero but at ports
};

// ---- making -----------------------------------------------------------------------------------------------

static void mark(MbTies *ties, size_t body, size_t own) {
  if (body == MB_WORLD || ties->place[body] != SIZE_MAX) return;
  ties->place[body] = 0;
  if (body < own)
    ties->body[ties->nbodies++] = body;
  else
    ties->port[ties->nports++] = body;
}

// Which bodies and ports forces that act on some port are between.
static void find_ends(const MbModel *model, MbTies *ties) {
  const size_t own = mb_model_own(model);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    bool any = false;
    for (size_t k = 0; k < force->npoints; k++)
      any |= force->points[k].body != MB_WORLD && force->points[k].body >= own;
    for (size_t k = 0; any && k < force->npoints; k++) mark(ties, force->points[k].body, own);
  }
  for (size_t k = 0; k < ties->nbodies; k++) ties->place[ties->body[k]] = 6 * k;
  for (size_t k = 0; k < ties->nports; k++) ties->place[ties->port[k]] = 6 * ties->nbodies + 3 * k;
  ties->n = 6 * ties->nbodies + 3 * ties->nports;
  for (size_t p = 0; p < model->npairs; p++)
    if (model->pair[2 * p + 1] >= own) ties->pair[ties->npairs++] = p;
}

static double *numbers(MbTies *ties, size_t n) { return mb_arena_alloc(&ties->arena, n, sizeof(double)); }

static bool list_ends(const MbSolverWork *work, MbTies *ties) {
  const MbModel *model = work->model;
  MbArena *arena = &ties->arena;
  ties->body = mb_arena_alloc(arena, model->nb, sizeof *ties->body);
  ties->port = mb_arena_alloc(arena, model->nb, sizeof *ties->port);
  ties->place = mb_arena_alloc(arena, model->nb, sizeof *ties->place);
  ties->pair = mb_arena_alloc(arena, model->npairs, sizeof *ties->pair);
  if (!ties->body || !ties->port || !ties->place || !ties->pair) return false;
  for (size_t b = 0; b < model->nb; b++) ties->place[b] = SIZE_MAX;
  find_ends(model, ties);
  ties->at = mb_arena_alloc(arena, ties->nports, sizeof *ties->at);
  for (size_t k = 0; ties->at && k < ties->nports; k++)
    ties->at[k] = work->inner->map->layout->node(model, ties->port[k]);
  return ties->at != NULL;
}

static bool make_room(const MbModel *model, size_t points, MbTies *ties) {
  const size_t n = ties->n, nv = ties->nv, blocks = 36 * (model->nb + 2 * model->npairs);
  ties->K = numbers(ties, blocks), ties->D = numbers(ties, blocks);
  ties->C = numbers(ties, n * n), ties->R = numbers(ties, n * n), ties->F = numbers(ties, n * n);
  ties->pivot = mb_arena_alloc(&ties->arena, n, sizeof *ties->pivot);
  ties->along = numbers(ties, 6 * ties->nbodies * nv), ties->column = numbers(ties, 6 * ties->nbodies * nv);
  ties->u = numbers(ties, n), ties->w = numbers(ties, n);
  ties->x = numbers(ties, nv + 3 * points), ties->y = numbers(ties, nv + 3 * points);
  return ties->K && ties->D && ties->C && ties->R && ties->F && ties->pivot && ties->along && ties->column &&
         ties->u && ties->w && ties->x && ties->y;
}

bool mb_ties_make(const MbSolverWork *work, MbTies **out) {
  const MbModel *model = work->model;
  if (!model->nports) return true;
  MbTies *ties = mb_calloc(1, sizeof *ties);
  if (!ties) return false;
  ties->nv = work->nv;
  bool fine = list_ends(work, ties);
  const bool any = fine && ties->nports;
  if (any) {
    // ports are the last bodies
    ties->first = work->inner->map->layout->velocity(model, mb_model_own(model));
    fine = mb_blas_start(1) && make_room(model, work->points, ties);
  }
  if (fine && any)
    *out = ties;
  else
    mb_ties_free(ties);
  return fine;
}

void mb_ties_free(MbTies *ties) {
  if (!ties) return;
  mb_arena_free(&ties->arena);
  mb_free(ties);
}

size_t mb_ties_bytes(const MbTies *ties) { return ties ? sizeof *ties + ties->arena.bytes : 0; }

// ---- a factor ---------------------------------------------------------------------------------------------

// C's block of rows i and columns j ← −(a D + b K), symmetrised with its opposite; of ports the last three of six numbers.
static void put_block(MbTies *ties, const MbModel *model, const MbMaximal *x, size_t i, size_t j,
                      size_t block, size_t opposite, double a, double b) {
  const size_t own = mb_model_own(model), at = ties->place[i], to = ties->place[j];
  const size_t first_i = i < own ? 0 : 3, first_j = j < own ? 0 : 3;
  double B[36];
  mb_force_block(B, x, block, opposite, a, b, false);
  for (size_t r = first_i; r < 6; r++)
    for (size_t c = first_j; c < 6; c++)
      ties->C[ties->n * (at + r - first_i) + to + c - first_j] = B[6 * r + c];
}

const MbMaximal *mb_ties_take(MbTies *ties, const MbSolverWork *work, const MbMaximal *x, double a,
                              double b) {
  const MbModel *model = work->model;
  const size_t blocks = 36 * (model->nb + 2 * model->npairs);
  ties->left = *x;
  ties->left.K = ties->K, ties->left.D = ties->D;
  memset(ties->C, 0, ties->n * ties->n * sizeof *ties->C);
  for (size_t k = 0; k < ties->nports; k++) {
    const size_t port = ties->port[k];
    put_block(ties, model, x, port, port, port, port, a, b);
  }
  for (size_t k = 0; k < ties->npairs; k++) {
    const size_t p = ties->pair[k], first = model->nb + 2 * p, i = model->pair[2 * p],
                 j = model->pair[2 * p + 1];
    put_block(ties, model, x, i, j, first, first + 1, a, b);
    put_block(ties, model, x, j, i, first + 1, first, a, b);
  }
  memcpy(ties->K, x->K, blocks * sizeof *ties->K);
  memcpy(ties->D, x->D, blocks * sizeof *ties->D);
  for (size_t k = 0; k < ties->npairs; k++) {
    memset(ties->K + 36 * (model->nb + 2 * ties->pair[k]), 0, 72 * sizeof *ties->K);
    memset(ties->D + 36 * (model->nb + 2 * ties->pair[k]), 0, 72 * sizeof *ties->D);
  }
  return &ties->left;
}

// u ← B x
static void look(const MbTies *ties, const double *x, double *u) {
  for (size_t r = 0; r < 6 * ties->nbodies; r++) {
    u[r] = 0;
    for (size_t i = 0; i < ties->nv; i++) u[r] += ties->along[r * ties->nv + i] * x[i];
  }
  for (size_t k = 0; k < ties->nports; k++)
    memcpy(u + 6 * ties->nbodies + 3 * k, x + ties->at[k], 3 * sizeof *u);
}

// Column of R: B A₀⁻¹ of one port's velocity, along one axis. Other ports alone answer.
static void respond(MbTies *ties, MbSolverWork *work, size_t column) {
  const size_t k = column - 6 * ties->nbodies;
  double *one = &ties->y[ties->at[k / 3] + k % 3];
  memset(ties->x, 0, ties->nv * sizeof *ties->x);
  *one = 1;
  mb_projective_respond(work, ties->y, ties->x);
  *one = 0;
}

static bool fill_response(MbTies *ties, MbSolverWork *work) {
  const size_t n = ties->n, nv = ties->nv;
  bool fine = true;
  memset(ties->along, 0, 6 * ties->nbodies * nv * sizeof *ties->along);
  for (size_t c = 0; c < 6 * ties->nbodies; c++) {
    double e[6] = {0}, *along = ties->along + c * nv;
    e[c % 6] = 1;
    work->inner->carry(work->work, ties->body[c / 6], e, NULL, along);
    memcpy(ties->column + c * nv, along, nv * sizeof *along);
    fine &= work->inner->apply(work->work, ties->column + c * nv, NULL, NULL);
  }
  for (size_t c = 0; c < n; c++) {
    double *x = c < 6 * ties->nbodies ? ties->column + c * nv : ties->x;
    if (c < 6 * ties->nbodies)
      memset(x + ties->first, 0, (nv - ties->first) * sizeof *x);
    else
      respond(ties, work, c);
    look(ties, x, ties->u);
    for (size_t r = 0; r < n; r++) ties->R[n * r + c] = ties->u[r];
  }
  return fine;
}

bool mb_ties_factor(MbTies *ties, MbSolverWork *work, size_t *blame) {
  const int n = (int)ties->n;
  *blame = ties->port[0];
  if (!fill_response(ties, work)) return false;
  for (int i = 0; i < n * n; i++) ties->F[i] = i % (n + 1) == 0;
  mb_lapack.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, ties->R, n, ties->C, n, 1, ties->F,
                  n);
  // rows here are columns there: the transpose is factored
  return mb_lapack.dgetrf(LAPACK_COL_MAJOR, n, n, ties->F, n, ties->pivot) == 0;
}

// ---- solutions --------------------------------------------------------------------------------------------

void mb_ties_correct(MbTies *ties, MbSolverWork *work, double *x) {
  const int n = (int)ties->n;
  const size_t nv = ties->nv;
  look(ties, x, ties->u);
  mb_lapack.dgetrs(LAPACK_COL_MAJOR, 'T', n, 1, ties->F, n, ties->pivot, ties->u, n);
  mb_lapack.dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, ties->C, n, ties->u, 1, 0, ties->w, 1);
  for (size_t c = 0; c < 6 * ties->nbodies; c++)
    for (size_t i = 0; i < nv; i++) x[i] -= ties->w[c] * ties->column[c * nv + i];
  for (size_t k = 0; k < ties->nports; k++)
    memcpy(ties->y + ties->at[k], ties->w + 6 * ties->nbodies + 3 * k, 3 * sizeof *x);
  mb_projective_respond(work, ties->y, ties->x);
  for (size_t k = 0; k < ties->nports; k++) memset(ties->y + ties->at[k], 0, 3 * sizeof *x);
  for (size_t k = 0; k < work->nlisted; k++)
    for (size_t i = work->at[k]; i < work->at[k] + 3; i++) x[i] -= ties->x[i];
}

void mb_ties_pull(MbTies *ties, const double *v, double *impulse) {
  const int n = (int)ties->n;
  look(ties, v, ties->u);
  mb_lapack.dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, ties->C, n, ties->u, 1, 0, ties->w, 1);
  for (size_t k = 0; k < ties->nports; k++)
    for (size_t axis = 0; axis < 3; axis++)
      impulse[ties->at[k] + axis] -= ties->w[6 * ties->nbodies + 3 * k + axis];
}
