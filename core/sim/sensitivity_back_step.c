// Back over one step, as it was noted: through its stages, its one solution or its halves (sensitivity_backward.c has the derivation).
#include "core/sim/sensitivity_back.h"
#include "core/base/report.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_opened.h"
#include "core/sim/sensitivity_rubbed.h"

// z, and what it is felt by along the bodies' motion, velocities and accelerations.
static bool solve_back(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  const size_t nv = g->sim->nv;
  double *felt = b->left_moved;
  memset(felt, 0, nv * sizeof *felt);
  if (g->rows) {
    mb_slope_rows_solve_back(g, b->w, felt, b->left_from);
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

// Notes numbers that open rows which nothing can close, in steps in which that is looked for.
static void look_at_stage(const MbBackward *b, const MbTurn *turn, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  for (size_t k = 0; k < g->count && g->rows && mb_slope_looks(g, turn->step); k++)
    mb_slope_rows_look_back(g, &g->slopes[k], note, g->number[k].move);
}

static void look_at_once(const MbBackward *b, const MbTurn *turn, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  for (size_t k = 0; k < g->count && g->tied && mb_slope_looks(g, turn->step); k++) {
    mb_slope_tied_number(g, &g->slopes[k], note, g->number[k].move);
    if (g->halves) mb_slope_tied_aim_number(g, &g->slopes[k], note->from, g->number[k].move);
    mb_slope_tied_opens(g, &g->slopes[k]);
  }
}

// Back through a stage: what its velocities are felt by in b->w, its coordinates in b->q1 and its own motion beside that in b->base. b->base ←
// what that is felt by in all, b->da ← −v̄*; b->next_q += q̄₀.
static MbStatus stage(MbBackward *b, const MbTurn *turn, size_t s, MbReport *report) {
  MbSensitivity *g = b->g;
  const MbStageNote *note = &turn->note[s];
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  mb_slope_rows_step(g, turn->guess, turn->struck);
  const MbStatus status = mb_slope_at_stage(g, note, turn->t, turn->step, report);
  if (status != MB_OK) return status;
  look_at_stage(b, turn, note);
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
    b->da[i] = b->da[i] / (note->gamma * h) - (g->rows ? b->left_from[i] : 0);
  }
  mb_slope_rows_tell(g, turn->t, turn->step, report);
  mb_back_gather(b, note);
  for (size_t i = 0; i < b->nrest; i++) b->out[b->rest[i]] += mb_back_number_at_stage(b, b->rest[i], note);
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

MbStatus mb_back_none(MbBackward *b, double t, int64_t step, const char *why, MbReport *report) {
  b->g->astray = true;
  return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: %s: there is no way back through it", t,
                  (long long)step, why);
}

static MbStatus lost(MbBackward *b, const MbTurn *turn, MbReport *report) {
  if (b->g->parted) return mb_back_none(b, turn->t, turn->step, b->g->parted, report);
  return mb_slope_unsolved(turn->t, turn->step, report);
}

// Over a step under solver "maximal".
static MbStatus held_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  if (!(b->g->held->halves ? mb_held_halves_back : mb_held_back)(b, turn)) return lost(b, turn, report);
  mb_held_tell(b->g, turn->t, turn->step, report);
  mb_held_rubbed_tell(b->g, turn->t, turn->step, report);
  return MB_OK;
}

// What the velocities without rows, of which contacts that rebound have asked, are felt by.
static void thrown_back(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  double *scratch[3] = {b->dq, b->dv, b->da};
  MbStageNote free;
  if (!g->met || !g->met->n || !g->met->rebounds) return;
  memcpy(b->z, mb_met_free_begin(g, note, &free), g->sim->nv * sizeof *b->z);
  mb_met_free_back(g, scratch, b->q, b->v);
  mb_back_gather(b, &free);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    b->out[k] += mb_back_number_at_stage(b, k, &free) +
                 mb_slope_once_own(g, &g->slopes[k], &free, g->number[k].move, b->z);
  }
}

// Over a step of one linear solution.
static MbStatus once_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  const MbStageNote solved = mb_back_solved_for(g, turn), *note = &solved;
  double *scratch[3] = {b->dq, b->dv, b->da};
  const bool touches = turn->met && turn->met->pushed.n > 0;
  memcpy(g->q, turn->q, g->sim->nq * sizeof *g->q);
  mb_slope_tied_step(g, turn->guess, note->impulse, turn->t);
  mb_slope_rubbed_step(g, note->impulse + g->sim->model->nslots);
  g->end = turn->q1, g->parted = NULL;
  if (turn->met && !mb_met_moves_back(g, turn->met, turn->q1, turn->v1, b->q, b->v, b->out))
    return lost(b, turn, report);
  if (!mb_slope_once_at(g, note, turn->met, turn->standing && !touches ? turn->instant : NULL) ||
      (touches && !mb_met_at(g, note)) || !mb_slope_once_back(g, note, b->q, b->v, b->z, scratch))
    return lost(b, turn, report);
  mb_slope_tied_tell(g, turn->t, turn->step, report);
  mb_slope_rubbed_tell(g, turn->t, turn->step, report);
  mb_slope_end_tell(g, note, turn->t, turn->step, report);
  mb_met_tell(g, note, turn->met, turn->t, turn->step, report);
  mb_back_numbers_at_once(b, note);
  for (size_t k = 0; k < g->count; k++)
    if (!mb_slope_rubbed_number(g, k, note, &b->out[k])) return lost(b, turn, report);
  for (size_t k = 0; k < g->count && touches; k++)
    if (!mb_met_number(g, &g->slopes[k], note, b->z, g->number[k].move, &b->out[k]))
      return lost(b, turn, report);
  if (touches) thrown_back(b, note);
  if (!touches) look_at_once(b, turn, note);
  return MB_OK;
}

// What numbers are felt by at a pass, or half step, of which b->z are the equations' weights.
static void numbers_at_pass(MbBackward *b, const MbStageNote *pass) {
  MbSensitivity *g = b->g;
  mb_back_numbers_at_once(b, pass);
  mb_slope_tied_aim_felt(g, pass->from);
  mb_slope_tied_aim_gather(g, b->gather, pass->from);
  for (size_t i = 0; i < b->nrest && g->tied; i++) {
    const size_t k = b->rest[i];
    b->out[k] += mb_slope_tied_aim_number_back(g, &g->slopes[k], pass->from, g->number[k].move);
  }
}

bool mb_back_agreed(MbBackward *b, double *noted, const double *before) {
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
  if (g->tied && !mb_back_agreed(b, turn->noted, NULL)) return lost(b, turn, report);
  mb_slope_halves_end_back(g, turn->noted, b->q, b->v, b->w);
  if (mb_slope_halves_went_on(g->sim, turn->noted)) return solved_back(b, turn, report);
  mb_slope_tied_begin_passes(g);
  for (int p = mb_slope_halves_count(g->sim, turn->noted) - 1; p >= 0; p--) {
    const MbStageNote pass = mb_slope_halves_pass(g, turn->noted, p, turn->begin);
    if (!mb_slope_halves_at(g, turn->noted, &pass) ||
        !mb_slope_halves_back(g, b->q, b->v, b->w, b->z, scratch))
      return lost(b, turn, report);
    numbers_at_pass(b, &pass);
    look_at_once(b, turn, &pass);
  }
  for (size_t i = 0; i < nv; i++) b->v[i] += b->w[i];
  mb_slope_tied_tell(g, turn->t, turn->step, report);
  return MB_OK;
}

// Back through one of them.
static MbStatus stage_of(MbBackward *b, const MbTurn *turn, size_t s, MbReport *report) {
  if (!b->g->held) return stage(b, turn, s, report);
  if (!mb_held_stage_back(b, turn, s)) return lost(b, turn, report);
  mb_held_tell(b->g, turn->t, turn->step, report);
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
  MbStatus status = stage_of(b, turn, last, report);
  if (status != MB_OK) return status;
  give(b, &turn->terms[last], b->v, b->u, b->before);
  if (last) {
    memcpy(b->w, b->first, size);
    memset(b->q1, 0, size), memset(b->base, 0, size), memset(b->first, 0, size);
    status = stage_of(b, turn, 0, report);
    if (status != MB_OK) return status;
    give(b, &turn->terms[0], b->v, b->u, b->before);
  }
  memcpy(b->q, b->next_q, size);
  return MB_OK;
}

// Whether bodies and nodes are gone back over together: where rows are about both, or something has touched, or was about to.
static bool are_one(const MbBackward *b, const MbTurn *turn) {
  const MbMeeting *met = turn->met;
  const bool touches = met && (met->pushed.n || met->near.n || met->moves.n || met->moves.bodies);
  return b->g->beside && (touches || b->g->sim->model->nports);
}

static MbStatus nodes_back(MbBackward *b, const MbTurn *turn, MbReport *report) {
  const char *why;
  const bool all = are_one(b, turn);
  const MbStatus status = (all ? mb_back_beside_step : mb_back_nodes_step)(b, turn, &why, report);
  return why ? mb_back_none(b, turn->t, turn->step, why, report) : status;
}

// MB_NUMBERS where what the state is felt by is no number any more.
static MbStatus check_finite(const MbBackward *b, const MbTurn *turn, MbReport *report) {
  for (size_t i = 0; i < b->g->sim->nv; i++)
    if (!isfinite(b->q[i]) || !isfinite(b->v[i]))
      return mb_error(report, MB_NUMBERS, "",
                      "at t = %.9g s, step %lld: the derivative backwards is not finite", turn->t,
                      (long long)turn->step);
  return MB_OK;
}

MbStatus mb_back_step(MbBackward *b, const MbTurn *turn, MbReport *report) {
  const bool held = b->g->held && !b->g->held->stages;
  MbStatus status = b->nodes ? nodes_back(b, turn, report) : MB_OK;
  if (status != MB_OK || (b->nodes && !b->g->beside)) return status;
  if (are_one(b, turn)) return check_finite(b, turn, report);
  status = held           ? held_back(b, turn, report)
           : b->g->halves ? halves_back(b, turn, report)
           : b->g->once   ? once_back(b, turn, report)
                          : stages_back(b, turn, report);
  if (status != MB_OK) return status;
  mb_slope_opened_tell(b->g, turn->t, turn->step, report);
  return check_finite(b, turn, report);
}
