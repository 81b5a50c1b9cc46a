// Hulls of points: all points are within all faces, the faces are those of brute force, and what has no hull is told by name.
#include "core/collision/quickhull.h"

#include "core/base/alloc.h"
#include "core/math/orient.h"
#include "tests/core/collision/hull_make.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000 };
static double point[3 * MOST];

// Sound by mb_hull_make's rules; all points are within it, and all vertices are points.
static MbHull *check(const char *what, uint32_t n) {
  MbHull *hull;
  const MbHullFault fault = mb_hull_of_points(&hull, n, point);
  cr_assert_eq(fault, MB_HULL_SOUND, "%s: the hull of %u points %s", what, n, mb_hull_fault_text(fault));
  cr_assert_eq(hull->vertices + hull->faces, hull->edges + 2, "%s", what);
  double d[3], size = 0;
  for (uint32_t i = 0; i < 3 * n; i++) size = fmax(size, fabs(point[i] - point[i % 3]));
  for (uint32_t f = 0; f < hull->faces; f++)
    for (uint32_t i = 0; i < n; i++) {
      mb_vec3_sub(d, point + 3 * i, hull->vertex + 3 * (size_t)hull->corner[hull->first[f]]);
      cr_assert(mb_vec3_dot(d, hull->normal + 3 * (size_t)f) < 1e-9 * size,
                "%s: point %u is outside of face %u", what, i, f);
    }
  for (uint32_t v = 0; v < hull->vertices; v++) {
    bool found = false;
    for (uint32_t i = 0; i < n && !found; i++)
      found = !memcmp(point + 3 * i, hull->vertex + 3 * (size_t)v, 3 * sizeof(double));
    cr_assert(found, "%s: vertex %u is no point", what, v);
  }
  return hull;
}

static void expect(const char *what, uint32_t n, uint32_t vertices, uint32_t faces) {
  MbHull *hull = check(what, n);
  cr_assert(hull->vertices == vertices && hull->faces == faces,
            "%s: %u vertices and %u faces, wanted %u and %u", what, hull->vertices, hull->faces, vertices,
            faces);
  mb_hull_free(hull);
}

static void turn(uint32_t n, const double q[4], double scale) {
  for (uint32_t i = 0; i < n; i++) {
    mb_quat_rotate(point + 3 * i, q, point + 3 * i);
    mb_vec3_scale(point + 3 * i, scale, point + 3 * i);
  }
}

static const double some_turn[4] = {0.5, 0.5, -0.1, 0.7};

Test(quickhull, random_points_on_and_in_a_ball_have_the_faces_of_brute_force) {
  uint64_t seed = 81;
  for (int k = 0; k < 60; k++) {
    const uint32_t n = 4 + (uint32_t)(18 * test_random(&seed));
    MbHull *brute = made_hull(&seed, n);
    memcpy(point, brute->vertex, 3 * n * sizeof *point);
    // points within change nothing
    for (uint32_t i = n; i < 3 * n; i++) {
      const double s = test_random(&seed);
      mb_vec3_scale(point + 3 * i, s, point + 3 * (i % n));
      mb_vec3_add_scaled(point + 3 * i, point + 3 * i, 1 - s, point + 3 * ((i + 1) % n));
    }
    expect("on a ball", n, n, brute->faces);
    MbHull *hull = check("in a ball", 3 * n);
    cr_assert(hull->vertices >= n);
    mb_hull_free(hull), mb_hull_free(brute);
  }
  for (uint32_t i = 0; i < 3 * MOST; i++) point[i] = test_random(&seed);
  mb_hull_free(check("in a cube", MOST));
}

Test(quickhull, grids_prisms_and_coplanar_points_have_their_few_faces_however_they_are_turned) {
  double q[4];
  memcpy(q, some_turn, sizeof q);
  mb_quat_normalise(q);
  for (int turned = 0; turned < 4; turned++) {
    uint32_t n = 0;
    for (int i = 0; i < 512; i++, n++) mb_vec3_set(point + 3 * n, i % 8, i / 8 % 8, i / 64);
    if (turned) turn(n, q, turned > 1 ? turned > 2 ? 1e-5 : 1e4 : 1);
    expect("a grid", n, 8, 6);
    // twice the same, in another order
    for (uint32_t i = 0; i < n; i++) memcpy(point + 3 * (2 * n - 1 - i), point + 3 * i, 3 * sizeof *point);
    expect("a grid twice", 2 * n, 8, 6);

    n = 0;
    for (int i = 0; i < 200; i++, n++)
      mb_vec3_set(point + 3 * n, cos(acos(-1.0) * i / 100), sin(acos(-1.0) * i / 100), 0);
    for (int i = 0; i < 200; i++, n++) mb_vec3_set(point + 3 * n, point[3 * i], point[3 * i + 1], 1);
    if (turned) turn(n, q, 3);
    expect("a prism", n, 400, 202);
    n = 0;
    for (int i = 0; i < 100; i++, n++) mb_vec3_set(point + 3 * n, i % 10, i / 10, 0);
    mb_vec3_set(point + 3 * n++, 4, 5, 3);
    if (turned) turn(n, q, 1);
    expect("a pyramid over a grid", n, 5, 5);
  }
}

Test(quickhull, points_on_a_sphere_are_all_vertices_and_a_flat_box_stays_one) {
  uint32_t n = 0;
  for (int i = 1; i < 20; i++)
    for (int j = 0; j < 40; j++, n++) {
      const double a = acos(-1.0) * i / 20, b = acos(-1.0) * j / 20;
      mb_vec3_set(point + 3 * n, sin(a) * cos(b), sin(a) * sin(b), cos(a));
    }
  // quadrangles between rings, and the two polygons at the ends
  expect("a sphere of rings", n, n, 18 * 40 + 2);
  for (int i = 0; i < 8; i++) mb_vec3_set(point + 3 * i, i & 1, i >> 1 & 1, i & 4 ? 1e-6 : 0);
  expect("a sheet", 8, 8, 6);
}

Test(quickhull, what_has_no_hull_is_told_by_name) {
  MbHull *hull;
  const int64_t live = mb_alloc_live();
  memset(point, 0, sizeof point);
  cr_assert_eq(mb_hull_of_points(&hull, 3, point), MB_HULL_FEW_POINTS);
  cr_assert_eq(mb_hull_of_points(&hull, 9, point), MB_HULL_ONE_POINT);
  for (int i = 0; i < 9; i++) mb_vec3_set(point + 3 * i, 0.1 * i, 0.3 * i, -0.7 * i);
  cr_assert_eq(mb_hull_of_points(&hull, 9, point), MB_HULL_ONE_LINE);
  for (int i = 0; i < 9; i++) mb_vec3_set(point + 3 * i, i, i * i, 2 * i + 0.1 * i * i + 1);
  cr_assert_eq(mb_hull_of_points(&hull, 9, point), MB_HULL_ONE_PLANE);
  cr_assert_str_eq(mb_hull_fault_text(MB_HULL_ONE_PLANE), "has all of its points in a plane");
  point[4] = NAN;
  cr_assert_eq(mb_hull_of_points(&hull, 9, point), MB_HULL_NOT_FINITE);
  cr_assert_null(hull);
  for (int i = 0; i < 600; i++)
    mb_vec3_set(point + 3 * i, cos(acos(-1.0) * i / 150), sin(acos(-1.0) * i / 150), i / 300);
  cr_assert_eq(mb_hull_of_points(&hull, 600, point), MB_HULL_MANY);
  // without memory, at any of its calls
  uint64_t seed = 83;
  for (int i = 0; i < 300; i++) point[i] = test_random(&seed);
  MbHullFault fault = MB_HULL_NO_MEMORY;
  for (int64_t calls = 0; fault; calls++) {
    mb_alloc_fail_after(calls);
    fault = mb_hull_of_points(&hull, 100, point);
    mb_alloc_fail_after(-1);
    cr_assert(fault == MB_HULL_NO_MEMORY || fault == MB_HULL_SOUND);
  }
  mb_hull_free(hull);
  cr_assert_eq(mb_alloc_live(), live);
}

Test(quickhull, sides_of_planes_are_exact_where_rounding_would_leave_them_open) {
  // points of a plane through others by whole multiples: 0 exactly; one unit in the last place decides
  uint64_t seed = 82;
  for (int k = 0; k < 20000; k++) {
    double a[3], b[3], c[3], d[3];
    for (int i = 0; i < 3; i++) {
      a[i] = floor(1e6 * test_random(&seed)), b[i] = floor(1e6 * test_random(&seed)),
      c[i] = floor(1e6 * test_random(&seed));
      d[i] = a[i] + 7 * (b[i] - a[i]) - 3 * (c[i] - a[i]);
    }
    cr_assert(mb_orient3d(a, b, c, d) == 0);
    const double n2 = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (n2 == 0) continue;
    d[2] = nextafter(d[2], INFINITY);
    cr_assert((mb_orient3d(a, b, c, d) > 0) == (n2 > 0));
    cr_assert((mb_orient3d(b, a, c, d) > 0) == (n2 < 0));
  }
}
