// The global step of projective dynamics on the meshes of Zeng et al.'s tables 1 and 2: what the methods take of memory, and how
// long they take, side by side with CHOLMOD's simplicial and supernodal solves in the same run, where SuiteSparse is installed.
// Times of one thread are medians of processor time over rounds in which each had its turn.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/sparse/global.h"
#include "tools/bench/bench.h"
#include "tools/bench/cholmod_solves.h"
#include "tools/bench/global_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, FACTORS = 5, SOLVERS = 5 };
static const double MB = 1048576;

// What is timed, one after the other in every round.
typedef enum Solver { SIMPLICIAL, SUPERNODAL, CHOLESKY, WHOLE, PARTS } Solver;

typedef struct Contest {
  const MbGlobalCase *c;
  MbGlobalMatrix A;
  size_t n;
  double *b, *x;
  MbCholmod *theirs[2];
  MbGlobal *ours[3];
  double factor[SOLVERS], solve[SOLVERS]; // s
  double faster;                          // than the better of theirs
  double two;                             // of one thread's time over two threads'
  double residual;                        // worst of ours
} Contest;

static double median(const double *x, int n) {
  double copy[ROUNDS];
  memcpy(copy, x, (size_t)n * sizeof *x);
  qsort(copy, (size_t)n, sizeof *copy, mb_bench_ascending);
  return copy[n / 2];
}

static bool prepare(Contest *k) {
  if (!mb_global_matrix_make(k->c, &k->A)) return false;
  k->n = k->A.pattern.n;
  k->b = mb_calloc(3 * k->n, sizeof *k->b);
  k->x = mb_calloc(3 * k->n, sizeof *k->x);
  if (!k->b || !k->x) return false;
  for (size_t i = 0; i < 3 * k->n; i++) k->b[i] = sin((double)(i * i % 1009));
  for (int s = 0; s < 2 && mb_cholmod_there(); s++) {
    k->theirs[s] = mb_cholmod_analyse(&k->A.pattern, k->A.values, s == SUPERNODAL);
    if (!k->theirs[s]) return false;
    mb_cholmod_put(k->theirs[s], k->b);
  }
  for (int s = 0; s < 3; s++) {
    const MbGlobalOptions options = {.method = (MbGlobalMethod)(MB_GLOBAL_CHOLESKY + s), .threads = 1};
    if (mb_global_create(&k->A.pattern, &options, &k->ours[s], NULL) != MB_OK) return false;
  }
  return true;
}

static void finish(Contest *k) {
  for (int s = 0; s < 2; s++) mb_cholmod_free(k->theirs[s]);
  for (int s = 0; s < 3; s++) mb_global_free(k->ours[s]);
  mb_free(k->b);
  mb_free(k->x);
  mb_global_matrix_free(&k->A);
}

static bool there(const Contest *k, int s) { return s >= CHOLESKY || k->theirs[s]; }

static bool factor(Contest *k, int s) {
  if (s < CHOLESKY) return mb_cholmod_factor(k->theirs[s]);
  return mb_global_factor(k->ours[s - CHOLESKY], k->A.values, NULL, NULL) == MB_OK;
}

static bool solve(Contest *k, int s, int threads) {
  if (s < CHOLESKY) return mb_cholmod_solve(k->theirs[s]);
  mb_global_solve(k->ours[s - CHOLESKY], k->b, k->x, threads);
  return true;
}

// Seconds of one solve, over several after one that brings the numbers into the caches.
static double timed(Contest *k, int s, int threads, int repeat, double (*clock)(void)) {
  solve(k, s, threads);
  const double start = clock();
  for (int i = 0; i < repeat; i++) solve(k, s, threads);
  return (clock() - start) / repeat;
}

static bool time_factors(Contest *k) {
  for (int s = 0; s < SOLVERS; s++) {
    double each[FACTORS];
    const int times = s <= CHOLESKY ? FACTORS : 1;
    if (!there(k, s)) continue;
    if (s <= CHOLESKY && !factor(k, s)) return false; // the first time touches memory
    for (int i = 0; i < times; i++) {
      const double start = mb_bench_cpu();
      if (!factor(k, s)) return false;
      each[i] = mb_bench_cpu() - start;
    }
    k->factor[s] = median(each, times);
  }
  return true;
}

static void time_solves(Contest *k) {
  double each[SOLVERS][ROUNDS], ratio[ROUNDS];
  int repeat[SOLVERS];
  for (int s = 0; s < SOLVERS; s++) {
    if (!there(k, s)) continue;
    repeat[s] = 3 + (int)(1e-3 / timed(k, s, 1, 2, mb_bench_cpu));
    if (s >= CHOLESKY) k->residual = fmax(k->residual, mb_global_residual(k->ours[0], k->b, k->x));
  }
  for (int last = 0; last < 2; last++) // the inverses apart, whose size drives all else from the caches
    for (int i = 0; i < ROUNDS; i++)
      for (int s = last ? WHOLE : SIMPLICIAL; s < (last ? SOLVERS : WHOLE); s++)
        if (there(k, s)) each[s][i] = timed(k, s, 1, repeat[s], mb_bench_cpu);
  for (int s = 0; s < SOLVERS; s++)
    if (there(k, s)) k->solve[s] = median(each[s], ROUNDS);
  if (k->theirs[0]) {
    const int better = k->solve[SIMPLICIAL] < k->solve[SUPERNODAL] ? SIMPLICIAL : SUPERNODAL;
    for (int i = 0; i < ROUNDS; i++) ratio[i] = each[better][i] / each[CHOLESKY][i];
    k->faster = median(ratio, ROUNDS);
  }
}

// Later than all others: threads that wait for work take processor time. The best of many turns, since both processors must be
// free at once.
static void time_threads(Contest *k) {
  enum { TURNS = 4, MOST = 200 };
  const double LONG = 1; // s
  double best[2] = {INFINITY, INFINITY};
  const double start = mb_bench_wall();
  for (int i = 0; i < MOST && (i < 2 || mb_bench_wall() - start < LONG); i++)
    for (int t = 0; t < 2; t++)
      for (int j = 0; j < TURNS; j++) {
        const double before = mb_bench_wall();
        solve(k, CHOLESKY, 1 + t);
        best[t] = fmin(best[t], mb_bench_wall() - before);
      }
  k->two = best[0] / best[1];
}

static void print(const Contest *k) {
  const MbGlobalSize a = mb_global_size(k->ours[0]), whole = mb_global_size(k->ours[1]),
                     parts = mb_global_size(k->ours[2]);
  const double ms = 1e3;
  printf("  %-30s %6zu %7.1f %8.2f %7.2f %6.3f %6.2f |", k->c->name, k->n, (double)a.factor / (double)k->n,
         (double)whole.bytes / MB, k->c->paper, (double)whole.bytes / MB / k->c->paper,
         (double)parts.entries / (double)a.factor);
  printf(" %8.2f %8.2f %8.2f %8.1f %8.1f |", ms * k->factor[SIMPLICIAL], ms * k->factor[SUPERNODAL],
         ms * k->factor[CHOLESKY], ms * k->factor[WHOLE], ms * k->factor[PARTS]);
  printf(" %7.3f %7.3f %7.3f %7.3f %7.3f |", ms * k->solve[SIMPLICIAL], ms * k->solve[SUPERNODAL],
         ms * k->solve[CHOLESKY], ms * k->solve[WHOLE], ms * k->solve[PARTS]);
  if (there(k, SIMPLICIAL))
    printf(" %6.2f %6.2f\n", k->faster, k->two);
  else
    printf(" %6s %6.2f\n", "-", k->two);
  fflush(stdout);
}

bool mb_bench_global(void) {
  double faster = INFINITY, factors = INFINITY, two = INFINITY, memory = 0, parts = 0, residual = 0;
  mb_blas_start(1);
  if (!mb_cholmod_there()) printf("  SuiteSparse is not installed: nothing to compare with\n");
  printf("  %-30s %6s %7s %8s %7s %6s %6s | %44s | %39s | %6s %6s\n", "", "nodes", "L/n", "S, MB", "paper",
         "ratio", "parts", "factor, ms: simpl. supern. ours     S    parts",
         "solve, ms: simpl. supern. ours  S  parts", "faster", "two");
  bool ok = true;
  for (int i = 0; i < MB_GLOBAL_CASES && ok; i++) {
    Contest k = {.c = &mb_global_cases[i]};
    ok = prepare(&k) && time_factors(&k);
    if (ok) {
      time_solves(&k);
      time_threads(&k);
      print(&k);
      const MbGlobalSize a = mb_global_size(k.ours[0]);
      memory = fmax(memory, (double)mb_global_size(k.ours[1]).bytes / MB / k.c->paper);
      parts = fmax(parts, (double)mb_global_size(k.ours[2]).entries / (double)a.factor);
      faster = fmin(faster, k.faster);
      factors = fmin(factors, fmin(k.factor[SIMPLICIAL], k.factor[SUPERNODAL]) / k.factor[CHOLESKY]);
      two =
          fmin(two, mb_cholmod_there() ? k.faster * k.two : k.two); // beside CHOLMOD, too, where it is there
      residual = fmax(residual, k.residual);
    }
    finish(&k);
  }
  if (!ok) return false;
  ok = mb_bench_target("memory", memory, "of it", 0.17, false);
  ok &= mb_bench_target("parts", parts, "of L", 1.5, false);
  ok &= mb_bench_target("residual", residual * 1e10, "e-10", 1, false);
  if (mb_cholmod_there()) {
    ok &= mb_bench_target("solve", faster, "times", 1, true);
    ok &= mb_bench_target("factor", factors, "times", 1, true);
    ok &= mb_bench_target("two threads", two, "times", 1.5, true);
  } else {
    printf("    solve, factor, two threads: their targets are multiples of CHOLMOD's speed, and there is "
           "nothing to "
           "compare with\n    two threads %9.2f times one of ours at least\n",
           two);
  }
  return ok;
}
