// Constraints: the scene's, the joints' limits and prescribed motions; what of them does not hold at the start.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"
#include "core/joints/joints.h"
#include "core/model/coordinates.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 96, LONGEST = 400 };

typedef struct Builder {
  const MbSceneSpec *spec;
  MbModel *model;
  MbConstraint *list;
  char (*where)[WHERE]; // of each
  double *guess;        // coordinates of joints that close loops, at the start
  MbReduction *reductions;
  MbReport *report;
} Builder;

static MbConstraint *add(Builder *b, const MbConstraintOps *ops, const char *where) {
  const size_t i = b->model->nconstraints++;
  snprintf(b->where[i], WHERE, "%s", where);
  MbConstraint *constraint = &b->list[i];
  *constraint = (MbConstraint){.ops = ops, .rows = ops->rows, .body = {MB_WORLD, MB_WORLD}};
  return constraint;
}

static MbStatus name(const Builder *b, MbConstraint *constraint, const char *text) {
  constraint->name = mb_arena_strdup(&b->model->arena, text);
  return constraint->name ? MB_OK : mb_no_memory(b->report, "constraints");
}

// ---- joints: limits and motion ----------------------------------------------------------------------------

// Coordinates that change to their equivalent now and then: no number stands for a pose of theirs.
static bool is_rotation_vector(const MbJoint *joint, size_t i) {
  for (size_t k = 0; k < joint->nparts; k++) {
    if (i < joint->part[k].n) return is_rotation_vector(&joint->part[k], i);
    i -= joint->part[k].n;
  }
  return joint->ops->renew && i + 3 >= joint->n;
}

static MbStatus refuse_rotation_vector(const Builder *b, const char *where, const char *what) {
  return mb_error(b->report, MB_SCENE, where,
                  "%s of a rotation vector make no sense, whose numbers change to their equivalent: take "
                  "joint type \"euler\", or null for these coordinates",
                  what);
}

// "body", "body.1" for coordinate 1 of several, with what it is behind it
static MbStatus name_coordinate(const Builder *b, MbConstraint *constraint, size_t body, size_t i,
                                const char *what) {
  char text[LONGEST], number[24] = "";
  if (b->model->joint[body].n > 1) snprintf(number, sizeof number, ".%zu", i);
  snprintf(text, sizeof text, "%s%s.%s", b->model->body_name[body], number, what);
  constraint->q[0] = b->model->q_first[body] + i;
  constraint->v[0] = b->model->v_first[body] + i;
  return name(b, constraint, text);
}

static MbStatus build_limits(Builder *b, size_t listed, const MbLimitsSpec *limits) {
  const size_t body = b->model->number[listed], n = b->model->joint[body].n;
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu/joint/limits", listed);
  if (!n) return mb_error(b->report, MB_SCENE, where, "this joint has no coordinate that could be limited");
  if (limits->count != 1 && limits->count != n)
    return mb_error(b->report, MB_SCENE, where,
                    "found %zu pairs, wanted 1 or %zu, one for each degree of freedom", limits->count, n);
  for (size_t i = 0; i < n; i++) {
    const double *pair = limits->value + 2 * (limits->count == 1 ? 0 : i);
    if (isinf(pair[0]) && isinf(pair[1])) continue;
    if (is_rotation_vector(&b->model->joint[body], i)) return refuse_rotation_vector(b, where, "limits");
    if (pair[0] > pair[1])
      return mb_error(b->report, MB_SCENE, where, "the lower limit %g is above the upper limit %g", pair[0],
                      pair[1]);
    for (int k = 0; k < 2; k++) {
      if (isinf(pair[k])) continue;
      MbConstraint *limit = add(b, &mb_limit_ops, where);
      limit->unilateral = true;
      limit->sign = k ? -1 : 1, limit->bound = pair[k];
      const MbStatus status = name_coordinate(b, limit, body, i, k ? "upper" : "lower");
      if (status != MB_OK) return status;
    }
  }
  return MB_OK;
}

static const MbSignalsSpec *rate_of(const MbMotionSpec *motion, int k) {
  return k == 0 ? &motion->position : k == 1 ? &motion->velocity : &motion->acceleration;
}

// Coordinate i's signal for rate k; NULL: not given.
static const MbSignalSpec *motion_signal(const MbMotionSpec *motion, int k, size_t i) {
  const MbSignalsSpec *signals = rate_of(motion, k);
  if (!signals->count) return NULL;
  const MbSignalSpec *signal = &signals->signal[signals->count == 1 ? 0 : i];
  return signal->kind == MB_SIGNAL_CONSTANT && isnan(signal->value) ? NULL : signal;
}

// Adds that signal to the list, unless it is one for all coordinates and there already; *index ← its number.
static MbStatus add_motion_signal(Builder *b, const char *where, const MbMotionSpec *motion, int k, size_t i,
                                  size_t *index) {
  static const char *const keys[] = {"position", "velocity", "acceleration"};
  const MbSignalsSpec *signals = rate_of(motion, k);
  char at[WHERE + 32];
  if (signals->count == 1 && *index != SIZE_MAX) return MB_OK;
  snprintf(at, sizeof at, signals->list ? "%s/%s/%zu" : "%s/%s", where, keys[k], i);
  return mb_model_add_signal(b->model, motion_signal(motion, k, i), at, index, b->report);
}

static MbStatus build_motion(Builder *b, size_t listed, const MbMotionSpec *motion) {
  MbModel *model = b->model;
  const size_t body = model->number[listed], n = model->joint[body].n;
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu/joint/motion", listed);
  size_t given = 0;
  for (int k = 0; k < 3; k++) {
    const size_t count = rate_of(motion, k)->count;
    given += count;
    if (count > 1 && count != n)
      return mb_error(b->report, MB_SCENE, where,
                      "found %zu signals, wanted 1 or %zu, one for each degree of freedom", count, n);
  }
  if (!given)
    return mb_error(b->report, MB_SCENE, where,
                    "a motion needs a \"position\", a \"velocity\" or an \"acceleration\"");
  if (!n) return mb_error(b->report, MB_SCENE, where, "this joint has no coordinate that could be driven");
  size_t shared[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}; // of rates with one signal for all coordinates
  for (size_t i = 0; i < n; i++) {
    MbConstraint *driven = NULL;
    for (int k = 0; k < 3; k++) {
      const MbSignalSpec *signal = motion_signal(motion, k, i);
      if (!signal) continue;
      if (is_rotation_vector(&model->joint[body], i)) return refuse_rotation_vector(b, where, "motions");
      if (!driven) {
        driven = add(b, &mb_motion_ops, where);
        driven->order = k;
        driven->signal[0] = driven->signal[1] = driven->signal[2] = SIZE_MAX;
        const MbStatus status = name_coordinate(b, driven, body, i, "motion");
        if (status != MB_OK) return status;
      }
      const MbStatus status = add_motion_signal(b, where, motion, k, i, &shared[k]);
      if (status != MB_OK) return status;
      driven->signal[k] = shared[k];
    }
  }
  return MB_OK;
}

static MbStatus build_driven(Builder *b, size_t listed) {
  char where[WHERE], text[LONGEST];
  snprintf(where, sizeof where, "/bodies/%zu/motion", listed);
  snprintf(text, sizeof text, "%s.motion", b->spec->bodies[listed].name);
  MbConstraint *driven = add(b, &mb_path_ops, where);
  const MbStatus status = mb_compile_body_motion(b->spec, listed, b->model, driven, b->report);
  return status == MB_OK ? name(b, driven, text) : status;
}

// ---- the scene's constraints ------------------------------------------------------------------------------

// One end: its body, its point and its axes, z along `axis`, in C.
static MbStatus build_end(const Builder *b, const MbConstraintSpec *from, size_t i, int end,
                          const double axis[3], MbConstraint *constraint) {
  const MbPointSpec *anchor = &from->between[end];
  char where[WHERE];
  snprintf(where, sizeof where, "/constraints/%zu/between/%d%s", i, end, anchor->node ? "" : "/body");
  const MbStatus status =
      anchor->node ? mb_model_find_node(b->model, anchor, where, &constraint->body[end], b->report)
                   : mb_model_find_body(b->model, anchor->body, where, &constraint->body[end], b->report);
  if (status == MB_OK) mb_model_place(b->model, &anchor->frame, axis, end, constraint);
  return status;
}

// Its own name, or its kind and number; with a number of its own where it is one of several.
static MbStatus name_listed(const Builder *b, MbConstraint *constraint, size_t i, size_t k, size_t of) {
  char text[LONGEST], number[24] = "";
  const char *given = b->spec->constraints[i].name;
  if (of > 1) snprintf(number, sizeof number, ".%zu", k);
  if (given)
    snprintf(text, sizeof text, "%s%s", given, number);
  else
    snprintf(text, sizeof text, "%s %zu%s", constraint->ops->name, i, number);
  return name(b, constraint, text);
}

// A joint without rows of its own: its geometry, and a place for its coordinates.
static MbStatus build_search(Builder *b, const MbJointSpec *spec, const char *where,
                             MbConstraint *constraint) {
  MbModel *model = b->model;
  char at[WHERE];
  snprintf(at, sizeof at, "%.80s/joint", where);
  if (spec->kind == MB_JOINT_SCREW && isnan(spec->pitch))
    return mb_error(b->report, MB_SCENE, at,
                    "a screw needs its \"pitch\": {\"type\": \"screw\", \"pitch\": 0.01}");
  MbJoint *joint = mb_arena_alloc(&model->arena, 1, sizeof *joint);
  if (!joint) return mb_no_memory(b->report, "constraints");
  const MbStatus status = mb_compile_geometry(spec, at, &model->arena, joint, b->report);
  if (status != MB_OK) return status;
  if (joint->n >= 6)
    return mb_error(b->report, MB_SCENE, at,
                    "a joint \"%s\" with %zu degrees of freedom cannot close a loop: it holds nothing",
                    mb_joint_words[spec->kind], joint->n);
  constraint->ops = &mb_closure_search_ops;
  constraint->closure = joint;
  constraint->rows = 6 - joint->n;
  constraint->guess = model->nguess;
  model->nguess += joint->n;
  return mb_model_by_dof(&spec->position, joint->n, at, "position", b->guess + constraint->guess, b->report);
}

// Rows of a joint, along axes that its own axis turns.
static MbStatus build_closure(Builder *b, const MbJointSpec *spec, const char *where,
                              MbConstraint *constraint) {
  constraint->joint = spec->kind;
  constraint->rows = mb_closure_rows(spec->kind);
  if (!constraint->rows) return build_search(b, spec, where, constraint);
  double turn[4], R[9], A[9];
  mb_turn_z_to(turn, spec->axis);
  mb_quat_to_mat3(R, turn);
  for (int end = 0; end < 2; end++) {
    memcpy(A, constraint->R[end], sizeof A);
    mb_mat3_mul(constraint->R[end], A, R);
  }
  return MB_OK;
}

static MbStatus build_between(Builder *b, size_t i, const char *where) {
  const MbConstraintSpec *from = &b->spec->constraints[i];
  static const double Z[3] = {0, 0, 1};
  if (from->nbetween != 2)
    return mb_error(b->report, MB_SCENE, where, "found %zu ends in \"between\", wanted 2", from->nbetween);
  MbConstraint *constraint = add(b, mb_constraint_table[from->kind], where);
  const bool along = from->kind == MB_CONSTRAINT_ON_LINE || from->kind == MB_CONSTRAINT_ON_PLANE;
  const bool both = from->kind == MB_CONSTRAINT_JOINT;
  const MbStatus parts[] = {build_end(b, from, i, 0, along || both ? from->axis : Z, constraint),
                            build_end(b, from, i, 1, both ? from->axis : Z, constraint)};
  for (int end = 0; end < 2; end++)
    if (parts[end] != MB_OK) return parts[end];
  if (constraint->body[0] == constraint->body[1])
    return mb_error(b->report, MB_SCENE, where, "both ends are on \"%s\", where nothing can move",
                    from->between[0].node ? from->between[0].node : from->between[0].body);
  if (along && from->between[0].node)
    return mb_error(
        b->report, MB_SCENE, where,
        "a node has no axes: let the line or the plane be of a body, and the node the second end");
  if (both) {
    const MbStatus closed = build_closure(b, &from->joint, where, constraint);
    if (closed != MB_OK) return closed;
  }
  constraint->length = from->kind == MB_CONSTRAINT_DISTANCE ? from->length : 0;
  constraint->rope = constraint->unilateral = from->rope;
  constraint->compliance = from->compliance;
  constraint->damping = from->damping;
  return name_listed(b, constraint, i, 0, 1);
}

// What the joint of b starts with has to be what follows from a's.
static MbStatus agree(const Builder *b, const char *where, const char *what, const char *names[2], bool given,
                      double found, double wanted) {
  static const double CLOSE = 1e-6; // written with seven digits
  if (!given || fabs(found - wanted) <= CLOSE * (1 + fabs(found) + fabs(wanted))) return MB_OK;
  return mb_error(b->report, MB_SCENE, where,
                  "the %s of \"%s\" follows from that of \"%s\": found %.9g, wanted %.9g, or none", what,
                  names[1], names[0], found, wanted);
}

static MbStatus build_reduction(Builder *b, size_t i, const char *where, const size_t body[2]) {
  MbModel *model = b->model;
  const MbConstraintSpec *from = &b->spec->constraints[i];
  const char *names[2] = {from->joints[0], from->joints[1]};
  if (from->compliance > 0)
    return mb_error(b->report, MB_SCENE, where,
                    "a ratio with a \"compliance\" cannot be enforced by \"reduction\"");
  const size_t v[2] = {model->v_first[body[0]], model->v_first[body[1]]};
  for (size_t k = 0; k < model->nreductions; k++) {
    const MbReduction *r = &model->reductions[k];
    for (int end = 0; end < 2; end++)
      if (r->v[1] == v[end] || r->v[0] == v[1])
        return mb_error(
            b->report, MB_SCENE, where,
            "the joint of \"%s\" is in another reduction: in a chain of ratios, let all joints follow "
            "the first one, or enforce this by \"constraint\"",
            names[r->v[1] == v[0] ? 0 : 1]);
  }
  size_t listed = 0;
  mb_names_find(&model->names, names[1], &listed);
  const MbJointSpec *joint = &b->spec->bodies[listed].joint;
  double *q0 = (double *)model->q0, *v0 = (double *)model->v0;
  for (size_t k = 0; k < model->joint[body[1]].n; k++) {
    MbReduction *r = &b->reductions[model->nreductions++];
    *r = (MbReduction){.body = body[1], .ratio = from->ratio, .offset = from->offset};
    for (int end = 0; end < 2; end++) r->q[end] = model->q_first[body[end]] + k, r->v[end] = v[end] + k;
    const double q = r->ratio * q0[r->q[0]] + r->offset, rate = r->ratio * v0[r->v[0]];
    const MbStatus parts[] = {
        agree(b, where, "position", names, joint->position.count > 0, q0[r->q[1]], q),
        agree(b, where, "velocity", names, joint->velocity.count > 0 || joint->twist, v0[r->v[1]], rate)};
    if (parts[0] != MB_OK || parts[1] != MB_OK) return MB_SCENE;
    q0[r->q[1]] = q, v0[r->v[1]] = rate;
  }
  return MB_OK;
}

// Joints a and b: one row for each of their degrees of freedom.
static MbStatus build_ratio(Builder *b, size_t i, const char *where) {
  const MbModel *model = b->model;
  const MbConstraintSpec *from = &b->spec->constraints[i];
  size_t body[2], n[2];
  for (int k = 0; k < 2; k++) {
    char at[WHERE + 24];
    snprintf(at, sizeof at, "%s/joints/%d", where, k);
    const MbStatus status = mb_model_find_body(model, from->joints[k], at, &body[k], b->report);
    if (status != MB_OK) return status;
    n[k] = body[k] == MB_WORLD || !model->joint[body[k]].ops ? 0 : model->joint[body[k]].n;
    if (!n[k])
      return mb_error(b->report, MB_SCENE, at, "\"%s\" has no joint with a coordinate", from->joints[k]);
    for (size_t c = 0; c < n[k]; c++)
      if (is_rotation_vector(&model->joint[body[k]], c)) return refuse_rotation_vector(b, at, "ratios");
  }
  if (body[0] == body[1] || n[0] != n[1])
    return mb_error(b->report, MB_SCENE, where,
                    "a ratio is between two joints with as many degrees of freedom: \"%s\" has %zu, \"%s\" "
                    "has %zu%s",
                    from->joints[0], n[0], from->joints[1], n[1],
                    body[0] == body[1] ? ", and it is the same" : "");
  if (from->enforce == MB_BY_REDUCTION) {
    const size_t before = model->nreductions;
    const MbStatus status = build_reduction(b, i, where, body);
    if (status != MB_OK || mb_solver_of_bodies(&model->solver) != MB_SOLVER_MAXIMAL) return status;
    b->model->nreductions = before; // where joints are held by rows, ratios are too
  }
  for (size_t k = 0; k < n[0]; k++) {
    MbConstraint *constraint = add(b, mb_constraint_table[MB_CONSTRAINT_RATIO], where);
    for (int end = 0; end < 2; end++) {
      constraint->q[end] = model->q_first[body[end]] + k;
      constraint->v[end] = model->v_first[body[end]] + k;
    }
    constraint->ratio = from->ratio, constraint->offset = from->offset;
    constraint->compliance = from->compliance, constraint->damping = from->damping;
    const MbStatus status = name_listed(b, constraint, i, k, n[0]);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

// What asks for rates: bodies that spin in step, or that roll.
static MbStatus build_rates(Builder *b, size_t i, const char *where) {
  const MbConstraintSpec *from = &b->spec->constraints[i];
  MbConstraint *constraint = add(b, mb_constraint_table[from->kind], where);
  constraint->compliance = from->compliance;
  constraint->damping = from->damping;
  const MbStatus status = from->kind == MB_CONSTRAINT_ROLLING
                              ? mb_compile_rolling(b->spec, from, where, b->model, constraint, b->report)
                              : mb_compile_velocity_ratio(from, where, b->model, constraint, b->report);
  return status == MB_OK ? name_listed(b, constraint, i, 0, 1) : status;
}

static MbStatus build_listed(Builder *b, size_t i) {
  const MbConstraintSpec *from = &b->spec->constraints[i];
  char where[WHERE];
  snprintf(where, sizeof where, "/constraints/%zu", i);
  if (from->damping > 0 && from->compliance == 0)
    return mb_error(b->report, MB_SCENE, where,
                    "\"damping\" is of a soft constraint: give it a \"compliance\" above 0");
  const bool rates = from->kind == MB_CONSTRAINT_VELOCITY_RATIO || from->kind == MB_CONSTRAINT_ROLLING;
  if (rates && from->compliance > 0 && !(from->damping > 0))
    return mb_error(b->report, MB_SCENE, where,
                    "a soft \"%s\" slips at \"damping\"/\"compliance\" for each unit of force: give it a "
                    "\"damping\" above 0",
                    mb_constraint_words[from->kind]);
  if (rates) return build_rates(b, i, where);
  return from->kind == MB_CONSTRAINT_RATIO ? build_ratio(b, i, where) : build_between(b, i, where);
}

// ---- the start --------------------------------------------------------------------------------------------

// Value and rates of the signals that a motion uses at t = 0; false where an expression does not compile (which the
// simulation will say).
static bool signals_at_start(const MbModel *model, double *signal) {
  bool fine = true;
  for (size_t i = 0; i < model->nsignals && fine; i++) {
    const MbSignal *s = &model->signals[i];
    char message[8];
    MbExpression *e = s->kind == MB_SIGNAL_EXPRESSION
                          ? mb_expression_create(s->text, model->constants, model->nconstants, true, message,
                                                 sizeof message)
                          : NULL;
    fine = s->kind != MB_SIGNAL_EXPRESSION || e;
    if (fine) mb_signal_rates(s, e, 0, signal + 3 * i);
    mb_expression_free(e);
  }
  return fine;
}

// Hard constraints that do not hold at the start. A length that is not given is that at the start.
static MbStatus check_start(const Builder *b) {
  static const double CLOSE =
      1e-6; // of the numbers whose difference the gap is: what is written with seven digits
  MbModel *model = b->model;
  if (!model->nconstraints) return MB_OK;
  MbArena scratch = {0};
  MbMaximal x = {.nb = model->nb};
  x.E = mb_arena_alloc(&scratch, model->nb, sizeof *x.E);
  x.phi = mb_arena_alloc(&scratch, 6 * model->nb, sizeof *x.phi);
  double *signal = mb_arena_alloc(&scratch, 3 * model->nsignals, sizeof *signal);
  MbStatus status = x.E && x.phi && signal ? MB_OK : mb_no_memory(b->report, "constraints");
  if (status == MB_OK) mb_model_poses(b->model, x.E);
  const bool known = status == MB_OK && signals_at_start(model, signal);
  const MbInstant start = {
      .x = &x, .q = model->q0, .v = model->v0, .signal = signal, .guess = b->guess, .found = b->guess};
  for (size_t i = 0; i < model->nconstraints && status == MB_OK; i++) {
    MbConstraint *constraint = &b->list[i];
    MbRow row[MB_ROWS] = {0};
    for (size_t k = 0; k < MB_ROWS; k++) row[k].body[0] = row[k].body[1] = MB_WORLD;
    const bool driven = constraint->ops == &mb_motion_ops || constraint->npath;
    if (driven && (constraint->order > 0 || !known)) continue;
    constraint->ops->eval(constraint, &start, row);
    if (isnan(constraint->length)) {
      constraint->length = 0;
      constraint->ops->eval(constraint, &start, row);
      constraint->length = fabs(row->g);
      if (constraint->length == 0)
        status =
            mb_error(b->report, MB_SCENE, b->where[i],
                     "the two points coincide at the start: give \"length\", or let \"point\" hold them");
      continue;
    }
    if (constraint->ops == &mb_closure_search_ops && isnan(row->g)) {
      status = mb_error(b->report, MB_SCENE, b->where[i],
                        "\"%s\": no coordinates of the joint \"%s\" bring the two frames together: put them "
                        "nearer, give it a \"position\" to look near, or keep it from singular positions",
                        constraint->name, mb_joint_words[constraint->joint]);
      continue;
    }
    if (constraint->ops->singular && isnan(row->g)) {
      status = mb_error(b->report, MB_SCENE, b->where[i], "\"%s\" has no numbers at the start: %s",
                        constraint->name, constraint->ops->singular);
      continue;
    }
    double gap = 0, size = 0;
    for (size_t k = 0; k < constraint->rows; k++) {
      if (constraint->unilateral && row[k].g > 0) continue;
      gap = fmax(gap, fabs(row[k].g)), size = row[k].size;
    }
    if (gap > CLOSE * size && constraint->compliance == 0)
      mb_warning(b->report, b->where[i], "\"%s\" does not hold at the start: it is off by %.3g%s",
                 constraint->name, gap,
                 model->solver.stabilization.kind == MB_NO_STABILIZATION
                     ? ", and stays so without stabilization"
                     : "; stabilization closes the gap, with the motion that this takes");
  }
  mb_arena_free(&scratch);
  return status;
}

// ---- attachments of deformables ---------------------------------------------------------------------------

// Every chosen node stays at the point of the body where it is at the start (AR 0.17, as rows and not by elimination).
static MbStatus build_attachment(Builder *b, size_t i, size_t k, const MbPose *E, bool *chosen) {
  const MbModel *model = b->model;
  const MbAttachSpec *from = &b->spec->deformables[i].attachments[k];
  const MbDeformable *of = &model->deformables[i];
  char where[WHERE], at[WHERE + 8];
  size_t body = MB_WORLD;
  snprintf(where, sizeof where, "/deformables/%zu/attach/%zu", i, k);
  snprintf(at, sizeof at, "%s/body", where);
  if (!from->body) return MB_OK; // to other nodes
  MbStatus status = mb_model_find_body(model, from->body, at, &body, b->report);
  if (status == MB_OK)
    status = mb_compile_selection(model, b->spec, i, &from->select, where, chosen, b->report);
  if (from->enforce == MB_BY_REDUCTION && !of->points) return status; // a part of the tree (compile_nodes.c)
  if (of->points && body == MB_WORLD) return status; // they stand still (compile_elements_hold.c)
  for (size_t n = 0; n < of->count && status == MB_OK; n++) {
    char text[LONGEST];
    if (!chosen[n]) continue;
    const size_t node = of->points ? of->port[n] : of->first + n;
    MbConstraint *constraint = add(b, mb_constraint_table[MB_CONSTRAINT_POINT], where);
    constraint->body[0] = node, constraint->body[1] = body;
    mb_vec3_copy(constraint->at[1], E[node].p);
    if (body != MB_WORLD) {
      MbPose inverse;
      mb_pose_inverse(&inverse, &E[body]);
      mb_pose_point(constraint->at[1], &inverse, E[node].p);
    }
    snprintf(text, sizeof text, "%s.attach", model->body_name[node]);
    status = name(b, constraint, text);
  }
  return status;
}

// The same at the mean of other nodes.
static MbStatus build_links(Builder *b, const MbPose *E) {
  const MbLink *links = NULL;
  size_t count = 0;
  MbStatus status = mb_compile_links(b->spec, b->model, E, &links, &count, b->report);
  for (size_t i = 0; i < count && status == MB_OK; i++) {
    const MbFollower *follower = &links[i].follower;
    char where[WHERE], text[LONGEST];
    if (links[i].enforce == MB_BY_REDUCTION) continue;
    snprintf(where, sizeof where, "/deformables/%zu/attach/%zu", links[i].deformable, links[i].attachment);
    MbConstraint *constraint = add(b, &mb_follow_ops, where);
    constraint->body[0] = follower->body;
    constraint->master = follower->master, constraint->nmasters = follower->nmasters;
    mb_vec3_copy(constraint->at[1], follower->offset);
    snprintf(text, sizeof text, "%s.attach", b->model->body_name[follower->body]);
    status = name(b, constraint, text);
  }
  return status;
}

static MbStatus build_attachments(Builder *b) {
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

// How many there will be; choices that make no sense are told when they are built.
static MbStatus count_attachments(const Builder *b, size_t *count) {
  const MbModel *model = b->model;
  if (b->spec->solver.kind == MB_SOLVER_PROJECTIVE && !model->nports) return MB_OK;
  MbArena scratch = {0};
  bool *chosen = mb_arena_alloc(&scratch, mb_compile_most_nodes(model), sizeof *chosen);
  for (size_t i = 0; i < model->ndeformables && chosen; i++)
    for (size_t k = 0; k < b->spec->deformables[i].nattachments; k++) {
      MbReport ignored = {0};
      const MbSelectSpec *select = &b->spec->deformables[i].attachments[k].select;
      mb_compile_selection(model, b->spec, i, select, "", chosen, &ignored);
      for (size_t n = 0; n < model->deformables[i].count; n++) *count += chosen[n];
    }
  mb_arena_free(&scratch);
  return chosen ? MB_OK : mb_no_memory(b->report, "constraints");
}

// ---- all --------------------------------------------------------------------------------------------------

static MbStatus check_pair(const Builder *b) {
  const MbSceneSpec *spec = b->spec;
  const bool adaptive = spec->integrator.kind == MB_RK45;
  for (size_t i = 0; i < b->model->nconstraints && adaptive && spec->solver.mode == MB_FIRST_ORDER; i++)
    if (b->list[i].unilateral && !(b->list[i].compliance > 0))
      return mb_error(b->report, MB_SCENE, b->where[i],
                      "in mode \"first_order\" under \"rk45\" %s take another integrator",
                      b->list[i].ops == &mb_limit_ops ? "joints have no limits:"
                                                      : "a rope must be soft: give it a \"compliance\", or");
  if (adaptive && spec->solver.stabilization.kind == MB_POST)
    return mb_error(b->report, MB_SCENE, "/solver/stabilization",
                    "\"rk45\" works on accelerations: its stabilization is \"baumgarte\" or \"none\"");
  return MB_OK;
}

// Slots of the rows, and their names: that of the constraint, with the row's number where there are several.
static MbStatus number_rows(const Builder *b) {
  MbModel *model = b->model;
  for (size_t i = 0; i < model->nconstraints; i++) {
    b->list[i].slot = model->nslots;
    model->nslots += b->list[i].rows;
  }
  const char **slots = mb_arena_alloc(&model->arena, model->nslots + 1, sizeof *slots);
  if (!slots) return mb_no_memory(b->report, "constraints");
  for (size_t i = 0; i < model->nconstraints; i++)
    for (size_t k = 0; k < b->list[i].rows; k++) {
      char text[LONGEST];
      snprintf(text, sizeof text, b->list[i].rows > 1 ? "%s.%zu" : "%s", b->list[i].name, k);
      if (!(slots[b->list[i].slot + k] = mb_arena_strdup(&model->arena, text)))
        return mb_no_memory(b->report, "constraints");
    }
  model->slots = slots;
  return MB_OK;
}

// Room for all that there can be.
static MbStatus make_room(Builder *b) {
  MbModel *model = b->model;
  size_t most = 0, reductions = 0;
  for (size_t i = 0; i < b->spec->nconstraints; i++) {
    const bool ratio = b->spec->constraints[i].kind == MB_CONSTRAINT_RATIO;
    most += ratio ? MB_JOINT_MOST : 1;
    reductions += ratio && b->spec->constraints[i].enforce == MB_BY_REDUCTION ? MB_JOINT_MOST : 0;
  }
  for (size_t i = 0; i < model->nlisted; i++) {
    const MbJointSpec *joint = &b->spec->bodies[i].joint;
    const size_t n = model->joint[model->number[i]].n;
    if (b->spec->bodies[i].motion) most++;
    if (!b->spec->bodies[i].jointed) continue;
    most += (joint->limits.count ? 2 * n : 0) + (joint->motion ? n : 0);
  }
  if (count_attachments(b, &most) != MB_OK) return MB_IO;
  b->list = mb_arena_alloc(&model->arena, most, sizeof *b->list);
  b->where = mb_arena_alloc(&model->arena, most, sizeof *b->where);
  b->reductions = mb_arena_alloc(&model->arena, reductions, sizeof *b->reductions);
  b->guess = mb_arena_alloc(&model->arena, MB_JOINT_DOFS * b->spec->nconstraints, sizeof *b->guess);
  if (!b->list || !b->where || !b->guess || !b->reductions) return mb_no_memory(b->report, "constraints");
  model->constraints = b->list;
  model->guess0 = b->guess;
  model->reductions = b->reductions;
  return MB_OK;
}

// Whether the coordinate that a row is off along turns the joint: else its gap is a length.
static bool turns(const MbModel *model, const MbConstraint *constraint) {
  const int end = constraint->ops->coordinates > 1; // of a ratio the one that follows
  const size_t b = mb_coordinates_body(model, model->nq + constraint->v[end]);
  const MbJoint *joint = &model->joint[b];
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  MbPose Q;
  joint->ops->eval(joint, model->q0 + model->q_first[b], model->v0 + model->v_first[b], &Q, S, Sdot);
  return mb_vec3_norm(S + 6 * (constraint->v[end] - model->v_first[b])) > 0;
}

// Gaps at which the run ends, and which of the coordinates' are angles.
static MbStatus build_largest(const Builder *b) {
  static const double LARGEST = 0.05; // where the scene says nothing
  MbModel *model = b->model;
  const double given = b->spec->solver.stabilization.largest_error, most = given > 0 ? given : LARGEST;
  double size = 0;
  for (size_t i = 0; i < model->nconstraints; i++)
    if (b->list[i].ops->coordinates) b->list[i].turns = turns(model, &b->list[i]);
  const MbStatus status = mb_compile_size(model, &size, b->report);
  model->size = size, model->largest[0] = most * size, model->largest[1] = most;
  return status;
}

MbStatus mb_compile_constraints(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  Builder b = {.spec = spec, .model = model, .report = report};
  MbStatus status = make_room(&b);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < model->nlisted; i++) {
    const MbJointSpec *joint = &spec->bodies[i].joint;
    if (spec->bodies[i].motion && build_driven(&b, i) != MB_OK) status = MB_SCENE;
    if (!spec->bodies[i].jointed) continue;
    const MbStatus limits = joint->limits.count ? build_limits(&b, i, &joint->limits) : MB_OK;
    const MbStatus motion = joint->motion ? build_motion(&b, i, joint->motion) : MB_OK;
    if (limits != MB_OK || motion != MB_OK) status = MB_SCENE;
  }
  for (size_t i = 0; i < spec->nconstraints; i++)
    if (build_listed(&b, i) != MB_OK) status = MB_SCENE;
  if (status == MB_OK) status = build_attachments(&b);
  const bool held =
      model->jointed && mb_solver_of_bodies(&spec->solver) == MB_SOLVER_MAXIMAL && !spec->solver.project;
  if (status != MB_OK || (!model->nconstraints && !held)) return status;

  const MbStabilizationSpec *stabilization = &spec->solver.stabilization;
  const bool given = stabilization->kind == MB_BAUMGARTE && !isnan(stabilization->gamma);
  model->ahead = !given;
  if (stabilization->kind == MB_BAUMGARTE)
    model->gamma = given ? stabilization->gamma : mb_compile_gamma(spec, model);
  const bool outward = stabilization->kind == MB_BAUMGARTE && stabilization->upper_limits == MB_OUTWARD;
  if (outward && !given)
    return mb_error(report, MB_SCENE, "/solver/stabilization",
                    "\"upper_limits\": \"outward\" goes with a \"gamma\" of which there is none");
  for (size_t i = 0; i < model->nconstraints && outward; i++)
    if (b.list[i].ops == &mb_limit_ops && b.list[i].sign < 0) b.list[i].outward = 2 * model->gamma;
  status = check_pair(&b);
  if (status == MB_OK) status = number_rows(&b);
  if (status == MB_OK) status = build_largest(&b);
  return status == MB_OK ? check_start(&b) : status;
}
