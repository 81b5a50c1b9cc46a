// How a state is given from outside (set_state.c, set_nodes.c): all coordinates and velocities of the model, those that stay among them.
#ifndef MB_SIM_SET_STATE_H
#define MB_SIM_SET_STATE_H

#include "core/base/arena.h"
#include "core/sim/sim_internal.h"

typedef struct MbGiven {
  double *q, *v;             // as mb_sim_get tells them, in the scene's order
  double *model_q, *model_v; // (model's nq), (nv)
  unsigned char *before;     // a checkpoint
  MbArena arena;
} MbGiven;

// Makes room, and writes the model's coordinates and velocities as they are, and a checkpoint. The room is to be freed, whatever comes of it.
MbStatus mb_given_begin(const MbSim *sim, MbGiven *given, MbReport *report);
void mb_given_free(MbGiven *given);
// Refuses velocities (NULL: none) where they are no state.
MbStatus mb_given_velocities(const MbSim *sim, const double *v, MbReport *report);
// Makes the model's numbers the state, as at the start. Where that fails the checkpoint is the state again.
MbStatus mb_given_end(MbSim *sim, MbGiven *given, MbReport *report);

#endif
