// What the passes of pile.h stand on, for files that have defined MB_PACK: bodies in lanes, vectors, and a pass over a batch.
#ifndef MB_CONTACT_PILE_LANES_H
#define MB_CONTACT_PILE_LANES_H

#include "core/contact/contact_lanes_cone.h"
#include "core/contact/pile.h"

// ---- bodies -----------------------------------------------------------------------------------------------

typedef struct Triple {
  MbPack at[3];
} Triple;

typedef struct Side {
  Triple v, w;
  MbPack inverse, z;
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

KERNEL Side side_of(const MbPileBody *of, const uint32_t *body) {
  const double *at[MB_PACK];
  MbPack x[8];
  for (int i = 0; i < MB_PACK; i++) at[i] = of[body[i]].v;
  rows_in(at, x);
  return (Side){{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}, x[6], x[7]};
}

// What nothing moves is nobody's to write: its numbers go where they are forgotten.
KERNEL void put(const MbPile *pile, MbPileBody *of, const uint32_t *body, const Side *s) {
  double forgotten[8], *at[MB_PACK];
  for (int i = 0; i < MB_PACK; i++) at[i] = body[i] == pile->nbodies ? forgotten : of[body[i]].v;
  const MbPack x[8] = {s->v.at[0], s->v.at[1], s->v.at[2], s->w.at[0],
                       s->w.at[1], s->w.at[2], s->inverse, s->z};
  rows_out(at, x);
}

// Eight numbers of the start of each: the first line or the second.
KERNEL void start_line(const MbPile *pile, const uint32_t *body, size_t line, MbPack out[8]) {
  const double *at[MB_PACK];
  for (int i = 0; i < MB_PACK; i++) at[i] = pile->start[body[i]].R + 8 * line;
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

// J x, J: xx xy xz yy yz zz
KERNEL Triple turned_by(const MbPack J[6], Triple x) {
  return (Triple){{J[0] * x.at[0] + J[1] * x.at[1] + J[2] * x.at[2],
                   J[1] * x.at[0] + J[3] * x.at[1] + J[4] * x.at[2],
                   J[2] * x.at[0] + J[4] * x.at[1] + J[5] * x.at[2]}};
}

// J of a head
KERNEL Triple by_J(const double *head, Triple x) {
  MbPack J[6];
  for (int k = 0; k < 6; k++) J[k] = mb_pack_load(head + WIDE * k);
  return turned_by(J, x);
}

// A body's velocities at the step's start.
typedef struct Start {
  Triple v, w;
} Start;

KERNEL Start start_of(const MbPile *p, const uint32_t *body) {
  MbPack x[8];
  start_line(p, body, 1, x);
  return (Start){{{x[2], x[3], x[4]}}, {{x[5], x[6], x[7]}}};
}

// Of b's point against a's.
KERNEL Triple rate_of(Triple av, Triple aw, Triple bv, Triple bw, Triple ra, Triple rb) {
  return minus(plus(bv, cross(bw, rb)), plus(av, cross(aw, ra)));
}

// ---- a pass over a batch -----------------------------------------------------------------------------------------------

typedef struct Pass {
  const MbPileBatch *batch;
  const double *head;
  double *hot, *cold;
  char *rough, *run, *part; // floats
  const uint32_t *block;
  int lane;
  Side a, b;
} Pass;

enum { FLOATS = WIDE * sizeof(float) }; // bytes of a vector of floats

// The k-th vector of floats.
KERNEL MbPack floats(const char *at, int k) { return mb_pack_load_floats(at + FLOATS * k); }
KERNEL void put_floats(char *at, int k, MbPack x) { mb_pack_store_floats(at + FLOATS * k, x); }
KERNEL Triple floats3(const char *at, int k) {
  return (Triple){{floats(at, k), floats(at, k + 1), floats(at, k + 2)}};
}
KERNEL void put_floats3(char *at, int k, Triple x) {
  for (int i = 0; i < 3; i++) put_floats(at, k + i, x.at[i]);
}

// With the velocities of `of`.
KERNEL Pass begin_of(const MbPile *p, const MbPileBody *of, size_t batch, int lane) {
  const MbPileBatch *is = &p->batch[batch];
  const size_t cell = WIDE * (size_t)is->cell;
  char *const run = (char *)(mb_pile_run(p, batch) + lane);
  return (Pass){is,
                p->head + WIDE * MB_PILE_HEAD * batch + (size_t)lane,
                p->hot + MB_PILE_HOT * cell + (size_t)lane,
                p->cold + MB_PILE_COLD * cell + (size_t)lane,
                (char *)(p->rough + MB_PILE_ROUGH * cell + lane),
                run,
                run + FLOATS * MB_PILE_RUN,
                p->block + cell + (size_t)lane,
                lane,
                side_of(of, is->body[0] + lane),
                side_of(of, is->body[1] + lane)};
}

KERNEL Pass begin(const MbPile *p, size_t batch, int lane) { return begin_of(p, p->body, batch, lane); }

// Pushes b by p at its point, and a the other way.
KERNEL void push_both(Pass *pass, Triple ra, Triple rb, Triple p) {
  Side *a = &pass->a, *b = &pass->b;
  const double *J = pass->head + WIDE * MB_PILE_HEAD_J;
  a->v = minus(a->v, times(a->inverse, p));
  b->v = plus(b->v, times(b->inverse, p));
  a->w = minus(a->w, by_J(J, cross(ra, p)));
  b->w = plus(b->w, by_J(J + WIDE * 6, cross(rb, p)));
}

// J of a body, of which its batches have copies, and where its centre of mass is.
typedef struct Mass {
  MbPack J[6];
  Triple p;
} Mass;

// Of the first body of a batch and the second.
KERNEL void masses_of(const MbPile *p, const Pass *pass, Mass of[2]) {
  for (int end = 0; end < 2; end++) {
    const double *at[MB_PACK];
    MbPack x[8];
    for (int i = 0; i < MB_PACK; i++) at[i] = p->inertia[pass->batch->body[end][pass->lane + i]].J;
    rows_in(at, x);
    of[end] = (Mass){{x[0], x[1], x[2], x[3], x[4], x[5]}, {{x[6], x[7], end ? pass->b.z : pass->a.z}}};
  }
}

KERNEL void next(Pass *pass) {
  pass->hot += WIDE * MB_PILE_HOT, pass->cold += WIDE * MB_PILE_COLD, pass->part += FLOATS * MB_PILE_PART;
  pass->rough += FLOATS * MB_PILE_ROUGH;
  pass->block += WIDE;
}

// A vector of floats of a contact.
KERNEL MbPack rough(const Pass *pass, int k) { return floats(pass->rough, k); }
KERNEL void put_rough(const Pass *pass, int k, MbPack x) { put_floats(pass->rough, k, x); }

KERNEL void end_of(const MbPile *p, MbPileBody *of, const Pass *pass) {
  put(p, of, pass->batch->body[0] + pass->lane, &pass->a);
  put(p, of, pass->batch->body[1] + pass->lane, &pass->b);
}
KERNEL void end(const MbPile *p, const Pass *pass) { end_of(p, p->body, pass); }

// Where a kind of sums of a batch stands.
KERNEL double *sum_of(const MbPile *p, size_t batch, const Pass *pass, size_t which) {
  return p->sum + WIDE * (p->nbatches * which + batch) + (size_t)pass->lane;
}
KERNEL void sum_to(const MbPile *p, size_t batch, const Pass *pass, size_t which, MbPack sum) {
  mb_pack_store(sum_of(p, batch, pass, which), sum);
}

// What all contacts of a batch have, as its head has it.
typedef struct Face {
  Triple axis[3], way;
  MbPack mu;
} Face;

KERNEL Face face_of(const Pass *pass) {
  const double *head = pass->head;
  return (Face){{load3(head), load3(head + WIDE * 3), load3(head + WIDE * 6)},
                load3(head + WIDE * MB_PILE_HEAD_WAY),
                mb_pack_load(head + WIDE * MB_PILE_HEAD_MU)};
}

// What impulses along the axes are in the world.
KERNEL Triple in_world(const Face *face, Triple x) {
  return plus(plus(times(x.at[0], face->axis[0]), times(x.at[1], face->axis[1])),
              times(x.at[2], face->axis[2]));
}

// Gives bodies the velocities of λ.
KERNEL void push_all(const MbPile *p, MbPileBody *of, size_t batch, int lane) {
  Pass pass = begin_of(p, of, batch, lane);
  const Face face = face_of(&pass);
  for (uint32_t k = 0; k < pass.batch->depth; k++, next(&pass)) {
    const Triple ra = load3(pass.hot + WIDE * MB_PILE_A);
    push_both(&pass, ra, minus(ra, face.way), in_world(&face, load3(pass.hot + WIDE * MB_PILE_NOW)));
  }
  end_of(p, of, &pass);
}

#endif
