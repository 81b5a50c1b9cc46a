// The forces' tables.
#ifndef MB_FORCES_FORCES_H
#define MB_FORCES_FORCES_H

#include "core/model/ops.h"

// By kind: what the scene's "forces" may hold.
extern const MbForceOps *const mb_force_table[MB_FORCES];

// What every scene has beside them.
extern const MbForceOps mb_gravity_ops;
extern const MbForceOps mb_body_damping_ops;
extern const MbForceOps mb_velocity_term_ops; // not a force, but it stands where one does
// Its part for bodies that fly alone.
void mb_velocity_term_swings(const MbModel *model, MbMaximal *x, size_t begin, size_t end);

// Elements of deformables whose nodes are bodies.
extern const MbForceOps mb_elements_ops;
// Their volume and largest strain, with the bodies where x has them.
void mb_elements_measure(const MbElementForce *elements, const MbMaximal *x, double *volume, double *strain);

// The vector whose three signals begin at `first` (0 torque, 3 force), in C axes.
void mb_force_vector(const MbForce *force, const MbMaximal *x, int first, double a_C[3]);
// Builds a force on one body: where it acts, in which axes, its six signals (torque, then force).
MbStatus mb_force_on_body(MbBuilder *b, const MbForceSpec *from, MbForce *force, void *own);
// The same in W, where it is given in those axes.
void mb_force_given(const MbForce *force, const MbMaximal *x, int first, double a[3]);
// Whether the turning of the body changes the force in C axes and that counts where K is asked for.
bool mb_force_may_turn(const MbForce *force, const MbMaximal *x);
// Whether the turning of the body changes the force in C axes and that is asked for.
bool mb_force_turns(const MbForce *force, const MbMaximal *x);
// Whether the derivatives of a force between points count; whether those by places do, which steps without K do not ask for.
static inline bool mb_force_counts(const MbForce *force, const MbMaximal *x) {
  return x->D && (x->exact || !force->lagged);
}
static inline bool mb_force_stiffens(const MbForce *force, const MbMaximal *x) {
  return x->K && mb_force_counts(force, x);
}
// Adds the force at its point of application, and its K.
void mb_force_at_point(const MbForce *force, MbMaximal *x);
// How that K changes (MbForceOps.curve).
void mb_force_at_point_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at);

// ∂(Rᵀa)/∂δ = [Rᵀa] for a vector a fixed in the world (RM 1.34): adds s [a_C] to the 3 × 3 block of K whose
// first row is `row` and whose columns are the rotations.
void mb_force_add_turning(double K[36], int row, double s, const double a_C[3]);
// Takes from K what the turning of a body in space does not change of a force f (W) that acts on it, or on what it carries, and is fixed
// in the world: the rows of that body's linear velocity, which is in the world's axes. There K without them is symmetric and its rows of two bodies that pull at
// one another add up to zero, so that an implicit step keeps linear momentum; with them, and symmetrised, it would not. Where every
// derivative counts mb_coordinates_curve does this for all forces at once.
void mb_force_stays(MbMaximal *x, size_t b, const double f[3]);

#endif
