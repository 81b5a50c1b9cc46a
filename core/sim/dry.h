// Dry friction along coordinates and inside joints: rows that push either way, up to a largest force (dry.c).
#ifndef MB_SIM_DRY_H
#define MB_SIM_DRY_H

#include "core/sim/sim_internal.h"

// Makes room for the solutions of scenes that have such rows. Does nothing where there are none.
MbStatus mb_dry_create(MbSim *sim, MbReport *report);
void mb_dry_free(MbSim *sim);
size_t mb_dry_bytes(const MbSim *sim); // beside the arena
// When the rows of a step are made: how much they may push by the last step's loads.
void mb_dry_begin(MbSim *sim);
// When a pass is solved, v being the velocities without its rows: how much they may push by its loads. *change: by how much that has
// changed, of the largest. False: A⁻¹ could not be applied.
bool mb_dry_pass(MbSim *sim, const double *v, double *change);
// Tells the problem how much they may push in the next pass, and where that begins, when one has changed it by so much.
void mb_dry_again(MbSim *sim, double change);
// Tells where passes end: at such a change, or after as many.
void mb_dry_patience(const MbSim *sim, double *tolerance, int *passes);
// Has passes of loads inside joints go on to rounding, whatever their tolerance: in steps beside a run's, which differ from it by little.
void mb_dry_be_exact(MbSim *sim);
// Whether passes may end whose last one has changed the loads by so much, and the one before by `last`.
bool mb_dry_ends(const MbSim *sim, double change, double last, double tolerance);
// Tells the largest force that any row of dry friction may push with.
double mb_dry_largest(const MbSim *sim);
// Tells which of its bounds the force of row k of a constraint of dry friction is at: 1 or -1, it slips; 0: it sticks. Slipping rows are at it but for rounding and,
// inside joints, for what the last pass of loads has moved it by, which is the tolerance of the largest.
int mb_dry_slips(const MbSim *sim, const MbConstraint *constraint, size_t k, double force, double largest);
// Whether all places inside joints have been pressed from the same sides in the last steps of two simulations, or from none.
bool mb_dry_same_sides(const MbSim *sim, const MbSim *other);
// Notes the work that such rows do by the last solution, which has led to the velocities v.
void mb_dry_take(MbSim *sim, const double *v);
// The step is done: its work and its loads are the state's. For models that have such rows.
void mb_dry_commit(MbSim *sim);

#endif
