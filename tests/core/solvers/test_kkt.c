// The forest's factorisation against dense LAPACK.
#include "core/base/alloc.h"
#include "core/solvers/maximal/kkt_tree.h"
#include "tests/support.h"

#include <lapacke.h>
#include <string.h>

// The systems are made with conditions of 1e4 at most: LAPACK and we lose that much of 16 digits.
static const double AGAINST_LAPACK = 1e-9;

enum { MOST_BODIES = 12, MOST_ROWS = 6 * MOST_BODIES, MOST_SIZE = 12 * MOST_BODIES, MOST_PAIRS = 8 };

// A random forest and its numbers, one instance.
typedef struct Forest {
  MbKktShape shape;
  MbKktNumbers numbers;
  size_t parent[MOST_BODIES], rows[MOST_BODIES], first[MOST_BODIES], pair[2 * MOST_PAIRS];
  double A[36 * MOST_BODIES], Jc[6 * MOST_ROWS], Jp[6 * MOST_ROWS], C[36 * MOST_BODIES],
      diagonal[6 * MOST_BODIES], pairs[36 * MOST_PAIRS];
} Forest;

static double uniform(uint64_t *seed) { return 2 * test_random(seed) - 1; }
static size_t below(uint64_t *seed, size_t n) { return (size_t)(test_random(seed) * (double)n); }

static void random_shape(Forest *f, uint64_t *seed) {
  f->shape = (MbKktShape){.nb = 1 + below(seed, MOST_BODIES),
                          .parent = f->parent,
                          .rows = f->rows,
                          .first = f->first,
                          .pair = f->pair};
  size_t order[MOST_BODIES];
  for (size_t i = 0; i < f->shape.nb; i++) {
    const bool root = !i || test_random(seed) < 0.2;
    const size_t back = test_random(seed) < 0.5 ? 1 : 1 + below(seed, i);
    f->parent[i] = root ? SIZE_MAX : i - back;
    f->rows[i] = below(seed, 7);
    order[i] = i;
  }
  // rows in an order of their own
  for (size_t i = f->shape.nb; i-- > 0;) {
    const size_t j = below(seed, i + 1), k = order[j];
    order[j] = order[i];
    f->first[k] = f->shape.nrows;
    f->shape.nrows += f->rows[k];
  }
}

// Rows that are near to some of the axes are far from dependent.
static void random_rows(const Forest *f, double *J, uint64_t *seed) {
  for (size_t i = 0; i < f->shape.nb; i++) {
    const size_t turn = below(seed, 6);
    for (size_t r = 0; r < f->rows[i]; r++)
      for (size_t c = 0; c < 6; c++)
        J[6 * (f->first[i] + r) + c] = 0.15 * uniform(seed) + (c == (r + turn) % 6);
  }
}

// Blocks of A beside the diagonal are small against those on it.
static void random_numbers(Forest *f, bool coupled, bool diagonal, uint64_t *seed) {
  f->numbers = (MbKktNumbers){.A = f->A,
                              .Jc = f->Jc,
                              .Jp = f->Jp,
                              .C = coupled ? f->C : NULL,
                              .pairs = f->shape.npairs ? f->pairs : NULL,
                              .diagonal = diagonal ? f->diagonal : NULL};
  for (size_t b = 0; b < f->shape.nb; b++) {
    double *A = f->A + 36 * b;
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j <= i; j++) {
        const double x = i == j ? pow(10, 2 * test_random(seed)) : 0.1 * uniform(seed);
        A[6 * i + j] = A[6 * j + i] = diagonal && i != j ? 0 : x;
        if (i == j) f->diagonal[6 * b + i] = x;
      }
    for (size_t k = 0; k < 36; k++) f->C[36 * b + k] = 0.04 / MOST_BODIES * uniform(seed);
  }
  for (size_t k = 0; k < 36 * f->shape.npairs; k++) f->pairs[k] = 0.04 / MOST_PAIRS * uniform(seed);
  random_rows(f, f->Jc, seed);
  random_rows(f, f->Jp, seed);
}

static void put(double *H, size_t n, size_t row, size_t column, const double *block, size_t rows, double sign,
                bool transposed) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < 6; j++)
      H[transposed ? (row + j) * n + column + i : (row + i) * n + column + j] += sign * block[6 * i + j];
}

static void dense_solve(const Forest *f, double *x, size_t count) {
  const size_t nb = f->shape.nb, n = 6 * nb + f->shape.nrows;
  static double H[MOST_SIZE * MOST_SIZE];
  lapack_int pivot[MOST_SIZE];
  memset(H, 0, n * n * sizeof *H);
  for (size_t i = 0; i < nb; i++) {
    const size_t p = f->parent[i], row = 6 * nb + f->first[i], at = f->first[i];
    put(H, n, 6 * i, 6 * i, f->A + 36 * i, 6, 1, false);
    put(H, n, row, 6 * i, f->Jc + 6 * at, f->rows[i], 1, false);
    put(H, n, 6 * i, row, f->Jc + 6 * at, f->rows[i], -1, true);
    if (p == SIZE_MAX) continue;
    put(H, n, row, 6 * p, f->Jp + 6 * at, f->rows[i], 1, false);
    put(H, n, 6 * p, row, f->Jp + 6 * at, f->rows[i], -1, true);
    if (!f->numbers.C) continue;
    put(H, n, 6 * i, 6 * p, f->C + 36 * i, 6, 1, false);
    put(H, n, 6 * p, 6 * i, f->C + 36 * i, 6, 1, true);
  }
  for (size_t k = 0; k < f->shape.npairs; k++) {
    put(H, n, 6 * f->pair[2 * k], 6 * f->pair[2 * k + 1], f->pairs + 36 * k, 6, 1, false);
    put(H, n, 6 * f->pair[2 * k + 1], 6 * f->pair[2 * k], f->pairs + 36 * k, 6, 1, true);
  }
  cr_assert_eq(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)n, (int)count, H, (int)n, pivot, x, (int)count), 0);
}

// Compares `count` solutions of a factored system with LAPACK's; v and λ each by their largest number.
static void compare(const Forest *f, const MbKktOps *ops, MbKktWork *work, const char *what, uint64_t *seed) {
  enum { COUNT = 3 };
  const size_t nv = 6 * f->shape.nb, n = nv + f->shape.nrows;
  static double x[MOST_SIZE * COUNT], y[MOST_SIZE * COUNT], wanted[MOST_SIZE];
  for (size_t i = 0; i < n * COUNT; i++) x[i] = y[i] = uniform(seed);
  dense_solve(f, y, COUNT);
  for (size_t k = 0; k < COUNT; k++) {
    double own[MOST_SIZE], largest[2] = {0};
    for (size_t i = 0; i < n; i++) {
      own[i] = x[i * COUNT + k], wanted[i] = y[i * COUNT + k];
      largest[i >= nv] = fmax(largest[i >= nv], fabs(wanted[i]));
    }
    ops->solve(work, own, own + nv);
    test_near(what, own, wanted, nv, AGAINST_LAPACK * largest[0]);
    test_near(what, own + nv, wanted + nv, f->shape.nrows, AGAINST_LAPACK * largest[1]);
  }
}

Test(kkt, ten_thousand_random_forests_are_solved_as_by_dense_lapack, TEST_LONG) {
  uint64_t seed = 1;
  static Forest f;
  for (int round = 0; round < 10000; round++) {
    random_shape(&f, &seed);
    MbKktWork *work = mb_kkt_tree_ops.create(&f.shape, 1);
    cr_assert(work && mb_kkt_tree_ops.bytes(work) > 0);
    const int64_t calls = mb_alloc_calls();
    for (int again = 0; again < 2; again++) { // the same object, other numbers
      random_numbers(&f, (round + again) % 2, round % 3 == 0, &seed);
      size_t blame = SIZE_MAX;
      cr_assert(mb_kkt_tree_ops.factor(work, &f.numbers, &blame), "round %d: body %zu is blamed", round,
                blame);
      compare(&f, &mb_kkt_tree_ops, work, "forest", &seed);
    }
    cr_assert_eq(mb_alloc_calls(), calls, "factor and solve do not allocate");
    mb_kkt_tree_ops.free(work);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// All instances of a forest side by side, their numbers different.
static double *interleave(double *to, const double *from, size_t n, size_t lane, size_t lanes) {
  for (size_t i = 0; i < n; i++) to[i * lanes + lane] = from[i];
  return to;
}

Test(kkt, kernels_for_every_processor_and_eight_in_lockstep_agree_with_lapack) {
  enum { LANES = 8 };
  static Forest f, all[LANES];
  static _Alignas(64) double A[36 * MOST_BODIES * LANES], Jc[6 * MOST_ROWS * LANES],
      Jp[6 * MOST_ROWS * LANES], C[36 * MOST_BODIES * LANES], v[6 * MOST_BODIES * LANES],
      lambda[MOST_ROWS * LANES];
  static double x[LANES][MOST_SIZE];
  uint64_t seed = 2;
  for (int round = 0; round < 200; round++) {
    random_shape(&f, &seed);
    const size_t nb = f.shape.nb, nr = f.shape.nrows, nv = 6 * nb;
    for (const MbKktKernels *const *row = mb_kkt_kernels_list; *row; row++) {
      const MbKktKernels *k = *row;
      if (!mb_kkt_kernels_run(k)) continue;
      const bool coupled = round % 2;
      for (size_t l = 0; l < k->lanes; l++) {
        all[l] = f;
        random_numbers(&all[l], coupled, false, &seed);
        for (size_t i = 0; i < nv + nr; i++) x[l][i] = uniform(&seed);
        interleave(A, all[l].A, 36 * nb, l, k->lanes), interleave(C, all[l].C, 36 * nb, l, k->lanes);
        interleave(Jc, all[l].Jc, 6 * nr, l, k->lanes), interleave(Jp, all[l].Jp, 6 * nr, l, k->lanes);
        interleave(v, x[l], nv, l, k->lanes), interleave(lambda, x[l] + nv, nr, l, k->lanes);
        all[l].shape.parent = all[l].parent;
        dense_solve(&all[l], x[l], 1);
      }
      MbKktWork *work = mb_kkt_tree_create_with(&f.shape, k);
      size_t blame;
      cr_assert(work);
      cr_assert(mb_kkt_tree_ops.factor(
          work, &(MbKktNumbers){.A = A, .Jc = Jc, .Jp = Jp, .C = coupled ? C : NULL}, &blame));
      mb_kkt_tree_ops.solve(work, v, lambda);
      for (size_t l = 0; l < k->lanes; l++) {
        double own[MOST_SIZE], largest = 0;
        for (size_t i = 0; i < nv + nr; i++) {
          own[i] = i < nv ? v[i * k->lanes + l] : lambda[(i - nv) * k->lanes + l];
          largest = fmax(largest, fabs(x[l][i]));
        }
        test_near(k->name, own, x[l], nv + nr, AGAINST_LAPACK * largest);
      }
      mb_kkt_tree_ops.free(work);
    }
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(kkt, rows_that_depend_on_each_other_are_blamed_on_their_body) {
  uint64_t seed = 3;
  static Forest f;
  int seen = 0;
  for (int round = 0; round < 1000; round++) {
    random_shape(&f, &seed);
    random_numbers(&f, round % 2, false, &seed);
    const size_t wrong = below(&seed, f.shape.nb), m = f.rows[wrong];
    if (m < 2) continue;
    // the last row becomes a combination of the others in the body's own columns
    double *J = f.Jc + 6 * f.first[wrong];
    memset(J + 6 * (m - 1), 0, 6 * sizeof *J);
    for (size_t r = 0; r + 1 < m; r++) {
      const double s = uniform(&seed);
      for (size_t c = 0; c < 6; c++) J[6 * (m - 1) + c] += s * J[6 * r + c];
    }
    MbKktWork *work = mb_kkt_tree_ops.create(&f.shape, 1);
    size_t blame = SIZE_MAX;
    cr_assert(work);
    cr_expect(!mb_kkt_tree_ops.factor(work, &f.numbers, &blame), "round %d: factored all the same", round);
    cr_expect_eq(blame, wrong, "round %d: body %zu is blamed for the rows of %zu", round, blame, wrong);
    mb_kkt_tree_ops.free(work);
    seen++;
  }
  cr_expect_gt(seen, 500);
}

Test(kkt, blocks_that_are_not_positive_definite_are_blamed_on_their_body) {
  static const double wrong[] = {0, -1, NAN, INFINITY, -INFINITY};
  uint64_t seed = 4;
  static Forest f;
  for (int round = 0; round < 500; round++) {
    random_shape(&f, &seed);
    random_numbers(&f, false, round % 2, &seed);
    const size_t body = below(&seed, f.shape.nb);
    // a leaf: what hangs on others is held by what they leave to it
    bool leaf = true;
    for (size_t i = 0; i < f.shape.nb; i++) leaf &= f.parent[i] != body;
    if (!leaf) continue;
    const size_t k = below(&seed, 6);
    f.A[36 * body + 7 * k] = f.diagonal[6 * body + k] = wrong[round % 5];
    for (size_t j = 0; j < 6 && round % 5 == 0; j++)
      if (j != k) f.A[36 * body + 6 * k + j] = f.A[36 * body + 6 * j + k] = 0;
    MbKktWork *work = mb_kkt_tree_ops.create(&f.shape, 1);
    size_t blame = SIZE_MAX;
    cr_expect(!mb_kkt_tree_ops.factor(work, &f.numbers, &blame), "round %d: factored all the same", round);
    cr_expect_eq(blame, body, "round %d: body %zu is blamed for %zu", round, blame, body);
    mb_kkt_tree_ops.free(work);
  }
}

Test(kkt, renumbered_bodies_come_after_their_parents_each_number_once) {
  uint64_t seed = 9;
  static Forest f;
  for (int round = 0; round < 500; round++) {
    uint32_t number[MOST_BODIES];
    size_t count[MOST_BODIES] = {0};
    random_shape(&f, &seed);
    cr_assert(mb_kkt_tree_renumber(f.shape.nb, f.parent, number));
    for (size_t i = 0; i < f.shape.nb; i++) {
      cr_assert_lt(number[i], f.shape.nb);
      count[number[i]]++;
      cr_expect(f.parent[i] == SIZE_MAX || number[f.parent[i]] < number[i], "round %d, body %zu", round, i);
    }
    for (size_t i = 0; i < f.shape.nb; i++) cr_expect_eq(count[i], 1);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(kkt, running_out_of_memory_leaves_nothing_behind) {
  uint64_t seed = 5;
  static Forest f;
  random_shape(&f, &seed);
  MbKktWork *work = NULL;
  for (int64_t calls = 0; !work; calls++) {
    mb_alloc_fail_after(calls);
    work = mb_kkt_tree_ops.create(&f.shape, 1);
    mb_alloc_fail_after(-1);
    cr_assert_lt(calls, 100);
    cr_expect(work || mb_alloc_live() == 0, "after %ld calls", (long)calls);
  }
  mb_kkt_tree_ops.free(work);
  mb_kkt_tree_ops.free(NULL);
}

// Pairs of bodies that the tree does not join.
static void random_pairs(Forest *f, uint64_t *seed) {
  f->shape.npairs = f->shape.nb > 1 ? below(seed, MOST_PAIRS + 1) : 0;
  for (size_t k = 0; k < f->shape.npairs; k++) {
    const size_t a = below(seed, f->shape.nb), b = (a + 1 + below(seed, f->shape.nb - 1)) % f->shape.nb;
    f->pair[2 * k] = a < b ? a : b, f->pair[2 * k + 1] = a < b ? b : a;
  }
}

Test(kkt_sparse, random_forests_with_blocks_between_any_bodies_are_solved_as_by_dense_lapack) {
  uint64_t seed = 6;
  static Forest f;
  for (int round = 0; round < 2000; round++) {
    random_shape(&f, &seed);
    random_pairs(&f, &seed);
    MbKktWork *work = mb_kkt_sparse_ops.create(&f.shape, 1);
    cr_assert(work && mb_kkt_sparse_ops.bytes(work) > 0);
    for (int again = 0; again < 2; again++) {
      random_numbers(&f, (round + again) % 2, round % 3 == 0, &seed);
      const int64_t calls = mb_alloc_calls();
      size_t blame = SIZE_MAX;
      cr_assert(mb_kkt_sparse_ops.factor(work, &f.numbers, &blame), "round %d: body %zu is blamed", round,
                blame);
      compare(&f, &mb_kkt_sparse_ops, work, "forest with pairs", &seed);
      cr_assert_eq(mb_alloc_calls(), calls, "factor and solve do not allocate");
    }
    mb_kkt_sparse_ops.free(work);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(kkt_sparse, rows_that_depend_on_each_other_and_bodies_without_mass_are_blamed) {
  uint64_t seed = 7;
  static Forest f;
  for (int round = 0; round < 500; round++) {
    random_shape(&f, &seed);
    random_numbers(&f, round % 2, false, &seed);
    // a root without children: what is wrong with it no other body can mend
    const size_t wrong = f.shape.nb - 1, m = f.rows[wrong];
    if (f.parent[wrong] != SIZE_MAX) continue;
    if (m > 1)
      memcpy(f.Jc + 6 * (f.first[wrong] + m - 1), f.Jc + 6 * f.first[wrong], 6 * sizeof(double));
    else
      f.A[36 * wrong] = -1;
    MbKktWork *work = mb_kkt_sparse_ops.create(&f.shape, 1);
    size_t blame = SIZE_MAX;
    cr_assert(work);
    cr_expect(!mb_kkt_sparse_ops.factor(work, &f.numbers, &blame), "round %d: factored all the same", round);
    cr_expect_eq(blame, wrong, "round %d: body %zu is blamed for %zu", round, blame, wrong);
    mb_kkt_sparse_ops.free(work);
  }
}

// A net of bodies: a comb of joints (rows to the left neighbour, in the first column to the one above), blocks with all
// neighbours.
Test(kkt_sparse, a_net_of_four_thousand_bodies_is_solved_to_rounding) {
  enum { SIDE = 64, N = SIDE * SIDE };
  const double ROUNDING = 1e-11; // of right-hand sides of size 1
  uint64_t seed = 8;
  size_t *index = mb_calloc(8 * N, sizeof *index), *parent = index, *rows = index + N, *first = index + 2 * N,
         *pair = index + 3 * N, npairs = 0, nrows = 0;
  for (size_t i = 0; i < N; i++) {
    parent[i] = i % SIDE ? i - 1 : i ? i - SIDE : SIZE_MAX;
    rows[i] = i % 7 == 0 ? 5 : i % 7 == 1 ? 3 : 0;
    first[i] = nrows, nrows += rows[i];
    if (i % SIDE && i >= SIDE) pair[2 * npairs] = i - SIDE, pair[2 * npairs++ + 1] = i;
  }
  const MbKktShape shape = {N, nrows, parent, rows, first, npairs, pair, NULL};
  double *A = mb_calloc(36 * N, sizeof *A), *C = mb_calloc(36 * N, sizeof *C),
         *P = mb_calloc(36 * npairs, sizeof *P), *J = mb_calloc(12 * nrows, sizeof *J),
         *x = mb_calloc(2 * (6 * N + nrows), sizeof *x), *b = x + 6 * N + nrows;
  for (size_t i = 0; i < N; i++)
    for (size_t k = 0; k < 6; k++) A[36 * i + 7 * k] = 1 + test_random(&seed), C[36 * i + 7 * k] = -0.25;
  for (size_t k = 0; k < npairs; k++)
    for (size_t c = 0; c < 6; c++) P[36 * k + 7 * c] = -0.2;
  for (size_t r = 0; r < nrows; r++)
    for (size_t c = 0; c < 6; c++) J[6 * r + c] = 0.1 * uniform(&seed);
  for (size_t i = 0; i < N; i++)
    for (size_t r = 0; r < rows[i]; r++) J[6 * (first[i] + r) + r] += 1;
  for (size_t k = 0; k < 6 * nrows; k++) J[6 * nrows + k] = -J[k];
  for (size_t i = 0; i < 6 * N + nrows; i++) x[i] = b[i] = uniform(&seed);
  MbKktWork *work = mb_kkt_sparse_ops.create(&shape, 1);
  size_t blame = SIZE_MAX;
  cr_assert(work);
  cr_assert(mb_kkt_sparse_ops.factor(
                work, &(MbKktNumbers){.A = A, .Jc = J, .Jp = J + 6 * nrows, .C = C, .pairs = P}, &blame),
            "body %zu is blamed", blame);
  mb_kkt_sparse_ops.solve(work, x, x + 6 * N);
  // b − H x
  for (size_t i = 0; i < N; i++) {
    const size_t p = parent[i];
    for (size_t k = 0; k < 6; k++) b[6 * i + k] -= A[36 * i + 7 * k] * x[6 * i + k];
    for (size_t k = 0; k < 6 && p != SIZE_MAX; k++)
      b[6 * i + k] += 0.25 * x[6 * p + k], b[6 * p + k] += 0.25 * x[6 * i + k];
    for (size_t r = first[i]; r < first[i] + rows[i]; r++)
      for (size_t k = 0; k < 6; k++) {
        const double Jc = J[6 * r + k], Jp = p == SIZE_MAX ? 0 : -Jc, lambda = x[6 * N + r];
        b[6 * i + k] += Jc * lambda;
        b[6 * N + r] -= Jc * x[6 * i + k];
        if (p != SIZE_MAX) b[6 * p + k] += Jp * lambda, b[6 * N + r] -= Jp * x[6 * p + k];
      }
  }
  for (size_t k = 0; k < npairs; k++)
    for (size_t c = 0; c < 6; c++) {
      b[6 * pair[2 * k] + c] += 0.2 * x[6 * pair[2 * k + 1] + c];
      b[6 * pair[2 * k + 1] + c] += 0.2 * x[6 * pair[2 * k] + c];
    }
  double *zero = mb_calloc(6 * N + nrows, sizeof *zero);
  test_near("residual", b, zero, 6 * N + nrows, ROUNDING);
  mb_kkt_sparse_ops.free(work);
  void *const blocks[] = {index, A, C, P, J, x, zero};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
  cr_expect_eq(mb_alloc_live(), 0);
}
