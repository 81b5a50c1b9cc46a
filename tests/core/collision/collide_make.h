// Shapes and poses for tests of collision, and what every contact point has to be.
#ifndef MB_TESTS_COLLIDE_MAKE_H
#define MB_TESTS_COLLIDE_MAKE_H

#include "core/collision/collide.h"
#include "tests/support.h"

// A random unit quaternion and a position within `reach` of the origin along each axis.
MbPose made_pose(uint64_t *seed, double reach);
// A turn by quarters of a circle about the axes, and a position of whole halves: what lies along one another.
MbPose made_aligned_pose(uint64_t *seed);
// A pose near another one: turned by 1 to 1e-16, and moved by as much or by 1 along each axis.
MbPose made_near_pose(uint64_t *seed, const MbPose *E);
// Random sizes from 0.2 to 1.2.
MbShape made_shape(uint64_t *seed, MbForm form);

// Points are sorted out (finite numbers, unit normals, gaps below `within`, the deepest first, the same points the other way round).
int made_collide(const MbShape *a, const MbPose *Ea, const MbShape *b, const MbPose *Eb, double within,
                 MbContactPoint out[MB_CONTACT_POINTS]);
// Each point's two surface points are on the surfaces of shapes that know their distance from points.
void made_on_surface(const MbShape *shape, const MbPose *E, const MbContactPoint *point, double side,
                     double tolerance);

#endif
