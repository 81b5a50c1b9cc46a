// Joints held by rows in lockstep: solver `maximal`, whose articulated form has lanes of its own (solvers/maximal/held_kernels.h).
#include "core/model/coordinates.h"
#include "core/sim/lockstep_internal.h"
#include "core/solvers/solvers.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

static const char *refused(const MbModel *model) {
  if (model->solver.terms != MB_TERMS_CARRIED) return "has explicit velocity terms";
  if (!mb_held_articulated(model)) return "is solved by a matrix";
  return NULL;
}

static bool create(MbLockstep *l) {
  const MbLinks *links[L];
  bool fine = true;
  for (size_t k = 0; k < L; k++) links[k] = &l->first->links;
  if (!mb_held_create_lanes(l->like, L, links, &l->held)) return false;
  for (size_t b = 0; b < l->nb; b++) l->general |= l->like->joint[b].ops && !l->held.hinged[b];
  l->aim = mb_lockstep_numbers(l, l->held.shape.nrows, &fine);
  l->rates = mb_lockstep_numbers(l, l->nv, &fine);
  return fine;
}

static bool load(MbLockstep *l, const MbLinks *const *links) {
  bool fine = true;
  mb_held_posture_load(&l->held, links);
  for (size_t k = 0; k < L; k++) mb_held_load_lane(&l->held, k, l->lane[k]->model);
  for (size_t k = 0; k < l->count && l->general; k++) {
    mb_held_free(&l->one[k]);
    fine &= mb_held_create(l->lane[k]->model, 1, &l->one[k]);
  }
  return fine;
}

// What a lane's functions have found, among the numbers of all.
static void put_joint(MbLockstep *l, size_t b, const MbHeld *one, size_t k) {
  MbHeld *all = &l->held;
  const size_t n = l->like->joint[b].n, q = l->like->q_first[b], v = l->like->v_first[b],
               first = all->first[b], rows = all->rows[b];
  mb_lane_put(all->q + L * q, one->q + q, n, k), mb_lane_put(all->v + L * v, one->v + v, n, k);
  mb_lane_put(all->V + L * 6 * v, one->V + 6 * v, 6 * n, k);
  mb_lane_put(all->N + L * 6 * v, one->N + 6 * v, 6 * n, k);
  mb_lane_put(all->Z + L * 6 * first, one->Z + 6 * first, 6 * rows, k);
  mb_lane_put(all->g + L * first, one->g + first, rows, k);
  mb_lane_put(all->bend + L * first, one->bend + first, rows, k);
  mb_lane_put((double *)all->X + L * 12 * b, one->X[b].R, 12, k);
}

// A joint that is not revolute, lane by lane; places beyond the lanes have the first one's, so that their numbers are ordinary ones.
static void general_joint(MbLockstep *l, size_t b) {
  const size_t n = l->like->joint[b].n, q = l->like->q_first[b];
  for (size_t k = 0; k < l->count; k++) {
    mb_lane_pick(l->one[k].guess + q, l->held.guess + L * q, n, k);
    mb_held_joint(&l->one[k], b, &l->lane[k]->sim->x);
  }
  for (size_t k = 0; k < L; k++) put_joint(l, b, &l->one[k < l->count ? k : 0], k);
}

static void kinematics(MbLockstep *l) {
  const MbModel *model = l->like;
  MbHeld *held = &l->held;
  l->E = l->q;
  const MbMaximal x = {.nb = l->nb, .E = (MbPose *)(void *)l->E, .phi = l->phi};
  l->kernels->twists(l);
  memcpy(held->guess, l->q + L * 7 * l->nb, L * l->nq * sizeof *held->guess);
  if (l->general) mb_lockstep_spread(l);
  for (size_t b = 0; b < l->nb; b++) {
    if (held->hinged[b])
      held->kernels->hinge(held, b, &x);
    else if (model->joint[b].ops)
      general_joint(l, b);
  }
  l->jq = held->q, l->jv = held->v;
}

// ---- a step ---------------------------------------------------------------------------------------------------

// Behind the poses in q1.
static void foresee(MbLockstep *l) {
  l->kernels->foresee(l);
  mb_lockstep_renew(l, l->q1 + L * 7 * l->nb, NULL);
}

static unsigned velocities(MbLockstep *l) {
  mb_lockstep_pull(l);
  return l->kernels->held(l) ? (1u << L) - 1 : 0;
}

const MbLockstepSolver mb_lockstep_held = {.solver = &mb_maximal_ops,
                                           .refused = refused,
                                           .create = create,
                                           .load = load,
                                           .kinematics = kinematics,
                                           .foresee = foresee,
                                           .velocities = velocities};
