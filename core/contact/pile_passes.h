// The passes of pile.h for one kind of processor: the table MB_PILE_TABLE of a file that defines it, MB_PILE_NAME and MB_PACK, and includes
// this.
#include "core/contact/contact_lanes_cone.h"
#include "core/contact/pile.h"

// ---- bodies -----------------------------------------------------------------------------------------------

typedef struct Triple {
  MbPack at[3];
} Triple;

typedef struct Side {
  Triple v, w;
  MbPack inverse, none;
} Side;

// Turns `MB_PACK` rows of eight numbers into eight vectors, and back.
#if MB_PACK == 8
KERNEL void turn8(MbPack r[8]) {
  MbPack t[8], u[8];
  for (int k = 0; k < 8; k += 2) {
    t[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int i = 0; i < 2; i++) {
      u[k + i] = __builtin_shufflevector(t[k + i], t[k + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[k + i + 2] = __builtin_shufflevector(t[k + i], t[k + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; k++) {
    r[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
KERNEL void rows_in(const double *const at[MB_PACK], MbPack x[8]) {
  for (int i = 0; i < 8; i++) x[i] = mb_pack_load(at[i]);
  turn8(x);
}
KERNEL void rows_out(double *const at[MB_PACK], const MbPack x[8]) {
  MbPack r[8];
  memcpy(r, x, sizeof r);
  turn8(r);
  for (int i = 0; i < 8; i++) mb_pack_store(at[i], r[i]);
}
#elif MB_PACK == 4
KERNEL void turn4(MbPack r[4]) {
  MbPack t[4];
  for (int k = 0; k < 4; k += 2) {
    t[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 4, 2, 6);
    t[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 1, 5, 3, 7);
  }
  for (int k = 0; k < 2; k++) {
    r[k] = __builtin_shufflevector(t[k], t[k + 2], 0, 1, 4, 5);
    r[k + 2] = __builtin_shufflevector(t[k], t[k + 2], 2, 3, 6, 7);
  }
}
KERNEL void rows_in(const double *const at[MB_PACK], MbPack x[8]) {
  for (int half = 0; half < 8; half += 4) {
    for (int i = 0; i < 4; i++) x[half + i] = mb_pack_load(at[i] + half);
    turn4(x + half);
  }
}
KERNEL void rows_out(double *const at[MB_PACK], const MbPack x[8]) {
  for (int half = 0; half < 8; half += 4) {
    MbPack r[4];
    memcpy(r, x + half, sizeof r);
    turn4(r);
    for (int i = 0; i < 4; i++) mb_pack_store(at[i] + half, r[i]);
  }
}
#else
KERNEL void rows_in(const double *const at[MB_PACK], MbPack x[8]) {
  for (int k = 0; k < 8; k++) x[k] = (MbPack){at[0][k], at[1][k]};
}
KERNEL void rows_out(double *const at[MB_PACK], const MbPack x[8]) {
  for (int i = 0; i < MB_PACK; i++)
    for (int k = 0; k < 8; k++) at[i][k] = x[k][i];
}
#endif

KERNEL Side side_of(const MbPile *pile, const uint32_t *body) {
  const double *at[MB_PACK];
  MbPack x[8];
  for (int i = 0; i < MB_PACK; i++) at[i] = pile->body[body[i]].v;
  rows_in(at, x);
  return (Side){{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}, x[6], x[7]};
}

// What nothing moves is nobody's to write: its numbers go where they are forgotten.
KERNEL void put(const MbPile *pile, const uint32_t *body, const Side *s) {
  double forgotten[8], *at[MB_PACK];
  for (int i = 0; i < MB_PACK; i++) at[i] = body[i] == pile->nbodies ? forgotten : pile->body[body[i]].v;
  const MbPack x[8] = {s->v.at[0], s->v.at[1], s->v.at[2], s->w.at[0],
                       s->w.at[1], s->w.at[2], s->inverse, s->none};
  rows_out(at, x);
}

// Eight numbers of the place of each, from `from` on.
KERNEL void place_of(const MbPile *pile, const uint32_t *body, size_t from, MbPack out[8]) {
  const double *at[MB_PACK];
  for (int i = 0; i < MB_PACK; i++) at[i] = pile->place[body[i]].v + from;
  rows_in(at, out);
}

// ---- vectors ----------------------------------------------------------------------------------------------

KERNEL Triple load3(const double *at) {
  return (Triple){{mb_pack_load(at), mb_pack_load(at + WIDE), mb_pack_load(at + 2 * WIDE)}};
}

KERNEL void store3(double *at, Triple x) {
  for (int k = 0; k < 3; k++) mb_pack_store(at + WIDE * k, x.at[k]);
}

KERNEL Triple cross(Triple a, Triple b) {
  return (Triple){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                   a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

KERNEL MbPack dot(Triple a, Triple b) { return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2]; }

KERNEL Triple plus(Triple a, Triple b) {
  return (Triple){{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}};
}

KERNEL Triple minus(Triple a, Triple b) {
  return (Triple){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

KERNEL Triple times(MbPack s, Triple a) { return (Triple){{s * a.at[0], s * a.at[1], s * a.at[2]}}; }

// J of a head
KERNEL Triple by_J(const double *head, Triple x) {
  MbPack J[6];
  for (int k = 0; k < 6; k++) J[k] = mb_pack_load(head + WIDE * k);
  return (Triple){{J[0] * x.at[0] + J[1] * x.at[1] + J[2] * x.at[2],
                   J[1] * x.at[0] + J[3] * x.at[1] + J[4] * x.at[2],
                   J[2] * x.at[0] + J[4] * x.at[1] + J[5] * x.at[2]}};
}

// Of b's point against a's.
KERNEL Triple rate_of(Triple av, Triple aw, Triple bv, Triple bw, Triple ra, Triple rb) {
  return minus(plus(bv, cross(bw, rb)), plus(av, cross(aw, ra)));
}

// ---- passes -----------------------------------------------------------------------------------------------

typedef struct Pass {
  const MbPileBatch *batch;
  const double *head;
  double *hot, *cold, *part;
  char *rough;
  const uint32_t *block;
  int lane;
  Side a, b;
} Pass;

// Where in a cell that begins with doubles the k-th vector of floats is.
KERNEL char *floats_at(double *cell, int k, int lane) {
  return (char *)cell + sizeof(float) * (size_t)(WIDE * k + lane);
}

KERNEL Pass begin(const MbPile *p, size_t batch, int lane) {
  const MbPileBatch *is = &p->batch[batch];
  const size_t cell = WIDE * (size_t)is->cell;
  return (Pass){is,
                p->head + WIDE * MB_PILE_HEAD * batch + (size_t)lane,
                p->hot + MB_PILE_HOT * cell + (size_t)lane,
                p->cold + MB_PILE_COLD * cell + (size_t)lane,
                p->part + MB_PILE_PART * cell + (size_t)lane,
                floats_at(p->hot + MB_PILE_HOT * cell + WIDE * MB_PILE_ROUGH, 0, lane),
                p->block + cell + (size_t)lane,
                lane,
                side_of(p, is->body[0] + lane),
                side_of(p, is->body[1] + lane)};
}

// Pushes b by p at its point, and a the other way.
KERNEL void push_both(Pass *pass, Triple ra, Triple rb, Triple p) {
  Side *a = &pass->a, *b = &pass->b;
  const double *J = pass->head + WIDE * MB_PILE_HEAD_J;
  a->v = minus(a->v, times(a->inverse, p));
  b->v = plus(b->v, times(b->inverse, p));
  a->w = minus(a->w, by_J(J, cross(ra, p)));
  b->w = plus(b->w, by_J(J + WIDE * 6, cross(rb, p)));
}

// Puts the inertias of the batch's bodies into its head.
KERNEL void head_inertias(const MbPile *p, const Pass *pass) {
  double *J = (double *)pass->head + WIDE * MB_PILE_HEAD_J;
  for (int end = 0; end < 2; end++) {
    const double *at[MB_PACK];
    MbPack x[8];
    for (int i = 0; i < MB_PACK; i++) at[i] = p->inertia[pass->batch->body[end][pass->lane + i]].J;
    rows_in(at, x);
    for (int k = 0; k < 6; k++, J += WIDE) mb_pack_store(J, x[k]);
  }
}

KERNEL void next(Pass *pass) {
  pass->hot += WIDE * MB_PILE_HOT, pass->cold += WIDE * MB_PILE_COLD, pass->part += WIDE * MB_PILE_PART;
  pass->rough += sizeof(double) * WIDE * MB_PILE_HOT;
  pass->block += WIDE;
}

KERNEL MbPack rough(const Pass *pass, int k) {
  return mb_pack_load_floats(pass->rough + sizeof(float) * (size_t)(WIDE * k));
}

KERNEL void end(const MbPile *p, const Pass *pass) {
  put(p, pass->batch->body[0] + pass->lane, &pass->a);
  put(p, pass->batch->body[1] + pass->lane, &pass->b);
}

KERNEL void sum_to(const MbPile *p, size_t batch, const Pass *pass, int which, MbPack sum) {
  mb_pack_store(p->sum + 4 * WIDE * batch + (size_t)(WIDE * which + pass->lane), sum);
}

KERNEL MbPack sweep_contact(Pass *pass, const Triple axis[3], Triple way, MbPack mu) {
  double *hot = pass->hot;
  const Triple ra = load3(hot + WIDE * MB_PILE_A), rb = minus(ra, way), was = load3(hot + WIDE * MB_PILE_NOW);
  const MbPack zero = {0}, scale = mb_pack_load(hot + WIDE * MB_PILE_SCALE), power = mb_pack_power(scale),
               over = mb_pack_over_power(power);
  const Triple D = {{rough(pass, MB_PILE_D), rough(pass, MB_PILE_D + 1), rough(pass, MB_PILE_D + 2)}};
  const Triple rate = rate_of(pass->a.v, pass->a.w, pass->b.v, pass->b.w, ra, rb);
  MbPack I[6], u[3], x[3];
  for (int k = 0; k < 3; k++) u[k] = dot(axis[k], rate);
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
  Triple d, p;
  for (int k = 0; k < 3; k++) {
    x[k] = mb_pack_select(pushed, x[k], zero);
    mb_pack_store(hot + WIDE * (MB_PILE_NOW + k), x[k]);
    d.at[k] = x[k] - was.at[k];
  }
  p = plus(plus(times(d.at[0], axis[0]), times(d.at[1], axis[1])), times(d.at[2], axis[2]));
  push_both(pass, ra, rb, p);
  return dot(d, d) * (scale * scale);
}

static void sweep(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const Triple axis[3] = {load3(pass.head), load3(pass.head + WIDE * 3), load3(pass.head + WIDE * 6)};
    const Triple way = load3(pass.head + WIDE * MB_PILE_HEAD_WAY);
    const MbPack mu = mb_pack_load(pass.head + WIDE * MB_PILE_HEAD_MU);
    MbPack moved = {0};
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      moved += sweep_contact(&pass, axis, way, mu);
    sum_to(p, batch, &pass, 0, moved);
    end(p, &pass);
  }
}

static void push(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const Triple axis[3] = {load3(pass.head), load3(pass.head + WIDE * 3), load3(pass.head + WIDE * 6)};
    const Triple way = load3(pass.head + WIDE * MB_PILE_HEAD_WAY);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) {
      const Triple x = load3(pass.hot + WIDE * MB_PILE_NOW), ra = load3(pass.hot + WIDE * MB_PILE_A);
      const Triple f = plus(plus(times(x.at[0], axis[0]), times(x.at[1], axis[1])), times(x.at[2], axis[2]));
      push_both(&pass, ra, minus(ra, way), f);
    }
    end(p, &pass);
  }
}

static void look(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const Triple axis[3] = {load3(pass.head), load3(pass.head + WIDE * 3), load3(pass.head + WIDE * 6)};
    const Triple way = load3(pass.head + WIDE * MB_PILE_HEAD_WAY);
    const MbPack mu = mb_pack_load(pass.head + WIDE * MB_PILE_HEAD_MU);
    MbPack sum = {0};
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) {
      const Triple ra = load3(pass.hot + WIDE * MB_PILE_A);
      const Triple rate = rate_of(pass.a.v, pass.a.w, pass.b.v, pass.b.w, ra, minus(ra, way));
      const Triple lambda = load3(pass.hot + WIDE * MB_PILE_NOW);
      Triple u = {{dot(axis[0], rate), dot(axis[1], rate), dot(axis[2], rate)}};
      store3(pass.cold + WIDE * MB_PILE_RATE, u);
      u.at[0] += mb_pack_load(pass.hot + WIDE * MB_PILE_ASKS);
      sum += natural_of(u.at, lambda.at, mu, mb_pack_load(pass.hot + WIDE * MB_PILE_SCALE), 0);
    }
    sum_to(p, batch, &pass, 0, sum);
  }
}

// ---- taking contacts --------------------------------------------------------------------------------------

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

typedef struct Start {
  Triple p, v, w;
} Start;

KERNEL Start start_of(const MbPile *p, const uint32_t *body) {
  MbPack x[8], z = {0};
  place_of(p, body, 0, x);
  for (int i = 0; i < MB_PACK; i++) z[i] = p->place[body[i]].p[2];
  return (Start){.v = {{x[0], x[1], x[2]}}, .w = {{x[3], x[4], x[5]}}, .p = {{x[6], x[7], z}}};
}

// b of the contact, its squares and those of what comes nearer, what rebounds.
typedef struct Sums {
  MbPack all, nearer, rebound;
} Sums;

KERNEL void take_contact(const MbPile *p, Pass *pass, const Start *a, const Start *b, const Triple axis[3],
                         MbPack mu, Sums *sums) {
  const Lanes in = lanes_of(p, pass->block);
  const MbPack zero = {0};
  MbPack x[8]; // up to the size
  _Static_assert(MB_PILE_SIZE < 8, "they are eight");
  rows_in(in.at, x);
  const Triple at = {{x[MB_PILE_POINT], x[MB_PILE_POINT + 1], x[MB_PILE_POINT + 2]}}, ra = minus(at, a->p),
               rb = minus(ra, load3(pass->head + WIDE * MB_PILE_HEAD_WAY));
  const Triple rate = rate_of(pass->a.v, pass->a.w, pass->b.v, pass->b.w, ra, rb),
               was = rate_of(a->v, a->w, b->v, b->w, ra, rb);
  Triple u, before;
  MbPack D[6], I[6], rebound;
  for (int k = 0; k < 3; k++) u.at[k] = dot(axis[k], rate), before.at[k] = dot(axis[k], was);
  own_block(pass, axis, ra, rb, D);
  const MbPack scale = mb_pack_select(in.is, (D[0] + D[3] + D[5]) / mb_pack_all(3), zero);
  invert(D, scale, I);
  const MbPack bounce = number(&in, MB_PILE_BOUNCE),
               least = least_of(p, x, bounce, u.at[0], before.at[0], &rebound), asked = u.at[0] - least,
               nearer = mb_pack_min(asked, zero), tangents = u.at[1] * u.at[1] + u.at[2] * u.at[2];
  sums->all += mb_pack_select(in.is, asked * asked + tangents, zero);
  sums->nearer += mb_pack_select(in.is, nearer * nearer + tangents, zero);
  sums->rebound = mb_pack_max(sums->rebound, mb_pack_select(in.is, rebound, zero));

  store3(pass->hot + WIDE * MB_PILE_A, ra);
  const MbPack power = mb_pack_power(scale), over = mb_pack_over_power(power);
  for (size_t k = 0; k < 6; k++) {
    mb_pack_store_floats(pass->rough + sizeof(float) * WIDE * (MB_PILE_D + k),
                         mb_pack_select(in.is, over * D[k], zero));
    mb_pack_store_floats(pass->rough + sizeof(float) * WIDE * (MB_PILE_I + k),
                         mb_pack_select(in.is, power * I[k], zero));
  }
  // what is not there is far away
  mb_pack_store(pass->hot + WIDE * MB_PILE_ASKS, mb_pack_select(in.is, -least, mb_pack_all(1e200)));
  mb_pack_store(pass->hot + WIDE * MB_PILE_SCALE, scale);
  store3(pass->hot + WIDE * MB_PILE_NOW, clamped((Triple){{x[0], x[1], x[2]}}, mu));
  store3(pass->cold + WIDE * MB_PILE_BEFORE, before);
  mb_pack_store(pass->cold + WIDE * MB_PILE_OPEN, x[MB_PILE_GAP]);
  mb_pack_store(pass->cold + WIDE * MB_PILE_EXTENT, x[MB_PILE_SIZE]);
}

static void take(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const Start a = start_of(p, pass.batch->body[0] + lane), b = start_of(p, pass.batch->body[1] + lane);
    const Lanes first = lanes_of(p, pass.block);
    const MbPack mu = number(&first, MB_PILE_MU);
    Sums sums = {{0}, {0}, {0}};
    Triple axis[3] = {numbers(&first, MB_PILE_NORMAL)};
    tangents_of(axis);
    for (int k = 0; k < 3; k++) store3((double *)pass.head + WIDE * 3 * k, axis[k]);
    mb_pack_store((double *)pass.head + WIDE * MB_PILE_HEAD_MU, mu);
    store3((double *)pass.head + WIDE * MB_PILE_HEAD_WAY, minus(b.p, a.p));
    head_inertias(p, &pass);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      take_contact(p, &pass, &a, &b, axis, mu, &sums);
    sum_to(p, batch, &pass, 0, sums.all);
    sum_to(p, batch, &pass, 1, sums.nearer);
    sum_to(p, batch, &pass, 2, sums.rebound);
  }
}

// ---- parting ----------------------------------------------------------------------------------------------

// Where a point is from the centre of mass, which was at r from it.
KERNEL Triple turned(const MbPack R[9], Triple r) {
  Triple x;
  for (int k = 0; k < 3; k++) x.at[k] = R[3 * k] * r.at[0] + R[3 * k + 1] * r.at[1] + R[3 * k + 2] * r.at[2];
  return x;
}

// Where it stands what a contact has in common with the l-th of its run.
KERNEL char *common_of(const Pass *pass, uint32_t l) {
  return floats_at(pass->part - pass->lane + WIDE * MB_PILE_ONE_W, (int)l, pass->lane);
}

// J (r x n) of both bodies, of the contacts of a run.
typedef struct Turning {
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
  const double *J = pass->head + WIDE * MB_PILE_HEAD_J;
  MbPack g = dot(d, n);
  // what is hardly deep stays so, whatever is deep elsewhere
  const MbPackMask slight = mb_pack_less(g, zero) & mb_pack_less(mb_pack_all(-MB_PILE_SLOP) * size, g);
  g = mb_pack_select(slight, zero, g);
  const MbPack linear = pass->a.inverse + pass->b.inverse;
  turning->x[k] = by_J(J, x), turning->y[k] = by_J(J + WIDE * 6, y);
  const MbPack D = dot(x, turning->x[k]) + dot(y, turning->y[k]) + linear;
  const MbPackMask is = mb_pack_less(zero, mb_pack_load(pass->hot + WIDE * MB_PILE_SCALE));
  for (uint32_t l = 0; l < k; l++) {
    const MbPack W = dot(x, turning->x[l]) + dot(y, turning->y[l]) + linear;
    mb_pack_store_floats(common_of(pass, l), mb_pack_select(is, W / D, zero));
  }
  store3(pass->part + WIDE * MB_PILE_ONE_X, x);
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_D, mb_pack_select(is, D, zero));
  // no more than a step may move
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_ASKS, mb_pack_max(g, mb_pack_all(-MB_PILE_MOST) * size));
  mb_pack_store(pass->part + WIDE * MB_PILE_ONE_NOW, zero);
  return mb_pack_select(is, -g / size, zero);
}

static void move(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    MbPack at[2][8], turn[8], deepest = {0};
    Turning turning;
    Moved bodies = {.n = load3(pass.head), .was = load3(pass.head + WIDE * MB_PILE_HEAD_WAY)};
    for (int end = 0; end < 2; end++) {
      place_of(p, pass.batch->body[end] + lane, 6, at[end]);
      place_of(p, pass.batch->body[end] + lane, 10, turn);
      bodies.R[end][0] = at[end][3];
      for (int k = 0; k < 8; k++) bodies.R[end][1 + k] = turn[k];
    }
    for (int k = 0; k < 3; k++) bodies.way.at[k] = at[1][k] - at[0][k];
    bodies.arm = cross(bodies.way, bodies.n);
    store3((double *)pass.head + WIDE * MB_PILE_HEAD_ARM, bodies.arm);
    head_inertias(p, &pass);
    for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass))
      deepest = mb_pack_max(deepest, move_contact(&pass, &bodies, k, &turning));
    sum_to(p, batch, &pass, 0, deepest);
  }
}

KERNEL MbPack amount(Triple x) { return mb_pack_abs(x.at[0]) + mb_pack_abs(x.at[1]) + mb_pack_abs(x.at[2]); }

// Whether none of them is deep, by what `move` has found, and none of their bodies has moved.
KERNEL bool rests(const MbPile *p, size_t batch, const Pass *pass) {
  const MbPack deep = mb_pack_load(p->sum + 4 * WIDE * batch + (size_t)pass->lane),
               moved = (amount(pass->a.v) + amount(pass->a.w)) + (amount(pass->b.v) + amount(pass->b.w));
  return !mb_pack_any(mb_pack_less((MbPack){0}, deep + moved));
}

// What a run has for all its contacts, with its bodies' velocities as they are before it: the rate along the normal of the places of its
// bodies at the first body's centre of mass, and how fast the second turns against the first. What it has done so far: of each contact by how
// much λ has changed, the sum of these, and that of r x n of the first body times them.
typedef struct Parting {
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
  for (uint32_t l = 0; l < k; l++) way += mb_pack_load_floats(common_of(pass, l)) * run->d[l];
  const MbPack now = mb_pack_max(was - way, zero), d = now - was, change = d * D;
  mb_pack_store(cell + WIDE * MB_PILE_ONE_NOW, now);
  run->d[k] = d, run->sum += d;
  run->x = plus(run->x, times(d, x));
  return change * change;
}

// Gives the bodies what a run has done.
KERNEL void push_run(Pass *pass, Triple n, Triple arm, const Parting *run) {
  Side *a = &pass->a, *b = &pass->b;
  const double *J = pass->head + WIDE * MB_PILE_HEAD_J;
  a->v = minus(a->v, times(run->sum * a->inverse, n));
  b->v = plus(b->v, times(run->sum * b->inverse, n));
  a->w = minus(a->w, by_J(J, run->x));
  b->w = plus(b->w, by_J(J + WIDE * 6, minus(run->x, times(run->sum, arm))));
}

static void part(const MbPile *p, size_t batch) {
  for (int lane = 0; lane < WIDE; lane += MB_PACK) {
    Pass pass = begin(p, batch, lane);
    const Triple n = load3(pass.head);
    MbPack moved = {0};
    if (rests(p, batch, &pass)) {
      sum_to(p, batch, &pass, 1, moved);
      continue;
    }
    const uint32_t depth = pass.batch->depth;
    const Triple arm = load3(pass.head + WIDE * MB_PILE_HEAD_ARM);
    Parting run = {.along = dot(n, minus(pass.b.v, pass.a.v)) - dot(arm, pass.b.w),
                   .turns = minus(pass.b.w, pass.a.w)};
    for (uint32_t k = 0; k < depth; k++, next(&pass)) moved += part_contact(&pass, k, &run);
    push_run(&pass, n, arm, &run);
    sum_to(p, batch, &pass, 1, moved);
    end(p, &pass);
  }
}

const MbPilePasses MB_PILE_TABLE = {MB_PILE_NAME, take, push, sweep, look, move, part};
