// Where prescribed motions jump that are told by expressions, as min(1, 3*t) and abs(sin(t)) do in their velocity: an adaptive step has to end
// there. Tables tell their corners themselves (model.h, breaks).
#ifndef MB_SIM_KINKS_H
#define MB_SIM_KINKS_H

#include "core/sim/sim_internal.h"

// Whether a signal is an expression that has a choice in it, a function that jumps or bends, or a root.
bool mb_signal_may_jump(const MbSignal *signal);
// The first time in (t, end] at which an expression of a prescribed motion, or its rate, jumps; infinite where none does.
double mb_sim_kink(const MbSim *sim, double t, double end);

#endif
