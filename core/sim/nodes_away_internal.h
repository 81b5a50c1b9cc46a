// What the files of steps that end away have in common.
#ifndef MB_SIM_NODES_AWAY_INTERNAL_H
#define MB_SIM_NODES_AWAY_INTERNAL_H

#include "core/base/beside.h"
#include "core/sim/nodes.h"

struct MbAway {
  const MbAwayOps *ops;
  double *least; // (deformables) of elements, by their extent at rest
  bool whole;    // places and velocities stay, too, not what goes from step to step alone
  bool begun;    // a step has gone on from there, and is neither committed nor undone
  bool there;    // the engine has the state
  bool gone;     // the state's sections have it not
  bool left;     // it is on its way here
  bool lost;     // it cannot be had any more
  bool even;     // the last step's end was not odd
  MbBeside beside;
  bool (*job)(void *context); // NULL: there is none
  void *context;
  bool went; // the job has
};

static inline MbAway *mb_away_of(const MbSim *sim) { return sim->nodes ? sim->nodes->away : NULL; }

#endif
