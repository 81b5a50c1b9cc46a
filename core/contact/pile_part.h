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

// Where it stands what the contacts of a run have in common, and by how much it goes on from one to the next.
KERNEL char *commons_of(const Pass *pass) {
  return floats_at(pass->run - pass->lane + WIDE * MB_PILE_RUN_W, 0, pass->lane);
}
enum { COMMON = WIDE * sizeof(float) };

// J (r x n) of both bodies, of the contacts of a run.
typedef struct Turning {
  char *common;
  Triple x[MB_LANES_DEEP], y[MB_LANES_DEEP];
} Turning;

// What the contacts of a batch have where they are being parted: the way from the first body's centre of mass to the second's, as it is and as
// it was, and how the bodies have turned.
typedef struct Moved {
  Triple n, way, was, arm;
  MbPack R[2][9];
} Moved;

// A contact's two points each with its own body: the gap between them along the normal as it was, and the place between them. It is the
// k-th of its run.
KERNEL MbPack move_contact(Pass *pass, const Moved *bodies, uint32_t k, Turning *turning) {
  const MbPack zero = {0}, half = mb_pack_all(0.5), gap = mb_pack_load(pass->cold + WIDE * MB_PILE_OPEN),
               size = mb_pack_load(pass->cold + WIDE * MB_PILE_EXTENT);
  const Triple n = bodies->n, off = times(half * gap, n), from_a = load3(pass->hot + WIDE * MB_PILE_A),
               a = turned(bodies->R[0], minus(from_a, off)),
               b = turned(bodies->R[1], plus(minus(from_a, bodies->was), off)),
               d = plus(bodies->way, minus(b, a)), x = cross(plus(a, times(half, d)), n),
               y = minus(x, bodies->arm);
  const double *J = pass->run + WIDE * MB_PILE_RUN_J;
  MbPack g = dot(d, n);
  // what is hardly deep stays so, whatever is deep elsewhere
  const MbPackMask slight = mb_pack_less(g, zero) & mb_pack_less(mb_pack_all(-MB_PILE_SLOP) * size, g);
  g = mb_pack_select(slight, zero, g);
  const MbPack linear = pass->a.inverse + pass->b.inverse;
  turning->x[k] = by_J(J, x), turning->y[k] = by_J(J + WIDE * 6, y);
  const MbPack D = dot(x, turning->x[k]) + dot(y, turning->y[k]) + linear;
  const MbPackMask is = mb_pack_less(zero, mb_pack_load(pass->hot + WIDE * MB_PILE_SCALE));
  for (uint32_t l = 0; l < k; l++, turning->common += COMMON) {
    const MbPack W = dot(x, turning->x[l]) + dot(y, turning->y[l]) + linear;
    mb_pack_store_floats(turning->common, mb_pack_select(is, W / D, zero));
  }
  store3(pass->part + WIDE * MB_PILE_ONE_X, x);
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_D, mb_pack_select(is, D, zero));
  // no more than a step may move
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_ASKS, mb_pack_max(g, mb_pack_all(-MB_PILE_MOST) * size));
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_NOW, zero);
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
// bodies at the first body's centre of mass, and how fast the second turns against the first. What it has done so far: of each contact by how
// much λ has changed, the sum of these, and that of r x n of the first body times them.
typedef struct Parting {
  const char *common;
  MbPack along;
  Triple turns;
  MbPack d[MB_LANES_DEEP], sum;
  Triple x;
} Parting;

// The normal of the k-th contact of a run, with c the way from the first body's centre of mass to the second's, so that r_b = r_a − c:
//
//   u = g + n · (v_b − v_a) − (c × n) · w_b + (r_a × n) · (w_b − w_a),   d = max(λ − u/D − Σ (W_l/D) d_l, 0) − λ,   l those before it
//
// What is kept of it is as little as that: many cells wait for the memory.
KERNEL MbPack part_contact(const Pass *pass, uint32_t k, Parting *run) {
  double *cell = pass->part;
  const Triple x = load3(cell + WIDE * MB_PILE_ONE_X);
  const MbPack zero = {0}, was = mb_pack_load(cell + WIDE * MB_PILE_ONE_NOW),
               D = mb_pack_load(cell + WIDE * MB_PILE_ONE_D);
  const MbPack u = mb_pack_load(cell + WIDE * MB_PILE_ONE_ASKS) + (run->along + dot(x, run->turns));
  MbPack way = mb_pack_select(mb_pack_less(zero, D), u / D, zero);
  for (uint32_t l = 0; l < k; l++, run->common += COMMON) way += mb_pack_load_floats(run->common) * run->d[l];
  const MbPack now = mb_pack_max(was - way, zero), d = now - was, change = d * D;
  mb_pack_store(cell + WIDE * MB_PILE_ONE_NOW, now);
  run->d[k] = d, run->sum += d;
  run->x = plus(run->x, times(d, x));
  return change * change;
}

// Gives the bodies what a run has done.
KERNEL void push_run(Pass *pass, Triple n, Triple arm, const Parting *run) {
  Side *a = &pass->a, *b = &pass->b;
  const double *J = pass->run + WIDE * MB_PILE_RUN_J;
  a->v = minus(a->v, times(run->sum * a->inverse, n));
  b->v = plus(b->v, times(run->sum * b->inverse, n));
  a->w = minus(a->w, by_J(J, run->x));
  b->w = plus(b->w, by_J(J + WIDE * 6, minus(run->x, times(run->sum, arm))));
}

KERNEL void part_all(const MbPile *p, size_t batch, int lane) {
  Pass pass = begin(p, batch, lane);
  const Triple n = load3(pass.run + WIDE * MB_PILE_RUN_N);
  MbPack moved = {0};
  if (rests(p, batch, &pass)) {
    sum_to(p, batch, &pass, 1, moved);
    return;
  }
  const uint32_t depth = pass.batch->depth;
  const Triple arm = load3(pass.run + WIDE * MB_PILE_RUN_ARM);
  Parting run = {.common = commons_of(&pass),
                 .along = dot(n, minus(pass.b.v, pass.a.v)) - dot(arm, pass.b.w),
                 .turns = minus(pass.b.w, pass.a.w)};
  for (uint32_t k = 0; k < depth; k++, next(&pass)) moved += part_contact(&pass, k, &run);
  push_run(&pass, n, arm, &run);
  sum_to(p, batch, &pass, 1, moved);
  end(p, &pass);
}

static void part(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) part_all(p, batch, lane);
}

static void move(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    MbPack at[2][8], turn[8], deepest = {0};
    Turning turning = {.common = commons_of(&pass)};
    Moved bodies = {.n = load3(pass.head), .was = load3(pass.head + WIDE * MB_PILE_HEAD_WAY)};
    for (int end = 0; end < 2; end++) {
      place_of(p, pass.batch->body[end] + lane, 6, at[end]);
      place_of(p, pass.batch->body[end] + lane, 10, turn);
      bodies.R[end][0] = at[end][3];
      for (int k = 0; k < 8; k++) bodies.R[end][1 + k] = turn[k];
    }
    for (int k = 0; k < 3; k++) bodies.way.at[k] = at[1][k] - at[0][k];
    bodies.arm = cross(bodies.way, bodies.n);
    store3(pass.run + WIDE * MB_PILE_RUN_N, bodies.n);
    store3(pass.run + WIDE * MB_PILE_RUN_ARM, bodies.arm);
    put_inertias(p, &pass, pass.run + WIDE * MB_PILE_RUN_J);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      deepest = mb_pack_max(deepest, move_contact(&pass, &bodies, k, &turning));
    sum_to(p, batch, &pass, 0, deepest);
    part_all(p, batch, lane);
  }
}

#endif
