#include "core/base/blas.h"
#include "core/base/threads.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

// OpenBLAS has these, others need not.
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak)); // 0: built without threads
extern char *openblas_get_corename(void) __attribute__((weak));
extern void *blas_memory_alloc(int where) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static const size_t BUFFER = (size_t)129 << 20; // bytes that OpenBLAS asks for at most, for one caller

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int held; // buffers that it has

// Whether the system would give `n` buffers.
static bool there_is(int n) {
  void *map[MB_MOST_THREADS];
  int got = 0;
  while (got < n) {
    map[got] = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map[got] == MAP_FAILED) break;
    got++;
  }
  for (int k = 0; k < got; k++) munmap(map[k], BUFFER);
  return got == n;
}

// It keeps what was given back to it.
static void take(int n) {
  void *buffer[MB_MOST_THREADS];
  for (int k = 0; k < n; k++) buffer[k] = blas_memory_alloc(0);
  for (int k = 0; k < n; k++) blas_memory_free(buffer[k]);
}

bool mb_blas_start(int threads) {
  const int most = mb_threads_start(threads);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  if (!blas_memory_alloc || !blas_memory_free) return true;
  pthread_mutex_lock(&mutex);
  const bool fine = most <= held || there_is(most - held);
  if (fine && most > held) {
    take(most);
    held = most;
  }
  pthread_mutex_unlock(&mutex);
  return fine;
}

int mb_blas_callers(int threads) {
  return openblas_get_parallel && openblas_get_parallel() == 0 ? 1 : threads;
}

const char *mb_blas_kernels(void) { return openblas_get_corename ? openblas_get_corename() : NULL; }
