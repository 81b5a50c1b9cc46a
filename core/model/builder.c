// What kinds of forces and constraints build themselves with: names looked up, signals and points added, constraints gathered.
#include "core/model/builder.h"
#include "core/base/alloc.h"

#include <stdio.h>
#include <string.h>

const char *mb_builder_at(MbBuilder *b, const char *key) {
  snprintf(b->at, sizeof b->at, "%s/%s", b->where, key);
  return b->at;
}

// ---- signals ----------------------------------------------------------------------------------------------

MbStatus mb_model_add_signal(MbModel *model, const MbSignalSpec *spec, const char *where, size_t *index,
                             MbReport *report) {
  MbSignal *list = (MbSignal *)model->signals;
  if (model->nsignals == model->signal_room) { // the arena keeps the old ones, no more than as many again
    model->signal_room = model->signal_room ? 2 * model->signal_room : 8;
    list = mb_arena_alloc(&model->arena, model->signal_room, sizeof *list);
    if (!list) return mb_no_memory(report, "signals");
    if (model->nsignals) memcpy(list, model->signals, model->nsignals * sizeof *list);
    model->signals = list;
  }
  if (!mb_signal_build(spec, where, &model->arena, &list[model->nsignals]))
    return mb_no_memory(report, "signals");
  *index = model->nsignals++;
  return MB_OK;
}

MbStatus mb_builder_signal(MbBuilder *b, const MbSignalSpec *spec, const char *key, size_t *index) {
  return mb_model_add_signal(b->model, spec, key ? mb_builder_at(b, key) : NULL, index, b->report);
}

// ---- bodies and nodes -------------------------------------------------------------------------------------

MbStatus mb_model_find_body(const MbModel *model, const char *text, const char *where, size_t *body,
                            MbReport *report) {
  size_t listed = 0;
  *body = MB_WORLD;
  if (text && !strcmp(text, "world")) return MB_OK;
  if (text && mb_names_find(&model->names, text, &listed)) {
    *body = model->number[listed];
    return MB_OK;
  }
  const char *near = text ? mb_nearest_word(text, model->listed) : NULL;
  return mb_error(report, MB_SCENE, where, "no body is called \"%s\"%s%s%s", text ? text : "",
                  near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

MbStatus mb_model_find_node(const MbModel *model, const MbPointSpec *point, const char *where, size_t *body,
                            MbReport *report) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    if (strcmp(of->name, point->node)) continue;
    if (point->index < 0 || (uint64_t)point->index >= of->count)
      return mb_error(report, MB_SCENE, where, "there is no node %lld: \"%s\" has 0 to %zu",
                      (long long)point->index, of->name, of->count - 1);
    if (mb_vec3_norm(point->frame.position) > 0)
      return mb_error(report, MB_SCENE, where, "\"at\" is a place in a body: a node has no extent");
    *body = of->first + (size_t)point->index;
    if (of->points) *body = of->port ? of->port[point->index] : MB_WORLD;
    if (*body != MB_WORLD) return MB_OK;
    return mb_no_memory(report, "deformables"); // marked by compile_ports.c, where there was room
  }
  return mb_error(report, MB_SCENE, where, "no deformable is called \"%s\"", point->node);
}

void mb_model_poses(const MbModel *model, MbPose *E) {
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    MbPose Q;
    if (!joint->ops) {
      memcpy(E[b].p, model->q0 + model->q_first[b], sizeof E[b].p);
      memcpy(E[b].q, model->q0 + model->q_first[b] + 3, sizeof E[b].q);
      continue;
    }
    joint->ops->eval(joint, model->q0 + model->q_first[b], model->v0 + model->v_first[b], &Q, S, Sdot);
    mb_pose_mul(&E[b], &model->P[b], &Q);
    mb_pose_mul(&E[b], &E[b], &model->B[b]);
    if (model->parent[b] != MB_WORLD) mb_pose_mul(&E[b], &E[model->parent[b]], &E[b]);
    mb_quat_normalise(E[b].q);
  }
}

MbStatus mb_model_by_dof(const MbNumbersSpec *numbers, size_t n, const char *where, const char *key,
                         double *out, MbReport *report) {
  if (numbers->count == 0) return MB_OK;
  if (numbers->count != n && (numbers->count != 1 || n == 0)) {
    char at[MB_BUILDER_WHERE];
    snprintf(at, sizeof at, "%s/%s", where, key);
    if (n == 0)
      return mb_error(report, MB_SCENE, at, "a joint that is fixed has no degree of freedom for \"%s\"", key);
    return mb_error(report, MB_SCENE, at,
                    "found %zu numbers, wanted 1 or %zu, one for each degree of freedom", numbers->count, n);
  }
  for (size_t i = 0; i < n; i++) out[i] = numbers->value[numbers->count == 1 ? 0 : i];
  return MB_OK;
}

// ---- points of forces -------------------------------------------------------------------------------------

static MbStatus build_point(const MbBuilder *b, const MbPointSpec *spec, const char *where,
                            MbForcePoint *point) {
  const MbModel *model = b->model;
  MbPose at, inverse;
  char body[MB_BUILDER_WHERE + 48];
  memcpy(at.p, spec->frame.position, sizeof at.p);
  memcpy(at.q, spec->frame.rotation, sizeof at.q);
  point->body = MB_WORLD, point->at = at;
  if (spec->node) return mb_model_find_node(model, spec, where, &point->body, b->report);
  snprintf(body, sizeof body, "%s/body", where);
  const MbStatus status = mb_model_find_body(model, spec->body, body, &point->body, b->report);
  if (status != MB_OK || point->body == MB_WORLD) return status;
  mb_pose_inverse(&inverse, &model->C[point->body]);
  mb_pose_mul(&point->at, &inverse, &at);
  mb_quat_normalise(point->at.q);
  return MB_OK;
}

MbStatus mb_builder_points(MbBuilder *b, const MbForceSpec *from, const char *key, MbForce *force) {
  const size_t n = from->npoints, least = force->ops->least, most = force->ops->most;
  if (n < least || n > most)
    return mb_error(b->report, MB_SCENE, mb_builder_at(b, key), "found %zu points, wanted %s%zu", n,
                    most == least ? ""
                    : n < least   ? "at least "
                                  : "at most ",
                    n < least ? least : most);
  MbForcePoint *points = mb_arena_alloc(&b->model->arena, n, sizeof *points);
  if (!points) return mb_no_memory(b->report, "forces");
  force->npoints = n, force->points = points;
  MbStatus status = MB_OK;
  bool moves = false;
  for (size_t i = 0; i < n; i++) {
    char where[MB_BUILDER_WHERE + 32];
    snprintf(where, sizeof where, "%s/%zu", mb_builder_at(b, key), i);
    const MbStatus found = build_point(b, &from->points[i], where, &points[i]);
    if (found != MB_OK) status = found;
    moves |= points[i].body != points[0].body;
  }
  if (status != MB_OK || moves) return status;
  return mb_error(b->report, MB_SCENE, mb_builder_at(b, key),
                  "all points are fixed in \"%s\": the force could move nothing",
                  from->points[0].node ? from->points[0].node : from->points[0].body);
}

// ---- constraints ------------------------------------------------------------------------------------------

// Room for one more than n of a list on the heap.
static bool grow(void **list, size_t n, size_t *room, size_t size) {
  if (n < *room) return true;
  const size_t more = *room ? 2 * *room : 16;
  void *const grown = mb_realloc(*list, more, size);
  if (!grown) return false;
  *list = grown, *room = more;
  return true;
}

MbStatus mb_builder_add(MbBuilder *b, const MbConstraintOps *ops, MbConstraint **made) {
  void *own = mb_arena_alloc(&b->model->arena, 1, ops->parameters);
  if (!own || !grow((void **)&b->list, b->model->nconstraints, &b->list_room, sizeof *b->list))
    return mb_no_memory(b->report, "constraints");
  MbBuiltConstraint *to = &b->list[b->model->nconstraints++];
  memset(to, 0, sizeof *to); // what is between its numbers too: the fingerprint looks at all of it
  memcpy(to->where, b->where, sizeof to->where);
  to->constraint.ops = ops, to->constraint.parameters = own, to->constraint.rows = ops->rows;
  to->constraint.body[0] = to->constraint.body[1] = MB_WORLD;
  *made = &to->constraint;
  return MB_OK;
}

MbStatus mb_builder_call(MbBuilder *b, MbConstraint *constraint, const char *text) {
  constraint->name = mb_arena_strdup(&b->model->arena, text);
  return constraint->name ? MB_OK : mb_no_memory(b->report, "constraints");
}

MbStatus mb_builder_name(MbBuilder *b, MbConstraint *constraint, const char *given, size_t k, size_t of) {
  char text[MB_BUILDER_NAME], number[24] = "";
  if (of > 1) snprintf(number, sizeof number, ".%zu", k);
  if (given)
    snprintf(text, sizeof text, "%s%s", given, number);
  else
    snprintf(text, sizeof text, "%s %zu%s", constraint->ops->name, b->number, number);
  return mb_builder_call(b, constraint, text);
}

void mb_turn_z_to(double q[4], const double axis[3]) {
  static const double NEXT = 1e-4; // to −z: 1 + z loses digits, and is (x² + y²)/(1 − z)
  const double aside = (axis[0] * axis[0] + axis[1] * axis[1]) / (1 - axis[2]);
  const double turn[4] = {1 + axis[2] > NEXT ? 1 + axis[2] : aside, -axis[1], axis[0], 0};
  const double flip[4] = {0, 1, 0, 0};
  memcpy(q, turn[0] > 0 ? turn : flip, sizeof turn);
  mb_quat_normalise(q);
}

void mb_model_place(const MbModel *model, const MbFrameSpec *frame, const double axis[3], int end,
                    MbConstraint *constraint) {
  MbPose E;
  double turn[4];
  memcpy(E.p, frame->position, sizeof E.p);
  memcpy(E.q, frame->rotation, sizeof E.q);
  mb_turn_z_to(turn, axis);
  mb_quat_mul(E.q, E.q, turn);
  if (constraint->body[end] != MB_WORLD) {
    MbPose inverse;
    mb_pose_inverse(&inverse, &model->C[constraint->body[end]]);
    mb_pose_mul(&E, &inverse, &E);
  }
  mb_quat_normalise(E.q);
  mb_vec3_copy(constraint->at[end], E.p);
  mb_quat_to_mat3(constraint->R[end], E.q);
}

MbStatus mb_builder_ends(MbBuilder *b, const MbConstraintSpec *from, const double axis[2][3],
                         MbConstraint *constraint) {
  MbStatus status = MB_OK;
  for (int end = 0; end < 2; end++) {
    const MbPointSpec *anchor = &from->between[end];
    char key[40];
    snprintf(key, sizeof key, "between/%d%s", end, anchor->node ? "" : "/body");
    const char *where = mb_builder_at(b, key);
    const MbStatus one =
        anchor->node ? mb_model_find_node(b->model, anchor, where, &constraint->body[end], b->report)
                     : mb_model_find_body(b->model, anchor->body, where, &constraint->body[end], b->report);
    if (one == MB_OK)
      mb_model_place(b->model, &anchor->frame, axis[end], end, constraint);
    else if (status == MB_OK)
      status = one;
  }
  if (status != MB_OK || constraint->body[0] != constraint->body[1]) return status;
  return mb_error(b->report, MB_SCENE, b->where, "both ends are on \"%s\", where nothing can move",
                  from->between[0].node ? from->between[0].node : from->between[0].body);
}

const double mb_builder_z[2][3] = {{0, 0, 1}, {0, 0, 1}};

MbStatus mb_builder_between(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops,
                            const double axis[2][3], MbConstraint **made) {
  if (from->nbetween != 2)
    return mb_error(b->report, MB_SCENE, b->where, "found %zu ends in \"between\", wanted 2", from->nbetween);
  MbStatus status = mb_builder_add(b, ops, made);
  if (status == MB_OK) status = mb_builder_ends(b, from, axis, *made);
  if (status != MB_OK) return status;
  (*made)->compliance = from->compliance, (*made)->damping = from->damping;
  return mb_builder_name(b, *made, from->name, 0, 1);
}

MbStatus mb_builder_rates(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops,
                          const char *const bodies[2], const char *const keys[2], MbConstraint **made) {
  const MbStatus added = mb_builder_add(b, ops, made);
  if (added != MB_OK) return added;
  MbConstraint *to = *made;
  to->compliance = from->compliance, to->damping = from->damping;
  for (int end = 0; end < 2; end++) {
    const MbStatus status =
        mb_model_find_body(b->model, bodies[end], mb_builder_at(b, keys[end]), &to->body[end], b->report);
    if (status != MB_OK) return status;
  }
  if (to->body[0] == to->body[1])
    return mb_error(b->report, MB_SCENE, b->where, "\"%s\" is both of the two bodies", bodies[0]);
  return mb_builder_name(b, to, from->name, 0, 1);
}

bool mb_joint_is_rotation_vector(const MbJoint *joint, size_t i) {
  for (size_t k = 0; k < joint->nparts; k++) {
    if (i < joint->part[k].n) return mb_joint_is_rotation_vector(&joint->part[k], i);
    i -= joint->part[k].n;
  }
  return joint->ops->renew && i + 3 >= joint->n;
}

MbStatus mb_builder_refuse_rotation_vector(MbBuilder *b, const char *where, const char *what) {
  return mb_error(b->report, MB_SCENE, where,
                  "%s of a rotation vector make no sense, whose numbers change to their equivalent: take "
                  "joint type \"euler\", or null for these coordinates",
                  what);
}

MbStatus mb_builder_guess(MbBuilder *b, size_t n, size_t *first) {
  *first = b->model->nguess;
  for (size_t i = 0; i < n; i++) {
    if (!grow((void **)&b->guess, b->model->nguess, &b->guess_room, sizeof *b->guess))
      return mb_no_memory(b->report, "constraints");
    b->guess[b->model->nguess++] = 0;
  }
  return MB_OK;
}

MbStatus mb_builder_reduction(MbBuilder *b, MbReduction **made) {
  if (!grow((void **)&b->reductions, b->model->nreductions, &b->reduction_room, sizeof *b->reductions))
    return mb_no_memory(b->report, "constraints");
  *made = &b->reductions[b->model->nreductions++];
  memset(*made, 0, sizeof **made);
  return MB_OK;
}

void mb_builder_free(MbBuilder *b) {
  mb_free(b->list);
  mb_free(b->guess);
  mb_free(b->reductions);
}
