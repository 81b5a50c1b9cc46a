// Ways up the tree of a factor's supernodes, from rows that are asked for to the root, and the rows on them: branches (branches.h, half.h).
#ifndef MB_SPARSE_PATHS_H
#define MB_SPARSE_PATHS_H

#include "core/sparse/branches.h"
#include "core/sparse/cholesky.h"

typedef struct MbPaths {
  const MbCholesky *tree;
  uint32_t *place;   // (n) where each row of A is in the order of elimination
  uint32_t *node;    // (n) the supernode of each place
  uint32_t *path;    // (supernodes) those found last
  unsigned char *on; // (supernodes) zero between uses
} MbPaths;

// False: out of memory; what there is of it is to be freed all the same.
bool mb_paths_make(MbPaths *paths, const MbCholesky *tree);
void mb_paths_free(MbPaths *paths);
size_t mb_paths_bytes(const MbPaths *paths);

// path ← the supernodes on the ways up from n places, rising. Returns how many.
size_t mb_paths_find(MbPaths *paths, const uint32_t *place, size_t n);

// Runs of rows as they are told.
typedef struct MbRuns {
  MbStretch *run; // NULL: they are counted
  size_t n, length;
  uint32_t end; // of the last one
} MbRuns;

// Adds the rows of a supernode, which come behind those so far.
static inline void mb_runs_add(MbRuns *runs, const MbSupernode *node) {
  const bool on = runs->n && node->first == runs->end;
  if (!on && runs->run) runs->run[runs->n] = (MbStretch){node->first, 0};
  if (!on) runs->n++;
  if (runs->run) runs->run[runs->n - 1].count += node->columns;
  runs->end = node->first + node->columns;
  runs->length += node->columns;
}

#endif
