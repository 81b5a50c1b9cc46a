// A loop that two threads can share evenly: each half reads and multiplies numbers of its own, again and again, for about as long as
// a small frame takes. Nothing is written that another reads, and there is one wait, at the end.
#include "core/base/targets.h"
#include "core/base/threads.h"
#include "core/math/sums.h"
#include "tools/bench/bench.h"

enum { HALVES = 2, COUNT = 1 << 16, PASSES = 64 }; // half a megabyte each

static double numbers[HALVES][COUNT];
static volatile double sums[HALVES][8]; // a cache line each

MB_CLONES static void pass(void *context, size_t half) {
  (void)context;
  double sum = 0;
  for (int k = 0; k < PASSES; k++) sum += mb_sum_product(numbers[half], numbers[half] + k % 8, COUNT - 8);
  sums[half][0] = sum;
}

static void fill(void *context, size_t half) {
  (void)context;
  for (size_t i = 0; i < COUNT; i++) numbers[half][i] = 1.0 / (double)(i + 1);
}

double mb_bench_even_loop(int threads, double (*clock)(void)) {
  const uint32_t share[] = {0, 1, 2}, all[] = {0, 2};
  if (numbers[0][0] == 0) mb_parallel_tasks(1, HALVES, fill, NULL);
  const double began = clock();
  mb_parallel_shares(threads, threads == 2 ? share : all, pass, NULL);
  return clock() - began;
}
