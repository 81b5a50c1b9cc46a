// The pass of pile.h that takes contacts as they are given into the cells of a batch.
#ifndef MB_CONTACT_PILE_TAKE_H
#define MB_CONTACT_PILE_TAKE_H

#include "core/contact/pile_lanes.h"

static const double nobody[MB_PILE_GIVEN]; // the contact of a lane that has none

typedef struct Lanes {
  const double *at[MB_PACK];
  MbPackMask is;
} Lanes;

KERNEL Lanes lanes_of(const MbPile *p, const uint32_t *block) {
  Lanes made;
  MbPack is = {0};
  for (int i = 0; i < MB_PACK; i++) {
    made.at[i] = block[i] == UINT32_MAX ? nobody : p->given.number + p->given.stride * block[i];
    is[i] = block[i] != UINT32_MAX;
  }
  made.is = mb_pack_less((MbPack){0}, is);
  return made;
}

KERNEL MbPack number(const Lanes *lanes, int k) {
  MbPack x = {0};
  for (int i = 0; i < MB_PACK; i++) x[i] = lanes->at[i][k];
  return x;
}

KERNEL Triple numbers(const Lanes *lanes, int k) {
  return (Triple){{number(lanes, k), number(lanes, k + 1), number(lanes, k + 2)}};
}

// The block of W that a contact has by itself: 00 01 02 11 12 22.
KERNEL void own_block(const Pass *pass, const Triple axis[3], Triple ra, Triple rb, MbPack D[6]) {
  const double *J = pass->head + WIDE * MB_PILE_HEAD_J;
  Triple a[3], b[3];
  for (int k = 0; k < 3; k++) a[k] = cross(ra, axis[k]), b[k] = cross(rb, axis[k]);
  for (int k = 0, at = 0; k < 3; k++) {
    const Triple x = by_J(J, a[k]), y = by_J(J + WIDE * 6, b[k]);
    for (int l = k; l < 3; l++, at++) {
      D[at] = dot(x, a[l]) + dot(y, b[l]);
      if (k == l) D[at] += pass->a.inverse + pass->b.inverse;
    }
  }
}

// As contact_strips.c has it: where D is singular a little is put on its diagonal.
KERNEL void invert(MbPack D[6], MbPack scale, MbPack I[6]) {
  const MbPack c1 = D[4] * D[2] - D[1] * D[5], c2 = D[1] * D[4] - D[3] * D[2], zero = {0};
  MbPack det = D[0] * (D[3] * D[5] - D[4] * D[4]) + D[1] * c1 + D[2] * c2;
  const MbPackMask fine = mb_pack_less(mb_pack_all(1e-9) * scale * scale * scale, det);
  const MbPack more = mb_pack_select(fine, zero, mb_pack_all(1e-7) * scale);
  D[0] += more, D[3] += more, D[5] += more;
  det = D[0] * (D[3] * D[5] - D[4] * D[4]) + D[1] * c1 + D[2] * c2;
  I[0] = (D[3] * D[5] - D[4] * D[4]) / det, I[1] = c1 / det, I[2] = c2 / det;
  I[3] = (D[0] * D[5] - D[2] * D[2]) / det, I[4] = (D[2] * D[1] - D[0] * D[4]) / det;
  I[5] = (D[0] * D[3] - D[1] * D[1]) / det;
}

// λ put where it may be.
KERNEL Triple clamped(Triple x, MbPack mu) {
  const MbPack zero = {0}, n = mb_pack_max(x.at[0], zero), most = mu * n,
               t = mb_pack_sqrt(x.at[1] * x.at[1] + x.at[2] * x.at[2]);
  const MbPack less = mb_pack_select(mb_pack_less(most, t), most / t, mb_pack_all(1));
  return (Triple){{n, less * x.at[1], less * x.at[2]}};
}

// The rate along the normal at the step's start, which what rebounds asks for: 0 where nothing does.
KERNEL MbPack rate_before(const MbPile *p, const Pass *pass, Triple n, MbPack bounce, Triple ra, Triple rb) {
  const MbPileBatch *batch = pass->batch;
  if (!mb_pack_any(mb_pack_less((MbPack){0}, bounce))) return (MbPack){0};
  const Start a = start_of(p, batch->body[0] + pass->lane), b = start_of(p, batch->body[1] + pass->lane);
  return dot(n, rate_of(a.v, a.w, b.v, b.w, ra, rb));
}

// What the normal's rate is to come to at least (ask.c), and by how much that is more for a rebound.
KERNEL MbPack least_of(const MbPile *p, const MbPack in[MB_PILE_SIZE + 1], MbPack bounce, MbPack rate,
                       MbPack last, MbPack *rebound) {
  const MbPack zero = {0}, gap = in[MB_PILE_GAP];
  const MbPackMask open = mb_pack_less(mb_pack_all(-1e-10) * in[MB_PILE_SIZE], gap);
  const MbPack h = mb_pack_all(p->asking.h), stops = mb_pack_select(open, -gap / h, zero);
  const MbPackMask springs = mb_pack_less(zero, bounce) &
                             mb_pack_less(last, mb_pack_all(-p->asking.slowest)) &
                             mb_pack_less(gap + h * rate, zero);
  const MbPack least = mb_pack_max(mb_pack_select(springs, rate - last - bounce * last, stops), stops);
  *rebound = least - stops;
  return least;
}

// The tangents that go with a normal: the first along the world's x, as far as that is across, or along y where the normal is near x.
KERNEL void tangents_of(Triple axis[3]) {
  const Triple n = axis[0];
  const MbPack zero = {0}, one = mb_pack_all(1);
  const MbPackMask x = mb_pack_less(mb_pack_abs(n.at[0]), mb_pack_all(0.9));
  const MbPack along = mb_pack_select(x, n.at[0], n.at[1]);
  Triple t = {{mb_pack_select(x, one, zero), mb_pack_select(x, zero, one), zero}};
  t = minus(t, times(along, n));
  axis[1] = times(one / mb_pack_sqrt(dot(t, t)), t);
  axis[2] = cross(n, axis[1]);
}

// b of the contact, its squares and those of what comes nearer, what rebounds.
typedef struct Sums {
  MbPack all, nearer, rebound;
} Sums;

KERNEL void take_contact(const MbPile *p, Pass *pass, Triple from_a, const Triple axis[3], MbPack mu,
                         Sums *sums) {
  const Lanes in = lanes_of(p, pass->block);
  const MbPack zero = {0};
  MbPack x[8]; // up to the size
  _Static_assert(MB_PILE_SIZE < 8, "they are eight");
  rows_in(in.at, x);
  const Triple at = {{x[MB_PILE_POINT], x[MB_PILE_POINT + 1], x[MB_PILE_POINT + 2]}}, ra = minus(at, from_a),
               rb = minus(ra, load3(pass->head + WIDE * MB_PILE_HEAD_WAY));
  const Triple rate = rate_of(pass->a.v, pass->a.w, pass->b.v, pass->b.w, ra, rb);
  Triple u;
  MbPack D[6], I[6], rebound;
  for (int k = 0; k < 3; k++) u.at[k] = dot(axis[k], rate);
  own_block(pass, axis, ra, rb, D);
  const MbPack scale = mb_pack_select(in.is, (D[0] + D[3] + D[5]) / mb_pack_all(3), zero);
  invert(D, scale, I);
  const MbPack bounce = number(&in, MB_PILE_BOUNCE), last = rate_before(p, pass, axis[0], bounce, ra, rb),
               least = least_of(p, x, bounce, u.at[0], last, &rebound), asked = u.at[0] - least,
               nearer = mb_pack_min(asked, zero), tangents = u.at[1] * u.at[1] + u.at[2] * u.at[2];
  sums->all += mb_pack_select(in.is, asked * asked + tangents, zero);
  sums->nearer += mb_pack_select(in.is, nearer * nearer + tangents, zero);
  sums->rebound = mb_pack_max(sums->rebound, mb_pack_select(in.is, rebound, zero));

  store3(pass->hot + WIDE * MB_PILE_A, ra);
  const MbPack power = mb_pack_power(scale), over = mb_pack_over_power(power);
  for (int k = 0; k < 6; k++) {
    put_rough(pass, MB_PILE_D + k, mb_pack_select(in.is, over * D[k], zero));
    put_rough(pass, MB_PILE_I + k, mb_pack_select(in.is, power * I[k], zero));
  }
  // what is not there is far away
  mb_pack_store(pass->hot + WIDE * MB_PILE_ASKS, mb_pack_select(in.is, -least, mb_pack_all(1e200)));
  mb_pack_store(pass->hot + WIDE * MB_PILE_SCALE, scale);
  store3(pass->hot + WIDE * MB_PILE_NOW, clamped((Triple){{x[0], x[1], x[2]}}, mu));
  mb_pack_store(pass->cold + WIDE * MB_PILE_OPEN, x[MB_PILE_GAP]);
  mb_pack_store(pass->cold + WIDE * MB_PILE_EXTENT, x[MB_PILE_SIZE]);
}

static void take(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin_of(p, p->base, batch, lane);
    const Lanes first = lanes_of(p, pass.block);
    const MbPack mu = number(&first, MB_PILE_MU);
    Mass mass[2];
    Sums sums = {{0}, {0}, {0}};
    Triple axis[3] = {numbers(&first, MB_PILE_NORMAL)};
    tangents_of(axis);
    for (int k = 0; k < 3; k++) store3((double *)pass.head + WIDE * 3 * k, axis[k]);
    mb_pack_store((double *)pass.head + WIDE * MB_PILE_HEAD_MU, mu);
    masses_of(p, &pass, mass);
    store3((double *)pass.head + WIDE * MB_PILE_HEAD_WAY, minus(mass[1].p, mass[0].p));
    for (int k = 0; k < 12; k++)
      mb_pack_store((double *)pass.head + WIDE * (MB_PILE_HEAD_J + k), mass[k / 6].J[k % 6]);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      take_contact(p, &pass, mass[0].p, axis, mu, &sums);
    sum_to(p, batch, &pass, 0, sums.all);
    sum_to(p, batch, &pass, 1, sums.nearer);
    sum_to(p, batch, &pass, 2, sums.rebound);
  }
}

static void again(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const MbPack mu = mb_pack_load(pass.head + WIDE * MB_PILE_HEAD_MU);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) {
      const Lanes in = lanes_of(p, pass.block);
      store3(pass.hot + WIDE * MB_PILE_NOW, clamped(numbers(&in, MB_PILE_LAMBDA), mu));
    }
  }
}

#endif
