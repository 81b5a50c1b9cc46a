#include "core/sparse/cholesky.h"
#include "core/base/threads.h"
#include "core/sparse/panel.h"

#include <string.h>

// A supernode's right-hand sides: its own rows from x, what its children passed added; own rows back to x when L₁₁ and L₂₁ are
// applied, the rest passed on. k columns.
static void forward(MbCholesky *c, const MbSupernode *node, double *local, size_t k) {
  const size_t rows = node->rows, columns = node->columns, m = rows - columns;
  for (size_t r = 0; r < k; r++) {
    memcpy(local + r * rows, c->x + r * c->n + node->first, columns * sizeof *local);
    memset(local + r * rows + columns, 0, m * sizeof *local);
  }
  for (uint32_t s = node->child; s != MB_NONE; s = c->node[s].sibling) {
    const MbSupernode *child = &c->node[s];
    const size_t n = child->rows - child->columns;
    const uint32_t *place = c->place + child->below;
    const double *from = c->passed + MB_RHS * child->below;
    for (size_t r = 0; r < k; r++)
      for (size_t i = 0; i < n; i++) local[r * rows + place[i]] += from[r * n + i];
  }
  mb_panel_forward(c->L + node->panel, rows, columns, local, k);
  for (size_t r = 0; r < k; r++) {
    memcpy(c->x + r * c->n + node->first, local + r * rows, columns * sizeof *local);
    memcpy(c->passed + MB_RHS * node->below + r * m, local + r * rows + columns, m * sizeof *local);
  }
}

static void backward(MbCholesky *c, const MbSupernode *node, double *local, size_t k) {
  const size_t rows = node->rows, columns = node->columns;
  const uint32_t *below = c->row + node->below;
  for (size_t r = 0; r < k; r++) {
    const double *x = c->x + r * c->n;
    memcpy(local + r * rows, x + node->first, columns * sizeof *local);
    for (size_t i = columns; i < rows; i++) local[r * rows + i] = x[below[i - columns]];
  }
  mb_panel_backward(c->L + node->panel, rows, columns, local, k);
  for (size_t r = 0; r < k; r++)
    memcpy(c->x + r * c->n + node->first, local + r * rows, columns * sizeof *local);
}

typedef struct Sweep {
  MbCholesky *cholesky;
  size_t k; // right-hand sides
} Sweep;

static void sweep_forward(void *context, size_t t) {
  const Sweep *w = context;
  MbCholesky *c = w->cholesky;
  const MbPart *part = &c->part[t];
  double *local = c->local + t * c->most_rows * MB_RHS;
  for (uint32_t i = 0; i < part->count; i++) forward(c, &c->node[part->nodes[i]], local, w->k);
}

static void sweep_backward(void *context, size_t t) {
  const Sweep *w = context;
  MbCholesky *c = w->cholesky;
  const MbPart *part = &c->part[t];
  double *local = c->local + t * c->most_rows * MB_RHS;
  for (uint32_t i = part->count; i-- > 0;) backward(c, &c->node[part->nodes[i]], local, w->k);
}

void mb_cholesky_solve(MbCholesky *c, double *x, size_t columns) {
  const size_t parts = c->nparts;
  for (size_t first = 0; first < columns; first += MB_RHS) {
    Sweep sweep = {c, columns - first < MB_RHS ? columns - first : MB_RHS};
    for (size_t i = 0; i < c->n; i++)
      for (size_t r = 0; r < sweep.k; r++) c->x[r * c->n + i] = x[c->perm[i] * columns + first + r];
    mb_parallel_tasks((int)parts, parts, sweep_forward, &sweep);
    sweep_forward(&sweep, parts);
    sweep_backward(&sweep, parts);
    mb_parallel_tasks((int)parts, parts, sweep_backward, &sweep);
    for (size_t i = 0; i < c->n; i++)
      for (size_t r = 0; r < sweep.k; r++) x[c->perm[i] * columns + first + r] = c->x[r * c->n + i];
  }
}
