// The insides of the global step: what its methods have.
#ifndef MB_SPARSE_GLOBAL_INSIDE_H
#define MB_SPARSE_GLOBAL_INSIDE_H

#include "core/sparse/global.h"
#include "core/sparse/inverse.h"
#include "core/sparse/row_matrix.h"
#include "core/sparse/sweeps.h"

struct MbGlobal {
  const MbPattern *A;
  MbGlobalOptions options; // method: that was chosen
  MbRowMatrix *rows;
  MbCholesky *cholesky; // its numbers only while they are taken over
  MbSweeps *sweeps;
  MbInverse *inverse;
  double *x, *r; // (n x 3) of the correction
  const MbSweepPasses *sweep_passes;
  const MbInversePasses *inverse_passes;
};

#endif
