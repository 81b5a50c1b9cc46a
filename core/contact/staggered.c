// Staggered projections (RM 2.11, Alg. 7): two convex problems in turns,
//   normals   λ_t as they are:            0 ≤ λ_n ⊥ w_n ≥ 0,  rows one way;
//   friction  λ_n and rows one way as they are:  λ_t in C(μ λ_n), now of a known size, and bounded rows;
// rows both ways are part of both. What is kept enters b of the other: b ← b + W λ_kept. Where λ no longer changes both hold at once,
// which is Coulomb's law, since a known C(μ λ_n) has no share in the work along the normal. Nothing makes plain turns come to an
// end: friction that loads what it is by makes them gain little, go round or away. From the first turn on that does not halve the natural map,
// friction is averages of turns (math/averages.h), and plain turns and averages take over from one another where either gains nothing for some turns. The
// natural map decides: turns that leave it no better for long are given up.
// Each of the two is solved by the non-smooth Newton method, to a tenth of what is asked of the whole.
#include "core/contact/staggered.h"
#include "core/contact/contact_dense.h"

#include <math.h>
#include <string.h>

typedef enum Side { NORMALS, FRICTION } Side;

void mb_staggered_make(MbStaggered *t, MbRoom *room, const MbStrips *whole, MbContactFunction function) {
  const size_t n = whole->n;
  t->whole = whole;
  t->lambda = mb_room_take(room, n, sizeof *t->lambda);
  t->w = mb_room_take(room, n, sizeof *t->w);
  t->best = mb_room_take(room, n, sizeof *t->best);
  t->b = mb_room_take(room, n, sizeof *t->b);
  t->was = mb_room_take(room, n, sizeof *t->was);
  t->change = mb_room_take(room, n, sizeof *t->change);
  t->past = mb_room_take(room, mb_averages_room(n), sizeof *t->past);
  t->half = *whole;
  t->half.block = mb_room_take(room, whole->nblocks, sizeof *t->half.block);
  t->half.b = t->b;
  t->half.enough = 0.1 * whole->enough;
  mb_newton_make(&t->newton, room, &t->half, function);
  t->newton.refines = true, t->newton.alpha = 1e-6;
}

// Whether a row of a block is found on that side.
static bool is_of(const MbBlock *block, size_t r, Side side) {
  switch ((MbContactRowKind)block->kind) {
  case MB_CONTACT_BOTH_WAYS:
    return true;
  case MB_CONTACT_NORMAL:
    return (side == NORMALS) == (r == 0);
  case MB_CONTACT_BOUNDED:
    return side == FRICTION;
  default:
    return side == NORMALS;
  }
}

// The section of its cone, once it is known.
static uint8_t known_section(const MbBlock *block) {
  if (block->cone == MB_CONE_EXACT) return MB_CONE_KNOWN_DISC;
  return block->cone == MB_CONE_PYRAMID ? MB_CONE_KNOWN_PYRAMID : MB_CONE_KNOWN_BOX;
}

// What one side is found for: λ that is the other's.
static void keep_others(const MbStaggered *t, Side side, double *kept) {
  for (size_t j = 0; j < t->whole->nblocks; j++) {
    const MbBlock *block = &t->whole->block[j];
    for (size_t r = 0; r < block->rows; r++)
      kept[block->row + r] = is_of(block, r, side) ? 0 : t->lambda[block->row + r];
  }
}

static void make_half(MbStaggered *t, Side side) {
  double *kept = t->newton.lambda;
  keep_others(t, side, kept);
  for (size_t j = 0; j < t->whole->nblocks; j++) {
    const MbBlock *block = &t->whole->block[j];
    MbBlock *own = &t->half.block[j];
    *own = *block;
    if (block->kind != MB_CONTACT_NORMAL)
      own->left_out |= !is_of(block, 0, side);
    else if (side == NORMALS)
      own->cone = MB_CONE_NONE;
    else {
      own->cone = known_section(block);
      own->most = block->cone == MB_CONE_NONE ? 0 : block->mu * fmax(t->lambda[block->row], 0);
    }
  }
  mb_strips_rates(t->whole, kept, t->b);
}

// λ of that side; the others stay.
static void solve_half(MbStaggered *t, Side side) {
  enum { STEPS = 100 };
  size_t done = 0;
  make_half(t, side);
  for (size_t j = 0; j < t->whole->nblocks; j++) {
    const MbBlock *block = &t->whole->block[j];
    for (size_t r = 0; r < block->rows; r++) {
      const size_t i = block->row + r;
      t->newton.lambda[i] = is_of(block, r, side) ? t->lambda[i] : 0;
    }
  }
  mb_newton_run(&t->newton, STEPS, 1, &done);
  for (size_t j = 0; j < t->whole->nblocks; j++) {
    const MbBlock *block = &t->whole->block[j];
    for (size_t r = 0; r < block->rows; r++)
      if (is_of(block, r, side)) t->lambda[block->row + r] = t->newton.lambda[block->row + r];
  }
}

// One turn, which is noted.
static void take_turn(MbStaggered *t) {
  keep_others(t, NORMALS, t->was);
  solve_half(t, NORMALS);
  solve_half(t, FRICTION);
  keep_others(t, NORMALS, t->change);
  for (size_t i = 0; i < t->whole->n; i++) t->change[i] -= t->was[i];
  mb_averages_note(&t->averages, t->was, t->change);
}

// Friction ← the average of the turns.
static void take_average(MbStaggered *t) {
  mb_averages_next(&t->averages, t->was, t->change);
  for (size_t j = 0; j < t->whole->nblocks; j++) {
    const MbBlock *block = &t->whole->block[j];
    for (size_t r = 0; r < block->rows; r++)
      if (!is_of(block, r, NORMALS)) t->lambda[block->row + r] = t->was[block->row + r];
  }
}

// The natural map of λ as it may be; it is kept where it is the best.
static double judge(MbStaggered *t, double *best) {
  const MbStrips *whole = t->whole;
  memcpy(t->newton.trial, t->lambda, whole->n * sizeof *t->lambda);
  for (size_t j = 0; j < whole->nblocks; j++)
    mb_block_clamp(&whole->block[j], t->newton.trial + whole->block[j].row);
  mb_strips_rates(whole, t->newton.trial, t->w);
  const double natural = mb_strips_natural(whole, t->newton.trial, t->w);
  if (natural < *best) {
    *best = natural;
    memcpy(t->best, t->newton.trial, whole->n * sizeof *t->best);
  }
  return natural;
}

// To the best that was met, from where turns are to go another way.
static void go_back(MbStaggered *t) {
  memcpy(t->lambda, t->best, t->whole->n * sizeof *t->lambda);
  mb_averages_forget(&t->averages);
}

bool mb_staggered_run(MbStaggered *t, size_t most, size_t *turns) {
  enum { PATIENCE = 60, PHASE = 12 };
  static const double BETTER = 0.9;
  const MbStrips *whole = t->whole;
  double best = INFINITY, mark = INFINITY, last = INFINITY;
  size_t turn = 0, since = 0;
  bool averages = false;
  mb_averages_begin(&t->averages, whole->n, t->past);
  for (;; turn++) {
    const double natural = judge(t, &best);
    since = natural < BETTER * mark ? 0 : since + 1;
    mark = since ? mark : natural;
    if (best <= whole->enough || turn >= most || since > PATIENCE) break;
    averages |= turn > 0 && natural > last / 2 && !since;
    if (since % PHASE == PHASE - 1)
      averages = !averages, go_back(t);
    else if (averages)
      take_average(t);
    last = natural;
    take_turn(t);
  }
  if (best < INFINITY) memcpy(t->lambda, t->best, whole->n * sizeof *t->lambda);
  t->round = since > PATIENCE;
  *turns = turn;
  return best <= whole->enough;
}

static void layout(MbStaggered *t, MbStrips *whole, MbRoom *room, const MbContactProblem *problem) {
  mb_strips_make(whole, room, problem, MB_FORMED_IF_SMALL);
  mb_staggered_make(t, room, whole, problem->function);
}

static size_t room_of(const MbContactProblem *problem) {
  MbRoom room = {0};
  MbStrips whole;
  MbStaggered t;
  layout(&t, &whole, &room, problem);
  return room.used;
}

static MbContactResult solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  enum { TURNS = 500 };
  MbRoom room = {.at = work->block};
  MbStrips whole;
  MbStaggered t;
  layout(&t, &whole, &room, problem);
  mb_strips_start(&whole, problem, t.lambda);
  mb_staggered_run(&t, problem->iterations ? problem->iterations : TURNS, &answer->iterations);
  mb_strips_rates(&whole, t.lambda, t.w);
  return mb_contact_tell(&whole, t.lambda, t.w, "staggered", t.round ? "turns, which go round," : "turns",
                         answer);
}

const MbContactMethod mb_contact_staggered = {
    .name = "staggered",
    .exact = "rows of every kind and every cone",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = MB_CONTACT_ALL_CONES,
    .room = room_of,
    .reserve = mb_contact_reserve_dense,
    .solve = solve,
};
