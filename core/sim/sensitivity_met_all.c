// Vectors of bodies, and of nodes that are points behind them, on the way back (sensitivity_met.h): A⁻¹ of them, A and h² H standing beside one another, and how a side of a number has them.
#include "core/model/pass_slopes.h"
#include "core/sim/sensitivity_met.h"

#include <string.h>

bool mb_met_invert(MbSensitivity *g, MbSim *sim, double span, double *Y) {
  const MbMet *met = g->met;
  const MbPassSlopes *slopes = met->points ? sim->solver->passes->slopes : NULL;
  for (size_t j = 0; j < met->width; j++) Y[j] *= span;
  return slopes ? slopes->both(sim->work, Y, Y + met->own) : sim->solver->apply(sim->work, Y, NULL, NULL);
}

const double *mb_met_side_q(const MbMet *met, const MbSlope *slope, int s, const double *q) {
  const double *own = mb_axes_q(slope->axes, s, q);
  const size_t nq = met->beside->nq;
  if (own == q || !met->points) return own;
  memcpy(met->side_q, own, nq * sizeof *own);
  memcpy(met->side_q + nq, q + nq, (met->width - met->own) * sizeof *own);
  return met->side_q;
}

const double *mb_met_side_v(const MbMet *met, const MbSlope *slope, int s, int which, const double *v) {
  const double *own = mb_axes_v(slope->axes, s, which, v);
  double *to = met->side_v[which];
  if (own == v || !met->points) return own;
  memcpy(to, own, met->own * sizeof *own);
  memcpy(to + met->own, v + met->own, (met->width - met->own) * sizeof *own);
  return to;
}
