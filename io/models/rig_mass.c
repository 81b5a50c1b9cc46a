// A rig made fit to be a scene: bodies merged, shapes without mass handed on, masses found.
#include "core/base/alloc.h"
#include "core/compile/inertia.h"
#include "core/math/quat.h"
#include "io/mesh/mesh.h"
#include "io/models/door.h"

#include <string.h>

static void frame_spec(const MbRigFrame *frame, MbFrameSpec *out) {
  memcpy(out->position, frame->p, sizeof out->position);
  memcpy(out->rotation, frame->q, sizeof out->rotation);
}

bool mb_rig_shape_spec(MbDoor *door, const MbRigShape *shape, MbArena *arena, MbShapeSpec *spec) {
  *spec = (MbShapeSpec){.kind = shape->kind,
                        .radius = shape->radius,
                        .length = shape->length,
                        .offset = shape->offset,
                        .scale = 1,
                        .density = NAN};
  memcpy(spec->size, shape->size, sizeof spec->size);
  memcpy(spec->normal, shape->normal, sizeof spec->normal);
  frame_spec(&shape->frame, &spec->frame);
  if (shape->kind != MB_SHAPE_MESH) return true;
  MbReport report = {0};
  MbMesh *mesh = NULL;
  if (mb_mesh_read(shape->file, 1, "", arena, &mesh, &report))
    return mb_door_error(door, shape->at, "mesh %s: %s", shape->file, report.issues[0].text);
  mb_mesh_stretch(mesh, shape->scale);
  spec->mesh = mesh;
  return true;
}

static bool weigh_shape(MbDoor *door, const MbRigShape *shape, MbMassProperties *p) {
  MbArena arena = {0};
  MbShapeSpec spec;
  MbReport report = {0};
  bool fine = mb_rig_shape_spec(door, shape, &arena, &spec);
  if (fine && mb_shape_mass(&spec, "", p, &report))
    fine = mb_door_error(door, shape->at, "this shape has no mass to be found: %s", report.issues[0].text);
  mb_arena_free(&arena);
  if (!fine) return false;
  mb_mass_scale(p, isnan(shape->mass) ? shape->density : shape->mass / p->mass);
  mb_mass_move(p, &spec.frame);
  return true;
}

static bool is_heavy(const MbRigShape *shape) {
  if (shape->weightless || shape->kind == MB_SHAPE_PLANE) return false;
  return isnan(shape->mass) ? shape->density > 0 : shape->mass > 0;
}

bool mb_rig_weigh(MbDoor *door, const MbRigBody *body, double *mass, double center[3], double matrix[6]) {
  MbMassProperties sum = {0};
  for (size_t k = 0; k < body->nshapes; k++) {
    MbMassProperties p;
    if (!is_heavy(&body->shape[k])) continue;
    if (!weigh_shape(door, &body->shape[k], &p)) return false;
    mb_mass_add(&sum, &p);
  }
  *mass = sum.mass;
  memcpy(center, sum.center, 3 * sizeof *center);
  const double *I = sum.inertia, m[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  memcpy(matrix, m, sizeof m);
  return true;
}

// ---- merging ----------------------------------------------------------------------------------------------

static void properties_of(const MbRigBody *body, MbMassProperties *p) {
  const double *m = body->matrix, I[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
  *p = (MbMassProperties){.mass = body->mass};
  memcpy(p->center, body->center, sizeof p->center);
  memcpy(p->inertia, I, sizeof I);
}

// Both masses in the parent's frame.
static bool add_mass(MbDoor *door, MbRigBody *parent, const MbRigBody *body) {
  MbMassProperties sum = {0}, own;
  MbRigBody to = *parent, from = *body;
  if (!to.inertial && !mb_rig_weigh(door, parent, &to.mass, to.center, to.matrix)) return false;
  if (!from.inertial && !mb_rig_weigh(door, body, &from.mass, from.center, from.matrix)) return false;
  if (!(from.mass > 0)) return true;
  if (to.mass > 0) properties_of(&to, &sum);
  properties_of(&from, &own);
  MbFrameSpec frame;
  frame_spec(&body->frame, &frame);
  mb_mass_move(&own, &frame);
  mb_mass_add(&sum, &own);
  const double *I = sum.inertia, m[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  parent->inertial = true, parent->mass = sum.mass;
  memcpy(parent->center, sum.center, sizeof parent->center);
  memcpy(parent->matrix, m, sizeof m);
  return true;
}

static bool hand_shapes(MbDoor *door, MbRigBody *parent, MbRigBody *body, bool weightless) {
  for (size_t k = 0; k < body->nshapes; k++) {
    MbRigShape *shape = mb_rig_add_shape(parent, body->shape[k].kind, body->shape[k].at);
    if (!shape) return mb_door_no_memory(door);
    *shape = body->shape[k];
    shape->frame = mb_rig_compose(&body->frame, &shape->frame);
    if (weightless) shape->weightless = true;
  }
  body->nshapes = 0;
  return true;
}

static bool merge(MbDoor *door, size_t b) {
  MbRig *rig = &door->rig;
  MbRigBody *body = &rig->body[b], *parent = &rig->body[body->parent];
  if (!add_mass(door, parent, body) || !hand_shapes(door, parent, body, true)) return false;
  for (size_t k = 0; parent->inertial && k < parent->nshapes; k++) parent->shape[k].weightless = true;
  body->merged = true;
  return true;
}

// What hung on merged bodies, and what was tied to them, goes to those that they are parts of now. Parents come before children.
static void hand_on(MbRig *rig) {
  for (size_t b = 0; b < rig->nbodies; b++) {
    MbRigBody *body = &rig->body[b];
    if (body->parent == MB_RIG_WORLD || !rig->body[body->parent].merged) continue;
    const MbRigBody *parent = &rig->body[body->parent];
    body->frame = mb_rig_compose(&parent->frame, &body->frame);
    body->parent = parent->parent;
  }
  for (size_t i = 0; i < rig->nties; i++)
    for (size_t k = 0; k < rig->tie[i].npath; k++) {
      MbRigPoint *point = &rig->tie[i].path[k];
      if (point->body == MB_RIG_WORLD || !rig->body[point->body].merged) continue;
      point->frame = mb_rig_compose(&rig->body[point->body].frame, &point->frame);
      point->body = rig->body[point->body].parent;
    }
  for (size_t i = 0; i < rig->npairs; i++)
    for (int k = 0; k < 2; k++) {
      const size_t b = rig->pair[i].body[k];
      if (b != MB_RIG_WORLD && rig->body[b].merged) rig->pair[i].body[k] = rig->body[b].parent;
    }
}

// ---- bodies without mass ----------------------------------------------------------------------------------

static bool stands(const MbRig *rig, size_t b) {
  for (; b != MB_RIG_WORLD; b = rig->body[b].parent)
    if (rig->body[b].njoints) return false;
  return true;
}

static bool has_mass(const MbRigBody *body) {
  bool some = body->inertial;
  for (size_t k = 0; k < body->nshapes; k++) some |= is_heavy(&body->shape[k]);
  return some;
}

// A body without mass has no shapes in a scene: they go to what it is fixed to.
static bool empty_hollow(MbDoor *door, size_t b) {
  MbRig *rig = &door->rig;
  MbRigBody *body = &rig->body[b];
  if (body->merged || !body->nshapes || has_mass(body) || stands(rig, b)) return true;
  if (!body->njoints) return hand_shapes(door, &rig->body[body->parent], body, true);
  bool collides = false;
  for (size_t k = 0; k < body->nshapes; k++) collides |= body->shape[k].collides;
  mb_door_note(door, body->at, collides, "\"%s\" has no mass: its shapes are left out", body->name);
  body->nshapes = 0;
  return true;
}

// Mass as numbers, where a scene's densities would not say it.
static bool find_mass(MbDoor *door, MbRigBody *body) {
  size_t heavy = 0, dense = 0;
  bool kept = true; // all shapes are written as they are
  for (size_t k = 0; k < body->nshapes; k++) {
    const MbRigShape *s = &body->shape[k];
    heavy += is_heavy(s), dense += is_heavy(s) && isnan(s->mass);
    kept &= s->kind != MB_SHAPE_MESH || s->scale[0] * s->scale[1] * s->scale[2] != 0;
  }
  if (body->inertial || !heavy) return true;
  if (kept && heavy == body->nshapes && (dense == heavy || heavy == 1)) return true;
  if (!mb_rig_weigh(door, body, &body->mass, body->center, body->matrix)) return false;
  body->inertial = true;
  return true;
}

bool mb_rig_settle(MbDoor *door) {
  MbRig *rig = &door->rig;
  for (size_t b = rig->nbodies; door->options->merge_fixed && b-- > 0;) {
    const MbRigBody *body = &rig->body[b];
    if (!body->njoints && body->parent != MB_RIG_WORLD && !body->merged && !merge(door, b)) return false;
  }
  if (door->options->merge_fixed) hand_on(rig);
  for (size_t b = rig->nbodies; b-- > 0;)
    if (!empty_hollow(door, b)) return false;
  for (size_t b = 0; b < rig->nbodies; b++)
    if (!rig->body[b].merged && !find_mass(door, &rig->body[b])) return false;
  return mb_rig_find_contact(door) && !door->status;
}
