// Nodes of elements that are bodies as well: vectors of the solver's velocities have numbers of theirs, and behind these three for every node.
#ifndef MB_SIM_PORTS_H
#define MB_SIM_PORTS_H

#include "core/sim/sim_internal.h"

// Adds the ports' numbers in y (nv) to those of their nodes (n x 3), and takes them away.
void mb_ports_give(const MbSim *sim, double *y, double *nodes);
// The ports' numbers in y (nv) ← those of their nodes (n x 3).
void mb_ports_take(const MbSim *sim, double *y, const double *nodes);

#endif
