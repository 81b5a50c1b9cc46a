// Energy that nothing but the scheme adds or takes (energy_watch.c).
#ifndef MB_SIM_ENERGY_WATCH_H
#define MB_SIM_ENERGY_WATCH_H

#include "core/sim/sim_internal.h"

// Tells how many numbers of the state's memory this takes.
size_t mb_watch_size(void);
enum { MB_WATCH_EVERY = 32 }; // steps
// Begins at the state.
void mb_watch_start(MbSim *sim);
// Looks at the state after a step; warns, once.
void mb_watch_step(MbSim *sim, MbReport *report);
// Looks at the state where a run ends. What it finds is no part of what a checkpoint has of the state: that is to be taken before.
void mb_watch_end(MbSim *sim, MbReport *report);
// The same where the energy is known, and looks are due: of bodies that are where the state is, without nodes.
bool mb_watch_looks(const MbSim *sim);
// Tells whether that may be worth a word, without the bodies: no, where it cannot be.
bool mb_watch_nears(const MbSim *sim, const MbEnergy *now);
void mb_watch_energy(MbSim *sim, const MbEnergy *now, MbReport *report);
// Tells whether the energy says that nothing has taken so many J: nothing drives the scene, and it has not fallen by half of that.
bool mb_watch_denies(const MbSim *sim, double taken);
// Adds a word to the last error where energy has grown before it.
void mb_watch_failure(MbSim *sim, MbReport *report);
// Looks no more, as after a blow.
void mb_watch_give_up(MbSim *sim);

#endif
