// Sweeps over a pile's contacts by themselves: a block on the ground, pushed at its corners.
#include "core/contact/pile.h"
#include "tests/support.h"

#include <string.h>

enum { CORNERS = 4 };

// What a pile is given, and what it comes to.
typedef struct Block {
  double number[CORNERS][MB_PILE_GIVEN], v[3], w[3];
  MbPileTold told[CORNERS];
  double natural;
} Block;

// Impulses that are somewhere inside the cone.
static void draw(Block *block, uint64_t *seed) {
  for (int i = 0; i < CORNERS; i++) {
    double *at = block->number[i];
    memset(at, 0, sizeof block->number[i]);
    at[MB_PILE_POINT] = i & 1 ? 0.05 : -0.05, at[MB_PILE_POINT + 1] = i & 2 ? 0.03 : -0.03;
    at[MB_PILE_POINT + 2] = -0.25;
    at[MB_PILE_SIZE] = 0.25, at[MB_PILE_MU] = 0.5, at[MB_PILE_NORMAL + 2] = 1;
    at[MB_PILE_LAMBDA] = test_random(seed);
    for (int k = 1; k < 3; k++) at[MB_PILE_LAMBDA + k] = 0.3 * (test_random(seed) - 0.5) * at[MB_PILE_LAMBDA];
  }
  for (int k = 0; k < 3; k++) block->v[k] = test_random(seed) - 0.5, block->w[k] = test_random(seed) - 0.5;
  block->v[2] -= 2;
}

static void solve(Block *block, size_t sweeps) {
  static const uint32_t body[CORNERS][2] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}}, patch[CORNERS] = {0};
  const MbPileContacts contacts = {
      .n = CORNERS, .stride = MB_PILE_GIVEN, .number = block->number[0], .body = body, .patch = patch};
  const MbPileAsking asking = {.h = 0.01, .slowest = 0.1};
  MbPile pile = {0};
  bool is;
  cr_assert(mb_pile_make(&pile, &contacts, 1, &is) && is);
  pile.body[0] = (MbPileBody){.inverse = 1};
  memcpy(pile.body[0].v, block->v, sizeof block->v), memcpy(pile.body[0].w, block->w, sizeof block->w);
  pile.inertia[0] = (MbPileInertia){.J = {20, 0, 0, 9, 0, 8}};
  pile.start[0] = (MbPileStart){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  mb_pile_take(&pile, &asking, 1);
  cr_expect_leq(mb_pile_solve(&pile, 0, sweeps), sweeps);
  memcpy(block->told, pile.told, sizeof block->told);
  block->natural = pile.natural;
  mb_pile_free(&pile);
}

// The block's velocities with what is told: the normal is the world's z, the tangents are its x and y.
static void pushed(const Block *block, double v[3], double w[3]) {
  static const double J[3] = {20, 9, 8};
  memcpy(v, block->v, sizeof block->v), memcpy(w, block->w, sizeof block->w);
  for (int i = 0; i < CORNERS; i++) {
    const double *r = block->number[i] + MB_PILE_POINT, *l = block->told[i].lambda, p[3] = {l[1], l[2], l[0]};
    for (int k = 0; k < 3; k++) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;
      v[k] += p[k], w[k] += J[k] * (r[next] * p[last] - r[last] * p[next]);
    }
  }
}

// The velocity of a corner along the axes.
static void rate_at(const Block *block, int corner, double rate[3]) {
  const double *r = block->number[corner] + MB_PILE_POINT;
  double v[3], w[3];
  pushed(block, v, w);
  rate[0] = v[2] + w[0] * r[1] - w[1] * r[0];
  rate[1] = v[0] + w[1] * r[2] - w[2] * r[1];
  rate[2] = v[1] + w[2] * r[0] - w[0] * r[2];
}

// All are as the law wants it but for the last, which goes away from the ground: to press it down less moves the others, which are farther out, by
// more.
static void balance(Block *block, uint64_t *seed) {
  static const double point[CORNERS][2] = {{1, 0.3}, {1, -0.3}, {1, 0.1}, {0.1, 0}};
  const double rate = 0.1 * test_random(seed);
  double v[3], w[3];
  for (int i = 0; i < CORNERS; i++) {
    memcpy(block->number[i] + MB_PILE_POINT, point[i], sizeof point[i]);
    block->number[i][MB_PILE_POINT + 2] = 0;
    memcpy(block->told[i].lambda, block->number[i] + MB_PILE_LAMBDA, sizeof block->told[i].lambda);
  }
  pushed(block, v, w);
  for (int k = 0; k < 3; k++) block->v[k] -= v[k], block->w[k] -= w[k];
  block->v[2] += rate, block->w[1] += rate;
}

// Whatever a sweep comes to, what is told are the best impulses that were looked at, and the rates that go with these. Some begin nearer to
// a solution than a sweep leaves them.
Test(pile, what_sweeps_make_worse_is_left_as_it_was) {
  uint64_t seed = 7;
  int worse = 0, better = 0;
  for (int k = 0; k < 400; k++) {
    Block from, to;
    draw(&from, &seed);
    if (k % 2) balance(&from, &seed);
    to = from;
    solve(&from, 0), solve(&to, k % 2 ? 1 : 5);
    cr_expect_leq(to.natural, from.natural);
    const bool stays = to.natural == from.natural;
    stays ? worse++ : better++;
    for (int i = 0; i < CORNERS; i++) {
      double rate[3];
      for (int r = 0; r < 3; r++) {
        cr_expect_float_eq(from.told[i].lambda[r], from.number[i][r], 1e-14);
        if (stays) cr_expect_eq(to.told[i].lambda[r], from.told[i].lambda[r]);
      }
      rate_at(&to, i, rate);
      for (int r = 0; r < 3; r++) cr_expect_float_eq(to.told[i].after[r], rate[r], 1e-12);
      rate_at(&from, i, rate);
      for (int r = 0; r < 3; r++) cr_expect_float_eq(from.told[i].after[r], rate[r], 1e-12);
    }
  }
  cr_expect_gt(worse, 5, "%d of them became worse", worse);
  cr_expect_gt(better, 100, "%d of them became better", better);
}
