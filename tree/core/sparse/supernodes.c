#include "core/base/alloc.h"
#include "core/sparse/cholesky.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// Rows below of supernode s: those of A in its columns, and its children's.
static size_t collect_rows(const MbAdjacency *graph, const MbElimination *e, const MbCholesky *c, uint32_t s,
                           uint32_t *mark, uint32_t *rows) {
  const MbSupernode *node = &c->node[s];
  const uint32_t end = node->first + node->columns;
  size_t count = 0;
  for (uint32_t j = node->first; j < end; j++)
    for (uint32_t p = graph->start[e->perm[j]]; p < graph->start[e->perm[j] + 1]; p++) {
      const uint32_t i = e->inverse[graph->to[p]];
      if (i >= end && mark[i] != s) mark[i] = s, rows[count++] = i;
    }
  for (uint32_t k = node->child; k != MB_NONE; k = c->node[k].sibling)
    for (size_t p = 0; p < c->node[k].rows - c->node[k].columns; p++) {
      const uint32_t i = c->row[c->node[k].below + p];
      if (i >= end && mark[i] != s) mark[i] = s, rows[count++] = i;
    }
  qsort(rows, count, sizeof *rows, ascending);
  return count;
}

// Where the children's rows stand in the block of s.
static void find_places(MbCholesky *c, uint32_t s, uint32_t *local) {
  const MbSupernode *node = &c->node[s];
  for (uint32_t i = 0; i < node->columns; i++) local[node->first + i] = i;
  for (uint32_t i = node->columns; i < node->rows; i++) local[c->row[node->below + i - node->columns]] = i;
  for (uint32_t k = node->child; k != MB_NONE; k = c->node[k].sibling)
    for (size_t p = 0; p < c->node[k].rows - c->node[k].columns; p++)
      c->place[c->node[k].below + p] = local[c->row[c->node[k].below + p]];
}

static bool make_nodes(const MbElimination *e, const uint32_t *columns, MbCholesky *c) {
  size_t entries = 0;
  for (size_t j = 0; j < c->n; j += columns[j]) c->count++;
  c->node = mb_calloc(c->count, sizeof *c->node);
  if (!c->node) return false;
  size_t s = 0;
  for (uint32_t j = 0; j < c->n; j += columns[j], s++) {
    MbSupernode *node = &c->node[s];
    const uint32_t last = j + columns[j] - 1;
    *node = (MbSupernode){.first = j,
                          .columns = columns[j],
                          .rows = columns[j] - 1 + e->count[last],
                          .parent = MB_NONE,
                          .child = MB_NONE,
                          .sibling = MB_NONE,
                          .panel = entries,
                          .below = c->nbelow};
    entries += (size_t)node->columns * node->rows;
    c->nbelow += node->rows - node->columns;
    if (node->rows > c->most_rows) c->most_rows = node->rows;
    const double m = node->rows - node->columns;
    for (double k = 0; k < node->columns; k++) c->flops += (m + k) * (m + k + 2) + 1;
  }
  c->entries = entries;
  return true;
}

bool mb_supernodes_make(const MbPattern *A, MbElimination *e, MbJoin join, MbCholesky *c) {
  const size_t n = c->n;
  MbAdjacency graph;
  if (!mb_adjacency_make(A, &graph)) return false;
  uint32_t *columns = mb_calloc(n + 1, sizeof *columns);
  uint32_t *owner = mb_calloc(n + 1, sizeof *owner), *local = mb_calloc(n + 1, sizeof *local);
  bool ok =
      columns && owner && local && mb_elimination_merge(e, n, join, columns) && make_nodes(e, columns, c);
  if (ok) {
    c->row = mb_calloc(c->nbelow, sizeof *c->row);
    c->place = mb_calloc(c->nbelow, sizeof *c->place);
    ok = c->row && c->place;
  }
  for (uint32_t s = 0; ok && s < c->count; s++)
    for (uint32_t i = 0; i < c->node[s].columns; i++) owner[c->node[s].first + i] = s;
  // parents first, so that lists of children are complete (and ascending) when rows are collected
  for (size_t s = c->count; ok && s-- > 0;) {
    MbSupernode *node = &c->node[s];
    const uint32_t up = e->parent[node->first + node->columns - 1];
    if (up == MB_NONE) continue;
    node->parent = owner[up];
    node->sibling = c->node[node->parent].child;
    c->node[node->parent].child = (uint32_t)s;
  }
  for (size_t i = 0; ok && i < n; i++) local[i] = MB_NONE;
  for (uint32_t s = 0; ok && s < c->count; s++)
    ok = collect_rows(&graph, e, c, s, local, c->row + c->node[s].below) ==
         c->node[s].rows - c->node[s].columns;
  for (uint32_t s = 0; ok && s < c->count; s++) find_places(c, s, local);
  mb_free(columns);
  mb_free(owner);
  mb_free(local);
  mb_adjacency_free(&graph);
  return ok;
}
