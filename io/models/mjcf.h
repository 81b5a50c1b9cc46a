// MJCF as it is read: the compiler's settings, classes of defaults, and what has a name.
#ifndef MB_IO_MJCF_H
#define MB_IO_MJCF_H

#include "io/models/door.h"

typedef struct MbMjcfClass {
  const char *name; // "" = the outermost
  const MbXmlElement *element;
  size_t parent; // SIZE_MAX = none
  bool outermost;
} MbMjcfClass;

// Something with a name on a body: a joint (number `index` of it), a site or geom (its frame there).
typedef struct MbMjcfNamed {
  const char *name;
  MbXmlPlace at;
  size_t body, index;
  MbRigFrame frame;
} MbMjcfNamed;

typedef struct MbMjcfNames {
  size_t n, room;
  MbMjcfNamed *list;
  MbRigNames index; // in the list
} MbMjcfNames;

typedef struct MbMjcfActuator {
  size_t body, joint; // body MB_RIG_WORLD: none that a keyframe's control does anything to
  bool servo;         // its control is a target, else a force
  double by;          // what control is multiplied with
  double range[2];    // what control is held within
} MbMjcfActuator;

typedef struct MbMjcf {
  MbDoor *door;
  const MbXmlElement *root;
  char folder[4096];
  // compiler
  bool degrees, autolimits, strip, balance;
  char euler[4];
  const char *meshes; // folder of meshes
  int from_geoms;     // 0 false, 1 true, 2 auto
  double groups[2], least_mass, least_inertia, total_mass;
  // what is not disabled
  bool gravity, limits, contact, equality, dry, springs, dampers, actuation, clamping;
  size_t nclasses, room_classes;
  MbMjcfClass *classes;
  size_t ground; // the body that holds what stands in the world itself; MB_RIG_WORLD: nothing does
  MbMjcfNames joints, sites, geoms;
  size_t nactuators, room_actuators;
  MbMjcfActuator *actuator;
} MbMjcf;

// Where elements of a body stand.
typedef struct MbMjcfScope {
  size_t body;       // MB_RIG_WORLD
  MbRigFrame frame;  // in it
  const char *class; // of children; NULL = the outermost
  const char *suffix;
  int depth;
} MbMjcfScope;

// Resolves attributes: the element's own, or its class's, or that of the class around it, and so on. `tag` is what the class calls the
// element. NULL: nowhere.
const MbXmlAttribute *mb_mjcf_get(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag,
                                  const char *name);
// False with an error where an element names a class that is not there.
bool mb_mjcf_class_of(MbMjcf *m, const MbXmlElement *e, const char *around, const char **class);
bool mb_mjcf_childclass(MbMjcf *m, const MbXmlElement *e, const char *around, const char **class);
// True, with an error, where gains of another kind of actuator are defaults of this one's class.
bool mb_mjcf_mixed(MbMjcf *m, const MbXmlElement *e, const char *class);
bool mb_mjcf_list_classes(MbMjcf *m);
// The turn that quat, axisangle, xyaxes, zaxis or euler give; stays where none is given.
bool mb_mjcf_turn(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, MbRigFrame *frame);
// pos and the turn
bool mb_mjcf_frame(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, MbRigFrame *frame);
double mb_mjcf_angle(const MbMjcf *m, double x);
double mb_mjcf_number(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag, const char *name,
                      double absent);
bool mb_mjcf_limited(MbMjcf *m, const MbXmlElement *e, const char *class, const char *tag,
                     const char *limited, const char *range, double out[2], bool *is);

bool mb_mjcf_note_name(MbMjcf *m, MbMjcfNames *names, const char *what, const MbMjcfNamed *named);
const MbMjcfNamed *mb_mjcf_named(MbMjcf *m, const MbMjcfNames *names, const char *what, const MbXmlElement *e,
                                 const char *attribute);

bool mb_mjcf_body(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope); // what stands in it
bool mb_mjcf_geom(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope);
bool mb_mjcf_masses(MbMjcf *m);
const MbXmlElement *mb_mjcf_find_tendon(const MbMjcf *m, const char *name); // NULL: there is none
bool mb_mjcf_equality(MbMjcf *m, const MbXmlElement *section);
bool mb_mjcf_contact(MbMjcf *m, const MbXmlElement *section);
bool mb_mjcf_tendon(MbMjcf *m, const MbXmlElement *section);
bool mb_mjcf_actuator(MbMjcf *m, const MbXmlElement *section);
// Starts from the keyframe of a name, or, of NULL, with controls of 0.
bool mb_mjcf_key(MbMjcf *m, const char *name);

#endif
