// Which rows take part in what is asked, and what they ask for (ask.c): into c->slot, b, kind and what goes with them.
#include "core/sim/ask_steps.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/kept_moves.h"
#include "core/sim/touch.h"

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

static inline void take(MbSim *sim, size_t s, const MbAsked *asked) {
  MbConstraining *c = sim->constraining;
  if (c->set.is[s].claimed != MB_WORLD) return;
  const size_t i = c->n++;
  c->slot[i] = s;
  c->b[i] = asked->b;
  c->slack[i] = MB_ROWS_ROUNDING * asked->size + 1e-300;
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

void mb_rows_take(MbSim *sim, size_t s, const MbAsked *asked) { take(sim, s, asked); }

// Takes the normal for positions, which is not asked for more than a step may move.
static void take_depth(MbSim *sim, size_t s, const MbAsking *asking, MbAskRow *known) {
  known->g = fmax(known->g, -MB_TOUCH_MOST * known->scale);
  const MbAsked asked = mb_ask(asking, known);
  take(sim, s, &asked);
}

// Takes the three rows of a contact, of which the first is row s: for velocities with friction, for positions the normal alone.
static void take_contact(MbSim *sim, size_t s, const MbAsking *asking, const double *x) {
  MbConstraining *c = sim->constraining;
  const MbContacts *rules = sim->touching->rules;
  MbTouch *touch = &sim->touching->now.touch[c->set.is[s].key];
  double along[3] = {0}, rate[2][3], size[2][3]; // of x, and of the step's start
  if (asking->of != MB_ASK_VELOCITIES && !asking->parts) return;
  if (asking->of == MB_ASK_VELOCITIES) mb_touch_carried(sim, touch, along);
  mb_row_rate_three_sized(&c->set, s, (const double *const[]){x, sim->state.v}, rate, size);
  MbAskRow known = {.g = touch->gap,
                    .judged = mb_touch_judged(sim->touching, touch),
                    .scale = touch->size,
                    .one_way = true,
                    .alpha = c->set.is[s].alpha,
                    .beta = c->set.is[s].beta,
                    .rate = rate[0][0] - along[0],
                    .last = asking->parts ? 0 : rate[1][0],
                    .size = asking->parts ? size[0][0] : size[0][0] + size[1][0],
                    .bounce = touch->bounce,
                    .slowest = rules->threshold,
                    .blow = mb_touch_blow(sim->touching, touch)};
  if (asking->parts) {
    take_depth(sim, s, asking, &known);
    return;
  }
  const MbAsked asked = mb_ask_contact(asking, &known);
  if (!asked.takes) return;
  touch->rebounds = asked.rebound > 0, touch->narrow = asked.narrow;
  take(sim, s, &asked);
  c->kind[c->n - 1] = MB_CONTACT_NORMAL, c->from[c->n - 1] = touch->lambda[0];
  for (size_t k = 1; k < 3; k++) {
    const MbAsked held = mb_ask_friction(rate[0][k] - along[k], size[0][k]);
    take(sim, s + k, &held);
    c->kind[c->n - 1] = MB_CONTACT_TANGENT, c->from[c->n - 1] = touch->lambda[k];
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
                    .drift = of == MB_ASK_VELOCITIES && row->order == 2 ? mb_rows_unsolved(sim, s)
                             : bends                                    ? mb_rows_drift(sim, s)
                                                                        : 0,
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
  if (asking->of == MB_ASK_VELOCITIES) mb_kept_guess(sim);
  for (size_t s = 0; s < c->set.n; s++) {
    if (!takes_part(c, s) || (c->set.is[s].nodes && asking->of != MB_ASK_VELOCITIES)) continue;
    if (c->set.is[s].kind == MB_ROW_CONTACT) {
      take_contact(sim, s, asking, x);
      s += 2;
      continue;
    }
    MbAsked asked = asked_of(sim, s, asking, x, last);
    if (!asked.takes) continue;
    if (asking->of == MB_ASK_VELOCITIES) asked.b -= mb_kept_along(sim, s);
    const double share = asked.b == 0 ? 0 : fabs(asked.b) / asked.size;
    if (!(share <= worst)) worst = isfinite(share) ? share : INFINITY;
    take(sim, s, &asked);
  }
  return worst;
}
