// Sums in eight parts that go on side by side, so that they can be vectors: the same bits on every machine.
#ifndef MB_MATH_SUMS_H
#define MB_MATH_SUMS_H

#include <stddef.h>

// Returns the sum of n numbers.
static inline double mb_sum_of(const double *x, size_t n) {
  double lane[8] = {0}, sum = 0;
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; k++) lane[k] += x[i + k];
  for (size_t i = n / 8 * 8; i < n; i++) sum += x[i];
  for (size_t k = 0; k < 8; k++) sum += lane[k];
  return sum;
}

// Returns the sum of n products.
static inline double mb_sum_product(const double *a, const double *b, size_t n) {
  double lane[8] = {0}, sum = 0;
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; k++) lane[k] += a[i + k] * b[i + k];
  for (size_t i = n / 8 * 8; i < n; i++) sum += a[i] * b[i];
  for (size_t k = 0; k < 8; k++) sum += lane[k];
  return sum;
}

// The same of a's and of b's products with x, side by side.
static inline void mb_sum_products(const double *a, const double *b, const double *x, size_t n,
                                   double sum[2]) {
  double lane_a[8] = {0}, lane_b[8] = {0}, sum_a = 0, sum_b = 0;
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; k++) lane_a[k] += a[i + k] * x[i + k], lane_b[k] += b[i + k] * x[i + k];
  for (size_t i = n / 8 * 8; i < n; i++) sum_a += a[i] * x[i], sum_b += b[i] * x[i];
  for (size_t k = 0; k < 8; k++) sum_a += lane_a[k], sum_b += lane_b[k];
  sum[0] = sum_a, sum[1] = sum_b;
}

#endif
