// Making the lanes' room, and putting them at their start.
#include "core/sim/lockstep.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/constraints/limit.h"
#include "core/forces/forces.h"
#include "core/integrators/integrators.h"
#include "core/sim/lockstep_internal.h"
#include "core/solvers/solvers.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

// ---- room ---------------------------------------------------------------------------------------------------

static bool is_damping(const MbForce *force) {
  return force->ops == &mb_body_damping_ops || force->ops == mb_force_table[MB_FORCE_DAMPING];
}

static bool make_limits(MbLockstep *l) {
  const MbModel *like = l->like;
  bool fine = true;
  l->nlimits = like->nconstraints;
  l->limits = mb_arena_alloc(&l->arena, l->nlimits, sizeof *l->limits);
  l->side = mb_lockstep_numbers(l, l->nlimits, &fine), l->bound = mb_lockstep_numbers(l, l->nlimits, &fine);
  l->gamma = mb_lockstep_numbers(l, 1, &fine), l->widest = mb_lockstep_numbers(l, 1, &fine);
  for (size_t i = 0; l->limits && i < l->nlimits; i++) {
    const MbConstraint *limit = &like->constraints[i];
    l->limits[i] = (MbLaneLimit){.q = limit->q[0], .v = limit->v[0], .soft = limit->compliance > 0};
  }
  return fine && l->limits;
}

// The state's numbers, and those of the bodies.
static bool make_state(MbLockstep *l) {
  const size_t nb = l->nb;
  bool fine = true;
  l->q = mb_lockstep_numbers(l, l->qs, &fine), l->q1 = mb_lockstep_numbers(l, l->qs, &fine),
  l->q0 = mb_lockstep_numbers(l, l->qs, &fine);
  l->v = mb_lockstep_numbers(l, l->vs, &fine), l->v1 = mb_lockstep_numbers(l, l->vs, &fine),
  l->v0 = mb_lockstep_numbers(l, l->vs, &fine);
  l->r = mb_lockstep_numbers(l, l->vs, &fine), l->s = mb_lockstep_numbers(l, l->vs, &fine);
  l->phi = mb_lockstep_numbers(l, 6 * nb, &fine), l->f = mb_lockstep_numbers(l, 6 * nb, &fine);
  l->swing = mb_lockstep_numbers(l, l->fly ? 3 * nb : 0, &fine);
  return fine;
}

static bool make_room(MbLockstep *l) {
  const MbModel *like = l->like;
  const size_t nb = l->nb, nv = l->nv, nd = like->ndrives;
  bool outer = false, fine = true;
  for (size_t i = 0; i < like->nforces; i++) {
    outer |= like->forces[i].ops != &mb_gravity_ops && !is_damping(&like->forces[i]);
    l->damped |= is_damping(&like->forces[i]);
  }
  const bool blocks = (outer || l->damped) && l->integrator->a != 0;
  l->fly = like->any_flies;
  l->apart = outer || (l->fly && !l->poses);
  l->drag = mb_lockstep_numbers(l, nb * like->nforces, &fine);
  l->h = mb_lockstep_numbers(l, 1, &fine), l->y = mb_lockstep_numbers(l, nv, &fine);
  l->M = mb_lockstep_numbers(l, 6 * nb, &fine), l->g = mb_lockstep_numbers(l, 3, &fine),
  l->energy = mb_lockstep_numbers(l, 4, &fine);
  l->stiffness = mb_lockstep_numbers(l, nv, &fine), l->rest = mb_lockstep_numbers(l, nv, &fine),
  l->damping = mb_lockstep_numbers(l, nv, &fine);
  l->drive_stiffness = mb_lockstep_numbers(l, nd, &fine),
  l->drive_damping = mb_lockstep_numbers(l, nd, &fine);
  l->drive_most = mb_lockstep_numbers(l, nd, &fine),
  l->signal = mb_lockstep_numbers(l, like->nsignals, &fine);
  l->total_stiffness = nd ? mb_lockstep_numbers(l, nv, &fine) : l->stiffness;
  l->total_damping = nd ? mb_lockstep_numbers(l, nv, &fine) : l->damping;
  const size_t nblocks = nb + 2 * like->npairs;
  const bool coupled = blocks && like->npairs;
  if (blocks)
    l->K = mb_lockstep_numbers(l, 36 * nblocks, &fine), l->D = mb_lockstep_numbers(l, 36 * nblocks, &fine);
  if (coupled)
    l->blocks = mb_lockstep_numbers(l, 36 * nblocks, &fine),
    l->vectors = mb_lockstep_numbers(l, 6 * nv, &fine);
  return fine && make_state(l) && make_limits(l);
}

static MbStatus create(MbLockstep *l, const MbLane *like, MbReport *report) {
  l->first = like, l->like = like->model;
  l->integrator = &mb_integrator_table[like->model->integrator.kind];
  l->solver = mb_lockstep_solver_of(like->model);
  l->poses = l->solver->solver->map->layout->apart(like->model);
  l->nb = like->model->nb, l->nq = like->model->nq, l->nv = like->model->nv;
  l->qs = like->sim->nq, l->vs = like->sim->nv;
  l->kernels = mb_lockstep_kernels();
  l->channels = mb_sim_channels(like->sim, &l->nchannels);
  l->frame_size = mb_sim_frame_size(like->sim);
  l->wanted = mb_arena_alloc(&l->arena, l->nchannels, sizeof *l->wanted);
  const bool fine = l->wanted && make_room(l) && l->solver->create(l);
  if (!fine) return mb_no_memory(report, "lanes");
  memset(l->wanted, 1, l->nchannels * sizeof *l->wanted);
  return MB_OK;
}

MbStatus mb_lockstep_create(const MbLane *like, MbLockstep **out, MbReport *report) {
  *out = NULL;
  MbLockstep *l = mb_calloc(1, sizeof *l);
  if (!l) return mb_no_memory(report, "lanes");
  const MbStatus status = create(l, like, report);
  if (status)
    mb_lockstep_free(l);
  else
    *out = l;
  return status;
}

void mb_lockstep_free(MbLockstep *l) {
  if (!l) return;
  if (l->work) l->passes->free(l->work);
  for (size_t k = 0; k < L; k++) mb_held_free(&l->one[k]);
  mb_held_free(&l->held);
  mb_arena_free(&l->arena);
  mb_free(l);
}

// ---- the start ------------------------------------------------------------------------------------------------

// Damping has the same derivatives at any time.
static void load_damping(MbLockstep *l, size_t k) {
  const MbModel *model = l->lane[k]->model;
  for (size_t i = 0; i < model->nforces && !l->apart; i++) {
    const MbForce *force = &model->forces[i];
    for (size_t b = 0; b < l->nb && force->ops != &mb_gravity_ops; b++) {
      const double d = force->ops->drag ? force->ops->drag(force) : model->damping[b];
      l->drag[L * (l->nb * i + b) + k] = d;
      for (size_t axis = 0; axis < 6 && l->D; axis++) l->D[L * (36 * b + 7 * axis) + k] -= d;
    }
  }
}

static void load_limits(MbLockstep *l, size_t k) {
  const MbModel *model = l->lane[k]->model;
  l->ahead = model->ahead;
  l->gamma[k] = model->gamma;
  l->widest[k] = fmin(model->largest[0], model->largest[1]);
  l->open[k] = false;
  for (size_t i = 0; i < l->nlimits; i++) {
    const MbLimit *own = model->constraints[i].parameters;
    l->side[L * i + k] = own->sign, l->bound[L * i + k] = own->bound;
  }
}

static void load_lane(MbLockstep *l, size_t k) {
  const MbModel *model = l->lane[k]->model;
  const MbSim *sim = l->lane[k]->sim;
  l->h[k] = model->h;
  mb_lane_put(l->q, sim->state.q, l->qs, k), mb_lane_put(l->q0, sim->state.q, l->qs, k);
  mb_lane_put(l->v, sim->state.v, l->vs, k), mb_lane_put(l->v0, sim->state.v, l->vs, k);
  mb_lane_put(l->M, model->M, 6 * l->nb, k);
  mb_lane_put(l->g, model->gravity, 3, k);
  mb_lane_put(l->stiffness, model->stiffness, l->nv, k);
  mb_lane_put(l->rest, model->rest, l->nv, k);
  mb_lane_put(l->damping, model->joint_damping, l->nv, k);
  load_damping(l, k);
  load_limits(l, k);
  for (size_t i = 0; i < model->ndrives; i++) {
    l->drive_stiffness[L * i + k] = model->drives[i].stiffness;
    l->drive_damping[L * i + k] = model->drives[i].damping;
    l->drive_most[L * i + k] = model->drives[i].most;
  }
}

MbStatus mb_lockstep_load(MbLockstep *l, const MbLane *const *lanes, size_t count, MbReport *report) {
  const MbLinks *links[L];
  l->count = count;
  if (l->D && !l->apart) memset(l->D, 0, L * 36 * l->nb * sizeof *l->D);
  l->goes = (1u << count) - 1;
  l->step = 0;
  for (size_t k = 0; k < L; k++) {
    l->lane[k] = lanes[k < count ? k : 0];
    links[k] = &l->lane[k]->links;
    mb_report_clear(&l->said[k]);
    load_lane(l, k);
  }
  if (!l->solver->load(l, links)) return mb_no_memory(report, "lanes");
  mb_lockstep_kinematics(l);
  return MB_OK;
}

// ---- what is asked of them ------------------------------------------------------------------------------------

unsigned mb_lockstep_goes(const MbLockstep *l) { return l->goes; }
int64_t mb_lockstep_steps(const MbLockstep *l) { return l->step; }
MbReport *mb_lockstep_said(MbLockstep *l, size_t lane) { return &l->said[lane]; }

void mb_lockstep_taken(const MbLockstep *l, int64_t *alone, int64_t *all) {
  *alone = l->alone, *all = l->all;
}
