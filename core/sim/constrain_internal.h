// Rows of the constraints at one instant, shared by the files that make and solve them.
#ifndef MB_SIM_CONSTRAIN_INTERNAL_H
#define MB_SIM_CONSTRAIN_INTERNAL_H

#include "core/constraints/constraints.h"
#include "core/contact/pivoting.h"
#include "core/sim/sim_internal.h"

struct MbConstraining {
  MbRow *row;              // (nslots)
  const MbConstraint **of; // (nslots)
  size_t *first;           // (nslots + 1) where each row's coordinates begin
  size_t *index;           // of the coordinates
  double *G;               // the rows' numbers for them
  double *signal;          // (nsignals x 3)
  int *driven;             // (nsignals) used by motions: 1 = its value, 2 = its rates too; 0 = not
  double *y, *drift;       // (nv) zero between uses, (nb x 6)
  double *force;           // (nslots) of the step that is being made

  // the rows that take part
  size_t n;
  size_t *slot;                     // (nslots)
  double *b, *slack, *least, *soft; // (nslots); soft is on W's diagonal
  bool unsolved;                    // A⁻¹ could not be applied
  bool *unilateral;                 // (nslots)
  MbPivoting pivoting;
};

// All rows at (q, v, t), the bodies of sim->x being there; G = H J + c. `h`: see MbInstant.
void mb_rows_make(MbSim *sim, const double *q, const double *v, double t, double h);
// G v of one row; the sum of its terms' sizes is added to *size.
double mb_rows_rate(const MbConstraining *c, size_t s, const double *v, double *size);
// y += Gᵀ λ of one row
void mb_rows_spread(const MbConstraining *c, size_t s, double lambda, double *y);
// H J̇ v of one row
double mb_rows_drift(const MbConstraining *c, size_t s);

#endif
