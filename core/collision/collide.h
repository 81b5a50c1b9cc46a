// Where two solids touch, or come near one another.
#ifndef MB_COLLISION_COLLIDE_H
#define MB_COLLISION_COLLIDE_H

#include "core/collision/shape.h"

enum {
  MB_PATCH_POINTS = 4,   // the most points of a patch, which what is convex has one of
  MB_CONTACT_POINTS = 16 // the most points of a pair: a mesh may have four patches of four, or more of fewer
};

// The surfaces' points are position − ½ gap normal (that of a) and position + ½ gap normal (that of b).
typedef struct MbContactPoint {
  double position[3];
  double normal[3]; // from a to b, unit
  double gap;       // below 0: how deep they are in one another
  uint32_t feature_a, feature_b;
} MbContactPoint;

// Whether mb_collide knows the pair, in either order; of one that it does not know it finds no point.
bool mb_collides(MbForm a, MbForm b);

// Points where the gap is below `within`, at most four of a patch, the deepest first; returns how many. It allocates nothing. Points of a patch
// are chosen by a fixed rule: the deepest, that farthest from it, that which makes the largest triangle, that which adds most area to it.
int mb_collide(const MbShape *a, const MbPose *Ea, const MbShape *b, const MbPose *Eb, double within,
               MbContactPoint out[MB_CONTACT_POINTS]);

#endif
