// The discrete adjoint of sensitivity.c's tangents. With (q̄, v̄, ū, v̄₋) what the number in question is felt by along the state after a step,
// the transposed of its last stage is
//
//   ū* = ū + h Tᵀ q̄,   w̄ = v̄ + γ ū*,   z = −(dτ/dw)⁻ᵀ w̄,   dP/dp += z · ∂τ/∂p
//   ε̄ = (∂τ/∂q₁)ᵀ z,   q̄₀ = T₀ᵀ (q̄ + ε̄),   ū* += h Tᵀ ε̄,   v̄* = −(∂τ/∂a)ᵀ z/(γ h)
//
// and ū*, v̄* go to what u* and v* are sums of. One solution with the transposed matrix and one transposed pass do for all numbers.
//
// The way back needs each step's coordinates and stages. A reel holds those of as many steps as the memory allows; where the run is longer,
// states are kept on the way and steps between them done anew, bit by bit the same: by binomial distances, so that with s states and r
// repetitions runs of C(s + r, s) reels are gone through [Griewank 1992]. This file goes there and back; sensitivity_back_reel.c has the reel,
// and sensitivity_back_step.c goes back over one step.
#include "core/sim/sensitivity_back.h"
#include "core/base/pages.h"
#include "core/base/report.h"
#include "core/sim/channels.h"
#include "core/sim/evaluate.h"
#include "core/sim/nodes_told.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_rubbed.h"
#include "core/sim/sensitivity_twin.h"
#include "core/solvers/keep.h"

bool mb_sensitivity_weighs(const MbSensitivity *g, size_t column) {
  const MbNodesTold told = g->nodes ? mb_nodes_told_by(g->sim, column) : MB_TOLD_NOTHING;
  if (g->nodes && (!g->beside || told == MB_TOLD_PLACES || told == MB_TOLD_VELOCITIES)) return true;
  return told == MB_TOLD_NOTHING && mb_sim_weighs(g->sim, column);
}
bool mb_sensitivity_astray(const MbSensitivity *g) { return g->astray; }
size_t mb_sensitivity_frame_size(const MbSensitivity *g) { return mb_sim_frame_size(g->sim); }
size_t mb_sensitivity_width(const MbSensitivity *g) { return g->sim->nv; }

// What is done the first time is seen by whoever weighs.
static MbStatus see(MbBackward *b, MbReport *report) {
  const MbSensitivityWeights *weights = b->weights;
  if (!weights->see || b->g->sim->state.step <= b->seen) return MB_OK;
  b->seen = b->g->sim->state.step;
  return weights->see(weights->to, b->g->sim, report);
}

static MbStatus step_on(MbBackward *b, MbReport *report) {
  MbSensitivity *g = b->g;
  b->stepped++;
  mb_back_begin_meeting(b);
  MbStatus status = mb_sim_step(g->sim, report);
  if (status == MB_OK) status = mb_twin_step(g, report);
  const bool met = status == MB_OK && g->met && g->sim->touching;
  if (met && g->sim->state.step == g->began + 1) mb_met_begin_tell(g, report);
  if (met) mb_touch_slopes_tell(g, report);
  return status;
}

static MbStatus finish_turn(MbBackward *b, MbTurn *turn, MbReport *report) {
  const MbSim *sim = b->g->sim;
  memcpy(turn->q1, sim->state.q, sim->nq * sizeof *turn->q1);
  memcpy(turn->v1, sim->state.v, sim->nv * sizeof *turn->v1);
  turn->t = sim->state.t;
  return see(b, report);
}

// Of a step of one solution its velocities at both ends.
static MbStatus record_once(MbBackward *b, MbTurn *turn, MbReport *report) {
  MbSim *sim = b->g->sim;
  MbStageNote *note = &turn->note[0];
  note->gamma = 1, note->t = mb_slope_once_time(sim);
  if (b->g->tied && sim->model->nguess)
    memcpy(turn->guess, mb_section(sim, MB_SECTION_CLOSURES), sim->model->nguess * sizeof *turn->guess);
  if (mb_slope_ends(sim->model)) sim->noted = note->w;
  if (turn->instant) sim->solver->keeps->instant(sim->work, turn->instant);
  const MbStatus status = step_on(b, report);
  sim->noted = NULL;
  if (status != MB_OK) return status;
  turn->standing = turn->instant && sim->solver->keeps->factor(sim->work, turn->instant);
  const char *why = mb_slope_no_once(b->g);
  if (!why && b->nodes) why = mb_back_nodes_note(b, turn);
  if (why) return mb_back_none(b, sim->state.t, sim->state.step, why, report);
  const MbStatus met = mb_back_meeting(b, turn, &why, report);
  if (met != MB_OK) return met;
  if (why) return mb_back_none(b, sim->state.t, sim->state.step, why, report);
  if (b->g->tied)
    memcpy(note->impulse, mb_section(sim, MB_SECTION_FORCES), sim->model->nslots * sizeof(double));
  if (b->g->held) mb_held_note(b->g, note->impulse);
  if (mb_slope_rubbed_noted(b->g))
    memcpy(note->impulse + sim->model->nslots, mb_section(sim, MB_SECTION_LOADS),
           mb_slope_rubbed_noted(b->g) * sizeof(double));
  return finish_turn(b, turn, report); // which notes the velocities at the end
}

// Of the midpoint rule the velocities of its passes.
static MbStatus record_halves(MbBackward *b, MbTurn *turn, MbReport *report) {
  MbSim *sim = b->g->sim;
  turn->begin = sim->state.t;
  if (sim->model->nguess)
    memcpy(turn->guess, mb_section(sim, MB_SECTION_CLOSURES), sim->model->nguess * sizeof *turn->guess);
  memcpy(b->w, sim->state.v, sim->nv * sizeof *b->w);
  sim->noted = turn->noted;
  const MbStatus status = step_on(b, report);
  sim->noted = NULL;
  if (status != MB_OK) return status;
  const char *why = mb_slope_no_once(b->g);
  if (!why && sim->model->nslots && sim->state.step > 1 && !mb_slope_tied_agreed(sim, b->w, turn->noted))
    why = "velocities did not agree with constraints as the step began";
  return why ? mb_back_none(b, sim->state.t, sim->state.step, why, report) : finish_turn(b, turn, report);
}

static MbStatus record_nodes(MbBackward *b, MbTurn *turn, MbReport *report) {
  const MbStatus status = step_on(b, report);
  if (status != MB_OK) return status;
  const MbState *state = &b->g->sim->state;
  const char *why = mb_back_nodes_note(b, turn);
  const MbStatus met = why ? MB_OK : mb_back_meeting(b, turn, &why, report);
  if (met != MB_OK) return met;
  return why ? mb_back_none(b, state->t, state->step, why, report) : finish_turn(b, turn, report);
}

static void record_stage(const MbSim *sim, const MbStageNote *from, MbStageNote *to) {
  const size_t size = sim->nv * sizeof(double), rows = sim->model->nslots * sizeof(double);
  to->gamma = from->gamma, to->t = from->t, to->agrees = from->agrees;
  if (rows) memcpy(to->impulse, from->impulse, rows), memcpy(to->agreed, from->agreed, rows);
  memcpy(to->base, from->base, size);
  memcpy(to->from, from->from, size);
  memcpy(to->w, from->w, size);
}

static MbStatus record(MbBackward *b, MbTurn *turn, MbReport *report) {
  MbSim *sim = b->g->sim;
  const MbStageNote *notes;
  if (b->nodes && !b->g->beside) return record_nodes(b, turn, report);
  if (mb_back_by_passes(b->g)) return record_halves(b, turn, report);
  if (mb_back_at_once(b->g)) return record_once(b, turn, report);
  turn->stages = mb_scheme_stages_terms(sim, turn->terms);
  if (sim->model->nguess)
    memcpy(turn->guess, mb_section(sim, MB_SECTION_CLOSURES), sim->model->nguess * sizeof *turn->guess);
  MbStatus status = step_on(b, report);
  if (status != MB_OK) return status;
  const char *why = mb_slope_no_stages(b->g, &turn->stages, turn->terms);
  if (why) return mb_back_none(b, sim->state.t, sim->state.step, why, report);
  mb_stages_noted(sim, &notes);
  for (size_t s = 0; s < turn->stages; s++) record_stage(sim, &notes[s], &turn->note[s]);
  if (sim->model->nslots)
    memcpy(turn->struck, mb_stages_struck(sim), sim->model->nslots * sizeof *turn->struck);
  return finish_turn(b, turn, report);
}

// What is noted of a step is soon needed.
static void come_to(const MbBackward *b, int64_t i) {
  mb_needed_soon(b->reel + (size_t)i * b->stride, b->stride * sizeof *b->reel);
}

static MbStatus record_at(MbBackward *b, int64_t i, MbReport *report) {
  MbTurn turn = mb_back_new_turn(b, i);
  const MbStatus status = record(b, &turn, report);
  mb_back_note_turn(b, i, &turn);
  return status;
}

// The frame after a step, and the step.
static MbStatus back_at(MbBackward *b, int64_t i, MbReport *report) {
  const MbTurn turn = mb_back_turn(b, i);
  const MbMoment after = {turn.q1, turn.v1, turn.t, turn.step, turn.nodes1};
  const MbStatus status = mb_back_frame(b, &after, report);
  return status == MB_OK ? mb_back_step(b, &turn, report) : status;
}

// From the state, which is after `begin` steps, to the end of the reel, and back over it.
static MbStatus over_reel(MbBackward *b, int64_t begin, int64_t end, MbReport *report) {
  const MbSim *sim = b->g->sim;
  MbStatus status = MB_OK;
  b->begins = begin;
  memcpy(b->reel, sim->state.q, sim->nq * sizeof *b->reel);
  memcpy(b->reel + sim->nq, sim->state.v, sim->nv * sizeof *b->reel);
  mb_back_nodes_begin(b, mb_back_new_turn(b, 0).nodes);
  for (int64_t i = begin; i < end && status == MB_OK; i++) {
    if (i + 1 < end) come_to(b, i + 1 - begin);
    status = record_at(b, i - begin, report);
  }
  for (int64_t i = end; i-- > begin && status == MB_OK;) {
    if (i > begin) come_to(b, i - 1 - begin);
    status = back_at(b, i - begin, report);
  }
  return status;
}

// Keeps the state, with what has pushed before it; false: out of memory.
static bool keep(MbBackward *b, size_t at) {
  const MbSim *sim = b->g->sim;
  mb_sensitivity_copy(sim, &b->kept[at], &sim->state);
  return mb_back_keep_pushes(b, at);
}

static bool restore(MbBackward *b, size_t at) {
  MbSim *sim = b->g->sim;
  mb_sensitivity_copy(sim, &sim->state, &b->kept[at]);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  return mb_back_restore_pushes(b, at);
}

static double choices(double n, double k) {
  double c = 1;
  for (double i = 1; i <= k; i++) c = c * (n - k + i) / i;
  return c;
}

// How many of n reels are before the next state that is kept, `free` being still to be kept.
static int64_t before_next(int64_t n, size_t free) {
  double repeats = 1;
  while (choices((double)free + 1 + repeats, repeats) < (double)n) repeats++;
  const double behind = fmin((double)n - 1, choices((double)free + repeats, repeats));
  return n - (int64_t)fmax(behind, 1);
}

// Back over the steps from the state kept at `at`, which is after `begin` of them.
static MbStatus back_over(MbBackward *b, size_t at, int64_t begin, int64_t end, MbReport *report) {
  MbStatus status = MB_OK;
  while (end > begin && status == MB_OK) {
    const int64_t reels = (end - begin + b->length - 1) / b->length;
    const size_t left = b->nkept - at - 1;
    const int64_t middle = reels == 1 ? begin
                           : left     ? begin + before_next(reels, left) * b->length
                                      : begin + (reels - 1) * b->length;
    if (!restore(b, at)) return mb_no_memory(report, "contact");
    for (int64_t i = begin; i < middle && status == MB_OK; i++) {
      status = step_on(b, report);
      if (status == MB_OK) status = see(b, report);
    }
    if (status != MB_OK) return status;
    if (reels > 1 && left) {
      if (!keep(b, at + 1)) return mb_no_memory(report, "contact");
      status = back_over(b, at + 1, middle, end, report);
    } else {
      status = over_reel(b, middle, end, report);
    }
    end = middle;
  }
  return status;
}

// The run has begun with velocities that agree with the rows.
static MbStatus start_back(MbBackward *b, MbReport *report) {
  MbSensitivity *g = b->g;
  const size_t nv = g->sim->nv;
  MbStageNote start;
  if (g->halves && g->tied) {
    memcpy(g->q, b->kept[0].q, g->sim->nq * sizeof *g->q);
    return mb_back_agreed(b, mb_back_turn(b, 0).noted, b->kept[0].v) ? MB_OK
                                                                     : mb_slope_unsolved(0, 0, report);
  }
  if (g->held && g->held->halves) {
    const MbTurn first = mb_back_turn(b, 0);
    return mb_held_halves_start_back(b, b->kept[0].q, b->kept[0].v, &first) ? MB_OK
                                                                            : mb_slope_unsolved(0, 0, report);
  }
  if (g->held && g->held->stages)
    return mb_held_start_back(b, b->kept[0].q, b->kept[0].v,
                              b->kept[0].memory + g->sim->section[MB_SECTION_CLOSURES])
               ? MB_OK
               : mb_slope_unsolved(0, 0, report);
  if (!g->rows) return MB_OK;
  if (!mb_slope_start(g, b->kept[0].q, b->kept[0].v, &start)) return mb_slope_unsolved(0, 0, report);
  mb_slope_rows_begin(g);
  memcpy(b->z, b->v, nv * sizeof *b->z);
  memset(b->v, 0, nv * sizeof *b->v);
  mb_slope_project_back(g, b->z, b->v, b->q);
  mb_slope_rows_done(g);
  for (size_t k = 0; k < g->count; k++)
    b->out[k] += mb_slope_rows_number_back(g, &g->slopes[k], &start, g->number[k].move, false);
  return MB_OK;
}

// Steps that need none of the blocks of forces, as A is M.
static bool feels(const MbSensitivity *g) { return mb_back_at_once(g) && g->sim->integrator->a == 0; }

static MbStatus over_run(MbBackward *b, int64_t steps, MbReport *report) {
  MbSensitivity *g = b->g, *equations = mb_held_equations(g);
  const MbState *begin = &b->kept[0];
  if (!keep(b, 0)) return mb_no_memory(report, "contact");
  mb_back_watch(b, true);
  if (equations->tangent) mb_tangent_feel(equations->probe, equations->tangent, feels(g));
  if (equations->tangent) mb_tangent_spins(equations->tangent, !mb_tangent_gathers_any(b->gather));
  MbStatus status = see(b, report);
  if (status == MB_OK) status = back_over(b, 0, 0, steps, report);
  if (status == MB_OK && steps > 0) status = start_back(b, report);
  const double *nodes = b->nodes ? begin->memory + g->sim->section[MB_SECTION_NODES] : NULL;
  if (status == MB_OK) status = mb_back_frame(b, &(MbMoment){begin->q, begin->v, begin->t, 0, nodes}, report);
  if (status == MB_OK) mb_back_nodes_start(b);
  if (equations->tangent) mb_tangent_feel(equations->probe, equations->tangent, false);
  if (equations->tangent) mb_tangent_spins(equations->tangent, false);
  mb_back_watch(b, false);
  return status;
}

MbStatus mb_sensitivity_backward(MbSensitivity *g, int64_t steps, size_t memory,
                                 const MbSensitivityWeights *weights, double *out, int64_t *stepped,
                                 MbReport *report) {
  MbBackward b = {.g = g, .weights = weights, .out = out, .seen = -1};
  const MbSim *sim = g->sim;
  const char *why = mb_sensitivity_no_way_back(g);
  if (why) return mb_error(report, MB_SCENE, "", "no way back through these steps: %s", why);
  memset(out, 0, g->count * sizeof *out);
  MbStatus status = mb_back_make(&b, steps, memory) ? over_run(&b, steps, report)
                                                    : mb_no_memory(report, "derivatives backwards");
  mb_back_meetings_free(&b);
  if (stepped) *stepped = b.stepped;
  for (size_t k = 0; k < g->count && status == MB_OK; k++) {
    const MbTangentNumber *number = g->slopes[k].number;
    if (!mb_tangent_number_jumps(number))
      out[k] += mb_tangent_gathered(b.gather, number) / (2 * g->number[k].move);
    if (g->held) out[k] += mb_held_gathered(g, k) / (2 * g->number[k].move);
    out[k] += mb_slope_dot(b.q, g->slopes[k].q, sim->nv) + mb_slope_dot(b.v, g->slopes[k].v, sim->nv);
    if (!isfinite(out[k]))
      return mb_error(report, MB_NUMBERS, "", "the derivative by %s is not finite", g->number[k].name);
  }
  return status;
}
