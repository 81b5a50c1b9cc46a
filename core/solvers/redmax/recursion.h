// The passes over a tree for some number of instances, as compiled for some kind of processor. Arrays hold, for every number,
// the instances' side by side: (n x lanes).
#ifndef MB_SOLVERS_REDMAX_RECURSION_H
#define MB_SOLVERS_REDMAX_RECURSION_H

#include "core/solvers/redmax/links.h"

typedef struct MbRecursion MbRecursion; // what one pass leaves to the next

typedef struct MbLanes {
  const char *name;
  size_t lanes;
  // Makes the passes' memory for `lanes` instances, whose trees hang together alike (mb_links_alike). NULL: out of memory.
  MbRecursion *(*create)(const MbLinks *const *links);
  // Takes other instances of the same tree.
  void (*load)(MbRecursion *work, const MbLinks *const *links);
  void (*free)(MbRecursion *work);
  size_t (*bytes)(const MbRecursion *work);

  // Where everything is and how fast at (q, v). E (nb x 7, poses of C in W) and phi (nb x 6, twists of C in C), both or none.
  void (*forward)(MbRecursion *work, const double *q, const double *v, double *E, double *phi);
  // The same but for accelerations, to the same bits, of bodies whose rotations E has, of other than revolute joints where they are and how fast (Stand.r and V), and these joints' columns.
  void (*recall)(MbRecursion *work, const double *q, const double *v, double *E, double *phi);
  // y ← M⁻¹ (y + Jᵀ (f + gravity + velocity terms)) at the last `forward`: joints' forces in, accelerations out. f (nb x 6) of C in
  // C axes with the E of `forward`, or NULL. False with the body to blame where M is singular.
  bool (*accelerate)(MbRecursion *work, const double *E, const double *f, double *y, size_t *blame);
} MbLanes;

// The fastest that this machine can run, for 1 or 8 instances.
const MbLanes *mb_lanes_for(size_t lanes);

// All that were built, ended by NULL; those that the machine cannot run say so.
extern const MbLanes *const mb_lanes_list[];
bool mb_lanes_runs(const MbLanes *lanes);

#endif
