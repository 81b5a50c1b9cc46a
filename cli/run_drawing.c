// The DRAW record: joints' axes, inertias, lines between points, deformables' poses, planes, colours. It is made from scene and model alone, so that a resumed run
// writes the same bytes. io/README.md says what its members mean.
#include "cli/drawing.h"
#include "cli/run.h"
#include "core/forces/muscle.h"
#include "core/base/alloc.h"
#include "core/model/ops.h"

#include <string.h>

enum { MOST_BODIES = 100000 }; // beyond which a picture shows nothing any more

void mb_drawing_numbers(MbText *t, const char *key, const double *x, size_t n) {
  mb_text_format(t, "\"%s\":[", key);
  for (size_t i = 0; i < n; i++) {
    if (i) mb_text_add(t, ",");
    mb_text_number(t, x[i]);
  }
  mb_text_add(t, "]");
}

// ---- bodies -----------------------------------------------------------------------------------------------

// The solid ellipsoid with half axes r has I1 = m (r2² + r3²) / 5, and so on.
static bool ellipsoid_radii(const double M[6], double radii[3]) {
  for (int i = 0; i < 3; i++) {
    const double square = 5 / (2 * M[3]) * (M[(i + 1) % 3] + M[(i + 2) % 3] - M[i]);
    if (!isfinite(square) || M[3] <= 0) return false;
    radii[i] = sqrt(square > 0 ? square : 0);
  }
  return true;
}

static void add_ellipsoid(MbText *t, const MbModel *model, size_t b) {
  double radii[3];
  if (!ellipsoid_radii(model->M + 6 * b, radii)) return;
  mb_text_add(t, ",\"ellipsoid\":{");
  mb_drawing_numbers(t, "center", model->C[b].p, 3);
  mb_text_add(t, ",");
  mb_drawing_numbers(t, "rotation", model->C[b].q, 4);
  mb_text_add(t, ",");
  mb_drawing_numbers(t, "radii", radii, 3);
  mb_text_add(t, "}");
}

// Column k of S at the start: the direction that it turns about, else the one that it slides along, in the joint's axes.
static bool axis_of(const double S[6], double axis[3]) {
  const double turns = mb_vec3_norm(S), slides = mb_vec3_norm(S + 3);
  if (turns < 1e-12 && slides < 1e-12) return false;
  mb_vec3_scale(axis, turns < 1e-12 ? 1 / slides : 1 / turns, turns < 1e-12 ? S + 3 : S);
  return true;
}

static void add_joint(MbText *t, const MbModel *model, const long *listed, size_t b) {
  const MbJoint *joint = &model->joint[b];
  if (!joint->ops) return;
  MbPose inverse, frame, Q;
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST], zero[MB_JOINT_MOST] = {0}, axis[3], turned[3];
  mb_pose_inverse(&inverse, &model->B[b]);
  mb_pose_mul(&frame, &model->C[b], &inverse); // the joint's frame in the body's
  joint->ops->eval(joint, model->q0 + model->q_first[b], zero, &Q, S, Sdot);
  mb_text_format(t, ",\"joint\":{\"type\":\"%s\",\"parent\":%ld,", joint->ops->name,
                 model->parent[b] == MB_WORLD ? -1 : listed[model->parent[b]]);
  mb_drawing_numbers(t, "at", frame.p, 3);
  mb_text_add(t, ",");
  mb_drawing_numbers(t, "rotation", frame.q, 4);
  mb_text_add(t, ",\"axes\":[");
  for (size_t k = 0, n = 0; k < joint->n; k++) {
    if (!axis_of(S + 6 * k, axis)) continue;
    mb_quat_rotate(turned, frame.q, axis);
    mb_text_add(t, n++ ? ",[" : "[");
    for (int i = 0; i < 3; i++) {
      if (i) mb_text_add(t, ",");
      mb_text_number(t, turned[i]);
    }
    mb_text_add(t, "]");
  }
  mb_text_add(t, "]}");
}

// What a body without shapes is drawn in, and named by in lists: its first shape's colour, or its own.
static const double *body_color(const MbSceneSpec *spec, size_t i) {
  const MbBodySpec *body = &spec->bodies[i];
  return mb_shape_color(spec, body, body->nshapes ? &body->shapes[0] : NULL);
}

static void add_bodies(MbText *t, const MbModel *model, const MbSceneSpec *spec, const long *listed) {
  mb_text_add(t, ",\"bodies\":[");
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    mb_text_add(t, i ? ",{" : "{");
    mb_drawing_numbers(t, "center", model->C[b].p, 3);
    add_ellipsoid(t, model, b);
    add_joint(t, model, listed, b);
    mb_drawing_color(t, body_color(spec, i));
    mb_text_add(t, "}");
  }
  mb_text_add(t, "]");
}

// ---- lines ------------------------------------------------------------------------------------------------

// The deformable whose node body b is.
static const MbDeformable *node_owner(const MbModel *model, size_t b) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *d = &model->deformables[i];
    if (!d->points && b >= d->first && b - d->first < d->count) return d;
  }
  return NULL;
}

static void add_node(MbText *t, const MbDeformable *of, size_t node) {
  mb_text_add(t, "{\"deformable\":");
  mb_text_quoted(t, of->name);
  mb_text_format(t, ",\"node\":%zu}", node);
}

void mb_drawing_point(const MbDrawing *lines, size_t body, const double at[3]) {
  const MbModel *model = lines->model;
  double p[3] = {at[0], at[1], at[2]};
  const MbDeformable *of = body == MB_WORLD || body < model->nlisted ? NULL : node_owner(model, body);
  if (of) {
    add_node(lines->t, of, body - of->first);
    return;
  }
  mb_text_add(lines->t, "{");
  if (body != MB_WORLD) {
    mb_pose_point(p, &model->C[body], at);
    mb_text_format(lines->t, "\"body\":%ld,", lines->listed[body]);
  }
  mb_drawing_numbers(lines->t, "at", p, 3);
  mb_text_add(lines->t, "}");
}

static bool begin_line(MbDrawing *lines, const char *name, const char *kind) {
  if (lines->nlines >= MB_DRAWING_LINES) return false;
  mb_text_add(lines->t, lines->nlines++ ? ",{\"name\":" : "{\"name\":");
  mb_text_quoted(lines->t, name ? name : "");
  mb_text_format(lines->t, ",\"kind\":\"%s\",\"points\":[", kind);
  return true;
}

// Springs between two nodes of a deformable are edges of its mesh, which is drawn anyway.
static bool within_deformable(const MbModel *model, const MbForce *force) {
  const size_t a = force->points[0].body, b = force->points[1].body;
  if (a == MB_WORLD || b == MB_WORLD || a < model->nlisted || b < model->nlisted) return false;
  return node_owner(model, a) == node_owner(model, b);
}

static void add_force(MbDrawing *lines, const MbForce *force) {
  if (force->npoints < 2 || force->elements || within_deformable(lines->model, force)) return;
  if (!begin_line(lines, force->name, force->ops->muscle ? "muscle" : "spring")) return;
  for (size_t i = 0; i < force->npoints; i++) {
    if (i) mb_text_add(lines->t, ",");
    mb_drawing_point(lines, force->points[i].body, force->points[i].at.p);
  }
  mb_text_add(lines->t, "]");
  if (force->ops->muscle) {
    mb_text_add(lines->t, ",\"most\":");
    mb_text_number(lines->t, ((const MbMuscle *)force->parameters)->max_force);
  }
  mb_text_add(lines->t, "}");
}

static void add_constraint(MbDrawing *lines, const MbConstraint *c) {
  if (strcmp(c->ops->name, "distance") != 0 ||
      !begin_line(lines, c->name, c->unilateral ? "rope" : "distance"))
    return;
  mb_drawing_point(lines, c->body[0], c->at[0]);
  mb_text_add(lines->t, ",");
  mb_drawing_point(lines, c->body[1], c->at[1]);
  mb_text_add(lines->t, "]}");
}

static void add_cable(MbDrawing *lines, const MbDeformable *of, const MbCable *cable) {
  if (!begin_line(lines, of->name, "cable")) return;
  for (size_t i = 0; i < cable->npoints; i++) {
    mb_text_add(lines->t, i ? ",{\"deformable\":" : "{\"deformable\":");
    mb_text_quoted(lines->t, of->name);
    mb_text_add(lines->t, ",\"nodes\":[");
    for (size_t k = cable->first[i]; k < cable->first[i + 1]; k++)
      mb_text_format(lines->t, k > cable->first[i] ? ",%u" : "%u", cable->node[k]);
    mb_text_add(lines->t, "]}");
  }
  mb_text_add(lines->t, "]}");
}

static void add_lines(MbDrawing *lines) {
  const MbModel *model = lines->model;
  mb_text_add(lines->t, ",\"lines\":[");
  for (size_t i = 0; i < model->nforces; i++) add_force(lines, &model->forces[i]);
  for (size_t i = 0; i < model->nconstraints; i++) add_constraint(lines, &model->constraints[i]);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *elements = model->deformables[i].elements;
    for (size_t k = 0; elements && k < elements->ncables; k++)
      add_cable(lines, &model->deformables[i], &elements->cables[k]);
  }
  mb_text_add(lines->t, "]");
}

// ---- deformables ------------------------------------------------------------------------------------------

// Where the meshes of MESH records stand at the start.
static void add_deformables(MbText *t, const MbSceneSpec *spec) {
  mb_text_add(t, ",\"deformables\":[");
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const MbDeformableSpec *of = &spec->deformables[i];
    mb_text_add(t, i ? ",{\"name\":" : "{\"name\":");
    mb_text_quoted(t, of->name);
    mb_text_add(t, ",");
    mb_drawing_numbers(t, "position", of->pose.position, 3);
    mb_text_add(t, ",");
    mb_drawing_numbers(t, "rotation", of->pose.rotation, 4);
    mb_drawing_color(t, of->color);
    mb_text_add(t, "}");
  }
  mb_text_add(t, "]");
}

// ---- planes -----------------------------------------------------------------------------------------------

// normal · x = offset in the shape's frame, which stands in the body's.
static void add_plane(MbText *t, const MbSceneSpec *spec, size_t body, const MbShapeSpec *shape) {
  MbPose frame;
  double at[3], normal[3], through[3];
  memcpy(frame.p, shape->frame.position, sizeof frame.p);
  memcpy(frame.q, shape->frame.rotation, sizeof frame.q);
  mb_vec3_scale(at, shape->offset / mb_vec3_dot(shape->normal, shape->normal), shape->normal);
  mb_pose_point(through, &frame, at);
  mb_quat_rotate(normal, frame.q, shape->normal);
  mb_text_format(t, "{\"body\":%zu,", body);
  mb_drawing_numbers(t, "normal", normal, 3);
  mb_text_add(t, ",");
  mb_drawing_numbers(t, "through", through, 3);
  mb_drawing_color(t, mb_shape_color(spec, &spec->bodies[body], shape));
  mb_text_add(t, "}");
}

static void add_planes(MbText *t, const MbSceneSpec *spec) {
  size_t n = 0;
  mb_text_add(t, ",\"planes\":[");
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++) {
      if (spec->bodies[i].shapes[k].kind != MB_SHAPE_PLANE) continue;
      if (n++) mb_text_add(t, ",");
      add_plane(t, spec, i, &spec->bodies[i].shapes[k]);
    }
  mb_text_add(t, "]");
}

static void add_up(MbText *t, const MbModel *model) {
  const double g = mb_vec3_norm(model->gravity);
  double up[3] = {0, 0, 1};
  if (g > 0) mb_vec3_scale(up, -1 / g, model->gravity);
  for (int i = 0; i < 3; i++) up[i] += 0; // no negative zeros
  mb_drawing_numbers(t, "up", up, 3);
}

MbStatus mb_run_write_drawing(MbRun *run, MbReport *report) {
  const MbModel *model = run->model;
  if (model->nlisted > MOST_BODIES) return MB_OK;
  long *listed = mb_calloc(model->nb, sizeof *listed); // the scene's number of each body
  if (!listed) return mb_no_memory(report, "what pictures need");
  for (size_t i = 0; i < model->nlisted; i++) listed[model->number[i]] = (long)i;
  MbText t = {0};
  mb_text_add(&t, "{");
  add_up(&t, model);
  add_bodies(&t, model, &run->scene->spec, listed);
  mb_drawing_shapes(&t, &run->scene->spec);
  MbDrawing drawing = {.t = &t, .model = model, .listed = listed};
  add_lines(&drawing);
  mb_drawing_constraints(&drawing);
  if (run->scene->spec.ndeformables) add_deformables(&t, &run->scene->spec);
  add_planes(&t, &run->scene->spec);
  mb_text_add(&t, "}");
  mb_free(listed);
  char *json = mb_text_take(&t);
  const MbStatus status =
      json ? mb_traj_drawing(run->writer, json, report) : mb_no_memory(report, "what pictures need");
  mb_free(json);
  return status;
}
