// The passes of contact_lanes.h for one kind of processor: the table MB_LANES_TABLE of a file that defines it, MB_LANES_NAME and MB_PACK, and
// includes this. A batch is gone through in as many packs as its eight lanes are; nothing is fused, so that all machines come to the same bits.
#include "core/contact/contact_lanes.h"
#include "core/math/pack.h"

#define KERNEL static inline __attribute__((always_inline))
#define ASIDE  static __attribute__((noinline))

enum { WIDE = MB_LANES_WIDE };

// ---- bodies -----------------------------------------------------------------------------------------------

// Six numbers of a slot for every lane.
typedef struct Six {
  MbPack at[6];
} Six;

KERNEL Six six_of(const double *y, const uint32_t *slot) {
  Six made;
  const double *at[MB_PACK];
  for (int i = 0; i < MB_PACK; i++) at[i] = y + MB_LANES_SLOT * (size_t)slot[i];
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < MB_PACK; i++) made.at[k][i] = at[i][k];
  return made;
}

// What is none is nobody's to write.
KERNEL void put(double *y, const uint32_t *slot, size_t nslots, const Six *made) {
  for (int i = 0; i < MB_PACK; i++) {
    double *at = y + MB_LANES_SLOT * (size_t)slot[i];
    if (slot[i] == nslots) continue;
    for (int k = 0; k < 6; k++) at[k] = made->at[k][i];
  }
}

// F y of one row
KERNEL MbPack rate(const double *F, const Six *p, const Six *q) {
  MbPack sum[3];
  for (int k = 0; k < 3; k++) sum[k] = mb_pack_load(F + WIDE * k) * p->at[k];
  for (int k = 3; k < 6; k++) sum[k - 3] += mb_pack_load(F + WIDE * k) * p->at[k];
  for (int k = 0; k < 6; k++) sum[k % 3] += mb_pack_load(F + WIDE * (6 + k)) * q->at[k];
  return sum[0] + sum[1] + sum[2];
}

KERNEL void add(Six *p, Six *q, const double *F, MbPack d) {
  for (int k = 0; k < 6; k++) p->at[k] += d * mb_pack_load(F + WIDE * k);
  for (int k = 0; k < 6; k++) q->at[k] += d * mb_pack_load(F + WIDE * (6 + k));
}

// ---- one contact of each lane -----------------------------------------------------------------------------

typedef struct Contact {
  MbPack D[6], mu, q[3];
} Contact;

KERNEL MbPack slip_rate(const Contact *c, const MbPack d[2], MbPack g[2]) {
  const MbPack e = c->D[0] + c->mu * (c->D[1] * d[0] + c->D[2] * d[1]);
  g[0] = c->q[1] * e - c->q[0] * (c->D[1] + c->mu * (c->D[3] * d[0] + c->D[4] * d[1]));
  g[1] = c->q[2] * e - c->q[0] * (c->D[2] + c->mu * (c->D[4] * d[0] + c->D[5] * d[1]));
  return e;
}

// d ← x over its length, else `other`.
KERNEL void direct(MbPack d[2], MbPack x, MbPack y, const MbPack other[2]) {
  const MbPack length = mb_pack_sqrt(x * x + y * y), zero = {0};
  const MbPackMask is = mb_pack_less(zero, length);
  d[0] = mb_pack_select(is, x / length, other[0]), d[1] = mb_pack_select(is, y / length, other[1]);
}

// Newton's method on the slip-angle equation (contact_block.c) from d. Returns in which of the lanes it came to a slip.
KERNEL MbPackMask slip_newton(const Contact *c, MbPack d[2], MbPackMask wanted) {
  enum { TURNS = 12 };
  const MbPack zero = {0}, one = mb_pack_all(1);
  MbPackMask left = wanted, found = mb_pack_less(one, zero);
  for (int turn = 0; turn < TURNS && mb_pack_any(left); turn++) {
    MbPack g[2];
    const MbPack e = slip_rate(c, d, g), a[2] = {-d[1], d[0]};
    const MbPack de = c->mu * (c->D[1] * a[0] + c->D[2] * a[1]);
    const MbPack dg[2] = {c->q[1] * de - c->q[0] * c->mu * (c->D[3] * a[0] + c->D[4] * a[1]),
                          c->q[2] * de - c->q[0] * c->mu * (c->D[4] * a[0] + c->D[5] * a[1])};
    const MbPack f = a[0] * g[0] + a[1] * g[1], against = d[0] * g[0] + d[1] * g[1];
    const MbPack step = -f / (a[0] * dg[0] + a[1] * dg[1] - against), size = mb_pack_abs(step);
    left = left & mb_pack_less(size, mb_pack_all(1.5)); // false of what is no number
    // d turned by 2 atan(step/2), which is the step but for its third power
    const MbPack h = mb_pack_all(0.5) * step, n = one / (one + h * h), t = (h + h) * n, r = (one - h * h) * n;
    const MbPack x = r * d[0] - t * d[1], y = t * d[0] + r * d[1];
    d[0] = mb_pack_select(left, x, d[0]), d[1] = mb_pack_select(left, y, d[1]);
    const MbPackMask there = left & mb_pack_less(size, mb_pack_all(1e-8));
    found = found | mb_pack_unless(there & mb_pack_less(zero, e), mb_pack_less(zero, against));
    left = mb_pack_unless(left, there);
  }
  return found;
}

// What is none of the usual is solved one by one. `from` is where λ was.
ASIDE void solve_each(const double *cell, const double *q, double *x, const double *from, const double *is) {
  for (int i = 0; i < MB_PACK; i++) {
    MbBlock block = {
        .rows = 3, .kind = MB_CONTACT_NORMAL, .cone = MB_CONE_EXACT, .mu = cell[WIDE * MB_CELL_MU + i]};
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double known[3], lambda[3];
    if (is[i] == 0) continue;
    for (int k = 0; k < 9; k++) {
      const int at = place[k];
      block.D[k] = cell[WIDE * (at < 3 ? MB_CELL_D + at : MB_CELL_D_REST + at - 3) + i];
      block.I[k] = cell[WIDE * (MB_CELL_I + at) + i];
    }
    block.scale = cell[WIDE * MB_CELL_SCALE + i];
    for (int k = 0; k < 3; k++) known[k] = q[MB_PACK * k + i], lambda[k] = from[MB_PACK * k + i];
    mb_block_solve(&block, known, lambda);
    for (int k = 0; k < 3; k++) x[MB_PACK * k + i] = lambda[k];
  }
}

// x holds what sticking takes; where λ slips it is put to that.
ASIDE void slip(const double *cell, const MbPack u[3], const MbPack was[3], MbPack x[3], MbPackMask slips) {
  const MbPack zero = {0};
  Contact c = {.mu = mb_pack_load(cell + WIDE * MB_CELL_MU)};
  for (int k = 0; k < 3; k++) c.D[k] = mb_pack_load(cell + WIDE * (MB_CELL_D + k));
  for (int k = 0; k < 3; k++) c.D[3 + k] = mb_pack_load(cell + WIDE * (MB_CELL_D_REST + k));
  c.q[0] = u[0] - (c.D[0] * was[0] + c.D[1] * was[1] + c.D[2] * was[2]);
  c.q[1] = u[1] - (c.D[1] * was[0] + c.D[3] * was[1] + c.D[4] * was[2]);
  c.q[2] = u[2] - (c.D[2] * was[0] + c.D[4] * was[1] + c.D[5] * was[2]);
  MbPack d[2], free[2], g[2];
  const MbPack none[2] = {zero, zero}, along[2] = {mb_pack_all(1), zero};
  slip_rate(&c, none, g);
  direct(free, -g[0], -g[1], along); // against where it would go without friction
  direct(d, was[1], was[2], free);
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
  solve_each(cell, (const double *)c.q, (double *)x, (const double *)was, is);
}

// ---- passes -----------------------------------------------------------------------------------------------

typedef struct Pass {
  const MbLaneBatch *batch;
  int lane; // the pack's first
  Six p, q;
} Pass;

KERNEL Pass begin(const MbLanes *l, size_t batch, int lane) {
  const MbLaneBatch *b = &l->batch[batch];
  return (Pass){b, lane, six_of(l->y, b->slot[0] + lane), six_of(l->y, b->slot[1] + lane)};
}

KERNEL void end(const MbLanes *l, const Pass *pass) {
  put(l->y, pass->batch->slot[0] + pass->lane, l->nslots, &pass->p);
  put(l->y, pass->batch->slot[1] + pass->lane, l->nslots, &pass->q);
}

KERNEL MbPack sweep_contact(double *cell, Six *p, Six *q) {
  MbPack u[3], was[3], x[3], I[6], D[3];
  const MbPack zero = {0}, mu = mb_pack_load(cell + WIDE * MB_CELL_MU);
  for (int r = 0; r < 3; r++) {
    u[r] = mb_pack_load(cell + WIDE * (MB_CELL_B + r)) + rate(cell + WIDE * 12 * r, p, q);
    was[r] = mb_pack_load(cell + WIDE * (MB_CELL_LAMBDA + r));
    D[r] = mb_pack_load(cell + WIDE * (MB_CELL_D + r));
  }
  for (int k = 0; k < 6; k++) I[k] = mb_pack_load(cell + WIDE * (MB_CELL_I + k));
  // that at which the contact sticks, λ − D⁻¹ u
  x[0] = was[0] - (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]);
  x[1] = was[1] - (I[1] * u[0] + I[3] * u[1] + I[4] * u[2]);
  x[2] = was[2] - (I[2] * u[0] + I[4] * u[1] + I[5] * u[2]);
  const MbPack free = u[0] - (D[0] * was[0] + D[1] * was[1] + D[2] * was[2]), most = mu * x[0];
  const MbPackMask pushed = mb_pack_less(free, zero);
  const MbPackMask out = mb_pack_less(x[0], zero) | mb_pack_less(most * most, x[1] * x[1] + x[2] * x[2]);
  if (mb_pack_any(pushed & out)) slip(cell, u, was, x, pushed & out);
  MbPack sum = zero;
  for (int r = 0; r < 3; r++) {
    x[r] = mb_pack_select(pushed, x[r], zero);
    mb_pack_store(cell + WIDE * (MB_CELL_LAMBDA + r), x[r]);
    const MbPack d = x[r] - was[r];
    add(p, q, cell + WIDE * 12 * r, d);
    sum += d * d;
  }
  const MbPack scale = mb_pack_load(cell + WIDE * MB_CELL_SCALE);
  return sum * (scale * scale);
}

KERNEL MbPack sweep_one(double *cell, Six *p, Six *q) {
  const MbPack D = mb_pack_load(cell + WIDE * MB_CELL_ONE_D),
               was = mb_pack_load(cell + WIDE * MB_CELL_ONE_LAMBDA);
  const MbPack u = mb_pack_load(cell + WIDE * MB_CELL_ONE_B) + rate(cell, p, q);
  const MbPack x = mb_pack_max(was - u * mb_pack_load(cell + WIDE * MB_CELL_ONE_I), (MbPack){0}), d = x - was;
  mb_pack_store(cell + WIDE * MB_CELL_ONE_LAMBDA, x);
  add(p, q, cell, d);
  return (D * d) * (D * d);
}

static void sweep(const MbLanes *l, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(l, batch, lane);
    MbPack moved = {0};
    double *cell = l->cell + l->wide * pass.batch->cell + lane;
    for (uint32_t k = 0; k < pass.batch->depth; k++, cell += l->wide)
      moved += l->rows == 3 ? sweep_contact(cell, &pass.p, &pass.q) : sweep_one(cell, &pass.p, &pass.q);
    mb_pack_store(l->moved + WIDE * batch + (size_t)lane, moved);
    end(l, &pass);
  }
}

static void push(const MbLanes *l, size_t batch) {
  const size_t at = l->rows == 3 ? MB_CELL_LAMBDA : MB_CELL_ONE_LAMBDA;
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(l, batch, lane);
    const double *cell = l->cell + l->wide * pass.batch->cell + lane;
    for (uint32_t k = 0; k < pass.batch->depth; k++, cell += l->wide)
      for (size_t r = 0; r < l->rows; r++)
        add(&pass.p, &pass.q, cell + WIDE * 12 * r, mb_pack_load(cell + WIDE * (at + r)));
    end(l, &pass);
  }
}

// ---- the natural map --------------------------------------------------------------------------------------

// (1/ρ)(λ − P(λ − ρ û)), squared; inside the cone P changes nothing, and û itself is without the rounding of λ − ρ û.
KERNEL MbPack natural_contact(double *cell, const Six *p, const Six *q, double rho) {
  MbPack u[3], x[3], lambda[3];
  const MbPack zero = {0}, one = mb_pack_all(1), mu = mb_pack_load(cell + WIDE * MB_CELL_MU),
               scale = mb_pack_load(cell + WIDE * MB_CELL_SCALE),
               by = rho > 0 ? mb_pack_all(rho) : one / scale;
  for (int r = 0; r < 3; r++) {
    u[r] = mb_pack_load(cell + WIDE * (MB_CELL_B + r)) + rate(cell + WIDE * 12 * r, p, q);
    mb_pack_store(cell + WIDE * (MB_CELL_W + r), u[r]);
    lambda[r] = mb_pack_load(cell + WIDE * (MB_CELL_LAMBDA + r));
  }
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

KERNEL MbPack natural_one(double *cell, const Six *p, const Six *q, double rho) {
  const MbPack zero = {0}, D = mb_pack_load(cell + WIDE * MB_CELL_ONE_D),
               lambda = mb_pack_load(cell + WIDE * MB_CELL_ONE_LAMBDA);
  const MbPack by = rho > 0 ? mb_pack_all(rho) : mb_pack_all(1) / D;
  const MbPack u = mb_pack_load(cell + WIDE * MB_CELL_ONE_B) + rate(cell, p, q);
  mb_pack_store(cell + WIDE * MB_CELL_ONE_W, u);
  const MbPack out = (lambda - mb_pack_max(lambda - by * u, zero)) / by;
  return mb_pack_select(mb_pack_less(zero, D), out * out, zero);
}

static void look(const MbLanes *l, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    const Pass pass = begin(l, batch, lane);
    MbPack sum = {0};
    double *cell = l->cell + l->wide * pass.batch->cell + lane;
    for (uint32_t k = 0; k < pass.batch->depth; k++, cell += l->wide)
      sum += l->rows == 3 ? natural_contact(cell, &pass.p, &pass.q, l->rho)
                          : natural_one(cell, &pass.p, &pass.q, l->rho);
    mb_pack_store(l->moved + WIDE * batch + (size_t)lane, sum);
  }
}

const MbLanePasses MB_LANES_TABLE = {MB_LANES_NAME, push, sweep, look};
