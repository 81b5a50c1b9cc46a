#include "core/model/signal.h"
#include "core/base/alloc.h"

#include <math.h>
#include <string.h>

static const double *copy(const double *x, size_t n, MbArena *arena) {
  double *y = mb_arena_alloc(arena, n, sizeof *y);
  if (y) memcpy(y, x, n * sizeof *y);
  return y;
}

// Second derivatives m of the natural cubic spline: m₀ = mₙ₋₁ = 0 and, with h_i = t_{i+1} − t_i, s_i = Δx_i /
// h_i,
//   h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (s_i − s_{i−1}),   a tridiagonal system.
static const double *spline(const double *t, const double *x, size_t n, MbArena *arena) {
  double *m = mb_arena_alloc(arena, n, sizeof *m), *c = mb_arena_alloc(arena, n, sizeof *c);
  if (!m || !c) return NULL;
  for (size_t i = 1; i + 1 < n; i++) {
    const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    const double pivot = 2 * (h0 + h1) - h0 * c[i - 1];
    c[i] = h1 / pivot;
    m[i] = (6 * ((x[i + 1] - x[i]) / h1 - (x[i] - x[i - 1]) / h0) - h0 * m[i - 1]) / pivot;
  }
  for (size_t i = n - 1; i-- > 1;) m[i] -= c[i] * m[i + 1];
  return m;
}

bool mb_signal_build(const MbSignalSpec *spec, const char *where, MbArena *arena, MbSignal *signal) {
  *signal = (MbSignal){.kind = spec->kind, .interpolation = spec->interpolation, .value = spec->value};
  if (where && !(signal->where = mb_arena_strdup(arena, where))) return false;
  switch (spec->kind) {
  case MB_SIGNAL_CONSTANT:
    return true;
  case MB_SIGNAL_EXPRESSION:
    signal->text = mb_arena_strdup(arena, spec->text);
    return signal->text != NULL;
  case MB_SIGNAL_TABLE:
    break;
  }
  signal->count = spec->count;
  signal->times = copy(spec->times, spec->count, arena);
  signal->values = copy(spec->values, spec->count, arena);
  if (!signal->times || !signal->values) return false;
  if (spec->interpolation != MB_CUBIC || spec->count < 2) return true;
  signal->curvature = spline(signal->times, signal->values, spec->count, arena);
  return signal->curvature != NULL;
}

// The segment with times[i] <= t < times[i + 1], for t within the table.
static size_t segment(const MbSignal *s, double t) {
  size_t i = 0;
  for (size_t end = s->count - 1; end - i > 1;) {
    const size_t middle = i + (end - i) / 2;
    if (t >= s->times[middle])
      i = middle;
    else
      end = middle;
  }
  return i;
}

static double table_value(const MbSignal *s, double t) {
  const double *times = s->times, *x = s->values;
  if (!(t > times[0])) return x[0];
  if (t >= times[s->count - 1]) return x[s->count - 1];
  const size_t i = segment(s, t);
  if (s->interpolation == MB_HOLD) return x[i];
  const double h = times[i + 1] - times[i], u = (t - times[i]) / h, w = 1 - u;
  const double line = w * x[i] + u * x[i + 1];
  if (s->interpolation == MB_LINES) return line;
  return line + h * h / 6 * ((w * w * w - w) * s->curvature[i] + (u * u * u - u) * s->curvature[i + 1]);
}

double mb_signal_value(const MbSignal *signal, MbExpression *expression, double t) {
  switch (signal->kind) {
  case MB_SIGNAL_CONSTANT:
    return signal->value;
  case MB_SIGNAL_EXPRESSION:
    return mb_expression_value(expression, t);
  case MB_SIGNAL_TABLE:
    return table_value(signal, t);
  }
  return NAN;
}

// Derivatives of the segment that begins at t or has t in it; none outside of the table.
static void table_rates(const MbSignal *s, double t, double rates[3]) {
  const double *times = s->times, *x = s->values;
  if (s->interpolation == MB_HOLD || s->count < 2 || t < times[0] || t >= times[s->count - 1]) return;
  const size_t i = segment(s, t);
  const double h = times[i + 1] - times[i], u = (t - times[i]) / h, w = 1 - u;
  rates[1] = (x[i + 1] - x[i]) / h;
  if (s->interpolation != MB_CUBIC) return;
  const double a = s->curvature[i], b = s->curvature[i + 1];
  rates[1] += h / 6 * ((1 - 3 * w * w) * a + (3 * u * u - 1) * b);
  rates[2] = w * a + u * b;
}

void mb_signal_rates(const MbSignal *signal, MbExpression *expression, double t, double rates[3]) {
  if (signal->kind == MB_SIGNAL_EXPRESSION) {
    mb_expression_rates(expression, t, rates);
    return;
  }
  rates[0] = mb_signal_value(signal, expression, t);
  rates[1] = rates[2] = 0;
  if (signal->kind == MB_SIGNAL_TABLE) table_rates(signal, t, rates);
}

// Between two of its times, at u of the way from one to the other, h apart.
static void parts_between(const MbSignal *s, double u, double h, MbSignalParts *parts) {
  const double w = 1 - u;
  parts->n = 2;
  parts->value[0][0] = w, parts->value[1][0] = u;
  parts->value[0][1] = -1 / h, parts->value[1][1] = 1 / h;
  if (s->interpolation != MB_CUBIC) return;
  parts->curvature[0][0] = h * h / 6 * (w * w * w - w), parts->curvature[1][0] = h * h / 6 * (u * u * u - u);
  parts->curvature[0][1] = h / 6 * (1 - 3 * w * w), parts->curvature[1][1] = h / 6 * (3 * u * u - 1);
  parts->curvature[0][2] = w, parts->curvature[1][2] = u;
}

MbSignalParts mb_signal_parts(const MbSignal *s, double t) {
  const double *times = s->times;
  const size_t last = s->count - 1;
  MbSignalParts parts = {.n = 1, .value[0][0] = 1};
  if (t >= times[last]) {
    parts.first = last;
  } else if (t >= times[0]) {
    parts.first = segment(s, t);
    if (s->interpolation == MB_HOLD) return parts;
    const double h = times[parts.first + 1] - times[parts.first];
    parts_between(s, (t - times[parts.first]) / h, h, &parts);
  }
  return parts;
}
