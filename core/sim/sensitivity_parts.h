// Private to core/sim/sensitivity*.c.
#ifndef MB_SIM_SENSITIVITY_PARTS_H
#define MB_SIM_SENSITIVITY_PARTS_H

#include "core/base/arena.h"
#include "core/sim/sensitivity.h"

// How the state changes with one of the numbers.
typedef struct MbSlope {
  MbSim *less, *more;
  double *q, *v, *u, *before; // (nv)
  double *base, *from, *w;    // (nv) of the stage at hand
  double *first;              // (nv) w of the first
  double *memory;             // (nm) of what is carried from step to step, by steps
  bool told;                  // that another branch is near has been told
} MbSlope;

struct MbSensitivity {
  const MbSensitivityNumber *number;
  size_t count;
  const char *by_steps; // why derivatives are by differences of single steps; NULL: by stages
  MbSim *sim, *probe;
  MbSlope *slopes;                              // (count)
  double *q, *q1;                               // (nq)
  double *step, *a, *move, *rate, *less, *more; // (nv)
  double *frame[2];                             // (frame size)
  MbState before;                               // by steps: the state before the step
  MbState side;                                 // the same on one side, after it
  double *memory[2];                            // (nm)
  MbArena arena;
};

// δq, a motion in the axes of the velocities, and δv between two states, `span` apart in what moves them, at the simulation's own. False where
// one of the three is far from the others, as the axes of a body free in space are where two of its moments change places.
bool mb_slope_between(const MbSensitivity *g, const MbState *less, const MbState *more, double span,
                      double *dq, double *dv);

// ---- sensitivity_steps.c: derivatives of the step as a whole ----------------------------------------------

// Says why a model's steps cannot be differentiated so; NULL: they can.
const char *mb_steps_refuse(const MbModel *model);
bool mb_steps_make(MbSensitivity *g); // false: out of memory
// How what is carried from step to step begins, of sides `span` apart.
void mb_steps_begin(MbSensitivity *g, MbSlope *slope, double span);
MbStatus mb_steps_step(MbSensitivity *g, MbReport *report);

#endif
