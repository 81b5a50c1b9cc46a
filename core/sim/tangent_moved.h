// Private to core/sim/tangent*.c.
#ifndef MB_SIM_TANGENT_MOVED_H
#define MB_SIM_TANGENT_MOVED_H

#include "core/model/model.h"

// Tells how many velocities a body has in the tree.
static inline size_t mb_tangent_dofs(const MbModel *model, size_t b) {
  return model->joint[b].ops ? model->joint[b].n : 6;
}

// T, T0 (dofs x dofs, row after row) of a body's joint with  (q ⊕ before) ⊕ (step + change) = (q ⊕ step) ⊕ (T change + T0 before).
void mb_tangent_ahead(const MbModel *model, size_t b, const double *step, double *T, double *T0);

#endif
