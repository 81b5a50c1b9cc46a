// Boxes and hulls against one another.
//
// The distance of two polytopes A and B is that of the origin from B − A, whose faces have the normals of A's faces, of −B's faces, and of
// those pairs of edges whose arcs on the sphere of normals cross (Gauss map). In one another, the largest of these planes' heights is the
// gap, exactly. Apart, it is the gap where the nearest points are in the face that it belongs to; else they are a vertex and a vertex or
// edge, which are looked for.
#include "core/collision/outline.h"

#include "core/math/mat3.h"

enum { POLYGON = 2 * MB_HULL_CORNERS };
#define EDGE UINT32_C(0x80000000) // a feature: an edge; without it a face and a side of it

static void vertex_at(double x[3], const MbPlaced *a, uint32_t i) {
  mb_shape_vertex(x, a->shape, i);
  mb_placed_point(x, a, x);
}

static void normal_at(double n[3], const MbPlaced *a, uint32_t face) {
  mb_mat3_apply(n, a->R, a->shape->hull->normal + 3 * (size_t)face);
}

// The vertex that is lowest along n (a direction of the world), and how low.
static uint32_t lowest(const MbPlaced *b, const double n[3], double *height) {
  const MbHull *hull = b->shape->hull;
  double m[3], x[3];
  uint32_t best = 0;
  *height = INFINITY;
  mb_mat3_tapply(m, b->R, n);
  for (uint32_t i = 0; i < hull->vertices; i++) {
    mb_shape_vertex(x, b->shape, i);
    const double h = mb_vec3_dot(m, x);
    if (h < *height) *height = h, best = i;
  }
  *height += mb_vec3_dot(n, b->p);
  return best;
}

// How far B is above A along n, which A's vertex `top` is highest on.
static double above(const MbPlaced *a, uint32_t top, const MbPlaced *b, const double n[3], uint32_t *low) {
  double x[3], h;
  *low = lowest(b, n, &h);
  vertex_at(x, a, top);
  // heights from near by, not from the world's origin
  double y[3], d[3];
  vertex_at(y, b, *low);
  mb_vec3_sub(d, y, x);
  return mb_vec3_dot(d, n);
}

// A plane between the two, or the one that they are least in one another along.
typedef struct Plane {
  double gap, n[3]; // from A to B
  double same;      // gaps that differ by less do so by rounding
  enum { OF_A, OF_B, OF_EDGES } kind;
  uint32_t face, low;      // its face, the other's vertex that is nearest to it
  uint32_t edge_a, edge_b; // or its edges
} Plane;

// Looks at a's faces; `better` by which a face of b has to beat one of a.
static void try_faces(const MbPlaced *a, const MbPlaced *b, bool of_b, Plane *best) {
  const MbHull *hull = a->shape->hull;
  double n[3];
  const double better = of_b ? best->same : 0;
  for (uint32_t f = 0; f < hull->faces; f++) {
    uint32_t low;
    normal_at(n, a, f);
    const double gap = above(a, hull->corner[hull->first[f]], b, n, &low);
    if (!(gap > best->gap + better)) continue;
    best->gap = gap, best->kind = of_b ? OF_B : OF_A, best->face = f, best->low = low;
    mb_vec3_scale(best->n, of_b ? -1 : 1, n);
  }
}

// An edge in the world, with the normals of its faces.
typedef struct Side {
  double p[3], d[3], left[3], right[3];
} Side;

static void side_at(Side *side, const MbPlaced *a, uint32_t e) {
  const MbHullEdge *edge = &a->shape->hull->edge[e];
  double q[3];
  vertex_at(side->p, a, edge->from);
  vertex_at(q, a, edge->to);
  mb_vec3_sub(side->d, q, side->p);
  normal_at(side->left, a, edge->left);
  normal_at(side->right, a, edge->right);
}

// Whether the arc of a's normals crosses that of −b's: each arc's ends are on either side of the other's great circle, and on one half of
// the sphere. The circles' normals are the edges' directions.
static bool arcs_cross(const Side *a, const Side *b) {
  const double bl = -mb_vec3_dot(b->left, a->d), br = -mb_vec3_dot(b->right, a->d);
  const double al = mb_vec3_dot(a->left, b->d), ar = mb_vec3_dot(a->right, b->d);
  if (!(bl * br < 0 && al * ar < 0)) return false;
  // the crossing of a's arc is a->left |ar| + a->right |al|, that of −b's likewise; they are opposite or the same
  double x[3], y[3];
  mb_vec3_scale(x, fabs(ar), a->left);
  mb_vec3_add_scaled(x, x, fabs(al), a->right);
  mb_vec3_scale(y, fabs(br), b->left);
  mb_vec3_add_scaled(y, y, fabs(bl), b->right);
  return mb_vec3_dot(x, y) < 0;
}

static void try_edges(const MbPlaced *a, const MbPlaced *b, Plane *best) {
  Side s, t;
  double n[3], d[3], h;
  for (uint32_t i = 0; i < a->shape->hull->edges; i++) {
    side_at(&s, a, i);
    for (uint32_t j = 0; j < b->shape->hull->edges; j++) {
      side_at(&t, b, j);
      if (!arcs_cross(&s, &t)) continue;
      mb_vec3_cross(n, s.d, t.d);
      const double size = mb_vec3_norm(n), most = sqrt(mb_vec3_dot(s.d, s.d) * mb_vec3_dot(t.d, t.d));
      // edges that are parallel but for rounding have no plane of their own
      if (!(size > 1e-10 * most)) continue;
      mb_vec3_scale(n, (mb_vec3_dot(n, s.left) + mb_vec3_dot(n, s.right) < 0 ? -1 : 1) / size, n);
      mb_vec3_sub(d, t.p, s.p);
      if (!(mb_vec3_dot(d, n) > best->gap)) continue;
      // a direction that rounding has turned is not that of the two edges alone
      uint32_t low = lowest(b, n, &h);
      double back[3], x[3], y[3];
      vertex_at(y, b, low);
      mb_vec3_scale(back, -1, n);
      vertex_at(x, a, lowest(a, back, &h));
      mb_vec3_sub(d, y, x);
      const double gap = mb_vec3_dot(d, n);
      if (!(gap > best->gap + best->same)) continue;
      best->gap = gap, best->kind = OF_EDGES, best->edge_a = i, best->edge_b = j;
      mb_vec3_copy(best->n, n);
    }
  }
}

// A corner of what is left of a face, and the sides before and behind it: of the face itself, or (CUT) of what cuts it.
typedef struct Corner {
  double x[3];
  uint32_t before, behind;
} Corner;
enum { CUT = 0x4000 };

// Leaves what of the polygon is not above the plane through p with normal m, which is side `cut`.
static int cut_polygon(const Corner *in, int n, Corner *out, const double p[3], const double m[3],
                       uint32_t cut) {
  int count = 0;
  double d[3];
  for (int i = 0; i < n; i++) {
    const Corner *from = &in[i], *to = &in[(i + 1) % n];
    mb_vec3_sub(d, from->x, p);
    const double h = mb_vec3_dot(d, m);
    mb_vec3_sub(d, to->x, p);
    const double k = mb_vec3_dot(d, m);
    if (h <= 0) out[count++] = *from;
    if ((h <= 0) == (k <= 0)) continue;
    Corner *new = &out[count++];
    mb_vec3_sub(d, to->x, from->x);
    mb_vec3_add_scaled(new->x, from->x, h / (h - k), d);
    new->before = h <= 0 ? from->behind : CUT | cut, new->behind = h <= 0 ? CUT | cut : from->behind;
  }
  return count;
}

// Of the faces at vertex `low` that which looks most against n.
static uint32_t facing(const MbPlaced *b, uint32_t low, const double n[3]) {
  const MbHull *hull = b->shape->hull;
  uint32_t best = 0;
  double most = INFINITY, m[3];
  for (uint32_t f = 0; f < hull->faces; f++)
    for (uint32_t i = hull->first[f]; i < hull->first[f + 1]; i++) {
      if (hull->corner[i] != low) continue;
      normal_at(m, b, f);
      const double against = mb_vec3_dot(m, n);
      if (against < most - 1e-12) most = against, best = f;
    }
  return best;
}

// Adds what of b's face is over a's face (a being that which the plane's face is of), and returns the least gap there.
static double add_faces(const MbPlaced *a, const MbPlaced *b, const Plane *plane, MbPatch *patch) {
  const bool turned = plane->kind == OF_B;
  double n[3], d[3], e[3], m[3], p[3], q[3];
  mb_vec3_scale(n, turned ? -1 : 1, plane->n);
  const uint32_t other = facing(b, plane->low, n);
  const MbHull *ours = a->shape->hull, *theirs = b->shape->hull;
  Corner room[2][POLYGON], *polygon = room[0], *next = room[1];
  int count = 0;
  const uint32_t first = theirs->first[other], corners = theirs->first[other + 1] - first;
  for (uint32_t i = 0; i < corners; i++, count++) {
    vertex_at(polygon[i].x, b, theirs->corner[first + i]);
    polygon[i].before = (i + corners - 1) % corners, polygon[i].behind = i;
  }

  const uint32_t *corner = ours->corner + ours->first[plane->face];
  const uint32_t sides = ours->first[plane->face + 1] - ours->first[plane->face];
  for (uint32_t i = 0; i < sides && count; i++) {
    vertex_at(p, a, corner[i]);
    vertex_at(q, a, corner[(i + 1) % sides]);
    mb_vec3_sub(e, q, p);
    mb_vec3_cross(m, e, n);
    count = cut_polygon(polygon, count, next, p, m, i);
    Corner *swap = polygon;
    polygon = next, next = swap;
  }

  double least = INFINITY;
  vertex_at(p, a, corner[0]);
  for (int i = 0; i < count; i++) {
    mb_vec3_sub(d, polygon[i].x, p);
    const double gap = mb_vec3_dot(d, n);
    least = fmin(least, gap);
    const uint32_t on_face = plane->face << 16 | polygon[i].before,
                   on_other = other << 16 | polygon[i].behind;
    mb_vec3_copy(q, polygon[i].x);
    if (!turned) mb_vec3_add_scaled(q, q, -gap, n);
    mb_patch_add(patch, q, plane->n, gap, turned ? on_other : on_face, turned ? on_face : on_other);
  }
  return least;
}

// The nearest points of p + s d and q + t e, 0 <= s, t <= 1, for segments that have lengths.
static double nearest_of_segments(const Side *a, const Side *b, double *s, double *t) {
  double r[3], x[3];
  mb_vec3_sub(r, b->p, a->p);
  const double dd = mb_vec3_dot(a->d, a->d), ee = mb_vec3_dot(b->d, b->d), de = mb_vec3_dot(a->d, b->d);
  const double rd = mb_vec3_dot(r, a->d), re = mb_vec3_dot(r, b->d), det = dd * ee - de * de;
  double least = INFINITY;
  for (int k = 0; k < 5; k++) {
    double u, v;
    if (k < 2)
      u = k, v = (u * de - re) / ee;
    else if (k < 4)
      v = k - 2, u = (v * de + rd) / dd;
    else if (det > 1e-20 * dd * ee)
      u = (rd * ee - re * de) / det, v = (rd * de - re * dd) / det;
    else
      break;
    if (k == 4 && !(u > 0 && u < 1 && v > 0 && v < 1)) break;
    u = u < 0 ? 0 : u > 1 ? 1 : u, v = v < 0 ? 0 : v > 1 ? 1 : v;
    for (int i = 0; i < 3; i++) x[i] = r[i] + v * b->d[i] - u * a->d[i];
    const double distance = mb_vec3_norm(x);
    if (distance < least) least = distance, *s = u, *t = v;
  }
  return least;
}

// The nearest points of two polytopes that are apart: a vertex and a face, or two edges, ends included.
typedef struct Nearest {
  double distance, x[3], y[3];
  uint32_t feature_a, feature_b;
} Nearest;

static void try_vertices(const MbPlaced *a, const MbPlaced *b, bool turned, Nearest *best) {
  double x[3], local[3], n[3];
  uint32_t feature;
  for (uint32_t i = 0; i < b->shape->hull->vertices; i++) {
    vertex_at(x, b, i);
    mb_placed_local(local, a, x);
    const double distance = mb_shape_distance(a->shape, local, n, &feature);
    if (!(distance < best->distance)) continue;
    mb_vec3_add_scaled(local, local, -distance, n);
    best->distance = distance;
    mb_placed_point(turned ? best->y : best->x, a, local);
    mb_vec3_copy(turned ? best->x : best->y, x);
    best->feature_a = turned ? i : feature, best->feature_b = turned ? feature : i;
  }
}

// Adds what of their faces or edges lies along one another across n, where that is so; no gap counts as less than `gap`.
static void add_flat(const MbPlaced *a, const MbPlaced *b, const double n[3], double gap, MbPatch *patch) {
  MbOutline own, other;
  double back[3];
  mb_vec3_scale(back, -1, n);
  mb_outline(&own, a, n);
  mb_outline(&other, b, back);
  // two edges that are nearly parallel are so by chance
  if (own.n + other.n > 4) mb_outlines_shared(&own, &other, n, gap, patch);
}

static void add_nearest(const MbPlaced *a, const MbPlaced *b, const Plane *plane, MbPatch *patch) {
  Nearest best = {.distance = INFINITY};
  Side s, t;
  double u = 0, v = 0, n[3];
  try_vertices(a, b, false, &best);
  try_vertices(b, a, true, &best);
  for (uint32_t i = 0; i < a->shape->hull->edges; i++) {
    side_at(&s, a, i);
    for (uint32_t j = 0; j < b->shape->hull->edges; j++) {
      side_at(&t, b, j);
      const double distance = nearest_of_segments(&s, &t, &u, &v);
      // nearer than vertices and edges before them by more than rounding
      if (!(distance < best.distance * (1 - 1e-14))) continue;
      best.distance = distance, best.feature_a = EDGE | i, best.feature_b = EDGE | j;
      mb_vec3_add_scaled(best.x, s.p, u, s.d);
      mb_vec3_add_scaled(best.y, t.p, v, t.d);
    }
  }
  mb_vec3_sub(n, best.y, best.x);
  // what is nearer than the plane is high is so by rounding
  const double distance = fmax(best.distance, plane->gap), size = mb_vec3_norm(n);
  if (size > 0)
    mb_vec3_scale(n, 1 / size, n);
  else
    mb_vec3_copy(n, plane->n);
  mb_patch_add(patch, best.x, n, distance, best.feature_a, best.feature_b);
  add_flat(a, b, n, distance, patch);
}

// Where the lines of two edges are nearest; false where that is beyond an end.
static bool add_edges(const MbPlaced *a, const MbPlaced *b, const Plane *plane, MbPatch *patch) {
  Side s, t;
  double u = 0, v = 0, x[3];
  side_at(&s, a, plane->edge_a);
  side_at(&t, b, plane->edge_b);
  const double distance = nearest_of_segments(&s, &t, &u, &v);
  if (plane->gap > 0 && distance > plane->gap + 1e-13) return false;
  mb_vec3_add_scaled(x, s.p, u, s.d);
  mb_patch_add(patch, x, plane->n, plane->gap, EDGE | plane->edge_a, EDGE | plane->edge_b);
  add_flat(a, b, plane->n, plane->gap, patch);
  return true;
}

// Bodies that rest on one another are turned by what their solver leaves. What is then nearest changes from step to step, and its normal
// with it; the faces' corners do not. So of shapes that are near (for their size) the faces are taken where what they share is as near as
// the nearest but for this share of the size. Gaps along a face's normal are no larger than the distance.
static const double near = 1e-4, resting = 1e-7;

static bool add_resting(const MbPlaced *a, const MbPlaced *b, const Plane *faces, const Plane *best,
                        double size, MbPatch *patch) {
  const double slack = resting * size;
  if (fabs(faces->gap) > near * size || best->gap - faces->gap > slack) return false;
  const bool turned = faces->kind == OF_B;
  const double least = add_faces(turned ? b : a, turned ? a : b, faces, patch);
  if (least - faces->gap <= slack && patch->n > 2) return true;
  patch->n = 0;
  return false;
}

// A length of the shape, from which positions have their rounding.
static double length_of(const MbShape *shape) {
  double x[3], y[3];
  mb_shape_vertex(x, shape, 0);
  mb_shape_vertex(y, shape, shape->hull->vertices - 1);
  mb_vec3_sub(y, y, x);
  return mb_vec3_norm(y);
}

void mb_polytopes(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  const double size = length_of(a->shape) + length_of(b->shape);
  Plane best = {.gap = -INFINITY, .same = 2e-13 * size};
  try_faces(a, b, false, &best);
  if (!(best.gap < patch->within)) return;
  try_faces(b, a, true, &best);
  if (!(best.gap < patch->within)) return;
  const Plane faces = best;
  try_edges(a, b, &best);
  if (!(best.gap < patch->within)) return;

  if (add_resting(a, b, &faces, &best, size, patch)) return;
  if (best.kind == OF_EDGES) {
    if (!add_edges(a, b, &best, patch)) add_nearest(a, b, &best, patch);
    return;
  }
  const bool turned = best.kind == OF_B;
  const double least = add_faces(turned ? b : a, turned ? a : b, &best, patch);
  if (least <= best.gap + 1e-12) return;
  if (best.gap > 0) {
    patch->n = 0;
    add_nearest(a, b, &best, patch);
    return;
  }
  // rounding has cut off the deepest point
  double x[3];
  vertex_at(x, turned ? a : b, best.low);
  if (!turned) mb_vec3_add_scaled(x, x, -best.gap, best.n);
  mb_patch_add(patch, x, best.n, best.gap, turned ? best.low : best.face << 16,
               turned ? best.face << 16 : best.low);
}
