// A triangle of a surface as a hull of three vertices and two faces.
#ifndef MB_COLLISION_SKIN_HULL_H
#define MB_COLLISION_SKIN_HULL_H

#include "core/collision/patch.h"

// Its vertices are from its middle. It points into itself: it stays where it was made.
typedef struct MbSkinHull {
  double vertex[9], normal[6];
  MbHull hull;
  MbShape shape;
  MbPlaced placed;
} MbSkinHull;

// Triangle t of a mesh where that is.
void mb_skin_hull(MbSkinHull *out, const MbPlaced *mesh, uint32_t t);
// A triangle by its corners in the world, of which the normal is right-handed. False: it is a line.
bool mb_skin_hull_of(MbSkinHull *out, const double *const corner[3]);
// A feature that outlines have told of it, as one of the surface's.
uint32_t mb_skin_feature(const MbSkin *surface, uint32_t t, uint32_t feature);

#endif
