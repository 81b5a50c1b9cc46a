// Private to core/sim/tangent*.c.
#ifndef MB_SIM_TANGENT_PARTS_H
#define MB_SIM_TANGENT_PARTS_H

#include "core/math/four.h"
#include "core/math/spatial.h"
#include "core/model/joint.h"
#include "core/sim/tangent.h"
#include "core/sim/tangent_linear.h"
#include "core/sim/tangent_swing.h"
#include "core/sim/tangent_rows.h"

#include <string.h>

struct MbTangent {
  bool still;     // it is that of M a alone
  bool forced;    // forces act on bodies, beside gravity
  bool feels;     // it is asked back alone: forces that tell what they are felt by are not in K and D
  bool blocked;   // there is something in K and D
  double *weight; // (nb x 6) where it feels
  MbTangentLinear *linear;           // what steps that linearise forces have beside; NULL: nothing
  MbTangentLinear *left_out;         // the same while it is away
  bool linearised;                   // it is in what the tangent has been taken to
  MbTangentRows *rows;               // what rows of constraints push and ask for; NULL: there are none
  bool placed;                       // X is of where the bodies of the simulation are
  bool *stays;                       // (nb) the joint has one column, which a move along it leaves as it is
  double *X;                         // (nb x 36)
  double *T, *Tdot;                  // (nv x 6) columns of joints in C axes
  double *DTv, *DTa, *C;             // (nv x 6) column k: (D_k T) v, (D_k T) a, D_k(Ṫ v)
  size_t *own_first;                 // (nb) where a joint's own matrices begin
  double *own_q, *own_v;             // (n x n of every joint) of its τ, by its own q and v
  double *Xphi, *Xalpha;             // (nb x 6)
  double *Tv;                        // (nb x 6)
  double *alpha, *F;                 // (nb x 6)
  double *fall;                      // (nb x 3) gravity in the body's axes
  double *move, *dphi, *dalpha, *dF; // (nb x 6)
  const double *weighed, *weighed_move; // (nb x 6) what joints do, weighed beside z; NULL: it is not
  double *turn;                         // (nb x 6) what a change is felt by along σ, backwards
  double *K, *D;                        // of the forces, as MbMaximal has them
  bool spins;                           // of swings that by spins alone is asked for
  MbSwingSlopes *swing;                 // (nb) of those that fly
  double *stiffness, *damping;          // (nv) along the coordinates
  double *drive;                        // (nv)
  double *dq, *dv, *da;                 // (nv)
  size_t *end;                          // (nb) behind the last body of its subtree
};

// A body's joint at an instant, as a model has it.
typedef struct MbTangentJoint {
  MbPose E;     // of the body in the parent's C
  double X[36]; // Ad(E⁻¹)
  double A[36]; // Ad(B⁻¹)
  double S[6 * MB_JOINT_MOST];
} MbTangentJoint;

// The masses of a body: ports have none of their own, as theirs are the deformable's.
static inline const double *mb_tangent_mass(const MbModel *model, size_t b) {
  static const double none[6] = {0};
  return b < mb_model_own(model) ? model->M + 6 * b : none;
}

// Whether a body's spin is carried by steps (model/flight.h): their swing is among the forces, in the place of the torque of the velocity term.
static inline bool mb_tangent_flies(const MbModel *model, size_t b) {
  return model->any_flies && model->flies[b];
}

// Where to put how a body moves (tangent.c): six numbers each.
typedef struct MbTangentMotion {
  double *Xphi, *Xalpha, *Tv, *alpha;
} MbTangentMotion;

// Takes a body's joint to its coordinates q and velocities v; T and Ṫ (n x 6) are its columns in C's axes.
void mb_tangent_joint(const MbModel *model, size_t b, const double *q, const double *v, MbTangentJoint *at,
                      double *T, double *Tdot);
// Finds how a body moves at velocities v and accelerations a of its joint, of the parent's motion (NULL: it hangs on the world).
void mb_tangent_carry(const double X[36], const double *T, const double *Tdot, size_t n,
                      const double *phi_of_parent, const double *alpha_of_parent, const double *v,
                      const double *a, MbTangentMotion *out);

// What is worked on by numbers stays numbers here, in registers: a row of them read as a vector waits for the numbers that have just been written.
static inline void mb_six_copy(double y[6], const double x[6]) {
  y[0] = x[0], y[1] = x[1], y[2] = x[2], y[3] = x[3], y[4] = x[4], y[5] = x[5];
}
static inline void mb_six_zero(double y[6]) { y[0] = y[1] = y[2] = y[3] = y[4] = y[5] = 0; }

// Six numbers as rows of vectors.
typedef double MbTwo __attribute__((vector_size(16)));
typedef struct MbSixRow {
  MbFour four;
  MbTwo two;
} MbSixRow;
static inline MbSixRow mb_six_row(const double x[6]) {
  MbSixRow row;
  memcpy(&row.four, x, sizeof row.four), memcpy(&row.two, x + 4, sizeof row.two);
  return row;
}
static inline void mb_six_put(double y[6], MbSixRow row) {
  memcpy(y, &row.four, sizeof row.four), memcpy(y + 4, &row.two, sizeof row.two);
}
static inline void mb_six_add_scaled(MbSixRow *y, double s, MbSixRow x) {
  y->four += s * x.four, y->two += s * x.two;
}

// y += Aᵀ x;  y += T v, columns of six after one another
static inline void mb_add_transposed(double y[6], const double A[36], const double x[6]) {
  MbSixRow sum = mb_six_row(y); // row by row, which is the order of each sum all the same
  for (int i = 0; i < 6; i++) mb_six_add_scaled(&sum, x[i], mb_six_row(A + 6 * i));
  mb_six_put(y, sum);
}
// The same of X of a motion from parent to child, which has a block of zeros and one that it has twice:  X = ( R 0 ; L R ), to the same bits.
static inline void mb_apply_motion(double y[6], const double X[36], const double x[6]) {
  double out[6];
  for (int i = 0; i < 3; i++) {
    const double *R = X + 6 * i, *L = X + 18 + 6 * i;
    out[i] = R[0] * x[0] + R[1] * x[1] + R[2] * x[2];
    out[3 + i] = L[0] * x[0] + L[1] * x[1] + L[2] * x[2] + R[0] * x[3] + R[1] * x[4] + R[2] * x[5];
  }
  mb_six_copy(y, out);
}
static inline void mb_add_motion_transposed(double y[6], const double X[36], const double x[6]) {
  MbSixRow sum = mb_six_row(y);
  MbFour row;
  for (int i = 0; i < 3; i++) { // whose fourth is zero
    memcpy(&row, X + 6 * i, sizeof row);
    sum.four += x[i] * row;
  }
  for (int i = 3; i < 6; i++) mb_six_add_scaled(&sum, x[i], mb_six_row(X + 6 * i));
  mb_six_put(y, sum);
}
static inline void mb_add_columns(double y[6], const double *T, size_t n, const double *v) {
  double sum[6];
  mb_six_copy(sum, y);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 6; k++) sum[k] += T[6 * i + k] * v[i];
  mb_six_copy(y, sum);
}
static inline double mb_dot6(const double a[6], const double b[6]) {
  return mb_vec3_dot(a, b) + mb_vec3_dot(a + 3, b + 3);
}

#endif
