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

// A shape where it is: x = p + R (what it is in its own axes).
typedef struct MbPlaced {
  const MbShape *shape;
  double p[3], R[9];
} MbPlaced;
MbPlaced mb_place(const MbShape *shape, const MbPose *E);

// Whether mb_collide knows the pair, in either order; of one that it does not know it finds no point.
bool mb_collides(MbForm a, MbForm b);

// Points where the gap is below `within`, at most four of a patch, the deepest first; returns how many. It allocates nothing. Points of a patch
// are chosen by a fixed rule: the deepest, that farthest from it, that which makes the largest triangle, that which adds most area to it. Of a mesh on
// a plane whose four are not all among its lowest vertices four of these are added.
int mb_collide(const MbShape *a, const MbPose *Ea, const MbShape *b, const MbPose *Eb, double within,
               MbContactPoint out[MB_CONTACT_POINTS]);
// The same of shapes that have been placed, as who looks at many pairs of a few shapes does once a shape.
int mb_collide_placed(const MbPlaced *a, const MbPlaced *b, double within,
                      MbContactPoint out[MB_CONTACT_POINTS]);

#endif
