// With rows a stage is  τ(q₁, f, a; p) = Gᵀ μ,  r(q₁, w; p) + E μ = 0  (newton_rows.c; E of rows that give way), where forces feel f = w, or where the stage
// agrees those velocities p next to w, as M measures, that satisfy the rows where it ends; and with those the step goes on:
//
//   M (p − w) = Gᵀ ν,   G p + ġ_t = 0                                                                      all at q₁
//
// Along a motion δ₁ of q₁, the two are by the implicit function theorem
//
//   A dw − Gᵀ dμ = −( (∂τ/∂q − C) δ₁⁰ + … + ∂τ/∂p − ∂(Gᵀ μ)/∂p ),     B dw + E dμ = −( D δ₁⁰ + ∂r/∂p ),     C = ∂(Gᵀ μ)/∂q,  D = ∂r/∂q
//   M δp − Gᵀ δν = M δw − ∂(M x)/∂q δ₁ + C_p δ₁ − …,                  G δp = −( D_p δ₁ + … ),                x = p − w
//
// of which A and B hold what w moves: δ₁ = δ₁⁰ + γ h T δw. C, C_p, D and D_p are differences of the rows along each coordinate, some 1e-10 off; of rows that
// know their gap D is G, exactly. A row that prescribes an acceleration ẍ asks of w for the rate of the velocities v* that the stage begins with,  r = G (w − v*) − γ h ẍ,  and p keeps its rate,
// G (p − w) = 0. Limits and ropes are rows of the stage where they have pressed in it, and of p where they have pushed for it to agree, each with no regard to the other; a step in which one is struck is one stage of bdf1
// (scheme_stages.c). Here is what these matrices are; sensitivity_border.c solves with them, and with their transposes.
#include "core/sim/sensitivity_rows.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"

#include <string.h>

// ---- how they change along each coordinate --------------------------------------------------------------------------

static void add_side(MbSensitivity *g, const MbStageNote *note, bool stage, size_t j, double share) {
  MbSlopeRows *r = g->rows;
  const MbRowSet *set = &g->probe->constraining->set;
  const size_t nv = g->probe->nv;
  double *y = r->wrench[0], *yp = r->wrench[1];
  memset(y, 0, nv * sizeof *y), memset(yp, 0, nv * sizeof *yp);
  for (size_t k = 0; k < r->n; k++) {
    const size_t s = r->slot[k];
    if (stage && r->takes[k]) {
      mb_row_spread(set, s, r->mu[k], y);
      r->D[nv * k + j] += share * mb_slope_rows_asked(g->probe, note, s, 0).b;
    }
    if (k >= r->nagreed) continue;
    mb_row_spread(set, s, r->nu[k], yp);
    r->Dp[nv * k + j] += share * mb_slope_rows_agree(g, g->probe, k, r->p, r->x);
  }
  for (size_t i = 0; i < nv; i++) r->C[nv * j + i] += share * y[i], r->Cp[nv * j + i] += share * yp[i];
}

static void differentiate(MbSensitivity *g, const MbStageNote *note, const double *q, bool stage) {
  static const double MOVE = 1e-5; // m, rad
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  memset(r->C, 0, nv * nv * sizeof *r->C), memset(r->Cp, 0, nv * nv * sizeof *r->Cp);
  memset(r->D, 0, r->n * nv * sizeof *r->D), memset(r->Dp, 0, r->n * nv * sizeof *r->Dp);
  memset(r->one, 0, nv * sizeof *r->one);
  for (size_t j = 0; j < nv; j++) {
    r->one[j] = 1;
    for (int side = -1; side <= 1; side += 2) {
      memcpy(r->q, q, sim->nq * sizeof *q);
      mb_coordinates_advance(sim->model, r->q, side * MOVE, r->one, 0, sim->model->nb);
      mb_slope_rows_make_at(g, sim, note, r->q);
      add_side(g, note, stage, j, side / (2 * MOVE));
    }
    r->one[j] = 0;
  }
  mb_slope_rows_make_at(g, sim, note, q);
  const double span = note->gamma * sim->model->h;
  for (size_t k = 0; k < r->n && stage; k++) {
    const size_t s = r->slot[k];
    const bool knows = r->takes[k] && !(r->gives[k] > 0) && sim->constraining->set.row[s].order == 0;
    for (size_t j = 0; j < nv && knows; j++) r->D[nv * k + j] = r->G[nv * k + j] / span;
  }
}

// ---- velocities that agree ------------------------------------------------------------------------------------------

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// Takes the solver's factor to M where the bodies are.
static bool measure(MbSim *sim) {
  size_t blame = 0;
  return sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame);
}

// Takes hard rows that move nothing out of the list; of one way such rows have not pushed.
static void leave_out_idle(const MbSim *sim, MbSlopeRows *r) {
  const size_t nv = sim->nv, n = r->n, nagreed = r->nagreed, row = nv * sizeof *r->G;
  r->n = r->nagreed = r->nidle = 0;
  for (size_t k = 0; k < n; k++) {
    const double gives = k < nagreed ? dot(r->G + nv * k, r->Yp + nv * k, nv) : 0;
    if (k < nagreed && mb_row_idle(sim, &sim->constraining->set, r->slot[k], gives)) {
      r->idle[r->nidle++] = r->slot[k];
      continue;
    }
    const size_t to = r->n++;
    r->slot[to] = r->slot[k], r->mu[to] = r->mu[k];
    r->takes[to] = r->takes[k], r->keeps[to] = r->keeps[k];
    r->gives[to] = r->gives[k], r->velocity[to] = r->velocity[k];
    memmove(r->G + nv * to, r->G + nv * k, row);
    if (k >= nagreed) continue;
    memmove(r->Yp + nv * to, r->Yp + nv * k, row);
    r->nagreed++;
  }
}

// ν and p, of the rows listed, where M is factored. False: it has no inverse.
static bool find_agreed(MbSensitivity *g, const MbStageNote *note) {
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  memcpy(r->Yp, r->G, r->nagreed * nv * sizeof *r->G);
  for (size_t k = 0; k < r->nagreed; k++)
    if (!sim->solver->apply(sim->work, r->Yp + nv * k, NULL, NULL)) return false;
  leave_out_idle(sim, r);
  for (size_t k = 0; k < r->nagreed; k++) {
    for (size_t i = 0; i < r->nagreed; i++)
      r->Sp.S[r->nagreed * k + i] = dot(r->G + nv * k, r->Yp + nv * i, nv);
    r->asked[0][k] = -mb_slope_rows_agree(g, sim, k, note->w, r->zero);
  }
  mb_ranked_factor(&r->Sp, r->nagreed);
  mb_ranked_solve(&r->Sp, r->asked[0], r->nu);
  memset(r->x, 0, nv * sizeof *r->x);
  for (size_t k = 0; k < r->nagreed; k++)
    for (size_t i = 0; i < nv; i++) r->x[i] += r->nu[k] * r->Yp[nv * k + i];
  for (size_t i = 0; i < nv; i++) r->p[i] = note->w[i] + r->x[i];
  return true;
}

// The system of ν and p, and its solution; then how all rows change.
static bool agree(MbSensitivity *g, const MbStageNote *note, const double *q, bool stage) {
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  mb_slope_rows_make_at(g, sim, note, q);
  if (!measure(sim)) return false;
  mb_slope_rows_list(g, note, stage);
  if (!find_agreed(g, note)) return false;
  mb_sim_kinematics(sim, q, r->zero);
  mb_tangent_inertia_at(sim, r->still, r->x, NULL);
  mb_tangent_columns(sim, r->still, r->zero, 1, 0, 0, r->Q);
  differentiate(g, note, q, stage);
  for (size_t i = 0; i < nv * nv; i++) r->Q[i] -= r->Cp[i];
  return true;
}

bool mb_slope_start(MbSensitivity *g, const double *q, const double *v, MbStageNote *start) {
  MbSlopeRows *r = g->rows;
  memcpy(r->felt, v, g->sim->nv * sizeof *v);
  memcpy(g->q1, q, g->sim->nq * sizeof *q);
  mb_slope_rows_step(g, mb_section(g->probe, MB_SECTION_CLOSURES), NULL);
  *start = (MbStageNote){.gamma = 1, .t = 0, .from = r->felt, .w = r->felt};
  if (!agree(g, start, g->q1, false)) return false;
  mb_sim_kinematics(g->probe, g->q1, r->zero);
  return measure(g->probe);
}

// ---- the stage ------------------------------------------------------------------------------------------------------

// Where forces feel p: r->P ← how it changes with w, in all, and A's part by v with it.
static void add_felt(MbSensitivity *g, const double *along) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  mb_tangent_columns(g->probe, g->tangent, r->zero, 0, 1, 0, r->V);
  for (size_t j = 0; j < nv; j++) {
    double *P = r->P + nv * j;
    r->one[j] = 1;
    mb_slope_project(g, r->one, along + nv * j, false, P);
    r->one[j] = 0;
    for (size_t i = 0; i < nv; i++)
      for (size_t k = 0; k < nv; k++) r->A[nv * j + k] += P[i] * r->V[nv * i + k];
  }
}

// A and B, of how coordinates move with each velocity of the stage: r->move (nv x nv).
static void matrices(MbSensitivity *g, const MbStageNote *note) {
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  const double span = note->gamma * sim->model->h;
  mb_tangent_columns(sim, g->tangent, g->step, span, note->agrees ? 0 : 1, 1 / span, r->A);
  for (size_t j = 0; j < nv; j++) {
    double *moved = r->move + nv * j;
    r->one[j] = span;
    mb_tangent_moved(sim, g->step, r->zero, r->one, moved);
    r->one[j] = 0;
    for (size_t i = 0; i < nv; i++)
      for (size_t k = 0; k < nv && moved[i] != 0; k++) r->A[nv * j + k] -= r->C[nv * i + k] * moved[i];
    for (size_t k = 0; k < r->n; k++)
      r->B[nv * k + j] = r->takes[k] ? dot(r->D + nv * k, moved, nv) + r->velocity[k] * r->G[nv * k + j] : 0;
  }
  if (note->agrees) add_felt(g, r->move);
}

// Y and S, where A has been factored.
static void respond(MbSlopeRows *r, size_t nv) {
  for (size_t k = 0; k < r->n; k++) {
    memset(r->Y + nv * k, 0, nv * sizeof *r->Y);
    if (!r->takes[k]) continue;
    memcpy(r->Y + nv * k, r->G + nv * k, nv * sizeof *r->Y);
    mb_lu_solve(r->A, nv, r->pivot, r->Y + nv * k);
  }
  for (size_t i = 0; i < r->n; i++)
    for (size_t k = 0; k < r->n; k++)
      r->S.S[r->n * i + k] = dot(r->B + nv * i, r->Y + nv * k, nv) + (i == k ? r->gives[k] : 0);
}

bool mb_slope_rows_at(MbSensitivity *g, const MbStageNote *note) {
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  if (!agree(g, note, g->q1, true)) return false;
  memcpy(r->felt, note->agrees ? r->p : note->w, nv * sizeof *r->felt);
  mb_sim_kinematics(sim, g->q1, r->felt);
  mb_tangent_at(sim, g->tangent, r->felt, g->a, note->t, NULL);
  if (!measure(sim)) return false;
  matrices(g, note);
  if (!mb_lu_factor(r->A, nv, r->pivot)) return false;
  respond(r, nv);
  mb_slope_rows_look_for_ends(g, note);
  mb_ranked_factor(&r->S, r->n);
  mb_slope_rows_look_for_holds(g, note);
  return true;
}
