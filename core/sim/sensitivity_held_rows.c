// Rows of constraints in steps under solver "maximal" (sensitivity_held.c): G v⁺ + σ g_t + π g + s (G drift + g_tt) + E μ = 0 of those that take part, both
// ways, pressing, or of dry friction that sticks; what slips pushes with all that it may, and asks for nothing. Those that the solver holds with the joints have their ζ from its solution; of the others, with Y = h A⁻¹ Gᵀ along what joints leave free,
//
//   Sᵀ ζ = −Yᵀ w̄,   S = G Y + E,     w̄ ← w̄ + Gᵀ ζ
//
// What  ζ · r − μ · G z  of a constraint is felt by where its bodies are and how they move is a difference along motions and twists of its two bodies, some
// 1e-10 off; about coordinates it goes to the joints' sums as weights of these.
#include "core/constraints/joint_friction.h"
#include "core/model/coordinates.h"
#include "core/sim/claims.h"
#include "core/sim/ask_steps.h"
#include "core/sim/dry.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"
#include "core/sim/tangent_rows.h"

#include <math.h>
#include <string.h>

const char *mb_held_rows_refuse(const MbModel *model) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    if (model->constraints[i].nmasters)
      return "under solver \"maximal\" there is no way back through bodies that follow several others";
  }
  return NULL;
}

bool mb_held_rows_create(MbSensitivity *g, MbSim *sim, MbHeldAt at, MbHeldRows **out) {
  const MbModel *model = sim->model;
  const size_t n = model->nslots, nv = sim->nv;
  if (!n) return true;
  MbHeldRows *r = *out = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r) return false;
  r->sim = sim, r->at = at, r->near = SIZE_MAX;
  const bool instant = at == MB_HELD_AGREED || at == MB_HELD_GAPS;
  r->scale = instant ? 1 : model->h;
  r->h = instant ? 0 : model->h, r->turn = at == MB_HELD_ONCE ? model->h : 0;
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

// What is asked of the rows of a simulation, whose numbers may be a side's.
static MbAsking asking_of(const MbHeldRows *r, const MbSim *sim) {
  if (r->at == MB_HELD_ONCE) return mb_asking(sim, MB_ASK_VELOCITIES);
  if (r->at == MB_HELD_AGREED) return mb_asking(sim, MB_ASK_END);
  const bool here = r->at == MB_HELD_STAGE || r->whole;
  const MbHalf half = {.here = here, .theta = 0.5, .impulse = r->scale, .span = r->scale};
  return mb_asking_half(sim, &half);
}

// Where a pass leads a row has its gap alone.
static bool gap_terms(const MbHeldRows *r, const MbSim *sim, MbHeldRow *row) {
  const bool aims = row->order == 0 && !(sim->constraining->set.is[row->slot].alpha > 0);
  row->rate = row->slip = row->bend = row->soft = row->before = 0;
  row->pull = aims ? 1 / r->sim->model->h : 0;
  return true;
}

bool mb_held_row_terms(const MbHeldRows *r, const MbSim *sim, double gap, MbHeldRow *row) {
  if (r->at == MB_HELD_GAPS) return gap_terms(r, sim, row);
  const MbRowTerms *is = &sim->constraining->set.is[row->slot];
  const MbAsking asking = asking_of(r, sim);
  const double way = gap > 0 ? 1 : -1;
  const MbAskRow none = {.order = row->order,
                         .g = gap,
                         .g1 = r->at == MB_HELD_PASS ? 0 : gap, // where that leads
                         .one_way = is->kind == MB_ROW_ONE_WAY,
                         .alpha = is->alpha,
                         .beta = is->beta,
                         .outward = is->outward,
                         .target = is->target,
                         .turns = is->turns,
                         .pushed = true}; // else it is not listed
  MbAskRow further = none, sliding = none, bent = none, faster = none, begun = none;
  further.g += way, further.g1 += r->at == MB_HELD_PASS ? 0 : way, sliding.gt = 1, bent.drift = 1;
  faster.rate = begun.rate = 1, faster.last = r->at == MB_HELD_PASS ? 1 : 0;
  const MbAsked asked = mb_ask(&asking, &none);
  row->pull = (mb_ask(&asking, &further).b - asked.b) * way;
  row->slip = mb_ask(&asking, &sliding).b - asked.b;
  row->bend = mb_ask(&asking, &bent).b - asked.b;
  row->rate = mb_ask(&asking, &faster).b - asked.b;
  row->before = r->at == MB_HELD_PASS ? mb_ask(&asking, &begun).b - asked.b : 0;
  row->soft = asked.soft * r->scale;
  if (mb_held_row_accelerates(r, row)) row->rate = row->before = 0; // it asks for V a + V̇ w in its place
  return asked.takes;
}

void mb_held_rows_list(MbHeldRows *r, const double *forces) {
  const MbSim *sim = r->sim;
  const MbModel *model = sim->model;
  const double largest = mb_dry_largest(sim);
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
      if (is->kind == MB_ROW_DRY)
        row->slips =
            mb_dry_slips(sim, &model->constraints[i], s - model->constraints[i].slot, row->mu, largest);
      row->loaded = row->slips && model->constraints[i].ops == &mb_joint_friction_ops;
      row->tied = SIZE_MAX, row->kept = !row->slips && mb_held_kept_is(r, &model->constraints[i]);
      if (!row->slips && !mb_held_row_terms(r, sim, at->g, row)) continue;
      if (row->kept) row->rate = 0; // it asks for the move in its place
      if ((!row->slips || row->loaded) && is->claimed == MB_WORLD) row->tied = r->ntied++;
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
static bool respond(MbSensitivity *g, MbHeldRows *r) {
  MbSim *sim = r->sim;
  const size_t nv = sim->nv;
  for (size_t k = 0; k < r->n; k++) {
    if (r->row[k].tied == SIZE_MAX) continue;
    double *G = r->G + nv * r->row[k].tied, *Y = r->Y + nv * r->row[k].tied;
    memset(G, 0, nv * sizeof *G);
    mb_row_spread(&sim->constraining->set, r->row[k].slot, 1, G);
    for (size_t i = 0; i < nv; i++) Y[i] = r->scale * G[i];
    if (!sim->solver->apply(sim->work, Y, NULL, NULL)) return false;
    const double nothing = sim->solver->claims->nothing * r->scale * free_of(sim->model, G);
    if (fabs(mb_slope_dot(G, Y, nv)) > nothing) {
      if (r->row[k].kept) mb_held_kept_row(g, &r->row[k]);
      if (r->row[k].loaded && !mb_held_rubbed_row(g, &r->row[k])) return false;
      continue;
    }
    r->row[k].idle = true;
    memset(G, 0, nv * sizeof *G), memset(Y, 0, nv * sizeof *Y);
    if (r->row[k].kept) memset(r->before + nv * r->row[k].tied, 0, nv * sizeof *r->before);
  }
  return true;
}

bool mb_held_rows_is_held(MbSensitivity *g, size_t s) {
  MbHeldRows *r = g->held->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  double *G = g->less, *Y = g->more, *x = r->asked;
  memset(G, 0, nv * sizeof *G);
  mb_row_spread(&sim->constraining->set, s, 1, G);
  for (size_t i = 0; i < nv; i++) Y[i] = r->scale * G[i];
  if (!sim->solver->apply(sim->work, Y, NULL, NULL)) return true;
  return mb_slope_is_held(&(MbHolding){r->ntied, nv, r->G, r->Y, &r->S}, G, Y, x);
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
    if (kind == MB_ROW_DRY && !row->slips && mb_slope_about_to_slip(sim, row->slot, row->mu))
      r->near = row->slot;
    if (kind == MB_ROW_ONE_WAY &&
        mb_slope_about_to_let_go(sim, row->slot, row->mu, r->S.S[(r->ntied + 1) * row->tied], to))
      r->near = row->slot;
  }
}

// Where a stage ends the gap there tells, else what the row asks for.
static bool about_to_press(const MbHeldRows *r, size_t s, const double *to) {
  if (r->sim->constraining->set.is[s].kind != MB_ROW_ONE_WAY) return false;
  return r->at == MB_HELD_STAGE ? mb_slope_about_to_press_there(r->sim, s, r->scale, to)
                                : mb_slope_about_to_press(r->sim, s, to);
}

// Those that were about to press, and dry friction that was about to stick, where it has.
static void look_for_holds(MbSensitivity *g, const double *from, const double *to) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  for (size_t s = 0, k = 0; s < sim->model->nslots; s++) {
    const MbHeldRow *row = k < r->n && r->row[k].slot == s ? &r->row[k++] : NULL;
    const bool near =
        row ? row->slips && mb_slope_about_to_stick(sim, s, from, to) : about_to_press(r, s, to);
    if (near && !mb_held_rows_is_held(g, s)) r->near = s;
  }
}

// Those by which the step would have been struck no more, and made of other stages.
static void look_for_blows(MbHeldRows *r, const double *struck, const double *to) {
  for (size_t k = 0; k < r->n; k++) {
    const MbHeldRow *row = &r->row[k];
    const double push = struck[row->slot] / r->scale;
    if (row->tied == SIZE_MAX || !(push > 0)) continue;
    if (mb_slope_about_to_let_go(r->sim, row->slot, push, r->S.S[(r->ntied + 1) * row->tied], to))
      r->near = row->slot;
  }
}

void mb_held_rows_factor(MbSensitivity *g, const double *from, const double *to, const double *struck) {
  MbHeldRows *r = g->held->rows;
  look_for_ends(g, to);
  if (struck) look_for_blows(r, struck, to);
  mb_ranked_factor(&r->S, r->ntied);
  look_for_holds(g, from, to);
}

void mb_held_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  MbHeldRows *r = g->held->rows;
  if (!r || r->told || r->near == SIZE_MAX) return;
  r->told = true;
  mb_slope_tell_near(g->sim, r->near, t, step, report);
}

bool mb_held_rows_respond(MbSensitivity *g, MbHeldRows *r) {
  const size_t nv = r->sim->nv;
  if (!respond(g, r)) return false;
  for (size_t i = 0; i < r->n; i++)
    for (size_t k = 0; k < r->n; k++) {
      const MbHeldRow *one = &r->row[i], *other = &r->row[k];
      if (one->tied == SIZE_MAX || other->tied == SIZE_MAX) continue;
      r->S.S[r->ntied * one->tied + other->tied] =
          mb_slope_dot(r->G + nv * one->tied, r->Y + nv * other->tied, nv) + (i == k ? one->soft : 0);
    }
  mb_held_rubbed_fill(g);
  return true;
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
  mb_held_rubbed_step(g, note->impulse + held->nclaimed + sim->model->nslots);
  mb_rows_make(sim, sim->x.q, note->from, turn->t, sim->model->h);
  mb_dry_begin(sim);
  mb_held_rows_list(r, note->impulse + held->nclaimed);
  mb_held_rubbed_begin(g, note->impulse + held->nclaimed);
  mb_held_kept_at(g, turn);
  if (!mb_held_rows_respond(g, r)) return false;
  mb_held_rows_factor(g, note->from, note->w, NULL);
  if (!mb_held_rubbed_settled(g)) return false;
  if (sim->constraining->claims) return true; // what they make joints push is told
  memset(r->y, 0, nv * sizeof *r->y);
  for (size_t k = 0; k < r->n; k++)
    mb_row_spread(&sim->constraining->set, r->row[k].slot, sim->model->h * r->row[k].mu, r->y);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  if (!sim->solver->apply(sim->work, r->y, held->none, held->zeta)) return false;
  for (size_t i = 0; i < held->nclaimed; i++) lambda[i] += held->zeta[i];
  return true;
}

void mb_held_rows_weigh(MbHeldRows *r, double *w) {
  const size_t nv = r->sim->nv;
  for (size_t k = 0; k < r->ntied; k++) r->asked[k] = -mb_slope_dot(r->Y + nv * k, w, nv);
  mb_ranked_solve_transposed(&r->S, r->asked, r->asked);
  for (size_t k = 0; k < r->ntied; k++)
    for (size_t i = 0; i < nv; i++) w[i] += r->asked[k] * r->G[nv * k + i];
}
