// Rows of constraints in steps under solver "maximal" (sensitivity_held.c): G v⁺ + σ g_t + π g + s (G drift + g_tt) + E μ = 0 of those that take part, both
// ways, pressing, or of dry friction that sticks; what slips pushes with all that it may, and asks for nothing. Those that the solver holds with the joints have their ζ from its solution; of the others, with Y = h A⁻¹ Gᵀ along what joints leave free,
//
//   Sᵀ ζ = −Yᵀ w̄,   S = G Y + E,     w̄ ← w̄ + Gᵀ ζ
//
// What  ζ · r − μ · G z  of a constraint is felt by where its bodies are and how they move is a difference along motions and twists of its two bodies, some
// 1e-10 off; about coordinates it goes to the joints' sums as weights of these.
#include "core/constraints/constraints.h"
#include "core/model/coordinates.h"
#include "core/sim/claims.h"
#include "core/sim/ask_steps.h"
#include "core/sim/evaluate.h"
#include "core/sim/kept_moves.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"
#include "core/sim/tangent_rows.h"

#include <math.h>
#include <string.h>

const char *mb_held_rows_refuse(const MbModel *model) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    if (model->constraints[i].dry && model->constraints[i].ops != &mb_frictionloss_ops)
      return "under solver \"maximal\" there is no way back through friction inside joints, which goes by "
             "their loads";
    if (model->constraints[i].nmasters)
      return "under solver \"maximal\" there is no way back through bodies that follow several others";
  }
  return NULL;
}

bool mb_held_rows_make(MbSensitivity *g) {
  const MbModel *model = g->sim->model;
  const size_t n = model->nslots, nv = g->sim->nv;
  if (!n) return true;
  MbHeldRows *r = g->held->rows = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r) return false;
  r->row = mb_arena_alloc(&g->arena, n, sizeof *r->row);
  r->G = mb_arena_alloc(&g->arena, n * nv + 1, sizeof(double));
  r->Y = mb_arena_alloc(&g->arena, n * nv + 1, sizeof(double));
  r->y = mb_arena_alloc(&g->arena, nv + 1, sizeof(double));
  r->asked = mb_arena_alloc(&g->arena, n, sizeof(double));
  r->q = mb_arena_alloc(&g->arena, model->nq + 1, sizeof(double));
  r->v = mb_arena_alloc(&g->arena, model->nv + 1, sizeof(double));
  const bool fine = r->row && r->G && r->Y && r->y && r->asked && r->q && r->v;
  return fine && mb_held_kept_make(g, r) && mb_ranked_create(&g->arena, &r->S, n);
}

// ---- what rows ask for --------------------------------------------------------------------------------------------

// A row's terms in a simulation, on the side of its bound where it is at `gap`; false: it takes no part.
static bool find_terms(const MbSim *sim, double gap, MbHeldRow *row) {
  const MbRowTerms *is = &sim->constraining->set.is[row->slot];
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  const MbAskRow none = {.order = row->order,
                         .g = gap,
                         .one_way = is->kind == MB_ROW_ONE_WAY,
                         .alpha = is->alpha,
                         .beta = is->beta,
                         .outward = is->outward,
                         .target = is->target,
                         .turns = is->turns};
  MbAskRow further = none, sliding = none, bent = none;
  further.g += gap > 0 ? 1 : -1, sliding.gt = 1, bent.drift = 1;
  const MbAsked asked = mb_ask_velocities(&asking, &none);
  row->pull = (mb_ask_velocities(&asking, &further).b - asked.b) * (gap > 0 ? 1 : -1);
  row->slip = mb_ask_velocities(&asking, &sliding).b - asked.b;
  row->bend = mb_ask_velocities(&asking, &bent).b - asked.b;
  row->soft = asked.soft * sim->model->h;
  return asked.takes;
}

static void list(MbSensitivity *g, const double *forces) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  const MbModel *model = sim->model;
  r->n = r->ntied = 0;
  for (size_t i = 0; i < model->nconstraints; i++)
    for (size_t s = model->constraints[i].slot; s < model->constraints[i].slot + model->constraints[i].rows;
         s++) {
      const MbRowTerms *is = &sim->constraining->set.is[s];
      const MbRow *at = &sim->constraining->set.row[s];
      MbHeldRow *row = &r->row[r->n];
      if (is->kind == MB_ROW_ONE_WAY && !(forces[s] > 0)) continue;
      *row = (MbHeldRow){
          .constraint = i, .slot = s, .claimed = is->claimed, .order = at->order, .mu = forces[s]};
      if (is->kind == MB_ROW_DRY) row->slips = mb_tangent_row_slips(sim, s, row->mu);
      row->tied = SIZE_MAX;
      if (!row->slips && !find_terms(sim, at->g, row)) continue;
      if (!row->slips && is->claimed == MB_WORLD) row->tied = r->ntied++;
      row->kept = mb_kept_rate(sim, &model->constraints[i]);
      r->n++;
    }
}

// ---- at a step ------------------------------------------------------------------------------------------------------

static double free_of(const MbModel *model, const double *G) {
  double sum = 0;
  for (size_t i = 0; i < 6 * model->nb; i++)
    if (G[i] != 0 && model->M[i] > 0) sum += G[i] * G[i] / model->M[i];
  return sum;
}

// G and Y of the rows that are not held with the joints. False: A has no inverse.
static bool respond(MbSensitivity *g) {
  MbHeldRows *r = g->held->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  for (size_t k = 0; k < r->n; k++) {
    if (r->row[k].tied == SIZE_MAX) continue;
    double *G = r->G + nv * r->row[k].tied, *Y = r->Y + nv * r->row[k].tied;
    memset(G, 0, nv * sizeof *G);
    mb_row_spread(&sim->constraining->set, r->row[k].slot, 1, G);
    for (size_t i = 0; i < nv; i++) Y[i] = sim->model->h * G[i];
    if (!sim->solver->apply(sim->work, Y, NULL, NULL)) return false;
    const double nothing = sim->solver->claims->nothing * sim->model->h * free_of(sim->model, G);
    if (fabs(mb_slope_dot(G, Y, nv)) > nothing) {
      if (r->row[k].kept) mb_held_kept_row(g, &r->row[k]);
      continue;
    }
    memset(G, 0, nv * sizeof *G), memset(Y, 0, nv * sizeof *Y);
    memset(r->moved + nv * r->row[k].tied, 0, nv * sizeof *r->moved);
  }
  return true;
}

// Whether a row that has not pressed gives way to nothing, as joints and rows hold what it is about, where S has been factored.
static bool is_held(MbSensitivity *g, size_t s) {
  static const double NONE = 1e-9; // of what it would give way by alone
  MbHeldRows *r = g->held->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  double *G = g->less, *Y = g->more, *x = r->asked;
  memset(G, 0, nv * sizeof *G);
  mb_row_spread(&sim->constraining->set, s, 1, G);
  for (size_t i = 0; i < nv; i++) Y[i] = sim->model->h * G[i];
  if (!sim->solver->apply(sim->work, Y, NULL, NULL)) return true;
  const double alone = mb_slope_dot(G, Y, nv);
  double gives = alone;
  for (size_t k = 0; k < r->ntied; k++) x[k] = mb_slope_dot(r->G + nv * k, Y, nv);
  mb_ranked_solve(&r->S, x, x);
  for (size_t k = 0; k < r->ntied; k++) gives -= x[k] * mb_slope_dot(r->Y + nv * k, G, nv);
  return gives <= NONE * alone;
}

// Limits and ropes that were about to let go, and dry friction that was about to slip, where S stands but has not been factored.
static void look_for_ends(MbSensitivity *g, const double *to) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  r->near = SIZE_MAX;
  for (size_t k = 0; k < r->n; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRowKind kind = sim->constraining->set.is[row->slot].kind;
    if (row->tied == SIZE_MAX) continue;
    if (kind == MB_ROW_DRY && mb_slope_about_to_slip(sim, row->slot, row->mu)) r->near = row->slot;
    if (kind == MB_ROW_ONE_WAY &&
        mb_slope_about_to_let_go(sim, row->slot, row->mu, r->S.S[(r->ntied + 1) * row->tied], to))
      r->near = row->slot;
  }
}

// Those that were about to press, and dry friction that was about to stick, where it has.
static void look_for_holds(MbSensitivity *g, const double *from, const double *to) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  for (size_t s = 0, k = 0; s < sim->model->nslots; s++) {
    const MbHeldRow *row = k < r->n && r->row[k].slot == s ? &r->row[k++] : NULL;
    const bool near =
        row ? row->slips && mb_slope_about_to_stick(sim, s, from, to)
            : sim->constraining->set.is[s].kind == MB_ROW_ONE_WAY && mb_slope_about_to_press(sim, s, to);
    if (near && !is_held(g, s)) r->near = s;
  }
}

void mb_held_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  MbHeldRows *r = g->held->rows;
  if (!r || r->told || r->near == SIZE_MAX) return;
  r->told = true;
  mb_slope_tell_near(g->sim, r->near, t, step, report);
}

bool mb_held_rows_at(MbSensitivity *g, const MbTurn *turn, double *lambda) {
  MbHeldBack *held = g->held;
  MbHeldRows *r = held->rows;
  MbSim *sim = g->probe;
  const MbStageNote *note = &turn->note[0];
  const size_t nv = sim->nv, nguess = sim->model->nguess;
  if (!r) return true;
  r->t = turn->t, r->guess = turn->guess;
  if (nguess) memcpy(mb_section(sim, MB_SECTION_CLOSURES), turn->guess, nguess * sizeof(double));
  mb_rows_make(sim, sim->x.q, note->from, turn->t, sim->model->h);
  list(g, note->impulse + held->nclaimed);
  mb_held_kept_at(g, turn);
  if (!respond(g)) return false;
  for (size_t i = 0; i < r->n; i++)
    for (size_t k = 0; k < r->n; k++) {
      const MbHeldRow *one = &r->row[i], *other = &r->row[k];
      if (one->tied == SIZE_MAX || other->tied == SIZE_MAX) continue;
      r->S.S[r->ntied * one->tied + other->tied] =
          mb_slope_dot(r->G + nv * one->tied, r->Y + nv * other->tied, nv) + (i == k ? one->soft : 0);
    }
  look_for_ends(g, note->w);
  mb_ranked_factor(&r->S, r->ntied);
  look_for_holds(g, note->from, note->w);
  if (sim->constraining->claims) return true; // what they make joints push is told
  memset(r->y, 0, nv * sizeof *r->y);
  for (size_t k = 0; k < r->n; k++)
    mb_row_spread(&sim->constraining->set, r->row[k].slot, sim->model->h * r->row[k].mu, r->y);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  if (!sim->solver->apply(sim->work, r->y, held->none, held->zeta)) return false;
  for (size_t i = 0; i < held->nclaimed; i++) lambda[i] += held->zeta[i];
  return true;
}

void mb_held_rows_weigh(MbSensitivity *g, double *w) {
  MbHeldRows *r = g->held->rows;
  const size_t nv = g->probe->nv;
  if (!r) return;
  for (size_t k = 0; k < r->ntied; k++) r->asked[k] = -mb_slope_dot(r->Y + nv * k, w, nv);
  mb_ranked_solve_transposed(&r->S, r->asked, r->asked);
  for (size_t k = 0; k < r->ntied; k++)
    for (size_t i = 0; i < nv; i++) w[i] += r->asked[k] * r->G[nv * k + i];
}

// ---- what constraints are felt by -----------------------------------------------------------------------------------

// Of all bodies: at the step's start, to come, and weights of the equations.
typedef struct Twists {
  const double *phi, *plus, *z;
} Twists;

// ζ · r − μ · G z of the rows [first, end) of a constraint, as they are in another simulation by `rows`; `own`: with the terms that they have there.
static double sum_of(MbSensitivity *g, const MbSim *side, const Twists *twists, const MbRow *rows,
                     size_t first, size_t end, bool own) {
  const MbHeldBack *held = g->held;
  const MbSim *sim = g->probe;
  const double *turns = sim->solver->map->turns(sim->work);
  double sum = 0;
  for (size_t k = first; k < end; k++) {
    MbHeldRow row = held->rows->row[k];
    const MbRow *at = &rows[row.slot - sim->model->constraints[row.constraint].slot];
    double rate = 0, drift = 0, z = 0;
    if (row.slips) row.mu = row.slips * at->most;
    if (own && !row.slips) find_terms(side, sim->constraining->set.row[row.slot].g, &row);
    for (int e = 0; e < 2; e++) {
      double fall[6];
      if (at->body[e] != MB_WORLD) {
        mb_twist_drift(twists->phi + 6 * at->body[e], fall);
        for (size_t i = 0; i < 6; i++) {
          rate += at->H[e][i] * twists->plus[6 * at->body[e] + i];
          z += at->H[e][i] * twists->z[6 * at->body[e] + i];
          drift += at->H[e][i] * fall[i];
        }
      }
      if (at->c[e] == 0) continue;
      if (!row.kept) rate += at->c[e] * held->rate_plus[at->v[e]];
      z += at->c[e] * held->rate_z[at->v[e]];
      drift += at->c[e] * turns[at->v[e]];
    }
    sum += row.zeta * (rate + row.slip * at->gt + row.pull * at->g + row.bend * (drift + at->gtt) +
                       row.soft * row.mu) -
           row.mu * z;
  }
  return sum;
}

// The sum of a constraint where the probe's bodies are.
static double sum_here(MbSensitivity *g, size_t first, size_t end) {
  const MbConstraint *constraint = &g->probe->model->constraints[g->held->rows->row[first].constraint];
  const Twists twists = {g->probe->x.phi, g->held->plus, g->held->z};
  MbRow rows[MB_ROWS];
  mb_rows_of(g->probe, constraint, g->probe->constraining->signal, g->probe->model->h, g->probe->model->h,
             rows);
  return sum_of(g, g->probe, &twists, rows, first, end, false);
}

// Along motions of one of its bodies, whose twists stay what they are in its axes.
static void along_moves(MbSensitivity *g, size_t first, size_t end, size_t body) {
  static const double MOVE = 1e-5;
  MbPose *E = &g->probe->x.E[body];
  const MbPose here = *E;
  for (size_t k = 0; k < 6; k++)
    for (int side = -1; side <= 1; side += 2) {
      double move[6] = {0};
      MbPose moved;
      move[k] = side * MOVE;
      mb_se3_exp(&moved, move);
      mb_pose_mul(E, &here, &moved);
      g->held->move[6 * body + k] += side * sum_here(g, first, end) / (2 * MOVE);
    }
  *E = here;
}

// Along its twists.
static void along_twists(MbSensitivity *g, size_t first, size_t end, size_t body, double by_phi[6]) {
  double *phi = g->probe->x.phi + 6 * body, fastest = 1;
  for (size_t k = 0; k < 6; k++) fastest = fmax(fastest, fabs(phi[k]));
  for (size_t k = 0; k < 6; k++) {
    const double here = phi[k], move = 1e-3 * fastest;
    phi[k] = here + move;
    const double more = sum_here(g, first, end);
    phi[k] = here - move;
    by_phi[k] += (more - sum_here(g, first, end)) / (2 * move);
    phi[k] = here;
  }
}

// y += s B x, or of its transposed.
static void add_bend(double s, const double B[36], bool transposed, const double x[6], double y[6]) {
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 6; k++) y[i] += s * B[transposed ? 6 * k + i : 6 * i + k] * x[k];
}

// The same of rows that tell how H changes, at once for both bodies: with δH = B ε what of g̈ no acceleration makes is  φ · B φ  beside H · drift. False: they do not tell it.
static bool told_twists(MbSensitivity *g, size_t first, size_t end, double by_phi[2][6]) {
  MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[g->held->rows->row[first].constraint];
  MbRowBend bend[MB_ROWS];
  if (!mb_rows_bend(sim, constraint, bend)) return false;
  for (size_t r = first; r < end; r++) {
    const MbHeldRow *row = &g->held->rows->row[r];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    const double share = row->zeta * row->bend;
    for (int e = 0; e < 2; e++) {
      const size_t body = constraint->body[e];
      if (body == MB_WORLD) continue;
      const double *phi = sim->x.phi + 6 * body;
      double turned[3]; // H · drift = H_v · (v × ω)
      mb_vec3_cross(turned, at->H[e] + 3, phi + 3);
      mb_vec3_add_scaled(by_phi[e], by_phi[e], share, turned);
      mb_vec3_cross(turned, phi, at->H[e] + 3);
      mb_vec3_add_scaled(by_phi[e] + 3, by_phi[e] + 3, share, turned);
      for (int by = 0; by < 2; by++) {
        const double *B = bend[row->slot - constraint->slot].by[e][by];
        if (constraint->body[by] == MB_WORLD) continue;
        add_bend(share, B, false, sim->x.phi + 6 * constraint->body[by], by_phi[e]);
        add_bend(share, B, true, phi, by_phi[by]);
      }
    }
  }
  return true;
}

// Of velocities whose linear part is in the world's axes: what twists, by which rows' rates are, make of a turn of a body. `by_phi` is what the twist now is felt by.
static void add_turns(MbSensitivity *g, size_t first, size_t end, size_t body, const double by_phi[6]) {
  MbHeldBack *held = g->held;
  const MbSim *sim = g->probe;
  double by[3][3] = {{0}}, turned[3];
  mb_vec3_copy(by[0], by_phi + 3);
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &held->rows->row[k];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2; e++) {
      if (at->body[e] != body) continue;
      mb_vec3_add_scaled(by[1], by[1], row->zeta, at->H[e] + 3);
      mb_vec3_add_scaled(by[2], by[2], -row->mu, at->H[e] + 3);
    }
  }
  const double *const twist[3] = {sim->x.phi, held->plus, held->z};
  for (int i = 0; i < 3; i++) {
    mb_vec3_cross(turned, by[i], twist[i] + 6 * body + 3);
    mb_vec3_add(held->move + 6 * body, held->move + 6 * body, turned);
  }
}

static void of_bodies(MbSensitivity *g, size_t first, size_t end) {
  const MbConstraint *constraint = &g->probe->model->constraints[g->held->rows->row[first].constraint];
  double by_phi[2][6] = {{0}};
  const bool told = told_twists(g, first, end, by_phi);
  for (int e = 0; e < 2; e++) {
    const size_t body = constraint->body[e];
    if (body == MB_WORLD || (e == 1 && body == constraint->body[0])) continue;
    along_moves(g, first, end, body);
    if (!told) along_twists(g, first, end, body, by_phi[e]);
    for (size_t i = 0; i < 6; i++) g->held->phi[6 * body + i] += by_phi[e][i];
    add_turns(g, first, end, body, by_phi[e]);
  }
}

// Weights of their rates at the step's start: a prescribed acceleration asks for the rate that it makes of that one.
static void of_rates(MbSensitivity *g, size_t first, size_t end) {
  MbHeldBack *held = g->held;
  MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[held->rows->row[first].constraint];
  const double *const v = sim->x.v;
  memcpy(held->rows->v, v, sim->model->nv * sizeof *v);
  sim->x.v = held->rows->v;
  for (size_t e = 0; e < constraint->ops->coordinates; e++) {
    double *moved = &held->rows->v[constraint->v[e]];
    const double here = *moved;
    *moved = here + 1;
    const double more = sum_here(g, first, end);
    *moved = here - 1;
    held->by_rate[constraint->v[e]] += (more - sum_here(g, first, end)) / 2;
    *moved = here;
  }
  sim->x.v = v;
}

// Weights of the coordinates that a constraint's rows are about.
static void of_coordinates(MbSensitivity *g, size_t first, size_t end) {
  static const double MOVE = 1e-5;
  MbHeldBack *held = g->held;
  MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[held->rows->row[first].constraint];
  const double *const q = sim->x.q;
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &held->rows->row[k];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2; e++) {
      if (at->c[e] == 0) continue;
      (row->kept ? held->by_q : held->by_plus)[at->v[e]] +=
          row->zeta * at->c[e] * (row->kept ? -1 / sim->model->h : 1);
      held->by_z[at->v[e]] -= row->mu * at->c[e];
      held->by_turn[at->v[e]] += row->zeta * row->bend * at->c[e];
    }
  }
  memcpy(held->rows->q, q, sim->model->nq * sizeof *q);
  sim->x.q = held->rows->q;
  for (size_t e = 0; e < constraint->ops->coordinates; e++) {
    double *moved = &held->rows->q[constraint->q[e]];
    const double here = *moved;
    *moved = here + MOVE;
    const double more = sum_here(g, first, end);
    *moved = here - MOVE;
    held->by_q[constraint->v[e]] += (more - sum_here(g, first, end)) / (2 * MOVE);
    *moved = here;
  }
  sim->x.q = q;
  if (constraint->order == 2) of_rates(g, first, end);
}

static size_t end_of(const MbHeldRows *r, size_t first) {
  size_t end = first;
  while (end < r->n && r->row[end].constraint == r->row[first].constraint) end++;
  return end;
}

void mb_held_rows_back(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  MbHeldRows *r = held->rows;
  if (!r) return;
  for (size_t k = 0; k < r->n; k++)
    r->row[k].zeta = r->row[k].slips              ? 0
                     : r->row[k].tied == SIZE_MAX ? held->zeta[r->row[k].claimed]
                                                  : r->asked[r->row[k].tied];
  for (size_t first = 0; first < r->n; first = end_of(r, first)) {
    const bool about = g->probe->model->constraints[r->row[first].constraint].ops->coordinates > 0;
    (about ? of_coordinates : of_bodies)(g, first, end_of(r, first));
  }
}

// As a side has them, with the bodies where the probe's are (mb_held_side).
static double of_side(MbSensitivity *g, MbSim *side, size_t first, size_t end) {
  const MbSim *sim = g->probe;
  const MbConstraint *constraint = &side->model->constraints[g->held->rows->row[first].constraint];
  const size_t nguess = side->model->nguess;
  MbHeldBack *held = g->held;
  const Twists twists = {held->side_phi, held->side_plus, held->side_z};
  const MbMaximal own = side->x;
  MbRow rows[MB_ROWS];
  if (nguess) memcpy(mb_section(side, MB_SECTION_CLOSURES), g->held->rows->guess, nguess * sizeof(double));
  side->half_way = sim->half_way;
  side->x.E = held->side_E, side->x.phi = held->side_phi, side->x.q = sim->x.q, side->x.v = sim->x.v;
  mb_rows_of(side, constraint, side->constraining->signal, side->model->h, side->model->h, rows);
  side->x = own;
  return sum_of(g, side, &twists, rows, first, end, true);
}

double mb_held_rows_number(MbSensitivity *g, size_t k, size_t only) {
  MbSim *const side[2] = {g->slopes[k].less, g->slopes[k].more};
  MbHeldRows *r = g->held->rows;
  double sum = 0;
  for (int s = 0; s < 2 && r; s++) {
    mb_rows_signals(side[s], r->t);
    mb_held_side(g, k, s);
    for (size_t first = 0; first < r->n; first = end_of(r, first))
      if (only == SIZE_MAX || only == r->row[first].constraint)
        sum += (s ? 1 : -1) * of_side(g, side[s], first, end_of(r, first));
  }
  return sum;
}

double mb_held_row_asked(MbSensitivity *g, size_t k, size_t row) {
  MbSim *const side[2] = {g->slopes[k].less, g->slopes[k].more};
  MbHeldRow *at = &g->held->rows->row[row];
  const MbHeldRow own = *at;
  double sum = 0;
  if (!mb_tangent_number_rows(g->held->number[k].of)) return 0;
  at->zeta = 1, at->mu = 0;
  for (int s = 0; s < 2; s++) {
    mb_rows_signals(side[s], g->held->rows->t);
    mb_held_side(g, k, s);
    sum += (s ? 1 : -1) * of_side(g, side[s], row, row + 1);
  }
  *at = own;
  return sum / (2 * g->number[k].move);
}
