// Back through the flight of a body that contacts have thrown back, and that takes the swing of what it spins by then (mb_touch_swing_anew): with w the velocity that the step has solved for, s₀ = s(ω) the swing that it was
// asked with,
//
//   ϖ = w − I⁻¹ s₀,   s = s(ϖ),   w′ = ϖ + I⁻¹ s,   ω⁺ = I⁻¹ exp(−h w′) (I w′ − s)
//
// and w′ turns the body. With w̄′ and −s̄ what these two are felt by in the flight (sensitivity_end.c) and in coordinates
//
//   ϖ̄ = w̄′ + Bᵀ (I⁻¹ w̄′ − s̄),   w̄ = ϖ̄,   ω̄ = −B₀ᵀ I⁻¹ ϖ̄,   B = ∂s/∂ω at ϖ,  B₀ at ω
//
// What moments change of it is a difference, some 1e-10 off: of few steps, along three axes.
#include "core/sim/sensitivity_met.h"
#include "core/model/flight.h"

#include <math.h>
#include <string.h>

static void find_thrown(const MbSensitivity *g, const MbStageNote *note, MbThrown *of) {
  const MbModel *model = g->sim->model;
  const size_t first = model->v_first[of->body];
  const double *I = model->M + 6 * of->body, *before = mb_tangent_swings(g->tangent)[of->body].s;
  for (size_t k = 0; k < 3; k++) of->spin[k] = note->w[first + k] - before[k] / I[k];
  mb_tangent_swing(model->h, I, of->spin, false, &of->swing);
  for (size_t k = 0; k < 3; k++) of->turned[k] = of->spin[k] + of->swing.s[k] / I[k];
}

void mb_thrown_at(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting) {
  MbMet *met = g->met;
  const MbModel *model = g->sim->model;
  met->nthrown = 0;
  for (size_t i = 0; i < meeting->moves.nthrown; i++) {
    MbThrown *of = &met->thrown[met->nthrown++];
    *of = (MbThrown){.body = meeting->moves.thrown[i]};
    find_thrown(g, note, of);
    for (size_t k = 0; k < 3; k++) g->step[model->v_first[of->body] + k] = model->h * of->turned[k];
  }
}

MbThrown *mb_thrown_of(const MbSensitivity *g, size_t body) {
  for (size_t i = 0; g->met && i < g->met->nthrown; i++)
    if (g->met->thrown[i].body == body) return &g->met->thrown[i];
  return NULL;
}

// y += share Bᵀ x
static void add_felt(const double B[9], double share, const double x[3], double *y) {
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) y[k] += share * B[3 * i + k] * x[i];
}

void mb_thrown_back(MbSensitivity *g, double h, const double *moved, double *w, double *from) {
  const MbModel *model = g->sim->model;
  for (size_t i = 0; g->met && i < g->met->nthrown; i++) {
    MbThrown *of = &g->met->thrown[i];
    const size_t first = model->v_first[of->body];
    const double *I = model->M + 6 * of->body;
    double by_swing[3], felt[3];
    mb_vec3_scale(of->moved, h, moved + first);
    for (size_t k = 0; k < 3; k++) by_swing[k] = w[first + k] / I[k] - of->carried[k];
    add_felt(of->swing.by_w, 1, by_swing, w + first);
    for (size_t k = 0; k < 3; k++) felt[k] = w[first + k] / I[k];
    add_felt(mb_tangent_swings(g->tangent)[of->body].by_w, -1, felt, from + first);
  }
}

// What the flight and coordinates of a body feel of its moments I, from a spin ω and the velocity w that has been solved for.
static double value(double h, const double I[3], const double from[3], const double w[3],
                    const double spun[3], const double moved[3]) {
  double s[3], spin[3], turned[3];
  mb_flight_swing(h, I, from, s);
  for (int k = 0; k < 3; k++) spin[k] = w[k] - s[k] / I[k];
  mb_flight_swing(h, I, spin, s);
  for (int k = 0; k < 3; k++) spin[k] += s[k] / I[k];
  mb_vec3_copy(turned, spin);
  mb_flight_carry(h, I, s, spin);
  return mb_vec3_dot(spun, spin) + mb_vec3_dot(moved, turned);
}

double mb_thrown_moment(const MbSensitivity *g, const MbThrown *of, const MbStageNote *note, size_t axis) {
  static const double MOVE = 1e-5; // of the moment
  const MbModel *model = g->sim->model;
  const size_t first = model->v_first[of->body];
  double at[2];
  for (int s = 0; s < 2; s++) {
    double I[3];
    mb_vec3_copy(I, model->M + 6 * of->body);
    I[axis] *= s ? 1 + MOVE : 1 - MOVE;
    at[s] = value(model->h, I, note->from + first, note->w + first, of->spun, of->moved);
  }
  return (at[1] - at[0]) / (2 * MOVE * model->M[6 * of->body + axis]);
}

double mb_thrown_number(const MbSensitivity *g, const MbThrown *of, const MbSlope *slope,
                        const MbStageNote *note, double move) {
  const size_t first = g->sim->model->v_first[of->body];
  const MbModel *const side[2] = {slope->less->model, slope->more->model};
  double at[2];
  if (memcmp(side[0]->M + 6 * of->body, side[1]->M + 6 * of->body, 3 * sizeof(double)) == 0) return 0;
  for (int s = 0; s < 2; s++) {
    double x[4][3];
    const double *const of_run[] = {note->from + first, note->w + first, of->spun, of->moved};
    for (int i = 0; i < 4; i++) {
      mb_vec3_copy(x[i], of_run[i]);
      mb_axes_vector(slope->axes, s, of->body, false, x[i]);
    }
    at[s] = value(g->sim->model->h, side[s]->M + 6 * of->body, x[0], x[1], x[2], x[3]);
  }
  return (at[1] - at[0]) / (2 * move);
}
