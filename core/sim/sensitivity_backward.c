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
// repetitions runs of C(s + r, s) reels are gone through [Griewank 1992].
#include "core/sim/sensitivity_back.h"
#include "core/base/alloc.h"
#include "core/base/pages.h"
#include "core/base/report.h"
#include "core/sim/channels.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_held.h"
#include "core/solvers/keep.h"

#include <math.h>
#include <string.h>

enum { MOST_KEPT = 64 };

// ---- memory ---------------------------------------------------------------------------------------------------------

// Of steps from the pool, as long as that has room.
static bool take(MbBackward *b, double **list, size_t n) {
  if (b->pooled > n) {
    *list = b->pool;
    b->pool += n + 1, b->pooled -= n + 1;
    return true;
  }
  return (*list = mb_arena_alloc(&b->g->arena, n + 1, sizeof(double))) != NULL;
}

// How many numbers a solver keeps of a step's start, whose matrix is M alone; 0: it keeps none.
static size_t instant_numbers(const MbSensitivity *g) {
  const MbSim *sim = g->sim;
  const bool keeps = g->once && !g->halves && sim->integrator->a == 0 && sim->solver->keeps;
  return keeps ? sim->solver->keeps->numbers(sim->work) : 0;
}

// Whether a step is one solution, that is gone back over at once.
static bool at_once(const MbSensitivity *g) { return (g->once && !g->halves) || g->held; }

// Of a step of one solution its velocities at both ends are all there is, and beside them what the solver had at its start. It begins with the state that the one before it ends with.
static bool make_turn(MbBackward *b, MbTurn *turn) {
  const MbSim *sim = b->g->sim;
  const size_t instant = b->stands ? instant_numbers(b->g) : 0;
  turn->block = b->pool;
  if (instant && !take(b, &turn->instant, instant)) return false;
  bool ok = take(b, &turn->q, sim->nq) && take(b, &turn->v, sim->nv);
  if (at_once(b->g)) {
    turn->note[0].from = turn->v;
    if (mb_slope_ends(sim->model)) ok = ok && take(b, &turn->note[0].w, sim->nv);
    return ok && take(b, &turn->guess, sim->model->nguess) &&
           take(b, &turn->note[0].impulse, sim->model->nslots + mb_held_noted(b->g));
  }
  for (size_t s = 0; s < MB_BACK_STAGES && ok; s++)
    ok = take(b, &turn->note[s].base, sim->nv) && take(b, &turn->note[s].from, sim->nv) &&
         take(b, &turn->note[s].w, sim->nv) && take(b, &turn->note[s].impulse, sim->model->nslots);
  if (ok && b->g->halves) ok = take(b, &turn->noted, mb_slope_halves_numbers(sim));
  if (ok && b->g->nodes) ok = take(b, &turn->nodes, mb_back_nodes_numbers(b->g));
  return ok && take(b, &turn->guess, sim->model->nguess);
}

// Without what solvers keep.
static size_t turn_bytes(const MbSensitivity *g) {
  const MbSim *sim = g->sim;
  const size_t turn = sizeof(MbTurn) + (g->met ? sizeof(MbMeeting) : 0);
  const size_t rows = 2 * sim->model->nslots + sim->model->nguess + mb_held_noted(g),
               noted = (g->halves ? mb_slope_halves_numbers(sim) : 0) + mb_back_nodes_numbers(g);
  if (at_once(g)) return turn + (sim->nq + 2 * sim->nv + rows + 5) * sizeof(double);
  return turn + (sim->nq + 7 * sim->nv + rows + noted + 12) * sizeof(double);
}
static size_t state_bytes(const MbSim *sim) {
  return sizeof(MbState) + (sim->nq + sim->nv + sim->nm + 3) * sizeof(double);
}

bool mb_sensitivity_weighs(const MbSensitivity *g, size_t column) {
  return g->nodes || mb_sim_weighs(g->sim, column);
}
bool mb_sensitivity_astray(const MbSensitivity *g) { return g->astray; }
size_t mb_sensitivity_frame_size(const MbSensitivity *g) { return mb_sim_frame_size(g->sim); }
size_t mb_sensitivity_width(const MbSensitivity *g) { return g->sim->nv; }
size_t mb_sensitivity_least_memory(const MbSensitivity *g) {
  return 2 * (turn_bytes(g) + state_bytes(g->sim));
}

// As many steps as there are where memory allows, with what solvers keep where there is room for that too, else half of it for the reel and half for states.
static void choose_lengths(MbBackward *b, int64_t steps, size_t memory) {
  const MbSim *sim = b->g->sim;
  const size_t instant = instant_numbers(b->g);
  const size_t turn = turn_bytes(b->g), state = state_bytes(sim);
  const size_t whole = memory / turn, half = memory / 2 / turn, states = memory / 2 / state;
  if (whole >= (size_t)steps) {
    b->stands = instant && memory / (turn + (instant + 1) * sizeof(double)) >= (size_t)steps;
    b->length = steps > 0 ? steps : 1, b->nkept = 1;
    return;
  }
  b->length = half ? (int64_t)half : 1;
  b->nkept = states < 2 ? 2 : states > MOST_KEPT ? MOST_KEPT : states;
}

// Which numbers have to be asked at each step: under rows whose curvature is by differences all of them.
static bool make_gather(MbBackward *b) {
  MbSensitivity *g = b->g;
  const MbModel *model = mb_held_equations(g)->sim->model;
  b->gather = mb_tangent_gather_create(&g->arena, model, g->count);
  b->rest = mb_arena_alloc(&g->arena, g->count, sizeof *b->rest);
  if (!b->gather || !b->rest) return false;
  const bool all = g->rows || mb_slope_tied_asks(g);
  for (size_t k = 0; k < g->count; k++) {
    const MbTangentNumber *number = g->slopes[k].number;
    if (!mb_tangent_number_jumps(number) && !mb_tangent_gather_for(b->gather, number)) return false;
    if (all || mb_tangent_number_rests(number)) b->rest[b->nrest++] = k;
  }
  return true;
}

static void end_turn(MbTurn *turn, double *q1, double *v1) {
  turn->q1 = q1, turn->v1 = v1;
  if (!turn->note[0].w) turn->note[0].w = v1;
}

// All steps lie in one block, which is gone through from one end to the other and back.
static bool make_reel(MbBackward *b) {
  const MbSim *sim = b->g->sim;
  const size_t turn = turn_bytes(b->g) / sizeof(double), length = (size_t)b->length;
  const size_t numbers =
      length * (turn + (b->stands ? instant_numbers(b->g) + 1 : 0)) + sim->nq + sim->nv + 3;
  double *q1, *v1;
  if (!(b->pool = mb_arena_alloc(&b->g->arena, numbers, sizeof *b->pool))) return false;
  mb_large_pages(b->pool, numbers * sizeof *b->pool);
  b->pooled = numbers;
  bool ok = true;
  for (size_t i = 0; i < length && ok; i++) {
    ok = make_turn(b, &b->reel[i]);
    b->reel[i].bytes = (size_t)(b->pool - b->reel[i].block) * sizeof *b->pool;
  }
  ok = ok && take(b, &q1, sim->nq) && take(b, &v1, sim->nv);
  for (size_t i = 1; i < length && ok; i++) end_turn(&b->reel[i - 1], b->reel[i].q, b->reel[i].v);
  if (ok) end_turn(&b->reel[length - 1], q1, v1);
  b->pooled = 0;
  return ok;
}

static bool make(MbBackward *b, int64_t steps, size_t memory) {
  const MbSim *sim = b->g->sim;
  const size_t size = mb_sim_frame_size(sim);
  double **const lists[] = {&b->q,      &b->v,     &b->u,  &b->before,    &b->move, &b->base,
                            &b->w,      &b->z,     &b->dq, &b->dv,        &b->da,   &b->first,
                            &b->next_q, &b->along, &b->q1, &b->left_moved};
  bool ok = take(b, &b->weight, size) && take(b, &b->left, size) && take(b, &b->frame[0], size) &&
            take(b, &b->frame[1], size) && take(b, &b->by_move, 6 * sim->model->nb) &&
            take(b, &b->by_phi, 6 * sim->model->nb);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ok = take(b, lists[i], sim->nv) && ok;
  choose_lengths(b, steps, b->g->met ? memory / 2 : memory);
  b->reel = mb_arena_alloc(&b->g->arena, (size_t)b->length, sizeof *b->reel);
  b->kept = mb_arena_alloc(&b->g->arena, b->nkept, sizeof *b->kept);
  if (!ok || !b->reel || !b->kept || !make_gather(b)) return false;
  if (!make_reel(b)) return false;
  if (!mb_back_meetings_make(b, memory) || !mb_back_nodes_make(b)) return false;
  for (size_t i = 0; i < b->nkept; i++)
    if (!take(b, &b->kept[i].q, sim->nq) || !take(b, &b->kept[i].v, sim->nv) ||
        !take(b, &b->kept[i].memory, sim->nm))
      return false;
  return true;
}

// ---- a step ---------------------------------------------------------------------------------------------------------

// z · ∂τ/∂p less what is gathered of it, and what rows say beside it
static double number_at_stage(MbBackward *b, size_t k, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  const MbSlope *slope = &g->slopes[k];
  const double move = g->number[k].move, *felt = mb_slope_felt(g, note);
  double sum = 0;
  if (!mb_tangent_number_jumps(slope->number)) {
    sum = mb_tangent_number_rest(g->probe, g->tangent, slope->number, felt, g->a, b->z) / (2 * move);
  } else {
    mb_slope_by_number(g, slope, note, felt, move, g->rate);
    sum = mb_slope_dot(b->z, g->rate, g->sim->nv) + mb_slope_tied_number_back(g, slope, note, move, b->z);
  }
  return g->rows ? sum + mb_slope_rows_number_back(g, slope, note, move, true) : sum;
}

// What all numbers are felt by at once, where mb_tangent_transposed has been asked about z.
static void gather(MbBackward *b, const MbStageNote *note) {
  const MbSensitivity *g = b->g;
  mb_tangent_gather(b->gather, g->probe, g->tangent, mb_slope_felt(g, note), g->a, note->t, b->z);
}

// z, and what it is felt by along the bodies' motion, velocities and accelerations.
static bool solve_back(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  const size_t nv = g->sim->nv;
  double *felt = b->left_moved;
  memset(felt, 0, nv * sizeof *felt);
  if (g->rows) {
    mb_slope_rows_solve_back(g, b->w, felt);
    memcpy(b->z, g->rows->z, nv * sizeof *b->z);
  } else {
    for (size_t i = 0; i < nv; i++) b->z[i] = -b->w[i];
    if (!mb_newton_solve_transposed(g->probe, b->z)) return false;
  }
  mb_tangent_transposed(g->probe, g->tangent, b->z, b->dq, b->dv, b->da);
  if (!g->rows) return true;
  if (note->agrees) mb_slope_project_back(g, b->dv, NULL, felt);
  for (size_t i = 0; i < nv; i++) b->dq[i] += felt[i];
  mb_slope_rows_done(g);
  return true;
}

// Back through a stage: what its velocities are felt by in b->w, its coordinates in b->q1 and its own motion beside that in b->base. b->base ←
// what that is felt by in all, b->da ← −v̄*; b->next_q += q̄₀.
static MbStatus stage(MbBackward *b, const MbTurn *turn, size_t s, MbReport *report) {
  MbSensitivity *g = b->g;
  const MbStageNote *note = &turn->note[s];
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  if (g->rows) mb_slope_rows_guess(g, turn->guess);
  const MbStatus status = mb_slope_at_stage(g, note, turn->t, turn->step, report);
  if (status != MB_OK) return status;
  if (g->rows) {
    mb_slope_rows_begin(g);
    memcpy(b->z, b->w, nv * sizeof *b->z);
    memset(b->w, 0, nv * sizeof *b->w);
    mb_slope_project_back(g, b->z, b->w, b->q1);
  }
  mb_tangent_moved_transposed(g->sim, g->step, b->q1, b->move, b->dv);
  for (size_t i = 0; i < nv; i++) {
    b->next_q[i] += b->move[i], b->base[i] += h * b->dv[i];
    b->w[i] += note->gamma * b->base[i];
  }
  if (!solve_back(b, note)) return mb_slope_unsolved(turn->t, turn->step, report);
  mb_tangent_moved_transposed(g->probe, g->step, b->dq, b->move, b->dv);
  for (size_t i = 0; i < nv; i++) {
    b->next_q[i] += b->move[i], b->base[i] += h * b->dv[i];
    b->da[i] /= note->gamma * h;
  }
  gather(b, note);
  for (size_t i = 0; i < b->nrest; i++) b->out[b->rest[i]] += number_at_stage(b, b->rest[i], note);
  return MB_OK;
}

// Gives ū* and v̄* to what they are sums of.
static void give(const MbBackward *b, const MbStageTerms *terms, double *v, double *u, double *before) {
  for (size_t i = 0; i < b->g->sim->nv; i++) {
    u[i] += terms->base_u * b->base[i];
    v[i] -= terms->from_v * b->da[i];
    before[i] -= terms->from_before * b->da[i];
    b->first[i] += terms->base_first * b->base[i] - terms->from_first * b->da[i];
  }
}

// A step that is no further to be gone back over.
static MbStatus no_way_back(MbBackward *b, double t, int64_t step, const char *why, MbReport *report) {
  b->g->astray = true;
  return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: %s: there is no way back through it", t,
                  (long long)step, why);
}

static MbStatus lost(MbBackward *b, const MbTurn *turn, MbReport *report) {
  if (b->g->parted) return no_way_back(b, turn->t, turn->step, b->g->parted, report);
  return mb_slope_unsolved(turn->t, turn->step, report);
}

// Over a step under solver "maximal".
static MbStatus held_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  if (!mb_held_back(b, turn)) return lost(b, turn, report);
  mb_held_tell(b->g, turn->t, turn->step, report);
  return MB_OK;
}

// What numbers are felt by at one linear solution.
static void numbers_at_once(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  gather(b, note);
  mb_slope_end_gather(g, b->gather, note);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    b->out[k] +=
        number_at_stage(b, k, note) + mb_slope_once_number(g, &g->slopes[k], note, g->number[k].move, b->z);
  }
}

// Over a step of one linear solution.
static MbStatus once_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  const MbStageNote *note = &turn->note[0];
  double *scratch[3] = {b->dq, b->dv, b->da};
  const bool touches = turn->met && turn->met->pushed.n > 0;
  memcpy(g->q, turn->q, g->sim->nq * sizeof *g->q);
  mb_slope_tied_step(g, turn->guess, note->impulse, turn->t);
  g->end = turn->q1, g->parted = NULL;
  if (turn->met && !mb_met_moves_back(g, turn->met, turn->v1, b->q, b->out)) return lost(b, turn, report);
  if (!mb_slope_once_at(g, note, turn->standing && !touches ? turn->instant : NULL) ||
      (turn->met && !mb_met_at(g, note, turn->met)) ||
      !mb_slope_once_back(g, note, b->q, b->v, b->z, scratch))
    return lost(b, turn, report);
  mb_slope_tied_tell(g, turn->t, turn->step, report);
  mb_slope_end_tell(g, note, turn->t, turn->step, report);
  mb_met_tell(g, note, turn->met, turn->t, turn->step, report);
  numbers_at_once(b, note);
  for (size_t k = 0; k < g->count && touches; k++)
    if (!mb_met_number(g, &g->slopes[k], note, b->z, g->number[k].move, &b->out[k]))
      return lost(b, turn, report);
  return MB_OK;
}

// What numbers are felt by at a pass, or half step, of which b->z are the equations' weights.
static void numbers_at_pass(MbBackward *b, const MbStageNote *pass) {
  MbSensitivity *g = b->g;
  numbers_at_once(b, pass);
  mb_slope_tied_aim_felt(g, pass->from);
  mb_slope_tied_aim_gather(g, b->gather, pass->from);
  for (size_t i = 0; i < b->nrest && g->tied; i++) {
    const size_t k = b->rest[i];
    b->out[k] += mb_slope_tied_aim_number_back(g, &g->slopes[k], pass->from, g->number[k].move);
  }
}

// Over what makes velocities agree with rows, at a step's end, or at the run's start where they were `before`.
static bool agreed_back(MbBackward *b, double *noted, const double *before) {
  MbSensitivity *g = b->g;
  double *scratch[3] = {b->dq, b->dv, b->da};
  if (!mb_slope_agree_at(g, noted, before, false) || !mb_slope_agree_back(g, b->q, b->v, b->z, scratch))
    return false;
  mb_slope_agree_gather(g, b->gather, b->z);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    b->out[k] += mb_slope_agree_number(g, &g->slopes[k], g->number[k].move, b->z);
  }
  mb_slope_agree_felt(g, noted);
  return true;
}

// Over a half step that more passes have solved.
static MbStatus solved_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  double *scratch[3] = {b->dq, b->dv, b->da};
  const MbStageNote note = mb_slope_solved_note(g, mb_slope_halves_last(g->sim, turn->noted), turn->begin);
  if (!mb_slope_solved_at(g, turn->noted, &note) || !mb_slope_solved_back(g, b->q, b->v, b->w, b->z, scratch))
    return lost(b, turn, report);
  numbers_at_pass(b, &note);
  return MB_OK;
}

// Over a step of the midpoint rule, pass by pass.
static MbStatus halves_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  const size_t nv = g->sim->nv;
  double *scratch[3] = {b->dq, b->dv, b->da};
  memcpy(g->q, turn->q, g->sim->nq * sizeof *g->q);
  mb_slope_tied_halves_step(g, turn->guess, turn->begin, NULL, turn->noted, turn->v1);
  if (g->tied && !agreed_back(b, turn->noted, NULL)) return lost(b, turn, report);
  mb_slope_halves_end_back(g, turn->noted, b->q, b->v, b->w);
  if (mb_slope_halves_went_on(g->sim, turn->noted)) return solved_back(b, turn, report);
  for (int p = mb_slope_halves_count(g->sim, turn->noted) - 1; p >= 0; p--) {
    const MbStageNote pass = mb_slope_halves_pass(g, turn->noted, p, turn->begin);
    if (!mb_slope_halves_at(g, turn->noted, &pass) ||
        !mb_slope_halves_back(g, b->q, b->v, b->w, b->z, scratch))
      return lost(b, turn, report);
    numbers_at_pass(b, &pass);
  }
  for (size_t i = 0; i < nv; i++) b->v[i] += b->w[i];
  return MB_OK;
}

static MbStatus stages_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  const MbSim *sim = g->sim;
  const size_t nv = sim->nv, last = turn->stages - 1, size = nv * sizeof(double);
  memcpy(g->q, turn->q, sim->nq * sizeof *g->q);
  memset(b->next_q, 0, size), memset(b->first, 0, size);
  memcpy(b->q1, b->q, size), memcpy(b->base, b->u, size), memcpy(b->w, b->v, size);
  memcpy(b->v, b->before, size);
  memset(b->u, 0, size), memset(b->before, 0, size);
  MbStatus status = stage(b, turn, last, report);
  if (status != MB_OK) return status;
  give(b, &turn->terms[last], b->v, b->u, b->before);
  if (last) {
    memcpy(b->w, b->first, size);
    memset(b->q1, 0, size), memset(b->base, 0, size), memset(b->first, 0, size);
    status = stage(b, turn, 0, report);
    if (status != MB_OK) return status;
    give(b, &turn->terms[0], b->v, b->u, b->before);
  }
  memcpy(b->q, b->next_q, size);
  return MB_OK;
}

static MbStatus nodes_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  const char *why;
  const MbStatus status = mb_back_nodes_step(b, turn, &why, report);
  return why ? no_way_back(b, turn->t, turn->step, why, report) : status;
}

static MbStatus step_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  const MbStatus status = b->nodes       ? nodes_back(b, turn, report)
                          : b->g->held   ? held_back(b, turn, report)
                          : b->g->halves ? halves_back(b, turn, report)
                          : b->g->once   ? once_back(b, turn, report)
                                         : stages_back(b, turn, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < b->g->sim->nv; i++)
    if (!isfinite(b->q[i]) || !isfinite(b->v[i]))
      return mb_error(report, MB_NUMBERS, "",
                      "at t = %.9g s, step %lld: the derivative backwards is not finite", turn->t,
                      (long long)turn->step);
  return MB_OK;
}

// ---- the run --------------------------------------------------------------------------------------------------------

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
  const MbStatus status = mb_sim_step(g->sim, report);
  if (status == MB_OK && g->met && g->sim->state.step == g->began + 1) mb_met_begin_tell(g, report);
  return status;
}

static MbStatus finish_turn(MbBackward *b, MbTurn *turn, MbReport *report) {
  const MbSim *sim = b->g->sim;
  memcpy(turn->q1, sim->state.q, sim->nq * sizeof *turn->q1);
  memcpy(turn->v1, sim->state.v, sim->nv * sizeof *turn->v1);
  turn->t = sim->state.t, turn->step = sim->state.step;
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
  if (why) return no_way_back(b, sim->state.t, sim->state.step, why, report);
  const MbStatus met = mb_back_meeting(b, turn, &why, report);
  if (met != MB_OK) return met;
  if (why) return no_way_back(b, sim->state.t, sim->state.step, why, report);
  if (b->g->tied)
    memcpy(note->impulse, mb_section(sim, MB_SECTION_FORCES), sim->model->nslots * sizeof(double));
  if (b->g->held) mb_held_note(b->g, note->impulse);
  return finish_turn(b, turn, report); // which notes the velocities at the end
}

// Of the midpoint rule the velocities of its passes.
static MbStatus record_halves(MbBackward *b, MbTurn *turn, MbReport *report) {
  MbSim *sim = b->g->sim;
  turn->begin = sim->state.t;
  if (b->g->tied && sim->model->nguess)
    memcpy(turn->guess, mb_section(sim, MB_SECTION_CLOSURES), sim->model->nguess * sizeof *turn->guess);
  memcpy(b->w, sim->state.v, sim->nv * sizeof *b->w);
  sim->noted = turn->noted;
  const MbStatus status = step_on(b, report);
  sim->noted = NULL;
  if (status != MB_OK) return status;
  const char *why = mb_slope_no_once(b->g);
  if (!why && b->g->tied && sim->state.step > 1 && !mb_slope_tied_agreed(sim, b->w, turn->noted))
    why = "velocities did not agree with constraints as the step began";
  return why ? no_way_back(b, sim->state.t, sim->state.step, why, report) : finish_turn(b, turn, report);
}

static MbStatus record_nodes(MbBackward *b, MbTurn *turn, MbReport *report) {
  const MbStatus status = step_on(b, report);
  if (status != MB_OK) return status;
  const MbState *state = &b->g->sim->state;
  const char *why = mb_back_nodes_note(b, turn);
  return why ? no_way_back(b, state->t, state->step, why, report) : finish_turn(b, turn, report);
}

static MbStatus record(MbBackward *b, MbTurn *turn, MbReport *report) {
  MbSim *sim = b->g->sim;
  const MbStageNote *notes;
  const size_t size = sim->nv * sizeof(double);
  if (b->nodes) return record_nodes(b, turn, report);
  if (b->g->halves) return record_halves(b, turn, report);
  if (at_once(b->g)) return record_once(b, turn, report);
  turn->stages = mb_scheme_stages_terms(sim, turn->terms);
  if (sim->model->nguess)
    memcpy(turn->guess, mb_section(sim, MB_SECTION_CLOSURES), sim->model->nguess * sizeof *turn->guess);
  MbStatus status = step_on(b, report);
  if (status != MB_OK) return status;
  const char *why = mb_slope_no_stages(b->g, turn->stages);
  if (why) return no_way_back(b, sim->state.t, sim->state.step, why, report);
  mb_newton_stages(sim, &notes);
  for (size_t s = 0; s < turn->stages; s++) {
    turn->note[s].gamma = notes[s].gamma, turn->note[s].t = notes[s].t;
    turn->note[s].agrees = notes[s].agrees;
    if (sim->model->nslots)
      memcpy(turn->note[s].impulse, notes[s].impulse, sim->model->nslots * sizeof(double));
    memcpy(turn->note[s].base, notes[s].base, size);
    memcpy(turn->note[s].from, notes[s].from, size);
    memcpy(turn->note[s].w, notes[s].w, size);
  }
  return finish_turn(b, turn, report);
}

// What is noted of a step is soon needed.
static void come_to(const MbBackward *b, int64_t i) {
  const MbTurn *turn = &b->reel[i];
  mb_needed_soon(turn, sizeof *turn);
  mb_needed_soon(turn->block, turn->bytes);
}

// From the state, which is after `begin` steps, to the end of the reel, and back over it.
static MbStatus over_reel(MbBackward *b, int64_t begin, int64_t end, MbReport *report) {
  const MbSim *sim = b->g->sim;
  MbStatus status = MB_OK;
  memcpy(b->reel->q, sim->state.q, sim->nq * sizeof *b->reel->q);
  memcpy(b->reel->v, sim->state.v, sim->nv * sizeof *b->reel->v);
  mb_back_nodes_begin(b);
  for (int64_t i = begin; i < end && status == MB_OK; i++) {
    if (i + 1 < end) come_to(b, i + 1 - begin);
    status = record(b, &b->reel[i - begin], report);
  }
  for (int64_t i = end; i-- > begin && status == MB_OK;) {
    const MbTurn *turn = &b->reel[i - begin];
    if (i > begin) come_to(b, i - 1 - begin);
    const double *nodes = mb_back_nodes_after(b, turn);
    status = mb_back_frame(b, &(MbMoment){turn->q1, turn->v1, turn->t, i + 1, nodes}, report);
    if (status == MB_OK) status = step_back(b, turn, report);
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
    return agreed_back(b, b->reel[0].noted, b->kept[0].v) ? MB_OK : mb_slope_unsolved(0, 0, report);
  }
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
static bool feels(const MbSensitivity *g) { return at_once(g) && g->sim->integrator->a == 0; }

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
  MbStatus status =
      make(&b, steps, memory) ? over_run(&b, steps, report) : mb_no_memory(report, "derivatives backwards");
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
