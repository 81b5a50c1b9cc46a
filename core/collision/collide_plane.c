// A plane and anything: what of the other shape is lowest. n is the plane's normal, heights are above the plane.
#include "core/collision/hull.h"
#include "core/collision/patch.h"

#include "core/math/mat3.h"

static void normal_of(double n[3], const MbPlaced *plane) {
  mb_vec3_set(n, plane->R[2], plane->R[5], plane->R[8]);
}

// Adds the point x of b's surface.
static void add_point(MbPatch *patch, const MbPlaced *plane, const double n[3], const double x[3],
                      uint32_t feature) {
  double d[3], foot[3];
  mb_vec3_sub(d, x, plane->p);
  const double height = mb_vec3_dot(d, n);
  mb_vec3_add_scaled(foot, x, -height, n);
  mb_patch_add(patch, foot, n, height, 0, feature);
}

void mb_plane_sphere(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double n[3], x[3];
  normal_of(n, a);
  mb_vec3_add_scaled(x, b->p, -b->shape->radius, n);
  add_point(patch, a, n, x, 0);
}

// The lowest point of the ball at each end: both above the plane is what it takes for all of the capsule to be. That of the upper end is a
// point inside the capsule where it does not lie level.
void mb_plane_capsule(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double n[3], x[3];
  normal_of(n, a);
  for (uint32_t end = 0; end < 2; end++) {
    mb_placed_point(x, b, (double[]){0, 0, end ? b->shape->half : -b->shape->half});
    mb_vec3_add_scaled(x, x, -b->shape->radius, n);
    add_point(patch, a, n, x, end);
  }
}

// The lowest point of each rim; and of the lower rim those at a quarter, half and three quarters of it, which are as low where it lies
// flat. In the cylinder's axes the plane's normal has (c, s) across the axis; a rim is lowest towards −(c, s).
void mb_plane_cylinder(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double n[3], m[3], x[3];
  normal_of(n, a);
  mb_mat3_tapply(m, b->R, n);
  const double across = hypot(m[0], m[1]), r = b->shape->radius;
  // where the axis is upright but for rounding no direction is lowest
  const bool upright = across < 1e-13;
  const double c = upright ? 1 : -m[0] / across, s = upright ? 0 : -m[1] / across;
  const uint32_t lower = m[2] < 0 ? 1 : 0;
  for (uint32_t end = 0; end < 2; end++)
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
      if (end != lower && quarter) break;
      const double x0 = (double[]){c, -s, -c, s}[quarter], x1 = (double[]){s, c, -s, -c}[quarter];
      mb_placed_point(x, b, (double[]){r * x0, r * x1, end ? b->shape->half : -b->shape->half});
      add_point(patch, a, n, x, 4 * end + quarter);
    }
}

// The surface's point with outward normal −n is −E² n / |E n|, E the half axes, n in the ellipsoid's axes.
void mb_plane_ellipsoid(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double n[3], m[3], x[3];
  normal_of(n, a);
  mb_mat3_tapply(m, b->R, n);
  const double *e = b->shape->axes;
  const double size = sqrt(e[0] * e[0] * m[0] * m[0] + e[1] * e[1] * m[1] * m[1] + e[2] * e[2] * m[2] * m[2]);
  mb_placed_point(
      x, b, (double[]){-e[0] * e[0] * m[0] / size, -e[1] * e[1] * m[1] / size, -e[2] * e[2] * m[2] / size});
  add_point(patch, a, n, x, 0);
}

// Whether all of a box is beyond `within` by more than rounding: the height of its middle less Σ e_k |b_k · n|.
static bool is_far(const MbPlaced *plane, const double n[3], const MbPlaced *b, double within) {
  static const double ROUNDING = 1e-14; // of what the sums are of
  const double *e = b->shape->axes;
  double d[3], m[3];
  if (b->shape->hull != &mb_hull_cube) return false;
  mb_vec3_sub(d, b->p, plane->p);
  mb_mat3_tapply(m, b->R, n);
  const double height = mb_vec3_dot(d, n), sizes = fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + e[0] + e[1] + e[2];
  return height - (e[0] * fabs(m[0]) + e[1] * fabs(m[1]) + e[2] * fabs(m[2])) > within + ROUNDING * sizes;
}

void mb_plane_polytope(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  double n[3], local[3], x[3];
  normal_of(n, a);
  if (is_far(a, n, b, patch->within)) return;
  for (uint32_t i = 0; i < b->shape->hull->vertices; i++) {
    mb_shape_vertex(local, b->shape, i);
    mb_placed_point(x, b, local);
    add_point(patch, a, n, x, i);
  }
}
