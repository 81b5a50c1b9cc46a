// With P S Q = L U of the first `rank` pivots, L with ones on its diagonal,
//
//   S y = x:    U (Q⁻¹ y) = L⁻¹ P x             Sᵀ y = x:    Lᵀ (P y) = U⁻ᵀ Qᵀ x
//
// where all that is beyond the rank is left out.
#include "core/sim/dense_lu.h"

#include <math.h>
#include <string.h>

// ---- partial pivoting, by columns -----------------------------------------------------------------------------------

bool mb_lu_factor(double *A, size_t n, size_t *pivot) {
  for (size_t k = 0; k < n; k++) {
    double *column = A + n * k;
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[best])) best = i;
    if (!(fabs(column[best]) > 0) || !isfinite(column[best])) return false;
    pivot[k] = best;
    for (size_t j = 0; j < n && best != k; j++) {
      const double other = A[n * j + k];
      A[n * j + k] = A[n * j + best], A[n * j + best] = other;
    }
    for (size_t i = k + 1; i < n; i++) column[i] /= column[k];
    for (size_t j = k + 1; j < n; j++) {
      double *to = A + n * j;
      const double by = to[k];
      if (by == 0) continue;
      for (size_t i = k + 1; i < n; i++) to[i] -= by * column[i];
    }
  }
  return true;
}

void mb_lu_solve(const double *A, size_t n, const size_t *pivot, double *x) {
  for (size_t k = 0; k < n; k++) {
    const double other = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = other;
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) x[i] -= A[n * k + i] * x[k];
  for (size_t k = n; k-- > 0;) {
    x[k] /= A[n * k + k];
    for (size_t i = 0; i < k; i++) x[i] -= A[n * k + i] * x[k];
  }
}

void mb_lu_solve_transposed(const double *A, size_t n, const size_t *pivot, double *x) {
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < k; i++) x[k] -= A[n * k + i] * x[i];
    x[k] /= A[n * k + k];
  }
  for (size_t k = n; k-- > 0;)
    for (size_t i = k + 1; i < n; i++) x[k] -= A[n * k + i] * x[i];
  for (size_t k = n; k-- > 0;) {
    const double other = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = other;
  }
}

// ---- the largest pivots, of rows that may say the same --------------------------------------------------------------

bool mb_ranked_create(MbArena *arena, MbRanked *ranked, size_t n) {
  *ranked = (MbRanked){.S = mb_arena_alloc(arena, n * n, sizeof(double)),
                       .row = mb_arena_alloc(arena, n, sizeof(size_t)),
                       .column = mb_arena_alloc(arena, n, sizeof(size_t)),
                       .y = mb_arena_alloc(arena, n, sizeof(double)),
                       .weight = mb_arena_alloc(arena, n, sizeof(double))};
  return ranked->S && ranked->row && ranked->column && ranked->y && ranked->weight;
}

static void exchange(size_t *list, size_t i, size_t k) {
  const size_t other = list[i];
  list[i] = list[k], list[k] = other;
}

// Weights of rows and columns by which the largest numbers of each are near 1, whatever the masses are that rows move.
static void weigh(MbRanked *r) {
  enum { TURNS = 3 };
  const size_t m = r->m;
  double *most = r->y;
  for (size_t i = 0; i < m; i++) r->weight[i] = 1;
  for (int turn = 0; turn < TURNS; turn++) {
    if (m) memset(most, 0, m * sizeof *most);
    for (size_t i = 0; i < m; i++)
      for (size_t k = 0; k < m; k++) {
        const double size = fabs(r->S[m * i + k]) * r->weight[i] * r->weight[k];
        most[i] = fmax(most[i], size), most[k] = fmax(most[k], size);
      }
    for (size_t i = 0; i < m; i++)
      if (most[i] > 0) r->weight[i] /= sqrt(most[i]);
  }
}

// Puts the largest number that is left, as weighed, where the next pivot is; returns its size.
static double next_pivot(MbRanked *r) {
  const size_t m = r->m;
  size_t best_i = r->rank, best_k = r->rank;
  double best = 0;
  for (size_t i = r->rank; i < m; i++)
    for (size_t k = r->rank; k < m; k++) {
      const size_t row = r->row[i], column = r->column[k];
      const double size = fabs(r->S[m * row + column]) * r->weight[row] * r->weight[column];
      if (size > best) best = size, best_i = i, best_k = k;
    }
  exchange(r->row, r->rank, best_i), exchange(r->column, r->rank, best_k);
  return best;
}

void mb_ranked_factor(MbRanked *r, size_t m) {
  static const double NONE = 1e-9; // of the largest
  double first = 0;
  r->m = m, r->rank = 0;
  for (size_t i = 0; i < m; i++) r->row[i] = r->column[i] = i;
  weigh(r);
  for (; r->rank < m; r->rank++) {
    const double size = next_pivot(r);
    if (r->rank == 0) first = size;
    if (!(size > NONE * first)) return;
    const double *const from = r->S + m * r->row[r->rank];
    const size_t c = r->column[r->rank];
    for (size_t i = r->rank + 1; i < m; i++) {
      double *const to = r->S + m * r->row[i], by = to[c] /= from[c];
      for (size_t k = r->rank + 1; k < m; k++) to[r->column[k]] -= by * from[r->column[k]];
    }
  }
}

static double entry(const MbRanked *r, size_t i, size_t k) { return r->S[r->m * r->row[i] + r->column[k]]; }

void mb_ranked_solve(MbRanked *r, const double *x, double *out) {
  double *y = r->y;
  for (size_t i = 0; i < r->rank; i++) {
    y[i] = x[r->row[i]];
    for (size_t k = 0; k < i; k++) y[i] -= entry(r, i, k) * y[k];
  }
  for (size_t i = r->rank; i-- > 0;) {
    for (size_t k = i + 1; k < r->rank; k++) y[i] -= entry(r, i, k) * y[k];
    y[i] /= entry(r, i, i);
  }
  if (r->m) memset(out, 0, r->m * sizeof *out);
  for (size_t i = 0; i < r->rank; i++) out[r->column[i]] = y[i];
}

void mb_ranked_solve_transposed(MbRanked *r, const double *x, double *out) {
  double *y = r->y;
  for (size_t i = 0; i < r->rank; i++) {
    y[i] = x[r->column[i]];
    for (size_t k = 0; k < i; k++) y[i] -= entry(r, k, i) * y[k];
    y[i] /= entry(r, i, i);
  }
  for (size_t i = r->rank; i-- > 0;)
    for (size_t k = i + 1; k < r->rank; k++) y[i] -= entry(r, k, i) * y[k];
  if (r->m) memset(out, 0, r->m * sizeof *out);
  for (size_t i = 0; i < r->rank; i++) out[r->row[i]] = y[i];
}

void mb_ranked_left(MbRanked *r, const double *x, double *left) {
  double *y = r->y;
  for (size_t i = 0; i < r->m; i++) {
    y[i] = x[r->row[i]];
    for (size_t k = 0; k < i && k < r->rank; k++) y[i] -= entry(r, i, k) * y[k];
  }
  for (size_t i = 0; i < r->m; i++) left[r->row[i]] = i < r->rank ? 0 : y[i];
}

void mb_ranked_null(MbRanked *r, size_t free, double *out) {
  double *y = r->y;
  for (size_t i = r->rank; i-- > 0;) {
    y[i] = -entry(r, i, free);
    for (size_t k = i + 1; k < r->rank; k++) y[i] -= entry(r, i, k) * y[k];
    y[i] /= entry(r, i, i);
  }
  memset(out, 0, r->m * sizeof *out);
  for (size_t i = 0; i < r->rank; i++) out[r->column[i]] = y[i];
  out[r->column[free]] = 1;
}
