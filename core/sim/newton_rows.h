// Rows in Newton's method on a fully implicit stage (newton_rows.c).
#ifndef MB_SIM_NEWTON_ROWS_H
#define MB_SIM_NEWTON_ROWS_H

#include "core/sim/full_stage.h"

typedef struct MbNewtonRows MbNewtonRows;

// Makes it in the simulation's memory, for all of its rows; NULL: out of memory.
MbNewtonRows *mb_newton_rows_create(MbSim *sim);

// Takes the rows to a stage where the bodies of sim->x are, with what they push by the last solution: takes from A (nv x nv), the derivative of τ,
// what pushes change by, and from τ (nv) nothing. `along` (nv x nv, column after column) is how coordinates move with each of the stage's
// velocities w. False: some rows are of a kind that passes alone are for.
bool mb_newton_rows_at(MbSim *sim, MbNewtonRows *rows, const MbFullStage *stage, const double *w,
                       const double *along, double *A);
// z ← w's change with  A z = −τ + Gᵀ μ  that satisfies the rows to first order, from z = −A⁻¹ τ; the rows' forces ← μ. `solve` applies A⁻¹. False:
// rows of one way would pull, or be passed.
bool mb_newton_rows_solve(MbSim *sim, MbNewtonRows *rows, const MbFullStage *stage,
                          bool (*solve)(MbSim *sim, double *x), double *z);

#endif
