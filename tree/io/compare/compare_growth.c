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

// y = log10(error) against time.
typedef struct Line {
  bool there;
  double slope, r2;
} Line;

// Least squares over the points [begin, end); zero errors have no logarithm.
static Line fit_line(const MbGrowth *g, size_t begin, size_t end) {
  double t0 = 0, y0 = 0, count = 0;
  for (size_t i = begin; i < end; i++) {
    if (!(g->error[i] > 0)) continue;
    t0 += g->time[i];
    y0 += log10(g->error[i]);
    count++;
  }
  enum { LEAST_POINTS = 3 };
  if (count < LEAST_POINTS) return (Line){0};
  t0 /= count;
  y0 /= count;

  double tt = 0, ty = 0, yy = 0;
  for (size_t i = begin; i < end; i++) {
    if (!(g->error[i] > 0)) continue;
    const double t = g->time[i] - t0, y = log10(g->error[i]) - y0;
    tt += t * t;
    ty += t * y;
    yy += y * y;
  }
  if (!(tt > 0)) return (Line){0};
  return (Line){true, ty / tt, yy > 0 ? ty * ty / (tt * yy) : 0};
}

// An error that grows like a power of time, or towards a bound, has no rate: its logarithm bends. One that grows
// tenfold again and again does so in both halves alike, for a decade at least.
static bool grows(const MbGrowth *g, size_t n, const Line *all) {
  static const double CLEAR = 0.8, ALIKE = 2.5;
  const Line early = fit_line(g, 0, n / 2), late = fit_line(g, n / 2, n);
  return all->there && early.there && late.there && all->r2 >= CLEAR && all->slope > 0 &&
         all->slope * (g->time[n - 1] - g->time[0]) >= 1 && late.slope > 0 &&
         early.slope <= ALIKE * late.slope && late.slope <= ALIKE * early.slope;
}

void mb_growth_fit(const MbGrowth *g, MbChannelResult *result) {
  result->growth = result->growth_r2 = result->growth_end = NAN;
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
  if (n < g->count) n++;
  const Line all = fit_line(g, 0, n);
  if (!n || !grows(g, n, &all)) return;
  result->growth = all.slope, result->growth_r2 = all.r2;
  result->growth_end = g->time[n - 1];
}
