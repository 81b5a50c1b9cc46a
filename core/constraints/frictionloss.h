// What dry friction along a coordinate has of its own.
#ifndef MB_CONSTRAINTS_FRICTIONLOSS_H
#define MB_CONSTRAINTS_FRICTIONLOSS_H

typedef struct MbFrictionLoss {
  double most; // force or torque along the coordinate
} MbFrictionLoss;

#endif
