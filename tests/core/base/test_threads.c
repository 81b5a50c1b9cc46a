#include "core/base/threads.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 70000 };
static atomic_uchar done[MOST];

static void count(void *context, size_t task) {
  (void)context;
  done[task]++;
}

static void count_range(void *context, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) count(context, i);
}

// Each of the first n was done `times`, and nothing else.
static bool each(size_t n, int times) {
  bool fine = true;
  for (size_t i = 0; i < MOST; i++) {
    fine = fine && done[i] == (i < n ? times : 0);
    done[i] = 0;
  }
  return fine;
}

static const int teams[] = {1, 2, 3, 8, 2, 1};

Test(threads, every_task_is_done_once_by_any_number_of_threads) {
  static const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, MOST};
  for (size_t t = 0; t < sizeof teams / sizeof *teams; t++)
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      const size_t n = counts[k];
      mb_parallel_tasks(teams[t], n, count, NULL);
      cr_assert(each(n, 1), "%zu tasks, %d threads", n, teams[t]);
      mb_parallel_ranges(teams[t], n, 3, count_range, NULL);
      cr_assert(each(n, 1), "ranges of %zu, %d threads", n, teams[t]);
    }
}

Test(threads, shares_of_any_size_are_done_once) {
  static const uint32_t first[] = {0, 0, 500, 501, 501, 900};
  for (int k = 0; k < 100; k++) {
    mb_parallel_shares(5, first, count, NULL);
    cr_assert(each(900, 1));
  }
}

Test(threads, thousands_of_jobs_one_after_another_lose_no_task) {
  enum { JOBS = 20000, TASKS = 11 };
  for (int k = 0; k < JOBS; k++) {
    mb_parallel_tasks(3, TASKS, count, NULL);
    for (size_t i = 0; i < TASKS; i++) {
      cr_assert_eq(done[i], 1, "job %d, task %zu: %d times", k, i, done[i]);
      done[i] = 0;
    }
  }
}

static void nest(void *context, size_t task) {
  (void)task;
  mb_parallel_tasks(4, 100, count, context);
}

Test(threads, a_task_may_have_tasks_of_its_own) {
  mb_parallel_tasks(4, 20, nest, NULL);
  cr_assert(each(100, 20));
}

static void *call_often(void *times) {
  for (int k = 0; k < *(const int *)times; k++) mb_parallel_tasks(3, 1000, count, NULL);
  return NULL;
}

Test(threads, several_callers_at_once_get_their_work_done) {
  int times = 40;
  pthread_t caller[3];
  for (int k = 0; k < 3; k++) cr_assert_eq(pthread_create(&caller[k], NULL, call_often, &times), 0);
  for (int k = 0; k < 3; k++) pthread_join(caller[k], NULL);
  cr_assert(each(1000, 3 * times));
}

Test(threads, a_process_made_by_fork_has_threads_of_its_own) {
  mb_parallel_tasks(4, 1000, count, NULL);
  cr_assert(each(1000, 1));
  const pid_t child = fork();
  if (!child) {
    alarm(60);
    mb_parallel_tasks(4, 1000, count, NULL);
    _exit(each(1000, 1) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

#ifndef MB_SANITIZED // which needs terabytes of addresses
static rlim_t addresses(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  cr_assert(f && fscanf(f, "%lu", &pages) == 1);
  fclose(f);
  return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

Test(threads, where_the_system_refuses_threads_the_caller_does_it_all) {
  const struct rlimit limit = {addresses() + (1 << 20), RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  cr_expect_eq(mb_threads_start(4), 1);
  mb_parallel_tasks(4, 1000, count, NULL);
  cr_assert(each(1000, 1));
}
#endif

// ---- waiting --------------------------------------------------------------------------------------------------

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void some_work(void *context, size_t task) {
  volatile double *x = context;
  for (int i = 0; i < 20000; i++) x[16 * task] = x[16 * task] * 0.999 + 1;
}

static double work_of(int threads) {
  double x[16 * 4] = {0};
  const double start = processor_time();
  for (int k = 0; k < 300; k++) mb_parallel_tasks(threads, 4, some_work, x);
  return processor_time() - start;
}

Test(threads, threads_that_wait_leave_the_processors_to_others) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  pid_t busy[64];
  int n = 0;
  for (; n < 64 && n < 2 * processors; n++)
    if (!(busy[n] = fork()))
      for (volatile int k = 0;; k = k + 1) {}
  work_of(2); // starts the threads
  const double alone = work_of(1), two = work_of(2);
  for (int k = 0; k < n; k++) kill(busy[k], SIGKILL);
  for (int k = 0; k < n; k++) waitpid(busy[k], NULL, 0);
  cr_assert_lt(two, 2 * alone, "two threads took %g s of processors, one %g s", two, alone);
}
