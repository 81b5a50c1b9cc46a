// Rows of constraints in a step of one solution, made where it starts:  G v⁺ + σ g_t + π g + E μ = 0  for the velocities to come, with σ, π and E as ask.c has
// them, and Gᵀ μ among the forces of the step. Of Gᵀ μ = Jᵀ f + Cᵀ μ, with f = Hᵀ μ on bodies and C on coordinates, f is a force of the bodies' motion like any
// other: held fixed in their axes it is in what tangent.c has of J, and beside that
//
//   δf = Σ μ δH = K ε,             δr = H δΦ⁺ + L ε + π C δq,      L ε = δH · Φ⁺ + π H ε + σ δg_t
//
// along bodies' motions ε, with Φ⁺ = J v⁺ and δΦ⁺ as tangent_linear.c has them; of rows that know their gap δg = H ε, exactly. δH and δg_t are differences of the constraint's rows
// along each motion of each of its two bodies, some 1e-10 off, so that the cost does not grow with the tree. A master's H = w Rᵀ n turns with the master alone. Where an acceleration a is
// prescribed, g_t has −v. Backwards, z · τ + ζ · r is felt by the bodies' motion as −Kᵀ Z + Lᵀ ζ and by Φ⁺ as Hᵀ ζ.
#include "core/sim/tangent_rows.h"
#include "core/constraints/joint_friction.h"
#include "core/math/dense6.h"
#include "core/math/se3.h"
#include "core/sim/ask_steps.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/dry.h"
#include "core/sim/tangent_parts.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side, of derivatives by differences

bool mb_tangent_rows_make(MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  MbTangentRows *rows = t->rows = mb_arena_alloc(&sim->arena, 1, sizeof *rows);
  if (!rows || (!t->linear && !mb_tangent_linearise(sim, t, NULL, 0))) return false;
  rows->row = mb_arena_alloc(&sim->arena, model->nslots, sizeof *rows->row);
  rows->tie = mb_arena_alloc(&sim->arena, model->nconstraints, sizeof *rows->tie);
  for (size_t along = 0; along < 6; along++)
    for (int side = 0; side < 2; side++) {
      double move[6] = {0};
      move[along] = side ? MOVE : -MOVE;
      mb_se3_exp(&rows->beside[along][side], move);
    }
  return rows->row && rows->tie;
}

MbTangentRows *mb_tangent_rows(MbTangent *t) { return t->rows; }

// ---- what they ask for ----------------------------------------------------------------------------------------------

double mb_tangent_rows_span(const MbSim *sim, MbTangentAsk of) {
  return of == MB_TANGENT_ONCE || of == MB_TANGENT_BLOW ? sim->model->h : sim->model->h / 2;
}

static bool is_pass(MbTangentAsk of) { return of == MB_TANGENT_PASS || of == MB_TANGENT_BLOW; }

// Of a pass, by velocities v at the step's start and its time then.
static MbHalf half_of(const MbSim *sim, MbTangentAsk of, const double *v, double begin) {
  const double h = sim->model->h;
  if (of == MB_TANGENT_PASS) return (MbHalf){.theta = 0.5, .impulse = h / 2};
  return (MbHalf){.here = true, .impulse = h, .span = h, .t = begin + h, .from = v};
}

static MbAsking asking_of(const MbSim *sim, MbTangentAsk of) {
  const MbHalf half = half_of(sim, of, NULL, 0);
  if (is_pass(of)) return mb_asking_half(sim, &half);
  return mb_asking(sim, of == MB_TANGENT_ONCE ? MB_ASK_VELOCITIES : MB_ASK_END);
}

// What is asked of a row with these numbers, λ and a pass's gaps elsewhere aside, by a simulation's terms of it; `before` is its rate as a pass begins. One of one way that takes part is one of
// both, but for how far it goes in a step of one solution.
static MbAsked asked_of(const MbSim *sim, MbTangentAsk of, size_t s, int order, double g, double gt,
                        double rate, double before) {
  const MbRowTerms *is = &sim->constraining->set.is[s];
  const MbAsking asking = asking_of(sim, of);
  const MbAskRow known = {.order = order,
                          .g = g,
                          .gt = gt,
                          .one_way = of == MB_TANGENT_ONCE && is->kind == MB_ROW_ONE_WAY,
                          .alpha = is->alpha,
                          .beta = is->beta,
                          .outward = is->outward,
                          .target = is->target,
                          .turns = is->turns,
                          .rate = rate,
                          .last = rate - before};
  return of == MB_TANGENT_ONCE ? mb_ask_velocities(&asking, &known) : mb_ask(&asking, &known);
}

double mb_tangent_row_asked(const MbSim *sim, MbTangentAsk of, const MbTangentRow *row, const double *from,
                            const double *to) {
  const MbRowSet *set = &sim->constraining->set;
  const MbRow *at = &set->row[row->slot];
  const double before = is_pass(of) ? mb_row_rate(set, row->slot, from) : 0;
  const MbAsked asked =
      asked_of(sim, of, row->slot, at->order, at->g, at->gt, mb_row_rate(set, row->slot, to), before);
  return asked.b + asked.soft * mb_tangent_rows_span(sim, of) * row->mu;
}

// It is linear in g, on the side of the bound where g is, in ġ_t and in rates. Whether the row takes part.
static bool find_terms(const MbSim *sim, MbTangentAsk of, MbTangentRow *row) {
  const MbRow *at = &sim->constraining->set.row[row->slot];
  const double way = at->g > 0 ? 1 : -1;
  const MbAsked none = asked_of(sim, of, row->slot, at->order, at->g, 0, 0, 0);
  row->pull = way * (asked_of(sim, of, row->slot, at->order, at->g + way, 0, 0, 0).b - none.b);
  row->slip = asked_of(sim, of, row->slot, at->order, at->g, 1, 0, 0).b - none.b;
  row->before = is_pass(of) ? asked_of(sim, of, row->slot, at->order, at->g, 0, 0, 1).b - none.b : 0;
  row->soft = none.soft * mb_tangent_rows_span(sim, of);
  return none.takes;
}

void mb_tangent_rows_place(MbSim *sim, MbTangentAsk of, const double *q, const double *v, double t) {
  const MbHalf half = half_of(sim, of, v, t);
  if (is_pass(of))
    mb_rows_make_half(sim, &half, q, v, t);
  else
    mb_rows_make(sim, q, v, t, of == MB_TANGENT_ONCE ? sim->model->h : 0);
  mb_dry_begin(sim);
}

// The rows that take part, of one way by their `forces` (NULL: none do).
static void list(MbSim *sim, MbTangentRows *rows, const double *forces) {
  const MbModel *model = sim->model;
  const double largest = mb_dry_largest(sim);
  rows->n = rows->nties = 0;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    const size_t first = rows->n;
    for (size_t s = constraint->slot; s < constraint->slot + constraint->rows; s++) {
      if (sim->constraining->set.is[s].kind == MB_ROW_ONE_WAY && !(forces && forces[s] > 0)) continue;
      MbTangentRow *row = &rows->row[rows->n++];
      *row = (MbTangentRow){.slot = s, .mu = forces ? forces[s] : 0};
      if (constraint->dry) row->slips = mb_dry_slips(sim, constraint, s - constraint->slot, row->mu, largest);
      row->loaded = row->slips && constraint->ops == &mb_joint_friction_ops;
      if (row->slips) continue;
      if (!find_terms(sim, rows->of, row) && rows->of != MB_TANGENT_ONCE) rows->n--;
    }
    if (rows->n == first) continue;
    rows->tie[rows->nties++] = (MbTangentTie){.constraint = i, .first = first, .n = rows->n - first};
  }
}

void mb_tangent_rows_list(MbSim *sim, MbTangent *t, const double *v, const double *to, double end,
                          const double *forces) {
  t->linear->to = to, t->rows->t = end, t->rows->of = MB_TANGENT_ONCE;
  mb_tangent_rows_place(sim, MB_TANGENT_ONCE, sim->x.q, v, end);
  list(sim, t->rows, forces);
}

void mb_tangent_rows_list_as(MbSim *sim, MbTangent *t, MbTangentAsk of, const double *v, const double *to,
                             double time, const double *pushed) {
  t->linear->to = to, t->rows->of = of;
  t->rows->t = is_pass(of) ? time + mb_tangent_rows_span(sim, of) : time;
  mb_tangent_rows_place(sim, of, sim->x.q, v, time);
  list(sim, t->rows, pushed);
  for (size_t k = 0; k < t->rows->n; k++) t->rows->row[k].mu = 0;
}

void mb_tangent_rows_leave(MbTangent *t) {
  if (t->rows) t->rows->n = t->rows->nties = 0;
}

// How a row is asked for where the bodies of a simulation are.
static void rows_of(MbSim *sim, MbTangentAsk of, const MbConstraint *constraint, const double *signal,
                    MbRow *rows) {
  const double span = of == MB_TANGENT_AGREE ? 0 : mb_tangent_rows_span(sim, of);
  mb_rows_of(sim, constraint, signal, span, of == MB_TANGENT_ONCE ? span : 0, rows);
}

// φ⁺ and, of a pass, what it has of φ as it begins.
static void motion_of(const MbSim *sim, const MbTangent *t, const MbTangentRow *row, size_t body,
                      double out[6]) {
  const double *plus = t->linear->phi + 6 * body, *phi = sim->x.phi + 6 * body;
  for (size_t i = 0; i < 6; i++) out[i] = plus[i] + (row->before != 0 ? row->before * phi[i] : 0);
}

static void change_of_motion(const MbTangent *t, const MbTangentRow *row, size_t body, double out[6]) {
  const double *plus = t->linear->dphi + 6 * body, *phi = t->dphi + 6 * body;
  for (size_t i = 0; i < 6; i++) out[i] = plus[i] + (row->before != 0 ? row->before * phi[i] : 0);
}

// The transposed of that.
static void weigh_motion(MbTangent *t, const MbTangentRow *row, size_t body, const double H[6]) {
  for (size_t i = 0; i < 6; i++) {
    t->linear->dphi[6 * body + i] += row->zeta * H[i];
    if (row->before != 0) t->dphi[6 * body + i] += row->zeta * row->before * H[i];
  }
}

// ---- at an instant --------------------------------------------------------------------------------------------------

// The motions that a tie's rows are asked of, of both their bodies.
typedef struct Asked {
  double motion[MB_ROWS][2][6];
} Asked;

// Adds what a tie's rows, as they are beside, say of its derivatives along one motion of its body `by`.
static void add_side(MbTangent *t, MbTangentTie *tie, size_t slot, const MbRow *beside, const Asked *asked,
                     int by, size_t along, double share) {
  for (size_t k = 0; k < tie->n; k++) {
    MbTangentRow *row = &t->rows->row[tie->first + k];
    const MbRow *at = &beside[row->slot - slot];
    const double push = share * row->mu;
    double sum = row->slip * at->gt;
    for (int end = 0; end < 2; end++) {
      const double *H = at->H[end];
      double *K = tie->K[end][by] + along;
      if (at->body[end] == MB_WORLD) continue;
      sum += mb_dot6(H, asked->motion[k][end]);
      for (size_t i = 0; i < 6; i++) K[6 * i] += push * H[i];
    }
    row->L[by][along] += share * sum;
  }
}

static void differentiate(MbSim *sim, MbTangent *t, MbTangentTie *tie, const Asked *asked, int by) {
  const MbConstraint *constraint = &sim->model->constraints[tie->constraint];
  MbRow beside[MB_ROWS];
  MbPose *E = &sim->x.E[constraint->body[by]];
  const MbPose here = *E;
  for (size_t along = 0; along < 6; along++)
    for (int side = 0; side < 2; side++) {
      mb_pose_mul(E, &here, &t->rows->beside[along][side]);
      rows_of(sim, t->rows->of, constraint, sim->constraining->signal, beside);
      add_side(t, tie, constraint->slot, beside, asked, by, along, (side ? 1 : -1) / (2 * MOVE));
    }
  *E = here;
}

// The same of rows that tell it, all of which know their gap. False: they do not.
static bool take_bends(MbSim *sim, MbTangent *t, MbTangentTie *tie, const Asked *asked) {
  const MbConstraint *constraint = &sim->model->constraints[tie->constraint];
  MbRowBend bend[MB_ROWS];
  if (!mb_rows_bend(sim, constraint, bend)) return false;
  for (size_t k = 0; k < tie->n; k++) {
    MbTangentRow *row = &t->rows->row[tie->first + k];
    for (int end = 0; end < 2; end++)
      for (int by = 0; by < 2; by++) {
        const double *B = bend[row->slot - constraint->slot].by[end][by];
        double *K = tie->K[end][by];
        if (constraint->body[end] == MB_WORLD || constraint->body[by] == MB_WORLD) continue;
        for (size_t i = 0; i < 36; i++) K[i] += row->mu * B[i];
        mb_add_transposed(row->L[by], B, asked->motion[k][end]);
      }
  }
  return true;
}

// Whether rows are about a body at this end, and not about the same at the other.
static bool has_body(const MbConstraint *constraint, const MbRow *row, int end) {
  return row->body[end] != MB_WORLD && (end == 0 || constraint->body[1] != constraint->body[0]);
}

void mb_rows_push_at(MbSim *sim, MbTangent *t) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t i = 0; i < t->rows->nties; i++) {
    MbTangentTie *tie = &t->rows->tie[i];
    const MbConstraint *constraint = &sim->model->constraints[tie->constraint];
    Asked asked;
    memset(tie->K, 0, sizeof tie->K);
    for (size_t k = 0; k < tie->n; k++)
      for (int end = 0; end < 2; end++)
        if (constraint->body[end] != MB_WORLD)
          motion_of(sim, t, &t->rows->row[tie->first + k], constraint->body[end], asked.motion[k][end]);
    const bool told = take_bends(sim, t, tie, &asked);
    for (int end = 0; end < 2 && !told; end++)
      if (has_body(constraint, &set->row[t->rows->row[tie->first].slot], end))
        differentiate(sim, t, tie, &asked, end);
  }
  for (size_t k = 0; k < t->rows->n; k++) {
    MbTangentRow *row = &t->rows->row[k];
    const MbRow *at = &set->row[row->slot];
    mb_row_push(set, row->slot, row->mu, sim->x.f);
    for (int end = 0; end < 2 && at->order == 0; end++)
      for (size_t j = 0; j < 6 && at->body[end] != MB_WORLD; j++) row->L[end][j] += row->pull * at->H[end][j];
  }
}

// ---- masters --------------------------------------------------------------------------------------------------------

// H = ( 0 ; m ) of a master's turn by θ changes by m × θ.
static void change_master(const MbTangentRow *row, const MbRowEnd *end, MbTangent *t) {
  double turned[3];
  mb_vec3_cross(turned, end->H + 3, t->move + 6 * end->body);
  mb_vec3_add_scaled(t->dF + 6 * end->body + 3, t->dF + 6 * end->body + 3, -row->mu, turned);
}

static double ask_master(const MbSim *sim, const MbTangentRow *row, const MbRowEnd *end, const MbTangent *t) {
  const double *m = end->H + 3, *move = t->move + 6 * end->body;
  double turned[3], plus[6], change[6];
  motion_of(sim, t, row, end->body, plus);
  change_of_motion(t, row, end->body, change);
  mb_vec3_cross(turned, m, move);
  return mb_vec3_dot(turned, plus + 3) + row->pull * mb_dot6(end->H, move) + mb_dot6(end->H, change);
}

static void weigh_master(const MbSim *sim, const MbTangentRow *row, const MbRowEnd *end, MbTangent *t) {
  const double *m = end->H + 3, *Z = t->dF + 6 * end->body;
  double *move = t->move + 6 * end->body, felt[3], turned[3], plus[6];
  motion_of(sim, t, row, end->body, plus);
  for (int i = 0; i < 3; i++) felt[i] = row->zeta * plus[3 + i] - row->mu * Z[3 + i];
  mb_vec3_cross(turned, felt, m);
  mb_vec3_add(move, move, turned);
  for (size_t i = 0; i < 6; i++) move[i] += row->zeta * row->pull * end->H[i];
  weigh_motion(t, row, end->body, end->H);
}

// ---- a change -------------------------------------------------------------------------------------------------------

void mb_rows_change(const MbSim *sim, MbTangent *t) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t i = 0; i < t->rows->nties; i++) {
    const MbTangentTie *tie = &t->rows->tie[i];
    const MbRow *at = &set->row[t->rows->row[tie->first].slot];
    for (int end = 0; end < 2; end++)
      for (int by = 0; by < 2; by++) {
        double change[6];
        if (at->body[end] == MB_WORLD || at->body[by] == MB_WORLD) continue;
        mb_mat6_apply(change, tie->K[end][by], t->move + 6 * at->body[by]);
        for (size_t k = 0; k < 6; k++) t->dF[6 * at->body[end] + k] -= change[k];
      }
  }
  for (size_t k = 0; k < t->rows->n; k++) {
    const MbTangentRow *row = &t->rows->row[k];
    for (size_t e = set->end[row->slot]; e < set->end[row->slot + 1]; e++)
      change_master(row, &set->ends[e], t);
  }
}

// What rows about coordinates ask for, by these and by their velocities: a bound that rows go on beyond has −outward g in ġ_t. Of passes it is those at the step's start that a prescribed acceleration is felt by.
static void by_coordinates(const MbSim *sim, const MbTangentRows *rows, const MbTangentRow *row, int k,
                           double *by_q, double *by_v) {
  const MbRow *at = &sim->constraining->set.row[row->slot];
  const double outward = sim->constraining->set.is[row->slot].outward;
  *by_q = at->order == 0 ? (row->pull - row->slip * outward) * at->c[k] : 0;
  *by_v = at->order == 2 && !is_pass(rows->of) ? -row->slip * at->c[k] : 0;
}

void mb_tangent_rows_times(const MbSim *sim, const MbTangent *t, const double *dq, const double *dv,
                           double *out) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t i = 0; i < t->rows->n; i++) {
    const MbTangentRow *row = &t->rows->row[i];
    const MbRow *at = &set->row[row->slot];
    out[i] = 0;
    for (int k = 0; k < 2; k++) {
      double by_q, by_v;
      if (at->body[k] != MB_WORLD) {
        double change[6];
        change_of_motion(t, row, at->body[k], change);
        out[i] += mb_dot6(row->L[k], t->move + 6 * at->body[k]) + mb_dot6(at->H[k], change);
      }
      if (at->c[k] == 0) continue;
      by_coordinates(sim, t->rows, row, k, &by_q, &by_v);
      out[i] += by_q * dq[at->v[k]] + (by_v + row->before * at->c[k]) * dv[at->v[k]];
    }
    for (size_t e = set->end[row->slot]; e < set->end[row->slot + 1]; e++)
      out[i] += ask_master(sim, row, &set->ends[e], t);
  }
}

// ---- backwards ------------------------------------------------------------------------------------------------------

void mb_rows_weigh(const MbSim *sim, MbTangent *t) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t i = 0; i < t->rows->nties; i++) {
    const MbTangentTie *tie = &t->rows->tie[i];
    const MbRow *at = &set->row[t->rows->row[tie->first].slot];
    for (int end = 0; end < 2; end++)
      for (int by = 0; by < 2; by++) {
        double sum[6] = {0};
        if (at->body[end] == MB_WORLD || at->body[by] == MB_WORLD) continue;
        mb_add_transposed(sum, tie->K[end][by], t->dF + 6 * at->body[end]);
        for (size_t k = 0; k < 6; k++) t->move[6 * at->body[by] + k] -= sum[k];
      }
  }
  for (size_t i = 0; i < t->rows->n; i++) {
    const MbTangentRow *row = &t->rows->row[i];
    const MbRow *at = &set->row[row->slot];
    for (int k = 0; k < 2; k++) {
      if (at->body[k] == MB_WORLD) continue;
      for (size_t j = 0; j < 6; j++) t->move[6 * at->body[k] + j] += row->zeta * row->L[k][j];
      weigh_motion(t, row, at->body[k], at->H[k]);
    }
    for (size_t e = set->end[row->slot]; e < set->end[row->slot + 1]; e++)
      weigh_master(sim, row, &set->ends[e], t);
  }
}

void mb_rows_weigh_own(const MbSim *sim, const MbTangent *t, double *dq, double *dv) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t i = 0; i < t->rows->n; i++) {
    const MbTangentRow *row = &t->rows->row[i];
    const MbRow *at = &set->row[row->slot];
    for (int k = 0; k < 2; k++) {
      double by_q, by_v;
      if (at->c[k] == 0) continue;
      by_coordinates(sim, t->rows, row, k, &by_q, &by_v);
      dq[at->v[k]] += row->zeta * by_q, dv[at->v[k]] += row->zeta * (by_v + row->before * at->c[k]);
    }
  }
}

// ---- a number -------------------------------------------------------------------------------------------------------

// H · x of one row, x of the bodies, and C · y of coordinates.
static double along(const MbRow *row, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    if (row->body[k] != MB_WORLD) sum += mb_dot6(row->H[k], x + 6 * row->body[k]);
    if (row->c[k] != 0) sum += row->c[k] * y[row->v[k]];
  }
  return sum;
}

// The same of the masters, as this constraint has them.
static double along_masters(const MbSim *sim, const MbConstraint *constraint, const MbRow *row,
                            const double *x) {
  double sum = 0, m[3];
  for (size_t k = 0; k < constraint->nmasters; k++) {
    const MbMaster *master = &constraint->master[k];
    mb_quat_unrotate(m, sim->x.E[master->body].q, row->along);
    sum += master->weight * mb_vec3_dot(m, x + 6 * master->body + 3);
  }
  return sum;
}

static double of_side(MbSim *sim, const MbTangent *t, const MbTangentTie *tie, MbSim *side, const double *z) {
  const MbConstraint *constraint = &side->model->constraints[tie->constraint];
  MbRow rows[MB_ROWS];
  double sum = 0;
  rows_of(sim, t->rows->of, constraint, sim->constraining->signal, rows);
  for (size_t k = 0; k < tie->n; k++) {
    const MbTangentRow *row = &t->rows->row[tie->first + k];
    const MbRow *at = &rows[row->slot - constraint->slot];
    const double rate =
        along(at, t->linear->phi, t->linear->to) + along_masters(sim, constraint, at, t->linear->phi);
    const double before = is_pass(t->rows->of) ? along(at, sim->x.phi, sim->x.v) +
                                                     along_masters(sim, constraint, at, sim->x.phi)
                                               : 0;
    const MbAsked asked = asked_of(side, t->rows->of, row->slot, at->order, at->g, at->gt, rate, before);
    sum += row->zeta * (asked.b + asked.soft * mb_tangent_rows_span(side, t->rows->of) * row->mu) -
           mb_tangent_row_pushes(row, at) * (along(at, t->dF, z) + along_masters(sim, constraint, at, t->dF));
  }
  return sum;
}

double mb_rows_of_number(MbSim *sim, const MbTangent *t, MbSim *const side[2], const size_t *list, size_t n,
                         const double *z) {
  double sum = 0;
  if (n) mb_rows_signals(sim, t->rows->t);
  for (int s = 0; s < 2 && n; s++) {
    for (size_t i = 0, next = 0; i < t->rows->nties && next < n; i++) {
      while (next < n && list[next] < t->rows->tie[i].constraint) next++;
      if (next < n && list[next] == t->rows->tie[i].constraint)
        sum += (s ? 1 : -1) * of_side(sim, t, &t->rows->tie[i], side[s], z);
    }
  }
  return sum;
}

static double gaps_of_side(MbSim *sim, const MbTangent *t, const MbTangentTie *tie, MbSim *side) {
  const MbConstraint *constraint = &side->model->constraints[tie->constraint];
  MbRow rows[MB_ROWS];
  double sum = 0;
  rows_of(sim, MB_TANGENT_AGREE, constraint, sim->constraining->signal, rows);
  for (size_t k = 0; k < tie->n; k++) {
    const MbTangentRow *row = &t->rows->row[tie->first + k];
    const MbRow *at = &rows[row->slot - constraint->slot];
    if (at->order == 0 && !(side->constraining->set.is[row->slot].alpha > 0)) sum += row->zeta * at->g;
  }
  return sum;
}

double mb_rows_gaps_of_number(MbSim *sim, const MbTangent *t, MbSim *const side[2], const size_t *list,
                              size_t n, double time) {
  double sum = 0;
  if (n) mb_rows_signals(sim, time);
  for (int s = 0; s < 2 && n; s++) {
    for (size_t i = 0, next = 0; i < t->rows->nties && next < n; i++) {
      while (next < n && list[next] < t->rows->tie[i].constraint) next++;
      if (next < n && list[next] == t->rows->tie[i].constraint)
        sum += (s ? 1 : -1) * gaps_of_side(sim, t, &t->rows->tie[i], side[s]);
    }
  }
  return sum;
}

// ---- a signal -------------------------------------------------------------------------------------------------------

static const MbTangentTie *tie_of(const MbTangentRows *rows, size_t constraint) {
  for (size_t i = 0; i < rows->nties; i++)
    if (rows->tie[i].constraint == constraint) return &rows->tie[i];
  return NULL;
}

static double with_signal(MbSim *sim, const MbTangent *t, const MbTangentTie *tie, const double *z) {
  return z ? of_side(sim, t, tie, sim, z) : gaps_of_side(sim, t, tie, sim);
}

// By z, or of gaps, where z is NULL. Rows are straight in rates, however far these are moved.
static void of_signal(MbSim *sim, const MbTangent *t, size_t constraint, size_t signal, double little,
                      const double *z, double by[3]) {
  const MbTangentTie *tie = tie_of(t->rows, constraint);
  for (int k = 0; k < 3 && tie; k++) {
    double *const number = &sim->constraining->signal[3 * signal + (size_t)k], keep = *number;
    const double move = k == 0 ? little : 1e-3 * (1 + fabs(keep));
    if (!(move > 0)) continue;
    *number = keep + move;
    const double more = with_signal(sim, t, tie, z);
    *number = keep - move;
    by[k] += (more - with_signal(sim, t, tie, z)) / (2 * move);
    *number = keep;
  }
}

void mb_rows_of_signal(MbSim *sim, const MbTangent *t, size_t constraint, size_t signal, double little,
                       const double *z, double by[3]) {
  of_signal(sim, t, constraint, signal, little, z, by);
}

void mb_rows_gaps_of_signal(MbSim *sim, const MbTangent *t, size_t constraint, size_t signal, double little,
                            double by[3]) {
  of_signal(sim, t, constraint, signal, little, NULL, by);
}
