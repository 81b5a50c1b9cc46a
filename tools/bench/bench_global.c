#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "tools/bench/bench.h"
#include "tools/bench/cholmod_solves.h"
#include "tools/bench/global_cases.h"
#include "core/sparse/sweeps.h"
#include "core/sparse/inverse.h"
#include <stdio.h>
#include <math.h>
#include <string.h>

bool mb_bench_global(void) {
  mb_blas_one_thread();
  for (int k = 0; k < MB_GLOBAL_CASES; k++) {
    MbGlobalMatrix A;
    if (!mb_global_matrix_make(&mb_global_cases[k], &A)) return false;
    const size_t n = A.pattern.n;
    double *b = mb_calloc(3 * n, 8), *x = mb_calloc(3 * n, 8);
    for (size_t i = 0; i < 3 * n; i++) b[i] = sin((double)(i * i % 1000));
    printf("%-32s n %zu nnz/n %.1f\n", mb_global_cases[k].name, n,
           2.0 * (double)A.pattern.start[n] / (double)n - 1);
    for (int s = 0; s < 2; s++) {
      MbCholmod *c = mb_cholmod_analyse(&A.pattern, A.values, s);
      mb_cholmod_factor(c);
      double t0 = mb_bench_wall();
      mb_cholmod_factor(c);
      double tf = mb_bench_wall() - t0, best = 1;
      mb_cholmod_put(c, b);
      for (int i = 0; i < 20; i++) {
        t0 = mb_bench_wall();
        mb_cholmod_solve(c);
        best = fmin(best, mb_bench_wall() - t0);
      }
      mb_cholmod_get(c, x);
      printf("   cholmod %d: lnz/n %.1f factor %.2f ms solve %.3f ms\n", s, mb_cholmod_entries(c) / (double)n,
             tf * 1e3, best * 1e3);
      mb_cholmod_free(c);
    }
    double t0 = mb_bench_wall();
    MbCholesky *c = mb_cholesky_analyse(&A.pattern, NULL, 1);
    double ta = mb_bench_wall() - t0, best = 1, tf = 1;
    size_t blame;
    for (int i = 0; i < 3; i++) {
      t0 = mb_bench_wall();
      mb_cholesky_factor(c, A.values, &blame);
      tf = fmin(tf, mb_bench_wall() - t0);
    }
    double *y = mb_calloc(3 * n, 8);
    for (int i = 0; i < 20; i++) {
      memcpy(y, b, 24 * n);
      t0 = mb_bench_wall();
      mb_cholesky_solve(c, y, 3);
      best = fmin(best, mb_bench_wall() - t0);
    }
    double worst = 0;
    for (size_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    MbCholeskySize sz = mb_cholesky_size(c);
    printf("   ours: entries/n %.1f nodes %zu analyse %.1f factor %.2f ms solve %.3f ms diff %.2g\n",
           (double)sz.entries / (double)n, sz.supernodes, ta * 1e3, tf * 1e3, best * 1e3, worst);
    MbSweeps *sw = mb_sweeps_make(c);
    t0 = mb_bench_wall();
    mb_sweeps_fill(sw, c, 1);
    double fill = mb_bench_wall() - t0;
    for (int th = 1; th <= 2; th++) {
      best = 1;
      for (int i = 0; i < 40; i++) {
        t0 = mb_bench_wall();
        mb_sweeps_solve(sw, mb_sweep_passes(), b, y, th);
        best = fmin(best, mb_bench_wall() - t0);
      }
      worst = 0;
      for (size_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
      printf("   sweeps %d threads: entries/n %.1f fill %.2f tasks %zu top %zu solve %.3f diff %.3g\n", th,
             (double)sw->entries / (double)n, fill * 1e3, sw->ntasks, sw->ntop, best * 1e3, worst);
    }
    mb_sweeps_free(sw);
    for (int l = 1; l <= 3; l += 2)
      for (int single = 0; single < 2; single++) {
        MbCholesky *d = mb_cholesky_analyse_as(&A.pattern, NULL, l == 1 ? MB_JOIN_NEIGHBOURS : MB_JOIN_ALIKE, 1);
        mb_cholesky_factor(d, A.values, &blame);
        t0 = mb_bench_wall();
        MbInverse *S = mb_inverse_make(d, (size_t)l, single);
        double tm = mb_bench_wall() - t0;
        mb_inverse_fill(S, d, 1);
        fill = mb_bench_wall() - t0;
        best = 1;
        for (int i = 0; i < 20; i++) {
          t0 = mb_bench_wall();
          mb_inverse_solve(S, mb_inverse_passes(), b, y, 1);
          best = fmin(best, mb_bench_wall() - t0);
        }
        worst = 0;
        for (size_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
        printf("   inverse %d %s: entries/n %.1f (+ %.1f) %.2f MB = %.3f of paper, make %.2f fill %.2f solve %.3f diff %.3g\n", l, single ? "single" : "double", (double)S->entries / (double)n, (double)S->coupled / (double)n, (double)S->bytes / 1048576, (double)S->bytes / 1048576 / mb_global_cases[k].paper, tm * 1e3, fill * 1e3, best * 1e3, worst);
        mb_inverse_free(S);
        mb_cholesky_free(d);
      }
    mb_cholesky_free(c);
    mb_global_matrix_free(&A);
    mb_free(b), mb_free(x), mb_free(y);
  }
  return true;
}
