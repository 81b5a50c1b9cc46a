// Surfaces for tests.
#ifndef MB_TESTS_MESH_MAKE_H
#define MB_TESTS_MESH_MAKE_H

#include "core/collision/hull.h"
#include "core/collision/skin.h"

// n x n squares over [−half, half]², halved this way and that, at z = 0, of which the inner corners are moved along the plane at random; with
// `thick` > 0 closed by a bottom at z = −thick.
MbSkin *made_sheet(uint64_t *seed, uint32_t n, double half, double thick);
// Around the z axis, of m times k quadrangles in halves.
MbSkin *made_torus(double ring, double tube, uint32_t m, uint32_t k);
// Its tip at z = height, its base of m sides at z = 0.
MbSkin *made_cone(double radius, double height, uint32_t m);
// A prism between z = −half and half over an outline of m points (x, y), all of which the origin sees.
MbSkin *made_star(uint32_t m, const double *outline, double half);
// A prism between z = −half and half over any outline of m points that does not cross itself, counterclockwise, m ≤ 16.
MbSkin *made_bar_over(uint32_t m, const double *outline, double half);
// The hull's faces in triangles.
MbSkin *made_surface_of(const MbHull *hull);

#endif
