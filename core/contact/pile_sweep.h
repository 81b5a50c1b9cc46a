// The passes of pile.h that go to a solution: sweeps, velocities by λ, the natural map.
#ifndef MB_CONTACT_PILE_SWEEP_H
#define MB_CONTACT_PILE_SWEEP_H

#include "core/contact/pile_lanes.h"

KERNEL MbPack sweep_contact(Pass *pass, const Face *face) {
  double *hot = pass->hot;
  const MbPack mu = face->mu;
  const Triple ra = load3(hot + WIDE * MB_PILE_A), rb = minus(ra, face->way),
               was = load3(hot + WIDE * MB_PILE_NOW);
  const MbPack zero = {0}, scale = mb_pack_load(hot + WIDE * MB_PILE_SCALE), power = mb_pack_power(scale),
               over = mb_pack_over_power(power);
  const Triple D = {{rough(pass, MB_PILE_D), rough(pass, MB_PILE_D + 1), rough(pass, MB_PILE_D + 2)}};
  const Triple rate = rate_of(pass->a.v, pass->a.w, pass->b.v, pass->b.w, ra, rb);
  MbPack I[6], u[3], x[3];
  for (int k = 0; k < 3; k++) u[k] = dot(face->axis[k], rate);
  u[0] += mb_pack_load(hot + WIDE * MB_PILE_ASKS);
  for (int k = 0; k < 6; k++) I[k] = rough(pass, MB_PILE_I + k);
  // that at which the contact sticks, λ − D⁻¹ u
  x[0] = was.at[0] - over * (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]);
  x[1] = was.at[1] - over * (I[1] * u[0] + I[3] * u[1] + I[4] * u[2]);
  x[2] = was.at[2] - over * (I[2] * u[0] + I[4] * u[1] + I[5] * u[2]);
  const MbPack most = mu * x[0];
  const MbPackMask pushed = mb_pack_less(u[0] - power * dot(D, was), zero);
  const MbPackMask out = mb_pack_less(x[0], zero) | mb_pack_less(most * most, x[1] * x[1] + x[2] * x[2]);
  if (mb_pack_any(pushed & out)) {
    Known known = {.mu = mu};
    for (int k = 0; k < 6; k++) known.D[k] = power * rough(pass, MB_PILE_D + k), known.I[k] = over * I[k];
    slip(&known, u, was.at, x, pushed & out);
  }
  Triple d;
  for (int k = 0; k < 3; k++) {
    x[k] = mb_pack_select(pushed, x[k], zero);
    mb_pack_store(hot + WIDE * (MB_PILE_NOW + k), x[k]);
    d.at[k] = x[k] - was.at[k];
  }
  push_both(pass, ra, rb, in_world(face, d));
  return dot(d, d) * (scale * scale);
}

KERNEL void sweep_all(const MbPile *p, size_t batch, int lane) {
  Pass pass = begin(p, batch, lane);
  const Face face = face_of(&pass);
  MbPack moved = {0};
  for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) moved += sweep_contact(&pass, &face);
  sum_to(p, batch, &pass, 0, moved);
  end(p, &pass);
}

static void sweep(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) sweep_all(p, batch, lane);
}

static void push(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) push_all(p, p->body, batch, lane);
}

static void last(const MbPile *p, size_t batch) {
  sweep(p, batch);
  for (int lane = 0; lane < WIDE; lane += MB_PACK) push_all(p, p->anew, batch, lane);
}

// Rates of b against a along the axes.
KERNEL Triple along(const Face *face, Triple rate) {
  return (Triple){{dot(face->axis[0], rate), dot(face->axis[1], rate), dot(face->axis[2], rate)}};
}

// Writes what is told of the contacts of a cell where each has its place in the order that they were given in.
KERNEL void tell(const MbPile *p, const Pass *pass, Triple lambda, Triple after, Triple before) {
  double *at[MB_PACK], forgotten[8];
  const MbPack x[8] = {lambda.at[0], lambda.at[1], lambda.at[2], after.at[0],
                       after.at[1],  after.at[2],  before.at[0], dot(lambda, before)};
  for (int i = 0; i < MB_PACK; i++) {
    const uint32_t soon = pass->block[WIDE * MB_PILE_AHEAD + i];
    if (soon != UINT32_MAX) __builtin_prefetch(&p->told[soon], 1);
    at[i] = pass->block[i] == UINT32_MAX ? forgotten : p->told[pass->block[i]].lambda;
  }
  rows_out(at, x);
}

KERNEL void look_all(const MbPile *p, size_t batch, int lane, bool tells) {
  Pass pass = begin(p, batch, lane);
  const Face face = face_of(&pass);
  const Start a = start_of(p, pass.batch->body[0] + lane), b = start_of(p, pass.batch->body[1] + lane);
  MbPack sum = {0};
  for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) {
    const Triple ra = load3(pass.hot + WIDE * MB_PILE_A), rb = minus(ra, face.way),
                 lambda = load3(pass.hot + WIDE * MB_PILE_NOW);
    Triple u = along(&face, rate_of(pass.a.v, pass.a.w, pass.b.v, pass.b.w, ra, rb));
    if (tells) tell(p, &pass, lambda, u, along(&face, rate_of(a.v, a.w, b.v, b.w, ra, rb)));
    u.at[0] += mb_pack_load(pass.hot + WIDE * MB_PILE_ASKS);
    sum += natural_of(u.at, lambda.at, face.mu, mb_pack_load(pass.hot + WIDE * MB_PILE_SCALE), 0);
  }
  sum_to(p, batch, &pass, 0, sum);
}

static void glance(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) look_all(p, batch, lane, false);
}

static void look(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) look_all(p, batch, lane, true);
}

#endif
