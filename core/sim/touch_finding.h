// The problem of contacts in a step as it is solved, perhaps again (touch_solve.c, touch_settle.c).
#ifndef MB_SIM_TOUCH_FINDING_H
#define MB_SIM_TOUCH_FINDING_H

#include "core/contact/contact_ops.h"
#include "core/sim/sim_internal.h"

// How it is solved.
typedef struct MbPushing {
  double tolerance, asked; // this time; by the scene
  size_t iterations;       // 0: the method's own
  MbContactFunction function;
  bool few;    // who asks for a few sweeps takes what they come to, and is told how good that is
  bool pivots; // it takes a W that is definite
} MbPushing;

typedef struct MbFinding {
  MbSim *sim;
  const MbContactOperator *W;
  const double *v; // velocities without what the rows push
  MbPushing how;
  MbContactResult result;
  double change, left; // of loads inside joints; of the natural map by what is asked for
  // Solves the problem of the rows taken as it is now, an MbFinding, by c->touch_method from the impulses c->from. False: it is no use going on.
  bool (*solve)(void *finding);
} MbFinding;

#endif
