// One contact with the exact cone in each lane: where it slips, and how far it is from a solution. For files of passes (contact_lanes_passes.h,
// pile_lanes.h), each for one kind of processor, that have defined MB_PACK; nothing is fused.
#ifndef MB_CONTACT_CONTACT_LANES_CONE_H
#define MB_CONTACT_CONTACT_LANES_CONE_H

#include "core/contact/lane_runs.h"
#include "core/math/pack.h"

#define KERNEL static inline __attribute__((always_inline))
#define ASIDE  static __attribute__((noinline))

enum { WIDE = MB_LANES_WIDE };

// The numbers of a contact of each lane: D by rows, its inverse, μ.
typedef struct Known {
  MbPack D[6], I[6], mu;
} Known;

typedef struct Contact {
  MbPack D[6], mu, q[3];
} Contact;

KERNEL MbPack slip_rate(const Contact *c, const MbPack d[2], MbPack g[2]) {
  const MbPack e = c->D[0] + c->mu * (c->D[1] * d[0] + c->D[2] * d[1]);
  g[0] = c->q[1] * e - c->q[0] * (c->D[1] + c->mu * (c->D[3] * d[0] + c->D[4] * d[1]));
  g[1] = c->q[2] * e - c->q[0] * (c->D[2] + c->mu * (c->D[4] * d[0] + c->D[5] * d[1]));
  return e;
}

// d ← x over its length. Returns where it has one.
KERNEL MbPackMask direct(MbPack d[2], MbPack x, MbPack y) {
  const MbPack length = mb_pack_sqrt(x * x + y * y), by = mb_pack_all(1) / length;
  d[0] = x * by, d[1] = y * by;
  return mb_pack_less((MbPack){0}, length);
}

// Where there is friction yet along it, else against where it would go without.
KERNEL void begin_slip(const Contact *c, const MbPack was[3], MbPackMask slips, MbPack d[2]) {
  const MbPack zero = {0}, none[2] = {zero, zero};
  const MbPackMask rubs = direct(d, was[1], was[2]);
  if (!mb_pack_any(mb_pack_unless(slips, rubs))) return;
  MbPack free[2], g[2];
  slip_rate(c, none, g);
  const MbPackMask goes = direct(free, -g[0], -g[1]);
  d[0] = mb_pack_select(rubs, d[0], mb_pack_select(goes, free[0], mb_pack_all(1)));
  d[1] = mb_pack_select(rubs, d[1], mb_pack_select(goes, free[1], zero));
}

// Newton's method on the slip-angle equation (contact_block.c) from d. Returns in which of the lanes it came to a slip. What is left after a
// step of size s is of the order s²; from one sweep to the next the steps themselves go to 0.
KERNEL MbPackMask slip_newton(const Contact *c, MbPack d[2], MbPackMask wanted) {
  enum { TURNS = 12 };
  static const double LITTLE = 0.1, MUCH = 1.5;
  const MbPack zero = {0}, one = mb_pack_all(1);
  MbPackMask left = wanted, found = mb_pack_less(one, zero);
  for (int turn = 0; turn < TURNS && mb_pack_any(left); turn++) {
    MbPack g[2];
    const MbPack e = slip_rate(c, d, g), a[2] = {-d[1], d[0]};
    const MbPack de = c->mu * (c->D[1] * a[0] + c->D[2] * a[1]);
    const MbPack dg[2] = {c->q[1] * de - c->q[0] * c->mu * (c->D[3] * a[0] + c->D[4] * a[1]),
                          c->q[2] * de - c->q[0] * c->mu * (c->D[4] * a[0] + c->D[5] * a[1])};
    const MbPack f = a[0] * g[0] + a[1] * g[1], against = d[0] * g[0] + d[1] * g[1];
    const MbPack slope = a[0] * dg[0] + a[1] * dg[1] - against, size = mb_pack_abs(f),
                 by = mb_pack_abs(slope);
    left = left & mb_pack_less(size, mb_pack_all(MUCH) * by); // false of what is no number
    // d turned by 2 atan(step/2), which is the step, −f/slope, but for its third power
    const MbPack p = slope + slope, n = one / (p * p + f * f), t = -(p + p) * f * n, r = (p * p - f * f) * n;
    const MbPack x = r * d[0] - t * d[1], y = t * d[0] + r * d[1];
    d[0] = mb_pack_select(left, x, d[0]), d[1] = mb_pack_select(left, y, d[1]);
    const MbPackMask there = left & mb_pack_less(size, mb_pack_all(LITTLE) * by);
    found = found | mb_pack_unless(there & mb_pack_less(zero, e), mb_pack_less(zero, against));
    left = mb_pack_unless(left, there);
  }
  return found;
}

// What is none of the usual is solved one by one. `from` is where λ was.
ASIDE void solve_each(const Known *at, const double *q, double *x, const double *from, const double *is) {
  for (int i = 0; i < MB_PACK; i++) {
    MbBlock block = {.rows = 3, .kind = MB_CONTACT_NORMAL, .cone = MB_CONE_EXACT, .mu = at->mu[i]};
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double known[3], lambda[3];
    if (is[i] == 0) continue;
    for (int k = 0; k < 9; k++) block.D[k] = at->D[place[k]][i], block.I[k] = at->I[place[k]][i];
    block.scale = (block.D[0] + block.D[4] + block.D[8]) / 3;
    for (int k = 0; k < 3; k++) known[k] = q[MB_PACK * k + i], lambda[k] = from[MB_PACK * k + i];
    mb_block_solve(&block, known, lambda);
    for (int k = 0; k < 3; k++) x[MB_PACK * k + i] = lambda[k];
  }
}

// x holds what sticking takes; where λ slips it is put to that.
ASIDE void slip(const Known *at, const MbPack u[3], const MbPack was[3], MbPack x[3], MbPackMask slips) {
  const MbPack zero = {0};
  Contact c = {.mu = at->mu};
  for (int k = 0; k < 6; k++) c.D[k] = at->D[k];
  c.q[0] = u[0] - (c.D[0] * was[0] + c.D[1] * was[1] + c.D[2] * was[2]);
  c.q[1] = u[1] - (c.D[1] * was[0] + c.D[3] * was[1] + c.D[4] * was[2]);
  c.q[2] = u[2] - (c.D[2] * was[0] + c.D[4] * was[1] + c.D[5] * was[2]);
  MbPack d[2];
  begin_slip(&c, was, slips, d);
  MbPackMask found = slip_newton(&c, d, slips);
  const MbPack e = c.D[0] + c.mu * (c.D[1] * d[0] + c.D[2] * d[1]), n = -c.q[0] / e;
  found = found & mb_pack_less(zero, e) & mb_pack_less(mb_pack_abs(n), mb_pack_all(INFINITY));
  x[0] = mb_pack_select(found, n, x[0]);
  x[1] = mb_pack_select(found, c.mu * n * d[0], x[1]);
  x[2] = mb_pack_select(found, c.mu * n * d[1], x[2]);
  const MbPackMask left = mb_pack_unless(slips, found);
  if (!mb_pack_any(left)) return;
  double is[MB_PACK];
  mb_pack_store(is, mb_pack_select(left, mb_pack_all(1), zero));
  solve_each(at, (const double *)c.q, (double *)x, (const double *)was, is);
}

// (1/ρ)(λ − P(λ − ρ û)), squared; inside the cone P changes nothing, and û itself is without the rounding of λ − ρ û.
KERNEL MbPack natural_of(const MbPack u[3], const MbPack lambda[3], MbPack mu, MbPack scale, double rho) {
  MbPack x[3];
  const MbPack zero = {0}, one = mb_pack_all(1), by = rho > 0 ? mb_pack_all(rho) : one / scale;
  const MbPack hat = u[0] + mu * mb_pack_sqrt(u[1] * u[1] + u[2] * u[2]);
  x[0] = lambda[0] - by * hat, x[1] = lambda[1] - by * u[1], x[2] = lambda[2] - by * u[2];
  const MbPack t = mb_pack_sqrt(x[1] * x[1] + x[2] * x[2]);
  const MbPackMask outside = mb_pack_less(x[0], zero) | mb_pack_less(mu * x[0], t);
  // to the cone's side, or to its tip
  const MbPack side = (x[0] + mu * t) / (one + mu * mu);
  const MbPackMask is = mb_pack_less(-x[0], mu * t);
  const MbPack share = mb_pack_select(mb_pack_less(zero, t), mu * side / t, zero);
  const MbPack n = mb_pack_select(is, side, zero), turned = mb_pack_select(is, share, zero);
  MbPack sum = zero;
  const MbPack moved[3] = {lambda[0] - n, lambda[1] - turned * x[1], lambda[2] - turned * x[2]};
  const MbPack inside[3] = {hat, u[1], u[2]};
  for (int r = 0; r < 3; r++) {
    const MbPack out = mb_pack_select(outside, moved[r] / by, inside[r]);
    sum += out * out;
  }
  return mb_pack_select(mb_pack_less(zero, scale), sum, zero);
}

#endif
