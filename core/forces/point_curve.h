// How K and D of forces between points change with the bodies' motion (MbForceCurve), by vectors at the points.
//
// With v_p = v + ω × r of a twist (ω, v) at a point r of a body, in its own axes, and those of z, x₁, … written so too, all that zᵀ K y and zᵀ D x of such forces hold of the
// bodies (points.h) are these vectors in W:
//
//   x,  ẋ = R φ_p,  R z_p, R x₁_p, R x₂_p, R y₁_p, R y₂_p        the point, and how twists move it
//   n(y) = R (ω_y × φ_p)                                      H S y: how a turn by y changes ẋ; of y₁ and of z
//   t = R (ω_y₁ × z_p + ω_z × y₂_p) − R_c (ω_y₁ × v_z + ω_z × v_y₂)_c      f · t = z · (G ᵀ[f] R S) y₁ and y₂ · … z; c the body in space that carries
//                                                             the point's (mb_force_stays), if there is one
//
// S is a function of them, and what it is felt by along each of them (`felt`, W) goes back to the bodies: a vector R b is moved by R (θ × b), with θ the body's turn.
#ifndef MB_FORCES_POINT_CURVE_H
#define MB_FORCES_POINT_CURVE_H

#include "core/model/ops.h"

typedef enum MbPointVector {
  MB_AT_X,
  MB_AT_XDOT,
  MB_AT_Z,
  MB_AT_X1,
  MB_AT_X2,
  MB_AT_Y1,
  MB_AT_Y2,
  MB_AT_N1,
  MB_AT_NZ,
  MB_AT_T,
  MB_POINT_VECTORS
} MbPointVector;

typedef struct MbCurvedPoint {
  size_t body, carrier; // MB_WORLD: it does not move; nobody carries it
  double R[9];
  double own[MB_POINT_VECTORS][3]; // in the body's axes; of x that is r, of t without the carrier's part
  double at[MB_POINT_VECTORS][3];  // W
  double felt[MB_POINT_VECTORS][3];
  double carried[3]; // that part, in the carrier's axes
} MbCurvedPoint;

// A point r of a body (MB_WORLD: of the world), with nothing felt yet.
void mb_curved_point(size_t body, const double r[3], const MbMaximal *x, const MbForceCurve *at,
                     MbCurvedPoint *point);
// Takes what is felt there to its bodies.
void mb_curved_point_back(const MbMaximal *x, const MbForceCurve *at, const MbCurvedPoint *point);

// Of springs of rest length zero (mb_points_join).
void mb_points_join_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at, double k,
                          double d);

// c += s a × b
static inline void mb_add_cross(double c[3], double s, const double a[3], const double b[3]) {
  double ab[3];
  mb_vec3_cross(ab, a, b);
  mb_vec3_add_scaled(c, c, s, ab);
}

#endif
