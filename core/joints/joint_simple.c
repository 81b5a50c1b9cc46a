// Joints that are products of exponentials of one coordinate each:
//
//   prismatic      exp(a q), a = (0, axis)                                                    (RM 2.4.2)
//   planar         along x, then y                                                            (RM 2.4.3)
//   translational  along x, y, z                                                              (RM 2.4.4)
//   euler          about three axes in the order given, each in the frame the last has turned (RM 2.4.5)
//   universal      about x, then about the turned y                                           (RM 2.4.6)
//   revolute       exp(a q), a = (axis, 0)                                                    (RM 2.4.7)
//   free2d         along x, y, then about z                                                   (RM 2.4.10)
//   screw          exp(a q), a = (axis, lead axis)
//   cylindrical    revolute, then prismatic along the same axis
//
// A fixed joint is the empty product.
#include "core/base/report.h"
#include "core/joints/joints.h"

#include <math.h>
#include <string.h>

static const double unit[6][6] = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                                  {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
enum { RX, RY, RZ, TX, TY, TZ };

static void fixed(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                  double *Sdot) {
  (void)joint, (void)q, (void)v, (void)S, (void)Sdot;
  mb_pose_identity(Q);
}

// `axes` of unit twists, one a coordinate
static void chain(const int *axes, size_t n, const double *q, const double *v, MbPose *Q, double *S,
                  double *Sdot) {
  MbProduct product;
  mb_product_begin(&product, n, v, Q, S, Sdot);
  for (size_t i = 0; i < n; i++) mb_product_coordinate(&product, unit[axes[i]], i, q[i]);
}

static void along_axis(const MbJoint *joint, double turn, double slide, double e[6]) {
  mb_vec3_scale(e, turn, joint->axis);
  mb_vec3_scale(e + 3, slide, joint->axis);
}

static void one(const MbJoint *joint, double turn, double slide, const double *q, const double *v, MbPose *Q,
                double *S, double *Sdot) {
  MbProduct product;
  double e[6];
  along_axis(joint, turn, slide, e);
  mb_product_begin(&product, 1, v, Q, S, Sdot);
  mb_product_coordinate(&product, e, 0, q[0]);
}

// By itself, as there is no joint that there are more of.
static void revolute(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                     double *Sdot) {
  (void)v;
  const double half = 0.5 * q[0];
  *Q = (MbPose){.q = {cos(half)}};
  mb_vec3_scale(Q->q + 1, sin(half), joint->axis);
  mb_vec3_copy(S, joint->axis);
  mb_vec3_set(S + 3, 0, 0, 0);
  memset(Sdot, 0, 6 * sizeof *Sdot);
}

static void prismatic(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                      double *Sdot) {
  one(joint, 0, 1, q, v, Q, S, Sdot);
}

static void screw(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                  double *Sdot) {
  one(joint, 1, joint->lead, q, v, Q, S, Sdot);
}

static void cylindrical(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                        double *Sdot) {
  MbProduct product;
  double e[6];
  mb_product_begin(&product, 2, v, Q, S, Sdot);
  along_axis(joint, 1, 0, e);
  mb_product_coordinate(&product, e, 0, q[0]);
  along_axis(joint, 0, 1, e);
  mb_product_coordinate(&product, e, 1, q[1]);
}

static void universal(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                      double *Sdot) {
  (void)joint;
  chain((const int[]){RX, RY}, 2, q, v, Q, S, Sdot);
}

static void planar(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                   double *Sdot) {
  (void)joint;
  chain((const int[]){TX, TY}, 2, q, v, Q, S, Sdot);
}

static void translational(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                          double *Sdot) {
  (void)joint;
  chain((const int[]){TX, TY, TZ}, 3, q, v, Q, S, Sdot);
}

static void euler(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                  double *Sdot) {
  chain(joint->order, 3, q, v, Q, S, Sdot);
}

static void free2d(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S,
                   double *Sdot) {
  (void)joint;
  chain((const int[]){TX, TY, RZ}, 3, q, v, Q, S, Sdot);
}

static MbJointTurn turn_about(const double axis[3]) {
  MbJointTurn turn = {.k = {1}};
  mb_vec3_copy(turn.a, axis);
  return turn;
}

static bool turns_once(const MbJoint *joint, MbJointTurn *turn) {
  turn[0] = turn_about(joint->axis);
  return true;
}

static bool turns_twice(const MbJoint *joint, MbJointTurn *turn) {
  (void)joint;
  turn[0] = turn_about(unit[RX]), turn[1] = turn_about(unit[RY]);
  return true;
}

static bool turns_in_order(const MbJoint *joint, MbJointTurn *turn) {
  for (int i = 0; i < 3; i++) turn[i] = turn_about(unit[joint->order[i]]);
  return true;
}

static MbStatus build_order(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  const char *order = spec->order ? spec->order : "";
  bool fine = strlen(order) == 3;
  for (int i = 0; fine && i < 3; i++) {
    joint->order[i] = order[i] - 'x';
    fine = order[i] >= 'x' && order[i] <= 'z' && (i == 0 || order[i] != order[i - 1]);
  }
  if (fine) return MB_OK;
  return mb_error(
      at->report, MB_SCENE, at->where,
      "\"order\" is \"%s\": three letters of x, y, z are wanted, none twice in a row, as \"xyz\" or \"zxz\"",
      order);
}

static MbStatus build_lead(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  (void)at;
  joint->lead = spec->pitch / (2 * 3.14159265358979323846);
  return MB_OK;
}

extern const MbJointOps mb_joint_fixed, mb_joint_revolute, mb_joint_prismatic, mb_joint_cylindrical,
    mb_joint_screw, mb_joint_universal, mb_joint_planar, mb_joint_translational, mb_joint_euler,
    mb_joint_free2d;
const MbJointOps mb_joint_fixed = {.name = "fixed", .eval = fixed, .carries = mb_joint_carries_nothing};
const MbJointOps mb_joint_revolute = {
    .name = "revolute", .n = 1, .eval = revolute, .carries = mb_joint_carries_nothing, .turns = turns_once};
const MbJointOps mb_joint_prismatic = {
    .name = "prismatic", .n = 1, .eval = prismatic, .carries = mb_joint_carries_nothing};
const MbJointOps mb_joint_cylindrical = {
    .name = "cylindrical", .n = 2, .eval = cylindrical, .carries = mb_joint_carries_in_order};
const MbJointOps mb_joint_screw = {
    .name = "screw", .n = 1, .build = build_lead, .eval = screw, .carries = mb_joint_carries_nothing};
const MbJointOps mb_joint_universal = {.name = "universal",
                                       .n = 2,
                                       .eval = universal,
                                       .carries = mb_joint_carries_in_order,
                                       .turns = turns_twice};
const MbJointOps mb_joint_planar = {
    .name = "planar", .n = 2, .eval = planar, .carries = mb_joint_carries_nothing};
const MbJointOps mb_joint_translational = {
    .name = "translational", .n = 3, .eval = translational, .carries = mb_joint_carries_nothing};
const MbJointOps mb_joint_euler = {.name = "euler",
                                   .n = 3,
                                   .build = build_order,
                                   .eval = euler,
                                   .carries = mb_joint_carries_in_order,
                                   .turns = turns_in_order};
const MbJointOps mb_joint_free2d = {
    .name = "free2d", .n = 3, .eval = free2d, .carries = mb_joint_carries_in_order};
