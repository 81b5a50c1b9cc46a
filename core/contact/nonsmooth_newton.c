// The non-smooth Newton method (ZF 5, app. A and B): F(λ, W λ + b) = 0, one function a block (newton_block.c), steps Δ of its linear
// part (newton_step.c).
//
// A step is shortened until |F| falls. W may be singular (more contacts than freedoms): a step is that of W + α, which leaves λ near
// where it is in directions that move nothing, as one step of a proximal method does; α grows where steps fail and falls again. F
// has kinks, at which no step may make it smaller: then one sweep of Gauss–Seidel leads away from there.
//
// The best λ that was met is kept. It is judged after it was put where it may be, since Newton's λ lie beside the cone by what the
// step was off.
#include "core/contact/nonsmooth_newton.h"
#include "core/contact/contact_dense.h"

#include <math.h>
#include <string.h>

void mb_newton_make(MbNewton *t, MbRoom *room, const MbStrips *strips, MbContactFunction function) {
  t->strips = *strips;
  const size_t n = t->strips.n, dense = mb_strips_may_factor(&t->strips) ? n : 0,
               sparse = n <= MB_SMALL ? 0 : n;
  double **const all[] = {&t->lambda, &t->w, &t->best, &t->best_w, &t->trial, &t->trial_w, &t->step, &t->x};
  t->function = function, t->refines = false, t->alpha = 1e-8, t->yields = 0;
  t->part = mb_room_take(room, t->strips.nblocks, sizeof *t->part);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = mb_room_take(room, n, sizeof(double));
  t->basis = mb_room_take(room, (MB_NEWTON_BASIS + 1) * sparse, sizeof(double));
  t->inverse = mb_room_take(room, sparse ? 9 * t->strips.nblocks : 0, sizeof(double));
  t->active = mb_room_take(room, n, sizeof *t->active);
  t->place = mb_room_take(room, n, sizeof *t->place);
  t->J = mb_room_take(room, dense ? mb_dense_stride(dense) * (dense + 1) : 0, sizeof *t->J);
  if (!dense || (room->at && !mb_strips_factored(&t->strips))) t->J = NULL;
  t->pivot = mb_room_take(room, dense, sizeof *t->pivot);
  t->right = mb_room_take(room, dense, sizeof *t->right);
  t->refined = mb_room_take(room, dense, sizeof *t->refined);
}

// w ← what λ makes of it, contacts giving way as is asked for.
static void rates(MbNewton *t, const double *lambda, double *w) {
  const MbStrips *s = &t->strips;
  mb_strips_rates(s, lambda, w);
  for (size_t j = 0; j < s->nblocks && t->yields > 0; j++)
    if (s->block[j].rows == 3) w[s->block[j].row] += t->yields * s->block[j].scale * lambda[s->block[j].row];
}

// |F|; the derivatives are made too
static double functions(MbNewton *t, const double *lambda, const double *w) {
  const MbStrips *s = &t->strips;
  double sum = 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    mb_newton_block(block, t->function, lambda + block->row, w + block->row, &t->part[j]);
    for (size_t r = 0; r < block->rows; r++) sum += t->part[j].F[r] * t->part[j].F[r];
  }
  return sqrt(sum);
}

// Keeps λ, put where it may be, if it is the best so far; its w is known. Returns the best natural map.
static double judge(MbNewton *t, double best) {
  const MbStrips *s = &t->strips;
  const size_t bytes = s->n * sizeof *t->trial;
  const double *w = t->w;
  memcpy(t->trial, t->lambda, bytes);
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], t->trial + s->block[j].row);
  if (memcmp(t->trial, t->lambda, bytes) != 0) {
    rates(t, t->trial, t->trial_w);
    w = t->trial_w;
  }
  const double natural = mb_strips_natural(s, t->trial, w);
  if (!(natural < best) && best < INFINITY) return best;
  memcpy(t->best, t->trial, bytes);
  memcpy(t->best_w, w, bytes);
  return natural < best ? natural : best;
}

static bool shorten(MbNewton *t, double size, double *part) {
  static const double ENOUGH = 1e-3, LEAST = 1e-3;
  const MbStrips *s = &t->strips;
  for (*part = 1; *part > LEAST; *part *= 0.5) {
    for (size_t i = 0; i < s->n; i++) t->trial[i] = t->lambda[i] + *part * t->step[i];
    rates(t, t->trial, t->trial_w);
    if (functions(t, t->trial, t->trial_w) <= (1 - ENOUGH * *part) * size) return true;
  }
  return false;
}

static void sweep(MbNewton *t) {
  const MbStrips *s = &t->strips;
  mb_strips_begin(s, t->lambda);
  for (size_t j = 0; j < s->nblocks; j++) mb_strip_relax(s, j, t->lambda);
}

bool mb_newton_run(MbNewton *t, size_t most, double share, size_t *done) {
  static const double MORE = 1e-6, MUCH = 1;
  const double little = t->alpha;
  const MbStrips *s = &t->strips;
  const size_t bytes = s->n * sizeof *t->lambda;
  double best = INFINITY, alpha = little, part;
  bool known = false; // w is that of λ, as a step has left it
  for (*done = 0;; ++*done) {
    if (!known) rates(t, t->lambda, t->w);
    best = judge(t, best);
    const bool stays = *done || !s->betters || best <= MB_SETTLED * s->enough;
    if ((best <= (*done ? share : 1) * s->enough && stays) || *done >= most) break;
    const double size = functions(t, t->lambda, t->w);
    if (!isfinite(size)) break;
    known = mb_newton_step(t, alpha) && shorten(t, size, &part);
    if (known) {
      memcpy(t->lambda, t->trial, bytes);
      memcpy(t->w, t->trial_w, bytes);
      alpha = fmax(part == 1 ? 0.1 * alpha : part < 0.1 ? 4 * alpha : alpha, little);
    } else {
      alpha = fmin(fmax(10 * alpha, MORE), MUCH);
      sweep(t);
    }
  }
  memcpy(t->lambda, t->best, bytes);
  memcpy(t->w, t->best_w, bytes);
  return best <= s->enough;
}

static size_t room_of(const MbContactProblem *problem) {
  MbRoom room = {0};
  MbStrips strips;
  MbNewton newton;
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_newton_make(&newton, &room, &strips, problem->function);
  return room.used;
}

static MbContactResult solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  enum { STEPS = 200 };
  MbRoom room = {.at = work->block};
  MbStrips strips;
  MbNewton newton;
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_newton_make(&newton, &room, &strips, problem->function);
  mb_strips_start(&newton.strips, problem, newton.lambda);
  mb_newton_run(&newton, problem->iterations ? problem->iterations : STEPS, 1, &answer->iterations);
  return mb_contact_tell(&newton.strips, newton.lambda, newton.w, "nonsmooth_newton", "steps", answer);
}

const MbContactMethod mb_contact_nonsmooth_newton = {
    .name = "nonsmooth_newton",
    .exact = "rows of every kind and every cone",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = MB_CONTACT_ALL_CONES,
    .room = room_of,
    .reserve = mb_contact_reserve_dense,
    .solve = solve,
};
