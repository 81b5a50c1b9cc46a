// Private to core/sim/sensitivity_tied*.c.
#ifndef MB_SIM_SENSITIVITY_TIED_H
#define MB_SIM_SENSITIVITY_TIED_H

#include "core/sim/constrain_internal.h"
#include "core/sim/dense_lu.h"
#include "core/sim/sensitivity_parts.h"
#include "core/sim/tangent_rows.h"

typedef struct MbTiedHalves MbTiedHalves; // sensitivity_tied_halves.c

struct MbTied {
  double *G, *Y;       // (nslots x nv)
  MbRanked S;          // (nslots x nslots)
  double *forces;      // (nslots) of all rows
  double *asked;       // (nslots)
  double *y, *r;       // (nv), (nslots) what a number changes of Gᵀ μ and of r
  double *guess;       // (nguess) where closures are looked for
  double end;          // of the step: the time that rows ask for
  size_t near;         // a row that is about to press, or to let go; SIZE_MAX: there is none
  bool told;           // of such a row
  double begin;        // of a step of the midpoint rule: its time at the start
  const double *start; // (nv) and velocities then; NULL: it is none
  MbTiedHalves *halves;
};

// Closures are looked for where the run has looked for them.
void mb_slope_tied_look(const MbSensitivity *g, MbSim *sim);
// G and Y of the rows that the tangent has listed. False: A has no inverse.
bool mb_slope_tied_respond(MbSensitivity *g);
// S of these, with what rows give or without.
void mb_slope_tied_fill(MbSensitivity *g, bool gives);
// x ← x + Y dμ, where dμ closes what rows are asked for more: asked (rows), which is dμ then.
void mb_slope_tied_close(MbSensitivity *g, double *asked, double *x);
// What a number changes of what rows push and ask for, with both sides' bodies where they are and rows as they are asked for something at time t, with velocities `start`.
void mb_slope_tied_sides(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *start,
                         double t, double move);

static inline double mb_slope_tied_dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

#endif
