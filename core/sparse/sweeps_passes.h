// The passes of sweeps.h for one kind of processor: the table MB_SWEEPS_TABLE of a file that defines it and MB_SWEEPS_NAME and
// includes this. Four rows side by side in a V4.
#include "core/sparse/sweeps.h"

#include <string.h>

#define KERNEL static inline __attribute__((always_inline))

typedef double V4 __attribute__((vector_size(32)));

KERNEL V4 load(const double *a) {
  V4 v;
  memcpy(&v, a, sizeof v);
  return v;
}
KERNEL void store(double *a, V4 v) { memcpy(a, &v, sizeof v); }
KERNEL V4 all(double a) { return (V4){a, a, a, a}; }

// Three right-hand sides of four rows, to rows of four numbers and back.
KERNEL void to_rows(const V4 s[3], V4 rows[4]) {
  const V4 zero = {0};
  const V4 a = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6),
           b = __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7);
  const V4 c = __builtin_shufflevector(s[2], zero, 0, 4, 2, 6),
           d = __builtin_shufflevector(s[2], zero, 1, 5, 3, 7);
  rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  rows[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
KERNEL void from_rows(const V4 r[4], V4 s[3]) {
  const V4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
           b = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  const V4 c = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7),
           d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  s[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  s[1] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  s[2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

// ---- one tile with V vectors of rows: sums = P x, t += Pᵀ g ------------------------------------------------------

KERNEL void product(const double *restrict P, size_t height, size_t width, const double *restrict x,
                    V4 sums[], size_t vectors) {
  for (size_t k = 0; k < 3 * vectors; k++) sums[k] = all(0);
  for (size_t j = 0; j < width; j++, P += height, x += 4)
    for (size_t v = 0; v < vectors; v++) {
      const V4 p = load(P + 4 * v);
      for (size_t r = 0; r < 3; r++) sums[3 * v + r] += p * all(x[r]);
    }
}

// groups of eight rows two at a time
KERNEL void product_two(const double *restrict P, size_t width, const double *restrict x, V4 sums[12]) {
  const double *Q = P + MB_GROUP * width;
  for (size_t k = 0; k < 12; k++) sums[k] = all(0);
  for (size_t j = 0; j < width; j++, P += MB_GROUP, Q += MB_GROUP, x += 4)
    for (size_t r = 0; r < 3; r++) {
      const V4 a = all(x[r]);
      sums[r] += load(P) * a;
      sums[3 + r] += load(P + 4) * a;
      sums[6 + r] += load(Q) * a;
      sums[9 + r] += load(Q + 4) * a;
    }
}

KERNEL void transposed(const double *restrict P, size_t height, size_t width, const V4 g[],
                       double *restrict t, size_t vectors) {
  for (size_t j = 0; j < width; j++, P += height, t += 12)
    for (size_t r = 0; r < 3; r++) {
      V4 sum = load(t + 4 * r);
      for (size_t v = 0; v < vectors; v++) sum += load(P + 4 * v) * g[3 * v + r];
      store(t + 4 * r, sum);
    }
}

KERNEL void transposed_two(const double *restrict P, size_t width, const V4 g[12], double *restrict t) {
  const double *Q = P + MB_GROUP * width;
  for (size_t j = 0; j < width; j++, P += MB_GROUP, Q += MB_GROUP, t += 12) {
    const V4 p0 = load(P), p1 = load(P + 4), q0 = load(Q), q1 = load(Q + 4);
    for (size_t r = 0; r < 3; r++)
      store(t + 4 * r, load(t + 4 * r) + p0 * g[r] + p1 * g[3 + r] + q0 * g[6 + r] + q1 * g[9 + r]);
  }
}

// ---- what comes soon: blocks are too short for the processor to guess ------------------------------------------------

enum { AHEAD = 2, AHEAD_MOST = 1024 }; // nodes; numbers of one

KERNEL void expect(const double *a, size_t count) {
  for (size_t i = 0; i < count && i < AHEAD_MOST; i += 8) __builtin_prefetch(a + i);
}
KERNEL void expect_node(const MbSweeps *s, const MbSweepNode *node, bool square) {
  const size_t m = mb_group_rows(node->below);
  expect(s->numbers + node->B, m * node->columns);
  if (square) expect(s->numbers + node->D, (size_t)node->columns * node->columns);
  for (size_t i = 0; i < m; i += 16) __builtin_prefetch(s->row + node->row + i);
}

// ---- forward ----------------------------------------------------------------------------------------------

KERNEL void leave(double *restrict x, const uint32_t *row, const V4 sums[], size_t vectors) {
  for (size_t v = 0; v < vectors; v++) {
    V4 rows[4];
    to_rows(sums + 3 * v, rows);
    for (size_t i = 0; i < 4; i++) {
      double *to = x + 4 * (size_t)row[4 * v + i];
      store(to, load(to) - rows[i]);
    }
  }
}

// Rows [begin, end) of those below, of which both but the last are multiples of two groups.
static void forward_rows(const MbSweeps *s, const MbSweepNode *node, size_t begin, size_t end) {
  const size_t m = mb_group_rows(node->below);
  const uint32_t *row = s->row + node->row;
  for (size_t j = 0; j < node->columns; j += MB_TILE) {
    const size_t w = node->columns - j < MB_TILE ? node->columns - j : MB_TILE;
    const double *x = s->x + 4 * (node->first + j), *P = s->numbers + node->B + m * j + begin * w;
    size_t i = begin;
    V4 sums[12];
    for (; i + 2 * MB_GROUP <= end; i += 2 * MB_GROUP, P += 2 * MB_GROUP * w) {
      product_two(P, w, x, sums);
      leave(s->x, row + i, sums, 4);
    }
    if (i + MB_GROUP <= end) {
      product(P, MB_GROUP, w, x, sums, 2);
      leave(s->x, row + i, sums, 2);
      i += MB_GROUP, P += MB_GROUP * w;
    }
    if (i < end) {
      product(P, 4, w, x, sums, 1);
      leave(s->x, row + i, sums, 1);
    }
  }
}

static void forward(const MbSweeps *s, const MbSweepNode *node) {
  if (node + AHEAD < s->node + s->count) expect_node(s, node + AHEAD, false);
  forward_rows(s, node, 0, mb_group_rows(node->below));
}

// ---- backward ---------------------------------------------------------------------------------------------

// −x of these rows
KERNEL void fetch(const double *restrict x, const uint32_t *row, V4 g[], size_t vectors) {
  for (size_t v = 0; v < vectors; v++) {
    V4 rows[4];
    for (size_t i = 0; i < 4; i++) rows[i] = all(0) - load(x + 4 * (size_t)row[4 * v + i]);
    from_rows(rows, g + 3 * v);
  }
}
KERNEL void fetch_run(const double *restrict x, V4 g[], size_t vectors) {
  for (size_t v = 0; v < vectors; v++) {
    V4 rows[4];
    for (size_t i = 0; i < 4; i++) rows[i] = load(x + 16 * v + 4 * i);
    from_rows(rows, g + 3 * v);
  }
}
KERNEL void add_run(double *restrict z, const V4 sums[], size_t vectors) {
  for (size_t v = 0; v < vectors; v++) {
    V4 rows[4];
    to_rows(sums + 3 * v, rows);
    for (size_t i = 0; i < 4; i++) store(z + 16 * v + 4 * i, load(z + 16 * v + 4 * i) + rows[i]);
  }
}

// t −= Bᵀ x_R of one tile
static const double *gather(const MbSweeps *s, const MbSweepNode *node, const double *P, size_t w,
                            double *t) {
  const size_t m = mb_group_rows(node->below);
  const uint32_t *row = s->row + node->row;
  size_t i = 0;
  V4 g[12];
  for (; i + 2 * MB_GROUP <= m; i += 2 * MB_GROUP, P += 2 * MB_GROUP * w) {
    fetch(s->x, row + i, g, 4);
    transposed_two(P, w, g, t);
  }
  if (i + MB_GROUP <= m) {
    fetch(s->x, row + i, g, 2);
    transposed(P, MB_GROUP, w, g, t, 2);
    i += MB_GROUP, P += MB_GROUP * w;
  }
  if (i < m) {
    fetch(s->x, row + i, g, 1);
    transposed(P, 4, w, g, t, 1);
    P += 4 * w;
  }
  return P;
}

// z += P x for rows of a tile itself
static const double *square(const double *P, size_t w, const double *x, double *z) {
  const size_t m = mb_group_rows(w);
  size_t i = 0;
  V4 sums[6];
  for (; i + MB_GROUP <= m; i += MB_GROUP, P += MB_GROUP * w) {
    product(P, MB_GROUP, w, x, sums, 2);
    add_run(z + 4 * i, sums, 2);
  }
  if (i < m) {
    product(P, 4, w, x, sums, 1);
    add_run(z + 4 * i, sums, 1);
    P += 4 * w;
  }
  return P;
}

// Rows of D⁻¹ below a tile: z_i += P x_j, t += Pᵀ x_i.
static const double *both(const double *P, size_t rows, size_t w, const double *x, const double *xi,
                          double *z, double *t) {
  const size_t m = mb_group_rows(rows);
  size_t i = 0;
  V4 sums[6], g[6];
  for (; i + MB_GROUP <= m; i += MB_GROUP, P += MB_GROUP * w) {
    product(P, MB_GROUP, w, x, sums, 2);
    add_run(z + 4 * i, sums, 2);
    fetch_run(xi + 4 * i, g, 2);
    transposed(P, MB_GROUP, w, g, t, 2);
  }
  if (i < m) {
    product(P, 4, w, x, sums, 1);
    add_run(z + 4 * i, sums, 1);
    fetch_run(xi + 4 * i, g, 1);
    transposed(P, 4, w, g, t, 1);
    P += 4 * w;
  }
  return P;
}

// z += the sums of t's fours
KERNEL void collect(const double *t, size_t w, double *restrict z) {
  for (size_t j = 0; j < w; j++, t += 12, z += 4) {
    V4 c[3] = {load(t), load(t + 4), load(t + 8)}, rows[4];
    to_rows(c, rows);
    store(z, load(z) + ((rows[0] + rows[1]) + (rows[2] + rows[3])));
  }
}

// What tile j adds to z, rows from j on: D⁻¹ x of it and below it, where `copy` has all x, filled up; t ← what comes to its own rows, too.
static const double *tile(const MbSweeps *s, const MbSweepNode *node, size_t j, const double *D,
                          const double *copy, double *t, double *z) {
  const size_t n = node->columns, w = n - j < MB_TILE ? n - j : MB_TILE;
  const double *x = s->x + 4 * (node->first + j);
  memset(t, 0, 12 * w * sizeof *t);
  gather(s, node, s->numbers + node->B + mb_group_rows(node->below) * j, w, t);
  D = square(D, w, x, z);
  return both(D, n - j - w, w, x, copy + 4 * (j + w), z + 4 * w, t);
}

static void copy_filled(const MbSweeps *s, const MbSweepNode *node, double *copy) {
  const size_t n = node->columns;
  memcpy(copy, s->x + 4 * (size_t)node->first, 4 * n * sizeof *copy);
  memset(copy + 4 * n, 0, 4 * (mb_group_rows(n) - n) * sizeof *copy);
}

static void backward(const MbSweeps *s, const MbSweepNode *node, double *scratch) {
  const size_t n = node->columns;
  const double *D = s->numbers + node->D;
  double *t = scratch, *z = scratch + 12 * MB_TILE, *copy = z + 4 * mb_group_rows(n);
  if (node >= s->node + AHEAD) expect_node(s, node - AHEAD, true);
  memset(z, 0, 4 * mb_group_rows(n) * sizeof *z);
  if (n > MB_TILE) copy_filled(s, node, copy);
  for (size_t j = 0; j < n; j += MB_TILE) {
    D = tile(s, node, j, D, copy, t, z + 4 * j);
    collect(t, n - j < MB_TILE ? n - j : MB_TILE, z + 4 * j);
  }
  memcpy(s->x + 4 * (size_t)node->first, z, 4 * n * sizeof *z);
}

// The same by tiles that anyone can do, each with scratch of its own: t, and behind it z.
static void backward_tile(const MbSweeps *s, const MbSweepNode *node, size_t j, const double *copy,
                          double *scratch) {
  double *z = scratch + 12 * MB_TILE;
  memset(z, 0, 4 * mb_group_rows(node->columns - j) * sizeof *z);
  tile(s, node, j, s->numbers + node->D + mb_sweep_diagonal_before(node->columns, j), copy, scratch, z);
}

// Adds up the tiles in the order in which `backward` does.
static void backward_end(const MbSweeps *s, const MbSweepNode *node, const double *scratch, size_t each) {
  const size_t n = node->columns;
  double *x = s->x + 4 * (size_t)node->first;
  memset(x, 0, 4 * n * sizeof *x);
  for (size_t j = 0; j < n; j += MB_TILE, scratch += each) {
    const double *z = scratch + 12 * MB_TILE;
    for (size_t i = 0; i < n - j; i++) store(x + 4 * (j + i), load(x + 4 * (j + i)) + load(z + 4 * i));
    collect(scratch, n - j < MB_TILE ? n - j : MB_TILE, x + 4 * j);
  }
}

const MbSweepPasses MB_SWEEPS_TABLE = {MB_SWEEPS_NAME, forward,       backward,    forward_rows,
                                       copy_filled,    backward_tile, backward_end};
