#include "tools/bench/cholmod_solves.h"
#include "core/base/alloc.h"

#ifndef __has_include
#define __has_include(x) 0
#endif

#if __has_include(<suitesparse/cholmod.h>) && __has_include(<omp.h>)
#include <omp.h>
#include <suitesparse/cholmod.h>

struct MbCholmod {
  cholmod_common common;
  cholmod_sparse *A;
  cholmod_factor *L;
  cholmod_dense *b, *x, *y, *e;
};

bool mb_cholmod_there(void) { return true; }

static cholmod_sparse *copy(const MbPattern *A, const double *values, cholmod_common *common) {
  const size_t n = A->n, entries = A->start[n];
  cholmod_sparse *B = cholmod_allocate_sparse(n, n, entries, 1, 1, -1, CHOLMOD_REAL, common);
  if (!B) return NULL;
  int *start = B->p, *row = B->i;
  double *x = B->x;
  for (size_t j = 0; j <= n; j++) start[j] = (int)A->start[j];
  for (size_t p = 0; p < entries; p++) row[p] = (int)A->row[p], x[p] = values[p];
  return B;
}

MbCholmod *mb_cholmod_analyse(const MbPattern *A, const double *values, bool supernodal) {
  MbCholmod *c = mb_calloc(1, sizeof *c);
  if (!c) return NULL;
  omp_set_num_threads(1); // ours are told how many they are
  cholmod_start(&c->common);
  c->common.nmethods = 2;
  c->common.method[0].ordering = CHOLMOD_AMD;
  c->common.method[1].ordering = CHOLMOD_METIS;
  c->common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  c->common.final_ll = 1;
  c->A = copy(A, values, &c->common);
  if (c->A) c->L = cholmod_analyze(c->A, &c->common);
  if (c->L) c->b = cholmod_zeros(A->n, 3, CHOLMOD_REAL, &c->common);
  if (c->b) return c;
  mb_cholmod_free(c);
  return NULL;
}

void mb_cholmod_free(MbCholmod *c) {
  if (!c) return;
  cholmod_free_sparse(&c->A, &c->common);
  cholmod_free_factor(&c->L, &c->common);
  cholmod_dense **const dense[] = {&c->b, &c->x, &c->y, &c->e};
  for (int i = 0; i < 4; i++) cholmod_free_dense(dense[i], &c->common);
  cholmod_finish(&c->common);
  mb_free(c);
}

bool mb_cholmod_factor(MbCholmod *c) {
  return cholmod_factorize(c->A, c->L, &c->common) && c->common.status == CHOLMOD_OK;
}

void mb_cholmod_put(MbCholmod *c, const double *b) {
  const size_t n = c->b->nrow;
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < 3; r++) ((double *)c->b->x)[r * n + i] = b[3 * i + r];
}

bool mb_cholmod_solve(MbCholmod *c) {
  return cholmod_solve2(CHOLMOD_A, c->L, c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
}

void mb_cholmod_get(const MbCholmod *c, double *x) {
  const size_t n = c->b->nrow;
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < 3; r++) x[3 * i + r] = ((double *)c->x->x)[r * n + i];
}

double mb_cholmod_entries(const MbCholmod *c) { return c->common.lnz; }

#else

bool mb_cholmod_there(void) { return false; }
MbCholmod *mb_cholmod_analyse(const MbPattern *A, const double *values, bool supernodal) {
  (void)A, (void)values, (void)supernodal;
  return NULL;
}
void mb_cholmod_free(MbCholmod *c) { (void)c; }
bool mb_cholmod_factor(MbCholmod *c) { return c != NULL; }
void mb_cholmod_put(MbCholmod *c, const double *b) { (void)c, (void)b; }
bool mb_cholmod_solve(MbCholmod *c) { return c != NULL; }
void mb_cholmod_get(const MbCholmod *c, double *x) { (void)c, (void)x; }
double mb_cholmod_entries(const MbCholmod *c) { return c ? 1 : 0; }

#endif
