// A joint of any kind closes a loop: what joint_gap.c says of its two frames is held. With ξ the motion of the second frame in
// the first, X,
//   ξ = φ_B − Ad(X⁻¹) φ_A,   ξ̇ = φ̇_B − Ad(X⁻¹) φ̇_A + ad_ξ Ad(X⁻¹) φ_A.
// The rows are the negative of it, so that where the loop is closed the multipliers are torques and forces on the first body,
// along the second frame's axes. Where no coordinates are found g is not a number.
#include "core/constraints/closure.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"
#include "core/model/joint_gap.h"
#include "core/math/dense6.h"

#include <string.h>

// The two frames, and the motion of one in the other.
typedef struct Pair {
  MbFrameMotion end[2];
  MbPose X;
  double back[36];        // Ad(X⁻¹)
  double xi[6], carry[6]; // ξ, and what of ξ̇ the bodies' accelerations do not make
} Pair;

static void relate(const MbConstraint *constraint, const MbMaximal *x, Pair *pair) {
  MbPose inverse;
  double seen[6], A[36];
  for (int end = 0; end < 2; end++) mb_constraint_frame(constraint, end, x, &pair->end[end]);
  mb_pose_inverse(&inverse, &pair->end[0].E);
  mb_pose_mul(&pair->X, &inverse, &pair->end[1].E);
  mb_pose_inverse(&inverse, &pair->X);
  mb_se3_adjoint(pair->back, &inverse);
  mb_mat6_apply(seen, pair->back, pair->end[0].phi);
  for (int k = 0; k < 6; k++) pair->xi[k] = pair->end[1].phi[k] - seen[k];
  mb_se3_ad(A, pair->xi);
  mb_mat6_apply(pair->carry, A, seen);
}

static bool make(const MbConstraint *constraint, const MbInstant *at, double *q, MbRow *rows) {
  Pair pair;
  MbJointGap gap;
  relate(constraint, at->x, &pair);
  if (!mb_joint_gap(constraint->closure, &pair.X, pair.xi, q, &gap)) return false;
  const double far = 1e-3 + mb_vec3_norm(constraint->at[0]) + mb_vec3_norm(constraint->at[1]) +
                     mb_vec3_norm(pair.end[0].E.p) + mb_vec3_norm(pair.end[1].E.p);
  for (size_t r = 0; r < constraint->rows; r++) {
    const double *a = gap.W + 6 * r;
    double b[6] = {0};
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) b[j] += a[i] * pair.back[6 * i + j];
    mb_constraint_on_frame(constraint, 1, &pair.end[1], a, -1, &rows[r]);
    mb_constraint_on_frame(constraint, 0, &pair.end[0], b, 1, &rows[r]);
    rows[r].g = -gap.g[r];
    rows[r].gtt = -gap.bend[r];
    for (int i = 0; i < 6; i++) rows[r].gtt -= a[i] * pair.carry[i];
    rows[r].size = gap.of[r] < 3 ? 1 : far;
    rows[r].angle = gap.of[r] < 3;
  }
  return true;
}

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  double q[MB_JOINT_DOFS] = {0};
  const size_t n = constraint->closure->n;
  memcpy(q, at->guess + constraint->guess, n * sizeof *q);
  if (make(constraint, at, q, rows))
    memcpy(at->found + constraint->guess, q, n * sizeof *q);
  else
    for (size_t r = 0; r < constraint->rows; r++) rows[r].g = NAN, rows[r].size = 1;
}

// ---- from the scene ---------------------------------------------------------------------------------------

MbStatus mb_closure_search_build(MbBuilder *b, const MbJointSpec *spec, MbConstraint *constraint) {
  const char *at = mb_builder_at(b, "joint");
  if (spec->kind == MB_JOINT_SCREW && isnan(spec->pitch))
    return mb_error(b->report, MB_SCENE, at,
                    "a screw needs its \"pitch\": {\"type\": \"screw\", \"pitch\": 0.01}");
  MbJoint *joint = mb_arena_alloc(&b->model->arena, 1, sizeof *joint);
  if (!joint) return mb_no_memory(b->report, "constraints");
  const MbStatus status = b->geometry(spec, at, &b->model->arena, joint, b->report);
  if (status != MB_OK) return status;
  if (joint->n >= 6)
    return mb_error(b->report, MB_SCENE, at,
                    "a joint \"%s\" with %zu degrees of freedom cannot close a loop: it holds nothing",
                    mb_joint_words[spec->kind], joint->n);
  constraint->ops = &mb_closure_search_ops;
  constraint->closure = joint;
  constraint->rows = 6 - joint->n;
  const MbStatus room = mb_builder_guess(b, joint->n, &constraint->guess);
  if (room != MB_OK) return room;
  return mb_model_by_dof(&spec->position, joint->n, at, "position", b->guess + constraint->guess, b->report);
}

static MbStatus refuse(MbBuilder *b, const MbConstraint *constraint) {
  const MbClosure *own = constraint->parameters;
  return mb_error(b->report, MB_SCENE, b->where,
                  "\"%s\": no coordinates of the joint \"%s\" bring the two frames together: put them "
                  "nearer, give it a \"position\" to look near, or keep it from singular positions",
                  constraint->name, mb_joint_words[own->joint]);
}

const MbConstraintOps mb_closure_search_ops = {
    .name = "joint",
    .parameters = sizeof(MbClosure),
    .rows = 6,
    .refuse = refuse,
    .singular = "its joint is at a singular position, or too far from where it was",
    .eval = eval};
