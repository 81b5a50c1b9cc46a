#include "core/deformables/mesh_check.h"
#include "core/base/alloc.h"
#include "core/deformables/mesh_survey.h"
#include "core/deformables/quadratic.h"
#include "core/math/vec3.h"

#include <stdio.h>
#include <stdlib.h>

static const double FLAT =
    1e-10; // volumes and areas, in those of cubes and squares on the longest edge: none at all
static const double SLIVER =
    1e-6; // least heights, by the longest edge: the step's equations lose what other elements say

static void edge(const MbElementMesh *mesh, const uint32_t *corner, size_t a, size_t b, double out[3]) {
  mb_vec3_sub(out, mesh->x + 3 * (size_t)corner[b], mesh->x + 3 * (size_t)corner[a]);
}

static double longest(const MbElementMesh *mesh, const uint32_t *corner, size_t n) {
  double most = 0;
  for (size_t a = 0; a < n; a++)
    for (size_t b = a + 1; b < n; b++) {
      double between[3];
      edge(mesh, corner, a, b, between);
      most = fmax(most, mb_vec3_norm(between));
    }
  return most;
}

// Marks the corners; those beyond the vertices are faults.
static MbStatus mark(const MbElementMesh *mesh, const uint32_t *corner, size_t count, size_t n,
                     const char *what, bool *used, char fault[MB_MESH_FAULT]) {
  for (size_t i = 0; i < n * count; i++) {
    if (corner[i] >= mesh->nodes) {
      snprintf(fault, MB_MESH_FAULT, "%s %zu has vertex %u for a corner: there are %zu, numbered from 0",
               what, i / n, corner[i], mesh->nodes);
      return MB_SCENE;
    }
    used[corner[i]] = true;
  }
  return MB_OK;
}

// Every corner is a vertex, and every vertex a corner or half way along an edge.
static MbStatus check_use(const MbElementMesh *mesh, const uint32_t *corner, size_t count, size_t n,
                          const char *what, char fault[MB_MESH_FAULT]) {
  bool *used = mb_calloc(mesh->nodes, sizeof *used);
  if (!used) return MB_IO;
  MbStatus status = mark(mesh, corner, count, n, what, used, fault);
  if (status == MB_OK && mesh->middle)
    status = mark(mesh, mesh->middle, mesh->tets, MB_QUADRATIC_EDGES, what, used, fault);
  for (size_t i = 0; i < mesh->nodes && status == MB_OK; i++)
    if (!used[i]) {
      snprintf(fault, MB_MESH_FAULT,
               "vertex %zu (numbered from 0) belongs to no %s: leave it out of the mesh", i, what);
      status = MB_SCENE;
    }
  mb_free(used);
  return status;
}

// As the last two corners change places.
static void turn_middles(uint32_t *middle) {
  const uint32_t first = middle[1], second = middle[2];
  middle[1] = middle[4], middle[4] = first;
  middle[2] = middle[3], middle[3] = second;
}

// Edges are straight, and their nodes half way along.
static MbStatus check_middles(const MbElementMesh *mesh, char fault[MB_MESH_FAULT]) {
  static const double OFF = 1e-6; // of the edge
  for (size_t i = 0; i < MB_QUADRATIC_EDGES * mesh->tets; i++) {
    const uint32_t *const corner = mesh->tet + 4 * (i / MB_QUADRATIC_EDGES);
    const unsigned char *const end = mb_quadratic_edge[i % MB_QUADRATIC_EDGES];
    const double *const a = mesh->x + 3 * (size_t)corner[end[0]], *const b =
                                                                      mesh->x + 3 * (size_t)corner[end[1]];
    double off[3], along[3];
    for (size_t k = 0; k < 3; k++)
      off[k] = mesh->x[3 * (size_t)mesh->middle[i] + k] - (a[k] + b[k]) / 2, along[k] = b[k] - a[k];
    const double share = mb_vec3_norm(off) / mb_vec3_norm(along);
    if (share <= OFF) continue;
    snprintf(fault, MB_MESH_FAULT,
             "the edge of tetrahedron %zu between the vertices %u and %u (numbered from 0) is curved: vertex "
             "%u is "
             "%.2g of it off its middle",
             i / MB_QUADRATIC_EDGES, corner[end[0]], corner[end[1]], mesh->middle[i], share);
    return MB_SCENE;
  }
  return MB_OK;
}

MbStatus mb_check_tets(MbElementMesh *mesh, size_t *turned, char fault[MB_MESH_FAULT]) {
  *turned = 0;
  const MbStatus status = check_use(mesh, mesh->tet, mesh->tets, 4, "tetrahedron", fault);
  if (status != MB_OK) return status;
  for (size_t t = 0; t < mesh->tets; t++) {
    uint32_t *corner = mesh->tet + 4 * t;
    double ab[3], ac[3], ad[3], normal[3];
    edge(mesh, corner, 0, 1, ab);
    edge(mesh, corner, 0, 2, ac);
    edge(mesh, corner, 0, 3, ad);
    mb_vec3_cross(normal, ab, ac);
    const double volume = mb_vec3_dot(normal, ad), size = longest(mesh, corner, 4);
    if (!(fabs(volume) > FLAT * size * size * size)) {
      snprintf(fault, MB_MESH_FAULT,
               "tetrahedron %zu (numbered from 0; corners %u, %u, %u, %u) is flat: it has no volume", t,
               corner[0], corner[1], corner[2], corner[3]);
      return MB_SCENE;
    }
    if (mb_mesh_height(mesh, corner, 4) < SLIVER) {
      snprintf(fault, MB_MESH_FAULT,
               "tetrahedron %zu (numbered from 0; corners %u, %u, %u, %u) is a sliver: it is %.2g of its "
               "longest edge high, and "
               "%g is the least",
               t, corner[0], corner[1], corner[2], corner[3], mb_mesh_height(mesh, corner, 4), SLIVER);
      return MB_SCENE;
    }
    if (volume > 0) continue;
    const uint32_t last = corner[3];
    corner[3] = corner[2], corner[2] = last;
    if (mesh->middle) turn_middles(mesh->middle + MB_QUADRATIC_EDGES * t);
    ++*turned;
  }
  return mesh->middle ? check_middles(mesh, fault) : MB_OK;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// No edge belongs to three triangles or more.
static MbStatus check_edges(const MbElementMesh *mesh, char fault[MB_MESH_FAULT]) {
  const size_t n = 3 * mesh->triangles;
  uint64_t *key = mb_calloc(n, sizeof *key);
  if (!key) return MB_IO;
  for (size_t i = 0; i < n; i++) {
    const uint64_t a = mesh->triangle[i], b = mesh->triangle[i % 3 == 2 ? i - 2 : i + 1];
    key[i] = a < b ? a << 32 | b : b << 32 | a;
  }
  qsort(key, n, sizeof *key, ascending);
  MbStatus status = MB_OK;
  for (size_t i = 2; i < n && status == MB_OK; i++)
    if (key[i] == key[i - 2]) {
      snprintf(fault, MB_MESH_FAULT,
               "the edge between the vertices %u and %u (numbered from 0) belongs to more than two triangles",
               (unsigned)(key[i] >> 32), (unsigned)key[i]);
      status = MB_SCENE;
    }
  mb_free(key);
  return status;
}

MbStatus mb_check_cloth(const MbElementMesh *mesh, char fault[MB_MESH_FAULT]) {
  const MbStatus status = check_use(mesh, mesh->triangle, mesh->triangles, 3, "triangle", fault);
  if (status != MB_OK) return status;
  for (size_t t = 0; t < mesh->triangles; t++) {
    const uint32_t *corner = mesh->triangle + 3 * t;
    double ab[3], ac[3], normal[3];
    edge(mesh, corner, 0, 1, ab);
    edge(mesh, corner, 0, 2, ac);
    mb_vec3_cross(normal, ab, ac);
    const double size = longest(mesh, corner, 3);
    const double height = mb_mesh_height(mesh, corner, 3);
    if (height >= SLIVER) continue;
    if (mb_vec3_norm(normal) > FLAT * size * size)
      snprintf(fault, MB_MESH_FAULT,
               "triangle %zu (numbered from 0; corners %u, %u, %u) is a sliver: it is %.2g of its longest "
               "edge high, and %g is the "
               "least",
               t, corner[0], corner[1], corner[2], height, SLIVER);
    else
      snprintf(fault, MB_MESH_FAULT,
               "triangle %zu (numbered from 0; corners %u, %u, %u) is a line: it has no area", t, corner[0],
               corner[1], corner[2]);
    return MB_SCENE;
  }
  return check_edges(mesh, fault);
}
