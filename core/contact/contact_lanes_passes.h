// The passes of contact_lanes.h for one kind of processor: the table MB_LANES_TABLE of a file that defines it, MB_LANES_NAME and MB_PACK, and
// includes this. A batch is gone through in as many packs as its eight lanes are; nothing is fused, so that all machines come to the same bits.
#include "core/contact/contact_lanes.h"
#include "core/contact/contact_lanes_cone.h"

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
  if (mb_pack_any(pushed & out)) {
    Known known = {.mu = mu};
    for (int k = 0; k < 6; k++) {
      const int at = k < 3 ? MB_CELL_D + k : MB_CELL_D_REST + k - 3;
      known.D[k] = mb_pack_load(cell + WIDE * at), known.I[k] = I[k];
    }
    slip(&known, u, was, x, pushed & out);
  }
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

KERNEL MbPack natural_contact(double *cell, const Six *p, const Six *q, double rho) {
  MbPack u[3], lambda[3];
  for (int r = 0; r < 3; r++) {
    u[r] = mb_pack_load(cell + WIDE * (MB_CELL_B + r)) + rate(cell + WIDE * 12 * r, p, q);
    mb_pack_store(cell + WIDE * (MB_CELL_W + r), u[r]);
    lambda[r] = mb_pack_load(cell + WIDE * (MB_CELL_LAMBDA + r));
  }
  return natural_of(u, lambda, mb_pack_load(cell + WIDE * MB_CELL_MU),
                    mb_pack_load(cell + WIDE * MB_CELL_SCALE), rho);
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
