// What rows ask for by where the solution leads, as a linear function of their impulses (ask_slopes.c).
#ifndef MB_SIM_ASK_SLOPES_H
#define MB_SIM_ASK_SLOPES_H

#include "core/contact/contact_ops.h"
#include "core/sim/sim_internal.h"

// Its memory grows, and stays from step to step.
typedef struct MbAskSlopes {
  size_t n;
  double *W;      // (n x n) W − K, by rows
  double *K;      // (n x n) by columns
  double *b;      // (n) what rows ask for where K is found
  double *lambda; // (n) the impulses there
  double *first;  // (n) those that the first one was found at
  double *before; // (n) those of the solution before that one
  double *come;   // (width) the velocities that they lead to
  double *column; // (width) A⁻¹ Gᵀ of a row
  double *v;      // (width) velocities to either side
  size_t W_room, K_room, room, width_room;
} MbAskSlopes;

// Puts into c->b of the rows taken what they ask for by where velocities lead; *change: by how much it has changed, of how fast things are.
typedef void MbAskAnew(MbSim *sim, const double *v, double *change);

// Frees what it has room for; how much that is.
void mb_ask_slopes_free(MbAskSlopes *slopes);
size_t mb_ask_slopes_bytes(const MbAskSlopes *slopes);
// Tells whether so many rows are few enough.
bool mb_ask_slopes_takes(size_t n);
// Makes room for the rows taken, and notes the last solution and the one before, `before`. False: out of memory.
bool mb_ask_slopes_begin(MbSim *sim, const double *before);
// Finds K about the last solution, which has led to c->come, and has rows ask for what they do about it where impulses are none: c->b ← b + K λ.
// False: A⁻¹ could not be applied.
bool mb_ask_slopes_find(MbSim *sim, const MbContactOperator *W, MbAskAnew *anew);
// Has rows ask for what they did where K was found; c->aimed is what they do by the slopes at the solution.
void mb_ask_slopes_end(MbSim *sim);
// Tells the operator in the place of W, which is not symmetric.
MbContactOperator mb_ask_slopes_operator(const MbSim *sim);

#endif
