#include "io/compare/compare_parts.h"

#include <math.h>

// Halves the series: of two neighbouring points the larger stays.
static void thin(MbGrowth *g) {
  for (size_t i = 0; i < MB_GROWTH_POINTS / 2; i++) {
    const size_t k = g->error[2 * i] >= g->error[2 * i + 1] ? 2 * i : 2 * i + 1;
    g->time[i] = g->time[k];
    g->error[i] = g->error[k];
  }
  g->count = MB_GROWTH_POINTS / 2;
  g->stride *= 2;
}

void mb_growth_add(MbGrowth *g, double time, double error, bool exceeds) {
  if (!g->started && !exceeds) {
    g->before = error;
    return;
  }
  if (!g->started) {
    g->started = true;
    g->first = error;
    g->stride = 1;
  }
  if (error > g->largest) g->largest = error;

  // the last point gathers frames until it has its number of them
  if (g->count && g->phase < g->stride) {
    g->phase++;
    if (error <= g->error[g->count - 1]) return;
    g->time[g->count - 1] = time;
    g->error[g->count - 1] = error;
    return;
  }
  if (g->count == MB_GROWTH_POINTS) thin(g);
  g->time[g->count] = time;
  g->error[g->count++] = error;
  g->phase = 1;
}

// Least squares of y = log10(error) against time over the first n points; zero errors have no logarithm.
static void fit_line(const MbGrowth *g, size_t n, MbChannelResult *result) {
  double t0 = 0, y0 = 0, count = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(g->error[i] > 0)) continue;
    t0 += g->time[i];
    y0 += log10(g->error[i]);
    count++;
  }
  enum { LEAST_POINTS = 3 };
  if (count < LEAST_POINTS) return;
  t0 /= count;
  y0 /= count;

  double tt = 0, ty = 0, yy = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(g->error[i] > 0)) continue;
    const double t = g->time[i] - t0, y = log10(g->error[i]) - y0;
    tt += t * t;
    ty += t * y;
    yy += y * y;
  }
  if (!(tt > 0)) return;
  result->growth = ty / tt;
  result->growth_r2 = yy > 0 ? ty * ty / (tt * yy) : 0;
}

void mb_growth_fit(const MbGrowth *g, MbChannelResult *result) {
  result->growth = result->growth_r2 = NAN;
  result->jump = false;
  if (!g->started) return;

  // it is there in one frame, out of (almost) nothing, and does not become much larger
  static const double near = 0.1;
  result->jump = g->first >= near * g->largest && g->before <= near * g->first;
  if (result->jump || !isfinite(g->largest)) return;

  // up to where the error is near the largest that it reaches
  static const double saturated = 0.25;
  size_t n = 0;
  while (n < g->count && g->error[n] < saturated * g->largest) n++;
  fit_line(g, n < g->count ? n + 1 : n, result);
}
