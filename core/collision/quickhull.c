// The triangles around points (quickhull: Barber, Dobkin, Huhdanpaa, 1996), with exact signs.
//
// Every point that is not yet inside is kept by one triangle that it is above of. The farthest point of a triangle takes the place of all
// triangles that it is above of or in the plane of: with those in whose plane it is, no new triangle is without area, and their rim is that
// of what a point a little farther out sees. Points of the triangles that go are handed to the new ones, or are inside.
#include "core/collision/quickhull.h"

#include "core/base/alloc.h"
#include "core/collision/hull_build.h"
#include "core/math/orient.h"
#include "core/math/vec3.h"

#define NONE UINT32_MAX

typedef struct Facet {
  MbHullTriangle triangle;
  double normal[3]; // of any length
  uint32_t points;  // the first that it keeps
  bool gone, seen;
} Facet;

typedef struct Builder {
  uint32_t n, facets;
  const double *point;
  uint32_t *next; // (n) the next point that the same facet keeps
  uint32_t *from; // (n) the new facet whose first corner it is
  Facet *facet;
  uint32_t *visible; // those to go, and those still to look from
  size_t facet_room, visible_room;
} Builder;

static const double *point_of(const Builder *b, uint32_t i) { return b->point + 3 * (size_t)i; }

// Above 0 outside of the facet.
static double side_of(const Builder *b, const Facet *facet, uint32_t i) {
  const uint32_t *corner = facet->triangle.corner;
  return mb_orient3d(point_of(b, corner[0]), point_of(b, corner[1]), point_of(b, corner[2]), point_of(b, i));
}

static double height_of(const Builder *b, const Facet *facet, uint32_t i) {
  double d[3];
  mb_vec3_sub(d, point_of(b, i), point_of(b, facet->triangle.corner[0]));
  return mb_vec3_dot(d, facet->normal);
}

static uint32_t add_facet(Builder *b, uint32_t u, uint32_t v, uint32_t w) {
  if (!mb_grow(&b->facet, &b->facet_room, (size_t)b->facets + 1, sizeof *b->facet)) return NONE;
  Facet *facet = &b->facet[b->facets];
  *facet = (Facet){.triangle = {.corner = {u, v, w}}, .points = NONE};
  double d[3], e[3];
  mb_vec3_sub(d, point_of(b, v), point_of(b, u));
  mb_vec3_sub(e, point_of(b, w), point_of(b, u));
  mb_vec3_cross(facet->normal, d, e);
  return b->facets++;
}

// Hands a point to the first facet from `first` on that it is above of; to none where it is inside.
static void keep(Builder *b, uint32_t first, uint32_t i) {
  for (uint32_t f = first; f < b->facets; f++) {
    Facet *facet = &b->facet[f];
    if (facet->gone || !(side_of(b, facet, i) > 0)) continue;
    b->next[i] = facet->points, facet->points = i;
    return;
  }
}

static uint32_t farthest(const Builder *b, const Facet *facet) {
  uint32_t best = facet->points;
  double most = -INFINITY;
  for (uint32_t i = facet->points; i != NONE; i = b->next[i]) {
    const double height = height_of(b, facet, i);
    if (height > most) most = height, best = i;
  }
  return best;
}

// All facets that the point is above of or in the plane of, from one of them on; how many, or NONE without memory.
static uint32_t find_visible(Builder *b, uint32_t first, uint32_t apex) {
  uint32_t count = 1;
  if (!mb_grow(&b->visible, &b->visible_room, b->facets, sizeof *b->visible)) return NONE;
  b->visible[0] = first;
  b->facet[first].seen = true;
  for (uint32_t k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const uint32_t other = b->facet[b->visible[k]].triangle.across[i];
      if (b->facet[other].seen || side_of(b, &b->facet[other], apex) < 0) continue;
      b->facet[other].seen = true;
      b->visible[count++] = other;
    }
  return count;
}

// Facets from the rim of what is visible to the apex.
static bool add_cone(Builder *b, uint32_t count, uint32_t apex) {
  const uint32_t first = b->facets;
  for (uint32_t k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const MbHullTriangle old = b->facet[b->visible[k]].triangle;
      const uint32_t other = old.across[i], u = old.corner[i], v = old.corner[(i + 1) % 3];
      if (b->facet[other].seen) continue;
      const uint32_t f = add_facet(b, u, v, apex);
      if (f == NONE) return false;
      b->facet[f].triangle.across[0] = other;
      for (int j = 0; j < 3; j++)
        if (b->facet[other].triangle.corner[j] == v) b->facet[other].triangle.across[j] = f;
      b->from[u] = f;
    }
  for (uint32_t f = first; f < b->facets; f++) {
    const uint32_t beside = b->from[b->facet[f].triangle.corner[1]];
    b->facet[f].triangle.across[1] = beside;
    b->facet[beside].triangle.across[2] = f;
  }
  return true;
}

static bool take_in(Builder *b, uint32_t f) {
  const uint32_t apex = farthest(b, &b->facet[f]), first = b->facets;
  const uint32_t count = find_visible(b, f, apex);
  if (count == NONE || !add_cone(b, count, apex)) return false;
  for (uint32_t k = 0; k < count; k++) b->facet[b->visible[k]].gone = true;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = b->facet[b->visible[k]].points, next; i != NONE; i = next) {
      next = b->next[i];
      if (i != apex) keep(b, first, i);
    }
  return true;
}

// Four points far from one another, or what is wrong.
static MbHullFault four_points(const Builder *b, uint32_t four[4], double *size) {
  double d[3], e[3], c[3], far[3] = {0};
  for (size_t i = 0; i < 3 * (size_t)b->n; i++)
    if (!isfinite(b->point[i])) return MB_HULL_NOT_FINITE;
  four[0] = 0;
  for (int k = 1; k < 4; k++) {
    four[k] = 0;
    for (uint32_t i = 0; i < b->n; i++) {
      mb_vec3_sub(d, point_of(b, i), point_of(b, four[0]));
      if (k > 1) {
        mb_vec3_sub(e, point_of(b, four[1]), point_of(b, four[0]));
        mb_vec3_scale(e, 1 / mb_vec3_norm(e), e);
        mb_vec3_cross(c, e, d);
      }
      double off = k == 1 ? mb_vec3_norm(d) : mb_vec3_norm(c);
      if (k == 3) {
        double side[3];
        mb_vec3_sub(side, point_of(b, four[2]), point_of(b, four[0]));
        mb_vec3_cross(c, e, side);
        off = fabs(mb_vec3_dot(c, d)) / mb_vec3_norm(c);
      }
      if (off > far[k - 1]) far[k - 1] = off, four[k] = i;
    }
    if (!(far[k - 1] > (k == 1 ? 0 : 1e-8 * far[0])))
      return k == 1 ? MB_HULL_ONE_POINT : k == 2 ? MB_HULL_ONE_LINE : MB_HULL_ONE_PLANE;
  }
  *size = far[0];
  return MB_HULL_SOUND;
}

static bool first_facets(Builder *b, const uint32_t four[4]) {
  const bool turned =
      mb_orient3d(point_of(b, four[0]), point_of(b, four[1]), point_of(b, four[2]), point_of(b, four[3])) > 0;
  const uint32_t p = four[0], q = turned ? four[2] : four[1], r = turned ? four[1] : four[2], s = four[3];
  if (add_facet(b, p, q, r) == NONE || add_facet(b, p, s, q) == NONE || add_facet(b, q, s, r) == NONE ||
      add_facet(b, r, s, p) == NONE)
    return false;
  static const uint32_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++)
    for (int i = 0; i < 3; i++) b->facet[f].triangle.across[i] = across[f][i];
  for (uint32_t i = 0; i < b->n; i++) keep(b, 0, i);
  return true;
}

// Leaves the triangles that stay, numbered anew, in `triangle`.
static uint32_t gather(Builder *b, MbHullTriangle *triangle) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < b->facets; f++)
    if (!b->facet[f].gone) b->facet[f].points = count++;
  count = 0;
  for (uint32_t f = 0; f < b->facets; f++) {
    if (b->facet[f].gone) continue;
    triangle[count] = b->facet[f].triangle;
    for (int i = 0; i < 3; i++) triangle[count].across[i] = b->facet[triangle[count].across[i]].points;
    count++;
  }
  return count;
}

MbHullFault mb_hull_of_points(MbHull **hull, uint32_t n, const double *point) {
  *hull = NULL;
  Builder b = {.n = n, .point = point};
  uint32_t four[4];
  double size = 0;
  if (n < 4) return MB_HULL_FEW_POINTS;
  MbHullFault fault = four_points(&b, four, &size);
  if (fault) return fault;
  b.next = mb_calloc(n, sizeof *b.next), b.from = mb_calloc(n, sizeof *b.from);
  bool sound = b.next && b.from && first_facets(&b, four);
  for (uint32_t f = 0; f < b.facets && sound; f++)
    if (!b.facet[f].gone && b.facet[f].points != NONE) sound = take_in(&b, f);
  MbHullTriangle *triangle = sound ? mb_calloc(b.facets, sizeof *triangle) : NULL;
  fault = triangle ? mb_hull_join(hull, n, point, gather(&b, triangle), triangle, size) : MB_HULL_NO_MEMORY;
  mb_free(triangle), mb_free(b.next), mb_free(b.from), mb_free(b.facet), mb_free(b.visible);
  return fault;
}
