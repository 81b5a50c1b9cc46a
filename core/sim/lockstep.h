// Simulations of eight models in lockstep, each in a lane of the processor's vectors: models that differ in numbers alone, of trees of
// joints under solver `redmax` or `maximal` and an integrator of first order. A lane comes to the same bits as mb_sim_step and
// mb_sim_sample do of its model. It has a simulation of its own beside, which takes the steps that vectors do not know, as those at
// joints' limits. Where this one fails the lane leaves, and the run is to be made again by itself, which tells what is wrong. The other
// lanes go on as they would have.
#ifndef MB_SIM_LOCKSTEP_H
#define MB_SIM_LOCKSTEP_H

#include "core/mbsim.h"
#include "core/solvers/redmax/links.h"

enum { MB_LOCKSTEP = 8 };

// A model as a lane takes it.
typedef struct MbLane {
  const MbModel *model;
  MbLinks links;
  MbSim *sim; // its own
} MbLane;

// Tells why a model cannot be a lane, as words that fit behind "it "; NULL: it may.
const char *mb_lane_refused(const MbModel *model);
// Makes a lane and its simulation, of whose start the report then tells. *refused, where it cannot be a lane for what the simulation is;
// else NULL. Whatever comes of it, mb_lane_free.
MbStatus mb_lane_create(const MbModel *model, MbLane *lane, const char **refused, MbReport *report);
void mb_lane_free(MbLane *lane);
// Tells whether two models differ in numbers alone.
bool mb_lanes_alike(const MbLane *a, const MbLane *b);

typedef struct MbLockstep MbLockstep;

// Makes room for models that are like this one, which must outlive it.
MbStatus mb_lockstep_create(const MbLane *like, MbLockstep **lockstep, MbReport *report);
void mb_lockstep_free(MbLockstep *lockstep);
// Puts all lanes at their start: `count` models, from one to eight, all alike, whose simulations have not been stepped. They must outlive
// the steps. MB_IO: out of memory.
MbStatus mb_lockstep_load(MbLockstep *lockstep, const MbLane *const *lanes, size_t count, MbReport *report);
// Takes one step in every lane.
void mb_lockstep_step(MbLockstep *lockstep);
// Looks whether energies leave their bounds, as steps do every so many, and where runs end: the lanes' simulations tell.
void mb_lockstep_watch(MbLockstep *lockstep);
// Tells which lanes go on: bit k of lane k.
unsigned mb_lockstep_goes(const MbLockstep *lockstep);
int64_t mb_lockstep_steps(const MbLockstep *lockstep);
// How many steps of lanes their own simulations have taken, of how many.
void mb_lockstep_taken(const MbLockstep *lockstep, int64_t *alone, int64_t *all);
// What a lane's steps have warned of since this was asked last.
MbReport *mb_lockstep_said(MbLockstep *lockstep, size_t lane);
// Puts a lane's state into its own simulation, which then is as after so many steps by itself.
void mb_lockstep_put(MbLockstep *lockstep, size_t lane);

// The channels of a frame, which all lanes have.
const MbChannel *mb_lockstep_channels(const MbLockstep *lockstep, size_t *count, size_t *frame_size);
// Says which of them frames are to have: the others' numbers are left as they were. Energies are always there where they are a channel.
void mb_lockstep_want(MbLockstep *lockstep, const bool *wanted);
// Writes the frames of the state as it is: frame k has `frame_size` numbers from frames + k frame_size.
void mb_lockstep_sample(MbLockstep *lockstep, double *frames);

#endif
