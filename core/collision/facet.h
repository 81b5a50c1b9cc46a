// Where a triangle by itself, of a surface that bends, touches a solid.
#ifndef MB_COLLISION_FACET_H
#define MB_COLLISION_FACET_H

#include "core/collision/collide.h"

// As mb_collide of a triangle (a) with a shape (b), any but a plane. Where a side of the triangle is one of a larger surface, its points on
// that side may be none of the surface's: that is for the caller to see.
int mb_collide_facet(const double *const corner[3], const MbShape *shape, const MbPose *E, double within,
                     MbContactPoint out[MB_CONTACT_POINTS]);

#endif
