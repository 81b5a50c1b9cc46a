// Cloth that is curved at rest: E = ½ Σ_t Σ_r |y_r − g_r n|², with y_r = Σ_a c_ra x_a a triangle's curvatures (times √(k |T|)), and g_r n what
// they are at rest. At rest y_r also has a part along the triangle, y_r = g_r n + α_r e₁ + β_r e₂ with its sides e₁, e₂: that is taken off
// y_r, by the corners' weights, so that the mesh as it is has no energy and pushes nothing, however it is moved and turned. Then
//   E = ½ xᵀ Q x + Σ_t (½ s − n · w),  s = Σ_r g_r²,  w = Σ_r g_r y_r,
// with constant Q as on a flat mesh. With N = (p₁ − p₀) x (p₂ − p₀), n = N/ℓ, E_j the side across from corner j and P = 1 − n nᵀ
//   ∂N/∂p_j δ = E_j x δ,  ∂n/∂p_j = P [E_j]/ℓ,  ∂(n · w)/∂p_j = m x E_j,  m = P w/ℓ
//   ∂²(n · w)/∂N² = −(w nᵀ + n wᵀ + (n · w)(1 − 3 n nᵀ))/ℓ² = M
//   ∂²(n · w)/∂p_i ∂p_j = [E_i]ᵀ M [E_j] ± [m], with + where j follows i by two and − where by one.
// Of the energy's second derivatives Σ_r (c_r − g_r ∂n)ᵀ (c_r − g_r ∂n) is positive, which leaves −s ∂nᵀ ∂n here.
#include "core/deformables/bending_rest.h"
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"
#include "core/deformables/bending_pull.h"
#include "core/math/mat3.h"
#include "core/math/vec3.h"

#include <string.h>

void mb_bending_pull(const double *const p[3], const double w[3], MbBendingPull *pull) {
  mb_bending_pull_of(p, w, pull);
}

static void cross_matrix(const double a[3], double A[9]) {
  const double is[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(A, is, sizeof is);
}

void mb_bending_pull_slopes(const double *const p[3], const double w[3], double positive, double turn[3][9],
                            double H[9][9]) {
  const MbBendingNormal at = mb_bending_normal(p);
  double m[3], M[9], P[9], E[3][9], ME[9], X[9];
  mb_bending_across(&at, w, m);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double nn = at.n[i] * at.n[j], one = i == j;
      P[3 * i + j] = (one - nn) / at.length;
      M[3 * i + j] = -(w[i] * at.n[j] + at.n[i] * w[j] + mb_vec3_dot(at.n, w) * (one - 3 * nn)) /
                     (at.length * at.length);
    }
  for (int j = 0; j < 3; j++) {
    cross_matrix(at.side[j], E[j]);
    mb_mat3_mul(turn[j], P, E[j]);
  }
  cross_matrix(m, X);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double *const to = H[3 * i + j];
      if (positive > 0) {
        mb_mat3_tmul(to, turn[i], turn[j]);
        for (int c = 0; c < 9; c++) to[c] *= -positive;
        continue;
      }
      mb_mat3_mul(ME, M, E[j]);
      mb_mat3_tmul(to, E[i], ME);
      for (int c = 0; c < 9 && i != j; c++) to[c] += j == (i + 2) % 3 ? X[c] : -X[c];
    }
}

// ---- of a mesh ---------------------------------------------------------------------------------------------

// y = g n + α e₁ + β e₂, e₁ and e₂ from corner 0 to the others.
static void take_apart(const MbBendingNormal *at, const double y[3], double *g, double *alpha, double *beta) {
  const double *const e1 = at->side[2];
  double e2[3], across1[3], across2[3];
  mb_vec3_scale(e2, -1, at->side[1]);
  mb_vec3_cross(across1, at->n, e1), mb_vec3_cross(across2, at->n, e2); // which stand on e₁ and e₂
  *g = mb_vec3_dot(y, at->n);
  *alpha = mb_vec3_dot(y, across2) / mb_vec3_dot(e1, across2);
  *beta = mb_vec3_dot(y, across1) / mb_vec3_dot(e2, across1);
}

// Takes what is along the triangle off the rows of stencil t, and gives the normal parts. False: it is flat.
static bool straighten(const MbBendingMesh *mesh, MbStencils *stencils, size_t t, double smallest,
                       double g[3]) {
  const uint32_t *const corner = mesh->triangle + 3 * t;
  const double *const x = mesh->x;
  const double *const p[3] = {x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                              x + 3 * (size_t)corner[2]};
  const MbBendingNormal at = mb_bending_normal(p);
  double y[3][3] = {{0}}, size = 0, d[3];
  for (size_t k = stencils->first[t]; k < stencils->first[t + 1]; k++) {
    mb_vec3_sub(d, x + 3 * (size_t)stencils->node[k], p[0]);
    for (int r = 0; r < 3; r++) mb_vec3_add_scaled(y[r], y[r], stencils->c[k][r], d);
  }
  for (int r = 0; r < 3; r++) size += mb_vec3_dot(y[r], y[r]);
  if (!(size > smallest)) return false;
  for (int r = 0; r < 3; r++) {
    double off[3];
    take_apart(&at, y[r], &g[r], &off[1], &off[2]);
    off[0] = -off[1] - off[2];
    for (size_t k = stencils->first[t]; k < stencils->first[t + 1]; k++)
      for (int j = 0; j < 3; j++)
        if (stencils->node[k] == corner[j]) stencils->c[k][r] -= off[j];
  }
  return true;
}

static bool add_triangle(const MbBendingMesh *mesh, const MbStencils *stencils, size_t t, const double g[3],
                         MbBendingRest *rest) {
  const size_t begin = stencils->first[t], n = stencils->first[t + 1] - begin;
  memcpy(rest->corner + 3 * rest->count, mesh->triangle + 3 * t, 3 * sizeof *rest->corner);
  for (size_t k = 0; k < n; k++) {
    const double *const c = stencils->c[begin + k];
    rest->node[rest->entries + k] = stencils->node[begin + k];
    rest->weight[rest->entries + k] = mb_vec3_dot(g, c);
  }
  rest->square[rest->count++] = mb_vec3_dot(g, g);
  rest->first[rest->count] = rest->entries += n;
  return true;
}

bool mb_bending_take_rest(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils,
                          MbBendingRest *rest) {
  static const double FLAT = 1e-9; // curvatures times the square root of a triangle's area
  const size_t n = mesh->triangles;
  rest->corner = mb_calloc(n, 3 * sizeof *rest->corner);
  rest->first = mb_calloc(n + 1, sizeof *rest->first);
  rest->node = mb_calloc(stencils->entries, sizeof *rest->node);
  rest->weight = mb_calloc(stencils->entries, sizeof *rest->weight);
  rest->square = mb_calloc(n, sizeof *rest->square);
  if (!rest->corner || !rest->first || !rest->node || !rest->weight || !rest->square) return false;
  for (size_t t = 0; t < n; t++) {
    double g[3];
    if (straighten(mesh, stencils, t, stiffness * FLAT * FLAT, g)) add_triangle(mesh, stencils, t, g, rest);
  }
  if (!rest->count) mb_bending_rest_free(rest);
  return true;
}

void mb_bending_rest_free(MbBendingRest *rest) {
  mb_free(rest->corner), mb_free(rest->first), mb_free(rest->node);
  mb_free(rest->weight), mb_free(rest->square);
  *rest = (MbBendingRest){0};
}
