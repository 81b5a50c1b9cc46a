// Newton's method with the exact derivatives of a fully implicit stage (newton.c).
#ifndef MB_SIM_NEWTON_H
#define MB_SIM_NEWTON_H

#include "core/sim/full_stage.h"
#include "core/sim/stage_notes.h"
#include "core/sim/tangent.h"

typedef struct MbNewton MbNewton;

// Tells whether a simulation's stages are solved so: the others' are by passes with an approximate matrix (full_stage.c).
bool mb_newton_fits(const MbSim *sim);
// Tells whether an iteration costs as much as many passes.
bool mb_newton_dear(const MbSim *sim);
// Makes one in the simulation's memory; NULL: out of memory.
MbNewton *mb_newton_create(MbSim *sim);

// Takes the tangent and the factors of dτ/dw to a stage from coordinates q, which are moved by `step` = h (base + γ w) to q1 (nq), at
// accelerations a; τ (nv, may be NULL) is what is left there. False: the matrix has no inverse.
bool mb_newton_factor(MbSim *sim, const MbStageNote *stage, const double *q1, const double *step,
                      const double *a, double *tau);
// x ← (dτ/dw)⁻¹ x at the last factors, with the bodies and the tangent where these were taken. False: it could not be solved for.
bool mb_newton_solve(MbSim *sim, double *x);
// The same of (dτ/dw)⁻ᵀ.
bool mb_newton_solve_transposed(MbSim *sim, double *x);
MbTangent *mb_newton_tangent(const MbSim *sim);

// z ← what one iteration changes w by,  z = −(dτ/dw)⁻¹ τ,  the bodies of sim->x and sim->q1 being where w takes them; with rows those that are
// met too, by the forces that the rows had, which become those of this iteration (newton_rows.c). False: the matrix has no inverse, or rows are not for it.
bool mb_newton_change(MbSim *sim, const MbFullStage *stage, const double *w, double *z);

#endif
