// Standard errors and correlations: C = s² (Jᵀ W J)⁻¹ over the unknowns that are not held at a bound. Columns are taken at length 1, so
// that units do not matter; a column of which less than 1e-7 is left beside the others is a sum of them as far as anybody can tell, and
// what stands in that sum is not determined.
#include "io/fit/fit.h"
#include "core/base/report.h"

#include <math.h>

static const double LOST = 1e-7, PART = 1e-3;

typedef struct Worth {
  const MbFitProblem *p;
  const MbFitFound *found;
  MbFitWorth *out;
  size_t *free, nfree, *order;
  double *matrix, *side, *length, *inverse;
  size_t rows;
} Worth;

// The free columns at length 1, as R.
static size_t reduce(Worth *w) {
  const size_t n = w->p->unknowns, m = w->p->numbers;
  const double *y = w->found->y;
  for (size_t k = 0; k < n; k++) {
    double down = 0, sum = 0;
    for (size_t i = 0; i < m; i++) {
      const double weight = mb_fit_weight(w->p, y, i), j = w->found->slopes[k * m + i];
      down -= weight * j * y[i], sum += weight * j * j;
    }
    w->length[k] = sqrt(sum);
    w->out->bound[k] = mb_fit_held(w->p, w->found->x, k, down) && down != 0;
    if (!w->out->bound[k]) w->free[w->nfree++] = k;
  }
  for (size_t c = 0; c < w->nfree; c++)
    for (size_t i = 0; i < m; i++) {
      const size_t k = w->free[c];
      const double root = sqrt(mb_fit_weight(w->p, y, i));
      w->matrix[c * w->rows + i] = w->length[k] > 0 ? root * w->found->slopes[k * m + i] / w->length[k] : 0;
    }
  mb_reflect(w->matrix, w->rows, w->nfree, w->side, w->order);
  size_t rank = 0;
  while (rank < w->nfree && fabs(w->matrix[rank * w->rows + rank]) > LOST) rank++;
  return rank;
}

// Column `lost` is a sum of the first `rank`: whatever has a part in it is untold.
static void mark(Worth *w, size_t rank, size_t lost) {
  double *part = w->side;
  w->out->untold[w->free[w->order[lost]]] = true;
  for (size_t i = rank; i-- > 0;) {
    part[i] = w->matrix[lost * w->rows + i];
    for (size_t k = i + 1; k < rank; k++) part[i] -= w->matrix[k * w->rows + i] * part[k];
    part[i] /= w->matrix[i * w->rows + i];
    if (fabs(part[i]) > PART) w->out->untold[w->free[w->order[i]]] = true;
  }
}

// inverse ← R⁻¹ of the first `rank`, upper.
static void invert(Worth *w, size_t rank) {
  const size_t n = w->p->unknowns;
  for (size_t c = 0; c < rank; c++)
    for (size_t i = c + 1; i-- > 0;) {
      double sum = i == c ? 1 : 0;
      for (size_t k = i + 1; k <= c; k++) sum -= w->matrix[k * w->rows + i] * w->inverse[c * n + k];
      w->inverse[c * n + i] = sum / w->matrix[i * w->rows + i];
    }
}

static double covariance(const Worth *w, size_t rank, size_t a, size_t b) {
  const size_t n = w->p->unknowns;
  double sum = 0;
  for (size_t c = a > b ? a : b; c < rank; c++) sum += w->inverse[c * n + a] * w->inverse[c * n + b];
  return sum;
}

static void fill(Worth *w, size_t rank) {
  const size_t n = w->p->unknowns;
  MbFitWorth *out = w->out;
  for (size_t k = 0; k < n; k++) {
    out->error[k] = out->bound[k] ? (double)NAN : (double)INFINITY;
    for (size_t l = 0; l < n; l++) out->correlation[k * n + l] = k == l ? 1 : (double)NAN;
    out->nuntold += out->untold[k];
  }
  for (size_t a = 0; a < rank; a++) {
    const size_t k = w->free[w->order[a]];
    if (out->untold[k]) continue;
    const double own = covariance(w, rank, a, a);
    out->error[k] = sqrt(out->variance * own) / w->length[k];
    for (size_t b = 0; b < rank; b++) {
      const size_t l = w->free[w->order[b]];
      if (l != k && !out->untold[l])
        out->correlation[k * n + l] = covariance(w, rank, a, b) / sqrt(own * covariance(w, rank, b, b));
    }
  }
}

MbStatus mb_fit_worth(const MbFitProblem *p, const MbFitFound *found, bool known, MbFitWorth *out,
                      MbArena *arena, MbReport *report) {
  const size_t n = p->unknowns, m = p->numbers;
  Worth w = {.p = p, .found = found, .out = out, .rows = m > n ? m : n};
  double **const lists[] = {&w.length, &out->error};
  bool fine = true;
  for (size_t i = 0; i < 2; i++) fine = (*lists[i] = mb_arena_alloc(arena, n + 1, sizeof(double))) && fine;
  w.side = mb_arena_alloc(arena, w.rows + 1, sizeof(double));
  w.matrix = mb_arena_alloc(arena, w.rows * n + 1, sizeof(double));
  w.inverse = mb_arena_alloc(arena, n * n + 1, sizeof(double));
  out->correlation = mb_arena_alloc(arena, n * n + 1, sizeof(double));
  out->bound = mb_arena_alloc(arena, n + 1, sizeof(bool));
  out->untold = mb_arena_alloc(arena, n + 1, sizeof(bool));
  w.free = mb_arena_alloc(arena, n + 1, sizeof *w.free);
  w.order = mb_arena_alloc(arena, n + 1, sizeof *w.order);
  if (!fine || !w.side || !w.matrix || !w.inverse || !out->correlation || !out->bound || !out->untold ||
      !w.free || !w.order)
    return mb_no_memory(report, "standard errors");
  out->nuntold = 0;
  const size_t rank = reduce(&w);
  double left = 0;
  for (size_t i = 0; i < m; i++) left += mb_fit_weight(p, found->y, i) * found->y[i] * found->y[i];
  out->variance = known ? 1 : m > w.nfree ? left / (double)(m - w.nfree) : (double)NAN;
  for (size_t lost = rank; lost < w.nfree; lost++) mark(&w, rank, lost);
  invert(&w, rank);
  fill(&w, rank);
  return MB_OK;
}
