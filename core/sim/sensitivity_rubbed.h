// Private to core/sim/sensitivity*.c: friction inside joints on the way back. sensitivity_rubbed.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_RUBBED_H
#define MB_SIM_SENSITIVITY_RUBBED_H

#include "core/sim/rub_slopes.h"
#include "core/sim/sensitivity_tied.h"

// A row that slips inside a joint.
typedef struct MbRubbedRow {
  size_t at, constraint; // among the rows that take part; whose it is
  int row;               // of the joint's
  bool closes;           // the joint closes a loop
  double scale;          // what its equation is multiplied by, with the way that it slips
  double
      twist[6]; // what its largest force is felt by along what the joint does to its body, in the body's axes
  double weight; // of that force
  MbRubSlope slope;
} MbRubbedRow;

struct MbRubbed {
  size_t n;
  MbRubbedRow *row;   // (nslots)
  double *loads;      // (nloads) of the step
  double *psi, *push; // (nb x 6) how bodies move by a twist; what that asks for
  double *y;          // (nv)
  double *twist;      // (nb x 6) what joints do to bodies, weighed
  double *move;       // (nb x 6) and what that is felt by where frames turn with two bodies
  size_t
      near; // the slot of a row one of whose places is about to be pressed from the other side; SIZE_MAX: there is none
  bool told;
};

// Makes it, where the run's model has friction inside joints; false: out of memory.
bool mb_rubbed_make(MbSensitivity *g);
// How many numbers a step notes of it; takes it to those that it has noted.
size_t mb_rubbed_noted(const MbSensitivity *g);
void mb_rubbed_step(MbSensitivity *g, const double *loads);
// Makes rows of friction that slips those of its law, where G and Y of all rows have been found and the tangent is at the step. False: loads do not follow from what is transmitted.
bool mb_rubbed_at(MbSensitivity *g);
// Adds to S (n x n) what these equations have of the rows' forces.
void mb_rubbed_fill(MbSensitivity *g, double *S, size_t n);
// Tells, where S has been factored, whether loads that constraints leave open would change no velocities; false: g->parted tells of it.
bool mb_rubbed_settled(MbSensitivity *g);
// Takes it to what all equations are felt by (n): what joints do is weighed from there on, and that of its own rows is 0.
void mb_rubbed_felt(MbSensitivity *g, double *eta);
// Returns what a number changes of the law itself, and all of it where it turns axes of bodies.
double mb_rubbed_number(MbSensitivity *g, size_t k, const MbStageNote *note);
// Warns once in a run where a place was about to be pressed from the other side in the step at hand.
void mb_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

#endif
