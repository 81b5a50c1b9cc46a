// One step of all lanes: sim/step.c and sim/scheme_once.c, side by side.
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/sim/evaluate.h"
#include "core/sim/lockstep_internal.h"
#include "core/sim/energy_watch.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

static void pick(double *to, const double *from, size_t first, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[i] = from[L * (first + i) + lane];
}
static void put_back(double *to, const double *from, size_t first, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[L * (first + i) + lane] = from[i];
}

// ---- velocities ---------------------------------------------------------------------------------------------

static bool explicit_velocities(MbLockstep *l) {
  size_t blame = 0;
  const bool outside = l->apart || l->damped;
  if (l->apart)
    mb_lockstep_wrenches(l, true, false);
  else if (outside)
    l->kernels->wrenches(l, true);
  memset(l->y, 0, L * l->nv * sizeof *l->y);
  l->kernels->joint_forces(l);
  if (!l->passes->accelerate(l->work, outside ? l->E : NULL, outside ? l->f : NULL, l->y, &blame))
    return false;
  l->kernels->faster(l);
  return true;
}

static bool implicit_velocities(MbLockstep *l) {
  if (l->apart)
    mb_lockstep_wrenches(l, false, true);
  else
    l->kernels->wrenches(l, false);
  return l->kernels->implicit(l);
}

// ---- coordinates --------------------------------------------------------------------------------------------

// Of bodies free in space, lane by lane.
static void fly(MbLockstep *l, size_t b) {
  const MbModel *like = l->like;
  double q[7], v[6];
  for (size_t k = 0; k < l->count; k++) {
    const MbModel *model = l->lane[k]->model;
    pick(q, l->q, like->q_first[b], 7, k);
    pick(v, l->v1, like->v_first[b], 6, k);
    mb_coordinates_advance_pose(q, model->h, v);
    put_back(l->q1, q, like->q_first[b], 7, k);
    if (!like->flies[b]) continue;
    mb_flight_carry(model->h, model->M + 6 * b, l->x[k].swing + 3 * b, v);
    put_back(l->v1, v, like->v_first[b], 6, k);
  }
}

static void advance(MbLockstep *l) {
  const MbModel *like = l->like;
  for (size_t b = 0; b < l->nb; b++) {
    if (like->joint[b].ops)
      l->kernels->move(l, like->q_first[b], like->v_first[b], like->joint[b].n);
    else
      fly(l, b);
  }
}

// Other coordinates of the same pose for joints near a singularity.
static void renew(MbLockstep *l) {
  const MbModel *like = l->like;
  double q[MB_JOINT_MOST], v[MB_JOINT_MOST];
  for (size_t i = 0; i < like->nrenewing; i++) {
    const size_t b = like->renewing[i], n = like->joint[b].n;
    for (size_t k = 0; k < l->count; k++) {
      const MbJoint *joint = &l->lane[k]->model->joint[b];
      pick(q, l->q1, like->q_first[b], n, k);
      pick(v, l->v1, like->v_first[b], n, k);
      if (!joint->ops->renew(joint, q, v)) continue;
      put_back(l->q1, q, like->q_first[b], n, k);
      put_back(l->v1, v, like->v_first[b], n, k);
    }
  }
}

// Lanes that have dropped out stand still where they began: their numbers stay ordinary ones.
static void hold(MbLockstep *l, unsigned out) {
  for (size_t k = 0; k < L; k++) {
    if (!(out >> k & 1)) continue;
    put_back(l->q1, l->lane[k]->model->q0, 0, l->nq, k);
    put_back(l->v1, l->lane[k]->model->v0, 0, l->nv, k);
  }
}

static void swap(double **a, double **b) {
  double *const c = *a;
  *a = *b, *b = c;
}

void mb_lockstep_step(MbLockstep *l) {
  if (!l->goes) return;
  if (l->like->nsignals) mb_lockstep_signals(l);
  const bool fine = l->integrator->a != 0 ? implicit_velocities(l) : explicit_velocities(l);
  if (!fine) { // in some lane, which its own simulation will tell
    l->goes = 0;
    return;
  }
  advance(l);
  renew(l);
  l->goes &= l->kernels->tame(l);
  const unsigned all = (1u << L) - 1;
  if (l->goes != all) hold(l, all & ~l->goes);
  l->passes->forward(l->work, l->q1, l->v1, l->E, l->phi);
  l->spread = false;
  swap(&l->q, &l->q1);
  swap(&l->v, &l->v1);
  l->step++;
  if (l->step % MB_WATCH_EVERY == 0) mb_lockstep_watch(l);
}
