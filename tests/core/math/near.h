// Comparing arrays of numbers in tests, and random ones that are the same everywhere.
#ifndef MB_TESTS_NEAR_H
#define MB_TESTS_NEAR_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

// Every |a_i - b_i| <= tolerance, or the test fails with the worst index and both values.
static inline void check_near(const char *what, const double *a, const double *b, size_t n,
                              double tolerance) {
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]);
    if (!(d <= most)) most = d, worst = i;
    if (isnan(d)) break;
  }
  cr_assert(n == 0 || most <= tolerance, "%s: worst at %zu: %.17g, wanted %.17g, off by %.3g > %.3g", what,
            worst, a[worst], b[worst], most, tolerance);
}

// Uniform in [-1, 1).
static inline double random_number(uint64_t *state) {
  *state += 0x9E3779B97F4A7C15u;
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1;
}

static inline void random_numbers(uint64_t *state, double *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = random_number(state);
}

#endif
