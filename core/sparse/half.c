// Forward solves along branches: see half.h.
#include "core/sparse/half.h"
#include "core/base/alloc.h"
#include "core/sparse/panel.h"
#include "core/sparse/paths.h"

#include <string.h>

_Static_assert((int)MB_HALVES == (int)MB_RHS, "there is scratch for so many");

struct MbHalf {
  MbCholesky *cholesky;
  MbPaths paths;
};

MbHalf *mb_half_make(MbCholesky *c) {
  MbHalf *h = mb_calloc(1, sizeof *h);
  if (!h) return NULL;
  h->cholesky = c;
  if (mb_paths_make(&h->paths, c)) return h;
  mb_half_free(h);
  return NULL;
}

void mb_half_free(MbHalf *h) {
  if (!h) return;
  mb_paths_free(&h->paths);
  mb_free(h);
}

size_t mb_half_bytes(const MbHalf *h) { return h ? sizeof *h + mb_paths_bytes(&h->paths) : 0; }

static size_t find_path(MbHalf *h, const uint32_t *row, size_t n) {
  uint32_t place[MB_HALF_ROWS];
  for (size_t k = 0; k < n; k++) place[k] = h->paths.place[row[k]];
  return mb_paths_find(&h->paths, place, n);
}

size_t mb_half_runs(MbHalf *h, const uint32_t *row, size_t n, MbStretch *run, size_t *length) {
  const size_t count = find_path(h, row, n);
  MbRuns runs = {.run = run};
  for (size_t k = 0; k < count; k++) mb_runs_add(&runs, &h->cholesky->node[h->paths.path[k]]);
  *length = runs.length;
  return runs.n;
}

// Solves with one supernode: its own rows of x are told to s, what they do to the rows below, which are on the path too, is taken from these.
static void go_up(MbCholesky *c, const MbSupernode *node, size_t sides, double *const *s) {
  const size_t rows = node->rows, columns = node->columns, below = rows - columns;
  const uint32_t *place = c->row + node->below;
  double *local = c->local;
  for (size_t r = 0; r < sides; r++) {
    memcpy(local + r * rows, c->x + r * c->n + node->first, columns * sizeof *local);
    memset(local + r * rows + columns, 0, below * sizeof *local);
  }
  mb_panel_forward(c->L + node->panel, rows, columns, local, sides);
  for (size_t r = 0; r < sides; r++) {
    memcpy(s[r], local + r * rows, columns * sizeof *local);
    for (size_t i = 0; i < below; i++) c->x[r * c->n + place[i]] += local[r * rows + columns + i];
  }
}

void mb_half_find(MbHalf *h, const uint32_t *row, size_t n, const double *const *x, size_t sides,
                  double *const *s) {
  MbCholesky *c = h->cholesky;
  const size_t count = find_path(h, row, n);
  double *to[MB_HALVES];
  memcpy(to, s, sides * sizeof *to);
  for (size_t r = 0; r < sides; r++) {
    for (size_t k = 0; k < count; k++) {
      const MbSupernode *node = &c->node[h->paths.path[k]];
      memset(c->x + r * c->n + node->first, 0, node->columns * sizeof *c->x);
    }
    for (size_t k = 0; k < n; k++) c->x[r * c->n + h->paths.place[row[k]]] = x[r][k];
  }
  for (size_t k = 0; k < count; k++) {
    const MbSupernode *node = &c->node[h->paths.path[k]];
    go_up(c, node, sides, to);
    for (size_t r = 0; r < sides; r++) to[r] += node->columns;
  }
}
