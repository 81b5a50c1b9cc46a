// What of deformables is near solids in a look: the processor finds it pair by pair as it goes through the surfaces, or somebody elsewhere has
// found it of all pairs before (collision/near_elsewhere.h).
#ifndef MB_SIM_TOUCH_SIGHT_H
#define MB_SIM_TOUCH_SIGHT_H

#include "core/collision/near_elsewhere.h"
#include "core/sim/sim_internal.h"

typedef struct MbTouchSight {
  MbNearSolid *solid;        // (nsolids) where they are at the look
  const MbNearElsewhere *by; // NULL: nobody else finds anything
  double *x;                 // (6 points) their places and velocities; NULL: those of the nodes will do
  // pairs that are found elsewhere, in the order that they are gone through in; what is found, and how far it has been gone through
  MbNearPair *pair;
  size_t npairs, room, at, touch, face;
  MbNearFound found;
} MbTouchSight;

// What was found of a pair.
typedef struct MbTouchSeen {
  size_t ntouches, nfaces;
  const MbNearTouch *touch;
  const MbNearFace *face;
  const MbContactPoint *point; // of all faces
} MbTouchSeen;

// Makes room, and hands shapes and surfaces to who finds elsewhere, if there is one.
MbStatus mb_touch_sight_make(MbSim *sim, MbReport *report);
void mb_touch_sight_free(MbTouchSight *sight);
size_t mb_touch_sight_bytes(const MbTouchSight *sight);

// Begins a look, with surfaces and solids placed, `points`: at nodes that are points too. False: out of memory.
bool mb_touch_sight_begin(MbSim *sim, double fall, bool points);
// Whether a deformable and a solid may touch in the step.
bool mb_touch_sight_may(const MbSim *sim, size_t surface, uint32_t solid);
MbNearPair mb_touch_sight_pair(const MbSim *sim, size_t surface, uint32_t solid, double fall);
// Tells what was found of a pair elsewhere; false: nobody has looked. Pairs are asked for in their order.
bool mb_touch_sight_take(MbTouchSight *sight, size_t surface, uint32_t solid, MbTouchSeen *seen);

#endif
