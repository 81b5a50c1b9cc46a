// What a `distance` has of its own.
#ifndef MB_CONSTRAINTS_DISTANCE_H
#define MB_CONSTRAINTS_DISTANCE_H

#include <stdbool.h>

// In the scene.
typedef struct MbDistanceSpec {
  double length; // NaN = as it is at the start
  bool rope;     // may slacken
} MbDistanceSpec;

// In the model; a rope is unilateral.
typedef struct MbDistance {
  double length;
} MbDistance;

#endif
