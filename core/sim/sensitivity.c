// Discrete tangents. The state is s = (q, v), with u and the velocities before it under bdf2; how it changes with a number p of the scene is
// kept as δq, a motion of the joints in the axes of their velocities, and plain differences of the rest. A stage's w solves
//
//   τ(q₁, w, a; p) = 0,   q₁ = q ⊕ h (u* + γ w),   a = (w − v*)/(γ h)                                    (scheme_stages.c, tangent.h)
//
// so that, u* and v* being sums of what is known,
//
//   dw = −(dτ/dw)⁻¹ ( ∂τ/∂q₁ (T₀ δq + T h δu*) − ∂τ/∂a δv*/(γ h) + ∂τ/∂p )
//
// All of it is exact but ∂τ/∂p, which is everything that the build makes of p: the difference of two models' τ at the same numbers,
// divided by that of p, off by its square and by rounding over it: some 1e-10 of it. What is told of a frame has two parts in the same
// way: by the state, along (δq, δv), and by p at the same state.
//
// Where a step is no such stage, its own derivative is taken by differences of that one step (sensitivity_steps.c).
#include "core/sim/kept_moves.h"
#include "core/sim/sensitivity_rows.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_opened.h"
#include "core/sim/sensitivity_twin.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/alike.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/dry.h"
#include "core/sim/evaluate.h"
#include "core/sim/newton.h"
#include "core/sim/nodes_told.h"
#include "core/sim/restore_of.h"
#include "core/sim/schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- whom it is for -----------------------------------------------------------------------------------------------

static const char *const TOUCHES = "there are no exact ones of contact",
                         *const RUBS = "there are no exact ones of dry friction";

// Of stages alone: what else there may be is asked of the simulation.
static const char *stages_refuse(const MbModel *model) {
  const MbIntegratorKind kind = model->integrator.kind;
  if (model->contacts.nsolids) return TOUCHES;
  if (model->dry) return mb_slope_tied_refuse(model) ? mb_slope_tied_refuse(model) : RUBS;
  if (kind == MB_SYMPLECTIC || kind == MB_IMPLICIT) return mb_slope_once_refuse(model);
  if (kind == MB_TRAPEZOIDAL) return mb_slope_halves_refuse(model);
  if (kind != MB_BDF1 && kind != MB_BDF2 && kind != MB_SDIRK2)
    return "there are no exact ones of this integrator";
  return mb_slope_rows_refuse(model);
}

const char *mb_sensitivity_refuses(const MbModel *model) {
  const char *why = model->contacts.nsolids ? mb_touch_slopes_refuse(model) : NULL;
  if (why) return why;
  return stages_refuse(model) || model->nslots ? mb_steps_refuse(model) : NULL;
}

const char *mb_sensitivity_inexact(const MbModel *model) {
  const char *why = stages_refuse(model);
  return why ? why : mb_sensitivity_refuses(model);
}

double mb_sensitivity_little(const MbModel *model) {
  static const double LITTLE = 1e-6, LITTLE_OF_HELD = 2e-5, LITTLE_OF_PASSES = 3e-5,
                      LITTLE_OF_LANDING = 5e-6; // of a number
  // rounding of what holds bodies together, over the time of a step, weighs more than the square of a number's move: but where whole steps that close what no longer fits are
  // differentiated, and by other branches of them
  const bool maximal = mb_solver_of_bodies(&model->solver) == MB_SOLVER_MAXIMAL;
  const bool held = maximal ? !mb_slope_branches(model) : model->nslots > 0 && !mb_sensitivity_inexact(model);
  // and what loads inside joints are found to, as they decide what slips and by how much
  if (model->nloads) return LITTLE_OF_HELD;
  // nodes that land move by 1/h of their gap, which steps beside the run follow over a short way alone; over a shorter one rounding of their solutions is seen
  if (model->contacts.nsurfaces) return LITTLE_OF_LANDING;
  return mb_model_points(model) ? LITTLE_OF_PASSES : held ? LITTLE_OF_HELD : LITTLE;
}

double mb_sensitivity_move(const MbModel *model, double value) {
  static const double OF_NOTHING =
      2e-6; // what moves joints by more of a metre is too far for steps of bodies
  const double little = mb_sensitivity_little(model);
  if (value != 0) return little * fabs(value);
  return mb_model_points(model) ? little : fmin(little, OF_NOTHING);
}

// Says why there is no way back through steps of deformables that iterations move, and of bodies beside them; NULL: there is one.
static const char *nodes_refuse(const MbSim *sim) {
  const char *why = mb_nodes_no_way_back(sim);
  if (why || (!sim->nv && !sim->model->nslots)) return why;
  if (!sim->nv) return "constraints hold what does not move beside deformables under solver \"projective\"";
  why = mb_tangent_refuses_bodies(sim);
  return why ? why : mb_slope_once_refuse(sim->model);
}

const char *mb_sensitivity_by_steps(const MbSensitivity *g) { return g->by_steps; }
const char *mb_sensitivity_no_way_back(const MbSensitivity *g) {
  if (g->held) return g->held->free.by_steps;
  if (g->meets || !g->by_steps) return NULL;
  if (mb_held_is(g->sim)) return mb_held_refuses(g->sim);
  return g->sim->nodes ? nodes_refuse(g->sim) : g->by_steps;
}
bool mb_sensitivity_of_nodes(const MbSensitivity *g) { return g->nodes; }
bool mb_sensitivity_moves_nodes(const MbSim *sim) { return !nodes_refuse(sim); }
bool mb_sensitivity_meets(const MbSensitivity *g) { return g->meets; }
int64_t mb_sensitivity_wholes(const MbSensitivity *g) { return g->wholes; }

// Whether contact and friction along coordinates alone leave a run to single steps, of a kind that there is a way back through.
static bool meets(const MbSim *sim) {
  const MbModel *model = sim->model;
  const MbIntegratorKind kind = model->integrator.kind;
  if (!sim->touching && !model->dry) return false;
  return !mb_model_points(model) && (kind == MB_SYMPLECTIC || kind == MB_IMPLICIT) &&
         sim->integrator->scheme == MB_ONE_SOLVE && !mb_slope_once_refuse(model) && !mb_tangent_refuses(sim);
}

// Whether derivatives of steps are made of their equations, along the run or back.
static bool by_equations(const MbSensitivity *g) { return !g->by_steps || g->meets || g->beside; }

// ---- the start ----------------------------------------------------------------------------------------------------

static MbStatus jumped(const MbSensitivityNumber *number, MbReport *report) {
  return mb_error(report, MB_SCENE, "",
                  "%s: coordinates at the start jump where it changes a little: there is no derivative by it",
                  number->name);
}

static double *numbers(MbSensitivity *g, size_t n) { return mb_arena_alloc(&g->arena, n, sizeof(double)); }

// The simulation's own, or one made for it.
static MbTangent *tangent_of(const MbSensitivity *g, MbSim *sim) {
  if (!g->once) return mb_newton_tangent(sim);
  MbTangent *tangent = mb_tangent_create(sim);
  if (tangent) mb_tangent_place(sim, tangent);
  return tangent && mb_slope_once_linearise(g, sim, tangent) ? tangent : NULL;
}

// How the state begins to change, of both sides' states, each in its own axes; false: it jumps.
static bool begin_state(MbSensitivity *g, size_t k) {
  MbSlope *t = &g->slopes[k];
  const double span = 2 * g->number[k].move;
  for (int s = 0; s < 2; s++) mb_axes_to_run(t->axes, s, g->sim, &mb_slope_side(t, s)->state);
  mb_steps_begin(g, t, span);
  const bool fine = mb_slope_between(g, &t->less->state, &t->more->state, span, t->q, t->v);
  for (int s = 0; s < 2; s++) mb_axes_to_side(t->axes, s, g->sim, &mb_slope_side(t, s)->state);
  return fine;
}

static MbStatus begin(MbSensitivity *g, size_t k, MbReport *report) {
  const MbSensitivityNumber *number = &g->number[k];
  const MbSimOptions options = {.threads = 1};
  MbSlope *t = &g->slopes[k];
  const size_t nv = g->sim->nv;
  double **const lists[] = {&t->q, &t->v, &t->u, &t->before, &t->base, &t->from, &t->w, &t->first};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!(*lists[i] = numbers(g, nv))) return mb_no_memory(report, "derivatives");
  MbReport own = {0}; // the run itself has warned
  t->whole = number->move / mb_sensitivity_little(g->sim->model);
  MbStatus status = mb_sim_create(number->less, &options, &t->less, &own);
  if (status == MB_OK) status = mb_sim_create(number->more, &options, &t->more, &own);
  if (status != MB_OK) {
    *report = own;
    return status;
  }
  mb_dry_be_exact(t->less), mb_dry_be_exact(t->more);
  const char *what = mb_sim_unlike(g->sim, t->less);
  if (!what) what = mb_sim_unlike(g->sim, t->more);
  if (what)
    return mb_error(report, MB_SCENE, "", "%s: it changes %s: there is no derivative by it", number->name,
                    what);
  if ((what = mb_slope_tables_refuse(g->sim->model, t->less->model, t->more->model)))
    return mb_error(report, MB_SCENE, "", "%s: %s", number->name, what);
  if ((what = mb_slope_frames_refuse(g->sim->model, t->less->model, t->more->model)))
    return mb_error(report, MB_SCENE, "", "%s: %s", number->name, what);
  if (!mb_axes_find(&g->arena, g->sim, t->less->model, t->more->model, &t->axes))
    return mb_no_memory(report, "derivatives");
  if ((by_equations(g) || g->nodes) &&
      !(t->number = mb_tangent_number_create(&g->arena, g->sim, t->less, t->more)))
    return mb_no_memory(report, "derivatives");
  if (by_equations(g) && (!(t->side[0] = tangent_of(g, t->less)) || !(t->side[1] = tangent_of(g, t->more))))
    return mb_no_memory(report, "derivatives");
  if (g->meets || g->nodes) mb_met_concern(t);
  return begin_state(g, k) ? MB_OK : jumped(number, report);
}

// Chooses between stages and single steps.
static MbStatus choose(MbSensitivity *g, MbReport *report) {
  const MbSim *sim = g->sim;
  g->by_steps = sim->touching ? TOUCHES : stages_refuse(sim->model);
  if (!g->by_steps) g->by_steps = mb_tangent_refuses(sim);
  g->meets = meets(sim);
  g->nodes = g->by_steps && !nodes_refuse(sim);
  g->beside = g->nodes && sim->nv > 0;
  g->once = by_equations(g) && sim->integrator->scheme == MB_ONE_SOLVE;
  g->halves = g->once && sim->model->integrator.kind == MB_TRAPEZOIDAL;
  if (!g->by_steps && !sim->newton && !g->once) g->by_steps = "exact ones are there for fewer velocities";
  const char *why = g->by_steps ? mb_steps_refuse(sim->model) : NULL;
  if (!why && mb_model_points(sim->model)) why = mb_steps_refuse_passes(sim);
  return why ? mb_error(report, MB_SCENE, "", "%s", why) : MB_OK;
}

static MbStatus create(MbSensitivity *g, const MbModel *model, MbReport *report) {
  const MbSimOptions options = {.threads = 1};
  const char *why = mb_sensitivity_refuses(model);
  if (why) return mb_error(report, MB_SCENE, "", "%s", why);
  MbStatus status = mb_twin_make(g, &model, report);
  if (status == MB_OK) status = mb_sim_create(model, NULL, &g->sim, report);
  MbReport own = {0};
  if (status == MB_OK) status = mb_sim_create(model, &options, &g->probe, &own);
  if (own.errors) *report = own;
  if (status != MB_OK) return status;
  mb_dry_be_exact(g->probe);
  status = choose(g, report);
  if (status != MB_OK) return status;
  if (by_equations(g) && !(g->tangent = tangent_of(g, g->probe))) return mb_no_memory(report, "derivatives");
  const size_t nq = g->sim->nq, nv = g->sim->nv, size = mb_sim_frame_size(g->sim);
  double **const lists[] = {&g->step, &g->a, &g->move, &g->rate, &g->less, &g->more};
  bool ok = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ok = (*lists[i] = numbers(g, nv)) && ok;
  g->q = numbers(g, nq), g->q1 = numbers(g, nq);
  for (int i = 0; i < MB_SLOPE_FRAMES; i++) ok = (g->frame[i] = numbers(g, size)) && ok;
  g->slopes = mb_arena_alloc(&g->arena, g->count, sizeof *g->slopes);
  if (!ok || !g->q || !g->q1 || !g->slopes || !mb_steps_make(g) || !mb_slope_rows_make(g) ||
      !mb_slope_once_make(g) || !mb_slope_tied_make(g) || !mb_slope_tied_halves_make(g) || !mb_met_make(g))
    return mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = begin(g, k, report);
  if (status == MB_OK && g->by_steps && mb_held_is(g->sim) && !mb_held_refuses(g->sim))
    status = mb_held_make(g, report);
  return status;
}

MbStatus mb_sensitivity_create(const MbModel *model, const MbSensitivityNumber *number, size_t count,
                               MbSensitivity **out, MbReport *report) {
  *out = NULL;
  MbSensitivity *g = mb_calloc(1, sizeof *g);
  if (!g) return mb_no_memory(report, "derivatives");
  g->number = number, g->count = count;
  const MbStatus status = create(g, model, report);
  if (status == MB_OK)
    *out = g;
  else
    mb_sensitivity_free(g);
  return status;
}

void mb_sensitivity_free(MbSensitivity *g) {
  if (!g) return;
  for (size_t k = 0; g->slopes && k < g->count; k++)
    mb_sim_free(g->slopes[k].less), mb_sim_free(g->slopes[k].more), mb_free(g->slopes[k].pushed);
  mb_met_free(g);
  mb_twin_free(g);
  mb_held_free_back(g);
  mb_sim_free(g->sim);
  mb_sim_free(g->probe);
  mb_free(g->pushed.touch);
  mb_arena_free(&g->arena);
  mb_free(g);
}

MbStatus mb_sensitivity_restore(MbSensitivity *g, const void *bytes, size_t size, MbReport *report) {
  const MbModel *model = g->sim->model;
  if (g->own)
    return mb_error(
        report, MB_SCENE, "",
        "derivatives do not go on from a checkpoint where deformables are moved by another method "
        "than \"newton\"");
  MbStatus status = mb_sim_restore(g->sim, bytes, size, report);
  if (status == MB_OK) status = mb_sim_restore(g->probe, bytes, size, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) {
    MbSlope *t = &g->slopes[k];
    double *const lists[] = {t->q, t->v, t->u, t->before, t->first};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
      memset(lists[i], 0, g->sim->nv * sizeof(double));
    memset(t->memory, 0, g->sim->nm * sizeof(double));
    for (int s = 0; s < 2 && status == MB_OK; s++)
      status = mb_sim_restore_of(mb_slope_side(t, s), model, bytes, size, report);
    if (status == MB_OK && !begin_state(g, k)) status = jumped(&g->number[k], report);
  }
  g->began = g->sim->state.step;
  if (status == MB_OK) mb_sim_signals(g->sim, g->sim->state.t); // as a frame there sees them
  return status;
}

MbSim *mb_sensitivity_sim(MbSensitivity *g) { return g->sim; }

// ---- a step ---------------------------------------------------------------------------------------------------------

const double *mb_slope_felt(const MbSensitivity *g, const MbStageNote *note) {
  return g->once ? note->from : g->rows ? g->rows->felt : note->w;
}

// With rows: t->w ← how the stage's w changes, t->first ← how the velocities do that agree where it ends; g->move is how q₁ changes without w.
static void change_with_rows(MbSensitivity *g, MbSlope *t, const MbStageNote *note, const double *da,
                             double move) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  double *dv = g->less, *out = g->more;
  mb_slope_rows_number(g, t, note, move);
  mb_slope_rows_look(g, t);
  memset(dv, 0, nv * sizeof *dv);
  if (note->agrees) mb_slope_project(g, NULL, g->move, true, dv);
  mb_tangent_times(g->probe, g->tangent, g->move, dv, da, out);
  for (size_t i = 0; i < nv; i++) out[i] += g->rate[i];
  mb_slope_rows_solve(g, out, g->move, t->from, t->w);
  for (size_t i = 0; i < nv; i++) out[i] = h * (t->base[i] + note->gamma * t->w[i]);
  mb_tangent_moved(g->probe, g->step, t->q, out, g->move);
  mb_slope_project(g, t->w, g->move, true, t->first);
}

// t->w ← how the stage's w changes.
static bool change_stage(MbSensitivity *g, MbSlope *t, const MbStageNote *note, const MbStageTerms *terms,
                         double move) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h, span = note->gamma * h;
  double *zero = g->less, *out = g->more, *da = t->w;
  mb_slope_by_number(g, t, note, mb_slope_felt(g, note), move, g->rate);
  for (size_t i = 0; i < nv; i++) {
    t->base[i] = terms->base_u * t->u[i] + terms->base_first * t->first[i];
    t->from[i] =
        terms->from_v * t->v[i] + terms->from_before * t->before[i] + terms->from_first * t->first[i];
    g->less[i] = h * t->base[i];
  }
  mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
  for (size_t i = 0; i < nv; i++) zero[i] = 0, da[i] = -t->from[i] / span;
  if (g->rows) {
    change_with_rows(g, t, note, da, move);
    return true;
  }
  mb_tangent_times(g->probe, g->tangent, g->move, zero, da, out);
  for (size_t i = 0; i < nv; i++) t->w[i] = -(out[i] + g->rate[i]);
  return mb_newton_solve(g->probe, t->w);
}

// The state's change at the step's end, from that of its last stage.
static void end(MbSensitivity *g, MbSlope *t, const MbStageNote *note) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  for (size_t i = 0; i < nv; i++) {
    t->u[i] = t->base[i] + note->gamma * t->w[i];
    g->less[i] = h * t->u[i];
  }
  mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
  memcpy(t->q, g->move, nv * sizeof *t->q);
  memcpy(t->before, t->v, nv * sizeof *t->v);
  memcpy(t->v, g->rows ? t->first : t->w, nv * sizeof *t->v);
}

static MbStatus not_finite(const MbSensitivity *g, size_t k, MbReport *report) {
  return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: the derivative by %s is not finite",
                  g->sim->state.t, (long long)g->sim->state.step, g->number[k].name);
}

MbStatus mb_slope_unsolved(double t, int64_t step, MbReport *report) {
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: the step's equations are singular: there is no derivative", t,
                  (long long)step);
}

MbStatus mb_slope_at_stage(MbSensitivity *g, const MbStageNote *note, double t, int64_t step,
                           MbReport *report) {
  const MbSim *sim = g->sim;
  const double h = sim->model->h;
  for (size_t i = 0; i < sim->nv; i++) {
    g->step[i] = h * (note->base[i] + note->gamma * note->w[i]);
    g->a[i] = (note->w[i] - note->from[i]) / (note->gamma * h);
  }
  memcpy(g->q1, g->q, sim->nq * sizeof *g->q1);
  mb_coordinates_advance(sim->model, g->q1, 1, g->step, 0, sim->model->nb);
  if (g->rows ? mb_slope_rows_at(g, note) : mb_newton_factor(g->probe, note, g->q1, g->step, g->a, NULL))
    return MB_OK;
  return mb_slope_unsolved(t, step, report);
}

// The run begins with velocities that agree with the rows, if the state's do not.
static MbStatus agree_at_start(MbSensitivity *g, MbReport *report) {
  const MbSim *sim = g->sim;
  MbStageNote start;
  if (!mb_slope_start(g, g->before.q, g->before.v, &start))
    return mb_slope_unsolved(g->before.t, g->before.step, report);
  for (size_t k = 0; k < g->count; k++) {
    MbSlope *t = &g->slopes[k];
    mb_slope_rows_number(g, t, &start, g->number[k].move);
    mb_slope_project(g, t->v, t->q, true, t->first);
    memcpy(t->v, t->first, sim->nv * sizeof *t->v);
  }
  return MB_OK;
}

const char *mb_slope_no_stages(const MbSensitivity *g, size_t *stages, MbStageTerms terms[2]) {
  const MbStageNote *notes;
  const size_t noted = mb_stages_noted(g->sim, &notes);
  const MbStageTerms struck = mb_scheme_stages_struck();
  bool whole = noted == *stages;
  for (size_t s = 0; s < *stages && whole; s++) whole = notes[s].gamma == terms[s].gamma;
  if (!whole && (noted != 1 || notes[0].gamma != struck.gamma)) return "the step was not solved but in parts";
  if (!whole) *stages = 1, terms[0] = struck;
  if ((g->rows || g->held) && g->sim->constraining && g->sim->constraining->singular)
    return "constraints are near a position where one loses its hold";
  return NULL;
}

const char *mb_slope_no_once(const MbSensitivity *g) {
  if (!g->held && (g->meets || g->beside) && mb_kept_turns(g->sim))
    return "dry friction holds a joint on what turns";
  return (g->tied || g->held) && g->sim->constraining && g->sim->constraining->singular
             ? "constraints are near a position where one loses its hold"
             : NULL;
}

static MbStatus step_as_a_whole(MbSensitivity *g, const char *why, MbReport *report) {
  const MbSim *sim = g->sim;
  if (!g->wholes)
    mb_warning(report, "",
               "at t = %.9g s, step %lld: %s: the derivative of such steps is by differences of each of them",
               sim->state.t, (long long)sim->state.step, why);
  g->wholes++;
  return mb_steps_instead(g, report);
}

static MbStatus step_by_stages(MbSensitivity *g, MbReport *report) {
  MbSim *sim = g->sim;
  MbStageTerms terms[2];
  const MbStageNote *notes;
  mb_sensitivity_copy(sim, &g->before, &sim->state);
  memcpy(g->q, sim->state.q, sim->nq * sizeof *g->q);
  size_t stages = mb_scheme_stages_terms(sim, terms);
  MbStatus status = mb_sim_step(sim, report);
  const char *why = status == MB_OK ? mb_slope_no_stages(g, &stages, terms) : NULL;
  if (why) return step_as_a_whole(g, why, report);
  if (status == MB_OK && g->rows && g->before.step == g->began) status = agree_at_start(g, report);
  if (status != MB_OK) return status;
  mb_slope_rows_step(g, g->before.memory + sim->section[MB_SECTION_CLOSURES], mb_stages_struck(sim));
  mb_stages_noted(sim, &notes);
  for (size_t s = 0; s < stages; s++) {
    const MbStageNote *note = &notes[s];
    const MbStatus at = mb_slope_at_stage(g, note, sim->state.t, sim->state.step, report);
    if (at != MB_OK) return at;
    for (size_t k = 0; k < g->count; k++) {
      MbSlope *t = &g->slopes[k];
      if (!change_stage(g, t, note, &terms[s], g->number[k].move))
        return mb_slope_unsolved(sim->state.t, sim->state.step, report);
      if (s + 1 < stages && !g->rows) memcpy(t->first, t->w, sim->nv * sizeof *t->w);
    }
  }
  for (size_t k = 0; k < g->count; k++) end(g, &g->slopes[k], &notes[stages - 1]);
  mb_slope_rows_tell(g, sim->state.t, sim->state.step, report);
  return MB_OK;
}

static bool change_once(MbSensitivity *g, const MbStageNote *note) {
  bool solved = mb_slope_once_at(g, note, NULL, NULL);
  for (size_t k = 0; k < g->count && solved; k++) {
    MbSlope *t = &g->slopes[k];
    mb_slope_by_number(g, t, note, note->from, g->number[k].move, g->rate);
    solved = mb_slope_once_change(g, t, note, g->number[k].move);
  }
  return solved;
}

static const char *const ANEW = "velocities did not agree with constraints as the step began";

static bool begin_halves(MbSensitivity *g, const double *guess, double begin) {
  const double *before = g->before.step == g->began ? NULL : g->before.v;
  return mb_slope_tied_halves_step(g, guess, begin, before, g->noted, g->sim->state.v);
}

// A run begins with velocities that agree with rows.
static bool change_halves(MbSensitivity *g, double begin) {
  if (g->before.step == g->began && !mb_slope_halves_start(g, g->noted, g->before.v)) return false;
  return mb_slope_halves_change(g, g->noted, begin);
}

static MbStatus step_once(MbSensitivity *g, MbReport *report) {
  MbSim *sim = g->sim;
  MbStageNote *note = &g->first;
  const double begin = sim->state.t;
  mb_sensitivity_copy(sim, &g->before, &sim->state);
  memcpy(g->q, sim->state.q, sim->nq * sizeof *g->q);
  memcpy(note->from, sim->state.v, sim->nv * sizeof *note->from);
  note->gamma = 1, note->t = mb_slope_once_time(sim);
  sim->noted = g->halves ? g->noted : note->w;
  MbStatus status = mb_sim_step(sim, report);
  sim->noted = NULL;
  if (status != MB_OK) return status;
  g->end = sim->state.q;
  const char *lost = mb_slope_no_once(g);
  if (lost) return step_as_a_whole(g, lost, report);
  const double *guess = g->before.memory + sim->section[MB_SECTION_CLOSURES];
  if (g->halves && !begin_halves(g, guess, begin)) return step_as_a_whole(g, ANEW, report);
  if (!g->halves) mb_slope_tied_step(g, guess, mb_section(sim, MB_SECTION_FORCES), sim->state.t);
  if (g->halves ? change_halves(g, begin) : change_once(g, note)) {
    mb_slope_tied_tell(g, sim->state.t, sim->state.step, report);
    mb_slope_end_tell(g, note, sim->state.t, sim->state.step, report);
    return MB_OK;
  }
  if (g->parted) return step_as_a_whole(g, g->parted, report);
  return mb_slope_unsolved(sim->state.t, sim->state.step, report);
}

MbStatus mb_sensitivity_step(MbSensitivity *g, MbReport *report) {
  MbStatus status = g->by_steps ? mb_steps_step(g, report)
                    : g->once   ? step_once(g, report)
                                : step_by_stages(g, report);
  if (status == MB_OK) status = mb_twin_step(g, report);
  if (status == MB_OK) mb_held_look(g);
  if (status == MB_OK) mb_slope_opened_tell(g, g->sim->state.t, g->sim->state.step, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++)
    for (size_t i = 0; i < g->sim->nv; i++)
      if (!isfinite(g->slopes[k].q[i]) || !isfinite(g->slopes[k].v[i])) return not_finite(g, k, report);
  for (size_t k = 0; k < g->count && g->by_steps && status == MB_OK; k++)
    for (size_t i = g->sim->section[MB_SECTION_NODES]; i < g->sim->section[MB_SECTION_NODES + 1]; i++)
      if (!isfinite(g->slopes[k].memory[i])) return not_finite(g, k, report);
  return status;
}
