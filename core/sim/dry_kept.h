// What dry friction asks for so that what it holds keeps its place in its joint (dry_kept.c).
#ifndef MB_SIM_DRY_KEPT_H
#define MB_SIM_DRY_KEPT_H

#include "core/sim/reached.h"

// Makes room where a joint's place is not a sum of its velocities; else there is nothing to do, and sim->constraining->kept stays NULL.
// MB_IO: out of memory.
MbStatus mb_dry_kept_create(MbSim *sim, MbReport *report);
// Begins a step.
void mb_dry_kept_begin(MbSim *sim);
// Finds what rows ask for by how bodies move when the step begins, once a step. Rows are made.
void mb_dry_kept_guess(MbSim *sim);
// Tells what row s of the set asks for of its rate.
double mb_dry_kept_along(const MbSim *sim, size_t s);
// Finds it anew by the velocities that a solution comes to, where sim->constraining->kept is there, and puts it into what the rows taken ask for. Returns
// by how much it has changed, of how fast things are.
double mb_dry_kept_again(MbSim *sim, const double *v);
// Tells whether the step that has been taken holds a joint by a rate that is not 0, as what carries it turns.
bool mb_dry_kept_turns(const MbSim *sim);

#endif
