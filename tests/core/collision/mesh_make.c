#include "tests/core/collision/mesh_make.h"

#include "core/math/vec3.h"
#include "tests/support.h"

enum { MOST = 20000 };
static double vertex[3 * MOST];
static uint32_t corner[3 * MOST], nv, nt;

static void triangle(uint32_t a, uint32_t b, uint32_t c) {
  corner[3 * nt] = a, corner[3 * nt + 1] = b, corner[3 * nt + 2] = c;
  nt++;
}

static uint32_t point(double x, double y, double z) {
  mb_vec3_set(vertex + 3 * nv, x, y, z);
  return nv++;
}

static MbSkin *make(void) {
  MbSkin *surface;
  uint32_t at;
  const MbSkinFault fault = mb_skin_make(&surface, nv, vertex, nt, corner, &at);
  cr_assert_eq(fault, MB_SKIN_SOUND, "the mesh %s: %u", mb_skin_fault_text(fault), at);
  nv = nt = 0;
  return surface;
}

MbSkin *made_sheet(uint64_t *seed, uint32_t n, double half, double thick) {
  const double step = 2 * half / n;
  for (uint32_t i = 0; i <= n; i++)
    for (uint32_t j = 0; j <= n; j++) {
      const bool inner = i > 0 && i < n && j > 0 && j < n;
      const double dx = inner ? 0.3 * step * (2 * test_random(seed) - 1) : 0;
      const double dy = inner ? 0.3 * step * (2 * test_random(seed) - 1) : 0;
      point(-half + i * step + dx, -half + j * step + dy, 0);
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      const uint32_t a = i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
      if (test_random(seed) < 0.5)
        triangle(a, b, c), triangle(a, c, d);
      else
        triangle(a, b, d), triangle(b, c, d);
    }
  if (thick > 0) {
    const uint32_t first = nv;
    point(-half, -half, -thick), point(half, -half, -thick), point(half, half, -thick),
        point(-half, half, -thick);
    triangle(first, first + 2, first + 1), triangle(first, first + 3, first + 2);
    for (uint32_t side = 0; side < 4; side++) {
      // the rim's corners in order around, each side a fan from the bottom's corners
      const uint32_t from = first + side, to = first + (side + 1) % 4;
      uint32_t last = 0;
      for (uint32_t i = 0; i <= n; i++) {
        const uint32_t at = side == 0   ? i * (n + 1)
                            : side == 1 ? n * (n + 1) + i
                            : side == 2 ? (n - i) * (n + 1) + n
                                        : n - i;
        if (i) triangle(from, at, last);
        last = at;
      }
      triangle(from, to, last);
    }
  }
  return make();
}

MbSkin *made_torus(double ring, double tube, uint32_t m, uint32_t k) {
  const double turn = 2 * acos(-1.0);
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t j = 0; j < k; j++) {
      const double a = turn * i / m, b = turn * j / k, r = ring + tube * cos(b);
      point(r * cos(a), r * sin(a), tube * sin(b));
    }
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t j = 0; j < k; j++) {
      const uint32_t i2 = (i + 1) % m, j2 = (j + 1) % k;
      triangle(i * k + j, i2 * k + j, i2 * k + j2), triangle(i * k + j, i2 * k + j2, i * k + j2);
    }
  return make();
}

MbSkin *made_cone(double radius, double height, uint32_t m) {
  const double turn = 2 * acos(-1.0);
  for (uint32_t i = 0; i < m; i++) point(radius * cos(turn * i / m), radius * sin(turn * i / m), 0);
  const uint32_t tip = point(0, 0, height), base = point(0, 0, 0);
  for (uint32_t i = 0; i < m; i++) triangle(i, (i + 1) % m, tip), triangle((i + 1) % m, i, base);
  return make();
}

MbSkin *made_star(uint32_t m, const double *outline, double half) {
  for (uint32_t i = 0; i < m; i++) point(outline[2 * (size_t)i], outline[2 * (size_t)i + 1], -half);
  for (uint32_t i = 0; i < m; i++) point(outline[2 * (size_t)i], outline[2 * (size_t)i + 1], half);
  const uint32_t low = point(0, 0, -half), high = point(0, 0, half);
  for (uint32_t i = 0; i < m; i++) {
    const uint32_t next = (i + 1) % m;
    triangle(low, next, i), triangle(high, m + i, m + next);
    triangle(i, next, m + next), triangle(i, m + next, m + i);
  }
  return make();
}

// Twice the area that three points of an outline have.
static double turn_of(const double *p, const double *q, const double *r) {
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

// Whether corner k of those left of an outline can be cut off: it is convex, and no other one is in its triangle.
static bool is_ear(const double *outline, const uint32_t *left, uint32_t n, uint32_t k) {
  const double *p = outline + 2 * left[(k + n - 1) % n], *q = outline + 2 * left[k],
               *r = outline + 2 * left[(k + 1) % n];
  if (turn_of(p, q, r) <= 0) return false;
  for (uint32_t i = 0; i < n; i++) {
    const double *x = outline + 2 * left[i];
    if (x == p || x == q || x == r) continue;
    if (turn_of(p, q, x) >= 0 && turn_of(q, r, x) >= 0 && turn_of(r, p, x) >= 0) return false;
  }
  return true;
}

MbSkin *made_bar_over(uint32_t m, const double *outline, double half) {
  uint32_t left[16], n = m;
  cr_assert(m <= 16);
  for (uint32_t i = 0; i < 2 * m; i++)
    point(outline[2 * (i % m)], outline[2 * (i % m) + 1], i < m ? -half : half);
  for (uint32_t i = 0; i < m; i++) {
    const uint32_t next = (i + 1) % m;
    triangle(i, next, m + next), triangle(i, m + next, m + i), left[i] = i;
  }
  while (n >= 3) {
    uint32_t k = 0;
    while (k < n && !is_ear(outline, left, n, k)) k++;
    cr_assert(k < n);
    const uint32_t p = left[(k + n - 1) % n], q = left[k], r = left[(k + 1) % n];
    triangle(p, r, q), triangle(m + p, m + q, m + r);
    for (n--; k < n; k++) left[k] = left[k + 1];
  }
  return make();
}

MbSkin *made_surface_of(const MbHull *hull) {
  for (uint32_t v = 0; v < hull->vertices; v++)
    point(hull->vertex[3 * v], hull->vertex[3 * v + 1], hull->vertex[3 * v + 2]);
  for (uint32_t f = 0; f < hull->faces; f++)
    for (uint32_t i = hull->first[f] + 1; i + 1 < hull->first[f + 1]; i++)
      triangle(hull->corner[hull->first[f]], hull->corner[i], hull->corner[i + 1]);
  return make();
}
