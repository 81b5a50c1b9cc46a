// Trees of joints in lockstep whose coordinates are the state: solver `redmax`, by its recursion, or densely, where the lanes' simulations
// take all steps.
#include "core/sim/lockstep_internal.h"
#include "core/solvers/solvers.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

static const unsigned ALL = (1u << L) - 1;

static bool create(MbLockstep *l) {
  const MbLinks *links[L];
  bool fine = true;
  for (size_t k = 0; k < L; k++) links[k] = &l->first->links;
  l->E = mb_lockstep_numbers(l, 7 * l->nb, &fine), l->screws = mb_lockstep_numbers(l, 6 * l->nb, &fine);
  l->passes = mb_lanes_for(L);
  l->work = l->passes->create(links);
  l->posture = (MbPosture){.model = l->like, .work = l->work, .screws = l->screws, .phi = l->phi};
  l->posture.E = (const MbPose *)(const void *)l->E;
  return fine && l->work;
}

static bool load(MbLockstep *l, const MbLinks *const *links) {
  l->passes->load(l->work, links);
  l->posture.links = links[0];
  return true;
}

// ---- by the recursion -----------------------------------------------------------------------------------------

static void kinematics(MbLockstep *l) {
  l->passes->forward(l->work, l->q, l->v, l->E, l->phi);
  l->jq = l->q, l->jv = l->v;
}

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

static unsigned velocities(MbLockstep *l) {
  if (l->integrator->a == 0) return explicit_velocities(l) ? ALL : 0;
  mb_lockstep_pull(l);
  return l->kernels->implicit(l);
}

const MbLockstepSolver mb_lockstep_recursive = {.solver = &mb_redmax_recursive_ops,
                                                .create = create,
                                                .load = load,
                                                .kinematics = kinematics,
                                                .velocities = velocities};

// ---- densely --------------------------------------------------------------------------------------------------

// As the lanes' simulations have them; places beyond the lanes have the first one's.
static void take_bodies(MbLockstep *l) {
  for (size_t k = 0; k < L; k++) {
    const MbMaximal *x = &l->lane[k < l->count ? k : 0]->sim->x;
    mb_lane_put(l->E, x->E->p, 7 * l->nb, k);
    mb_lane_put(l->phi, x->phi, 6 * l->nb, k);
  }
  l->jq = l->q, l->jv = l->v;
}

const MbLockstepSolver mb_lockstep_dense = {
    .solver = &mb_redmax_dense_ops, .create = create, .load = load, .kinematics = take_bodies};
