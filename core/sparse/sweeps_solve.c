// Solves by the factor that has been turned into dense products (sweeps.h), three right-hand sides in one sweep.
#include "core/base/lapack.h"
#include "core/base/blas.h"
#include "core/base/threads.h"
#include "core/sparse/sweeps.h"
#include "core/base/targets.h"

#include <string.h>

// ---- numbers --------------------------------------------------------------------------------------------------

enum { SMALL = 24 }; // columns up to which calling LAPACK costs more than it saves

// S = L_JJ⁻¹ (n x n), column by column: S_j ← e_j, then forward substitution.
static void invert_triangle(const double *restrict L, size_t rows, size_t n, double *restrict S) {
  double inverse[SMALL];
  for (size_t k = 0; k < n; k++) inverse[k] = 1 / L[k * rows + k];
  for (size_t j = 0; j < n; j++) {
    double *s = S + j * n;
    for (size_t i = 0; i < n; i++) s[i] = i == j;
    for (size_t k = j; k < n; k++) {
      const double a = s[k] *= inverse[k];
      for (size_t i = k + 1; i < n; i++) s[i] -= L[k * rows + i] * a;
    }
  }
}

// L_RJ ← L_RJ S in place: column j of the product needs columns j and later.
MB_CLONES static void multiply_below(double *L, size_t rows, size_t n, const double *S) {
  for (size_t j = 0; j < n; j++) {
    double *restrict to = L + j * rows;
    const double d = S[j * n + j];
    size_t k = j + 1;
    MB_SIMD
    for (size_t i = n; i < rows; i++) to[i] *= d;
    for (; k + 4 <= n; k += 4) {
      const double *a = L + k * rows, *b = a + rows, *c = b + rows, *e = c + rows, *t = S + j * n + k;
      const double t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
      MB_SIMD
      for (size_t i = n; i < rows; i++) to[i] += a[i] * t0 + b[i] * t1 + c[i] * t2 + e[i] * t3;
    }
    for (; k < n; k++) {
      const double *a = L + k * rows, t = S[j * n + k];
      MB_SIMD
      for (size_t i = n; i < rows; i++) to[i] += a[i] * t;
    }
  }
}

// Of few columns: L_JJ ← D⁻¹ = Sᵀ S (lower triangle), L_RJ ← L_RJ S.
static void invert_small(double *L, size_t rows, size_t n) {
  double S[SMALL * SMALL] = {0};
  invert_triangle(L, rows, n, S);
  multiply_below(L, rows, n, S);
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
    mb_lapack.dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)(rows - n),
                    (int)n, 1, L, (int)rows, L + n, (int)rows);
  mb_lapack.dpotri(LAPACK_COL_MAJOR, 'L', (int)n, L,
                   (int)rows); // L_JJ is regular: its factoring went well
}

// The upper triangle from the lower one.
static void mirror(double *L, size_t rows, size_t n) {
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 1; i < n; i++) L[i * rows + j] = L[j * rows + i];
}

// Groups of `rows` rows of w columns, a[j * ld + i].
static double *pack(double *to, const double *a, size_t ld, size_t rows, size_t w) {
  size_t i = 0;
  for (; i + MB_GROUP <= rows; i += MB_GROUP, to += MB_GROUP * w)
    for (size_t j = 0; j < w; j++) memcpy(to + MB_GROUP * j, a + j * ld + i, MB_GROUP * sizeof *to);
  if (i == rows) return to;
  const size_t rest = rows - i, height = mb_group_rows(rest);
  memset(to, 0, height * w * sizeof *to);
  for (size_t j = 0; j < w; j++)
    for (size_t k = 0; k < rest; k++) to[height * j + k] = a[j * ld + i + k];
  return to + height * w;
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
    mirror(L, rows, n);
    for (size_t j = 0; j < n; j += MB_TILE) {
      const size_t w = n - j < MB_TILE ? n - j : MB_TILE;
      B = pack(B, L + j * rows + n, rows, node->below, w);
      D = pack(D, L + j * rows + j, rows, w, w);
      D = pack(D, L + j * rows + j + w, rows, n - j - w, w);
    }
  }
}

void mb_sweeps_fill(MbSweeps *s, MbCholesky *c, int threads) {
  mb_parallel_ranges(mb_blas_callers(threads), s->count, 64, fill_nodes, &(Fill){s, c});
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

static void task_forward(void *context, size_t k) {
  const Solve *w = context;
  MbSweeps *s = w->s;
  const MbSweepTask *task = &s->task[s->order[k]];
  load_rows(s, w->b, task->first, task->last);
  memset(s->x + 4 * (size_t)task->border, 0, 4 * ((size_t)task->nborder + 1) * sizeof *s->x);
  for (size_t i = task->begin; i < task->end; i++) w->passes->forward(s, &s->node[i]);
}

static void task_backward(void *context, size_t k) {
  const Solve *w = context;
  MbSweeps *s = w->s;
  const size_t t = s->order[k];
  const MbSweepTask *task = &s->task[t];
  double *border = s->x + 4 * (size_t)task->border, *scratch = s->scratch + t * s->nscratch;
  for (size_t i = 0; i < task->nborder; i++)
    memcpy(border + 4 * i, s->x + 4 * (size_t)s->above[task->above + i], 4 * sizeof *border);
  for (size_t i = task->end; i-- > task->begin;) w->passes->backward(s, &s->node[i], scratch);
  store_rows(s, w->x, task->first, task->last);
}

// Nodes above the tasks: threads share the large ones.
typedef struct Above {
  const Solve *solve;
  const MbSweepNode *node;
} Above;

enum { SHARED_ROWS = 4 * MB_GROUP };

static void share_rows(void *context, size_t k) {
  const Above *a = context;
  const size_t m = mb_group_rows(a->node->below), begin = SHARED_ROWS * k;
  a->solve->passes->forward_rows(a->solve->s, a->node, begin,
                                 m - begin < SHARED_ROWS ? m : begin + SHARED_ROWS);
}

static void share_tile(void *context, size_t k) {
  const Above *a = context;
  const MbSweeps *s = a->solve->s;
  double *copy = s->wide, *scratch = copy + 4 * mb_group_rows(s->widest) + k * mb_sweep_each(s->widest);
  a->solve->passes->backward_tile(s, a->node, MB_TILE * k, copy, scratch);
}

static bool shared(const MbSweeps *s, const MbSweepNode *node) {
  return s->threads > 1 && s->widest && mb_sweep_shared(node);
}

static void forward_above(const Solve *w, const MbSweepNode *node) {
  Above above = {w, node};
  if (shared(w->s, node))
    mb_parallel_tasks(w->s->threads, (mb_group_rows(node->below) + SHARED_ROWS - 1) / SHARED_ROWS, share_rows,
                      &above);
  else
    w->passes->forward(w->s, node);
}

static void backward_above(const Solve *w, const MbSweepNode *node, double *scratch) {
  const MbSweeps *s = w->s;
  Above above = {w, node};
  if (!shared(s, node)) {
    w->passes->backward(s, node, scratch);
    return;
  }
  w->passes->copy(s, node, s->wide);
  mb_parallel_tasks(s->threads, (node->columns + MB_TILE - 1) / MB_TILE, share_tile, &above);
  w->passes->backward_end(s, node, s->wide + 4 * mb_group_rows(s->widest), mb_sweep_each(s->widest));
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
  for (size_t i = 0; i < s->ntop; i++) forward_above(w, &s->node[s->top[i]]);
  for (size_t i = s->ntop; i-- > 0;) backward_above(w, &s->node[s->top[i]], scratch);
  for (size_t i = 0; i < s->ntop; i++) {
    const MbSweepNode *node = &s->node[s->top[i]];
    store_rows(s, w->x, node->first, node->first + node->columns);
  }
}

// Tasks to threads, the costliest first, each to the one with the least.
static void deal(MbSweeps *s, int threads) {
  double load[MB_TASKS] = {0};
  uint32_t thread[MB_TASKS], n = 0;
  if (s->threads == threads) return;
  s->threads = threads;
  for (size_t t = 0; t < s->ntasks; t++) {
    uint32_t least = 0;
    for (uint32_t k = 1; k < (uint32_t)threads; k++)
      if (load[k] < load[least]) least = k;
    load[least] += s->task[t].cost;
    thread[t] = least;
  }
  for (uint32_t k = 0; k < (uint32_t)threads; k++) {
    s->share[k] = n;
    for (uint32_t t = 0; t < s->ntasks; t++)
      if (thread[t] == k) s->order[n++] = t;
  }
  s->share[threads] = n;
}

void mb_sweeps_solve(MbSweeps *s, const MbSweepPasses *passes, const double *b, double *x, int threads) {
  Solve w = {s, passes, b, x};
  const int most = s->ntasks ? (int)s->ntasks : 1; // at most MB_TASKS
  deal(s, threads < 1 ? 1 : threads > most ? most : threads);
  mb_parallel_shares(s->threads, s->share, task_forward, &w);
  above_tasks(&w);
  mb_parallel_shares(s->threads, s->share, task_backward, &w);
}
