// Deformables of elements in a run (sim_soft.c); all of it does nothing where there are none.
#ifndef MB_SIM_SIM_SOFT_H
#define MB_SIM_SIM_SOFT_H

#include "core/sim/sim_internal.h"

// Tells how many numbers of the state's memory its sections take.
void mb_sim_soft_sections(const MbModel *model, size_t size[MB_SECTIONS]);
MbStatus mb_sim_soft_create(MbSim *sim, MbReport *report);
void mb_sim_soft_free(MbSim *sim);
size_t mb_sim_soft_bytes(const MbSim *sim);
// Sets the state at t = 0.
void mb_sim_soft_start(MbSim *sim);

// Moves the nodes to t, the end of the step, when the bodies of sim->x are there.
MbStatus mb_sim_soft_step(MbSim *sim, double t, MbReport *report);
// The step together with bodies that nodes are tied to, at nodes that are ports (scheme_coupled.c): their velocities are the model's.
// Begins a step that ends at t.
MbStatus mb_sim_soft_begin(MbSim *sim, double t, MbReport *report);
// Tells whether another pass is wanted.
bool mb_sim_soft_goes_on(const MbSim *sim);
// Makes a pass's correction with what impulses at the ports (along the velocities) make, and writes the ports' velocities that it leads
// to into v.
void mb_sim_soft_pass(MbSim *sim, const double *impulse, double *v);
// Adds what further impulses make, and takes the correction into the iterate.
MbStatus mb_sim_soft_end_pass(MbSim *sim, const double *impulse, MbReport *report);
// Ends the step, and writes the ports' velocities into v.
void mb_sim_soft_end(MbSim *sim, double *v);
// Writes into v what impulses at the ports change of their velocities over a step.
void mb_sim_soft_respond(const MbSim *sim, const double *impulse, double *v);

// Takes them into the state.
void mb_sim_soft_commit(MbSim *sim);

// Takes the ports' velocities in the state for those of their nodes, as after a blow.
void mb_sim_soft_take_ports(MbSim *sim);

// At the state, of all nodes (nodes x 3).
const double *mb_sim_soft_places(const MbSim *sim);
const double *mb_sim_soft_velocities(const MbSim *sim);
// At the state: volume and largest strain of one deformable; what all add to energy and momentum.
void mb_sim_soft_measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain);
void mb_sim_soft_energy(const MbSim *sim, MbEnergy *energy);
void mb_sim_soft_momentum(const MbSim *sim, double linear[3], double angular[3]);
// Of the last step: iterations, residual and what is left; how many steps so far have missed the energy that was wanted; seconds of
// wall time.
void mb_sim_soft_solution(const MbSim *sim, double solution[4], double *seconds);
// Iterations of a step at most; the residual of each of the last step's, 0 of those that it did without.
size_t mb_sim_soft_history_size(const MbModel *model);
void mb_sim_soft_history(const MbSim *sim, double *out);

#endif
