// What a model in another's format says, before it is written as a scene: bodies in a tree with frames and joints, shapes, inertia, what
// ties bodies together. Both readers fill it; places are those of the elements it was read from.
#ifndef MB_IO_RIG_H
#define MB_IO_RIG_H

#include "core/model/spec.h"
#include "io/models/rig_names.h"
#include "io/xml/xml.h"

#define MB_RIG_WORLD SIZE_MAX

// A place and a turn. Where the turn was given by three angles these are kept for people: about the axes of `order`, each after the one
// before has turned (NULL: only the quaternion is known).
typedef struct MbRigFrame {
  double p[3], q[4];
  const char *order;
  double angles[3];
} MbRigFrame;

typedef enum MbRigKind { MB_RIG_HINGE, MB_RIG_SLIDE, MB_RIG_BALL, MB_RIG_FREE, MB_RIG_PLANE } MbRigKind;

typedef struct MbRigJoint {
  MbRigKind kind;
  const char *name;
  MbXmlPlace at;
  double p[3], axis[3]; // in the body
  double turn[4];       // of the joint's own axes in the body; of a rig made of a scene
  double ref;           // hinge, slide: its coordinate where bodies stand as the model has them
  bool limited;
  double range[2];
  double stiffness, rest, damping, friction, inertia;
  double q[7],
      v[6]; // at the start: one; a quaternion; place and quaternion; x, y, angle. Velocities as MuJoCo has them
  bool placed;                // q and v are given
  const char *remark;         // for people; NULL = none
  double effort, speed_limit; // bounds for a controller; NaN = not given
  bool driven;                // a program will want to give it a force
  double force;               // driven: what it is until then
  bool motor;
  double kp, kv, target, speed, most; // most: NaN = no bound
  size_t follows; // a mimic: index of the joint's body that it follows, MB_RIG_WORLD = none
  double ratio, offset;
  const char *where; // of a rig made of a scene: its JSON pointer
  bool tied;         // a tie names it
} MbRigJoint;

typedef struct MbRigShape {
  MbShapeKind kind;
  const char *name, *file; // mesh: a path that can be opened
  MbXmlPlace at;
  MbRigFrame frame;
  double size[3], radius, length, normal[3], offset;
  double scale[3];      // mesh; below 0: mirrored
  double density, mass; // NaN = not given
  bool seen, collides;
  bool colored;
  double rgba[4]; // red, green, blue, opacity: 0 to 1
  bool hull;      // of a mesh: it collides as its hull
  unsigned contype,
      conaffinity; // bits: two shapes meet where one's of the first and the other's of the second have one in common
  int condim;      // 1: without friction; more than 3: with friction against rolling and spinning
  double friction; // NaN = not given
  bool weightless; // counts in no mass
} MbRigShape;

typedef struct MbRigBody {
  const char *name;
  MbXmlPlace at;
  size_t parent;
  MbRigFrame frame; // in the parent
  size_t njoints, room_joints, nshapes, room_shapes;
  MbRigJoint *joint;
  MbRigShape *shape;
  bool inertial; // mass, center and matrix (xx yy zz xy xz yz about it) are given
  double mass, center[3], matrix[6];
  bool merged;       // into its parent: it is no body any more
  const char *bolt;  // without joints: what holds it to its parent is called; NULL = nothing
  const char *where; // of a rig made of a scene: its JSON pointer
} MbRigBody;

typedef struct MbRigPoint {
  size_t body; // MB_RIG_WORLD
  MbRigFrame frame;
} MbRigPoint;

typedef enum MbRigTieKind {
  MB_RIG_POINT,
  MB_RIG_WELD,
  MB_RIG_RATIO,
  MB_RIG_ROPE,
  MB_RIG_SPRING, // through npath points
  MB_RIG_TWIST,  // turning damper between two frames
  MB_RIG_MUSCLE,
} MbRigTieKind;

typedef struct MbRigTie {
  MbRigTieKind kind;
  const char *name;
  MbXmlPlace at;
  size_t npath;
  MbRigPoint *path;
  size_t body[2];       // ratio: whose joints
  double ratio, offset; // q of the second = ratio q of the first + offset
  bool reduced;
  bool rigid;                        // a rope that does not slacken
  double stiffness, damping, length; // NaN length: the initial one
  double muscle[4];                  // force, optimal length, tendon length, speed
  const char *where;                 // of a rig made of a scene: its JSON pointer
} MbRigTie;

typedef struct MbRigPair {
  size_t body[2];
  double friction; // NaN: an exclusion
  bool given;      // by the model, not found of shapes
  MbXmlPlace at;
} MbRigPair;

typedef struct MbRig {
  MbArena arena;
  const char *format; // "URDF", "MJCF"
  const char *name, *source;
  double gravity[3], step; // step NaN = not given
  bool contact;            // the model wants contact
  double friction;         // of shapes that say none; NaN = not known
  size_t nbodies, room_bodies;
  MbRigBody *body;
  MbRigNames names; // of bodies
  size_t nties, room_ties;
  MbRigTie *tie;
  size_t npairs, room_pairs;
  MbRigPair *pair;
} MbRig;

void mb_rig_free(MbRig *rig);

// Add one, zeroed but for what must not be zero; NULL when memory ran out. Pointers to those before are no longer good.
MbRigBody *mb_rig_add_body(MbRig *rig, const char *name, MbXmlPlace at);
MbRigJoint *mb_rig_add_joint(MbRigBody *body, MbRigKind kind, MbXmlPlace at);
MbRigShape *mb_rig_add_shape(MbRigBody *body, MbShapeKind kind, MbXmlPlace at);
MbRigTie *mb_rig_add_tie(MbRig *rig, MbRigTieKind kind, MbXmlPlace at);
MbRigPair *mb_rig_add_pair(MbRig *rig, MbXmlPlace at);

// Numbers that were computed, as a person would have written them, where that is the same but for rounding of numbers as large as the
// largest of them, or `size`.
void mb_rig_tidy(double *x, int n, double size);
// Limits of 1e10 and more are none: open sides are written so in formats that need both.
double mb_rig_bound(double x);
// A body's frame in the world where all coordinates are as the model is written.
MbRigFrame mb_rig_stands(const MbRig *rig, size_t body);
// Where joints are when the length of a tendon is asked for: as the model is written, at `rest` (MJCF's springref, which joints
// without a spring have too), or where a run starts. Free bodies stand as they are written in all of them.
typedef enum MbRigWhen { MB_RIG_WRITTEN, MB_RIG_RESTING, MB_RIG_STARTING } MbRigWhen;
// The way through points then.
double mb_rig_way(const MbRig *rig, const MbRigPoint *path, size_t n, MbRigWhen when);
// A file's path from a folder; as it is where one of them is not there.
void mb_rig_relative(const char *file, const char *folder, char *out, size_t size);

// The body of a name, or MB_RIG_WORLD.
size_t mb_rig_find_body(const MbRig *rig, const char *name);

MbRigFrame mb_rig_frame(void); // that changes nothing
// Whether a mesh has the size that its file has.
bool mb_rig_is_unscaled(const MbRigShape *shape);
MbRigFrame mb_rig_compose(const MbRigFrame *outer,
                          const MbRigFrame *inner); // inner as outer's surroundings see it
// The turn of three angles about axes of `order`, each after the one before has turned.
void mb_rig_euler(const char *order, const double angles[3], double q[4]);
// The least turn that brings z to a direction (any length but 0).
void mb_rig_turn_z(const double to[3], double q[4]);

#endif
