// Boxes and hulls against one another and against capsules: every plane that could be between them, and the Minkowski difference by brute force.
#include "core/collision/convex.h"
#include "core/math/mat3.h"
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include <math.h>

enum { VERTICES = 16, DIFFERENCES = VERTICES * VERTICES };

static uint32_t vertices_of(const MbShape *shape, const MbPose *E, double *x) {
  const uint32_t n = shape->hull->vertices;
  cr_assert(n <= VERTICES);
  for (uint32_t i = 0; i < n; i++) {
    mb_shape_vertex(x + 3 * i, shape, i);
    mb_pose_point(x + 3 * i, E, x + 3 * i);
  }
  return n;
}

// The least of n · (y − x) over all vertices: how far b is above a along n.
static double gap_along(const double n[3], const double *a, uint32_t na, const double *b, uint32_t nb) {
  double top = -INFINITY, low = INFINITY;
  for (uint32_t i = 0; i < na; i++) top = fmax(top, mb_vec3_dot(n, a + 3 * i));
  for (uint32_t i = 0; i < nb; i++) low = fmin(low, mb_vec3_dot(n, b + 3 * i));
  return low - top;
}

static void edge_of(double d[3], const MbShape *shape, const MbPose *E, uint32_t e) {
  double p[3], q[3];
  mb_shape_vertex(p, shape, shape->hull->edge[e].from);
  mb_shape_vertex(q, shape, shape->hull->edge[e].to);
  mb_vec3_sub(d, q, p);
  mb_quat_rotate(d, E->q, d);
  mb_vec3_scale(d, 1 / mb_vec3_norm(d), d);
}

// The largest gap along any normal of a face and any direction across two edges, both ways.
static double widest(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B) {
  double x[3 * VERTICES], y[3 * VERTICES], n[3], d[3], e[3], most = -INFINITY;
  const uint32_t na = vertices_of(a, A, x), nb = vertices_of(b, B, y);
  for (uint32_t f = 0; f < a->hull->faces; f++) {
    mb_quat_rotate(n, A->q, a->hull->normal + 3 * (size_t)f);
    most = fmax(most, gap_along(n, x, na, y, nb));
  }
  for (uint32_t f = 0; f < b->hull->faces; f++) {
    mb_quat_rotate(n, B->q, b->hull->normal + 3 * (size_t)f);
    mb_vec3_scale(n, -1, n);
    most = fmax(most, gap_along(n, x, na, y, nb));
  }
  for (uint32_t i = 0; i < a->hull->edges; i++)
    for (uint32_t j = 0; j < b->hull->edges; j++) {
      edge_of(d, a, A, i), edge_of(e, b, B, j);
      mb_vec3_cross(n, d, e);
      if (mb_vec3_norm(n) < 1e-9) continue;
      mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
      most = fmax(most, gap_along(n, x, na, y, nb));
      mb_vec3_scale(n, -1, n);
      most = fmax(most, gap_along(n, x, na, y, nb));
    }
  return most;
}

// How far the origin is from all differences of vertices, of which it is outside.
static double apart(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B) {
  double x[3 * VERTICES], y[3 * VERTICES], difference[3 * DIFFERENCES];
  const uint32_t na = vertices_of(a, A, x), nb = vertices_of(b, B, y);
  for (uint32_t i = 0; i < na; i++)
    for (uint32_t j = 0; j < nb; j++) mb_vec3_sub(difference + 3 * (i * nb + j), y + 3 * j, x + 3 * i);
  const MbHull hull = {.vertices = na * nb, .vertex = difference};
  return made_simplices_distance(&hull, (double[]){0, 0, 0});
}

static double signed_distance(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B) {
  const double gap = widest(a, A, b, B);
  return gap > 0 ? apart(a, A, b, B) : gap;
}

static void check(const char *what, const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B) {
  const double wanted = signed_distance(a, A, b, B);
  MbContactPoint out[MB_CONTACT_POINTS];
  const int n = made_collide(a, A, b, B, INFINITY, out);
  cr_assert(n > 0, "%s: no point at a distance of %g", what, wanted);
  cr_assert(fabs(out[0].gap - wanted) < 1e-12, "%s: gap %.17g, wanted %.17g", what, out[0].gap, wanted);
  for (int i = 0; i < n; i++) {
    made_on_surface(a, A, &out[i], -1, 1e-11);
    made_on_surface(b, B, &out[i], 1, 1e-11);
    for (int k = 0; k < i; k++)
      cr_assert(out[i].feature_a != out[k].feature_a || out[i].feature_b != out[k].feature_b);
  }
  // moved by the gap along the normal they touch
  MbPose moved = *B;
  mb_vec3_add_scaled(moved.p, B->p, -out[0].gap, out[0].normal);
  const double left = signed_distance(a, A, b, &moved);
  cr_assert(fabs(left) < 1e-12, "%s: %g is left of %g", what, left, wanted);
}

Test(collide_hulls, random_and_aligned_boxes_are_as_far_or_deep_as_brute_force_says) {
  uint64_t seed = 41;
  for (int k = 0; k < 600; k++) {
    const MbShape a = made_shape(&seed, MB_FORM_BOX), b = made_shape(&seed, MB_FORM_BOX);
    const MbPose A = k % 3 ? made_pose(&seed, 0.7) : made_aligned_pose(&seed);
    const MbPose B = k % 3 == 1 ? made_pose(&seed, 0.7)
                     : k % 3    ? made_near_pose(&seed, &A)
                                : made_aligned_pose(&seed);
    check("boxes", &a, &A, &b, &B);
  }
}

// Faces that lie on one another to rounding, of boxes of different sizes: most edges are nowhere near.
Test(collide_hulls, boxes_of_one_orientation_that_touch_or_all_but_touch_have_a_patch) {
  uint64_t seed = 44;
  for (int k = 0; k < 3000; k++) {
    const MbShape a = made_shape(&seed, MB_FORM_BOX), b = made_shape(&seed, MB_FORM_BOX);
    const MbPose A = k % 3 ? made_pose(&seed, 0.7) : made_aligned_pose(&seed);
    MbPose B = A;
    const int axis = k % 3;
    const double gap = k % 4 == 0 ? 0 : (k % 2 ? 1 : -1) * pow(10, -17 * test_random(&seed)) / 10;
    double d[3] = {0};
    d[axis] = a.axes[axis] + b.axes[axis] + gap;
    if (k % 5 == 0)
      d[(axis + 1) % 3] = 0.15 * test_random(&seed), d[(axis + 2) % 3] = 0.15 * test_random(&seed);
    mb_quat_rotate(d, A.q, d);
    mb_vec3_add(B.p, A.p, d);
    MbContactPoint out[MB_CONTACT_POINTS];
    const int n = made_collide(&a, &A, &b, &B, 1, out);
    // deeper than the shared area is wide the least depth is another one
    if (gap < -0.01) continue;
    cr_assert_eq(n, 4, "case %d: %d points at a gap of %g", k, n, gap);
    for (int i = 0; i < n; i++)
      cr_assert(fabs(out[i].gap - gap) < 1e-12, "case %d: gap %.17g, wanted %.17g", k, out[i].gap, gap);
  }
}

// A box on a box of the same size, on a larger one, beyond an edge of it; turned by 1e-16 to 1e-6, as what rests is.
Test(collide_hulls, boxes_that_rest_turned_by_little_always_have_a_patch_of_four_points) {
  uint64_t seed = 45;
  for (int k = 0; k < 20000; k++) {
    const MbShape a = mb_shape_box((double[]){1, 1, 1});
    const MbShape b = k % 3 ? mb_shape_box((double[]){1, 0.8, 0.6}) : a;
    const double turn = pow(10, -16 + 10 * test_random(&seed)),
                 gap = (k % 2 ? 1 : -1) * pow(10, -4 - 12 * test_random(&seed));
    MbPose A, B;
    mb_pose_identity(&A);
    mb_pose_identity(&B);
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = turn * (2 * test_random(&seed) - 1);
    mb_quat_exp(B.q, w);
    mb_vec3_set(B.p, k % 5 ? 0.3 * test_random(&seed) : 0, k % 7 ? 0.3 * test_random(&seed) : 0,
                a.axes[2] + b.axes[2] + gap);
    if (k % 2) {
      // all of it anywhere
      const MbPose E = made_pose(&seed, 1);
      mb_pose_mul(&A, &E, &A);
      mb_pose_mul(&B, &E, &B);
    }
    double up[3];
    mb_quat_rotate(up, A.q, (double[]){0, 0, 1});
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert_eq(made_collide(&a, &A, &b, &B, 0.01, out), 4, "case %d: turned by %g at a gap of %g", k, turn,
                 gap);
    for (int i = 0; i < 4; i++) {
      // beyond an edge the nearest points of what is farther apart than turned are so by an angle of turn / gap
      cr_assert(mb_vec3_dot(out[i].normal, up) > 0.99, "case %d: a normal of another side", k);
      cr_assert(fabs(out[i].gap - gap) < 2 * turn + 1e-12, "case %d: gap %.17g, wanted %.17g, turned by %g",
                k, out[i].gap, gap, turn);
    }
  }
}

// Sides that lie in one plane but for what a solver leaves cross somewhere between their ends; a point there must not stand for a corner.
Test(collide_hulls, boxes_whose_sides_are_in_line_rest_on_the_corners_of_what_they_share) {
  uint64_t seed = 46;
  const MbShape a = mb_shape_box((double[]){1, 0.4, 0.2});
  for (int k = 0; k < 5000; k++) {
    const double turn = pow(10, -16 + 9 * test_random(&seed)), over = 0.1 + 0.8 * test_random(&seed);
    const double near = fmax(1e-9, 5 * turn);
    MbPose A, B;
    mb_pose_identity(&A);
    mb_pose_identity(&B);
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = turn * (2 * test_random(&seed) - 1);
    mb_quat_exp(B.q, w);
    mb_vec3_set(B.p, 1 - over, turn * (2 * test_random(&seed) - 1), 0.2 + w[1]);
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert_eq(made_collide(&a, &A, &a, &B, 0.01, out), 4, "case %d", k);
    // each of the four in a corner of its own
    int corners = 0;
    for (int i = 0; i < 4; i++)
      corners |= 1 << ((out[i].position[0] > 0.5 - over / 2 ? 1 : 0) + (out[i].position[1] > 0 ? 2 : 0));
    for (int i = 0; i < 4; i++) {
      const double x = out[i].position[0];
      cr_assert(fmin(fabs(x - 0.5), fabs(x - 0.5 + over)) < near, "case %d: a point at %g", k, x);
      cr_assert(fabs(fabs(out[i].position[1]) - 0.2) < near, "case %d", k);
    }
    cr_assert_eq(corners, 15, "case %d: a corner is without a point", k);
  }
}

// The end of what is as narrow as rounding is in line with its neighbours, and not between them.
Test(collide_hulls, a_corner_is_in_line_where_it_is_between_its_neighbours_alone) {
  const double p[3] = {0.6, -1e-9, 2}, q[3] = {0.2, 1e-9, 2}, end[3] = {0, 0, 2}, between[3] = {0.3, 1e-9, 2},
               aside[3] = {0.3, 1e-6, 2};
  cr_assert(mb_in_line(p, between, q));
  cr_assert_not(mb_in_line(p, end, q));
  cr_assert_not(mb_in_line(p, aside, q));
}

Test(collide_hulls, random_hulls_prisms_and_boxes_are_as_far_or_deep_as_brute_force_says) {
  uint64_t seed = 42;
  for (int k = 0; k < 200; k++) {
    MbHull *first = made_hull(&seed, 4 + (uint32_t)(8 * test_random(&seed)));
    MbHull *second = k % 2 ? made_prism(3 + (uint32_t)(k % 3), 0.5, 0.3) : made_hull(&seed, 8);
    const MbShape a = mb_shape_hull(first),
                  b = k % 5 ? mb_shape_hull(second) : made_shape(&seed, MB_FORM_BOX);
    const MbPose A = made_pose(&seed, 0.6), B = k % 7 ? made_pose(&seed, 0.6) : A;
    check("hulls", &a, &A, &b, &B);
    mb_hull_free(first), mb_hull_free(second);
  }
}

// Sizes are powers of two, so that all numbers are the same but for their exponents.
Test(collide_hulls, boxes_of_any_size_touch_in_the_same_points) {
  static const double sizes[] = {0x1p-20, 0x1p20};
  uint64_t seed = 77;
  for (int k = 0; k < 3000; k++) {
    double size[2][3];
    for (int e = 0; e < 6; e++) size[e / 3][e % 3] = k % 2 ? 1 : 0.2 + test_random(&seed);
    const MbPose A = made_pose(&seed, 0.5), B = k % 3 ? made_pose(&seed, 1.2) : made_near_pose(&seed, &A);
    MbContactPoint wanted[MB_CONTACT_POINTS], out[MB_CONTACT_POINTS];
    const MbShape a = mb_shape_box(size[0]), b = mb_shape_box(size[1]);
    const int n = mb_collide(&a, &A, &b, &B, 2, wanted);
    for (int s = 0; s < 2; s++) {
      double of_a[3], of_b[3];
      MbPose As = A, Bs = B;
      mb_vec3_scale(of_a, sizes[s], size[0]), mb_vec3_scale(of_b, sizes[s], size[1]);
      mb_vec3_scale(As.p, sizes[s], A.p), mb_vec3_scale(Bs.p, sizes[s], B.p);
      const MbShape c = mb_shape_box(of_a), d = mb_shape_box(of_b);
      const int got = mb_collide(&c, &As, &d, &Bs, 2 * sizes[s], out);
      cr_assert_eq(got, n, "case %d, %g times as large: %d points instead of %d", k, sizes[s], got, n);
      for (int i = 0; i < n; i++)
        cr_assert(out[i].gap == sizes[s] * wanted[i].gap && out[i].feature_a == wanted[i].feature_a,
                  "case %d, %g times as large: point %d has the gap %.17g, not %.17g", k, sizes[s], i,
                  out[i].gap / sizes[s], wanted[i].gap);
    }
  }
}

Test(collide_hulls, a_box_on_a_box_rests_on_the_corners_of_what_they_share) {
  const MbShape a = mb_shape_box((double[]){2, 2, 1}), b = mb_shape_box((double[]){1, 1, 1});
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  mb_vec3_set(B.p, 0.75, 0, 0.999);
  cr_assert_eq(made_collide(&a, &A, &b, &B, 0, out), 4);
  double low[2] = {1, 1}, high[2] = {-1, -1};
  for (int i = 0; i < 4; i++) {
    test_near("normal", out[i].normal, (double[]){0, 0, 1}, 3, 0);
    cr_assert(fabs(out[i].gap + 1e-3) < 1e-15 && fabs(out[i].position[2] - 0.4995) < 1e-15);
    for (int k = 0; k < 2; k++)
      low[k] = fmin(low[k], out[i].position[k]), high[k] = fmax(high[k], out[i].position[k]);
  }
  test_near("low", low, (double[]){0.25, -0.5}, 2, 1e-15);
  test_near("high", high, (double[]){1, 0.5}, 2, 1e-15);

  // features do not change as it is moved a little, and normals turn with the order
  MbContactPoint later[MB_CONTACT_POINTS];
  mb_vec3_set(B.p, 0.76, 0.01, 0.9985);
  cr_assert_eq(made_collide(&a, &A, &b, &B, 0, later), 4);
  for (int i = 0; i < 4; i++) {
    bool found = false;
    for (int k = 0; k < 4; k++)
      found |= out[i].feature_a == later[k].feature_a && out[i].feature_b == later[k].feature_b;
    cr_assert(found, "point %d has another feature", i);
  }
}

Test(collide_hulls, boxes_in_one_another_and_in_the_same_place_give_their_depth) {
  const MbShape a = mb_shape_box((double[]){2, 3, 4}), b = mb_shape_box((double[]){0.2, 0.2, 0.2});
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  cr_assert(made_collide(&a, &A, &a, &A, 0, out) > 0);
  cr_assert(fabs(out[0].gap + 2) < 1e-15);
  mb_vec3_set(B.p, 0, 1, 0.5);
  cr_assert_eq(made_collide(&a, &A, &b, &B, 0, out), 4);
  cr_assert(fabs(out[0].gap + 0.6) < 1e-15);
  test_near("normal", out[0].normal, (double[]){0, 1, 0}, 3, 1e-15);
}

Test(collide_hulls, crossed_edges_touch_in_one_point) {
  const MbShape box = mb_shape_box((double[]){1, 1, 1});
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  const double eighth = acos(0.0) / 2;
  mb_quat_exp(A.q, (double[]){eighth, 0, 0});
  mb_quat_exp(B.q, (double[]){0, eighth, 0});
  mb_vec3_set(B.p, 0.1, 0.2, sqrt(2) - 1e-3);
  cr_assert_eq(made_collide(&box, &A, &box, &B, 0, out), 1);
  test_near("normal", out[0].normal, (double[]){0, 0, 1}, 3, 1e-15);
  test_near("position", out[0].position, (double[]){0.1, 0, sqrt(0.5) - 5e-4}, 3, 1e-15);
  cr_assert(fabs(out[0].gap + 1e-3) < 1e-15);
}

// The cube's planes are known by its axes, a hull's are looked for.
Test(collide_hulls, a_box_is_as_far_from_a_box_as_the_hull_of_its_corners) {
  uint64_t seed = 47;
  for (int k = 0; k < 4000; k++) {
    const MbShape a = made_shape(&seed, MB_FORM_BOX), b = made_shape(&seed, MB_FORM_BOX);
    double corner[24];
    for (uint32_t i = 0; i < 8; i++) mb_shape_vertex(corner + 3 * i, &b, i);
    MbHull *hull;
    cr_assert_eq(mb_hull_make(&hull, 8, corner, 6, mb_hull_cube.first, mb_hull_cube.corner), MB_HULL_SOUND);
    const MbShape same = mb_shape_hull(hull);
    const MbPose A = made_pose(&seed, 0.7), B = k % 2 ? made_pose(&seed, 0.7) : made_near_pose(&seed, &A);
    MbContactPoint box[MB_CONTACT_POINTS], other[MB_CONTACT_POINTS];
    const double within = k % 3 ? INFINITY : 0.1;
    const int n = made_collide(&a, &A, &b, &B, within, box);
    cr_assert_eq(n > 0, made_collide(&a, &A, &same, &B, within, other) > 0);
    if (n) cr_assert(fabs(box[0].gap - other[0].gap) < 1e-13, "%.17g, %.17g", box[0].gap, other[0].gap);
    mb_hull_free(hull);
  }
}

static MbPlaced placed(const MbShape *shape, const MbPose *E) {
  MbPlaced made = {.shape = shape};
  mb_vec3_copy(made.p, E->p);
  mb_quat_to_mat3(made.R, E->q);
  return made;
}

Test(collide_hulls, hulls_of_many_edges_are_as_far_as_the_highest_gap_of_all_directions) {
  uint64_t seed = 48;
  for (int k = 0; k < 60; k++) {
    MbHull *first = made_hull(&seed, 24), *second = made_hull(&seed, k % 2 ? 24 : 6);
    cr_assert(first->edges > 64);
    const MbShape a = mb_shape_hull(first), b = mb_shape_hull(second);
    const MbPose A = made_pose(&seed, 0.2), B = made_pose(&seed, 1.5);
    MbContactPoint out[MB_CONTACT_POINTS];
    const int n = made_collide(&a, &A, &b, &B, INFINITY, out);
    const MbPlaced pa = placed(&a, &A), pb = placed(&b, &B);
    MbConvexPair pair;
    MbConvexGap gap;
    mb_convex_pair(&pair, &pa, &pb);
    cr_assert(n > 0 && mb_convex_gap(&pair, INFINITY, &gap));
    cr_assert(fabs(out[0].gap - gap.gap) < 1e-12, "%.17g, %.17g", out[0].gap, gap.gap);
    mb_hull_free(first), mb_hull_free(second);
  }
}

// A capsule's axis is a hull of two vertices and an edge.
static void check_capsule(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B) {
  const double ends[6] = {0, 0, -a->half, 0, 0, a->half};
  const MbHullEdge edge = {.from = 0, .to = 1};
  const MbHull hull = {.vertices = 2, .edges = 1, .vertex = ends, .edge = &edge};
  const MbShape axis = mb_shape_hull(&hull);
  const double wanted = signed_distance(&axis, A, b, B) - a->radius;
  MbContactPoint out[MB_CONTACT_POINTS];
  const int n = made_collide(a, A, b, B, INFINITY, out);
  cr_assert(n > 0);
  cr_assert(fabs(out[0].gap - wanted) < 1e-12, "gap %.17g, wanted %.17g", out[0].gap, wanted);
  for (int i = 0; i < n; i++) {
    if (wanted > -a->radius) made_on_surface(b, B, &out[i], 1, 1e-11);
    for (int k = 0; k < i; k++)
      cr_assert(out[i].feature_a != out[k].feature_a || out[i].feature_b != out[k].feature_b);
  }
  MbPose moved = *B;
  mb_vec3_add_scaled(moved.p, B->p, -out[0].gap, out[0].normal);
  const double left = signed_distance(&axis, A, b, &moved) - a->radius;
  // where the axis all but touches the surface the poses do not tell the normal better than to 1e-8
  const double tolerance = fabs(wanted + a->radius) < 1e-6 ? 2e-8 : 1e-12;
  cr_assert(fabs(left) < tolerance, "%g is left of %g", left, wanted);
}

Test(collide_hulls, capsules_are_as_far_from_boxes_and_hulls_or_as_deep_as_brute_force_says) {
  uint64_t seed = 43;
  for (int k = 0; k < 4000; k++) {
    MbHull *hull = made_hull(&seed, 4 + (uint32_t)(8 * test_random(&seed)));
    const MbShape a = made_shape(&seed, MB_FORM_CAPSULE);
    const MbShape b = k % 2 ? mb_shape_hull(hull) : made_shape(&seed, MB_FORM_BOX);
    const MbPose A = k % 3 ? made_pose(&seed, 0.7) : made_aligned_pose(&seed);
    const MbPose B = k % 3 == 1 ? made_pose(&seed, 0.7)
                     : k % 3    ? made_near_pose(&seed, &A)
                                : made_aligned_pose(&seed);
    check_capsule(&a, &A, &b, &B);
    mb_hull_free(hull);
  }
}

Test(collide_hulls, a_capsule_that_lies_on_a_box_has_two_points) {
  const MbShape capsule = mb_shape_capsule(0.1, 2), box = mb_shape_box((double[]){2, 2, 1});
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  mb_quat_exp(A.q, (double[]){0, acos(0.0), 0});
  mb_vec3_set(A.p, 0.5, 0.2, 0.599);
  cr_assert_eq(made_collide(&capsule, &A, &box, &B, 0, out), 2);
  const double x[2] = {fmin(out[0].position[0], out[1].position[0]),
                       fmax(out[0].position[0], out[1].position[0])};
  test_near("ends", x, (double[]){-0.5, 1}, 2, 1e-15);
  for (int i = 0; i < 2; i++) {
    test_near("normal", out[i].normal, (double[]){0, 0, -1}, 3, 1e-15);
    cr_assert(fabs(out[i].gap + 1e-3) < 1e-15);
  }
}

// Two boxes turned about y by α and −β meet at two edges, with a gap or depth that is rounding or what a solver leaves: the directions that
// leave them apart are those from one's face, α below x, to the other's, β above it.
Test(collide_hulls, edges_that_lie_along_one_another_push_in_the_middle_of_what_their_faces_leave_open) {
  static const double gaps[] = {0, 1e-16, -1e-16, 3e-13, -3e-13, 1e-9, -1e-9};
  const MbShape card = mb_shape_box((double[]){0.2, 1, 2});
  for (int k = 0; k < 40; k++)
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
      const double alpha = 0.05 + 0.03 * (k % 8), beta = 0.05 + 0.07 * (k / 8), shift = 0.1 * (k % 5);
      MbPose A = {.q = {cos(alpha / 2), 0, sin(alpha / 2), 0}},
             B = {.q = {cos(beta / 2), 0, -sin(beta / 2), 0}};
      double x[3], y[3];
      mb_quat_rotate(x, A.q, (double[]){0.1, 0, 1});
      mb_quat_rotate(y, B.q, (double[]){-0.1, shift, 1});
      mb_vec3_sub(B.p, x, y);
      B.p[0] += gaps[g], B.p[1] = shift;
      const double middle = (alpha - beta) / 2, n[3] = {cos(middle), 0, -sin(middle)};
      MbContactPoint out[MB_CONTACT_POINTS];
      cr_assert_eq(made_collide(&card, &A, &card, &B, 1e-3, out), 2);
      for (int i = 0; i < 2; i++) {
        test_near("normal", out[i].normal, n, 3, 1e-9);
        cr_expect(fabs(out[i].gap - n[0] * gaps[g]) < 1e-14, "%g for %g", out[i].gap, n[0] * gaps[g]);
        cr_expect(fabs(out[i].position[1] - shift / 2) > (1 - shift) / 2 - 1e-9);
      }
    }
}
