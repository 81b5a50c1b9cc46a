// Rows of constraints in tangents of steps of one solution (tangent_rows.c).
#ifndef MB_SIM_TANGENT_ROWS_H
#define MB_SIM_TANGENT_ROWS_H

#include "core/sim/ask.h"
#include "core/sim/tangent.h"

// What it is that rows are asked for: the velocities of a step of one solution, those of a pass of the midpoint rule, or of a pass of the one stage that such a step is made of where something is struck, or those that agree at once.
typedef enum MbTangentAsk {
  MB_TANGENT_ONCE,
  MB_TANGENT_PASS,
  MB_TANGENT_BLOW,
  MB_TANGENT_AGREE
} MbTangentAsk;

// A row that takes part in a step.
typedef struct MbTangentRow {
  size_t slot;       // of the set
  double mu;         // the force that it pushes with
  double pull, slip; // how much of g and of ġ_t there is in what it asks for
  double before;     // of a pass: how much of its rate as the pass begins
  double soft;       // how much of μ
  int slips; // dry friction: the way that it pushes with all that it may, and asks for nothing; 0: it sticks, or is none
  bool
      loaded; // it slips inside a joint, so that its force is not known but follows from what the joint transmits (sensitivity_rubbed.c)
  bool idle;  // nothing that it is about can move, so that it does not push
  double zeta;    // backwards: what its equation is felt by
  double L[2][6]; // what it asks for, by the motion of each of its bodies
} MbTangentRow;

// A constraint that has such rows.
typedef struct MbTangentTie {
  size_t constraint, first, n; // its rows among those that take part
  double K[2][2][36];          // what they push on one of its two bodies, by the motion of another
} MbTangentTie;

typedef struct MbTangentRows {
  MbTangentAsk of;
  double t; // of signals
  size_t n, nties;
  MbTangentRow *row;   // (nslots)
  MbTangentTie *tie;   // (nconstraints)
  MbPose beside[6][2]; // a little less and more along each motion of a body
} MbTangentRows;

// What a row pushes with, as it is in another simulation.
static inline double mb_tangent_row_pushes(const MbTangentRow *row, const MbRow *there) {
  return row->slips && !row->loaded ? row->slips * there->most : row->mu;
}

// Makes room for a model's rows: τ is from now on less Gᵀ μ, the forces of rows; false: out of memory. Forces have to be linearised before, if they are to be.
bool mb_tangent_rows_make(MbSim *sim, MbTangent *tangent);
MbTangentRows *mb_tangent_rows(MbTangent *tangent);
// Makes the simulation's rows where its bodies are, at velocities v, of a step that ends at t with velocities `to`, and lists those that take part in it by their `forces` (nslots).
void mb_tangent_rows_list(MbSim *sim, MbTangent *tangent, const double *v, const double *to, double t,
                          const double *forces);
// The same of rows asked for something else, whose forces are to be found, of one way those that have pushed (nslots; NULL: none has): of passes, v are the velocities at the step's start and t its start.
void mb_tangent_rows_list_as(MbSim *sim, MbTangent *tangent, MbTangentAsk of, const double *v,
                             const double *to, double t, const double *pushed);
// Leaves all rows out of τ until they are listed again.
void mb_tangent_rows_leave(MbTangent *tangent);
// Makes a simulation's rows at coordinates q, where its bodies are, as they are asked for something.
void mb_tangent_rows_place(MbSim *sim, MbTangentAsk of, const double *q, const double *v, double t);
// Tells what a row asks of the velocities to come, and of a pass of those that it begins with, of a simulation whose rows have been made.
double mb_tangent_row_asked(const MbSim *sim, MbTangentAsk of, const MbTangentRow *row, const double *from,
                            const double *to);
// The seconds for which μ pushes.
double mb_tangent_rows_span(const MbSim *sim, MbTangentAsk of);
// out (n) ← how what the rows ask for changes, of the change that mb_tangent_times has been asked about last.
void mb_tangent_rows_times(const MbSim *sim, const MbTangent *tangent, const double *dq, const double *dv,
                           double *out);

// ---- private to core/sim/tangent*.c ---------------------------------------------------------------------------------

// Adds what the rows push to sim->x.f, and finds how it changes.
void mb_rows_push_at(MbSim *sim, MbTangent *t);
// dF −= its change.
void mb_rows_change(const MbSim *sim, MbTangent *t);
// The transposed of it, and of what the rows ask for, weighed by ζ: of bodies, and of coordinates.
void mb_rows_weigh(const MbSim *sim, MbTangent *t);
void mb_rows_weigh_own(const MbSim *sim, const MbTangent *t, double *dq, double *dv);
// Returns what −Z · Hᵀ μ + ζ · r of the constraints listed differs by between two simulations, with the bodies where they are.
double mb_rows_of_number(MbSim *sim, const MbTangent *t, MbSim *const side[2], const size_t *list, size_t n,
                         const double *z);
// Returns what ζ · g of hard rows of the constraints listed differs by at time t, with the bodies where they are.
double mb_rows_gaps_of_number(MbSim *sim, const MbTangent *t, MbSim *const side[2], const size_t *list,
                              size_t n, double time);
// Adds to by (3) what −Z · Hᵀ μ + ζ · r of a constraint is felt by along the value and the first two rates of a signal that it uses, whose values sim->constraining has; the value is moved by
// `little` to either side (0: not at all).
void mb_rows_of_signal(MbSim *sim, const MbTangent *t, size_t constraint, size_t signal, double little,
                       const double *z, double by[3]);
// The same of ζ · g of its hard rows.
void mb_rows_gaps_of_signal(MbSim *sim, const MbTangent *t, size_t constraint, size_t signal, double little,
                            double by[3]);

#endif
