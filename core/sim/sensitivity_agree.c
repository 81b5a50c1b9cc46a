// Velocities that are made to agree with hard rows, at the end of a step of the midpoint rule and as a run begins:
//
//   A (v⁺ − v′) = Gᵀ ν,   G v⁺ + g_t = 0            v′ = 2 w − v at the end, G and A at q⁺, but for K, D, k and d, which are the last pass's; at the start A = M
//
// With x = v⁺ − v′ = s a, μ = ν/s and e = ½ (D + Dᵀ + s K + s Kᵀ) J x that is  M a − Jᵀ e + d x + s k x − Gᵀ μ = 0  at rest, an equation like a pass's (sensitivity_tied_halves.c), of two places: what K and D change by
// along the last pass is felt there, where the way back comes next (tangent_blocks.c).
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>
#include <string.h>

// Takes the probe to the last pass, with what K and D of it A has at the step's end, which comes to the bodies' motion there by what velocities change by.
static void go_to_last_pass(MbSensitivity *g, double *noted) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *sim = g->probe;
  const double *last = noted + (size_t)(mb_slope_halves_count(sim, noted) - 1) * sim->nv;
  memcpy(t->made, last, sim->nv * sizeof *last);
  mb_slope_tied_go(g, t->place, t->span, last, t->step);
  mb_sim_kinematics(sim, t->place, t->made);
  mb_sim_signals(sim, g->tied->begin + t->span);
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
    mb_slope_tied_go(g, g->q1, sim->model->h, t->last, t->step);
    if (t->pulled) mb_sim_kinematics(sim, g->q1, t->change);
    if (t->pulled) memcpy(t->motion, sim->x.phi, 6 * sim->model->nb * sizeof *t->motion);
    go_to_last_pass(g, noted);
    if (t->pulled) mb_tangent_linear_blocks(sim, g->tangent, g->tied->begin + t->span);
    if (sim->stiffness) mb_coordinates_derivatives(sim->model, &sim->x, sim->stiffness, sim->damping);
    mb_coordinates_derivatives(sim->model, &sim->x, g->stiffness, g->damping);
    if (t->pulled && along) bend(g);
  }
  mb_sim_kinematics(sim, g->q1, t->still);
  g->parted = NULL;
  if (sim->solver->factor(sim->work, &sim->x, start ? 0 : s, start ? 0 : s * s, start, &blame)) return true;
  if (!start) g->parted = "the step leaves out what would make it singular";
  return false;
}

bool mb_slope_agree_at(MbSensitivity *g, double *noted, const double *before, bool along) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = sim->nv;
  const double s = sim->model->h / 2;
  double *from = t->other;
  const double mean = t->blow ? 1 : 2;
  t->to = before ? t->start : t->end, t->at_start = before;
  mb_slope_pass_span(g, s);
  for (size_t i = 0; i < nv; i++) {
    from[i] = before ? before[i] : mean * t->last[i] + (1 - mean) * t->start[i];
    t->change[i] = t->to[i] - from[i];
    g->a[i] = t->change[i] / s;
  }
  if (!factor(g, noted, before, along)) return false;
  mb_slope_turned_at(g, s, t->change);
  mb_slope_tied_look(g, sim);
  mb_tangent_rows_list_as(sim, g->tangent, MB_TANGENT_AGREE, t->start, t->to,
                          before ? g->tied->begin : tied->end, before ? NULL : t->agreed);
  if (!mb_slope_tied_respond(g)) return false;
  for (size_t k = 0; k < rows->n; k++)
    tied->asked[k] = -mb_tangent_row_asked(sim, MB_TANGENT_AGREE, &rows->row[k], t->still, from);
  mb_slope_tied_take_forces(g, tied->asked);
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
  mb_tangent_number_own(g->probe, slope->number, t->place, t->made, t->change, t->one, out);
  for (size_t i = 0; i < nv; i++) out[i] /= 2 * move;
}

// K and D of a side at the last pass.
static void side_at_last_pass(const MbSensitivity *g, const MbSlope *slope, int k) {
  const MbTiedHalves *t = g->tied->halves;
  MbSim *side = k ? slope->more : slope->less;
  mb_sim_kinematics(side, mb_axes_q(slope->axes, k, t->place),
                    mb_axes_v(slope->axes, k, MB_AXES_FELT, t->made));
  mb_tangent_linear_blocks(side, slope->side[k], g->tied->begin + t->span);
}

// out −= what it changes of Jᵀ e.
static void take_pull(MbSensitivity *g, const MbSlope *slope, double move, double *out) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *const side[2] = {slope->less, slope->more};
  double *const pull[2] = {g->less, g->more};
  if (!t->pulled || t->at_start) return;
  for (int k = 0; k < 2; k++) {
    side_at_last_pass(g, slope, k);
    mb_sim_kinematics(side[k], mb_axes_q(slope->axes, k, g->q1),
                      mb_axes_v(slope->axes, k, MB_AXES_FELT, t->change));
    mb_tangent_blocks_value(side[k], slope->side[k], pull[k]);
    mb_axes_return(slope->axes, k, pull[k]);
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
    mb_sim_kinematics(side[k], mb_axes_q(slope->axes, k, g->q1), t->still);
    mb_tangent_inertia_value(side[k], slope->side[k], mb_axes_v(slope->axes, k, MB_AXES_RATE, g->a), tau[k]);
    mb_axes_return(slope->axes, k, tau[k]);
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
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t k = 0; k < rows->n; k++) {
    tied->asked[k] += tied->r[k];
    if (mb_slope_tied_accelerates(g, rows->row[k].slot))
      tied->asked[k] -= mb_slope_dot(tied->G + nv * k, v, nv);
  }
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
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t k = 0; k < rows->n; k++)
    for (size_t i = 0; i < nv && mb_slope_tied_accelerates(g, rows->row[k].slot); i++)
      v[i] -= rows->row[k].zeta * g->tied->G[nv * k + i];
  return true;
}

// What it changes of Z · e by K and D alone: what it moves bodies by at the step's end is in the tangent, which has e.
static double pull_of_number(MbSensitivity *g, const MbSlope *slope, double move) {
  MbTiedHalves *t = g->tied->halves;
  MbSim *const side[2] = {slope->less, slope->more};
  double sum = 0;
  if (!t->pulled || t->at_start) return 0;
  for (int k = 0; k < 2; k++) {
    side_at_last_pass(g, slope, k);
    mb_tangent_blocks_wrenches(side[k], slope->side[k], t->motion, t->by_move);
    sum += (k ? 1 : -1) * mb_slope_dot(t->Z, t->by_move, 6 * g->sim->model->nb);
  }
  return sum / (2 * move);
}

void mb_slope_agree_gather(MbSensitivity *g, MbTangentGather *gather, const double *z) {
  mb_tangent_gather(gather, g->probe, g->tangent, g->tied->halves->still, g->a, g->tied->end, z);
}

double mb_slope_agree_number(MbSensitivity *g, const MbSlope *slope, double move, const double *z) {
  MbTied *tied = g->tied;
  MbTiedHalves *t = tied->halves;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = g->sim->nv;
  double sum = 0;
  if (!mb_tangent_number_jumps(slope->number)) {
    sum = mb_tangent_number_rest(g->probe, g->tangent, slope->number, t->still, g->a, z) / (2 * move) -
          pull_of_number(g, slope, move);
  } else {
    sides_of(g, slope, move, g->rate);
    take_pull(g, slope, move, g->rate);
    for (size_t i = 0; i < nv; i++) sum += z[i] * (g->rate[i] - tied->y[i]);
    for (size_t k = 0; k < rows->n; k++) sum += rows->row[k].zeta * tied->r[k];
  }
  own_number(g, slope, move, g->number_own);
  return sum + mb_slope_dot(z, g->number_own, nv);
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
