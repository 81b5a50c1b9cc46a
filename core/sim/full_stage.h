// A fully implicit stage, solved to the end by Newton's method (full_stage.c).
#ifndef MB_SIM_FULL_STAGE_H
#define MB_SIM_FULL_STAGE_H

#include "core/sim/sim_internal.h"

// Velocities w with  M(q) (w − from) = γ h F(q, w, t) + Gᵀ λ  at  q = q₀ ⊕ h (base + γ w),  q₀ the state's coordinates, where the rows of
// constraints hold: M, J, the quadratic terms and forces are all those at q.
typedef struct MbFullStage {
  double gamma, t;
  const double *base, *from; // (nv)
  bool agrees;               // forces feel velocities that satisfy the rows
} MbFullStage;

// How many numbers a stage wants in sim->stage, from its beginning.
size_t mb_full_stage_scratch(size_t nv);
// Solves a stage, w being a guess; sim->q1 ← its coordinates.
MbStatus mb_full_stage_solve(MbSim *sim, const MbFullStage *stage, double *w, MbReport *report);
// Takes the solver's factor to M at q1, where rows are asked for; w may follow others.
MbStatus mb_full_stage_measure(MbSim *sim, double *w, MbReport *report);
// p ← the velocities nearest to w, as M measures, that satisfy the rows at (q1, t).
MbStatus mb_full_stage_agree(MbSim *sim, double t, const double *w, double *p, MbReport *report);

#endif
