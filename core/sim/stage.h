// The one loop's body that implicit schemes are made of: a pass of Newton's method on a stage (stage.c).
#ifndef MB_SIM_STAGE_H
#define MB_SIM_STAGE_H

#include "core/sim/claims.h"
#include "core/sim/sim_internal.h"

// A stage: velocities w with  M (w − from) = weight F(q, w, t) + Gᵀ λ  at coordinates q, which may move with w; where `viscous` is set
// M resists velocities as they are, and the left side is M w.
typedef struct MbStage {
  MbHalf half;        // what rows ask in it
  const double *from; // (nv) velocities at its start; unread where viscous
  bool viscous;
  double weight; // s
  double a, b;   // A = M − a D − b K
  bool exact;    // A has every derivative, unsymmetrised
  double t;      // of the forces
} MbStage;

// Makes one pass at coordinates q: w in and out. Without `factor` A is the last one, of the same q. Where a large step makes A
// indefinite, the pass is made without the derivatives that do so.
MbStatus mb_stage_pass(MbSim *sim, const MbStage *stage, const double *q, bool factor, double *w,
                       MbReport *report);

#endif
