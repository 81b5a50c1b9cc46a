// What derivatives of steps of nodes of elements by themselves (MbPassOps.step) are made of, where iterations go to the end. With R the
// slope of what such a step is the least of, and q₁ the places at its end,
//
//   R(q₁; q, v, loads, numbers) = 0   along axes that are not placed,   q₁ = target   along those that are
//
// so that z = H⁻¹ q̄₁, H = ∂R/∂q₁, is what R is felt by with −1, where q̄₁ is what q₁ is felt by: δ = −z · ∂R.
#ifndef MB_MODEL_PASS_SLOPES_H
#define MB_MODEL_PASS_SLOPES_H

#include "core/model/ops.h"

// What the loads of a step are felt by, one after the other as MbNodeLoad and MbNodeStart.force have them.
typedef struct MbNodeLoadsFelt {
  MbNodeLoad *load; // (deformables)
  double *force;    // (ncables)
} MbNodeLoadsFelt;

typedef struct MbPassSlopes {
  // Takes the work to the step that has led from `start`, which must outlive what is asked of it, to places q1 (nodes x 3), and factors H
  // there. False: it has no inverse.
  bool (*at)(MbSolverWork *work, const MbNodeStart *start, const double *q1);
  // felt (nodes x 3) is what q1 is felt by: z ← H⁻¹ felt, 0 along placed axes. False: the solution does not come to its end.
  bool (*back)(MbSolverWork *work, const double *felt, double *z);
  // Makes of impulses y along the solver's velocities, and at nodes (nodes x 3), what velocities these are by A⁻¹ with h² H for the nodes' part of it, and what forces
  // couple of the two; numbers of ports stand with their nodes, and are 0 in y. False: there is no solution.
  bool (*both)(MbSolverWork *work, double *y, double *nodes);
  // Adds to impulses at ports, along the solver's velocities, what forces that couple the two push with at velocities v, by A. Without such forces it does nothing.
  void (*pull)(MbSolverWork *work, const double *v, double *impulse);
  // Makes of felt what the targets are felt by, of that z: 0 along axes that are not placed.
  void (*held)(MbSolverWork *work, const double *z, double *felt);
  // Adds −z · R by places and velocities at the start to q and v.
  void (*start)(MbSolverWork *work, const double *z, double *q, double *v);
  // Sets −z · R by loads.
  void (*loads)(MbSolverWork *work, const double *z, MbNodeLoadsFelt *felt);
  // Returns −z · R of this work's own numbers, of the step from `start` to q1; of deformables for which `part` is true, and inertia. H is lost.
  double (*value)(MbSolverWork *work, const MbNodeStart *start, const double *q1, const double *z,
                  const bool *part);
  // slope (nodes x 3) ← how the elastic energy, with that of pressure and of fibres, changes with the places q. What `at` has begun is lost.
  void (*elastic)(MbSolverWork *work, const double *q, const MbNodeLoad *load, double *slope);
} MbPassSlopes;

#endif
