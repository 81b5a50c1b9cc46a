// What rows of friction and prescribed velocities ask for so that joints keep their places, or move as they are to, in a step (kept_moves.c).
#ifndef MB_SIM_KEPT_MOVES_H
#define MB_SIM_KEPT_MOVES_H

#include "core/constraints/joint_friction.h"
#include "core/sim/reached.h"

// Makes room where a joint's place is not a sum of its velocities; else there is nothing to do, and sim->constraining->kept stays NULL.
// MB_IO: out of memory.
MbStatus mb_kept_create(MbSim *sim, MbReport *report);
// Begins a step.
void mb_kept_begin(MbSim *sim);
// Finds what rows ask for by how bodies move when the step begins, once a step. Rows are made.
void mb_kept_guess(MbSim *sim);
// Tells what row s of the set asks for of its rate.
double mb_kept_along(const MbSim *sim, size_t s);
// Finds it anew by the velocities that a solution comes to, where sim->constraining->kept is there, and puts it into what the rows taken ask for. Returns
// by how much it has changed, of how fast things are.
double mb_kept_again(MbSim *sim, const double *v);
// Warns once of a prescribed velocity that a step could not be made to follow.
void mb_kept_tell(MbSim *sim, MbReport *report);
// Tells whether rows of a constraint ask for a joint's move in a step.
bool mb_kept_is(const MbSim *sim, const MbConstraint *constraint);
// Tells the bodies that the joint of such a constraint is between.
void mb_kept_bodies(const MbModel *model, const MbConstraint *constraint, size_t body[2]);
// Tells how far that joint moves along each row from one place of its bodies (nb) to another; `near` (nq): the model's coordinates near by. NAN: it has none there.
void mb_kept_moved(const MbModel *model, const MbConstraint *constraint, const double *near, MbPose *from,
                   MbPose *to, double s[MB_RUB_ROWS]);
// Tells whether dry friction, in the step that has been taken, holds a joint by a rate that is not 0, as what carries it turns.
bool mb_kept_turns(const MbSim *sim);

#endif
