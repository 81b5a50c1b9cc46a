// A rotation can be told in two ways: a quaternion as q or -q, a rotation vector r as r or as (1 - 2π/|r|) r. A run goes from one to the
// other at some step, and what the data was taken from may have done so at another time, or not at all. So what is summed up around a time
// is brought to one way first, and of the sum the way counts that is nearer to the data.
#include "io/fit/fit_turn.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// out ← the other way to tell a rotation. False: there is none, of a vector without a direction.
static bool other_way(const double *value, size_t n, double *out) {
  static const double LEAST = 1e-6, PI = 3.14159265358979323846;
  const double length = sqrt(dot(value, value, n));
  if (n == 3 && length < LEAST) return false;
  const double factor = n == 3 ? 1 - 2 * PI / length : -1;
  for (size_t i = 0; i < n; i++) out[i] = factor * value[i];
  return true;
}

// slope ← that of the other way: of a vector (1 - 2π/|r|) ṙ + 2π r (r·ṙ)/|r|³.
static void other_slope(const double *value, size_t n, double *slope) {
  static const double PI = 3.14159265358979323846;
  const double length = sqrt(dot(value, value, n)), along = dot(value, slope, n);
  for (size_t i = 0; i < n; i++)
    slope[i] = n == 3
                   ? (1 - 2 * PI / length) * slope[i] + 2 * PI * value[i] * along / (length * length * length)
                   : -slope[i];
}

// The square of the distance, of the numbers that `to` has.
static double distance(const double *a, const double *to, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    if (!isnan(to[i])) sum += (a[i] - to[i]) * (a[i] - to[i]);
  return sum;
}

// Takes the other way to tell a rotation where that is nearer to `to`.
static void bring(double *value, double *slope, const double *to, size_t n) {
  double other[4];
  if (!other_way(value, n, other) || !(distance(other, to, n) < distance(value, to, n))) return;
  if (slope) other_slope(value, n, slope);
  memcpy(value, other, n * sizeof *value);
}

// The sample that counts most.
static size_t heaviest(const MbFitPoint *p) {
  size_t most = 0;
  for (size_t k = 1; k < p->count; k++)
    if (fabs(p->weight[k]) > fabs(p->weight[most])) most = k;
  return p->first + most;
}

void mb_fit_turn_at(const MbFitMatch *m, const MbFitPoint *p, const MbFitTurn *turn, const double *samples,
                    const double *changes, double value[4], double *slope) {
  const size_t n = turn->in_frame.width;
  const double *near = samples + heaviest(p) * m->width + turn->at;
  double one[4], one_slope[4], wanted[4];
  for (size_t i = 0; i < 4; i++) value[i] = 0;
  for (size_t i = 0; i < 4 && slope; i++) slope[i] = 0;
  for (size_t k = 0; k < p->count; k++) {
    const size_t at = (p->first + k) * m->width + turn->at;
    memcpy(one, samples + at, n * sizeof *one);
    if (slope) memcpy(one_slope, changes + at, n * sizeof *one_slope);
    bring(one, slope ? one_slope : NULL, near, n);
    for (size_t i = 0; i < n; i++) value[i] += p->weight[k] * one[i];
    for (size_t i = 0; i < n && slope; i++) slope[i] += p->weight[k] * one_slope[i];
  }
  for (size_t i = 0; i < n; i++) wanted[i] = turn->data[i] ? turn->data[i]->value[p->row] : (double)NAN;
  bring(value, slope, wanted, n);
}
