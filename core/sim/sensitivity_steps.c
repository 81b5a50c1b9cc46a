// The derivative of a step (q, v) → Φ(q, v; p) that is not made of stages, along (δq, δv) and by p:
//
//   δs₁ = (Φ(s + e δs; p + e) − Φ(s − e δs; p − e)) / 2e
//
// the two models being those at p ± e, and what is carried from step to step (multipliers to begin with, the memory of bdf2) being a part of s. Both sides begin anew at every step from the run's own state: that differences of long runs go
// astray does not concern them, and what is lost is the square of e, and rounding over it, some 1e-10 of each step. Where e δs would
// be no small part of the state, the two derivatives are taken apart, that by the state over a shorter way.
#include "core/sim/sensitivity_parts.h"
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-5,
                    MOST = 1e-3; // of the state: where derivatives can be taken apart, and where not

// What rows transmit is found to a tolerance only, over the time of a step: differences of it mean little.
static bool told_by_state(const char *channel) {
  static const char *const names[] = {"body.position",  "body.rotation", "body.velocity", "joint.position",
                                      "joint.velocity", "energy",        "momentum"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(channel, names[i])) return true;
  return false;
}

const char *mb_steps_refuse(const MbModel *model) {
  const MbIntegratorKind kind = model->integrator.kind;
  if (kind == MB_RK45)
    return "there are no derivatives of integrator \"rk45\", whose steps change in length with the scene";
  if (kind == MB_STATIC) return "there are no derivatives of equilibria yet";
  for (size_t i = 0; model->nslots && i < model->nchannels; i++)
    if (!told_by_state(model->channels[i]))
      return "with constraints and prescribed motions there are derivatives of channels that tell positions, "
             "velocities, energies and momentum "
             "alone: output has others";
  return NULL;
}

bool mb_steps_make(MbSensitivity *g) {
  if (!g->by_steps) return true;
  const MbSim *sim = g->sim;
  MbState *const states[] = {&g->before, &g->side};
  for (size_t i = 0; i < 2; i++) {
    states[i]->q = mb_arena_alloc(&g->arena, sim->nq + 1, sizeof(double));
    states[i]->v = mb_arena_alloc(&g->arena, sim->nv + 1, sizeof(double));
    states[i]->memory = mb_arena_alloc(&g->arena, sim->nm + 1, sizeof(double));
    g->memory[i] = mb_arena_alloc(&g->arena, sim->nm + 1, sizeof(double));
    if (!states[i]->q || !states[i]->v || !states[i]->memory || !g->memory[i]) return false;
  }
  for (size_t k = 0; k < g->count; k++)
    if (!(g->slopes[k].memory = mb_arena_alloc(&g->arena, sim->nm + 1, sizeof(double)))) return false;
  return true;
}

// ---- states -----------------------------------------------------------------------------------------------

bool mb_slope_between(const MbSensitivity *g, const MbState *less, const MbState *more, double span,
                      double *dq, double *dv) {
  static const double FAR = 1e-2;
  const MbModel *model = g->sim->model;
  const MbState *middle = &g->sim->state;
  const MbLayout *layout = g->sim->solver->map->layout;
  const bool apart = layout->apart(model);
  for (size_t i = 0; i < g->sim->nv; i++) dv[i] = (more->v[i] - less->v[i]) / span;
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    const MbJointOps *ops = apart ? NULL : joint->ops;
    const size_t place = layout->place(model, b), n = ops ? joint->n : 7;
    const double *l = less->q + place, *m = more->q + place, *at = middle->q + place;
    double *to = dq + layout->velocity(model, b), rate[7], conjugate[4], product[4];
    for (size_t i = 0; i < n; i++)
      if (!(fmax(fabs(m[i] - at[i]), fabs(l[i] - at[i])) <= FAR * (1 + fabs(at[i])))) return false;
    for (size_t i = 0; i < n && ops; i++) to[i] = (m[i] - l[i]) / span;
    if (ops && ops->change) ops->change(joint, at, MB_TO_VELOCITIES, to);
    if (ops) continue;
    for (size_t i = 0; i < 7; i++) rate[i] = (m[i] - l[i]) / span;
    mb_quat_conj(conjugate, at + 3);
    mb_quat_mul(product, conjugate, rate + 3);
    for (size_t i = 0; i < 3; i++) to[i] = 2 * product[1 + i], to[3 + i] = rate[i];
  }
  return true;
}

// A step of `at` from the state before, moved by `way` along a slope (NULL: not at all).
static MbStatus step_from(MbSensitivity *g, MbSim *at, const MbSlope *along, double way) {
  MbReport own = {0}; // the run itself tells what is to be told
  mb_sensitivity_copy(g->sim, &at->state, &g->before);
  if (along) {
    mb_sim_advance(at, at->state.q, way, along->q);
    for (size_t i = 0; i < at->nv; i++) at->state.v[i] += way * along->v[i];
    for (size_t i = 0; i < at->nm; i++) at->state.memory[i] += way * along->memory[i];
  }
  mb_sim_kinematics(at, at->state.q, at->state.v);
  return mb_sim_step(at, &own);
}

// What a step has made of a change.
typedef struct Change {
  double *q, *v, *memory; // (nv), (nv), (nm)
  bool jumps, far;        // the step jumps; the slope is too steep for so much of the number
} Change;

// What is carried from step to step is numbers, and words that are the same on both sides.
static void between_memories(const MbSim *sim, const MbState *less, const MbState *more, double span,
                             double *out) {
  for (size_t i = 0; i < sim->nm; i++)
    out[i] = less->memory[i] == more->memory[i] ? 0 : (more->memory[i] - less->memory[i]) / span;
}

void mb_steps_begin(MbSensitivity *g, MbSlope *t, double span) {
  if (g->by_steps) between_memories(g->sim, &t->less->state, &t->more->state, span, t->memory);
}

// Whether two states have been come to by the same branch: the same rows of one way have pressed.
static bool same_branch(const MbSim *sim, const MbState *one, const MbState *other) {
  const MbModel *model = sim->model;
  const size_t first = sim->section[MB_SECTION_FORCES];
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    for (size_t s = c->slot; c->unilateral && s < c->slot + c->rows; s++)
      if ((one->memory[first + s] > 0) != (other->memory[first + s] > 0)) return false;
  }
  return true;
}

static void between(const MbSensitivity *g, const MbState *less, const MbState *more, double span,
                    Change *change) {
  change->jumps = !mb_slope_between(g, less, more, span, change->q, change->v);
  between_memories(g->sim, less, more, span, change->memory);
}

// A difference of the steps of two simulations, which may be one, on both sides of the run's.
typedef struct Pair {
  MbSim *less, *more;
  const MbSlope *along; // NULL: where they begin does not change
  double way, span;     // along it; between the two
} Pair;

// How the two have come to differ; *parted: one of them has taken another branch than the run.
static MbStatus across(MbSensitivity *g, const Pair *pair, Change *change, bool *parted) {
  const MbState *run = &g->sim->state;
  MbStatus status = step_from(g, pair->less, pair->along, -pair->way);
  if (status == MB_OK) mb_sensitivity_copy(g->sim, &g->side, &pair->less->state);
  if (status == MB_OK) status = step_from(g, pair->more, pair->along, pair->way);
  if (status != MB_OK) return status;
  const MbState *less = &g->side, *more = &pair->more->state;
  const bool by_less = same_branch(g->sim, run, less), by_more = same_branch(g->sim, run, more);
  *parted = !by_less || !by_more;
  if (by_less != by_more)
    between(g, by_less ? less : run, by_less ? run : more, pair->span / 2, change);
  else
    between(g, less, more, pair->span, change);
  return MB_OK;
}

// ---- a step -----------------------------------------------------------------------------------------------

// Whether steps branch, so that the two derivatives cannot be taken apart.
static bool branches(const MbModel *model) {
  bool any = model->dry;
  for (size_t i = 0; i < model->nconstraints; i++) any |= model->constraints[i].unilateral;
  return any;
}

// The longest way along a slope over which the state hardly changes.
static double short_way(const MbSensitivity *g, const MbSlope *t) {
  const MbSim *sim = g->sim;
  double most = 0, fastest = 1;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(g->before.v[i]));
  for (size_t i = 0; i < sim->nv; i++) most = fmax(most, fmax(fabs(t->q[i]), fabs(t->v[i]) / fastest));
  const double share = branches(sim->model) ? MOST : SMALL;
  return most > 0 ? share * (sim->model->size > 0 ? fmin(1, sim->model->size) : 1) / most : INFINITY;
}

// The change by the number and by the state: at once where the state hardly moves, else one after the other.
static MbStatus find_change(MbSensitivity *g, size_t k, Change *all, bool *parted) {
  const MbSlope *t = &g->slopes[k];
  const double move = g->number[k].move, way = short_way(g, t);
  const Pair both = {t->less, t->more, t, move, 2 * move}, number = {t->less, t->more, NULL, 0, 2 * move},
             state = {g->probe, g->probe, t, way, 2 * way};
  if (move <= way) return across(g, &both, all, parted);
  if (branches(g->sim->model)) {
    *parted = false, all->far = true;
    return MB_OK;
  }
  Change more = {g->less, g->more, g->memory[1], false, false};
  MbStatus status = across(g, &number, all, parted);
  if (status == MB_OK) status = across(g, &state, &more, parted);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < g->sim->nv; i++) all->q[i] += more.q[i], all->v[i] += more.v[i];
  for (size_t i = 0; i < g->sim->nm; i++) all->memory[i] += more.memory[i];
  all->jumps |= more.jumps;
  return MB_OK;
}

static MbStatus differentiate(MbSensitivity *g, size_t k, MbReport *report) {
  MbSlope *t = &g->slopes[k];
  const MbSim *sim = g->sim;
  const double now = sim->state.t;
  const long long step = (long long)sim->state.step;
  Change all = {g->move, g->rate, g->memory[0], false, false};
  bool parted;
  const MbStatus status = find_change(g, k, &all, &parted);
  if (status != MB_OK)
    return mb_error(report, status, "", "at t = %.9g s, step %lld: no step with %s a little changed", now,
                    step, g->number[k].name);
  if (all.far)
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the derivative by %s has grown beyond what differences of a step "
        "follow where limits, ropes or dry friction hold",
        now, step, g->number[k].name);
  if (all.jumps)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: the step jumps where %s changes a little", now, step,
                    g->number[k].name);
  if (parted && !t->told)
    mb_warning(
        report, "",
        "at t = %.9g s, step %lld: with %s a little changed another limit or rope holds: the derivative is "
        "that of the branch taken",
        now, step, g->number[k].name);
  t->told |= parted;
  memcpy(t->q, all.q, sim->nv * sizeof *t->q);
  memcpy(t->v, all.v, sim->nv * sizeof *t->v);
  memcpy(t->memory, all.memory, sim->nm * sizeof *t->memory);
  return MB_OK;
}

MbStatus mb_steps_step(MbSensitivity *g, MbReport *report) {
  mb_sensitivity_copy(g->sim, &g->before, &g->sim->state);
  MbStatus status = mb_sim_step(g->sim, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = differentiate(g, k, report);
  return status;
}
