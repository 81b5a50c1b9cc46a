// Few wrenches that meet in a square of their own, and from there come into W (responses.c). Rows of the square are `stride` numbers.
#ifndef MB_SOLVERS_REDMAX_RESPONSES_SQUARE_H
#define MB_SOLVERS_REDMAX_RESPONSES_SQUARE_H

#include "core/base/targets.h"

#include <stddef.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32)));

static inline size_t stride_of(size_t n) { return (n + 3) / 4 * 4; }

typedef struct Range {
  size_t begin, end;
} Range;

// out ← yᵀ F of wrenches in two ranges, a row of `stride` numbers for each y; numbers of F and y are `most` apart. Two wrenches meet once, in the last body
// that both pass through. Of what is left of the diagonal no more is made than goes with what is on it.
MB_CLONES static void meet_square(const double *F, const double *y, size_t most, size_t stride, Range rows,
                                  Range columns, double *out) {
  for (size_t e = rows.begin; e < rows.end; e++) {
    double *const own = out + e * stride;
    size_t f = columns.begin + (e > columns.begin ? (e - columns.begin) / 4 * 4 : 0);
    for (; f + 4 <= columns.end; f += 4) {
      Four sum, x;
      memcpy(&x, F + f, sizeof x);
      sum = x * y[e];
      MB_UNROLL
      for (size_t k = 1; k < 6; k++) {
        memcpy(&x, F + k * most + f, sizeof x);
        sum += x * y[k * most + e];
      }
      memcpy(own + f, &sum, sizeof sum);
    }
    for (; f < columns.end; f++) {
      own[f] = F[f] * y[e];
      for (size_t k = 1; k < 6; k++) own[f] += F[k * most + f] * y[k * most + e];
    }
  }
}

// rows and columns of W ← n numbers of each of `many` wrenches, one after the other.
static inline void spread_ones(const double *own, size_t stride, size_t many, size_t n, double *row,
                               double *column, size_t k) {
  for (size_t e = 0; e < many; e++)
    for (size_t f = 0; f < n; f++) row[e * k + f] = column[f * k + e] = own[e * stride + f];
}

static inline void load_four(const double *own, size_t stride, Four x[4]) {
  MB_UNROLL
  for (size_t i = 0; i < 4; i++) memcpy(&x[i], own + i * stride, sizeof x[i]);
}

static inline void store_four(const Four x[4], double *row, size_t k) {
  MB_UNROLL
  for (size_t i = 0; i < 4; i++) memcpy(row + i * k, &x[i], sizeof x[i]);
}

// Rows become columns.
static inline void turn_four(const Four x[4], Four turned[4]) {
  const Four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
             b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
             c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
             d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  turned[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5),
  turned[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  turned[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7),
  turned[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// The same of four wrenches and as many columns as go by fours, which it returns.
static inline size_t spread_fours(const double *own, size_t stride, size_t n, double *row, double *column,
                                  size_t k) {
  size_t f = 0;
  for (; f + 4 <= n; f += 4) {
    Four x[4], turned[4];
    load_four(own + f, stride, x), turn_four(x, turned);
    store_four(x, row + f, k), store_four(turned, column + f * k, k);
  }
  return f;
}

// A block of W ← four wrenches with themselves, of which what is left of the diagonal is not there.
static inline void spread_diagonal(const double *own, size_t stride, double *block, size_t k) {
  Four x[4], turned[4];
  load_four(own, stride, x), turn_four(x, turned);
  x[1] = __builtin_shufflevector(turned[1], x[1], 0, 5, 6, 7);
  x[2] = __builtin_shufflevector(turned[2], x[2], 0, 1, 6, 7);
  x[3] = __builtin_shufflevector(turned[3], x[3], 0, 1, 2, 7);
  store_four(x, block, k);
}

// W ← what of the square is of wrenches in two runs, whose first ones are of rows i and j. They are the same run or have nothing in common.
MB_CLONES __attribute__((flatten)) static void spread_runs(const double *few, size_t stride, Range rows,
                                                           Range columns, size_t i, size_t j, size_t k,
                                                           double *W) {
  for (size_t e = rows.begin; e < rows.end; e += 4, i += 4) {
    const size_t many = rows.end - e < 4 ? rows.end - e : 4;
    const double *const own = few + e * stride + columns.begin;
    double *const row = W + i * k + j, *const column = W + j * k + i;
    const size_t n = columns.end - columns.begin;
    size_t f = 0;
    if (columns.begin == rows.begin) {
      f = e - rows.begin + many;
      if (many == 4)
        spread_diagonal(own + f - 4, stride, row + f - 4, k);
      else
        for (size_t x = 0, on = f - many; x < many; x++)
          spread_ones(own + x * stride + on + x, 0, 1, many - x, row + x * k + on + x,
                      column + (on + x) * k + x, k);
    }
    if (many == 4) f += spread_fours(own + f, stride, n - f, row + f, column + f * k, k);
    if (f < n) spread_ones(own + f, stride, many, n - f, row + f, column + f * k, k);
  }
}

#endif
