#include "core/deformables/mesh_check.h"
#include "core/base/alloc.h"
#include "core/deformables/mesh_survey.h"
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

// Marks the corners; those beyond the vertices and vertices that have none are faults.
static MbStatus check_use(const MbElementMesh *mesh, const uint32_t *corner, size_t count, size_t n,
                          const char *what, char fault[MB_MESH_FAULT]) {
  bool *used = mb_calloc(mesh->nodes, sizeof *used);
  if (!used) return MB_IO;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < n * count && status == MB_OK; i++)
    if (corner[i] < mesh->nodes) {
      used[corner[i]] = true;
    } else {
      snprintf(fault, MB_MESH_FAULT, "%s %zu has vertex %u for a corner: there are %zu, numbered from 0",
               what, i / n, corner[i], mesh->nodes);
      status = MB_SCENE;
    }
  for (size_t i = 0; i < mesh->nodes && status == MB_OK; i++)
    if (!used[i]) {
      snprintf(fault, MB_MESH_FAULT,
               "vertex %zu (numbered from 0) belongs to no %s: leave it out of the mesh", i, what);
      status = MB_SCENE;
    }
  mb_free(used);
  return status;
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
    ++*turned;
  }
  return MB_OK;
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
