// What all schemes but the adaptive one are made of: a stage, an implicit step of the velocities, and the loop of passes that solves it
// (stage.c).
#ifndef MB_SIM_STAGE_H
#define MB_SIM_STAGE_H

#include "core/sim/claims.h"
#include "core/sim/sim_internal.h"

// A stage: velocities w with  M (w − from) = weight (F(q, w, t) + besides) + Gᵀ λ.  What is left 0 or NULL is not there.
typedef struct MbStage {
  const double *from; // (nv) velocities at its start; NULL: those that w comes in with
  bool viscous;       // M resists velocities as they are: the left side is M w
  // Passes solve for w, as rows that the solver claims ask of velocities, and not for what w changes by
  bool whole;
  double weight;         // s
  double t;              // of the forces
  const double *besides; // (nv) what pushes beside them
  const double *felt;    // (nv) velocities that forces feel; NULL: w
  double *force;         // (nv) where F goes; NULL: sim->r
  double sD, sK;         // F is linearised: what it has of (sD D + sK K) w beside the forces at q
  double a, b;           // A = M − a D − b K
  bool exact;            // A has every derivative, unsymmetrised
  const double *q;       // its coordinates
  bool there;            // the bodies of sim->x are at q and w already
  bool moves;            // q is sim->q1, and goes to the state's ⊕ `ahead` w before each pass
  double ahead;          // s
  bool rows;             // constraints are solved for by every pass
  MbHalf half;           // what they ask for in it
  int passes;            // of Newton's method
  int most;              // how many they may become while they gain
  double *
      noted; // (noting + 2 x nv) ← w before the first pass, after so many, and after all there were; NULL: not asked for
  int noting;     // where there were fewer, the last of w stands for the others
  double *pushes; // (noting x nslots) ← impulses of rows in each pass; NULL: not asked for
  int factors;    // how many of them make A anew, the first ones; the others take the last one
} MbStage;

// Tells whether some body hangs on another one. Where none does a pass through trees for momentum and wrenches at once has nothing to save.
static inline bool mb_stage_has_trees(const MbModel *model) {
  for (size_t b = 0; b < model->nb; b++)
    if (model->parent[b] != MB_WORLD) return true;
  return false;
}

// How many passes a half step of the schemes of second order may take, and how many of them are noted where there are rows (scheme_halves.c).
enum { MB_HALF_PASSES_MOST = 14 };

// Solves a stage by its passes: w in and out. `last` (nv) is scratch where passes may become more. Where a large step makes A
// indefinite, as a spring's sideways push under compression does, a pass is made without such derivatives.
MbStatus mb_stage_solve(MbSim *sim, const MbStage *stage, double *last, double *w, MbReport *report);

#endif
