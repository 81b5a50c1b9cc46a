// Bending by Laplacians, E = ½ k ∫ |Δx|², as Laplace and Beltrami's operator has them on triangles: a stencil is a node and its
// neighbours, with the cotangents' weights c and E = ½ k Σ A′/A² |Σ c x|²; A is the area nearest to the node (circumcentric; halves
// and quarters in obtuse triangles), A′ has beside it equal shares of the neighbours that are on a rim, which have no stencil. Of
// smooth shapes that is their energy, in any direction on the diagonal pattern and on the cross pattern of square cells.
//
// |Δx|² is the energy of a plate whose Poisson's ratio is 1: with free edges harmonic shapes cost nothing, and nodes take to them. A
// cantilevered strip is several times too soft by it. It stands here to compare with others who have it.
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"

#include <math.h>

typedef struct Ring {
  uint32_t node;
  double weight; // half the sum of two cotangents
} Ring;

typedef struct Rings {
  size_t *first; // (nodes + 1)
  Ring *at;
  double *area, *share; // (nodes)
  bool *rim;            // (nodes)
} Rings;

static void rings_free(Rings *rings) {
  mb_free(rings->first), mb_free(rings->at), mb_free(rings->area);
  mb_free(rings->share), mb_free(rings->rim);
}

// What of a triangle is nearest to its corner k, or half and quarters of an obtuse one.
static double nearest_area(const MbTriangleShape *shape, size_t k) {
  for (size_t i = 0; i < 3; i++)
    if (shape->cot[i] < 0) return shape->area * (i == k ? 0.5 : 0.25);
  const size_t l = (k + 1) % 3, m = (k + 2) % 3;
  return (shape->cot[l] * shape->side2[l] + shape->cot[m] * shape->side2[m]) / 8;
}

// Edges once: by the lower one of their corners.
static bool is_edge(const MbBendingMesh *mesh, size_t corner) { return mesh->twin[corner] > corner; }

static uint32_t end_of(const MbBendingMesh *mesh, size_t corner, size_t k) {
  return mesh->triangle[corner / 3 * 3 + (corner + k) % 3];
}

static bool rings_create(const MbBendingMesh *mesh, Rings *rings) {
  rings->first = mb_calloc(mesh->nodes + 2, sizeof *rings->first);
  rings->at = mb_calloc(6 * mesh->triangles, sizeof *rings->at);
  rings->area = mb_calloc(mesh->nodes, sizeof *rings->area);
  rings->share = mb_calloc(mesh->nodes, sizeof *rings->share);
  rings->rim = mb_calloc(mesh->nodes, sizeof *rings->rim);
  if (!rings->first || !rings->at || !rings->area || !rings->share || !rings->rim) return false;
  for (size_t c = 0; c < 3 * mesh->triangles; c++)
    rings->area[mesh->triangle[c]] += nearest_area(mesh->shape + c / 3, c % 3);

  // neighbours by counting: first[i + 1] is where the next of i goes
  for (size_t c = 0; c < 3 * mesh->triangles; c++)
    if (is_edge(mesh, c)) rings->first[end_of(mesh, c, 1) + 2]++, rings->first[end_of(mesh, c, 2) + 2]++;
  for (size_t i = 1; i <= mesh->nodes; i++) rings->first[i + 1] += rings->first[i];
  for (size_t c = 0; c < 3 * mesh->triangles; c++) {
    if (!is_edge(mesh, c)) continue;
    const uint32_t a = end_of(mesh, c, 1), b = end_of(mesh, c, 2);
    const size_t twin = mesh->twin[c];
    double weight = 0.5 * mesh->shape[c / 3].cot[c % 3];
    if (twin == SIZE_MAX)
      rings->rim[a] = rings->rim[b] = true;
    else
      weight += 0.5 * mesh->shape[twin / 3].cot[twin % 3];
    rings->at[rings->first[a + 1]++] = (Ring){b, weight};
    rings->at[rings->first[b + 1]++] = (Ring){a, weight};
  }
  return true;
}

// Areas of nodes on a rim to their neighbours that are not.
static void share_areas(const MbBendingMesh *mesh, Rings *rings) {
  for (size_t i = 0; i < mesh->nodes; i++) {
    if (!rings->rim[i]) continue;
    size_t inner = 0;
    for (size_t k = rings->first[i]; k < rings->first[i + 1]; k++) inner += !rings->rim[rings->at[k].node];
    for (size_t k = rings->first[i]; k < rings->first[i + 1]; k++)
      if (!rings->rim[rings->at[k].node]) rings->share[rings->at[k].node] += rings->area[i] / (double)inner;
  }
}

bool mb_bending_laplace_beltrami(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils) {
  Rings rings = {0};
  const bool ok = rings_create(mesh, &rings);
  if (ok) share_areas(mesh, &rings);
  for (size_t i = 0; ok && i < mesh->nodes; i++) {
    if (rings.rim[i] || !(rings.area[i] > 0)) continue;
    const double scale = sqrt(stiffness * (rings.area[i] + rings.share[i])) / rings.area[i];
    double own[3] = {0};
    for (size_t k = rings.first[i]; k < rings.first[i + 1]; k++) {
      mb_stencil_add(stencils, rings.at[k].node, (const double[3]){-scale * rings.at[k].weight});
      own[0] += scale * rings.at[k].weight;
    }
    mb_stencil_add(stencils, (uint32_t)i, own);
    mb_stencil_end(stencils);
  }
  rings_free(&rings);
  return ok;
}
