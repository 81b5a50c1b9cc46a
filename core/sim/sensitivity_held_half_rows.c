// Constraints, limits, ropes and prescribed motion in steps of the midpoint rule under solver "maximal", back through the run (sensitivity_held_halves.c): in a pass, that changes velocities w by z, rows ask at q_k (ask.c)
//
//   hard         G z + g(q ⊕ h w)/h = 0,     of rates  G (w + z) + g_t = 0
//   soft         G (w + z) + (g − θ h G w)/way + E μ = 0
//
// beside the rows of joints, and push by Gᵀ μ; at the end of the step  A x = Jᵀ λ + Gᵀ ν,  G v⁺ + g_t = 0.  Of one way those are rows of a pass that have pushed in it, and of the end those that have pushed then, as the step has noted them, with what they have pushed (half_notes.h). Those that the solver holds with the joints have
// their μ and ζ from its solutions. Of the others, with Y = s A⁻¹ Gᵀ along what joints leave free and S = G Y + E,
//
//   Sᵀ ζ = −Yᵀ w̄
//
// A step in which something is struck is passes of one stage over all of it, q_k = q ⊕ h w, s = h. Gaps where w leads are a list of their own there, weighed by the same ζ.
#include "core/sim/claims.h"
#include "core/sim/evaluate.h"
#include "core/sim/half_notes.h"
#include "core/sim/sensitivity_held.h"

#include <math.h>
#include <string.h>

bool mb_held_half_rows_make(MbSensitivity *g, MbSim *measure) {
  MbHeldBack *held = g->held;
  held->begun = mb_arena_alloc(&g->arena, measure->model->nv + 1, sizeof *held->begun);
  return held->begun && mb_held_rows_create(g, measure, MB_HELD_GAPS, &held->gaps) &&
         mb_held_rows_create(g, measure, MB_HELD_AGREED, &held->end);
}

// Has joints that close loops begin where they did.
static void remember_closures(MbSim *sim, const double *guess) {
  const size_t n = sim->model->nguess;
  if (n) memcpy(mb_section(sim, MB_SECTION_CLOSURES), guess, n * sizeof *guess);
}

// Takes those listed, which have pushed as has been noted, to where A is factored, and adds what they push to y. False: A has no inverse.
static bool stand(MbSensitivity *g, MbHeldRows *r, double *y) {
  const size_t nv = r->sim->nv;
  if (!mb_held_rows_respond(g, r)) return false;
  mb_ranked_factor(&r->S, r->ntied);
  for (size_t k = 0; k < r->n; k++) {
    MbHeldRow *row = &r->row[k];
    for (size_t i = 0; i < nv && row->tied != SIZE_MAX; i++) y[i] += row->mu * r->G[nv * row->tied + i];
    row->mu /= r->scale;
  }
  return true;
}

// Finds what hard rows push that have made x of y where the run begins, which nobody notes, and adds it to y. False: A has no inverse.
static bool find_pushes(MbSensitivity *g, MbHeldRows *r, const double *x, double *y) {
  MbHeldBack *held = g->held;
  MbSim *sim = r->sim;
  const size_t nv = sim->nv;
  if (!stand(g, r, y)) return false;
  memcpy(r->y, y, nv * sizeof *y);
  sim->solver->claims->speeds(sim->work, x, held->zeta);
  if (!sim->solver->apply(sim->work, r->y, held->zeta, held->lambda)) return false;
  for (size_t i = 0; i < nv; i++) r->y[i] = x[i] - r->y[i];
  for (size_t k = 0; k < r->ntied; k++) r->asked[k] = mb_slope_dot(r->G + nv * k, r->y, nv);
  mb_ranked_solve(&r->S, r->asked, r->asked);
  for (size_t k = 0; k < r->n; k++) {
    const size_t tied = r->row[k].tied;
    if (tied == SIZE_MAX) continue;
    r->row[k].mu = r->asked[tied];
    for (size_t i = 0; i < nv; i++) y[i] += r->scale * r->asked[tied] * r->G[nv * tied + i];
  }
  return true;
}

bool mb_held_half_rows_at(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass, double *y) {
  MbHeldRows *r = g->held->rows;
  MbSim *sim = g->probe;
  const double h = sim->model->h;
  if (!r) return true;
  r->whole = *mb_half_notes(g->sim, turn->noted).blow != 0;
  const MbHalf half = r->whole
                          ? (MbHalf){.here = true, .impulse = h, .span = h, .t = turn->t, .from = turn->noted}
                          : (MbHalf){.theta = 0.5, .impulse = h / 2};
  r->t = pass->t, r->guess = turn->guess, r->scale = r->h = g->span;
  remember_closures(sim, turn->guess);
  mb_rows_make_half(sim, &half, sim->q1, turn->noted, turn->begin);
  mb_held_rows_list(r, pass->impulse);
  return stand(g, r, y);
}

bool mb_held_half_rows_end(MbSensitivity *g, const double *q, double t, const double *guess,
                           const double *pushed, const double *x, double *y) {
  MbHeldRows *r = g->held->end;
  if (!r) return true;
  r->t = t, r->guess = guess, r->scale = r->sim->model->h / 2;
  remember_closures(r->sim, guess);
  mb_rows_make(r->sim, q, x, t, 0);
  memset(r->asked, 0, r->sim->model->nslots * sizeof *r->asked);
  mb_held_rows_list(r, pushed ? pushed : r->asked);
  return pushed ? stand(g, r, y) : find_pushes(g, r, x, y);
}

// ---- prescribed accelerations: passes ask for the rates that the step begins with, V(q) v ---------------------------

void mb_held_half_rows_begun(MbSensitivity *g) {
  MbHeldRows *r = g->held->rows;
  for (size_t k = 0; r && k < r->n; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &r->sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2 && row->order == 2 && !r->whole; e++)
      if (at->c[e] != 0) g->held->begun[at->v[e]] -= row->zeta * at->c[e];
  }
}

bool mb_held_half_rows_begin_back(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  if (!held->rows || !held->rotors) return true;
  MbSim *sim = held->gaps->sim;
  const size_t size = sim->model->nv * sizeof *held->begun;
  mb_sim_kinematics(sim, turn->q, turn->noted);
  held->here = sim, held->slopes = NULL;
  memset(held->by_q, 0, size), memcpy(held->by_rate, held->begun, size);
  if (!mb_held_frame_back(g, turn->q, b->q, b->v)) return false;
  for (size_t i = 0; i < b->nrest; i++) {
    double sum = 0;
    if (!mb_held_frame_number(g, b->rest[i], turn->q, &sum)) return false;
    b->out[b->rest[i]] += sum / (2 * g->number[b->rest[i]].move);
  }
  return true;
}

// ---- what is about to do otherwise --------------------------------------------------------------------------------

// Notes a row that was about to let go in a pass, or to strike no more.
static void look_for_ends(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = r->sim;
  const double *struck = mb_half_notes(g->sim, turn->noted).struck;
  for (size_t k = 0; k < r->n; k++) {
    const MbHeldRow *row = &r->row[k];
    if (row->tied == SIZE_MAX || sim->constraining->set.is[row->slot].kind != MB_ROW_ONE_WAY) continue;
    const size_t at = sim->nv * row->tied;
    const double free = mb_slope_dot(r->G + at, r->Y + at, sim->nv) + row->soft;
    const double blow = struck[row->slot] / sim->model->h;
    if (mb_slope_about_to_let_go(sim, row->slot, row->mu, free, pass->w)) r->near = row->slot;
    if (blow > 0 && mb_slope_about_to_let_go(sim, row->slot, blow, free, pass->w)) r->near = row->slot;
  }
}

// Whether a row that has not pushed was about to, by its gap where velocities come to lead.
static bool about_to_press(const MbSensitivity *g, size_t s, const MbStageNote *pass) {
  static const double NEAR = 1e-6; // as in sensitivity_tied_near.c
  const MbHeldRows *r = g->held->rows;
  const MbRowSet *set = &r->sim->constraining->set;
  const MbRow *at = &set->row[s];
  const double h = r->sim->model->h, gap = g->held->gaps->sim->constraining->set.row[s].g;
  if (set->is[s].alpha > 0) return fabs(at->g) <= NEAR * at->size;
  return h * (mb_row_rate(set, s, pass->w) - mb_row_rate(set, s, pass->from)) + gap <= NEAR * h * at->size;
}

void mb_held_half_rows_lead(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass) {
  MbHeldRows *r = g->held->rows, *to = g->held->gaps;
  if (!r) return;
  const MbRowTerms *is = r->sim->constraining->set.is;
  to->t = turn->t, to->guess = turn->guess;
  remember_closures(to->sim, turn->guess);
  mb_rows_make(to->sim, to->sim->x.q, pass->from, turn->t, 0);
  to->n = r->n, to->ntied = r->ntied;
  for (size_t k = 0; k < r->n; k++) {
    to->row[k] = r->row[k], to->row[k].mu = 0;
    mb_held_row_terms(to, to->sim, 0, &to->row[k]);
  }
  look_for_ends(g, turn, pass);
  for (size_t s = 0; s < r->sim->model->nslots; s++)
    if (is[s].kind == MB_ROW_ONE_WAY && !(pass->impulse[s] > 0) && about_to_press(g, s, pass) &&
        !mb_held_rows_is_held(g, s))
      r->near = s;
}
