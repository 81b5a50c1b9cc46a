// The axes of a contact, which follow from its normal.
#ifndef MB_SIM_TOUCH_AXES_H
#define MB_SIM_TOUCH_AXES_H

#include "core/math/vec3.h"

// Finds axes of a normal n next to another, `was`, as a step has them there: so that they turn with it and do not jump.
static inline void mb_touch_axes_near(const double was[3], const double n[3], double axis[3][3]) {
  const int k = fabs(was[0]) < 0.9 ? 0 : 1;
  mb_vec3_copy(axis[0], n);
  for (int i = 0; i < 3; i++) axis[1][i] = (i == k) - n[k] * n[i];
  mb_vec3_scale(axis[1], 1 / mb_vec3_norm(axis[1]), axis[1]);
  mb_vec3_cross(axis[2], n, axis[1]);
}

// Finds a contact's axes: its normal, and two tangents by the normal alone: the first along the world's x, as far as that is across, or along y where
// the normal is near x. Piles do the same in lanes (contact/pile_take.h).
static inline void mb_touch_axes(const double n[3], double axis[3][3]) { mb_touch_axes_near(n, n, axis); }

#endif
