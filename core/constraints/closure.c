// A joint that closes a loop: what it does not let its two frames do, a in the first body and b in the second. With d
// from the second frame's origin to the first's, and the joint's axis along z,
//   a_k · d = 0 for every way that it does not slide,   ± a_i · b_j = 0 for every turn that it does not make.
// The multipliers are forces on the first body along its axes x, y, z that are held, then torques on it: about z, x and y where
// nothing turns; about the second frame's y and x under a hinge; about the normal of both axes of a universal joint.
#include "core/constraints/closure.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"

#include <string.h>

enum { X = 1, Y = 2, Z = 4 };

#define NO_TURN                                                                                              \
  {                                                                                                          \
    {0, 1, 1}, {1, 2, 1}, { 2, 0, 1 }                                                                        \
  }
#define ABOUT_Z                                                                                              \
  {                                                                                                          \
    {2, 0, 1}, { 2, 1, -1 }                                                                                  \
  }

// a_i ⟂ b_j of every turn
static const MbClosureRows table[MB_JOINTS] = {
    [MB_JOINT_FIXED] = {X | Y | Z, 3, NO_TURN},
    [MB_JOINT_REVOLUTE] = {X | Y | Z, 2, ABOUT_Z},
    [MB_JOINT_PRISMATIC] = {X | Y, 3, NO_TURN},
    [MB_JOINT_CYLINDRICAL] = {X | Y, 2, ABOUT_Z},
    [MB_JOINT_UNIVERSAL] = {X | Y | Z, 1, {{0, 1, 1}}}, // about a_x, then about b_y
    [MB_JOINT_PLANAR] = {Z, 3, NO_TURN},
    [MB_JOINT_TRANSLATIONAL] = {0, 3, NO_TURN},
    [MB_JOINT_SPHERICAL] = {X | Y | Z, 0, {{0, 0, 1}}},
    [MB_JOINT_EULER] = {X | Y | Z, 0, {{0, 0, 1}}},
    [MB_JOINT_FREE2D] = {Z, 2, ABOUT_Z},
};

size_t mb_closure_rows(MbJointKind joint) {
  size_t n = table[joint].nturns;
  for (unsigned k = 0; k < 3; k++) n += table[joint].ways >> k & 1;
  return n;
}

MbClosureRows mb_closure_directions(MbJointKind joint) { return table[joint]; }

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbJointKind joint = ((const MbClosure *)constraint->parameters)->joint;
  size_t n = 0;
  for (int k = 0; k < 3; k++)
    if (table[joint].ways >> k & 1) mb_constraint_offset(constraint, k, at->x, &rows[n++]);
  for (size_t k = 0; k < table[joint].nturns; k++) {
    const MbClosureTurn turn = table[joint].turn[k];
    mb_constraint_angle(constraint, turn.i, turn.j, turn.sign, at->x, &rows[n++]);
  }
}

extern const MbConstraintOps mb_closure_ops;

// Along axes that the joint's own axis turns; a joint that has no rows in the table is looked for.
static MbStatus build(MbBuilder *b, const MbConstraintSpec *from) {
  const MbClosureSpec *spec = from->parameters;
  const double *a = spec->axis;
  const double axis[2][3] = {{a[0], a[1], a[2]}, {a[0], a[1], a[2]}};
  const MbJointKind joint = spec->joint.kind;
  MbConstraint *made = NULL;
  const MbStatus status = mb_builder_between(b, from, &mb_closure_ops, axis, &made);
  if (status != MB_OK) return status;
  ((MbClosure *)mb_builder_own(made))->joint = joint;
  made->rows = mb_closure_rows(joint);
  if (!made->rows) return mb_closure_search_build(b, &spec->joint, made);
  double turn[4], R[9], A[9];
  mb_turn_z_to(turn, spec->joint.axis);
  mb_quat_to_mat3(R, turn);
  for (int end = 0; end < 2; end++) {
    memcpy(A, made->R[end], sizeof A);
    mb_mat3_mul(made->R[end], A, R);
  }
  return MB_OK;
}

const MbConstraintOps mb_closure_ops = {
    .name = "joint", .parameters = sizeof(MbClosure), .rows = 6, .build = build, .eval = eval};
