// Columns of the inverse of a factor: see branches.h.
#include "core/sparse/branches.h"
#include "core/base/alloc.h"
#include "core/base/lapack.h"
#include "core/sparse/global_inside.h"
#include "core/sparse/paths.h"

#include <string.h>

enum { AT_ONCE = 3 };

struct MbBranches {
  MbGlobal *global;
  MbPaths paths;
  double **root; // (supernodes) R of each that has been on a branch, column by column; of an inverse NULL
  size_t bytes;
};

// ---- making and freeing -----------------------------------------------------------------------------------

bool mb_branches_are(const MbGlobal *g) {
  return g->sweeps || (g->inverse && !g->inverse->single && g->inverse->nlevels == 1);
}

MbBranches *mb_branches_make(MbGlobal *g) {
  const MbCholesky *c = g->cholesky;
  MbBranches *b = mb_calloc(1, sizeof *b);
  if (!b) return NULL;
  b->global = g;
  b->root = mb_calloc(c->count, sizeof *b->root);
  if (!mb_paths_make(&b->paths, c) || !b->root) {
    mb_branches_free(b);
    return NULL;
  }
  b->bytes = sizeof *b + mb_paths_bytes(&b->paths) + c->count * sizeof *b->root;
  return b;
}

void mb_branches_free(MbBranches *b) {
  if (!b) return;
  for (size_t s = 0; b->root && s < b->paths.tree->count; s++) mb_free(b->root[s]);
  mb_free(b->root);
  mb_paths_free(&b->paths);
  mb_free(b);
}

size_t mb_branches_bytes(const MbBranches *b) { return b ? b->bytes : 0; }

uint32_t mb_branch_place(const MbBranches *b, size_t row) { return b->paths.place[row]; }

// ---- runs -------------------------------------------------------------------------------------------------

size_t mb_branch_runs(const MbBranches *b, size_t row, MbStretch *run, size_t *length) {
  const MbPaths *p = &b->paths;
  MbRuns runs = {.run = run};
  for (uint32_t s = p->node[p->place[row]]; s != MB_NONE; s = p->tree->node[s].parent)
    mb_runs_add(&runs, &p->tree->node[s]);
  *length = runs.length;
  return runs.n;
}

// ---- numbers, of an inverse -------------------------------------------------------------------------------

// Row k of S has the column of i where it begins before that.
static void read_inverse(const MbBranches *b, size_t row, double *s) {
  const MbInverse *S = b->global->inverse;
  const MbCholesky *c = b->paths.tree;
  const double *numbers = S->numbers;
  const uint32_t i = b->paths.place[row];
  for (uint32_t t = b->paths.node[i]; t != MB_NONE; t = c->node[t].parent)
    for (uint32_t k = c->node[t].first; k < c->node[t].first + c->node[t].columns; k++)
      *s++ = k >= i && S->from[k] <= i ? numbers[S->at[k] + i - S->from[k]] : 0;
}

// ---- numbers, of a factor ---------------------------------------------------------------------------------

// Takes groups of rows of a block of w columns apart, which begins at row and column `at` of a matrix of n rows.
static const double *unpack(const double *from, size_t rows, size_t w, double *to, size_t n) {
  size_t i = 0;
  while (i < rows) {
    const size_t rest = rows - i, height = rest >= MB_GROUP ? MB_GROUP : mb_group_rows(rest),
                 some = rest < height ? rest : height;
    for (size_t j = 0; j < w; j++, from += height) memcpy(to + j * n + i, from, some * sizeof *to);
    i += some;
  }
  return from;
}

// R of supernode s, made when it is on a branch first. NULL: out of memory.
static const double *root_of(MbBranches *b, uint32_t s) {
  const MbSweeps *sweeps = b->global->sweeps;
  const size_t n = sweeps->node[s].columns;
  const double *D = sweeps->numbers + sweeps->node[s].D;
  if (b->root[s]) return b->root[s];
  double *R = mb_calloc(n * n, sizeof *R);
  if (!R) return NULL;
  for (size_t j = 0; j < n; j += MB_TILE) {
    const size_t w = n - j < MB_TILE ? n - j : MB_TILE;
    D = unpack(D, w, w, R + j * n + j, n);
    D = unpack(D, n - j - w, w, R + j * n + j + w, n);
  }
  // D⁻¹ is definite as D is; where rounding has it otherwise the factor that solves it would be no better
  if (mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, R, (int)n) != 0) {
    mb_free(R);
    return NULL;
  }
  b->bytes += n * n * sizeof *R;
  return b->root[s] = R;
}

static const MbSweepTask *task_of(const MbSweeps *s, uint32_t node) {
  for (size_t t = 0; t < s->ntasks; t++)
    if (node >= s->task[t].begin && node < s->task[t].end) return &s->task[t];
  return NULL;
}

// What a task leaves above it.
static void hand_up(const MbSweeps *s, const MbSweepTask *task) {
  const double *border = s->x + 4 * (size_t)task->border;
  for (size_t i = 0; i < task->nborder; i++) {
    double *to = s->x + 4 * (size_t)s->above[task->above + i];
    for (size_t r = 0; r < 3; r++) to[r] += border[4 * i + r];
  }
}

// x ← what the way up leaves at the supernodes of the path, of ones at n places, one in each of three right-hand sides.
static void go_up(const MbBranches *b, const uint32_t *place, size_t n, size_t count) {
  const MbGlobal *g = b->global;
  MbSweeps *s = g->sweeps;
  const MbSweepTask *task = NULL;
  for (size_t k = 0; k < count; k++) {
    const MbSweepNode *node = &s->node[b->paths.path[k]];
    memset(s->x + 4 * (size_t)node->first, 0, 4 * (size_t)node->columns * sizeof *s->x);
  }
  memset(s->x + 4 * s->rows, 0, 4 * sizeof *s->x);
  for (size_t k = 0; k < n; k++) s->x[4 * (size_t)place[k] + k] = 1;
  for (size_t k = 0; k < count; k++) {
    const uint32_t node = b->paths.path[k];
    if (!task || node >= task->end) {
      if (task) hand_up(s, task);
      task = task_of(s, node);
      if (task) memset(s->x + 4 * (size_t)task->border, 0, 4 * ((size_t)task->nborder + 1) * sizeof *s->x);
    }
    g->sweep_passes->forward(s, &s->node[node]);
  }
  if (task) hand_up(s, task);
}

// s_J = Rᵀ f, of three right-hand sides in rows of four numbers.
static void take_root(const double *R, size_t n, const double *f, double *out) {
  for (size_t i = 0; i < n; i++) {
    const double *column = R + i * n;
    double sum[4] = {0};
    for (size_t k = i; k < n; k++)
      for (size_t r = 0; r < 4; r++) sum[r] += column[k] * f[4 * k + r];
    memcpy(out + 4 * i, sum, sizeof sum);
  }
}

static bool find_by_factor(MbBranches *b, const uint32_t *place, size_t n, double *const *s) {
  const MbSweeps *sweeps = b->global->sweeps;
  const MbCholesky *c = b->paths.tree;
  const size_t count = mb_paths_find(&b->paths, place, n);
  uint32_t next[AT_ONCE]; // of each one's own way
  size_t at[AT_ONCE] = {0};
  for (size_t k = 0; k < count; k++)
    if (!root_of(b, b->paths.path[k])) return false;
  go_up(b, place, n, count);
  for (size_t k = 0; k < n; k++) next[k] = b->paths.node[place[k]];
  for (size_t k = 0; k < count; k++) {
    const uint32_t node = b->paths.path[k];
    const size_t columns = sweeps->node[node].columns;
    double *x = sweeps->x + 4 * (size_t)sweeps->node[node].first;
    take_root(b->root[node], columns, x, x); // row i needs rows from i on
    for (size_t r = 0; r < n; r++) {
      if (next[r] != node) continue;
      for (size_t i = 0; i < columns; i++) s[r][at[r] + i] = x[4 * i + r];
      at[r] += columns, next[r] = c->node[node].parent;
    }
  }
  return true;
}

bool mb_branch_find(MbBranches *b, const size_t *row, size_t n, double *const *s) {
  uint32_t place[AT_ONCE];
  if (b->global->inverse) {
    for (size_t k = 0; k < n; k++) read_inverse(b, row[k], s[k]);
    return true;
  }
  for (size_t k = 0; k < n; k++) place[k] = b->paths.place[row[k]];
  return find_by_factor(b, place, n, s);
}
