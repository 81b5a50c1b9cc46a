// What a number of the scene changes of the forces that a motion asks for, τ (tangent.h), with coordinates, velocities and accelerations as
// they are.
#ifndef MB_SIM_TANGENT_NUMBER_H
#define MB_SIM_TANGENT_NUMBER_H

#include "core/sim/tangent.h"

typedef struct MbTangentNumber MbTangentNumber;

// Finds what differs between two simulations that mb_sim_unlike cannot tell apart from the one between them, of which one has a little less of the
// number and the other a little more.
// It is kept in the arena; NULL: out of memory.
MbTangentNumber *mb_tangent_number_create(MbArena *arena, const MbSim *middle, MbSim *less, MbSim *more);
// Tells whether the frames of bodies differ by more than a little, as principal axes do where two moments are nearly the same: then only all
// forces tell how they change, and nothing below is to be asked.
bool mb_tangent_number_jumps(const MbTangentNumber *number);
// Returns z · (τ of more − τ of less) but for what signals' values make of it, which are gathered (tangent_signals.h), where mb_tangent_at has taken the tangent to (v, a) and mb_tangent_transposed has been asked
// about z last. It looks at nothing but what differs.
double mb_tangent_number(MbSim *sim, const MbTangent *tangent, const MbTangentNumber *number, const double *v,
                         const double *a, const double *z);

// The same without what is gathered of all numbers at once (tangent_gather.h).
double mb_tangent_number_rest(MbSim *sim, const MbTangent *tangent, const MbTangentNumber *number,
                              const double *v, const double *a, const double *z);
// Tells whether there is anything in that.
bool mb_tangent_number_rests(const MbTangentNumber *number);
// Tells whether what moments make of the spins of bodies that fly, behind a step, has to be asked at each, too: else that is gathered as they are.
bool mb_tangent_number_spins(const MbTangentNumber *number);

// Tells whether signals may have other values.
bool mb_tangent_number_signals(const MbTangentNumber *number);
// Tells whether what acts along the coordinates may differ, signals aside.
bool mb_tangent_number_along(const MbTangentNumber *number);
// out (nv) ← by how much d y + k x differs between the two, d and k being what acts along the coordinates by rates and places, where `sim` is; the branches of
// motors and stops are those at coordinates q and velocities v (NULL: where it is).
void mb_tangent_number_own(const MbSim *sim, const MbTangentNumber *number, const double *q, const double *v,
                           const double *y, const double *x, double *out);
// Tells whether rows of constraints may differ between the two.
bool mb_tangent_number_rows(const MbTangentNumber *number);
// Whether it changes the joint of a body, or the frames that this has.
bool mb_tangent_number_hangs(const MbTangentNumber *number, size_t body);
// Whether it changes a constraint itself.
bool mb_tangent_number_ties(const MbTangentNumber *number, size_t constraint);

// Returns what the sum weighed by mb_tangent_weigh, asked about last, differs by, of the motion of the bodies.
double mb_tangent_number_told(const MbSim *sim, const MbTangent *tangent, const MbTangentNumber *number,
                              const double *v);
// Returns the same of ζ · g of hard rows of both ways at time t, the sum being that of the bodies' part of it, without what is gathered (tangent_gather.h).
double mb_tangent_number_gaps(MbSim *sim, const MbTangent *tangent, const MbTangentNumber *number,
                              const double *v, double t);
// Tells whether bodies may be elsewhere at the same coordinates, as by joints and frames; whether masses and inertias differ, and of those coordinates' own.
bool mb_tangent_number_moves(const MbTangentNumber *number);
bool mb_tangent_number_masses(const MbTangentNumber *number);
bool mb_tangent_number_rotors(const MbTangentNumber *number);
// Tells whether bodies' own frames differ in them.
bool mb_tangent_number_frames(const MbTangentNumber *number);

#endif
