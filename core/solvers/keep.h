// What a solver leaves of an instant, kept to come back to: where everything is, how fast, and M factored there. It is for the way back of derivatives (sim/sensitivity_backward.c), which needs
// of every step what the run had at hand, and would make it anew.
#ifndef MB_SOLVERS_KEEP_H
#define MB_SOLVERS_KEEP_H

#include "core/model/ops.h"

typedef struct MbKeepOps {
  // How many numbers it is.
  size_t (*numbers)(const MbSolverWork *work);
  // Keeps what the last kinematics have left.
  void (*instant)(const MbSolverWork *work, double *kept);
  // Keeps the factor of M that has been made there; false: the last one is of another instant, or has more in it than M.
  bool (*factor)(const MbSolverWork *work, double *kept);
  // Takes the solver and x, both of the same model, to an instant at coordinates q and velocities x->v that has been kept with its factor. Rows can be carried there, and `apply` and `gather` be asked; what wants
  // inertia or velocities of its own (factor, accelerate, momentum, bias, drift) wants kinematics first.
  void (*put)(MbSolverWork *work, const double *kept, const double *q, MbMaximal *x);
} MbKeepOps;

#endif
