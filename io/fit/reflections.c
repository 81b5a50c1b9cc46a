#include "io/fit/fit.h"

#include <math.h>

static double tail(const double *a, size_t from, size_t rows) {
  double most = 0, sum = 0;
  for (size_t i = from; i < rows; i++) most = fmax(most, fabs(a[i]));
  if (!(most > 0)) return 0;
  for (size_t i = from; i < rows; i++) sum += (a[i] / most) * (a[i] / most);
  return most * sqrt(sum);
}

// x -= v (2 vᵀx / vᵀv), from row k on
static void mirror(const double *v, double scale, size_t k, size_t rows, double *x) {
  double sum = 0;
  for (size_t i = k; i < rows; i++) sum += v[i] * x[i];
  for (size_t i = k; i < rows; i++) x[i] -= sum * scale * v[i];
}

// The column that is longest below row k comes next.
static void exchange(double *a, size_t k, size_t rows, size_t columns, size_t *order) {
  size_t best = k;
  double longest = -1;
  for (size_t c = k; c < columns; c++) {
    const double length = tail(a + c * rows, k, rows);
    if (length > longest) longest = length, best = c;
  }
  if (best == k) return;
  const size_t swap = order[k];
  order[k] = order[best], order[best] = swap;
  for (size_t i = 0; i < rows; i++) {
    const double x = a[k * rows + i];
    a[k * rows + i] = a[best * rows + i], a[best * rows + i] = x;
  }
}

void mb_reflect(double *a, size_t rows, size_t columns, double *b, size_t *order) {
  for (size_t k = 0; k < columns; k++) order[k] = k;
  for (size_t k = 0; k < columns; k++) {
    exchange(a, k, rows, columns, order);
    double *v = a + k * rows;
    const double length = tail(v, k, rows);
    if (length == 0) continue;
    const double end = v[k] > 0 ? -length : length; // no digits are lost so
    v[k] -= end;
    const double scale = -1 / (end * v[k]); // 2 / vᵀv
    for (size_t c = k + 1; c < columns; c++) mirror(v, scale, k, rows, a + c * rows);
    mirror(v, scale, k, rows, b);
    v[k] = end;
    for (size_t i = k + 1; i < rows; i++) v[i] = 0;
  }
}
