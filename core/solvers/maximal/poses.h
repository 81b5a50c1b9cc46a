// The state of maximal coordinates: poses (7 a body), then the joints' coordinates, which are remembered only; velocities (6 a body). The
// joints' coordinates follow from the poses (poses.c).
#ifndef MB_SOLVERS_MAXIMAL_POSES_H
#define MB_SOLVERS_MAXIMAL_POSES_H

#include "core/solvers/maximal/held.h"

struct MbSolverWork {
  MbHeld held;
  double *joint_forces, *joint_rates; // (model's nv) scratch
};

extern const MbCoordinateMap mb_poses;

#endif
