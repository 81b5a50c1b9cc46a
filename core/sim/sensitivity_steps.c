// The derivative of a step (q, v) → Φ(q, v; p) that is not made of stages, along (δq, δv) and by p:
//
//   δs₁ = (Φ(s + e δs; p + e) − Φ(s − e δs; p − e)) / 2e
//
// the two models being those at p ± e, and what is carried from step to step (multipliers to begin with, the memory of bdf2) being a part of s. Both sides begin anew at every step from the run's own state: that differences of long runs go
// astray does not concern them, and what is lost is the square of e, and rounding over it, some 1e-10 of each step. Where e δs would
// be no small part of the state, the two derivatives are taken apart, that by the state over a shorter way.
//
// Where deformables are moved by iterations that go to the end of each step (solver projective), a step is a function of s and p that its
// equations define, g(s₁, s, p) = 0, and the difference of two solutions is by them ∂s₁ = −(∂g/∂s₁)⁻¹ (∂g/∂s δs + ∂g/∂p). Iterations
// leave some 1e-13 of the size, so that e is longer there. Where a step has several solutions and the sides come to another one, the second
// difference is as large as the first: such a step has no derivative.
#include "core/model/coordinates.h"
#include "core/sim/sensitivity_parts.h"
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"

#include <math.h>
#include <string.h>

// Of the state: where derivatives can be taken apart; where bodies' own poses are the state, as the number alone opens joints there, what closes them is a gap over the length of a step, and what the
// state closes of it again is left as the small difference of the two; where deformables go to the end of each step by iterations; and where they cannot be taken apart.
static const double SMALL = 1e-5, SMALL_OF_HELD = 1e-4, SMALL_OF_PASSES = 1e-4, MOST = 1e-3;

// What rows transmit is found to a tolerance only, over the time of a step: differences of it mean little.
static bool told_by_state(const char *channel) {
  static const char *const names[] = {"body.position",  "body.rotation", "body.velocity", "joint.position",
                                      "joint.velocity", "energy",        "momentum"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(channel, names[i])) return true;
  return !strncmp(channel, "deformable.", strlen("deformable."));
}

static bool cables_keep_length(const MbModel *model) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    for (size_t k = 0; of->points && k < of->elements->ncables; k++)
      if (of->elements->cables[k].pull == SIZE_MAX) return true;
  }
  return false;
}

const char *mb_steps_refuse_passes(const MbSim *sim) {
  static const double TIGHT = 1e-10; // of the size
  if (sim->solver->passes->plan(sim->model).tolerance > TIGHT)
    return "there are derivatives of deformables under solver \"projective\" only where each step is solved "
           "to its end: leave out a \"tolerance\" above 1e-10";
  if (cables_keep_length(sim->model))
    return "there are no derivatives of cables that keep their length yet, of those with a given pull alone";
  for (size_t i = 0; i < sim->model->nchannels; i++)
    if (!told_by_state(sim->model->channels[i]))
      return "with deformables under solver \"projective\" there are derivatives of channels that tell "
             "positions, "
             "velocities, energies, momentum, and strain and stress alone: output has others";
  return NULL;
}

// Whether output tells how far joints have come apart, which is next to nothing: its norm bends within what differences of a frame are made by.
static bool tells_gaps_of_joints(const MbModel *model) {
  if (mb_solver_of_bodies(&model->solver) != MB_SOLVER_MAXIMAL || !model->jointed) return false;
  for (size_t i = 0; i < model->nchannels; i++)
    if (!strcmp(model->channels[i], "constraint.error")) return true;
  return false;
}

const char *mb_steps_refuse(const MbModel *model) {
  const MbIntegratorKind kind = model->integrator.kind;
  if (kind == MB_RK45)
    return "there are no derivatives of integrator \"rk45\", whose steps change in length with the scene";
  if (kind == MB_STATIC) return "there are no derivatives of equilibria yet";
  for (size_t i = 0; (model->nslots || model->contacts.nsolids) && i < model->nchannels; i++)
    if (!told_by_state(model->channels[i]))
      return "with constraints, contact and prescribed motions there are derivatives of channels that tell "
             "positions, "
             "velocities, energies and momentum "
             "alone: output has others";
  if (tells_gaps_of_joints(model))
    return "under solver \"maximal\" there are no derivatives of channel \"constraint.error\", which tells "
           "how far joints have come apart: output has it";
  return mb_slope_dry_refuse(model);
}

bool mb_steps_make(MbSensitivity *g) {
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

// A step of `at` from the state before, moved by `way` along a slope (NULL: not at all); *stops: it begins within and beyond the same soft limits.
static MbStatus step_from(MbSensitivity *g, MbSim *at, const MbSlopeAxes *axes, int side,
                          const MbSlope *along, double way, bool *stops) {
  MbReport own = {0}; // the run itself tells what is to be told
  mb_sensitivity_copy(g->sim, &at->state, &g->before);
  if (along) {
    mb_sim_advance(at, at->state.q, way, along->q);
    for (size_t i = 0; i < at->nv; i++) at->state.v[i] += way * along->v[i];
    for (size_t i = 0; i < at->nm; i++) at->state.memory[i] += way * along->memory[i];
  }
  mb_axes_to_side(axes, side, at, &at->state);
  mb_sim_kinematics(at, at->state.q, at->state.v);
  if (!mb_touch_slopes_beside(g, at, along, way)) return mb_no_memory(&own, "contact");
  *stops = mb_coordinates_stops_same(g->sim->model, g->before.q, at->model, at->state.q);
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

// Whether deformables have come to another solution on one of the sides: what is left of the second difference of their places.
static bool nodes_jump(const MbSim *sim, const MbState *less, const MbState *more) {
  static const double NOT_SMOOTH = 0.1, SEEN = 1e-8; // of the first difference; of the size
  const size_t first = sim->section[MB_SECTION_NODES], n = 3 * mb_model_points(sim->model);
  double once = 0, twice = 0, size = 0;
  for (size_t i = first; i < first + n; i++) {
    const double l = less->memory[i], at = sim->state.memory[i], m = more->memory[i];
    once = fmax(once, fabs(m - l)), twice = fmax(twice, fabs(m - 2 * at + l)), size = fmax(size, fabs(at));
  }
  return twice > NOT_SMOOTH * once && twice > SEEN * size;
}

// Whether a step that stages have done in parts, or near a position where rows lose their hold, is another on one of the sides: it has other parts there, or
// what is left of the second difference is no small part of the first.
static bool stages_jump(const MbSensitivity *g, const MbState *less, const MbState *more) {
  static const double NOT_SMOOTH = 1e-2, SEEN = 1e-9; // of the first difference; of the state
  const MbSim *sim = g->sim;
  double once = 0, twice = 0, size = 1;
  for (size_t i = 0; i < sim->nv; i++) {
    const double l = less->v[i], at = sim->state.v[i], m = more->v[i];
    once = fmax(once, fabs(m - l)), twice = fmax(twice, fabs(m - 2 * at + l)), size = fmax(size, fabs(at));
  }
  for (size_t i = 0; i < sim->nq; i++) {
    const double l = less->q[i], at = sim->state.q[i], m = more->q[i];
    once = fmax(once, fabs(m - l)), twice = fmax(twice, fabs(m - 2 * at + l));
  }
  return twice > NOT_SMOOTH * once && twice > SEEN * size;
}

static void between(const MbSensitivity *g, const MbState *less, const MbState *more, double span,
                    Change *change) {
  change->jumps =
      !mb_slope_between(g, less, more, span, change->q, change->v) || nodes_jump(g->sim, less, more) ||
      (!g->by_steps && (less == &g->sim->state || more == &g->sim->state || stages_jump(g, less, more)));
  between_memories(g->sim, less, more, span, change->memory);
}

// A difference of the steps of two simulations, which may be one where nothing touches, on both sides of the run's.
typedef struct Pair {
  MbSim *less, *more;
  MbSlopeAxes *axes; // of the two
  MbSlope *along;    // NULL: where they begin does not change
  double way, span;  // along it; between the two
} Pair;

// A step of one of the two, whose state is told in the run's axes then.
static MbStatus step_of_pair(MbSensitivity *g, const Pair *pair, int side, bool *stops) {
  MbSim *at = side ? pair->more : pair->less;
  const MbStatus status =
      step_from(g, at, pair->axes, side, pair->along, side ? pair->way : -pair->way, stops);
  if (status == MB_OK) mb_axes_to_run(pair->axes, side, at, &at->state);
  return status;
}

// Where deformables whose nodes are bodies touch, contacts have jumps of their own, as where an edge meets a solid by the other one of its triangles. The side that has jumped from the run is not on its branch.
static void leave_jump(const MbSensitivity *g, const MbState *less, const MbState *more, bool *by_less,
                       bool *by_more) {
  static const double NOT_SMOOTH = 0.1, SEEN = 1e-8; // of the first difference; of the velocities
  const MbSim *sim = g->sim;
  double once = 0, twice = 0, size = 1, down = 0, up = 0;
  if (!sim->model->contacts.nsurfaces || !*by_less || !*by_more) return;
  for (size_t i = 0; i < sim->nv; i++) {
    const double l = less->v[i], at = sim->state.v[i], m = more->v[i];
    once = fmax(once, fabs(m - l)), twice = fmax(twice, fabs(m - 2 * at + l)), size = fmax(size, fabs(at));
    down = fmax(down, fabs(at - l)), up = fmax(up, fabs(m - at));
  }
  if (twice > NOT_SMOOTH * once && twice > SEEN * size) *(down > up ? by_less : by_more) = false;
}

// How the two have come to differ; *parted: one of them has taken another branch than the run.
static MbStatus across(MbSensitivity *g, const Pair *pair, Change *change, bool *parted) {
  const MbState *run = &g->sim->state;
  bool stops = true;
  MbStatus status = step_of_pair(g, pair, 0, &stops);
  if (status == MB_OK) mb_sensitivity_copy(g->sim, &g->side, &pair->less->state);
  bool by_less = stops && mb_slope_same_branch(g, pair->less);
  if (status == MB_OK) status = step_of_pair(g, pair, 1, &stops);
  if (status != MB_OK) return status;
  const MbState *less = &g->side, *more = &pair->more->state;
  bool by_more = stops && mb_slope_same_branch(g, pair->more);
  leave_jump(g, less, more, &by_less, &by_more);
  *parted = !by_less || !by_more;
  const bool one = by_less != by_more;
  const double span = one ? pair->span / 2 : pair->span;
  between(g, one && !by_less ? run : less, one && by_less ? run : more, span, change);
  if (pair->along && !mb_touch_slopes_change(g, pair->along, one && !by_less ? g->sim : pair->less,
                                             one && by_less ? g->sim : pair->more, span))
    return MB_IO;
  return MB_OK;
}

// ---- a step -----------------------------------------------------------------------------------------------

// The longest way along a slope over which the state hardly changes.
static double short_way(const MbSensitivity *g, const MbSlope *t) {
  const MbSim *sim = g->sim;
  double most = 0, fastest = 1;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(g->before.v[i]));
  const size_t place = sim->section[MB_SECTION_NODES], n = 3 * mb_model_points(sim->model);
  for (size_t i = place + n; i < place + 2 * n; i++) fastest = fmax(fastest, fabs(g->before.memory[i]));
  for (size_t i = 0; i < sim->nv; i++) most = fmax(most, fmax(fabs(t->q[i]), fabs(t->v[i]) / fastest));
  for (size_t i = place; i < place + n; i++)
    most = fmax(most, fmax(fabs(t->memory[i]), fabs(t->memory[i + n]) / fastest));
  const double share = mb_slope_branches(sim->model)                 ? MOST
                       : n                                           ? SMALL_OF_PASSES
                       : sim->solver->map->layout->apart(sim->model) ? SMALL_OF_HELD
                                                                     : SMALL;
  return most > 0 ? share * (sim->model->size > 0 ? fmin(1, sim->model->size) : 1) / most : INFINITY;
}

// The change by the number and by the state: at once where the state hardly moves, else one after the other, where that is on the run's branch. What touches is not apart and not
// deep by both together alone.
static MbStatus find_change(MbSensitivity *g, size_t k, Change *all, bool *parted) {
  MbSlope *t = &g->slopes[k];
  const double move = g->number[k].move, way = short_way(g, t);
  const Pair both = {t->less, t->more, t->axes, t, move, 2 * move},
             number = {t->less, t->more, t->axes, NULL, 0, 2 * move},
             state = {g->probe, g->probe, NULL, t, way, 2 * way};
  const bool branches = mb_slope_branches(g->sim->model);
  if (move <= way) return across(g, &both, all, parted);
  if (branches && g->sim->model->contacts.any) {
    *parted = false, all->far = true;
    return MB_OK;
  }
  Change more = {g->less, g->more, g->memory[1], false, false};
  bool other = false;
  MbStatus status = across(g, &number, all, parted);
  if (status == MB_OK) status = across(g, &state, &more, &other);
  if (status != MB_OK) return status;
  all->far = branches && (*parted || other); // together they may be on the run's branch
  if (all->far) return MB_OK;
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
  if (status == MB_IO) return mb_no_memory(report, "contact");
  if (status != MB_OK)
    return mb_error(report, status, "", "at t = %.9g s, step %lld: no step with %s a little changed", now,
                    step, g->number[k].name);
  if (all.far)
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the derivative by %s has grown beyond what differences of a step "
        "follow where limits, ropes, contacts or dry friction hold",
        now, step, g->number[k].name);
  if (all.jumps)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: the step jumps where %s changes a little", now, step,
                    g->number[k].name);
  if (parted && !t->told)
    mb_warning(report, "",
               "at t = %.9g s, step %lld: with %s a little changed another limit, rope, contact or dry "
               "friction holds: "
               "the derivative is that of the branch taken",
               now, step, g->number[k].name);
  t->told |= parted;
  memcpy(t->q, all.q, sim->nv * sizeof *t->q);
  memcpy(t->v, all.v, sim->nv * sizeof *t->v);
  memcpy(t->memory, all.memory, sim->nm * sizeof *t->memory);
  return MB_OK;
}

MbStatus mb_steps_step(MbSensitivity *g, MbReport *report) {
  mb_sensitivity_copy(g->sim, &g->before, &g->sim->state);
  if (!mb_touch_slopes_keep(g)) return mb_no_memory(report, "contact");
  MbStatus status = mb_sim_step(g->sim, report);
  if (status == MB_OK) status = mb_touch_slopes_check(g->sim, report);
  if (status == MB_OK) mb_touch_slopes_tell(g, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = differentiate(g, k, report);
  return status;
}

// Of what steps carry these know u and the velocities before alone; what else there is is where iterations begin.
MbStatus mb_steps_instead(MbSensitivity *g, MbReport *report) {
  const MbSim *sim = g->sim;
  const size_t size = sim->nv * sizeof(double);
  MbStatus status = MB_OK;
  for (size_t k = 0; k < g->count && status == MB_OK; k++) {
    MbSlope *t = &g->slopes[k];
    double *carried = mb_scheme_stages_carried(sim, t->memory);
    memset(t->memory, 0, sim->nm * sizeof *t->memory);
    if (carried) memcpy(carried, t->u, size), memcpy(carried + sim->nv, t->before, size);
    status = differentiate(g, k, report);
    if (carried) memcpy(t->u, carried, size), memcpy(t->before, carried + sim->nv, size);
  }
  return status;
}
