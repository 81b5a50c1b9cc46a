// Takes triangles without area out of a mesh.
//
// Such a triangle a b c has its corner b on the side from c to a. Across that side is a triangle a c d, and both together fill what a b d and
// b c d fill: these take their places. Where nothing is across, at a rim, the triangle goes. Those with the same corner twice go
// first: what is across their two sides is across from one another then.
//
// Half an edge is a side as one of its triangles runs along it: number 3 t + i goes from corner i of triangle t to the next.
#include "core/collision/skin_mend.h"

#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct Half {
  uint32_t low, high, half; // ends, the smaller number first
} Half;

typedef struct Mending {
  const double *vertex;
  uint32_t *corner;
  uint32_t triangles;
  uint32_t *twin;    // (3 triangles) the half across; NONE where there is none, or more than one
  uint32_t *waiting; // (triangles) those that are on a line
  bool *gone;        // (triangles)
  Half *half;        // (3 triangles)
} Mending;

bool mb_skin_is_line(const double a[3], const double b[3], const double c[3]) {
  double d[3], e[3], n[3];
  mb_vec3_sub(d, b, a), mb_vec3_sub(e, c, a);
  mb_vec3_cross(n, d, e);
  return !(mb_vec3_norm(n) > 1e-14 * (mb_vec3_dot(d, d) + mb_vec3_dot(e, e)));
}

static bool is_line(const Mending *m, uint32_t t) {
  const uint32_t *c = m->corner + 3 * (size_t)t;
  return mb_skin_is_line(m->vertex + 3 * (size_t)c[0], m->vertex + 3 * (size_t)c[1],
                         m->vertex + 3 * (size_t)c[2]);
}

// The half that follows in the same triangle.
static uint32_t after(uint32_t half) { return half % 3 == 2 ? half - 2 : half + 1; }

// ---- halves that are across from one another ----------------------------------------------------------------

static int by_ends(const void *x, const void *y) {
  const Half *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->half < b->half ? -1 : a->half > b->half;
}

static void find_twins(Mending *m) {
  const size_t n = 3 * (size_t)m->triangles;
  Half *half = m->half;
  for (uint32_t h = 0; h < n; h++) {
    const uint32_t u = m->corner[h], v = m->corner[after(h)];
    half[h] = u < v ? (Half){u, v, h} : (Half){v, u, h};
    m->twin[h] = NONE;
  }
  qsort(half, n, sizeof *half, by_ends);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && half[end].low == half[i].low && half[end].high == half[i].high;) end++;
    const uint32_t one = half[i].half, other = half[end - 1].half;
    if (end - i != 2 || m->corner[one] == m->corner[other]) continue;
    m->twin[one] = other, m->twin[other] = one;
  }
}

static void join(Mending *m, uint32_t one, uint32_t other) {
  if (one != NONE) m->twin[one] = other;
  if (other != NONE) m->twin[other] = one;
}

// ---- one triangle -------------------------------------------------------------------------------------------

static double length2(const Mending *m, uint32_t half) {
  double d[3];
  mb_vec3_sub(d, m->vertex + 3 * (size_t)m->corner[after(half)], m->vertex + 3 * (size_t)m->corner[half]);
  return mb_vec3_dot(d, d);
}

static uint32_t longest_side(const Mending *m, uint32_t t) {
  uint32_t best = 3 * t;
  for (uint32_t h = 3 * t + 1; h < 3 * t + 3; h++)
    if (length2(m, h) > length2(m, best)) best = h;
  return best;
}

// Takes out t, which has no triangle across its longest side.
static void take_out(Mending *m, uint32_t t) {
  for (uint32_t h = 3 * t; h < 3 * t + 3; h++)
    if (m->twin[h] != NONE) m->twin[m->twin[h]] = NONE;
  m->gone[t] = true;
}

// Half `h` goes from c to a in the triangle a b c, its twin from a to c in a c d.
static void turn(Mending *m, uint32_t h) {
  const uint32_t ca = h, ab = after(ca), bc = after(ab);
  const uint32_t ac = m->twin[h], cd = after(ac), da = after(cd);
  const uint32_t a = m->corner[ab], b = m->corner[bc], c = m->corner[ca], d = m->corner[da];
  const uint32_t over_ab = m->twin[ab], over_bc = m->twin[bc], over_cd = m->twin[cd], over_da = m->twin[da];
  m->corner[ab] = a, m->corner[bc] = b, m->corner[ca] = d; // a b d
  m->corner[ac] = b, m->corner[cd] = c, m->corner[da] = d; // b c d
  join(m, ab, over_ab), join(m, ca, over_da);
  join(m, ac, over_bc), join(m, cd, over_cd);
  join(m, bc, da);
}

// False: t has to wait, for what is across its longest side is on a line too.
static bool mend(Mending *m, uint32_t t) {
  const uint32_t h = longest_side(m, t), across = m->twin[h];
  if (across == NONE)
    take_out(m, t);
  else if (is_line(m, across / 3))
    return false;
  else
    turn(m, h);
  return true;
}

// ---- all of them --------------------------------------------------------------------------------------------

static void mend_all(Mending *m) {
  size_t waiting = 0, left = 0;
  for (uint32_t t = 0; t < m->triangles; t++)
    if (is_line(m, t)) m->waiting[waiting++] = t;
  do {
    left = waiting, waiting = 0;
    for (size_t i = 0; i < left; i++)
      if (is_line(m, m->waiting[i]) && !mend(m, m->waiting[i])) m->waiting[waiting++] = m->waiting[i];
  } while (waiting && waiting < left);
}

// Closes up the triangles but for those that are gone; without `gone` those with a corner twice go.
static void close_up(Mending *m, const bool *gone) {
  uint32_t kept = 0;
  for (uint32_t t = 0; t < m->triangles; t++) {
    const uint32_t *c = m->corner + 3 * (size_t)t;
    if (gone ? gone[t] : c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    memmove(m->corner + 3 * (size_t)kept++, c, 3 * sizeof *c);
  }
  m->triangles = kept;
}

bool mb_skin_mend(const double *vertex, uint32_t *triangles, uint32_t *corner) {
  const size_t n = *triangles;
  Mending m = {.vertex = vertex, .corner = corner, .triangles = *triangles};
  m.twin = mb_calloc(3 * n, sizeof *m.twin), m.waiting = mb_calloc(n, sizeof *m.waiting);
  m.gone = mb_calloc(n, sizeof *m.gone), m.half = mb_calloc(3 * n, sizeof *m.half);
  const bool made = m.twin && m.waiting && m.gone && m.half;
  if (made) {
    close_up(&m, NULL);
    find_twins(&m);
    mend_all(&m);
    close_up(&m, m.gone);
    *triangles = m.triangles;
  }
  mb_free(m.twin), mb_free(m.waiting), mb_free(m.gone), mb_free(m.half);
  return made;
}
