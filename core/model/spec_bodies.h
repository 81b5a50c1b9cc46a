// What a scene says of bodies: their shapes, their materials, their inertia and motion.
#ifndef MB_MODEL_SPEC_BODIES_H
#define MB_MODEL_SPEC_BODIES_H

#include "core/model/spec_joints.h"

// A triangle mesh as it was read: corners index vertices, outward normals by the right-hand rule.
typedef struct MbMesh {
  size_t nv, nt;
  double *vertex;    // (nv x 3)
  int32_t *triangle; // (nt x 3)
} MbMesh;

typedef enum MbShapeKind {
  MB_SHAPE_BOX,
  MB_SHAPE_SPHERE,
  MB_SHAPE_CAPSULE,
  MB_SHAPE_CYLINDER,
  MB_SHAPE_ELLIPSOID,
  MB_SHAPE_MESH,
  MB_SHAPE_PLANE,
  MB_SHAPES
} MbShapeKind;

// As what a shape takes part in contact. A mesh may do so as the hull of its vertices, or triangle by triangle, convex or not.
typedef enum MbCollideKind {
  MB_COLLIDE_NOT,
  MB_COLLIDE_AS_IT_IS, // of a mesh: its hull where that is the same
  MB_COLLIDE_HULL,
  MB_COLLIDE_MESH,
  MB_COLLIDES
} MbCollideKind;

typedef struct MbShapeSpec {
  MbShapeKind kind;
  MbCollideKind collide;
  double size[3];               // box: whole edges; ellipsoid: radii; mesh: factors, below 0: mirrored
  double radius;                // sphere, capsule, cylinder
  double length;                // capsule (between the caps' centres), cylinder; along z
  double normal[3], offset;     // plane
  const char *file;             // mesh, as written
  double scale;                 // mesh
  const MbMesh *mesh;           // mesh, read and scaled
  MbFrameSpec frame;            // in the body
  double density;               // NaN = not given
  const char *material;         // NULL = not given
  double friction, restitution; // NaN = not given
  const double
      *color; // (4) for pictures: red, green, blue as screens have them (sRGB), opacity; NULL = not given
} MbShapeSpec;

typedef struct MbInertiaSpec {
  double mass, center[3], matrix[6]; // xx yy zz xy xz yz about the centre, body axes
} MbInertiaSpec;

// A body that is driven, along a path or at a velocity of its frame's origin.
typedef struct MbBodyMotionSpec {
  MbSignalSpec position[3];
  bool has_pose, has_velocity, turns, euler; // euler: turns about three axes; neither: does not turn
  double axis[3];
  MbSignalSpec angle;
  const char *order;
  MbSignalSpec angles[3];
  MbSignalSpec angular[3], linear[3];
  MbAxes axes; // that the velocity is given in
} MbBodyMotionSpec;

typedef struct MbBodySpec {
  const char *name;
  size_t nshapes;
  MbShapeSpec *shapes;          // (nshapes)
  bool shape_list;              // written as a list: pointers are /shape/0, not /shape
  bool jointed;                 // else it is free in space
  bool posed, moving;           // `pose`, `velocity` is given; else a driven body starts as its path does
  MbAxes velocity_axes;         // axes that angular and linear are given in
  double density, mass;         // NaN = not given
  const char *material;         // NULL = not given
  const double *color;          // (4) as a shape's
  MbInertiaSpec *inertia;       // NULL = not given
  MbFrameSpec pose;             // of the body frame in the world
  double angular[3], linear[3]; // velocity of the body frame's origin
  double damping;               // wrench -damping * twist
  MbBodyMotionSpec *motion;     // NULL = not given; apart, being large and rare
  MbJointSpec joint;
} MbBodySpec;

typedef struct MbMaterialSpec {
  const char *name;
  double density;               // NaN = not given
  double friction, restitution; // NaN = not given
  const double *color;          // (4) as a shape's
} MbMaterialSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_shape_words[MB_SHAPES + 1];
extern const char *const mb_collide_words[MB_COLLIDES - MB_COLLIDE_HULL + 1]; // from MB_COLLIDE_HULL on

#endif
