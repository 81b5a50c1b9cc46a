// URDF: links and joints by names, in any order; the tree is found first.
#include "core/base/alloc.h"
#include "core/math/mat3.h"
#include "core/math/quat.h"
#include "io/models/urdf_colors.h"

#include <stdio.h>
#include <string.h>

typedef struct Robot {
  MbDoor *door;
  char folder[4096];
  const MbXmlElement *root;
  size_t nlinks;
  const MbXmlElement **link;  // (nlinks)
  const MbXmlElement **joint; // (nlinks) whose child it is; NULL: none
  size_t *parent;             // (nlinks) link; SIZE_MAX = none
  size_t *body;               // (nlinks) in the rig; MB_RIG_WORLD = the world itself
  bool *begun;                // (nlinks)
  size_t *way;                // (nlinks) up from a link
  MbRigNames links, joints;   // by their names: numbers of links
  MbUrdfColors colors;
} Robot;

// rpy turns about the fixed x, y, z: the same as about z, the new y, the new x.
static bool read_origin(MbDoor *door, const MbXmlElement *parent, MbRigFrame *frame) {
  const MbXmlElement *origin = mb_xml_child(parent, "origin");
  double rpy[3] = {0};
  *frame = mb_rig_frame();
  if (!origin) return true;
  if (!mb_door_vector(door, mb_xml_attribute(origin, "xyz"), frame->p, 3) ||
      !mb_door_vector(door, mb_xml_attribute(origin, "rpy"), rpy, 3))
    return false;
  if (rpy[0] == 0 && rpy[1] == 0 && rpy[2] == 0) return true;
  for (int i = 0; i < 3; i++) frame->angles[i] = rpy[2 - i];
  frame->order = "zyx";
  mb_rig_euler(frame->order, frame->angles, frame->q);
  return true;
}

static double need(MbDoor *door, const MbXmlElement *e, const char *name) {
  const MbXmlAttribute *a = mb_xml_attribute(e, name);
  if (!a) mb_door_error(door, e->at, "<%s> needs \"%s\"", e->name, name);
  return mb_door_number(door, a, 0);
}

static const MbXmlElement *need_child(MbDoor *door, const MbXmlElement *e, const char *name) {
  const MbXmlElement *child = mb_xml_child(e, name);
  if (!child) mb_door_error(door, e->at, "<%s> needs a <%s>", e->name, name);
  if (child && mb_xml_again(child))
    mb_door_error(door, mb_xml_again(child)->at, "<%s> has two <%s>", e->name, name);
  return child;
}

// ---- links ------------------------------------------------------------------------------------------------

// R I Rᵀ of the matrix in the inertial frame's axes
static bool read_inertial(MbDoor *door, const MbXmlElement *e, MbRigBody *body) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  MbRigFrame frame;
  const MbXmlElement *mass = need_child(door, e, "mass"), *inertia = need_child(door, e, "inertia");
  if (!mass || !inertia || !read_origin(door, e, &frame)) return false;
  body->mass = need(door, mass, "value");
  double m[6], R[9], RI[9];
  for (int i = 0; i < 6; i++) m[i] = need(door, inertia, names[i]);
  if (body->mass < 0)
    return mb_door_error(door, mb_xml_attribute(mass, "value")->at, "the mass is %g kg: it cannot be below 0",
                         body->mass);
  memcpy(body->center, frame.p, sizeof body->center);
  memcpy(body->matrix, m, sizeof m);
  if (frame.order) {
    const double I[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
    double out[9];
    mb_quat_to_mat3(R, frame.q);
    mb_mat3_mul(RI, R, I);
    mb_mat3_mult(out, RI, R);
    const double turned[6] = {out[0], out[4], out[8], out[1], out[2], out[5]};
    memcpy(body->matrix, turned, sizeof turned);
  }
  body->inertial = body->mass > 0;
  if (body->mass == 0 && (m[0] != 0 || m[1] != 0 || m[2] != 0))
    mb_door_note(door, e->at, true, "link \"%s\": inertia without mass, left out", body->name);
  return !door->status;
}

static bool read_mesh(Robot *robot, const MbXmlElement *e, MbRigBody *body, const MbRigFrame *frame,
                      MbDoorMesh use) {
  MbDoor *door = robot->door;
  const char *file = mb_door_name(door, e, "filename");
  bool left_out = false;
  if (!file) return false;
  const char *path =
      mb_door_mesh(door, mb_xml_attribute(e, "filename")->at, robot->folder, file, use, &left_out);
  if (!path) return left_out;
  MbRigShape *shape = mb_rig_add_shape(body, MB_SHAPE_MESH, e->at);
  if (!shape) return mb_door_no_memory(door);
  shape->frame = *frame, shape->file = path;
  const MbXmlAttribute *scale = mb_xml_attribute(e, "scale");
  if (!scale) return true;
  const size_t n = mb_door_numbers(door, scale, shape->scale, 1, 3);
  if (n == 2) return mb_door_error(door, scale->at, "scale: one number or three are wanted");
  if (n == 1) shape->scale[1] = shape->scale[2] = shape->scale[0];
  return n > 0;
}

// A shape of a <visual> or <collision>; its memory moves with the body's list.
static bool read_shape(Robot *robot, const MbXmlElement *e, MbRigBody *body) {
  MbDoor *door = robot->door;
  const MbXmlElement *geometry = need_child(door, e, "geometry");
  MbRigFrame frame;
  if (!geometry || !read_origin(door, e, &frame)) return false;
  const MbXmlElement *solid = geometry->first;
  if (!solid || solid->next)
    return mb_door_error(door, geometry->at, "<geometry> needs one solid in it, not %s",
                         solid ? "several" : "none");
  const size_t before = body->nshapes;
  static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule", NULL};
  static const MbShapeKind shapes[] = {MB_SHAPE_BOX, MB_SHAPE_SPHERE, MB_SHAPE_CYLINDER, MB_SHAPE_CAPSULE};
  int kind = 0;
  while (kinds[kind] && strcmp(kinds[kind], solid->name) != 0) kind++;
  if (!strcmp(solid->name, "mesh")) {
    const bool collides = !strcmp(e->name, "collision");
    if (!read_mesh(robot, solid, body, &frame, collides ? MB_DOOR_MESH_COLLIDES : MB_DOOR_MESH_SEEN))
      return false;
  } else if (kinds[kind]) {
    MbRigShape *shape = mb_rig_add_shape(body, shapes[kind], e->at);
    if (!shape) return mb_door_no_memory(door);
    shape->frame = frame;
    if (kind == 0) {
      if (!mb_xml_attribute(solid, "size")) return mb_door_error(door, solid->at, "<box> needs \"size\"");
      if (!mb_door_vector(door, mb_xml_attribute(solid, "size"), shape->size, 3)) return false;
    } else {
      shape->radius = need(door, solid, "radius");
      if (kind > 1) shape->length = need(door, solid, "length");
    }
    const bool fine = kind == 0   ? shape->size[0] > 0 && shape->size[1] > 0 && shape->size[2] > 0
                      : kind == 1 ? shape->radius > 0
                      : kind == 2 ? shape->radius > 0 && shape->length > 0
                                  : shape->radius > 0 && shape->length >= 0;
    if (!door->status && !fine) return mb_door_error(door, solid->at, "a <%s> without extent", solid->name);
  }
  for (size_t i = before; i < body->nshapes; i++) {
    body->shape[i].seen = !strcmp(e->name, "visual");
    body->shape[i].collides = !body->shape[i].seen;
    body->shape[i].weightless = true;
    if (body->shape[i].seen && !mb_urdf_color(door, &robot->colors, e, &body->shape[i])) return false;
  }
  return !door->status;
}

static bool is_same(const MbRigShape *a, const MbRigShape *b) {
  return a->kind == b->kind && a->radius == b->radius && a->length == b->length &&
         !memcmp(a->size, b->size, sizeof a->size) && !memcmp(a->scale, b->scale, sizeof a->scale) &&
         !memcmp(a->frame.p, b->frame.p, sizeof a->frame.p) &&
         !memcmp(a->frame.q, b->frame.q, sizeof a->frame.q) &&
         (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

// What is seen and collides in the same form is one shape; what collides alone is seen where the link has nothing to be seen, else its
// opacity is 0.
static void join_shapes(MbRigBody *body) {
  size_t n = 0;
  bool seen = false;
  for (size_t i = 0; i < body->nshapes; i++) seen |= body->shape[i].seen;
  for (size_t i = 0; i < body->nshapes; i++) {
    const MbRigShape *shape = &body->shape[i];
    bool there = false;
    for (size_t k = 0; k < n && shape->collides && !there; k++)
      if (body->shape[k].seen && !body->shape[k].collides && is_same(&body->shape[k], shape))
        there = body->shape[k].collides = true;
    for (size_t k = i + 1; k < body->nshapes && shape->collides && !there; k++)
      if (body->shape[k].seen && !body->shape[k].collides && is_same(&body->shape[k], shape))
        there = body->shape[k].collides = true;
    if (!there) body->shape[n++] = *shape;
  }
  body->nshapes = n;
  for (size_t i = 0; i < n && seen; i++)
    if (!body->shape[i].seen) body->shape[i].colored = true; // all of it 0
}

static bool read_link(Robot *robot, const MbXmlElement *link, MbRigBody *body) {
  const MbXmlElement *inertial = mb_xml_child(link, "inertial");
  if (inertial && mb_xml_again(inertial))
    return mb_door_error(robot->door, mb_xml_again(inertial)->at, "link \"%s\" has two <inertial>",
                         body->name);
  if (inertial && !read_inertial(robot->door, inertial, body)) return false;
  for (const MbXmlElement *e = link->first; e; e = e->next)
    if ((!strcmp(e->name, "visual") || !strcmp(e->name, "collision")) && !read_shape(robot, e, body))
      return false;
  join_shapes(body);
  return true;
}

// ---- joints -----------------------------------------------------------------------------------------------

static size_t find_link(const Robot *robot, const char *name) {
  return mb_rig_names_find(&robot->links, name);
}

// NaN where there is none
static double bound_of(MbDoor *door, const MbXmlAttribute *a) {
  const double x = mb_rig_bound(mb_door_number(door, a, INFINITY));
  return isfinite(x) ? x : NAN;
}

static bool read_dynamics(MbDoor *door, const MbXmlElement *e, MbRigJoint *joint) {
  const MbXmlElement *limit = mb_xml_child(e, "limit"), *dynamics = mb_xml_child(e, "dynamics");
  const char *type = mb_xml_attribute(e, "type")->value;
  const bool bounded = !strcmp(type, "revolute") || !strcmp(type, "prismatic");
  if (bounded && !limit) return mb_door_error(door, e->at, "a %s joint needs a <limit>", type);
  if (bounded) {
    joint->range[0] = mb_rig_bound(mb_door_number(door, mb_xml_attribute(limit, "lower"), 0));
    joint->range[1] = mb_rig_bound(mb_door_number(door, mb_xml_attribute(limit, "upper"), 0));
    joint->limited = isfinite(joint->range[0]) || isfinite(joint->range[1]);
    if (joint->range[0] > joint->range[1])
      return mb_door_error(door, limit->at, "the lower limit %g is above the upper one, %g", joint->range[0],
                           joint->range[1]);
    if (joint->range[0] == joint->range[1]) {
      mb_door_note(door, limit->at, true,
                   "joint \"%s\": both limits are %g, which leaves no room to move: taken as no limits",
                   joint->name, joint->range[0]);
      joint->limited = false;
    }
  } else if (limit && (mb_xml_attribute(limit, "lower") || mb_xml_attribute(limit, "upper"))) {
    mb_door_note(door, limit->at, true, "lower and upper of a %s joint's <limit>: left out", type);
  }
  const MbXmlAttribute *effort = limit ? mb_xml_attribute(limit, "effort") : NULL,
                       *speed = limit ? mb_xml_attribute(limit, "velocity") : NULL;
  joint->effort = bound_of(door, effort); // for a controller to heed
  joint->speed_limit = bound_of(door, speed);
  if (dynamics) {
    joint->damping = mb_door_number(door, mb_xml_attribute(dynamics, "damping"), 0);
    joint->friction = mb_door_number(door, mb_xml_attribute(dynamics, "friction"), 0);
    if (joint->damping < 0 || joint->friction < 0)
      return mb_door_error(door, dynamics->at, "damping and friction cannot be below 0");
  }
  return !door->status;
}

static bool read_axis(MbDoor *door, const MbXmlElement *e, MbRigJoint *joint) {
  const MbXmlElement *axis = mb_xml_child(e, "axis");
  mb_vec3_set(joint->axis, 1, 0, 0);
  if (axis && !mb_xml_attribute(axis, "xyz")) return mb_door_error(door, axis->at, "<axis> needs \"xyz\"");
  if (axis && !mb_door_vector(door, mb_xml_attribute(axis, "xyz"), joint->axis, 3)) return false;
  if (mb_vec3_norm(joint->axis) > 1e-9) return true;
  return mb_door_error(door, axis->at, "the axis has no direction");
}

static bool read_joint(Robot *robot, const MbXmlElement *e, MbRigBody *body) {
  static const char *const types[] = {"revolute", "continuous", "prismatic", "fixed",
                                      "floating", "planar",     "spherical", NULL};
  static const MbRigKind kinds[] = {MB_RIG_HINGE, MB_RIG_HINGE, MB_RIG_SLIDE, MB_RIG_FREE,
                                    MB_RIG_FREE,  MB_RIG_PLANE, MB_RIG_BALL};
  MbDoor *door = robot->door;
  const char *name = mb_door_name(door, e, "name");
  if (!name || !mb_door_name(door, e, "type")) return false;
  const int type = mb_door_word(door, mb_xml_attribute(e, "type"), types);
  if (type < 0 || !read_origin(door, e, &body->frame)) return false;
  body->bolt = type == 3 ? name : NULL;
  if (type == 3) return true;
  MbRigJoint *joint = mb_rig_add_joint(body, kinds[type], e->at);
  if (!joint) return mb_door_no_memory(door);
  joint->name = name;
  if (type == 4 || type == 6) {
    if (mb_xml_child(e, "dynamics") || mb_xml_child(e, "limit"))
      mb_door_note(door, e->at, true, "<dynamics> and <limit> of a %s joint: left out", types[type]);
    return true;
  }
  return read_axis(door, e, joint) && read_dynamics(door, e, joint);
}

// A mimic of a mimic follows the first one.
static bool read_mimic(Robot *robot, size_t link, MbRigJoint *joint) {
  MbDoor *door = robot->door;
  double ratio = 1, offset = 0;
  size_t at = link;
  for (size_t hops = 0;; hops++) {
    const MbXmlElement *e = robot->joint[at], *mimic = mb_xml_child(e, "mimic");
    if (!mimic) break;
    if (hops > robot->nlinks) return mb_door_error(door, mimic->at, "joints mimic each other in a circle");
    const char *name = mb_door_name(door, mimic, "joint");
    if (!name) return false;
    const double r = mb_door_number(door, mb_xml_attribute(mimic, "multiplier"), 1),
                 o = mb_door_number(door, mb_xml_attribute(mimic, "offset"), 0);
    offset += ratio * o, ratio *= r; // q = ratio (r q' + o) + offset
    const size_t next = mb_rig_names_find(&robot->joints, name);
    if (next == SIZE_MAX)
      return mb_door_error(door, mb_xml_attribute(mimic, "joint")->at, "there is no joint \"%s\"", name);
    at = next;
  }
  if (at == link) return true;
  const MbRigBody *followed = &door->rig.body[robot->body[at]];
  const bool fine =
      followed->njoints == 1 && followed->joint[0].kind <= MB_RIG_SLIDE && joint->kind <= MB_RIG_SLIDE;
  if (!fine)
    return mb_door_error(door, mb_xml_child(robot->joint[link], "mimic")->at,
                         "joints that turn or slide along one axis mimic each other, no others");
  joint->follows = robot->body[at], joint->ratio = ratio, joint->offset = offset;
  return true;
}

// ---- the tree ---------------------------------------------------------------------------------------------

static bool list_links(Robot *robot) {
  MbDoor *door = robot->door;
  for (const MbXmlElement *e = mb_xml_child(robot->root, "link"); e; e = mb_xml_again(e)) robot->nlinks++;
  MbArena *arena = &door->rig.arena;
  robot->link = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->link);
  robot->joint = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->joint);
  robot->parent = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->parent);
  robot->body = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->body);
  robot->begun = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->begun);
  robot->way = mb_arena_alloc(arena, robot->nlinks, sizeof *robot->way);
  if (!robot->way || !robot->link || !robot->joint || !robot->parent || !robot->body || !robot->begun)
    return mb_door_no_memory(door);
  if (!robot->nlinks) return mb_door_error(door, robot->root->at, "the robot has no links");
  size_t n = 0;
  for (const MbXmlElement *e = mb_xml_child(robot->root, "link"); e; e = mb_xml_again(e)) {
    const char *name = mb_door_name(door, e, "name");
    if (!name) return false;
    size_t before = 0;
    if (!mb_rig_names_put(&robot->links, name, n, &before)) return mb_door_no_memory(door);
    if (before != MB_RIG_NO_NAME) return mb_door_error(door, e->at, "two links are called \"%s\"", name);
    robot->parent[n] = SIZE_MAX;
    robot->link[n++] = e;
  }
  return true;
}

static size_t end_of(Robot *robot, const MbXmlElement *joint, const char *which) {
  const MbXmlElement *e = need_child(robot->door, joint, which);
  const char *name = e ? mb_door_name(robot->door, e, "link") : NULL;
  if (!name) return SIZE_MAX;
  const size_t link = find_link(robot, name);
  if (link == SIZE_MAX)
    mb_door_error(robot->door, mb_xml_attribute(e, "link")->at, "there is no link \"%s\"", name);
  return link;
}

static bool list_joints(Robot *robot) {
  MbDoor *door = robot->door;
  for (const MbXmlElement *e = mb_xml_child(robot->root, "joint"); e; e = mb_xml_again(e)) {
    const char *name = mb_door_name(door, e, "name");
    const size_t child = end_of(robot, e, "child"), parent = end_of(robot, e, "parent");
    if (!name || child == SIZE_MAX || parent == SIZE_MAX) return false;
    if (robot->joint[child])
      return mb_door_error(door, e->at, "link \"%s\" hangs on two joints: URDF's links make trees",
                           mb_xml_attribute(robot->link[child], "name")->value);
    size_t before = 0;
    if (!mb_rig_names_put(&robot->joints, name, child, &before)) return mb_door_no_memory(door);
    if (before != MB_RIG_NO_NAME) return mb_door_error(door, e->at, "two joints are called \"%s\"", name);
    robot->joint[child] = e, robot->parent[child] = parent;
  }
  return true;
}

static bool is_world(const Robot *robot, size_t i) {
  const MbXmlElement *e = robot->link[i];
  return robot->parent[i] == SIZE_MAX && !e->first && !strcmp(mb_xml_attribute(e, "name")->value, "world");
}

// A link whose parent is there
static bool add_link(Robot *robot, size_t k) {
  MbDoor *door = robot->door;
  const size_t parent = robot->parent[k];
  robot->begun[k] = true;
  robot->body[k] = MB_RIG_WORLD;
  if (is_world(robot, k)) return true;
  const char *name = mb_xml_attribute(robot->link[k], "name")->value;
  if (!strcmp(name, "world"))
    return mb_door_error(
        door, robot->link[k]->at,
        "a link called \"world\" that hangs on another, or has something of its own: give it "
        "another name");
  MbRigBody *body = mb_rig_add_body(&door->rig, name, robot->link[k]->at);
  if (!body) return mb_door_no_memory(door);
  robot->body[k] = door->rig.nbodies - 1;
  if (parent != SIZE_MAX) body->parent = robot->body[parent];
  if (!read_link(robot, robot->link[k], body)) return false;
  if (robot->joint[k]) return read_joint(robot, robot->joint[k], body);
  if (door->options->free_base)
    return mb_rig_add_joint(body, MB_RIG_FREE, robot->link[k]->at) || mb_door_no_memory(door);
  mb_door_note(door, robot->link[k]->at, false,
               "URDF does not say whether link \"%s\" stands or is free: it stands (--free-base frees it)",
               name);
  return true;
}

// The link and those that it hangs on, parents first.
static bool add_way(Robot *robot, size_t i) {
  size_t n = 0;
  for (size_t k = i; k != SIZE_MAX && !robot->begun[k]; k = robot->parent[k]) {
    if (n == robot->nlinks)
      return mb_door_error(robot->door, robot->joint[i]->at,
                           "link \"%s\" hangs on itself: joints go in a circle",
                           mb_xml_attribute(robot->link[i], "name")->value);
    robot->way[n++] = k;
  }
  while (n--)
    if (!add_link(robot, robot->way[n])) return false;
  return true;
}

static bool read_robot(Robot *robot) {
  MbDoor *door = robot->door;
  if (!list_links(robot) || !list_joints(robot)) return false;
  if (!mb_urdf_colors_list(door, robot->root, &robot->colors)) return false;
  for (size_t i = 0; i < robot->nlinks; i++)
    if (!add_way(robot, i)) return false;
  for (size_t i = 0; i < robot->nlinks; i++) {
    MbRigBody *body = robot->body[i] == MB_RIG_WORLD ? NULL : &door->rig.body[robot->body[i]];
    if (body && robot->joint[i] && body->njoints && mb_xml_child(robot->joint[i], "mimic") &&
        !read_mimic(robot, i, &body->joint[0]))
      return false;
  }
  return !door->status;
}

bool mb_urdf_read(MbDoor *door, const char *path, const MbXmlElement *root) {
  Robot robot = {.door = door, .root = root};
  const char *slash = strrchr(path, '/');
  snprintf(robot.folder, sizeof robot.folder, "%.*s", slash ? (int)(slash - path) : 0, path);
  if (slash == path) snprintf(robot.folder, sizeof robot.folder, "/");
  const MbXmlAttribute *name = mb_xml_attribute(root, "name");
  door->rig.name = name ? name->value : "";
  mb_vec3_set(door->rig.gravity, 0, 0, -9.81);
  door->rig.contact = true;
  door->rig.step = door->rig.friction = NAN;
  const bool fine = read_robot(&robot);
  mb_rig_names_free(&robot.links);
  mb_rig_names_free(&robot.joints);
  mb_urdf_colors_free(&robot.colors);
  return fine;
}
