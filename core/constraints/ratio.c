// Two coordinates in step (gears): g = ratio q_a + offset − q_b,  ġ = ratio q̇_a − q̇_b.
#include "core/constraints/ratio.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"

#include <math.h>
#include <stdio.h>

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbRatio *own = constraint->parameters;
  const double a = at->q[constraint->q[0]], b = at->q[constraint->q[1]];
  rows->v[0] = constraint->v[0], rows->c[0] = own->ratio;
  rows->v[1] = constraint->v[1], rows->c[1] = -1;
  rows->g = own->ratio * a + own->offset - b;
  rows->angle = constraint->turns;
  rows->size = 1 + fabs(own->ratio * a) + fabs(own->offset) + fabs(b);
}

static double felt(const MbConstraint *constraint) {
  return ((const MbRatio *)constraint->parameters)->ratio;
}

// ---- from the scene ---------------------------------------------------------------------------------------

extern const MbConstraintOps mb_ratio_ops;

// By reduction b starts with what follows from a's coordinates, which a spring's length and an attached node's place are measured
// with.
static void start(const MbConstraintSpec *from, const MbSceneSpec *scene, MbModel *model) {
  const MbRatioSpec *spec = from->parameters;
  size_t listed[2], body[2];
  if (spec->enforce != MB_BY_REDUCTION) return;
  for (int k = 0; k < 2; k++) {
    if (!spec->joints[k] || !mb_names_find(&model->names, spec->joints[k], &listed[k])) return;
    body[k] = model->number[listed[k]];
    if (!model->joint[body[k]].ops) return;
  }
  const size_t n = model->joint[body[0]].n;
  if (n != model->joint[body[1]].n) return;
  const MbJointSpec *joint = &scene->bodies[listed[1]].joint;
  double *q0 = (double *)model->q0, *v0 = (double *)model->v0;
  for (size_t k = 0; k < n; k++) {
    if (!joint->position.count)
      q0[model->q_first[body[1]] + k] = spec->ratio * q0[model->q_first[body[0]] + k] + spec->offset;
    if (!joint->velocity.count && !joint->twist)
      v0[model->v_first[body[1]] + k] = spec->ratio * v0[model->v_first[body[0]] + k];
  }
}

// What the joint of b starts with has to be what follows from a's.
static MbStatus agree(const MbBuilder *b, const char *where, const char *what, const char *names[2],
                      bool given, double found, double wanted) {
  static const double CLOSE = 1e-6; // written with seven digits
  if (!given || fabs(found - wanted) <= CLOSE * (1 + fabs(found) + fabs(wanted))) return MB_OK;
  return mb_error(b->report, MB_SCENE, where,
                  "the %s of \"%s\" follows from that of \"%s\": found %.9g, wanted %.9g, or none", what,
                  names[1], names[0], found, wanted);
}

// By reduction: b's coordinates follow a's and start with what follows from them.
static MbStatus reduce(MbBuilder *b, const MbConstraintSpec *from, const size_t body[2]) {
  MbModel *model = b->model;
  const MbRatioSpec *spec = from->parameters;
  const char *names[2] = {spec->joints[0], spec->joints[1]};
  if (from->compliance > 0)
    return mb_error(b->report, MB_SCENE, b->where,
                    "a ratio with a \"compliance\" cannot be enforced by \"reduction\"");
  const size_t v[2] = {model->v_first[body[0]], model->v_first[body[1]]};
  for (size_t k = 0; k < model->nreductions; k++) {
    const MbReduction *r = &b->reductions[k];
    for (int end = 0; end < 2; end++)
      if (r->v[1] == v[end] || r->v[0] == v[1])
        return mb_error(
            b->report, MB_SCENE, b->where,
            "the joint of \"%s\" is in another reduction: in a chain of ratios, let all joints follow "
            "the first one, or enforce this by \"constraint\"",
            names[r->v[1] == v[0] ? 0 : 1]);
  }
  size_t listed = 0;
  mb_names_find(&model->names, names[1], &listed);
  const MbJointSpec *joint = &b->spec->bodies[listed].joint;
  double *q0 = (double *)model->q0, *v0 = (double *)model->v0;
  for (size_t k = 0; k < model->joint[body[1]].n; k++) {
    MbReduction *r = NULL;
    const MbStatus room = mb_builder_reduction(b, &r);
    if (room != MB_OK) return room;
    r->body = body[1], r->ratio = spec->ratio, r->offset = spec->offset;
    for (int end = 0; end < 2; end++) r->q[end] = model->q_first[body[end]] + k, r->v[end] = v[end] + k;
    const double q = r->ratio * q0[r->q[0]] + r->offset, rate = r->ratio * v0[r->v[0]];
    const MbStatus parts[] = {
        agree(b, b->where, "position", names, joint->position.count > 0, q0[r->q[1]], q),
        agree(b, b->where, "velocity", names, joint->velocity.count > 0 || joint->twist, v0[r->v[1]], rate)};
    if (parts[0] != MB_OK || parts[1] != MB_OK) return MB_SCENE;
    q0[r->q[1]] = q, v0[r->v[1]] = rate;
  }
  return MB_OK;
}

// Joints a and b: one row for each of their degrees of freedom.
static MbStatus build(MbBuilder *b, const MbConstraintSpec *from) {
  const MbModel *model = b->model;
  const MbRatioSpec *spec = from->parameters;
  size_t body[2], n[2];
  for (int k = 0; k < 2; k++) {
    char key[32];
    snprintf(key, sizeof key, "joints/%d", k);
    const char *at = mb_builder_at(b, key);
    const MbStatus status = mb_model_find_body(model, spec->joints[k], at, &body[k], b->report);
    if (status != MB_OK) return status;
    n[k] = body[k] == MB_WORLD || !model->joint[body[k]].ops ? 0 : model->joint[body[k]].n;
    if (!n[k])
      return mb_error(b->report, MB_SCENE, at, "\"%s\" has no joint with a coordinate", spec->joints[k]);
    for (size_t c = 0; c < n[k]; c++)
      if (mb_joint_is_rotation_vector(&model->joint[body[k]], c))
        return mb_builder_refuse_rotation_vector(b, at, "ratios");
  }
  if (body[0] == body[1] || n[0] != n[1])
    return mb_error(b->report, MB_SCENE, b->where,
                    "a ratio is between two joints with as many degrees of freedom: \"%s\" has %zu, \"%s\" "
                    "has %zu%s",
                    spec->joints[0], n[0], spec->joints[1], n[1],
                    body[0] == body[1] ? ", and it is the same" : "");
  if (spec->enforce == MB_BY_REDUCTION) {
    const size_t before = model->nreductions;
    const MbStatus status = reduce(b, from, body);
    if (status != MB_OK || mb_solver_of_bodies(&model->solver) != MB_SOLVER_MAXIMAL) return status;
    b->model->nreductions = before; // where joints are held by rows, ratios are too
  }
  for (size_t k = 0; k < n[0]; k++) {
    MbConstraint *made = NULL;
    MbStatus status = mb_builder_add(b, &mb_ratio_ops, &made);
    if (status != MB_OK) return status;
    MbRatio *own = mb_builder_own(made);
    for (int end = 0; end < 2; end++) {
      made->q[end] = model->q_first[body[end]] + k;
      made->v[end] = model->v_first[body[end]] + k;
    }
    own->ratio = spec->ratio, own->offset = spec->offset;
    made->compliance = from->compliance, made->damping = from->damping;
    status = mb_builder_name(b, made, from->name, k, n[0]);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

const MbConstraintOps mb_ratio_ops = {.name = "ratio",
                                      .parameters = sizeof(MbRatio),
                                      .rows = 1,
                                      .coordinates = 2,
                                      .start = start,
                                      .build = build,
                                      .felt = felt,
                                      .eval = eval};
