// Work on ranges of independent items, by several threads. What a range computes must not depend on how the
// items are divided, so that any number of threads gives the same bits.
#ifndef MB_BASE_THREADS_H
#define MB_BASE_THREADS_H

#include <stddef.h>

typedef void (*MbRangeFn)(void *context, size_t begin, size_t end);

// Calls fn on contiguous ranges that cover [0, n); on the calling thread alone when `threads` is 1 or when
// the ranges would have fewer than `grain` items.
void mb_parallel_ranges(int threads, size_t n, size_t grain, MbRangeFn fn, void *context);

#endif
