// The end of a step that stays on the device: velocities, what of it is to be looked at, and copies of numbers, as of a state that leaves.
#ifndef MB_GPU_KERNELS_AWAY_KERNELS_H
#define MB_GPU_KERNELS_AWAY_KERNELS_H

#include "gpu/kernels/element_kernels.h"

typedef struct MbAwayArgs {
  double h, farthest, fastest;
  const double *q0, *q; // (n x 3) at the start and at the end
  double *v;            // (n x 3)
  double *odd;          // (n) 1: numbers that are large, or none
} MbAwayArgs;

MB_BODY void mb_away_end(const MbAwayArgs *a, size_t i) {
  int sound = 1;
  for (size_t c = 3 * i; c < 3 * i + 3; c++) {
    a->v[c] = (a->q[c] - a->q0[c]) / a->h;
    sound &= fabs(a->q[c]) < a->farthest && fabs(a->v[c]) < a->fastest;
  }
  a->odd[i] = sound ? 0 : 1;
}

typedef struct MbCrushArgs {
  MbElementArgs of;
  double least;
} MbCrushArgs;

// In an element's energy's place: whether its volume, of a triangle its area, by that at rest may be less than `least`. What rounding may leave of that counts, too.
MB_BODY void mb_away_crushed(const MbCrushArgs *a, size_t e) {
  const double CLOSE = 1e-9;
  const int rank = a->of.gradient.rank;
  MbPack F[9];
  double left = INFINITY;
  if (rank > 1) gather(&a->of.gradient, rank, a->of.x, e, F);
  if (rank == 3) left = mb_mat3_det(F);
  if (rank == 2) {
    double u[3], v[3], normal[3];
    for (int k = 0; k < 3; k++) u[k] = F[2 * k], v[k] = F[2 * k + 1];
    mb_vec3_cross(normal, u, v);
    left = mb_vec3_norm(normal);
  }
  a->of.energy[e] = left > a->least + CLOSE ? 0 : 1;
}

typedef struct MbCopyArgs {
  double *to;
  const double *from;
} MbCopyArgs;

MB_BODY void mb_numbers_copy(const MbCopyArgs *a, size_t c) { a->to[c] = a->from[c]; }

#endif
