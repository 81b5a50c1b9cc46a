// The system of bodies with six velocities each and the constraints that hold them in a forest (B96 6, 7):
//
//   [ A  −Jᵀ ] [ v ]   [ r ]
//   [ J   0  ] [ λ ] = [ b ]
//
// Body i and its parent p share m_i rows:  Jc_i v_i + Jp_i v_p = b_i. A has a symmetric block a body, may have one for a body
// and its parent, and, for solvers that say so, one for any pair of bodies.
#ifndef MB_SOLVERS_MAXIMAL_KKT_H
#define MB_SOLVERS_MAXIMAL_KKT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MbKktShape {
  size_t nb, nrows;
  const size_t
      *parent;        // (nb) parents before children; SIZE_MAX = none: its rows, if any, hold it to the world
  const size_t *rows; // (nb) m_i, 0 to 6
  const size_t *first; // (nb) row of the first of them
  size_t npairs;
  const size_t *pair; // (npairs x 2) first < second
  // (nb) bodies that never turn: A has nothing between their turning and anything else, their first three rows hold that and
  // nothing else, the others leave it alone; pairs of such have but places. NULL: there are none.
  const bool *point;
} MbKktShape;

typedef struct MbKktNumbers {
  const double *A;  // (nb x 36) row major, symmetric positive definite; unread where there is a diagonal
  const double *Jc; // (nrows x 6)
  const double *Jp; // (nrows x 6) unread where there is no parent
  const double *C;  // (nb x 36) A's block in the rows of the body and the columns of its parent; NULL = none
  const double
      *pairs; // (npairs x 36) A's block in the rows of the first and the columns of the second; NULL = none
  const double *diagonal; // (nb x 6) of A, which has nothing else in the bodies' own blocks; NULL: A
} MbKktNumbers;

typedef struct MbKktWork MbKktWork;

typedef struct MbKktOps {
  const char *name; // "tree", "sparse", "dense"
  bool pairs;       // takes them
  MbKktWork *(*create)(const MbKktShape *shape,
                       int threads); // NULL: out of memory. Keeps the shape's pointers.
  void (*free)(MbKktWork *work);     // NULL is fine
  size_t (*bytes)(const MbKktWork *work);
  // Does not allocate. False where a block of A is not positive definite, or rows of J depend on each other: the body whose.
  bool (*factor)(MbKktWork *work, const MbKktNumbers *numbers, size_t *blame);
  // v (nb x 6) r in, v out; lambda (nrows) b in, λ out. Does not allocate.
  void (*solve)(MbKktWork *work, double *v, double *lambda);
} MbKktOps;

// number (nb): for every body, a new number, parents before children, such that "tree" goes through memory in one direction where
// bodies and rows are numbered so. Where caches do not hold them this makes it twice as fast as numbers of chance. False: out of
// memory.
bool mb_kkt_tree_renumber(size_t nb, const size_t *parent, uint32_t *number);

extern const MbKktOps mb_kkt_tree_ops, mb_kkt_sparse_ops, mb_kkt_dense_ops;

#endif
