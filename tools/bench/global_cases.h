// The matrices of the global step on Zeng et al.'s meshes (Tables 1 and 2): A = M + h² Σ w GᵀG, a scalar n x n matrix.
#ifndef MB_TOOLS_GLOBAL_CASES_H
#define MB_TOOLS_GLOBAL_CASES_H

#include "core/sparse/sparse.h"

typedef enum MbBending { MB_NO_BENDING, MB_ISOMETRIC, MB_LAPLACE_BELTRAMI } MbBending;

typedef struct MbGlobalCase {
  const char *name;
  bool bar; // else cloth
  size_t cells;
  MbBending bending;
  double paper; // MB that its inverse factor takes in print
} MbGlobalCase;

enum { MB_GLOBAL_CASES = 15 };
extern const MbGlobalCase mb_global_cases[MB_GLOBAL_CASES];

typedef struct MbGlobalMatrix {
  MbPattern pattern; // rows ascending, each entry once
  double *values;
} MbGlobalMatrix;

// False: out of memory.
bool mb_global_matrix_make(const MbGlobalCase *c, MbGlobalMatrix *A);
void mb_global_matrix_free(MbGlobalMatrix *A);

#endif
