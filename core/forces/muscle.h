// What a `muscle` has of its own.
#ifndef MB_FORCES_MUSCLE_H
#define MB_FORCES_MUSCLE_H

#include "core/model/spec.h"

// In the model; its activation is the force's first signal.
typedef struct MbMuscle {
  double max_force, optimal_length, tendon_length, max_velocity;
} MbMuscle;

// In the scene.
typedef struct MbMuscleSpec {
  MbMuscle numbers;
  MbSignalSpec activation; // 0 to 1
} MbMuscleSpec;

#endif
