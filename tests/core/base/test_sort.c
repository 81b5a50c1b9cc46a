#include "core/base/sort.h"
#include "tests/support.h"

#include <string.h>

static bool larger(const void *context, uint32_t i, uint32_t j) {
  const double *x = context;
  return x[i] != x[j] ? x[i] > x[j] : i > j;
}

Test(sort, numbers_are_in_order_and_each_is_there_once) {
  enum { N = 500 };
  uint64_t seed = 1;
  for (uint32_t n = 0; n < N; n += n < 10 ? 1 : 97) {
    double x[N] = {0};
    uint32_t number[N] = {0};
    bool there[N] = {false};
    for (uint32_t i = 0; i < n; i++) x[i] = n % 2 ? (double)(i / 3) : (double)(int)(20 * test_random(&seed));
    mb_sort_numbers(number, n, larger, x);
    for (uint32_t i = 0; i < n; i++) {
      cr_assert_lt(number[i], n);
      cr_assert_not(there[number[i]]);
      there[number[i]] = true;
      cr_assert(i == 0 || larger(x, number[i], number[i - 1]), "%u of %u", i, n);
    }
  }
}
