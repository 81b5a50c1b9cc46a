// Dense systems of few rows, whose columns go by fours, against the plain elimination.
#include "core/contact/contact_dense.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };
static double J[(MOST + 3) * (MOST + 1)], plain[MOST * MOST];

// The same numbers in both; with `turned` the largest of every column is off the diagonal.
static void fill(uint64_t *seed, size_t m, bool turned) {
  const size_t stride = mb_dense_stride(m);
  for (size_t i = 0; i < sizeof J / sizeof *J; i++) J[i] = NAN; // what is not filled plays no part
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) {
      const bool large = turned ? (i + 1) % m == j : i == j;
      J[j * stride + i] = plain[j * m + i] = test_random(seed) - 0.5 + (large ? 20 : 0);
    }
}

Test(contact_dense, few_rows_by_fours_are_solved_as_others_are_with_and_without_exchanges) {
  uint64_t seed = 3;
  for (size_t m = 1; m <= MOST; m++)
    for (int turned = 0; turned < 2; turned++) {
      double x[MOST], y[MOST], right[MOST];
      int pivot[MOST], other[MOST];
      fill(&seed, m, turned);
      for (size_t i = 0; i < m; i++) right[i] = test_random(&seed) - 0.5;
      memcpy(x, right, sizeof x);
      memcpy(y, right, sizeof y);
      cr_assert(mb_dense_solve_columns(J, x, pivot, m) && mb_dense_solve(plain, y, other, m));
      test_near("first", x, y, m, 1e-13);
      memcpy(x, right, sizeof x);
      cr_assert(mb_dense_solve_again(J, x, pivot, m));
      test_near("again", x, y, m, 1e-13);
    }
}

Test(contact_dense, what_is_singular_is_told) {
  double x[5] = {1, 1, 1, 1, 1};
  int pivot[5];
  memset(J, 0, sizeof J);
  for (size_t i = 0; i < 4; i++) J[i * mb_dense_stride(5) + i] = 1;
  cr_assert(!mb_dense_solve_columns(J, x, pivot, 5));
}
