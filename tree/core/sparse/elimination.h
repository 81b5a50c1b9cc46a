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
// What is stored as one dense block: columns of one pattern; then with zeros where solves gain by it, neighbours only, so that
// columns stay in a postorder of their tree; or any block with its parent's, and columns are renumbered so that those of a block stand
// together, in a postorder of the tree of blocks.
typedef enum MbJoin { MB_JOIN_ALIKE, MB_JOIN_NEIGHBOURS, MB_JOIN_ANY } MbJoin;
// columns[j] = how many, where j is the first of a block. False: out of memory.
bool mb_elimination_merge(MbElimination *elimination, size_t n, MbJoin join, uint32_t *columns);
void mb_elimination_free(MbElimination *elimination);

#endif
