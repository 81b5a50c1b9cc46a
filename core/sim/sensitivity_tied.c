// Rows of constraints in steps of one linear solution (sensitivity_once.c): with what they push, μ, and what they ask of the velocities to come, r,
//
//   τ(q, v, a; p) + d y + h k v⁺ = Gᵀ μ,   r = G v⁺ + σ g_t + π g + E μ = 0                  G, g and g_t at the step's start (tangent_rows.c)
//
// of the rows that take part: those of both ways, of one way those that press, and of dry friction those that stick, which is the branch that the step has taken; what slips pushes with all that it may. With x = −h A⁻¹ (…) what the velocities would change by without a change of μ,
//
//   dv⁺ = x + Y dμ,   Y = h A⁻¹ Gᵀ,     S dμ = −(δr + ∂r/∂p + G x),   S = G Y + E
//
// and backwards, w̄ being what dv⁺ is felt by:  Sᵀ ζ = −Yᵀ w̄,  z = −h A⁻¹ (w̄ + Gᵀ ζ). Rows that say the same as others leave no pivot, and push no other; those that move nothing have no G.
#include "core/sim/sensitivity_tied.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/sim/sensitivity_opened.h"
#include "core/sim/sensitivity_rubbed.h"

#include <string.h>

const char *mb_slope_tied_refuse(const MbModel *model) {
  if (model->nslots && model->solver.stabilization.kind == MB_POST)
    return "there are no exact ones of positions that \"stabilization\" corrects after each step";
  return NULL;
}

bool mb_slope_tied_make(MbSensitivity *g) {
  const MbSim *sim = g->probe;
  const size_t n = sim->model->nslots, nv = sim->nv;
  if (!g->once || !n) return true;
  MbTied *t = g->tied = mb_arena_alloc(&g->arena, 1, sizeof *t);
  if (!t) return false;
  t->near = SIZE_MAX;
  t->wide = g->beside && sim->model->nports ? sim->width : nv;
  t->G = mb_arena_alloc(&g->arena, n * t->wide, sizeof(double));
  t->Y = mb_arena_alloc(&g->arena, n * t->wide, sizeof(double));
  for (int i = 0; i < 2; i++)
    if (!(t->one[i] = mb_arena_alloc(&g->arena, t->wide, sizeof(double)))) return false;
  t->forces = mb_arena_alloc(&g->arena, n, sizeof(double));
  t->asked = mb_arena_alloc(&g->arena, n, sizeof(double));
  t->y = mb_arena_alloc(&g->arena, nv, sizeof(double));
  t->pushed = mb_arena_alloc(&g->arena, nv, sizeof(double));
  t->r = mb_arena_alloc(&g->arena, n, sizeof(double));
  t->left = mb_arena_alloc(&g->arena, n, sizeof(double));
  t->guess = mb_arena_alloc(&g->arena, sim->model->nguess + 1, sizeof(double));
  const bool ok = t->G && t->Y && t->forces && t->asked && t->y && t->pushed && t->r && t->left && t->guess;
  return ok && mb_ranked_create(&g->arena, &t->S, n) && mb_tangent_rows_make(g->probe, g->tangent) &&
         mb_slope_rubbed_make(g);
}

void mb_slope_tied_step(MbSensitivity *g, const double *guess, const double *forces, double end) {
  const MbModel *model = g->sim->model;
  if (!g->tied) return;
  if (model->nguess) memcpy(g->tied->guess, guess, model->nguess * sizeof *guess);
  memcpy(g->tied->forces, forces, model->nslots * sizeof *forces);
  g->tied->end = end;
}

// ---- at a step ------------------------------------------------------------------------------------------------------

void mb_slope_tied_at(MbSensitivity *g, const MbStageNote *note) {
  if (!g->tied) return;
  mb_slope_tied_look(g, g->probe);
  mb_tangent_rows_list(g->probe, g->tangent, note->from, note->w, g->tied->end, g->tied->forces);
}

bool mb_slope_tied_respond(MbSensitivity *g) {
  MbTied *t = g->tied;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const double span = mb_tangent_rows_span(sim, rows->of);
  const size_t nv = t->wide, n = rows->n;
  for (size_t k = 0; k < n; k++) {
    double *G = t->G + nv * k, *Y = t->Y + nv * k;
    memset(G, 0, nv * sizeof *G);
    memset(Y, 0, nv * sizeof *Y);
    if (rows->row[k].slips && !rows->row[k].loaded) continue;
    if (!mb_slope_tied_row(g, rows->row[k].slot, span, G, Y)) return false;
    if (!mb_row_idle(sim, &sim->constraining->set, rows->row[k].slot, mb_slope_dot(G, Y, nv))) continue;
    memset(G, 0, nv * sizeof *G), memset(Y, 0, nv * sizeof *Y);
    mb_tangent_rows(g->tangent)->row[k].idle = true;
  }
  return true;
}

void mb_slope_tied_fill(MbSensitivity *g) {
  MbTied *t = g->tied;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = t->wide, n = rows->n;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      t->S.S[n * i + k] = mb_slope_dot(t->G + nv * i, t->Y + nv * k, nv) + (i == k ? rows->row[k].soft : 0);
  mb_slope_rubbed_fill(g, t->S.S, n);
}

bool mb_slope_tied_factor(MbSensitivity *g, const MbStageNote *note) {
  if (!g->tied) return true;
  if (!mb_slope_tied_respond(g) || !mb_slope_rubbed_at(g)) return false;
  mb_slope_tied_fill(g);
  mb_slope_tied_look_for_ends(g, note->w);
  mb_ranked_factor(&g->tied->S, mb_tangent_rows(g->tangent)->n);
  if (!mb_slope_rubbed_settled(g)) return false;
  mb_slope_tied_look_for_holds(g, note->from, note->w);
  return true;
}

// ---- what a number changes ------------------------------------------------------------------------------------------

// Of Gᵀ μ and of r.
void mb_slope_tied_sides(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *start,
                         double time, double move) {
  MbTied *t = g->tied;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  MbSim *const side[2] = {slope->less, slope->more};
  memset(t->y, 0, g->sim->nv * sizeof *t->y), memset(t->r, 0, rows->n * sizeof *t->r);
  if (!mb_tangent_number_rows(slope->number)) return;
  for (int s = 0; s < 2; s++) {
    const double share = (s ? 1 : -1) / (2 * move);
    const MbStageNote seen = mb_slope_side_note(slope, s, note);
    double *pushed = t->pushed;
    memset(pushed, 0, g->sim->nv * sizeof *pushed);
    mb_slope_tied_look(g, side[s]);
    mb_tangent_rows_place(side[s], rows->of, mb_axes_q(slope->axes, s, g->q1),
                          mb_axes_v(slope->axes, s, MB_AXES_FELT, start), time);
    for (size_t k = 0; k < rows->n; k++) {
      const MbRowSet *set = &side[s]->constraining->set;
      const size_t slot = rows->row[k].slot;
      mb_row_spread(set, slot, share * mb_tangent_row_pushes(&rows->row[k], &set->row[slot]), pushed);
      if (!rows->row[k].slips)
        t->r[k] += share * mb_tangent_row_asked(side[s], rows->of, &rows->row[k], seen.from, seen.w);
    }
    mb_axes_return(slope->axes, s, pushed);
    for (size_t i = 0; i < g->sim->nv; i++) t->y[i] += pushed[i];
  }
}

void mb_slope_tied_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move) {
  const MbTied *t = g->tied;
  if (t)
    mb_slope_tied_sides(g, slope, note, t->start ? t->start : note->from, t->start ? t->begin : t->end, move);
}

// The same, weighed, where all forces of both sides tell (mb_tangent_number_jumps).
double mb_slope_tied_number_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                                 const double *z) {
  double sum = 0;
  if (!g->tied) return 0;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  mb_slope_tied_number(g, slope, note, move);
  for (size_t k = 0; k < rows->n; k++) sum += rows->row[k].zeta * g->tied->r[k];
  return sum - mb_slope_dot(z, g->tied->y, g->sim->nv);
}

// ---- along, and backwards -------------------------------------------------------------------------------------------

void mb_slope_tied_opens(MbSensitivity *g, const MbSlope *slope) {
  MbTied *t = g->tied;
  if (!t || !mb_tangent_number_rows(slope->number)) return;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t k = 0; k < rows->n; k++)
    t->left[k] = t->r[k] + (t->halves ? t->halves->gap[rows->row[k].slot] : 0);
  mb_ranked_left(&t->S, t->left, t->left);
  for (size_t k = 0; k < rows->n; k++)
    if (!rows->row[k].slips) mb_slope_opens(g, slope, g->probe, rows->row[k].slot, t->left[k]);
}

void mb_slope_tied_pushed(const MbSensitivity *g, double *tau) {
  for (size_t i = 0; g->tied && i < g->sim->nv; i++) tau[i] -= g->tied->y[i];
}

void mb_slope_tied_close(MbSensitivity *g, double *mu, double *x) {
  MbTied *t = g->tied;
  const size_t nv = g->sim->nv, n = mb_tangent_rows(g->tangent)->n;
  for (size_t k = 0; k < n; k++) mu[k] = -(mu[k] + mb_slope_dot(t->G + nv * k, x, nv));
  mb_ranked_solve(&t->S, mu, mu);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < nv; i++) x[i] += mu[k] * t->Y[nv * k + i];
}

void mb_slope_tied_change(MbSensitivity *g, const MbSlope *slope, double *x) {
  MbTied *t = g->tied;
  if (!t) return;
  mb_slope_tied_opens(g, slope);
  mb_tangent_rows_times(g->probe, g->tangent, slope->q, slope->v, t->asked);
  for (size_t k = 0; k < mb_tangent_rows(g->tangent)->n; k++) t->asked[k] += t->r[k];
  mb_slope_tied_close(g, t->asked, x);
}

void mb_slope_tied_back(MbSensitivity *g, double *w) {
  MbTied *t = g->tied;
  if (!t) return;
  MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = t->wide, n = rows->n;
  double *zeta = t->asked;
  for (size_t k = 0; k < n; k++) zeta[k] = -mb_slope_dot(t->Y + nv * k, w, nv);
  mb_ranked_solve_transposed(&t->S, zeta, zeta);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < nv; i++) w[i] += zeta[k] * t->G[nv * k + i];
  mb_slope_rubbed_felt(g, zeta);
  for (size_t k = 0; k < n; k++) rows->row[k].zeta = zeta[k];
}
