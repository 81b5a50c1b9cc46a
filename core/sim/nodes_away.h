// Steps whose end stays where an engine with a memory of its own moves the nodes, and frames that leave from there while the next step is
// taken.
//
// In a scene of deformables alone nobody needs the places at a step's end but frames, checkpoints, looks at the energy and elements that are
// crushed. So they stay there with the velocities and the dual, and the next step begins from them; the state's sections are filled when
// somebody reads them. The places and velocities of a frame are sent while the next step is taken, and what its caller does with the frame
// may be done beside that step (mb_sim_beside): the state is what it was until the step is committed, and that waits for both.
//
// Numbers are those of steps whose ends all come back, to the bit. A device that stops takes the state with it, which then is no number.
#ifndef MB_SIM_NODES_AWAY_H
#define MB_SIM_NODES_AWAY_H

#include "core/sim/sim_internal.h"

// Lets ends of steps stay away from now on, or where somebody looks at places within steps what goes from step to step alone. False: they do not, as the engine, the scene, or memory does not allow it.
bool mb_sim_stay_away(MbSim *sim);
// Begins to send the state if its places are away. False: they are here.
bool mb_sim_leave(MbSim *sim);
// Fills the state's sections if it is away. MB_DEVICE: the device has stopped, and the state is lost.
MbStatus mb_sim_come(MbSim *sim, MbReport *report);
// Has `job` done beside the next step, once, by another thread: what has left may be sampled there. Where it returns false the step is given up, as
// MB_INTERRUPTED, and the state is as it was. A step that fails before nodes are moved does not begin the job.
void mb_sim_beside(MbSim *sim, bool (*job)(void *context), void *context);

// ---- for the files of nodes ---------------------------------------------------------------------------------

// The same as mb_sim_come; false: the sections are filled with NaN.
bool mb_away_come(const MbSim *sim);
// Tells that the sections are written to: they come first, and the next step begins from them.
void mb_away_changed(MbSim *sim);
// Tells whether the next step begins where the last one has ended, there.
bool mb_away_there(const MbSim *sim);
// Takes a step that ends there. Its end is judged here if it is odd.
MbStatus mb_away_step(MbSim *sim, double t, MbReport *report);
// Notes that a step goes on from where the last one has ended; that its end is the state; that it has failed, so that the state is there what it was.
void mb_away_go_on(MbSim *sim);
void mb_away_commit(MbSim *sim);
void mb_away_undo(MbSim *sim);
// Tells whether no element can be crushed at the state, without a look at it.
bool mb_away_even(const MbSim *sim);

#endif
