// The forest's factorisation as its kernels see it: bodies in the order of their elimination, and where things are kept.
#ifndef MB_SOLVERS_MAXIMAL_KKT_TREE_H
#define MB_SOLVERS_MAXIMAL_KKT_TREE_H

#include "core/solvers/maximal/kkt.h"

#include <stdint.h>

#define MB_KKT_NONE UINT32_MAX

// A body with its rows. Children come before their parent, those of the child with most bodies below it first. What a body
// gets from its children, and gives them on the way back, is in a slot; bodies on the way to a leaf share few of them.
typedef struct MbKktBody {
  uint32_t body, first; // numbers in the shape
  uint32_t slot, up;    // slots: its own, MB_KKT_NONE without children; its parent's, MB_KKT_NONE without one
  size_t factor;        // where its part of the factor begins, in numbers of one instance
  uint8_t rows;
  bool opens; // the first to put something into the parent's slot
} MbKktBody;

enum {
  MB_KKT_SLOT = 48, // numbers of a slot: the rows of a symmetric matrix, 8 apart, or a vector
  MB_KKT_MOST = 6,  // rows of a body
};

// Numbers that a body with m rows leaves behind: L, Δ⁻¹ (15 + 6), K, Θ⁻¹ (m (m + 1) / 2), Z, W (m x 6)
static inline size_t mb_kkt_body_size(size_t m) { return 21 + 12 * m + m * (m + 1) / 2; }

typedef struct MbKktTree {
  size_t nb, lanes;
  const MbKktBody *order; // (nb)
  double *factor;
  double *coupling; // (nb x 36) E, where there is a C
  double *slots;    // (slots x MB_KKT_SLOT)
  double *y;        // (nb x 12) what the way up leaves for the way down
  bool coupled;     // the last factorisation had C
  bool scattered;   // the shape's order is far from ours: fetch ahead
} MbKktTree;

// As compiled for some number of instances in lockstep and some kind of processor. Arrays hold for every number the
// instances' side by side, (n x lanes), with 8 lanes aligned to 64 bytes.
typedef struct MbKktKernels {
  const char *name;
  size_t lanes;
  bool (*factor)(MbKktTree *tree, const MbKktNumbers *numbers, size_t *blame);
  void (*solve)(MbKktTree *tree, double *v, double *lambda);
} MbKktKernels;

// The fastest that this machine can run, for 1 or 8 instances.
const MbKktKernels *mb_kkt_kernels_for(size_t lanes);
// All that were built, ended by NULL; those that the machine cannot run say so.
extern const MbKktKernels *const mb_kkt_kernels_list[];
bool mb_kkt_kernels_run(const MbKktKernels *kernels);

// mb_kkt_tree_ops with the kernels chosen; the rest of the table works on it.
MbKktWork *mb_kkt_tree_create_with(const MbKktShape *shape, const MbKktKernels *kernels);

#endif
