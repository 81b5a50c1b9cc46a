#include "core/base/blas.h"
#include "core/base/alloc.h"
#include "core/base/lapack.h"
#include "core/base/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- loading --------------------------------------------------------------------------------------------------------

// Where LAPACKE may be, in the order of trying; with OpenBLAS' own the file is all of it. CBLAS comes with it, or stands in a file
// of its own.
static const char *const lapacke_files[] = {"liblapacke.so.3", "liblapacke.so", "libopenblas.so.0",
                                            "libopenblas.so", NULL};
static const char *const cblas_files[] = {"libblas.so.3", "libcblas.so.3", "libcblas.so", NULL};

MbLapack mb_lapack;

// What OpenBLAS has beside them, others need not.
static struct {
  void (*set_threads)(int threads);
  int (*parallel)(void); // 0: built without threads
  char *(*kernels)(void);
  void *(*take)(int where);
  void (*give)(void *buffer);
} open_blas;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static char missing[400]; // why it is not

// ISO C has no conversion from an object's address to a function's; POSIX has it for what dlsym() gives.
static bool find(void *const library[2], const char *symbol, void *call) {
  void *address = library[0] ? dlsym(library[0], symbol) : NULL;
  if (!address && library[1]) address = dlsym(library[1], symbol);
  memcpy(call, &address, sizeof address);
  return address;
}

// The first of them that opens. `why` becomes what was wrong with the first.
static void *open_first(const char *const *files, char *why, size_t size) {
  *why = 0;
  for (; *files; files++) {
    void *library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    const char *error = dlerror();
    if (!*why) snprintf(why, size, "%s", error ? error : *files);
  }
  return NULL;
}

// OpenBLAS starts threads the moment it is loaded, and ends the program where the system refuses them; it reads how many from the
// environment, which is as it was afterwards.
static void *open_quietly(const char *const *files, char *why, size_t size) {
  static const char name[] = "OPENBLAS_NUM_THREADS";
  const char *value = getenv(name);
  char *before = value ? mb_strdup(value) : NULL;
  if (value && !before) {
    snprintf(why, size, "out of memory");
    return NULL;
  }
  setenv(name, "1", 1);
  void *library = open_first(files, why, size);
  if (before)
    setenv(name, before, 1);
  else
    unsetenv(name);
  mb_free(before);
  return library;
}

static bool miss(const char *why) {
  snprintf(missing, sizeof missing,
           "LAPACKE cannot be loaded: %.250s; install it (Debian: liblapacke and libopenblas0)", why);
  return false;
}

static bool load(void) {
  char why[300], ignored[300];
  void *library[2] = {open_quietly(lapacke_files, why, sizeof why), NULL};
  if (!library[0]) return miss(why);
  if (!dlsym(library[0], "cblas_dgemm")) library[1] = open_quietly(cblas_files, ignored, sizeof ignored);
#define CALL(name, symbol)                                                                                   \
  if (!find(library, #symbol, &mb_lapack.name)) return miss("it has no " #symbol);
  MB_LAPACK_CALLS(CALL)
#undef CALL
  find(library, "openblas_set_num_threads", &open_blas.set_threads);
  find(library, "openblas_get_parallel", &open_blas.parallel);
  find(library, "openblas_get_corename", &open_blas.kernels);
  find(library, "blas_memory_alloc", &open_blas.take);
  find(library, "blas_memory_free", &open_blas.give);
  if (open_blas.set_threads) open_blas.set_threads(1);
  *missing = 0;
  return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static const size_t BUFFER = (size_t)129 << 20; // bytes that OpenBLAS asks for at most, for one caller

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
  for (int k = 0; k < n; k++) buffer[k] = open_blas.take(0);
  for (int k = 0; k < n; k++) open_blas.give(buffer[k]);
}

// OpenBLAS takes a buffer while it is loaded, too: with a second one's room there is enough for its code.
static bool ready(void) {
  if (!loaded) loaded = there_is(2) && load();
  return loaded;
}

bool mb_blas_start(int threads) {
  const int most = mb_threads_start(threads);
  pthread_mutex_lock(&mutex);
  bool fine = ready();
  if (fine && open_blas.take && open_blas.give && most > held) {
    fine = there_is(most - held);
    if (fine) {
      take(most);
      held = most;
    }
  }
  pthread_mutex_unlock(&mutex);
  return fine;
}

// ---- what it is -----------------------------------------------------------------------------------------------------

const char *mb_blas_missing(void) {
  pthread_mutex_lock(&mutex);
  const char *why = *missing ? missing : NULL;
  pthread_mutex_unlock(&mutex);
  return why;
}

int mb_blas_callers(int threads) { return open_blas.parallel && open_blas.parallel() == 0 ? 1 : threads; }

const char *mb_blas_kernels(void) {
  pthread_mutex_lock(&mutex);
  const bool there = ready();
  pthread_mutex_unlock(&mutex);
  return there && open_blas.kernels ? open_blas.kernels() : NULL;
}
