// What `rolling` has of its own.
#ifndef MB_CONSTRAINTS_ROLLING_H
#define MB_CONSTRAINTS_ROLLING_H

#include "core/model/builder.h"

// In the scene.
typedef struct MbRollingSpec {
  const char *bodies[2]; // what rolls, and on what, or "world"
  double at[3],
      normal[3]; // the plane, in the frame of what carries it; no normal = that of its shape
  double along;  // place of a cylinder's or capsule's circle on its axis
} MbRollingSpec;

// In the model.
typedef struct MbRolling {
  double radii[3]; // half axes of the shape along R[0]
} MbRolling;

// Makes it of its table row and the shapes of the two bodies.
MbStatus mb_rolling_build(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops);

#endif
