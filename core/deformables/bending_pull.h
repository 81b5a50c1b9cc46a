// What the rest curvature of a triangle pulls (bending_rest.h), for processors and devices alike.
#ifndef MB_DEFORMABLES_BENDING_PULL_H
#define MB_DEFORMABLES_BENDING_PULL_H

#include "core/deformables/bending_rest.h"
#include "core/math/vec3.h"

typedef struct MbBendingNormal {
  double n[3], length, side[3][3]; // side[j] across from corner j
} MbBendingNormal;

MB_INLINE MbBendingNormal mb_bending_normal(const double *const p[3]) {
  MbBendingNormal at;
  for (int j = 0; j < 3; j++) mb_vec3_sub(at.side[j], p[(j + 2) % 3], p[(j + 1) % 3]);
  mb_vec3_cross(at.n, at.side[2], at.side[0]);
  at.length = fmax(mb_vec3_norm(at.n), 1e-300);
  mb_vec3_scale(at.n, 1 / at.length, at.n);
  return at;
}

// P w/ℓ
MB_INLINE void mb_bending_across(const MbBendingNormal *at, const double w[3], double m[3]) {
  mb_vec3_add_scaled(m, w, -mb_vec3_dot(at->n, w), at->n);
  mb_vec3_scale(m, 1 / at->length, m);
}

MB_INLINE void mb_bending_pull_of(const double *const p[3], const double w[3], MbBendingPull *pull) {
  const MbBendingNormal at = mb_bending_normal(p);
  double m[3];
  mb_bending_across(&at, w, m);
  mb_vec3_copy(pull->n, at.n);
  pull->value = mb_vec3_dot(at.n, w);
  for (int j = 0; j < 3; j++) mb_vec3_cross(pull->slope[j], m, at.side[j]);
}

#endif
