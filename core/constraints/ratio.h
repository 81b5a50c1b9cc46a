// What a `ratio` and a `velocity_ratio` have of their own.
#ifndef MB_CONSTRAINTS_RATIO_H
#define MB_CONSTRAINTS_RATIO_H

#include "core/model/spec.h"

// In the scene: of the joints of these bodies.
typedef struct MbRatioSpec {
  const char *joints[2];
  double ratio, offset;
  MbEnforce enforce;
} MbRatioSpec;

// In the scene: of bodies that spin, each about a unit vector in its frame.
typedef struct MbVelocityRatioSpec {
  const char *bodies[2];
  double axes[2][3];
  double ratio;
} MbVelocityRatioSpec;

// In the model.
typedef struct MbRatio {
  double ratio, offset;
} MbRatio;

#endif
