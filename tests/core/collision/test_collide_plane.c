// A plane and every other shape, against the support function and against where shapes lie flat.
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include <math.h>

// How far the shape reaches along the direction m of its own axes.
static double reach(const MbShape *shape, const double m[3]) {
  const double *e = shape->axes, across = hypot(m[0], m[1]);
  double most = -INFINITY, x[3];
  switch (shape->form) {
  case MB_FORM_SPHERE:
    return shape->radius;
  case MB_FORM_CAPSULE:
    return shape->half * fabs(m[2]) + shape->radius;
  case MB_FORM_CYLINDER:
    return shape->half * fabs(m[2]) + shape->radius * across;
  case MB_FORM_ELLIPSOID:
    return hypot(hypot(e[0] * m[0], e[1] * m[1]), e[2] * m[2]);
  case MB_FORM_BOX:
    return e[0] * fabs(m[0]) + e[1] * fabs(m[1]) + e[2] * fabs(m[2]);
  default:
    for (uint32_t i = 0; i < shape->hull->vertices; i++) {
      mb_shape_vertex(x, shape, i);
      most = fmax(most, mb_vec3_dot(x, m));
    }
    return most;
  }
}

static void check(const MbShape *shape, const MbPose *plane, const MbPose *E) {
  const MbShape ground = mb_shape_plane();
  double n[3], m[3], d[3];
  mb_quat_rotate(n, plane->q, (double[]){0, 0, 1});
  mb_quat_unrotate(m, E->q, (double[]){-n[0], -n[1], -n[2]});
  mb_vec3_sub(d, E->p, plane->p);
  const double wanted = mb_vec3_dot(d, n) - reach(shape, m);
  MbContactPoint out[MB_CONTACT_POINTS];
  const int count = made_collide(&ground, plane, shape, E, INFINITY, out);
  cr_assert(count > 0);
  cr_assert(fabs(out[0].gap - wanted) < 1e-12, "form %d: gap %.17g, wanted %.17g", (int)shape->form,
            out[0].gap, wanted);
  for (int i = 0; i < count; i++) {
    test_near("normal", out[i].normal, n, 3, 1e-14);
    made_on_surface(&ground, plane, &out[i], -1, 1e-12);
    // of a capsule's upper end the ball is met, inside the capsule
    if (i == 0 || shape->form != MB_FORM_CAPSULE) made_on_surface(shape, E, &out[i], 1, 1e-12);
    for (int k = 0; k < i; k++) cr_assert_neq(out[i].feature_b, out[k].feature_b);
  }
  cr_assert_eq(mb_collide(&ground, plane, shape, E, wanted - 1e-9, out), 0);
}

Test(collide_plane, every_shape_reaches_as_low_as_its_support_says) {
  uint64_t seed = 21;
  MbHull *hull = made_hull(&seed, 20);
  for (int k = 0; k < 30000; k++) {
    const MbForm form = (MbForm)(MB_FORM_SPHERE + k % 6);
    const MbShape shape = form == MB_FORM_HULL ? mb_shape_hull(hull) : made_shape(&seed, form);
    const bool aligned = k % 3 == 0;
    const MbPose plane = aligned ? made_aligned_pose(&seed) : made_pose(&seed, 3);
    const MbPose E = aligned ? made_aligned_pose(&seed) : made_pose(&seed, 3);
    check(&shape, &plane, &E);
  }
  mb_hull_free(hull);
}

// The area that points of a patch span, in order around their middle.
static double spanned(const MbContactPoint *p, int n) {
  double most = 0;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++) {
          const double u[2] = {p[c].position[0] - p[a].position[0], p[c].position[1] - p[a].position[1]};
          const double v[2] = {p[d].position[0] - p[b].position[0], p[d].position[1] - p[b].position[1]};
          most = fmax(most, fabs(u[0] * v[1] - u[1] * v[0]) / 2);
        }
  return most;
}

Test(collide_plane, what_lies_flat_rests_on_all_of_its_base) {
  const MbShape ground = mb_shape_plane();
  MbPose plane, E;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&plane);
  mb_pose_identity(&E);
  E.p[2] = 0.5 - 1e-3;

  const MbShape box = mb_shape_box((double[]){1, 2, 1});
  cr_assert_eq(made_collide(&ground, &plane, &box, &E, 0, out), 4);
  cr_assert(fabs(spanned(out, 4) - 2) < 1e-12);

  const MbShape cylinder = mb_shape_cylinder(0.5, 1);
  cr_assert_eq(made_collide(&ground, &plane, &cylinder, &E, 0, out), 4);
  cr_assert(fabs(spanned(out, 4) - 0.5) < 1e-12);

  // four of eight: the best that four corners of an octagon can do is the square
  MbHull *prism = made_prism(8, 0.5, 0.5);
  const MbShape hull = mb_shape_hull(prism);
  cr_assert_eq(made_collide(&ground, &plane, &hull, &E, 0, out), 4);
  cr_assert(fabs(spanned(out, 4) - 0.5) < 1e-12);
  for (int i = 0; i < 4; i++) cr_assert(fabs(out[i].gap + 1e-3) < 1e-15);
  mb_hull_free(prism);
  prism = made_prism(24, 0.5, 0.5);
  const MbShape round = mb_shape_hull(prism);
  cr_assert_eq(made_collide(&ground, &plane, &round, &E, 0, out), 4);
  cr_assert(fabs(spanned(out, 4) - 0.5) < 1e-12);
  mb_hull_free(prism);

  // lying on their sides
  const double s = sqrt(0.5);
  E.q[0] = E.q[1] = s, E.q[2] = E.q[3] = 0;
  cr_assert_eq(made_collide(&ground, &plane, &cylinder, &E, 0, out), 2);
  const MbShape capsule = mb_shape_capsule(0.5, 1);
  cr_assert_eq(made_collide(&ground, &plane, &capsule, &E, 0, out), 2);
  cr_assert(fabs(fabs(out[0].position[1] - out[1].position[1]) - 1) < 1e-12);
}

Test(collide_plane, a_patch_of_many_points_keeps_the_deepest_and_is_the_same_each_time) {
  const MbShape ground = mb_shape_plane();
  MbHull *prism = made_prism(24, 0.5, 0.5);
  const MbShape hull = mb_shape_hull(prism);
  uint64_t seed = 23;
  MbPose plane;
  mb_pose_identity(&plane);
  for (int k = 0; k < 2000; k++) {
    const MbPose E = made_pose(&seed, 0.5);
    MbContactPoint out[MB_CONTACT_POINTS], again[MB_CONTACT_POINTS];
    const int n = made_collide(&ground, &plane, &hull, &E, 0, out);
    memset(again, 1, sizeof again);
    cr_assert_eq(mb_collide(&ground, &plane, &hull, &E, 0, again), n);
    for (int i = 0; i < n; i++) {
      cr_assert_eq(out[i].feature_b, again[i].feature_b);
      cr_assert_arr_eq(out[i].position, again[i].position, sizeof out[i].position);
    }
  }
  mb_hull_free(prism);
}

// What is fast asks for all that may touch within a step: its upper side as well, where it is thin.
Test(collide_plane, the_points_of_what_lies_flat_are_its_lower_ones_however_far_is_looked) {
  const MbShape ground = mb_shape_plane();
  const MbShape flat[] = {mb_shape_box((double[]){0.06, 0.09, 0.002}), mb_shape_cylinder(0.02, 0.002),
                          mb_shape_box((double[]){1, 1, 1})};
  for (size_t k = 0; k < sizeof flat / sizeof *flat; k++) {
    const double half = k == 2 ? 0.5 : 0.001;
    const MbPose plane = {.q = {1, 0, 0, 0}}, E = {.q = {1, 0, 0, 0}, .p = {3, -2, half}};
    MbContactPoint out[MB_CONTACT_POINTS];
    cr_assert_eq(made_collide(&ground, &plane, &flat[k], &E, 10, out), 4);
    for (int i = 0; i < 4; i++) cr_expect(fabs(out[i].gap) < 1e-14, "shape %zu: a gap of %g", k, out[i].gap);
  }
}
