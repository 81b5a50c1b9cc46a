// Newton's method with the exact derivatives of a fully implicit stage, without rows (newton.c).
#ifndef MB_SIM_NEWTON_H
#define MB_SIM_NEWTON_H

#include "core/sim/full_stage.h"

typedef struct MbNewton MbNewton;

// Tells whether a simulation's stages are solved so: the others' are by passes with an approximate matrix (full_stage.c).
bool mb_newton_fits(const MbSim *sim);
// Makes one in the simulation's memory; NULL: out of memory.
MbNewton *mb_newton_create(MbSim *sim);

// z ← what one iteration changes w by,  z = −(dτ/dw)⁻¹ τ,  the bodies of sim->x and sim->q1 being where w takes them. False: the matrix has
// no inverse.
bool mb_newton_change(MbSim *sim, const MbFullStage *stage, const double *w, double *z);

#endif
