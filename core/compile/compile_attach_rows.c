// Attachments of deformables by rows: nodes that stay at a point of a body, or at the mean of other nodes.
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"

#include <stdio.h>

// Every chosen node stays at the point of the body where it is at the start (AR 0.17, as rows and not by elimination).
static MbStatus build_attachment(MbBuilder *b, size_t i, size_t k, const MbPose *E, bool *chosen) {
  const MbModel *model = b->model;
  const MbAttachSpec *from = &b->spec->deformables[i].attachments[k];
  const MbDeformable *of = &model->deformables[i];
  const char *where = b->where;
  size_t body = MB_WORLD;
  snprintf(b->where, sizeof b->where, "/deformables/%zu/attach/%zu", i, k);
  if (!from->body) return MB_OK; // to other nodes
  MbStatus status = mb_model_find_body(model, from->body, mb_builder_at(b, "body"), &body, b->report);
  if (status == MB_OK)
    status = mb_compile_selection(model, b->spec, i, &from->select, where, chosen, b->report);
  if (from->enforce == MB_BY_REDUCTION && !of->points) return status; // a part of the tree (compile_nodes.c)
  if (of->points && body == MB_WORLD) return status; // they stand still (compile_elements_hold.c)
  for (size_t n = 0; n < of->count && status == MB_OK; n++) {
    char text[MB_BUILDER_NAME];
    if (!chosen[n]) continue;
    const size_t node = of->points ? of->port[n] : of->first + n;
    MbConstraint *constraint = NULL;
    status = mb_builder_add(b, mb_constraint_table[MB_CONSTRAINT_POINT], &constraint);
    if (status != MB_OK) return status;
    constraint->body[0] = node, constraint->body[1] = body;
    mb_vec3_copy(constraint->at[1], E[node].p);
    if (body != MB_WORLD) {
      MbPose inverse;
      mb_pose_inverse(&inverse, &E[body]);
      mb_pose_point(constraint->at[1], &inverse, E[node].p);
    }
    snprintf(text, sizeof text, "%s.attach", model->body_name[node]);
    status = mb_builder_call(b, constraint, text);
  }
  return status;
}

// The same at the mean of other nodes.
static MbStatus build_links(MbBuilder *b, const MbPose *E) {
  const MbLink *links = NULL;
  size_t count = 0;
  MbStatus status = mb_compile_links(b->spec, b->model, E, &links, &count, b->report);
  for (size_t i = 0; i < count && status == MB_OK; i++) {
    const MbFollower *follower = &links[i].follower;
    char text[MB_BUILDER_NAME];
    if (links[i].enforce == MB_BY_REDUCTION) continue;
    snprintf(b->where, sizeof b->where, "/deformables/%zu/attach/%zu", links[i].deformable,
             links[i].attachment);
    MbConstraint *constraint = NULL;
    status = mb_builder_add(b, &mb_follow_ops, &constraint);
    if (status != MB_OK) return status;
    constraint->body[0] = follower->body;
    constraint->master = follower->master, constraint->nmasters = follower->nmasters;
    mb_vec3_copy(constraint->at[1], follower->offset);
    snprintf(text, sizeof text, "%s.attach", b->model->body_name[follower->body]);
    status = mb_builder_call(b, constraint, text);
  }
  return status;
}

MbStatus mb_compile_attachments(MbBuilder *b) {
  const MbModel *model = b->model;
  if (!model->ndeformables) return MB_OK;
  if (b->spec->solver.kind == MB_SOLVER_PROJECTIVE && !model->nports) return MB_OK; // nodes are no bodies
  MbArena scratch = {0};
  MbPose *E = mb_arena_alloc(&scratch, model->nb, sizeof *E);
  bool *chosen = mb_arena_alloc(&scratch, mb_compile_most_nodes(model), sizeof *chosen);
  MbStatus status = E && chosen ? MB_OK : mb_no_memory(b->report, "constraints");
  if (status == MB_OK) mb_model_poses(model, E);
  for (size_t i = 0; i < model->ndeformables && status != MB_IO; i++)
    for (size_t k = 0; k < b->spec->deformables[i].nattachments && status != MB_IO; k++) {
      const MbStatus one = build_attachment(b, i, k, E, chosen);
      if (one != MB_OK) status = one;
    }
  if (status == MB_OK) status = build_links(b, E);
  mb_arena_free(&scratch);
  return status;
}
