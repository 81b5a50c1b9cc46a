// The threads themselves: when they start, how they look for work and sleep, how ranges are divided (threads.h).
#include "core/base/threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <string.h>
#include <unistd.h>

// Every thread has a seat with the tasks that it begins with. Whoever has none left takes the last of another seat.
typedef struct Seat {
  _Alignas(64) _Atomic uint64_t left; // first task not yet taken, and behind the last one, in its two halves
} Seat;

static struct {
  _Alignas(64) atomic_bool taken; // by a caller
  int members;                    // threads there are, the caller's included; 0 = not started
  bool refused;                   // by the system: it is not asked for more
  MbTaskFn fn;                    // of the job; constant while one of its tasks is not done
  void *context;
  atomic_int team;                      // seats of the job
  _Alignas(64) _Atomic uint32_t job;    // its number; those without work wait for the next
  _Alignas(64) atomic_int sleepers;     // of those
  _Alignas(64) _Atomic uint32_t undone; // tasks; the caller waits for 0
  atomic_bool waiting;                  // the caller sleeps
  Seat seat[MB_MOST_THREADS];
} pool;

// ---- waiting --------------------------------------------------------------------------------------------------

// What a thread does alone between the tasks of a frame is shorter.
static const int64_t PATIENCE = 60000; // ns that a thread looks for work before it sleeps

static void pause_a_little(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Looks at `word` until it is another than `old`; false when that takes too long.
static bool changes_soon(_Atomic uint32_t *word, uint32_t old) {
  const int64_t end = now() + PATIENCE;
  do
    for (int i = 0; i < 32; i++) {
      if (atomic_load_explicit(word, memory_order_acquire) != old) return true;
      pause_a_little();
    }
  while (now() < end);
  return false;
}

// Sleeps unless `word` is another than `old`; may wake without reason.
static void sleep_on(_Atomic uint32_t *word, uint32_t old) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int most) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

// ---- taking tasks ---------------------------------------------------------------------------------------------

static uint64_t pack(uint32_t begin, uint32_t end) { return (uint64_t)end << 32 | begin; }

// The first task left at one's own seat, the last one at another's.
static bool take(Seat *seat, bool own, uint32_t *task) {
  uint64_t left = atomic_load_explicit(&seat->left, memory_order_acquire);
  for (;;) {
    const uint32_t begin = (uint32_t)left, end = (uint32_t)(left >> 32);
    if (begin == end) return false;
    const uint64_t rest = own ? pack(begin + 1, end) : pack(begin, end - 1);
    *task = own ? begin : end - 1;
    if (atomic_compare_exchange_weak_explicit(&seat->left, &left, rest, memory_order_acq_rel,
                                              memory_order_acquire))
      return true;
  }
}

// Does tasks until none is left to take: how many. Whatever job a task is taken of, that job is not done before the task is, so
// that fn and context are its own.
static uint32_t work(int me) {
  const int team = atomic_load_explicit(&pool.team, memory_order_relaxed);
  uint32_t done = 0, task;
  for (int k = 0; k < team; k++) {
    const int seat = (me + k) % team;
    for (; take(&pool.seat[seat], k == 0, &task); done++) pool.fn(pool.context, task);
  }
  return done;
}

// ---- threads --------------------------------------------------------------------------------------------------

static void *live(void *argument) {
  const int me = (int)(intptr_t)argument;
  uint32_t seen = 0;
  for (;;) {
    while (atomic_load(&pool.job) == seen) {
      if (changes_soon(&pool.job, seen)) break;
      atomic_fetch_add(
          &pool.sleepers,
          1); // before it looks again: who starts a job first changes its number, then asks who sleeps
      sleep_on(&pool.job, seen);
      atomic_fetch_sub(&pool.sleepers, 1);
    }
    seen = atomic_load(&pool.job);
    if (me >= atomic_load_explicit(&pool.team, memory_order_relaxed)) continue;
    const uint32_t done = work(me);
    if (done && atomic_fetch_sub(&pool.undone, done) == done && atomic_load(&pool.waiting))
      wake(&pool.undone, 1);
  }
  return NULL;
}

// In a process just made by fork() there is one thread, and no job.
static void begin_anew(void) {
  pool.members = 0, pool.refused = false;
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.waiting, false);
  for (int k = 0; k < MB_MOST_THREADS; k++) atomic_store(&pool.seat[k].left, 0);
  atomic_store(&pool.taken, false);
}

// Signals are left to the threads that the program made.
static bool start_one(int number) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool fine = !pthread_create(&thread, NULL, live, (void *)(intptr_t)number);
  if (fine) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return fine;
}

// The caller has the pool.
static int grow(int threads) {
  static bool forks;
  if (threads > MB_MOST_THREADS) threads = MB_MOST_THREADS;
  if (!forks) forks = !pthread_atfork(NULL, NULL, begin_anew);
  if (!pool.members) pool.members = 1;
  while (forks && pool.members < threads && !pool.refused) {
    pool.refused = !start_one(pool.members);
    pool.members += !pool.refused;
  }
  return threads < pool.members ? threads : pool.members;
}

static bool have(void) { return !atomic_exchange_explicit(&pool.taken, true, memory_order_acquire); }
static void give(void) { atomic_store_explicit(&pool.taken, false, memory_order_release); }

int mb_threads_start(int threads) {
  if (threads < 2 || !have()) return threads < 1 ? 1 : threads; // another caller will see to it
  const int members = grow(threads);
  give();
  return members;
}

// ---- jobs -----------------------------------------------------------------------------------------------------

// Puts the tasks on the team's seats, does what nobody else takes, and waits for those that were taken. The caller has the pool.
static void do_job(int team, size_t n, const uint32_t *first, MbTaskFn fn, void *context) {
  pool.fn = fn, pool.context = context;
  atomic_store_explicit(&pool.team, team, memory_order_relaxed);
  atomic_store_explicit(&pool.undone, (uint32_t)n, memory_order_relaxed);
  for (size_t k = 0; k < (size_t)team; k++) {
    const size_t begin = first ? first[k] : n * k / (size_t)team,
                 end = first ? first[k + 1] : n * (k + 1) / (size_t)team;
    atomic_store_explicit(&pool.seat[k].left, pack((uint32_t)begin, (uint32_t)end), memory_order_release);
  }
  atomic_fetch_add(&pool.job, 1);
  if (atomic_load(&pool.sleepers)) wake(&pool.job, INT_MAX);

  const uint32_t done = work(0);
  uint32_t undone = atomic_fetch_sub(&pool.undone, done) - done;
  for (; undone; undone = atomic_load(&pool.undone)) {
    if (changes_soon(&pool.undone, undone)) continue;
    atomic_store(&pool.waiting, true);
    sleep_on(&pool.undone, undone);
    atomic_store(&pool.waiting, false);
  }
}

static void share(int threads, size_t n, const uint32_t *first, MbTaskFn fn, void *context) {
  if (threads > MB_MOST_THREADS) threads = MB_MOST_THREADS, first = NULL;
  if (threads > 1 && n > 1 && have()) {
    if (grow(threads) > 1) {
      do_job(threads, n, first, fn, context);
      give();
      return;
    }
    give();
  }
  for (size_t k = 0; k < n; k++) fn(context, k);
}

void mb_parallel_shares(int threads, const uint32_t *first, MbTaskFn fn, void *context) {
  share(threads, first[threads], first, fn, context);
}

void mb_parallel_tasks(int threads, size_t n, MbTaskFn fn, void *context) {
  share(threads, n, NULL, fn, context);
}

typedef struct Ranges {
  MbRangeFn fn;
  void *context;
  size_t n, parts;
} Ranges;

static void do_range(void *context, size_t part) {
  const Ranges *r = context;
  r->fn(r->context, r->n * part / r->parts, r->n * (part + 1) / r->parts);
}

enum { PARTS = 4 }; // of a thread: what it has not begun another can take

void mb_parallel_ranges(int threads, size_t n, size_t grain, MbRangeFn fn, void *context) {
  const size_t most = grain ? n / grain : n, wanted = threads < 1 ? 1 : PARTS * (size_t)threads;
  const size_t parts = most < wanted ? most : wanted;
  if (threads < 2 || parts < 2) {
    fn(context, 0, n);
    return;
  }
  Ranges r = {fn, context, n, parts};
  mb_parallel_tasks(parts < (size_t)threads ? (int)parts : threads, parts, do_range, &r);
}

static void clear_range(void *context, size_t begin, size_t end) {
  double *x = context;
  memset(x + begin, 0, (end - begin) * sizeof *x);
}

void mb_parallel_clear(int threads, double *x, size_t n) {
  enum { GRAIN = 3072 };
  mb_parallel_ranges(threads, n, GRAIN, clear_range, x);
}
