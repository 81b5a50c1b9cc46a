// Rows in steps of the midpoint rule, as the program makes them (constrain_halves.c). With s = h/2 a pass has, beside what sensitivity_halves.c says,
//
//   τ(q_k, w_k, a) + d z + s k z = Gᵀ μ,   G, g and g_t at q_k, which moves along with w_k
//   hard         G (w_{k+1} − w_k) + ( g(q ⊕ h w_k) − (1 − γ h) g(q) )/h = 0,   of rates  G w_{k+1} + g_t = 0
//   soft         G w_{k+1} + (g − ½ h G w_k)/(½ h + β) + E μ = 0                                                                 (ask.c)
//
// so that rows are asked by three places: tangent_rows.c has that of the pass, and of gaps elsewhere δg = G δq. The step's velocities agree with hard rows at its end,
//
//   A (v⁺ − v′) = Gᵀ ν,   G v⁺ + g_t = 0,   v′ = 2 w − v,   G and A at q⁺, but for K, D, d and k, which are the last pass's
//
// of which a row that prescribes an acceleration ẍ has  G w_{k+1} = G v + s ẍ  in a pass and keeps its rate at the end, G (v⁺ − v′) = 0. Of one way rows are those of a pass that have pressed in it, and at the end those that have pushed then: each of these is noted (half_notes.h), as a pass may
// press where the next lets go. One that is still on its way to its bound, g(q) > 0, aims at that: at no gap. Where something is struck the program makes the step anew of passes of one stage over all of it (take_blow in scheme_halves.c): the same equations with s = h at q_k = q ⊕ h w_k, soft rows at
// g + β ġ there, v′ = w, q⁺ = q ⊕ h w. Velocities that the run begins with agree with rows of both ways, by M alone (sensitivity_agree.c). What rows push is found from what they have done, and of soft ones from what they have left. What passes aim at is in sensitivity_aims.c.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>
#include <string.h>

// Forces that a step linearises.
static bool pulled(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++) any |= !model->forces[i].ops->inertial;
  return any;
}

const char *mb_slope_tied_halves_refuse(const MbModel *model) {
  return model->nslots ? mb_slope_tied_refuse(model) : NULL;
}

bool mb_slope_tied_halves_make(MbSensitivity *g) {
  const size_t nv = g->sim->nv, nq = g->sim->nq, n = g->sim->model->nslots;
  if (!g->halves || !g->tied) return true;
  MbTiedHalves *t = g->tied->halves = mb_arena_alloc(&g->arena, 1, sizeof *t);
  if (!t) return false;
  const size_t nb = 6 * g->sim->model->nb;
  t->pulled = pulled(g->sim->model);
  const struct {
    double **list;
    size_t n;
  } room[] = {{&t->start, nv},
              {&t->last, nv},
              {&t->end, nv},
              {&t->to, nv},
              {&t->change, nv},
              {&t->made, nv},
              {&t->step, nv},
              {&t->still, nv},
              {&t->one, nv},
              {&t->other, nv},
              {&t->by_q, nv},
              {&t->by_w, nv},
              {&t->q, nq},
              {&t->place, nq},
              {&t->shift, n},
              {&t->gap, n},
              {&t->g0, n},
              {&t->g1, n},
              {&t->G0, n * nv},
              {&t->G1, n * nv},
              {&t->motion, nb},
              {&t->Z, nb},
              {&t->by_move, nb},
              {&t->by_phi, nb},
              {&t->moved, 2 * nv * g->count},
              {&t->bent, nb * g->count}};
  for (size_t i = 0; i < sizeof room / sizeof *room; i++)
    if (!(*room[i].list = mb_arena_alloc(&g->arena, room[i].n, sizeof(double)))) return false;
  g->tied->start = t->start;
  return true;
}
// Rows of which nothing but rounding is left may have moved the last digits.
bool mb_slope_tied_agreed(const MbSim *sim, const double *v, const double *start) {
  static const double SAME = 1e-9; // of the fastest
  double most = 0, apart = 0;
  for (size_t i = 0; i < sim->nv; i++) {
    most = fmax(most, fabs(v[i]));
    apart = fmax(apart, fabs(start[i] - v[i]));
  }
  return apart <= SAME * most;
}

bool mb_slope_tied_halves_step(MbSensitivity *g, const double *guess, double begin, const double *v,
                               double *noted, const double *end) {
  MbTied *tied = g->tied;
  const MbSim *sim = g->sim;
  const size_t size = sim->nv * sizeof *v;
  if (!tied) return true;
  MbTiedHalves *t = tied->halves;
  if (sim->model->nguess) memcpy(tied->guess, guess, sim->model->nguess * sizeof *guess);
  memcpy(t->start, noted, size), memcpy(t->end, end, size);
  memcpy(t->last, mb_slope_halves_last(sim, noted), size);
  const MbHalfNotes notes = mb_half_notes(sim, noted);
  t->blow = *notes.blow != 0, t->agreed = notes.agreed, t->struck = notes.struck;
  t->span = t->blow ? sim->model->h : sim->model->h / 2;
  tied->begin = begin, tied->end = begin + sim->model->h;
  mb_slope_tied_aim_from(g);
  return !v || mb_slope_tied_agreed(sim, v, noted);
}

// ---- a pass ---------------------------------------------------------------------------------------------------------

void mb_slope_tied_begin_passes(MbSensitivity *g) {
  if (g->tied) mb_slope_pass_span(g, g->tied->halves->span);
}

// What A has of the coordinates' own, times z: y += (d + s k) z
static void add_own(const MbSensitivity *g, const double *z, double *y) {
  const double s = g->span;
  for (size_t i = 0; i < g->sim->nv; i++) y[i] += (g->damping[i] + s * g->stiffness[i]) * z[i];
  mb_slope_turned_value(g, z, y);
}

void mb_slope_tied_take_forces(MbSensitivity *g, double *asked) {
  MbTangentRows *rows = mb_tangent_rows(g->tangent);
  mb_slope_tied_fill(g);
  mb_ranked_factor(&g->tied->S, rows->n);
  mb_ranked_solve(&g->tied->S, asked, asked);
  for (size_t k = 0; k < rows->n; k++) rows->row[k].mu = asked[k];
}

// G Y μ + E μ of a row, by what rows have done to the velocities, and of a soft one by what is left of what it asks for: soft rows that say the same share what they push by what each gives.
static double done_by(const MbSensitivity *g, const MbTangentRow *row, const double *G,
                      const MbStageNote *pass) {
  const double done = mb_slope_dot(G, g->tied->halves->one, g->sim->nv);
  const MbTangentAsk of = mb_tangent_rows(g->tangent)->of;
  return row->soft > 0 ? done - mb_tangent_row_asked(g->probe, of, row, pass->from, pass->w) : done;
}

bool mb_slope_tied_pass(MbSensitivity *g, const MbStageNote *pass) {
  MbTied *tied = g->tied;
  if (!tied) return true;
  MbTiedHalves *t = tied->halves;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = sim->nv;
  mb_slope_tied_look(g, sim);
  mb_tangent_rows_list_as(sim, g->tangent, t->blow ? MB_TANGENT_BLOW : MB_TANGENT_PASS, t->start, pass->w,
                          tied->begin, pass->impulse);
  mb_tangent_value(sim, g->tangent, pass->from, g->a, pass->t, t->one);
  for (size_t i = 0; i < nv; i++) t->other[i] = pass->w[i] - pass->from[i];
  add_own(g, t->other, t->one);
  for (size_t i = 0; i < nv; i++) t->one[i] *= g->span;
  if (!sim->solver->apply(sim->work, t->one, NULL, NULL) || !mb_slope_tied_respond(g)) return false;
  for (size_t k = 0; k < rows->n; k++) tied->asked[k] = done_by(g, &rows->row[k], tied->G + nv * k, pass);
  mb_slope_tied_take_forces(g, tied->asked);
  mb_slope_tied_pass_look(g, pass);
  return true;
}

void mb_slope_tied_pass_asked(MbSensitivity *g, const MbSlope *slope, const double *q, const double *w) {
  MbTied *tied = g->tied;
  if (!tied) return;
  MbTiedHalves *t = tied->halves;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  double *moved = t->moved + 2 * nv * (size_t)(slope - g->slopes);
  memcpy(moved, q, nv * sizeof *q), memcpy(moved + nv, w, nv * sizeof *w);
  mb_slope_tied_opens(g, slope);
  mb_tangent_rows_times(g->probe, g->tangent, q, w, tied->asked);
  for (size_t i = 0; i < nv; i++) t->one[i] = h * w[i];
  mb_tangent_moved(g->probe, t->step, slope->q, t->one, t->other);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t s = rows->row[k].slot;
    tied->asked[k] += tied->r[k] + t->gap[s] +
                      (mb_slope_dot(t->G1 + nv * s, t->other, nv) -
                       t->shift[s] * mb_slope_dot(t->G0 + nv * s, slope->q, nv)) /
                          h;
    if (mb_slope_tied_accelerates(g, s)) tied->asked[k] -= mb_slope_dot(tied->G + nv * k, slope->v, nv);
  }
}

void mb_slope_tied_pass_change(MbSensitivity *g, double *x) {
  if (g->tied) mb_slope_tied_close(g, g->tied->asked, x);
}

void mb_slope_tied_pass_back(MbSensitivity *g, double *q, double *v, double *w) {
  MbTied *tied = g->tied;
  if (!tied) return;
  MbTiedHalves *t = tied->halves;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  memset(t->one, 0, nv * sizeof *t->one);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t s = rows->row[k].slot;
    const double by = rows->row[k].zeta / h;
    for (size_t i = 0; i < nv; i++) {
      t->one[i] += by * t->G1[nv * s + i];
      q[i] -= by * t->shift[s] * t->G0[nv * s + i];
      if (mb_slope_tied_accelerates(g, s)) v[i] -= rows->row[k].zeta * tied->G[nv * k + i];
    }
  }
  mb_tangent_moved_transposed(g->probe, t->step, t->one, t->other, g->less);
  for (size_t i = 0; i < nv; i++) q[i] += t->other[i], w[i] += h * g->less[i];
  if (!t->felt) return;
  mb_tangent_moved_transposed(g->probe, g->step, t->by_q, t->other, g->less);
  for (size_t i = 0; i < nv; i++) q[i] += t->other[i], w[i] += g->span * g->less[i] + t->by_w[i];
  t->felt = false;
}
