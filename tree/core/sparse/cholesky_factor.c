#include "core/sparse/cholesky.h"
#include "core/base/threads.h"
#include "core/sparse/panel.h"

#include <string.h>

// The children's updates into the block and the update of s.
static void assemble(MbCholesky *c, const MbSupernode *node, double *panel, double *U) {
  const size_t m = node->rows - node->columns;
  memset(panel, 0, (size_t)node->columns * node->rows * sizeof *panel);
  for (size_t j = 0; j < m; j++) memset(U + j * m + j, 0, (m - j) * sizeof *U);
  for (uint32_t k = node->child; k != MB_NONE; k = c->node[k].sibling) {
    const MbSupernode *child = &c->node[k];
    const size_t n = child->rows - child->columns;
    const uint32_t *place = c->place + child->below;
    const double *from = c->updates + child->update;
    for (size_t j = 0; j < n; j++, from += n) {
      // column place[j]; its rows, from the diagonal on, in the panel or, moved up by the panel's columns, in U
      double *to = place[j] < node->columns ? panel + (size_t)place[j] * node->rows
                                            : U + (size_t)(place[j] - node->columns) * m - node->columns;
      for (size_t i = j; i < n; i++) to[place[i]] += from[i];
    }
  }
}

static bool eliminate(MbCholesky *c, uint32_t s, const double *values, size_t *pivot) {
  const MbSupernode *node = &c->node[s];
  double *panel = c->L + node->panel, *U = c->updates + node->update;
  assemble(c, node, panel, U);
  for (size_t p = node->entry; p < node->entry + node->entries; p++)
    c->L[c->target[p]] += values[c->source[p]];
  if (mb_panel_factor(panel, node->rows, node->columns, U, pivot)) return true;
  *pivot += node->first;
  return false;
}

typedef struct Factoring {
  MbCholesky *cholesky;
  const double *values;
} Factoring;

// Leaves the first column that fails in the part, or SIZE_MAX.
static void eliminate_part(void *context, size_t t) {
  const Factoring *f = context;
  MbPart *part = &f->cholesky->part[t];
  part->failed = SIZE_MAX;
  for (uint32_t i = 0; i < part->count; i++)
    if (!eliminate(f->cholesky, part->nodes[i], f->values, &part->failed)) return;
}

bool mb_cholesky_factor(MbCholesky *c, const double *values, size_t *blame) {
  Factoring factoring = {c, values};
  size_t pivot = SIZE_MAX;
  mb_parallel_tasks((int)c->nparts, c->nparts, eliminate_part, &factoring);
  for (size_t t = 0; t < c->nparts; t++)
    if (c->part[t].failed < pivot) pivot = c->part[t].failed;
  if (pivot == SIZE_MAX) {
    eliminate_part(&factoring, c->nparts);
    pivot = c->part[c->nparts].failed;
  }
  if (pivot == SIZE_MAX) return true;
  *blame = c->perm[pivot];
  return false;
}
