// MJCF: included files, the compiler's settings, then the sections in the order in which they need each other.
#include "core/base/alloc.h"
#include "io/models/mjcf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- included files ---------------------------------------------------------------------------------------

enum { MOST_INCLUDES = 200 };

// The file's outermost element's children in the place of the <include>, which itself may hold nothing.
static bool include(MbMjcf *m, MbXmlElement *holder, MbXmlElement *before, MbXmlElement *e, int *count) {
  MbDoor *door = m->door;
  const char *file = mb_door_name(door, e, "file");
  if (!file) return false;
  if (e->first) return mb_door_error(door, e->at, "<include> holds nothing itself");
  if (++*count > MOST_INCLUDES)
    return mb_door_error(door, e->at, "more than %d files are included: does one include itself?",
                         MOST_INCLUDES);
  const char *path = *file == '/' || !*m->folder ? file : mb_door_format(door, "%s/%s", m->folder, file);
  for (const MbXmlElement *up = e; up; up = up->parent)
    if (!strcmp(up->at.file, path)) return mb_door_error(door, e->at, "%s includes itself", path);
  MbXmlElement *root = NULL;
  if (access(path, R_OK)) {
    mb_xml_error(door->report, MB_IO, e->at, "%s cannot be read: %s", path, strerror(errno));
    door->status = MB_IO;
    return false;
  }
  if (mb_xml_read(path, &door->rig.arena, &root, door->report)) {
    mb_xml_error(door->report, MB_IO, e->at, "%s is included here", path);
    door->status = MB_IO;
    return false;
  }
  MbXmlElement *last = root->last ? root->last : NULL, *first = root->first;
  for (MbXmlElement *c = first; c; c = c->next) c->parent = holder;
  MbXmlElement *after = e->next;
  if (!first) first = after;
  if (last) last->next = after;
  if (before)
    before->next = first;
  else
    holder->first = first;
  if (!after) holder->last = last ? last : before;
  return true;
}

static bool include_all(MbMjcf *m, MbXmlElement *holder, int *count) {
  MbXmlElement *before = NULL;
  for (MbXmlElement *e = holder->first; e;) {
    if (!strcmp(e->name, "include")) {
      if (!include(m, holder, before, e, count)) return false;
      e = before ? before->next : holder->first;
      continue;
    }
    if (!include_all(m, e, count)) return false;
    before = e, e = e->next;
  }
  return true;
}

// ---- settings ---------------------------------------------------------------------------------------------

static bool read_compiler(MbMjcf *m, const MbXmlElement *e) {
  static const char *const angles[] = {"radian", "degree", NULL},
                           *const three[] = {"false", "true", "auto", NULL},
                           *const places[] = {"local", NULL};
  MbDoor *door = m->door;
  const MbXmlAttribute *angle = mb_xml_attribute(e, "angle"), *euler = mb_xml_attribute(e, "eulerseq"),
                       *from = mb_xml_attribute(e, "inertiafromgeom"),
                       *meshes = mb_xml_attribute(e, "meshdir"), *assets = mb_xml_attribute(e, "assetdir"),
                       *place = mb_xml_attribute(e, "coordinate");
  if (place && mb_door_word(door, place, places) < 0) return false;
  if (angle) m->degrees = mb_door_word(door, angle, angles) == 1;
  if (from) m->from_geoms = mb_door_word(door, from, three);
  if (euler) {
    if (strlen(euler->value) != 3 || strspn(euler->value, "xyzXYZ") != 3)
      return mb_door_error(door, euler->at, "eulerseq: three letters of x, y, z are wanted");
    memcpy(m->euler, euler->value, 4);
  }
  if (assets) m->meshes = assets->value;
  if (meshes) m->meshes = meshes->value;
  m->autolimits = mb_door_flag(door, mb_xml_attribute(e, "autolimits"), m->autolimits);
  m->strip = mb_door_flag(door, mb_xml_attribute(e, "strippath"), m->strip);
  m->balance = mb_door_flag(door, mb_xml_attribute(e, "balanceinertia"), m->balance);
  m->least_mass = mb_door_number(door, mb_xml_attribute(e, "boundmass"), m->least_mass);
  m->least_inertia = mb_door_number(door, mb_xml_attribute(e, "boundinertia"), m->least_inertia);
  m->total_mass = mb_door_number(door, mb_xml_attribute(e, "settotalmass"), m->total_mass);
  return mb_door_vector(door, mb_xml_attribute(e, "inertiagrouprange"), m->groups, 2) && !door->status;
}

static bool read_option(MbMjcf *m, const MbXmlElement *e) {
  static const char *const words[] = {"disable", "enable", NULL};
  MbDoor *door = m->door;
  const struct {
    const char *name;
    bool *is[3];
  } flags[] = {{"gravity", {&m->gravity}},     {"limit", {&m->limits}},
               {"contact", {&m->contact}},     {"equality", {&m->equality}},
               {"frictionloss", {&m->dry}},    {"passive", {&m->springs, &m->dampers}},
               {"spring", {&m->springs}},      {"damper", {&m->dampers}},
               {"actuation", {&m->actuation}}, {"clampctrl", {&m->clamping}}};
  door->rig.step = mb_door_number(door, mb_xml_attribute(e, "timestep"), door->rig.step);
  if (!(door->rig.step > 0)) return mb_door_error(door, e->at, "timestep must be above 0");
  if (!mb_door_vector(door, mb_xml_attribute(e, "gravity"), door->rig.gravity, 3)) return false;
  for (const MbXmlElement *f = mb_xml_child(e, "flag"); f; f = mb_xml_again(f)) {
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
      const MbXmlAttribute *a = mb_xml_attribute(f, flags[i].name);
      const bool off = a && mb_door_word(door, a, words) == 0;
      for (int k = 0; k < 3 && off && flags[i].is[k]; k++) *flags[i].is[k] = false;
    }
    const MbXmlAttribute *all = mb_xml_attribute(f, "constraint");
    if (all && mb_door_word(door, all, words) == 0) m->limits = m->contact = m->equality = m->dry = false;
  }
  return !door->status;
}

typedef bool MbMjcfReader(MbMjcf *m, const MbXmlElement *section);

static bool each(MbMjcf *m, const char *name, MbMjcfReader *read) {
  for (const MbXmlElement *e = mb_xml_child(m->root, name); e; e = mb_xml_again(e))
    if (!read(m, e)) return false;
  return true;
}

static bool read_world(MbMjcf *m, const MbXmlElement *e) {
  const MbMjcfScope world = {.body = MB_RIG_WORLD, .frame = mb_rig_frame(), .suffix = ""};
  return mb_mjcf_body(m, e, &world);
}

// Ball joints' damping is of the angular velocity: a frame spring's.
static bool turn_balls(MbMjcf *m) {
  MbRig *rig = &m->door->rig;
  for (size_t b = 0; b < rig->nbodies; b++)
    for (size_t k = 0; k < rig->body[b].njoints; k++) {
      MbRigJoint *j = &rig->body[b].joint[k];
      if (j->kind != MB_RIG_BALL || j->damping == 0) continue;
      if (rig->body[b].njoints > 1) {
        mb_door_note(m->door, j->at, true, "damping of a ball <joint> beside other joints: left out");
        j->damping = 0;
        continue;
      }
      MbRigTie *tie = mb_rig_add_tie(rig, MB_RIG_TWIST, j->at);
      if (!tie || !(tie->path = mb_calloc(2, sizeof *tie->path))) return mb_door_no_memory(m->door);
      tie->npath = 2, tie->damping = j->damping;
      tie->path[0] = (MbRigPoint){rig->body[b].parent, rig->body[b].frame};
      tie->path[1] = (MbRigPoint){b, mb_rig_frame()};
      j->damping = 0;
    }
  return true;
}

static bool read_sections(MbMjcf *m) {
  MbDoor *door = m->door;
  if (!each(m, "compiler", read_compiler) || !each(m, "option", read_option)) return false;
  door->rig.contact = m->contact;
  if (!m->gravity) memset(door->rig.gravity, 0, sizeof door->rig.gravity);
  if (!mb_mjcf_list_classes(m) || !each(m, "worldbody", read_world)) return false;
  if (!mb_mjcf_masses(m) || !turn_balls(m) || !each(m, "equality", mb_mjcf_equality)) return false;
  if (!each(m, "contact", mb_mjcf_contact) || !each(m, "tendon", mb_mjcf_tendon)) return false;
  return each(m, "actuator", mb_mjcf_actuator) && mb_mjcf_key(m, door->options->key);
}

bool mb_mjcf_read(MbDoor *door, const char *path, MbXmlElement *root) {
  MbMjcf m = {.door = door,
              .root = root,
              .degrees = true,
              .autolimits = true,
              .euler = "xyz",
              .from_geoms = 2,
              .groups = {0, 5},
              .total_mass = -1,
              .ground = MB_RIG_WORLD,
              .gravity = true,
              .limits = true,
              .contact = true,
              .equality = true,
              .dry = true,
              .springs = true,
              .dampers = true,
              .actuation = true,
              .clamping = true};
  const char *slash = strrchr(path, '/');
  snprintf(m.folder, sizeof m.folder, "%.*s", slash == path ? 1 : slash ? (int)(slash - path) : 0, path);
  const MbXmlAttribute *name = mb_xml_attribute(root, "model");
  door->rig.name = name ? name->value : "";
  door->rig.gravity[2] = -9.81, door->rig.step = 0.002;
  int count = 0;
  bool fine = include_all(&m, root, &count);
  if (fine) mb_door_check(door, root);
  fine = fine && !door->status && read_sections(&m);
  mb_rig_names_free(&m.joints.index);
  mb_rig_names_free(&m.sites.index);
  mb_rig_names_free(&m.geoms.index);
  mb_free(m.joints.list);
  mb_free(m.sites.list);
  mb_free(m.geoms.list);
  mb_free(m.classes);
  mb_free(m.actuator);
  return fine;
}
