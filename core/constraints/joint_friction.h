// What friction inside a joint has of its own (joint_friction.c).
#ifndef MB_CONSTRAINTS_JOINT_FRICTION_H
#define MB_CONSTRAINTS_JOINT_FRICTION_H

#include "core/constraints/constraints.h"

enum { MB_RUB_PLACES = 16, MB_RUB_TANGENTS = 16, MB_RUB_ROWS = 3 };

// A direction in which a place rubs.
typedef struct MbRubTangent {
  double wrench[6]; // of a unit force there, on the first body, in the rubbing frame: (torque, force)
  double lever;     // what a unit force there is of the row's λ
  double sign;      // of the two
  int place, row;
} MbRubTangent;

// In the model. Its ends are the body whose joint it is, then the one that this hangs on, each with the joint's frame, z along the axis.
typedef struct MbJointFriction {
  double coefficient, tolerance;
  double load[MB_RUB_PLACES][2]
             [6]; // the force along each normal by what the joint does to the first body (torque, force)
  double screw[MB_RUB_ROWS][6]; // of a unit of each row's λ
  MbRubTangent tangent[MB_RUB_TANGENTS];
  int joint;  // MbJointKind
  int body;   // whose joint it is; -1: it is that of constraint `closes`
  int closes; //
  int first;  // of its places among those of all
  int rows, places, tangents, passes;
} MbJointFriction;

// Makes what rubs of a joint of that kind; false: none is known of it. `lead`: of a screw, metres a radian.
bool mb_joint_friction_make(const MbJointFrictionSpec *spec, MbJointKind joint, double lead,
                            const double axis[3], MbJointFriction *own);
// Writes where it rubs: the frame in the world.
void mb_joint_friction_frame(const MbConstraint *constraint, const MbMaximal *x, MbPose *E);
// Writes by how much the joint has moved along each row between two places of its bodies, of which x->E is looked at.
void mb_joint_friction_moves(const MbConstraint *constraint, const MbMaximal *from, const MbMaximal *to,
                             double s[MB_RUB_ROWS]);
// How many parts it has, each of which carries all that the joint does.
static inline int mb_joint_friction_parts(const MbJointFriction *own) {
  return own->joint == MB_JOINT_UNIVERSAL ? 2 : 1;
}
// Writes the forces along the normals of its places, with friction shared by them as the loads are; the arguments are those below.
void mb_joint_friction_forces(const MbJointFriction *own, const double w[6], const double *lambda,
                              const double *load, double (*force)[2]);
// Writes the loads of its places when the joint does this to the first body, λ of its rows included, in the rubbing frame. `load` holds
// the last ones, which tell how places share λ. side ← 1 where a place's first or second normal pushes, -1 where it is pushed against, 0 where that
// is rounding.
void mb_joint_friction_loads(const MbJointFriction *own, const double w[6], const double *lambda,
                             double *load, int (*side)[2]);
// Tells what a unit of friction at each place, as it is loaded, comes to along a row.
double mb_joint_friction_levers(const MbJointFriction *own, int row, const double *load);
// Tells the largest λ of a row by its places' loads.
double mb_joint_friction_most(const MbJointFriction *own, int row, const double *load);

extern const MbConstraintOps mb_joint_friction_ops;

#endif
