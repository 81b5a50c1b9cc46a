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
// Where a unilateral row comes to press, velocities jump: what sdirk2 and bdf2 make of v₀ before a jump and w behind it would be a rebound, of
// up to √2 times what has come in. Such a step is bdf1's one stage, which stops what comes in and no more, and bdf2 begins anew
// after it.
//
// Newton's method solves each stage to the end (full_stage.c); where it does not come to one, the step is made of parts.
#include "core/sim/schemes.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/evaluate.h"
#include "core/sim/full_stage.h"
#include "core/sim/newton.h"

#include <math.h>
#include <string.h>

static const double ALPHA = 1 - M_SQRT1_2;

// Scratch behind that of a stage; and one number, whether something was struck.
enum { BASE, FROM, BETWEEN, CARRIED, PART, COLUMNS };

size_t mb_scheme_stages_scratch(size_t nq, size_t nv) {
  (void)nq;
  return mb_full_stage_scratch(nv) + COLUMNS * nv + 1;
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

// A step as it is being made: of the stage at hand, or of the last one, u = u* + γ w.
typedef struct Making {
  MbSim *sim;
  double gamma;      // of the stage
  MbReport *solving; // where a stage that is not solved says so; NULL: nowhere
  bool unsolved;     // a stage was not
  bool begun;        // there has been a stage
  bool euler;        // its stages are bdf1's
} Making;

// v1 ← the stage's velocities, from `guess`. Its rows' impulses come so many times into those of the step.
static MbStatus make_stage(Making *m, double gamma, double t, bool agrees, const double *guess, double times,
                           MbReport *report) {
  MbSim *sim = m->sim;
  const MbFullStage stage = {
      .gamma = gamma, .t = t, .base = column(sim, BASE), .from = column(sim, FROM), .agrees = agrees};
  m->gamma = gamma;
  memcpy(sim->v1, guess, sim->nv * sizeof *sim->v1);
  const MbStatus status = mb_full_stage_solve(sim, &stage, sim->v1, m->solving);
  m->unsolved = status == MB_NUMBERS;
  if (status != MB_OK) return status;
  mb_stage_note(sim, &stage, sim->v1, !m->begun);
  m->begun = true;
  return mb_constrain_keep(sim, stage.from, sim->v1, times, report);
}

static const double *made_of(MbSim *sim) {
  memcpy(sim->r, sim->v1, sim->nv * sizeof *sim->r);
  return sim->r;
}

// The velocities at the end satisfy the rows there, as those of the stage need not: it has met the gaps. They are the nearest to these as M
// measures, so that they have no more energy, and that nothing but where bodies are decides on them.
static MbStatus end(MbSim *sim, MbReport *report) {
  const MbStatus status = mb_full_stage_measure(sim, sim->v1, report);
  return status == MB_OK ? mb_constrain_end(sim, made_of(sim), true, sim->v1, NULL, report) : status;
}

// ---- parts of a step ------------------------------------------------------------------------------------------------
//
// A step whose equations are not solved is made anew of 2, 4, … equal parts, each of the scheme's own stages; of bdf2's, those of
// sdirk2. A part of h/n that begins at q₀ ⊕ h u with velocities v is made of stages with γ/n in the place of γ and u + u*/n in that of
// u*, so that one u still carries q₀ to the step's end, and bdf2 goes on with it as ever. (That one motion stands for several in a row
// is off by h² |[u, w]|, w − u being O(h): no order is lost.)

enum { MOST_PARTS = 64 };

// The stages of an Euler step over the k-th of n parts that begins with velocities v.
static MbStatus one_stage(Making *m, const double *v, size_t k, size_t n, MbReport *report) {
  MbSim *sim = m->sim;
  memcpy(column(sim, BASE), column(sim, CARRIED), sim->nv * sizeof *v);
  memcpy(column(sim, FROM), v, sim->nv * sizeof *v);
  const double t = sim->state.t + sim->model->h * (double)(k + 1) / (double)n;
  return make_stage(m, 1 / (double)n, t, false, v, 1, report);
}

// The same of sdirk2.
static MbStatus two_stages(Making *m, const double *v, size_t k, size_t n, MbReport *report) {
  MbSim *sim = m->sim;
  const double h = sim->model->h / (double)n, gamma = ALPHA / (double)n, times = (1 - ALPHA) / ALPHA;
  const double *carried = column(sim, CARRIED);
  double *base = column(sim, BASE), *from = column(sim, FROM), *between = column(sim, BETWEEN);
  memcpy(base, carried, sim->nv * sizeof *base);
  memcpy(from, v, sim->nv * sizeof *from);
  const double t = sim->state.t + h * ((double)k + ALPHA);
  MbStatus status = make_stage(m, gamma, t, true, v, times, report);
  if (status != MB_OK) return status;
  status = mb_full_stage_agree(sim, t, sim->v1, between, report);
  mb_stage_note_agreed(sim);
  if (status == MB_OK) status = mb_constrain_keep(sim, sim->v1, between, times, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) {
    base[i] = carried[i] + (1 - ALPHA) / (double)n * between[i];
    from[i] = v[i] + (1 - ALPHA) / ALPHA * (between[i] - v[i]);
  }
  return make_stage(m, gamma, sim->state.t + h * (double)(k + 1), false, v, 1, report);
}

// Makes a step of n parts, from the state.
static MbStatus parts(Making *m, size_t n, MbReport *report) {
  MbSim *sim = m->sim;
  const double h = sim->model->h;
  double *carried = column(sim, CARRIED), *v = column(sim, PART);
  m->begun = false;
  memset(carried, 0, sim->nv * sizeof *carried);
  memcpy(v, sim->start, sim->nv * sizeof *v);
  for (size_t k = 0; k < n; k++) {
    MbStatus status = m->euler ? one_stage(m, v, k, n, report) : two_stages(m, v, k, n, report);
    if (status != MB_OK || k + 1 == n) return status;
    const double *base = column(sim, BASE);
    for (size_t i = 0; i < sim->nv; i++) carried[i] = base[i] + m->gamma * sim->v1[i];
    status = mb_full_stage_agree(sim, sim->state.t + h * (double)(k + 1) / (double)n, sim->v1, v, report);
    if (status == MB_OK) status = mb_constrain_keep(sim, sim->v1, v, 1, report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

// The stage of bdf2 where the step before is known.
static MbStatus two_steps(Making *m, MbReport *report) {
  MbSim *sim = m->sim;
  const double *u = memory_of(sim) + HEADER, *before = u + sim->nv, *v = sim->start;
  double *base = column(sim, BASE), *from = column(sim, FROM);
  m->begun = false;
  for (size_t i = 0; i < sim->nv; i++) {
    base[i] = u[i] / 3;
    from[i] = v[i] + (v[i] - before[i]) / 3;
  }
  return make_stage(m, 2.0 / 3, sim->state.t + sim->model->h, false, v, 1.5, report);
}

static bool is_known(const MbSim *sim) {
  return sim->model->integrator.kind == MB_BDF2 && memory_of(sim)[KNOWN] != 0;
}

static MbStatus attempt(Making *m, size_t n, MbReport *report) {
  m->unsolved = false;
  const MbStatus status = mb_constrain_begin(m->sim, report);
  if (status != MB_OK) return status;
  return n == 1 && !m->euler && is_known(m->sim) ? two_steps(m, report) : parts(m, n, report);
}

// Takes the bodies back to the state, for another attempt.
static void go_back(MbSim *sim) {
  sim->trouble[0] = 0;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
}

// v1 ← the velocities that the step's last stage has; of as many parts as it takes. Where the most do not do, the step as a whole says what
// is left of it.
static MbStatus solve_as_is(Making *m, MbReport *report) {
  MbStatus status = attempt(m, 1, report);
  for (size_t n = 2; m->unsolved && n <= MOST_PARTS; n *= 2) {
    go_back(m->sim);
    status = attempt(m, n, report);
  }
  if (!m->unsolved) return status;
  go_back(m->sim);
  m->solving = report;
  return attempt(m, 1, report);
}

// The same, of bdf1's stages where something is struck.
static MbStatus solve(Making *m, MbReport *report) {
  m->euler = m->sim->model->integrator.kind == MB_BDF1;
  mb_stage_note_struck(m->sim, false);
  const MbStatus status = solve_as_is(m, report);
  if (m->euler || status != MB_OK || !mb_constrain_struck(m->sim)) return status;
  m->euler = true;
  mb_stage_note_struck(m->sim, true);
  go_back(m->sim);
  return solve_as_is(m, report);
}

MbStatus mb_scheme_stages(MbSim *sim, MbReport *report) {
  Making m = {.sim = sim};
  const MbStatus status = solve(&m, report);
  return status == MB_OK ? end(sim, report) : status;
}

MbStatus mb_scheme_bdf2(MbSim *sim, MbReport *report) {
  Making m = {.sim = sim};
  double *base = column(sim, BASE), *from = column(sim, FROM);
  const MbStatus status = solve(&m, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) base[i] += m.gamma * sim->v1[i];
  memcpy(from, sim->start, sim->nv * sizeof *from);
  const MbStatus ended = end(sim, report);
  *column(sim, COLUMNS) = mb_constrain_struck(sim);
  return ended;
}

void mb_scheme_bdf2_commit(MbSim *sim) {
  double *memory = memory_of(sim);
  memcpy(memory + HEADER, column(sim, BASE), sim->nv * sizeof *memory);
  memcpy(memory + HEADER + sim->nv, column(sim, FROM), sim->nv * sizeof *memory);
  memory[KNOWN] = *column(sim, COLUMNS) == 0;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------

size_t mb_scheme_stages_terms(const MbSim *sim, MbStageTerms terms[2]) {
  const bool two_steps = sim->model->integrator.kind == MB_BDF2 && memory_of(sim)[KNOWN] != 0;
  if (two_steps) {
    terms[0] =
        (MbStageTerms){.base_u = 1.0 / 3, .from_v = 4.0 / 3, .from_before = -1.0 / 3, .gamma = 2.0 / 3};
    return 1;
  }
  terms[0] = mb_scheme_stages_struck();
  if (sim->model->integrator.kind == MB_BDF1) return 1;
  const double times = (1 - ALPHA) / ALPHA;
  terms[0].gamma = ALPHA;
  terms[1] =
      (MbStageTerms){.base_first = 1 - ALPHA, .from_v = 1 - times, .from_first = times, .gamma = ALPHA};
  return 2;
}

MbStageTerms mb_scheme_stages_struck(void) { return (MbStageTerms){.from_v = 1, .gamma = 1}; }

double *mb_scheme_stages_carried(const MbSim *sim, double *memory) {
  return sim->model->integrator.kind == MB_BDF2 ? memory + sim->section[MB_SECTION_SCHEME] + HEADER : NULL;
}
