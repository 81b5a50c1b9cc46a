// Newton's law says of each contact alone how fast it opens again. With Coulomb's friction, or where bodies transmit blows, all of that
// together may take more energy than there was: an oblique impact of a box with e = 1 and friction may leave a fifth more.
//
// In a step velocities go from v₀ to v₀ + Δ + z, Δ by forces and z = A⁻¹ Gᵀ λ by contacts. Where forces are constant over the step,
// A Δ = h f, and with y = Δ + z energy changes by
//
//     ΔE = λᵀ G v⁺ − ½ yᵀ A y = λᵀ( G v₀ + ½ W λ ) − ½ Δᵀ A Δ                                                                        (1)
//
// the first part of which is the work of the impact on v₀, and the second what the step itself takes. Without rebounds normals ask for
// G v⁺ ≥ 0 or less and friction holds back, λᵀ G v⁺ ≤ 0, so that no such step makes energy. With them ΔE ≤ 0 is asked for, of each
// island of what touches, and where it does not hold, all its rebounds are made s times what they were, with the largest s in [0, 1] at
// which it does that is found between one of which it holds and one of which it does not.
//
// What flies changes its spin by no force (model/flight.h): its swing is in v but no part of Δ, as the flight takes it back.
//
// Of bodies that rows of joints lead on curves (`maximal`) these rows pull with what is no constant force: they are asked for a rate that is
// opposite to the one before the step (claims.c), and so do no work over it, while Δ has a part of them that may be large. With Δ = Δ_f + Δ_j,
// A Δ_f = h f along what joints leave free, and Δ_j by joints alone,
//
//     ΔE = λᵀ( G (v₀ + ½ Δ_j) + ½ W λ ) − ½ Δ_fᵀ A (Δ_f + Δ_j)                                                                       (2)
//
// whose first part takes the place of that in (1).
//
// Of Δ rows know G Δ. Whatever μ is,  ½ Δᵀ A Δ ≥ −μᵀ G Δ − ½ μᵀ W μ,  and the impulses that forces alone would call forth make this an
// equality of what lies at rest: a pile would have ½ λᵀ W λ of it in (1) else. So that the problem is solved for G Δ, too, where the
// first part of (1) is above 0.
//
// A ball that falls into a groove so steep that friction holds it there cannot rebound at all: friction that would be against its way out is larger
// than what pushes it out. Of impulses λ that move nothing, W λ = 0, which every such jam has, bᵀ λ < 0 where it is to rebound, and then no
// impulses satisfy the law. Islands of which no solution is found, and whose rows come nearer by a part of the rebounds, have none.
#include "core/sim/touch_rebound.h"
#include "core/base/alloc.h"
#include "core/sim/claims.h"
#include "core/sim/constrain_internal.h"

#include <string.h>

#define NONE UINT32_MAX

struct MbReboundIsland {
  double work, size, rest; // of this s: work on v₀; the sizes of its terms; ½ Δᵀ A Δ at least
  double s;                // of the last solution
  double low, high;        // of s: which makes no energy (−1: none is known), which makes some
  double work_low, work_high;
  double most, nearer; // the largest rebound that is asked for; how fast rows come nearer that are not to
  bool done, led;      // led: along curves, by joints
};

// ---- room -------------------------------------------------------------------------------------------------

bool mb_rebound_reserve(MbRebounds *r, size_t n) {
  return mb_grow(&r->part, &r->part_room, n, sizeof *r->part);
}

void mb_rebound_note(MbRebounds *r, size_t i, double part) {
  r->part[i] = part;
  r->any |= part > 0;
}

static bool reserve(MbRebounds *r, size_t n) {
  size_t room[6];
  if (n <= r->room) return true;
  for (int i = 0; i < 6; i++) room[i] = r->room;
  size_t all = r->room;
  const bool fine = mb_grow(&r->asked, &room[0], n, sizeof *r->asked) &&
                    mb_grow(&r->before, &room[1], n, sizeof *r->before) &&
                    mb_grow(&r->forces, &room[2], n, sizeof *r->forces) &&
                    mb_grow(&r->curved, &room[5], n, sizeof *r->curved) &&
                    mb_grow(&r->root, &room[3], n, sizeof *r->root) &&
                    mb_grow(&r->island, &room[4], n, sizeof *r->island) &&
                    mb_grow(&r->of, &all, n, sizeof *r->of);
  if (fine) r->room = all;
  return fine;
}

void mb_rebound_free(MbRebounds *r) {
  void *const lists[] = {r->part,  r->asked,  r->before, r->forces, r->root, r->island, r->of,
                         r->group, r->holder, r->forced, r->led,    r->had,  r->curved};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mb_free(lists[i]);
  *r = (MbRebounds){0};
}

size_t mb_rebound_bytes(const MbSim *sim, const MbRebounds *r) {
  const size_t groups = r->group ? sim->width * (2 * sizeof *r->forced + sizeof *r->group) +
                                       (sim->model->nb + 1) * sizeof *r->holder +
                                       sim->solver->claims->rows(sim->work).n * sizeof *r->had
                                 : 0;
  return r->part_room * sizeof(double) +
         r->room * (4 * sizeof(double) + 2 * sizeof(uint32_t) + sizeof *r->of) + groups;
}

// ---- islands ----------------------------------------------------------------------------------------------

// Trees, and the nodes of a deformable, move together: the group of each velocity is the first of their bodies, of points behind all.
static bool find_groups(const MbSim *sim, MbRebounds *r) {
  const MbModel *model = sim->model;
  const size_t claimed = sim->solver->claims->rows(sim->work).n;
  if (r->group) return true;
  r->group = mb_calloc(sim->width, sizeof *r->group);
  r->holder = mb_calloc(model->nb + 1, sizeof *r->holder);
  r->forced = mb_calloc(sim->width, sizeof *r->forced);
  r->led = mb_calloc(sim->width, sizeof *r->led);
  r->had = mb_calloc(claimed, sizeof *r->had);
  if (!r->group || !r->holder || !r->forced || !r->led || (claimed && !r->had)) return false;
  for (size_t k = 0; k < sim->width; k++) {
    size_t body = k < sim->nv ? sim->solver->map->layout->body(model, sim->nq + k) : model->nb;
    while (body < model->nb && model->parent[body] != MB_WORLD) body = model->parent[body];
    for (size_t i = 0; i < model->ndeformables; i++) {
      const MbDeformable *of = &model->deformables[i];
      if (!of->points && body - of->first < of->count) body = of->first;
    }
    r->group[k] = (uint32_t)body;
  }
  return true;
}

static uint32_t root_of(uint32_t *root, uint32_t i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void unite(uint32_t *root, uint32_t i, uint32_t j) {
  const uint32_t a = root_of(root, i), b = root_of(root, j);
  if (a < b)
    root[b] = a;
  else
    root[a] = b;
}

// Row i is about a group: it is of one island with the first row about it.
static void join(MbRebounds *r, size_t i, size_t group) {
  if (r->holder[group] == NONE) r->holder[group] = (uint32_t)i;
  unite(r->root, r->holder[group], (uint32_t)i);
}

static void join_ends(MbConstraining *c, const MbContactOperator *W, size_t i) {
  MbRebounds *r = &c->rebounds;
  for (size_t end = 0; W->factor && end < 2; end++)
    if (W->slot[2 * i + end] != MB_NO_SLOT) join(r, i, W->slot[2 * i + end]);
  if (W->factor) return;
  const size_t s = c->slot[i];
  for (size_t e = c->set.first[s]; e < c->set.first[s + 1]; e++)
    if (c->set.G[e] != 0) join(r, i, r->group[c->set.index[e]]);
}

// Numbers the islands of the rows taken. How many there are.
static size_t find_islands(const MbSim *sim, const MbContactOperator *W) {
  MbConstraining *c = sim->constraining;
  MbRebounds *r = &c->rebounds;
  size_t count = 0;
  for (size_t b = 0; b <= sim->model->nb; b++) r->holder[b] = NONE;
  for (size_t i = 0; i < c->n; i++) {
    r->root[i] = (uint32_t)i;
    join_ends(c, W, i);
    if (c->kind[i] == MB_CONTACT_TANGENT) unite(r->root, (uint32_t)i - 1, (uint32_t)i);
  }
  for (size_t i = 0; i < c->n; i++) {
    const uint32_t root = root_of(r->root, (uint32_t)i);
    r->island[i] = root == i ? (uint32_t)count++ : r->island[root];
  }
  return count;
}

// ---- work -------------------------------------------------------------------------------------------------

// v₀ + Δ, of v without contacts
static void leave_swing_out(const MbSim *sim, const double *v, size_t width, double *forced) {
  const MbModel *model = sim->model;
  memcpy(forced, v, width * sizeof *forced);
  for (size_t b = 0; b < model->nb && model->any_flies; b++) {
    double *spin = forced + sim->solver->map->layout->velocity(model, b);
    for (size_t k = 0; k < 3 && model->flies[b]; k++)
      if (model->M[6 * b + k] > 0) spin[k] -= sim->x.swing[3 * b + k] / model->M[6 * b + k];
  }
}

// r->led ← ½ Δ_j: half of what joints alone change of v₀ for that to be asked of them which v has. False where there are none.
static bool find_led(MbSim *sim, const double *v, const double *forced) {
  MbRebounds *r = &sim->constraining->rebounds;
  const size_t n = sim->model->any_flies && mb_claims_any(sim) ? sim->solver->claims->rows(sim->work).n : 0;
  if (!n) return false;
  for (size_t i = 0; i < sim->nv; i++) r->led[i] = sim->state.v[i] + v[i] - forced[i]; // with the swing
  sim->solver->claims->speeds(sim->work, r->led, r->had);
  sim->solver->claims->speeds(sim->work, v, sim->aim);
  for (size_t k = 0; k < n; k++) sim->aim[k] -= r->had[k];
  memset(r->led, 0, sim->width * sizeof *r->led);
  if (!sim->solver->apply(sim->work, r->led, sim->aim, r->had)) return false;
  for (size_t i = 0; i < sim->nv; i++) r->led[i] /= 2;
  return true;
}

// G of the velocities at the step's start and half of what joints change of them, and what forces change of it, of every row.
static bool find_rates(MbSim *sim, const double *v, MbReboundRates *rates) {
  const MbConstraining *c = sim->constraining;
  const MbRebounds *r = &c->rebounds;
  leave_swing_out(sim, v, mb_row_width(sim, &c->set), r->forced);
  rates(sim, sim->state.v, r->before);
  rates(sim, r->forced, r->forces);
  for (size_t i = 0; i < c->n; i++) r->forces[i] -= r->before[i];
  if (!find_led(sim, v, r->forced)) return false;
  rates(sim, r->led, r->curved);
  for (size_t i = 0; i < c->n; i++) {
    r->forces[i] -= 2 * r->curved[i];
    r->before[i] += r->curved[i];
  }
  return true;
}

// W λ of the last solution
static double pushed(const MbConstraining *c, size_t i) {
  return c->answer.w[i] - c->aimed[i] - c->soft[i] * c->answer.lambda[i];
}

// λᵀ( G v₀ + ½ W λ ) of each island
static void find_work(const MbConstraining *c, size_t count) {
  const MbRebounds *r = &c->rebounds;
  for (size_t k = 0; k < count; k++) r->of[k].work = r->of[k].size = 0;
  for (size_t i = 0; i < c->n; i++) {
    MbReboundIsland *of = &r->of[r->island[i]];
    const double lambda = c->answer.lambda[i], half = pushed(c, i) / 2;
    of->work += lambda * (r->before[i] + half);
    of->size += fabs(lambda) * (fabs(r->before[i]) + fabs(half));
  }
}

// −μᵀ G Δ − ½ μᵀ W μ of each island, by the μ of the problem with G Δ alone.
static bool find_rest(MbConstraining *c, size_t count, const MbReboundSolver *solver) {
  const MbRebounds *r = &c->rebounds;
  memcpy(c->b, r->forces, c->n * sizeof *c->b);
  const bool fine = solver->solve(solver->context);
  for (size_t k = 0; k < count; k++) r->of[k].rest = 0;
  for (size_t i = 0; i < c->n; i++)
    r->of[r->island[i]].rest -= c->answer.lambda[i] * (r->forces[i] + pushed(c, i) / 2);
  for (size_t k = 0; k < count; k++) r->of[k].rest = fmax(r->of[k].rest, 0);
  return fine;
}

// ---- how much of the rebounds -----------------------------------------------------------------------------

static const double ROUNDING = 1e-12, // of the sizes of its terms: work that is none
    CLOSE = 1e-10;                    // of these: as near to none as it is looked for; of s

// What joints' curves and swings leave of (2) has either sign, and is taken back by other blows: where there are any, as much is no gain.
static const double CURVED = 2e-3;

static bool makes_energy(const MbReboundIsland *of) {
  return of->work - of->rest > (of->led ? CURVED : ROUNDING) * of->size;
}

// The next s to try: down from where energy is made by steps that grow, then between the two, along the chord but not at its ends.
static double next_of(const MbReboundIsland *of) {
  const double wide = of->high - fmax(of->low, 0);
  if (of->low < 0) {
    const double step = fmax(4 * (1 - of->high), 8 * of->work_high / of->size);
    return step < of->high ? of->high - fmax(step, CLOSE) : 0;
  }
  const double chord = of->high - wide * of->work_high / (of->work_high - of->work_low);
  return fmin(fmax(chord, of->low + wide / 16), of->high - wide / 16);
}

// Of the last solution: what it tells of the island.
static void judge(MbReboundIsland *of) {
  const double work = of->work - of->rest;
  if (of->done) return;
  if (makes_energy(of)) {
    of->done = of->s == 0; // as little as there can be
    of->high = of->s, of->work_high = work;
    return;
  }
  of->low = of->s, of->work_low = fmin(work, 0);
  of->done = of->s == 1 || -work <= CLOSE * of->size || of->high - of->low <= CLOSE;
}

// Solves with each island's rebounds made s times what they are.
static bool solve_with(MbConstraining *c, const MbReboundSolver *solver) {
  const MbRebounds *r = &c->rebounds;
  for (size_t i = 0; i < c->n; i++)
    c->b[i] = r->asked[i] + (r->part[i] > 0 ? (1 - r->of[r->island[i]].s) * r->part[i] : 0);
  const bool fine = solver->solve(solver->context);
  memcpy(c->from, c->answer.lambda, c->n * sizeof *c->from);
  return fine;
}

static bool all_done(const MbRebounds *r, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (!r->of[k].done) return false;
  return true;
}

static void lessen_by_turns(MbConstraining *c, size_t count, const MbReboundSolver *solver) {
  enum { TRIES = 40 };
  const MbRebounds *r = &c->rebounds;
  for (int i = 0; i < TRIES; i++) {
    for (size_t k = 0; k < count; k++)
      if (!r->of[k].done) r->of[k].s = i ? next_of(&r->of[k]) : 1;
    if (!solve_with(c, solver)) return;
    find_work(c, count);
    for (size_t k = 0; k < count; k++) judge(&r->of[k]);
    if (all_done(r, count)) return;
  }
  for (size_t k = 0; k < count; k++)
    if (!r->of[k].done) r->of[k].s = fmax(r->of[k].low, 0);
  solve_with(c, solver);
}

static void lessen(MbConstraining *c, size_t count, const MbReboundSolver *solver) {
  lessen_by_turns(c, count, solver);
  for (size_t k = 0; k < count; k++) c->rebounds.lessened |= c->rebounds.of[k].s < 1;
}

// Where the last solution is none: islands that are jammed get no rebounds, and begin without impulses. Whether there are any. What gives way for
// pivots' sake comes nearer, too.
static bool find_jams(MbConstraining *c, size_t count) {
  static const double PART = 1e-3; // of a rebound: more than what methods miss where there is a solution
  const MbRebounds *r = &c->rebounds;
  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    MbReboundIsland *of = &r->of[r->island[i]];
    if (c->kind[i] != MB_CONTACT_NORMAL && c->kind[i] != MB_CONTACT_ONE_WAY) continue;
    of->most = fmax(of->most, r->part[i]);
    const double way = c->gives > 0 ? c->gives * c->own[i] * c->answer.lambda[i] : 0;
    of->nearer = fmax(of->nearer, way - c->answer.w[i]);
  }
  for (size_t k = 0; k < count; k++) {
    MbReboundIsland *of = &r->of[k];
    if (!(of->nearer > PART * of->most) || !(of->most > 0)) continue;
    of->s = of->low = 0, of->done = any = true;
  }
  for (size_t i = 0; i < c->n; i++)
    if (r->of[r->island[i]].done) c->from[i] = 0;
  return any;
}

bool mb_rebound_settle(MbSim *sim, const MbContactOperator *W, const double *v, MbReboundRates *rates,
                       bool solved, const MbReboundSolver *solver) {
  MbConstraining *c = sim->constraining;
  MbRebounds *r = &c->rebounds;
  bool more = false;
  r->lessened = false;
  if (!r->any) return true;
  if (!reserve(r, c->n) || !find_groups(sim, r)) return false;
  const size_t count = find_islands(sim, W);
  const bool led = find_rates(sim, v, rates);
  for (size_t k = 0; k < count; k++) r->of[k] = (MbReboundIsland){.s = 1, .low = -1, .high = 1};
  for (size_t i = 0; i < c->n && led; i++)
    r->of[r->island[i]].led |= fabs(r->curved[i]) > CLOSE * fabs(r->before[i]);
  find_work(c, count);
  for (size_t k = 0; k < count; k++) more |= makes_energy(&r->of[k]);
  if (!more && solved) return true;
  memcpy(r->asked, c->b, c->n * sizeof *c->b);
  memcpy(c->from, c->answer.lambda, c->n * sizeof *c->from);
  if (!solved && !find_jams(c, count) && !more) return true;
  if (find_rest(c, count, solver)) lessen(c, count, solver);
  return true;
}
