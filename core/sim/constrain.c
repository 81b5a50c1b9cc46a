// Constraints in a step. Rows are made once for an instant, in maximal terms: H on twists, c on velocities. As rows of
// generalised velocities they are G = H J + c, of which only the coordinates between the bodies and the world are kept.
//   velocities     G v⁺ = −ġ_t − γ g(q, t + h)  v⁺ = v + A⁻¹ Gᵀ λ,  W = G A⁻¹ Gᵀ,  w = W λ + b
//     soft         G v⁺ + E λ = −g/(h/2 + β),   E = α/(h (h/2 + β))                         (AR 0.9, 0.10)
//   accelerations  G v̇ = −(H J̇ v + g̈_t) − 2 γ ġ − γ² g                                   (RM 1.82)
//     soft         λ = −(g + β ġ)/α             a force like others                          (AR 0.7)
//   positions      G dq = −g                    post-stabilisation: the nearest q, as M measures
// Where γ is not given it is 1/h and the rows ask for G v⁺ = −g(q, t + h)/h: what is prescribed is met at the step's end.
// Unilateral rows ask for ≥ and λ ≥ 0. What solves this is contact/pivoting.c.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/contact/pivoting.h"
#include "core/model/coordinates.h"
#include "core/sim/sim_internal.h"

#include <string.h>

static const double ROUNDING = 1e-12; // of sums over some tens of terms, through A⁻¹

typedef enum Level { VELOCITIES, JUMPS, ACCELERATIONS, POSITIONS } Level;

struct MbConstraining {
  MbRow *row;              // (nslots)
  const MbConstraint **of; // (nslots)
  size_t *first;           // (nslots + 1) where each row's coordinates begin
  size_t *index;           // of the coordinates
  double *G;               // the rows' numbers for them
  double *signal;          // (nsignals x 3)
  int *driven;             // (nsignals) used by motions: 1 = its value, 2 = its rates too; 0 = not
  double *y, *drift;       // (nv) zero between uses, (nb x 6)
  double *force;           // (nslots) of the step that is being made

  // the rows that take part
  size_t n;
  size_t *slot;                     // (nslots)
  double *b, *slack, *least, *soft; // (nslots); soft is on W's diagonal
  bool unsolved;                    // A⁻¹ could not be applied
  bool *unilateral;                 // (nslots)
  MbPivoting pivoting;
};

// ---- making -----------------------------------------------------------------------------------------------

// The coordinates that move the body: its own and those of all that carry it.
static size_t chain(const MbModel *model, size_t body, size_t *index) {
  size_t n = 0;
  for (size_t b = body; b != MB_WORLD; b = model->parent[b]) {
    const size_t dofs = model->joint[b].ops ? model->joint[b].n : 6;
    for (size_t i = 0; i < dofs; i++, n++)
      if (index) index[n] = model->v_first[b] + i;
  }
  return n;
}

// The coordinates of one row into `index` (NULL: only count them); `mark` (nv) is false before and after.
static size_t support(const MbModel *model, const MbConstraint *constraint, bool *mark, size_t *index,
                      size_t *scratch) {
  size_t n = 0;
  for (; n < constraint->ops->coordinates; n++)
    if (index) index[n] = constraint->v[n];
  for (int end = 0; end < 2; end++) {
    const size_t m = chain(model, constraint->body[end], scratch);
    for (size_t i = 0; i < m; i++) {
      if (mark[scratch[i]]) continue;
      mark[scratch[i]] = true;
      if (index) index[n] = scratch[i];
      n++;
    }
  }
  for (int end = 0; end < 2; end++) {
    const size_t m = chain(model, constraint->body[end], scratch);
    for (size_t i = 0; i < m; i++) mark[scratch[i]] = false;
  }
  return n;
}

static bool allocate_supports(MbSim *sim, MbConstraining *c) {
  const MbModel *model = sim->model;
  bool *mark = mb_calloc(model->nv, sizeof *mark);
  size_t *scratch = mb_calloc(model->nv, sizeof *scratch), total = 0;
  bool fine = mark && scratch;
  for (size_t i = 0; i < model->nconstraints && fine; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    const size_t n = support(model, constraint, mark, NULL, scratch);
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
  for (size_t s = 0; s < model->nslots && fine; s++)
    support(model, c->of[s], mark, c->index + c->first[s], scratch);
  mb_free(mark);
  mb_free(scratch);
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
  c->y = mb_arena_alloc(arena, model->nv, sizeof *c->y);
  c->drift = mb_arena_alloc(arena, 6 * model->nb, sizeof *c->drift);
  c->force = mb_arena_alloc(arena, n, sizeof *c->force);
  c->slot = mb_arena_alloc(arena, n, sizeof *c->slot);
  c->b = mb_arena_alloc(arena, n, sizeof *c->b);
  c->slack = mb_arena_alloc(arena, n, sizeof *c->slack);
  c->least = mb_arena_alloc(arena, n, sizeof *c->least);
  c->soft = mb_arena_alloc(arena, n, sizeof *c->soft);
  c->unilateral = mb_arena_alloc(arena, n, sizeof *c->unilateral);
  if (!c->row || !c->of || !c->first || !c->signal || !c->driven || !c->y || !c->drift || !c->force ||
      !c->slot || !c->b || !c->slack || !c->least || !c->soft || !c->unilateral || !allocate_supports(sim, c))
    return mb_no_memory(report, "constraints");

  size_t held = 8; // unilateral rows at once, to begin with
  for (size_t s = 0; s < n; s++) held += c->of[s]->unilateral ? 0 : 1;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const size_t *signal = model->constraints[i].signal;
    for (int k = 0; k < 3 && model->constraints[i].ops == &mb_motion_ops; k++)
      if (signal[k] != SIZE_MAX) c->driven[signal[k]] = k < 2 && signal[k + 1] == SIZE_MAX ? 2 : 1;
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

// All rows at (q, v, t), the bodies of sim->x being there.
static void make_rows(MbSim *sim, const double *q, const double *v, double t, double h) {
  MbConstraining *c = sim->constraining;
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nsignals; i++)
    if (c->driven[i] > 1)
      mb_signal_rates(&model->signals[i], sim->expressions[i], t, c->signal + 3 * i);
    else if (c->driven[i])
      c->signal[3 * i] = mb_signal_value(&model->signals[i], sim->expressions[i], t);
  const MbInstant at = {.x = &sim->x, .q = q, .v = v, .signal = c->signal, .h = h};
  static const MbRow none = {.body = {MB_WORLD, MB_WORLD}};
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    MbRow *row = c->row + constraint->slot;
    for (size_t k = 0; k < constraint->rows; k++) row[k] = none;
    constraint->ops->eval(constraint, &at, row);
  }

  // G = H J + c
  for (size_t s = 0; s < model->nslots; s++) {
    const MbRow *row = &c->row[s];
    for (int end = 0; end < 2; end++) {
      if (row->body[end] != MB_WORLD) sim->solver->carry(sim->work, row->body[end], row->H[end], c->y);
      c->y[row->v[end]] += row->c[end];
    }
    for (size_t k = c->first[s]; k < c->first[s + 1]; k++) {
      c->G[k] = c->y[c->index[k]];
      c->y[c->index[k]] = 0;
    }
  }
}

// G v of one row; the sum of its terms' sizes is added to *size.
static double rate_of(const MbConstraining *c, size_t s, const double *v, double *size) {
  double sum = 0;
  for (size_t k = c->first[s]; k < c->first[s + 1]; k++) {
    sum += c->G[k] * v[c->index[k]];
    *size += fabs(c->G[k] * v[c->index[k]]);
  }
  return sum;
}

static void spread(const MbConstraining *c, size_t s, double lambda, double *y) {
  for (size_t k = c->first[s]; k < c->first[s + 1]; k++) y[c->index[k]] += lambda * c->G[k];
}

// H J̇ v of one row
static double drift_of(const MbConstraining *c, size_t s) {
  const MbRow *row = &c->row[s];
  double sum = 0;
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++)
      sum += row->H[end][k] * c->drift[6 * row->body[end] + k];
  return sum;
}

// H M⁻¹ Hᵀ of bodies that nothing holds, times what tells a row that moves nothing from one that moves little: rounding
// of G is some 1e-15 of H, and W takes its square.
static double least_of(const MbModel *model, const MbRow *row) {
  double sum = 0;
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++) {
      const double m = model->M[6 * row->body[end] + k];
      if (m > 0) sum += row->H[end][k] * row->H[end][k] / m;
    }
  return 1e-22 * sum;
}

// Takes row s into the problem: w = W λ + b, where b's terms have the sizes `size` together.
static void take(MbSim *sim, size_t s, double b, double size, double soft) {
  MbConstraining *c = sim->constraining;
  const size_t i = c->n++;
  c->slot[i] = s;
  c->b[i] = b;
  c->slack[i] = ROUNDING * size + 1e-300;
  c->least[i] = least_of(sim->model, &c->row[s]);
  c->soft[i] = soft;
  c->unilateral[i] = c->of[s]->unilateral;
}

static void take_velocities(MbSim *sim, const double *v) {
  const double h = sim->model->h, gamma = sim->model->gamma;
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    const double alpha = c->of[s]->compliance, way = h / 2 + c->of[s]->damping;
    double pull = row->order == 0 ? gamma : 0, size = 0;
    if (alpha > 0)
      pull = 1 / way;
    else if (c->of[s]->unilateral && row->g > 0) {
      if (!sim->model->ahead) continue;
      pull = 1 / h; // as far as the bound, not beyond
    }
    // g is where the bodies are now and the motion at the step's end: met there where γ = 1/h, without ġ_t
    const double gt = row->order == 0 && sim->model->ahead && gamma > 0 ? 0 : row->gt;
    const double rate = rate_of(c, s, v, &size);
    size += fabs(gt) + fabs(pull * row->g);
    take(sim, s, rate + gt + pull * row->g, size, alpha > 0 ? alpha / (h * way) : 0);
  }
}

static void take_jumps(MbSim *sim, const double *v) {
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    if (row->order == 2 || c->of[s]->compliance > 0 || (c->of[s]->unilateral && row->g > 0)) continue;
    double size = fabs(row->gt);
    const double rate = rate_of(c, s, v, &size);
    take(sim, s, rate + row->gt, size, 0);
  }
}

static void take_accelerations(MbSim *sim, const double *v, const double *vdot) {
  const double gamma = sim->model->gamma;
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    if (c->of[s]->compliance > 0) continue;
    double size = 0, ignored = 0;
    const double drift = drift_of(c, s), a = rate_of(c, s, vdot, &size);
    const double rate = row->order < 2 ? 2 * gamma * (rate_of(c, s, v, &ignored) + row->gt) : 0;
    const double pull = row->order < 1 ? gamma * gamma * row->g : 0;
    size += fabs(drift) + fabs(row->gtt) + fabs(rate) + fabs(pull);
    take(sim, s, a + drift + row->gtt + rate + pull, size, 0);
  }
}

static void take_positions(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    if (row->order == 0 && !(c->of[s]->compliance > 0)) take(sim, s, row->g, fabs(row->g), 0);
  }
}

// ---- the solution -----------------------------------------------------------------------------------------

static void column(void *context, size_t i, double *out) {
  MbSim *sim = context;
  MbConstraining *c = sim->constraining;
  double ignored = 0;
  spread(c, c->slot[i], 1, c->y);
  c->unsolved |= !sim->solver->apply(sim->work, c->y);
  for (size_t j = 0; j < c->n; j++) out[j] = rate_of(c, c->slot[j], c->y, &ignored);
  out[i] += c->soft[i];
  memset(c->y, 0, sim->nv * sizeof *c->y);
}

// A row that could not be satisfied, and not only for rounding or for being the same as others.
static MbStatus check_dropped(const MbSim *sim, double t, MbReport *report) {
  static const double SAME = 1e-6,
                      CLOSE = 1e-4; // of the terms' sizes; of the size of what g is the difference of
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) {
    const MbRow *row = &c->row[c->slot[i]];
    const double w = c->pivoting.w[i], far = c->unilateral[i] ? fmax(-w, 0) : fabs(w);
    if (!c->pivoting.dropped[i] || !(far > SAME / ROUNDING * c->slack[i])) continue;
    if (row->order == 0 && !(fabs(row->g) > CLOSE * row->size)) continue;
    return mb_error(
        report, MB_NUMBERS, "",
        row->order ? "at t = %.9g s, step %lld: constraint \"%s\" contradicts others: its rate is off by %.3g"
                   : "at t = %.9g s, step %lld: constraint \"%s\" contradicts others, or nothing that it "
                     "holds can move: it is off by %.3g",
        t, (long long)sim->state.step + 1, sim->model->slots[c->slot[i]], row->order ? far : fabs(row->g));
  }
  return MB_OK;
}

// v ← v + A⁻¹ Gᵀ λ for the rows taken; their λ into c->force, times `scale`.
static MbStatus solve(MbSim *sim, Level level, double t, double scale, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const MbMixedProblem problem = {.n = c->n,
                                  .b = c->b,
                                  .slack = c->slack,
                                  .least = c->least,
                                  .unilateral = c->unilateral,
                                  .column = column,
                                  .context = sim};
  for (size_t i = 0; i < c->n; i++) {
    if (isfinite(c->b[i])) continue;
    if (level == ACCELERATIONS) { // of a step that is too long: the integrator will see it
      for (size_t k = 0; k < sim->nv; k++) v[k] = NAN;
      return MB_OK;
    }
    const MbStatus cause = mb_sim_trouble(sim, report);
    if (cause != MB_OK) return cause;
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: constraint \"%s\" has numbers that are not finite", t,
                    (long long)sim->state.step + 1, sim->model->slots[c->slot[i]]);
  }
  c->unsolved = false;
  switch (mb_pivoting_solve(&c->pivoting, &problem)) {
  case MB_PIVOTED:
    break;
  case MB_PIVOTING_MEMORY:
    return mb_no_memory(report, "constraints");
  case MB_PIVOTING_CYCLES:
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: no forces were found that satisfy the limits and ropes", t,
                    (long long)sim->state.step + 1);
  }
  if (c->unsolved) return mb_sim_unsolved(sim, report);
  const MbStatus status = level == POSITIONS ? MB_OK : check_dropped(sim, t, report);
  if (status != MB_OK) return status;

  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    const double lambda = c->pivoting.lambda[i];
    if (scale > 0) c->force[c->slot[i]] = lambda * scale;
    if (lambda == 0) continue;
    spread(c, c->slot[i], lambda, c->y);
    any = true;
  }
  if (!any) return MB_OK;
  const bool solved = sim->solver->apply(sim->work, c->y);
  for (size_t i = 0; i < sim->nv; i++) v[i] += c->y[i];
  memset(c->y, 0, sim->nv * sizeof *c->y);
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

MbStatus mb_constrain_velocity(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  make_rows(sim, sim->state.q, sim->state.v, sim->state.t + sim->model->h, sim->model->h);
  memset(c->force, 0, sim->model->nslots * sizeof *c->force);
  c->n = 0;
  take_velocities(sim, v);
  return solve(sim, VELOCITIES, sim->state.t, 1 / sim->model->h, v, report);
}

MbStatus mb_constrain_jump(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  size_t blame = 0;
  if (!c) return MB_OK;
  mb_sim_kinematics(sim, q, v);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return mb_sim_singular(sim, blame, report);
  make_rows(sim, q, v, t, 0);
  c->n = 0;
  take_jumps(sim, v);
  return solve(sim, JUMPS, t, 0, v, report);
}

// Soft rows: forces at (q, v).
static bool add_soft(MbSim *sim, const double *v, double *vdot) {
  MbConstraining *c = sim->constraining;
  bool any = false;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const double alpha = c->of[s]->compliance;
    double ignored = 0;
    if (!(alpha > 0)) continue;
    const double stretch = c->row[s].g + c->of[s]->damping * (rate_of(c, s, v, &ignored) + c->row[s].gt);
    c->force[s] = c->of[s]->unilateral ? fmax(-stretch / alpha, 0) : -stretch / alpha;
    spread(c, s, c->force[s], c->y);
    any = true;
  }
  if (!any) return true;
  const bool solved = sim->solver->apply(sim->work, c->y);
  for (size_t i = 0; i < sim->nv; i++) vdot[i] += c->y[i];
  memset(c->y, 0, sim->nv * sizeof *c->y);
  return solved;
}

MbStatus mb_constrain_acceleration(MbSim *sim, const double *q, const double *v, double t, double *vdot,
                                   MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  make_rows(sim, q, v, t, 0);
  memset(c->force, 0, sim->model->nslots * sizeof *c->force);
  if (sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  if (!add_soft(sim, v, vdot)) return mb_sim_unsolved(sim, report);
  c->n = 0;
  take_accelerations(sim, v, vdot);
  return solve(sim, ACCELERATIONS, t, 1, vdot, report);
}

// Newton's method on g(q) = 0: few turns, as it starts near.
MbStatus mb_constrain_position(MbSim *sim, double *q, const double *v, double t, MbReport *report) {
  enum { TURNS = 8 };
  static const double CLOSE = 1e-13; // of the numbers whose difference g is
  MbConstraining *c = sim->constraining;
  if (!c || sim->model->solver.stabilization.kind != MB_POST) return MB_OK;
  double *dq = sim->s;
  size_t blame = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    make_rows(sim, q, v, t, 0);
    c->n = 0;
    take_positions(sim);
    bool close = true;
    for (size_t i = 0; i < c->n; i++) {
      const double g = c->row[c->slot[i]].g;
      close &= (c->unilateral[i] ? -g : fabs(g)) <= CLOSE * c->row[c->slot[i]].size;
    }
    if (close) return MB_OK;
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
      return mb_sim_singular(sim, blame, report);
    memset(dq, 0, sim->nv * sizeof *dq);
    const MbStatus status = solve(sim, POSITIONS, t, 0, dq, report);
    if (status != MB_OK) return status;
    mb_coordinates_advance(sim->model, q, 1, dq, 0, sim->model->nb);
    mb_sim_kinematics(sim, q, v);
  }
  return MB_OK;
}

// ---- what is told -----------------------------------------------------------------------------------------

double *mb_constraint_memory(const MbSim *sim) { return sim->state.memory + (sim->nm - sim->model->nslots); }

MbStatus mb_constrain_commit(MbSim *sim, const double *q, const double *v, double t, MbReport *report) {
  const MbModel *model = sim->model;
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  if (sim->integrator->scheme == MB_ADAPTIVE && sim->forces_asked) {
    size_t blame = 0;
    mb_sim_forces(sim, t, false);
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
      return mb_sim_singular(sim, blame, report);
    mb_sim_gather(sim, q, v, sim->s);
    if (!sim->solver->apply(sim->work, sim->s)) return mb_sim_unsolved(sim, report);
    const MbStatus status = mb_constrain_acceleration(sim, q, v, t, sim->s, report);
    if (status != MB_OK) return status;
  }
  memcpy(mb_constraint_memory(sim), c->force, model->nslots * sizeof *c->force);
  return MB_OK;
}

void mb_constraint_errors(const MbSim *sim, double errors[2]) {
  MbConstraining *c = sim->constraining;
  errors[0] = errors[1] = 0;
  if (!c) return;
  make_rows((MbSim *)sim, sim->state.q, sim->state.v, sim->state.t, 0);
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    const bool one_way = c->of[s]->unilateral;
    double ignored = 0;
    if (c->of[s]->compliance > 0 || row->order == 2 || (one_way && row->g > 0)) continue;
    const double rate = rate_of(c, s, sim->state.v, &ignored) + row->gt;
    errors[0] = fmax(errors[0], fabs(row->g));
    errors[1] = fmax(errors[1], one_way ? fmax(-rate, 0) : fabs(rate));
  }
}

double mb_sim_constraint_error(const MbSim *sim) {
  double errors[2];
  mb_constraint_errors(sim, errors);
  return sim->constraining ? errors[0] : NAN;
}

void mb_constraint_reactions(const MbSim *sim, double *y) {
  const MbConstraining *c = sim->constraining;
  memset(y, 0, sim->nv * sizeof *y);
  if (!c) return;
  const double *force = mb_constraint_memory(sim);
  for (size_t s = 0; s < sim->model->nslots; s++)
    for (int k = 0; k < 2; k++) y[c->row[s].v[k]] += c->row[s].c[k] * force[s];
}
