#include "core/deformables/node_mesh.h"
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"

static size_t columns(const MbNodeMeshSpec *mesh) {
  return mesh->rope ? (size_t)mesh->rope : (size_t)mesh->grid[0];
}
static size_t rows(const MbNodeMeshSpec *mesh) { return mesh->rope ? 1 : (size_t)mesh->grid[1]; }

size_t mb_node_mesh_count(const MbNodeMeshSpec *mesh) { return columns(mesh) * rows(mesh); }

// Number i of n along a length
static double along(double length, size_t i, size_t n) { return length * (double)i / (double)(n - 1); }

void mb_node_mesh_place(const MbNodeMeshSpec *mesh, size_t node, double x[3]) {
  const size_t n = columns(mesh), m = rows(mesh);
  x[0] = along(mesh->rope ? mesh->length : mesh->size[0], node % n, n);
  x[1] = mesh->rope ? 0 : along(mesh->size[1], node / n, m);
  x[2] = 0;
}

static void add(size_t (*edge)[2], size_t *count, size_t a, size_t b) {
  if (edge) edge[*count][0] = a, edge[*count][1] = b;
  ++*count;
}

size_t mb_node_mesh_edges(const MbNodeMeshSpec *mesh, size_t (*edge)[2]) {
  const size_t n = columns(mesh), m = rows(mesh);
  size_t count = 0;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < n; i++) {
      const size_t here = j * n + i;
      const bool right = i + 1 < n, up = j + 1 < m;
      if (right) add(edge, &count, here, here + 1);
      if (up) add(edge, &count, here, here + n);
      if (right && up && mesh->pattern != MB_PATTERN_SQUARE) add(edge, &count, here, here + n + 1);
      if (right && up && mesh->pattern == MB_PATTERN_CROSS) add(edge, &count, here + 1, here + n);
    }
  return count;
}

bool mb_node_mesh_make(const MbNodeMeshSpec *spec, bool springs, MbElementMesh *mesh) {
  const size_t n = mb_node_mesh_count(spec), edges = springs ? mb_node_mesh_edges(spec, NULL) : 0;
  size_t(*edge)[2] = mb_calloc(edges, sizeof *edge);
  *mesh = (MbElementMesh){.nodes = n,
                          .edges = edges,
                          .x = mb_calloc(n, 3 * sizeof(double)),
                          .edge = mb_calloc(edges, 2 * sizeof(uint32_t))};
  const bool fine = edge && mesh->x && mesh->edge;
  for (size_t i = 0; i < n && fine; i++) mb_node_mesh_place(spec, i, mesh->x + 3 * i);
  if (fine && edges) mb_node_mesh_edges(spec, edge);
  for (size_t k = 0; k < 2 * edges && fine; k++) mesh->edge[k] = (uint32_t)edge[k / 2][k % 2];
  mb_free(edge);
  if (!fine) mb_element_mesh_free(mesh);
  return fine;
}
