// How the largest forces of friction inside a joint change with what the joint transmits (rub_slopes.c).
#ifndef MB_SIM_RUB_SLOPES_H
#define MB_SIM_RUB_SLOPES_H

#include "core/constraints/joint_friction.h"

// Of one row: what its largest force m is felt by.
typedef struct MbRubSlope {
  double by_wrench[6]; // along what the joint does to the first body, with friction, in the rubbing frame
  double by_force[MB_RUB_ROWS]; // along the forces of the joint's rows, as places share them
  double weight[MB_RUB_PLACES]; // along a place's load as its normals' forces come to, while m feels it
  int side[MB_RUB_PLACES][2];   // from which each normal is pressed; 0: from none but for rounding
  bool near;                    // one is about to be pressed from the other side
} MbRubSlope;

// Finds it for a row, where the joint transmits w and its rows push with `force`, with the loads of its places, which belong to these. False: loads do not follow
// from what is transmitted.
bool mb_rub_slope(const MbJointFriction *own, int row, const double w[6], const double *force,
                  const double *load, MbRubSlope *out);
// Tells what m is on another side of a number, but for a constant: by what `own` has of the joint there, the forces and loads being those of the run.
double mb_rub_value(const MbJointFriction *own, int row, const MbRubSlope *slope, const double w[6],
                    const double *force, const double *load);

#endif
