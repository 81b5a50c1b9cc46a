// Work shared by several threads. What a range or a task computes must not depend on which thread does it, nor on how the
// items are divided, so that any number of threads gives the same bits.
//
// The threads are started when they are first needed and stay. A thread without work looks for some for a moment, then sleeps.
// The caller never waits for a thread that has not begun: it does what is left itself. One caller at a time has the threads;
// others, and a task that calls from inside, do their work alone. A process made by fork() starts its own.
#ifndef MB_BASE_THREADS_H
#define MB_BASE_THREADS_H

#include <stddef.h>
#include <stdint.h>

enum { MB_MOST_THREADS = 1024 };

typedef void (*MbRangeFn)(void *context, size_t begin, size_t end);
typedef void (*MbTaskFn)(void *context, size_t task);

// Starts the threads that the calls below will use beside the caller's, which would start them by themselves. Returns how many
// there will be, the caller's included: fewer than asked for where the system refuses more.
int mb_threads_start(int threads);

// Calls fn on contiguous ranges that cover [0, n); on the calling thread alone when `threads` is 1 or when
// the ranges would have fewer than `grain` items.
void mb_parallel_ranges(int threads, size_t n, size_t grain, MbRangeFn fn, void *context);

// x (n) becomes 0.
void mb_parallel_clear(int threads, double *x, size_t n);

// Calls fn once for every task below n (n < 2³²).
void mb_parallel_tasks(int threads, size_t n, MbTaskFn fn, void *context);

// The same, and thread k begins with the tasks from first[k] to first[k + 1] (threads + 1 numbers): call after call it finds in its
// caches what they read. A thread that has done its own takes from the others'.
void mb_parallel_shares(int threads, const uint32_t *first, MbTaskFn fn, void *context);

#endif
