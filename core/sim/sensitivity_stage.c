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
// know their gap D is G, exactly. Here is what these matrices are; sensitivity_border.c solves with them, and with their transposes.
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
    if (stage) mb_row_spread(set, s, r->mu[k], y);
    if (stage) r->D[nv * k + j] += share * mb_slope_rows_asked(g->probe, note, s, 0).b;
    if (k >= r->hard) continue;
    mb_row_spread(set, s, r->nu[k], yp);
    r->Dp[nv * k + j] += share * (mb_row_rate(set, s, r->p) + set->row[s].gt);
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
  const double span = note->gamma * sim->model->h;
  for (size_t k = 0; k < r->hard && stage; k++)
    for (size_t j = 0; j < nv && sim->constraining->set.row[r->slot[k]].order == 0; j++)
      r->D[nv * k + j] = r->G[nv * k + j] / span;
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

// Takes hard rows that move nothing out of the list.
static void leave_out_idle(const MbSim *sim, MbSlopeRows *r) {
  const size_t nv = sim->nv, n = r->n, hard = r->hard, row = nv * sizeof *r->G;
  r->n = r->hard = r->nidle = 0;
  for (size_t k = 0; k < n; k++) {
    const double gives = k < hard ? dot(r->G + nv * k, r->Yp + nv * k, nv) : 0;
    if (k < hard && mb_row_idle(sim, &sim->constraining->set, r->slot[k], gives)) {
      r->idle[r->nidle++] = r->slot[k];
      continue;
    }
    const size_t to = r->n++;
    r->slot[to] = r->slot[k], r->mu[to] = r->mu[k];
    r->gives[to] = r->gives[k], r->velocity[to] = r->velocity[k];
    memmove(r->G + nv * to, r->G + nv * k, row);
    if (k >= hard) continue;
    memmove(r->Yp + nv * to, r->Yp + nv * k, row);
    r->hard++;
  }
}

// The system of ν and p, and its solution; then how all rows change.
static bool agree(MbSensitivity *g, const MbStageNote *note, const double *q, bool stage) {
  MbSlopeRows *r = g->rows;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  mb_slope_rows_make_at(g, sim, note, q);
  if (!measure(sim)) return false;
  mb_slope_rows_list(g, note, stage);
  memcpy(r->Yp, r->G, r->hard * nv * sizeof *r->G);
  for (size_t k = 0; k < r->hard; k++)
    if (!sim->solver->apply(sim->work, r->Yp + nv * k, NULL, NULL)) return false;
  leave_out_idle(sim, r);
  for (size_t k = 0; k < r->hard; k++) {
    const size_t s = r->slot[k];
    for (size_t i = 0; i < r->hard; i++) r->Sp.S[r->hard * k + i] = dot(r->G + nv * k, r->Yp + nv * i, nv);
    r->asked[0][k] = -mb_row_rate(&sim->constraining->set, s, note->w) - sim->constraining->set.row[s].gt;
  }
  mb_ranked_factor(&r->Sp, r->hard);
  mb_ranked_solve(&r->Sp, r->asked[0], r->nu);
  memset(r->x, 0, nv * sizeof *r->x);
  for (size_t k = 0; k < r->hard; k++)
    for (size_t i = 0; i < nv; i++) r->x[i] += r->nu[k] * r->Yp[nv * k + i];
  for (size_t i = 0; i < nv; i++) r->p[i] = note->w[i] + r->x[i];
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
  mb_slope_rows_guess(g, mb_section(g->probe, MB_SECTION_CLOSURES));
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
      r->B[nv * k + j] = dot(r->D + nv * k, moved, nv) + r->velocity[k] * r->G[nv * k + j];
  }
  if (note->agrees) add_felt(g, r->move);
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
  memcpy(r->Y, r->G, r->n * nv * sizeof *r->G);
  for (size_t k = 0; k < r->n; k++) mb_lu_solve(r->A, nv, r->pivot, r->Y + nv * k);
  for (size_t i = 0; i < r->n; i++)
    for (size_t k = 0; k < r->n; k++)
      r->S.S[r->n * i + k] = dot(r->B + nv * i, r->Y + nv * k, nv) + (i == k ? r->gives[k] : 0);
  mb_ranked_factor(&r->S, r->n);
  return true;
}
