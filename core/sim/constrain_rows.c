// The rows of the constraints: room for them, their numbers at an instant, what is told of them.
#include "core/sim/constrain_internal.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain.h"
#include "core/sim/claims.h"

#include <string.h>

enum { MOST_AT_ONCE = 2000 }; // rows of which all of W is kept

// Whether the model's coordinates follow from the solver's.
static bool follows(const MbSim *sim) { return sim->solver->map->turns; }

// ---- making -----------------------------------------------------------------------------------------------

// The bodies that a constraint is about, masters last; of one about coordinates that follow from bodies, those that the joints join.
static size_t count_bodies(const MbSim *sim, const MbConstraint *constraint) {
  const bool joints = follows(sim) && constraint->ops->coordinates;
  return joints ? 2 * constraint->ops->coordinates : 2 + constraint->nmasters;
}

static size_t body_of(const MbSim *sim, const MbConstraint *constraint, size_t i) {
  const MbModel *model = sim->model;
  if (!follows(sim) || !constraint->ops->coordinates)
    return i < 2 ? constraint->body[i] : constraint->master[i - 2].body;
  const size_t b = mb_coordinates_body(model, model->nq + constraint->v[i / 2]);
  return i % 2 ? model->parent[b] : b;
}

// The velocities of one row into `index` (NULL: only count them); `mark` (nv) is false before and after.
static size_t support(const MbSim *sim, const MbConstraint *constraint, bool *mark, size_t *index) {
  const MbLayout *layout = sim->solver->map->layout;
  const size_t nbodies = count_bodies(sim, constraint);
  size_t n = 0;
  for (; !follows(sim) && n < constraint->ops->coordinates; n++)
    if (index) index[n] = constraint->v[n];
  for (int clear = 0; clear < 2; clear++)
    for (size_t end = 0; end < nbodies; end++) {
      const size_t body = body_of(sim, constraint, end);
      for (size_t i = 0, v; (v = layout->moved_by(sim->model, body, i)) != MB_WORLD; i++) {
        if (!clear && !mark[v]) {
          if (index) index[n] = v;
          n++;
        }
        mark[v] = !clear;
      }
    }
  return n;
}

static bool allocate_supports(MbSim *sim, MbConstraining *c) {
  const MbModel *model = sim->model;
  bool *mark = mb_calloc(sim->nv, sizeof *mark);
  size_t total = 0;
  bool fine = mark;
  for (size_t i = 0; i < model->nconstraints && fine; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    const size_t n = support(sim, constraint, mark, NULL);
    for (size_t k = 0; k < constraint->rows; k++) {
      c->of[constraint->slot + k] = constraint;
      c->first[constraint->slot + k] = total;
      total += n;
    }
  }
  c->first[model->nslots] = total;
  c->index = fine ? mb_arena_alloc(&sim->arena, total, sizeof *c->index) : NULL;
  c->G = fine ? mb_arena_alloc(&sim->arena, total, sizeof *c->G) : NULL;
  fine = c->index && c->G;
  for (size_t s = 0; s < model->nslots && fine; s++) support(sim, c->of[s], mark, c->index + c->first[s]);
  mb_free(mark);
  return fine;
}

MbStatus mb_constraining_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  const size_t n = model->nslots;
  if (!n) return MB_OK;
  MbArena *arena = &sim->arena;
  MbConstraining *c = mb_arena_alloc(arena, 1, sizeof *c);
  if (!c) return mb_no_memory(report, "constraints");
  sim->constraining = c;
  c->row = mb_arena_alloc(arena, n, sizeof *c->row);
  c->of = mb_arena_alloc(arena, n, sizeof *c->of);
  c->first = mb_arena_alloc(arena, n + 1, sizeof *c->first);
  c->signal = mb_arena_alloc(arena, 3 * model->nsignals, sizeof *c->signal);
  c->driven = mb_arena_alloc(arena, model->nsignals, sizeof *c->driven);
  c->found = mb_arena_alloc(arena, model->nguess, sizeof *c->found);
  c->y = mb_arena_alloc(arena, sim->nv, sizeof *c->y);
  c->drift = mb_arena_alloc(arena, 6 * model->nb, sizeof *c->drift);
  c->force = mb_arena_alloc(arena, n, sizeof *c->force);
  c->apart = mb_arena_alloc(arena, n, sizeof *c->apart);
  c->g0 = mb_arena_alloc(arena, n, sizeof *c->g0);
  c->g1 = mb_arena_alloc(arena, n, sizeof *c->g1);
  c->v = mb_arena_alloc(arena, sim->nv, sizeof *c->v);
  c->half = mb_arena_alloc(arena, n, sizeof *c->half);
  c->near = mb_arena_alloc(arena, n, sizeof *c->near);
  c->slot = mb_arena_alloc(arena, n, sizeof *c->slot);
  c->b = mb_arena_alloc(arena, n, sizeof *c->b);
  c->slack = mb_arena_alloc(arena, n, sizeof *c->slack);
  c->least = mb_arena_alloc(arena, n, sizeof *c->least);
  c->soft = mb_arena_alloc(arena, n, sizeof *c->soft);
  c->all = mb_arena_alloc(arena, n, sizeof *c->all);
  c->unilateral = mb_arena_alloc(arena, n, sizeof *c->unilateral);
  if (!c->row || !c->of || !c->first || !c->signal || !c->driven || !c->found || !c->y || !c->drift ||
      !c->force || !c->apart || !c->g0 || !c->g1 || !c->v || !c->half || !c->near || !c->slot || !c->b ||
      !c->slack || !c->least || !c->soft || !c->all || !c->unilateral || !allocate_supports(sim, c))
    return mb_no_memory(report, "constraints");

  if (sim->solver->responses && n <= MOST_AT_ONCE) {
    c->W = mb_arena_alloc(arena, n * n, sizeof *c->W);
    c->picked = mb_arena_alloc(arena, n, sizeof *c->picked);
    if (!c->W || !c->picked || !sim->solver->reserve(sim->work, n))
      return mb_no_memory(report, "constraints");
  }
  for (size_t s = 0; s < n; s++) {
    const size_t first = sim->solver->claims->row_of(sim->work, (size_t)(c->of[s] - model->constraints));
    c->apart[s] = first == MB_WORLD ? MB_WORLD : first + s - c->of[s]->slot;
  }
  if (sim->integrator->scheme == MB_ADAPTIVE) c->held = mb_section(sim, MB_SECTION_HELD);
  size_t held = 8; // unilateral rows at once, to begin with
  for (size_t s = 0; s < n; s++) {
    held += c->of[s]->unilateral ? 0 : 1;
    c->one_way |= mb_rows_one_way(c, s);
  }
  for (size_t i = 0; i < model->nconstraints; i++) {
    const size_t *signal = model->constraints[i].signal;
    for (int k = 0; k < 3 && model->constraints[i].ops == &mb_motion_ops; k++)
      if (signal[k] != SIZE_MAX) c->driven[signal[k]] = k < 2 && signal[k + 1] == SIZE_MAX ? 2 : 1;
    for (size_t k = 0; k < model->constraints[i].npath; k++) c->driven[model->constraints[i].path + k] = 2;
  }
  return mb_pivoting_reserve(&c->pivoting, n, held) ? MB_OK : mb_no_memory(report, "constraints");
}

void mb_constraining_free(MbSim *sim) {
  if (sim->constraining) mb_pivoting_free(&sim->constraining->pivoting);
}

size_t mb_constraining_bytes(const MbSim *sim) {
  return sim->constraining ? mb_pivoting_bytes(&sim->constraining->pivoting) : 0;
}

// ---- rows -------------------------------------------------------------------------------------------------

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

// What makes w n · ṗ of a master's point, in its C axes: ( 0 ; w Rᵀ n )
static void pull_of(const MbSim *sim, const MbMaster *master, const double n[3], double H[6]) {
  mb_vec3_set(H, 0, 0, 0);
  mb_quat_unrotate(H + 3, sim->x.E[master->body].q, n);
  mb_vec3_scale(H + 3, master->weight, H + 3);
}

static void evaluate(MbSim *sim, const double *q, const double *v, double t, double h, double turn) {
  MbConstraining *c = sim->constraining;
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nsignals; i++)
    if (c->driven[i] > 1)
      mb_sim_signal_rates(sim, i, t, c->signal + 3 * i);
    else if (c->driven[i])
      c->signal[3 * i] = mb_sim_signal(sim, i, t);
  const MbInstant at = {.x = &sim->x,
                        .q = follows(sim) ? sim->x.q : q,
                        .v = follows(sim) ? sim->x.v : v,
                        .signal = c->signal,
                        .guess = mb_section(sim, MB_SECTION_CLOSURES),
                        .found = c->found,
                        .h = h,
                        .turn = turn};
  static const MbRow none = {.body = {MB_WORLD, MB_WORLD}};
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    MbRow *row = c->row + constraint->slot;
    for (size_t k = 0; k < constraint->rows; k++) row[k] = none;
    constraint->ops->eval(constraint, &at, row);
  }
}

static void make(MbSim *sim, const double *q, const double *v, double t, double h, double turn) {
  MbConstraining *c = sim->constraining;
  const MbModel *model = sim->model;
  evaluate(sim, q, v, t, h, turn);
  // G = H J + c
  for (size_t s = 0; s < model->nslots; s++) {
    const MbRow *row = &c->row[s];
    for (int end = 0; end < 2; end++) {
      if (row->body[end] != MB_WORLD) sim->solver->carry(sim->work, row->body[end], row->H[end], c->y);
      if (row->c[end] != 0) sim->solver->map->along(sim->work, row->v[end], row->c[end], c->y);
    }
    for (size_t k = 0; k < c->of[s]->nmasters; k++) {
      const MbMaster *master = &c->of[s]->master[k];
      double H[6];
      pull_of(sim, master, row->along, H);
      sim->solver->carry(sim->work, master->body, H, c->y);
    }
    for (size_t k = c->first[s]; k < c->first[s + 1]; k++) {
      c->G[k] = c->y[c->index[k]];
      c->y[c->index[k]] = 0;
    }
  }
}

void mb_rows_make(MbSim *sim, const double *q, const double *v, double t, double h) {
  make(sim, q, v, t, h, h);
}

void mb_rows_look(MbSim *sim, const double *q, const double *v, double t) { evaluate(sim, q, v, t, 0, 0); }

void mb_rows_make_half(MbSim *sim, const MbHalf *half, const double *q, const double *v, double t) {
  const double h = sim->model->h;
  make(sim, q, v, t + h / 2, h / 2, (1 - 2 * half->theta) * h);
}

void mb_rows_apart(MbSim *sim, double times) {
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; s < sim->model->nslots; s++)
    if (c->apart[s] != MB_WORLD) c->force[s] = times * sim->pull[c->apart[s]];
}

double mb_rows_rate(const MbConstraining *c, size_t s, const double *v, double *size) {
  double sum = 0;
  for (size_t k = c->first[s]; k < c->first[s + 1]; k++) {
    sum += c->G[k] * v[c->index[k]];
    *size += fabs(c->G[k] * v[c->index[k]]);
  }
  return sum;
}

void mb_rows_spread(const MbConstraining *c, size_t s, double lambda, double *y) {
  for (size_t k = c->first[s]; k < c->first[s + 1]; k++) y[c->index[k]] += lambda * c->G[k];
}

void mb_rows_push(const MbSim *sim, size_t s, double lambda, double *f) {
  const MbConstraining *c = sim->constraining;
  const MbRow *row = &c->row[s];
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++)
      f[6 * row->body[end] + k] += lambda * row->H[end][k];
  for (size_t i = 0; i < c->of[s]->nmasters; i++) {
    const MbMaster *master = &c->of[s]->master[i];
    double H[6];
    pull_of(sim, master, row->along, H);
    for (size_t k = 3; k < 6; k++) f[6 * master->body + k] += lambda * H[k];
  }
}

double mb_rows_drift(const MbSim *sim, size_t s) {
  const MbConstraining *c = sim->constraining;
  const MbRow *row = &c->row[s];
  double sum = 0;
  for (int end = 0; follows(sim) && end < 2; end++)
    if (row->c[end] != 0) sum += row->c[end] * sim->solver->map->turns(sim->work)[row->v[end]];
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++)
      sum += row->H[end][k] * c->drift[6 * row->body[end] + k];
  for (size_t i = 0; i < c->of[s]->nmasters; i++) {
    const MbMaster *master = &c->of[s]->master[i];
    double H[6];
    pull_of(sim, master, row->along, H);
    for (size_t k = 3; k < 6; k++) sum += H[k] * c->drift[6 * master->body + k];
  }
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
    const MbRow *row = &c->row[s];
    const bool one_way = c->of[s]->unilateral;
    double ignored = 0;
    if (c->of[s]->compliance > 0 || row->order == 2 || (one_way && row->g > 0)) continue;
    const double rate = mb_rows_rate(c, s, sim->state.v, &ignored) + row->gt;
    errors[0] = fmax(errors[0], fabs(row->g));
    errors[1] = fmax(errors[1], one_way ? fmax(-rate, 0) : fabs(rate));
  }
}

double mb_sim_constraint_error(const MbSim *sim) {
  double errors[2];
  mb_constraint_errors(sim, errors);
  return sim->constraining || mb_claims_any(sim) ? errors[0] : NAN;
}

void mb_constraint_push(MbSim *sim, double *y) {
  if (!sim->constraining) return;
  const double *force = mb_section(sim, MB_SECTION_FORCES);
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t, 0);
  for (size_t s = 0; s < sim->model->nslots; s++) mb_rows_spread(sim->constraining, s, force[s], y);
}

void mb_constraint_reactions(const MbSim *sim, double *y) {
  const MbConstraining *c = sim->constraining;
  memset(y, 0, sim->model->nv * sizeof *y);
  if (!c) return;
  const double *force = mb_section(sim, MB_SECTION_FORCES);
  for (size_t s = 0; s < sim->model->nslots; s++)
    for (int k = 0; k < 2; k++)
      if (c->row[s].c[k] != 0) y[c->row[s].v[k]] += c->row[s].c[k] * force[s];
}
