// Four corners of a rigid box bear three balances: how they share its weight is left open by the law. Where all of them stick, or all slip one
// way, nothing depends on it. Where they slip different ways it does: friction follows the loads, so that a plank on two rollers is turned
// by two corners across that bear more than the others, and fingers that hold a box let it turn where two corners bear it all. The
// sweeps' own answer depends on the order in which they go.
//
// What is taken instead is what comes of contacts that give way, all alike, where that goes to nothing: of
//
//   w = (W + ε S) λ + b,     S: what a unit of λ moves each contact, along its normal alone,
//
// the solution has no part along loads that move nothing, as nothing but ε S answers to those. Newton's method finds it for a small ε far beyond
// what is enough, since what is left over ε is how far loads are off; and from there, without ε, a step or two bring w to zero and leave
// loads that move nothing where they are.
#include "core/contact/sharing.h"
#include "core/contact/contact_dense.h"
#include "core/contact/nonsmooth_newton.h"

#include <string.h>

static const double LEAST = 1e-3; // ε in the end

// Whether a block's first row holds for certain: a contact's that pushes, or could, or one both ways.
static bool holds(const MbStrips *s, const MbBlock *block, const double *lambda, const double *w) {
  static const double HARDLY = 1e-6; // opens, by what there is to be stopped
  if (block->kind == MB_CONTACT_BOTH_WAYS) return !block->left_out;
  return block->rows == 3 && (lambda[block->row] > 0 || w[block->row] <= HARDLY * s->size);
}

// Takes what impulses along the rows that hold do to one another, A (m x m), and the rows' places in it, from 1. Returns m.
static size_t take_held(const MbStrips *s, const double *lambda, const double *w, uint32_t *place,
                        double *A) {
  size_t m = 0;
  for (size_t i = 0; i < s->n; i++) place[i] = 0;
  for (size_t j = 0; j < s->nblocks; j++)
    if (holds(s, &s->block[j], lambda, w)) place[s->block[j].row] = (uint32_t)++m;
  memset(A, 0, m * m * sizeof *A);
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t row = place[s->block[j].row], rows = s->block[j].rows;
    const double *value = s->value + s->at[j];
    for (size_t k = s->first[j]; k < s->first[j + 1] && row; k++, value += rows)
      if (place[s->column[k]]) A[m * (row - 1) + place[s->column[k]] - 1] = value[0];
  }
  return m;
}

// Whether normal forces of what pushes could be others without anything moving another way.
static bool is_open(const MbNewton *newton, const double *lambda) {
  static const double NEARLY = 1e-6;
  double *A = newton->J;
  const size_t m = take_held(&newton->strips, lambda, newton->w, newton->place, A);
  for (size_t i = 0; i < m; i++) A[(m + 1) * i] *= 1 - NEARLY;
  return m > 1 && !mb_dense_factor(A, m);
}

// Makes w zero where contacts no longer give way; loads that move nothing stay.
static bool stiffen(MbNewton *newton, size_t *done) {
  enum { STEPS = 4 };
  static const double LITTLE = 1e-4; // of what is enough
  size_t steps = 0;
  newton->yields = 0, newton->refines = true, newton->alpha = LEAST;
  const bool fine = mb_newton_run(newton, STEPS, LITTLE, &steps);
  *done += steps;
  return fine;
}

static bool yield(MbNewton *newton, double yields, size_t most, size_t *done) {
  static const double CLOSE = 1e-5; // of what is enough
  size_t steps = 0;
  newton->yields = yields;
  const bool fine = mb_newton_run(newton, most, CLOSE, &steps);
  *done += steps;
  return fine;
}

// From loads that are shared already, which then are hardly others.
static bool follow(MbNewton *newton, const double *lambda, size_t *done) {
  enum { STEPS = 4 };
  static const double FAR = 0.1;
  const MbStrips *s = &newton->strips;
  double moved = 0, size = 0;
  if (mb_strips_natural(s, lambda, newton->w) <= (s->betters ? MB_SETTLED : 1) * s->enough) return true;
  if (!yield(newton, LEAST, STEPS, done) || !stiffen(newton, done)) return false;
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t i = s->block[j].row;
    if (s->block[j].rows != 3) continue;
    moved += (newton->lambda[i] - lambda[i]) * (newton->lambda[i] - lambda[i]);
    size += lambda[i] * lambda[i];
  }
  return moved <= FAR * FAR * size;
}

// From any loads: contacts that give way much come first, of which there are hardly two solutions.
static bool begin(MbNewton *newton, size_t *done) {
  enum { STEPS = 20 };
  const double yields[] = {1, 0.03, LEAST};
  for (size_t i = 0; i < sizeof yields / sizeof *yields; i++)
    if (!yield(newton, yields[i], STEPS, done)) return false;
  return stiffen(newton, done);
}

bool mb_sharing_run(const MbStrips *island, MbRoom room, MbContactFunction function, bool follows,
                    double *lambda, size_t *done) {
  const size_t bytes = island->n * sizeof *lambda;
  MbNewton newton;
  *done = 0;
  if (island->n > MB_SHARED || island->unformed) return false;
  mb_newton_make(&newton, &room, island, function);
  mb_strips_rates(island, lambda, newton.w);
  if (mb_strips_stick(island, lambda, newton.w, 0) || !is_open(&newton, lambda)) return false;
  memcpy(newton.lambda, lambda, bytes);
  const bool fine = follows ? follow(&newton, lambda, done) : begin(&newton, done);
  if (fine) memcpy(lambda, newton.lambda, bytes);
  return fine;
}
