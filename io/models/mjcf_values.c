// Values of MJCF: defaults by classes, turns in five ways, limits, names.
#include "core/base/alloc.h"
#include "core/math/mat3.h"
#include "core/math/quat.h"
#include "io/models/mjcf.h"

#include <string.h>

static const double DEG = 3.14159265358979323846 / 180;

// ---- classes ----------------------------------------------------------------------------------------------

// The last of that name: of several outermost sections each goes on where those before it ended.
static size_t find_class(const MbMjcf *m, const char *name) {
  for (size_t i = m->nclasses; i-- > 0;)
    if (!strcmp(m->classes[i].name, name)) return i;
  return SIZE_MAX;
}

// What counts where no class is named, and under the name of any outermost section.
static size_t outermost(const MbMjcf *m) {
  for (size_t i = m->nclasses; i-- > 0;)
    if (m->classes[i].outermost) return i;
  return SIZE_MAX;
}

static size_t class_or_outermost(const MbMjcf *m, const char *class) {
  const size_t k = class ? find_class(m, class) : SIZE_MAX;
  return k == SIZE_MAX || m->classes[k].outermost ? outermost(m) : k;
}

static bool add_class(MbMjcf *m, const MbXmlElement *e, size_t parent, bool outer) {
  const MbXmlAttribute *a = mb_xml_attribute(e, "class");
  const char *name = a ? a->value : "";
  if (!outer && !*name) return mb_door_error(m->door, e->at, "<default> within another needs \"class\"");
  const size_t before = find_class(m, name);
  if (before != SIZE_MAX && !(outer && m->classes[before].outermost))
    return mb_door_error(m->door, e->at, "two classes are called \"%s\"", name);
  if (!mb_grow(&m->classes, &m->room_classes, m->nclasses + 1, sizeof *m->classes))
    return mb_door_no_memory(m->door);
  const size_t own = m->nclasses++;
  m->classes[own] =
      (MbMjcfClass){.name = *name ? name : "main", .element = e, .parent = parent, .outermost = outer};
  for (const MbXmlElement *c = mb_xml_child(e, "default"); c; c = mb_xml_again(c))
    if (!add_class(m, c, own, false)) return false;
  return true;
}

// A second outermost section changes what the first says for all that comes after; classes within the first stay as they are.
bool mb_mjcf_list_classes(MbMjcf *m) {
  for (const MbXmlElement *e = mb_xml_child(m->root, "default"); e; e = mb_xml_again(e))
    if (!add_class(m, e, outermost(m), true)) return false;
  return true;
}

bool mb_mjcf_class_of(MbMjcf *m, const MbXmlElement *e, const char *around, const char **class) {
  const MbXmlAttribute *a = mb_xml_attribute(e, "class");
  *class = a ? a->value : around;
  if (!a || find_class(m, a->value) != SIZE_MAX || !strcmp(a->value, "main")) return true;
  return mb_door_error(m->door, a->at, "there is no class \"%s\"", a->value);
}

bool mb_mjcf_childclass(MbMjcf *m, const MbXmlElement *e, const char *around, const char **class) {
  const MbXmlAttribute *a = mb_xml_attribute(e, "childclass");
  *class = a ? a->value : around;
  if (!a || find_class(m, a->value) != SIZE_MAX || !strcmp(a->value, "main")) return true;
  return mb_door_error(m->door, a->at, "there is no class \"%s\"", a->value);
}

// The tags that stand for one kind of thing in a class.
static bool same_kind(const char *tag, const char *name) {
  static const char *const actuators[] = {"motor", "position", "velocity", "general", "muscle", NULL};
  if (!strcmp(tag, name)) return true;
  bool a = false, b = false;
  for (int i = 0; actuators[i]; i++) a |= !strcmp(actuators[i], tag), b |= !strcmp(actuators[i], name);
  return a && b;
}

// Numbers that mean one thing for one kind of actuator and another for the next.
static bool own_kind_only(const char *name) {
  static const char *const names[] = {"kp",       "kv",    "gainprm", "biasprm", "gaintype",
                                      "biastype", "force", "range",   NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

bool mb_mjcf_mixed(MbMjcf *m, const MbXmlElement *e, const char *class) {
  static const char *const own[] = {"kp",       "kv",       "gainprm", "biasprm",
                                    "gaintype", "biastype", "dyntype", NULL};
  size_t k = class_or_outermost(m, class);
  for (; k != SIZE_MAX; k = m->classes[k].parent)
    for (const MbXmlElement *c = m->classes[k].element->first; c; c = c->next) {
      if (!same_kind(e->name, c->name) || !strcmp(e->name, c->name)) continue;
      for (int i = 0; own[i]; i++) {
        const MbXmlAttribute *a = mb_xml_attribute(c, own[i]);
        if (!a) continue;
        mb_door_error(
            m->door, e->at,
            "in the other engine %s of <%s> in its class reaches this <%s>: give them classes of their own",
            own[i], c->name, e->name);
        return true;
      }
    }
  return false;
}

static const MbXmlAttribute *of_level(const MbXmlElement *holder, const char *tag, const char *name) {
  const MbXmlAttribute *found = NULL;
  for (const MbXmlElement *c = holder->first; c; c = c->next) {
    if (strcmp(c->name, tag) != 0 && (own_kind_only(name) || !same_kind(tag, c->name))) continue;
    const MbXmlAttribute *a = mb_xml_attribute(c, name);
    if (a) found = a;
  }
  return found;
}

const MbXmlAttribute *mb_mjcf_get(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag,
                                  const char *name) {
  const MbXmlAttribute *a = mb_xml_attribute(e, name);
  size_t k = class_or_outermost(m, class);
  for (; !a && k != SIZE_MAX; k = m->classes[k].parent) a = of_level(m->classes[k].element, tag, name);
  return a;
}

double mb_mjcf_number(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, const char *name,
                      double absent) {
  return mb_door_number(m->door, mb_mjcf_get(m, e, class, tag, name), absent);
}

// ---- turns ------------------------------------------------------------------------------------------------

double mb_mjcf_angle(const MbMjcf *m, double x) { return m->degrees ? x * DEG : x; }

static bool turn_by_axes(MbDoor *door, const MbXmlAttribute *a, double q[4]) {
  double xy[6], z[3], R[9];
  if (!mb_door_vector(door, a, xy, 6)) return false;
  double *x = xy, *y = xy + 3;
  if (mb_vec3_norm(x) < 1e-10) return mb_door_error(door, a->at, "xyaxes: the x axis has no direction");
  mb_vec3_scale(x, 1 / mb_vec3_norm(x), x);
  mb_vec3_add_scaled(y, y, -mb_vec3_dot(x, y), x);
  if (mb_vec3_norm(y) < 1e-10) return mb_door_error(door, a->at, "xyaxes: the axes are parallel");
  mb_vec3_scale(y, 1 / mb_vec3_norm(y), y);
  mb_vec3_cross(z, x, y);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  mb_quat_from_mat3(q, R);
  return true;
}

static bool turn_by_angles(MbMjcf *m, const MbXmlAttribute *a, MbRigFrame *f) {
  double angles[3];
  if (!mb_door_vector(m->door, a, angles, 3)) return false;
  for (int i = 0; i < 3; i++) angles[i] = mb_mjcf_angle(m, angles[i]);
  // capitals turn about axes that stay: the same as about those that turn, in reverse
  bool capitals = true, small = true;
  for (int i = 0; i < 3; i++) capitals &= m->euler[i] < 'a', small &= m->euler[i] >= 'a';
  char *order = mb_arena_strdup(&m->door->rig.arena, m->euler);
  if (!order) return mb_door_no_memory(m->door);
  if (small || capitals) {
    for (int i = 0; i < 3; i++) {
      const int from = small ? i : 2 - i;
      order[i] = (char)(m->euler[from] | 0x20), f->angles[i] = angles[from];
    }
    mb_rig_euler(order, f->angles, f->q);
    const bool fits = order[0] != order[1] && order[1] != order[2];
    f->order = fits && (angles[0] != 0 || angles[1] != 0 || angles[2] != 0) ? order : NULL;
    return true;
  }
  mb_quat_identity(f->q);
  for (int i = 0; i < 3; i++) {
    double w[3] = {0}, turn[4];
    w[(m->euler[i] | 0x20) - 'x'] = angles[i];
    mb_quat_exp(turn, w);
    if (m->euler[i] >= 'a')
      mb_quat_mul(f->q, f->q, turn);
    else
      mb_quat_mul(f->q, turn, f->q);
  }
  return true;
}

static bool turn_by(MbMjcf *m, const MbXmlAttribute *a, MbRigFrame *f) {
  MbDoor *door = m->door;
  double x[4];
  f->order = NULL;
  if (!strcmp(a->name, "euler")) return turn_by_angles(m, a, f);
  if (!strcmp(a->name, "xyaxes")) return turn_by_axes(door, a, f->q);
  if (!strcmp(a->name, "zaxis")) {
    if (!mb_door_vector(door, a, x, 3)) return false;
    if (mb_vec3_norm(x) < 1e-10) return mb_door_error(door, a->at, "zaxis has no direction");
    mb_rig_turn_z(x, f->q);
    return true;
  }
  if (!mb_door_vector(door, a, x, 4)) return false;
  if (!strcmp(a->name, "axisangle")) {
    const double n = mb_vec3_norm(x);
    if (n < 1e-10) return mb_door_error(door, a->at, "axisangle: the axis has no direction");
    mb_vec3_scale(x, mb_mjcf_angle(m, x[3]) / n, x);
    mb_quat_exp(f->q, x);
    return true;
  }
  const double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (n < 1e-10) return mb_door_error(door, a->at, "quat has no length");
  for (int i = 0; i < 4; i++) f->q[i] = x[i] / n;
  return true;
}

bool mb_mjcf_turn(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, MbRigFrame *f) {
  static const char *const ways[] = {"axisangle", "xyaxes", "zaxis", "euler", "quat", NULL};
  const MbXmlAttribute *found = NULL, *own = NULL;
  for (int i = 0; ways[i]; i++) {
    const MbXmlAttribute *a = mb_xml_attribute(e, ways[i]);
    if (a && own)
      return mb_door_error(m->door, a->at, "<%s> is turned in two ways: %s and %s", e->name, own->name,
                           ways[i]);
    if (a) own = a;
    const MbXmlAttribute *resolved = mb_mjcf_get(m, e, class, tag, ways[i]);
    if (resolved && !a && found && resolved != found)
      return mb_door_error(m->door, e->at, "<%s> and its class are turned in two ways: %s and %s", e->name,
                           found->name, ways[i]);
    if (resolved) found = resolved;
  }
  return !found || turn_by(m, found, f);
}

bool mb_mjcf_frame(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, MbRigFrame *f) {
  *f = mb_rig_frame();
  return mb_door_vector(m->door, mb_mjcf_get(m, e, class, tag, "pos"), f->p, 3) &&
         mb_mjcf_turn(m, e, class, tag, f);
}

// ---- limits -----------------------------------------------------------------------------------------------

bool mb_mjcf_limited(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag,
                     const char *limited, const char *range, double out[2], bool *is) {
  static const char *const words[] = {"false", "true", "auto", NULL};
  const MbXmlAttribute *says = mb_mjcf_get(m, e, class, tag, limited),
                       *of = mb_mjcf_get(m, e, class, tag, range);
  const int word = says ? mb_door_word(m->door, says, words) : 2;
  out[0] = out[1] = 0;
  *is = false;
  if (word < 0 || !mb_door_vector(m->door, of, out, 2)) return false;
  const bool some = out[0] != 0 || out[1] != 0;
  if (word == 0 || (word == 2 && !some)) return true;
  if (word == 2 && !m->autolimits)
    return mb_door_error(
        m->door, of->at,
        "%s is given, but neither \"%s\" nor the compiler's autolimits says whether it counts", range,
        limited);
  if (!some) return mb_door_error(m->door, says->at, "%s is \"true\", but there is no %s", limited, range);
  if (out[0] >= out[1])
    return mb_door_error(m->door, of->at, "%s: the first number is to be the smaller one", range);
  *is = true;
  return true;
}

// ---- names ------------------------------------------------------------------------------------------------

bool mb_mjcf_note_name(MbMjcf *m, MbMjcfNames *names, const char *what, const MbMjcfNamed *named) {
  if (!named->name || !*named->name) return true;
  size_t before = 0;
  if (!mb_grow(&names->list, &names->room, names->n + 1, sizeof *names->list) ||
      !mb_rig_names_put(&names->index, named->name, names->n, &before))
    return mb_door_no_memory(m->door);
  if (before != MB_RIG_NO_NAME)
    return mb_door_error(m->door, named->at, "two %ss are called \"%s\"", what, named->name);
  names->list[names->n++] = *named;
  return true;
}

const MbMjcfNamed *mb_mjcf_named(MbMjcf *m, const MbMjcfNames *names, const char *what, const MbXmlElement *e,
                                 const char *attribute) {
  const char *name = mb_door_name(m->door, e, attribute);
  const size_t i = name ? mb_rig_names_find(&names->index, name) : MB_RIG_NO_NAME;
  if (i != MB_RIG_NO_NAME) return &names->list[i];
  if (name) mb_door_error(m->door, mb_xml_attribute(e, attribute)->at, "there is no %s \"%s\"", what, name);
  return NULL;
}
