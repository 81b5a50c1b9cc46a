// What masses, joints' frames, constraints' parameters and signals (tangent_signals.h) are felt by along the way back, added up over steps: what a number changes of these is the same in every step, so that it is asked once, at the end,
// and costs nothing on the way.
#ifndef MB_SIM_TANGENT_GATHER_H
#define MB_SIM_TANGENT_GATHER_H

#include "core/sim/tangent_number.h"

typedef struct MbTangentGather MbTangentGather;

// Makes one for a model and `most` numbers in the arena; NULL: out of memory.
MbTangentGather *mb_tangent_gather_create(MbArena *arena, const MbModel *model, size_t most);
// From now on it takes in what a number wants to know; false: out of memory. Numbers that jump are not to be given.
bool mb_tangent_gather_for(MbTangentGather *gather, const MbTangentNumber *number);
// Adds what z · τ is felt by, where mb_tangent_number would be asked, with forces at time t.
void mb_tangent_gather(MbTangentGather *gather, MbSim *sim, const MbTangent *tangent, const double *v,
                       const double *a, double t, const double *z);
// Adds what the value of a signal at time t is felt by, where forces are none of the model's.
void mb_tangent_gather_signal(MbTangentGather *gather, size_t signal, double t, double felt);
// Tells whether moments of inertia of a body are wanted, and of any; adds what the three of inertia are felt by behind a step.
bool mb_tangent_gathers_moments(const MbTangentGather *gather, size_t body);
bool mb_tangent_gathers_any(const MbTangentGather *gather);
void mb_tangent_gather_moments(MbTangentGather *gather, size_t body, const double felt[3]);
// Adds a share of what ζ · g of hard rows is felt by, where mb_tangent_number_gaps is asked for the rest.
void mb_tangent_gather_gaps(MbTangentGather *gather, MbSim *sim, const MbTangent *tangent, const double *v,
                            double t, double share);
// Returns the sum of what mb_tangent_number would have been each time, less that of mb_tangent_number_rest, of what signals' values make, and of what gaps say beside mb_tangent_number_gaps.
double mb_tangent_gathered(const MbTangentGather *gather, const MbTangentNumber *number);

#endif
