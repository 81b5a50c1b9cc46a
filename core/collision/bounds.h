// Boxes along axes.
#ifndef MB_COLLISION_BOUNDS_H
#define MB_COLLISION_BOUNDS_H

#include "core/math/vec3.h"

#include <stdbool.h>

typedef struct MbBounds {
  double low[3], high[3];
} MbBounds;

// A box of nothing, which whatever it takes in makes what that fills.
MB_INLINE MbBounds mb_bounds_none(void) {
  const MbBounds none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  return none;
}

// Widens a box by a point.
MB_INLINE void mb_bounds_take(MbBounds *box, const double x[3]) {
  for (int k = 0; k < 3; k++) {
    box->low[k] = x[k] < box->low[k] ? x[k] : box->low[k];
    box->high[k] = x[k] > box->high[k] ? x[k] : box->high[k];
  }
}

// Whether two boxes are farther than `within` from one another.
MB_INLINE bool mb_bounds_apart(const MbBounds *a, const MbBounds *b, double within) {
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] - within <= b->high[k] && b->low[k] - within <= a->high[k])) return true;
  return false;
}

#endif
