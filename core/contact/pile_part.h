// The passes of pile.h that part what is deep when the bodies have moved.
#ifndef MB_CONTACT_PILE_PART_H
#define MB_CONTACT_PILE_PART_H

#include "core/contact/pile_lanes.h"

// Where a point is from the centre of mass, which was at r from it.
KERNEL Triple turned(const MbPack R[9], Triple r) {
  Triple x;
  for (int k = 0; k < 3; k++) x.at[k] = R[3 * k] * r.at[0] + R[3 * k + 1] * r.at[1] + R[3 * k + 2] * r.at[2];
  return x;
}

// The power of two that masses are over: that at or below 1/m of both bodies.
KERNEL MbPack power_of(const Pass *pass) { return mb_pack_power(pass->a.inverse + pass->b.inverse); }

// What the contacts of a batch have where they are being parted: the way from the first body's centre of mass to the second's, as it is and as
// it was, how the bodies have turned, and J.
typedef struct Moved {
  Triple n, way, was, arm;
  MbPack R[2][9], power;
  Mass mass[2];
} Moved;

// J (r x n) of both bodies, of the contacts of a run; and where it stands what they have in common, which goes on from one to the next.
typedef struct Turning {
  char *common;
  Triple x[MB_LANES_DEEP], y[MB_LANES_DEEP];
} Turning;

// What the k-th contact of a run has in common with those before it, and D, which the rest of it is over.
KERNEL void put_masses(const Pass *pass, const Moved *bodies, Triple x, uint32_t k, Turning *turning) {
  const Triple y = minus(x, bodies->arm);
  const MbPack linear = pass->a.inverse + pass->b.inverse, zero = {0};
  turning->x[k] = turned_by(bodies->mass[0].J, x), turning->y[k] = turned_by(bodies->mass[1].J, y);
  const MbPack D = dot(x, turning->x[k]) + dot(y, turning->y[k]) + linear;
  const MbPackMask is = mb_pack_less(zero, mb_pack_load(pass->hot + WIDE * MB_PILE_SCALE));
  for (uint32_t l = 0; l < k; l++, turning->common += FLOATS) {
    const MbPack W = dot(x, turning->x[l]) + dot(y, turning->y[l]) + linear;
    put_floats(turning->common, 0, mb_pack_select(is, W / D, zero));
  }
  put_floats(pass->part, MB_PILE_ONE_I, mb_pack_select(is, bodies->power / D, zero));
}

// A contact's two points each with its own body: the gap between them along the normal as it was, and the place between them. It is the
// k-th of its run.
KERNEL MbPack move_contact(const Pass *pass, const Moved *bodies, uint32_t k, Turning *turning) {
  const MbPack zero = {0}, half = mb_pack_all(0.5), gap = mb_pack_load(pass->cold + WIDE * MB_PILE_OPEN),
               size = mb_pack_load(pass->cold + WIDE * MB_PILE_EXTENT);
  const Triple n = bodies->n, off = times(half * gap, n), from_a = load3(pass->hot + WIDE * MB_PILE_A),
               a = turned(bodies->R[0], minus(from_a, off)),
               b = turned(bodies->R[1], plus(minus(from_a, bodies->was), off)),
               d = plus(bodies->way, minus(b, a)), x = cross(plus(a, times(half, d)), n);
  MbPack g = dot(d, n);
  // what is hardly deep stays so, whatever is deep elsewhere
  const MbPackMask slight = mb_pack_less(g, zero) & mb_pack_less(mb_pack_all(-MB_PILE_SLOP) * size, g);
  g = mb_pack_select(slight, zero, g);
  put_masses(pass, bodies, x, k, turning);
  put_floats3(pass->part, MB_PILE_ONE_Y, minus(x, bodies->arm));
  // no more than a step may move
  put_floats(pass->part, MB_PILE_ONE_ASKS, mb_pack_max(g, mb_pack_all(-MB_PILE_MOST) * size));
  put_floats(pass->part, MB_PILE_ONE_NOW, zero);
  const MbPackMask is = mb_pack_less(zero, mb_pack_load(pass->hot + WIDE * MB_PILE_SCALE));
  return mb_pack_select(is, -g / size, zero);
}

KERNEL MbPack amount(Triple x) { return mb_pack_abs(x.at[0]) + mb_pack_abs(x.at[1]) + mb_pack_abs(x.at[2]); }

// Whether none of them is deep, by what `move` has found, and none of their bodies has moved.
KERNEL bool rests(const MbPile *p, size_t batch, const Pass *pass) {
  const MbPack deep = mb_pack_load(sum_of(p, batch, pass, 0)),
               moved = (amount(pass->a.v) + amount(pass->a.w)) + (amount(pass->b.v) + amount(pass->b.w));
  return !mb_pack_any(mb_pack_less((MbPack){0}, deep + moved));
}

// What a run has for all its contacts, with its bodies' velocities as they are before it: the rate along the normal of the places of its
// bodies at the second body's centre of mass, and how fast the second turns against the first. What it has done so far: of each contact by how
// much λ has changed, the sum of these, and that of r x n of the second body times them.
typedef struct Parting {
  const char *common;
  MbPack along;
  Triple turns;
  MbPack d[MB_LANES_DEEP], sum;
  Triple y;
} Parting;

// The normal of the k-th contact of a run, with c the way from the first body's centre of mass to the second's, so that r_a = r_b + c:
//
//   u = g + n · (v_b − v_a) − (c × n) · w_a + (r_b × n) · (w_b − w_a),   d = max(λ − u/D − Σ (W_l/D) d_l, 0) − λ,   l those before it
//
// What is kept of it is as little as that, and as floats: many cells wait for the memory. A float's rounding of 1/D and W_l/D changes the way to λ and not λ; that
// of g, n and r × n changes the move that parts bodies by 1e-7 of it. Bodies get what λ changes by when it has been rounded, so that nothing adds up.
// r_b and not r_a is kept, as it is the first body that may be what nothing moves, whose centre of mass is the world's origin.
KERNEL MbPack part_contact(const Pass *pass, uint32_t k, Parting *run) {
  char *const cell = pass->part;
  const Triple y = floats3(cell, MB_PILE_ONE_Y);
  const MbPack zero = {0}, was = floats(cell, MB_PILE_ONE_NOW);
  const MbPack u = floats(cell, MB_PILE_ONE_ASKS) + (run->along + dot(y, run->turns));
  MbPack way = u * floats(cell, MB_PILE_ONE_I);
  for (uint32_t l = 0; l < k; l++, run->common += FLOATS) way += floats(run->common, 0) * run->d[l];
  put_floats(cell, MB_PILE_ONE_NOW, mb_pack_max(was - way, zero));
  const MbPack d = floats(cell, MB_PILE_ONE_NOW) - was;
  run->d[k] = d, run->sum += d;
  run->y = plus(run->y, times(d, y));
  return d * d;
}

// J x of a run
KERNEL Triple turned_by_run(const Pass *pass, int end, Triple x) {
  MbPack J[6];
  for (int k = 0; k < 6; k++) J[k] = floats(pass->run, MB_PILE_RUN_J + 6 * end + k);
  return turned_by(J, x);
}

// Gives the bodies what a run has done.
KERNEL void push_run(Pass *pass, Triple n, Triple arm, const Parting *run) {
  Side *a = &pass->a, *b = &pass->b;
  const MbPack sum = run->sum * mb_pack_over_power(power_of(pass));
  a->v = minus(a->v, times(sum * a->inverse, n));
  b->v = plus(b->v, times(sum * b->inverse, n));
  a->w = minus(a->w, turned_by_run(pass, 0, plus(run->y, times(run->sum, arm))));
  b->w = plus(b->w, turned_by_run(pass, 1, run->y));
}

KERNEL void part_all(const MbPile *p, size_t batch, int lane) {
  Pass pass = begin(p, batch, lane);
  const Triple n = floats3(pass.run, MB_PILE_RUN_N);
  MbPack moved = {0};
  if (rests(p, batch, &pass)) {
    sum_to(p, batch, &pass, 1, moved);
    return;
  }
  const uint32_t depth = pass.batch->depth;
  const Triple arm = floats3(pass.run, MB_PILE_RUN_ARM);
  Parting run = {.common = pass.run + FLOATS * MB_PILE_RUN_W,
                 .along = dot(n, minus(pass.b.v, pass.a.v)) - dot(arm, pass.a.w),
                 .turns = minus(pass.b.w, pass.a.w)};
  for (uint32_t k = 0; k < depth; k++, next(&pass)) moved += part_contact(&pass, k, &run);
  push_run(&pass, n, arm, &run);
  sum_to(p, batch, &pass, 1, moved);
  end(p, &pass);
}

static void part(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) part_all(p, batch, lane);
}

// Where the bodies of a batch are, and what its passes need of them.
KERNEL Moved moved_of(const MbPile *p, const Pass *pass) {
  Moved bodies = {
      .n = load3(pass->head), .was = load3(pass->head + WIDE * MB_PILE_HEAD_WAY), .power = power_of(pass)};
  const MbPack over = mb_pack_over_power(bodies.power);
  for (int end = 0; end < 2; end++) {
    MbPack last[8];
    start_line(p, pass->batch->body[end] + pass->lane, 0, bodies.R[end]);
    start_line(p, pass->batch->body[end] + pass->lane, 1, last);
    bodies.R[end][8] = last[0];
  }
  masses_of(p, pass, bodies.mass);
  bodies.way = minus(bodies.mass[1].p, bodies.mass[0].p);
  bodies.arm = cross(bodies.way, bodies.n);
  put_floats3(pass->run, MB_PILE_RUN_N, bodies.n);
  put_floats3(pass->run, MB_PILE_RUN_ARM, bodies.arm);
  for (int k = 0; k < 12; k++) put_floats(pass->run, MB_PILE_RUN_J + k, over * bodies.mass[k / 6].J[k % 6]);
  return bodies;
}

static void move(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    MbPack deepest = {0};
    Turning turning = {.common = pass.run + FLOATS * MB_PILE_RUN_W};
    const Moved bodies = moved_of(p, &pass);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      deepest = mb_pack_max(deepest, move_contact(&pass, &bodies, k, &turning));
    sum_to(p, batch, &pass, 0, deepest);
    part_all(p, batch, lane);
  }
}

#endif
