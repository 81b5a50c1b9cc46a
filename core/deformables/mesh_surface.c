// Finds a mesh's surface: faces that one element alone has, joined at their edges into parts, which are closed or not.
#include "core/deformables/mesh_surface.h"
#include "core/base/alloc.h"
#include "core/deformables/quadratic.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

// ---- triangles --------------------------------------------------------------------------------------------

typedef struct Face {
  uint32_t key[3]; // corners, ascending
  size_t place;    // which face of which tetrahedron
} Face;

static int by_key(const void *a, const void *b) {
  const uint32_t *const x = ((const Face *)a)->key, *const y = ((const Face *)b)->key;
  for (size_t k = 0; k < 3; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

static void put_in_order(uint32_t key[3]) {
  for (size_t i = 1; i < 3; i++)
    for (size_t k = i; k > 0 && key[k - 1] > key[k]; k--) {
      const uint32_t other = key[k];
      key[k] = key[k - 1], key[k - 1] = other;
    }
}

static const size_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}; // seen from outside

// The triangles of a face; how many they are.
static size_t cut_face(const uint32_t *tet, const uint32_t *middle, size_t face, uint32_t *to) {
  const size_t *const c = corners[face];
  if (!middle) {
    for (size_t k = 0; k < 3; k++) to[k] = tet[c[k]];
    return 1;
  }
  for (size_t k = 0; k < 3; k++) { // at each corner, and between the middles
    to[3 * k] = tet[c[k]];
    to[3 * k + 1] = to[9 + k] = middle[mb_quadratic_between[c[k]][c[(k + 1) % 3]]];
    to[3 * k + 2] = middle[mb_quadratic_between[c[k]][c[(k + 2) % 3]]];
  }
  return 4;
}

uint32_t *mb_mesh_outer_faces(const uint32_t *tet, const uint32_t *middle, size_t tets, size_t *count) {
  const size_t n = 4 * tets, each = middle ? 4 : 1;
  Face *const face = mb_calloc(n, sizeof *face);
  *count = 0;
  if (!face) return NULL;
  for (size_t f = 0; f < n; f++) {
    for (size_t k = 0; k < 3; k++) face[f].key[k] = tet[4 * (f / 4) + corners[f % 4][k]];
    put_in_order(face[f].key), face[f].place = f;
  }
  qsort(face, n, sizeof *face, by_key);
  uint32_t *const triangle = mb_calloc(n, 3 * each * sizeof *triangle);
  for (size_t f = 0; f < n && triangle; f++) {
    const bool twin =
        (f > 0 && !by_key(&face[f], &face[f - 1])) || (f + 1 < n && !by_key(&face[f], &face[f + 1]));
    const size_t of = face[f].place / 4;
    if (!twin)
      *count +=
          cut_face(tet + 4 * of, middle ? middle + 6 * of : NULL, face[f].place % 4, triangle + 3 * *count);
  }
  mb_free(face);
  return triangle;
}

// ---- parts ------------------------------------------------------------------------------------------------

typedef struct Edge {
  uint32_t node[2]; // ascending
  uint32_t triangle;
  bool back; // the triangle goes along it from the higher to the lower node
} Edge;

static int by_nodes(const void *a, const void *b) {
  const Edge *const x = a, *const y = b;
  for (size_t k = 0; k < 2; k++)
    if (x->node[k] != y->node[k]) return x->node[k] < y->node[k] ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// Of every triangle the lowest one of its part, by the way over others; and whether it has to be turned round to be like it.
typedef struct Parts {
  uint32_t *to;
  bool *turned;
  bool *open; // of the lowest one of each part
} Parts;

static uint32_t lowest_of(const Parts *parts, uint32_t i, bool *turned) {
  *turned = false;
  while (parts->to[i] != i) {
    const uint32_t next = parts->to[i];
    parts->turned[i] ^= parts->turned[next], parts->to[i] = parts->to[next];
    *turned ^= parts->turned[i], i = parts->to[i];
  }
  return i;
}

// Joins two triangles; false: they are joined otherwise already.
static bool join(const Parts *parts, uint32_t i, uint32_t j, bool turned) {
  bool a, b;
  const uint32_t x = lowest_of(parts, i, &a), y = lowest_of(parts, j, &b);
  if (x == y) return (a ^ b) == turned;
  const uint32_t low = x < y ? x : y, high = x < y ? y : x;
  parts->to[high] = low, parts->turned[high] = a ^ b ^ turned;
  parts->open[low] |= parts->open[high];
  return true;
}

static void spoil(MbMeshSurface *surface, const Parts *parts, const Edge *edge, bool twisted) {
  bool turned;
  if (!surface->open && !surface->twisted) memcpy(surface->edge, edge->node, sizeof surface->edge);
  *(twisted ? &surface->twisted : &surface->open) = true;
  parts->open[lowest_of(parts, edge->triangle, &turned)] = true;
}

// Faces of tetrahedra are turned as they should be; four of them may meet at an edge.
static bool join_parts(MbMeshSurface *surface, const Parts *parts, bool tets) {
  const size_t n = 3 * surface->count;
  Edge *const edge = mb_calloc(n, sizeof *edge);
  if (!edge) return false;
  for (size_t k = 0; k < n; k++) {
    const uint32_t a = surface->triangle[k], b = surface->triangle[k % 3 == 2 ? k - 2 : k + 1];
    edge[k] = (Edge){{a < b ? a : b, a < b ? b : a}, (uint32_t)(k / 3), a > b};
  }
  if (n) qsort(edge, n, sizeof *edge, by_nodes);
  for (size_t k = 0, next; k < n; k = next) {
    for (next = k + 1; next < n && !memcmp(edge[next].node, edge[k].node, sizeof edge->node); next++) {
      const bool turned = !tets && edge[next].back == edge[k].back;
      if (!join(parts, edge[k].triangle, edge[next].triangle, turned)) spoil(surface, parts, &edge[k], true);
    }
    if (next == k + 1) spoil(surface, parts, &edge[k], false);
  }
  mb_free(edge);
  return true;
}

// ---- what is enclosed -------------------------------------------------------------------------------------

static void turn_round(uint32_t *triangle) {
  const uint32_t corner = triangle[1];
  triangle[1] = triangle[2], triangle[2] = corner;
}

// Six times the volume between a triangle and a node.
static double beneath(const MbElementMesh *mesh, const uint32_t *triangle, uint32_t node) {
  double d[3][3], normal[3];
  for (size_t k = 0; k < 3; k++)
    mb_vec3_sub(d[k], mesh->x + 3 * (size_t)triangle[k], mesh->x + 3 * (size_t)node);
  mb_vec3_cross(normal, d[1], d[2]);
  return mb_vec3_dot(d[0], normal);
}

// Puts the triangles of closed parts before all others, part by part, and turns each part so that it encloses something.
static bool sort_parts(const MbElementMesh *mesh, MbMeshSurface *surface, const Parts *parts) {
  const size_t count = surface->count;
  uint32_t *const sorted = mb_calloc(count, 3 * sizeof *sorted);
  double *const volume = mb_calloc(count, sizeof *volume);
  size_t *const size = mb_calloc(count + 1, sizeof *size), *const place = mb_calloc(count, sizeof *place);
  surface->first = mb_calloc(count + 1, sizeof *surface->first);
  surface->hollow = mb_calloc(count, sizeof *surface->hollow);
  const bool fine = sorted && volume && size && place && surface->first && surface->hollow;
  size_t next = 0;
  bool turned;
  for (uint32_t t = 0; t < count && fine; t++) {
    uint32_t *const triangle = surface->triangle + 3 * (size_t)t;
    const uint32_t low = lowest_of(parts, t, &turned);
    if (parts->open[low]) continue;
    if (turned) turn_round(triangle);
    volume[low] += beneath(mesh, triangle, surface->triangle[3 * (size_t)low]);
    size[low]++;
  }
  for (uint32_t t = 0; t < count && fine; t++) {
    if (lowest_of(parts, t, &turned) != t || parts->open[t]) continue;
    surface->hollow[surface->nclosed] = mesh->tets && volume[t] < 0;
    place[t] = next, next += size[t];
    surface->first[++surface->nclosed] = next;
  }
  for (uint32_t t = 0; t < count && fine; t++) {
    uint32_t *const triangle = surface->triangle + 3 * (size_t)t;
    const uint32_t low = lowest_of(parts, t, &turned);
    if (!parts->open[low] && volume[low] < 0) turn_round(triangle);
    memcpy(sorted + 3 * (parts->open[low] ? next++ : place[low]++), triangle, 3 * sizeof *sorted);
  }
  if (fine) memcpy(surface->triangle, sorted, 3 * count * sizeof *sorted);
  mb_free(sorted), mb_free(volume), mb_free(size), mb_free(place);
  return fine;
}

static uint32_t *triangles_of(const MbElementMesh *mesh, size_t *count) {
  if (mesh->tets) return mb_mesh_outer_faces(mesh->tet, mesh->middle, mesh->tets, count);
  uint32_t *const triangle = mb_calloc(mesh->triangles, 3 * sizeof *triangle);
  *count = mesh->triangles;
  if (triangle && mesh->triangles) memcpy(triangle, mesh->triangle, 3 * mesh->triangles * sizeof *triangle);
  return triangle;
}

bool mb_mesh_surface_find(const MbElementMesh *mesh, MbMeshSurface *surface) {
  *surface = (MbMeshSurface){0};
  surface->triangle = triangles_of(mesh, &surface->count);
  const size_t n = surface->count;
  const Parts parts = {mb_calloc(n, sizeof(uint32_t)), mb_calloc(n, sizeof(bool)),
                       mb_calloc(n, sizeof(bool))};
  bool fine = surface->triangle && parts.to && parts.turned && parts.open;
  for (size_t t = 0; t < n && fine; t++) parts.to[t] = (uint32_t)t;
  fine = fine && join_parts(surface, &parts, mesh->tets > 0) && sort_parts(mesh, surface, &parts);
  mb_free(parts.to), mb_free(parts.turned), mb_free(parts.open);
  if (!fine) mb_mesh_surface_free(surface);
  return fine;
}

void mb_mesh_surface_free(MbMeshSurface *surface) {
  mb_free(surface->triangle);
  mb_free(surface->first);
  mb_free(surface->hollow);
  *surface = (MbMeshSurface){0};
}
