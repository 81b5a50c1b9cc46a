// One step of all lanes: sim/step.c and sim/scheme_once.c, side by side.
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"
#include "core/sim/gaps.h"
#include "core/sim/gimbal_watch.h"
#include "core/sim/lockstep_internal.h"
#include "core/sim/turned_over.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

static const unsigned ALL = (1u << L) - 1;

void mb_lockstep_kinematics(MbLockstep *l) {
  l->spread = false;
  l->solver->kinematics(l);
}

// ---- coordinates --------------------------------------------------------------------------------------------

// Of a body in space, lane by lane; q and v are where its numbers begin.
static void fly(MbLockstep *l, size_t b, size_t q_first, size_t v_first) {
  double q[7], v[6], swing[3];
  for (size_t k = 0; k < l->count; k++) {
    const MbModel *model = l->lane[k]->model;
    mb_lane_pick(q, l->q + L * q_first, 7, k);
    mb_lane_pick(v, l->v1 + L * v_first, 6, k);
    mb_coordinates_advance_pose(q, model->h, v);
    mb_lane_put(l->q1 + L * q_first, q, 7, k);
    if (!l->like->flies[b]) continue;
    mb_lane_pick(swing, l->swing + L * 3 * b, 3, k);
    mb_flight_carry(model->h, model->M + 6 * b, swing, v);
    mb_lane_put(l->v1 + L * v_first, v, 6, k);
  }
}

static void advance(MbLockstep *l) {
  const MbModel *like = l->like;
  for (size_t b = 0; b < l->nb; b++) {
    if (l->poses)
      fly(l, b, 7 * b, 6 * b);
    else if (like->joint[b].ops)
      l->kernels->move(l, like->q_first[b], like->v_first[b], like->joint[b].n);
    else
      fly(l, b, like->q_first[b], like->v_first[b]);
  }
}

void mb_lockstep_renew(MbLockstep *l, double *q, double *v) {
  const MbModel *like = l->like;
  for (size_t i = 0; i < like->nrenewing; i++) {
    const size_t b = like->renewing[i], n = like->joint[b].n;
    double *const q_joint = q + L * like->q_first[b], *const v_joint = v ? v + L * like->v_first[b] : NULL;
    for (size_t k = 0; k < l->count; k++) {
      const MbJoint *joint = &l->lane[k]->model->joint[b];
      double q_own[MB_JOINT_MOST], v_own[MB_JOINT_MOST] = {0};
      mb_lane_pick(q_own, q_joint, n, k);
      if (v) mb_lane_pick(v_own, v_joint, n, k);
      if (!joint->ops->renew(joint, q_own, v_own)) continue;
      mb_lane_put(q_joint, q_own, n, k);
      if (v) mb_lane_put(v_joint, v_own, n, k);
    }
  }
}

// ---- steps by themselves ------------------------------------------------------------------------------------

void mb_lockstep_put(MbLockstep *l, size_t k) {
  MbSim *sim = l->lane[k]->sim;
  if (!l->solver->velocities) return; // it is there
  mb_lane_pick(sim->state.q, l->q, l->qs, k);
  mb_lane_pick(sim->state.v, l->v, l->vs, k);
  sim->state.step = l->step;
  sim->state.t = (double)l->step * sim->model->h;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  l->spread = false;
}

// A lane's step by its own simulation; one that fails is the lane's last.
static void step_alone(MbLockstep *l, size_t k) {
  MbSim *sim = l->lane[k]->sim;
  mb_lockstep_put(l, k);
  l->alone++;
  if (mb_sim_step(sim, &l->said[k])) {
    l->goes &= ~(1u << k);
    return;
  }
  mb_lane_put(l->q1, sim->state.q, l->qs, k);
  mb_lane_put(l->v1, sim->state.v, l->vs, k);
  l->open[k] = mb_section(sim, MB_SECTION_GAPS)[0] > 0;
}

// Lanes that have left stand still where they began: their numbers stay ordinary ones.
static void hold(MbLockstep *l) {
  for (size_t k = 0; k < L; k++) {
    if (l->goes >> k & 1) continue;
    for (size_t i = 0; i < l->qs; i++) l->q1[L * i + k] = l->q0[L * i + k];
    for (size_t i = 0; i < l->vs; i++) l->v1[L * i + k] = l->v0[L * i + k];
  }
}

static void swap(double **a, double **b) {
  double *const c = *a;
  *a = *b, *b = c;
}

// Lanes whose step in vectors is the one that their simulations would take.
static unsigned usual(MbLockstep *l) {
  unsigned lanes = l->solver->velocities ? l->solver->velocities(l) : 0;
  if (!lanes) return 0;
  advance(l);
  if (!l->poses) mb_lockstep_renew(l, l->q1, l->v1);
  lanes &= l->kernels->tame(l);
  if (l->nlimits) lanes &= l->kernels->unlimited(l);
  for (size_t k = 0; k < l->count; k++)
    if (l->open[k]) lanes &= ~(1u << k);
  return lanes;
}

static void step_some_alone(MbLockstep *l, unsigned lanes) {
  for (size_t k = 0; k < l->count; k++)
    if (lanes >> k & 1) step_alone(l, k);
}

// Where a look at gaps is due, those of lanes that have opened are for their simulations to judge.
static void look_at_gaps(MbLockstep *l) {
  const bool any = l->held.shape.nrows || l->nlimits;
  if (!any || !l->solver->velocities || l->step % MB_GAPS_SELDOM) return;
  unsigned open = l->goes & ~l->kernels->closed(l);
  for (size_t k = 0; k < l->count; k++)
    if (l->open[k]) open &= ~(1u << k); // has been judged
  if (!open) return;
  swap(&l->q, &l->q1), swap(&l->v, &l->v1); // the state before, from which they go again
  l->step--;
  mb_lockstep_kinematics(l);
  step_some_alone(l, open);
  hold(l);
  l->step++;
  swap(&l->q, &l->q1), swap(&l->v, &l->v1);
  mb_lockstep_kinematics(l);
}

// Joints that steps lead astray, or whose numbers jump, are told of as the lanes' simulations would.
static void look_at_joints(MbLockstep *l) {
  const size_t first = l->poses ? 7 * l->nb : 0;
  for (size_t k = 0; k < l->count; k++) {
    MbSim *sim = l->lane[k]->sim;
    if (!(l->goes >> k & 1) || !(sim->gimbal || sim->turned)) continue;
    sim->state.step = l->step;
    sim->state.t = (double)l->step * sim->model->h;
    if (sim->turned) mb_turned_look(sim, l->q1 + L * first + k, l->q + L * first + k, L, &l->said[k]);
    if (sim->gimbal) mb_gimbal_look(sim, l->q + k, l->v + k, L, &l->said[k]);
  }
}

void mb_lockstep_step(MbLockstep *l) {
  if (!l->goes) return;
  if (l->like->nsignals) mb_lockstep_signals(l);
  if (l->solver->foresee) l->solver->foresee(l);
  l->all += __builtin_popcount(l->goes);
  step_some_alone(l, l->goes & ~usual(l));
  if (l->goes != ALL) hold(l);
  swap(&l->q, &l->q1);
  swap(&l->v, &l->v1);
  l->step++;
  mb_lockstep_kinematics(l);
  look_at_gaps(l);
  look_at_joints(l);
  if (l->step % MB_WATCH_EVERY == 0) mb_lockstep_watch(l);
}
