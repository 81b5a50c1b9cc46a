// Signals, and what forces do, lane by lane: by the functions of the forces themselves, on the bodies of each.
#include "core/sim/evaluate.h"
#include "core/sim/lockstep_internal.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

void mb_lockstep_signals(MbLockstep *l) {
  const size_t n = l->like->nsignals;
  for (size_t k = 0; k < l->count; k++) {
    const MbModel *model = l->lane[k]->model;
    const double t = (double)l->step * model->h;
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
      const double value = mb_signal_value(&model->signals[i], l->expressions[n * k + i], t);
      l->signal[L * i + k] = value;
      finite &= isfinite(value) != 0;
    }
    if (!finite) l->goes &= ~(1u << k);
  }
}

static void pick(double *to, const double *from, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[i] = from[L * i + lane];
}
static void put_back(double *to, const double *from, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[L * i + lane] = from[i];
}

void mb_lockstep_spread(MbLockstep *l) {
  if (l->spread) return;
  l->spread = true;
  for (size_t k = 0; k < l->count; k++) {
    pick(l->x[k].E->p, l->E, 7 * l->nb, k);
    pick(l->x[k].phi, l->phi, 6 * l->nb, k);
  }
}

void mb_lockstep_wrenches(MbLockstep *l, bool outside, bool derivatives) {
  const size_t nb = l->nb, n = l->like->nsignals;
  mb_lockstep_spread(l);
  for (size_t k = 0; k < l->count; k++) {
    MbMaximal *x = &l->x[k];
    const MbModel *model = l->lane[k]->model;
    double *const K = x->K, *const D = x->D;
    if (!derivatives) x->K = x->D = NULL;
    pick(l->own, l->signal, n, k);
    x->t = (double)l->step * model->h;
    mb_forces_of_range(model, x, outside, 0, nb);
    mb_forces_of_some(model, x);
    put_back(l->f, x->f, 6 * nb, k);
    x->K = K, x->D = D;
    if (!derivatives || !K) continue;
    put_back(l->K, K, 36 * nb, k);
    put_back(l->D, D, 36 * nb, k);
  }
}
