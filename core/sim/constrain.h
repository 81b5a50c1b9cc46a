// Constraints in steps of first order, under the adaptive integrator and on positions (constrain.c, constrain_rows.c).
#ifndef MB_SIM_CONSTRAIN_H
#define MB_SIM_CONSTRAIN_H

#include "core/sim/sim_internal.h"

// Makes room for the model's constraints.
MbStatus mb_constraining_create(MbSim *sim, MbReport *report);
// Sets what the state has of them at t = 0.
void mb_constraining_start(MbSim *sim);
void mb_constraining_free(MbSim *sim);
size_t mb_constraining_bytes(const MbSim *sim); // beside the arena
// Takes coordinates of joints that close loops, as the last rows have found them, into the state.
void mb_constrain_remember(MbSim *sim);

// Takes the velocities nearest to v, as A measures, that satisfy the constraints; forces are those that this takes over a step. The
// factor of A and the bodies of sim->x are at the state.
MbStatus mb_constrain_velocity(MbSim *sim, double *v, MbReport *report);
// Does the same by its parts: makes the rows at the state, then solves them, as often as wanted, for other velocities.
void mb_constrain_prepare(MbSim *sim);
MbStatus mb_constrain_solve(MbSim *sim, double *v, MbReport *report);
// Makes those anew that every pass makes, with the nodes where the solver's passes have got to and the forces of the last pass. Places are
// asked for where there are such rows alone.
void mb_constrain_anew(MbSim *sim);
// Does the same by the rows about bodies alone.
MbStatus mb_constrain_bodies(MbSim *sim, double *v, MbReport *report);
// Does the same by the rows about nodes alone, as mb_constrain_anew has made them; the forces of the others stay.
MbStatus mb_constrain_nodes(MbSim *sim, double *v, MbReport *report);
// Lets contacts be solved for by less than the scene asks for in solutions to come, where iterations still move nodes by such a velocity; 0:
// by all of it.
void mb_constrain_loosen(MbSim *sim, double velocity);
// Tells whether they were, in the last solution.
bool mb_constrain_unfinished(const MbSim *sim);
// Adds to y the impulses along the velocities, Gᵀ λ, of the last solution of such rows. The rows that the solver claims are left out.
void mb_constrain_impulses(const MbSim *sim, double *y);
// The forces that it takes of each row.
double *mb_constrain_forces(MbSim *sim);
// Finds what pulls at the rows that the solver claims when the others' forces are those that a step ends with, from what pulled before they
// were solved for (mb_claims_keep).
MbStatus mb_constrain_settle(MbSim *sim, MbReport *report);
// Does the same at once, by impulses, at (q, t); moves the bodies of sim->x and the factor there.
MbStatus mb_constrain_jump(MbSim *sim, const double *q, double t, double *v, MbReport *report);
// Does the same for velocities after a blow, at the state.
MbStatus mb_constrain_impulse(MbSim *sim, double *v);
// Does the same for accelerations, at (q, v, t) of the bodies of sim->x and of the factor; of hard unilateral rows those that are held.
MbStatus mb_constrain_acceleration(MbSim *sim, const double *q, const double *v, double t, double *vdot,
                                   MbReport *report);
// Post-stabilisation, where it is asked for: moves q until the constraints of position hold, and the bodies of sim->x with it.
MbStatus mb_constrain_position(MbSim *sim, double *q, const double *v, double t, MbReport *report);
// Does the same wherever it is wanted, to so much of the numbers whose differences gaps are.
MbStatus mb_constrain_close(MbSim *sim, double *q, const double *v, double t, double close_by,
                            MbReport *report);
// Takes the step's forces into the state to come, (q, v) at t, where something is constrained.
MbStatus mb_constrain_commit(MbSim *sim, const double *q, const double *v, double t, MbReport *report);

// A step begins, of whose solutions nothing is known.
void mb_solved_begin(MbSim *sim);
// The step is done: what is told of its solutions joins what the state has of those before. The first that has missed its tolerance is a warning.
void mb_solved_commit(MbSim *sim, MbReport *report);

// At the state: the worst error of position and of velocity.
void mb_constraint_errors(const MbSim *sim, double errors[2]);
// At the state: forces of rows on coordinates, along the velocities y (model's nv).
void mb_constraint_reactions(const MbSim *sim, double *y);
// At the state: adds Gᵀ λ of all rows to y.
void mb_constraint_push(MbSim *sim, double *y);

#endif
