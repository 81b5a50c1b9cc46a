// With P the tight rows, W_PP = L Lᵀ. Driving row r by λ_r moves the tight ones by  dλ_P = −W_PP⁻¹ W_Pr  and its own w by
// W_rr − W_rP W_PP⁻¹ W_Pr ≥ 0: the next pivot. Either w_r comes to 0 and r is tight, or the λ of a unilateral tight row
// comes to 0 first and that row is let go. Every such step makes ½ λᵀWλ + bᵀλ smaller, so that no set comes back.
#include "core/contact/pivoting.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-10; // pivot over W_ii: what cancellation leaves of nothing is some 1e-14

void mb_pivoting_free(MbPivoting *p) {
  mb_free(p->lambda);
  mb_free(p->w);
  mb_free(p->dropped);
  mb_free(p->tight);
  mb_free(p->L);
  mb_free(p->W);
  mb_free(p->place);
  mb_free(p->t);
  mb_free(p->d);
  *p = (MbPivoting){0};
}

size_t mb_pivoting_bytes(const MbPivoting *p) {
  return p->rows * (4 * sizeof(double) + 2 * sizeof(size_t) + sizeof(bool)) +
         p->columns * (p->rows + p->columns) * sizeof(double);
}

static bool grow(void *at, size_t count, size_t size) {
  void *old, *block;
  memcpy(&old, at, sizeof old);
  if (!(block = mb_realloc(old, count, size))) return false;
  memcpy(at, &block, sizeof block);
  return true;
}

bool mb_pivoting_reserve(MbPivoting *p, size_t n, size_t tight) {
  size_t product = 0;
  if (n > p->rows) {
    if (!grow(&p->lambda, n, sizeof *p->lambda) || !grow(&p->w, n, sizeof *p->w) ||
        !grow(&p->dropped, n, sizeof *p->dropped) || !grow(&p->tight, n, sizeof *p->tight) ||
        !grow(&p->place, n, sizeof *p->place) || !grow(&p->t, n, sizeof *p->t) ||
        !grow(&p->d, n, sizeof *p->d))
      return false;
  }
  if (n > p->rows || tight > p->columns) {
    const size_t rows = n > p->rows ? n : p->rows, columns = tight > p->columns ? tight : p->columns;
    if (__builtin_mul_overflow(rows, columns, &product) || !grow(&p->W, product, sizeof *p->W)) return false;
    p->rows = rows;
    // the factor's rows are moved apart
    if (!grow(&p->L, columns * columns, sizeof *p->L)) return false;
    for (size_t i = p->ntight; i-- > 0;)
      memmove(p->L + i * columns, p->L + i * p->columns, p->ntight * sizeof *p->L);
    p->columns = columns;
  }
  return true;
}

// Column i of W, made where it is not there yet; NULL when memory ran out.
static const double *column(MbPivoting *p, const MbMixedProblem *problem, size_t i) {
  if (p->place[i]) return p->W + (p->place[i] - 1) * problem->n;
  if (p->nmade == p->columns && !mb_pivoting_reserve(p, problem->n, 2 * p->columns + 8)) return NULL;
  double *out = p->W + p->nmade * problem->n;
  problem->column(problem->context, i, out);
  p->place[i] = ++p->nmade;
  return out;
}

static const double *made(const MbPivoting *p, const MbMixedProblem *problem, size_t i) {
  return p->W + (p->place[i] - 1) * problem->n;
}

// ---- the factor -------------------------------------------------------------------------------------------

// t (ntight) ← L⁻¹ of row r's coupling to the tight rows; the next pivot
static double couple(const MbPivoting *p, const MbMixedProblem *problem, size_t r, double *t) {
  const double *Wr = made(p, problem, r);
  double d = Wr[r];
  for (size_t k = 0; k < p->ntight; k++) {
    const double *row = p->L + k * p->columns;
    double s = Wr[p->tight[k]];
    for (size_t j = 0; j < k; j++) s -= row[j] * t[j];
    t[k] = s / row[k];
    d -= t[k] * t[k];
  }
  return d;
}

// Holds row r, whose coupling is t and whose pivot is d. False when memory ran out.
static bool hold(MbPivoting *p, const MbMixedProblem *problem, size_t r, const double *t, double d) {
  if (p->ntight == p->columns && !mb_pivoting_reserve(p, problem->n, 2 * p->columns + 8)) return false;
  double *row = p->L + p->ntight * p->columns;
  memcpy(row, t, p->ntight * sizeof *row);
  row[p->ntight] = sqrt(d);
  p->tight[p->ntight++] = r;
  return true;
}

static bool independent(const MbMixedProblem *problem, size_t r, double d, double Wrr) {
  return d > problem->least[r] && d > DEPENDENT * Wrr && isfinite(d);
}

// Lets go of the tight row at place k: the rows behind it are factored anew.
static void let_go(MbPivoting *p, const MbMixedProblem *problem, size_t k) {
  const size_t n = p->ntight;
  p->ntight = k;
  for (size_t i = k + 1; i < n; i++) {
    const size_t r = p->tight[i];
    double *t = p->L + p->ntight * p->columns; // its own row, and it only loses a coupling
    const double d = couple(p, problem, r, t);
    t[p->ntight] = sqrt(fmax(d, 0x1p-52 * made(p, problem, r)[r]));
    p->tight[p->ntight++] = r;
  }
}

static void solve_lower(const MbPivoting *p, double *x) {
  for (size_t i = 0; i < p->ntight; i++) {
    for (size_t j = 0; j < i; j++) x[i] -= p->L[i * p->columns + j] * x[j];
    x[i] /= p->L[i * p->columns + i];
  }
}

static void solve_upper(const MbPivoting *p, double *x) {
  for (size_t i = p->ntight; i-- > 0;) {
    x[i] /= p->L[i * p->columns + i];
    for (size_t j = 0; j < i; j++) x[j] -= p->L[i * p->columns + j] * x[i];
  }
}

// ---- bilateral rows ---------------------------------------------------------------------------------------

static void exchange(MbPivoting *p, size_t i, size_t k) {
  if (i == k) return;
  double *a = p->L + i * p->columns, *b = p->L + k * p->columns;
  for (size_t j = 0; j < k; j++) {
    const double l = a[j];
    a[j] = b[j], b[j] = l;
  }
  const size_t row = p->tight[i];
  const double d = p->d[i];
  p->tight[i] = p->tight[k], p->tight[k] = row;
  p->d[i] = p->d[k], p->d[k] = d;
}

// Cholesky without pivots, by blocks: of many rows that are plainly independent. False where some are not, or where
// LAPACK cannot be had.
static bool hold_many(MbPivoting *p, const MbMixedProblem *problem, size_t count) {
  static const double PLAINLY = 1e-6; // pivot over W_ii
  const int n = (int)count, stride = (int)p->columns;
  if (!mb_blas_start(1)) return false;
  for (size_t i = 0; i < count; i++) {
    const double *Wi = made(p, problem, p->tight[i]);
    for (size_t j = 0; j <= i; j++) p->L[i * p->columns + j] = Wi[p->tight[j]];
  }
  // rows there are columns here: the upper factor of columns is the lower one of rows
  if (mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'U', n, p->L, stride) != 0) return false;
  for (size_t i = 0; i < count; i++) {
    const double l = p->L[i * p->columns + i], Wii = made(p, problem, p->tight[i])[p->tight[i]];
    if (!independent(problem, p->tight[i], l * l, Wii) || !(l * l > PLAINLY * Wii)) return false;
  }
  p->ntight = count;
  return true;
}

// Cholesky with pivots: at each turn the waiting row that keeps most of its W_ii comes next. Row i of L is that of
// tight[i] throughout, d[i] what the rows before k leave of its W_ii.
static bool hold_bilateral(MbPivoting *p, const MbMixedProblem *problem) {
  enum { MANY = 64 };
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++) {
    if (problem->unilateral[i]) continue;
    if (!column(p, problem, i)) return false;
    p->tight[count] = i;
    p->d[count++] = made(p, problem, i)[i];
  }
  if (count > p->columns && !mb_pivoting_reserve(p, problem->n, count)) return false;
  if (count >= MANY && hold_many(p, problem, count)) return true;
  for (size_t k = 0; k < count; k++) {
    size_t best = SIZE_MAX;
    double most = 0;
    for (size_t i = k; i < count; i++) {
      const double Wii = made(p, problem, p->tight[i])[p->tight[i]];
      if (!independent(problem, p->tight[i], p->d[i], Wii) || p->d[i] <= most * Wii) continue;
      most = p->d[i] / Wii * (1 + 1e-6); // of equals, the first
      best = i;
    }
    if (best == SIZE_MAX) {
      for (size_t i = k; i < count; i++) p->dropped[p->tight[i]] = true;
      break;
    }
    exchange(p, best, k);
    double *row = p->L + k * p->columns;
    const double *Wk = made(p, problem, p->tight[k]);
    row[k] = sqrt(p->d[k]);
    p->ntight = k + 1;
    for (size_t i = k + 1; i < count; i++) {
      double *other = p->L + i * p->columns, s = Wk[p->tight[i]];
      for (size_t j = 0; j < k; j++) s -= other[j] * row[j];
      other[k] = s / row[k];
      p->d[i] -= other[k] * other[k];
    }
  }
  return true;
}

// w ← W λ + b, λ being zero where no column was made
static void residual(MbPivoting *p, const MbMixedProblem *problem) {
  memcpy(p->w, problem->b, problem->n * sizeof *p->w);
  for (size_t j = 0; j < problem->n; j++) {
    if (p->lambda[j] == 0) continue;
    const double *Wj = made(p, problem, j);
    for (size_t i = 0; i < problem->n; i++) p->w[i] += Wj[i] * p->lambda[j];
  }
}

// λ_P ← λ_P − W_PP⁻¹ w_P, twice: the second time for what rounding has left
static void settle(MbPivoting *p, const MbMixedProblem *problem) {
  for (int turn = 0; turn < 2 && p->ntight; turn++) {
    residual(p, problem);
    for (size_t k = 0; k < p->ntight; k++) p->t[k] = -p->w[p->tight[k]];
    solve_lower(p, p->t);
    solve_upper(p, p->t);
    for (size_t k = 0; k < p->ntight; k++) {
      const size_t i = p->tight[k];
      p->lambda[i] += p->t[k];
      if (problem->unilateral[i]) p->lambda[i] = fmax(p->lambda[i], 0);
    }
  }
  residual(p, problem);
}

// ---- unilateral rows --------------------------------------------------------------------------------------

// Drives row r until it is tight, or until nothing stops it and it cannot move: then it is dropped. `pivots` counts down.
static MbPivotingResult drive(MbPivoting *p, const MbMixedProblem *problem, size_t r, size_t *pivots) {
  if (!column(p, problem, r)) return MB_PIVOTING_MEMORY;
  double w = p->w[r];
  for (; *pivots; (*pivots)--) {
    const double d = couple(p, problem, r, p->t);
    memcpy(p->d, p->t, p->ntight * sizeof *p->d);
    solve_upper(p, p->d); // λ_P falls by this for each unit of λ_r
    double way = independent(problem, r, d, made(p, problem, r)[r]) ? -w / d : INFINITY;
    size_t blocking = SIZE_MAX;
    for (size_t k = 0; k < p->ntight; k++) {
      const size_t i = p->tight[k];
      if (!problem->unilateral[i] || !(p->d[k] > 0) || p->lambda[i] >= way * p->d[k]) continue;
      way = p->lambda[i] / p->d[k];
      blocking = k;
    }
    if (isinf(way)) {
      p->dropped[r] = true;
      return MB_PIVOTED;
    }
    for (size_t k = 0; k < p->ntight; k++) p->lambda[p->tight[k]] -= way * p->d[k];
    p->lambda[r] += way;
    w += way * d;
    if (blocking == SIZE_MAX) return hold(p, problem, r, p->t, d) ? MB_PIVOTED : MB_PIVOTING_MEMORY;
    p->lambda[p->tight[blocking]] = 0;
    let_go(p, problem, blocking);
  }
  return MB_PIVOTING_CYCLES;
}

// The unilateral row that asks most, or from some number of pivots on the first that asks, so that ties cannot go round.
static size_t next(const MbPivoting *p, const MbMixedProblem *problem, bool first) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < problem->n; i++) {
    if (!problem->unilateral[i] || p->dropped[i] || !(p->w[i] < -problem->slack[i])) continue;
    bool tight = false;
    for (size_t k = 0; k < p->ntight && !tight; k++) tight = p->tight[k] == i;
    if (tight || (best != SIZE_MAX && p->w[i] >= p->w[best])) continue;
    best = i;
    if (first) break;
  }
  return best;
}

// Holds the bilateral rows, or keeps those that were tight in the last solution.
static bool begin(MbPivoting *p, const MbMixedProblem *problem) {
  const size_t n = problem->n;
  if (!mb_pivoting_reserve(p, n, 1)) return false;
  memset(p->lambda, 0, n * sizeof *p->lambda);
  if (problem->same) {
    for (size_t i = 0; i < n; i++) p->dropped[i] &= !problem->unilateral[i];
    p->ntight = p->nbilateral;
    return true;
  }
  p->ntight = p->nmade = 0;
  memset(p->dropped, 0, n * sizeof *p->dropped);
  memset(p->place, 0, n * sizeof *p->place);
  const bool fine = hold_bilateral(p, problem);
  p->nbilateral = p->ntight;
  return fine;
}

MbPivotingResult mb_pivoting_solve(MbPivoting *p, const MbMixedProblem *problem) {
  const size_t n = problem->n;
  if (!n) return MB_PIVOTED;
  if (!begin(p, problem)) return MB_PIVOTING_MEMORY;
  settle(p, problem);

  const size_t all = 200 + 40 * n;
  size_t pivots = all;
  for (size_t r; (r = next(p, problem, pivots < all / 2)) != SIZE_MAX;) {
    const MbPivotingResult result = drive(p, problem, r, &pivots);
    if (result != MB_PIVOTED) return result;
    settle(p, problem);
  }
  return MB_PIVOTED;
}
