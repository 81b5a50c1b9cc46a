// Constraints in a step. Rows are made once for an instant, in maximal terms: H on twists, c on velocities. As rows of
// generalised velocities they are G = H J + c, of which only the coordinates between the bodies and the world are kept. What they ask
// for stands in ask.c: w = W λ + b with W = G A⁻¹ Gᵀ is to be 0, or ≥ 0 with λ ≥ 0, and v⁺ = v + A⁻¹ Gᵀ λ. What solves this is
// one of the methods on W (contact/contact_ops.h).
#include "core/sim/constrain.h"
#include "core/base/report.h"
#include "core/base/targets.h"
#include "core/constraints/constraints.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/ask_steps.h"
#include "core/sim/singular.h"
#include "core/sim/dry.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/layout.h"
#include "core/sim/touch.h"
#include "core/sim/touch_apart.h"
#include "core/sim/touch_solve.h"
#include "core/sim/trouble.h"

#include <string.h>

static const double ROUNDING = 1e-12; // of sums over some tens of terms, through A⁻¹

// ---- rows that take part ---------------------------------------------------------------------------------

// What a node has of W_ii by its mass alone.
static double all_of_node(const MbModel *model, size_t node, const double H[6]) {
  size_t i = 0;
  while (node >= model->deformables[i].first + model->deformables[i].count) i++;
  const double m = model->deformables[i].elements->mass[node - model->deformables[i].first];
  return m > 0 ? mb_vec3_dot(H + 3, H + 3) / m : 0;
}

// W_ii of bodies that nothing holds.
static double all_of(const MbSim *sim, size_t s) {
  const MbModel *model = sim->model;
  const MbConstraining *c = sim->constraining;
  const MbRow *row = &c->set.row[s];
  double sum = 0;
  for (int end = 0; c->set.is[s].nodes && end < 2; end++)
    if (row->body[end] != MB_WORLD && row->body[end] >= model->nb)
      sum += all_of_node(model, row->body[end] - model->nb, row->H[end]);
  for (size_t k = c->set.end[s]; c->set.is[s].nodes && k < c->set.end[s + 1]; k++)
    if (c->set.ends[k].body >= model->nb)
      sum += all_of_node(model, c->set.ends[k].body - model->nb, c->set.ends[k].H);
  if (sim->solver->map->turns) { // six velocities a body; a row about coordinates is about bodies, too
    const size_t end = c->set.first[s + 1], nv = sim->nv, *const index = c->set.index;
    const double *const G = c->set.G, *const yields = c->yields;
    for (size_t k = c->set.first[s]; k < end; k++)
      if (index[k] < nv) sum += G[k] * G[k] * yields[index[k]];
    return sum;
  }
  for (int end = 0; end < 2; end++) {
    if (row->body[end] >= model->nb) continue;
    const double *yields = c->yields + 6 * row->body[end], *H = row->H[end];
    for (size_t k = 0; k < 6; k++) sum += H[k] * H[k] * yields[k];
  }
  return sum;
}

void mb_rows_take(MbSim *sim, size_t s, const MbAsked *asked) {
  MbConstraining *c = sim->constraining;
  if (c->set.is[s].claimed != MB_WORLD) return;
  const size_t i = c->n++;
  c->slot[i] = s;
  c->b[i] = asked->b;
  c->slack[i] = ROUNDING * asked->size + 1e-300;
  c->all[i] = all_of(sim, s);
  c->least[i] = sim->solver->claims->nothing * c->all[i];
  c->soft[i] = asked->soft;
  mb_rebound_note(&c->rebounds, i, asked->rebound);
  const MbRowKind kind = c->set.is[s].kind;
  c->kind[i] = kind == MB_ROW_BOTH_WAYS || asked->both_ways ? MB_CONTACT_BOTH_WAYS
               : kind == MB_ROW_DRY                         ? MB_CONTACT_BOUNDED
                                                            : MB_CONTACT_ONE_WAY;
  c->from[i] = 0;
  if (kind != MB_ROW_DRY) return;
  const double h = sim->model->h;
  c->most[i] = h * c->set.row[s].most;
  c->from[i] = h * mb_section(sim, MB_SECTION_FORCES)[c->set.is[s].key];
  c->ndry++;
}

// Takes the three rows of a contact, of which the first is row s: for velocities with friction, for positions the normal alone, which is
// then not asked for more than a step may move.
static void take_contact(MbSim *sim, size_t s, const MbAsking *asking, const double *x) {
  MbConstraining *c = sim->constraining;
  const MbContacts *rules = sim->touching->rules;
  const MbTouch *touch = &sim->touching->now.touch[c->set.is[s].key];
  double along[3] = {0}, rate[3], size[3] = {0};
  if (asking->of != MB_ASK_VELOCITIES && asking->of != MB_ASK_POSITIONS) return;
  if (asking->of == MB_ASK_VELOCITIES) mb_touch_carried(sim, touch, along + 1);
  mb_row_rate_three_sized(&c->set, s, x, rate, size);
  for (size_t k = 0; k < 3; k++) {
    MbAskRow known = {.g = touch->gap,
                      .rate = rate[k] - along[k],
                      .size = size[k],
                      .judged = mb_touch_judged(sim->touching, touch),
                      .scale = touch->size,
                      .one_way = true,
                      .alpha = c->set.is[s + k].alpha,
                      .beta = c->set.is[s + k].beta,
                      .bounce = touch->bounce,
                      .slowest = rules->threshold};
    if (asking->of == MB_ASK_POSITIONS) {
      known.g = fmax(known.g, -MB_TOUCH_MOST * touch->size);
      const MbAsked asked = mb_ask(asking, &known);
      mb_rows_take(sim, s, &asked);
      return;
    }
    if (k == 0) known.last = mb_row_rate_sized(&c->set, s, sim->state.v, &known.size);
    const MbAsked asked = k == 0 ? mb_ask_contact(asking, &known) : mb_ask_friction(&known);
    if (!asked.takes) return;
    mb_rows_take(sim, s + k, &asked);
    c->kind[c->n - 1] = k == 0 ? MB_CONTACT_NORMAL : MB_CONTACT_TANGENT;
    c->from[c->n - 1] = touch->lambda[k];
  }
  c->cone[c->ntouches++] =
      (MbContactCone){.row = c->n - 3, .cone = (MbCone)rules->cone, .sides = rules->sides, .mu = touch->mu};
}

// Whether the row's rate is none but for rounding.
static bool at_rest(const MbConstraining *c, size_t s, const double *v) {
  double size = 1e-3;
  return mb_row_rate_sized(&c->set, s, v, &size) <= 1e-10 * size;
}

// Whether events, or the step's start, hold a row of one way.
static bool holds(const MbConstraining *c, size_t s, MbAskOf of, const double *v) {
  if (c->set.is[s].kind != MB_ROW_ONE_WAY) return true;
  if (of == MB_ASK_JUMPS) return c->near[s];
  if (of != MB_ASK_ACCELERATIONS) return false;
  return c->deciding ? c->near[s] && v && at_rest(c, s, v) : c->latched && c->latched[s] != 0;
}

// What is known of row s, for what is asked, `of`: a constant where this is inlined, so that what has no part in it is not looked up.
static inline __attribute__((always_inline)) MbAskRow known_of(const MbSim *sim, size_t s, MbAskOf of,
                                                               const MbAsking *asking, const double *x,
                                                               const double *last) {
  const MbConstraining *c = sim->constraining;
  const MbRowTerms *is = &c->set.is[s];
  const MbRow *row = &c->set.row[s];
  const bool bends = of == MB_ASK_ACCELERATIONS || (of == MB_ASK_VELOCITIES && asking->curve != 0);
  MbAskRow known = {.order = row->order,
                    .g = row->g,
                    .gt = row->gt,
                    .gtt = row->gtt,
                    .g0 = c->g0[s],
                    .g1 = c->g1[s],
                    .one_way = is->kind == MB_ROW_ONE_WAY,
                    .dry = is->kind == MB_ROW_DRY,
                    .alpha = is->alpha,
                    .beta = is->beta,
                    .outward = is->outward,
                    .target = is->target,
                    .anew = is->anew,
                    .turns = is->turns,
                    .drift = bends ? mb_rows_drift(sim, s) : 0,
                    .decides = c->deciding,
                    .holds = holds(c, s, of, last),
                    .pushed = c->half[s] > 0,
                    .at_bound = row->g <= MB_EVENT_CLOSE * row->size};
  double size = 0;
  if (x) known.rate = mb_row_rate_sized(&c->set, s, x, &size);
  if (last && of == MB_ASK_ACCELERATIONS) // velocities beside accelerations are none of their terms
    known.last = mb_row_rate(&c->set, s, last);
  else if (last)
    known.last = mb_row_rate_sized(&c->set, s, last, &size);
  known.size = size;
  return known;
}

MbAskRow mb_rows_known(const MbSim *sim, size_t s, const MbAsking *asking, const double *x,
                       const double *last) {
  return known_of(sim, s, asking->of, asking, x, last);
}

static MbAsked asked_of_velocities(const MbSim *sim, size_t s, const MbAsking *asking, const double *x) {
  const MbAskRow known = known_of(sim, s, MB_ASK_VELOCITIES, asking, x, NULL);
  return mb_ask_velocities(asking, &known);
}

static MbAsked asked_of_half(const MbSim *sim, size_t s, const MbAsking *asking, const double *x,
                             const double *last) {
  const MbAskRow known = known_of(sim, s, MB_ASK_HALF, asking, x, last);
  return mb_ask_half(asking, &known);
}

static MbAsked asked_of_any(const MbSim *sim, size_t s, const MbAsking *asking, const double *x,
                            const double *last) {
  const MbAskRow known = known_of(sim, s, asking->of, asking, x, last);
  return mb_ask(asking, &known);
}

// What row s asks for. Nearly all that is asked is of steps' velocities, of rows of which few things have to be known.
static inline MbAsked asked_of(const MbSim *sim, size_t s, const MbAsking *asking, const double *x,
                               const double *last) {
  const MbRowTerms *is = &sim->constraining->set.is[s];
  const bool plain = !is->anew && is->kind != MB_ROW_DRY;
  if (plain && asking->of == MB_ASK_VELOCITIES) return asked_of_velocities(sim, s, asking, x);
  if (plain && asking->of == MB_ASK_HALF) return asked_of_half(sim, s, asking, x, last);
  return asked_of_any(sim, s, asking, x, last);
}

static bool takes_part(const MbConstraining *c, size_t s) {
  return c->of == MB_ROWS_OF_ALL || c->set.is[s].nodes == (c->of == MB_ROWS_OF_NODES);
}

double mb_rows_ask(MbSim *sim, const MbAsking *asking, const double *x, const double *last) {
  MbConstraining *c = sim->constraining;
  double worst = 0;
  c->n = c->ntouches = c->ndry = 0;
  c->rebounds.any = false;
  if (sim->touching && asking->of == MB_ASK_VELOCITIES) mb_touch_carried_guess(sim);
  for (size_t s = 0; s < c->set.n; s++) {
    if (!takes_part(c, s) || (c->set.is[s].nodes && asking->of != MB_ASK_VELOCITIES)) continue;
    if (c->set.is[s].kind == MB_ROW_CONTACT) {
      take_contact(sim, s, asking, x);
      s += 2;
      continue;
    }
    const MbAsked asked = asked_of(sim, s, asking, x, last);
    if (!asked.takes) continue;
    const double share = asked.b == 0 ? 0 : fabs(asked.b) / asked.size;
    if (!(share <= worst)) worst = isfinite(share) ? share : INFINITY;
    mb_rows_take(sim, s, &asked);
  }
  return worst;
}

// ---- the solution -----------------------------------------------------------------------------------------

// A row that could not be satisfied, and not only for rounding or for being the same as others.
static MbStatus check_dropped(const MbSim *sim, double t, MbReport *report) {
  static const double SAME = 1e-6,
                      CLOSE = 1e-4, // of the terms' sizes; of the size of what g is the difference of
      STILL = 1e-9;                 // of that size a second: rounding of what other rows push
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) {
    const MbRow *row = &c->set.row[c->slot[i]];
    const double w = c->answer.w[i], far = c->kind[i] == MB_CONTACT_ONE_WAY ? fmax(-w, 0) : fabs(w);
    if (!c->answer.dropped || !c->answer.dropped[i] || !(far > SAME / ROUNDING * c->slack[i])) continue;
    if (row->order == 0 && !(fabs(row->g) > CLOSE * row->size)) continue;
    if (row->order && !(far > STILL * row->size)) continue;
    return mb_error(
        report, MB_NUMBERS, "",
        row->order ? "at t = %.9g s, step %lld: constraint \"%s\" contradicts others: its rate is off by %.3g"
                   : "at t = %.9g s, step %lld: constraint \"%s\" contradicts others, or nothing that it "
                     "holds can move: it is off by %.3g%s",
        t, (long long)sim->state.step + 1, c->set.is[c->slot[i]].name, row->order ? far : fabs(row->g),
        sim->state.step ? "" : "; give positions for the start at which it holds");
  }
  return MB_OK;
}

// A row whose b is no number, which tells of the constraint, or of what has gone wrong before.
static MbStatus check_finite(const MbSim *sim, double t, MbReport *report) {
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) {
    const MbRowTerms *is = &c->set.is[c->slot[i]];
    if (isfinite(c->b[i])) continue;
    const MbStatus cause = mb_sim_trouble(sim, report);
    if (cause != MB_OK) return cause;
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: constraint \"%s\" has numbers that are not finite%s%s", t,
                    (long long)sim->state.step + 1, is->name, is->singular ? ": " : "",
                    is->singular ? is->singular : "");
  }
  return MB_OK;
}

static const double FAR = 1e-3; // of |b|: no solution

static void find_rates(MbSim *sim, const double *x, double *out) {
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) out[i] = mb_row_rate(&c->set, c->slot[i], x);
}

// Contacts and dry friction among the rows, by bodies where nothing couples them, else by trees; `v`: velocities without what these push.
static MbStatus find_touching(MbSim *sim, double t, const double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  MbDelassus *d = &c->delassus;
  MbContactOperator W;
  const MbContactElsewhere *elsewhere =
      c->ndry ? NULL : mb_delassus_elsewhere(sim, d, &c->set, c->slot, c->n);
  if (elsewhere && mb_touch_find_elsewhere(sim, elsewhere)) return MB_OK;
  if (!mb_delassus_by_bodies(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory &&
      !mb_delassus_by_trees(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory)
    W = mb_delassus_of(sim, d, &c->set, c->slot, c->n);
  return d->no_memory ? mb_no_memory(report, "contact") : mb_touch_find(sim, &W, t, v, find_rates, report);
}

// Bodies that are to come apart, where nothing couples them or there are many contacts. *done: they have.
static MbStatus find_parting(MbSim *sim, double t, bool *done, MbReport *report) {
  enum { MANY = 200 };
  MbConstraining *c = sim->constraining;
  MbDelassus *d = &c->delassus;
  MbContactOperator W;
  *done = mb_delassus_by_bodies(sim, d, &c->set, c->slot, c->n, &W);
  if (!*done && !d->no_memory && sim->touching->now.n > MANY) {
    *done = true;
    if (!mb_delassus_by_trees(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory)
      W = mb_delassus_of(sim, d, &c->set, c->slot, c->n);
  }
  if (d->no_memory) return mb_no_memory(report, "contact");
  return *done ? mb_touch_find_parting(sim, &W, t, report) : MB_OK;
}

// λ of the rows taken, into c->answer. Near a position where rank is lost a row that loses its hold is let go (singular.c); *whole: none is.
static MbStatus find_lambda(MbSim *sim, MbLevel level, double t, const double *v, bool *whole,
                            MbReport *report) {
  MbConstraining *c = sim->constraining;
  bool parted = false;
  *whole = true;
  c->least_free.known = false;
  if (!c->same || c->ntouches || c->ndry) mb_delassus_forget(&c->delassus);
  if (c->ntouches || c->ndry) {
    c->solved = false; // what the method of the others has kept is lost
    return find_touching(sim, t, v, report);
  }
  if (level == MB_POSITIONS && sim->touching && sim->touching->now.n) {
    const MbStatus status = find_parting(sim, t, &parted, report);
    c->solved &= !parted;
    if (parted || status != MB_OK) return status;
  }
  MbContactProblem problem = {.n = c->n,
                              .b = c->b,
                              .kind = c->kind,
                              .soft = c->soft,
                              .slack = c->slack,
                              .least = c->least,
                              .same = c->same};
  problem.W = mb_delassus_of(sim, &c->delassus, &c->set, c->slot, c->n);
  // room for the constraints' own has been made (constrain_rows.c)
  if (sim->touching && !mb_contact_reserve(&c->work, &mb_contact_pivoting, &problem))
    return mb_no_memory(report, "constraints");
  MbContactResult result = mb_contact_pivot(&c->work, &problem, &c->answer);
  const double weak = result == MB_CONTACT_SOLVED ? mb_singular_weak(sim) : 0;
  *whole = !(weak > 0);
  problem.same = false;
  if (!*whole) {
    for (size_t i = 0; i < c->n; i++) c->least[i] = fmax(c->least[i], weak * weak * c->all[i]);
    result = mb_contact_pivot(&c->work, &problem, &c->answer);
    c->least_free.known = false;
  }
  c->solved = *whole;
  if (result == MB_CONTACT_MEMORY) return mb_no_memory(report, "constraints");
  const bool failed = result == MB_CONTACT_NOT_CONVERGED && !(c->answer.natural < FAR);
  if (result == MB_CONTACT_REFUSED || failed)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: no forces were found that satisfy the limits and ropes: %s", t,
                    (long long)sim->state.step + 1, c->answer.why);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}

// v ← v + A⁻¹ Gᵀ λ
static MbStatus push(MbSim *sim, double scale, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double *lambda = c->answer.lambda;
  const size_t width = c->of == MB_ROWS_OF_BODIES ? sim->nv : mb_row_width(sim, &c->set);
  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    if (scale > 0) c->force[c->slot[i]] += lambda[i] * scale;
    any |= lambda[i] != 0;
  }
  if (!any || (!c->claims && mb_delassus_move(&c->delassus, c->n, lambda, width, v))) return MB_OK;
  for (size_t i = 0; i < c->n; i++) {
    const bool contact = c->kind[i] == MB_CONTACT_NORMAL;
    if (contact)
      mb_row_spread_three(&c->set, c->slot[i], lambda + i, c->y);
    else if (lambda[i] != 0)
      mb_row_spread(&c->set, c->slot[i], lambda[i], c->y);
    i += contact ? 2 : 0;
  }
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  if (c->claims) mb_claims_add(sim);
  double *const y = c->y;
  MB_SIMD
  for (size_t i = 0; i < width; i++) v[i] += y[i];
  memset(y, 0, sim->width * sizeof *y);
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

MbStatus mb_rows_solve(MbSim *sim, MbLevel level, double t, double scale, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  bool finite = true, whole = true;
  for (size_t i = 0; i < c->n; i++) finite &= isfinite(c->b[i]);
  if (!finite && level == MB_ACCELERATIONS) { // of a step that is too long: the integrator will see it
    for (size_t k = 0; k < sim->nv; k++) v[k] = NAN;
    return MB_OK;
  }
  MbStatus status = finite ? find_lambda(sim, level, t, v, &whole, report) : check_finite(sim, t, report);
  if (status == MB_OK && level != MB_POSITIONS && whole) status = check_dropped(sim, t, report);
  return status == MB_OK ? push(sim, scale, v, report) : status;
}

void mb_constrain_prepare(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c) return;
  c->singular = c->solved = false;
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t + sim->model->h, sim->model->h);
  mb_dry_begin(sim);
}

MbStatus mb_constrain_solve(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  if (mb_touch_apart(sim)) return mb_touch_apart_solve(sim, v, report);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  if (asking.curve != 0 && sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  mb_rows_ask(sim, &asking, v, NULL);
  // which rows take part is known by their gaps
  c->same = c->solved && !c->set.anew && (!sim->solver->passes || sim->solver->passes->steady(sim->work));
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, sim->state.t, 1 / sim->model->h, v, report);
  c->same = false;
  mb_rows_claimed(sim, 1 / sim->model->h);
  if (status == MB_OK) mb_touch_take(sim, v);
  if (status == MB_OK) mb_dry_take(sim, v);
  return status == MB_OK ? mb_singular_watch(sim, sim->state.v, v, 1, report) : status;
}

MbStatus mb_constrain_bodies(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  c->of = MB_ROWS_OF_BODIES;
  const MbStatus status = mb_constrain_solve(sim, v, report);
  c->of = MB_ROWS_OF_ALL, c->solved = false;
  return status;
}

MbStatus mb_constrain_nodes(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  for (size_t s = 0; s < c->set.n; s++)
    if (c->set.is[s].nodes) c->force[s] = 0;
  c->of = MB_ROWS_OF_NODES;
  mb_rows_ask(sim, &asking, v, NULL);
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, sim->state.t, 1 / sim->model->h, v, report);
  c->of = MB_ROWS_OF_ALL, c->solved = false;
  return status;
}

MbStatus mb_constrain_velocity(MbSim *sim, double *v, MbReport *report) {
  mb_constrain_prepare(sim);
  return mb_constrain_solve(sim, v, report);
}

void mb_constrain_loosen(MbSim *sim, double velocity) {
  if (sim->constraining) sim->constraining->loose = velocity, sim->constraining->unfinished = false;
}

bool mb_constrain_unfinished(const MbSim *sim) { return sim->constraining && sim->constraining->unfinished; }

double *mb_constrain_forces(MbSim *sim) { return sim->constraining ? sim->constraining->force : NULL; }

void mb_constrain_impulses(const MbSim *sim, double *y) {
  const MbConstraining *c = sim->constraining;
  for (size_t s = 0; c && s < c->set.n; s++)
    if (c->set.is[s].claimed == MB_WORLD) mb_row_spread(&c->set, s, sim->model->h * c->force[s], y);
}

MbStatus mb_constrain_jump(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  size_t blame = 0;
  if (!c && !mb_claims_any(sim)) return MB_OK;
  mb_sim_kinematics(sim, q, v);
  mb_sim_follow(sim, NULL, v);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return mb_sim_singular(sim, blame, report);
  if (!mb_claims_agree(sim, v)) return mb_sim_unsolved(sim, report);
  if (!c) return MB_OK;
  mb_rows_make(sim, q, v, t, 0);
  for (size_t s = 0; s < c->set.n; s++)
    c->near[s] |= mb_rows_one_way(c, s) && (c->set.row[s].g <= MB_EVENT_CLOSE * c->set.row[s].size ||
                                            (c->latched && c->latched[s] != 0));
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS);
  mb_rows_ask(sim, &asking, v, NULL);
  return mb_rows_solve(sim, MB_JUMPS, t, 0, v, report);
}

// Velocities at the state after a blow. What is near its bound is so for this alone.
MbStatus mb_constrain_impulse(MbSim *sim, double *v) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  memset(c->near, 0, c->set.n * sizeof *c->near);
  const MbStatus status = mb_constrain_jump(sim, sim->state.q, sim->state.t, v, NULL);
  memset(c->near, 0, c->set.n * sizeof *c->near);
  return status;
}

MbStatus mb_constrain_settle(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c || !c->claims) return MB_OK;
  memset(c->y, 0, sim->width * sizeof *c->y);
  mb_constrain_impulses(sim, c->y);
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, sim->pulled);
  memset(c->y, 0, sim->width * sizeof *c->y);
  mb_claims_recall(sim);
  mb_claims_add(sim);
  mb_rows_claimed(sim, 1 / sim->model->h);
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

bool mb_rows_soft(MbSim *sim, const double *v, double *vdot) {
  MbConstraining *c = sim->constraining;
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS); // their forces follow from what velocities are
  bool any = false;
  for (size_t s = 0; s < c->set.n; s++) {
    if (!(c->set.is[s].alpha > 0)) continue;
    const MbAskRow known = mb_rows_known(sim, s, &asking, v, NULL);
    c->force[s] = mb_ask_soft_force(&known);
    mb_row_spread(&c->set, s, c->force[s], c->y);
    any = true;
  }
  if (!any) return true;
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  if (c->claims) mb_claims_add(sim);
  for (size_t i = 0; i < sim->nv; i++) vdot[i] += c->y[i];
  memset(c->y, 0, sim->nv * sizeof *c->y);
  return solved;
}

MbStatus mb_constrain_acceleration(MbSim *sim, const double *q, const double *v, double t, double *vdot,
                                   MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  const MbAsking asking = mb_asking(sim, MB_ASK_ACCELERATIONS);
  mb_rows_make(sim, q, v, t, 0);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  if (sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  if (!mb_rows_soft(sim, v, vdot)) return mb_sim_unsolved(sim, report);
  mb_rows_ask(sim, &asking, vdot, v);
  const MbStatus status = mb_rows_solve(sim, MB_ACCELERATIONS, t, 1, vdot, report);
  mb_rows_claimed(sim, 1);
  return status;
}

// Newton's method on g(q) = 0: few turns, as it starts near.
MbStatus mb_constrain_position(MbSim *sim, double *q, const double *v, double t, MbReport *report) {
  const bool singular = sim->constraining && sim->constraining->singular;
  const bool asked = sim->model->solver.stabilization.kind == MB_POST || singular;
  return asked ? mb_constrain_close(sim, q, v, t, 1e-13, report) : MB_OK;
}

MbStatus mb_constrain_close(MbSim *sim, double *q, const double *v, double t, double close_by,
                            MbReport *report) {
  enum { TURNS = 8 };
  MbConstraining *c = sim->constraining;
  if (!c && !mb_claims_any(sim)) return MB_OK;
  double *dq = sim->s;
  size_t blame = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    bool close = true;
    if (c) mb_rows_make(sim, q, v, t, 0);
    for (size_t s = 0; c && s < c->set.n; s++) {
      const MbRow *row = &c->set.row[s];
      if (row->order || c->set.is[s].alpha > 0 || c->set.is[s].outward != 0 || c->set.is[s].nodes) continue;
      close &= (c->set.is[s].kind == MB_ROW_ONE_WAY ? -row->g : fabs(row->g)) <= close_by * row->size;
    }
    if (mb_claims_any(sim) || !close) {
      if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
        return mb_sim_singular(sim, blame, report);
      close &= mb_claims_close(sim, dq) <= close_by;
    }
    if (close) return MB_OK;
    if (c) {
      const MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
      mb_rows_ask(sim, &asking, mb_claims_any(sim) ? dq : NULL, NULL);
      const MbStatus status = mb_rows_solve(sim, MB_POSITIONS, t, 0, dq, report);
      if (status != MB_OK) return status;
    }
    mb_sim_advance(sim, q, 1, dq);
    mb_sim_kinematics(sim, q, v);
  }
  return MB_OK;
}

MbStatus mb_constrain_commit(MbSim *sim, const double *q, const double *v, double t, MbReport *report) {
  const MbModel *model = sim->model;
  MbConstraining *c = sim->constraining;
  if (sim->integrator->scheme == MB_ADAPTIVE && sim->forces_asked && model->solver.mode == MB_DYNAMIC) {
    size_t blame = 0;
    mb_sim_forces(sim, t, false);
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
      return mb_sim_singular(sim, blame, report);
    c->latched = mb_section(sim, MB_SECTION_LATCHED_BEFORE);
    mb_sim_gather(sim, q, v, sim->s);
    if (!mb_claims_accelerations(sim, v, model->gamma, sim->s)) return mb_sim_unsolved(sim, report);
    const MbStatus status = mb_constrain_acceleration(sim, q, v, t, sim->s, report);
    c->latched = mb_section(sim, MB_SECTION_LATCHED);
    if (status != MB_OK) return status;
  }
  if (model->nguess && sim->integrator->scheme != MB_ADAPTIVE) {
    mb_rows_make(sim, q, v, t, 0);
    mb_constrain_remember(sim);
  }
  if (sim->integrator->scheme != MB_ADAPTIVE)
    memcpy(mb_section(sim, MB_SECTION_FREEDOM), c->freedom, sizeof c->freedom);
  memcpy(mb_section(sim, MB_SECTION_FORCES), c->force, model->nslots * sizeof *c->force);
  return MB_OK;
}
