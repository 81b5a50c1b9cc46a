// The section of a pyramid: a regular polygon with a corner on the first tangent (polygon.c).
#ifndef MB_CONTACT_POLYGON_H
#define MB_CONTACT_POLYGON_H

#include "core/contact/contact_parts.h"

// x ← the nearest point of the polygon whose corners are at `radius`. J (2 x 3), if wanted, ← the derivative of that by the radius and by x.
void mb_polygon_project(int sides, double radius, double x[2], double J[6]);
// Whether x is inside the polygon.
bool mb_polygon_holds(int sides, double radius, const double x[2]);
// The farthest that x goes along any corner, of corners at 1.
double mb_polygon_reach(int sides, const double x[2]);
// λ ← the nearest point of the pyramid, whose corners are at μ λ_n.
void mb_polygon_cone_project(int sides, double mu, double lambda[3]);
// λ ← the solution of a contact with a pyramid whose velocities are D λ + q; λ holds a first guess.
void mb_polygon_solve(const MbBlock *block, const double q[3], double *lambda);

#endif
