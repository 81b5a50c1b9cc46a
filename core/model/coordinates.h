// The coordinates of a tree of joints and of bodies free in space: what can be said of them without a solver.
#ifndef MB_MODEL_COORDINATES_H
#define MB_MODEL_COORDINATES_H

#include "core/model/model.h"

// Velocities of a body free in space: ω in C axes, and that of C in the world's, so that what nothing pulls at keeps its v,
// whatever the integrator. Its twist φ = J v = (ω, Rᵀ u); J is orthogonal, J̇ v = (0, −ω × Rᵀ u), and M is the same for both.
static inline void mb_twist_of_velocity(const MbPose *E, const double *v, double *phi) {
  mb_vec3_copy(phi, v);
  mb_quat_unrotate(phi + 3, E->q, v + 3);
}
static inline void mb_velocity_of_twist(const MbPose *E, const double *phi, double *v) {
  mb_vec3_copy(v, phi);
  mb_quat_rotate(v + 3, E->q, phi + 3);
}
static inline void mb_twist_drift(const double *phi, double *a) {
  mb_vec3_set(a, 0, 0, 0);
  mb_vec3_cross(a + 3, phi + 3, phi);
}

// Of one body by its pose (7) and velocities (6): q ← q ⊕ h v; q̇; q a pose again after arithmetic on it, `rate` (may be NULL) with it
void mb_coordinates_advance_pose(double *q, double h, const double *v);
void mb_coordinates_rate_pose(const double *q, const double *v, double *qdot);
void mb_coordinates_normalise_pose(double *q, double *rate);

// q ← q ⊕ h v, of bodies [begin, end)
void mb_coordinates_advance(const MbModel *model, double *q, double h, const double *v, size_t begin,
                            size_t end);
// Coordinates and velocities that follow others, from these.
void mb_coordinates_follow(const MbModel *model, double *q, double *v);
// q̇ from v; and q made valid again after arithmetic on it, `rate` (may be NULL) along with it
void mb_coordinates_rate(const MbModel *model, const double *q, const double *v, double *qdot);
void mb_coordinates_normalise(const MbModel *model, double *q, double *rate);
// New coordinates of the same pose and motion for joints that are near a singularity; true if there were any.
bool mb_coordinates_renew(const MbModel *model, double *q, double *v);
// The body that number i of (q, v) belongs to.
size_t mb_coordinates_body(const MbModel *model, size_t i);

// Joint stiffness and damping, −k (q − rest) − d q̇ along the coordinates, into y along the velocities; and what drives joints at
// x's signals.
void mb_coordinates_forces(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y);
// What drives joints alone: y += force + (stiffness (target − q) + damping (target velocity − q̇), no more than the motor's
// most), along the velocities; the same along the coordinates.
void mb_coordinates_drives(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y);
void mb_coordinates_driven(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *f);
// What z · y of the drive number i is felt by along the values of its force, its target and its target velocity.
typedef struct MbDriveFelt {
  double force, target, target_velocity;
} MbDriveFelt;
MbDriveFelt mb_coordinates_drive_felt(const MbModel *model, const MbMaximal *x, size_t i, const double *z);
// The derivatives of all of it at (x->q, x->v): stiffness = −K, damping = −D, diagonals (nv) along the coordinates; motors at
// their most have none.
void mb_coordinates_derivatives(const MbModel *model, const MbMaximal *x, double *stiffness, double *damping);
// Whether the coordinates q of m are beyond the same soft limits as p of n, a model like it but for numbers.
bool mb_coordinates_stops_same(const MbModel *m, const double *q, const MbModel *n, const double *p);
// Of a model that is like `branch` but for numbers: adds what the forces of its soft limits would be more if each coordinate were beyond a limit, or within
// both, as it is of `branch`. Damping is there at once where a limit is passed, so that forces jump.
void mb_coordinates_stops_as(const MbModel *model, const MbModel *branch, const double *q, const double *v,
                             double *y);
// The derivatives of such a model at x, with the motors at their most that are so of `branch` at `there`, and the same soft limits.
void mb_coordinates_derivatives_as(const MbModel *model, const MbMaximal *x, const MbModel *branch,
                                   const MbMaximal *there, double *stiffness, double *damping);
// Derivatives of forces on bodies that are all free in space, where every one counts. K is that of the wrench in C axes at a
// constant twist; the coordinates' forces are J ᵀ of it, at a constant velocity:  Jᵀ (δf + (0, δθ × f)),  δφ = (0, v × δθ).
void mb_coordinates_curve(const MbModel *model, const MbMaximal *x);
// y += sD D v + sK K v; the energy ½ k (q − rest)².
void mb_coordinates_blocks(const MbModel *model, const MbMaximal *x, double sD, double sK, const double *v,
                           double *y);
double mb_coordinates_energy(const MbModel *model, const double *q);
// Of the joints' own inertia: y += inertia v, along the velocities; the energy ½ inertia q̇².
void mb_coordinates_momentum(const MbModel *model, const double *v, double *y);
double mb_coordinates_motion(const MbModel *model, const double *v);
// Of the joint of body b: A (n x n) = −a D − c K along its velocities; the rate of its coordinate k, row (n) · v.
void mb_coordinates_own(const MbModel *model, const MbMaximal *x, size_t b, double a, double c, double *A);
void mb_coordinates_rate_of(const MbModel *model, const MbMaximal *x, size_t b, size_t k, double *row);

#endif
