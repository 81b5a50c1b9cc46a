// The nodes that a step lists, ports and behind them those that its rows name: how they answer impulses, and where in the list one is.
#include "core/math/vec3.h"
#include "core/solvers/projective/projective_work.h"

void mb_projective_respond(MbSolverWork *w, const double *y, double *x) {
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(w->p + 3 * k, y + w->at[k]);
  mb_pd_respond(w->engine, w->p, w->u);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(x + w->at[k], w->u + 3 * k);
}

size_t mb_projective_listed(const MbSolverWork *w, size_t body) {
  const size_t nb = w->model->nb;
  if (body < nb) return body - mb_model_own(w->model);
  const size_t at = w->nv + 3 * (body - nb);
  size_t low = w->model->nports, high = w->nlisted; // ascending
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (w->at[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}
