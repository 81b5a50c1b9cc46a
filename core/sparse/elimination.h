// What a Cholesky factor looks like before there are numbers: elimination tree, column counts.
#ifndef MB_SPARSE_ELIMINATION_H
#define MB_SPARSE_ELIMINATION_H

#include "core/sparse/sparse.h"

#define MB_NONE UINT32_MAX

// Neighbours of every row, the diagonal left out.
typedef struct MbAdjacency {
  size_t n;
  uint32_t *start; // (n + 1)
  uint32_t *to;    // (start[n])
} MbAdjacency;

bool mb_adjacency_make(const MbPattern *A, MbAdjacency *adjacency);
void mb_adjacency_free(MbAdjacency *adjacency);

typedef struct MbElimination {
  uint32_t
      *perm; // (n) row of A that is eliminated as number k: children before parents, each subtree together
  uint32_t *inverse; // (n)
  uint32_t *parent;  // (n) in the new numbers; MB_NONE = root
  uint32_t *count;   // (n) entries of L's columns, the diagonal included
} MbElimination;

// In the order of `perm`, up to a postorder of its tree. False: out of memory, `elimination` is freed.
bool mb_elimination_make(const MbAdjacency *graph, const uint32_t *perm, MbElimination *elimination);
void mb_elimination_free(MbElimination *elimination);

#endif
