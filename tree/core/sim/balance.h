// Accelerations and what joints transmit, at the state.
#ifndef MB_SIM_BALANCE_H
#define MB_SIM_BALANCE_H

#include "core/sim/sim_internal.h"

// Room for it: sim->balance. MB_IO: out of memory.
MbStatus mb_balance_create(MbSim *sim, MbReport *report);
void mb_balance_free(MbSim *sim);
size_t mb_balance_bytes(const MbSim *sim); // beside the arena
// Finds all of it at the state; nothing that a step or a resume reads changes.
MbStatus mb_balance_evaluate(MbSim *sim, MbReport *report);

// Then: of a body ω̇ and its frame's origin's acceleration, in the world's axes; q̈ of the joints (model's nv), those of
// bodies free in space being theirs; torque and force of the parent on the child, about the joint's origin and in the axes of
// its frame on the child.
void mb_balance_body(const MbSim *sim, size_t b, double out[6]);
const double *mb_balance_coordinates(const MbSim *sim);
void mb_balance_reaction(const MbSim *sim, size_t b, double out[6]);

#endif
