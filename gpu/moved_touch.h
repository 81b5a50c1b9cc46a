// Contacts of nodes that a device moves, solved for there (moved_touch.c, moved_touch_solve.c).
#ifndef MB_GPU_MOVED_TOUCH_H
#define MB_GPU_MOVED_TOUCH_H

#include "core/contact/contact_elsewhere.h"
#include "gpu/moved.h"

struct MbMovedTouch {
  MbContactElsewhere self;
  MbTouchArgs args;    // all but what a problem has
  size_t most, bodies; // contacts, and bodies that they are about, at most
  size_t places;       // of the factor
  const MbSupernode *node;
  uint32_t *place;     // (nfree) in the order of elimination
  uint32_t *supernode; // (places)
  MbTouchNode *ways;   // (supernodes) until they are on the device
  // of the list that is there
  uint64_t version;
  bool ours; // it is of a kind that the device takes
  MbTouchPoint *point;
  uint32_t *of;   // (most) the point of each contact
  size_t *row;    // (most) of the problem: where each contact begins
  bool *held;     // (most) it is one row both ways
  double *packed; // (most x 36) on the processor: a list's H, or F
  uint32_t *slot; // (most x 6)
  double *vector; // there: all vectors of rows that a problem has
  double *given;  // there: b, soft, the start, least, mu, V, NV
  double *pack;   // on the processor: the same
  double *answer; // (most x 12) λ, w of contacts; the same of the problem's rows
  double *told;   // (MB_TOUCH_SUMS x somes)
};

// Takes the list of a problem's points, if it is another one than that which is there. False: it is of another kind than the device takes.
bool mb_moved_touch_take(MbMoved *moved, const MbPdEngine *engine, const MbContactProblem *problem);
// As MbContactElsewhere.solve, of an engine.
MbContactResult mb_moved_touch_solve(void *engine, const MbContactProblem *problem, MbContactAnswer *answer);

#endif
