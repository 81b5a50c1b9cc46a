// Energy that nothing but the scheme adds or takes (energy_watch.c).
#ifndef MB_SIM_ENERGY_WATCH_H
#define MB_SIM_ENERGY_WATCH_H

#include "core/sim/sim_internal.h"

// Tells how many numbers of the state's memory this takes.
size_t mb_watch_size(void);
enum { MB_WATCH_EVERY = 32 }; // steps
// Tells whether growth of a model's energy, and loss, would be the scheme's own, where its constraints hold at the start.
void mb_watch_causes(const MbModel *model, bool *growth, bool *loss);
// Tells whether the energy of the bodies of x has left its bounds by now; *fallen: the largest fall of the gravitational energy so far.
bool mb_watch_leaves(const MbModel *model, const MbMaximal *x, const MbEnergy *first, const MbEnergy *now,
                     double *fallen);
// Begins at the state.
void mb_watch_start(MbSim *sim);
// Looks at the state after a step; warns, once.
void mb_watch_step(MbSim *sim, MbReport *report);
// Adds a word to the last error where energy has grown before it.
void mb_watch_failure(MbSim *sim, MbReport *report);
// Looks no more, as after a blow.
void mb_watch_give_up(MbSim *sim);

#endif
