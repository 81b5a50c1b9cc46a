// Nearest points of points, segments and triangles: what surfaces that bend meet one another by.
#ifndef MB_COLLISION_NEAREST_H
#define MB_COLLISION_NEAREST_H

#include <stdbool.h>

// The point Σ weight[i] corner[i] of a triangle that is nearest to x; weights are from 0 to 1 and sum to 1. Returns which corners hold it,
// bit i for corner i: 7 is the triangle's inside. What is within `flat` of a side, as a share of the triangle, is on it.
unsigned mb_nearest_on_triangle(const double x[3], const double *const corner[3], double flat,
                                double weight[3]);

// The nearest points p0 + s (p1 − p0) and q0 + t (q1 − q0) of two segments, s and t from 0 to 1. Returns whether both are inside of theirs
// and the segments are not along one another; `normal` is then the unit vector square to both, else nothing.
bool mb_nearest_of_segments(const double p0[3], const double p1[3], const double q0[3], const double q1[3],
                            double *s, double *t, double normal[3]);

#endif
