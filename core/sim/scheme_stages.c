// Fully implicit schemes: M, J, the quadratic terms and every force are taken at the state to come. A step is made of stages
//
//   M(q) (w − v*) = γ h F(q, w, t),   q = q₀ ⊕ h (u* + γ w)                                                        (1)
//
// with w the stage's velocities, unknown, and u* and v* known from before. u = u* + γ w is the velocity that carries the state's
// coordinates q₀ to the stage's in the time of a step, so that nothing has to be said of differences of coordinates: joints that turn
// about any axis have none. Where coordinates are plain numbers, q = q₀ + h u, these are the textbooks' formulas.
//
//   bdf1     u* = 0,  v* = v₀,  γ = 1, t = t₀ + h
//   sdirk2   α = 1 − √½, two stages:
//              first    u* = 0,           v* = v₀,                                γ = α, t = t₀ + α h; gives wₐ
//              second   u* = (1 − α) wₐ,  v* = v₀ + ((1 − α)/α) (wₐ − v₀),        γ = α, t = t₀ + h
//            What meets the gaps of constraints within the first stage leaves velocities that are off by O(h) along the rows: there
//            forces feel, and the second stage begins with, those next to wₐ that satisfy the rows, lest order two be lost.
//   bdf2     u* = u₀/3,  v* = v₀ + (v₀ − v₋₁)/3,  γ = 2/3, t = t₀ + h, where u₀ is the u of the step before and v₋₁ the velocities at its
//            start:  3/2 q₁ − 2 q₀ + 1/2 q₋₁ = h v₁  is  q₁ = q₀ + h (u₀/3 + 2/3 v₁).  The first step, and one after a jump of the
//            velocities, is sdirk2's.
//
// Newton's method solves each stage to the end (full_stage.c).
#include "core/sim/schemes.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/full_stage.h"
#include "core/sim/newton.h"

#include <math.h>
#include <string.h>

static const double ALPHA = 1 - M_SQRT1_2;

// Scratch behind that of a stage.
enum { BASE, FROM, BETWEEN, COLUMNS };

size_t mb_scheme_stages_scratch(size_t nq, size_t nv) {
  (void)nq;
  return mb_full_stage_scratch(nv) + COLUMNS * nv;
}

static double *column(const MbSim *sim, size_t k) {
  return sim->stage + mb_full_stage_scratch(sim->nv) + k * sim->nv;
}

// What bdf2 carries from step to step: whether it is known, u of the step before, and the velocities at its start.
enum { KNOWN, HEADER };

static double *memory_of(const MbSim *sim) { return mb_section(sim, MB_SECTION_SCHEME); }

size_t mb_scheme_bdf2_memory(size_t nq, size_t nv) {
  (void)nq;
  return HEADER + 2 * nv;
}

void mb_scheme_bdf2_restart(MbSim *sim) { memory_of(sim)[KNOWN] = 0; }

// v1 ← the stage's velocities, from the step's own. Its rows' impulses come so many times into those of the step.
static MbStatus make_stage(MbSim *sim, double gamma, double t, bool agrees, bool second, double times,
                           MbReport *report) {
  const MbFullStage stage = {
      .gamma = gamma, .t = t, .base = column(sim, BASE), .from = column(sim, FROM), .agrees = agrees};
  memcpy(sim->v1, sim->start, sim->nv * sizeof *sim->v1);
  const MbStatus status = mb_full_stage_solve(sim, &stage, sim->v1, report);
  if (status == MB_OK) mb_newton_note(sim, &stage, sim->v1, !second);
  return status == MB_OK ? mb_constrain_keep(sim, stage.from, sim->v1, times, report) : status;
}

static const double *made_of(MbSim *sim) {
  memcpy(sim->r, sim->v1, sim->nv * sizeof *sim->r);
  return sim->r;
}

// The velocities at the end satisfy the rows there, as those of the stage need not: it has met the gaps.
static MbStatus end(MbSim *sim, MbReport *report) {
  return mb_constrain_end(sim, made_of(sim), false, sim->v1, report);
}

MbStatus mb_scheme_bdf1(MbSim *sim, MbReport *report) {
  MbStatus status = mb_constrain_begin(sim, report);
  if (status != MB_OK) return status;
  memset(column(sim, BASE), 0, sim->nv * sizeof *sim->v1);
  memcpy(column(sim, FROM), sim->start, sim->nv * sizeof *sim->v1);
  status = make_stage(sim, 1, sim->state.t + sim->model->h, false, false, 1, report);
  return status == MB_OK ? end(sim, report) : status;
}

static MbStatus two_stages(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->start;
  double *base = column(sim, BASE), *from = column(sim, FROM), *between = column(sim, BETWEEN);
  memset(base, 0, sim->nv * sizeof *base);
  memcpy(from, v, sim->nv * sizeof *from);
  const double t = sim->state.t + ALPHA * h, times = (1 - ALPHA) / ALPHA;
  MbStatus status = make_stage(sim, ALPHA, t, true, false, times, report);
  if (status != MB_OK) return status;
  status = mb_full_stage_agree(sim, t, sim->v1, between, report);
  if (status == MB_OK) status = mb_constrain_keep(sim, sim->v1, between, times, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) {
    base[i] = (1 - ALPHA) * between[i];
    from[i] = v[i] + (1 - ALPHA) / ALPHA * (between[i] - v[i]);
  }
  return make_stage(sim, ALPHA, sim->state.t + h, false, true, 1, report);
}

MbStatus mb_scheme_sdirk2(MbSim *sim, MbReport *report) {
  MbStatus status = mb_constrain_begin(sim, report);
  if (status == MB_OK) status = two_stages(sim, report);
  return status == MB_OK ? end(sim, report) : status;
}

MbStatus mb_scheme_bdf2(MbSim *sim, MbReport *report) {
  const double *memory = memory_of(sim), *u = memory + HEADER, *before = u + sim->nv;
  double *base = column(sim, BASE), *from = column(sim, FROM);
  const bool known = memory[KNOWN] != 0;
  MbStatus status = mb_constrain_begin(sim, report);
  if (status != MB_OK) return status;
  const double *v = sim->start;
  for (size_t i = 0; i < sim->nv && known; i++) {
    base[i] = u[i] / 3;
    from[i] = v[i] + (v[i] - before[i]) / 3;
  }
  const double gamma = known ? 2.0 / 3 : ALPHA;
  status = known ? make_stage(sim, gamma, sim->state.t + sim->model->h, false, false, 1 / gamma, report)
                 : two_stages(sim, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) base[i] += gamma * sim->v1[i];
  memcpy(from, v, sim->nv * sizeof *from);
  return end(sim, report);
}

void mb_scheme_bdf2_commit(MbSim *sim) {
  double *memory = memory_of(sim);
  memcpy(memory + HEADER, column(sim, BASE), sim->nv * sizeof *memory);
  memcpy(memory + HEADER + sim->nv, column(sim, FROM), sim->nv * sizeof *memory);
  memory[KNOWN] = 1;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------

size_t mb_scheme_stages_terms(const MbSim *sim, MbStageTerms terms[2]) {
  const bool two_steps = sim->model->integrator.kind == MB_BDF2 && memory_of(sim)[KNOWN] != 0;
  if (two_steps) {
    terms[0] = (MbStageTerms){.base_u = 1.0 / 3, .from_v = 4.0 / 3, .from_before = -1.0 / 3};
    return 1;
  }
  terms[0] = (MbStageTerms){.from_v = 1};
  if (sim->model->integrator.kind == MB_BDF1) return 1;
  const double times = (1 - ALPHA) / ALPHA;
  terms[1] = (MbStageTerms){.base_first = 1 - ALPHA, .from_v = 1 - times, .from_first = times};
  return 2;
}
