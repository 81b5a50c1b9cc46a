// What pushed in the last step and held mostly does so again. Then the rows that push have w = 0, the others λ = 0, and that is one system,
//
//   W_aa Δ = −w_a,   λ_a ← λ_a + Δ
//
// of a W_aa that is symmetric and mostly singular, as there are more contacts than ways to move. Along what moves nothing λ stays where it is: Δ is the
// limit of Δ ← (W_aa + α D)⁻¹ (−w_a + α D Δ), D each block's mean diagonal, by a factor that is definite. It is the step of Newton's method
// (newton_step.c) where all holds, which then needs no islands, no derivatives and no system that is not symmetric. What is solved is judged by
// the natural map, as by every method.
#include "core/contact/sticking.h"
#include "core/contact/contact_parts.h"
#include "core/contact/definite.h"

#include <math.h>
#include <string.h>

enum { FEW = 64 }; // rows

typedef struct Sticking {
  const MbContactProblem *problem;
  MbStrips strips; // blocks alone
  double *lambda, *w;
  size_t m, stride;           // of the system
  uint32_t *active;           // (m) its rows
  double *K;                  // (stride x stride)
  double *weight;             // (m) α D
  double *right, *x, *before; // (stride)
} Sticking;

static bool is_ours(const MbContactProblem *problem) {
  return problem->n <= FEW && problem->ncontacts && problem->W.dense && problem->start && !problem->sweeps;
}

static void lay(Sticking *t, MbRoom *room, const MbContactProblem *problem) {
  const size_t most = mb_definite_stride(problem->n);
  double **const all[] = {&t->lambda, &t->w, &t->weight, &t->right, &t->x, &t->before};
  t->problem = problem;
  mb_strips_blocks(&t->strips, room, problem);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = mb_room_take(room, most, sizeof(double));
  t->active = mb_room_take(room, most, sizeof *t->active);
  t->K = mb_room_take(room, most * most, sizeof *t->K);
}

// How much a unit of λ moves each block, as contact_strips.c has it.
static void find_scales(Sticking *t) {
  const MbContactProblem *problem = t->problem;
  for (size_t j = 0; j < t->strips.nblocks; j++) {
    MbBlock *block = &t->strips.block[j];
    double own[3], sum = 0;
    for (size_t r = 0, i = block->row; r < block->rows; r++, i++)
      sum += own[r] = problem->W.dense[i * problem->n + i] + (problem->soft ? problem->soft[i] : 0);
    block->scale = sum / block->rows;
    block->left_out = !(own[0] > (problem->least ? problem->least[block->row] : 0));
  }
}

static void find_rates(Sticking *t) {
  const MbContactProblem *problem = t->problem;
  mb_definite_product(problem->W.dense, problem->n, t->lambda, problem->b, t->w);
  for (size_t i = 0; problem->soft && i < problem->n; i++) t->w[i] += problem->soft[i] * t->lambda[i];
}

static void take(Sticking *t, const MbBlock *block, size_t r) {
  static const double LITTLE = 1e-6;
  t->weight[t->m] = LITTLE * block->scale;
  t->active[t->m++] = block->row + (uint32_t)r;
}

// λ of a row that is no part of the system. Whether that is another one.
static bool put(Sticking *t, size_t i, double lambda) {
  const bool other = t->lambda[i] != lambda;
  t->lambda[i] = lambda;
  return other;
}

static bool choose_row(Sticking *t, const MbBlock *block, bool *moved) {
  const size_t i = block->row;
  const double y = block->scale * t->lambda[i] - t->w[i];
  const bool bounded = block->kind == MB_CONTACT_BOUNDED;
  if (block->left_out)
    *moved |= put(t, i, 0);
  else if (block->kind == MB_CONTACT_ONE_WAY && !(y > 0))
    *moved |= put(t, i, 0);
  else if (bounded && !(fabs(y) < block->scale * block->most))
    *moved |= put(t, i, copysign(block->most, y));
  else
    take(t, block, 0);
  return true;
}

// Takes a contact's rows that hold. False: it slips.
static bool choose_contact(Sticking *t, const MbBlock *block, bool *moved) {
  const double *lambda = t->lambda + block->row, *w = t->w + block->row, r = block->scale,
               push = r * lambda[0] - w[0], most = block->mu * push;
  const bool pushes = push > 0 && !block->left_out;
  if (pushes)
    take(t, block, 0);
  else
    *moved |= put(t, block->row, 0);
  if (!pushes || !(block->mu > 0)) {
    for (size_t k = 1; k < 3; k++) *moved |= put(t, block->row + k, 0);
    return true;
  }
  if (!mb_block_holds(block, most, (const double[]){r * lambda[1] - w[1], r * lambda[2] - w[2]}))
    return false;
  take(t, block, 1);
  take(t, block, 2);
  return true;
}

// Parts the rows into those of the system and those whose λ is known. False: something slips.
static bool choose(Sticking *t) {
  bool moved = false;
  t->m = 0;
  for (size_t j = 0; j < t->strips.nblocks; j++) {
    const MbBlock *block = &t->strips.block[j];
    if (!(block->rows == 1 ? choose_row(t, block, &moved) : choose_contact(t, block, &moved))) return false;
  }
  if (moved) find_rates(t);
  t->stride = mb_definite_stride(t->m);
  return true;
}

// Column c of what W has of the system's rows; behind m the unit matrix has the rest.
static void fill(const Sticking *t, size_t c) {
  const size_t n = t->problem->n, m = t->m, stride = t->stride;
  double *const column = t->K + c * stride;
  if (c >= m) {
    memset(column, 0, stride * sizeof *column);
    column[c] = 1;
    return;
  }
  const double *const from = t->problem->W.dense + t->active[c] * n;
  for (size_t r = 0; r < m; r++) column[r] = from[t->active[r]];
  for (size_t r = m; r < stride; r++) column[r] = 0;
}

static bool factor(Sticking *t) {
  const size_t n = t->problem->n, stride = t->stride;
  const double *const soft = t->problem->soft;
  if (t->m == n && stride == n)
    memcpy(t->K, t->problem->W.dense, n * n * sizeof *t->K);
  else
    for (size_t c = 0; c < stride; c++) fill(t, c);
  for (size_t c = 0; c < t->m; c++) {
    double *const own = &t->K[(stride + 1) * c];
    *own += t->weight[c];
    if (soft) *own += soft[t->active[c]];
  }
  return mb_definite_factor(t->K, stride);
}

// x ← Δ, taken until it changes by little, or leaves little of w, which is α D times what it has changed by.
static void refine(Sticking *t, double enough) {
  enum { TURNS = 4 };
  static const double STAYS = 1e-8; // of the step, squared
  double change = INFINITY, size = 0, left = INFINITY;
  memset(t->before, 0, t->stride * sizeof *t->before);
  for (int turn = 0; turn <= TURNS && change > STAYS * size && left > enough * enough; turn++) {
    for (size_t i = 0; i < t->stride; i++)
      t->x[i] = t->right[i] + (i < t->m ? t->weight[i] * t->before[i] : 0);
    mb_definite_apply(t->K, t->stride, t->x);
    change = size = left = 0;
    for (size_t i = 0; i < t->m; i++) {
      const double d = t->x[i] - t->before[i], w = t->weight[i] * d;
      change += d * d, size += t->x[i] * t->x[i], left += w * w;
    }
    double *const last = t->before;
    t->before = t->x, t->x = last;
  }
}

// λ and w ← those behind a step that leaves less of w than `enough`. False: something slips, or there is no step.
static bool step(Sticking *t, double enough) {
  if (!choose(t) || !factor(t)) return false;
  for (size_t i = 0; i < t->stride; i++) t->right[i] = i < t->m ? -t->w[t->active[i]] : 0;
  refine(t, enough);
  for (size_t i = 0; i < t->m; i++) t->lambda[t->active[i]] += t->before[i];
  for (size_t j = 0; j < t->strips.nblocks; j++)
    mb_block_clamp(&t->strips.block[j], t->lambda + t->strips.block[j].row);
  find_rates(t);
  return true;
}

bool mb_sticking_solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  enum { STEPS = 2 };
  static const double LITTLE =
                          1e-3, // of what is enough: what is left adds up, and what sticks does not creep
      TENTH = 0.1, SLOW = 0.1;
  MbRoom room = {0};
  Sticking t;
  if (!is_ours(problem)) return false;
  lay(&t, &room, problem);
  if (!mb_contact_room(work, room.used)) return false;
  room = (MbRoom){.at = work->block};
  lay(&t, &room, problem);
  find_scales(&t);
  mb_strips_start(&t.strips, problem, t.lambda);
  find_rates(&t);
  if (!mb_strips_stick(&t.strips, t.lambda, t.w, SLOW)) return false;
  size_t steps = 0;
  double enough = (problem->betters ? MB_SETTLED : 1) * t.strips.enough, natural;
  while (!((natural = mb_strips_natural_up_to(&t.strips, t.lambda, t.w, enough)) <= enough)) {
    enough = LITTLE * t.strips.enough;
    if (steps++ == STEPS || !step(&t, TENTH * enough)) return false;
  }
  if (!mb_strips_stick(&t.strips, t.lambda, t.w, 0)) return false;
  *answer = (MbContactAnswer){.iterations = steps};
  mb_contact_tell_known(&t.strips, t.lambda, t.w, natural, "nonsmooth_newton", "steps", answer);
  return true;
}
