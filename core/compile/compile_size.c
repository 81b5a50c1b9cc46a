// How large the parts of a scene are, for what is to be judged by size: the largest of
//   a body that can move    √12 times its radius of gyration, a uniform rod's length; twice the way from its centre of mass to
//                           a joint or a constraint
//   a deformable            the diagonal of the box around its nodes at the start
// What is fixed in space is no part: a floor may be as large as it likes. A scene of points alone has the size 1 m.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/model/ops.h"

static bool is_fixed(const MbModel *model, size_t b) {
  for (; b != MB_WORLD; b = model->parent[b])
    if (!model->joint[b].ops || model->joint[b].n) return false;
  return true;
}

static double across(const double at[3]) { return 2 * mb_vec3_norm(at); }

static double body_size(const MbModel *model, size_t b) {
  const double *M = model->M + 6 * b;
  const double I = fmax(M[0], fmax(M[1], M[2]));
  double size = M[3] > 0 ? sqrt(12 * I / M[3]) : 0;
  MbPose joint;
  if (model->joint[b].ops) {
    mb_pose_inverse(&joint, &model->B[b]);
    size = fmax(size, across(joint.p));
  }
  return size;
}

// Of the box around the nodes.
static double diagonal(const MbPose *E, const MbDeformable *of) {
  double lo[3], hi[3], d[3];
  mb_vec3_copy(lo, E[of->first].p);
  mb_vec3_copy(hi, lo);
  for (size_t n = of->first; n < of->first + of->count; n++)
    for (int k = 0; k < 3; k++) lo[k] = fmin(lo[k], E[n].p[k]), hi[k] = fmax(hi[k], E[n].p[k]);
  mb_vec3_sub(d, hi, lo);
  return mb_vec3_norm(d);
}

MbStatus mb_compile_size(const MbModel *model, double *out, MbReport *report) {
  double size = 0;
  MbPose *E = mb_calloc(model->ndeformables ? model->nb : 0, sizeof *E);
  if (!E) return mb_no_memory(report, "the scene's size");
  if (model->ndeformables) mb_model_poses(model, E);
  for (size_t b = 0; b < model->nlisted; b++) {
    const size_t p = model->parent[b];
    if (is_fixed(model, b)) continue;
    size = fmax(size, body_size(model, b));
    if (model->joint[b].ops && p != MB_WORLD && !is_fixed(model, p)) size = fmax(size, across(model->P[b].p));
  }
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    for (int end = 0; end < 2 && !constraint->ops->coordinates; end++)
      if (constraint->body[end] != MB_WORLD && !is_fixed(model, constraint->body[end]))
        size = fmax(size, across(constraint->at[end]));
  }
  for (size_t i = 0; i < model->ndeformables; i++)
    if (!model->deformables[i].points) size = fmax(size, diagonal(E, &model->deformables[i]));
  mb_free(E);
  *out = size > 0 ? size : 1;
  return MB_OK;
}
