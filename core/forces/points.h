// Forces between points of bodies: what all of them share.
//
// Of a point r fixed in C of a body (RM 1.12, 1.34):  x = p + R r,  ẋ = G φ,  G = R ( −[r]  1 ),  and a displacement
// (δω, δv) of the body moves x by G δ and turns ẋ = R a by −R [a] δω = H δω. A force f on it, in W, is the wrench Gᵀ f;
// f held in W, that changes by Gᵀ [f] R δω. So with P = ∂f_i/∂x_j and V = ∂f_i/∂ẋ_j
//   K_ij = G_iᵀ ( P G_j + V H_j S ) + δ_ij G_iᵀ [f_i] R_i S,   D_ij = G_iᵀ V G_j,   S = ( 1 0 )
#ifndef MB_FORCES_POINTS_H
#define MB_FORCES_POINTS_H

#include "core/model/ops.h"

enum { MB_PATH_MOST = 32 }; // points of a path

typedef struct MbMovingPoint {
  double x[3], xdot[3]; // W
  double R[9], G[18], H[9];
} MbMovingPoint;

// Point i of the force at the bodies' poses and twists.
void mb_point_at(const MbForce *force, const MbMaximal *x, size_t i, MbMovingPoint *point);
// Adds the force f (W) on point i, and the part of K that comes from the turning of its body.
void mb_point_push(const MbForce *force, MbMaximal *x, size_t i, const MbMovingPoint *point,
                   const double f[3]);
// Adds ∂f_i/∂x_j = P and ∂f_i/∂ẋ_j = V (3 x 3) to K and D; to nothing where a point is fixed in space.
void mb_points_couple(const MbForce *force, MbMaximal *x, size_t i, const MbMovingPoint *pi, size_t j,
                      const MbMovingPoint *pj, const double P[9], const double V[9]);

// A spring of rest length zero between points 0 and 1, with isotropic damping: f_0 = k Δx + d Δẋ = −f_1, Δx = x_1 − x_0
// (RM 1.35). Its energy is ½ k Δx².
void mb_points_join(const MbForce *force, MbMaximal *x, double k, double d);
double mb_points_join_energy(const MbForce *force, const MbMaximal *x, double k);

// A path through all points of the force: segment s from point s to s + 1, of direction u and length l (AR 0.14).
// length and rate are sums over the active segments. A segment so short that rounding alone could have made it has no
// direction: u = 0, it pulls on nothing, and 1/l counts as 0.
typedef struct MbPath {
  size_t n;         // points
  uint32_t passive; // bits of the segments that do not count in the length
  MbMovingPoint point[MB_PATH_MOST];
  double u[MB_PATH_MOST][3], inverse[MB_PATH_MOST]; // inverse = 1/l
  double length, rate;
} MbPath;

// The direction from a to b and 1 over how far that is, as a path has them; returns how far.
double mb_path_direction(const double a[3], const double b[3], double u[3], double *inverse);
void mb_path_at(const MbForce *force, const MbMaximal *x, uint32_t passive, MbPath *path);
// Adds the tension F along the path, with its derivatives by length and rate. In a step of one solution a stiff path is linearised where it
// turns to, and `path` has those directions after (path_turn.c).
void mb_path_pull(const MbForce *force, MbMaximal *x, MbPath *path, double F, double F_length, double F_rate);

#endif
