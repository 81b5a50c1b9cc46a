// Derivatives of steps of the midpoint rule (trapezoidal on trees), as the program makes them, by three passes. With s = h/2 pass k takes the velocities
// w_k, of which the first are v, to w_{k+1} = w_k + z at q_k = q ⊕ s w_k:
//
//   A z = −s τ(q_k, w_k, (w_k − v)/s),   A = M + s d + s² k,        q⁺ = q ⊕ h w₃,  v⁺ = 2 w₃ − v
//
// M is that at q_k on both sides, and τ is linear in accelerations, so that this is  τ(q_k, w_k, a) + d z + s k z = 0,  a = (w_{k+1} − v)/s: the equation of a step of one
// solution (sensitivity_once.c), with
//
//   dw_{k+1} = −s A⁻¹ ( ∂τ/∂q δq_k + (∂τ/∂v − d − s k) δw_k − ∂τ/∂a δv/s + ∂τ/∂p + ∂d/∂p z + s ∂k/∂p z ),   δq_k = T₀ δq + s T δw_k
//
// and backwards  ζ = −s A⁻¹ w̄_{k+1},  q̄_k = (∂τ/∂q)ᵀ ζ,  w̄_k = (∂τ/∂v)ᵀ ζ − d ζ − s k ζ + s Tᵀ q̄_k,  q̄ += T₀ᵀ q̄_k,  v̄ −= (∂τ/∂a)ᵀ ζ/s.
//
// That the passes leave something of the rule's equations does not matter. What A has of forces on bodies is a part of τ, by their motion J z (tangent_linear.c). Of joints that turn
// about any axis d + s k is Nᵀ (d + s k) N (sensitivity_turned.c). Where more passes follow, by the last factors, the half step is solved, and differentiated as an equation (sensitivity_solved.c). A step in which
// a limit or rope is struck is made of the same passes with s = h (sensitivity_tied_halves.c).
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_parts.h"

#include <string.h>

const char *mb_slope_halves_refuse(const MbModel *model) {
  if (model->solver.mode != MB_DYNAMIC) return "there are exact ones of mode \"dynamic\" alone";
  if (model->contacts.nsolids) return "there are no exact ones of contact";
  const char *tied = mb_slope_tied_halves_refuse(model);
  if (tied) return tied;
  if (!model->jointed) return "under \"trapezoidal\" there are exact ones of trees of joints alone";
  return mb_tangent_linear_refuses(model);
}

MbStageNote mb_slope_halves_pass(const MbSensitivity *g, double *noted, int k, double t) {
  const size_t nv = g->sim->nv;
  double *at = noted + nv * (size_t)k;
  double *pushes = mb_half_notes(g->sim, noted).pushes + g->sim->model->nslots * (size_t)k;
  return (MbStageNote){.gamma = 1, .t = t + g->span, .from = at, .w = at + nv, .impulse = pushes};
}

bool mb_slope_halves_at(MbSensitivity *g, const double *noted, const MbStageNote *pass) {
  MbSim *sim = g->probe;
  const double s = g->span;
  mb_slope_tied_aim(g, pass->from);
  for (size_t i = 0; i < sim->nv; i++) {
    g->step[i] = s * pass->from[i];
    g->a[i] = (pass->w[i] - noted[i]) / s;
  }
  memcpy(g->q1, g->q, sim->nq * sizeof *g->q1);
  mb_coordinates_advance(sim->model, g->q1, 1, g->step, 0, sim->model->nb);
  mb_sim_kinematics(sim, g->q1, pass->from);
  if (!mb_slope_once_factor(g, pass->t, s, s * s)) return false;
  for (size_t i = 0; i < sim->nv; i++) g->less[i] = pass->w[i] - pass->from[i];
  mb_slope_turned_at(g, s, g->less);
  if (!mb_slope_tied_pass(g, pass)) return false;
  mb_tangent_to(g->tangent, pass->w);
  mb_tangent_at(sim, g->tangent, pass->from, g->a, pass->t, NULL);
  return true;
}

// x ← −s A⁻¹ x
static bool solve(MbSensitivity *g, double *x) {
  for (size_t i = 0; i < g->sim->nv; i++) x[i] *= -g->span;
  return g->probe->solver->apply(g->probe->work, x, NULL, NULL);
}

// What A has of the coordinates' own, by s.
static double own(const MbSensitivity *g, size_t i) { return g->damping[i] + g->span * g->stiffness[i]; }

// ---- along ----------------------------------------------------------------------------------------------------------

// t->w ← how the velocities change that a pass makes of those that have changed by t->w.
static bool change_pass(MbSensitivity *g, MbSlope *t, const MbStageNote *pass, double move) {
  const size_t nv = g->sim->nv;
  const double s = g->span;
  double *out = t->base;
  mb_slope_by_number(g, t, pass, pass->from, move, g->rate);
  mb_slope_once_number(g, t, pass, move, NULL);
  mb_slope_tied_number(g, t, pass, move);
  mb_slope_tied_pushed(g, g->rate);
  if (g->tied) mb_slope_tied_aim_number(g, t, pass->from, move);
  for (size_t i = 0; i < nv; i++) g->rate[i] += g->number_own[i] - own(g, i) * t->w[i];
  for (size_t i = 0; i < nv; i++) g->less[i] = s * t->w[i], g->more[i] = -t->v[i] / s;
  mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
  mb_slope_turned_times(g, g->move, t->w, g->rate);
  mb_tangent_times(g->probe, g->tangent, g->move, t->w, g->more, out);
  mb_slope_tied_pass_asked(g, t, g->move, t->w);
  for (size_t i = 0; i < nv; i++) t->w[i] = out[i] + g->rate[i];
  if (!solve(g, t->w)) return false;
  mb_slope_tied_pass_change(g, t->w);
  return true;
}

static void end(MbSensitivity *g, MbSlope *t, bool blow) {
  const size_t nv = g->sim->nv;
  for (size_t i = 0; i < nv; i++) {
    g->less[i] = g->sim->model->h * t->w[i];
    t->v[i] = blow ? t->w[i] : 2 * t->w[i] - t->v[i];
  }
  mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
  memcpy(t->q, g->move, nv * sizeof *t->q);
}

// Of velocities that are made to agree, at the end or at the start.
static bool change_agreed(MbSensitivity *g, double *noted, const double *before) {
  bool solved = mb_slope_agree_at(g, noted, before, true);
  for (size_t k = 0; k < g->count && solved; k++) {
    MbSlope *t = &g->slopes[k];
    solved = mb_slope_agree_change(g, t, g->number[k].move, t->q, t->v);
  }
  return solved;
}

bool mb_slope_halves_start(MbSensitivity *g, double *noted, const double *before) {
  return !g->tied || change_agreed(g, noted, before);
}

static bool change_solved(MbSensitivity *g, double *noted, double begin) {
  const MbStageNote note = mb_slope_solved_note(g, mb_slope_halves_last(g->sim, noted), begin);
  bool solved = mb_slope_solved_at(g, noted, &note);
  for (size_t k = 0; k < g->count && solved; k++)
    solved = mb_slope_solved_change(g, &g->slopes[k], &note, g->number[k].move);
  return solved;
}

static bool change_passes(MbSensitivity *g, double *noted, double begin) {
  const size_t nv = g->sim->nv;
  mb_slope_tied_begin_passes(g);
  for (size_t k = 0; k < g->count; k++) memcpy(g->slopes[k].w, g->slopes[k].v, nv * sizeof(double));
  for (int p = 0; p < mb_slope_halves_count(g->sim, noted); p++) {
    const MbStageNote pass = mb_slope_halves_pass(g, noted, p, begin);
    bool solved = mb_slope_halves_at(g, noted, &pass);
    for (size_t k = 0; k < g->count && solved; k++)
      solved = change_pass(g, &g->slopes[k], &pass, g->number[k].move);
    if (!solved) return false;
  }
  return true;
}

bool mb_slope_halves_change(MbSensitivity *g, double *noted, double begin) {
  const MbSim *sim = g->sim;
  const double *last = mb_slope_halves_last(sim, noted);
  if (!(mb_slope_halves_went_on(sim, noted) ? change_solved : change_passes)(g, noted, begin)) return false;
  for (size_t i = 0; i < sim->nv; i++) g->step[i] = sim->model->h * last[i];
  for (size_t k = 0; k < g->count; k++) end(g, &g->slopes[k], *mb_half_notes(sim, noted).blow != 0);
  return !g->tied || change_agreed(g, noted, NULL);
}

// ---- backwards ------------------------------------------------------------------------------------------------------

void mb_slope_halves_end_back(MbSensitivity *g, double *noted, double *q, double *v, double *w) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h, *last = mb_slope_halves_last(g->sim, noted);
  const double mean = *mb_half_notes(g->sim, noted).blow != 0 ? 1 : 2;
  for (size_t i = 0; i < nv; i++) g->step[i] = h * last[i];
  mb_tangent_moved_transposed(g->sim, g->step, q, g->move, g->less);
  for (size_t i = 0; i < nv; i++) {
    w[i] = mean * v[i] + h * g->less[i];
    v[i] *= 1 - mean, q[i] = g->move[i];
  }
}

bool mb_slope_halves_back(MbSensitivity *g, double *q, double *v, double *w, double *z, double *scratch[3]) {
  const size_t nv = g->sim->nv;
  const double s = g->span;
  double *dq = scratch[0], *dv = scratch[1], *da = scratch[2];
  memcpy(z, w, nv * sizeof *z);
  mb_slope_tied_back(g, z);
  if (!solve(g, z)) return false;
  mb_tangent_transposed(g->probe, g->tangent, z, dq, dv, da);
  mb_slope_turned_back(g, z, dq, dv);
  mb_tangent_moved_transposed(g->probe, g->step, dq, g->move, g->less);
  for (size_t i = 0; i < nv; i++) {
    q[i] += g->move[i];
    w[i] = dv[i] - own(g, i) * z[i] + s * g->less[i];
    v[i] -= da[i] / s;
  }
  mb_slope_tied_pass_back(g, q, v, w);
  return true;
}
