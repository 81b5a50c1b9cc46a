// The state's coordinates and velocities, whichever solver they are of (layout.c).
#ifndef MB_SIM_LAYOUT_H
#define MB_SIM_LAYOUT_H

#include "core/sim/sim_internal.h"

// Sets the state's coordinates and velocities by the model's, those at t = 0 for one. MB_IO: out of memory.
MbStatus mb_sim_start_at(MbSim *sim, const double *q, const double *v, MbReport *report);
// Moves coordinates along velocities: q ← q ⊕ h v.
void mb_sim_advance(MbSim *sim, double *q, double h, const double *v);
// Moves them from the state's: sim->q1 ← q ⊕ h v.
void mb_sim_move(MbSim *sim, double h, const double *v);
// Ends a step of first order: q ← q ⊕ h v, and v ← what it is at its end (model/flight.h). The bodies of sim->x are at its start.
void mb_sim_fly(MbSim *sim, double *q, double h, double *v);
// Finds the coordinates' rates q̇ of velocities v at q.
void mb_sim_rate(const MbSim *sim, const double *q, const double *v, double *qdot);
// Makes q valid again after arithmetic on it (unit quaternions), and `rate` along with it; `rate` may be NULL.
void mb_sim_normalise(const MbSim *sim, double *q, double *rate);
// Takes other coordinates of the same pose for joints near a singularity. True if there were any.
bool mb_sim_renew(const MbSim *sim, double *q, double *v);
// Notes at the state, before a step of it, where coordinates that follow are to be looked for at the step's end.
void mb_sim_foresee(MbSim *sim);
// Makes (q, v) fit to be the state to come, and takes the bodies of sim->x there.
void mb_sim_settle(MbSim *sim, double *q, double *v);
// Tell where the three coordinates and the three velocities of a port begin, by the body that it is.
size_t mb_sim_port_place(const MbSim *sim, size_t body);
size_t mb_sim_port_velocity(const MbSim *sim, size_t body);
// Tells which body number i of (q, v) belongs to.
size_t mb_sim_body(const MbSim *sim, size_t i);
// Writes into (q, v) where bodies are and how they move that follow others, those of sim->x being where the rest of (q, v) says.
// Either may be NULL: not wanted.
void mb_sim_follow(const MbSim *sim, double *q, double *v);

#endif
