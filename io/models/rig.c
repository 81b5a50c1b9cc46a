#include "io/models/rig.h"
#include "core/base/alloc.h"
#include "core/math/quat.h"

#include <string.h>

void mb_rig_free(MbRig *rig) {
  for (size_t b = 0; b < rig->nbodies; b++) {
    mb_free(rig->body[b].joint);
    mb_free(rig->body[b].shape);
  }
  for (size_t i = 0; i < rig->nties; i++) mb_free(rig->tie[i].path);
  mb_free(rig->body);
  mb_free(rig->tie);
  mb_free(rig->pair);
  mb_arena_free(&rig->arena);
  *rig = (MbRig){0};
}

MbRigBody *mb_rig_add_body(MbRig *rig, const char *name, MbXmlPlace at) {
  if (!mb_grow(&rig->body, &rig->room_bodies, rig->nbodies + 1, sizeof *rig->body)) return NULL;
  MbRigBody *body = &rig->body[rig->nbodies++];
  *body = (MbRigBody){.name = name, .at = at, .parent = MB_RIG_WORLD, .frame = mb_rig_frame()};
  return body;
}

MbRigJoint *mb_rig_add_joint(MbRigBody *body, MbRigKind kind, MbXmlPlace at) {
  if (!mb_grow(&body->joint, &body->room_joints, body->njoints + 1, sizeof *body->joint)) return NULL;
  MbRigJoint *joint = &body->joint[body->njoints++];
  *joint = (MbRigJoint){.kind = kind, .at = at, .axis = {0, 0, 1}, .most = NAN, .follows = MB_RIG_WORLD};
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
                        .friction = NAN,
                        .color = {NAN, NAN, NAN, NAN}};
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
  for (size_t b = 0; b < rig->nbodies; b++)
    if (!strcmp(rig->body[b].name, name)) return b;
  return MB_RIG_WORLD;
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
