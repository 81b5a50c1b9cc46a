// Boxes and hulls against one another.
//
// In one another, the height of the plane between them (polytope_plane.c) is the gap, exactly. Apart, it is the gap where the nearest points
// are in the face that it belongs to; else they are a vertex and a vertex or edge, which are looked for.
#include "core/collision/outline.h"
#include "core/collision/polytope_plane.h"

#include "core/math/mat3.h"

#include <float.h>

enum { POLYGON = 2 * MB_HULL_CORNERS };
#define EDGE UINT32_C(0x80000000) // a feature: an edge; without it a face and a side of it

static void vertex_at(double x[3], const MbPlaced *a, uint32_t i) {
  mb_shape_vertex(x, a->shape, i);
  mb_placed_point(x, a, x);
}

static void normal_at(double n[3], const MbPlaced *a, uint32_t face) {
  mb_mat3_apply(n, a->R, a->shape->hull->normal + 3 * (size_t)face);
}

// An edge in the world.
typedef struct Side {
  double p[3], d[3];
} Side;

static void side_at(Side *side, const MbPlaced *a, uint32_t e) {
  const MbHullEdge *edge = &a->shape->hull->edge[e];
  double q[3];
  vertex_at(side->p, a, edge->from);
  vertex_at(q, a, edge->to);
  mb_vec3_sub(side->d, q, side->p);
}

// A corner of what is left of a face, and the sides before and behind it: of the face itself, or (CUT) of what cuts it.
typedef struct Corner {
  double x[3];
  uint32_t before, behind;
} Corner;
enum { CUT = 0x4000 };

// Leaves what of the polygon is not above the plane through p with normal m, which is side `cut`. A polygon of which nothing is above stays where
// it is; of another one what is left is made in `spare`, and the two change places.
static int cut_polygon(Corner **polygon, Corner **spare, int n, const double p[3], const double m[3],
                       uint32_t cut) {
  Corner *const in = *polygon, *const out = *spare;
  double height[POLYGON], d[3];
  bool above = false;
  for (int i = 0; i < n; i++) {
    mb_vec3_sub(d, in[i].x, p);
    height[i] = mb_vec3_dot(d, m);
    above |= !(height[i] <= 0);
  }
  if (!above) return n;
  int count = 0;
  for (int i = 0; i < n; i++) {
    const int behind = i + 1 < n ? i + 1 : 0;
    const Corner *from = &in[i], *to = &in[behind];
    const double h = height[i], k = height[behind];
    if (h <= 0) out[count++] = *from;
    if ((h <= 0) == (k <= 0)) continue;
    Corner *new = &out[count++];
    mb_vec3_sub(d, to->x, from->x);
    mb_vec3_add_scaled(new->x, from->x, h / (h - k), d);
    new->before = h <= 0 ? from->behind : CUT | cut, new->behind = h <= 0 ? CUT | cut : from->behind;
  }
  *polygon = out, *spare = in;
  return count;
}

// Leaves out corners that are in line with their neighbours. Four or fewer stay.
static int straighten(Corner *polygon, int n) {
  for (int i = 0; i < n && n > MB_PATCH_POINTS;) {
    if (!mb_in_line(polygon[(i + n - 1) % n].x, polygon[i].x, polygon[(i + 1) % n].x)) {
      i++;
      continue;
    }
    for (int k = i; k + 1 < n; k++) polygon[k] = polygon[k + 1];
    n--;
  }
  return n;
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
      break; // a face has a vertex once
    }
  return best;
}

// Adds what of b's face is over a's face (a being that which the plane's face is of), and returns the least gap there.
static double add_faces(const MbPlaced *a, const MbPlaced *b, const MbPlane *plane, MbPatch *patch) {
  const bool turned = plane->of == MB_PLANE_OF_B;
  double n[3], d[3], e[3], m[3], p[3], q[3], base[3];
  mb_vec3_scale(n, turned ? -1 : 1, plane->n);
  const uint32_t other = facing(b, plane->low, n);
  const MbHull *ours = a->shape->hull, *theirs = b->shape->hull;
  Corner room[2][POLYGON], *polygon = room[0], *next = room[1];
  int count = 0;
  const uint32_t first = theirs->first[other], corners = theirs->first[other + 1] - first;
  for (uint32_t i = 0; i < corners; i++, count++) {
    vertex_at(polygon[i].x, b, theirs->corner[first + i]);
    polygon[i].before = i ? i - 1 : corners - 1, polygon[i].behind = i;
  }

  const uint32_t *corner = ours->corner + ours->first[plane->face];
  const uint32_t sides = ours->first[plane->face + 1] - ours->first[plane->face];
  vertex_at(base, a, corner[0]);
  mb_vec3_copy(q, base);
  for (uint32_t i = 0; i < sides && count; i++) {
    mb_vec3_copy(p, q);
    if (i + 1 < sides)
      vertex_at(q, a, corner[i + 1]);
    else
      mb_vec3_copy(q, base);
    mb_vec3_sub(e, q, p);
    mb_vec3_cross(m, e, n);
    count = cut_polygon(&polygon, &next, count, p, m, i);
  }

  count = straighten(polygon, count);
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    mb_vec3_sub(d, polygon[i].x, base);
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

// What bounds distances: a point of A that is so far below A's top along the plane's normal, and one of B that is so far above B's lowest
// point, are at least the plane's gap and both heights apart.
typedef struct Bound {
  const MbHull *hull[2];
  double m[2][3],
      low[2]; // the direction into each shape, by which its numbers are multiplied; its lowest height along that
  double gap; // of the plane, less rounding
  double within;
} Bound;

static Bound bound_of(const MbPlaced *a, const MbPlaced *b, const MbPlane *plane, double within) {
  const MbPlaced *const placed[2] = {a, b};
  Bound bound = {.gap = plane->gap - 10 * plane->same, .within = within};
  for (int k = 0; k < 2; k++) {
    double n[3];
    mb_vec3_scale(n, k ? 1 : -1, plane->n);
    bound.hull[k] = placed[k]->shape->hull;
    mb_polytope_lowest(placed[k], n, &bound.low[k]);
    mb_mat3_tapply(bound.m[k], placed[k]->R, n);
    for (int i = 0; i < 3; i++) bound.m[k][i] *= placed[k]->shape->axes[i];
  }
  return bound;
}

static double height_of(const Bound *bound, int k, uint32_t vertex) {
  return mb_vec3_dot(bound->m[k], bound->hull[k]->vertex + 3 * (size_t)vertex) - bound->low[k];
}

static double edge_height(const Bound *bound, int k, uint32_t edge) {
  const MbHullEdge *at = &bound->hull[k]->edge[edge];
  return fmin(height_of(bound, k, at->from), height_of(bound, k, at->to));
}

// Whether what has such heights may be nearer than the best.
static bool may_be_near(const Bound *bound, double heights, const Nearest *best) {
  return bound->gap + heights <= fmin(best->distance, bound->within);
}

static void try_vertices(const MbPlaced *a, const MbPlaced *b, bool turned, const Bound *bound,
                         Nearest *best) {
  double x[3], local[3], n[3];
  uint32_t feature;
  for (uint32_t i = 0; i < b->shape->hull->vertices; i++) {
    if (!may_be_near(bound, height_of(bound, turned ? 0 : 1, i), best)) continue;
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

static void try_edges(const MbPlaced *a, const MbPlaced *b, const Bound *bound, Nearest *best) {
  Side s, t;
  double u = 0, v = 0;
  for (uint32_t i = 0; i < a->shape->hull->edges; i++) {
    const double height = edge_height(bound, 0, i);
    if (!may_be_near(bound, height, best)) continue;
    side_at(&s, a, i);
    for (uint32_t j = 0; j < b->shape->hull->edges; j++) {
      if (!may_be_near(bound, height + edge_height(bound, 1, j), best)) continue;
      side_at(&t, b, j);
      const double distance = nearest_of_segments(&s, &t, &u, &v);
      // nearer than vertices and edges before them by more than rounding
      if (!(distance < best->distance * (1 - 1e-14))) continue;
      best->distance = distance, best->feature_a = EDGE | i, best->feature_b = EDGE | j;
      mb_vec3_add_scaled(best->x, s.p, u, s.d);
      mb_vec3_add_scaled(best->y, t.p, v, t.d);
    }
  }
}

// Adds what of their faces or edges lies along one another across n, where that is so; no gap counts as less than `gap`.
static void add_flat(const MbPlaced *a, const MbPlaced *b, const double n[3], double gap, MbPatch *patch) {
  MbOutline own, other;
  MbOutlineRoom room[2];
  double back[3];
  mb_vec3_scale(back, -1, n);
  mb_outline(&own, &room[0], a, n);
  mb_outline(&other, &room[1], b, back);
  // two edges that are nearly parallel are so by chance
  if (own.n + other.n > 4) mb_outlines_shared(&own, &other, n, gap, patch);
}

// A length of the shape, from which positions have their rounding.
static double length_of(const MbShape *shape) {
  double x[3], y[3];
  mb_shape_vertex(x, shape, 0);
  mb_shape_vertex(y, shape, shape->hull->vertices - 1);
  mb_vec3_sub(y, y, x);
  return mb_vec3_norm(y);
}

// How far b is above a along n.
static double gap_along(const MbPlaced *a, const MbPlaced *b, const double n[3]) {
  double back[3], d[3], low, top;
  mb_vec3_scale(back, -1, n);
  mb_vec3_sub(d, b->p, a->p);
  mb_polytope_lowest(b, n, &low);
  mb_polytope_lowest(a, back, &top);
  return mb_vec3_dot(d, n) + low + top;
}

// n ← the direction from one of the nearest points to the other. Points that are all but in one place tell none: where the two are farther apart
// along the plane's it is that.
static void find_direction(const MbPlaced *a, const MbPlaced *b, const MbPlane *plane, const Nearest *best,
                           double n[3]) {
  static const double TINY = 1e-6; // in lengths below which digits are wanting
  mb_vec3_sub(n, best->y, best->x);
  const double size = mb_vec3_norm(n);
  if (size > 0) mb_vec3_scale(n, 1 / size, n);
  const bool known = size > TINY * fmin(length_of(a->shape), length_of(b->shape));
  if (size == 0 || (!known && gap_along(a, b, n) < plane->gap)) mb_vec3_copy(n, plane->n);
}

static void add_nearest(const MbPlaced *a, const MbPlaced *b, const MbPlane *plane, MbPatch *patch) {
  const Bound bound = bound_of(a, b, plane, patch->within);
  Nearest best = {.distance = INFINITY};
  double n[3];
  try_vertices(a, b, false, &bound, &best);
  try_vertices(b, a, true, &bound, &best);
  try_edges(a, b, &bound, &best);
  if (!(best.distance < INFINITY)) return; // all are beyond `within`
  find_direction(a, b, plane, &best, n);
  // what is nearer than the plane is high is so by rounding
  const double distance = fmax(best.distance, plane->gap);
  mb_patch_add(patch, best.x, n, distance, best.feature_a, best.feature_b);
  add_flat(a, b, n, distance, patch);
}

// Where the lines of two edges are nearest; false where that is beyond an end.
static bool add_edges(const MbPlaced *a, const MbPlaced *b, const MbPlane *plane, double rounding,
                      MbPatch *patch) {
  Side s, t;
  double u = 0, v = 0, x[3];
  side_at(&s, a, plane->edge_a);
  side_at(&t, b, plane->edge_b);
  const double distance = nearest_of_segments(&s, &t, &u, &v);
  if (plane->gap > 0 && distance > plane->gap + rounding) return false;
  mb_vec3_add_scaled(x, s.p, u, s.d);
  mb_patch_add(patch, x, plane->n, plane->gap, EDGE | plane->edge_a, EDGE | plane->edge_b);
  add_flat(a, b, plane->n, plane->gap, patch);
  return true;
}

// Bodies that rest on one another are turned by what their solver leaves. What is then nearest changes from step to step, and its normal
// with it; the faces' corners do not. So of shapes that are near (for their size) the faces are taken where what they share is as near as
// the nearest but for this share of the size. Gaps along a face's normal are no larger than the distance.
static const double near = 1e-4, resting = 1e-7;

// Whether points span an area: by rounding two edges share a face with corners and no width.
static bool are_wide(const MbPatch *patch, double slack) {
  double d[3], e[3] = {0}, c[3], far = 0;
  for (int i = 1; i < patch->n; i++) {
    mb_vec3_sub(d, patch->point[i].position, patch->point[0].position);
    if (mb_vec3_dot(d, d) > far) far = mb_vec3_dot(d, d), mb_vec3_copy(e, d);
  }
  for (int i = 1; i < patch->n; i++) {
    mb_vec3_sub(d, patch->point[i].position, patch->point[0].position);
    mb_vec3_cross(c, d, e);
    if (mb_vec3_dot(c, c) > slack * slack * far) return true;
  }
  return false;
}

static bool add_resting(const MbPlaced *a, const MbPlaced *b, const MbPlane *faces, const MbPlane *best,
                        double size, MbPatch *patch) {
  const double slack = resting * size;
  if (fabs(faces->gap) > near * size || best->gap - faces->gap > slack) return false;
  const bool turned = faces->of == MB_PLANE_OF_B;
  const double least = add_faces(turned ? b : a, turned ? a : b, faces, patch);
  if (least - faces->gap <= slack && patch->n > 2 && are_wide(patch, slack)) return true;
  patch->n = 0;
  return false;
}

// Edges that lie along one another at no distance, as where two cards lean on one another: every direction between those that the faces beside
// them leave open is a normal. It is the middle one, whichever shape is first and whatever rounding makes of such gaps; a face's would lean
// to one of the two, and to the other one in another step.
enum { NO_EDGE = UINT32_MAX };

// The edge that alone is as low along n as the lowest vertex is; none where a vertex or a face is lowest.
static uint32_t lowest_edge(const MbPlaced *b, uint32_t low, const double n[3], double slack) {
  const MbHull *hull = b->shape->hull;
  uint32_t found = NO_EDGE;
  double x[3], y[3], d[3];
  vertex_at(x, b, low);
  for (uint32_t e = 0; e < hull->edges; e++) {
    const MbHullEdge *edge = &hull->edge[e];
    if (edge->from != low && edge->to != low) continue;
    vertex_at(y, b, edge->from == low ? edge->to : edge->from);
    mb_vec3_sub(d, y, x);
    if (!(mb_vec3_dot(d, n) <= slack)) continue;
    if (found != NO_EDGE) return NO_EDGE;
    found = e;
  }
  return found;
}

static double from_line(const Side *line, const double x[3]) {
  double r[3], c[3];
  mb_vec3_sub(r, x, line->p);
  mb_vec3_cross(c, r, line->d);
  return mb_vec3_norm(c) / mb_vec3_norm(line->d);
}

// The edge of a's face along which t lies.
static uint32_t edge_along(const MbPlaced *a, uint32_t face, const Side *t, double slack) {
  const MbHull *hull = a->shape->hull;
  double end[3];
  Side s;
  mb_vec3_add(end, t->p, t->d);
  for (uint32_t e = 0; e < hull->edges; e++) {
    if (hull->edge[e].left != face && hull->edge[e].right != face) continue;
    side_at(&s, a, e);
    if (from_line(&s, t->p) <= slack && from_line(&s, end) <= slack) return e;
  }
  return NO_EDGE;
}

// Turns n, the normal of a's face at edge i, half way to where a's other face or one of b's at edge j bounds the normals.
static void turn_to_middle(double n[3], const MbPlaced *a, uint32_t face, uint32_t i, const MbPlaced *b,
                           uint32_t j) {
  const MbHullEdge *own = &a->shape->hull->edge[i], *other = &b->shape->hull->edge[j];
  double last[3], m[3];
  normal_at(last, a, own->left == face ? own->right : own->left);
  double way[3];
  mb_vec3_add_scaled(way, last, -mb_vec3_dot(last, n), n);
  for (int k = 0; k < 2; k++) {
    normal_at(m, b, k ? other->right : other->left);
    mb_vec3_scale(m, -1, m);
    if (mb_vec3_dot(m, way) > 0 && mb_vec3_dot(m, n) > mb_vec3_dot(last, n)) mb_vec3_copy(last, m);
  }
  mb_vec3_add(n, n, last);
  mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
}

// An end of what two edges share: how far along the first, and which of the two ends there.
typedef struct Shared {
  double at;
  bool other;
  uint32_t vertex;
} Shared;

// Where edges i and j of a and b, which lie along one another, begin and end to share a length; false where they do not.
static bool shared_ends(Shared end[2], const MbPlaced *a, uint32_t i, const MbPlaced *b, uint32_t j) {
  const MbHullEdge *own = &a->shape->hull->edge[i], *other = &b->shape->hull->edge[j];
  Side s;
  double t[2], x[3];
  side_at(&s, a, i);
  for (int k = 0; k < 2; k++) {
    vertex_at(x, b, k ? other->to : other->from);
    mb_vec3_sub(x, x, s.p);
    t[k] = mb_vec3_dot(x, s.d) / mb_vec3_dot(s.d, s.d);
  }
  const int low = t[0] < t[1] ? 0 : 1;
  end[0] = t[low] > 0 ? (Shared){t[low], true, low ? other->to : other->from} : (Shared){0, false, own->from};
  end[1] = t[!low] < 1 ? (Shared){t[!low], true, low ? other->from : other->to} : (Shared){1, false, own->to};
  return end[0].at < end[1].at;
}

static bool add_meeting(const MbPlaced *a, const MbPlaced *b, const MbPlane *faces, double size,
                        MbPatch *patch) {
  const double slack = resting * size;
  if (fabs(faces->gap) > slack) return false;
  const bool turned = faces->of == MB_PLANE_OF_B;
  const MbPlaced *own = turned ? b : a, *other = turned ? a : b;
  Shared end[2];
  Side s, t;
  double n[3], x[3], y[3], d[3];
  mb_vec3_scale(n, turned ? -1 : 1, faces->n);
  const uint32_t j = lowest_edge(other, faces->low, n, slack);
  if (j == NO_EDGE) return false;
  side_at(&t, other, j);
  const uint32_t i = edge_along(own, faces->face, &t, slack);
  if (i == NO_EDGE || !shared_ends(end, own, i, other, j)) return false;
  side_at(&s, own, i);
  turn_to_middle(n, own, faces->face, i, other, j);
  for (int k = 0; k < 2; k++) {
    mb_vec3_add_scaled(x, s.p, end[k].at, s.d);
    mb_vec3_sub(d, x, t.p);
    mb_vec3_add_scaled(y, t.p, mb_vec3_dot(d, t.d) / mb_vec3_dot(t.d, t.d), t.d);
    mb_vec3_sub(d, y, x);
    const double gap = mb_vec3_dot(d, n);
    const uint32_t on_own = end[k].other ? EDGE | i : end[k].vertex,
                   on_other = end[k].other ? end[k].vertex : EDGE | j;
    double towards_b[3];
    mb_vec3_scale(towards_b, turned ? -1 : 1, n);
    mb_patch_add(patch, turned ? y : x, towards_b, gap, turned ? on_other : on_own,
                 turned ? on_own : on_other);
  }
  return true;
}

// What rounding makes of a gap: a share of the size, and some last digits of where the two are.
static double rounding_of(const MbPlaced *a, const MbPlaced *b, double size) {
  static const double OF_SIZE = 3e-13, OF_PLACES = 8 * DBL_EPSILON;
  return OF_SIZE * size + OF_PLACES * (mb_vec3_norm(a->p) + mb_vec3_norm(b->p));
}

void mb_polytopes(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  const double size = length_of(a->shape) + length_of(b->shape), rounding = rounding_of(a, b, size);
  MbPlane faces, best = {.same = 2e-13 * size};
  if (!mb_polytope_planes(a, b, patch->within, &faces, &best)) return;

  if (add_resting(a, b, &faces, &best, size, patch)) return;
  if (add_meeting(a, b, &faces, size, patch)) return;
  if (best.of == MB_PLANE_OF_EDGES) {
    if (!add_edges(a, b, &best, 0.1 * rounding, patch)) add_nearest(a, b, &best, patch);
    return;
  }
  const bool turned = best.of == MB_PLANE_OF_B;
  const double least = add_faces(turned ? b : a, turned ? a : b, &best, patch);
  if (least <= best.gap + rounding) return;
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
