// The distance from a point to each shape, against closed forms and brute force in longer numbers.
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include <math.h>

// Distances are asked for to this, shapes being of size 1; normals to 1e-9.
static const double close_to = 1e-12;

static double at(const MbShape *shape, const double x[3], double normal[3]) {
  uint32_t feature;
  const double s = mb_shape_distance(shape, x, normal, &feature);
  cr_assert(isfinite(s) && fabs(mb_vec3_norm(normal) - 1) < 1e-14, "form %d", (int)shape->form);
  return s;
}

// The nearest surface point is on the surface, wherever the normal leads to it: x − s n.
static void check_foot(const MbShape *shape, const double x[3], double s, const double normal[3]) {
  double y[3], n[3];
  mb_vec3_add_scaled(y, x, -s, normal);
  const double off = at(shape, y, n);
  cr_assert(fabs(off) < close_to, "form %d: the nearest point is off by %g", (int)shape->form, off);
}

// Points from random ones to those at the centre, on axes, on planes between.
static void some_point(uint64_t *seed, double x[3]) {
  for (int k = 0; k < 3; k++) x[k] = 4 * test_random(seed) - 2;
  const double kind = test_random(seed);
  if (kind < 0.1) x[(int)(3 * test_random(seed))] = 0;
  if (kind < 0.04) x[(int)(3 * test_random(seed))] = 0;
  if (kind < 0.02) x[(int)(3 * test_random(seed))] *= 1e-9;
  if (kind > 0.9) mb_vec3_scale(x, 0.1 * test_random(seed), x);
}

// The root of Σ (e x / (t + e²))² = 1 by bisection in long double; at its lower end what is missing is along the least axis.
static double ellipsoid_distance(const double e[3], const double x[3]) {
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (e[i] < e[least]) least = i;
  long double low = 0, high = 0; // of t + least²
  long double m[3];
  for (int i = 0; i < 3; i++) {
    m[i] = ((long double)e[i] - e[least]) * ((long double)e[i] + e[least]);
    high += (long double)e[i] * fabsl((long double)x[i]);
  }
  high = 2 * high + 1;
  for (int k = 0; k < 300; k++) {
    const long double u = (low + high) / 2;
    long double sum = -1;
    for (int i = 0; i < 3; i++) {
      const long double w = x[i] == 0 ? 0 : (long double)e[i] * x[i] / (u + m[i]);
      sum += w * w;
    }
    *(sum > 0 ? &low : &high) = u;
  }
  const long double u = (low + high) / 2, t = u - (long double)e[least] * e[least];
  long double y[3], missing = 1, d = 0;
  for (int i = 0; i < 3; i++) {
    y[i] = x[i] == 0 ? 0 : (long double)e[i] * e[i] * x[i] / (u + m[i]);
    missing -= (y[i] / e[i]) * (y[i] / e[i]);
  }
  if (x[least] == 0 && missing > 0) y[least] = e[least] * sqrtl(missing);
  for (int i = 0; i < 3; i++) d += (x[i] - y[i]) * (x[i] - y[i]);
  return (double)(t < 0 ? -sqrtl(d) : sqrtl(d));
}

Test(shape_distance, an_ellipsoid_is_as_far_as_bisection_in_long_double_finds) {
  uint64_t seed = 1;
  for (int k = 0; k < 20000; k++) {
    const double flat = k % 4 == 0 ? 0.05 : 1;
    double e[3] = {0.2 + test_random(&seed), flat * (0.2 + test_random(&seed)), 0.2 + test_random(&seed)};
    if (k % 7 == 0) e[1] = e[0];
    if (k % 21 == 0) e[2] = e[0];
    const MbShape shape = mb_shape_ellipsoid(e);
    double x[3], normal[3];
    some_point(&seed, x);
    const double s = at(&shape, x, normal), wanted = ellipsoid_distance(e, x);
    cr_assert(fabs(s - wanted) < close_to, "case %d: %.17g, wanted %.17g", k, s, wanted);
    check_foot(&shape, x, s, normal);
    // the normal is the surface's there
    double g[3];
    for (int i = 0; i < 3; i++) g[i] = (x[i] - s * normal[i]) / (e[i] * e[i]);
    mb_vec3_scale(g, 1 / mb_vec3_norm(g), g);
    test_near("normal", normal, g, 3, 1e-9);
  }
}

Test(shape_distance, a_cylinder_and_a_capsule_are_as_far_as_their_sections) {
  uint64_t seed = 2;
  for (int k = 0; k < 20000; k++) {
    const double r = 0.2 + test_random(&seed), h = 0.2 + test_random(&seed);
    const MbShape cylinder = mb_shape_cylinder(r, 2 * h), capsule = mb_shape_capsule(r, 2 * h);
    double x[3], normal[3];
    some_point(&seed, x);
    const long double rho = hypotl(x[0], x[1]) - (long double)r, up = fabsl((long double)x[2]) - h;
    const long double out = hypotl(fmaxl(rho, 0), fmaxl(up, 0)) + fminl(fmaxl(rho, up), 0);
    double s = at(&cylinder, x, normal);
    cr_assert(fabsl(s - out) < close_to, "cylinder: %.17g, wanted %.17Lg", s, out);
    check_foot(&cylinder, x, s, normal);
    const long double ball = hypotl(hypotl(x[0], x[1]), fmaxl(up, 0)) - (long double)r;
    s = at(&capsule, x, normal);
    cr_assert(fabsl(s - ball) < close_to, "capsule: %.17g, wanted %.17Lg", s, ball);
    check_foot(&capsule, x, s, normal);
  }
}

Test(shape_distance, a_box_is_as_far_as_its_clamped_coordinates_say) {
  uint64_t seed = 3;
  for (int k = 0; k < 20000; k++) {
    double size[3], x[3], normal[3];
    for (int i = 0; i < 3; i++) size[i] = 0.2 + test_random(&seed);
    const MbShape box = mb_shape_box(size);
    some_point(&seed, x);
    double out = 0, in = -INFINITY;
    for (int i = 0; i < 3; i++) {
      const double d = fabs(x[i]) - size[i] / 2;
      out = hypot(out, fmax(d, 0)), in = fmax(in, d);
    }
    const double s = at(&box, x, normal), wanted = in > 0 ? out : in;
    cr_assert(fabs(s - wanted) < close_to, "%.17g, wanted %.17g", s, wanted);
    check_foot(&box, x, s, normal);
  }
}

Test(shape_distance, a_hull_is_as_far_as_the_nearest_of_all_simplices) {
  uint64_t seed = 4;
  for (int k = 0; k < 60; k++) {
    MbHull *hull = made_hull(&seed, 4 + (uint32_t)(12 * test_random(&seed)));
    const MbShape shape = mb_shape_hull(hull);
    for (int m = 0; m < 50; m++) {
      double x[3], normal[3], d[3], highest = -INFINITY;
      some_point(&seed, x);
      for (uint32_t f = 0; f < hull->faces; f++) {
        mb_vec3_sub(d, x, hull->vertex + 3 * (size_t)hull->corner[hull->first[f]]);
        highest = fmax(highest, mb_vec3_dot(d, hull->normal + 3 * (size_t)f));
      }
      const double s = at(&shape, x, normal),
                   wanted = highest > 0 ? made_simplices_distance(hull, x) : highest;
      cr_assert(fabs(s - wanted) < close_to, "%.17g, wanted %.17g", s, wanted);
      check_foot(&shape, x, s, normal);
    }
    mb_hull_free(hull);
  }
}

Test(shape_distance, features_of_a_box_tell_faces_vertices_and_edges_apart) {
  const MbShape box = mb_shape_box((double[]){2, 2, 2});
  double normal[3];
  uint32_t seen[26], n = 0, feature;
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      for (int z = -1; z <= 1; z++) {
        if (!x && !y && !z) continue;
        mb_shape_distance(&box, (double[]){2 * x, 2.5 * y, 3 * z}, normal, &feature);
        const int zeros = !x + !y + !z;
        cr_assert_eq(zeros, feature < 6 ? 2 : feature < 14 ? 0 : 1);
        for (uint32_t i = 0; i < n; i++) cr_assert_neq(seen[i], feature);
        seen[n++] = feature;
      }
}
