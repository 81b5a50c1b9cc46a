// What the state's bodies feel at an instant (evaluate.c).
#ifndef MB_SIM_EVALUATE_H
#define MB_SIM_EVALUATE_H

#include "core/sim/sim_internal.h"

// Moves the bodies of sim->x to coordinates q and velocities v, and takes the solver there.
void mb_sim_kinematics(MbSim *sim, const double *q, const double *v);

// Evaluates those signals that stay what they are, when values have been given from outside or taken back.
void mb_sim_hold_signals(MbSim *sim);
// Evaluates the others at time t.
void mb_sim_signals(MbSim *sim, double t);
// Evaluates signals at time t, then the wrenches of all forces, and the velocity terms, on the bodies of sim->x.
void mb_sim_wrenches(MbSim *sim, double t);
// Does the same, adds what the solver's J takes (f −= M J̇ v), and evaluates K and D too where `derivatives` says so.
void mb_sim_forces(MbSim *sim, double t, bool derivatives);
// Tells whether any wrench acts beside gravity and the velocity terms, which some solvers have in their own passes.
bool mb_sim_outside(const MbModel *model);
// Evaluates those wrenches alone; signals have been evaluated at time t.
void mb_sim_swings(MbSim *sim); // f += the swings of bodies that fly, over a step
void mb_sim_outer_wrenches(MbSim *sim, double t);
// The same with K and D as steps have them, into sim->x.
void mb_sim_outer_blocks(MbSim *sim, double t);
// Evaluates signals at time t, those wrenches, and every derivative of theirs, unsymmetrised, into K and D (as MbMaximal has them).
void mb_sim_outer_derivatives(MbSim *sim, double t, double *K, double *D);
// The same, K and D being those of forces alone that do not tell what they are felt by (MbForceOps.felt).
void mb_sim_outer_unfelt(MbSim *sim, double t, double *K, double *D);

// Notes the bodies in space that carry others (MbMaximal.carrier): all of their tree or, where `all` bodies are in space, nobody but
// themselves. NULL: out of memory.
const size_t *mb_carriers(const MbModel *model, bool all, MbArena *arena);
// Evaluates the velocity term and the forces that act on every body, on bodies [begin, end) of x: range by range, so that each body's
// sum has one order. `outside` leaves out what is inertial.
void mb_forces_of_range(const MbModel *model, MbMaximal *x, bool outside, size_t begin, size_t end);
// Adds the forces that act on some bodies alone.
void mb_forces_of_some(const MbModel *model, MbMaximal *x);

// Maps wrenches to the solver's velocities: y = Jᵀ f, and the joints' own forces at (q, v).
void mb_sim_gather(MbSim *sim, const double *q, const double *v, double *y);
// Adds the derivatives' products: y += (sD D + sK K) v, of the bodies' blocks by J, and of the joints' own.
void mb_sim_add_blocks(MbSim *sim, double sD, double sK, const double *v, double *y);

#endif
