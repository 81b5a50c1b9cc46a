// What numbers change of steps under solver "maximal" (sensitivity_held.c). What is the same in each step is added up, and asked for once, at the end: what moments and joints' frames are felt by, and
// parameters of constraints that numbers change and nothing else, of which one number's difference tells (tangent_gather.c and tangent_shared.c have both). Other numbers are asked at each step.
#include "core/sim/sensitivity_held.h"

// Whether all that a number changes of constraints is parameters that are added up.
static bool shares(const MbSensitivity *g, size_t k) {
  const MbTangentNumber *of = g->held->number[k].of;
  return !of->nalone && !of->nsignals && !mb_held_number_jumps(g, k);
}

bool mb_held_number_rests(const MbSensitivity *g, size_t k) {
  const MbHeldNumber *number = &g->held->number[k];
  const bool rows = (number->of->nties || number->of->nsignals) && !shares(g, k);
  return rows || mb_held_kept_asks(g, k) || number->along || number->of->njoints ||
         mb_held_number_jumps(g, k) || mb_tangent_number_rests(g->slopes[k].number) ||
         mb_tangent_number_spins(g->slopes[k].number);
}

// ---- what they have in common -------------------------------------------------------------------------------------

static void note_frames(MbSensitivity *g, size_t k) {
  const MbTangentNumber *of = g->held->number[k].of;
  for (size_t i = 0; i < of->nframed && !mb_held_number_jumps(g, k); i++) {
    g->held->any_before[of->framed[i]] = true;
    g->held->any_behind[of->framed[i]] |= !of->by[i].stays;
  }
}

bool mb_held_numbers_make(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbModel *model = g->sim->model;
  held->any_before = mb_arena_alloc(&g->arena, model->nb + 1, sizeof *held->any_before);
  held->any_behind = mb_arena_alloc(&g->arena, model->nb + 1, sizeof *held->any_behind);
  MbSharedFelt *room = mb_arena_alloc(&g->arena, g->count * model->nconstraints + 1, sizeof *room);
  held->shared.parameter = room;
  if (!held->any_before || !held->any_behind || !room) return false;
  for (size_t k = 0; k < g->count; k++) {
    if (shares(g, k)) mb_shared_note(&held->shared, held->number[k].of, k);
    note_frames(g, k);
  }
  return true;
}

// ---- at a step ------------------------------------------------------------------------------------------------------

void mb_held_numbers_gather(MbSensitivity *g, const MbHeldRows *r) {
  MbHeldBack *held = g->held;
  for (size_t i = 0; i < held->shared.n; i++) {
    MbSharedFelt *p = &held->shared.parameter[i];
    p->felt += mb_held_rows_number(g, r, p->number, p->at.constraint) / p->at.by;
  }
}

bool mb_held_number_sums(MbSensitivity *g, const MbHeldRows *r, size_t k, double t, const double *q0,
                         double *sum) {
  const MbTangentNumber *of = g->held->number[k].of;
  if (!mb_held_joints_number(g, k, t, q0, sum)) return false;
  if ((of->nties || of->nsignals) && !shares(g, k)) *sum += mb_held_rows_number(g, r, k, SIZE_MAX);
  return true;
}

double mb_held_number_bodies(MbSensitivity *g, size_t k, const MbStageNote *note, const double *felt,
                             const double *z) {
  MbSensitivity *f = &g->held->free;
  const MbSlope *slope = &f->slopes[k];
  const double move = g->number[k].move;
  if (!mb_tangent_number_jumps(slope->number))
    return mb_tangent_number_rest(f->probe, f->tangent, slope->number, felt, f->a, z) / (2 * move);
  mb_slope_by_number(f, slope, note, felt, move, f->rate);
  return mb_slope_dot(z, f->rate, f->sim->nv);
}

bool mb_held_number_back(MbSensitivity *g, size_t k, const MbStageNote *note, const double *q0,
                         const double *z, double *sum) {
  MbSensitivity *f = &g->held->free;
  const double move = g->number[k].move;
  double sums = 0;
  if (!mb_held_number_sums(g, g->held->rows, k, note->t, q0, &sums)) return false;
  if (!mb_held_rotors_number(g, k, q0, &sums)) return false;
  sums += mb_held_kept_number(g, k);
  *sum += sums / (2 * move) + mb_held_number_bodies(g, k, note, note->from, z) +
          mb_slope_once_number(f, &f->slopes[k], note, move, z);
  return true;
}

double mb_held_gathered(const MbSensitivity *g, size_t k) {
  const MbHeldBack *held = g->held;
  const MbTangentNumber *of = held->number[k].of;
  double sum = 0;
  for (size_t i = 0; i < of->nframed && !mb_held_number_jumps(g, k); i++)
    sum += mb_dot6(held->before + 6 * of->framed[i], of->by[i].before) +
           mb_dot6(held->behind + 6 * of->framed[i], of->by[i].behind);
  return shares(g, k) ? sum + mb_shared_sum(&held->shared, of) : sum;
}
