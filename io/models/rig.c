// What models say, apart from any format: adding to a rig, frames of its bodies, numbers as people write them, paths of files.
#include "io/models/rig.h"
#include "core/base/alloc.h"
#include "core/math/quat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mb_rig_free(MbRig *rig) {
  for (size_t b = 0; b < rig->nbodies; b++) {
    mb_free(rig->body[b].joint);
    mb_free(rig->body[b].shape);
  }
  for (size_t i = 0; i < rig->nties; i++) mb_free(rig->tie[i].path);
  mb_free(rig->body);
  mb_rig_names_free(&rig->names);
  mb_free(rig->tie);
  mb_free(rig->pair);
  mb_arena_free(&rig->arena);
  *rig = (MbRig){0};
}

MbRigBody *mb_rig_add_body(MbRig *rig, const char *name, MbXmlPlace at) {
  size_t before = 0;
  if (!mb_grow(&rig->body, &rig->room_bodies, rig->nbodies + 1, sizeof *rig->body) ||
      !mb_rig_names_put(&rig->names, name, rig->nbodies, &before))
    return NULL;
  MbRigBody *body = &rig->body[rig->nbodies++];
  *body = (MbRigBody){.name = name, .at = at, .parent = MB_RIG_WORLD, .frame = mb_rig_frame()};
  return body;
}

MbRigJoint *mb_rig_add_joint(MbRigBody *body, MbRigKind kind, MbXmlPlace at) {
  if (!mb_grow(&body->joint, &body->room_joints, body->njoints + 1, sizeof *body->joint)) return NULL;
  MbRigJoint *joint = &body->joint[body->njoints++];
  *joint = (MbRigJoint){.kind = kind,
                        .at = at,
                        .axis = {0, 0, 1},
                        .effort = NAN,
                        .speed_limit = NAN,
                        .most = NAN,
                        .follows = MB_RIG_WORLD};
  return joint;
}

MbRigShape *mb_rig_add_shape(MbRigBody *body, MbShapeKind kind, MbXmlPlace at) {
  if (!mb_grow(&body->shape, &body->room_shapes, body->nshapes + 1, sizeof *body->shape)) return NULL;
  MbRigShape *shape = &body->shape[body->nshapes++];
  *shape = (MbRigShape){.kind = kind,
                        .at = at,
                        .frame = mb_rig_frame(),
                        .normal = {0, 0, 1},
                        .scale = {1, 1, 1},
                        .density = NAN,
                        .mass = NAN,
                        .contype = 1,
                        .conaffinity = 1,
                        .condim = 3,
                        .friction = NAN};
  return shape;
}

MbRigTie *mb_rig_add_tie(MbRig *rig, MbRigTieKind kind, MbXmlPlace at) {
  if (!mb_grow(&rig->tie, &rig->room_ties, rig->nties + 1, sizeof *rig->tie)) return NULL;
  MbRigTie *tie = &rig->tie[rig->nties++];
  *tie = (MbRigTie){.kind = kind, .at = at, .length = NAN};
  return tie;
}

MbRigPair *mb_rig_add_pair(MbRig *rig, MbXmlPlace at) {
  if (!mb_grow(&rig->pair, &rig->room_pairs, rig->npairs + 1, sizeof *rig->pair)) return NULL;
  MbRigPair *pair = &rig->pair[rig->npairs++];
  *pair = (MbRigPair){.at = at, .friction = NAN};
  return pair;
}

size_t mb_rig_find_body(const MbRig *rig, const char *name) {
  const size_t found = mb_rig_names_find(&rig->names, name);
  return found == MB_RIG_NO_NAME ? MB_RIG_WORLD : found;
}

bool mb_rig_is_unscaled(const MbRigShape *shape) {
  return shape->scale[0] == 1 && shape->scale[1] == 1 && shape->scale[2] == 1;
}

MbRigFrame mb_rig_frame(void) { return (MbRigFrame){.q = {1, 0, 0, 0}}; }

MbRigFrame mb_rig_compose(const MbRigFrame *outer, const MbRigFrame *inner) {
  MbRigFrame out = *inner;
  const bool still = outer->q[0] == 1;
  mb_quat_rotate(out.p, outer->q, inner->p);
  mb_vec3_add(out.p, out.p, outer->p);
  if (still) {
    mb_vec3_add(out.p, inner->p, outer->p);
    return out;
  }
  mb_quat_mul(out.q, outer->q, inner->q);
  mb_quat_normalise(out.q);
  out.order = NULL;
  if (inner->q[0] == 1) { // the outer turn is all there is
    out.order = outer->order;
    memcpy(out.angles, outer->angles, sizeof out.angles);
    memcpy(out.q, outer->q, sizeof out.q);
  }
  return out;
}

void mb_rig_euler(const char *order, const double angles[3], double q[4]) {
  mb_quat_identity(q);
  for (int i = 0; i < 3; i++) {
    double w[3] = {0}, turn[4];
    w[order[i] - 'x'] = angles[i];
    mb_quat_exp(turn, w);
    mb_quat_mul(q, q, turn);
  }
  mb_quat_normalise(q);
}

void mb_rig_turn_z(const double to[3], double q[4]) {
  double v[3] = {-to[1], to[0], 0}; // z × to
  const double s = mb_vec3_norm(v), angle = atan2(s, to[2]);
  if (s < 1e-10 * mb_vec3_norm(to)) mb_vec3_set(v, 1, 0, 0);
  mb_vec3_scale(v, 1 / mb_vec3_norm(v), v);
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = sin(angle / 2) * v[i];
}

static double tidy(double x, double size) {
  char text[32];
  const double within = 4e-16 * fmax(fabs(x), size);
  if (fabs(x) < within) return 0;
  snprintf(text, sizeof text, "%.12g", x);
  const double round = strtod(text, NULL);
  return fabs(round - x) <= within ? round : x;
}

void mb_rig_tidy(double *x, int n, double size) {
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  for (int i = 0; i < n; i++) x[i] = tidy(x[i], size);
}

double mb_rig_bound(double x) {
  static const double OPEN = 1e10;
  return x >= OPEN ? INFINITY : x <= -OPEN ? -INFINITY : x;
}

// What a joint moves its body by, seen from where the body stands as the model is written.
static MbRigFrame moved_by(const MbRigJoint *j, MbRigWhen when) {
  MbRigFrame f = mb_rig_frame();
  double axis[3], arm[3];
  mb_vec3_scale(axis, 1 / mb_vec3_norm(j->axis), j->axis);
  const double by = when == MB_RIG_RESTING ? j->rest - j->ref : j->placed ? j->q[0] - j->ref : 0;
  if (j->kind == MB_RIG_SLIDE) mb_vec3_scale(f.p, by, axis);
  if (j->kind == MB_RIG_HINGE) {
    f.q[0] = cos(by / 2);
    mb_vec3_scale(f.q + 1, sin(by / 2), axis);
  }
  if (j->kind == MB_RIG_BALL && when == MB_RIG_STARTING && j->placed) memcpy(f.q, j->q, sizeof f.q);
  if (j->kind != MB_RIG_HINGE && j->kind != MB_RIG_BALL) return f;
  mb_quat_rotate(arm, f.q, j->p);
  mb_vec3_sub(f.p, j->p, arm);
  return f;
}

static MbRigFrame stands_then(const MbRig *rig, size_t body, MbRigWhen when) {
  MbRigFrame f = mb_rig_frame();
  for (; body != MB_RIG_WORLD; body = rig->body[body].parent) {
    const MbRigBody *at = &rig->body[body];
    for (size_t k = at->njoints; k-- > 0 && when != MB_RIG_WRITTEN;) {
      const MbRigFrame by = moved_by(&at->joint[k], when);
      f = mb_rig_compose(&by, &f);
    }
    f = mb_rig_compose(&at->frame, &f);
  }
  return f;
}

MbRigFrame mb_rig_stands(const MbRig *rig, size_t body) { return stands_then(rig, body, MB_RIG_WRITTEN); }

double mb_rig_way(const MbRig *rig, const MbRigPoint *path, size_t n, MbRigWhen when) {
  double length = 0, before[3] = {0};
  for (size_t i = 0; i < n; i++) {
    const MbRigFrame stands = stands_then(rig, path[i].body, when),
                     at = mb_rig_compose(&stands, &path[i].frame);
    double way[3];
    mb_vec3_sub(way, at.p, before);
    if (i) length += mb_vec3_norm(way);
    mb_vec3_copy(before, at.p);
  }
  return length;
}

// Both are real paths.
static void relative(const char *file, const char *folder, char *out, size_t size) {
  size_t common = 0, i = 0;
  for (; file[i] && file[i] == folder[i]; i++)
    if (file[i] == '/') common = i + 1;
  if (!folder[i] && file[i] == '/') common = i + 1;
  size_t up = 0;
  for (const char *at = folder + (common > strlen(folder) ? strlen(folder) : common); *at; at++)
    if (*at == '/' || at == folder + common) up++;
  out[0] = 0;
  for (size_t k = 0, n = 0; k < up && n + 4 < size; k++, n += 3) memcpy(out + n, "../", 4);
  const size_t n = strlen(out);
  snprintf(out + n, size - n, "%s", file + common);
}

void mb_rig_relative(const char *file, const char *folder, char *out, size_t size) {
  char real[PATH_MAX], from[PATH_MAX];
  if (realpath(file, real) && realpath(folder ? folder : ".", from))
    relative(real, from, out, size);
  else
    snprintf(out, size, "%s", file);
}
