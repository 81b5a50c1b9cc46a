#include "core/deformables/node_mesh.h"

#include <math.h>
#include <string.h>

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

// ---- choices ----------------------------------------------------------------------------------------------

static const char *select_vertices(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen) {
  const double most = (double)mb_node_mesh_count(mesh);
  for (size_t k = 0; k < select->nvertices; k++) {
    const double node = select->vertices[k];
    if (!(node >= 0 && node < most) || node != floor(node)) return "there is no node of such a number";
    chosen[(size_t)node] = true;
  }
  return NULL;
}

static const char *select_nearest(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen) {
  if (select->nnearest != 3) return "\"nearest\" is a place: three numbers";
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < mb_node_mesh_count(mesh); i++) {
    double x[3], far = 0;
    mb_node_mesh_place(mesh, i, x);
    for (int k = 0; k < 3; k++) far += (x[k] - select->nearest[k]) * (x[k] - select->nearest[k]);
    if (far < least) least = far, best = i;
  }
  chosen[best] = true;
  return NULL;
}

// All that are as far along as any, but for a millionth of what the mesh measures that way.
static const char *select_side(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen) {
  static const double CLOSE = 1e-6;
  const char *side = select->side;
  if (strlen(side) != 2 || !strchr("+-", side[0]) || !strchr("xyz", side[1]))
    return "a side is \"+x\", \"-x\", \"+y\", \"-y\", \"+z\" or \"-z\"";
  const int axis = side[1] - 'x';
  const double sign = side[0] == '+' ? 1 : -1;
  double most = -INFINITY, least = INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < mb_node_mesh_count(mesh); i++) {
      double x[3];
      mb_node_mesh_place(mesh, i, x);
      const double far = sign * x[axis];
      if (pass == 0)
        most = fmax(most, far), least = fmin(least, far);
      else if (far >= most - CLOSE * (most - least))
        chosen[i] = true;
    }
  return NULL;
}

const char *mb_node_mesh_select(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen) {
  const int given = (select->nvertices > 0) + (select->nnearest > 0) + (select->side != NULL);
  if (given != 1) return "give one of \"vertices\", \"nearest\" and \"side\"";
  if (select->nvertices) return select_vertices(mesh, select, chosen);
  return select->nnearest ? select_nearest(mesh, select, chosen) : select_side(mesh, select, chosen);
}
