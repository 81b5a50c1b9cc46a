// The inverse of the whole step's matrix A, which is block diagonal: the bodies' solver, and where nodes of deformables of elements are
// ports, the deformables' own matrix for these (whole_inverse.c).
#ifndef MB_SIM_WHOLE_INVERSE_H
#define MB_SIM_WHOLE_INVERSE_H

#include "core/sim/sim_internal.h"

// Finds x ← A⁻¹ x, as the solver's `apply` does for the bodies alone. While sim->together the ports answer as the deformables do, else
// by their masses alone. False where A⁻¹ could not be applied.
bool mb_whole_apply(MbSim *sim, double *x, double *lambda);

#endif
