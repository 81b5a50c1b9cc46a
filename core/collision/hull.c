// Makes hulls of vertices and faces, and says what is wrong with those that are none.
#include "core/collision/hull.h"

#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdbool.h>
#include <string.h>

// vertex i is at −1 or 1 along x, y, z as bits 0, 1, 2 of i say; face 2 k is at −1 along axis k, face 2 k + 1 at 1
static const double cube_vertex[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const uint32_t cube_first[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t cube_corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const double cube_normal[18] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1};
static const MbHullEdge cube_edge[12] = {
    {0, 4, 0, 2}, {4, 6, 0, 5}, {6, 2, 0, 3}, {2, 0, 0, 4}, {1, 3, 1, 4}, {3, 7, 1, 3},
    {7, 5, 1, 5}, {5, 1, 1, 2}, {0, 1, 2, 4}, {5, 4, 2, 5}, {6, 7, 3, 5}, {3, 2, 3, 4},
};
const MbHull mb_hull_cube = {.vertices = 8,
                             .faces = 6,
                             .edges = 12,
                             .vertex = cube_vertex,
                             .first = cube_first,
                             .corner = cube_corner,
                             .normal = cube_normal,
                             .edge = cube_edge};

const char *mb_hull_fault_text(MbHullFault fault) {
  static const char *const text[MB_HULL_FAULTS] = {
      [MB_HULL_SOUND] = "is sound",
      [MB_HULL_NO_MEMORY] = "has no memory left to be made in",
      [MB_HULL_MANY] = "has more faces, or a face with more corners, than a hull may have",
      [MB_HULL_FACE] = "has a face with fewer than three corners or without area",
      [MB_HULL_OPEN] = "has an edge without one face on either side",
      [MB_HULL_NOT_FLAT] = "has a face whose corners are not in a plane",
      [MB_HULL_CONCAVE] = "is concave",
      [MB_HULL_NOT_FINITE] = "has a coordinate that is no finite number",
      [MB_HULL_FEW_POINTS] = "has fewer than four points",
      [MB_HULL_ONE_POINT] = "has all of its points in one place",
      [MB_HULL_ONE_LINE] = "has all of its points on a line",
      [MB_HULL_ONE_PLANE] = "has all of its points in a plane",
  };
  return (unsigned)fault < MB_HULL_FAULTS ? text[fault] : "is of no known kind";
}

// What a hull made here is of: the hull itself and its numbers in one block.
typedef struct Made {
  MbHull hull;
  double *vertex, *normal;
  uint32_t *first, *corner;
  MbHullEdge *edge;
} Made;

static Made *room_for(uint32_t vertices, uint32_t faces, uint32_t corners) {
  const size_t doubles = 3 * ((size_t)vertices + faces), words = (size_t)faces + 1 + corners;
  const size_t bytes =
      sizeof(Made) + doubles * sizeof(double) + corners * sizeof(MbHullEdge) + words * sizeof(uint32_t);
  Made *made = mb_calloc(1, bytes);
  if (!made) return NULL;
  made->vertex = (double *)(made + 1), made->normal = made->vertex + 3 * (size_t)vertices;
  made->edge = (MbHullEdge *)(made->normal + 3 * (size_t)faces);
  made->first = (uint32_t *)(made->edge + corners), made->corner = made->first + faces + 1;
  made->hull =
      (MbHull){vertices, faces, 0, made->vertex, made->first, made->corner, made->normal, made->edge};
  return made;
}

// The face's normal by the sum of its triangles' areas (Newell).
static bool find_normal(Made *made, uint32_t face, double size) {
  const MbHull *hull = &made->hull;
  const uint32_t *corner = hull->corner + hull->first[face],
                 count = hull->first[face + 1] - hull->first[face];
  const double *p = hull->vertex + 3 * (size_t)corner[0];
  double sum[3] = {0}, u[3], v[3], c[3];
  for (uint32_t i = 1; i + 1 < count; i++) {
    mb_vec3_sub(u, hull->vertex + 3 * (size_t)corner[i], p);
    mb_vec3_sub(v, hull->vertex + 3 * (size_t)corner[i + 1], p);
    mb_vec3_cross(c, u, v);
    mb_vec3_add(sum, sum, c);
  }
  const double area = mb_vec3_norm(sum);
  if (!(area > 1e-18 * size * size)) return false;
  mb_vec3_scale(made->normal + 3 * (size_t)face, 1 / area, sum);
  return true;
}

// No vertex is above the face's plane, and its corners are in it.
static MbHullFault check_plane(const MbHull *hull, uint32_t face, double size) {
  const double *n = hull->normal + 3 * (size_t)face;
  const double *p = hull->vertex + 3 * (size_t)hull->corner[hull->first[face]];
  double d[3];
  for (uint32_t i = hull->first[face]; i < hull->first[face + 1]; i++) {
    mb_vec3_sub(d, hull->vertex + 3 * (size_t)hull->corner[i], p);
    if (!(fabs(mb_vec3_dot(d, n)) <= 1e-9 * size)) return MB_HULL_NOT_FLAT;
  }
  for (uint32_t i = 0; i < hull->vertices; i++) {
    mb_vec3_sub(d, hull->vertex + 3 * (size_t)i, p);
    if (!(mb_vec3_dot(d, n) <= 1e-9 * size)) return MB_HULL_CONCAVE;
  }
  return MB_HULL_SOUND;
}

// Every side of a face is, the other way round, one of exactly one other face.
static MbHullFault find_edges(Made *made) {
  MbHull *hull = &made->hull;
  uint32_t sides = 0;
  for (uint32_t f = 0; f < hull->faces; f++) {
    const uint32_t first = hull->first[f], count = hull->first[f + 1] - first;
    for (uint32_t i = 0; i < count; i++, sides++) {
      const uint32_t from = hull->corner[first + i], to = hull->corner[first + (i + 1) % count];
      bool met = false;
      for (uint32_t k = 0; k < hull->edges && !met; k++) {
        MbHullEdge *edge = &made->edge[k];
        if (edge->from == from && edge->to == to) return MB_HULL_OPEN;
        if (edge->from != to || edge->to != from) continue;
        if (edge->right != UINT32_MAX) return MB_HULL_OPEN;
        edge->right = f, met = true;
      }
      if (!met) made->edge[hull->edges++] = (MbHullEdge){from, to, f, UINT32_MAX};
    }
  }
  return 2 * hull->edges == sides ? MB_HULL_SOUND : MB_HULL_OPEN;
}

MbHullFault mb_hull_make(MbHull **out, uint32_t vertices, const double *vertex, uint32_t faces,
                         const uint32_t *first, const uint32_t *corner) {
  *out = NULL;
  if (vertices < 4 || faces < 4 || first[0] != 0) return MB_HULL_FACE;
  if (faces > MB_HULL_FACES) return MB_HULL_MANY;
  for (uint32_t f = 0; f < faces; f++)
    if (first[f + 1] < first[f] || first[f + 1] - first[f] < 3) return MB_HULL_FACE;
  for (uint32_t f = 0; f < faces; f++)
    if (first[f + 1] - first[f] > MB_HULL_CORNERS) return MB_HULL_MANY;
  const uint32_t corners = first[faces];
  double size = 0;
  for (size_t i = 0; i < 3 * (size_t)vertices; i++) {
    if (!isfinite(vertex[i])) return MB_HULL_FACE;
    size = fmax(size, fabs(vertex[i] - vertex[i % 3]));
  }
  for (uint32_t i = 0; i < corners; i++)
    if (corner[i] >= vertices) return MB_HULL_FACE;

  Made *made = room_for(vertices, faces, corners);
  if (!made) return MB_HULL_NO_MEMORY;
  memcpy(made->vertex, vertex, 3 * (size_t)vertices * sizeof *vertex);
  memcpy(made->first, first, ((size_t)faces + 1) * sizeof *first);
  memcpy(made->corner, corner, corners * sizeof *corner);
  MbHullFault fault = MB_HULL_SOUND;
  for (uint32_t f = 0; f < faces && !fault; f++)
    fault = find_normal(made, f, size) ? MB_HULL_SOUND : MB_HULL_FACE;
  for (uint32_t f = 0; f < faces && !fault; f++) fault = check_plane(&made->hull, f, size);
  if (!fault) fault = find_edges(made);
  if (fault)
    mb_free(made);
  else
    *out = &made->hull;
  return fault;
}

void mb_hull_free(MbHull *hull) { mb_free(hull); }

size_t mb_hull_bytes(const MbHull *hull) {
  return sizeof(Made) + 3 * ((size_t)hull->vertices + hull->faces) * sizeof(double) +
         hull->edges * sizeof(MbHullEdge) +
         ((size_t)hull->faces + 1 + hull->first[hull->faces]) * sizeof(uint32_t);
}
