// Private to core/sim/sensitivity*.c: friction inside joints back through steps of trees, without which all of it does nothing (sensitivity_rubbed.c).
#ifndef MB_SIM_SENSITIVITY_RUBBED_H
#define MB_SIM_SENSITIVITY_RUBBED_H

#include "core/sim/rub_rows.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_tied.h"

// Makes it, where the run's model has friction inside joints; false: out of memory.
bool mb_slope_rubbed_make(MbSensitivity *g);
// How many numbers a step notes of it; takes it to those that it has noted.
size_t mb_slope_rubbed_noted(const MbSensitivity *g);
void mb_slope_rubbed_step(MbSensitivity *g, const double *loads);
// Makes rows of friction that slips those of its law, where G and Y of all rows have been found and the tangent is at the step. False: loads do not follow from what is transmitted.
bool mb_slope_rubbed_at(MbSensitivity *g);
// Adds to S (width x width) what these equations have of the rows' forces, which come first there, and of the contacts' behind them.
void mb_slope_rubbed_fill(MbSensitivity *g, double *S, size_t width);
void mb_slope_rubbed_meets(MbSensitivity *g, double *S, size_t width);
// Adds to x (rows) what they have of a unit force along the normal of another contact.
void mb_slope_rubbed_pushed(MbSensitivity *g, const MbSeen *seen, double *x);
// Tells, where S has been factored, whether there is a derivative of loads; false: g->parted tells why not.
bool mb_slope_rubbed_settled(MbSensitivity *g);
// Takes it to what all equations are felt by: what joints do is weighed from there on, and that of its own rows is 0.
void mb_slope_rubbed_felt(MbSensitivity *g, double *eta);
// Returns the twists (nb x 6) that joints' wrenches are weighed by then, of bodies against their parents; NULL: nothing slips inside a joint.
const double *mb_slope_rubbed_twists(const MbSensitivity *g);
// Weighs no wrenches any more, until it is taken to equations again.
void mb_slope_rubbed_leave(MbSensitivity *g);
// Adds to out what a number changes of the law itself, and all of it where it turns axes of bodies. False: g->parted tells why not.
bool mb_slope_rubbed_number(MbSensitivity *g, size_t k, const MbStageNote *note, double *out);
// Warns once in a run where a place was about to be pressed from the other side in the step at hand.
void mb_slope_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

#endif
