// What passes of the midpoint rule aim at (sensitivity_tied_halves.c): gaps of hard rows where their velocities would lead, less what may be left of those at the state,
//
//   ( g(q ⊕ h w) − (1 − γ h) g(q) )/h,   δg = G δq
//
// with G at both places, and what a number changes of g by both sides' bodies there.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>
#include <string.h>

void mb_slope_tied_go(const MbSensitivity *g, double *q, double span, const double *w, double *step) {
  const MbModel *model = g->sim->model;
  for (size_t i = 0; i < g->sim->nv; i++) step[i] = span * w[i];
  memcpy(q, g->q, g->sim->nq * sizeof *q);
  mb_coordinates_advance(model, q, 1, step, 0, model->nb);
}

static bool aims(const MbSim *sim, size_t slot) {
  return sim->constraining->set.row[slot].order == 0 && !(sim->constraining->set.is[slot].alpha > 0);
}

static double left_of(const MbSim *sim, size_t slot) {
  return 1 - (sim->model->gamma - sim->constraining->set.is[slot].outward) * sim->model->h;
}

// Of one way and on its way to its bound, which it is to come to and not beyond.
static bool is_on_its_way(const MbSensitivity *g, size_t slot) {
  return g->probe->constraining->set.is[slot].kind == MB_ROW_ONE_WAY && g->tied->halves->g0[slot] > 0;
}

static bool any_left(const MbSim *sim) {
  bool any = false;
  for (size_t s = 0; s < sim->model->nslots; s++) any |= left_of(sim, s) != 0;
  return any;
}

// Rows of a simulation where gaps are looked at.
static void look_from(MbSensitivity *g, MbSim *sim, const double *q, const double *v, const double *start,
                      double t) {
  mb_slope_tied_look(g, sim);
  mb_sim_kinematics(sim, q, v);
  mb_tangent_rows_place(sim, MB_TANGENT_AGREE, q, start, t);
}

static void look_at(MbSensitivity *g, MbSim *sim, const double *q, const double *v, double t) {
  look_from(g, sim, q, v, g->tied->halves->start, t);
}

static void look_at_side(MbSensitivity *g, const MbSlope *slope, int s, const double *q, const double *v,
                         double t) {
  look_from(g, mb_slope_side(slope, s), mb_axes_q(slope->axes, s, q),
            mb_axes_v(slope->axes, s, MB_AXES_TO, v),
            mb_axes_v(slope->axes, s, MB_AXES_FROM, g->tied->halves->start), t);
}

// G of the rows that aim.
static void gaps_of(MbSensitivity *g, double *G) {
  const MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  memset(G, 0, sim->model->nslots * nv * sizeof *G);
  for (size_t s = 0; s < sim->model->nslots; s++)
    if (aims(sim, s)) mb_row_spread(&sim->constraining->set, s, 1, G + nv * s);
}

void mb_slope_tied_aim_from(MbSensitivity *g) {
  MbTiedHalves *t = g->tied->halves;
  look_at(g, g->probe, g->q, t->start, g->tied->begin);
  gaps_of(g, t->G0);
  for (size_t s = 0; s < g->sim->model->nslots; s++) {
    t->g0[s] = g->probe->constraining->set.row[s].g;
    t->shift[s] = is_on_its_way(g, s) ? 0 : left_of(g->probe, s);
  }
}

void mb_slope_tied_aim(MbSensitivity *g, const double *w) {
  if (!g->tied) return;
  MbTiedHalves *t = g->tied->halves;
  mb_slope_tied_go(g, t->q, g->sim->model->h, w, t->step);
  look_at(g, g->probe, t->q, w, g->tied->end);
  gaps_of(g, t->G1);
  for (size_t s = 0; s < g->sim->model->nslots; s++) t->g1[s] = g->probe->constraining->set.row[s].g;
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
    look_at_side(g, slope, k, t->q, w, g->tied->end);
    for (size_t s = 0; s < set->n; s++) t->gap[s] += aims(side[k], s) ? share * set->row[s].g : 0;
    if (!any_left(side[k])) continue; // nothing of the gaps at the state
    look_at_side(g, slope, k, g->q, t->start, g->tied->begin);
    for (size_t s = 0; s < set->n; s++)
      if (aims(side[k], s) && !is_on_its_way(g, s)) t->gap[s] -= share * left_of(side[k], s) * set->row[s].g;
  }
}

void mb_slope_tied_aim_felt(MbSensitivity *g, const double *w) {
  if (!g->tied) return;
  MbTiedHalves *t = g->tied->halves;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const MbRowSet *set = &sim->constraining->set;
  const size_t size = 6 * sim->model->nb * sizeof(double);
  look_at(g, sim, t->q, w, g->tied->end);
  memset(t->by_move, 0, size), memset(t->by_phi, 0, size);
  for (size_t k = 0; k < rows->n; k++)
    if (aims(sim, rows->row[k].slot)) mb_row_push(set, rows->row[k].slot, rows->row[k].zeta, t->by_move);
  mb_tangent_motion(sim, g->tangent, w);
  mb_tangent_weigh(sim, g->tangent, t->by_move, t->by_phi, t->one, t->other);
}

// Rows that leave something of their gaps are looked at in both places for every number.
bool mb_slope_tied_asks(MbSensitivity *g) {
  if (!g->tied || !g->tied->halves) return false;
  MbTiedHalves *t = g->tied->halves;
  t->gathers = !any_left(g->probe);
  for (size_t k = 0; k < g->count; k++)
    t->gathers = t->gathers && !any_left(g->slopes[k].less) && !any_left(g->slopes[k].more);
  return t->pulled || !t->gathers;
}

void mb_slope_tied_aim_gather(MbSensitivity *g, MbTangentGather *gather, const double *w) {
  if (g->tied && g->tied->halves->gathers)
    mb_tangent_gather_gaps(gather, g->probe, g->tangent, w, g->tied->end, 1 / g->sim->model->h);
}

double mb_slope_tied_aim_number_back(MbSensitivity *g, const MbSlope *slope, const double *w, double move) {
  double sum = 0;
  if (!g->tied || !mb_tangent_number_rows(slope->number)) return 0;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  if (!mb_tangent_number_jumps(slope->number) && g->tied->halves->gathers)
    return mb_tangent_number_gaps(g->probe, g->tangent, slope->number, w, g->tied->end) /
           (2 * move * g->sim->model->h);
  mb_slope_tied_aim_number(g, slope, w, move);
  for (size_t k = 0; k < rows->n; k++) sum += rows->row[k].zeta * g->tied->halves->gap[rows->row[k].slot];
  return sum;
}
