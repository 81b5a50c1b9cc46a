// Elements that a step leaves crushed or inside out (crushed.c).
#ifndef MB_SIM_CRUSHED_H
#define MB_SIM_CRUSHED_H

#include "core/sim/sim_internal.h"

// The numbers of MB_SECTION_CRUSHED: how many steps have left some, and whether that was told.
enum { MB_CRUSHED_STEPS, MB_CRUSHED_TOLD, MB_CRUSHED_NUMBERS };

// Tells how many numbers of the state's memory this takes: none where no element can be crushed.
size_t mb_crushed_size(const MbModel *model);
// Measures the elements at rest.
MbStatus mb_crushed_create(MbSim *sim, MbReport *report);
// Tells what an element of deformable i is not to have less of than this share of its extent at rest; minus infinity: none can be crushed.
double mb_crushed_least(const MbSim *sim, size_t i);
// Looks at the state after a step, counts, and warns once; where sim->crushed is there.
void mb_crushed_watch(MbSim *sim, MbReport *report);

#endif
