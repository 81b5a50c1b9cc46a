// Rest curvature, triangle by triangle.
#ifndef MB_DEFORMABLES_BENDING_REST_H
#define MB_DEFORMABLES_BENDING_REST_H

#include "core/deformables/bending.h"

// Of g = n · w, n the normal of a triangle with corners at p: g, and its slopes at the corners for a w that stays.
typedef struct MbBendingPull {
  double value, n[3], slope[3][3];
} MbBendingPull;

void mb_bending_pull(const double *const p[3], const double w[3], MbBendingPull *pull);

// Second derivatives of g: turn[j] = ∂n/∂p_j, and H[3 i + j] those at corners i and j for a w that stays. `positive` > 0: not these
// but −positive ∂n/∂p_iᵀ ∂n/∂p_j, with which those of the whole bending energy are positive where `positive` is the triangle's s.
void mb_bending_pull_slopes(const double *const p[3], const double w[3], double positive, double turn[3][9],
                            double H[9][9]);

void mb_bending_rest_free(MbBendingRest *rest);

#endif
