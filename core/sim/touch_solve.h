// Problems of contacts among the rows that take part in a solution (touch_solve.c).
#ifndef MB_SIM_TOUCH_SOLVE_H
#define MB_SIM_TOUCH_SOLVE_H

#include "core/contact/contact_elsewhere.h"
#include "core/sim/constrain_internal.h"

// Contacts among the rows taken: solves for all of them together, by the scene's method, from the impulses of the last step; λ is in
// c->answer. The same of dry friction. W is what the rows' is, `v` velocities without what these push, from which loads inside joints
// follow, and `rates` finds those of the rows. Rebounds that would make energy are lessened. `apart`: the rows are those of all contacts in
// their order, and none of the set.
MbStatus mb_touch_find(MbSim *sim, const MbContactOperator *W, double t, const double *v,
                       MbReboundRates *rates, bool apart, MbReport *report);
// The same by who solves in the processor's place, of a W that is the last points of c->delassus. False: it is for the processor, from where
// that has come to.
bool mb_touch_find_elsewhere(MbSim *sim, const MbContactElsewhere *elsewhere);
// Shows the problem to who wants to see it, without a solution.
void mb_touch_show(MbSim *sim, const MbContactOperator *W);
// Tells what a few sweeps over all contacts of the step have come to: the share that is left of what they ask for. False: that is no solution,
// and nothing is told.
bool mb_touch_tell_few(MbSim *sim, double left, double tolerance, size_t sweeps);
// Bodies that are to come apart, by the rows taken: by sweeps, which need not be exact, as what is left deep is parted in the next step.
MbStatus mb_touch_find_parting(MbSim *sim, const MbContactOperator *W, double t, MbReport *report);

#endif
