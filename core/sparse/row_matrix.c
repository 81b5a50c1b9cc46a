// The matrix by rows: products, residuals, and a bound on its largest eigenvalue for sweeps.
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/sparse/row_matrix.h"
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/base/targets.h"

#include <math.h>
#include <string.h>

static const size_t GRAIN = 1024; // rows of one thread at least

// ---- shape and numbers ------------------------------------------------------------------------------------------

MbRowMatrix *mb_row_matrix_make(const MbPattern *A) {
  const size_t n = A->n;
  size_t count = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++) count += A->row[p] != j;
  MbRowMatrix *R = mb_calloc(1, sizeof *R);
  if (!R) return NULL;
  R->n = n;
  R->start = mb_calloc(n + 2, sizeof *R->start);
  R->column = mb_calloc(2 * count, sizeof *R->column);
  R->source = mb_calloc(2 * count, sizeof *R->source);
  R->value = mb_calloc(2 * count, sizeof *R->value);
  R->diagonal = mb_calloc(n, sizeof *R->diagonal);
  R->bytes = sizeof *R + (n + 2) * sizeof *R->start + n * sizeof *R->diagonal +
             2 * count * (sizeof *R->column + sizeof *R->source + sizeof *R->value);
  if (!R->start || !R->column || !R->source || !R->value || !R->diagonal) {
    mb_row_matrix_free(R);
    return NULL;
  }
  // start[i + 2] counts, then start[i + 1] is where the next entry of row i goes
  size_t *next = R->start + 1;
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++)
      if (A->row[p] != j) next[A->row[p] + 1]++, next[j + 1]++;
  for (size_t i = 1; i < n; i++) next[i] += next[i - 1];
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++) {
      const uint32_t i = A->row[p];
      if (i == j) continue;
      R->column[next[i]] = (uint32_t)j, R->source[next[i]++] = p;
      R->column[next[j]] = i, R->source[next[j]++] = p;
    }
  return R;
}

void mb_row_matrix_free(MbRowMatrix *R) {
  if (!R) return;
  void *const blocks[] = {R->start, R->column, R->source, R->value, R->diagonal,
                          R->x[0],  R->x[1],   R->b,      R->d,     R};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

bool mb_row_matrix_hold(MbRowMatrix *R) {
  double **const vectors[] = {&R->x[0], &R->x[1], &R->b, &R->d};
  bool ok = mb_blas_start(1);
  for (int k = 0; k < 4; k++) {
    *vectors[k] = mb_calloc(4 * R->n, sizeof(double));
    R->bytes += 4 * R->n * sizeof(double);
    ok &= *vectors[k] != NULL;
  }
  return ok;
}

void mb_row_matrix_fill(MbRowMatrix *R, const MbPattern *A, const double *values) {
  for (size_t p = 0; p < R->start[R->n]; p++) R->value[p] = values[R->source[p]];
  for (size_t j = 0; j < R->n; j++) {
    R->diagonal[j] = 0;
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++)
      if (A->row[p] == j) R->diagonal[j] += values[p];
  }
}

// ---- products ---------------------------------------------------------------------------------------------------

typedef struct Product {
  const MbRowMatrix *R;
  const double *b, *x;
  double *r;
} Product;

static void residual_row(const MbRowMatrix *R, size_t i, const double *b, const double *x, double r[3]) {
  for (size_t k = 0; k < 3; k++) r[k] = b[3 * i + k] - R->diagonal[i] * x[3 * i + k];
  for (size_t p = R->start[i]; p < R->start[i + 1]; p++)
    for (size_t k = 0; k < 3; k++) r[k] -= R->value[p] * x[3 * (size_t)R->column[p] + k];
}

static void residual_rows(void *context, size_t begin, size_t end) {
  const Product *w = context;
  for (size_t i = begin; i < end; i++) residual_row(w->R, i, w->b, w->x, w->r + 3 * i);
}

void mb_row_matrix_residual(const MbRowMatrix *R, const double *b, const double *x, double *r, int threads) {
  mb_parallel_ranges(threads, R->n, GRAIN, residual_rows, &(Product){R, b, x, r});
}

double mb_row_matrix_residual_norm(const MbRowMatrix *R, const double *b, const double *x) {
  double worst = 0, largest = 0;
  for (size_t i = 0; i < R->n; i++) {
    double r[3];
    residual_row(R, i, b, x, r);
    for (size_t k = 0; k < 3; k++)
      worst = fmax(worst, fabs(r[k])), largest = fmax(largest, fabs(b[3 * i + k]));
  }
  return largest > 0 ? worst / largest : worst;
}

// ---- spectrum -----------------------------------------------------------------------------------------------------

enum { STEPS = 40 };

// y = D^−½ A D^−½ x, s = D^−½
static void scaled(const MbRowMatrix *R, const double *s, const double *x, double *y) {
  for (size_t i = 0; i < R->n; i++) {
    double sum = 0;
    for (size_t p = R->start[i]; p < R->start[i + 1]; p++)
      sum += R->value[p] * s[R->column[p]] * x[R->column[p]];
    y[i] = x[i] + s[i] * sum;
  }
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Lanczos. The eigenvalues of the tridiagonal matrix are within the spectrum; Gershgorin's circles bound it from above.
static void lanczos(MbRowMatrix *R, const double *s, double *v, double *w, double *before) {
  const size_t n = R->n;
  double alpha[STEPS], beta[STEPS + 1] = {0};
  int steps = 0;
  for (size_t i = 0; i < n; i++) { // any vector that is not orthogonal to what matters
    uint64_t h = (i + 1) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    v[i] = (double)(h * 0xBF58476D1CE4E5B9u >> 11) / 9007199254740992.0 - 0.5;
  }
  const double norm = sqrt(dot(n, v, v));
  for (size_t i = 0; i < n; i++) v[i] /= norm > 0 ? norm : 1;
  for (; steps < STEPS; steps++) {
    scaled(R, s, v, w);
    alpha[steps] = dot(n, v, w);
    for (size_t i = 0; i < n; i++) w[i] -= alpha[steps] * v[i] + beta[steps] * before[i];
    beta[steps + 1] = sqrt(dot(n, w, w));
    if (!(beta[steps + 1] > 1e-8)) {
      steps++;
      break;
    }
    for (size_t i = 0; i < n; i++) before[i] = v[i], v[i] = w[i] / beta[steps + 1];
  }
  const double rest = steps < STEPS ? 0 : beta[steps];
  R->low = R->high = 1;
  if (mb_lapack.dsterf(steps, alpha, beta + 1) == 0)
    R->low = alpha[0], R->high = alpha[steps - 1] + 0.1 * rest;
  double circles = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 1;
    for (size_t p = R->start[i]; p < R->start[i + 1]; p++) sum += fabs(R->value[p]) * s[i] * s[R->column[p]];
    circles = fmax(circles, sum);
  }
  R->high = fmin(1.01 * R->high, circles);
  R->low = fmin(fmax(0.9 * R->low, 1e-6 * R->high), R->high);
}

bool mb_row_matrix_fill_for_sweeps(MbRowMatrix *R, const MbPattern *A, const double *values, size_t *blame) {
  for (size_t j = 0; j < R->n; j++) {
    double sum = 0;
    for (size_t p = A->start[j]; p < A->start[j + 1]; p++)
      if (A->row[p] == j) sum += values[p];
    if (!(sum > 0) || !isfinite(sum)) {
      *blame = j;
      return false;
    }
  }
  mb_row_matrix_fill(R, A, values);
  double *const s = R->d; // the sweeps' vectors are free yet
  for (size_t i = 0; i < R->n; i++) s[i] = 1 / sqrt(R->diagonal[i]), R->b[i] = 0;
  lanczos(R, s, R->x[0], R->x[1], R->b);
  return true;
}

// ---- sweeps -------------------------------------------------------------------------------------------------------

typedef double V4 __attribute__((vector_size(32)));

typedef struct Sweep {
  MbRowMatrix *R;
  size_t now; // which x is read
  double c1, c2;
} Sweep;

MB_CLONES static void sweep_rows(void *context, size_t begin, size_t end) {
  const Sweep *w = context;
  const MbRowMatrix *R = w->R;
  const double *x = R->x[w->now];
  double *next = R->x[1 - w->now];
  for (size_t i = begin; i < end; i++) {
    V4 own, d, sum;
    memcpy(&own, x + 4 * i, sizeof own);
    memcpy(&sum, R->b + 4 * i, sizeof sum);
    memcpy(&d, R->d + 4 * i, sizeof d);
    sum -= R->diagonal[i] * own;
    for (size_t p = R->start[i]; p < R->start[i + 1]; p++) {
      V4 other;
      memcpy(&other, x + 4 * (size_t)R->column[p], sizeof other);
      sum -= R->value[p] * other;
    }
    d = w->c1 * d + (w->c2 / R->diagonal[i]) * sum;
    own += d;
    memcpy(R->d + 4 * i, &d, sizeof d);
    memcpy(next + 4 * i, &own, sizeof own);
  }
}

void mb_row_matrix_sweep(MbRowMatrix *R, bool chebyshev, const double *b, double *x, size_t sweeps,
                         int threads) {
  const size_t n = R->n;
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < 3; r++) R->b[4 * i + r] = b[3 * i + r], R->x[0][4 * i + r] = x[3 * i + r];
  memset(R->d, 0, 4 * n * sizeof *R->d);
  const double theta = (R->high + R->low) / 2, delta = fmax((R->high - R->low) / 2, 1e-6 * theta);
  const double sigma = theta / delta;
  double rho = 1 / sigma;
  Sweep w = {.R = R, .c2 = chebyshev ? 1 / theta : fmin(1, 1.9 / R->high)};
  for (size_t k = 0; k < sweeps; k++) {
    mb_parallel_ranges(threads, n, GRAIN, sweep_rows, &w);
    w.now = 1 - w.now;
    if (!chebyshev) continue;
    const double after = 1 / (2 * sigma - rho);
    w.c1 = after * rho;
    w.c2 = 2 * after / delta;
    rho = after;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < 3; r++) x[3 * i + r] = R->x[w.now][4 * i + r];
}
