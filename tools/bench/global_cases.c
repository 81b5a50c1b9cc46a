// The matrices of the global step: entries of cloth with and without bending and of bars, in the counts of the tables of Zeng and others.
#include "tools/bench/global_cases.h"
#include "core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOTH(name, cells, plain, isometric, beltrami)                                                       \
  {name " cloth", false, cells, MB_NO_BENDING, plain},                                                       \
      {name " cloth, isometric bending", false, cells, MB_ISOMETRIC, isometric}, {                           \
    name " cloth, Laplace-Beltrami", false, cells, MB_LAPLACE_BELTRAMI, beltrami                             \
  }

const MbGlobalCase mb_global_cases[MB_GLOBAL_CASES] = {
    CLOTH("5.1k", 50, 34.80, 62.37, 87.08),          CLOTH("10.2k", 71, 102.51, 183.82, 258.85),
    CLOTH("15.3k", 87, 183.79, 342.68, 487.14),      CLOTH("20.2k", 100, 280.41, 523.36, 749.10),
    {"5.3k bar", true, 13, MB_NO_BENDING, 125.02},   {"11.3k bar", true, 17, MB_NO_BENDING, 463.03},
    {"20.8k bar", true, 21, MB_NO_BENDING, 1310.19},
};

static const double STEP = 0.01;          // s
static const double CLOTH_DENSITY = 0.2;  // kg/m²
static const double CLOTH_STIFFNESS = 50; // N/m
static const double BENDING = 1e-5;       // N m
static const double BAR_DENSITY = 1000;   // kg/m³
static const double BAR_STIFFNESS = 1e6;  // Pa

// ---- entries, as they come ------------------------------------------------------------------------------------

typedef struct Entry {
  uint32_t column, row;
  double value;
} Entry;

typedef struct Entries {
  size_t n, count, room;
  Entry *entry;
  double *mass; // (n)
  bool failed;
} Entries;

static void add(Entries *e, size_t i, size_t j, double value) {
  if (e->failed || i < j) return;
  if (e->count == e->room) {
    Entry *more = mb_realloc(e->entry, 2 * e->room + 1024, sizeof *more);
    if (!more) {
      e->failed = true;
      return;
    }
    e->entry = more;
    e->room = 2 * e->room + 1024;
  }
  e->entry[e->count++] = (Entry){(uint32_t)j, (uint32_t)i, value};
}

static int by_place(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static bool gather(Entries *e, MbGlobalMatrix *A) {
  for (size_t i = 0; i < e->n; i++) add(e, i, i, e->mass[i]);
  size_t *start = mb_calloc(e->n + 1, sizeof *start);
  uint32_t *row = mb_calloc(e->count, sizeof *row);
  A->values = mb_calloc(e->count, sizeof *A->values);
  A->pattern = (MbPattern){e->n, start, row};
  if (e->failed || !start || !row || !A->values) {
    mb_global_matrix_free(A);
    return false;
  }
  qsort(e->entry, e->count, sizeof *e->entry, by_place);
  size_t kept = 0;
  for (size_t p = 0; p < e->count; p++) {
    if (p == 0 || by_place(&e->entry[p], &e->entry[p - 1]) != 0) {
      start[e->entry[p].column + 1]++;
      row[kept++] = e->entry[p].row;
    }
    A->values[kept - 1] += e->entry[p].value;
  }
  for (size_t j = 0; j < e->n; j++) start[j + 1] += start[j];
  return true;
}

// ---- cloth: corners in rows, then the middles of the cells ----------------------------------------------------

static void triangle_corners(size_t N, size_t t, size_t v[3]) {
  const size_t cell = t / 4, x = cell % N, y = cell / N, side = t % 4;
  const size_t corner[4] = {y * (N + 1) + x, y * (N + 1) + x + 1, (y + 1) * (N + 1) + x + 1,
                            (y + 1) * (N + 1) + x};
  v[0] = corner[side];
  v[1] = corner[(side + 1) % 4];
  v[2] = (N + 1) * (N + 1) + cell;
}

// Each has a right angle in the middle of its cell: cotangents are 1 at the corners, 0 there.
static const double COTANGENT[3] = {1, 1, 0};

// Quadratic bending over the edge a, b with c and d opposite: w (Σ k x)², with weights of the cotangents at a and b.
static void hinge(Entries *e, const size_t v[4], const double cotangent[4], double w) {
  const double k[4] = {cotangent[1] + cotangent[3], cotangent[0] + cotangent[2], -cotangent[0] - cotangent[1],
                       -cotangent[2] - cotangent[3]};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) add(e, v[i], v[j], w * k[i] * k[j]);
}

static void isometric(Entries *e, size_t N, double area) {
  const double w = STEP * STEP * BENDING * 3 / (2 * area);
  for (size_t t = 0; t < 4 * N * N; t++) {
    const size_t cell = t / 4, x = cell % N, y = cell / N, side = t % 4;
    size_t v[3], o[3];
    triangle_corners(N, t, v);
    // the spoke from corner 0, with the triangle before
    triangle_corners(N, 4 * cell + (side + 3) % 4, o);
    hinge(e, (size_t[4]){v[0], v[2], v[1], o[0]}, (double[4]){1, 0, 1, 0}, w);
    // the side towards the next cell, right and up
    if (side == 1 && x + 1 < N) hinge(e, (size_t[4]){v[0], v[1], v[2], v[2] + 1}, (double[4]){1, 1, 1, 1}, w);
    if (side == 2 && y + 1 < N) hinge(e, (size_t[4]){v[0], v[1], v[2], v[2] + N}, (double[4]){1, 1, 1, 1}, w);
  }
}

// w Lᵀ M⁻¹ L with L the Laplacian of cotangents: every vertex couples its neighbours.
static void beltrami(Entries *e, size_t N, double area) {
  const size_t n = e->n;
  double *sum = mb_calloc(n, sizeof *sum);
  uint32_t *near = mb_calloc(8 * n, sizeof *near), *count = mb_calloc(n, sizeof *count);
  if (!sum || !near || !count) e->failed = true;
  for (size_t t = 0; !e->failed && t < 4 * N * N; t++) {
    size_t v[3];
    triangle_corners(N, t, v);
    // only the spokes count: across the sides stand right angles, of cotangent 0, but they stay in the pattern
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        bool known = i == j;
        for (size_t k = 0; k < count[v[i]]; k++) known |= near[8 * v[i] + k] == v[j];
        if (!known) near[8 * v[i] + count[v[i]]++] = (uint32_t)v[j];
      }
  }
  for (size_t i = 0; !e->failed && i < n; i++) {
    size_t v[9] = {i};
    double k[9] = {0};
    for (size_t j = 0; j < count[i]; j++) {
      v[j + 1] = near[8 * i + j];
      k[j + 1] = (v[j + 1] >= (N + 1) * (N + 1)) != (i >= (N + 1) * (N + 1)) ? 1 : 0;
      k[0] -= k[j + 1];
    }
    const double w = STEP * STEP * BENDING / (area * count[i] / 3);
    for (size_t a = 0; a <= count[i]; a++)
      for (size_t b = 0; b <= count[i]; b++) add(e, v[a], v[b], w * k[a] * k[b]);
  }
  mb_free(sum);
  mb_free(near);
  mb_free(count);
}

static void cloth(Entries *e, const MbGlobalCase *c) {
  const size_t N = c->cells;
  const double cell = 1.0 / (double)N, area = cell * cell / 4, w = STEP * STEP * CLOTH_STIFFNESS;
  for (size_t t = 0; t < 4 * N * N; t++) {
    size_t v[3];
    triangle_corners(N, t, v);
    for (int i = 0; i < 3; i++) {
      const size_t a = v[(i + 1) % 3], b = v[(i + 2) % 3];
      const double g = w * COTANGENT[i] / 2; // ∫ ∇φ_a·∇φ_b = −cot/2 at the corner opposite
      add(e, a, b, -g);
      add(e, b, a, -g);
      add(e, a, a, g);
      add(e, b, b, g);
      e->mass[v[i]] += CLOTH_DENSITY * area / 3;
    }
  }
  if (c->bending == MB_ISOMETRIC) isometric(e, N, area);
  if (c->bending == MB_LAPLACE_BELTRAMI) beltrami(e, N, area);
}

// ---- bars: cubes of six tetrahedra, each a way along three edges ------------------------------------------------

static void bar(Entries *e, const MbGlobalCase *c) {
  static const int ways[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const size_t N = c->cells, step[3] = {1, N + 1, (N + 1) * (N + 1)};
  const double edge = 1.0 / (double)N, volume = edge * edge * edge / 6,
               w = STEP * STEP * BAR_STIFFNESS * volume / (edge * edge);
  for (size_t z = 0; z < 2 * N; z++)
    for (size_t y = 0; y < N; y++)
      for (size_t x = 0; x < N; x++)
        for (int t = 0; t < 6; t++) {
          size_t v[4] = {x * step[0] + y * step[1] + z * step[2]};
          double g[4][3] = {{0}};
          // the coordinate along the way's k-th edge is φ_{k+1} + φ_{k+2} + …
          for (int k = 0; k < 3; k++) {
            v[k + 1] = v[k] + step[ways[t][k]];
            g[k][ways[t][k]] -= 1;
            g[k + 1][ways[t][k]] += 1;
          }
          for (int i = 0; i < 4; i++) {
            e->mass[v[i]] += BAR_DENSITY * volume / 4;
            for (int j = 0; j < 4; j++)
              add(e, v[i], v[j], w * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]));
          }
        }
}

bool mb_global_matrix_make(const MbGlobalCase *c, MbGlobalMatrix *A) {
  const size_t N = c->cells;
  Entries e = {.n = c->bar ? (N + 1) * (N + 1) * (2 * N + 1) : (N + 1) * (N + 1) + N * N};
  *A = (MbGlobalMatrix){0};
  e.mass = mb_calloc(e.n, sizeof *e.mass);
  bool ok = e.mass != NULL;
  if (ok) {
    (c->bar ? bar : cloth)(&e, c);
    ok = gather(&e, A);
  }
  mb_free(e.mass);
  mb_free(e.entry);
  return ok;
}

void mb_global_matrix_free(MbGlobalMatrix *A) {
  mb_free((void *)A->pattern.start);
  mb_free((void *)A->pattern.row);
  mb_free(A->values);
  *A = (MbGlobalMatrix){0};
}
