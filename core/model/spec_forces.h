// What a scene says of forces, and of constraints.
#ifndef MB_MODEL_SPEC_FORCES_H
#define MB_MODEL_SPEC_FORCES_H

#include "core/model/spec_parts.h"

// The kinds of force: what the code calls each, and its word in scenes.
#define MB_FORCE_KINDS(KIND)                                                                                 \
  KIND(MB_FORCE_DAMPING, "damping")                                                                          \
  KIND(MB_FORCE_WRENCH, "wrench")                                                                            \
  KIND(MB_FORCE_POINT, "point_force")                                                                        \
  KIND(MB_FORCE_SPRING, "spring")                                                                            \
  KIND(MB_FORCE_FRAME_SPRING, "frame_spring")                                                                \
  KIND(MB_FORCE_MULTI_SPRING, "multi_spring")                                                                \
  KIND(MB_FORCE_MUSCLE, "muscle")
typedef enum MbForceKind { MB_FORCE_KINDS(MB_KIND_NAME) MB_FORCES } MbForceKind;

// How a spring's tension depends on its length l and rest length L.
typedef enum MbSpringLaw {
  MB_LAW_LINEAR,           // k (l − L)
  MB_LAW_STRAIN,           // k (l − L)/L
  MB_LAW_QUADRATIC_STRAIN, // k l (l² − L²)/2L²
  MB_LAW_ZERO_LENGTH,      // k l
  MB_LAWS
} MbSpringLaw;

typedef struct MbForceSpec {
  MbForceKind kind;
  const char *name; // NULL = not given
  const char *body; // of a kind that acts on one body
  bool lagged;      // the implicit integrators of first order leave out its derivatives
  size_t npoints;
  MbPointSpec *points; // (npoints) of a kind that acts between points: both ends, or a path
  void *parameters;    // what its kind has of its own: the struct for that in core/forces
} MbForceSpec;

// The kinds of constraint, as those of force.
#define MB_CONSTRAINT_KINDS(KIND)                                                                            \
  KIND(MB_CONSTRAINT_JOINT, "joint")                                                                         \
  KIND(MB_CONSTRAINT_POINT, "point")                                                                         \
  KIND(MB_CONSTRAINT_DISTANCE, "distance")                                                                   \
  KIND(MB_CONSTRAINT_ON_LINE, "point_on_line")                                                               \
  KIND(MB_CONSTRAINT_ON_PLANE, "point_on_plane")                                                             \
  KIND(MB_CONSTRAINT_RATIO, "ratio")                                                                         \
  KIND(MB_CONSTRAINT_VELOCITY_RATIO, "velocity_ratio")                                                       \
  KIND(MB_CONSTRAINT_ROLLING, "rolling")
typedef enum MbConstraintKind { MB_CONSTRAINT_KINDS(MB_KIND_NAME) MB_CONSTRAINTS } MbConstraintKind;

typedef struct MbConstraintSpec {
  MbConstraintKind kind;
  const char *name; // NULL = not given
  size_t nbetween;
  MbPointSpec *between;       // (nbetween) two ends, of a kind that is between points
  double compliance, damping; // 0 = hard
  void *parameters;           // what its kind has of its own: the struct for that in core/constraints
} MbConstraintSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_force_words[MB_FORCES + 1];
extern const char *const mb_law_words[MB_LAWS + 1];
extern const char *const mb_constraint_words[MB_CONSTRAINTS + 1];

#endif
