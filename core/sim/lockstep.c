// Making the lanes' room, and putting them at their start.
#include "core/sim/lockstep.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/integrators/integrators.h"
#include "core/sim/evaluate.h"
#include "core/sim/lockstep_internal.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

// ---- room ---------------------------------------------------------------------------------------------------

static double *numbers(MbLockstep *l, size_t n, bool *fine) {
  // vectors begin where their size says
  char *const memory = mb_arena_alloc(&l->arena, L * n * sizeof(double) + 64, 1);
  *fine &= memory != NULL;
  return memory ? (double *)(memory + (64 - (uintptr_t)memory % 64) % 64) : NULL;
}

// Bodies of one lane, for forces that are evaluated one lane after the other, and channels of bodies.
static bool make_bodies(MbLockstep *l, bool blocks) {
  const size_t nb = l->nb;
  const size_t *const carrier = mb_carriers(l->like, false, &l->arena);
  bool fine = carrier;
  for (size_t k = 0; k < L; k++) {
    MbMaximal *x = &l->x[k];
    *x = (MbMaximal){.nb = nb, .signal = l->own, .carrier = carrier};
    x->E = mb_arena_alloc(&l->arena, nb, sizeof *x->E);
    x->phi = mb_arena_alloc(&l->arena, 6 * nb, sizeof *x->phi);
    x->f = mb_arena_alloc(&l->arena, 6 * nb, sizeof *x->f);
    if (l->like->any_flies) x->swing = mb_arena_alloc(&l->arena, 3 * nb, sizeof *x->swing);
    if (blocks) x->K = mb_arena_alloc(&l->arena, 36 * nb, sizeof *x->K);
    if (blocks) x->D = mb_arena_alloc(&l->arena, 36 * nb, sizeof *x->D);
    fine &= x->E && x->phi && x->f && (x->swing || !l->like->any_flies) && (!blocks || (x->K && x->D));
  }
  return fine;
}

static bool make_room(MbLockstep *l) {
  const MbModel *like = l->like;
  const size_t nb = l->nb, nq = l->nq, nv = l->nv, nd = like->ndrives;
  bool outer = false, fine = true;
  for (size_t i = 0; i < like->nforces; i++) {
    const MbForceOps *ops = like->forces[i].ops;
    const bool damps = ops == &mb_body_damping_ops || ops == mb_force_table[MB_FORCE_DAMPING];
    outer |= ops != &mb_gravity_ops && !damps;
    l->damped |= damps;
  }
  const bool blocks = (outer || l->damped) && l->integrator->a != 0;
  l->apart = outer || like->any_flies;
  l->drag = numbers(l, nb * like->nforces, &fine);
  l->h = numbers(l, 1, &fine);
  l->q = numbers(l, nq, &fine), l->q1 = numbers(l, nq, &fine);
  l->v = numbers(l, nv, &fine), l->v1 = numbers(l, nv, &fine);
  l->y = numbers(l, nv, &fine), l->s = numbers(l, nv, &fine);
  l->E = numbers(l, 7 * nb, &fine), l->phi = numbers(l, 6 * nb, &fine), l->f = numbers(l, 6 * nb, &fine);
  l->M = numbers(l, 6 * nb, &fine), l->g = numbers(l, 3, &fine);
  l->stiffness = numbers(l, nv, &fine), l->rest = numbers(l, nv, &fine), l->damping = numbers(l, nv, &fine);
  l->drive_stiffness = numbers(l, nd, &fine), l->drive_damping = numbers(l, nd, &fine);
  l->drive_most = numbers(l, nd, &fine);
  l->total_stiffness = nd ? numbers(l, nv, &fine) : l->stiffness;
  l->total_damping = nd ? numbers(l, nv, &fine) : l->damping;
  l->screws = numbers(l, 6 * nb, &fine), l->energy = numbers(l, 4, &fine);
  if (blocks) l->K = numbers(l, 36 * nb, &fine), l->D = numbers(l, 36 * nb, &fine);
  l->signal = numbers(l, like->nsignals, &fine);
  l->own = mb_arena_alloc(&l->arena, like->nsignals, sizeof *l->own);
  l->expressions = mb_arena_alloc(&l->arena, L * like->nsignals, sizeof *l->expressions);
  return fine && l->own && l->expressions && make_bodies(l, blocks);
}

static MbStatus create(MbLockstep *l, const MbLane *like, MbReport *report) {
  const MbLinks *links[L];
  l->like = like->model;
  l->integrator = &mb_integrator_table[like->model->integrator.kind];
  l->nb = like->model->nb, l->nq = like->model->nq, l->nv = like->model->nv;
  l->passes = mb_lanes_for(L);
  l->kernels = mb_lockstep_kernels();
  for (size_t k = 0; k < L; k++) links[k] = &like->links;
  l->work = l->passes->create(links);
  const MbStatus status = mb_sim_create(like->model, NULL, &l->sim, report);
  if (status) return status;
  l->channels = mb_sim_channels(l->sim, &l->nchannels);
  l->frame_size = mb_sim_frame_size(l->sim);
  l->wanted = mb_arena_alloc(&l->arena, l->nchannels, sizeof *l->wanted);
  if (!l->work || !l->wanted || !make_room(l)) return mb_no_memory(report, "lanes");
  memset(l->wanted, 1, l->nchannels * sizeof *l->wanted);
  l->world = (MbWorld){.model = l->like, .work = l->work, .screws = l->screws, .phi = l->phi};
  l->world.E = (const MbPose *)(const void *)l->E;
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

static void free_expressions(MbLockstep *l) {
  for (size_t i = 0; l->expressions && i < L * l->like->nsignals; i++) {
    mb_expression_free(l->expressions[i]);
    l->expressions[i] = NULL;
  }
}

void mb_lockstep_free(MbLockstep *l) {
  if (!l) return;
  free_expressions(l);
  if (l->work) l->passes->free(l->work);
  mb_sim_free(l->sim);
  mb_arena_free(&l->arena);
  mb_free(l);
}

// ---- the start ------------------------------------------------------------------------------------------------

static void put_numbers(double *to, const double *from, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[L * i + lane] = from[i];
}

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

static void load_lane(MbLockstep *l, size_t k) {
  const MbModel *model = l->lane[k]->model;
  l->h[k] = model->h;
  put_numbers(l->q, model->q0, l->nq, k);
  put_numbers(l->v, model->v0, l->nv, k);
  put_numbers(l->M, model->M, 6 * l->nb, k);
  put_numbers(l->g, model->gravity, 3, k);
  put_numbers(l->stiffness, model->stiffness, l->nv, k);
  put_numbers(l->rest, model->rest, l->nv, k);
  put_numbers(l->damping, model->joint_damping, l->nv, k);
  load_damping(l, k);
  for (size_t i = 0; i < model->ndrives; i++) {
    l->drive_stiffness[L * i + k] = model->drives[i].stiffness;
    l->drive_damping[L * i + k] = model->drives[i].damping;
    l->drive_most[L * i + k] = model->drives[i].most;
  }
}

// A lane whose signals cannot be compiled goes nowhere; its own simulation will tell why.
static void compile_signals(MbLockstep *l, size_t k) {
  const MbModel *model = l->lane[k]->model;
  for (size_t i = 0; i < model->nsignals; i++) {
    const MbSignal *signal = &model->signals[i];
    char message[256] = "";
    if (signal->kind != MB_SIGNAL_EXPRESSION) continue;
    MbExpression *e = mb_expression_create(signal->text, model->constants, model->nconstants, true, message,
                                           sizeof message);
    l->expressions[model->nsignals * k + i] = e;
    if (!e) l->goes &= ~(1u << k);
  }
}

// The start is judged as a simulation's is, but closer: what is out of the ordinary goes on its own.
static bool is_ordinary(const MbLockstep *l, size_t k) {
  static const double FAR = 1e9, LARGE = 1e100;
  const MbModel *model = l->lane[k]->model;
  bool ok = true;
  for (size_t i = 0; i < l->nq; i++) ok &= fabs(model->q0[i]) < FAR;
  for (size_t i = 0; i < l->nv; i++) ok &= fabs(model->v0[i]) < FAR;
  for (size_t i = 0; i < 7 * l->nb; i++) ok &= fabs(l->E[L * i + k]) < FAR;
  for (size_t i = 0; i < 6 * l->nb; i++) ok &= fabs(l->phi[L * i + k]) < FAR && fabs(model->M[i]) < LARGE;
  for (size_t i = 0; i < 3; i++) ok &= fabs(model->gravity[i]) < LARGE;
  return ok;
}

MbStatus mb_lockstep_load(MbLockstep *l, const MbLane *const *lanes, size_t count, MbReport *report) {
  const MbLinks *links[L];
  (void)report;
  free_expressions(l);
  l->count = count;
  if (l->D && !l->apart) memset(l->D, 0, L * 36 * l->nb * sizeof *l->D);
  l->goes = (1u << count) - 1;
  l->step = 0;
  for (size_t k = 0; k < L; k++) {
    l->lane[k] = lanes[k < count ? k : 0];
    links[k] = &l->lane[k]->links;
    load_lane(l, k);
    if (k < count) compile_signals(l, k);
  }
  l->passes->load(l->work, links);
  l->world.links = links[0];
  l->passes->forward(l->work, l->q, l->v, l->E, l->phi);
  l->spread = false;
  for (size_t k = 0; k < count; k++)
    if (!is_ordinary(l, k)) l->goes &= ~(1u << k);
  if (l->like->nsignals) mb_lockstep_signals(l);
  mb_lockstep_watch_start(l);
  return MB_OK;
}

unsigned mb_lockstep_goes(const MbLockstep *l) { return l->goes; }
int64_t mb_lockstep_steps(const MbLockstep *l) { return l->step; }
