// Spheres against everything that knows its distance from a point; two capsules.
#include "core/collision/patch.h"

#include "core/math/mat3.h"

void mb_sphere_any(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double local[3], normal[3], n[3], on_a[3];
  uint32_t feature;
  mb_placed_local(local, b, a->p);
  const double gap = mb_shape_distance(b->shape, local, normal, &feature) - a->shape->radius;
  mb_mat3_apply(n, b->R, normal);
  mb_vec3_scale(n, -1, n);
  mb_vec3_add_scaled(on_a, a->p, a->shape->radius, n);
  mb_patch_add(patch, on_a, n, gap, 0, feature);
}

// Along what joins the centres, whose distance is found without turning anything. What is so near or far that its square is lost goes the
// way of all.
void mb_sphere_sphere(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  static const double LEAST = 1e-150, MOST = 1e150;
  double n[3], on_a[3];
  mb_vec3_sub(n, b->p, a->p);
  const double distance = mb_vec3_norm(n), gap = distance - b->shape->radius - a->shape->radius;
  if (!(distance > LEAST && distance < MOST)) {
    mb_sphere_any(a, b, patch);
    return;
  }
  if (!(gap < patch->within)) return;
  mb_vec3_scale(n, 1 / distance, n);
  mb_vec3_add_scaled(on_a, a->p, a->shape->radius, n);
  mb_patch_add(patch, on_a, n, gap, 0, 0);
}

// A capsule's axis: c + t d for −half <= t <= half.
typedef struct Axis {
  double c[3], d[3], half;
} Axis;

static Axis axis_of(const MbPlaced *a) {
  return (Axis){.c = {a->p[0], a->p[1], a->p[2]}, .d = {a->R[2], a->R[5], a->R[8]}, .half = a->shape->half};
}

// Where on the axis the point nearest to x is.
static double nearest(const Axis *axis, const double x[3]) {
  double d[3];
  mb_vec3_sub(d, x, axis->c);
  const double t = mb_vec3_dot(d, axis->d);
  return t < -axis->half ? -axis->half : t > axis->half ? axis->half : t;
}

static uint32_t part_of(const Axis *axis, double t) { return t <= -axis->half ? 0 : t >= axis->half ? 1 : 2; }

// Two capsules, the sine of their axes' angle, and the unit vector across both (0 where they are parallel).
typedef struct Two {
  Axis a, b;
  double ra, rb, sine, across[3];
} Two;

// Points of the two axes, and how far they are apart.
typedef struct Near {
  double s, t, distance;
} Near;

static Near apart(const Two *two, double s, double t) {
  double x[3], y[3], d[3];
  mb_vec3_add_scaled(x, two->a.c, s, two->a.d);
  mb_vec3_add_scaled(y, two->b.c, t, two->b.d);
  mb_vec3_sub(d, y, x);
  return (Near){s, t, mb_vec3_norm(d)};
}

// Both axes' ends against the other axis: four pairs; where none is nearest the points between the ends are that the common perpendicular
// goes through.
static Near nearest_pair(const Two *two) {
  double x[3];
  Near best = {0, 0, INFINITY};
  for (int k = 0; k < 4; k++) {
    const Axis *from = k < 2 ? &two->a : &two->b, *to = k < 2 ? &two->b : &two->a;
    const double s = k % 2 ? from->half : -from->half;
    mb_vec3_add_scaled(x, from->c, s, from->d);
    const double t = nearest(to, x);
    const Near near = k < 2 ? apart(two, s, t) : apart(two, t, s);
    if (near.distance < best.distance) best = near;
  }
  if (!(two->sine > 0)) return best;
  // s d_a − t d_b − r is along the perpendicular, r = c_b − c_a
  double r[3], u[3], v[3];
  mb_vec3_sub(r, two->b.c, two->a.c);
  mb_vec3_cross(u, r, two->b.d);
  mb_vec3_cross(v, r, two->a.d);
  const double s = mb_vec3_dot(u, two->across) / two->sine, t = mb_vec3_dot(v, two->across) / two->sine;
  if (!(fabs(s) < two->a.half && fabs(t) < two->b.half)) return best;
  const Near near = apart(two, s, t);
  return near.distance < best.distance ? near : best;
}

// The normal at a pair of points is along what joins them. Rounding turns that by eps L / distance, and the common perpendicular of the axes
// by eps / sine: between inner points the better one is taken. What joins points that all but meet says nothing at all: an error of its
// direction counts L sine, that of the perpendicular no more than the distance.
static double normal_of(const Two *two, const Near *near, double n[3]) {
  double x[3], y[3], d[3];
  mb_vec3_add_scaled(x, two->a.c, near->s, two->a.d);
  mb_vec3_add_scaled(y, two->b.c, near->t, two->b.d);
  mb_vec3_sub(d, y, x);
  const double length = two->a.half + two->b.half, sine = fmax(two->sine, 1e-15), distance = near->distance;
  const bool inner = part_of(&two->a, near->s) == 2 && part_of(&two->b, near->t) == 2;
  const bool meet = distance * distance <= 1e-16 * length * length * sine;
  // at an inner point it is square to the axis: what rounding has left along that goes
  if (part_of(&two->a, near->s) == 2) mb_vec3_add_scaled(d, d, -mb_vec3_dot(d, two->a.d), two->a.d);
  if (part_of(&two->b, near->t) == 2) mb_vec3_add_scaled(d, d, -mb_vec3_dot(d, two->b.d), two->b.d);
  const double left = mb_vec3_norm(d);
  if (left > distance / 2 && !meet && !(inner && two->sine * length > distance)) {
    mb_vec3_scale(n, 1 / left, d);
    return distance;
  }
  if (two->sine > 0)
    mb_vec3_copy(n, two->across);
  else
    mb_across(n, two->a.d);
  if (mb_vec3_dot(d, n) < 0) mb_vec3_scale(n, -1, n);
  return inner ? mb_vec3_dot(d, n) : distance;
}

static void add_pair(const Two *two, const Near *near, const double n[3], double distance, MbPatch *patch) {
  double on_a[3];
  mb_vec3_add_scaled(on_a, two->a.c, near->s, two->a.d);
  mb_vec3_add_scaled(on_a, on_a, two->ra, n);
  mb_patch_add(patch, on_a, n, distance - two->ra - two->rb, part_of(&two->a, near->s),
               part_of(&two->b, near->t));
}

// Capsules that lie along one another, within this sine of their angle, have a point at either end of what they share.
static const double along = 0.05;

// Adds the ends of what the two share, each of them an end of one axis, where their normals point as `n` does; axes that cross have
// contrary ones. Returns the least distance of the axes there.
static double add_shared_ends(const Two *two, const double n[3], MbPatch *patch) {
  const double way = mb_vec3_dot(two->a.d, two->b.d);
  double r[3], x[3];
  mb_vec3_sub(r, two->b.c, two->a.c);
  const double middle = mb_vec3_dot(r, two->a.d), reach = two->b.half * fabs(way);
  const double low = fmax(-two->a.half, middle - reach), high = fmin(two->a.half, middle + reach);
  double least = INFINITY;
  if (!(low < high)) return least;
  for (int k = 0; k < 2; k++) {
    // an end of a, or one of b
    const double end = k ? high : low;
    const bool of_a = fabs(end) == two->a.half;
    double s, t;
    if (of_a) {
      s = end;
      mb_vec3_add_scaled(x, two->a.c, s, two->a.d);
      t = nearest(&two->b, x);
    } else {
      t = (k != 0) == (way > 0) ? two->b.half : -two->b.half;
      mb_vec3_add_scaled(x, two->b.c, t, two->b.d);
      s = nearest(&two->a, x);
    }
    const Near near = apart(two, s, t);
    double own[3];
    const double distance = normal_of(two, &near, own);
    if (!(mb_vec3_dot(own, n) > 0.5)) continue;
    add_pair(two, &near, own, distance, patch);
    least = fmin(least, distance);
  }
  return least;
}

void mb_capsule_capsule(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  Two two = {axis_of(a), axis_of(b), a->shape->radius, b->shape->radius, 0, {0}};
  mb_vec3_cross(two.across, two.a.d, two.b.d);
  two.sine = mb_vec3_norm(two.across);
  if (two.sine > 1e-15) {
    // square to an axis beyond what rounding leaves of a small product
    mb_vec3_scale(two.across, 1 / two.sine, two.across);
    mb_vec3_add_scaled(two.across, two.across, -mb_vec3_dot(two.across, two.a.d), two.a.d);
    mb_vec3_scale(two.across, 1 / mb_vec3_norm(two.across), two.across);
  } else {
    two.sine = 0;
  }

  const Near near = nearest_pair(&two);
  double n[3];
  const double distance = normal_of(&two, &near, n);
  const double least = two.sine < along ? add_shared_ends(&two, n, patch) : INFINITY;
  // the nearest points are one more where they are no such ends
  if (distance < least - 1e-13 * (two.ra + two.rb)) add_pair(&two, &near, n, distance, patch);
}
