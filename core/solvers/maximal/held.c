#include "core/solvers/maximal/held.h"
#include "core/base/alloc.h"
#include "core/math/dense6.h"
#include "core/solvers/redmax/tree.h"

#include <string.h>

// ---- room -------------------------------------------------------------------------------------------------

static const MbKktOps *choose_ops(const MbModel *model, size_t ncouple) {
  switch (model->solver.linear) {
  case MB_LINEAR_DENSE:
    return &mb_kkt_dense_ops;
  case MB_LINEAR_SPARSE:
    return &mb_kkt_dense_ops;
  case MB_LINEAR_TREE:
    return &mb_kkt_tree_ops;
  default:
    return ncouple ? &mb_kkt_dense_ops : &mb_kkt_tree_ops;
  }
}

static void sort_pairs(MbHeld *held) {
  const MbModel *model = held->model;
  for (size_t n = 0; n < model->npairs; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1]; // i < j: j may be i's child
    held->tie[n] = model->parent[j] == i ? j : MB_WORLD;
    held->place[n] = MB_WORLD;
    if (held->tie[n] != MB_WORLD) continue;
    held->place[n] = held->ncouple;
    held->couple[2 * held->ncouple] = i, held->couple[2 * held->ncouple + 1] = j;
    held->ncouple++;
  }
}

static void shape_rows(MbHeld *held) {
  const MbModel *model = held->model;
  size_t nrows = 0;
  for (size_t b = 0; b < model->nb; b++) {
    held->first[b] = nrows;
    for (size_t k = 0; k < mb_tree_dofs(model, b); k++) held->owner[model->v_first[b] + k] = b;
    held->rows[b] = model->joint[b].ops ? 6 - model->joint[b].n : 0;
    nrows += held->rows[b];
  }
  held->shape = (MbKktShape){.nb = model->nb,
                             .nrows = nrows,
                             .parent = model->parent,
                             .rows = held->rows,
                             .first = held->first,
                             .npairs = held->ncouple,
                             .pair = held->couple};
}

// Means of the inertias that are there.
static void find_hollow(MbHeld *held) {
  const MbModel *model = held->model;
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < 6 * model->nb; i++) {
    if (model->M[i] > 0)
      sum += model->M[i], count++;
    else
      held->hollow[i / 6] = held->any_hollow = true;
  }
  held->stuff = count ? sum / (double)count : 1;
}

bool mb_held_create(const MbModel *model, int threads, MbHeld *held) {
  const size_t nb = model->nb;
  *held = (MbHeld){.model = model};
  held->rows = mb_calloc(nb, sizeof *held->rows);
  held->first = mb_calloc(nb, sizeof *held->first);
  held->owner = mb_calloc(model->nv, sizeof *held->owner);
  held->couple = mb_calloc(2 * model->npairs, sizeof *held->couple);
  held->place = mb_calloc(model->npairs, sizeof *held->place);
  held->tie = mb_calloc(model->npairs, sizeof *held->tie);
  held->hollow = mb_calloc(nb, sizeof *held->hollow);
  if (!held->rows || !held->first || !held->owner || !held->couple || !held->place || !held->tie ||
      !held->hollow)
    return false;
  sort_pairs(held);
  shape_rows(held);
  find_hollow(held);
  const size_t nrows = held->shape.nrows;
  held->X = mb_calloc(nb, sizeof *held->X);
  held->hinge = mb_calloc(nb, sizeof *held->hinge);
  held->eta = mb_calloc(6 * nb, sizeof(double));
  held->seen = mb_calloc(6 * nb, sizeof(double));
  held->Jc = mb_calloc(6 * nrows, sizeof(double));
  held->Jp = mb_calloc(6 * nrows, sizeof(double));
  held->V = mb_calloc(6 * model->nv, sizeof(double));
  held->g = mb_calloc(nrows, sizeof(double));
  held->bend = mb_calloc(nrows, sizeof(double));
  held->q = mb_calloc(model->nq, sizeof(double));
  held->v = mb_calloc(model->nv, sizeof(double));
  held->turn = mb_calloc(model->nv, sizeof(double));
  held->guess = mb_calloc(model->nq, sizeof(double));
  held->A = mb_calloc(36 * nb, sizeof(double));
  held->C = mb_calloc(36 * nb, sizeof(double));
  held->pairs = mb_calloc(36 * held->ncouple, sizeof(double));
  held->lambda = mb_calloc(nrows, sizeof(double));
  held->r = mb_calloc(6 * nb, sizeof(double));
  held->ops = choose_ops(model, held->ncouple);
  held->kkt = held->ops->create(&held->shape, threads);
  for (size_t b = 0; held->hinge && b < nb; b++) mb_held_make_hinge(model, b, &held->hinge[b]);
  return held->X && held->hinge && held->eta && held->seen && held->Jc && held->Jp && held->V && held->g && held->bend && held->q && held->v &&
         held->turn && held->guess && held->A && held->C && held->pairs && held->lambda && held->r &&
         held->kkt;
}

void mb_held_free(MbHeld *held) {
  if (held->kkt) held->ops->free(held->kkt);
  mb_free(held->rows);
  mb_free(held->first);
  mb_free(held->owner);
  mb_free(held->couple);
  mb_free(held->place);
  mb_free(held->tie);
  mb_free(held->hollow);
  mb_free(held->X);
  mb_free(held->hinge);
  mb_free(held->eta);
  mb_free(held->seen);
  mb_free(held->Jc);
  mb_free(held->Jp);
  mb_free(held->V);
  mb_free(held->g);
  mb_free(held->bend);
  mb_free(held->q);
  mb_free(held->v);
  mb_free(held->turn);
  mb_free(held->guess);
  mb_free(held->A);
  mb_free(held->C);
  mb_free(held->pairs);
  mb_free(held->lambda);
  mb_free(held->r);
}

size_t mb_held_bytes(const MbHeld *held) {
  const MbModel *model = held->model;
  return held->ops->bytes(held->kkt) +
         (90 * model->nb + 15 * held->shape.nrows + 8 * model->nv + 2 * model->nq + 36 * held->ncouple) *
             sizeof(double) +
         (2 * model->nb + model->nv + 4 * model->npairs) * sizeof(size_t) + 
         model->nb * (sizeof(bool) + sizeof *held->X + sizeof *held->hinge);
}

// ---- the system -------------------------------------------------------------------------------------------

// A += ( 1 −X )ᵀ G ( 1 −X ) on the body and its parent, G symmetric
static void add_between(MbHeld *held, size_t b, const double G[36]) {
  const size_t p = held->model->parent[b];
  double *Ac = held->A + 36 * b, *C = held->C + 36 * b, X[36];
  for (size_t i = 0; i < 36; i++) Ac[i] += G[i];
  if (p == MB_WORLD) return;
  for (size_t j = 0; j < 6; j++) {
    double e[6] = {0}, column[6];
    e[j] = 1;
    mb_held_down(&held->X[b], e, column);
    for (size_t i = 0; i < 6; i++) X[6 * i + j] = column[i];
  }
  mb_tree_carry(held->A + 36 * p, X, G);
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++)
      for (size_t k = 0; k < 6; k++) C[6 * i + j] -= G[6 * i + k] * X[6 * k + j];
}

// G += s wᵀ w
static void add_square(double G[36], double s, const double w[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) G[6 * i + j] += s * w[i] * w[j];
}

// The blocks of a pair (i, j) in the rows of i; symmetrised
static void pair_block(const MbHeld *held, const MbMaximal *x, size_t n, double a, double c, double B[36]) {
  const size_t at = 36 * (held->model->nb + 2 * n);
  const double *D = x->D + at, *K = x->K + at;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      B[6 * i + j] = -a * (D[6 * i + j] + D[36 + 6 * j + i]) / 2 - c * (K[6 * i + j] + K[36 + 6 * j + i]) / 2;
}

bool mb_held_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  const MbModel *model = held->model;
  bool tied = held->any_hollow;
  const bool plain = a == 0 && b == 0 && !tied; // A = M
  for (size_t n = 0; n < held->shape.nrows; n++)
    if (!isfinite(held->g[n])) {
      for (size_t k = 0; k < model->nb; k++)
        if (held->rows[k] && held->first[k] <= n) *blame = k;
      return false;
    }
  if (plain && held->ops == &mb_kkt_tree_ops) {
    const MbKktNumbers simple = {.diagonal = model->M, .Jc = held->Jc, .Jp = held->Jp};
    return held->ops->factor(held->kkt, &simple, blame);
  }
  memset(held->C, 0, 36 * model->nb * sizeof *held->C);
  for (size_t n = 0; n < model->nb; n++) mb_tree_block(model, x, n, a, b, held->A + 36 * n);
  for (size_t n = 0; n < model->nb; n++) {
    double G[36] = {0};
    bool any = false;
    for (size_t i = 0; (a != 0 || b != 0) && model->joint[n].ops && i < model->joint[n].n; i++) {
      const size_t k = model->v_first[n] + i;
      const double s = a * x->joint_damping[k] + b * x->stiffness[k];
      if (s == 0) continue;
      add_square(G, s, held->V + 6 * k);
      any = tied = true;
    }
    for (size_t r = held->first[n]; held->any_hollow && r < held->first[n] + held->rows[n]; r++) {
      add_square(G, held->stuff, held->Jc + 6 * r);
      any = true;
    }
    if (any) add_between(held, n, G);
  }
  const bool paired = model->npairs && (a != 0 || b != 0);
  for (size_t n = 0; paired && n < model->npairs; n++) {
    double B[36];
    pair_block(held, x, n, a, b, B);
    if (held->tie[n] == MB_WORLD) {
      memcpy(held->pairs + 36 * held->place[n], B, sizeof B);
      continue;
    }
    double *C = held->C + 36 * held->tie[n]; // in the rows of the child, which is the second
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) C[6 * i + j] += B[6 * j + i];
    tied = true;
  }
  const MbKktNumbers numbers = {.A = held->A,
                                .Jc = held->Jc,
                                .Jp = held->Jp,
                                .C = tied ? held->C : NULL,
                                .pairs = paired && held->ncouple ? held->pairs : NULL};
  return held->ops->factor(held->kkt, &numbers, blame);
}

void mb_held_solve(MbHeld *held, double *x, double *b) {
  const MbModel *model = held->model;
  for (size_t n = 0; held->any_hollow && n < model->nb; n++) // what JᵀJ adds to the left
    for (size_t r = held->first[n]; r < held->first[n] + held->rows[n]; r++)
      for (size_t k = 0; k < 6 && b[r] != 0; k++) {
        const size_t p = model->parent[n];
        x[6 * n + k] += held->stuff * b[r] * held->Jc[6 * r + k];
        if (p != MB_WORLD) x[6 * p + k] += held->stuff * b[r] * held->Jp[6 * r + k];
      }
  held->ops->solve(held->kkt, x, b);
}
