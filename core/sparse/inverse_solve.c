// Solves by the inverse of a factor: the passes of inverse.h, shared by threads.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/base/threads.h"
#include "core/sparse/inverse.h"

#include <stdatomic.h>
#include <string.h>

// ---- numbers --------------------------------------------------------------------------------------------------

static const size_t FEW = 30000;    // numbers up to which one thread is faster than several
static const size_t PUSH = 1 << 18; // numbers of a product at a time

typedef struct Work {
  double *R, *U; // rows of S of a supernode; what they leave to rows above
  size_t nR, nU;
} Work;

static bool room(double **a, size_t *have, size_t need) {
  if (*have >= need) return true;
  double *more = mb_realloc(*a, need, sizeof *more);
  if (!more) return false;
  *a = more;
  *have = need;
  return true;
}

// −Σ L_ik S_k of rows i above in the part, k the columns of s: they have gathered in S before it is their turn.
static bool push(const MbInverse *S, double *numbers, const uint32_t *rows, size_t m, const double *L21,
                 size_t ld, size_t c, uint32_t from, size_t w, Work *work) {
  const size_t most = PUSH / w + 1;
  if (!room(&work->U, &work->nU, (m < most ? m : most) * w)) return false;
  for (size_t i = 0; i < m; i += most) {
    const size_t k = m - i < most ? m - i : most;
    mb_lapack.dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)w, (int)k, (int)c, 1, work->R, (int)w,
                    L21 + i, (int)ld, 0, work->U, (int)w);
    for (size_t q = 0; q < k; q++) {
      const size_t row = rows[i + q], first = S->from[row] > from ? S->from[row] : from;
      double *to = numbers + S->at[row] - S->from[row];
      const double *U = work->U + q * w - from;
      for (size_t j = first; j < from + w; j++) to[j] -= U[j];
    }
  }
  return true;
}

// Rows of S of one supernode: S_J = L_JJ⁻¹ (1 − what gathered).
static bool invert(const MbInverse *S, double *numbers, const MbCholesky *c, const MbSupernode *node,
                   const uint32_t *to, uint32_t last, uint32_t *rows, Work *work) {
  const uint32_t first = to[node->first], columns = node->columns;
  uint32_t from = S->from[first];
  for (uint32_t i = first; i < first + columns; i++) from = S->from[i] < from ? S->from[i] : from;
  const size_t w = first + columns - from;
  if (!room(&work->R, &work->nR, w * columns)) return false;
  memset(work->R, 0, w * columns * sizeof *work->R);
  for (uint32_t i = first; i < first + columns; i++) {
    double *R = work->R + (i - first) * w;
    memcpy(R + (S->from[i] - from), numbers + S->at[i], (i - S->from[i]) * sizeof *R);
    R[i - from] = 1;
  }
  const double *L = c->L + node->panel;
  mb_lapack.dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)w, (int)columns, 1, L,
                  (int)node->rows, work->R, (int)w);
  for (uint32_t i = first; i < first + columns; i++)
    memcpy(numbers + S->at[i], work->R + (i - first) * w + (S->from[i] - from),
           (i - S->from[i] + 1) * sizeof *numbers);
  size_t m = 0;
  for (; m < node->rows - columns && to[c->row[node->below + m]] < last; m++)
    rows[m] = to[c->row[node->below + m]];
  return push(S, numbers, rows, m, L + columns, node->rows, columns, from, w, work);
}

static void copy_coupling(double *numbers, const MbCholesky *c, const MbSupernode *node,
                          const MbCoupling *block) {
  const double *L = c->L + node->panel + (node->rows - block->rows);
  double *to = numbers + block->at;
  for (size_t i = 0; i < block->rows; i++)
    for (size_t j = 0; j < block->columns; j++) *to++ = L[j * node->rows + i];
}

typedef struct Filling {
  const MbInverse *S;
  const MbCholesky *cholesky;
  double *numbers;
  uint32_t *to, *owner; // new number of the factor's row; supernode of a new row
  atomic_bool failed;   // memory ran out
} Filling;

// The last part first: it is the largest.
static void fill_part(void *context, size_t task) {
  Filling *f = context;
  const MbInverse *S = f->S;
  const MbCholesky *c = f->cholesky;
  const MbPiece *part = &S->part[S->nparts - 1 - task];
  Work work = {0};
  uint32_t *rows = mb_calloc(c->most_rows, sizeof *rows);
  bool ok = rows != NULL && !f->failed;
  size_t block = part->block;
  for (uint32_t i = part->first; ok && i < part->last; i += c->node[f->owner[i]].columns) {
    const MbSupernode *node = &c->node[f->owner[i]];
    ok = invert(S, f->numbers, c, node, f->to, part->last, rows, &work);
    if (block < part->block + part->nblocks && S->block[block].first == i)
      copy_coupling(f->numbers, c, node, &S->block[block++]);
  }
  if (!ok) f->failed = true;
  mb_free(rows);
  mb_free(work.R);
  mb_free(work.U);
}

bool mb_inverse_fill(MbInverse *S, const MbCholesky *c, int threads) {
  const size_t n = S->n, count = S->entries + S->coupled;
  uint32_t *to = mb_calloc(n, sizeof *to), *owner = mb_calloc(n, sizeof *owner),
           *row = mb_calloc(n, sizeof *row);
  if (!S->numbers) S->numbers = mb_calloc(count, S->single ? sizeof(float) : sizeof(double));
  double *numbers = !S->numbers ? NULL : S->single ? mb_calloc(count, sizeof *numbers) : S->numbers;
  bool ok = to && owner && row && numbers;
  if (ok) {
    if (!S->single) memset(numbers, 0, count * sizeof *numbers);
    for (uint32_t i = 0; i < n; i++) row[S->perm[i]] = i;
    for (uint32_t j = 0; j < n; j++) to[j] = row[c->perm[j]];
    for (uint32_t s = 0; s < c->count; s++)
      for (uint32_t j = c->node[s].first; j < c->node[s].first + c->node[s].columns; j++) owner[to[j]] = s;
    Filling filling = {.S = S, .cholesky = c, .numbers = numbers, .to = to, .owner = owner};
    mb_parallel_tasks(count > FEW ? mb_blas_callers(threads) : 1, S->nparts, fill_part, &filling);
    ok = !filling.failed;
  }
  if (ok && S->single)
    for (size_t i = 0; i < count; i++) ((float *)S->numbers)[i] = (float)numbers[i];
  if (S->single) mb_free(numbers); // NULL is fine
  mb_free(to);
  mb_free(owner);
  mb_free(row);
  return ok;
}

// ---- solves ---------------------------------------------------------------------------------------------------

static void add_borders(const MbInverse *S, const MbLevel *level) {
  for (size_t p = level->part; p < level->part + level->nparts; p++) {
    const MbPiece *part = &S->part[p];
    for (size_t i = part->border; i < part->border + part->nborder; i++)
      for (size_t r = 0; r < 3; r++) S->b[r * S->n + S->above[i]] -= S->border[3 * i + r];
  }
}

typedef struct Solve {
  const MbInverse *S;
  const MbInversePasses *passes;
  const MbLevel *level;
  const double *b;
  double *x;
} Solve;

static void load_rows(void *context, size_t begin, size_t end) {
  const Solve *w = context;
  const MbInverse *S = w->S;
  for (size_t i = begin; i < end; i++)
    for (size_t r = 0; r < 3; r++) S->b[r * S->n + i] = w->b[3 * (size_t)S->perm[i] + r];
}

static void store_rows(void *context, size_t begin, size_t end) {
  const Solve *w = context;
  const MbInverse *S = w->S;
  for (size_t i = begin; i < end; i++)
    for (size_t r = 0; r < 3; r++) w->x[3 * (size_t)S->perm[i] + r] = S->b[r * S->n + i];
}

static void multiply(void *context, size_t k) {
  const Solve *w = context;
  w->passes->multiply[w->S->single](w->S, &w->S->rows[w->level->rows + k]);
}

static void transposed(void *context, size_t k) {
  const Solve *w = context;
  w->passes->transposed[w->S->single](w->S, &w->S->columns[w->level->columns + k]);
}

static void couple(void *context, size_t begin, size_t end) {
  const Solve *w = context;
  for (size_t p = begin; p < end; p++) w->passes->couple[w->S->single](w->S, &w->S->part[w->level->part + p]);
}

static void uncouple(void *context, size_t begin, size_t end) {
  const Solve *w = context;
  const MbInverse *S = w->S;
  for (size_t p = begin; p < end; p++) {
    const MbPiece *part = &S->part[w->level->part + p];
    for (size_t i = part->border; i < part->border + part->nborder; i++)
      for (size_t r = 0; r < 3; r++) S->border[3 * i + r] = S->b[r * S->n + S->above[i]];
    w->passes->uncouple[S->single](S, part);
  }
}

// Each row, column and part is done the same way whoever does it.
void mb_inverse_solve(MbInverse *S, const MbInversePasses *passes, const double *b, double *x, int threads) {
  const size_t few = 4, rows = 512; // parts; rows at a time
  Solve w = {.S = S, .passes = passes, .b = b, .x = x};
  if (S->entries + S->coupled < FEW) threads = 1;
  mb_parallel_ranges(threads, S->n, rows, load_rows, &w);
  for (size_t l = 0; l < S->nlevels; l++) {
    w.level = &S->level[l];
    mb_parallel_tasks(threads, w.level->nrows, multiply, &w);
    if (l + 1 == S->nlevels) break;
    mb_parallel_ranges(threads, w.level->nparts, few, couple, &w);
    add_borders(S, w.level);
  }
  for (size_t l = S->nlevels; l-- > 0;) {
    w.level = &S->level[l];
    if (l + 1 < S->nlevels) mb_parallel_ranges(threads, w.level->nparts, few, uncouple, &w);
    mb_parallel_tasks(threads, w.level->ncolumns, transposed, &w);
  }
  mb_parallel_ranges(threads, S->n, rows, store_rows, &w);
}
