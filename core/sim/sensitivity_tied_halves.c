// Rows of both ways in steps of the midpoint rule, as the program makes them (constrain_halves.c). With s = h/2 a pass has, beside what sensitivity_halves.c says,
//
//   τ(q_k, w_k, a) + d z + s k z = Gᵀ μ,   G, g and g_t at q_k, which moves along with w_k
//   hard         G (w_{k+1} − w_k) + ( g(q ⊕ h w_k) − (1 − γ h) g(q) )/h = 0,   of rates  G w_{k+1} + g_t = 0
//   soft         G w_{k+1} + (g − ½ h G w_k)/(½ h + β) + E μ = 0                                                                 (ask.c)
//
// so that rows are asked by three places: tangent_rows.c has that of the pass, and of gaps elsewhere δg = G δq. The step's velocities agree with hard rows at its end,
//
//   A (v⁺ − v′) = Gᵀ ν,   G v⁺ + g_t = 0,   v′ = 2 w − v,   G and A at q⁺, but for d and k, which are the last pass's
//
// and so do those that the run begins with, by M alone. That is M a − Gᵀ μ + d x + s k x = 0 with x = v⁺ − v′ = s a and μ = ν/s: the same equation, at rest. What the rows push is found from what
// they have done. Forces on bodies, of which A has K and D, would be differentiated at two places in the latter, and are left to single steps.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>
#include <string.h>

struct MbTiedHalves {
  double *start, *last; // (nv) velocities at the step's start, and those that it moves by
  double *end;          // (nv) velocities at its end
  double *to, *change;  // (nv) velocities that are made to agree: what they become, and by how much
  double *G0, *G1; // (nslots x nv) of the rows that aim: of their gaps at the state, and where a pass leads
  double *shift;   // (nslots) 1 − γ h
  double *gap;     // (nslots) what a number changes of an aim
  double *q;       // (nq) where a pass leads
  double *place, *made;     // (nq), (nv) where the last one is, and the velocities there
  double *step, *still;     // (nv) the way there; none
  double *one, *other;      // (nv)
  bool at_start;            // velocities agree at the run's start
  bool pulled;              // forces act on bodies, of which A has K and D
  double *motion, *Z;       // (nb x 6) the bodies' motion by that change; what wrenches there are felt by
  double *by_move, *by_phi; // (nb x 6)
  double *moved,
      *bent;           // (count x 2 nv), (count x nb x 6) changes at the last pass, and of e by K and D there
  double *by_q, *by_w; // (nv) what these are felt by
  bool felt;           // they are
};

// Forces that a step linearises.
static bool pulled(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++) any |= !model->forces[i].ops->inertial;
  return any;
}

const char *mb_slope_tied_halves_refuse(const MbModel *model) {
  if (!model->nslots) return NULL;
  const char *why = mb_slope_tied_refuse(model);
  for (size_t i = 0; i < model->nconstraints && !why; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    if (constraint->unilateral) why = "under \"trapezoidal\" there are no exact ones of limits and ropes";
    if (constraint->ops == &mb_motion_ops && constraint->order == 2)
      why = "under \"trapezoidal\" there are no exact ones of prescribed accelerations";
  }
  return why;
}

bool mb_slope_tied_halves_make(MbSensitivity *g) {
  const size_t nv = g->sim->nv, nq = g->sim->nq, n = g->sim->model->nslots;
  if (!g->halves || !g->tied) return true;
  MbTiedHalves *t = g->tied->halves = mb_arena_alloc(&g->arena, 1, sizeof *t);
  if (!t) return false;
  const size_t nb = 6 * g->sim->model->nb;
  t->pulled = pulled(g->sim->model);
  double **const of[] = {&t->by_move, &t->by_phi, &t->motion, &t->Z,     &t->moved, &t->bent,
                         &t->by_q,    &t->by_w,   &t->start,  &t->last,  &t->end,   &t->made,
                         &t->change,  &t->step,   &t->still,  &t->one,   &t->other, &t->G0,
                         &t->G1,      &t->gap,    &t->q,      &t->place, &t->shift};
  const size_t size[] = {nb,
                         nb,
                         nb,
                         nb,
                         2 * nv * g->count,
                         nb * g->count,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         nv,
                         n * nv,
                         n * nv,
                         n,
                         nq,
                         nq,
                         n};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    if (!(*of[i] = mb_arena_alloc(&g->arena, size[i], sizeof(double)))) return false;
  g->tied->start = t->start;
  return true;
}

static void go(MbSensitivity *g, double *q, double span, const double *w, double *step) {
  const MbModel *model = g->sim->model;
  for (size_t i = 0; i < g->sim->nv; i++) step[i] = span * w[i];
  memcpy(q, g->q, g->sim->nq * sizeof *q);
  mb_coordinates_advance(model, q, 1, step, 0, model->nb);
}

// ---- what passes aim at ---------------------------------------------------------------------------------------------

static bool aims(const MbSim *sim, size_t slot) {
  return sim->constraining->set.row[slot].order == 0 && !(sim->constraining->set.is[slot].alpha > 0);
}

static double left_of(const MbSim *sim, size_t slot) {
  return 1 - (sim->model->gamma - sim->constraining->set.is[slot].outward) * sim->model->h;
}

// Rows of a simulation where gaps are looked at.
static void look_at(MbSensitivity *g, MbSim *sim, const double *q, const double *v, double t) {
  mb_slope_tied_look(g, sim);
  mb_sim_kinematics(sim, q, v);
  mb_tangent_rows_place(sim, MB_TANGENT_AGREE, q, g->tied->halves->start, t);
}

// G of the rows that aim.
static void gaps_of(MbSensitivity *g, double *G) {
  const MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  memset(G, 0, sim->model->nslots * nv * sizeof *G);
  for (size_t s = 0; s < sim->model->nslots; s++)
    if (aims(sim, s)) mb_row_spread(&sim->constraining->set, s, 1, G + nv * s);
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
  tied->begin = begin, tied->end = begin + sim->model->h;
  look_at(g, g->probe, g->q, t->start, begin);
  gaps_of(g, t->G0);
  for (size_t s = 0; s < sim->model->nslots; s++) t->shift[s] = left_of(g->probe, s);
  return !v || mb_slope_tied_agreed(sim, v, noted);
}

void mb_slope_tied_aim(MbSensitivity *g, const double *w) {
  if (!g->tied) return;
  MbTiedHalves *t = g->tied->halves;
  go(g, t->q, g->sim->model->h, w, t->step);
  look_at(g, g->probe, t->q, w, g->tied->end);
  gaps_of(g, t->G1);
}

// gap ← what a number changes of the aims of a pass, which is at t->q.
void mb_slope_tied_aim_number(MbSensitivity *g, const MbSlope *slope, const double *w, double move) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *const side[2] = {slope->less, slope->more};
  const double h = g->sim->model->h;
  memset(t->gap, 0, g->sim->model->nslots * sizeof *t->gap);
  if (!mb_tangent_number_rows(slope->number)) return;
  for (int k = 0; k < 2; k++) {
    const double share = (k ? 1 : -1) / (2 * move * h);
    const MbRowSet *set = &side[k]->constraining->set;
    look_at(g, side[k], t->q, w, g->tied->end);
    for (size_t s = 0; s < set->n; s++) t->gap[s] += aims(side[k], s) ? share * set->row[s].g : 0;
    look_at(g, side[k], g->q, t->start, g->tied->begin);
    for (size_t s = 0; s < set->n; s++)
      t->gap[s] -= aims(side[k], s) ? share * left_of(side[k], s) * set->row[s].g : 0;
  }
}

double mb_slope_tied_aim_number_back(MbSensitivity *g, const MbSlope *slope, const double *w, double move) {
  double sum = 0;
  if (!g->tied) return 0;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  mb_slope_tied_aim_number(g, slope, w, move);
  for (size_t k = 0; k < rows->n; k++) sum += rows->row[k].zeta * g->tied->halves->gap[rows->row[k].slot];
  return sum;
}

// ---- a pass ---------------------------------------------------------------------------------------------------------

// What A has of the coordinates' own, times z: y += (d + s k) z
static void add_own(const MbSensitivity *g, const double *z, double *y) {
  const double s = g->sim->model->h / 2;
  for (size_t i = 0; i < g->sim->nv; i++) y[i] += (g->damping[i] + s * g->stiffness[i]) * z[i];
  mb_slope_turned_value(g, z, y);
}

// The rows' forces are  S μ = asked  without what they give; S is with it then.
static void take_forces(MbSensitivity *g, double *asked) {
  MbTangentRows *rows = mb_tangent_rows(g->tangent);
  MbRanked *S = &g->tied->S;
  mb_slope_tied_fill(g, false);
  mb_ranked_factor(S, rows->n);
  mb_ranked_solve(S, asked, asked);
  for (size_t k = 0; k < rows->n; k++) rows->row[k].mu = asked[k];
  mb_slope_tied_fill(g, true);
  mb_ranked_factor(S, rows->n);
}

bool mb_slope_tied_pass(MbSensitivity *g, const MbStageNote *pass) {
  MbTied *tied = g->tied;
  if (!tied) return true;
  MbTiedHalves *t = tied->halves;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = sim->nv;
  mb_slope_tied_look(g, sim);
  mb_tangent_rows_list_as(sim, g->tangent, MB_TANGENT_PASS, t->start, pass->w, g->tied->begin);
  mb_tangent_value(sim, g->tangent, pass->from, g->a, pass->t, t->one);
  for (size_t i = 0; i < nv; i++) t->other[i] = pass->w[i] - pass->from[i];
  add_own(g, t->other, t->one);
  for (size_t i = 0; i < nv; i++) t->one[i] *= sim->model->h / 2;
  if (!sim->solver->apply(sim->work, t->one, NULL, NULL) || !mb_slope_tied_respond(g)) return false;
  for (size_t k = 0; k < rows->n; k++) tied->asked[k] = mb_slope_tied_dot(tied->G + nv * k, t->one, nv);
  take_forces(g, tied->asked);
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
  mb_tangent_rows_times(g->probe, g->tangent, q, w, tied->asked);
  for (size_t i = 0; i < nv; i++) t->one[i] = h * w[i];
  mb_tangent_moved(g->probe, t->step, slope->q, t->one, t->other);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t s = rows->row[k].slot;
    tied->asked[k] += tied->r[k] + t->gap[s] +
                      (mb_slope_tied_dot(t->G1 + nv * s, t->other, nv) -
                       t->shift[s] * mb_slope_tied_dot(t->G0 + nv * s, slope->q, nv)) /
                          h;
  }
}

void mb_slope_tied_pass_change(MbSensitivity *g, double *x) {
  if (g->tied) mb_slope_tied_close(g, g->tied->asked, x);
}

void mb_slope_tied_pass_back(MbSensitivity *g, double *q, double *w) {
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
    }
  }
  mb_tangent_moved_transposed(g->probe, t->step, t->one, t->other, g->less);
  for (size_t i = 0; i < nv; i++) q[i] += t->other[i], w[i] += h * g->less[i];
  if (!t->felt) return;
  mb_tangent_moved_transposed(g->probe, g->step, t->by_q, t->other, g->less);
  for (size_t i = 0; i < nv; i++) q[i] += t->other[i], w[i] += h / 2 * g->less[i] + t->by_w[i];
  t->felt = false;
}

// ---- velocities that agree ------------------------------------------------------------------------------------------

// Takes the probe to the last pass, with what K and D of it A has at the step's end, which comes to the bodies' motion there by what velocities change by.
static void go_to_last_pass(MbSensitivity *g, double *noted) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *sim = g->probe;
  const double s = sim->model->h / 2;
  const double *last = noted + (size_t)(mb_slope_halves_count(sim, noted) - 1) * sim->nv;
  memcpy(t->made, last, sim->nv * sizeof *last);
  go(g, t->place, s, last, t->step);
  mb_sim_kinematics(sim, t->place, t->made);
  mb_sim_signals(sim, g->tied->begin + s);
}

// How e changes there along each of the slopes.
static void bend(MbSensitivity *g) {
  MbTiedHalves *t = g->tied->halves;
  const size_t nv = g->sim->nv;
  mb_tangent_motion(g->probe, g->tangent, t->made);
  for (size_t k = 0; k < g->count; k++) {
    const double *moved = t->moved + 2 * nv * k;
    mb_tangent_times(g->probe, g->tangent, moved, moved + nv, t->still, t->one);
    mb_tangent_blocks_change(g->probe, g->tangent, t->motion, t->bent + 6 * g->sim->model->nb * k);
  }
}

// A as it is where velocities agree: with K, D, d and k of the last pass; at the run's start it is M.
static bool factor(MbSensitivity *g, double *noted, bool start, bool along) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *sim = g->probe;
  const double s = sim->model->h / 2;
  size_t blame = 0;
  memset(g->damping, 0, sim->nv * sizeof *g->damping);
  memset(g->stiffness, 0, sim->nv * sizeof *g->stiffness);
  memcpy(g->q1, g->q, sim->nq * sizeof *g->q1);
  if (!start) {
    go(g, g->q1, sim->model->h, t->last, t->step);
    if (t->pulled) mb_sim_kinematics(sim, g->q1, t->change);
    if (t->pulled) memcpy(t->motion, sim->x.phi, 6 * sim->model->nb * sizeof *t->motion);
    go_to_last_pass(g, noted);
    if (t->pulled) mb_tangent_linear_blocks(sim, g->tangent, g->tied->begin + s);
    if (sim->stiffness) mb_coordinates_derivatives(sim->model, &sim->x, sim->stiffness, sim->damping);
    mb_coordinates_derivatives(sim->model, &sim->x, g->stiffness, g->damping);
    if (t->pulled && along) bend(g);
  }
  mb_sim_kinematics(sim, g->q1, t->still);
  return sim->solver->factor(sim->work, &sim->x, start ? 0 : s, start ? 0 : s * s, start, &blame);
}

bool mb_slope_agree_at(MbSensitivity *g, double *noted, const double *before, bool along) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = sim->nv;
  const double s = sim->model->h / 2;
  double *from = t->other;
  t->to = before ? t->start : t->end, t->at_start = before;
  for (size_t i = 0; i < nv; i++) {
    from[i] = before ? before[i] : 2 * t->last[i] - t->start[i];
    t->change[i] = t->to[i] - from[i];
    g->a[i] = t->change[i] / s;
  }
  if (!factor(g, noted, before, along)) return false;
  mb_slope_turned_at(g, s, t->change);
  mb_slope_tied_look(g, sim);
  mb_tangent_rows_list_as(sim, g->tangent, MB_TANGENT_AGREE, t->start, t->to,
                          before ? g->tied->begin : tied->end);
  if (!mb_slope_tied_respond(g)) return false;
  for (size_t k = 0; k < rows->n; k++)
    tied->asked[k] = -mb_tangent_row_asked(sim, MB_TANGENT_AGREE, &rows->row[k], t->still, from);
  take_forces(g, tied->asked);
  mb_tangent_agree_at(sim, g->tangent, g->a, t->to, !before);
  return true;
}

// out ← what a number changes of (d + s k) x
static void own_number(MbSensitivity *g, const MbSlope *slope, double move, double *out) {
  MbTiedHalves *t = g->tied->halves;
  const double s = g->sim->model->h / 2;
  const size_t nv = g->sim->nv;
  memset(out, 0, nv * sizeof *out);
  if (t->at_start || !mb_tangent_number_along(slope->number)) return;
  for (size_t i = 0; i < nv; i++) t->one[i] = s * t->change[i];
  mb_tangent_number_own(g->probe, slope->number, g->tied->begin + s, t->place, t->made, t->change, t->one,
                        out);
  for (size_t i = 0; i < nv; i++) out[i] /= 2 * move;
}

// out −= what it changes of Jᵀ e.
static void take_pull(MbSensitivity *g, const MbSlope *slope, double move, double *out) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *const side[2] = {slope->less, slope->more};
  double *const pull[2] = {g->less, g->more};
  if (!t->pulled || t->at_start) return;
  for (int k = 0; k < 2; k++) {
    mb_sim_kinematics(side[k], t->place, t->made);
    mb_tangent_linear_blocks(side[k], slope->side[k], g->tied->begin + g->sim->model->h / 2);
    mb_sim_kinematics(side[k], g->q1, t->change);
    mb_tangent_blocks_value(side[k], slope->side[k], pull[k]);
  }
  for (size_t i = 0; i < g->sim->nv; i++) out[i] -= (g->more[i] - g->less[i]) / (2 * move);
}

// out ← what it changes of M a, and of what rows push and ask for.
static void sides_of(MbSensitivity *g, const MbSlope *slope, double move, double *out) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  MbSim *const side[2] = {slope->less, slope->more};
  double *const tau[2] = {g->less, g->more};
  const MbStageNote note = {.from = t->still, .w = t->to};
  for (int k = 0; k < 2; k++) {
    mb_sim_kinematics(side[k], g->q1, t->still);
    mb_tangent_inertia_value(side[k], slope->side[k], g->a, tau[k]);
  }
  for (size_t i = 0; i < g->sim->nv; i++) out[i] = (g->more[i] - g->less[i]) / (2 * move);
  mb_slope_tied_sides(g, slope, &note, t->start, t->at_start ? g->tied->begin : tied->end, move);
}

// x ← −s A⁻¹ x
static bool solve(MbSensitivity *g, double *x) {
  for (size_t i = 0; i < g->sim->nv; i++) x[i] *= -g->sim->model->h / 2;
  return g->probe->solver->apply(g->probe->work, x, NULL, NULL);
}

// What A has of the coordinates' own, by s, of those that do not turn.
static double own(const MbSensitivity *g, size_t i) {
  return g->damping[i] + g->sim->model->h / 2 * g->stiffness[i];
}

bool mb_slope_agree_change(MbSensitivity *g, const MbSlope *slope, double move, const double *q, double *v) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  const size_t nv = g->sim->nv;
  const double s = g->sim->model->h / 2;
  double *out = t->other;
  own_number(g, slope, move, g->number_own);
  sides_of(g, slope, move, g->rate);
  take_pull(g, slope, move, g->rate);
  for (size_t i = 0; i < nv; i++) t->one[i] = -v[i] / s;
  mb_tangent_times(g->probe, g->tangent, q, t->still, t->one, out);
  mb_tangent_rows_times(g->probe, g->tangent, q, t->still, tied->asked);
  for (size_t i = 0; i < nv; i++) out[i] += g->rate[i] - tied->y[i] + g->number_own[i] - own(g, i) * v[i];
  mb_slope_turned_times(g, q, v, out);
  if (t->pulled && !t->at_start) {
    const double *bent = t->bent + 6 * g->sim->model->nb * (size_t)(slope - g->slopes);
    g->probe->solver->gather(g->probe->work, bent, t->one);
    for (size_t i = 0; i < nv; i++) out[i] += t->one[i];
  }
  if (!solve(g, out)) return false;
  for (size_t k = 0; k < mb_tangent_rows(g->tangent)->n; k++) tied->asked[k] += tied->r[k];
  mb_slope_tied_close(g, tied->asked, out);
  memcpy(v, out, nv * sizeof *v);
  return true;
}

bool mb_slope_agree_back(MbSensitivity *g, double *q, double *v, double *z, double *scratch[3]) {
  const size_t nv = g->sim->nv;
  const double s = g->sim->model->h / 2;
  double *dq = scratch[0], *dv = scratch[1], *da = scratch[2];
  memcpy(z, v, nv * sizeof *z);
  mb_slope_tied_back(g, z);
  if (!solve(g, z)) return false;
  mb_tangent_transposed(g->probe, g->tangent, z, dq, dv, da);
  mb_tangent_weights(g->probe, g->tangent, g->tied->halves->Z);
  for (size_t i = 0; i < nv; i++) v[i] = -da[i] / s - own(g, i) * z[i];
  mb_slope_turned_back(g, z, dq, v);
  for (size_t i = 0; i < nv; i++) q[i] += dq[i];
  return true;
}

double mb_slope_agree_number(MbSensitivity *g, const MbSlope *slope, double move, const double *z) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = g->sim->nv;
  double sum = 0;
  if (!mb_tangent_number_jumps(slope->number)) {
    sum = mb_tangent_number(g->probe, g->tangent, slope->number, t->still, g->a, tied->end, z) / (2 * move);
  } else {
    sides_of(g, slope, move, g->rate);
    for (size_t i = 0; i < nv; i++) sum += z[i] * (g->rate[i] - tied->y[i]);
    for (size_t k = 0; k < rows->n; k++) sum += rows->row[k].zeta * tied->r[k];
  }
  own_number(g, slope, move, g->number_own);
  take_pull(g, slope, move, g->number_own);
  return sum + mb_slope_tied_dot(z, g->number_own, nv);
}

void mb_slope_agree_felt(MbSensitivity *g, double *noted) {
  MbTiedHalves *t = g->tied->halves;
  const size_t size = g->sim->nv * sizeof(double);
  if (!t->pulled || t->at_start) return;
  go_to_last_pass(g, noted);
  memset(t->by_q, 0, size), memset(t->by_w, 0, size);
  mb_tangent_motion(g->probe, g->tangent, t->made);
  mb_tangent_blocks_weigh(g->probe, g->tangent, t->motion, t->Z, t->by_move, t->by_phi);
  mb_tangent_weigh(g->probe, g->tangent, t->by_move, t->by_phi, t->by_q, t->by_w);
  t->felt = true;
}
