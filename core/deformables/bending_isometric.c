// Isometric bending: E = ½ k Σ_T |T| |κ_T(x)|², κ_T the second derivatives of positions on a triangle, by Morley's element with the
// slopes at the edges taken from nodes near by.
//
// Of a sheet that keeps its lengths second derivatives of positions are its curvatures times its normal, so that ½ k ∫ |∇∇x|² is the
// energy of a plate with bending stiffness k and no Poisson's effect across, and quadratic in positions. Morley's triangle (1968) has a
// quadratic function by its values at the corners and its slopes φ_i across the edges, half way along them; with lengths l_i of the
// edges, normals n_i in the triangle's plane that point out, and the gradient g of the linear function between the corners
//   |T| κ_T = ∮ ∇u n ds = Σ_i l_i δ_i n_i n_iᵀ,  δ_i = φ_i − g · n_i,
// for g alone gives none. Its plates converge to the right ones on any mesh: Σ |T| κ_T : M of a constant M leaves nothing but what is
// on the rim, whatever the slopes are, as the two triangles of an edge have opposite n and the same φ.
//
// Here φ is no unknown but what bending_slope.c has from nodes near by, which is right for quadratic functions. So both halves of
// consistency are kept (quadratic shapes have their energy, and constant moments push no inner node), and the energy is never below
// Morley's own, the least over all φ: nodes cannot relax below the plate. At a free edge φ is nobody else's, and is taken out at its
// least, which is where no moment acts: of Σ l_i δ_i n_i n_iᵀ what is along n_i n_iᵀ of such an edge is left out.
//
// Sums over the hinges of edges alone, as Bergou and others' (2006), cannot be right on all meshes: an edge's turn depends on all of
// the curvature, not on that across it, and no weight makes up for that. With weights by which smooth shapes have their energy a
// cantilevered strip comes out 1.35 to 1.44 times too soft.
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"

#include <math.h>
#include <string.h>

// Slopes across edges, one after the other.
typedef struct Slopes {
  size_t *first;  // (3 triangles + 1) by corners; those of an edge belong to the lower one
  uint32_t *node; // (first[3 triangles])
  double *weight;
  size_t room_node, room_weight;
} Slopes;

static void slopes_free(Slopes *slopes) {
  mb_free(slopes->first), mb_free(slopes->node), mb_free(slopes->weight);
}

static bool slopes_create(const MbBendingMesh *mesh, Slopes *slopes) {
  const size_t n = 3 * mesh->triangles;
  slopes->first = mb_calloc(n + 1, sizeof *slopes->first);
  if (!slopes->first) return false;
  for (size_t c = 0; c < n; c++) {
    const size_t at = slopes->first[c];
    slopes->first[c + 1] = at;
    if (mesh->twin[c] == SIZE_MAX || mesh->twin[c] < c) continue;
    if (!mb_grow(&slopes->node, &slopes->room_node, at + MB_PATCH, sizeof *slopes->node) ||
        !mb_grow(&slopes->weight, &slopes->room_weight, at + MB_PATCH, sizeof *slopes->weight))
      return false;
    slopes->first[c + 1] += mb_bending_slope(mesh, c, slopes->node + at, slopes->weight + at);
  }
  return true;
}

// Weights of nodes in three numbers that belong together.
typedef struct Sum {
  size_t count;
  uint32_t node[3 + 3 * MB_PATCH];
  double c[3 + 3 * MB_PATCH][3];
} Sum;

static void add(Sum *sum, uint32_t node, double factor, const double N[3]) {
  size_t i = 0;
  while (i < sum->count && sum->node[i] != node) i++;
  if (i == sum->count) sum->node[sum->count++] = node, memset(sum->c[i], 0, sizeof sum->c[i]);
  for (int k = 0; k < 3; k++) sum->c[i][k] += factor * N[k];
}

// Normals of the sides that point out, times the sides' lengths, in axes of the triangle's plane along its first side.
static void normals_of(const MbTriangleShape *shape, double normal[3][2]) {
  const double l = sqrt(shape->side2[0]), height = 2 * shape->area / l, foot = height * shape->cot[1];
  const double corner[3][2] = {{foot, height}, {0, 0}, {l, 0}};
  for (size_t i = 0; i < 3; i++) {
    const double *const a = corner[(i + 1) % 3], *const b = corner[(i + 2) % 3];
    normal[i][0] = b[1] - a[1], normal[i][1] = a[0] - b[0];
  }
}

// n nᵀ as (xx, yy, √2 xy)
static void outer(const double n[2], double N[3]) {
  N[0] = n[0] * n[0], N[1] = n[1] * n[1], N[2] = M_SQRT2 * n[0] * n[1];
}

// Takes what is along the free edges' n nᵀ out of the three numbers of every node.
static void leave_out(const double free[3][3], size_t nfree, Sum *sum) {
  double e[3][3];
  for (size_t k = 0; k < nfree; k++) {
    memcpy(e[k], free[k], sizeof e[k]);
    for (size_t j = 0; j <= k; j++) { // the last: to the length of 1
      double dot = 0;
      for (int r = 0; r < 3; r++) dot += e[j][r] * e[k][r];
      for (int r = 0; r < 3; r++) e[k][r] = j < k ? e[k][r] - dot * e[j][r] : e[k][r] / sqrt(dot);
    }
    for (size_t i = 0; i < sum->count; i++) {
      const double dot = e[k][0] * sum->c[i][0] + e[k][1] * sum->c[i][1] + e[k][2] * sum->c[i][2];
      for (int r = 0; r < 3; r++) sum->c[i][r] -= dot * e[k][r];
    }
  }
}

// √(k |T|) κ_T. A slope is of the lower corner's side out of its triangle; from the other one it goes in.
static void curvature(const MbBendingMesh *mesh, const Slopes *slopes, double stiffness, size_t t, Sum *sum) {
  const MbTriangleShape *const shape = mesh->shape + t;
  const uint32_t *const node = mesh->triangle + 3 * t;
  const double scale = sqrt(stiffness / shape->area);
  double normal[3][2], free[3][3], N[3];
  size_t nfree = 0;
  normals_of(shape, normal);
  sum->count = 0;
  for (size_t i = 0; i < 3; i++) {
    const size_t corner = 3 * t + i, twin = mesh->twin[corner], lower = twin < corner ? twin : corner;
    const double length = sqrt(shape->side2[i]);
    outer(normal[i], N);
    if (twin == SIZE_MAX) {
      memcpy(free[nfree++], N, sizeof N);
      continue;
    }
    for (size_t k = slopes->first[lower]; k < slopes->first[lower + 1]; k++)
      add(sum, slopes->node[k], (lower == corner ? scale : -scale) * slopes->weight[k] / length, N);
    // g = −Σ x_j n_j l_j / 2|T|
    for (size_t j = 0; j < 3; j++) {
      const double dot = normal[i][0] * normal[j][0] + normal[i][1] * normal[j][1];
      add(sum, node[j], scale * dot / (2 * shape->area * shape->side2[i]), N);
    }
  }
  leave_out(free, nfree, sum);
}

void mb_bending_isometric(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils) {
  Slopes slopes = {0};
  Sum sum;
  if (!slopes_create(mesh, &slopes)) stencils->failed = true;
  for (size_t t = 0; t < mesh->triangles && !stencils->failed; t++) {
    curvature(mesh, &slopes, stiffness, t, &sum);
    for (size_t i = 0; i < sum.count; i++) mb_stencil_add(stencils, sum.node[i], sum.c[i]);
    mb_stencil_end(stencils);
  }
  slopes_free(&slopes);
}
