// What z · f of forces between points is felt by (MbForceOps.felt), without blocks of K and D.
//
// Of a point r of a body, with z_p = z + ω_z × r of the body's z in its own axes, a force f at it counts z · f with R z_p · f in W. So S = z · f of such a force holds of the bodies
//
//   x,   ẋ = R φ_p,   R z_p                                     in W
//
// and what it is felt by along each of them (`felt`, W) goes back to the bodies as in point_curve.h: a vector R b is moved by R (θ × b), with θ the body's turn.
#ifndef MB_FORCES_FELT_H
#define MB_FORCES_FELT_H

#include "core/forces/path_curve.h"

enum { MB_FELT_X, MB_FELT_XDOT, MB_FELT_Z, MB_FELT_VECTORS };

typedef struct MbFeltPoint {
  size_t body; // MB_WORLD: it does not move
  double R[9];
  double own[MB_FELT_VECTORS][3]; // in the body's axes; of x that is r
  double at[MB_FELT_VECTORS][3];  // W
  double felt[MB_FELT_VECTORS][3];
} MbFeltPoint;

// What is felt by bodies (nb x 6 each).
typedef struct MbFeltBodies {
  double *by_move, *by_phi;
} MbFeltBodies;

// Adds what S of a spring of rest length zero (mb_points_join) is felt by.
void mb_points_join_felt(const MbForce *force, const MbMaximal *x, const double *z, double k, double d,
                         const MbFeltBodies *to);

// A path as mb_path_at has it, with z at its points.
typedef struct MbFeltPath {
  size_t n;
  uint32_t passive;
  MbFeltPoint point[MB_PATH_MOST];
  double u[MB_PATH_MOST][3], inverse[MB_PATH_MOST];
  double length, rate;
} MbFeltPath;

// Finds where a force's path is.
void mb_felt_path_at(const MbForce *force, const MbMaximal *x, const double *z, uint32_t passive,
                     MbFeltPath *path);
// Adds what S of the tension along it is felt by (mb_path_pull).
void mb_path_felt(const MbTensionCurve *tension, MbFeltPath *path, const MbFeltBodies *to);

#endif
