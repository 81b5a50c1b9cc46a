// The linear algebra of maximal coordinates: one factorisation and one solution of bodies and multipliers in a forest, in
// nanoseconds a body of one processor's time. In the same run: a general sparse LDLᵀ that is given the tree's order (LDL of
// SuiteSparse, where its library is installed), and for B96's figure of 127 ball joints the dense matrix of multipliers.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/solvers/maximal/kkt_tree.h"
#include "tools/bench/bench.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Shape { CHAIN, BINARY, RANDOM, SHAPES } Shape;
static const char *const shape_names[SHAPES] = {"chain", "binary tree", "random tree"};

// ---- systems ----------------------------------------------------------------------------------------------

typedef struct System {
  MbKktShape shape;
  MbKktNumbers numbers;
  size_t *parent, *rows, *first;
  double *A, *Jc, *Jp; // those of `numbers`
  double *v, *lambda;  // right-hand sides, then solutions
} System;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)((uniform(seed) + 1) / 2 * (double)n) % n; }

static void *room(size_t count, size_t size) {
  void *block = mb_calloc(count + 1, size);
  if (!block) fprintf(stderr, "out of memory\n"), exit(1);
  return block;
}

// Parents come before children in any order of bodies. `shuffled`: which is otherwise left to chance.
static size_t *names(Shape shape, size_t n, bool shuffled, uint64_t *seed, size_t *parent) {
  size_t *tree = room(n, sizeof *tree), *name = room(n, sizeof *name);
  for (size_t i = 0; i < n; i++)
    tree[i] = !i ? SIZE_MAX : shape == CHAIN ? i - 1 : shape == BINARY ? (i - 1) / 2 : below(seed, i);
  // what can be named next is taken at random
  size_t *ready = room(n, sizeof *ready), *head = room(n, sizeof *head), *next = room(n, sizeof *next);
  for (size_t i = 0; i < n; i++) head[i] = SIZE_MAX;
  for (size_t i = n; i-- > 1;) next[i] = head[tree[i]], head[tree[i]] = i;
  size_t nready = 1, count = 0;
  ready[0] = 0;
  while (count < n) {
    const size_t pick = shuffled ? below(seed, nready) : 0, i = shuffled ? ready[pick] : count;
    if (shuffled) ready[pick] = ready[--nready];
    name[i] = count;
    parent[count++] = tree[i] == SIZE_MAX ? SIZE_MAX : name[tree[i]];
    for (size_t c = shuffled ? head[i] : SIZE_MAX; c != SIZE_MAX; c = next[c]) ready[nready++] = c;
  }
  mb_free(tree), mb_free(ready), mb_free(head), mb_free(next);
  return name;
}

// Rows for the first `m` of a point's three directions and two of its axes, of a body whose frame is turned by R and p away
// from there: (R, [p] R) in the notation of twists (ω, v).
static void joint_rows(double *J, size_t m, double sign, uint64_t *seed) {
  double q[4], p[3], norm = 0;
  for (int k = 0; k < 4; k++) q[k] = uniform(seed), norm += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(norm);
  for (int k = 0; k < 3; k++) p[k] = 0.3 * uniform(seed);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (size_t r = 0; r < m; r++) {
    const double *n = R + 3 * (r % 3);
    double *row = J + 6 * r;
    if (r >= 3) {
      for (size_t k = 0; k < 3; k++) row[k] = sign * n[k], row[3 + k] = 0;
      continue;
    }
    for (size_t k = 0; k < 3; k++) {
      row[k] = sign * (p[(k + 1) % 3] * n[(k + 2) % 3] - p[(k + 2) % 3] * n[(k + 1) % 3]);
      row[3 + k] = sign * n[k];
    }
  }
}

static System make(Shape shape, size_t n, size_t m, bool shuffled) {
  uint64_t seed = n + 7 * (uint64_t)shape;
  System s = {.parent = room(n, sizeof *s.parent),
              .rows = room(n, sizeof *s.rows),
              .first = room(n, sizeof *s.first),
              .A = room(36 * n, sizeof *s.A),
              .v = room(6 * n, sizeof *s.v)};
  mb_free(names(shape, n, shuffled, &seed, s.parent));
  const bool free_root = m == 3;
  for (size_t i = 0; i < n; i++) {
    s.first[i] = s.shape.nrows;
    s.rows[i] = !i && free_root ? 0 : m;
    s.shape.nrows += s.rows[i];
  }
  s.Jc = room(6 * s.shape.nrows, sizeof *s.Jc), s.Jp = room(6 * s.shape.nrows, sizeof *s.Jp);
  s.lambda = room(s.shape.nrows, sizeof *s.lambda);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < 6; k++) s.A[36 * i + 7 * k] = k < 3 ? 0.01 + 0.002 * uniform(&seed) : 1;
    joint_rows(s.Jc + 6 * s.first[i], s.rows[i], 1, &seed);
    joint_rows(s.Jp + 6 * s.first[i], s.rows[i], -1, &seed);
  }
  s.shape.nb = n, s.shape.parent = s.parent, s.shape.rows = s.rows, s.shape.first = s.first;
  s.numbers = (MbKktNumbers){.A = s.A, .Jc = s.Jc, .Jp = s.Jp};
  return s;
}

static void drop(System *s) {
  void *const blocks[] = {s->parent, s->rows, s->first, s->A, s->Jc, s->Jp, s->v, s->lambda};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

static void right_hand_side(System *s) {
  for (size_t i = 0; i < 6 * s->shape.nb; i++) s->v[i] = 1e-3 * (double)(i % 17);
  for (size_t i = 0; i < s->shape.nrows; i++) s->lambda[i] = 1e-3 * (double)(i % 13);
}

// ---- timing -----------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct Times {
  double factor, solve; // ns a body and instance
} Times;

// Medians over repetitions.
static Times time_tree(System *s, const MbKktKernels *kernels) {
  enum { TIMES = 15 };
  double factor[TIMES], solve[TIMES];
  MbKktWork *work = mb_kkt_tree_create_with(&s->shape, kernels);
  if (!work) return (Times){NAN, NAN};
  const size_t unit = s->shape.nb * kernels->lanes, repeat = 1 + 30000 / unit;
  size_t blame;
  bool ok = mb_kkt_tree_ops.factor(work, &s->numbers, &blame);
  for (int t = 0; t < TIMES && ok; t++) {
    double start = mb_bench_cpu();
    for (size_t k = 0; k < repeat; k++) ok &= mb_kkt_tree_ops.factor(work, &s->numbers, &blame);
    factor[t] = (mb_bench_cpu() - start) * 1e9 / (double)(repeat * unit);
    right_hand_side(s);
    start = mb_bench_cpu();
    for (size_t k = 0; k < repeat; k++) mb_kkt_tree_ops.solve(work, s->v, s->lambda);
    solve[t] = (mb_bench_cpu() - start) * 1e9 / (double)(repeat * unit);
  }
  mb_kkt_tree_ops.free(work);
  if (!ok) return (Times){NAN, NAN};
  qsort(factor, TIMES, sizeof *factor, ascending), qsort(solve, TIMES, sizeof *solve, ascending);
  return (Times){factor[TIMES / 2], solve[TIMES / 2]};
}

bool mb_bench_maximal(void) {
  for (int shape = 0; shape < SHAPES; shape++)
    for (size_t n = 100; n <= 10000; n *= 100)
      for (int shuffled = 0; shuffled < 2; shuffled++) {
        if (shape == CHAIN && shuffled) continue;
        System s = make((Shape)shape, n, 5, shuffled);
        for (const MbKktKernels *const *k = mb_kkt_kernels_list; *k; k++) {
          if ((*k)->lanes > 1) continue;
          const Times t = time_tree(&s, *k);
          printf("  %-12s %8zu %s %-10s %8.1f %8.1f %8.1f\n", shape_names[shape], n,
                 shuffled ? "shuffled" : "", (*k)->name, t.factor, t.solve, t.factor + t.solve);
        }
        drop(&s);
      }
  return true;
}
