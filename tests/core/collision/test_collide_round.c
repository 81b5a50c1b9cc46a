// Spheres against the others, and capsules against one another: closed forms, and searches in longer numbers.
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include "core/base/alloc.h"

#include <math.h>

Test(collide_round, a_sphere_is_as_far_as_its_centre_less_its_radius) {
  uint64_t seed = 31;
  MbHull *hull = made_hull(&seed, 16);
  for (int k = 0; k < 30000; k++) {
    const MbForm form = (MbForm)(MB_FORM_SPHERE + k % 6);
    const MbShape ball = made_shape(&seed, MB_FORM_SPHERE),
                  other = form == MB_FORM_HULL ? mb_shape_hull(hull) : made_shape(&seed, form);
    const MbPose A = k % 3 ? made_pose(&seed, 1.5) : made_aligned_pose(&seed);
    const MbPose B = k % 3 ? made_pose(&seed, 1.5) : made_aligned_pose(&seed);
    double x[3], normal[3];
    uint32_t feature;
    mb_vec3_sub(x, A.p, B.p);
    mb_quat_unrotate(x, B.q, x);
    const double wanted = mb_shape_distance(&other, x, normal, &feature) - ball.radius;
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert_eq(made_collide(&ball, &A, &other, &B, INFINITY, out), 1);
    cr_assert(fabs(out[0].gap - wanted) < 1e-12, "form %d: %.17g, wanted %.17g", (int)form, out[0].gap,
              wanted);
    made_on_surface(&ball, &A, &out[0], -1, 1e-12);
    made_on_surface(&other, &B, &out[0], 1, 1e-12);

    // moved by the gap along the normal they touch
    MbPose moved = B;
    mb_vec3_add_scaled(moved.p, B.p, -out[0].gap, out[0].normal);
    cr_assert_eq(made_collide(&ball, &A, &other, &moved, INFINITY, out), 1);
    cr_assert(fabs(out[0].gap) < 1e-12, "form %d: %g is left", (int)form, out[0].gap);
  }
  mb_hull_free(hull);
}

typedef struct Segment {
  long double p[3], d[3];
} Segment; // p + t d, t from −1 to 1

static Segment segment_of(const MbShape *shape, const MbPose *E) {
  double d[3];
  mb_quat_rotate(d, E->q, (double[]){0, 0, shape->half});
  return (Segment){{E->p[0], E->p[1], E->p[2]}, {d[0], d[1], d[2]}};
}

// The distance from a's point at t to b; convex in t.
static long double to_segment(const Segment *a, long double t, const Segment *b) {
  long double x[3], num = 0, den = 0, sum = 0;
  for (int k = 0; k < 3; k++)
    x[k] = a->p[k] + t * a->d[k] - b->p[k], num += x[k] * b->d[k], den += b->d[k] * b->d[k];
  long double s = den > 0 ? num / den : 0;
  s = s < -1 ? -1 : s > 1 ? 1 : s;
  for (int k = 0; k < 3; k++) sum += (x[k] - s * b->d[k]) * (x[k] - s * b->d[k]);
  return sqrtl(sum);
}

static double searched(const Segment *a, const Segment *b) {
  long double low = -1, high = 1;
  for (int k = 0; k < 160; k++) {
    const long double s = low + (high - low) / 3, t = high - (high - low) / 3;
    if (to_segment(a, s, b) < to_segment(a, t, b))
      high = t;
    else
      low = s;
  }
  const long double inner = to_segment(a, (low + high) / 2, b);
  return (double)fminl(inner, fminl(to_segment(a, -1, b), to_segment(a, 1, b)));
}

Test(collide_round, capsules_are_as_far_as_a_search_finds_however_they_lie) {
  uint64_t seed = 32;
  for (int k = 0; k < 12000; k++) {
    const MbShape a = made_shape(&seed, MB_FORM_CAPSULE), b = made_shape(&seed, MB_FORM_CAPSULE);
    const MbPose A = k % 3 ? made_pose(&seed, 1) : made_aligned_pose(&seed);
    const MbPose B = k % 3 == 0   ? made_aligned_pose(&seed)
                     : k % 3 == 1 ? made_pose(&seed, 1)
                                  : made_near_pose(&seed, &A);
    const Segment p = segment_of(&a, &A), q = segment_of(&b, &B);
    const double wanted = searched(&p, &q) - a.radius - b.radius;
    MbContactPoint out[MB_CONTACT_POINTS];
    const int n = made_collide(&a, &A, &b, &B, INFINITY, out);
    cr_assert(n > 0);
    cr_assert(fabs(out[0].gap - wanted) < 1e-12, "case %d: %.17g, wanted %.17g (%g)", k, out[0].gap, wanted,
              out[0].gap - wanted);
    // moved by the gap along the normal they touch; where the axes all but meet their poses do not tell the normal better than to 1e-8
    const double tolerance = out[0].gap + a.radius + b.radius < 1e-6 ? 2e-8 : 1e-12;
    MbPose moved = B;
    mb_vec3_add_scaled(moved.p, B.p, -out[0].gap, out[0].normal);
    const Segment r = segment_of(&b, &moved);
    const double left = searched(&p, &r) - a.radius - b.radius;
    cr_assert(fabs(left) < tolerance, "case %d: %g is left of %g, %d points, features %u %u", k, left,
              out[0].gap, n, out[0].feature_a, out[0].feature_b);
  }
}

Test(collide_round, capsules_along_one_another_touch_at_both_ends_of_what_they_share) {
  const MbShape a = mb_shape_capsule(0.1, 2), b = mb_shape_capsule(0.2, 1);
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  mb_vec3_set(B.p, 0.29, 0, 0.8);
  for (int turned = 0; turned < 2; turned++) {
    mb_vec3_set(B.q + 1, turned, 0, 0), B.q[0] = !turned;
    cr_assert_eq(made_collide(&a, &A, &b, &B, 0, out), 2);
    const double z[2] = {fmin(out[0].position[2], out[1].position[2]),
                         fmax(out[0].position[2], out[1].position[2])};
    test_near("ends", z, (double[]){0.3, 1}, 2, 1e-15);
    for (int i = 0; i < 2; i++) {
      test_near("normal", out[i].normal, (double[]){1, 0, 0}, 3, 1e-15);
      cr_assert(fabs(out[i].gap + 0.01) < 1e-15);
    }
  }
  // end to end, and across one another: one point
  mb_pose_identity(&B);
  mb_vec3_set(B.p, 0, 0, 1.75);
  cr_assert_eq(made_collide(&a, &A, &b, &B, 0, out), 1);
  test_near("normal", out[0].normal, (double[]){0, 0, 1}, 3, 1e-15);
  mb_vec3_set(B.p, 0.29, 0, 0.3);
  mb_quat_exp(B.q, (double[]){acos(0.0), 0, 0});
  cr_assert_eq(made_collide(&a, &A, &b, &B, 0, out), 1);
  test_near("position", out[0].position, (double[]){0.095, 0, 0.3}, 3, 1e-15);
}

Test(collide_round, axes_that_coincide_meet_or_have_no_length_give_numbers) {
  const MbForm forms[] = {MB_FORM_SPHERE, MB_FORM_CAPSULE, MB_FORM_CYLINDER, MB_FORM_ELLIPSOID, MB_FORM_BOX};
  uint64_t seed = 33;
  for (int k = 0; k < 2000; k++) {
    MbShape a = made_shape(&seed, k % 2 ? MB_FORM_SPHERE : MB_FORM_CAPSULE);
    MbShape b = made_shape(&seed, k % 2 ? forms[k / 2 % 5] : MB_FORM_CAPSULE);
    if (k % 4 == 0) a.half = 0;
    if (k % 8 == 0) b.half = 0;
    const MbPose A = made_pose(&seed, 1), B = k % 3 ? A : made_near_pose(&seed, &A);
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert(made_collide(&a, &A, &b, &B, 0.1, out) >= (k % 3 ? 1 : 0));
  }
}

Test(collide_round, a_query_allocates_nothing) {
  uint64_t seed = 34;
  const int64_t calls = mb_alloc_calls();
  for (int k = 0; k < 490; k++) {
    const MbForm f = (MbForm)(k % 7 % 6), g = (MbForm)(k / 7 % 6);
    const MbShape a = made_shape(&seed, f), b = made_shape(&seed, g);
    const MbPose A = made_pose(&seed, 1), B = made_pose(&seed, 1);
    MbContactPoint out[MB_CONTACT_POINTS];
    mb_collide(&a, &A, &b, &B, 1, out);
  }
  cr_assert_eq(mb_alloc_calls(), calls);
}
