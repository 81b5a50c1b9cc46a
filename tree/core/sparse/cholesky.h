// A factor's insides. A supernode is a run of columns of L with one pattern, kept as a dense block ("panel", column major)
// of all its rows: its own columns first, then those below. In the multifrontal method (Duff, Reid 1983) each supernode sums
// up what its children leave for their rows below, factors its columns, and leaves the rest ("update", lower triangle).
#ifndef MB_SPARSE_CHOLESKY_H
#define MB_SPARSE_CHOLESKY_H

#include "core/sparse/elimination.h"

typedef struct MbSupernode {
  uint32_t first, columns, rows; // rows: its columns and those below
  uint32_t parent;               // supernode; MB_NONE = root
  uint32_t child, sibling;       // lists, ascending
  size_t panel;                  // where its block of L begins
  size_t below;                  // where its rows below stand in `row` and `place`
  size_t entry, entries;         // of A, in `source` and `target`
  size_t update;                 // where its update stands in the scratch of updates
} MbSupernode;

// What one thread does without waiting, and the rest that is done in the end (solves to the left: at first).
typedef struct MbPart {
  uint32_t *nodes; // ascending
  uint32_t count;
  size_t failed; // column, of the last factoring; SIZE_MAX = none
} MbPart;

struct MbCholesky {
  size_t n, bytes;
  size_t factor; // entries of L without the blocks' zeros
  double flops;
  uint32_t *perm;   // (n)
  uint32_t *parent; // (n) column's; MB_NONE = root
  size_t count;     // supernodes, children before parents
  MbSupernode *node;
  size_t nbelow;
  uint32_t *row;   // (nbelow) in the new numbers
  uint32_t *place; // (nbelow) the same row's number in the parent's block
  size_t *source;  // (entries of A) which of A's numbers
  size_t *target;  // (entries of A) where it goes in L
  size_t nparts;   // threads
  MbPart *part;    // (nparts + 1) the last one after all others
  uint32_t *nodes; // (count) of the parts

  size_t entries, most_rows, nupdates;
  double *L;       // (entries)
  double *updates; // (nupdates)
  double *x;       // (n x MB_RHS) right-hand sides in the new order
  double *passed;  // (nbelow x MB_RHS) what supernodes leave for the rows below
  double *local;   // (nparts + 1 x most_rows x MB_RHS)
};

enum { MB_RHS = 3 }; // right-hand sides in one sweep over L

// As mb_cholesky_analyse, which joins any blocks, but without the memory for numbers (mb_cholesky_hold), which `bytes` counts.
MbCholesky *mb_cholesky_analyse_as(const MbPattern *A, const uint32_t *perm, MbJoin join, int threads);
// Gives back, or takes again, the memory for numbers and solves; analysed again it need not be. False: out of memory.
void mb_cholesky_shed(MbCholesky *cholesky);
bool mb_cholesky_hold(MbCholesky *cholesky);
// Supernodes of the tree (mb_elimination_merge); renumbers the elimination. Fills node, row, place.
bool mb_supernodes_make(const MbPattern *A, MbElimination *elimination, MbJoin join, MbCholesky *cholesky);
// Divides the tree among the threads, and finds a place for every update.
bool mb_parts_make(MbCholesky *cholesky, int threads);

#endif
