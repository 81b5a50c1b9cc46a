#include "core/base/threads.h"
#include "core/sparse/sweeps.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

// ---- numbers --------------------------------------------------------------------------------------------------

enum { SMALL = 12 }; // columns up to which calling LAPACK costs more than it saves

// Of few columns: L_JJ ← D⁻¹ (lower triangle), L_RJ ← L_RJ L_JJ⁻¹.
static void invert_small(double *L, size_t rows, size_t n) {
  double S[SMALL * SMALL] = {0}; // L_JJ⁻¹, column major
  for (size_t j = 0; j < n; j++) {
    S[j * n + j] = 1 / L[j * rows + j];
    for (size_t i = j + 1; i < n; i++) {
      double sum = 0;
      for (size_t k = j; k < i; k++) sum += L[k * rows + i] * S[j * n + k];
      S[j * n + i] = -sum / L[i * rows + i];
    }
  }
  // column j of the product needs columns j and later
  for (size_t j = 0; j < n; j++) {
    double *to = L + j * rows;
    for (size_t i = n; i < rows; i++) to[i] *= S[j * n + j];
    for (size_t k = j + 1; k < n; k++) {
      const double *from = L + k * rows, a = S[j * n + k];
      for (size_t i = n; i < rows; i++) to[i] += from[i] * a;
    }
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      double sum = 0;
      for (size_t k = i; k < n; k++) sum += S[i * n + k] * S[j * n + k];
      L[j * rows + i] = sum;
    }
}

static void invert_panel(double *L, size_t rows, size_t n) {
  if (n <= SMALL) {
    invert_small(L, rows, n);
    return;
  }
  if (rows > n)
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)(rows - n), (int)n, 1,
                L, (int)rows, L + n, (int)rows);
  LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (int)n, L,
                      (int)rows); // L_JJ is regular: its factoring went well
}

// Groups of rows [0, rows) of w columns; P(i, j) = a[j * ld + i], of a symmetric matrix's lower triangle where `mirror`.
static double *pack(double *to, const double *a, size_t ld, size_t rows, size_t w, bool mirror) {
  for (size_t i = 0; i < mb_group_rows(rows);) {
    const size_t height = mb_group_rows(rows) - i < MB_GROUP ? 4 : MB_GROUP;
    for (size_t j = 0; j < w; j++)
      for (size_t k = i; k < i + height; k++)
        *to++ = k >= rows ? 0 : mirror && k < j ? a[k * ld + j] : a[j * ld + k];
    i += height;
  }
  return to;
}

typedef struct Fill {
  MbSweeps *sweeps;
  MbCholesky *cholesky;
} Fill;

static void fill_nodes(void *context, size_t begin, size_t end) {
  const Fill *f = context;
  for (size_t k = begin; k < end; k++) {
    const MbSweepNode *node = &f->sweeps->node[k];
    const size_t n = node->columns, rows = n + node->below;
    double *L = f->cholesky->L + f->cholesky->node[k].panel, *B = f->sweeps->numbers + node->B,
           *D = f->sweeps->numbers + node->D;
    invert_panel(L, rows, n);
    for (size_t j = 0; j < n; j += MB_TILE) {
      const size_t w = n - j < MB_TILE ? n - j : MB_TILE;
      B = pack(B, L + j * rows + n, rows, node->below, w, false);
      D = pack(D, L + j * rows + j, rows, w, w, true);
      D = pack(D, L + j * rows + j + w, rows, n - j - w, w, false);
    }
  }
}

void mb_sweeps_fill(MbSweeps *s, MbCholesky *c, int threads) {
  mb_parallel_ranges(threads, s->count, 64, fill_nodes, &(Fill){s, c});
}

// ---- solves ---------------------------------------------------------------------------------------------------

static void load_rows(const MbSweeps *s, const double *b, uint32_t first, uint32_t last) {
  for (size_t k = first; k < last; k++) {
    const double *from = b + 3 * (size_t)s->perm[k];
    double *to = s->x + 4 * k;
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
  }
}

static void store_rows(const MbSweeps *s, double *x, uint32_t first, uint32_t last) {
  for (size_t k = first; k < last; k++) {
    double *to = x + 3 * (size_t)s->perm[k];
    const double *from = s->x + 4 * k;
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
  }
}

typedef struct Solve {
  MbSweeps *s;
  const MbSweepPasses *passes;
  const double *b;
  double *x;
} Solve;

static void task_forward(const Solve *w, size_t t) {
  MbSweeps *s = w->s;
  const MbSweepTask *task = &s->task[t];
  load_rows(s, w->b, task->first, task->last);
  memset(s->x + 4 * (size_t)task->border, 0, 4 * ((size_t)task->nborder + 1) * sizeof *s->x);
  for (size_t k = task->begin; k < task->end; k++) w->passes->forward(s, &s->node[k]);
}

static void task_backward(const Solve *w, size_t t) {
  MbSweeps *s = w->s;
  const MbSweepTask *task = &s->task[t];
  double *border = s->x + 4 * (size_t)task->border, *scratch = s->scratch + t * s->nscratch;
  for (size_t i = 0; i < task->nborder; i++)
    memcpy(border + 4 * i, s->x + 4 * (size_t)s->above[task->above + i], 4 * sizeof *border);
  for (size_t k = task->end; k-- > task->begin;) w->passes->backward(s, &s->node[k], scratch);
  store_rows(s, w->x, task->first, task->last);
}

static void above_tasks(const Solve *w) {
  MbSweeps *s = w->s;
  double *scratch = s->scratch + s->ntasks * s->nscratch;
  for (size_t i = 0; i < s->ntop; i++) {
    const MbSweepNode *node = &s->node[s->top[i]];
    load_rows(s, w->b, node->first, node->first + node->columns);
  }
  memset(s->x + 4 * s->rows, 0, 4 * sizeof *s->x);
  for (size_t t = 0; t < s->ntasks; t++) {
    const MbSweepTask *task = &s->task[t];
    const double *border = s->x + 4 * (size_t)task->border;
    for (size_t i = 0; i < task->nborder; i++) {
      double *to = s->x + 4 * (size_t)s->above[task->above + i];
      for (size_t r = 0; r < 3; r++) to[r] += border[4 * i + r];
    }
  }
  for (size_t i = 0; i < s->ntop; i++) w->passes->forward(s, &s->node[s->top[i]]);
  for (size_t i = s->ntop; i-- > 0;) w->passes->backward(s, &s->node[s->top[i]], scratch);
  for (size_t i = 0; i < s->ntop; i++) {
    const MbSweepNode *node = &s->node[s->top[i]];
    store_rows(s, w->x, node->first, node->first + node->columns);
  }
}

void mb_sweeps_solve(MbSweeps *s, const MbSweepPasses *passes, const double *b, double *x, int threads) {
  const Solve w = {s, passes, b, x};
  const size_t n = s->ntasks;
  if (threads < 2 || n < 2) {
    for (size_t t = 0; t < n; t++) task_forward(&w, t);
    above_tasks(&w);
    for (size_t t = 0; t < n; t++) task_backward(&w, t);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic, 1)
    for (size_t t = 0; t < n; t++) task_forward(&w, t);
#pragma omp single
    above_tasks(&w);
#pragma omp for schedule(dynamic, 1)
    for (size_t t = 0; t < n; t++) task_backward(&w, t);
  }
}
