// The rows of the constraints: room for them, their numbers at an instant, what is told of them.
#include "core/sim/constrain_internal.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain.h"
#include "core/sim/claims.h"
#include "core/sim/kinks.h"
#include "core/sim/nodes.h"

#include <string.h>

// ---- making -----------------------------------------------------------------------------------------------

// Room for what is kept of each row of the set, for one where there is none yet: so that lists of none are lists.
bool mb_rows_reserve(MbConstraining *c, size_t n) {
  size_t room[15];
  n = n ? n : 1;
  if (n <= c->room) return true;
  for (size_t i = 0; i < 15; i++) room[i] = c->room;
  const bool fine =
      mb_grow(&c->force, &room[0], n, sizeof *c->force) && mb_grow(&c->g0, &room[1], n, sizeof *c->g0) &&
      mb_grow(&c->g1, &room[2], n, sizeof *c->g1) && mb_grow(&c->half, &room[3], n, sizeof *c->half) &&
      mb_grow(&c->near, &room[4], n, sizeof *c->near) && mb_grow(&c->slot, &room[5], n, sizeof *c->slot) &&
      mb_grow(&c->b, &room[6], n, sizeof *c->b) && mb_grow(&c->slack, &room[7], n, sizeof *c->slack) &&
      mb_grow(&c->least, &room[8], n, sizeof *c->least) && mb_grow(&c->soft, &room[9], n, sizeof *c->soft) &&
      mb_grow(&c->all, &room[10], n, sizeof *c->all) && mb_grow(&c->from, &room[11], n, sizeof *c->from) &&
      mb_grow(&c->most, &room[12], n, sizeof *c->most) &&
      mb_grow(&c->aimed, &room[13], n, sizeof *c->aimed) && mb_grow(&c->own, &room[14], n, sizeof *c->own);
  size_t kinds = c->room;
  if (!fine || !mb_rebound_reserve(&c->rebounds, n) || !mb_grow(&c->kind, &kinds, n, sizeof *c->kind))
    return false;
  for (size_t s = c->room; s < kinds; s++) {
    c->force[s] = c->g0[s] = c->g1[s] = c->half[s] = c->most[s] = 0;
    c->near[s] = false;
  }
  c->room = kinds;
  return true;
}

// Room for solutions with all rows there are.
static bool make_work(MbSim *sim, MbConstraining *c) {
  enum { ONE_WAY = 8 }; // rows of one way at once, to begin with
  size_t n = 0, both = 0, touches = 0;
  for (size_t s = 0; s < c->set.n; s++) {
    const MbRowKind kind = c->set.is[s].kind;
    touches += kind == MB_ROW_CONTACT;
    if (kind == MB_ROW_CONTACT || kind == MB_ROW_FRICTION)
      continue; // the method that takes these asks for its own
    both += kind == MB_ROW_BOTH_WAYS;
    c->kind[n++] = kind == MB_ROW_ONE_WAY ? MB_CONTACT_ONE_WAY : MB_CONTACT_BOTH_WAYS;
  }
  const MbContactProblem problem = {.n = n, .kind = c->kind};
  const MbPassOps *passes = sim->solver->passes;
  return mb_grow(&c->cone, &c->cone_room, touches, sizeof *c->cone) &&
         (!passes || passes->room(sim->work, c->set.n)) && mb_delassus_reserve(sim, &c->delassus, n) &&
         mb_contact_reserve(&c->work, &mb_contact_pivoting, &problem) &&
         mb_pivoting_reserve(&c->work.pivoting, n, both + ONE_WAY);
}

// Which signals constraints use, and how.
static void note_signals(const MbModel *model, int *driven) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    const size_t *signal = model->constraints[i].signal;
    for (int k = 0; k < 3 && model->constraints[i].ops == &mb_motion_ops; k++)
      if (signal[k] != SIZE_MAX) driven[signal[k]] = k < 2 && signal[k + 1] == SIZE_MAX ? 2 : 1;
    for (size_t k = 0; k < model->constraints[i].npath; k++) driven[model->constraints[i].path + k] = 2;
  }
}

static MbStatus create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  MbArena *arena = &sim->arena;
  MbConstraining *c = sim->constraining = mb_arena_alloc(arena, 1, sizeof *c);
  if (!c) return mb_no_memory(report, "constraints");
  c->signal = mb_arena_alloc(arena, 3 * model->nsignals, sizeof *c->signal);
  c->driven = mb_arena_alloc(arena, model->nsignals, sizeof *c->driven);
  c->jumps = mb_arena_alloc(arena, model->nsignals, sizeof *c->jumps);
  c->found = mb_arena_alloc(arena, model->nguess, sizeof *c->found);
  c->y = mb_arena_alloc(arena, sim->width, sizeof *c->y);
  c->come = mb_arena_alloc(arena, sim->width, sizeof *c->come);
  c->drift = mb_arena_alloc(arena, 6 * model->nb, sizeof *c->drift);
  c->v = mb_arena_alloc(arena, sim->nv, sizeof *c->v);
  c->begun = mb_arena_alloc(arena, model->nv, sizeof *c->begun);
  c->rates = mb_arena_alloc(arena, model->nv, sizeof *c->rates);
  c->yields = mb_arena_alloc(arena, 6 * model->nb, sizeof *c->yields);
  for (size_t i = 0; c->yields && i < 6 * model->nb; i++)
    c->yields[i] = model->M[i] > 0 ? 1 / model->M[i] : 0;
  const bool ok = c->signal && c->driven && c->jumps && c->found && c->y && c->come && c->drift && c->v &&
                  c->begun && c->rates && c->yields && mb_row_set_create(sim, &c->set) &&
                  mb_rows_reserve(c, c->set.n) && make_work(sim, c);
  if (!ok) return mb_no_memory(report, "constraints");
  note_signals(model, c->driven);
  for (size_t i = 0; i < model->nsignals; i++)
    c->jumps[i] = c->driven[i] && mb_signal_may_jump(&model->signals[i]);
  if (sim->integrator->scheme == MB_ADAPTIVE) c->latched = mb_section(sim, MB_SECTION_LATCHED);
  for (size_t s = 0; s < c->set.n; s++) {
    c->one_way |= mb_rows_one_way(c, s);
    c->claims |= c->set.is[s].claimed != MB_WORLD;
  }
  return MB_OK;
}

MbStatus mb_constraining_create(MbSim *sim, MbReport *report) {
  return sim->model->nslots ? create(sim, report) : MB_OK;
}

MbStatus mb_rows_add_source(MbSim *sim, const MbRowSource *source, MbReport *report) {
  const MbStatus status = sim->constraining ? MB_OK : create(sim, report);
  if (status != MB_OK) return status;
  MbRowSet *set = &sim->constraining->set;
  set->source[set->nsources++] = *source;
  set->listed = false;
  return mb_rows_list(sim, report);
}

MbStatus mb_rows_list(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c || !c->set.nsources) return MB_OK;
  const bool listed = mb_row_set_list(sim, &c->set);
  if (!listed || !mb_row_set_name(sim, &c->set) || !mb_rows_reserve(c, c->set.n) || !make_work(sim, c))
    return mb_no_memory(report, "rows");
  for (size_t s = c->set.fixed; s < c->set.n; s++) {
    c->force[s] = c->half[s] = 0;
    c->near[s] = false;
  }
  return MB_OK;
}

void mb_constraining_free(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c) return;
  void *const lists[] = {c->force, c->g0,  c->g1,  c->half, c->near, c->slot, c->b,    c->slack, c->least,
                         c->soft,  c->all, c->own, c->kind, c->from, c->cone, c->most, c->aimed};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mb_free(lists[i]);
  mb_row_set_free(&c->set);
  mb_delassus_free(&c->delassus);
  mb_ask_slopes_free(&c->slopes);
  mb_contact_work_free(&c->work);
  mb_rebound_free(&c->rebounds);
}

size_t mb_constraining_bytes(const MbSim *sim) {
  const MbConstraining *c = sim->constraining;
  if (!c) return 0;
  return mb_row_set_bytes(sim, &c->set) + mb_delassus_bytes(sim, &c->delassus) +
         mb_ask_slopes_bytes(&c->slopes) + mb_contact_work_bytes(&c->work) +
         mb_rebound_bytes(sim, &c->rebounds) + c->cone_room * sizeof *c->cone +
         c->room * (13 * sizeof(double) + sizeof *c->near + sizeof *c->slot + sizeof *c->kind);
}

// ---- at an instant -------------------------------------------------------------------------------------------------

void mb_constrain_remember(MbSim *sim) {
  const MbModel *model = sim->model;
  const MbConstraining *c = sim->constraining;
  double *guess = c && model->nguess ? mb_section(sim, MB_SECTION_CLOSURES) : NULL;
  for (size_t i = 0; i < model->nconstraints && guess; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    const MbJoint *joint = constraint->closure;
    double still[MB_JOINT_DOFS] = {0};
    if (constraint->ops != &mb_closure_search_ops) continue;
    memcpy(guess + constraint->guess, c->found + constraint->guess, joint->n * sizeof *guess);
    if (joint->ops->renew) joint->ops->renew(joint, guess + constraint->guess, still);
  }
}

void mb_constraining_start(MbSim *sim) {
  if (sim->model->nguess)
    memcpy(mb_section(sim, MB_SECTION_CLOSURES), sim->model->guess0, sim->model->nguess * sizeof(double));
}

// What makes w n · ṗ of each master's point, in its C axes: ( 0 ; w Rᵀ n )
static void pull_masters(const MbSim *sim, const MbConstraint *constraint, MbRowSet *set, size_t s) {
  for (size_t k = 0; k < constraint->nmasters; k++) {
    const MbMaster *master = &constraint->master[k];
    double *H = set->ends[set->end[s] + k].H;
    mb_vec3_set(H, 0, 0, 0);
    mb_quat_unrotate(H + 3, sim->x.E[master->body].q, set->row[s].along);
    mb_vec3_scale(H + 3, master->weight, H + 3);
  }
}

void mb_rows_signals(MbSim *sim, double t) {
  MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < sim->model->nsignals; i++)
    if (c->driven[i] > 1)
      mb_sim_signal_rates(sim, i, t, c->signal + 3 * i);
    else if (c->driven[i])
      c->signal[3 * i] = mb_sim_signal(sim, i, t);
}

static MbInstant instant_at(MbSim *sim, const double *signal, const double *q, const double *v, double h,
                            double turn) {
  const bool follows = sim->solver->map->turns; // the model's coordinates from the solver's
  return (MbInstant){.x = &sim->x,
                     .nodes = mb_nodes_at(sim),
                     .q = follows ? sim->x.q : q,
                     .v = follows ? sim->x.v : v,
                     .signal = signal,
                     .guess = mb_section(sim, MB_SECTION_CLOSURES),
                     .found = sim->constraining->found,
                     .h = h,
                     .turn = turn};
}

void mb_rows_of(MbSim *sim, const MbConstraint *constraint, const double *signal, double h, double turn,
                MbRow *rows) {
  const MbInstant at = instant_at(sim, signal, sim->x.q, sim->x.v, h, turn);
  mb_rows_clear(rows, constraint->rows);
  constraint->ops->eval(constraint, &at, rows);
}

bool mb_rows_bend(MbSim *sim, const MbConstraint *constraint, MbRowBend *rows) {
  if (!constraint->ops->bend || constraint->body[0] == constraint->body[1]) return false;
  const MbInstant at = instant_at(sim, sim->constraining->signal, sim->x.q, sim->x.v, 0, 0);
  memset(rows, 0, constraint->rows * sizeof *rows);
  constraint->ops->bend(constraint, &at, rows);
  return true;
}

// A soft row of one way that is at its bound but for rounding is at it, as a rope that begins with its own length: its damper pulls from there on, which no step may owe to how lengths are rounded.
static void meet_bound(MbRow *rows, size_t n) {
  static const double ROUNDING = 1e-12; // of the row's size
  for (size_t k = 0; k < n; k++)
    if (rows[k].g > 0 && rows[k].g <= ROUNDING * rows[k].size) rows[k].g = 0;
}

static void evaluate(MbSim *sim, const double *q, const double *v, double t, double h, double turn) {
  MbConstraining *c = sim->constraining;
  const MbModel *model = sim->model;
  mb_rows_signals(sim, t);
  const MbInstant at = instant_at(sim, c->signal, q, v, h, turn);
  MbRowSet *set = &c->set;
  set->version++;
  mb_rows_clear(set->row, set->blank ? set->fixed : set->n); // those that are listed begin clear
  set->blank = false;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    constraint->ops->eval(constraint, &at, set->row + constraint->slot);
    if (constraint->unilateral && constraint->compliance > 0)
      meet_bound(set->row + constraint->slot, constraint->rows);
    for (size_t k = 0; k < constraint->rows && constraint->nmasters; k++)
      pull_masters(sim, constraint, set, constraint->slot + k);
  }
  for (size_t i = 0; i < set->nsources; i++)
    set->source[i].eval(set->source[i].context, &at, set, set->from[i], set->from[i + 1] - set->from[i]);
}

static void make(MbSim *sim, const double *q, const double *v, double t, double h, double turn) {
  evaluate(sim, q, v, t, h, turn);
  mb_row_set_gather(sim, &sim->constraining->set, 0, sim->constraining->set.n, sim->constraining->y);
}

void mb_rows_make(MbSim *sim, const double *q, const double *v, double t, double h) {
  make(sim, q, v, t, h, h);
}

void mb_constrain_anew(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c || !c->set.anew) return;
  MbRowSet *set = &c->set;
  const double h = sim->model->h;
  const double *nodes = sim->solver->passes->places(sim->work);
  const MbInstant at = {.x = &sim->x, .nodes = nodes, .h = h, .turn = h};
  for (size_t i = 0; i < set->nsources; i++) {
    const size_t first = set->from[i], n = set->from[i + 1] - first;
    if (!n || !set->is[first].anew) continue;
    mb_rows_clear(set->row + first, n);
    set->source[i].eval(set->source[i].context, &at, set, first, n);
    mb_row_set_gather(sim, set, first, n, c->y);
  }
}

void mb_rows_look(MbSim *sim, const double *q, const double *v, double t) { evaluate(sim, q, v, t, 0, 0); }

void mb_rows_begin(MbSim *sim, const double *v) {
  MbConstraining *c = sim->constraining;
  if (sim->solver->map->turns) sim->solver->map->rates(sim->work, sim->model, v, c->begun);
}

// The rates of coordinates that a half begins with, of solvers whose velocities are others: those at the step's start; or, where it ends, those by which V (w − from) of the span and V̇ w are
// what coordinates speed up by.
static const double *rates_of(MbSim *sim, const MbHalf *half) {
  MbConstraining *c = sim->constraining;
  const MbCoordinateMap *map = sim->solver->map;
  if (!half->here) return c->begun;
  const double *turns = map->turns(sim->work);
  map->rates(sim->work, sim->model, half->from, c->rates);
  for (size_t k = 0; k < sim->model->nv; k++) c->rates[k] -= half->span * turns[k];
  return c->rates;
}

void mb_rows_make_half(MbSim *sim, const MbHalf *half, const double *q, const double *v, double t) {
  const double h = sim->model->h, *const own = sim->x.v;
  if (sim->solver->map->turns) sim->x.v = rates_of(sim, half);
  if (half->here)
    make(sim, q, half->from, half->t, half->span, 0);
  else
    make(sim, q, v, t + h / 2, h / 2, (1 - 2 * half->theta) * h);
  sim->x.v = own;
}

void mb_rows_claimed(MbSim *sim, double times) {
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; c->claims && s < c->set.n; s++)
    if (c->set.is[s].claimed != MB_WORLD) c->force[s] = times * sim->pull[c->set.is[s].claimed];
}

double mb_rows_drift(const MbSim *sim, size_t s) {
  const MbConstraining *c = sim->constraining;
  const MbRow *row = &c->set.row[s];
  double sum = 0;
  for (int end = 0; sim->solver->map->turns && end < 2; end++)
    if (row->c[end] != 0) sum += row->c[end] * sim->solver->map->turns(sim->work)[row->v[end]];
  return sum + mb_row_along(&c->set, s, c->drift);
}

double mb_rows_unsolved(const MbSim *sim, size_t s) {
  const MbRow *row = &sim->constraining->set.row[s];
  const MbCoordinateMap *map = sim->solver->map;
  if (!map->unsolved) return 0;
  const double *rate = map->unsolved(sim->work, sim->model, &sim->x);
  double sum = 0;
  for (int end = 0; end < 2; end++)
    if (row->c[end] != 0) sum += row->c[end] * rate[row->v[end]];
  return sum;
}

// ---- what is told -----------------------------------------------------------------------------------------

void mb_constraint_errors(const MbSim *sim, double errors[2]) {
  MbConstraining *c = sim->constraining;
  errors[0] = errors[1] = 0;
  mb_claims_errors((MbSim *)sim, sim->state.v, errors);
  if (!c) return;
  mb_rows_make((MbSim *)sim, sim->state.q, sim->state.v, sim->state.t, 0);
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->set.row[s];
    const bool one_way = c->set.is[s].kind == MB_ROW_ONE_WAY;
    if (c->set.is[s].alpha > 0 || row->order == 2 || (one_way && row->g > 0)) continue;
    if (c->set.is[s].kind == MB_ROW_DRY) continue;
    const double rate = mb_row_rate(&c->set, s, sim->state.v) + row->gt;
    errors[0] = fmax(errors[0], fabs(row->g));
    errors[1] = fmax(errors[1], one_way ? fmax(-rate, 0) : fabs(rate));
  }
}

double mb_sim_constraint_error(const MbSim *sim) {
  double errors[2];
  mb_constraint_errors(sim, errors);
  return sim->model->nslots || mb_claims_any(sim) ? errors[0] : NAN;
}

void mb_constraint_push(MbSim *sim, double *y) {
  if (!sim->constraining) return;
  const double *force = mb_section(sim, MB_SECTION_FORCES);
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t, 0);
  for (size_t s = 0; s < sim->model->nslots; s++) mb_row_spread(&sim->constraining->set, s, force[s], y);
}

void mb_constraint_reactions(const MbSim *sim, double *y) {
  const MbConstraining *c = sim->constraining;
  memset(y, 0, sim->model->nv * sizeof *y);
  if (!c) return;
  const double *force = mb_section(sim, MB_SECTION_FORCES);
  for (size_t s = 0; s < sim->model->nslots; s++)
    for (int k = 0; k < 2; k++)
      if (c->set.row[s].c[k] != 0) y[c->set.row[s].v[k]] += c->set.row[s].c[k] * force[s];
}
