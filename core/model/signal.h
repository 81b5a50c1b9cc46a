// Signals at run time: values over time that the model lists once and a run evaluates together, once for each
// time.
#ifndef MB_MODEL_SIGNAL_H
#define MB_MODEL_SIGNAL_H

#include "core/base/expression.h"
#include "core/model/spec.h"

typedef struct MbSignal {
  const char *where;            // JSON pointer in the scene; NULL: nothing in the scene stands for it
  const char *text;             // expression
  const double *times, *values; // (count) table
  const double *curvature;      // (count) second derivatives of the natural spline; cubic only
  // numbers alone from here on, which the model's fingerprint takes as a whole
  MbSignalKind kind;
  MbInterpolation interpolation;
  double value; // constant
  size_t count; // table
} MbSignal;

// Copies what `spec` and `where` (may be NULL) say into the arena; false when memory ran out.
bool mb_signal_build(const MbSignalSpec *spec, const char *where, MbArena *arena, MbSignal *signal);

// Value at t. Tables keep their end values outside; `expression` is the signal's own, NULL for other kinds.
double mb_signal_value(const MbSignal *signal, MbExpression *expression, double t);
// Value and its first two rates at t, exact; at a corner of a table those of what follows.
void mb_signal_rates(const MbSignal *signal, MbExpression *expression, double t, double rates[3]);

// How a table's value and its rates at t are made of its numbers: Σ value[i][k] values[first + i] + curvature[i][k] curvature[first + i] is rate k.
typedef struct MbSignalParts {
  size_t first, n;
  double value[2][3], curvature[2][3];
} MbSignalParts;
MbSignalParts mb_signal_parts(const MbSignal *table, double t);

#endif
