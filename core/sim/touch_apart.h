// Contacts of bodies that nothing couples, solved for without rows of the set (touch_apart.c).
#ifndef MB_SIM_TOUCH_APART_H
#define MB_SIM_TOUCH_APART_H

#include "core/contact/pile.h"
#include "core/sim/sim_internal.h"

typedef struct MbApart MbApart;

// Of the smaller one's size, in piles and elsewhere alike: what is less deep stays; by so much at most what is deep is moved in a step.
#define MB_TOUCH_SLOP MB_PILE_SLOP
#define MB_TOUCH_MOST MB_PILE_MOST

// Finds out whether the scene has such bodies alone, and makes what is kept of them.
MbStatus mb_touch_apart_create(MbSim *sim, MbReport *report);
// Tells whether the step's contacts are the only rows there are, and all of bodies that are free in space and that nothing couples.
bool mb_touch_apart(const MbSim *sim);
void mb_touch_apart_free(MbSim *sim);
size_t mb_touch_apart_bytes(const MbSim *sim);

// v ← the velocities nearest to v, as A measures, at which contacts are as they are to be; notes what pushed. The factor of A is the step's.
MbStatus mb_touch_apart_solve(MbSim *sim, double *v, MbReport *report);
// Finds where the contacts of the step have got to, the bodies being where it ends: each of its two points with its own solid; what is then
// the deepest, by size. False: out of memory.
bool mb_touch_apart_move(MbSim *sim, double *deepest);
// dq ← dq + the least move, as masses measure, that parts what is deep in one another at (q, t): of the last look, or `moved`, where contacts
// of the step have got to.
MbStatus mb_touch_apart_part(MbSim *sim, double t, bool moved, double *dq, MbReport *report);

#endif
