// A rig as MJCF: settings, meshes, the tree of bodies with their joints and shapes, and what collides. Angles are in degrees where all of
// them are round there; where the model does not begin as it stands, keyframe "start" has the coordinates, velocities and controls.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "io/models/mjcf_write.h"

#include <string.h>

static const double OPEN = 1e10; // no limit on this side

// ---- shapes -----------------------------------------------------------------------------------------------

static bool same_mesh(const MbRigShape *a, const MbRigShape *b) {
  return !strcmp(a->file, b->file) && !memcmp(a->scale, b->scale, sizeof a->scale);
}

static size_t mesh_number(const MbMjcfWriter *m, const MbRigShape *s) {
  size_t i = 0;
  while (i < m->nmeshes && !same_mesh(m->mesh[i], s)) i++;
  return i;
}

// The file's name without its ending, with a number where that is taken.
static const char *mesh_name(const MbMjcfWriter *m, size_t i) {
  const char *file = m->mesh[i]->file, *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file,
             *dot = strrchr(stem, '.');
  const int length = dot ? (int)(dot - stem) : (int)strlen(stem);
  bool alone = true;
  for (size_t k = 0; k < i && alone; k++) {
    const char *other = strrchr(m->mesh[k]->file, '/');
    other = other ? other + 1 : m->mesh[k]->file;
    alone = strncmp(other, stem, (size_t)length) != 0;
  }
  return alone ? mb_model_format(m->w, "%.*s", length, stem)
               : mb_model_format(m->w, "%.*s_%zu", length, stem, i);
}

static bool put_assets(MbMjcfWriter *m) {
  size_t n = 0;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].nshapes; k++) n += m->rig->body[b].shape[k].kind == MB_SHAPE_MESH;
  if (!n) return true;
  m->mesh = mb_arena_alloc(&m->w->rig->arena, n, sizeof *m->mesh);
  if (!m->mesh) return false;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].nshapes; k++) {
      const MbRigShape *s = &m->rig->body[b].shape[k];
      if (s->kind == MB_SHAPE_MESH && mesh_number(m, s) == m->nmeshes) m->mesh[m->nmeshes++] = s;
    }
  mb_xml_open(m->x, "asset");
  for (size_t i = 0; i < m->nmeshes; i++) {
    mb_xml_open(m->x, "mesh");
    mb_xml_put(m->x, "name", mesh_name(m, i));
    mb_xml_put(m->x, "file", mb_model_file(m->w, m->mesh[i]->file));
    if (!mb_rig_is_unscaled(m->mesh[i])) mb_xml_put_numbers(m->x, "scale", m->mesh[i]->scale, 3);
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "asset");
  return true;
}

static void put_size(MbMjcfWriter *m, const MbRigShape *s) {
  static const char *const words[MB_SHAPES] = {"box",       "sphere", "capsule", "cylinder",
                                               "ellipsoid", "mesh",   "plane"};
  const double half[3] = {s->size[0] / 2, s->size[1] / 2, s->size[2] / 2},
               round[2] = {s->radius, s->length / 2}, floor[3] = {0, 0, 1};
  if (s->kind != MB_SHAPE_SPHERE) mb_xml_put(m->x, "type", words[s->kind]);
  switch (s->kind) {
  case MB_SHAPE_BOX:
    mb_xml_put_numbers(m->x, "size", half, 3);
    break;
  case MB_SHAPE_ELLIPSOID:
    mb_xml_put_numbers(m->x, "size", s->size, 3);
    break;
  case MB_SHAPE_SPHERE:
    mb_xml_put_number(m->x, "size", s->radius);
    break;
  case MB_SHAPE_MESH:
    mb_xml_put(m->x, "mesh", mesh_name(m, mesh_number(m, s)));
    break;
  case MB_SHAPE_PLANE:
    mb_xml_put_numbers(m->x, "size", floor, 3);
    break;
  default:
    mb_xml_put_numbers(m->x, "size", round, 2);
  }
}

static void put_surface(MbMjcfWriter *m, const MbRigShape *s) {
  if (!s->collides) {
    mb_xml_put(m->x, "contype", "0");
    mb_xml_put(m->x, "conaffinity", "0");
  } else if (m->rig->contact && s->friction != m->rig->friction) {
    mb_xml_put_number(m->x, "friction", s->friction);
  }
}

// Geoms have names where pairs of them are listed.
static const char *shape_name(const MbMjcfWriter *m, size_t b, size_t k) {
  return mb_model_format(m->w, "%s_%zu", m->rig->body[b].name, k);
}

static bool is_paired(const MbMjcfWriter *m, size_t b) {
  for (size_t i = 0; i < m->rig->npairs && m->rig->contact; i++) {
    const MbRigPair *pair = &m->rig->pair[i];
    if (!isnan(pair->friction) && (pair->body[0] == b || pair->body[1] == b)) return true;
  }
  return false;
}

static void put_shape(MbMjcfWriter *m, const MbRigShape *s, const char *name) {
  MbRigFrame f = s->frame;
  if (s->kind == MB_SHAPE_PLANE) { // its normal is z there
    MbRigFrame own = mb_rig_frame();
    mb_vec3_scale(own.p, s->offset, s->normal);
    if (s->normal[2] != 1) mb_rig_turn_z(s->normal, own.q);
    f = mb_rig_compose(&f, &own);
  }
  mb_xml_open(m->x, "geom");
  if (name) mb_xml_put(m->x, "name", name);
  put_size(m, s);
  mb_mjcf_put_frame(m, &f);
  put_surface(m, s);
  if (s->colored) mb_xml_put_numbers(m->x, "rgba", s->rgba, 4);
  if (!isnan(s->mass))
    mb_xml_put_number(m->x, "mass", s->mass);
  else if (!isnan(s->density) && s->density != 1000)
    mb_xml_put_number(m->x, "density", s->density);
  mb_xml_end(m->x);
}

// ---- bodies -----------------------------------------------------------------------------------------------

static void put_inertia(MbMjcfWriter *m, const MbRigBody *body) {
  const double *I = body->matrix;
  if (!body->inertial) return;
  mb_xml_open(m->x, "inertial");
  mb_xml_put_numbers(m->x, "pos", body->center, 3);
  mb_xml_put_number(m->x, "mass", body->mass);
  if (I[3] == 0 && I[4] == 0 && I[5] == 0)
    mb_xml_put_numbers(m->x, "diaginertia", I, 3);
  else
    mb_xml_put_numbers(m->x, "fullinertia", I, 6);
  mb_xml_end(m->x);
}

static double bound(double x) { return x > OPEN ? OPEN : x < -OPEN ? -OPEN : x; }

static void put_passive(MbMjcfWriter *m, const MbRigJoint *j) {
  const bool turns = j->kind == MB_RIG_HINGE;
  const double range[2] = {bound(turns ? mb_mjcf_say_angle(m, j->range[0]) : j->range[0]),
                           bound(turns ? mb_mjcf_say_angle(m, j->range[1]) : j->range[1])};
  if (j->limited) mb_xml_put_numbers(m->x, "range", range, 2);
  if (j->ref != 0) mb_xml_put_number(m->x, "ref", turns ? mb_mjcf_say_angle(m, j->ref) : j->ref);
  if (j->stiffness != 0) mb_xml_put_number(m->x, "stiffness", j->stiffness);
  if (j->stiffness != 0 && j->rest != 0)
    mb_xml_put_number(m->x, "springref", turns ? mb_mjcf_say_angle(m, j->rest) : j->rest);
  if (j->damping != 0) mb_xml_put_number(m->x, "damping", j->damping);
  if (j->inertia != 0) mb_xml_put_number(m->x, "armature", j->inertia);
  if (j->friction != 0) mb_xml_put_number(m->x, "frictionloss", j->friction);
}

static bool is_named(const MbMjcfWriter *m, size_t b, size_t k) {
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  return j->name || j->motor || j->driven || j->tied;
}

static void put_joint(MbMjcfWriter *m, size_t b, size_t k) {
  static const char *const words[] = {"hinge", "slide", "ball"};
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  if (j->kind == MB_RIG_FREE) {
    mb_xml_open(m->x, "freejoint");
    mb_xml_end(m->x);
    return;
  }
  mb_xml_open(m->x, "joint");
  if (is_named(m, b, k)) mb_xml_put(m->x, "name", mb_mjcf_joint_name(m, b, k));
  if (j->kind != MB_RIG_HINGE) mb_xml_put(m->x, "type", words[j->kind]);
  if (j->kind != MB_RIG_BALL && (j->axis[0] != 0 || j->axis[1] != 0 || j->axis[2] != 1))
    mb_xml_put_numbers(m->x, "axis", j->axis, 3);
  if (j->p[0] != 0 || j->p[1] != 0 || j->p[2] != 0) mb_xml_put_numbers(m->x, "pos", j->p, 3);
  put_passive(m, j);
  mb_xml_end(m->x);
}

static void put_bodies(MbMjcfWriter *m) {
  const MbRig *rig = m->rig;
  mb_xml_open(m->x, "worldbody");
  mb_mjcf_put_sites(m, rig->nbodies);
  int open = 0;
  for (size_t i = 0; i < rig->nbodies; i++) {
    const size_t b = m->w->order[i];
    const MbRigBody *body = &rig->body[b];
    for (; open > m->w->depth[i]; open--) mb_xml_close(m->x, "body");
    mb_xml_open(m->x, "body");
    open++;
    mb_xml_put(m->x, "name", body->name);
    mb_mjcf_put_frame(m, &body->frame);
    for (size_t k = 0; k < body->njoints; k++) put_joint(m, b, k);
    put_inertia(m, body);
    const bool paired = is_paired(m, b);
    for (size_t k = 0; k < body->nshapes; k++)
      put_shape(m, &body->shape[k], paired ? shape_name(m, b, k) : NULL);
    mb_mjcf_put_sites(m, b);
  }
  for (; open; open--) mb_xml_close(m->x, "body");
  mb_xml_close(m->x, "worldbody");
}

// ---- contact ----------------------------------------------------------------------------------------------

// Bodies that are named in pairs collide by each two of their shapes.
static void put_pair(MbMjcfWriter *m, const MbRigPair *pair) {
  const MbRigBody *a = &m->rig->body[pair->body[0]], *b = &m->rig->body[pair->body[1]];
  for (size_t i = 0; i < a->nshapes; i++)
    for (size_t k = 0; k < b->nshapes; k++) {
      if (!a->shape[i].collides || !b->shape[k].collides) continue;
      const double mu =
          pair->friction < 0 ? sqrt(a->shape[i].friction * b->shape[k].friction) : pair->friction;
      const double five[5] = {mu, mu, 0.005, 1e-4, 1e-4};
      mb_xml_open(m->x, "pair");
      mb_xml_put(m->x, "geom1", shape_name(m, pair->body[0], i));
      mb_xml_put(m->x, "geom2", shape_name(m, pair->body[1], k));
      mb_xml_put_numbers(m->x, "friction", five, 5);
      mb_xml_end(m->x);
    }
}

// Where two shapes' frictions differ MJCF takes the larger one, a scene the root of their product.
static void warn_frictions(MbMjcfWriter *m) {
  double least = INFINITY, most = 0;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].nshapes; k++) {
      const MbRigShape *s = &m->rig->body[b].shape[k];
      if (s->collides) least = fmin(least, s->friction), most = fmax(most, s->friction);
    }
  if (least < most)
    mb_warning(
        m->w->report, "/contact",
        "between shapes of different friction MJCF takes the larger one, not the root of their product: give "
        "\"pairs\" their frictions");
}

static void put_contact(MbMjcfWriter *m) {
  if (!m->rig->contact) return;
  warn_frictions(m);
  if (!m->rig->npairs) return;
  mb_xml_open(m->x, "contact");
  for (size_t i = 0; i < m->rig->npairs; i++) {
    const MbRigPair *pair = &m->rig->pair[i];
    if (!isnan(pair->friction)) {
      put_pair(m, pair);
      continue;
    }
    mb_xml_open(m->x, "exclude");
    mb_xml_put(m->x, "body1", mb_mjcf_body_name(m, pair->body[0]));
    mb_xml_put(m->x, "body2", mb_mjcf_body_name(m, pair->body[1]));
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "contact");
}

// ---- the model --------------------------------------------------------------------------------------------

static void put_settings(MbMjcfWriter *m) {
  static const double down[3] = {0, 0, -9.81};
  mb_xml_open(m->x, "compiler");
  mb_xml_put(m->x, "angle", m->degrees ? "degree" : "radian");
  mb_xml_put(m->x, "autolimits", "true");
  mb_xml_end(m->x);
  mb_xml_open(m->x, "option");
  mb_xml_put_number(m->x, "timestep", m->rig->step);
  if (memcmp(m->rig->gravity, down, sizeof down) != 0)
    mb_xml_put_numbers(m->x, "gravity", m->rig->gravity, 3);
  if (!m->rig->contact) {
    mb_xml_open(m->x, "flag");
    mb_xml_put(m->x, "contact", "disable");
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "option");
  if (!m->rig->contact || m->rig->friction == 1) return;
  mb_xml_open(m->x, "default");
  mb_xml_open(m->x, "geom");
  mb_xml_put_number(m->x, "friction", m->rig->friction);
  mb_xml_end(m->x);
  mb_xml_close(m->x, "default");
}

static void note_ties(MbMjcfWriter *m) {
  for (size_t i = 0; i < m->rig->nties; i++)
    for (int k = 0; m->rig->tie[i].kind == MB_RIG_RATIO && k < 2; k++) {
      MbRigBody *body = &m->w->rig->body[m->rig->tie[i].body[k]];
      if (body->njoints) body->joint[0].tied = true;
    }
}

bool mb_mjcf_write(MbModelWriter *w) {
  MbMjcfWriter m = {.w = w, .x = &w->xml, .rig = w->rig, .degrees = mb_mjcf_wants_degrees(w->rig)};
  note_ties(&m);
  mb_xml_open(m.x, "mujoco");
  if (*m.rig->name) mb_xml_put(m.x, "model", m.rig->name);
  mb_xml_comment(m.x, mb_model_format(w, "exported from %s", m.rig->source));
  put_settings(&m);
  bool fine = mb_mjcf_check_names(&m) && mb_mjcf_list_sites(&m) && put_assets(&m);
  if (fine) put_bodies(&m);
  if (fine) put_contact(&m);
  if (fine) mb_mjcf_put_equality(&m);
  if (fine) mb_mjcf_put_tendons(&m);
  fine = fine && mb_mjcf_put_actuators(&m);
  if (fine) mb_mjcf_put_start(&m);
  mb_xml_close(m.x, "mujoco");
  mb_free(m.control);
  if (!fine && !w->status) w->status = mb_no_memory(w->report, "a model");
  return !w->status;
}
