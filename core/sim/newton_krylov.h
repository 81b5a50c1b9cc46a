// Newton's method where the exact matrix would be too large: by its products alone (newton_krylov.c).
#ifndef MB_SIM_NEWTON_KRYLOV_H
#define MB_SIM_NEWTON_KRYLOV_H

#include "core/sim/newton.h"

typedef struct MbKrylov MbKrylov;

// Makes one in the simulation's memory; NULL: out of memory.
MbKrylov *mb_krylov_create(MbSim *sim);
// Factors A of passes where the bodies of a simulation are, without what makes it indefinite where it is so; the forces at time t are evaluated. False: A has no inverse.
bool mb_krylov_factor(MbSim *sim, double t, double span);
// Takes it to a stage, as mb_newton_factor does: the tangent, and A of passes for a preconditioner. False: A has no inverse.
bool mb_krylov_at(MbSim *sim, MbKrylov *krylov, MbTangent *tangent, const MbStageNote *stage,
                  const double *q1, const double *step, const double *a, double *tau);
// x ← (dτ/dw)⁻¹ x, or by the transposed matrix; what is left is `tolerance` of x, as the preconditioner measures. False: it was not found.
bool mb_krylov_solve(MbSim *sim, MbKrylov *krylov, bool transposed, double tolerance, double *x);

#endif
