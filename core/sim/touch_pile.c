// Piles under a fixed number of sweeps: contacts as they have been found go to the sweeps of contact/pile.h as they are, and what comes out goes
// to the bodies. Of hard contacts with the exact cone, at least MB_PILE_FEW of them, with masses alone in A.
//
// The sweeps have velocities in the world's axes. What they change of a body's velocities goes back into its own, so that nothing changes
// of what nothing pushes.
#include "core/sim/touch_pile.h"
#include "core/base/alloc.h"
#include "core/math/mat3.h"
#include "core/model/coordinate_map.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "core/sim/touch_solve.h"

#include <stddef.h>
#include <string.h>

#define PLACE(of) ((offsetof(MbTouch, of) - offsetof(MbTouch, lambda)) / sizeof(double))
_Static_assert(PLACE(point) == MB_PILE_POINT && PLACE(normal) == MB_PILE_NORMAL &&
                   PLACE(gap) == MB_PILE_GAP && PLACE(size) == MB_PILE_SIZE && PLACE(mu) == MB_PILE_MU &&
                   PLACE(bounce) == MB_PILE_BOUNCE && PLACE(lambda) == MB_PILE_LAMBDA &&
                   sizeof(MbTouch) % sizeof(double) == 0,
               "contacts are given as they are");

static MbTouchPile *pile_of(const MbSim *sim) { return sim->touching->pile; }

bool mb_touch_is_pile(const MbSim *sim) {
  const MbContacts *rules = sim->touching->rules;
  const MbIntegrator *in = sim->integrator;
  const bool masses = !sim->x.D || (in->a == 0 && in->b == 0);
  return mb_touch_few(rules) && rules->cone == MB_ROUND_CONE && !(rules->compliance > 0) && masses &&
         in->scheme == MB_ONE_SOLVE && in->w == 0 && sim->touching->now.n >= MB_PILE_FEW;
}

MbTouchPile *mb_touch_pile_create(const MbTouching *touching) {
  static const double LEAST = 1e-12, LARGEST = 1e12, ACROSS = 1e4;
  MbTouchPile *made = mb_calloc(1, sizeof *made);
  double least = INFINITY, largest = 0;
  for (size_t i = 0; i < touching->rules->nsolids; i++) {
    least = fmin(least, touching->solids.size[i]);
    if (touching->rules->moved[touching->rules->solids[i].body] != MB_WORLD)
      largest = fmax(largest, touching->solids.reach[i]);
  }
  if (made) made->alike = least > LEAST && largest < LARGEST && largest < ACROSS * least;
  return made;
}

// ---- bodies -----------------------------------------------------------------------------------------------

// R diag(1/I) Rᵀ, 1/m, and where the body is.
static void weigh(MbPile *pile, size_t body, const double R[9], const double *M, const double p[3]) {
  double *J = pile->inertia[body].J;
  const double a = 1 / M[0], b = 1 / M[1], c = 1 / M[2];
  const double x[3] = {a * R[0], b * R[1], c * R[2]}, y[3] = {a * R[3], b * R[4], c * R[5]},
               z[3] = {a * R[6], b * R[7], c * R[8]};
  J[0] = mb_vec3_dot(x, R), J[1] = mb_vec3_dot(x, R + 3), J[2] = mb_vec3_dot(x, R + 6);
  J[3] = mb_vec3_dot(y, R + 3), J[4] = mb_vec3_dot(y, R + 6), J[5] = mb_vec3_dot(z, R + 6);
  pile->body[body].inverse = 1 / M[3];
  mb_pile_stands(pile, body, p);
}

// The bodies at the step's start, with velocities as forces have made them.
static void take_bodies(MbSim *sim, const double *v) {
  const MbModel *model = sim->model;
  MbPile *pile = &pile_of(sim)->pile;
  for (size_t b = 0; b < model->nb; b++) {
    MbPileBody *body = &pile->body[b];
    MbPileStart *start = &pile->start[b];
    if (!mb_delassus_is_apart(model, b)) {
      memset(body, 0, sizeof *body);
      memset(&pile->inertia[b], 0, sizeof *pile->inertia);
      memset(start, 0, sizeof *start);
      continue;
    }
    const size_t at = sim->solver->map->layout->velocity(model, b);
    mb_quat_to_mat3(start->R, sim->x.E[b].q);
    weigh(pile, b, start->R, model->M + 6 * b, sim->x.E[b].p);
    mb_mat3_apply(body->w, start->R, v + at);
    mb_vec3_copy(body->v, v + at + 3);
    mb_mat3_apply(start->w, start->R, sim->state.v + at);
    mb_vec3_copy(start->v, sim->state.v + at + 3);
  }
}

// By how much the sweeps have changed the bodies' kinetic energy, of velocities v before.
static double gained(const MbSim *sim, const double *v) {
  const MbModel *model = sim->model;
  const MbPile *pile = &pile_of(sim)->pile;
  double sum = 0;
  for (size_t b = 0; b < model->nlisted; b++) {
    double now[6];
    if (!mb_delassus_is_apart(model, b)) continue;
    const double *M = model->M + 6 * b, *was = v + sim->solver->map->layout->velocity(model, b);
    mb_mat3_tapply(now, pile->start[b].R, pile->body[b].w);
    mb_vec3_copy(now + 3, pile->body[b].v);
    for (int k = 0; k < 6; k++) sum += M[k] * (now[k] * now[k] - was[k] * was[k]) / 2;
  }
  return sum;
}

// v ← v + what the sweeps have changed
static void give_velocities(const MbSim *sim, double *v) {
  const MbModel *model = sim->model;
  const MbPile *pile = &pile_of(sim)->pile;
  for (size_t b = 0; b < model->nlisted; b++) {
    const MbPileBody *body = &pile->body[b];
    const MbPileBody *base = &pile->base[b];
    double change[3], own[3];
    if (!mb_delassus_is_apart(model, b)) continue;
    const size_t at = sim->solver->map->layout->velocity(model, b);
    mb_vec3_sub(change, body->w, base->w);
    mb_mat3_tapply(own, pile->start[b].R, change);
    mb_vec3_add(v + at, v + at, own);
    mb_vec3_copy(v + at + 3, body->v);
  }
}

// ---- the step's contacts ----------------------------------------------------------------------------------

static bool make(MbSim *sim, bool *is) {
  MbTouchPile *p = pile_of(sim);
  const MbTouches *now = &sim->touching->now;
  const uint32_t none = (uint32_t)sim->model->nb;
  if (!mb_grow(&p->body, &p->room, now->n, sizeof *p->body) ||
      !mb_grow(&p->patch, &p->patch_room, now->n, sizeof *p->patch))
    return false;
  for (size_t i = 0; i < now->n; i++) {
    const MbTouch *touch = &now->touch[i];
    const size_t *const end = mb_touch_ends(now, touch)->end;
    for (size_t k = 0; k < 2; k++) p->body[i][k] = end[k] == MB_WORLD ? none : (uint32_t)end[k];
    p->patch[i] = i ? p->patch[i - 1] + !mb_pile_same_patch(touch->lambda, touch[-1].lambda) : 0;
  }
  const MbPileContacts contacts = {.n = now->n,
                                   .stride = sizeof(MbTouch) / sizeof(double),
                                   .number = now->touch[0].lambda,
                                   .body = (const uint32_t(*)[2])p->body,
                                   .patch = p->patch};
  return mb_pile_make(&p->pile, &contacts, sim->model->nb, is);
}

static void note(MbSim *sim) {
  MbTouching *t = sim->touching;
  const MbPileTold *told = pile_of(sim)->pile.told;
  mb_touch_begin_notes(sim);
  for (size_t i = 0; i < t->now.n; i++)
    if (told[i].lambda[0] > 0)
      mb_touch_note(sim, &t->now.touch[i], told[i].lambda, told[i].after, told[i].before, told[i].given);
}

// Sweeps from the impulses that contacts have, and adds how many there were. False: the pile is not for them.
static bool sweep(MbSim *sim, const double *v, size_t *sweeps) {
  MbPile *pile = &pile_of(sim)->pile;
  const MbContacts *rules = sim->touching->rules;
  const MbPileAsking asking = {.h = sim->model->h, .slowest = rules->threshold};
  take_bodies(sim, v);
  mb_pile_take(pile, &asking, sim->threads);
  if (pile->rebounds || !isfinite(pile->norm)) return false;
  *sweeps += mb_pile_solve(pile, rules->tolerance, (size_t)rules->iterations);
  return true;
}

// Few sweeps from impulses that have stopped something in the last step may leave more energy than they found: then they begin from none.
static bool sweep_without_gain(MbSim *sim, const double *v, size_t *sweeps) {
  MbTouches *now = &sim->touching->now;
  if (!sweep(sim, v, sweeps)) return false;
  if (!(gained(sim, v) > 0)) return true;
  for (size_t i = 0; i < now->n; i++) memset(now->touch[i].lambda, 0, sizeof now->touch[i].lambda);
  return sweep(sim, v, sweeps);
}

bool mb_touch_pile_solve(MbSim *sim, double *v, bool *done) {
  MbTouchPile *p = pile_of(sim);
  const MbContacts *rules = sim->touching->rules;
  size_t sweeps = 0;
  bool is;
  *done = false;
  if (!make(sim, &is)) return false;
  if (!is) return true;
  if (!sweep_without_gain(sim, v, &sweeps)) return true;
  const double left = p->pile.size > 0 ? p->pile.natural / p->pile.size : 0;
  if (!mb_touch_tell_few(sim, left, rules->tolerance, sweeps)) return true;
  give_velocities(sim, v);
  note(sim);
  *done = true;
  p->solved = p->alike;
  return true;
}

// ---- parting ----------------------------------------------------------------------------------------------

double mb_touch_pile_move(MbSim *sim) {
  const MbModel *model = sim->model;
  MbPile *pile = &pile_of(sim)->pile;
  for (size_t b = 0; b < model->nlisted; b++) {
    MbPileStart *start = &pile->start[b];
    MbPileBody *body = &pile->body[b];
    double R[9], was[9];
    if (!mb_delassus_is_apart(model, b)) continue;
    mb_quat_to_mat3(R, sim->x.E[b].q);
    for (int r = 0; r < 3; r++)
      for (int k = 0; k < 3; k++) was[3 * r + k] = start->R[3 * k + r];
    mb_mat3_mul(start->R, R, was);
    weigh(pile, b, R, model->M + 6 * b, sim->x.E[b].p);
    memset(body->v, 0, 3 * sizeof *body->v);
    memset(body->w, 0, 3 * sizeof *body->w);
  }
  return mb_pile_move(pile);
}

void mb_touch_pile_part(MbSim *sim, double *dq) {
  const MbModel *model = sim->model;
  MbPile *pile = &pile_of(sim)->pile;
  mb_pile_part(pile, (size_t)sim->touching->rules->iterations);
  for (size_t b = 0; b < model->nlisted; b++) {
    double R[9];
    if (!mb_delassus_is_apart(model, b)) continue;
    const size_t at = sim->solver->map->layout->velocity(model, b);
    mb_quat_to_mat3(R, sim->x.E[b].q);
    mb_mat3_tapply(dq + at, R, pile->body[b].w);
    mb_vec3_copy(dq + at + 3, pile->body[b].v);
  }
}

// ---- memory -----------------------------------------------------------------------------------------------

void mb_touch_pile_free(MbTouchPile *pile) {
  if (!pile) return;
  mb_pile_free(&pile->pile);
  mb_free(pile->body);
  mb_free(pile->patch);
  mb_free(pile);
}

size_t mb_touch_pile_bytes(const MbTouchPile *pile) {
  return sizeof *pile + mb_pile_bytes(&pile->pile) + pile->room * sizeof *pile->body +
         pile->patch_room * sizeof *pile->patch;
}
