// Prescribed motion of a coordinate (RM 2.9, AR 0.21); the multiplier is the force along it that this takes.
//   position p(t):      g = q − p,  gt = −ṗ,  gtt = −p̈
//   velocity s(t):      ġ = q̇ − s; the velocity at a step's end is s then
//   acceleration a(t):  g̈ = q̈ − a; the velocity at a step's end is q̇ + h a
// Rates that are not given follow from the signal (mb_signal_rates).
#include "core/constraints/constraints.h"

// Derivative number k of what is prescribed: as given, or from the nearest signal below it.
static double rate(const MbConstraint *constraint, const MbInstant *at, int k) {
  int from = k;
  while (constraint->signal[from] == SIZE_MAX) from--;
  return at->signal[3 * constraint->signal[from] + (size_t)(k - from)];
}

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const double q = at->q[constraint->q[0]], v = at->v[constraint->v[0]];
  rows->v[0] = constraint->v[0], rows->c[0] = 1;
  rows->order = constraint->order;
  rows->gtt = -rate(constraint, at, 2);
  rows->angle = constraint->turns;
  rows->size = 1;
  if (constraint->order == 0) {
    const double p = rate(constraint, at, 0);
    rows->g = q - p;
    rows->size += fabs(p);
  }
  rows->gt = constraint->order < 2 ? -rate(constraint, at, 1) : -(v + at->h * rate(constraint, at, 2));
}

const MbConstraintOps mb_motion_ops = {.name = "motion", .rows = 1, .coordinates = 1, .eval = eval};
