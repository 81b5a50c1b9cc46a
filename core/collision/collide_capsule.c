// A capsule and a box or hull: its axis against the polytope, less the radius.
//
// Apart, the axis is nearest with an end or at an edge of the polytope. Through the polytope, the gap is the largest height of the axis
// along a normal of a face or across the axis and an edge, as of two polytopes (collide_hulls.c). A capsule that lies along a face has a
// point at either end of what of the axis is over the face.
#include "core/collision/patch.h"

#include "core/math/mat3.h"

#define EDGE UINT32_C(0x80000000) // a feature of the polytope: an edge

// Everything is in the polytope's axes: the axis runs from p to p + d.
typedef struct Axis {
  double p[3], d[3], length;
} Axis;

typedef struct Touch {
  double s, gap, n[3]; // where on the axis; the axis's distance; from the polytope to it
  uint32_t feature;
} Touch;

static void axis_point(double x[3], const Axis *axis, double s) {
  mb_vec3_add_scaled(x, axis->p, s, axis->d);
}

static void try_end(const Axis *axis, const MbShape *b, double s, Touch *best) {
  double x[3], n[3];
  uint32_t feature;
  axis_point(x, axis, s);
  const double gap = mb_shape_distance(b, x, n, &feature);
  if (!(gap < best->gap)) return;
  best->gap = gap, best->s = s, best->feature = feature;
  mb_vec3_copy(best->n, n);
}

static void edge_at(const MbShape *b, uint32_t e, double q[3], double f[3]) {
  double to[3];
  mb_shape_vertex(q, b, b->hull->edge[e].from);
  mb_shape_vertex(to, b, b->hull->edge[e].to);
  mb_vec3_sub(f, to, q);
}

// Inner points of the axis and an edge; the ends of both are tried as points against the other.
static void try_edges(const Axis *axis, const MbShape *b, Touch *best) {
  double q[3], f[3], r[3], x[3];
  const double dd = mb_vec3_dot(axis->d, axis->d);
  if (!(dd > 0)) return;
  for (uint32_t e = 0; e < b->hull->edges; e++) {
    edge_at(b, e, q, f);
    mb_vec3_sub(r, q, axis->p);
    const double ff = mb_vec3_dot(f, f), df = mb_vec3_dot(axis->d, f), rd = mb_vec3_dot(r, axis->d);
    const double rf = mb_vec3_dot(r, f), det = dd * ff - df * df;
    for (int k = 0; k < 3; k++) {
      double s, t;
      if (k < 2)
        t = k, s = (rd + k * df) / dd;
      else if (det > 1e-20 * dd * ff)
        s = (rd * ff - rf * df) / det, t = (rd * df - rf * dd) / det;
      else
        break;
      if (!(s > 0 && s < 1 && t >= 0 && t <= 1)) continue;
      for (int i = 0; i < 3; i++) x[i] = axis->p[i] + s * axis->d[i] - q[i] - t * f[i];
      const double gap = mb_vec3_norm(x);
      if (!(gap < best->gap)) continue;
      best->gap = gap, best->s = s, best->feature = EDGE | e;
      // square to the axis, and to the edge where that says more than the difference of points that are close to one another
      if (t > 0 && t < 1 && det > gap * gap * ff) {
        double c[3];
        mb_vec3_cross(c, axis->d, f);
        mb_vec3_scale(x, mb_vec3_dot(x, c) < 0 ? -1 : 1, c);
      }
      mb_vec3_add_scaled(x, x, -mb_vec3_dot(x, axis->d) / dd, axis->d);
      mb_vec3_scale(best->n, 1 / mb_vec3_norm(x), x);
    }
  }
}

// How far the axis is above all of the polytope along n.
static double above(const Axis *axis, const MbShape *b, const double n[3], double *s) {
  double x[3], highest = -INFINITY;
  for (uint32_t i = 0; i < b->hull->vertices; i++) {
    mb_shape_vertex(x, b, i);
    mb_vec3_sub(x, x, axis->p);
    highest = fmax(highest, mb_vec3_dot(x, n));
  }
  const double along = mb_vec3_dot(axis->d, n);
  *s = along < 0 ? 1 : 0;
  return fmin(along, 0) - highest;
}

// The plane along which the axis is highest; of a face or, by more than rounding, across an edge.
static void widest(const Axis *axis, const MbShape *b, Touch *best) {
  double n[3], q[3], f[3], s;
  const MbHull *hull = b->hull;
  best->gap = -INFINITY;
  for (uint32_t i = 0; i < hull->faces; i++) {
    const double *normal = hull->normal + 3 * (size_t)i, gap = above(axis, b, normal, &s);
    if (!(gap > best->gap)) continue;
    best->gap = gap, best->s = s, best->feature = i;
    mb_vec3_copy(best->n, normal);
  }
  for (uint32_t e = 0; e < hull->edges; e++) {
    edge_at(b, e, q, f);
    mb_vec3_cross(n, axis->d, f);
    const double size = mb_vec3_norm(n);
    if (!(size > 1e-10 * axis->length * mb_vec3_norm(f))) continue;
    // outward of the edge: its faces' normals are on that side
    const MbHullEdge *edge = &hull->edge[e];
    const double left = mb_vec3_dot(n, hull->normal + 3 * (size_t)edge->left);
    const double right = mb_vec3_dot(n, hull->normal + 3 * (size_t)edge->right);
    mb_vec3_scale(n, (left + right < 0 ? -1 : 1) / size, n);
    const double gap = above(axis, b, n, &s);
    if (!(gap > best->gap + 2e-13 * (fabs(best->gap) + 1e-3))) continue;
    // where the axis passes the edge
    double r[3], u[3], c[3];
    mb_vec3_sub(r, q, axis->p);
    mb_vec3_cross(c, axis->d, f);
    mb_vec3_cross(u, r, f);
    s = mb_vec3_dot(u, c) / (size * size);
    best->gap = gap, best->s = s < 0 ? 0 : s > 1 ? 1 : s, best->feature = EDGE | e;
    mb_vec3_copy(best->n, n);
  }
}

// A touch as a point of the patch: normals lead from the capsule to the polytope.
static void add(const MbPlaced *a, const MbPlaced *b, const Axis *axis, const Touch *touch, MbPatch *patch) {
  double x[3], n[3];
  const double r = a->shape->radius;
  axis_point(x, axis, touch->s);
  mb_vec3_add_scaled(x, x, -r, touch->n);
  mb_placed_point(x, b, x);
  mb_mat3_apply(n, b->R, touch->n);
  mb_vec3_scale(n, -1, n);
  mb_patch_add(patch, x, n, touch->gap - r, touch->s <= 0 ? 0 : touch->s >= 1 ? 1 : 2, touch->feature);
}

// Axes that are within this sine of lying along a face have a point at either end of what is over it.
static const double along = 0.05;

// The face whose normal is nearest to n, and which the axis lies along; false where there is none.
static bool lies_along(const Axis *axis, const MbShape *b, const double n[3], uint32_t *face) {
  const MbHull *hull = b->hull;
  double most = -INFINITY;
  for (uint32_t f = 0; f < hull->faces; f++) {
    const double same = mb_vec3_dot(n, hull->normal + 3 * (size_t)f);
    if (same > most) most = same, *face = f;
  }
  return most > 1 - along * along &&
         fabs(mb_vec3_dot(axis->d, hull->normal + 3 * (size_t)*face)) < along * axis->length;
}

// What of the axis is over the face, between s[0] and s[1].
static bool over_face(const Axis *axis, const MbShape *b, uint32_t face, double s[2]) {
  const MbHull *hull = b->hull;
  const uint32_t *corner = hull->corner + hull->first[face],
                 count = hull->first[face + 1] - hull->first[face];
  double p[3], q[3], e[3], m[3], d[3];
  s[0] = 0, s[1] = 1;
  for (uint32_t i = 0; i < count; i++) {
    mb_shape_vertex(p, b, corner[i]);
    mb_shape_vertex(q, b, corner[(i + 1) % count]);
    mb_vec3_sub(e, q, p);
    mb_vec3_cross(m, e, hull->normal + 3 * (size_t)face);
    mb_vec3_sub(d, axis->p, p);
    const double h = mb_vec3_dot(d, m), rate = mb_vec3_dot(axis->d, m);
    if (rate > 0)
      s[1] = fmin(s[1], -h / rate);
    else if (rate < 0)
      s[0] = fmax(s[0], -h / rate);
    else if (h > 0)
      return false;
  }
  return s[0] < s[1];
}

// Gaps that differ by less are the same.
static double rounding(const Touch *touch) { return 1e-13 * (1 + fabs(touch->gap)); }

// Adds the ends of what is over a face that the axis lies along; returns the least gap of the axis there. Where a plane across an edge is
// the one that it is least deep along, what is deeper along the face is left out, and the touch itself stays.
static double add_ends(const MbPlaced *a, const MbPlaced *b, const Axis *axis, const Touch *touch,
                       MbPatch *patch) {
  const MbHull *hull = b->shape->hull;
  double s[2], x[3], p[3], least = INFINITY;
  uint32_t face = 0;
  if (!lies_along(axis, b->shape, touch->n, &face) || !over_face(axis, b->shape, face, s)) return least;
  const double *normal = hull->normal + 3 * (size_t)face;
  mb_shape_vertex(p, b->shape, hull->corner[hull->first[face]]);
  for (int k = 0; k < 2; k++) {
    Touch end = {.s = s[k], .feature = face};
    axis_point(x, axis, s[k]);
    mb_vec3_sub(x, x, p);
    end.gap = mb_vec3_dot(x, normal);
    if (end.gap < touch->gap - rounding(touch)) continue;
    end.gap = fmax(end.gap, touch->gap);
    if (touch->feature != face && fabs(s[k] - touch->s) < 1e-6) continue;
    mb_vec3_copy(end.n, normal);
    // two points of one face and of the inner axis are told apart by the end that they are next to
    end.feature |= (uint32_t)k << 30;
    add(a, b, axis, &end, patch);
    if (touch->feature == face) least = fmin(least, end.gap);
  }
  return least;
}

void mb_capsule_polytope(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  const double half = a->shape->half;
  double from[3], to[3];
  Axis axis;
  mb_placed_point(from, a, (double[]){0, 0, -half});
  mb_placed_point(to, a, (double[]){0, 0, half});
  mb_placed_local(axis.p, b, from);
  mb_placed_local(to, b, to);
  mb_vec3_sub(axis.d, to, axis.p);
  axis.length = 2 * half;

  Touch touch;
  widest(&axis, b->shape, &touch);
  if (!(touch.gap - a->shape->radius < patch->within)) return;
  if (touch.gap > 0) {
    touch.gap = INFINITY;
    try_end(&axis, b->shape, 0, &touch);
    try_end(&axis, b->shape, 1, &touch);
    try_edges(&axis, b->shape, &touch);
  }
  // where the touch is no face's it comes first among equals
  const bool of_face = touch.feature < b->shape->hull->faces;
  if (!of_face) add(a, b, &axis, &touch, patch);
  const double least = add_ends(a, b, &axis, &touch, patch);
  if (of_face && touch.gap < least - rounding(&touch)) add(a, b, &axis, &touch, patch);
}
