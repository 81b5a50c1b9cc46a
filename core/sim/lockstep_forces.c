// Signals, and what forces do, lane by lane: by the functions of the forces themselves, on the bodies of each lane's simulation.
#include "core/model/flight.h"
#include "core/sim/evaluate.h"
#include "core/sim/lockstep_internal.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

void mb_lockstep_signals(MbLockstep *l) {
  const size_t n = l->like->nsignals;
  for (size_t k = 0; k < l->count; k++) {
    MbSim *sim = l->lane[k]->sim;
    const double t = (double)l->step * sim->model->h;
    for (size_t i = 0; i < n; i++) {
      sim->signal[i] = mb_sim_signal(sim, i, t);
      l->signal[L * i + k] = sim->signal[i];
    }
    sim->x.t = t;
  }
}

void mb_lockstep_spread(MbLockstep *l) {
  if (l->spread) return;
  l->spread = true;
  for (size_t k = 0; k < l->count; k++) {
    const MbMaximal *x = &l->lane[k]->sim->x;
    mb_lane_pick(x->E->p, l->E, 7 * l->nb, k);
    mb_lane_pick(x->phi, l->phi, 6 * l->nb, k);
  }
}

void mb_lockstep_swings(MbLockstep *l) {
  for (size_t b = 0; b < l->nb; b++) {
    if (!l->like->flies[b]) continue;
    for (size_t k = 0; k < l->count; k++) {
      const MbModel *model = l->lane[k]->model;
      double w[3], swing[3];
      mb_lane_pick(w, l->phi + L * 6 * b, 3, k);
      mb_flight_swing(model->h, model->M + 6 * b, w, swing);
      mb_lane_put(l->swing + L * 3 * b, swing, 3, k);
    }
  }
}

void mb_lockstep_wrenches(MbLockstep *l, bool outside, bool derivatives) {
  const size_t nb = l->nb, nblocks = nb + 2 * l->like->npairs;
  mb_lockstep_spread(l);
  for (size_t k = 0; k < l->count; k++) {
    MbMaximal *x = &l->lane[k]->sim->x;
    const MbModel *model = l->lane[k]->model;
    double *const K = x->K, *const D = x->D;
    if (!derivatives) x->K = x->D = NULL;
    x->t = (double)l->step * model->h;
    mb_forces_of_range(model, x, outside, 0, nb);
    if (x->K && model->npairs) {
      memset(K + 36 * nb, 0, 72 * model->npairs * sizeof *K);
      memset(D + 36 * nb, 0, 72 * model->npairs * sizeof *D);
    }
    mb_forces_of_some(model, x);
    mb_lane_put(l->f, x->f, 6 * nb, k);
    if (l->fly) mb_lane_put(l->swing, x->swing, 3 * nb, k);
    x->K = K, x->D = D;
    if (!derivatives || !K) continue;
    mb_lane_put(l->K, K, 36 * nblocks, k);
    mb_lane_put(l->D, D, 36 * nblocks, k);
  }
}

void mb_lockstep_pull(MbLockstep *l) {
  if (l->apart) {
    mb_lockstep_wrenches(l, false, l->integrator->a != 0);
    return;
  }
  if (l->fly) mb_lockstep_swings(l);
  l->kernels->wrenches(l, false);
}
