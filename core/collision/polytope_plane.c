// The distance of two polytopes A and B is that of the origin from B − A, whose faces have the normals of A's faces, of −B's faces, and of
// those pairs of edges whose arcs on the sphere of normals cross (Gauss map). The largest of these planes' heights is the gap where the
// two are in one another.
//
// Of two boxes the directions are known: three of each, and the nine products of one of each. Along n the box with half edges e and axes
// a_k reaches Σ e_k |a_k · n|, so that the gap is |d · n| less both reaches, d from one middle to the other; which face or edges
// these are is told by the signs.
#include "core/collision/polytope_plane.h"

#include "core/math/mat3.h"

// ---- any two ----------------------------------------------------------------------------------------------

// All in A's axes, from its origin: numbers are as small as the shapes and what is between them.
typedef struct Pair {
  const MbPlaced *a, *b;
  double R[9], d[3]; // what B's axes are in A's; B's origin
} Pair;

static Pair pair_of(const MbPlaced *a, const MbPlaced *b) {
  Pair pair = {.a = a, .b = b};
  double d[3];
  mb_mat3_tmul(pair.R, a->R, b->R);
  mb_vec3_sub(d, b->p, a->p);
  mb_mat3_tapply(pair.d, a->R, d);
  return pair;
}

// The vertex of a shape that is lowest along m, both in its axes, and how low.
static uint32_t lowest(const MbShape *shape, const double m[3], double *height) {
  const MbHull *hull = shape->hull;
  const double s[3] = {m[0] * shape->axes[0], m[1] * shape->axes[1], m[2] * shape->axes[2]};
  uint32_t best = 0;
  *height = INFINITY;
  for (uint32_t i = 0; i < hull->vertices; i++) {
    const double h = mb_vec3_dot(s, hull->vertex + 3 * (size_t)i);
    if (h < *height) *height = h, best = i;
  }
  return best;
}

uint32_t mb_polytope_lowest(const MbPlaced *b, const double n[3], double *height) {
  double m[3];
  mb_mat3_tapply(m, b->R, n);
  return lowest(b->shape, m, height);
}

// Looks at A's faces.
static void try_faces_of_a(const Pair *pair, MbPlane *best) {
  const MbShape *a = pair->a->shape;
  for (uint32_t f = 0; f < a->hull->faces; f++) {
    const double *n = a->hull->normal + 3 * (size_t)f;
    double m[3], x[3], h;
    mb_mat3_tapply(m, pair->R, n);
    const uint32_t low = lowest(pair->b->shape, m, &h);
    mb_shape_vertex(x, a, a->hull->corner[a->hull->first[f]]);
    const double gap = mb_vec3_dot(n, pair->d) + h - mb_vec3_dot(n, x);
    if (!(gap > best->gap)) continue;
    best->gap = gap, best->of = MB_PLANE_OF_A, best->face = f, best->low = low;
    mb_vec3_copy(best->n, n);
  }
}

// Looks at B's faces, one of which has to beat one of A by more than rounding.
static void try_faces_of_b(const Pair *pair, MbPlane *best) {
  const MbShape *b = pair->b->shape;
  for (uint32_t f = 0; f < b->hull->faces; f++) {
    double n[3], x[3], h;
    mb_mat3_apply(n, pair->R, b->hull->normal + 3 * (size_t)f);
    const uint32_t low = lowest(pair->a->shape, n, &h);
    mb_shape_vertex(x, b, b->hull->corner[b->hull->first[f]]);
    const double gap = h - mb_vec3_dot(n, pair->d) - mb_vec3_dot(b->hull->normal + 3 * (size_t)f, x);
    if (!(gap > best->gap + best->same)) continue;
    best->gap = gap, best->of = MB_PLANE_OF_B, best->face = f, best->low = low;
    mb_vec3_scale(best->n, -1, n);
  }
}

// An edge, with the normals of its faces.
typedef struct Side {
  double p[3], d[3], left[3], right[3];
} Side;

static void side_of(Side *side, const MbShape *shape, uint32_t e) {
  const MbHullEdge *edge = &shape->hull->edge[e];
  double q[3];
  mb_shape_vertex(side->p, shape, edge->from);
  mb_shape_vertex(q, shape, edge->to);
  mb_vec3_sub(side->d, q, side->p);
  mb_vec3_copy(side->left, shape->hull->normal + 3 * (size_t)edge->left);
  mb_vec3_copy(side->right, shape->hull->normal + 3 * (size_t)edge->right);
}

static void side_of_b(Side *side, const Pair *pair, uint32_t e) {
  side_of(side, pair->b->shape, e);
  mb_mat3_apply(side->p, pair->R, side->p);
  mb_vec3_add(side->p, side->p, pair->d);
  mb_mat3_apply(side->d, pair->R, side->d);
  mb_mat3_apply(side->left, pair->R, side->left);
  mb_mat3_apply(side->right, pair->R, side->right);
}

// Whether the arc of a's normals crosses that of −b's: each arc's ends are on either side of the other's great circle, and on one half of
// the sphere. The circles' normals are the edges' directions.
static bool arcs_cross(const Side *a, const Side *b) {
  const double bl = -mb_vec3_dot(b->left, a->d), br = -mb_vec3_dot(b->right, a->d);
  if (!(bl * br < 0)) return false;
  const double al = mb_vec3_dot(a->left, b->d), ar = mb_vec3_dot(a->right, b->d);
  if (!(al * ar < 0)) return false;
  // the crossing of a's arc is a->left |ar| + a->right |al|, that of −b's likewise; they are opposite or the same
  double x[3], y[3];
  mb_vec3_scale(x, fabs(ar), a->left);
  mb_vec3_add_scaled(x, x, fabs(al), a->right);
  mb_vec3_scale(y, fabs(br), b->left);
  mb_vec3_add_scaled(y, y, fabs(bl), b->right);
  return mb_vec3_dot(x, y) < 0;
}

static void try_two_edges(const Pair *pair, const Side *s, const Side *t, MbPlane *best,
                          const uint32_t edge[2]) {
  double n[3], d[3];
  mb_vec3_cross(n, s->d, t->d);
  const double size = mb_vec3_norm(n), most = sqrt(mb_vec3_dot(s->d, s->d) * mb_vec3_dot(t->d, t->d));
  // edges that are parallel but for rounding have no plane of their own
  if (!(size > 1e-10 * most)) return;
  mb_vec3_scale(n, (mb_vec3_dot(n, s->left) + mb_vec3_dot(n, s->right) < 0 ? -1 : 1) / size, n);
  mb_vec3_sub(d, t->p, s->p);
  if (!(mb_vec3_dot(d, n) > best->gap)) return;
  // a direction that rounding has turned is not that of the two edges alone
  double m[3], back[3], low, top;
  mb_mat3_tapply(m, pair->R, n);
  lowest(pair->b->shape, m, &low);
  mb_vec3_scale(back, -1, n);
  lowest(pair->a->shape, back, &top);
  const double gap = mb_vec3_dot(n, pair->d) + low + top;
  if (!(gap > best->gap + best->same)) return;
  best->gap = gap, best->of = MB_PLANE_OF_EDGES, best->edge_a = edge[0], best->edge_b = edge[1];
  mb_vec3_copy(best->n, n);
}

// B's edges are put where they are some at a time.
static void try_edges(const Pair *pair, MbPlane *best) {
  enum { SOME = 64 };
  const uint32_t ours = pair->a->shape->hull->edges, theirs = pair->b->shape->hull->edges;
  Side s, side[SOME];
  for (uint32_t from = 0; from < theirs; from += SOME) {
    const uint32_t count = theirs - from < SOME ? theirs - from : SOME;
    for (uint32_t j = 0; j < count; j++) side_of_b(&side[j], pair, from + j);
    for (uint32_t i = 0; i < ours; i++) {
      side_of(&s, pair->a->shape, i);
      for (uint32_t j = 0; j < count; j++)
        if (arcs_cross(&s, &side[j])) try_two_edges(pair, &s, &side[j], best, (uint32_t[]){i, from + j});
    }
  }
}

// ---- two boxes --------------------------------------------------------------------------------------------

// The cube's edge along an axis (hull.c), by whether it is on the upper side along the first and the second of the two other axes.
static const uint8_t cube_edge[3][2][2] = {{{8, 9}, {11, 10}}, {{3, 1}, {4, 6}}, {{0, 2}, {7, 5}}};

static uint32_t edge_towards(const double m[3], int axis) {
  const int i = axis == 0 ? 1 : 0, j = axis == 2 ? 1 : 2;
  return cube_edge[axis][m[i] > 0][m[j] > 0];
}

// The vertex that is lowest along m, the first of equals.
static uint32_t cube_lowest(const double m[3]) {
  return (m[0] < 0 ? 1u : 0u) | (m[1] < 0 ? 2u : 0u) | (m[2] < 0 ? 4u : 0u);
}

static void try_box_faces_of_a(const Pair *pair, MbPlane *best) {
  const double *e = pair->a->shape->axes, *f = pair->b->shape->axes, *R = pair->R;
  for (int k = 0; k < 3; k++) {
    const double *row = R + 3 * k;
    const double reach = f[0] * fabs(row[0]) + f[1] * fabs(row[1]) + f[2] * fabs(row[2]);
    const double gap = fabs(pair->d[k]) - e[k] - reach;
    if (!(gap > best->gap)) continue;
    const bool up = pair->d[k] > 0;
    const double m[3] = {up ? row[0] : -row[0], up ? row[1] : -row[1], up ? row[2] : -row[2]};
    best->gap = gap, best->of = MB_PLANE_OF_A;
    best->face = 2 * (uint32_t)k + up, best->low = cube_lowest(m);
    mb_vec3_set(best->n, 0, 0, 0);
    best->n[k] = up ? 1 : -1;
  }
}

static void try_box_faces_of_b(const Pair *pair, MbPlane *best) {
  const double *e = pair->a->shape->axes, *f = pair->b->shape->axes, *R = pair->R;
  for (int k = 0; k < 3; k++) {
    const double column[3] = {R[k], R[3 + k], R[6 + k]}, way = mb_vec3_dot(column, pair->d);
    const double reach = e[0] * fabs(column[0]) + e[1] * fabs(column[1]) + e[2] * fabs(column[2]);
    const double gap = fabs(way) - f[k] - reach;
    if (!(gap > best->gap + best->same)) continue;
    // B's face that looks at A
    const bool up = way < 0;
    double m[3];
    mb_vec3_scale(m, up ? 1 : -1, column);
    best->gap = gap, best->of = MB_PLANE_OF_B;
    best->face = 2 * (uint32_t)k + up, best->low = cube_lowest(m);
    mb_vec3_scale(best->n, -1, m);
  }
}

// Of the products that may beat the best plane the gap is found with the numbers of a direction of length 1: of edges that are nearly
// parallel it has an error of its own, which the reaches must have too.
static void try_box_edges(const Pair *pair, MbPlane *best) {
  const double *e = pair->a->shape->axes, *f = pair->b->shape->axes, *R = pair->R, *d = pair->d;
  const double rounding =
      4e-15 * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + e[0] + e[1] + e[2] + f[0] + f[1] + f[2]);
  // unrolled, so that compilers know which numbers are meant
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++)
#pragma GCC unroll 3
    for (int j = 0; j < 3; j++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
      // n = a_i × b_j is −R_qj along a_p, R_pj along a_q, R_is along b_r, −R_ir along b_s
      const double np = -R[3 * q + j], nq = R[3 * p + j];
      const double reach =
          e[p] * fabs(np) + e[q] * fabs(nq) + f[r] * fabs(R[3 * i + s]) + f[s] * fabs(R[3 * i + r]);
      const double way = d[p] * np + d[q] * nq, most = fabs(way) - reach + rounding,
                   wanted = best->gap + best->same;
      // n is no longer than 1: most of them fall short whatever its length is
      if (!(most > (wanted < 0 ? wanted * (1 + 1e-9) : 0))) continue;
      const double size = sqrt(np * np + nq * nq);
      // edges that are parallel but for rounding have no plane of their own
      if (!(size > 1e-10) || !(most > wanted * size)) continue;
      const double sign = (way < 0 ? -1 : 1) / size, n[2] = {sign * np, sign * nq};
      double m[3], gap = d[p] * n[0] + d[q] * n[1] - e[p] * fabs(n[0]) - e[q] * fabs(n[1]);
      for (int k = 0; k < 3; k++) {
        m[k] = -(R[3 * p + k] * n[0] + R[3 * q + k] * n[1]); // B's edge looks at A
        gap -= f[k] * fabs(m[k]);
      }
      if (!(gap > best->gap + best->same)) continue;
      best->gap = gap, best->of = MB_PLANE_OF_EDGES;
      best->n[i] = 0, best->n[p] = n[0], best->n[q] = n[1];
      best->edge_a = edge_towards(best->n, i), best->edge_b = edge_towards(m, j);
    }
}

// ---- all --------------------------------------------------------------------------------------------------

bool mb_polytope_planes(const MbPlaced *a, const MbPlaced *b, double within, MbPlane *faces, MbPlane *best) {
  const Pair pair = pair_of(a, b);
  const bool boxes = a->shape->hull == &mb_hull_cube && b->shape->hull == &mb_hull_cube;
  best->gap = -INFINITY;
  (boxes ? try_box_faces_of_a : try_faces_of_a)(&pair, best);
  if (!(best->gap < within)) return false;
  (boxes ? try_box_faces_of_b : try_faces_of_b)(&pair, best);
  if (!(best->gap < within)) return false;
  *faces = *best;
  (boxes ? try_box_edges : try_edges)(&pair, best);
  mb_mat3_apply(faces->n, a->R, faces->n);
  mb_mat3_apply(best->n, a->R, best->n);
  return best->gap < within;
}
