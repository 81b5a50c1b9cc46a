// Inverses of factors. In postorder of the elimination tree row i of S = L⁻¹ is dense over the descendants of i, which stand
// together: rows follow one another without any index, and A⁻¹ b = Sᵀ (S b) (Zeng et al., section 4).
//
// A partition cuts the tree into three levels of connected parts; each has the inverse of its own diagonal block, and L's
// blocks between it and what is above ("coupling"):
//   up    y_P = S_P b_P,  b_above −= C y_P         down    x_P = S_Pᵀ (y_P − Cᵀ x_above)
// The whole inverse is a partition into one part. Parts stand together too, lower levels first.
#ifndef MB_SPARSE_INVERSE_H
#define MB_SPARSE_INVERSE_H

#include "core/sparse/cholesky.h"

typedef struct MbPiece {
  uint32_t first, last; // rows
  size_t group, ngroups, block, nblocks;
  size_t border, nborder; // rows above that it is coupled with, in `above`
} MbPiece;

typedef struct MbRowGroup { // rows that begin at the same column
  uint32_t first, last, from;
} MbRowGroup;

typedef struct
    MbCoupling { // dense, row major, of columns [first, first + columns) with rows of the part's border
  uint32_t first, columns, rows;
  size_t slot, at; // in `slot`, in the numbers
} MbCoupling;

// What a thread takes at a time: groups of rows, or columns.
typedef struct MbInverseItem {
  uint32_t part, first, last;
  size_t group, end;
} MbInverseItem;

enum { MB_LEVELS = 3, MB_VECTORS = 3 };

typedef struct MbLevel {
  size_t part, nparts, rows, nrows, columns, ncolumns; // of `part`, `rows`, `columns`
} MbLevel;

typedef struct MbInverse {
  size_t n, bytes;
  size_t entries, coupled; // numbers of the inverses, of the coupling
  size_t nlevels, nparts, ngroups, nblocks, nabove, nslots;
  bool single; // numbers are floats
  MbLevel level[MB_LEVELS];
  uint32_t *perm; // (n) row of A that is number k
  size_t *at;     // (n) where row i of S begins
  uint32_t *from; // (n) and at which column
  MbPiece *part;
  MbRowGroup *group;
  MbCoupling *block;
  MbInverseItem *rows, *columns;
  uint32_t *above; // (nabove) rows of the borders
  uint32_t *slot;  // (nslots) places in the borders
  void *numbers;   // (entries + coupled); NULL before they come
  double *b, *y;   // (3 x n) vectors by planes
  double *border;  // (nabove x 3)
} MbInverse;

typedef struct MbInversePasses { // of doubles, of floats
  const char *name;
  void (*multiply[2])(const MbInverse *S, const MbInverseItem *item);   // y = S b of rows
  void (*transposed[2])(const MbInverse *S, const MbInverseItem *item); // b = Sᵀ y of columns
  void (*couple[2])(const MbInverse *S, const MbPiece *part);           // border = C y
  void (*uncouple[2])(const MbInverse *S, const MbPiece *part);         // y −= Cᵀ border
} MbInversePasses;

extern const MbInversePasses *const mb_inverse_passes_list[]; // fastest first, ended by NULL
bool mb_inverse_passes_run(const MbInversePasses *passes);    // on this machine
const MbInversePasses *mb_inverse_passes(void);

// For a factor of this shape, its blocks not joined beyond neighbours; levels 1 or 3. Without numbers yet, but `bytes` counts them.
// NULL: out of memory.
MbInverse *mb_inverse_make(const MbCholesky *cholesky, size_t levels, bool single);
void mb_inverse_free(MbInverse *inverse);
// Takes the numbers of a factor, and allocates for them when called first. False: out of memory.
bool mb_inverse_fill(MbInverse *inverse, const MbCholesky *cholesky, int threads);
// x = A⁻¹ b, n rows of 3 numbers; the two may be the same. Does not allocate. The same bits for any number of threads.
void mb_inverse_solve(MbInverse *inverse, const MbInversePasses *passes, const double *b, double *x,
                      int threads);

// Where the tree is cut: part[s] of every supernode, parts in order of levels; the number of each level's. False: out of memory.
bool mb_inverse_cut(const MbCholesky *cholesky, uint32_t *part, size_t nparts[MB_LEVELS]);

#endif
