// What quasi-Newton steps keep (pd_lbfgs.c). Of nodes that another mover than the processor moves its vectors have the caller's velocities
// alone, and its pairs, behind these, the listed nodes'.
#ifndef MB_SOLVERS_PROJECTIVE_PD_LBFGS_H
#define MB_SOLVERS_PROJECTIVE_PD_LBFGS_H

#include "core/solvers/projective/pd_engine.h"

struct MbPdLbfgs {
  size_t
      n; // numbers: three of every free node, and those beside; of nodes that others move those beside alone
  MbPairs pairs;
  double c[MB_PAIR_WEIGHTS]; // of b, then of what rows add to it
  double *b, *b1;            // (n) −g at the iterate; at the one before, or at a trial
  double *z;                 // (n) h² A⁻¹ b
  double *q1;                // (nodes x 3) the trial
  size_t chunks;             // of free nodes, and of those beside
  double *sum[3];            // (chunks) sums over each
  double energy;             // at the iterate
  double least;              // of it that an iteration took off
  int level;                 // iterations in a row that took no less, and all but nothing
  bool known;                // b is that at the iterate, energy too
  bool pending;              // a pair is to come: its s is there, and b1, z as they were before
};

#endif
