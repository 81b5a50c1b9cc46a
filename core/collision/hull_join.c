// Triangles around points become faces: those that lie in the plane of a large one are one face with it, and points between two faces only
// are no corners.
#include "core/collision/hull_build.h"

#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>

#define NONE UINT32_MAX

static const double flat = 1e-10; // of the size: in one plane

typedef struct Joiner {
  const double *point;
  uint32_t points, triangles;
  const MbHullTriangle *triangle;
  double *normal;       // (3 triangles) as long as twice the area
  uint32_t *face;       // (triangles) that it belongs to
  uint32_t *queue;      // (triangles)
  uint32_t (*meets)[2]; // (points) two faces that meet there; the second NONE for one
  bool *corner;         // (points) three faces meet there
  uint32_t *number;     // (points) of those that stay
} Joiner;

static const double *corner_of(const Joiner *j, uint32_t t, int i) {
  return j->point + 3 * (size_t)j->triangle[t].corner[i];
}

static void find_normal(const Joiner *j, uint32_t t, double n[3]) {
  double d[3], e[3];
  mb_vec3_sub(d, corner_of(j, t, 1), corner_of(j, t, 0));
  mb_vec3_sub(e, corner_of(j, t, 2), corner_of(j, t, 0));
  mb_vec3_cross(n, d, e);
}

typedef struct Order {
  double area;
  uint32_t triangle;
} Order;

static int larger_first(const void *a, const void *b) {
  const Order *x = a, *y = b;
  if (x->area != y->area) return x->area > y->area ? -1 : 1;
  return x->triangle < y->triangle ? -1 : 1;
}

// All of t is in the plane of `seed`, and does not look the other way.
static bool in_plane(const Joiner *j, uint32_t t, uint32_t seed, double size) {
  const double *n = j->normal + 3 * (size_t)seed, *m = j->normal + 3 * (size_t)t;
  const double area = mb_vec3_norm(n);
  double d[3];
  for (int i = 0; i < 3; i++) {
    mb_vec3_sub(d, corner_of(j, t, i), corner_of(j, seed, 0));
    if (!(fabs(mb_vec3_dot(d, n)) <= flat * size * area)) return false;
  }
  // one without width has a normal by chance
  return mb_vec3_norm(m) < flat * size * size || mb_vec3_dot(m, n) > 0;
}

// Spreads over neighbours from the largest triangle that has no face yet.
static void spread(Joiner *j, uint32_t seed, uint32_t face, double size) {
  uint32_t count = 1;
  j->queue[0] = seed, j->face[seed] = face;
  for (uint32_t k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const uint32_t other = j->triangle[j->queue[k]].across[i];
      if (j->face[other] != NONE || !in_plane(j, other, seed, size)) continue;
      j->face[other] = face;
      j->queue[count++] = other;
    }
}

static void find_corners(Joiner *j) {
  for (uint32_t i = 0; i < j->points; i++) j->meets[i][0] = j->meets[i][1] = NONE, j->corner[i] = false;
  for (uint32_t t = 0; t < j->triangles; t++)
    for (int i = 0; i < 3; i++) {
      const uint32_t p = j->triangle[t].corner[i], face = j->face[t];
      uint32_t *meets = j->meets[p];
      if (meets[0] == NONE || meets[0] == face)
        meets[0] = face;
      else if (meets[1] == NONE || meets[1] == face)
        meets[1] = face;
      else
        j->corner[p] = true;
    }
}

// Runs once around the face from a side of triangle t that is on its rim; returns how many corners it has. The triangle across the longest
// side of the rim is told.
static uint32_t run_around(const Joiner *j, uint32_t t, int side, uint32_t *corner, uint32_t *beside) {
  const uint32_t face = j->face[t], start = t;
  const int start_side = side;
  uint32_t count = 0;
  double longest = -1, d[3];
  do {
    const uint32_t p = j->triangle[t].corner[side], to = j->triangle[t].corner[(side + 1) % 3];
    if (j->corner[p]) {
      if (corner) corner[count] = p;
      count++;
    }
    mb_vec3_sub(d, j->point + 3 * (size_t)to, j->point + 3 * (size_t)p);
    if (mb_vec3_norm(d) > longest) longest = mb_vec3_norm(d), *beside = j->triangle[t].across[side];
    // the next side of the rim begins where this one ends
    side = (side + 1) % 3;
    while (j->face[j->triangle[t].across[side]] == face) {
      t = j->triangle[t].across[side];
      for (side = 0; j->triangle[t].corner[side] != to;) side++;
    }
  } while (t != start || side != start_side);
  return count;
}

// A side of each face's rim; by face: triangle and side.
static bool rim_of(const Joiner *j, uint32_t t, int *side) {
  for (*side = 0; *side < 3; ++*side)
    if (j->face[j->triangle[t].across[*side]] != j->face[t]) return true;
  return false;
}

// Faces with fewer than three corners go to the one beside them; returns whether there was any.
static bool give_away_slivers(Joiner *j) {
  bool any = false;
  int side;
  uint32_t beside = 0;
  for (uint32_t t = 0; t < j->triangles; t++) {
    if (!rim_of(j, t, &side) || run_around(j, t, side, NULL, &beside) > 2) continue;
    const uint32_t from = j->face[t], to = j->face[beside];
    for (uint32_t k = 0; k < j->triangles; k++)
      if (j->face[k] == from) j->face[k] = to;
    any = true;
    find_corners(j);
  }
  return any;
}

static MbHullFault make(Joiner *j, MbHull **hull, uint32_t faces, uint32_t *first, uint32_t *corner,
                        double *vertex) {
  uint32_t vertices = 0, made = 0, beside;
  for (uint32_t i = 0; i < j->points; i++) {
    if (!j->corner[i]) continue;
    for (int k = 0; k < 3; k++)
      vertex[3 * (size_t)vertices + (size_t)k] = j->point[3 * (size_t)i + (size_t)k];
    j->number[i] = vertices++;
  }
  bool *done = (bool *)j->queue; // as long, and no longer needed
  for (uint32_t f = 0; f < faces; f++) done[f] = false;
  first[0] = 0;
  int side;
  for (uint32_t t = 0; t < j->triangles; t++) {
    if (done[j->face[t]] || !rim_of(j, t, &side)) continue;
    done[j->face[t]] = true;
    const uint32_t count = run_around(j, t, side, corner + first[made], &beside);
    for (uint32_t i = first[made]; i < first[made] + count; i++) corner[i] = j->number[corner[i]];
    first[made + 1] = first[made] + count;
    made++;
  }
  return mb_hull_make(hull, vertices, vertex, made, first, corner);
}

MbHullFault mb_hull_join(MbHull **hull, uint32_t points, const double *point, uint32_t triangles,
                         const MbHullTriangle *triangle, double size) {
  Joiner j = {.point = point, .points = points, .triangles = triangles, .triangle = triangle};
  MbHullFault fault = MB_HULL_NO_MEMORY;
  j.normal = mb_calloc(3 * (size_t)triangles, sizeof *j.normal);
  j.face = mb_calloc(triangles, sizeof *j.face), j.queue = mb_calloc(triangles, sizeof *j.queue);
  j.meets = mb_calloc(points, sizeof *j.meets), j.corner = mb_calloc(points, sizeof *j.corner);
  j.number = mb_calloc(points, sizeof *j.number);
  Order *order = mb_calloc(triangles, sizeof *order);
  uint32_t *first = mb_calloc((size_t)triangles + 1, sizeof *first), faces = 0;
  uint32_t *corner = mb_calloc(3 * (size_t)triangles, sizeof *corner);
  double *vertex = mb_calloc(3 * (size_t)points, sizeof *vertex);
  if (j.normal && j.face && j.queue && j.meets && j.corner && j.number && order && first && corner &&
      vertex) {
    for (uint32_t t = 0; t < triangles; t++) {
      double *n = j.normal + 3 * (size_t)t;
      find_normal(&j, t, n);
      order[t] = (Order){mb_vec3_norm(n), t};
      j.face[t] = NONE;
    }
    qsort(order, triangles, sizeof *order, larger_first);
    for (uint32_t k = 0; k < triangles; k++)
      if (j.face[order[k].triangle] == NONE) spread(&j, order[k].triangle, faces++, size);
    find_corners(&j);
    while (give_away_slivers(&j)) {}
    fault = make(&j, hull, faces, first, corner, vertex);
  }
  mb_free(j.normal), mb_free(j.face), mb_free(j.queue), mb_free(j.meets), mb_free(j.corner),
      mb_free(j.number);
  mb_free(order), mb_free(first), mb_free(corner), mb_free(vertex);
  return fault;
}
