// What springs between points have of their own: `spring` and `multi_spring`.
#ifndef MB_FORCES_SPRING_H
#define MB_FORCES_SPRING_H

#include "core/model/spec.h"

// In the model.
typedef struct MbSpring {
  double stiffness, damping;
  double length; // at rest
  MbSpringLaw law;
  uint32_t passive; // multi_spring: bits of the segments that do not count in the length
} MbSpring;

// In the scene.
typedef struct MbSpringSpec {
  double stiffness, damping;
  double length;         // NaN = the initial one
  MbSpringLaw law;       // spring
  MbNumbersSpec passive; // multi_spring: segments that do not count in the length
} MbSpringSpec;

#endif
