// Rebounds that would make energy are lessened (touch_rebound.c).
#ifndef MB_SIM_TOUCH_REBOUND_H
#define MB_SIM_TOUCH_REBOUND_H

#include "core/contact/contact_ops.h"
#include "core/sim/sim_internal.h"

typedef struct MbReboundIsland MbReboundIsland;

// What is kept of the rows taken, and of their islands, while some of them rebound.
typedef struct MbRebounds {
  bool any;      // of the rows taken some rebound
  bool lessened; // less than they ask for, in an island of the last problem
  double *part;  // (part_room) by how much b is less for restitution
  size_t part_room;
  size_t room;             // of rows, for the rest; there are no more islands than rows
  double *asked;           // b as the scene asks for it
  double *before, *forces; // G of the velocities at the step's start; what forces change of it in the step
  uint32_t *root, *island; // of each row
  MbReboundIsland *of;     // the islands
  uint32_t *group;         // (width) what moves together: of each velocity; NULL: not known yet
  uint32_t *holder;        // (nb + 1) of each such group the first row about it
  double *forced;          // (width) velocities that forces make
  double *curved;          // of each row: G of half of what joints alone change of velocities
  double *led, *had;       // (width) that half; (claimed rows) rates of joints, and what pulls there
} MbRebounds;

// What solves the problem of the rows taken as it is now, from c->from, and leaves the answer in c->answer. False: it is no use going on.
typedef struct MbReboundSolver {
  bool (*solve)(void *context);
  void *context;
} MbReboundSolver;

// Finds G x of the rows taken.
typedef void MbReboundRates(MbSim *sim, const double *x, double *out);

// Notes by how much b of the row that is taken as number i is less for restitution. There is room (mb_rebound_reserve).
void mb_rebound_note(MbRebounds *rebounds, size_t i, double part);
bool mb_rebound_reserve(MbRebounds *rebounds, size_t n);

// After a solution, or where none was found (`solved`): where impacts of an island make energy, lessens its rebounds until they make none, leaves
// them out where it is jammed, and solves again. `v` are the velocities without contacts. False: out of memory.
bool mb_rebound_settle(MbSim *sim, const MbContactOperator *W, const double *v, MbReboundRates *rates,
                       bool solved, const MbReboundSolver *solver);
void mb_rebound_free(MbRebounds *rebounds);
size_t mb_rebound_bytes(const MbSim *sim, const MbRebounds *rebounds);

#endif
