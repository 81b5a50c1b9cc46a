// Private to core/sim/sensitivity*.c: friction inside joints back through steps of trees, without which all of it does nothing (sensitivity_rubbed.c).
#ifndef MB_SIM_SENSITIVITY_RUBBED_H
#define MB_SIM_SENSITIVITY_RUBBED_H

#include "core/sim/rub_rows.h"
#include "core/sim/sensitivity_tied.h"

// Makes it, where the run's model has friction inside joints; false: out of memory.
bool mb_slope_rubbed_make(MbSensitivity *g);
// How many numbers a step notes of it; takes it to those that it has noted.
size_t mb_slope_rubbed_noted(const MbSensitivity *g);
void mb_slope_rubbed_step(MbSensitivity *g, const double *loads);
// Makes rows of friction that slips those of its law, where G and Y of all rows have been found and the tangent is at the step. False: loads do not follow from what is transmitted.
bool mb_slope_rubbed_at(MbSensitivity *g);
// Adds to S what these equations have of the rows' forces.
void mb_slope_rubbed_fill(MbSensitivity *g);
// Tells, where S has been factored, whether there is a derivative of loads; false: g->parted tells why not.
bool mb_slope_rubbed_settled(MbSensitivity *g);
// Takes it to what all equations are felt by: what joints do is weighed from there on, and that of its own rows is 0.
void mb_slope_rubbed_felt(MbSensitivity *g, double *eta);
// Returns what a number changes of the law itself, and all of it where it turns axes of bodies.
double mb_slope_rubbed_number(MbSensitivity *g, size_t k, const MbStageNote *note);
// Warns once in a run where a place was about to be pressed from the other side in the step at hand.
void mb_slope_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

#endif
