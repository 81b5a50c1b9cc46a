// Makes surfaces: neighbours, normals, and the tree.
#include "core/collision/skin.h"

#include "core/base/alloc.h"
#include "core/collision/skin_mend.h"
#include "core/math/vec3.h"

#include <string.h>

enum { LEAF = 4 };

const char *mb_skin_fault_text(MbSkinFault fault) {
  static const char *const text[MB_SKIN_FAULTS] = {
      [MB_SKIN_SOUND] = "is sound",
      [MB_SKIN_NO_MEMORY] = "has no memory left to be made in",
      [MB_SKIN_EMPTY] = "has no triangle",
      [MB_SKIN_NOT_FINITE] = "has a coordinate that is no finite number",
      [MB_SKIN_CORNER] = "has a triangle with a corner that is no vertex",
      [MB_SKIN_NO_AREA] = "has a triangle without area",
  };
  return (unsigned)fault < MB_SKIN_FAULTS ? text[fault] : "is of no known kind";
}

// What a surface made here is of: itself and its numbers in one block.
typedef struct Made {
  MbSkin surface;
  double *vertex, *normal, *around, *middle; // middle (3 triangles)
  MbSkinNode *node;
  uint32_t *corner, *across, *side, *first, *star, *order;
} Made;

static size_t bytes_for(size_t v, size_t t) {
  return sizeof(Made) + (6 * v + 6 * t) * sizeof(double) + 2 * t * sizeof(MbSkinNode) +
         (13 * t + v + 1) * sizeof(uint32_t);
}

static Made *room_for(uint32_t nv, uint32_t nt) {
  const size_t v = nv, t = nt;
  Made *made = mb_calloc(1, bytes_for(v, t));
  if (!made) return NULL;
  made->vertex = (double *)(made + 1), made->around = made->vertex + 3 * v;
  made->normal = made->around + 3 * v, made->middle = made->normal + 3 * t;
  made->node = (MbSkinNode *)(made->middle + 3 * t);
  made->corner = (uint32_t *)(made->node + 2 * t), made->across = made->corner + 3 * t;
  made->side = made->across + 3 * t, made->star = made->side + 3 * t;
  made->order = made->star + 3 * t, made->first = made->order + t;
  made->surface = (MbSkin){.vertices = nv,
                           .triangles = nt,
                           .vertex = made->vertex,
                           .corner = made->corner,
                           .across = made->across,
                           .side = made->side,
                           .normal = made->normal,
                           .around = made->around,
                           .first = made->first,
                           .star = made->star,
                           .node = made->node,
                           .order = made->order};
  return made;
}

static const double *corner_of(const Made *made, uint32_t t, int i) {
  return made->vertex + 3 * (size_t)made->corner[3 * (size_t)t + (size_t)(i % 3)];
}

// Normals, and their means at the vertices by angles (Bærentzen, Aanæs, 2005).
static bool find_normals(Made *made, uint32_t *at) {
  double d[3], e[3];
  for (uint32_t t = 0; t < made->surface.triangles; t++) {
    double *n = made->normal + 3 * (size_t)t;
    mb_vec3_sub(d, corner_of(made, t, 1), corner_of(made, t, 0));
    mb_vec3_sub(e, corner_of(made, t, 2), corner_of(made, t, 0));
    mb_vec3_cross(n, d, e);
    const double area = mb_vec3_norm(n);
    if (mb_skin_is_line(corner_of(made, t, 0), corner_of(made, t, 1), corner_of(made, t, 2))) {
      *at = t;
      return false;
    }
    mb_vec3_scale(n, 1 / area, n);
    for (int k = 0; k < 3; k++) made->middle[3 * (size_t)t + (size_t)k] = 0;
    for (int i = 0; i < 3; i++) {
      mb_vec3_sub(d, corner_of(made, t, i + 1), corner_of(made, t, i));
      mb_vec3_sub(e, corner_of(made, t, i + 2), corner_of(made, t, i));
      double *around = made->around + 3 * (size_t)made->corner[3 * (size_t)t + (size_t)i];
      mb_vec3_add_scaled(around, around, atan2(area, mb_vec3_dot(d, e)), n);
      double *middle = made->middle + 3 * (size_t)t;
      mb_vec3_add_scaled(middle, middle, 1.0 / 3, corner_of(made, t, i));
    }
  }
  for (uint32_t v = 0; v < made->surface.vertices; v++) {
    double *around = made->around + 3 * (size_t)v;
    const double size = mb_vec3_norm(around);
    if (size > 0) mb_vec3_scale(around, 1 / size, around);
  }
  return true;
}

static void find_stars(Made *made) {
  const uint32_t corners = 3 * made->surface.triangles, nv = made->surface.vertices;
  for (uint32_t c = 0; c < corners; c++) made->first[made->corner[c] + 1]++;
  for (uint32_t v = 0; v < nv; v++) made->first[v + 1] += made->first[v];
  for (uint32_t c = corners; c-- > 0;) {
    // places are given from the end of each vertex's, and counted in its beginning
    const uint32_t v = made->corner[c];
    made->star[--made->first[v + 1]] = c / 3;
  }
  for (uint32_t v = 0; v < nv; v++) made->first[v] = made->first[v + 1];
  made->first[nv] = corners;
}

// The triangle on the other side of the side from u to v of t; none where there are more than one, or it runs the same way.
static uint32_t beside(const Made *made, uint32_t t, uint32_t u, uint32_t v, uint32_t *place) {
  uint32_t found = MB_SKIN_NONE, others = 0;
  for (uint32_t k = made->first[u]; k < made->first[u + 1]; k++) {
    const uint32_t other = made->star[k];
    for (uint32_t i = 0; i < 3 && other != t; i++) {
      const uint32_t from = made->corner[3 * (size_t)other + i],
                     to = made->corner[3 * (size_t)other + (i + 1) % 3];
      if ((from == u && to == v) || (from == v && to == u)) others++;
      if (from == v && to == u) found = other, *place = i;
    }
  }
  return others == 1 ? found : MB_SKIN_NONE;
}

static void find_neighbours(Made *made) {
  made->surface.closed = true;
  for (uint32_t c = 0; c < 3 * made->surface.triangles; c++) {
    const uint32_t t = c / 3, next = 3 * t + (c % 3 + 1) % 3;
    uint32_t place = 0;
    made->across[c] = beside(made, t, made->corner[c], made->corner[next], &place);
    const uint32_t other = made->across[c] == MB_SKIN_NONE ? c : 3 * made->across[c] + place;
    made->side[c] = other < c ? other : c;
    if (made->across[c] == MB_SKIN_NONE) made->surface.closed = false;
  }
}

static void box_of(const Made *made, MbSkinNode *node, uint32_t first, uint32_t count) {
  mb_vec3_set(node->low, INFINITY, INFINITY, INFINITY);
  mb_vec3_set(node->high, -INFINITY, -INFINITY, -INFINITY);
  for (uint32_t i = first; i < first + count; i++)
    for (int c = 0; c < 3; c++) {
      const double *x = corner_of(made, made->order[i], c);
      for (int k = 0; k < 3; k++) {
        node->low[k] = fmin(node->low[k], x[k]);
        node->high[k] = fmax(node->high[k], x[k]);
      }
    }
}

static bool before(const Made *made, int axis, uint32_t s, uint32_t t) {
  const double x = made->middle[3 * (size_t)s + (size_t)axis], y = made->middle[3 * (size_t)t + (size_t)axis];
  return x != y ? x < y : s < t;
}

// Puts the triangle of place `nth` where it would be in order, those before it before, those behind it behind (quickselect).
static void select_nth(Made *made, uint32_t first, uint32_t count, uint32_t nth, int axis) {
  uint32_t *order = made->order;
  uint32_t low = first, high = first + count - 1;
  while (low < high) {
    const uint32_t pivot = order[low + (high - low) / 2];
    uint32_t i = low, j = high;
    for (;;) {
      while (before(made, axis, order[i], pivot)) i++;
      while (before(made, axis, pivot, order[j])) j--;
      if (i >= j) break;
      const uint32_t swap = order[i];
      order[i++] = order[j], order[j--] = swap;
    }
    if (nth <= j)
      high = j;
    else
      low = j + 1;
  }
}

// Halves the triangles along the longest side of the box of their middles.
static void grow_tree(Made *made, uint32_t first, uint32_t count) {
  const uint32_t own = made->surface.nodes++;
  MbSkinNode *node = &made->node[own];
  box_of(made, node, first, count);
  node->first = first, node->count = count;
  if (count <= LEAF) return;
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
  const uint32_t half = count / 2;
  select_nth(made, first, count, first + half, axis);
  node->count = 0;
  grow_tree(made, first, half);
  made->node[own].first = made->surface.nodes;
  grow_tree(made, first + half, count - half);
}

// A surface of triangles of which none is a line, else *at is.
static MbSkinFault make(MbSkin **surface, uint32_t vertices, const double *vertex, uint32_t triangles,
                        const uint32_t *corner, uint32_t *at) {
  if (!triangles) return MB_SKIN_EMPTY;
  Made *made = room_for(vertices, triangles);
  if (!made) return MB_SKIN_NO_MEMORY;
  memcpy(made->vertex, vertex, 3 * (size_t)vertices * sizeof *vertex);
  memcpy(made->corner, corner, 3 * (size_t)triangles * sizeof *corner);
  if (!find_normals(made, at)) {
    mb_free(made);
    return MB_SKIN_NO_AREA;
  }
  find_stars(made);
  find_neighbours(made);
  for (uint32_t t = 0; t < triangles; t++) made->order[t] = t;
  grow_tree(made, 0, triangles);
  *surface = &made->surface;
  return MB_SKIN_SOUND;
}

// The same of a mesh that has lines among its triangles, of which *at is one.
static MbSkinFault make_mended(MbSkin **surface, uint32_t vertices, const double *vertex, uint32_t triangles,
                               const uint32_t *corner, uint32_t *at) {
  const uint32_t line = *at;
  uint32_t *mended = mb_calloc(3 * (size_t)triangles, sizeof *mended);
  MbSkinFault fault = MB_SKIN_NO_MEMORY;
  if (mended) memcpy(mended, corner, 3 * (size_t)triangles * sizeof *mended);
  if (mended && mb_skin_mend(vertex, &triangles, mended))
    fault = make(surface, vertices, vertex, triangles, mended, at);
  if (fault == MB_SKIN_EMPTY) fault = MB_SKIN_NO_AREA;
  *at = line;
  mb_free(mended);
  return fault;
}

MbSkinFault mb_skin_make(MbSkin **surface, uint32_t vertices, const double *vertex, uint32_t triangles,
                         const uint32_t *corner, uint32_t *at) {
  *surface = NULL, *at = 0;
  if (!triangles || triangles > UINT32_MAX / 16) return MB_SKIN_EMPTY;
  for (size_t i = 0; i < 3 * (size_t)vertices; i++)
    if (!isfinite(vertex[i])) return MB_SKIN_NOT_FINITE;
  for (size_t i = 0; i < 3 * (size_t)triangles; i++)
    if (corner[i] >= vertices) {
      *at = (uint32_t)(i / 3);
      return MB_SKIN_CORNER;
    }
  const MbSkinFault fault = make(surface, vertices, vertex, triangles, corner, at);
  return fault == MB_SKIN_NO_AREA ? make_mended(surface, vertices, vertex, triangles, corner, at) : fault;
}

void mb_skin_free(MbSkin *surface) { mb_free(surface); }

size_t mb_skin_bytes(const MbSkin *surface) { return bytes_for(surface->vertices, surface->triangles); }
