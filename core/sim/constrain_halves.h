// Constraints in steps of second order and in the kinematic mode (constrain_halves.c).
#ifndef MB_SIM_CONSTRAIN_HALVES_H
#define MB_SIM_CONSTRAIN_HALVES_H

#include "core/sim/claims.h"

// Notes the gaps at the state, the bodies being there, and the velocities sim->start that a half step begins with.
MbStatus mb_constrain_begin(MbSim *sim, MbReport *report);
// Notes the gaps that w leads to; in a stage that ends where its rows are, those at its coordinates q.
void mb_constrain_aim(MbSim *sim, const MbHalf *half, const double *q, const double *w);
// Ends a pass, which has changed w by `change`: w ← the velocities that satisfy the constraints.
MbStatus mb_constrain_half(MbSim *sim, const MbHalf *half, const double *q, double *w, const double *change,
                           MbReport *report);
// Takes the last pass's impulses, by which velocities v have become w, so many times into those of the step.
MbStatus mb_constrain_keep(MbSim *sim, const double *v, const double *w, double times, MbReport *report);
// Finds the widest gap of hard rows of both ways that the last pass has aimed at, and names its constraint; NULL: there is none.
const char *mb_constrain_widest(const MbSim *sim, double *gap);
// Whether a hard unilateral row has pressed in the step so far that did not press in the one before.
bool mb_constrain_struck(const MbSim *sim);
// Ends a step at t + h as mb_constrain_agree does, agreed (nslots; may be NULL) being the impulses that has taken; forces are those that the whole step has taken.
MbStatus mb_constrain_end(MbSim *sim, const double *made, bool factored, double *v, double *agreed,
                          MbReport *report);
// Takes the velocities nearest to v that satisfy the constraints at (q1, t); A is factored there, or will be. Rows that prescribe
// accelerations have made of the velocities at the start what `made` is.
MbStatus mb_constrain_agree(MbSim *sim, double t, const double *made, bool factored, double *v,
                            MbReport *report);
// Takes the nearest kinematic velocities that satisfy them at (q, t); λ are forces.
MbStatus mb_constrain_kinematic(MbSim *sim, const double *q, double t, double *v, MbReport *report);

#endif
