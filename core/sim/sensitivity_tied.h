// Private to core/sim/sensitivity_tied*.c.
#ifndef MB_SIM_SENSITIVITY_TIED_H
#define MB_SIM_SENSITIVITY_TIED_H

#include "core/sim/constrain_internal.h"
#include "core/sim/dense_lu.h"
#include "core/sim/rub_rows.h"
#include "core/sim/sensitivity_parts.h"
#include "core/sim/tangent_rows.h"

#include <string.h>

// What steps of the midpoint rule have beside (sensitivity_tied_halves.c).
typedef struct MbTiedHalves {
  double *start, *last; // (nv) velocities at the step's start, and those that it moves by
  double *end;          // (nv) velocities at its end
  double *to, *change;  // (nv) velocities that are made to agree: what they become, and by how much
  double *G0, *G1; // (nslots x nv) of the rows that aim: of their gaps at the state, and where a pass leads
  double *shift;   // (nslots) 1 − γ h; 0: it is on its way to its bound
  double *g0, *g1; // (nslots) gaps there
  double span;     // seconds of a pass: half a step, or where something is struck all of it
  bool blow;       // something is
  const double *agreed, *struck; // (nslots) what the step has noted (half_notes.h)
  double *gap;                   // (nslots) what a number changes of an aim
  double *q;                     // (nq) where a pass leads
  double *place, *made;          // (nq), (nv) where the last one is, and the velocities there
  double *step, *still;          // (nv) the way there; none
  double *one, *other;           // (nv)
  bool at_start;                 // velocities agree at the run's start
  bool pulled;                   // forces act on bodies, of which A has K and D
  double *motion, *Z;       // (nb x 6) the bodies' motion by that change; what wrenches there are felt by
  double *by_move, *by_phi; // (nb x 6)
  double *moved,
      *bent;           // (count x 2 nv), (count x nb x 6) changes at the last pass, and of e by K and D there
  double *by_q, *by_w; // (nv) what these are felt by
  bool felt;           // they are
  bool gathers;        // backwards: what numbers change of aims is gathered (tangent_gather.h)
} MbTiedHalves;

struct MbTied {
  size_t
      wide; // numbers of a row: the solver's velocities, and where rows are about nodes three of each of these behind them
  double *G, *Y, *one[2]; // (nslots x wide); (wide) of one row
  MbRanked S;             // (nslots x nslots)
  double *forces;         // (nslots) of all rows
  double *asked;          // (nslots)
  double *y, *r;          // (nv), (nslots) what a number changes of Gᵀ μ and of r
  double *left;           // (nslots) and what no motion meets of that
  double *pushed;         // (nv) of one side
  double *guess;          // (nguess) where closures are looked for
  double end;             // of the step: the time that rows ask for
  size_t near;            // a row that is about to press, or to let go; SIZE_MAX: there is none
  bool told;              // of such a row
  double begin;           // of a step of the midpoint rule: its time at the start
  const double *start;    // (nv) and velocities then; NULL: it is none
  MbTiedHalves *halves;
  MbRubbed *rubbed; // friction inside joints; NULL: there is none
};

// Closures are looked for where the run has looked for them.
static inline void mb_slope_tied_look(const MbSensitivity *g, MbSim *sim) {
  const size_t n = sim->model->nguess;
  if (n) memcpy(mb_section(sim, MB_SECTION_CLOSURES), g->tied->guess, n * sizeof(double));
}
// G and Y of the rows that the tangent has listed. False: A has no inverse.
bool mb_slope_tied_respond(MbSensitivity *g);
// G ← one row, of nodes where it is about ports, and Y ← `span` A⁻¹ of it; false: A has no inverse.
bool mb_slope_tied_row(MbSensitivity *g, size_t slot, double span, double *G, double *Y);
// S of these.
void mb_slope_tied_fill(MbSensitivity *g);
// x ← x + Y dμ, where dμ closes what rows are asked for more: asked (rows), which is dμ then.
void mb_slope_tied_close(MbSensitivity *g, double *asked, double *x);
// What a number changes of what rows push and ask for, with both sides' bodies where they are and rows as they are asked for something at time t, with velocities `start`.
void mb_slope_tied_sides(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *start,
                         double t, double move);

// ---- sensitivity_tied_near.c ------------------------------------------------------------------------------------

// Looks for rows that are about to do otherwise, among those that hold, where S stands but has not been factored, and among those that do not, where it has been.
void mb_slope_tied_look_for_ends(MbSensitivity *g, const double *to);
void mb_slope_tied_look_for_holds(MbSensitivity *g, const double *from, const double *to);
// The same of a pass of the midpoint rule, whose forces have been found.
void mb_slope_tied_pass_look(MbSensitivity *g, const MbStageNote *pass);

// ---- of the midpoint rule ---------------------------------------------------------------------------------------

// Whether a row of the probe prescribes an acceleration: it asks for the rate of velocities at the step's start, of those that are made to agree for the rate that they come with.
static inline bool mb_slope_tied_accelerates(const MbSensitivity *g, size_t slot) {
  return g->probe->constraining->set.row[slot].order == 2;
}
// q ← where velocities w take the step's coordinates in `span` seconds, by `step`.
void mb_slope_tied_go(const MbSensitivity *g, double *q, double span, const double *w, double *step);
// Notes the gaps at the state that passes aim from.
void mb_slope_tied_aim_from(MbSensitivity *g);
// Finds what the rows listed push with,  S μ = asked,  and factors S.
void mb_slope_tied_take_forces(MbSensitivity *g, double *asked);

#endif
