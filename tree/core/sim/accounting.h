// Energy and momentum of bodies (accounting.c).
#ifndef MB_SIM_ACCOUNTING_H
#define MB_SIM_ACCOUNTING_H

#include "core/sim/sim_internal.h"

// Sums over the bodies of x.
MbEnergy mb_energy(const MbModel *model, const MbMaximal *x);
void mb_momentum(const MbModel *model, const MbMaximal *x, double linear[3], double angular[3]);

#endif
