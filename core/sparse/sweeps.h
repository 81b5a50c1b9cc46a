// Solving with a constant A over and over: the factor turned into dense products. Of a supernode with columns J and rows below
// R, L_JJ L_JJᵀ = D and B = L_RJ L_JJ⁻¹:
//   forward   x_R −= B x_J                     children before parents
//   backward  x_J ← D⁻¹ x_J − Bᵀ x_R           parents before children
// so that nothing within a supernode waits for anything, and D⁻¹, symmetric, is read once.
//
// x has rows of four numbers, three right-hand sides and nothing. Columns come in tiles, rows in groups of eight, the last group
// in one of eight or four, filled up with zeros; in a group the eight numbers of a column stand together.
//
// The tree is cut into subtrees ("tasks"), the same for any number of threads, and what is above them, where threads share the large nodes. A task's rows above it
// are its own ("border", behind the n rows of x): sums that it leaves there, and values that it finds there on the way back.
#ifndef MB_SPARSE_SWEEPS_H
#define MB_SPARSE_SWEEPS_H

#include "core/sparse/cholesky.h"

enum { MB_TILE = 48, MB_GROUP = 8, MB_TASKS = 64 };

typedef struct MbSweepNode {
  uint32_t first, columns, below;
  size_t row; // where its rows below stand in `row`, filled up to a multiple of four by a row that stays zero
  size_t B, D; // in `numbers`
} MbSweepNode;

typedef struct MbSweepTask {
  uint32_t begin, end;      // nodes
  uint32_t first, last;     // rows of x
  uint32_t border, nborder; // rows of x behind the n; one more stays zero
  size_t above;             // which rows they stand for, in `above`
  double cost;
} MbSweepTask;

typedef struct MbSweeps {
  size_t n, count, rows, bytes; // rows of x with borders
  size_t entries;               // numbers that a solve reads, zeros of filled groups included
  const uint32_t *perm;         // (n) of the factor
  MbSweepNode *node;            // (count)
  uint32_t *row;                // rows below, borders' numbers where a task meets what is above
  size_t ntasks, ntop;
  MbSweepTask *task; // (ntasks) costliest first
  uint32_t *top;     // (ntop) nodes above the tasks, ascending
  uint32_t *above;   // rows of x that the borders stand for
  char *memory;      // of the aligned arrays
  double *numbers;   // (entries)
  double *x;         // (rows + 1 x 4)
  double *scratch;   // (ntasks + 1 x nscratch) the last one for what is above the tasks
  size_t nscratch;
  double *wide;  // scratch of nodes above the tasks that threads share: a copy of x, then that of each tile
  size_t widest; // their most columns; 0: there are none
  // Tasks dealt to threads: k has those of order[share[k]] to share[k + 1], both ways, so that it finds their numbers in its caches
  int threads;
  uint32_t order[MB_TASKS], share[MB_TASKS + 1];
} MbSweeps;

// Where numbers of a block with so many rows stand: groups of eight, one of four at the end where that is enough.
static inline size_t mb_group_rows(size_t rows) { return (rows + 3) / 4 * 4; }
// Numbers of D⁻¹ in the tiles before column `end`, each with the rows from its own on.
static inline size_t mb_sweep_diagonal_before(size_t columns, size_t end) {
  size_t sum = 0;
  for (size_t j = 0; j < end; j += MB_TILE) {
    const size_t w = columns - j < MB_TILE ? columns - j : MB_TILE;
    sum += (mb_group_rows(w) + mb_group_rows(columns - j - w)) * w;
  }
  return sum;
}
static inline size_t mb_sweep_diagonal(size_t columns) { return mb_sweep_diagonal_before(columns, columns); }

// The passes over nodes, compiled for several kinds of processors.
typedef struct MbSweepPasses {
  const char *name;
  void (*forward)(const MbSweeps *sweeps, const MbSweepNode *node);
  void (*backward)(const MbSweeps *sweeps, const MbSweepNode *node, double *scratch);
  // The same two of a node that threads share, by rows below, and by tiles that are added up at the end; `each`: a tile's scratch
  void (*forward_rows)(const MbSweeps *sweeps, const MbSweepNode *node, size_t begin, size_t end);
  void (*copy)(const MbSweeps *sweeps, const MbSweepNode *node, double *copy);
  void (*backward_tile)(const MbSweeps *sweeps, const MbSweepNode *node, size_t tile, const double *copy,
                        double *scratch);
  void (*backward_end)(const MbSweeps *sweeps, const MbSweepNode *node, const double *scratch, size_t each);
} MbSweepPasses;

extern const MbSweepPasses *const mb_sweep_passes_list[]; // fastest first, ended by NULL
bool mb_sweep_passes_run(const MbSweepPasses *passes);    // on this machine
const MbSweepPasses *mb_sweep_passes(void);

// Whether threads share a node above the tasks: there is more to read than waiting for one another costs.
static inline bool mb_sweep_shared(const MbSweepNode *node) {
  return node->columns > MB_TILE && (node->below + node->columns / 2) * (size_t)node->columns > 1 << 14;
}
// Numbers of scratch of a tile.
static inline size_t mb_sweep_each(size_t columns) { return 12 * MB_TILE + 4 * mb_group_rows(columns); }

// For a factor of this shape, which must outlive it. NULL: out of memory.
MbSweeps *mb_sweeps_make(const MbCholesky *cholesky);
void mb_sweeps_free(MbSweeps *sweeps);
// Takes the numbers; the factor's are spoiled.
void mb_sweeps_fill(MbSweeps *sweeps, MbCholesky *cholesky, int threads);
// x = A⁻¹ b, n rows of 3 numbers; the two may be the same. Does not allocate. The same bits for any number of threads.
void mb_sweeps_solve(MbSweeps *sweeps, const MbSweepPasses *passes, const double *b, double *x, int threads);

#endif
