// With Δx_k and Δf_k what x and f differed by from pass to pass, the next x is
//
//   x + f − Σ c_k (Δx_k + Δf_k),   c the least squares solution of  Σ c_k Δf_k = f
//
// which is a secant method: where f is linear it finds the end after as many passes as there are ways in which f changes, whether plain
// passes get there, go round, or away. By orthogonal axes of the Δf, newest first; what hardly differs from those before is left out.
#include "core/math/averages.h"

#include <math.h>
#include <string.h>

enum { DEPTH = MB_AVERAGES_DEPTH };

size_t mb_averages_room(size_t n) { return (2 + 3 * (size_t)DEPTH) * n; }

void mb_averages_begin(MbAverages *a, size_t n, double *room) {
  *a = (MbAverages){.n = n, .last = room, .last_change = room + n, .step = room + 2 * n};
  a->change = a->step + (size_t)DEPTH * n;
  a->axis = a->change + (size_t)DEPTH * n;
}

void mb_averages_forget(MbAverages *a) {
  a->known = 0;
  a->begun = false;
}

void mb_averages_note(MbAverages *a, const double *x, const double *f) {
  const size_t n = a->n, k = (a->newest + 1) % DEPTH;
  if (a->begun) {
    double *step = a->step + k * n, *change = a->change + k * n;
    for (size_t i = 0; i < n; i++) step[i] = x[i] - a->last[i], change[i] = f[i] - a->last_change[i];
    a->newest = k;
    if (a->known < DEPTH) a->known++;
  }
  memcpy(a->last, x, n * sizeof *x);
  memcpy(a->last_change, f, n * sizeof *f);
  a->begun = true;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void take_off(double *x, double by, const double *y, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] -= by * y[i];
}

void mb_averages_next(MbAverages *a, double *x, const double *f) {
  static const double APART = 1e-8;
  const size_t n = a->n;
  double share[DEPTH][DEPTH], c[DEPTH];
  size_t which[DEPTH], axes = 0;
  for (size_t j = 0; j < a->known; j++) {
    const size_t k = (a->newest + DEPTH - j) % DEPTH;
    double *axis = a->axis + axes * n;
    memcpy(axis, a->change + k * n, n * sizeof *axis);
    const double whole = sqrt(dot(axis, axis, n));
    for (size_t i = 0; i < axes; i++) {
      share[i][axes] = dot(a->axis + i * n, axis, n);
      take_off(axis, share[i][axes], a->axis + i * n, n);
    }
    const double rest = sqrt(dot(axis, axis, n));
    if (!(rest > APART * whole)) continue;
    for (size_t i = 0; i < n; i++) axis[i] /= rest;
    share[axes][axes] = rest;
    c[axes] = dot(axis, f, n);
    which[axes++] = k;
  }
  for (size_t j = axes; j-- > 0;) {
    for (size_t i = j + 1; i < axes; i++) c[j] -= share[j][i] * c[i];
    c[j] /= share[j][j];
  }
  for (size_t i = 0; i < n; i++) x[i] += f[i];
  for (size_t j = 0; j < axes; j++) {
    take_off(x, c[j], a->step + which[j] * n, n);
    take_off(x, c[j], a->change + which[j] * n, n);
  }
}
