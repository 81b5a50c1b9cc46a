// Going on with another model from where one was (checkpoint.c).
#ifndef MB_SIM_RESTORE_OF_H
#define MB_SIM_RESTORE_OF_H

#include "core/mbsim.h"

// Restores what a simulation of the model `of` has left, of which this one's differs in numbers alone (mb_sim_unlike); refuses as mb_sim_restore does.
MbStatus mb_sim_restore_of(MbSim *sim, const MbModel *of, const void *bytes, size_t size, MbReport *report);

#endif
