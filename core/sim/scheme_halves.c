// Steps of second order in trees of joints, and wherever there are constraints, where M v̇ = F(q, v, t) with M and J functions of q, and F holding the
// quadratic terms −Jᵀ(M J̇ v − ad_φᵀ M φ). Both schemes are made of one thing, the implicit half step of the velocities at
// given coordinates,
//
//   half(q, t):  M(q) (w − v) = (h/2) F(q, w, t)
//
// a stage (stage.c) solved by passes of Newton's method.
//
// trapezoidal     the midpoint rule, which is the trapezoidal rule where F is linear and M constant:
//                   w from half(q ⊕ (h/2) w, t + h/2),   q⁺ = q ⊕ h w,   v⁺ = 2w − v
//                 Its coordinates move with w: ∂/∂w of F along them is (h/2) K, the b of the trapezoidal rule. The first pass
//                 (at q ⊕ (h/2) v and v) leaves w off by O(h²), the second by O(h³), which is what order two takes; the third
//                 turns the weak growth y⁴/8 of a gyroscopic oscillation of y radians a step into a decay.
// bridson_marino  u from half(q, t),   q⁺ = q ⊕ h u,   w from half(q⁺, t + h),   v⁺ = u + w − v
//                 For constant M and D this is AR 0.9.4. With u = v(t + h/2) + O(h²) the second half needs one pass, from u:
//                 without damping it is w = v + (h/2) M⁻¹F(q⁺, u), so that v⁺ = u + (h/2) M⁻¹F(q⁺, u) mirrors the first
//                 half and the step is its own inverse.
//
// Constraints add Gᵀ λ to what a half is solved for (constrain_halves.c), G at the half's coordinates: with
// bridson_marino this is RATTLE. λ is solved for anew by every pass.
#include "core/sim/accounting.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/claims.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/half_notes.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/stage.h"

#include <string.h>

// How many passes a half step may take. Where velocities turn with bodies (of those free in space or held by rows, of joints that turn by
// angular velocities) the quadratic terms, which A leaves out, swing a fast turn about as a gyroscope: each pass leaves some y/2 of the
// error before it, for y radians a step, and what is left takes energy away for good, y⁶ or so a step after three passes. There more
// passes follow until next to nothing is left: a half step that is solved keeps the energy of a free turn. Or until one changes
// more than the one before, as with large steps.
static int most_passes(const MbSim *sim) {
  static const double FAST = 0.03; // radians a step
  const bool turns = sim->solver->map->layout->apart(sim->model) || sim->model->ncurved;
  return turns && sim->model->h * mb_spin(&sim->x) > FAST ? MB_HALF_PASSES_MOST : sim->integrator->passes;
}

// A half step of a table's integrator. Passes beyond the integrator's own do well with the last A, but where rows are solved for, which
// are to hold at each pass's coordinates.
static MbStage half_step(const MbSim *sim, MbHalf half, double t, int most) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  return (MbStage){.from = sim->start,
                   .weight = h / 2,
                   .t = t,
                   .a = in->a * h,
                   .b = in->b * h * h,
                   .exact = !sim->model->jointed && !sim->constraining, // W has to be symmetric
                   .rows = true,
                   .half = half,
                   .passes = in->passes,
                   .most = most,
                   .factors = sim->constraining || mb_claims_any(sim) ? most : in->passes};
}

// What an acceleration has made of the velocities at a step's start whose mean is w: v + 2 (w − v).
static double *made_of(MbSim *sim, const double *w) {
  for (size_t i = 0; i < sim->nv; i++) sim->r[i] = 2 * w[i] - sim->start[i];
  return sim->r;
}

// Notes of a step what has been struck in it (NULL: nothing), so that it is made anew.
static void note_struck(const MbSim *sim, const MbHalfNotes *notes, const double *struck) {
  const size_t size = sim->model->nslots * sizeof *struck;
  if (!notes->w) return;
  *notes->blow = struck != NULL;
  if (struck)
    memcpy(notes->struck, struck, size);
  else if (size)
    memset(notes->struck, 0, size);
}

// Notes the velocities that pass k of such a step has made, which stand for those behind it, too.
static void note_pass(const MbSim *sim, const MbHalfNotes *notes, size_t k, const double *w) {
  const size_t rows = sim->model->nslots;
  if (!notes->w) return;
  for (size_t i = k + 1; i < notes->most + 2; i++) memcpy(notes->w + sim->nv * i, w, sim->nv * sizeof *w);
  memcpy(notes->pushes + rows * k, sim->constraining->force, rows * sizeof *notes->pushes);
}

// The step anew where a row of one way has come to press: one implicit stage over all of it, as bdf1's, which stops what comes in. Of the
// velocities on both sides of a jump the two schemes would make others than a blow leaves.
static MbStatus take_blow(MbSim *sim, const MbHalfNotes *notes, MbReport *report) {
  enum { PASSES = 3 };
  const double h = sim->model->h, t = sim->state.t + h;
  double *w = sim->t, *v1 = sim->v1;
  sim->trouble[0] = 0;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  MbStatus status = mb_constrain_begin(sim, report);
  const MbStage stage = {.from = sim->start,
                         .weight = h,
                         .t = t,
                         .a = h,
                         .b = h * h,
                         .exact = !sim->model->jointed && !sim->constraining,
                         .q = sim->q1,
                         .rows = true,
                         .half = {.here = true, .impulse = h, .span = h, .t = t, .from = sim->start},
                         .passes = 1,
                         .factors = 1};
  memcpy(w, sim->start, sim->nv * sizeof *w);
  if (notes->w) memcpy(notes->w, w, sim->nv * sizeof *w);
  for (size_t pass = 0; status == MB_OK && pass < PASSES; pass++) {
    mb_sim_move(sim, h, w);
    status = mb_stage_solve(sim, &stage, NULL, w, report);
    if (status == MB_OK) note_pass(sim, notes, pass, w);
  }
  if (status == MB_OK) status = mb_constrain_keep(sim, sim->start, w, 1, report);
  if (status != MB_OK) return status;
  mb_sim_move(sim, h, w);
  memcpy(v1, w, sim->nv * sizeof *v1);
  memcpy(sim->r, w, sim->nv * sizeof *w);
  return mb_constrain_end(sim, sim->r, false, v1, sim->noted ? notes->agreed : NULL, report);
}

MbStatus mb_scheme_midpoint(MbSim *sim, MbReport *report) {
  const int most = most_passes(sim);
  MbStatus status = mb_constrain_begin(sim, report);
  if (status != MB_OK) return status;
  const double h = sim->model->h, *v = sim->start;
  double *w = sim->t, *v1 = sim->v1;
  MbStage stage = half_step(sim, (MbHalf){.theta = 0.5, .impulse = h / 2}, sim->state.t + h / 2, most);
  stage.q = sim->q1, stage.moves = true, stage.ahead = h / 2;
  const MbHalfNotes notes =
      sim->noted ? mb_half_notes(sim, sim->noted) : (MbHalfNotes){.most = mb_half_notes_most(sim)};
  stage.noted = sim->noted, stage.noting = (int)notes.most, stage.pushes = sim->noted ? notes.pushes : NULL;
  note_struck(sim, &notes, NULL);
  memcpy(w, v, sim->nv * sizeof *w);
  status = mb_stage_solve(sim, &stage, v1, w, report);
  if (status == MB_OK) status = mb_constrain_keep(sim, v, w, 2, report);
  if (status != MB_OK) return status;
  if (mb_constrain_struck(sim)) {
    note_struck(sim, &notes, sim->constraining->half);
    return take_blow(sim, &notes, report);
  }
  mb_sim_move(sim, h, w);
  for (size_t i = 0; i < sim->nv; i++) v1[i] = 2 * w[i] - v[i];
  return mb_constrain_end(sim, made_of(sim, w), false, v1, sim->noted ? notes.agreed : NULL, report);
}

MbStatus mb_scheme_verlet_halves(MbSim *sim, MbReport *report) {
  const int most = most_passes(sim);
  MbStatus status = mb_constrain_begin(sim, report);
  if (status != MB_OK) return status;
  const double h = sim->model->h, *v = sim->start;
  const MbHalf half = {.theta = 0, .impulse = h / 2}, other = {.theta = 1, .impulse = h / 2, .second = true};
  double *u = sim->t, *w = sim->v1;
  MbStage first = half_step(sim, half, sim->state.t, most);
  first.q = sim->state.q, first.factors = 1;
  memcpy(u, v, sim->nv * sizeof *u);
  status = mb_stage_solve(sim, &first, w, u, report);
  if (status == MB_OK) status = mb_constrain_keep(sim, v, u, 1, report);
  if (status != MB_OK) return status;
  if (mb_constrain_struck(sim)) return take_blow(sim, &(MbHalfNotes){0}, report);

  mb_sim_move(sim, h, u);
  MbStage second = half_step(sim, other, sim->state.t + h, 1);
  second.q = sim->q1, second.passes = second.factors = 1;
  memcpy(w, u, sim->nv * sizeof *w);
  status = mb_stage_solve(sim, &second, NULL, w, report);
  if (status == MB_OK) status = mb_constrain_keep(sim, u, w, 1, report);
  if (status != MB_OK) return status;

  for (size_t i = 0; i < sim->nv; i++) w[i] += u[i] - v[i];
  return mb_constrain_end(sim, made_of(sim, u), true, w, NULL, report);
}
