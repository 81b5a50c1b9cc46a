#include "core/base/alloc.h"
#include "core/sparse/cholesky.h"

#include <stdlib.h>

// ---- which columns --------------------------------------------------------------------------------------------

// How many zeros are worth it, by the number of columns: dense blocks of few columns cost more by their number than by
// their zeros.
static bool worth(size_t columns, double zeros, double entries) {
  static const struct {
    size_t columns;
    double zeros;
  } limits[] = {{4, 1}, {16, 0.8}, {48, 0.1}, {SIZE_MAX, 0.05}};
  int k = 0;
  while (columns > limits[k].columns) k++;
  return zeros <= limits[k].zeros * entries;
}

// begin[j] = the first column of the supernode that j starts, only for columns that start one; marks in `starts`. From right to
// left: a supernode joins the one to its right where its parent is in there.
static void join(const MbElimination *e, size_t n, uint32_t *starts, uint32_t *columns, double *zeros) {
  for (size_t j = n; j-- > 0;) {
    columns[j] = 1, starts[j] = 1, zeros[j] = 0;
    const uint32_t up = e->parent[j];
    if (up == MB_NONE || up >= j + 1 + columns[j + 1]) continue; // that to the right starts at j + 1
    // rows of the joined block: j and those of the block to the right
    const size_t right = columns[j + 1] - 1 + (size_t)e->count[j + 1 + columns[j + 1] - 1];
    const double added = zeros[j + 1] + (double)(1 + right - e->count[j]);
    const double width = columns[j + 1] + 1, entries = width * (double)(1 + right) - width * (width - 1) / 2;
    if (added > 0 && !worth(columns[j + 1] + 1, added, entries)) continue;
    columns[j] = columns[j + 1] + 1;
    zeros[j] = added;
    starts[j + 1] = 0;
  }
}

// ---- which rows -----------------------------------------------------------------------------------------------

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

static bool make_nodes(const MbElimination *e, const uint32_t *starts, const uint32_t *columns,
                       MbCholesky *c) {
  size_t entries = 0;
  for (size_t j = 0; j < c->n; j++) c->count += starts[j];
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

bool mb_supernodes_make(const MbPattern *A, const MbElimination *e, MbCholesky *c) {
  const size_t n = c->n;
  MbAdjacency graph;
  if (!mb_adjacency_make(A, &graph)) return false;
  uint32_t *starts = mb_calloc(n + 1, sizeof *starts), *columns = mb_calloc(n + 1, sizeof *columns);
  uint32_t *owner = mb_calloc(n + 1, sizeof *owner), *local = mb_calloc(n + 1, sizeof *local);
  double *zeros = mb_calloc(n + 1, sizeof *zeros);
  bool ok = starts && columns && owner && local && zeros;
  if (ok) {
    join(e, n, starts, columns, zeros);
    ok = make_nodes(e, starts, columns, c);
  }
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
  mb_free(starts);
  mb_free(columns);
  mb_free(owner);
  mb_free(local);
  mb_free(zeros);
  mb_adjacency_free(&graph);
  return ok;
}
