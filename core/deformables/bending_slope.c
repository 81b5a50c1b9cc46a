// The slope of a smooth function across an edge, from its values at nodes near by.
//
// The two triangles p and q of an edge of length l are laid into one plane: s along the edge from its middle, n across it, the other
// corner of p at (s_p, −h_p), that of q at (s_q, h_q). A linear function on p has the slope g_p = (u(s_p, 0) − u_p)/h_p there, on q
// g_q = (u_q − u(s_q, 0))/h_q. Of u = b n + ½ κ_ss s² + κ_sn s n + ½ κ_nn n² the slope at the middle is b, and these two say
//   g_p = b + κ_sn s_p − ½ κ_nn h_p + ½ κ_ss (l²/4 − s_p²)/h_p
//   g_q = b + κ_sn s_q + ½ κ_nn h_q − ½ κ_ss (l²/4 − s_q²)/h_q
// so that their mean with the weights h_q, h_p leaves κ_nn out. Where p and q are each other's mirror images, or turned by half a
// turn about the middle, all of b is left and nothing else. Elsewhere the weights of more nodes are added to those of this mean:
// the smallest that make the slope of every quadratic function right, by the mean square with those far away counted double and more,
//   δ = Ω Pᵀ (P Ω Pᵀ)⁻¹ (e − P c),  P: 1, s, n, s², s n, n² at the nodes, e their slopes at the middle, Ω = diag(1/(¼ + s² + n²)²)
// in units of l. The nodes are those of p, q and the triangles around these, which are unfolded into the plane one after the other, as
// many layers as it takes. Where no layers determine it, as on meshes of a few triangles, the nearest comes out.
#include "core/deformables/bending_parts.h"
#include "core/math/vec3.h"

#include <string.h>

enum { LAYERS = 4, TERMS = 6 };
static const double RIGHT = 1e-9, // what slopes of quadratic functions may be off, in units of 1/l
    NEAR_BY = 2,                  // sums of weights that the first layer may add; more layers have less
    NOTHING = 1e-13,              // weights that are rounding
    RANK = 1e-10;                 // pivots of P Ω Pᵀ below that are none

// Nodes of unfolded triangles, in units of the edge, and the triangles.
typedef struct Patch {
  const MbBendingMesh *mesh;
  size_t nodes, triangles;
  uint32_t node[MB_PATCH];
  double at[MB_PATCH][2], weight[MB_PATCH];
  size_t triangle[MB_PATCH];
} Patch;

static size_t find_node(const Patch *patch, uint32_t node) {
  size_t i = 0;
  while (i < patch->nodes && patch->node[i] != node) i++;
  return i;
}

static bool has_triangle(const Patch *patch, size_t t) {
  for (size_t i = 0; i < patch->triangles; i++)
    if (patch->triangle[i] == t) return true;
  return false;
}

// Where the third corner of a triangle is along the side that a corner stands for, from its first end, and how far from it.
static void apex_of(const MbBendingMesh *mesh, size_t corner, double *along, double *height) {
  const uint32_t *const of = mesh->triangle + corner / 3 * 3;
  const double *const a = mesh->x + 3 * (size_t)of[(corner + 1) % 3], *const b =
                                                                          mesh->x +
                                                                          3 * (size_t)of[(corner + 2) % 3];
  double ab[3], ac[3];
  mb_vec3_sub(ab, b, a), mb_vec3_sub(ac, mesh->x + 3 * (size_t)of[corner % 3], a);
  const double length = mb_vec3_norm(ab);
  *along = mb_vec3_dot(ab, ac) / length, *height = 2 * mesh->shape[corner / 3].area / length;
}

static void add_node(Patch *patch, uint32_t node, double s, double n) {
  if (find_node(patch, node) < patch->nodes || patch->nodes == MB_PATCH) return;
  patch->at[patch->nodes][0] = s, patch->at[patch->nodes][1] = n, patch->weight[patch->nodes] = 0;
  patch->node[patch->nodes++] = node;
}

// Unfolds the triangle that the corner belongs to about the side that it stands for, away from the place `from`.
static void unfold(Patch *patch, double unit, size_t corner, const double from[2]) {
  const uint32_t *const of = patch->mesh->triangle + corner / 3 * 3;
  const size_t i = find_node(patch, of[(corner + 1) % 3]), j = find_node(patch, of[(corner + 2) % 3]);
  const double a[2] = {patch->at[i][0], patch->at[i][1]};
  double d[2] = {patch->at[j][0] - a[0], patch->at[j][1] - a[1]}, along, height;
  const double length = hypot(d[0], d[1]);
  d[0] /= length, d[1] /= length;
  apex_of(patch->mesh, corner, &along, &height);
  along /= unit, height /= unit;
  if (d[0] * (from[1] - a[1]) - d[1] * (from[0] - a[0]) > 0) height = -height;
  patch->triangle[patch->triangles++] = corner / 3;
  add_node(patch, of[corner % 3], a[0] + along * d[0] - height * d[1], a[1] + along * d[1] + height * d[0]);
}

// Adds the triangles across the sides of those from `begin` on. False: there are none, or no room for all of them.
static bool add_layer(Patch *patch, double unit, size_t begin) {
  const size_t end = patch->triangles;
  for (size_t k = begin; k < end; k++)
    for (size_t c = 0; c < 3; c++) {
      const size_t twin = patch->mesh->twin[3 * patch->triangle[k] + c];
      if (twin == SIZE_MAX || has_triangle(patch, twin / 3)) continue;
      if (patch->triangles == MB_PATCH || patch->nodes == MB_PATCH) return false;
      unfold(patch, unit, twin,
             patch->at[find_node(patch, patch->mesh->triangle[3 * patch->triangle[k] + c])]);
    }
  return patch->triangles > end;
}

// The slope of the linear function on one triangle times a factor; `side` is −1 for p and 1 for q.
static void add_linear(Patch *patch, size_t corner, double unit, double side, double factor) {
  const uint32_t *const of = patch->mesh->triangle + corner / 3 * 3;
  double along, height;
  apex_of(patch->mesh, corner, &along, &height);
  along /= unit, factor *= side * unit / height;
  patch->weight[find_node(patch, of[corner % 3])] += factor;
  patch->weight[find_node(patch, of[(corner + 1) % 3])] -= factor * (1 - along);
  patch->weight[find_node(patch, of[(corner + 2) % 3])] -= factor * along;
}

static void terms_at(const double at[2], double P[TERMS]) {
  const double s = at[0], n = at[1];
  const double terms[TERMS] = {1, s, n, s * s, s * n, n * n};
  memcpy(P, terms, sizeof terms);
}

// r ← e − P (c + δ)
static double miss(const Patch *patch, const double *delta, double r[TERMS]) {
  double most = 0;
  for (int k = 0; k < TERMS; k++) r[k] = k == 2;
  for (size_t i = 0; i < patch->nodes; i++) {
    double P[TERMS];
    terms_at(patch->at[i], P);
    for (int k = 0; k < TERMS; k++) r[k] -= P[k] * (patch->weight[i] + delta[i]);
  }
  for (int k = 0; k < TERMS; k++) most = fmax(most, fabs(r[k]));
  return most;
}

static double nearness(const double at[2]) {
  const double square = 0.25 + at[0] * at[0] + at[1] * at[1];
  return 1 / (square * square);
}

// Cholesky's factor of P Ω Pᵀ, the largest pivot first, whose rows `order` names; as many of them as there are.
static int factor(const Patch *patch, double L[TERMS][TERMS], int order[TERMS]) {
  double K[TERMS][TERMS] = {{0}}, left[TERMS];
  for (size_t i = 0; i < patch->nodes; i++) {
    double P[TERMS];
    terms_at(patch->at[i], P);
    for (int a = 0; a < TERMS; a++)
      for (int b = 0; b < TERMS; b++) K[a][b] += nearness(patch->at[i]) * P[a] * P[b];
  }
  for (int k = 0; k < TERMS; k++) order[k] = k, left[k] = 1;
  for (int k = 0; k < TERMS; k++) {
    int best = k;
    for (int i = k + 1; i < TERMS; i++)
      if (left[order[i]] > left[order[best]]) best = i;
    const int pivot = order[best];
    order[best] = order[k], order[k] = pivot;
    if (!(left[pivot] > RANK)) return k;
    for (int i = k; i < TERMS; i++) {
      const int row = order[i];
      double sum = K[row][pivot];
      for (int j = 0; j < k; j++) sum -= L[row][j] * L[pivot][j];
      L[row][k] = i == k ? sqrt(sum) : sum / L[pivot][k];
      left[row] -= L[row][k] * L[row][k] / K[row][row];
    }
  }
  return TERMS;
}

// δ += Ω Pᵀ (P Ω Pᵀ)⁻¹ r, as far as there are pivots
static void correct(const Patch *patch, double L[TERMS][TERMS], const int order[TERMS], int rank,
                    const double r[TERMS], double *delta) {
  double y[TERMS] = {0};
  for (int k = 0; k < rank; k++) {
    double sum = r[order[k]];
    for (int j = 0; j < k; j++) sum -= L[order[k]][j] * y[j];
    y[k] = sum / L[order[k]][k];
  }
  for (int k = rank - 1; k >= 0; k--) {
    for (int i = k + 1; i < rank; i++) y[k] -= L[order[i]][k] * y[i];
    y[k] /= L[order[k]][k];
  }
  for (size_t i = 0; i < patch->nodes; i++) {
    double P[TERMS], sum = 0;
    terms_at(patch->at[i], P);
    for (int k = 0; k < rank; k++) sum += P[order[k]] * y[k];
    delta[i] += nearness(patch->at[i]) * sum;
  }
}

// Makes the weights right by those of the patch; the sum of what that adds. *right: they are.
static double make_right(const Patch *patch, double *delta, bool *right) {
  double L[TERMS][TERMS], r[TERMS], sum = 0;
  int order[TERMS];
  const int rank = factor(patch, L, order);
  memset(delta, 0, MB_PATCH * sizeof *delta);
  for (int pass = 0; pass < 3; pass++) { // twice more for what rounding leaves
    miss(patch, delta, r);
    correct(patch, L, order, rank, r, delta);
  }
  *right = miss(patch, delta, r) < RIGHT;
  for (size_t i = 0; i < patch->nodes; i++) sum += fabs(delta[i]);
  return sum;
}

size_t mb_bending_slope(const MbBendingMesh *mesh, size_t corner, uint32_t *node, double *weight) {
  static const double ABOVE[2] = {0, 1}, BELOW[2] = {0, -1};
  Patch patch = {.mesh = mesh};
  const size_t twin = mesh->twin[corner];
  const uint32_t *const of = mesh->triangle + corner / 3 * 3;
  double delta[MB_PATCH] = {0}, r[TERMS], along, p, q;
  const double unit = sqrt(mesh->shape[corner / 3].side2[corner % 3]);
  apex_of(mesh, corner, &along, &p), apex_of(mesh, twin, &along, &q);
  add_node(&patch, of[(corner + 1) % 3], -0.5, 0), add_node(&patch, of[(corner + 2) % 3], 0.5, 0);
  unfold(&patch, unit, corner, ABOVE), unfold(&patch, unit, twin, BELOW);
  add_linear(&patch, corner, unit, -1, q / (p + q)), add_linear(&patch, twin, unit, 1, p / (p + q));
  bool right = miss(&patch, delta, r) < RIGHT;
  for (size_t layer = 0, begin = 0; layer < LAYERS && !right; layer++) {
    const size_t end = patch.triangles;
    const bool more = add_layer(&patch, unit, begin);
    begin = end;
    const double sum = make_right(&patch, delta, &right);
    if (!more) break;
    right &= layer > 0 || sum < NEAR_BY;
  }
  size_t count = 0;
  for (size_t i = 0; i < patch.nodes; i++) {
    const double sum = (patch.weight[i] + delta[i]) / unit;
    if (fabs(sum) * unit > NOTHING) node[count] = patch.node[i], weight[count++] = sum;
  }
  return count;
}
