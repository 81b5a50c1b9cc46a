// Friction inside joints as equations of the border on the way back (rub_rows.c has the derivation).
#ifndef MB_SIM_RUB_ROWS_H
#define MB_SIM_RUB_ROWS_H

#include "core/sim/constrain_internal.h"
#include "core/sim/dense_lu.h"
#include "core/sim/rub_slopes.h"
#include "core/sim/tangent_number.h"

// A row that slips inside a joint.
typedef struct MbRubbedRow {
  size_t at, constraint; // its place in the border; whose it is
  int row, slips;        // of the joint's; the way that it pushes
  bool closes;           // the joint closes a loop
  double scale;          // what its equation is multiplied by, with the way that it slips
  double
      twist[6]; // what its largest force is felt by along what the joint does to its body, in the body's axes
  double weight; // of that force
  MbRubSlope slope;
} MbRubbedRow;

typedef struct MbRubbed {
  MbSim *sim; // whose bodies are where the step begins
  size_t n;
  MbRubbedRow *row; // (nslots)
  size_t *slot;     // (nslots) of the set, by their places in the border; SIZE_MAX: none whose force changes
  double *loads;    // (nloads) of the step
  const double *forces; // (nslots) of all rows
  const double *F;    // (nb x 6) what joints of trees do to their bodies beside friction, in the bodies' axes
  size_t *end;        // (nb) behind the last body of its subtree
  double *psi, *push; // (nb x 6) how bodies move by a twist; what that asks for
  double *y;          // (nv)
  double *twist;      // (nb x 6) what joints do to bodies, weighed
  double *beside;     // (nb x 6) F, of a step in which bodies touch
  double *move; // (nb x 6) and what that is felt by along motions of bodies as frames turn with two of them
  size_t
      near; // a row one of whose places is about to be pressed from the other side; SIZE_MAX: there is none
  bool told;
} MbRubbed;

// Makes it for rows of a simulation; NULL: out of memory.
MbRubbed *mb_rubbed_create(MbArena *arena, MbSim *sim);
// Takes it, and the simulation, to the loads of a step.
void mb_rubbed_step(MbRubbed *r, const double *loads);
// Begins at a step whose rows push by `forces`, and joints by F: both have to stay while it is there.
void mb_rubbed_begin(MbRubbed *r, const double *forces, const double *F);
// f (nb x 6) ← what bodies and all behind them have of it together, in each one's axes.
void mb_rubbed_gather(const MbModel *model, const MbPose *E, double *f);
// Adds a row that slips at a place of the border: what its equation has of v⁺ comes into G, where G and Y = A⁻¹ Gᵀ of the row have been. False: loads do not follow from what is transmitted.
bool mb_rubbed_add(MbRubbed *r, size_t at, size_t constraint, size_t slot, int slips, double *G,
                   const double *Y);
// Adds to the first n columns of S (width x width) what these equations have of the forces of rows r->slot.
void mb_rubbed_fill(MbRubbed *r, double *S, size_t n, size_t width);
// Returns how bodies move (nb x 6) by the twist that weighs a row's largest force while all joints are still; NULL: its joint closes a loop, and it is weighed by that joint's rows alone.
const double *mb_rubbed_motion(const MbRubbed *r, const MbRubbedRow *row);
// psi (nb x 6) ← how bodies at E move while each joint moves by a twist (nb x 6) of its body against its parent.
void mb_rubbed_carry(const MbModel *model, const MbPose *E, const double *twist, double *psi);
// Adds to move (nb x 6) what the sum of psi · f is felt by as bodies move against their parents, F (nb x 6) being f as mb_rubbed_gather leaves it.
void mb_rubbed_turn(const MbModel *model, const MbPose *E, const double *psi, const double *F, double *move);
// Tells, where S has been factored, whether loads that constraints leave open would change no velocities. `null` has room for its rows.
bool mb_rubbed_settled(const MbRubbed *r, MbRanked *S, const double *Y, double *null);
// Takes it to what all equations of the border are felt by: r->twist and r->move are found, and η of its own rows is 0.
void mb_rubbed_felt(MbRubbed *r, double *eta);
// Tells whether a number changes the joint of a row.
bool mb_rubbed_asks(const MbRubbedRow *row, const MbModel *model, const MbTangentNumber *number);
// Returns what a row's largest force is, weighed, on a side of a number, but for a constant: where bodies of a simulation are, and of what joints do to them.
double mb_rubbed_value(const MbRubbed *r, const MbRubbedRow *row, const MbModel *side, MbSim *at,
                       const double *F);
// Warns once in a run where a place was about to be pressed from the other side in the step at hand.
void mb_rubbed_tell(MbRubbed *r, double t, int64_t step, MbReport *report);

#endif
