// The derivative of a step (q, v) → Φ(q, v; p) that is not made of stages, along (δq, δv) and by p:
//
//   δs₁ = (Φ(s + e δs; p + e) − Φ(s − e δs; p − e)) / 2e
//
// the two models being those at p ± e, and what is carried from step to step (multipliers to begin with, the memory of bdf2) being a part of s. Both sides begin anew at every step from the run's own state: that differences of long runs go
// astray does not concern them, and what is lost is the square of e, and rounding over it, some 1e-10 of each step. Where e δs would
// be no small part of the state, the two derivatives are taken apart, that by the state over a shorter way.
#include "core/sim/sensitivity_parts.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-5; // of the state

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
  if (model->dry) return "there are no derivatives of dry friction";
  for (size_t i = 0; i < model->nconstraints; i++)
    if (model->constraints[i].unilateral)
      return "there are no derivatives of limits, ropes and whatever else acts on one side alone";
  if (model->nslots && (kind == MB_SYMPLECTIC || kind == MB_IMPLICIT))
    return "there are no derivatives of constraints and prescribed motions under \"symplectic\" and "
           "\"implicit\", which meet them by "
           "rates of 1/step; there are under \"trapezoidal\" and \"bdf2\"";
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
  for (size_t i = 0; i < g->sim->nv; i++) dv[i] = (more->v[i] - less->v[i]) / span;
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    const double *l = less->q + model->q_first[b], *m = more->q + model->q_first[b],
                 *at = middle->q + model->q_first[b];
    double *to = dq + model->v_first[b], rate[7], conjugate[4], product[4];
    const size_t n = joint->ops ? joint->n : 7;
    for (size_t i = 0; i < n; i++)
      if (!(fmax(fabs(m[i] - at[i]), fabs(l[i] - at[i])) <= FAR * (1 + fabs(at[i])))) return false;
    for (size_t i = 0; i < n && joint->ops; i++) to[i] = (m[i] - l[i]) / span;
    if (joint->ops && joint->ops->change) joint->ops->change(joint, at, MB_TO_VELOCITIES, to);
    if (joint->ops) continue;
    for (size_t i = 0; i < 7; i++) rate[i] = (m[i] - l[i]) / span;
    mb_quat_conj(conjugate, at + 3);
    mb_quat_mul(product, conjugate, rate + 3);
    for (size_t i = 0; i < 3; i++) to[i] = 2 * product[1 + i], to[3 + i] = rate[i];
  }
  return true;
}

static void copy(const MbSim *sim, MbState *to, const MbState *from) {
  to->t = from->t, to->step = from->step;
  memcpy(to->q, from->q, sim->nq * sizeof *to->q);
  memcpy(to->v, from->v, sim->nv * sizeof *to->v);
  memcpy(to->memory, from->memory, sim->nm * sizeof *to->memory);
}

// A step of `at` from the state before, moved by `way` along a slope (NULL: not at all).
static MbStatus step_from(MbSensitivity *g, MbSim *at, const MbSlope *along, double way) {
  MbReport own = {0}; // the run itself tells what is to be told
  copy(g->sim, &at->state, &g->before);
  if (along) {
    mb_coordinates_advance(at->model, at->state.q, way, along->q, 0, at->model->nb);
    for (size_t i = 0; i < at->nv; i++) at->state.v[i] += way * along->v[i];
    for (size_t i = 0; i < at->nm; i++) at->state.memory[i] += way * along->memory[i];
  }
  mb_sim_kinematics(at, at->state.q, at->state.v);
  return mb_sim_step(at, &own);
}

// What a step has made of a change.
typedef struct Change {
  double *q, *v, *memory; // (nv), (nv), (nm)
  bool jumps;
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

// The difference of the steps of two simulations, which may be one.
static MbStatus across(MbSensitivity *g, MbSim *less, MbSim *more, const MbSlope *along, double way,
                       double span, Change *change) {
  MbStatus status = step_from(g, less, along, -way);
  if (status == MB_OK) copy(g->sim, &g->side, &less->state);
  if (status == MB_OK) status = step_from(g, more, along, way);
  if (status != MB_OK) return status;
  change->jumps = !mb_slope_between(g, &g->side, &more->state, span, change->q, change->v);
  between_memories(g->sim, &g->side, &more->state, span, change->memory);
  return MB_OK;
}

// ---- a step -----------------------------------------------------------------------------------------------

// The longest way along a slope over which the state hardly changes.
static double short_way(const MbSensitivity *g, const MbSlope *t) {
  const MbSim *sim = g->sim;
  double most = 0, fastest = 1;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(g->before.v[i]));
  for (size_t i = 0; i < sim->nv; i++) most = fmax(most, fmax(fabs(t->q[i]), fabs(t->v[i]) / fastest));
  return most > 0 ? SMALL * (sim->model->size > 0 ? fmin(1, sim->model->size) : 1) / most : INFINITY;
}

static MbStatus differentiate(MbSensitivity *g, size_t k, MbReport *report) {
  MbSlope *t = &g->slopes[k];
  const double move = g->number[k].move, way = short_way(g, t);
  const MbSim *sim = g->sim;
  Change all = {g->move, g->rate, g->memory[0], false}, more = {g->less, g->more, g->memory[1], false};
  MbStatus status = across(g, t->less, t->more, move <= way ? t : NULL, move, 2 * move, &all);
  if (status == MB_OK && move > way) {
    status = across(g, g->probe, g->probe, t, way, 2 * way, &more);
    for (size_t i = 0; i < sim->nv; i++) all.q[i] += more.q[i], all.v[i] += more.v[i];
    for (size_t i = 0; i < sim->nm; i++) all.memory[i] += more.memory[i];
  }
  if (status != MB_OK)
    return mb_error(report, status, "", "at t = %.9g s, step %lld: no step with %s a little changed",
                    g->sim->state.t, (long long)g->sim->state.step, g->number[k].name);
  if (all.jumps || more.jumps)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: the step jumps where %s changes a little", g->sim->state.t,
                    (long long)g->sim->state.step, g->number[k].name);
  memcpy(t->q, all.q, sim->nv * sizeof *t->q);
  memcpy(t->v, all.v, sim->nv * sizeof *t->v);
  memcpy(t->memory, all.memory, sim->nm * sizeof *t->memory);
  return MB_OK;
}

MbStatus mb_steps_step(MbSensitivity *g, MbReport *report) {
  copy(g->sim, &g->before, &g->sim->state);
  MbStatus status = mb_sim_step(g->sim, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = differentiate(g, k, report);
  return status;
}
