// What signals are felt by along the way back: as a number changes a table in a few places, which act in few steps, what the values of tables are felt by is added up over steps, and what a number changes of them
// is asked once, at the end.
#ifndef MB_SIM_TANGENT_SIGNALS_H
#define MB_SIM_TANGENT_SIGNALS_H

#include "core/sim/tangent_number.h"

typedef struct MbTangentSignals MbTangentSignals;

// Makes one for a model in the arena, which more is taken from; NULL: out of memory.
MbTangentSignals *mb_tangent_signals_create(MbArena *arena, const MbModel *model);
// From now on it takes in what a number wants to know; false: out of memory.
bool mb_tangent_signals_for(MbTangentSignals *signals, const MbTangentNumber *number);
// Adds what z · τ and ζ · r are felt by, where mb_tangent_transposed has been asked about z, with forces at time t.
void mb_tangent_signals_gather(MbTangentSignals *signals, MbSim *sim, const MbTangent *tangent,
                               const double *v, double t, const double *z);
// Adds what a signal's value at time t is felt by, if a number wants to know.
void mb_tangent_signals_give(MbTangentSignals *signals, size_t signal, double t, double felt);
// Adds a share of what ζ · g of hard rows is felt by at time t.
void mb_tangent_signals_gather_gaps(MbTangentSignals *signals, MbSim *sim, const MbTangent *tangent, double t,
                                    double share);
// Returns what a number that it is for has changed of all of it.
double mb_tangent_signals_gathered(const MbTangentSignals *signals, const MbTangentNumber *number);

#endif
