// MJCF's geoms as shapes, meshes of its assets, and masses of bodies as the compiler is asked to make them.
#include "core/compile/inertia.h"
#include "core/math/mat3.h"
#include "core/math/quat.h"
#include "io/models/mjcf.h"

#include <string.h>

// ---- meshes -----------------------------------------------------------------------------------------------

static const char *base_name(MbMjcf *m, const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
  return mb_door_format(m->door, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static const MbXmlElement *find_mesh(MbMjcf *m, const char *name) {
  for (const MbXmlElement *s = mb_xml_child(m->root, "asset"); s; s = mb_xml_again(s))
    for (const MbXmlElement *e = mb_xml_child(s, "mesh"); e; e = mb_xml_again(e)) {
      const MbXmlAttribute *own = mb_xml_attribute(e, "name"), *file = mb_xml_attribute(e, "file");
      if (own ? !strcmp(own->value, name) : file && !strcmp(base_name(m, file->value), name)) return e;
    }
  return NULL;
}

// The vertices are those of the file less refpos, turned back by refquat; places in the geom are of those.
static bool read_mesh(MbMjcf *m, const MbXmlAttribute *which, MbRigShape *shape, bool *left_out) {
  MbDoor *door = m->door;
  const char *class = NULL;
  const MbXmlElement *e = find_mesh(m, which->value);
  if (!e) return mb_door_error(door, which->at, "there is no mesh \"%s\"", which->value);
  if (!mb_mjcf_class_of(m, e, NULL, &class)) return false;
  const char *file = mb_door_name(door, e, "file");
  if (!file) return false;
  const char *slash = strrchr(file, '/');
  if (m->strip && slash) file = slash + 1;
  const char *folder = *m->folder ? m->folder : ".";
  if (m->meshes && *m->meshes)
    folder = *m->meshes == '/' ? m->meshes : mb_door_format(door, "%s/%s", folder, m->meshes);
  shape->file =
      mb_door_mesh(door, mb_xml_attribute(e, "file")->at, folder, file, MB_DOOR_MESH_WEIGHED, left_out);
  if (!shape->file) return *left_out;
  if (!mb_door_vector(door, mb_mjcf_get(m, e, class, "mesh", "scale"), shape->scale, 3)) return false;
  const MbXmlAttribute *inertia = mb_mjcf_get(m, e, class, "mesh", "inertia");
  if (inertia && !strcmp(inertia->value, "shell"))
    return mb_door_error(door, inertia->at, "hollow meshes have no mass here: give the body an <inertial>");
  if (inertia && strcmp(inertia->value, "exact") != 0)
    mb_door_note(door, inertia->at, true,
                 "inertia=\"%s\" of <mesh>: mass is that of the solid the mesh encloses", inertia->value);
  double p[3] = {0}, q[4] = {1, 0, 0, 0};
  if (!mb_door_vector(door, mb_xml_attribute(e, "refpos"), p, 3) ||
      !mb_door_vector(door, mb_xml_attribute(e, "refquat"), q, 4))
    return false;
  const bool moved = mb_vec3_norm(p) > 0 || mb_vec3_norm(q + 1) > 0;
  if (!moved) return true;
  if (shape->scale[0] != 1 || shape->scale[1] != 1 || shape->scale[2] != 1)
    return mb_door_error(door, e->at,
                         "a mesh with scale and refpos or refquat: write the file as it is to be");
  mb_quat_normalise(q);
  MbRigFrame back = mb_rig_frame();
  mb_quat_conj(back.q, q);
  mb_quat_unrotate(back.p, q, p);
  mb_vec3_scale(back.p, -1, back.p);
  shape->frame = mb_rig_compose(&shape->frame, &back);
  return true;
}

// ---- shapes -----------------------------------------------------------------------------------------------

enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF };
static const char *const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   "sdf",     NULL};
static const MbShapeKind kinds[] = {MB_SHAPE_PLANE,   MB_SHAPE_BOX,       MB_SHAPE_SPHERE,
                                    MB_SHAPE_CAPSULE, MB_SHAPE_ELLIPSOID, MB_SHAPE_CYLINDER,
                                    MB_SHAPE_BOX,     MB_SHAPE_MESH,      MB_SHAPE_MESH};

// Sizes are halves there. fromto: the axis from its first point to its second, which gives one of the halves.
static bool read_size(MbMjcf *m, const MbXmlElement *e, const char *class, int type, MbRigShape *shape) {
  MbDoor *door = m->door;
  double x[3] = {0}, ends[6];
  const MbXmlAttribute *size = mb_mjcf_get(m, e, class, "geom", "size"),
                       *line = mb_mjcf_get(m, e, class, "geom", "fromto");
  static const size_t wants[] = {0, 0, 1, 2, 3, 2, 3};
  size_t given = 0;
  if (type == MESH || type == PLANE) {
    if (line) return mb_door_error(door, line->at, "fromto is not for a %s", types[type]);
    return true;
  }
  if (size && !(given = mb_door_numbers(door, size, x, 1, 3))) return false;
  if (line) {
    if (type == SPHERE) return mb_door_error(door, line->at, "fromto is not for a sphere");
    if (!mb_door_vector(door, line, ends, 6)) return false;
    if (mb_vec3_norm(shape->frame.p) > 0)
      return mb_door_error(door, line->at, "a <geom> with both pos and fromto");
    double way[3], back[3];
    mb_vec3_sub(way, ends + 3, ends);
    mb_vec3_sub(back, ends, ends + 3);
    const double half = mb_vec3_norm(way) / 2;
    if (half < 1e-10) return mb_door_error(door, line->at, "fromto: the points are too close");
    for (int i = 0; i < 3; i++) shape->frame.p[i] = (ends[i] + ends[3 + i]) / 2;
    mb_rig_turn_z(back, shape->frame.q);
    shape->frame.order = NULL;
    if (type == ELLIPSOID || type == BOX) x[1] = x[0], x[2] = half;
    if (type == CAPSULE || type == CYLINDER) x[1] = half;
    if (given) given = 3;
  }
  if (given < wants[type])
    return mb_door_error(door, size ? size->at : e->at, "a %s needs %zu sizes", types[type],
                         line ? 1 : wants[type]);
  for (size_t i = 0; i < wants[type]; i++)
    if (!(x[i] > 0))
      return mb_door_error(door, size ? size->at : e->at, "sizes of a %s must be above 0", types[type]);
  shape->radius = x[0], shape->length = 2 * x[1];
  for (int i = 0; i < 3; i++) shape->size[i] = type == BOX ? 2 * x[i] : x[i];
  return true;
}

static bool read_mass(MbMjcf *m, const MbXmlElement *e, const char *class, MbRigShape *shape) {
  const double group = mb_mjcf_number(m, e, class, "geom", "group", 0);
  const MbXmlAttribute *shell = mb_mjcf_get(m, e, class, "geom", "shellinertia");
  shape->mass = mb_mjcf_number(m, e, class, "geom", "mass", NAN);
  shape->density = isnan(shape->mass) ? mb_mjcf_number(m, e, class, "geom", "density", 1000) : NAN;
  if (shape->mass < 0 || shape->density < 0)
    return mb_door_error(m->door, e->at, "mass and density cannot be below 0");
  if (mb_door_flag(m->door, shell, false))
    return mb_door_error(m->door, shell->at, "hollow shapes have no mass here: give the body an <inertial>");
  shape->weightless = group < m->groups[0] || group > m->groups[1] || m->from_geoms == 0;
  return !m->door->status;
}

// ---- looks ------------------------------------------------------------------------------------------------

static const MbXmlElement *find_material(const MbMjcf *m, const char *name) {
  for (const MbXmlElement *s = mb_xml_child(m->root, "asset"); s; s = mb_xml_again(s))
    for (const MbXmlElement *e = mb_xml_child(s, "material"); e; e = mb_xml_again(e)) {
      const MbXmlAttribute *own = mb_xml_attribute(e, "name");
      if (own && !strcmp(own->value, name)) return e;
    }
  return NULL;
}

// White, unless it says so; one that has a texture for its looks has none that can be said here.
static bool read_material(MbMjcf *m, const MbXmlAttribute *which, MbRigShape *shape) {
  static const double white[4] = {1, 1, 1, 1};
  const MbXmlElement *e = find_material(m, which->value);
  const char *class = NULL;
  if (!e) return mb_door_error(m->door, which->at, "there is no material \"%s\"", which->value);
  if (!mb_mjcf_class_of(m, e, NULL, &class)) return false;
  const MbXmlAttribute *rgba = mb_mjcf_get(m, e, class, "material", "rgba");
  memcpy(shape->rgba, white, sizeof white);
  shape->colored = rgba || (!mb_mjcf_get(m, e, class, "material", "texture") && !mb_xml_child(e, "layer"));
  return !rgba || mb_door_color(m->door, rgba, shape->rgba);
}

// The usual grey counts as not given beside a material. What is not shown there unless it is asked for has opacity 0.
static bool read_color(MbMjcf *m, const MbXmlElement *e, const char *class, MbRigShape *shape) {
  static const double grey[4] = {0.5, 0.5, 0.5, 1};
  enum { LAST_SEEN = 2 };
  const MbXmlAttribute *rgba = mb_mjcf_get(m, e, class, "geom", "rgba"),
                       *material = mb_mjcf_get(m, e, class, "geom", "material");
  double own[4];
  memcpy(own, grey, sizeof own);
  if (rgba && !mb_door_color(m->door, rgba, own)) return false;
  if (material && !read_material(m, material, shape)) return false;
  if (rgba && (!material || memcmp(own, grey, sizeof grey) != 0)) {
    shape->colored = true;
    memcpy(shape->rgba, own, sizeof own);
  }
  if (mb_mjcf_number(m, e, class, "geom", "group", 0) <= LAST_SEEN) return true;
  shape->rgba[3] = 0;
  return shape->colored = true;
}

// ---- geoms ------------------------------------------------------------------------------------------------

// The body that holds what stands in the world itself.
static MbRigBody *ground_of(MbMjcf *m, const MbXmlElement *e, const char *name) {
  MbRig *rig = &m->door->rig;
  if (m->ground != MB_RIG_WORLD) return &rig->body[m->ground];
  m->ground = rig->nbodies;
  if (!name || !*name || mb_rig_find_body(rig, name) != MB_RIG_WORLD || !strcmp(name, "world"))
    name = "ground";
  while (mb_rig_find_body(rig, name) != MB_RIG_WORLD) name = mb_door_format(m->door, "%s_", name);
  return mb_rig_add_body(rig, name, (MbXmlPlace){e->at.file, e->at.line, 0}); // no column: not of a <body>
}

// A whole number of 32 bits.
static unsigned read_bits(MbMjcf *m, const MbXmlElement *e, const char *class, const char *name) {
  const double x = mb_mjcf_number(m, e, class, "geom", name, 1);
  if (x >= 0 && x <= UINT32_MAX && x == floor(x)) return (unsigned)x;
  mb_door_error(m->door, e->at, "%s: a whole number from 0 to %u is wanted", name, UINT32_MAX);
  return 0;
}

bool mb_mjcf_geom(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  MbDoor *door = m->door;
  const char *class = NULL;
  if (!mb_mjcf_class_of(m, e, scope->class, &class)) return false;
  const MbXmlAttribute *word = mb_mjcf_get(m, e, class, "geom", "type"), *name = mb_xml_attribute(e, "name"),
                       *mesh = mb_mjcf_get(m, e, class, "geom", "mesh");
  const int type = word ? mb_door_word(door, word, types) : mesh ? MESH : SPHERE;
  if (type < 0) return false;
  if (type == HFIELD || type == SDF) {
    mb_door_note(door, e->at, true, "a <geom> of type %s: left out", types[type]);
    return true;
  }
  if (mesh && type != MESH)
    return mb_door_error(door, e->at, "a %s fitted to a mesh is not made here", types[type]);
  if (!mesh && type == MESH) return mb_door_error(door, e->at, "a <geom> of type mesh needs \"mesh\"");
  const bool ground = scope->body == MB_RIG_WORLD;
  MbRigBody *body = ground ? ground_of(m, e, name ? name->value : NULL) : &door->rig.body[scope->body];
  MbRigShape *shape = body ? mb_rig_add_shape(body, kinds[type], e->at) : NULL;
  if (!shape) return mb_door_no_memory(door);
  bool left_out = false;
  const bool fine = mb_mjcf_frame(m, e, class, "geom", &shape->frame) &&
                    read_size(m, e, class, type, shape) && read_mass(m, e, class, shape) &&
                    read_color(m, e, class, shape) && (type != MESH || read_mesh(m, mesh, shape, &left_out));
  if (!fine) return false;
  if (left_out) {
    if (!shape->weightless && !(shape->mass == 0) && !(shape->density == 0))
      mb_door_note(door, e->at, true, "the mass of a <geom> whose mesh is left out: left out as well");
    body->nshapes--;
    return true;
  }
  shape->frame = mb_rig_compose(&scope->frame, &shape->frame);
  double friction[3] = {1, 0, 0};
  const MbXmlAttribute *slide = mb_mjcf_get(m, e, class, "geom", "friction");
  if (slide && !mb_door_numbers(door, slide, friction, 1, 3)) return false;
  shape->friction = friction[0];
  shape->contype = read_bits(m, e, class, "contype");
  shape->conaffinity = read_bits(m, e, class, "conaffinity");
  shape->condim = (int)mb_mjcf_number(m, e, class, "geom", "condim", 3);
  shape->collides = shape->contype != 0 || shape->conaffinity != 0;
  shape->hull = type == MESH;
  if (shape->collides && shape->condim > 3 && m->contact)
    mb_door_note(door, e->at, true,
                 "condim=\"%d\" of <geom>: friction against spinning and rolling is left out", shape->condim);
  shape->seen = true;
  shape->name = name ? name->value : NULL;
  const MbMjcfNamed named = {.name = name && *scope->suffix
                                         ? mb_door_format(door, "%s%s", name->value, scope->suffix)
                                         : (name ? name->value : NULL),
                             .at = e->at,
                             .body = (size_t)(body - door->rig.body),
                             .index = body->nshapes - 1};
  return mb_mjcf_note_name(m, &m->geoms, "geom", &named) && !door->status;
}

// ---- masses -----------------------------------------------------------------------------------------------

// Bounds of principal moments, and moments that no solid has made equal.
static void bound(const MbMjcf *m, MbRigBody *body) {
  double R[9], moments[3], RI[9], I[9];
  const double *x = body->matrix, all[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  mb_principal_axes(all, R, moments);
  const double before[3] = {moments[0], moments[1], moments[2]};
  body->mass = fmax(body->mass, m->least_mass);
  for (int i = 0; i < 3; i++) moments[i] = fmax(moments[i], m->least_inertia);
  const double sum = moments[0] + moments[1] + moments[2];
  for (int i = 0; m->balance && i < 3; i++)
    if (2 * moments[i] > sum) {
      moments[0] = moments[1] = moments[2] = sum / 3;
      break;
    }
  body->inertial = body->mass > 0;
  if (!memcmp(before, moments, sizeof before)) return;
  const double D[9] = {moments[0], 0, 0, 0, moments[1], 0, 0, 0, moments[2]};
  mb_mat3_mul(RI, R, D);
  mb_mat3_mult(I, RI, R);
  const double matrix[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  memcpy(body->matrix, matrix, sizeof matrix);
}

bool mb_mjcf_masses(MbMjcf *m) {
  MbRig *rig = &m->door->rig;
  double total = 0;
  if (m->least_mass < 0 || m->least_inertia < 0)
    return mb_door_error(m->door, m->root->at, "bounds of mass and inertia cannot be below 0");
  if (!(m->least_mass > 0 || m->least_inertia > 0 || m->balance || m->total_mass > 0)) return true;
  for (size_t b = 0; b < rig->nbodies; b++) {
    MbRigBody *body = &rig->body[b];
    if (!body->at.column) continue; // the ground is no body there
    if (!body->inertial && !mb_rig_weigh(m->door, body, &body->mass, body->center, body->matrix))
      return false;
    bound(m, body);
    total += body->mass;
  }
  if (!(m->total_mass > 0) || !(total > 0)) return true;
  for (size_t b = 0; b < rig->nbodies; b++) {
    const double scale = m->total_mass / total;
    if (!rig->body[b].at.column) continue;
    rig->body[b].mass *= scale;
    for (int i = 0; i < 6; i++) rig->body[b].matrix[i] *= scale;
  }
  return true;
}
