// Where bodies get to in a step by velocities that are being solved for (reached.c).
#ifndef MB_SIM_REACHED_H
#define MB_SIM_REACHED_H

#include "core/sim/sim_internal.h"

// Its memory is the simulation's.
typedef struct MbReached {
  bool *mark; // (nb) whose places at the step's end are wanted
  MbPose *E;  // (nb) there, of those
  double *q;  // (nq) coordinates there
} MbReached;

// Makes room. False: out of memory.
bool mb_reached_create(MbSim *sim, MbReached *reached);
// Marks no body.
void mb_reached_forget(const MbSim *sim, MbReached *reached);
// Marks a body, and those that carry it.
void mb_reached_mark(const MbSim *sim, MbReached *reached, size_t body);
// Finds the places of marked bodies at the step's end, by velocities v over the step. Returns how far the farthest is from the world's origin.
double mb_reached_go(const MbSim *sim, MbReached *reached, const double *v);
// out ← v + A⁻¹ Gᵀ λ of the solution that there is. False: A⁻¹ could not be applied.
bool mb_reached_velocities(MbSim *sim, const double *v, double *out);
// Tells whether each body has velocities of its own, so that it goes straight in a step.
bool mb_reached_apart(const MbSim *sim);

#endif
