// The factorisation P A Pᵀ = L D Lᵀ, supernode by supernode, and solves with it (ldl.h).
#include "core/base/lapack.h"
#include "core/sparse/ldl.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/sparse/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Multifrontal, as the Cholesky factorisation: a supernode's columns are a dense block ("panel", column major) of all its rows,
// and what they leave for the rows below ("update", m x m, lower triangle) waits on a stack until the parent takes it.
typedef struct Front {
  uint32_t first, columns, rows; // rows: its columns and those below
  uint32_t parent;               // MB_NONE = root
  uint32_t children;
  size_t panel;          // where its block of L begins
  size_t below;          // where its rows below stand in `row` and `place`
  size_t entry, entries; // of A, in `source` and `target`
} Front;

struct MbLdl {
  size_t n, count, bytes, entries;
  uint32_t *perm;  // (n)
  double *sign;    // (n) in the new numbers
  Front *front;    // (count) children before parents
  uint32_t *row;   // rows below, in the new numbers
  uint32_t *place; // the same row's number in the parent's block
  size_t *source;  // (entries of A) which of A's numbers
  size_t *target;  // (entries of A) where it goes in L
  double *L, *D;   // D (n) inverse pivots
  double *stack;   // updates
  double *scaled;  // (most rows x BLOCK) columns of L times D
  double *x;       // (n)
  double *local;   // (most rows)
  uint32_t *open;  // (count) supernodes whose updates are on the stack
};

enum { BLOCK = 32 }; // columns that are eliminated before the rest of a block hears of them

// ---- analysis ---------------------------------------------------------------------------------------------

// Whether a supernode of `columns` columns, `zeros` of its `entries` being zeros that a join adds, is better than two.
static bool worth(double columns, double zeros, double entries) {
  return zeros <= (columns <= 16 ? 0.5 : columns <= 48 ? 0.15 : 0.05) * entries;
}

// starts[j]: a supernode begins at column j. From right to left: a column joins the supernode to its right where its parent is
// the first column there.
static size_t join(const MbElimination *e, size_t n, uint8_t *starts) {
  size_t count = 0, last = 0; // last column of the supernode to the right
  double zeros = 0;
  for (size_t j = n; j-- > 0;) {
    starts[j] = 1, count++;
    const bool chained = j + 1 < n && e->parent[j] == j + 1;
    if (chained) {
      const double columns = (double)(last - j + 1), rows = (double)(last - j + e->count[last]);
      const double added = zeros + rows - e->count[j], entries = columns * (rows - (columns - 1) / 2);
      if (added <= zeros || worth(columns, added, entries)) {
        starts[j + 1] = 0, count--;
        zeros = added;
        continue;
      }
    }
    last = j, zeros = 0;
  }
  return count;
}

static bool make_fronts(const MbElimination *e, MbLdl *l, uint32_t *owner, size_t *nbelow) {
  uint8_t *starts = mb_calloc(l->n, sizeof *starts);
  if (!starts) return false;
  l->count = join(e, l->n, starts);
  l->front = mb_calloc(l->count, sizeof *l->front);
  size_t s = SIZE_MAX;
  for (uint32_t j = 0; l->front && j < l->n; j++) {
    s += starts[j];
    if (starts[j]) l->front[s] = (Front){.first = j, .parent = MB_NONE};
    l->front[s].columns++;
    owner[j] = (uint32_t)s;
  }
  mb_free(starts);
  if (!l->front) return false;
  for (s = 0; s < l->count; s++) {
    Front *f = &l->front[s];
    const uint32_t end = f->first + f->columns, up = e->parent[end - 1];
    f->rows = f->columns - 1 + e->count[end - 1];
    f->panel = l->entries, f->below = *nbelow;
    l->entries += (size_t)f->rows * f->columns;
    *nbelow += f->rows - f->columns;
    if (up != MB_NONE) f->parent = owner[up], l->front[owner[up]].children++;
  }
  return true;
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// Rows below of every supernode: those of A in its columns, and its children's. `open`: supernodes whose parent is to come;
// those of s are the last of them.
static void find_rows(const MbAdjacency *graph, const MbElimination *e, MbLdl *l, uint32_t *mark) {
  size_t nopen = 0;
  for (size_t i = 0; i < l->n; i++) mark[i] = MB_NONE;
  for (uint32_t s = 0; s < l->count; s++) {
    const Front *f = &l->front[s];
    const uint32_t end = f->first + f->columns;
    uint32_t *rows = l->row + f->below, count = 0;
    for (uint32_t j = f->first; j < end; j++)
      for (uint32_t p = graph->start[e->perm[j]]; p < graph->start[e->perm[j] + 1]; p++) {
        const uint32_t i = e->inverse[graph->to[p]];
        if (i >= end && mark[i] != s) mark[i] = s, rows[count++] = i;
      }
    for (uint32_t k = 0; k < f->children; k++) {
      const Front *c = &l->front[l->open[--nopen]];
      for (uint32_t p = 0; p < c->rows - c->columns; p++) {
        const uint32_t i = l->row[c->below + p];
        if (i >= end && mark[i] != s) mark[i] = s, rows[count++] = i;
      }
    }
    qsort(rows, count, sizeof *rows, ascending);
    if (f->parent != MB_NONE) l->open[nopen++] = s;
  }
}

// Where rows stand in the blocks of others, and how high the stack becomes.
static void find_places(MbLdl *l, uint32_t *local, size_t *most, size_t *most_rows) {
  size_t nopen = 0, top = 0;
  for (uint32_t s = 0; s < l->count; s++) {
    const Front *f = &l->front[s];
    const size_t m = f->rows - f->columns;
    for (uint32_t i = 0; i < f->columns; i++) local[f->first + i] = i;
    for (uint32_t i = 0; i < m; i++) local[l->row[f->below + i]] = f->columns + i;
    size_t freed = 0;
    for (uint32_t k = 0; k < f->children; k++) {
      const Front *c = &l->front[l->open[--nopen]];
      const size_t rows = c->rows - c->columns;
      for (size_t p = 0; p < rows; p++) l->place[c->below + p] = local[l->row[c->below + p]];
      freed += rows * rows;
    }
    if (top + m * m > *most) *most = top + m * m;
    if (f->rows > *most_rows) *most_rows = f->rows;
    top = top - freed + (f->parent == MB_NONE ? 0 : m * m);
    if (f->parent != MB_NONE) l->open[nopen++] = s;
  }
}

static size_t position(const MbLdl *l, const Front *f, uint32_t row) {
  if (row < f->first + f->columns) return row - f->first;
  const uint32_t *below = l->row + f->below;
  size_t low = 0, high = f->rows - f->columns;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (below[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return f->columns + low;
}

// Where every number of A goes, grouped by supernode.
static void map_entries(const MbPattern *A, const MbElimination *e, const uint32_t *owner, MbLdl *l) {
  for (int pass = 0; pass < 2; pass++) { // counts, then places
    for (size_t j = 0; j < A->n; j++)
      for (size_t p = A->start[j]; p < A->start[j + 1]; p++) {
        const uint32_t a = e->inverse[A->row[p]], b = e->inverse[j], row = a > b ? a : b,
                       column = a > b ? b : a;
        Front *f = &l->front[owner[column]];
        if (pass) {
          l->source[f->entry + f->entries] = p;
          l->target[f->entry + f->entries] =
              f->panel + (size_t)(column - f->first) * f->rows + position(l, f, row);
        }
        f->entries++;
      }
    size_t at = 0;
    for (size_t s = 0; s < l->count && !pass; s++) {
      l->front[s].entry = at;
      at += l->front[s].entries;
      l->front[s].entries = 0;
    }
  }
}

static bool analyse(const MbPattern *A, const MbAdjacency *graph, const MbElimination *e, const int8_t *sign,
                    MbLdl *l) {
  const size_t entries = A->start[A->n];
  size_t nbelow = 0, most = 0, most_rows = 0;
  uint32_t *owner = mb_calloc(l->n, sizeof *owner), *mark = mb_calloc(l->n, sizeof *mark);
  bool ok = owner && mark && make_fronts(e, l, owner, &nbelow);
  if (ok) {
    l->row = mb_calloc(nbelow, sizeof *l->row), l->place = mb_calloc(nbelow, sizeof *l->place);
    l->open = mb_calloc(l->count, sizeof *l->open);
    l->source = mb_calloc(entries, sizeof *l->source), l->target = mb_calloc(entries, sizeof *l->target);
    l->sign = mb_calloc(l->n, sizeof *l->sign);
    ok = l->row && l->place && l->open && l->source && l->target && l->sign;
  }
  if (ok) {
    find_rows(graph, e, l, mark);
    find_places(l, mark, &most, &most_rows);
    map_entries(A, e, owner, l);
    for (size_t i = 0; i < l->n; i++) l->sign[i] = sign[e->perm[i]];
    l->L = mb_calloc(l->entries, sizeof *l->L), l->D = mb_calloc(l->n, sizeof *l->D);
    l->stack = mb_calloc(most, sizeof *l->stack), l->x = mb_calloc(l->n, sizeof *l->x);
    l->scaled = mb_calloc(most_rows * BLOCK, sizeof *l->scaled);
    l->local = mb_calloc(most_rows, sizeof *l->local);
    ok = l->L && l->D && l->stack && l->x && l->scaled && l->local;
    l->bytes = sizeof *l + l->count * (sizeof *l->front + sizeof *l->open) + nbelow * 2 * sizeof *l->row +
               entries * 2 * sizeof *l->source + l->n * (sizeof *l->perm + 3 * sizeof(double)) +
               (l->entries + most + most_rows * (BLOCK + 1)) * sizeof(double);
  }
  mb_free(owner);
  mb_free(mark);
  return ok;
}

MbLdl *mb_ldl_analyse(const MbPattern *A, const uint32_t *perm, const int8_t *sign) {
  if (!mb_blas_start(1)) return NULL;
  MbLdl *l = mb_calloc(1, sizeof *l);
  MbAdjacency graph = {0};
  MbElimination e = {0};
  bool ok = l && mb_adjacency_make(A, &graph) && mb_elimination_make(&graph, perm, &e);
  if (ok) {
    l->n = A->n;
    ok = analyse(A, &graph, &e, sign, l);
    l->perm = e.perm;
    e.perm = NULL;
  }
  mb_elimination_free(&e);
  mb_adjacency_free(&graph);
  if (ok) return l;
  mb_ldl_free(l);
  return NULL;
}

void mb_ldl_free(MbLdl *l) {
  if (!l) return;
  void *const blocks[] = {l->perm, l->sign,  l->front,  l->row, l->place, l->source, l->target, l->L,
                          l->D,    l->stack, l->scaled, l->x,   l->local, l->open,   l};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

size_t mb_ldl_entries(const MbLdl *l) { return l->entries; }
size_t mb_ldl_bytes(const MbLdl *l) { return l->bytes; }

// ---- factorisation ----------------------------------------------------------------------------------------

// The children's updates into the block and the update of s; pops them. Returns how much of the stack they took.
static size_t assemble(MbLdl *l, const Front *f, size_t *nopen, size_t top, double *panel, double *U) {
  const size_t m = f->rows - f->columns;
  size_t freed = 0;
  memset(panel, 0, (size_t)f->columns * f->rows * sizeof *panel);
  memset(U, 0, m * m * sizeof *U);
  for (uint32_t k = 0; k < f->children; k++) {
    const Front *c = &l->front[l->open[--*nopen]];
    const size_t n = c->rows - c->columns;
    const uint32_t *place = l->place + c->below;
    freed += n * n;
    const double *from = l->stack + top - freed;
    for (size_t j = 0; j < n; j++, from += n) {
      double *to = place[j] < f->columns ? panel + (size_t)place[j] * f->rows
                                         : U + (size_t)(place[j] - f->columns) * m - f->columns;
      for (size_t i = j; i < n; i++) to[place[i]] += from[i];
    }
  }
  return freed;
}

// y −= a x
static void subtract(size_t n, double a, const double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; i++) y[i] -= a * x[i];
}

// C (lower triangle of n columns, `stride` apart, n ≤ rows rows) −= X Yᵀ; X and Y have `inner` columns, Y holds X's first n rows
// times D.
static void update(size_t rows, size_t n, size_t inner, const double *X, size_t ldx, const double *Y,
                   size_t ldy, double *C, size_t stride) {
  enum { SMALL = 20000, STRIP = 64 }; // multiplications up to which calling BLAS costs more than it saves
  if (rows * n * inner < SMALL) {
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < inner; k++)
        subtract(rows - j, Y[k * ldy + j], X + k * ldx + j, C + j * stride + j);
    return;
  }
  for (size_t j = 0; j < n; j += STRIP) { // strips: little is done above the diagonal
    const size_t width = n - j < STRIP ? n - j : STRIP;
    mb_lapack.dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)(rows - j), (int)width, (int)inner, -1,
                    X + j, (int)ldx, Y + j, (int)ldy, 1, C + j * stride + j, (int)stride);
  }
}

// The columns from `begin` to `end` of a block: L and D. SIZE_MAX, or the column that fails.
static size_t eliminate_columns(const MbLdl *l, const Front *f, double *P, size_t begin, size_t end,
                                const double *least) {
  const size_t rows = f->rows;
  for (size_t k = begin; k < end; k++) {
    double *p = P + k * rows;
    const size_t j = f->first + k;
    const double d = p[k], size = d * l->sign[j];
    if (!(size > (least ? least[l->perm[j]] : 0)) || !isfinite(d)) return j;
    const double inverse = l->D[j] = 1 / d;
    for (size_t i = k + 1; i < end; i++) subtract(rows - i, p[i] * inverse, p + i, P + i * rows + i);
    for (size_t i = k + 1; i < rows; i++) p[i] *= inverse;
    p[k] = 1;
  }
  return SIZE_MAX;
}

static size_t eliminate(MbLdl *l, const Front *f, double *P, double *U, const double *least) {
  const size_t rows = f->rows, m = rows - f->columns;
  for (size_t begin = 0; begin < f->columns; begin += BLOCK) {
    const size_t end = f->columns - begin < BLOCK ? f->columns : begin + BLOCK, inner = end - begin;
    const size_t failed = eliminate_columns(l, f, P, begin, end, least);
    if (failed != SIZE_MAX) return failed;
    const size_t rest = rows - end;
    for (size_t k = 0; k < inner; k++) {
      const double d = 1 / l->D[f->first + begin + k], *p = P + (begin + k) * rows + end;
      double *y = l->scaled + k * rest;
      for (size_t i = 0; i < rest; i++) y[i] = d * p[i];
    }
    const double *X = P + begin * rows + end;
    update(rest, f->columns - end, inner, X, rows, l->scaled, rest, P + end * rows + end, rows);
    const size_t own = f->columns - end;
    update(m, m, inner, X + own, rows, l->scaled + own, rest, U, m);
  }
  return SIZE_MAX;
}

bool mb_ldl_factor(MbLdl *l, const double *values, const double *least, size_t *blame) {
  size_t nopen = 0, top = 0;
  for (uint32_t s = 0; s < l->count; s++) {
    const Front *f = &l->front[s];
    const size_t m = f->rows - f->columns;
    double *P = l->L + f->panel, *U = l->stack + top;
    const size_t freed = assemble(l, f, &nopen, top, P, U);
    for (size_t p = f->entry; p < f->entry + f->entries; p++) l->L[l->target[p]] += values[l->source[p]];
    const size_t failed = eliminate(l, f, P, U, least);
    if (failed != SIZE_MAX) {
      *blame = l->perm[failed];
      return false;
    }
    if (f->parent == MB_NONE) {
      top -= freed;
      continue;
    }
    memmove(l->stack + top - freed, U, m * m * sizeof *U);
    top = top - freed + m * m;
    l->open[nopen++] = s;
  }
  return true;
}

// ---- solution ---------------------------------------------------------------------------------------------

void mb_ldl_solve(MbLdl *l, double *x) {
  double *y = l->x, *local = l->local;
  for (size_t i = 0; i < l->n; i++) y[i] = x[l->perm[i]];
  for (size_t s = 0; s < l->count; s++) {
    const Front *f = &l->front[s];
    const uint32_t *below = l->row + f->below;
    const size_t m = f->rows - f->columns;
    double *own = y + f->first;
    memset(local, 0, m * sizeof *local);
    for (size_t k = 0; k < f->columns; k++) {
      const double *p = l->L + f->panel + k * f->rows;
      subtract(f->columns - k - 1, own[k], p + k + 1, own + k + 1);
      subtract(m, own[k], p + f->columns, local);
    }
    for (size_t i = 0; i < m; i++) y[below[i]] += local[i];
  }
  for (size_t i = 0; i < l->n; i++) y[i] *= l->D[i];
  for (size_t s = l->count; s-- > 0;) {
    const Front *f = &l->front[s];
    const uint32_t *below = l->row + f->below;
    const size_t m = f->rows - f->columns;
    double *own = y + f->first;
    for (size_t i = 0; i < m; i++) local[i] = y[below[i]];
    for (size_t k = f->columns; k-- > 0;) {
      const double *p = l->L + f->panel + k * f->rows;
      double sum = 0;
      for (size_t i = k + 1; i < f->columns; i++) sum += p[i] * own[i];
      for (size_t i = 0; i < m; i++) sum += p[f->columns + i] * local[i];
      own[k] -= sum;
    }
  }
  for (size_t i = 0; i < l->n; i++) x[l->perm[i]] = y[i];
}
