#include "core/base/threads.h"

#include <omp.h>

void mb_parallel_ranges(int threads, size_t n, size_t grain, MbRangeFn fn, void *context) {
  const size_t most = grain ? n / grain : n;
  const size_t parts = threads < 1 ? 1 : most < (size_t)threads ? most : (size_t)threads;
  if (parts <= 1) {
    fn(context, 0, n);
    return;
  }
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
  for (size_t k = 0; k < parts; k++) fn(context, n * k / parts, n * (k + 1) / parts);
}
