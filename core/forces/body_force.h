// What forces on one body have of their own: `wrench` and `point_force`.
#ifndef MB_FORCES_BODY_FORCE_H
#define MB_FORCES_BODY_FORCE_H

#include "core/model/spec.h"

// In the scene.
typedef struct MbBodyForceSpec {
  double at[3]; // point_force: in the body frame; wrench: zero
  MbSignalSpec force[3], torque[3];
  MbAxes axes; // that they are given in
} MbBodyForceSpec;

// In the model.
typedef struct MbBodyForce {
  double at[3]; // point of application, centre-of-mass frame
  double R[9];  // body axes → centre-of-mass axes, for vectors given in body axes
  MbAxes axes;
} MbBodyForce;

#endif
