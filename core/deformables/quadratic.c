#include "core/deformables/quadratic.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

const unsigned char mb_quadratic_edge[MB_QUADRATIC_EDGES][2] = {{0, 1}, {1, 2}, {0, 2},
                                                                {0, 3}, {1, 3}, {2, 3}};
const unsigned char mb_quadratic_between[4][4] = {{0, 0, 2, 3}, {0, 0, 1, 4}, {2, 1, 0, 5}, {3, 4, 5, 0}};

// By numbers of the ten nodes: one at each corner, and four around the line from the middle of (0 2) to that of (1 3).
static const unsigned char parts[MB_QUADRATIC_PARTS][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9},
                                                           {7, 8, 9, 3}, {6, 8, 4, 5}, {6, 8, 5, 9},
                                                           {6, 8, 9, 7}, {6, 8, 7, 4}};

void mb_quadratic_point(size_t point, double L[4]) {
  static const double NEAR = 0.58541019662496852, FAR = 0.13819660112501050; // (5 + 3 √5)/20, (5 − √5)/20
  for (size_t a = 0; a < 4; a++) L[a] = a == point ? NEAR : FAR;
}

void mb_quadratic_part(size_t part, double L[4]) {
  for (size_t a = 0; a < 4; a++) L[a] = 0;
  for (size_t k = 0; k < 4; k++) {
    const size_t n = parts[part][k];
    for (size_t end = 0; end < 2; end++) L[n < 4 ? n : mb_quadratic_edge[n - 4][end]] += 0.125;
  }
}

double mb_quadratic_share(const double L[4], size_t corner, size_t n) {
  if (n < 4) return n == corner ? 4 * L[corner] - 1 : 0;
  const unsigned char *const end = mb_quadratic_edge[n - 4];
  return end[0] == corner ? 4 * L[end[1]] : end[1] == corner ? 4 * L[end[0]] : 0;
}

void mb_quadratic_corners(const double L[4], const uint32_t *node, const double *x, double y[12]) {
  const double *const origin = x + 3 * (size_t)node[0];
  double d[3];
  for (size_t a = 0; a < 4; a++) {
    double *const to = y + 3 * a;
    mb_vec3_sub(d, x + 3 * (size_t)node[a], origin);
    mb_vec3_scale(to, 4 * L[a] - 1, d);
    for (size_t b = 0; b < 4; b++) {
      if (b == a) continue;
      mb_vec3_sub(d, x + 3 * (size_t)node[4 + mb_quadratic_between[a][b]], origin);
      mb_vec3_add_scaled(to, to, 4 * L[b], d);
    }
  }
}

// ---- meshes -----------------------------------------------------------------------------------------------

static uint64_t key_of(const uint32_t *corner, size_t edge) {
  const uint32_t a = corner[mb_quadratic_edge[edge][0]], b = corner[mb_quadratic_edge[edge][1]];
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static size_t list_edges(const MbElementMesh *mesh, uint64_t *key) {
  const size_t n = MB_QUADRATIC_EDGES * mesh->tets;
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    key[i] = key_of(mesh->tet + 4 * (i / MB_QUADRATIC_EDGES), i % MB_QUADRATIC_EDGES);
  if (n) qsort(key, n, sizeof *key, ascending);
  for (size_t i = 0; i < n; i++)
    if (!count || key[i] != key[count - 1]) key[count++] = key[i];
  return count;
}

bool mb_quadratic_add(MbElementMesh *mesh, MbArena *arena) {
  const size_t n = MB_QUADRATIC_EDGES * mesh->tets;
  uint64_t *const key = mb_calloc(n, sizeof *key);
  if (!key) return false;
  const size_t count = list_edges(mesh, key), nodes = mesh->nodes;
  double *const x = mb_arena_alloc(arena, nodes + count, 3 * sizeof *x);
  uint32_t *const middle = mb_arena_alloc(arena, n, sizeof *middle);
  const bool fine = x && middle && nodes + count <= UINT32_MAX;
  if (fine) {
    memcpy(x, mesh->x, 3 * nodes * sizeof *x);
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < 3; k++)
        x[3 * (nodes + i) + k] = (x[3 * (key[i] >> 32) + k] + x[3 * (key[i] & UINT32_MAX) + k]) / 2;
    for (size_t i = 0; i < n; i++) {
      const uint64_t one = key_of(mesh->tet + 4 * (i / MB_QUADRATIC_EDGES), i % MB_QUADRATIC_EDGES);
      const uint64_t *const at = bsearch(&one, key, count, sizeof one, ascending);
      middle[i] = (uint32_t)(nodes + (size_t)(at - key));
    }
    mesh->x = x, mesh->middle = middle, mesh->nodes = nodes + count;
  }
  mb_free(key);
  return fine;
}

void mb_quadratic_nodes(const MbElementMesh *mesh, size_t tet, uint32_t node[MB_QUADRATIC_NODES]) {
  memcpy(node, mesh->tet + 4 * tet, 4 * sizeof *node);
  memcpy(node + 4, mesh->middle + MB_QUADRATIC_EDGES * tet, MB_QUADRATIC_EDGES * sizeof *node);
}

void mb_quadratic_part_nodes(const MbElementMesh *mesh, size_t tet, size_t part, uint32_t node[4]) {
  uint32_t all[MB_QUADRATIC_NODES];
  mb_quadratic_nodes(mesh, tet, all);
  for (size_t k = 0; k < 4; k++) node[k] = all[parts[part][k]];
}
