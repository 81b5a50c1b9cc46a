#include "core/sparse/elimination.h"
#include "core/base/alloc.h"

#include <metis.h>

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "METIS' indices and ours are of one size");

bool mb_adjacency_make(const MbPattern *A, MbAdjacency *adjacency) {
  const size_t n = A->n;
  size_t count = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++) count += A->row[p] != j;
  *adjacency = (MbAdjacency){.n = n};
  if (count > INT32_MAX / 2 || n >= INT32_MAX) return false;
  adjacency->start = mb_calloc(n + 2, sizeof *adjacency->start);
  adjacency->to = mb_calloc(2 * count, sizeof *adjacency->to);
  if (!adjacency->start || !adjacency->to) {
    mb_adjacency_free(adjacency);
    return false;
  }

  // start[i + 2] counts, then start[i + 1] is where the next neighbour of i goes
  uint32_t *next = adjacency->start + 1;
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++)
      if (A->row[p] != j) {
        next[A->row[p] + 1]++;
        next[j + 1]++;
      }
  for (size_t i = 1; i < n; i++) next[i] += next[i - 1];
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++) {
      const uint32_t i = A->row[p];
      if (i == j) continue;
      adjacency->to[next[i]++] = (uint32_t)j;
      adjacency->to[next[j]++] = i;
    }
  return true;
}

void mb_adjacency_free(MbAdjacency *adjacency) {
  mb_free(adjacency->start);
  mb_free(adjacency->to);
  *adjacency = (MbAdjacency){0};
}

// METIS wants every neighbour once.
static void unique_neighbours(MbAdjacency *graph, uint32_t *mark) {
  uint32_t kept = 0;
  for (size_t i = 0; i < graph->n; i++) mark[i] = UINT32_MAX;
  for (uint32_t i = 0; i < graph->n; i++) {
    const uint32_t begin = graph->start[i], end = graph->start[i + 1];
    graph->start[i] = kept;
    for (uint32_t p = begin; p < end; p++)
      if (mark[graph->to[p]] != i) {
        mark[graph->to[p]] = i;
        graph->to[kept++] = graph->to[p];
      }
  }
  graph->start[graph->n] = kept;
}

bool mb_order_dissection(const MbPattern *A, uint32_t *perm) {
  MbAdjacency graph;
  if (!mb_adjacency_make(A, &graph)) return false;
  uint32_t *inverse = mb_calloc(A->n, sizeof *inverse);
  bool ok = inverse != NULL;
  if (ok) unique_neighbours(&graph, inverse);
  if (ok && graph.start[A->n] > 0) {
    idx_t n = (idx_t)A->n, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    ok = METIS_NodeND(&n, (idx_t *)graph.start, (idx_t *)graph.to, NULL, options, (idx_t *)perm,
                      (idx_t *)inverse) == METIS_OK;
  } else if (ok)
    for (size_t i = 0; i < A->n; i++) perm[i] = (uint32_t)i;
  mb_free(inverse);
  mb_adjacency_free(&graph);
  return ok;
}
