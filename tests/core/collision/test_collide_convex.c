// Round shapes against round ones and polytopes. Pairs are built around a gap and a normal that are known: a's surface has the normal n at
// x, b's has −n at y = x + gap n, so that the planes across n through both keep them apart.
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include "core/math/mat3.h"

#include <math.h>
#include <stdlib.h>

// How many pairs: MB_TEST_PAIRS, or few.
static int pairs(int few) {
  const char *asked = getenv("MB_TEST_PAIRS");
  return asked ? atoi(asked) : few;
}

static double bell(uint64_t *seed) {
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += test_random(seed);
  return sum;
}

static void random_direction(uint64_t *seed, double n[3]) {
  do
    for (int k = 0; k < 3; k++) n[k] = bell(seed);
  while (mb_vec3_norm(n) < 0.1);
  mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
}

// A direction of the shape's axes: any, or one of a face, a flat end, an edge, a line of the side.
static void surface_normal(uint64_t *seed, const MbShape *shape, double n[3]) {
  const int kind = (int)(4 * test_random(seed)), axis = (int)(3 * test_random(seed));
  random_direction(seed, n);
  if (shape->form == MB_FORM_BOX && kind == 1) n[axis] = 0;
  if (shape->form == MB_FORM_BOX && kind == 2) n[(axis + 1) % 3] = n[(axis + 2) % 3] = 0;
  if (shape->form == MB_FORM_CYLINDER || shape->form == MB_FORM_CAPSULE) {
    if (kind == 1) n[2] = 0;
    if (kind == 2) n[0] = n[1] = 0;
  }
  if (shape->form == MB_FORM_HULL && kind == 2)
    mb_vec3_copy(n, shape->hull->normal + 3 * (size_t)(shape->hull->faces * test_random(seed)));
  mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
}

static double anywhere(uint64_t *seed, double along, double half) {
  return fabs(along) < 1e-12 ? half * (2 * test_random(seed) - 1) : copysign(half, along);
}

// A point of the surface with that normal.
static void surface_point(uint64_t *seed, const MbShape *shape, const double n[3], double x[3]) {
  const double *e = shape->axes, across = hypot(n[0], n[1]);
  double most = -INFINITY, y[3], u[3];
  switch (shape->form) {
  case MB_FORM_SPHERE:
  case MB_FORM_CAPSULE:
    mb_vec3_scale(x, shape->radius, n);
    x[2] += anywhere(seed, n[2], shape->half);
    return;
  case MB_FORM_CYLINDER:
    x[2] = anywhere(seed, n[2], shape->half);
    mb_vec3_set(u, n[0], n[1], 0);
    if (across < 1e-12)
      mb_quat_rotate(u, (double[]){cos(1), 0, 0, sin(1)}, (double[]){sqrt(test_random(seed)), 0, 0});
    mb_vec3_scale(u, shape->radius / (across < 1e-12 ? 1 : across), u);
    x[0] = u[0], x[1] = u[1];
    return;
  case MB_FORM_ELLIPSOID:
    for (int k = 0; k < 3; k++) u[k] = e[k] * n[k];
    for (int k = 0; k < 3; k++) x[k] = e[k] * u[k] / mb_vec3_norm(u);
    return;
  case MB_FORM_BOX:
    for (int k = 0; k < 3; k++) x[k] = anywhere(seed, n[k], e[k]);
    return;
  default:
    for (uint32_t i = 0; i < shape->hull->vertices; i++) {
      mb_shape_vertex(y, shape, i);
      if (mb_vec3_dot(y, n) > most) most = mb_vec3_dot(y, n), mb_vec3_copy(x, y);
    }
  }
}

// A turn that leads `from` to `to`, with a random turn about that.
static void turn_to(uint64_t *seed, double q[4], const double from[3], const double to[3]) {
  double c[3], t[3];
  mb_vec3_cross(c, from, to);
  double first[4] = {1 + mb_vec3_dot(from, to), c[0], c[1], c[2]};
  if (first[0] < 1e-9) {
    mb_vec3_cross(t, from, fabs(from[0]) < 0.7 ? (double[]){1, 0, 0} : (double[]){0, 1, 0});
    first[0] = 0, first[1] = t[0], first[2] = t[1], first[3] = t[2];
  }
  mb_quat_normalise(first);
  const double half = 3.2 * test_random(seed), s = sin(half);
  mb_quat_mul(q, (double[]){cos(half), s * to[0], s * to[1], s * to[2]}, first);
  mb_quat_normalise(q);
}

typedef struct Built {
  MbShape a, b;
  MbPose A, B;
  double gap, n[3];
} Built;

static MbHull *hulls[8];
static MbForm form_of(int k) { return (MbForm)(MB_FORM_SPHERE + k); }

static MbShape some_shape(uint64_t *seed, MbForm form) {
  if (form != MB_FORM_HULL) return made_shape(seed, form);
  MbHull **hull = &hulls[(int)(8 * test_random(seed))];
  if (!*hull) *hull = made_hull(seed, 4 + (uint32_t)(hull - hulls));
  return mb_shape_hull(*hull);
}

static void free_hulls(void) {
  for (int i = 0; i < 8; i++) mb_hull_free(hulls[i]), hulls[i] = NULL;
}

static void build(uint64_t *seed, int k, double gap, Built *built) {
  double na[3], nb[3], x[3], y[3], back[3];
  built->a = some_shape(seed, form_of(k % 6)), built->b = some_shape(seed, form_of(k / 6 % 6));
  surface_normal(seed, &built->a, na);
  surface_normal(seed, &built->b, nb);
  surface_point(seed, &built->a, na, x);
  surface_point(seed, &built->b, nb, y);
  random_direction(seed, built->n);
  if (k % 7 == 0) mb_vec3_set(built->n, 0, 0, 1);
  mb_vec3_scale(back, -1, built->n);
  turn_to(seed, built->A.q, na, built->n);
  turn_to(seed, built->B.q, nb, back);
  mb_vec3_set(built->A.p, 0.3, -0.2, 0.1);
  mb_quat_rotate(y, built->B.q, y);
  mb_pose_point(x, &built->A, x);
  built->gap = gap;
  for (int i = 0; i < 3; i++) built->B.p[i] = x[i] + gap * built->n[i] - y[i];
}

// Of two boxes or hulls that are near a face's plane is taken that is less high by a little.
static double slack(const Built *built, double gap) {
  const bool polytopes = built->a.hull && built->b.hull;
  return polytopes && fabs(gap) < 1e-3 ? 1e-6 : 1e-12;
}

Test(collide_convex, shapes_that_are_apart_have_the_gap_and_the_normal_that_they_are_built_around) {
  uint64_t seed = 61;
  for (int k = 0; k < pairs(20000); k++) {
    Built p;
    build(&seed, k, k % 11 ? pow(10, -9 * test_random(&seed)) : 0, &p);
    MbContactPoint out[MB_CONTACT_POINTS];
    const int n = made_collide(&p.a, &p.A, &p.b, &p.B, INFINITY, out);
    cr_assert(n > 0, "case %d: no point", k);
    cr_assert(fabs(out[0].gap - p.gap) < slack(&p, p.gap),
              "case %d, forms %d and %d: gap %.17g, wanted %.17g (%g)", k, (int)p.a.form, (int)p.b.form,
              out[0].gap, p.gap, out[0].gap - p.gap);
    for (int i = 0; i < n; i++) {
      // the second point of a capsule that does not lie level is of one of its balls, inside of it
      if (slack(&p, p.gap) > 1e-12 || (i && (p.a.form == MB_FORM_CAPSULE || p.b.form == MB_FORM_CAPSULE)))
        continue;
      made_on_surface(&p.a, &p.A, &out[i], -1, 1e-9);
      made_on_surface(&p.b, &p.B, &out[i], 1, 1e-9);
    }
    double turned[3];
    mb_vec3_cross(turned, out[0].normal, p.n);
    // a gap of 1e-4 has its direction from points that are known to 1e-16
    if (p.gap > 1e-4 && slack(&p, p.gap) <= 1e-12)
      cr_assert(mb_vec3_norm(turned) < 1e-9 && mb_vec3_dot(out[0].normal, p.n) > 0,
                "case %d, forms %d and %d: the normal is off by %g", k, (int)p.a.form, (int)p.b.form,
                mb_vec3_norm(turned));
    MbContactPoint none[MB_CONTACT_POINTS];
    cr_assert_eq(mb_collide(&p.a, &p.A, &p.b, &p.B, p.gap - 1e-5, none), 0);
  }
  free_hulls();
}

static double reach(const MbShape *shape, const MbPose *E, const double n[3]) {
  double m[3], x[3];
  uint64_t seed = 1;
  mb_quat_unrotate(m, E->q, n);
  surface_point(&seed, shape, m, x);
  return mb_vec3_dot(m, x);
}

// How far apart the planes across n are that touch the two.
static double gap_along(const Built *p, const double n[3]) {
  double d[3], back[3];
  mb_vec3_scale(back, -1, n);
  mb_vec3_sub(d, p->B.p, p->A.p);
  return mb_vec3_dot(d, n) - reach(&p->a, &p->A, n) - reach(&p->b, &p->B, back);
}

Test(collide_convex, shapes_in_one_another_are_no_deeper_than_they_are_built_and_as_deep_as_the_normal_says) {
  uint64_t seed = 62;
  for (int k = 0; k < pairs(12000); k++) {
    Built p;
    build(&seed, k, -pow(10, -1 - 9 * test_random(&seed)), &p);
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert(made_collide(&p.a, &p.A, &p.b, &p.B, INFINITY, out) > 0);
    const double tolerance = slack(&p, out[0].gap);
    cr_assert(out[0].gap > p.gap - tolerance, "case %d, forms %d and %d: %.17g deep, wanted %.17g", k,
              (int)p.a.form, (int)p.b.form, out[0].gap, p.gap);
    const double along = gap_along(&p, out[0].normal);
    cr_assert(fabs(along - out[0].gap) < tolerance,
              "case %d, forms %d and %d: the normal is good for %.17g, gap %.17g", k, (int)p.a.form,
              (int)p.b.form, along, out[0].gap);
  }
  free_hulls();
}

// Where two corners are all but in one place, what joins them has no direction but by rounding.
Test(collide_convex, hulls_that_all_but_touch_come_apart_along_their_normal) {
  enum { HULLS = 35 }; // both
  uint64_t seed = 64;
  for (int k = 0; k < 6000; k++) {
    Built p;
    build(&seed, HULLS, (k % 2 ? -1 : 1) * pow(10, -9 - 3 * test_random(&seed)), &p);
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert(made_collide(&p.a, &p.A, &p.b, &p.B, INFINITY, out) > 0);
    const double along = gap_along(&p, out[0].normal);
    cr_assert(fabs(along - out[0].gap) < 1e-6, "case %d: the normal is good for %.17g, gap %.17g", k, along,
              out[0].gap);
  }
  free_hulls();
}

// The highest gap of random directions, and of what chance finds near the best three of them.
static double searched(uint64_t *seed, const Built *p) {
  double best[3] = {-INFINITY, -INFINITY, -INFINITY}, at[3][3] = {{0}}, n[3];
  for (int i = 0; i < 1200; i++) {
    random_direction(seed, n);
    const double gap = gap_along(p, n);
    int place = 0;
    bool near = false;
    for (int j = 0; j < 3 && !near; j++) {
      near = mb_vec3_dot(at[j], n) > 0.95;
      if (near || best[j] < best[place]) place = j;
    }
    if (gap > best[place]) best[place] = gap, mb_vec3_copy(at[place], n);
  }
  for (int j = 0; j < 3; j++) {
    double step = 0.1;
    for (int i = 0; i < 400; i++) {
      for (int k = 0; k < 3; k++) n[k] = at[j][k] + step * bell(seed);
      mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
      const double gap = gap_along(p, n);
      step *= gap > best[j] ? 1.5 : 0.96;
      if (gap > best[j]) best[j] = gap, mb_vec3_copy(at[j], n);
    }
  }
  return fmax(best[0], fmax(best[1], best[2]));
}

Test(collide_convex, no_direction_that_a_search_finds_takes_deep_shapes_apart_by_less) {
  uint64_t seed = 63;
  int deep = 0;
  for (int k = 0; k < pairs(1500); k++) {
    Built p = {.a = some_shape(&seed, form_of(k % 6)), .b = some_shape(&seed, form_of(k / 6 % 6))};
    p.A = k % 3 ? made_pose(&seed, 0.4) : made_aligned_pose(&seed);
    p.B = k % 3 == 1 ? made_pose(&seed, 0.4) : made_near_pose(&seed, &p.A);
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert(made_collide(&p.a, &p.A, &p.b, &p.B, INFINITY, out) > 0);
    if (out[0].gap > 0) continue;
    deep++;
    const double found = searched(&seed, &p);
    cr_assert(out[0].gap > found - slack(&p, out[0].gap),
              "case %d, forms %d and %d: %.17g deep, a search found %.17g", k, (int)p.a.form, (int)p.b.form,
              out[0].gap, found);
  }
  cr_assert(deep > 500 || getenv("MB_TEST_PAIRS"));
  free_hulls();
}

Test(collide_convex, random_aligned_parallel_contained_and_touching_pairs_have_sound_points) {
  uint64_t seed = 64;
  for (int k = 0; k < pairs(20000); k++) {
    MbShape a = some_shape(&seed, form_of(k % 6)), b = some_shape(&seed, form_of(k / 6 % 6));
    MbPose A = k % 2 ? made_pose(&seed, 1) : made_aligned_pose(&seed), B;
    const int kind = (int)(5 * test_random(&seed));
    B = kind == 0   ? made_pose(&seed, 1)
        : kind == 1 ? made_aligned_pose(&seed)
        : kind == 2 ? made_near_pose(&seed, &A)
                    : A;
    if (kind == 4) {
      // along one another, moved by a size along an axis of a: touching faces, ends, sides
      double d[3] = {0};
      d[(int)(3 * test_random(&seed))] = a.radius + a.half + b.radius + b.half + a.axes[0] + b.axes[0];
      mb_quat_rotate(d, A.q, d);
      mb_vec3_add(B.p, A.p, d);
    }
    MbContactPoint out[MB_CONTACT_POINTS];
    const int n = made_collide(&a, &A, &b, &B, INFINITY, out);
    cr_assert(n > 0, "case %d, forms %d and %d: no point", k, (int)a.form, (int)b.form);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        cr_assert(out[i].feature_a != out[j].feature_a || out[i].feature_b != out[j].feature_b,
                  "case %d, forms %d and %d: two points of one feature", k, (int)a.form, (int)b.form);
  }
  free_hulls();
}

// How many points, with gap and normal; their middle.
static void check_patch(const char *what, const MbShape *a, const MbPose *A, const MbShape *b,
                        const MbPose *B, int n, double gap, double spread) {
  MbContactPoint out[MB_CONTACT_POINTS], later[MB_CONTACT_POINTS];
  cr_assert_eq(made_collide(a, A, b, B, 0.01, out), n, "%s", what);
  double most = 0;
  for (int i = 0; i < n; i++) {
    double d[3];
    cr_assert(fabs(out[i].gap - gap) < 1e-12 && fabs(out[i].normal[2] - 1) < 1e-12, "%s: gap %g", what,
              out[i].gap);
    for (int j = 0; j < i; j++) {
      mb_vec3_sub(d, out[i].position, out[j].position);
      most = fmax(most, mb_vec3_norm(d));
    }
  }
  cr_assert(fabs(most - spread) < 1e-9, "%s: points are %.17g apart, wanted %g", what, most, spread);
  // moved and tilted by a little they are the same features
  MbPose moved = *B;
  double q[4];
  moved.p[0] += 1e-7, moved.p[2] -= 1e-8;
  mb_quat_exp(q, (double[]){1e-10, -2e-10, 0});
  mb_quat_mul(moved.q, q, B->q);
  cr_assert_eq(made_collide(a, A, b, &moved, 0.01, later), n, "%s, moved", what);
  for (int i = 0; i < n; i++) {
    bool found = false;
    for (int j = 0; j < n; j++)
      found |= out[i].feature_a == later[j].feature_a && out[i].feature_b == later[j].feature_b;
    cr_assert(found, "%s: point %d has another feature", what, i);
  }
}

Test(collide_convex, what_lies_flat_on_a_box_or_a_cylinder_rests_on_all_that_they_share) {
  const MbShape box = mb_shape_box((double[]){2, 2, 1}), cylinder = mb_shape_cylinder(0.5, 1);
  const MbShape capsule = mb_shape_capsule(0.25, 0.6), wide = mb_shape_cylinder(2, 1);
  MbPose A, B;
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  mb_vec3_set(B.p, 0.1, 0.2, 0.999);
  check_patch("a cylinder stands on a box", &box, &A, &cylinder, &B, 4, -1e-3, 1);
  check_patch("a cylinder stands on a cylinder", &wide, &A, &cylinder, &B, 4, -1e-3, 1);
  check_patch("a box stands on a cylinder", &wide, &A, &box, &B, 4, -1e-3, sqrt(8));
  const double s = sqrt(0.5);
  mb_vec3_set(B.q + 1, 0, s, 0), B.q[0] = s;
  check_patch("a cylinder lies on a box", &box, &A, &cylinder, &B, 2, -1e-3, 1);
  mb_vec3_set(B.p, 0.1, 0.2, 0.749);
  check_patch("a capsule lies on a cylinder's end", &wide, &A, &capsule, &B, 2, -1e-3, 0.6);
  // two that lie along one another
  mb_vec3_set(A.q + 1, 0, s, 0), A.q[0] = s;
  mb_vec3_set(B.p, 0, 0, 0.749);
  check_patch("a capsule lies along a cylinder", &cylinder, &A, &capsule, &B, 2, -1e-3, 0.6);
  mb_vec3_set(B.p, 0.3, 0, 1);
  check_patch("a cylinder lies along a cylinder", &cylinder, &A, &cylinder, &B, 2, 0, 0.7);
}
