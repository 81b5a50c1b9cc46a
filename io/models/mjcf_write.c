// A rig as MJCF. Angles are in degrees where all of them are round there; where the model does not begin as it stands, keyframe "start"
// has the coordinates, velocities and controls.
#include "core/base/alloc.h"
#include "core/base/names.h"
#include "core/math/quat.h"
#include "io/json/number_text.h"
#include "io/models/model_write.h"

#include <stdio.h>
#include <string.h>

static const double DEG = 3.14159265358979323846 / 180, OPEN = 1e10; // no limit on this side

// A point of a tie on a body, in the order of bodies.
typedef struct Site {
  size_t body, tie, k;
} Site;

typedef struct Mjcf {
  MbModelWriter *w;
  MbXmlWriter *x;
  const MbRig *rig;
  bool degrees;
  size_t nsites;
  Site *site;         // (nsites) of bodies from 0 on, then of the world
  size_t *first_site; // (nbodies + 2) of a body; nbodies: of the world
  size_t nmeshes;
  const MbRigShape **mesh; // (nmeshes) each file and scale once
  size_t ncontrols, room_controls;
  double *control; // (ncontrols) of the actuators
} Mjcf;

// ---- angles and frames ------------------------------------------------------------------------------------

static double angle(const Mjcf *m, double x) {
  double degrees;
  if (!m->degrees) return x;
  return mb_angle_is_round(x, &degrees) ? degrees : x / DEG;
}

// The one axis that a quaternion turns about; −1: none, −2: others.
static int only_axis(const double q[4]) {
  int found = -1;
  for (int i = 0; i < 3; i++)
    if (q[1 + i] != 0) found = found == -1 ? i : -2;
  return found;
}

static double turn_about(const double q[4], int axis) {
  return mb_angle_tidy(remainder(2 * atan2(q[1 + axis], q[0]), 2 * 180 * DEG));
}

static void put_turn(Mjcf *m, const double q[4]) {
  const int axis = only_axis(q);
  double angles[3] = {0};
  bool nice = true;
  if (axis == -1) return;
  if (axis >= 0)
    angles[axis] = turn_about(q, axis);
  else
    mb_turn_xyz(q, angles, &nice);
  double degrees;
  for (int i = 0; i < 3; i++) {
    if (m->degrees && !mb_angle_is_round(angles[i], &degrees)) nice = false;
    angles[i] = angle(m, angles[i]);
  }
  if (nice || axis >= 0)
    mb_xml_put_numbers(m->x, "euler", angles, 3);
  else
    mb_xml_put_numbers(m->x, "quat", q, 4);
}

static void put_frame(Mjcf *m, const MbRigFrame *f) {
  if (f->p[0] != 0 || f->p[1] != 0 || f->p[2] != 0) mb_xml_put_numbers(m->x, "pos", f->p, 3);
  put_turn(m, f->q);
}

// Whether an angle speaks for degrees (1), against them (−1), or for neither.
static int votes(double x) {
  double degrees;
  if (x == 0 || !isfinite(x)) return 0;
  return mb_angle_is_round(x, &degrees) ? 1 : -1;
}

static int votes_of_frame(const MbRigFrame *f) {
  const int axis = only_axis(f->q);
  return axis >= 0 ? votes(turn_about(f->q, axis)) : 0;
}

// Degrees, where some angle is round in them and none is not.
static bool wants_degrees(const MbRig *rig) {
  int best = 0, worst = 0;
  for (size_t b = 0; b < rig->nbodies; b++) {
    const MbRigBody *body = &rig->body[b];
    int vote[] = {votes_of_frame(&body->frame), 0, 0, 0, 0, 0};
    for (size_t k = 0; k < body->njoints; k++) {
      const MbRigJoint *j = &body->joint[k];
      if (j->kind != MB_RIG_HINGE) continue;
      vote[1] = votes(j->ref), vote[2] = j->stiffness != 0 ? votes(j->rest) : 0;
      vote[3] = j->limited ? votes(j->range[0]) : 0, vote[4] = j->limited ? votes(j->range[1]) : 0;
      for (int i = 1; i < 5; i++)
        best = vote[i] > best ? vote[i] : best, worst = vote[i] < worst ? vote[i] : worst;
    }
    for (size_t k = 0; k < body->nshapes; k++) {
      vote[5] = votes_of_frame(&body->shape[k].frame);
      best = vote[5] > best ? vote[5] : best, worst = vote[5] < worst ? vote[5] : worst;
    }
    best = vote[0] > best ? vote[0] : best, worst = vote[0] < worst ? vote[0] : worst;
  }
  return best > 0 && worst == 0;
}

// ---- names ------------------------------------------------------------------------------------------------

static const char *body_name(const Mjcf *m, size_t b) {
  return b == MB_RIG_WORLD ? "world" : m->rig->body[b].name;
}

// What others call a joint by: its own name, or its body's.
static const char *joint_name(const Mjcf *m, size_t b, size_t k) {
  const MbRigBody *body = &m->rig->body[b];
  if (body->joint[k].name) return body->joint[k].name;
  return body->njoints == 1 ? body->name : mb_model_format(m->w, "%s_%zu", body->name, k);
}

static const char *tie_name(const Mjcf *m, size_t i) {
  const char *name = m->rig->tie[i].name;
  return name ? name : mb_model_format(m->w, "tie%zu", i);
}

static const char *site_name(const Mjcf *m, const Site *s) {
  return mb_model_format(m->w, "%s_%zu", tie_name(m, s->tie), s->k);
}

// Names of joints are each there once.
static bool check_names(Mjcf *m) {
  size_t n = 0, count = 0, twice = 0;
  for (size_t b = 0; b < m->rig->nbodies; b++) n += m->rig->body[b].njoints;
  const char **name = mb_arena_alloc(&m->w->rig->arena, n + 1, sizeof *name);
  if (!name) return false;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].njoints; k++) name[count++] = joint_name(m, b, k);
  MbNames names;
  if (!mb_names_build(&names, name, n, &m->w->rig->arena, &twice)) return false;
  if (twice < n)
    mb_model_unfit(m->w, "",
                   "two joints would be called \"%s\": name them by \"_name\", parts of a joint by \"name\"",
                   name[twice]);
  return true;
}

// ---- sites ------------------------------------------------------------------------------------------------

// Points and welds name places by themselves, where the model stands so.
static bool needs_sites(const Mjcf *m, const MbRigTie *tie) {
  if (tie->kind == MB_RIG_WELD || tie->kind == MB_RIG_RATIO) return false;
  if (tie->kind != MB_RIG_POINT) return true;
  double way[3];
  MbRigFrame at[2];
  for (int k = 0; k < 2; k++) {
    const MbRigFrame stands = mb_rig_stands(m->rig, tie->path[k].body);
    at[k] = mb_rig_compose(&stands, &tie->path[k].frame);
  }
  mb_vec3_sub(way, at[0].p, at[1].p);
  return mb_vec3_norm(way) > 1e-12;
}

static bool list_sites(Mjcf *m) {
  const MbRig *rig = m->rig;
  MbArena *arena = &m->w->rig->arena;
  for (size_t i = 0; i < rig->nties; i++) m->nsites += needs_sites(m, &rig->tie[i]) ? rig->tie[i].npath : 0;
  m->site = mb_arena_alloc(arena, m->nsites + 1, sizeof *m->site);
  m->first_site = mb_arena_alloc(arena, rig->nbodies + 3, sizeof *m->first_site);
  if (!m->site || !m->first_site) return false;
  memset(m->first_site, 0, (rig->nbodies + 3) * sizeof *m->first_site);
  // counted, then put behind one another
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < rig->nties; i++) {
      if (!needs_sites(m, &rig->tie[i])) continue;
      for (size_t k = 0; k < rig->tie[i].npath; k++) {
        const size_t b = rig->tie[i].path[k].body, place = b == MB_RIG_WORLD ? rig->nbodies : b;
        if (pass)
          m->site[m->first_site[place + 1]++] = (Site){place, i, k};
        else
          m->first_site[place + 2]++;
      }
    }
    for (size_t b = 0; b < rig->nbodies + 1 && !pass; b++) m->first_site[b + 2] += m->first_site[b + 1];
  }
  return true;
}

static void put_sites(Mjcf *m, size_t place) {
  for (size_t s = m->first_site[place]; s < m->first_site[place + 1]; s++) {
    const MbRigFrame *f = &m->rig->tie[m->site[s].tie].path[m->site[s].k].frame;
    mb_xml_open(m->x, "site");
    mb_xml_put(m->x, "name", site_name(m, &m->site[s]));
    put_frame(m, f);
    mb_xml_end(m->x);
  }
}

// ---- shapes -----------------------------------------------------------------------------------------------

static bool same_mesh(const MbRigShape *a, const MbRigShape *b) {
  return !strcmp(a->file, b->file) && !memcmp(a->scale, b->scale, sizeof a->scale);
}

static size_t mesh_number(const Mjcf *m, const MbRigShape *s) {
  size_t i = 0;
  while (i < m->nmeshes && !same_mesh(m->mesh[i], s)) i++;
  return i;
}

// The file's name without its ending, with a number where that is taken.
static const char *mesh_name(const Mjcf *m, size_t i) {
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

static bool put_assets(Mjcf *m) {
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
    if (m->mesh[i]->scale[0] != 1) mb_xml_put_numbers(m->x, "scale", m->mesh[i]->scale, 3);
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "asset");
  return true;
}

static void put_size(Mjcf *m, const MbRigShape *s) {
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

static void put_surface(Mjcf *m, const MbRigShape *s) {
  if (!s->collides) {
    mb_xml_put(m->x, "contype", "0");
    mb_xml_put(m->x, "conaffinity", "0");
  } else if (m->rig->contact && s->friction != m->rig->friction) {
    mb_xml_put_number(m->x, "friction", s->friction);
  }
}

// Geoms have names where pairs of them are listed.
static const char *shape_name(const Mjcf *m, size_t b, size_t k) {
  return mb_model_format(m->w, "%s_%zu", m->rig->body[b].name, k);
}

static bool is_paired(const Mjcf *m, size_t b) {
  for (size_t i = 0; i < m->rig->npairs && m->rig->contact; i++) {
    const MbRigPair *pair = &m->rig->pair[i];
    if (!isnan(pair->friction) && (pair->body[0] == b || pair->body[1] == b)) return true;
  }
  return false;
}

static void put_shape(Mjcf *m, const MbRigShape *s, const char *name) {
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
  put_frame(m, &f);
  put_surface(m, s);
  if (!isnan(s->mass))
    mb_xml_put_number(m->x, "mass", s->mass);
  else if (!isnan(s->density) && s->density != 1000)
    mb_xml_put_number(m->x, "density", s->density);
  mb_xml_end(m->x);
}

// ---- bodies -----------------------------------------------------------------------------------------------

static void put_inertia(Mjcf *m, const MbRigBody *body) {
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

static void put_passive(Mjcf *m, const MbRigJoint *j) {
  const bool turns = j->kind == MB_RIG_HINGE;
  const double range[2] = {bound(turns ? angle(m, j->range[0]) : j->range[0]),
                           bound(turns ? angle(m, j->range[1]) : j->range[1])};
  if (j->limited) mb_xml_put_numbers(m->x, "range", range, 2);
  if (j->ref != 0) mb_xml_put_number(m->x, "ref", turns ? angle(m, j->ref) : j->ref);
  if (j->stiffness != 0) mb_xml_put_number(m->x, "stiffness", j->stiffness);
  if (j->stiffness != 0 && j->rest != 0)
    mb_xml_put_number(m->x, "springref", turns ? angle(m, j->rest) : j->rest);
  if (j->damping != 0) mb_xml_put_number(m->x, "damping", j->damping);
  if (j->inertia != 0) mb_xml_put_number(m->x, "armature", j->inertia);
  if (j->friction != 0) mb_xml_put_number(m->x, "frictionloss", j->friction);
}

static bool is_named(const Mjcf *m, size_t b, size_t k) {
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  return j->name || j->motor || j->driven || j->tied;
}

static void put_joint(Mjcf *m, size_t b, size_t k) {
  static const char *const words[] = {"hinge", "slide", "ball"};
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  if (j->kind == MB_RIG_FREE) {
    mb_xml_open(m->x, "freejoint");
    mb_xml_end(m->x);
    return;
  }
  mb_xml_open(m->x, "joint");
  if (is_named(m, b, k)) mb_xml_put(m->x, "name", joint_name(m, b, k));
  if (j->kind != MB_RIG_HINGE) mb_xml_put(m->x, "type", words[j->kind]);
  if (j->kind != MB_RIG_BALL && (j->axis[0] != 0 || j->axis[1] != 0 || j->axis[2] != 1))
    mb_xml_put_numbers(m->x, "axis", j->axis, 3);
  if (j->p[0] != 0 || j->p[1] != 0 || j->p[2] != 0) mb_xml_put_numbers(m->x, "pos", j->p, 3);
  put_passive(m, j);
  mb_xml_end(m->x);
}

static void put_bodies(Mjcf *m) {
  const MbRig *rig = m->rig;
  mb_xml_open(m->x, "worldbody");
  put_sites(m, rig->nbodies);
  int open = 0;
  for (size_t i = 0; i < rig->nbodies; i++) {
    const size_t b = m->w->order[i];
    const MbRigBody *body = &rig->body[b];
    for (; open > m->w->depth[i]; open--) mb_xml_close(m->x, "body");
    mb_xml_open(m->x, "body");
    open++;
    mb_xml_put(m->x, "name", body->name);
    put_frame(m, &body->frame);
    for (size_t k = 0; k < body->njoints; k++) put_joint(m, b, k);
    put_inertia(m, body);
    const bool paired = is_paired(m, b);
    for (size_t k = 0; k < body->nshapes; k++)
      put_shape(m, &body->shape[k], paired ? shape_name(m, b, k) : NULL);
    put_sites(m, b);
  }
  for (; open; open--) mb_xml_close(m->x, "body");
  mb_xml_close(m->x, "worldbody");
}

// ---- contact ----------------------------------------------------------------------------------------------

// Bodies that are named in pairs collide by each two of their shapes.
static void put_pair(Mjcf *m, const MbRigPair *pair) {
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
static void warn_frictions(Mjcf *m) {
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

static void put_contact(Mjcf *m) {
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
    mb_xml_put(m->x, "body1", body_name(m, pair->body[0]));
    mb_xml_put(m->x, "body2", body_name(m, pair->body[1]));
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "contact");
}

// ---- ties -------------------------------------------------------------------------------------------------

static void name_tie(Mjcf *m, const MbRigTie *tie) {
  if (tie->name) mb_xml_put(m->x, "name", tie->name);
}

static void put_connect(Mjcf *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  mb_xml_open(m->x, "connect");
  name_tie(m, tie);
  if (needs_sites(m, tie)) {
    mb_xml_put(m->x, "site1", site_name(m, &(Site){0, i, 0}));
    mb_xml_put(m->x, "site2", site_name(m, &(Site){0, i, 1}));
  } else {
    mb_xml_put(m->x, "body1", body_name(m, tie->path[0].body));
    if (tie->path[1].body != MB_RIG_WORLD) mb_xml_put(m->x, "body2", body_name(m, tie->path[1].body));
    mb_xml_put_numbers(m->x, "anchor", tie->path[0].frame.p, 3);
  }
  mb_xml_end(m->x);
}

// The pose of the second body in the first where both frames are the same.
static void put_weld(Mjcf *m, const MbRigTie *tie) {
  MbRigFrame second = tie->path[1].frame, back = mb_rig_frame(), f;
  mb_quat_conj(back.q, second.q);
  mb_quat_unrotate(back.p, second.q, second.p);
  mb_vec3_scale(back.p, -1, back.p);
  f = mb_rig_compose(&tie->path[0].frame, &back);
  double pose[7];
  memcpy(pose, f.p, sizeof f.p), memcpy(pose + 3, f.q, sizeof f.q);
  mb_xml_open(m->x, "weld");
  name_tie(m, tie);
  mb_xml_put(m->x, "body1", body_name(m, tie->path[0].body));
  if (tie->path[1].body != MB_RIG_WORLD) mb_xml_put(m->x, "body2", body_name(m, tie->path[1].body));
  mb_xml_put_numbers(m->x, "relpose", pose, 7);
  mb_xml_end(m->x);
}

// q1 − ref1 = c0 + c1 (q2 − ref2)
static void put_ratio(Mjcf *m, const MbRigTie *tie) {
  const MbRigJoint *a = m->rig->body[tie->body[1]].joint, *b = m->rig->body[tie->body[0]].joint;
  const double c[2] = {mb_angle_tidy(tie->offset - a->ref + tie->ratio * b->ref), tie->ratio};
  if (tie->reduced)
    mb_warning(m->w->report, tie->where,
               "MJCF holds joints in step by a constraint: imported again, \"enforce\" is \"constraint\"");
  mb_xml_open(m->x, "joint");
  name_tie(m, tie);
  mb_xml_put(m->x, "joint1", joint_name(m, tie->body[1], 0));
  mb_xml_put(m->x, "joint2", joint_name(m, tie->body[0], 0));
  mb_xml_put_numbers(m->x, "polycoef", c, 2);
  mb_xml_end(m->x);
}

static double way_of(const Mjcf *m, const MbRigTie *tie) { return mb_rig_way(m->rig, tie->path, tie->npath); }

// Relative to how long the tendon is where the model stands.
static void put_rod(Mjcf *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  const double way = way_of(m, tie), off = isnan(tie->length) ? 0 : tie->length - way;
  const double c[2] = {fabs(off) < 1e-15 * way ? 0 : off, 0};
  mb_xml_open(m->x, "tendon");
  name_tie(m, tie);
  mb_xml_put(m->x, "tendon1", tie_name(m, i));
  if (c[0] != 0) mb_xml_put_numbers(m->x, "polycoef", c, 2);
  mb_xml_end(m->x);
}

static void put_equality(Mjcf *m) {
  bool any = false;
  for (size_t i = 0; i < m->rig->nties; i++) {
    const MbRigTie *tie = &m->rig->tie[i];
    if (tie->kind > MB_RIG_ROPE || (tie->kind == MB_RIG_ROPE && !tie->rigid)) continue;
    if (!any) mb_xml_open(m->x, "equality");
    any = true;
    if (tie->kind == MB_RIG_POINT) put_connect(m, i);
    if (tie->kind == MB_RIG_WELD) put_weld(m, tie);
    if (tie->kind == MB_RIG_RATIO) put_ratio(m, tie);
    if (tie->kind == MB_RIG_ROPE) put_rod(m, i);
  }
  if (any) mb_xml_close(m->x, "equality");
}

static void put_tendon(Mjcf *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  mb_xml_open(m->x, "spatial");
  if (tie->name || tie->rigid || tie->kind == MB_RIG_MUSCLE) mb_xml_put(m->x, "name", tie_name(m, i));
  if (tie->kind == MB_RIG_SPRING) {
    if (tie->stiffness != 0) mb_xml_put_number(m->x, "stiffness", tie->stiffness);
    if (tie->damping != 0) mb_xml_put_number(m->x, "damping", tie->damping);
    if (!isnan(tie->length)) mb_xml_put_number(m->x, "springlength", tie->length);
  }
  if (tie->kind == MB_RIG_ROPE && !tie->rigid) {
    const double range[2] = {0, isnan(tie->length) ? way_of(m, tie) : tie->length};
    mb_xml_put_numbers(m->x, "range", range, 2);
  }
  for (size_t k = 0; k < tie->npath; k++) {
    mb_xml_open(m->x, "site");
    mb_xml_put(m->x, "site", site_name(m, &(Site){0, i, k}));
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "spatial");
}

static void put_tendons(Mjcf *m) {
  bool any = false;
  for (size_t i = 0; i < m->rig->nties; i++) {
    if (m->rig->tie[i].kind < MB_RIG_ROPE || m->rig->tie[i].kind == MB_RIG_TWIST) continue;
    if (!any) mb_xml_open(m->x, "tendon");
    any = true;
    put_tendon(m, i);
  }
  if (any) mb_xml_close(m->x, "tendon");
}

// ---- actuators --------------------------------------------------------------------------------------------

static bool open_actuator(Mjcf *m, const char *word, double control) {
  if (!m->ncontrols) mb_xml_open(m->x, "actuator");
  mb_xml_open(m->x, word);
  if (!mb_grow(&m->control, &m->room_controls, m->ncontrols + 1, sizeof *m->control)) return false;
  m->control[m->ncontrols++] = control;
  return true;
}

static bool put_servo(Mjcf *m, size_t b, size_t k) {
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  const double bias[3] = {0, -j->kp, -j->kv}, range[2] = {-j->most, j->most};
  const bool both = j->kp != 0 && j->kv != 0;
  if (!open_actuator(m,
                     both         ? "general"
                     : j->kp != 0 ? "position"
                                  : "velocity",
                     j->kp != 0 ? j->target : j->speed))
    return false;
  mb_xml_put(m->x, "joint", joint_name(m, b, k));
  if (both) {
    mb_xml_put_number(m->x, "gainprm", j->kp);
    mb_xml_put(m->x, "biastype", "affine");
    mb_xml_put_numbers(m->x, "biasprm", bias, 3);
  } else {
    mb_xml_put_number(m->x, j->kp != 0 ? "kp" : "kv", j->kp != 0 ? j->kp : j->kv);
  }
  if (!isnan(j->most)) mb_xml_put_numbers(m->x, "forcerange", range, 2);
  mb_xml_end(m->x);
  return true;
}

// Fibre lengths from 0.75 to 1.05 of the best are what the other engine's muscles have unless they say others.
static bool put_muscle(Mjcf *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  const double *own = tie->muscle, range[2] = {own[2] + 0.75 * own[1], own[2] + 1.05 * own[1]};
  if (!open_actuator(m, "muscle", 0)) return false;
  name_tie(m, tie);
  mb_xml_put(m->x, "tendon", tie_name(m, i));
  mb_xml_put_number(m->x, "force", own[0]);
  mb_xml_put_numbers(m->x, "lengthrange", range, 2);
  mb_xml_put_number(m->x, "vmax", own[3]);
  mb_xml_end(m->x);
  mb_warning(m->w->report, tie->where, "a muscle's force by length and speed follows other curves in MJCF");
  return true;
}

static bool put_actuators(Mjcf *m) {
  bool fine = true;
  for (size_t i = 0; i < m->rig->nbodies && fine; i++) {
    const size_t b = m->w->order[i];
    for (size_t k = 0; k < m->rig->body[b].njoints && fine; k++) {
      const MbRigJoint *j = &m->rig->body[b].joint[k];
      if (j->driven) {
        fine = open_actuator(m, "motor", j->force);
        mb_xml_put(m->x, "joint", joint_name(m, b, k));
        mb_xml_end(m->x);
      }
      if (fine && j->motor) fine = put_servo(m, b, k);
    }
  }
  for (size_t i = 0; i < m->rig->nties && fine; i++)
    if (m->rig->tie[i].kind == MB_RIG_MUSCLE) fine = put_muscle(m, i);
  if (m->ncontrols) mb_xml_close(m->x, "actuator");
  return fine;
}

// ---- where it begins --------------------------------------------------------------------------------------

// Coordinates or velocities of all joints; those that nothing is said of as the model stands.
static void add_state(Mjcf *m, const MbRigBody *body, const MbRigJoint *j, bool rates, MbText *t) {
  double x[7] = {j->q[0]};
  size_t n = rates ? 1 : 1;
  if (rates) {
    n = j->kind == MB_RIG_FREE ? 6 : j->kind == MB_RIG_BALL ? 3 : 1;
    memcpy(x, j->v, n * sizeof *x);
  } else if (j->kind == MB_RIG_FREE) {
    n = 7;
    memcpy(x, body->frame.p, 3 * sizeof *x), memcpy(x + 3, body->frame.q, 4 * sizeof *x);
  } else if (j->kind == MB_RIG_BALL) {
    n = 4;
    memcpy(x, j->q, 4 * sizeof *x);
  }
  char number[MB_NUMBER_TEXT];
  for (size_t i = 0; i < n; i++)
    mb_text_format(t, "%s%s", t->length ? " " : "", mb_number_text(x[i] == 0 ? 0 : x[i], number));
  (void)m;
}

static void put_state(Mjcf *m, const char *key, bool rates) {
  MbText t = {0};
  for (size_t i = 0; i < m->rig->nbodies; i++) {
    const MbRigBody *body = &m->rig->body[m->w->order[i]];
    for (size_t k = 0; k < body->njoints; k++) add_state(m, body, &body->joint[k], rates, &t);
  }
  char *text = mb_text_take(&t);
  if (text) mb_xml_put(m->x, key, text);
  if (!text) m->x->text.failed = true;
  mb_free(text);
}

static void put_start(Mjcf *m) {
  bool moved = false, rates = false, driven = false;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].njoints; k++) {
      const MbRigJoint *j = &m->rig->body[b].joint[k];
      for (int i = 0; i < 6; i++) rates |= j->v[i] != 0;
      moved |= j->placed && j->kind != MB_RIG_FREE;
    }
  for (size_t i = 0; i < m->ncontrols; i++) driven |= m->control[i] != 0;
  if (!moved && !rates && !driven) return;
  mb_xml_open(m->x, "keyframe");
  mb_xml_open(m->x, "key");
  mb_xml_put(m->x, "name", "start");
  if (moved || rates) put_state(m, "qpos", false);
  if (rates) put_state(m, "qvel", true);
  if (driven) mb_xml_put_numbers(m->x, "ctrl", m->control, m->ncontrols);
  mb_xml_end(m->x);
  mb_xml_close(m->x, "keyframe");
  mb_warning(
      m->w->report, "",
      "the model begins elsewhere than it stands: keyframe \"start\" is the scene's start (`mbsim import "
      "--key start`)");
}

// ---- the model --------------------------------------------------------------------------------------------

static void put_settings(Mjcf *m) {
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

static void note_ties(Mjcf *m) {
  for (size_t i = 0; i < m->rig->nties; i++)
    for (int k = 0; m->rig->tie[i].kind == MB_RIG_RATIO && k < 2; k++) {
      MbRigBody *body = &m->w->rig->body[m->rig->tie[i].body[k]];
      if (body->njoints) body->joint[0].tied = true;
    }
}

bool mb_mjcf_write(MbModelWriter *w) {
  Mjcf m = {.w = w, .x = &w->xml, .rig = w->rig, .degrees = wants_degrees(w->rig)};
  note_ties(&m);
  mb_xml_open(m.x, "mujoco");
  if (*m.rig->name) mb_xml_put(m.x, "model", m.rig->name);
  mb_xml_comment(m.x, mb_model_format(w, "exported from %s", m.rig->source));
  put_settings(&m);
  bool fine = check_names(&m) && list_sites(&m) && put_assets(&m);
  if (fine) put_bodies(&m);
  if (fine) put_contact(&m);
  if (fine) put_equality(&m);
  if (fine) put_tendons(&m);
  fine = fine && put_actuators(&m);
  if (fine) put_start(&m);
  mb_xml_close(m.x, "mujoco");
  mb_free(m.control);
  if (!fine && !w->status) w->status = mb_no_memory(w->report, "a model");
  return !w->status;
}
