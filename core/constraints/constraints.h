// The constraints' tables, and what their files share.
#ifndef MB_CONSTRAINTS_CONSTRAINTS_H
#define MB_CONSTRAINTS_CONSTRAINTS_H

#include "core/model/ops.h"

// By kind: what the scene's "constraints" may hold.
extern const MbConstraintOps *const mb_constraint_table[MB_CONSTRAINTS];
// What joints have: `limits`, `motion` and `frictionloss`.
extern const MbConstraintOps mb_limit_ops, mb_motion_ops, mb_frictionloss_ops;
// What bodies have: `motion`, by pose and by velocity.
extern const MbConstraintOps mb_path_ops, mb_speed_ops;
// What nodes of deformables have: `attach` to other nodes.
extern const MbConstraintOps mb_follow_ops;
// Joints as loop closures that mb_closure_rows does not know.
extern const MbConstraintOps mb_closure_search_ops;
// Makes such a one of a closure whose ends stand: its joint's geometry, a place for its coordinates.
MbStatus mb_closure_search_build(MbBuilder *b, const MbJointSpec *spec, MbConstraint *constraint);

// A point of a body, x in C (W for the world): where it is, how fast it moves, and its acceleration for φ̇ = 0, in W:
//   p = E x,   ṗ = R u,  u = v + ω × x,   p̈ = R (ω × u).
typedef struct MbPoint {
  double p[3], v[3], a[3];
} MbPoint;

MbPoint mb_constraint_point(const MbConstraint *constraint, int end, const MbMaximal *x);
// The same for column k of the constraint's axes R at that end, which only turns:
//   p = R r,   ṗ = R (ω × r),   p̈ = R (ω × (ω × r)).
MbPoint mb_constraint_axis(const MbConstraint *constraint, int end, int k, const MbMaximal *x);
// p ← the first of these three alone.
void mb_constraint_direction(const MbConstraint *constraint, int end, int k, const MbMaximal *x, double p[3]);

// Adds to row->H what makes s n · ṗ of the point at `end`:  with m = Rᵀ n,  m · (v + ω × x) = (x × m) · ω + m · v.
void mb_constraint_along(const MbConstraint *constraint, int end, const MbMaximal *x, const double n[3],
                         double s, MbRow *row);
// Adds how that part of H changes by a motion of the body at end `by`: of n fixed in the world but for N of the motion of the point there (3 x 3, row after row; NULL: none).
void mb_constraint_bend_along(const MbConstraint *constraint, int end, int by, const MbMaximal *x,
                              const double n[3], const double *N, double s, MbRowBend *bend);
// The same for s n · ω_W of the body.
void mb_constraint_about(const MbConstraint *constraint, int end, const MbMaximal *x, const double n[3],
                         double s, MbRow *row);

// Rows of two points A, B and axes a, b fixed in the two bodies, with d = p_A − p_B:
//   g = a_k · d,       ġ = a · ḋ + ω_A · (a × d),        g̈ = ä · d + 2 ȧ · ḋ + a · d̈
//   g = s a_i · b_j,   ġ = s (ω_A − ω_B) · (a × b),      g̈ = s (ä · b + 2 ȧ · ḃ + a · b̈)
void mb_constraint_offset(const MbConstraint *constraint, int k, const MbMaximal *x, MbRow *row);
void mb_constraint_angle(const MbConstraint *constraint, int i, int j, double s, const MbMaximal *x,
                         MbRow *row);

// The constraint's frame at that end: F in C (W for the world), E in W, its twist in its own axes, φ = Ad(F⁻¹) φ_C.
typedef struct MbFrameMotion {
  MbPose F, E;
  double phi[6];
} MbFrameMotion;

void mb_constraint_frame(const MbConstraint *constraint, int end, const MbMaximal *x, MbFrameMotion *frame);
// Adds to row->H what makes s a · φ of that frame.
void mb_constraint_on_frame(const MbConstraint *constraint, int end, const MbFrameMotion *frame,
                            const double a[6], double s, MbRow *row);

// How large the numbers are whose difference a gap between the two points is.
double mb_constraint_size(const MbConstraint *constraint, const MbPoint *A, const MbPoint *B);

// Of a joint as a loop closure with rows of its own; 0 = it has none: those of mb_closure_search_ops, 6 − n, or nothing.
size_t mb_closure_rows(MbJointKind joint);

// What those rows are: forces along the first frame's axes x, y, z (bits 0, 1, 2), then torques about ± a_i × b_j of axes of both.
typedef struct MbClosureTurn {
  signed char i, j, sign;
} MbClosureTurn;

typedef struct MbClosureRows {
  unsigned ways; // held
  size_t nturns; // held
  MbClosureTurn turn[3];
} MbClosureRows;

MbClosureRows mb_closure_directions(MbJointKind joint);

#endif
