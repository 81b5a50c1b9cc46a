// What a joint that closes a loop has of its own.
#ifndef MB_CONSTRAINTS_CLOSURE_H
#define MB_CONSTRAINTS_CLOSURE_H

#include "core/model/spec.h"

// In the scene.
typedef struct MbClosureSpec {
  MbJointSpec joint; // its geometry, and `position` where it is looked for at the start
  double axis[3];    // that both frames' z is turned to
} MbClosureSpec;

// In the model.
typedef struct MbClosure {
  MbJointKind joint;
} MbClosure;

#endif
