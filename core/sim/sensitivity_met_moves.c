// Back through the moves that part what is deep behind a step (sensitivity_met.c). What is deep is parted behind a step by  M dq = Gᵀ λ,  G dq + g = 0  of the contacts that part it (touch_part.c), each move with
//
//   z = M⁻¹ (ȳ + Gᵀ ζ),  G z = 0,   q̄ += ∂/∂q ( −z M dq + λ G z + ζ (G dq + g) )
//
// where ȳ is what dq is felt by. Rows of constraints that hold something beside them are more such equations (sensitivity_met_rows.c).
//
// What velocities get back of momentum behind the moves is in sensitivity_met_kept.c.
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>
#include <string.h>

static const char *const GONE = "contacts are not where they were beside it",
                         *const OTHERS = "constraints have held what was parted";

static bool lost(MbSensitivity *g, const char *why) {
  g->parted = why;
  return false;
}

// G and Y of the rows of constraints, behind those of contacts; false: M has no inverse.
static bool add_rows(MbSensitivity *g, MbSim *sim, const MbTouchMove *move, const double *v) {
  MbMet *met = g->met;
  const size_t nv = sim->nv;
  mb_met_rows_make(g, sim, move, move->q, v);
  for (size_t i = 0; i < move->nrows; i++) {
    double *G = met->G + nv * (met->pushed->n + i), *Y = met->Y + nv * (met->pushed->n + i);
    memset(G, 0, nv * sizeof *G);
    mb_row_spread(&sim->constraining->set, move->row[i], 1, G);
    memcpy(Y, G, nv * sizeof *Y);
    if (!sim->solver->apply(sim->work, Y, NULL, NULL)) return false;
  }
  return true;
}

// ζ of a move that is felt by met->y, of its contacts and then of its other rows, into met->asked.
static void solve_border(MbMet *met, size_t n) {
  const size_t nv = met->width;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) met->S.S[n * i + k] = mb_slope_dot(met->G + nv * i, met->Y + nv * k, nv);
  mb_ranked_factor(&met->S, n);
  for (size_t i = 0; i < n; i++) met->asked[i] = -mb_slope_dot(met->Y + nv * i, met->y, nv);
  mb_ranked_solve(&met->S, met->asked, met->asked);
}

// ζ and z of a move that is felt by met->y; the bodies of `beside` are where it begins.
static bool solve_move(MbSensitivity *g, const MbTouchMove *move, const double *v) {
  MbMet *met = g->met;
  MbSim *sim = met->beside;
  const size_t nv = sim->nv;
  size_t blame = 0;
  if (!mb_met_reserve(g, move->pushed.n + move->nrows)) return lost(g, "memory is out");
  if (!mb_met_look(sim, move->q, v, &move->pushed, NULL, met->seen[0])) return lost(g, GONE);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame) ||
      !mb_met_press(g, sim, &move->pushed, 1, 1, NULL) || !add_rows(g, sim, move, v))
    return false;
  const size_t n = met->pushed->n;
  solve_border(met, n + move->nrows);
  memcpy(met->z, met->y, nv * sizeof *met->z);
  memset(met->mu, 0, 3 * n * sizeof *met->mu), memset(met->zeta, 0, 3 * n * sizeof *met->zeta);
  for (size_t i = 0; i < n + move->nrows; i++)
    for (size_t k = 0; k < nv; k++) met->z[k] += met->asked[i] * met->G[nv * i + k];
  for (size_t i = 0; i < n; i++)
    met->mu[3 * i] = -met->pushed->touch[i].lambda[0], met->zeta[3 * i] = met->asked[i], met->pull[i] = 1;
  return sim->solver->apply(sim->work, met->z, NULL, NULL);
}

// What it changes of −z M dq by what joints have of inertia of their own.
static double rotors_number(const MbSensitivity *g, size_t k, const MbMetSum *sum) {
  const MbModel *less = g->slopes[k].less->model, *more = g->slopes[k].more->model;
  double all = 0;
  for (size_t i = 0; i < g->sim->nv && mb_tangent_number_rotors(g->slopes[k].number); i++)
    all -= sum->z[i] * sum->w[i] *
           ((more->rotors ? more->joint_inertia[i] : 0) - (less->rotors ? less->joint_inertia[i] : 0));
  return all / (2 * g->number[k].move);
}

static bool move_number(MbSensitivity *g, size_t k, const MbTouchMove *move, const double *v,
                        const MbMetSum *sum, double *out) {
  const MbSlope *slope = &g->slopes[k];
  if (!slope->meets && !mb_tangent_number_masses(slope->number)) return true;
  for (int s = 0; s < 2; s++) {
    MbSim *side = mb_slope_side(slope, s);
    MbSeen *seen = g->met->seen[1 + s];
    const double *q = mb_axes_q(slope->axes, s, move->q);
    const MbMetSum own = mb_met_of_side(g->met, slope, s, sum);
    if (!mb_met_look(side, q, mb_axes_v(slope->axes, s, MB_AXES_FROM, v), sum->pushed, g->met->seen[0], seen))
      return lost(g, GONE);
    out[k] += (s ? 1 : -1) / (2 * g->number[k].move) * mb_met_sum_at(g->met, side, q, &own, seen);
  }
  return mb_met_sides_smooth(g, move->q, sum) || lost(g, GONE);
}

static bool move_back(MbSensitivity *g, const MbTouchMove *move, const double *v, double *q, double *out) {
  MbMet *met = g->met;
  if (!move->plain) return lost(g, OTHERS);
  mb_tangent_moved_transposed(g->sim, move->dq, q, g->move, met->y);
  if (!solve_move(g, move, v)) return false;
  memcpy(q, g->move, g->sim->nv * sizeof *q);
  const MbMetRows rows = {move, g->tied ? g->tied->left : NULL};
  if (move->nrows) memcpy(g->tied->left, met->asked + met->pushed->n, move->nrows * sizeof *rows.zeta);
  mb_met_rows_felt(met, &rows, q);
  const MbMetSum sum = {.pushed = met->pushed,
                        .mu = met->mu,
                        .zeta = met->zeta,
                        .pull = met->pull,
                        .z = met->z,
                        .w = move->dq,
                        .rows = move->nrows ? &rows : NULL,
                        .parts = true};
  if (!mb_met_slope(g, move->q, &sum, q)) return lost(g, GONE);
  for (size_t k = 0; k < g->count; k++) {
    out[k] += mb_met_rows_number(g, &g->slopes[k], &sum, v, g->number[k].move) + rotors_number(g, k, &sum);
    if (!move_number(g, k, move, v, &sum, out)) return false;
  }
  return true;
}

bool mb_met_moves_back(MbSensitivity *g, const MbMeeting *meeting, const double *q1, const double *v1,
                       double *q, double *v, double *out) {
  const MbTouchMoves *moves = &meeting->moves;
  double *first = g->met->first;
  if (moves->kept.any && !mb_met_kept_back(g, moves, q1, q, v, first, out)) return false;
  for (int i = moves->n - 1; i >= 0; i--)
    if (!move_back(g, &moves->move[i], v1, q, out)) return false;
  for (size_t i = 0; i < g->sim->nv && moves->kept.any; i++) q[i] += first[i];
  return true;
}
