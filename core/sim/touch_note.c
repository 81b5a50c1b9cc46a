// What pushed in a step, and the work that it has done, as they are found; they become the state's when the step is done. And which contacts have not pushed and were about to, for who wants to know.
#include "core/base/alloc.h"
#include "core/model/flight.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"

#include <math.h>
#include <string.h>

void mb_touch_begin_notes(MbSim *sim) {
  sim->touching->done.n = 0;
  MbTouchMoves *noted = sim->touching->noted;
  if (noted) noted->near.n = noted->nthrown = 0;
  if (noted) noted->settles = sim->touching->carried.iterates, noted->unsettled = sim->touching->carried.left;
  mb_impacts_begin(&sim->touching->impacts);
  sim->touching->work = mb_section(sim, MB_SECTION_CONTACT)[0];
  memset(sim->touching->thrown, false, sim->model->nb * sizeof *sim->touching->thrown);
  sim->touching->throws = false;
}

// What of the rates after the blow is the swing's: body b has it over the flight, and gives it back in the end (model/flight.h).
static void add_swing(const MbSim *sim, const MbTouch *touch, size_t b, double weight, double rate[3]) {
  const double *M = sim->model->M + 6 * b, *swing = sim->x.swing + 3 * b;
  double spin[3] = {0}, r[3], v[3], axis[3][3];
  if (swing[0] == 0 && swing[1] == 0 && swing[2] == 0) return;
  for (int k = 0; k < 3; k++)
    if (M[k] > 0) spin[k] = swing[k] / M[k];
  mb_vec3_sub(r, touch->point, sim->x.E[b].p);
  mb_quat_rotate(spin, sim->x.E[b].q, spin);
  mb_vec3_cross(v, spin, r);
  mb_touch_axes(touch->normal, axis);
  for (int k = 0; k < 3; k++) rate[k] += weight * mb_vec3_dot(v, axis[k]);
}

// Over a step kinetic energy changes by λᵀ G (v + v⁺)/2 for what λ gives, with v⁺ before the flight, which keeps it. `given`: λᵀ G v.
static double work_of(const MbSim *sim, const MbTouch *touch, const double lambda[3], double given,
                      const double after[3]) {
  const MbTouchEnds *ends = mb_touch_ends(&sim->touching->now, touch);
  double swing[3] = {0}, sum = given / 2;
  for (size_t k = 0; k < ends->n && sim->x.swing; k++)
    if (ends->end[k] < sim->model->nb && sim->model->flies[ends->end[k]])
      add_swing(sim, touch, ends->end[k], ends->weight[k], swing);
  for (int k = 0; k < 3; k++) sum += lambda[k] * (after[k] - swing[k]) / 2;
  return sum;
}

static void describe(const MbTouch *touch, const double lambda[3], MbPushed *done) {
  done->a = touch->a, done->b = touch->b;
  done->feature_a = touch->feature_a, done->feature_b = touch->feature_b;
  mb_vec3_copy(done->lambda, lambda);
  mb_vec3_copy(done->point, touch->point);
  mb_vec3_copy(done->normal, touch->normal);
  done->gap = touch->gap, done->size = touch->size, done->mu = touch->mu;
  done->rebounds = touch->rebounds, done->narrow = touch->narrow;
  done->lessened = false;
}

void mb_touch_note(MbSim *sim, const MbTouch *touch, const double lambda[3], const double after[3],
                   double before, double given) {
  MbTouching *t = sim->touching;
  MbPushed *done = &t->done.touch[t->done.n++]; // there is room for all that are listed
  describe(touch, lambda, done);
  done->lessened = done->rebounds && sim->constraining->rebounds.lessened;
  double along[3];
  mb_touch_carried(sim, touch, along);
  mb_vec3_sub(done->rate, after, along);
  t->work += work_of(sim, touch, lambda, given, after);
  mb_impacts_note(&t->impacts, touch, lambda, before, t->rules->threshold,
                  ((double)sim->state.step + 1) * sim->model->h);
  if (!(touch->bounce > 0 && -before > t->rules->threshold)) return;
  t->throws = true;
  const MbTouchEnds *ends = mb_touch_ends(&t->now, touch);
  for (size_t k = 0; k < ends->n; k++)
    if (ends->end[k] < sim->model->nb) t->thrown[ends->end[k]] = true;
}

void mb_touch_note_near(MbSim *sim, const MbTouch *touch, const double before[3], const double after[3]) {
  static const double NEAR = 1e-6, none[3] = {0}; // as in sensitivity_tied.c
  const MbContacts *rules = sim->touching->rules;
  MbTouchMoves *moves = sim->touching->noted;
  double along[3];
  if (!moves) return;
  mb_touch_carried(sim, touch, along);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  const MbAskRow known = {.g = touch->gap,
                          .judged = mb_touch_judged(sim->touching, touch),
                          .scale = touch->size,
                          .one_way = true,
                          .alpha = rules->compliance,
                          .beta = rules->damping,
                          .rate = after[0] - along[0],
                          .last = before[0],
                          .size = fabs(before[0]) + fabs(after[0])};
  const MbAsked asked = mb_ask_contact(&asking, &known);
  if (asked.b > NEAR * asked.size) return;
  if (mb_grow(&moves->near.touch, &moves->near.room, moves->near.n + 1, sizeof *moves->near.touch))
    describe(touch, none, &moves->near.touch[moves->near.n++]);
  else
    moves->no_memory = true;
}

// Bodies that other rows than contacts are about keep the swing that these have been asked with.
static void leave_out_held(const MbSim *sim, bool *thrown) {
  const MbRowSet *set = &sim->constraining->set;
  for (size_t s = 0; s < set->n && set->nsources > 1; s++) {
    if (set->is[s].kind == MB_ROW_CONTACT || set->is[s].kind == MB_ROW_FRICTION) continue;
    if (!set->is[s].two_bodies) memset(thrown, false, sim->model->nb * sizeof *thrown);
    for (size_t k = 0; k < 2; k++)
      if (set->row[s].body[k] < sim->model->nb) thrown[set->row[s].body[k]] = false;
  }
}

static void note_thrown(MbTouchMoves *moves, size_t b) {
  if (!moves) return;
  if (mb_grow(&moves->thrown, &moves->thrown_room, moves->nthrown + 1, sizeof *moves->thrown))
    moves->thrown[moves->nthrown++] = b;
  else
    moves->no_memory = true;
}

void mb_touch_swing_anew(MbSim *sim, double h, double *v) {
  const MbModel *model = sim->model;
  if (!sim->touching || !sim->touching->throws) return;
  leave_out_held(sim, sim->touching->thrown);
  sim->touching->throws = false;
  for (size_t b = 0; b < model->nb; b++) {
    if (!sim->touching->thrown[b] || !model->swings[b] || model->joint[b].ops) continue;
    double *const w = v + sim->solver->map->layout->velocity(model, b), *const swing = sim->x.swing + 3 * b;
    const double *I = model->M + 6 * b;
    double spin[3];
    if (!(I[0] > 0 && I[1] > 0 && I[2] > 0)) continue;
    for (int k = 0; k < 3; k++) spin[k] = w[k] - swing[k] / I[k];
    mb_flight_swing(h, I, spin, swing);
    for (int k = 0; k < 3; k++) w[k] = spin[k] + swing[k] / I[k];
    note_thrown(sim->touching->noted, b);
  }
}
