// Vertices near by are found by a grid whose cells are wider than the distance: each vertex looks into its own cell and those that
// begin within the distance of it.
#include "core/deformables/mesh_join.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

typedef struct Placed {
  uint64_t cell;
  uint32_t node;
} Placed;

static int by_cell(const void *a, const void *b) {
  const Placed *const p = a, *const q = b;
  if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
  return (p->node > q->node) - (p->node < q->node);
}

// Cells along each axis, at most 2²⁰, and how wide they are.
typedef struct Grid {
  double least[3], width;
  const Placed *placed; // (nodes) by cells
  size_t nodes;
} Grid;

static uint64_t along(const Grid *grid, double x, size_t axis) {
  return (uint64_t)fmax(0, (x - grid->least[axis]) / grid->width);
}

static Grid grid_of(const MbElementMesh *mesh, double distance) {
  static const double MOST = 1 << 20;
  Grid grid = {.nodes = mesh->nodes};
  double size = 0;
  for (size_t a = 0; a < 3; a++) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < mesh->nodes; i++)
      least = fmin(least, mesh->x[3 * i + a]), most = fmax(most, mesh->x[3 * i + a]);
    grid.least[a] = least, size = fmax(size, most - least);
  }
  grid.width =
      fmax(fmax(size / cbrt((double)mesh->nodes + 1), size / (MOST - 2)), fmax(2 * distance, 1e-300));
  return grid;
}

static uint32_t root_of(uint32_t *to, uint32_t i) {
  while (to[i] != i) to[i] = to[to[i]], i = to[i];
  return i;
}

// Joins node i with those in one cell that are near it.
static void join_in(const MbElementMesh *mesh, const Grid *grid, uint64_t cell, uint32_t i, double distance,
                    uint32_t *to) {
  size_t low = 0, high = grid->nodes;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (grid->placed[middle].cell < cell)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < grid->nodes && grid->placed[low].cell == cell; low++) {
    const uint32_t j = grid->placed[low].node;
    double d[3];
    if (j <= i) continue;
    mb_vec3_sub(d, mesh->x + 3 * (size_t)i, mesh->x + 3 * (size_t)j);
    if (mb_vec3_norm(d) > distance) continue;
    const uint32_t a = root_of(to, i), b = root_of(to, j);
    to[a > b ? a : b] = a > b ? b : a;
  }
}

bool mb_mesh_find_twins(const MbElementMesh *mesh, double distance, uint32_t *to, size_t *count) {
  Grid grid = grid_of(mesh, distance);
  Placed *const placed = mb_calloc(mesh->nodes, sizeof *placed);
  if (!placed) return false;
  for (size_t i = 0; i < mesh->nodes; i++) {
    const double *x = mesh->x + 3 * i;
    placed[i] = (Placed){along(&grid, x[0], 0) << 42 | along(&grid, x[1], 1) << 21 | along(&grid, x[2], 2),
                         (uint32_t)i};
    to[i] = (uint32_t)i;
  }
  if (mesh->nodes) qsort(placed, mesh->nodes, sizeof *placed, by_cell);
  grid.placed = placed;
  for (uint32_t i = 0; i < mesh->nodes; i++) {
    uint64_t low[3], high[3];
    for (size_t a = 0; a < 3; a++) {
      low[a] = along(&grid, mesh->x[3 * (size_t)i + a] - distance, a);
      high[a] = along(&grid, mesh->x[3 * (size_t)i + a] + distance, a);
    }
    for (uint64_t p = low[0]; p <= high[0]; p++)
      for (uint64_t q = low[1]; q <= high[1]; q++)
        for (uint64_t r = low[2]; r <= high[2]; r++)
          join_in(mesh, &grid, p << 42 | q << 21 | r, i, distance, to);
  }
  *count = 0;
  for (uint32_t i = 0; i < mesh->nodes; i++) to[i] = root_of(to, i), *count += to[i] != i;
  mb_free(placed);
  return true;
}

// ---- elements with the same corners ------------------------------------------------------------------------

typedef struct Corners {
  uint32_t corner[4];
  size_t element;
} Corners;

static int by_corners(const void *a, const void *b) {
  const Corners *const p = a, *const q = b;
  for (size_t k = 0; k < 4; k++)
    if (p->corner[k] != q->corner[k]) return p->corner[k] < q->corner[k] ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

static void sort_corners(uint32_t *c, size_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0 && c[j] < c[j - 1]; j--) {
      const uint32_t t = c[j];
      c[j] = c[j - 1], c[j - 1] = t;
    }
}

size_t mb_mesh_repeats(const uint32_t *corner, size_t count, size_t corners, bool *drops) {
  Corners *const list = mb_calloc(count, sizeof *list);
  size_t repeats = 0;
  if (!list) return SIZE_MAX;
  for (size_t e = 0; e < count; e++) {
    memcpy(list[e].corner, corner + corners * e, corners * sizeof *corner);
    sort_corners(list[e].corner, corners);
    list[e].element = e;
  }
  if (count) qsort(list, count, sizeof *list, by_corners);
  for (size_t e = 1; e < count; e++) {
    const bool same = !memcmp(list[e].corner, list[e - 1].corner, sizeof list[e].corner);
    repeats += same;
    if (drops && same) drops[list[e].element] = true;
  }
  mb_free(list);
  return repeats;
}

// ---- joining -----------------------------------------------------------------------------------------------

// Corners by the new numbers, without repeats; how many elements are left. SIZE_MAX: *fault, or out of memory.
static size_t renumber(uint32_t *corner, size_t count, size_t corners, const uint32_t *to, size_t *fault) {
  for (size_t i = 0; i < corners * count; i++) corner[i] = to[corner[i]];
  for (size_t e = 0; e < count; e++)
    for (size_t a = 0; a < corners; a++)
      for (size_t b = 0; b < a; b++)
        if (corner[corners * e + a] == corner[corners * e + b]) {
          *fault = e;
          return SIZE_MAX;
        }
  bool *const drops = mb_calloc(count, sizeof *drops);
  size_t left = 0;
  if (!drops || mb_mesh_repeats(corner, count, corners, drops) == SIZE_MAX) {
    mb_free(drops);
    return SIZE_MAX;
  }
  for (size_t e = 0; e < count; e++)
    if (!drops[e]) memmove(corner + corners * left++, corner + corners * e, corners * sizeof *corner);
  mb_free(drops);
  return left;
}

MbStatus mb_mesh_join(MbElementMesh *mesh, double distance, size_t *vertices, size_t *elements,
                      size_t *fault) {
  uint32_t *const to = mb_calloc(mesh->nodes, sizeof *to);
  *fault = SIZE_MAX, *vertices = *elements = 0;
  for (size_t i = 0; i < 4 * mesh->tets; i++)
    if (mesh->tet[i] >= mesh->nodes) return mb_free(to), MB_OK; // the checks name it
  for (size_t i = 0; i < 3 * mesh->triangles; i++)
    if (mesh->triangle[i] >= mesh->nodes) return mb_free(to), MB_OK;
  if (!to || !mb_mesh_find_twins(mesh, distance, to, vertices)) {
    mb_free(to);
    return MB_IO;
  }
  size_t nodes = 0; // to[first ones] ← new numbers; the others come after theirs
  for (size_t i = 0; i < mesh->nodes; i++) {
    if (to[i] != i) {
      to[i] = to[to[i]];
      continue;
    }
    memmove(mesh->x + 3 * nodes, mesh->x + 3 * i, 3 * sizeof *mesh->x);
    to[i] = (uint32_t)nodes++;
  }
  const size_t tets = renumber(mesh->tet, mesh->tets, 4, to, fault);
  const size_t triangles =
      tets == SIZE_MAX ? SIZE_MAX : renumber(mesh->triangle, mesh->triangles, 3, to, fault);
  mb_free(to);
  if (triangles == SIZE_MAX) return *fault == SIZE_MAX ? MB_IO : MB_SCENE;
  *elements = mesh->tets - tets + mesh->triangles - triangles;
  mesh->nodes = nodes, mesh->tets = tets, mesh->triangles = triangles;
  return MB_OK;
}
