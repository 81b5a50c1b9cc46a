// The mixed complementarity problem against what defines it, and against trying every set of rows.
#include "core/base/alloc.h"
#include "core/contact/pivoting.h"
#include "tests/support.h"

#include <string.h>

enum { MOST = 7 };

typedef struct Problem {
  size_t n, columns; // columns asked for
  double W[MOST * MOST], b[MOST], slack[MOST], least[MOST];
  bool unilateral[MOST];
} Problem;

static void column(void *context, size_t i, double *out) {
  Problem *p = context;
  p->columns++;
  for (size_t j = 0; j < p->n; j++) out[j] = p->W[MOST * i + j];
}

static MbPivotingResult solve(MbPivoting *pivoting, Problem *p) {
  const MbMixedProblem problem = {.n = p->n,
                                  .b = p->b,
                                  .slack = p->slack,
                                  .least = p->least,
                                  .unilateral = p->unilateral,
                                  .column = column,
                                  .context = p};
  p->columns = 0;
  return mb_pivoting_solve(pivoting, &problem);
}

// W = BᵀB of rank at most `rank`, rows scaled over some orders of magnitude; half of the rows unilateral.
static Problem random_problem(uint64_t *seed, size_t n, size_t rank) {
  Problem p = {.n = n};
  double B[MOST * MOST];
  for (size_t j = 0; j < n; j++) {
    const double scale = pow(10, 2 * test_random(seed) - 1);
    for (size_t k = 0; k < rank; k++) B[MOST * k + j] = scale * (2 * test_random(seed) - 1);
    p.unilateral[j] = test_random(seed) < 0.6;
    p.slack[j] = 1e-13;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < rank; k++) p.W[MOST * i + j] += B[MOST * k + i] * B[MOST * k + j];
  return p;
}

// x ← A⁻¹ x by elimination with pivots; false where A is singular
static bool eliminate(double *A, double *x, size_t n) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(A[MOST * i + k]) > fabs(A[MOST * best + k])) best = i;
    if (fabs(A[MOST * best + k]) < 1e-14) return false;
    for (size_t j = 0; j < n; j++) {
      const double t = A[MOST * k + j];
      A[MOST * k + j] = A[MOST * best + j], A[MOST * best + j] = t;
    }
    const double t = x[k];
    x[k] = x[best], x[best] = t;
    for (size_t i = k + 1; i < n; i++) {
      const double l = A[MOST * i + k] / A[MOST * k + k];
      for (size_t j = k; j < n; j++) A[MOST * i + j] -= l * A[MOST * k + j];
      x[i] -= l * x[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= A[MOST * k + j] * x[j];
    x[k] /= A[MOST * k + k];
  }
  return true;
}

// λ by trying every set of unilateral rows; false where none fits.
static bool enumerate(const Problem *p, double *lambda) {
  for (unsigned set = 0; set < 1u << p->n; set++) {
    size_t held[MOST], n = 0;
    bool fits = true;
    for (size_t i = 0; i < p->n; i++) {
      const bool in = set >> i & 1;
      fits &= in || p->unilateral[i];
      if (in) held[n++] = i;
    }
    double A[MOST * MOST], x[MOST];
    for (size_t i = 0; i < n; i++) {
      x[i] = -p->b[held[i]];
      for (size_t j = 0; j < n; j++) A[MOST * i + j] = p->W[MOST * held[i] + held[j]];
    }
    if (!fits || !eliminate(A, x, n)) continue;
    memset(lambda, 0, MOST * sizeof *lambda);
    for (size_t i = 0; i < n; i++) {
      lambda[held[i]] = x[i];
      fits &= !p->unilateral[held[i]] || x[i] >= -1e-10;
    }
    for (size_t i = 0; i < p->n && fits; i++) {
      double w = p->b[i];
      for (size_t j = 0; j < p->n; j++) w += p->W[MOST * i + j] * lambda[j];
      fits = (set >> i & 1) || w >= -1e-10;
    }
    if (fits) return true;
  }
  return false;
}

Test(pivoting, a_definite_problem_has_the_solution_that_trying_every_set_finds) {
  uint64_t seed = 5;
  MbPivoting pivoting = {0};
  size_t driven = 0;
  for (int round = 0; round < 4000; round++) {
    const size_t n = 1 + (size_t)(MOST * test_random(&seed));
    Problem p = random_problem(&seed, n, n);
    double known[MOST] = {0};
    for (size_t i = 0; i < n; i++)
      p.W[MOST * i + i] *= 1.05; // definite, and conditions of some thousands at most
    for (size_t i = 0; i < n; i++) p.b[i] = 2 * test_random(&seed) - 1;
    cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED, "round %d", round);
    cr_assert(enumerate(&p, known), "round %d", round);
    double most = 1;
    for (size_t i = 0; i < n; i++) {
      most = fmax(most, fabs(known[i]));
      driven += p.unilateral[i] && known[i] > 0;
      cr_assert_not(pivoting.dropped[i]);
    }
    test_near("λ", pivoting.lambda, known, n, 1e-9 * most);
  }
  cr_assert_gt(driven, 3000); // the problems are not trivial
  mb_pivoting_free(&pivoting);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Of dependent rows W λ is unique, λ is not. b is made from a solution, so that there is one.
Test(pivoting, dependent_rows_are_dropped_and_still_come_to_what_they_ask) {
  uint64_t seed = 6;
  MbPivoting pivoting = {0};
  size_t dropped = 0;
  for (int round = 0; round < 4000; round++) {
    const size_t n = 2 + (size_t)((MOST - 1) * test_random(&seed)),
                 rank = 1 + (size_t)((double)(n - 1) * test_random(&seed));
    Problem p = random_problem(&seed, n, rank);
    double known[MOST] = {0}, size = 0;
    for (size_t j = 0; j < n; j++) {
      const bool in = !p.unilateral[j] || test_random(&seed) < 0.5;
      const double lambda = (p.unilateral[j] ? 1 : 2 * test_random(&seed) - 1) * test_random(&seed);
      known[j] = in ? 0 : test_random(&seed);
      p.b[j] += known[j];
      for (size_t i = 0; i < n && in; i++) p.b[i] -= p.W[MOST * i + j] * lambda;
    }
    for (size_t j = 0; j < n; j++) size = fmax(size, fabs(p.b[j]));
    for (size_t j = 0; j < n; j++) p.slack[j] = 1e-12 * size;
    cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED, "round %d", round);
    for (size_t j = 0; j < n; j++) {
      dropped += pivoting.dropped[j];
      cr_assert(!p.unilateral[j] || pivoting.lambda[j] >= 0, "round %d", round);
    }
    test_near("w", pivoting.w, known, n,
              1e-6 * fmax(size, 1)); // pivots may be 1e-10 of what they are left of
  }
  cr_assert_gt(dropped, 1000);
  mb_pivoting_free(&pivoting);
}

Test(pivoting, rows_that_contradict_each_other_are_dropped_with_what_they_miss) {
  MbPivoting pivoting = {0};
  Problem p = {.n = 2, .W = {[0] = 2, [1] = 2, [MOST] = 2, [MOST + 1] = 2}, .b = {1, 3}};
  cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED);
  test_near("w", pivoting.w, (double[]){0, 2}, 2, 1e-14);
  cr_assert(!pivoting.dropped[0] && pivoting.dropped[1]);

  // nothing can push a held row away
  p.unilateral[1] = true;
  p.b[1] = -3;
  cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED);
  cr_assert(pivoting.dropped[1] && isfinite(pivoting.lambda[1]));
  test_near("w", pivoting.w, (double[]){0, -4}, 2, 1e-14);

  // a row that moves nothing
  p = (Problem){.n = 1, .W = {1e-30}, .b = {1}, .least = {1e-22}};
  cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED);
  cr_assert(pivoting.dropped[0] && pivoting.lambda[0] == 0 && pivoting.w[0] == 1);
  mb_pivoting_free(&pivoting);
}

Test(pivoting, columns_are_made_for_the_rows_that_act_only) {
  MbPivoting pivoting = {0};
  uint64_t seed = 8;
  Problem p = random_problem(&seed, MOST, MOST);
  for (size_t i = 0; i < MOST; i++) {
    for (size_t j = 0; j < MOST; j++) p.W[MOST * i + j] = i == j;
    p.unilateral[i] = i != 2;
    p.b[i] = i == 4 ? -1 : 1;
  }
  cr_assert_eq(solve(&pivoting, &p), MB_PIVOTED);
  cr_assert_eq(p.columns, 2); // the bilateral row and the one that asks
  mb_pivoting_free(&pivoting);
}

enum { MANY = 90 };
typedef struct Large {
  double W[MANY * MANY], b[MANY], slack[MANY], least[MANY];
  bool unilateral[MANY];
  size_t columns;
} Large;

static void large_column(void *context, size_t i, double *out) {
  Large *p = context;
  p->columns++;
  memcpy(out, p->W + MANY * i, MANY * sizeof *out);
}

static void solve_large(MbPivoting *pivoting, Large *p, bool same) {
  const MbMixedProblem problem = {.n = MANY,
                                  .b = p->b,
                                  .slack = p->slack,
                                  .least = p->least,
                                  .unilateral = p->unilateral,
                                  .column = large_column,
                                  .context = p,
                                  .same = same};
  p->columns = 0;
  cr_assert_eq(mb_pivoting_solve(pivoting, &problem), MB_PIVOTED);
  for (size_t i = 0; i < MANY; i++) {
    const double w = pivoting->w[i], lambda = pivoting->lambda[i];
    cr_assert(p->unilateral[i] ? w > -1e-9 && lambda >= 0 && fabs(w * lambda) < 1e-9 : fabs(w) < 1e-9,
              "row %zu: w %g, lambda %g", i, w, lambda);
  }
}

static void random_aims(Large *p, uint64_t *seed) {
  for (size_t i = 0; i < MANY; i++) p->b[i] = 2 * test_random(seed) - 1;
}

// Many rows are factored by blocks, and the factor is kept while the rows stay the same: with the solution of a new start.
Test(pivoting, many_rows_that_stay_the_same_come_to_the_solution_of_a_new_start) {
  static Large p;
  static double B[MANY * MANY], again[MANY];
  uint64_t seed = 11;
  for (size_t i = 0; i < MANY * MANY; i++) B[i] = 2 * test_random(&seed) - 1;
  for (size_t i = 0; i < MANY; i++) {
    p.unilateral[i] = i >= 70;
    p.slack[i] = 1e-12;
    for (size_t j = 0; j < MANY; j++) {
      p.W[MANY * i + j] = i == j ? 5 : 0;
      for (size_t k = 0; k < MANY; k++) p.W[MANY * i + j] += B[MANY * k + i] * B[MANY * k + j];
    }
  }
  MbPivoting kept = {0}, anew = {0};
  random_aims(&p, &seed);
  solve_large(&kept, &p, false);
  cr_assert_geq(p.columns, 70);
  for (int round = 0; round < 5; round++) {
    random_aims(&p, &seed);
    solve_large(&kept, &p, true);
    cr_assert_leq(p.columns, 20, "%zu columns are made again", p.columns);
    memcpy(again, kept.lambda, sizeof again);
    solve_large(&anew, &p, false);
    test_near("lambda", again, anew.lambda, MANY, 1e-10);
  }
  // of rows that are the same one is dropped, however many there are
  memcpy(p.W + MANY, p.W, MANY * sizeof *p.W);
  for (size_t i = 0; i < MANY; i++) p.W[MANY * i + 1] = p.W[MANY * i];
  p.W[MANY + 1] = p.W[0], p.b[1] = p.b[0];
  solve_large(&anew, &p, false);
  cr_assert(anew.dropped[0] != anew.dropped[1]);
  mb_pivoting_free(&kept);
  mb_pivoting_free(&anew);
}

Test(pivoting, memory_that_runs_out_is_told) {
  for (int k = 0;; k++) {
    MbPivoting pivoting = {0};
    uint64_t seed = 3;
    Problem p = random_problem(&seed, MOST, MOST);
    for (size_t i = 0; i < MOST; i++) p.b[i] = -1;
    mb_alloc_fail_after(k);
    const MbPivotingResult result = solve(&pivoting, &p);
    mb_alloc_fail_after(-1);
    mb_pivoting_free(&pivoting);
    cr_assert_eq(mb_alloc_live(), 0);
    if (result == MB_PIVOTED) break;
    cr_assert_eq(result, MB_PIVOTING_MEMORY);
    cr_assert_lt(k, 100);
  }
}
