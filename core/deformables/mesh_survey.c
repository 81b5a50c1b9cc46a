#include "core/deformables/mesh_survey.h"
#include "core/base/alloc.h"
#include "core/deformables/mesh_join.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-9, THIN = 0.01; // by the mesh's size; by the longest edge

double mb_mesh_height(const MbElementMesh *mesh, const uint32_t *corner, size_t corners) {
  double longest = 0, widest = 0, d[3], e[3], normal[3], volume = 0;
  for (size_t a = 0; a < corners; a++)
    for (size_t b = 0; b < a; b++) {
      mb_vec3_sub(d, mesh->x + 3 * (size_t)corner[a], mesh->x + 3 * (size_t)corner[b]);
      longest = fmax(longest, mb_vec3_norm(d));
    }
  for (size_t k = 0; k < (corners == 4 ? 4 : 1); k++) { // faces; the one across from corner k
    const double *at[3];
    for (size_t a = 0, n = 0; n < 3; a++)
      if (corners == 3 || a != k) at[n++] = mesh->x + 3 * (size_t)corner[a];
    mb_vec3_sub(d, at[1], at[0]), mb_vec3_sub(e, at[2], at[0]);
    mb_vec3_cross(normal, d, e);
    widest = fmax(widest, mb_vec3_norm(normal));
    mb_vec3_sub(d, mesh->x + 3 * (size_t)corner[k], at[0]);
    volume = fmax(volume, fabs(mb_vec3_dot(d, normal)));
  }
  if (!(longest > 0) || !(widest > 0)) return 0;
  return (corners == 4 ? volume / widest : widest / longest) / longest;
}

static uint32_t root_of(uint32_t *to, uint32_t i) {
  while (to[i] != i) to[i] = to[to[i]], i = to[i];
  return i;
}

static void join(uint32_t *to, uint32_t i, uint32_t j) {
  const uint32_t a = root_of(to, i), b = root_of(to, j);
  to[a > b ? a : b] = a > b ? b : a;
}

static size_t count_roots(const uint32_t *to, size_t n) {
  size_t roots = 0;
  for (size_t i = 0; i < n; i++) roots += to[i] == i;
  return roots;
}

// Parts that have no vertex in common.
static size_t count_pieces(const MbElementMesh *mesh, const uint32_t *corner, size_t count, size_t corners,
                           uint32_t *to) {
  for (size_t i = 0; i < mesh->nodes; i++) to[i] = (uint32_t)i;
  for (size_t i = 0; mesh->middle && i < 6 * mesh->tets; i++) join(to, mesh->middle[i], corner[i / 6 * 4]);
  for (size_t i = 0; i < corners * count; i++) join(to, corner[i], corner[i / corners * corners]);
  return count_roots(to, mesh->nodes);
}

typedef struct Facet { // a face of a tetrahedron, a side of a triangle
  uint32_t corner[3], element;
} Facet;

static int by_corners(const void *a, const void *b) {
  const Facet *const p = a, *const q = b;
  for (size_t k = 0; k < 3; k++)
    if (p->corner[k] != q->corner[k]) return p->corner[k] < q->corner[k] ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

static Facet facet_of(const uint32_t *corner, size_t corners, size_t element, size_t without) {
  Facet facet = {.element = (uint32_t)element};
  size_t n = 0;
  for (size_t a = 0; a < corners; a++)
    if (a != without) facet.corner[n++] = corner[corners * element + a];
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0 && facet.corner[j] < facet.corner[j - 1]; j--) {
      const uint32_t t = facet.corner[j];
      facet.corner[j] = facet.corner[j - 1], facet.corner[j - 1] = t;
    }
  return facet;
}

// Parts of elements that hang together by whole facets. SIZE_MAX: out of memory.
static size_t count_solid(const uint32_t *corner, size_t count, size_t corners) {
  Facet *const facet = mb_calloc(count, corners * sizeof *facet);
  uint32_t *const to = mb_calloc(count, sizeof *to);
  size_t parts = SIZE_MAX;
  if (facet && to) {
    for (size_t e = 0; e < count; e++) {
      to[e] = (uint32_t)e;
      for (size_t k = 0; k < corners; k++) facet[corners * e + k] = facet_of(corner, corners, e, k);
    }
    if (count) qsort(facet, corners * count, sizeof *facet, by_corners);
    for (size_t k = 1; k < corners * count; k++)
      if (!memcmp(facet[k].corner, facet[k - 1].corner, sizeof facet->corner))
        join(to, facet[k].element, facet[k - 1].element);
    parts = count_roots(to, count);
  }
  mb_free(facet), mb_free(to);
  return parts;
}

static void find_thin(const MbElementMesh *mesh, const uint32_t *corner, size_t count, size_t corners,
                      MbMeshSurvey *survey) {
  survey->height = INFINITY;
  for (size_t e = 0; e < count; e++) {
    const double height = mb_mesh_height(mesh, corner + corners * e, corners);
    survey->thin += height < THIN;
    if (height < survey->height) survey->height = height, survey->thinnest = e;
  }
}

bool mb_mesh_survey(const MbElementMesh *mesh, MbMeshSurvey *survey) {
  const size_t corners = mesh->tets ? 4 : 3, count = mesh->tets ? mesh->tets : mesh->triangles;
  const uint32_t *const corner = mesh->tets ? mesh->tet : mesh->triangle;
  uint32_t *const to = mb_calloc(mesh->nodes, sizeof *to);
  double size = 0;
  *survey = (MbMeshSurvey){0};
  for (size_t i = 0; i < 3 * mesh->nodes; i++) size = fmax(size, fabs(mesh->x[i] - mesh->x[i % 3]));
  survey->near = NEAR * size;
  bool fine = to && mb_mesh_find_twins(mesh, survey->near, to, &survey->twins);
  if (fine) {
    survey->repeats = mb_mesh_repeats(corner, count, corners, NULL);
    survey->pieces = count_pieces(mesh, corner, count, corners, to);
    survey->hinges = count_solid(corner, count, corners);
    fine = survey->repeats != SIZE_MAX && survey->hinges != SIZE_MAX;
    survey->hinges -= survey->pieces;
    find_thin(mesh, corner, count, corners, survey);
  }
  mb_free(to);
  return fine;
}
