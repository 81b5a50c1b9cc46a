// What a scene says of joints. How a body hangs on its parent.
#ifndef MB_MODEL_SPEC_JOINTS_H
#define MB_MODEL_SPEC_JOINTS_H

#include "core/model/spec_parts.h"

// Kinds of joints: their names, and the words of scenes.
#define MB_JOINT_KINDS(KIND)                                                                                 \
  KIND(MB_JOINT_FIXED, "fixed")                                                                              \
  KIND(MB_JOINT_REVOLUTE, "revolute")                                                                        \
  KIND(MB_JOINT_PRISMATIC, "prismatic")                                                                      \
  KIND(MB_JOINT_CYLINDRICAL, "cylindrical")                                                                  \
  KIND(MB_JOINT_SCREW, "screw")                                                                              \
  KIND(MB_JOINT_UNIVERSAL, "universal")                                                                      \
  KIND(MB_JOINT_PLANAR, "planar")                                                                            \
  KIND(MB_JOINT_TRANSLATIONAL, "translational")                                                              \
  KIND(MB_JOINT_SPHERICAL, "spherical")                                                                      \
  KIND(MB_JOINT_EULER, "euler")                                                                              \
  KIND(MB_JOINT_FREE2D, "free2d")                                                                            \
  KIND(MB_JOINT_FREE3D, "free3d")                                                                            \
  KIND(MB_JOINT_COMPOSITE, "composite")                                                                      \
  KIND(MB_JOINT_SPLINE_CURVE, "spline_curve")                                                                \
  KIND(MB_JOINT_SPLINE_SURFACE, "spline_surface")
typedef enum MbJointKind { MB_JOINT_KINDS(MB_KIND_NAME) MB_JOINTS } MbJointKind;

// A servo motor: stiffness (target − q) + damping (target velocity − q̇), no more than max.
typedef struct MbMotorSpec {
  MbSignalsSpec target, target_velocity;
  MbNumbersSpec stiffness, damping, max; // no max = any force
} MbMotorSpec;

// What gives way at limits: stiffness (limit − q) − damping q̇ beyond them.
typedef struct MbStopsSpec {
  MbNumbersSpec stiffness, damping;
} MbStopsSpec;

// [lo, hi] of every degree of freedom, or of all of them; −inf and inf = open
typedef struct MbLimitsSpec {
  size_t count;        // pairs; 0 = not given
  const double *value; // (count x 2)
} MbLimitsSpec;

// Prescribed motion of the coordinates: their positions, or their velocities, or their accelerations; of what is
// prescribed the higher rates may be given too. A signal that is constantly NaN prescribes nothing.
typedef struct MbMotionSpec {
  MbSignalsSpec position, velocity, acceleration;
} MbMotionSpec;

// How the body moves in its parent at the start, as a rigid motion: of the joint's frame in the body, seen from the parent.
typedef enum MbJointSide { MB_SIDE_PARENT, MB_SIDE_BODY } MbJointSide;
typedef struct MbJointTwistSpec {
  double angular[3], linear[3];
  bool has_angular, has_linear;
  MbJointSide axes; // those of the joint's frame in the parent, or in the body
} MbJointTwistSpec;

// Control values of a spline surface.
typedef struct MbSurfaceSpec {
  size_t rows, columns;
  const double *control[6]; // (rows x columns) each: x, y, z, rotations about x, y, z
} MbSurfaceSpec;

// Friction inside a joint: surfaces that its load presses on one another.
typedef struct MbJointFrictionSpec {
  double coefficient;
  double radius, length; // of a pin, a shaft or a ball
  double size[3];        // prismatic: of the slide, along the joint's axis last
  double tolerance;      // of the loads, relative; a step's passes end there
  int passes;            // at most
} MbJointFrictionSpec;

// What is rare lies apart, NULL = not given: a scene may have a million joints.
typedef struct MbJointSpec {
  MbJointKind kind;
  bool closed;        // spline_curve
  const char *parent; // NULL = the world
  MbFrameSpec in_parent,
      in_body;         // the joint's frame in the parent's frame, and in the body's; of a composite's part
                       // the first is its frame in what the part before it moves
  double axis[3];      // revolute, prismatic, cylindrical, screw
  union {              // by the kind
    double pitch;      // screw: metres a turn
    const char *order; // euler
  };
  union {
    const char *name;   // part of a composite; NULL = not given
    MbStopsSpec *stops; // of any other; NULL: limits are hard
  };
  union {    // by the kind
    struct { // composite
      size_t nparts;
      struct MbJointSpec *parts; // (nparts) nearest to the parent first
    };
    struct { // spline_curve
      size_t nframes;
      MbFrameSpec *frames; // (nframes)
    };
    MbSurfaceSpec *surface; // spline_surface
  };
  MbNumbersSpec position, velocity, stiffness, rest, damping, inertia, frictionloss;
  MbJointTwistSpec *twist; // instead of `velocity`
  MbLimitsSpec limits;
  MbMotionSpec *motion;
  MbSignalsSpec force; // applied along the coordinates
  MbMotorSpec *motor;
  MbJointFrictionSpec *friction;
} MbJointSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_joint_words[MB_JOINTS + 1];
extern const char *const mb_joint_side_words[3];

#endif
