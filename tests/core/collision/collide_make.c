#include "tests/core/collision/collide_make.h"

#include <math.h>
#include <string.h>

MbPose made_pose(uint64_t *seed, double reach) {
  MbPose E;
  for (int k = 0; k < 3; k++) E.p[k] = reach * (2 * test_random(seed) - 1);
  do
    for (int k = 0; k < 4; k++) E.q[k] = 2 * test_random(seed) - 1;
  while (fabs(E.q[0]) + fabs(E.q[1]) + fabs(E.q[2]) + fabs(E.q[3]) < 0.1);
  mb_quat_normalise(E.q);
  return E;
}

MbPose made_aligned_pose(uint64_t *seed) {
  MbPose E;
  mb_pose_identity(&E);
  for (int k = 0; k < 3; k++) {
    E.p[k] = 0.5 * floor(5 * test_random(seed) - 2);
    const double s = sqrt(0.5), quarter[4] = {s, k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0};
    for (int turns = (int)(4 * test_random(seed)); turns > 0; turns--) mb_quat_mul(E.q, E.q, quarter);
  }
  mb_quat_normalise(E.q);
  return E;
}

MbPose made_near_pose(uint64_t *seed, const MbPose *E) {
  MbPose turned = *E;
  const double angle = pow(10, -16 * test_random(seed));
  double w[3], q[4];
  for (int k = 0; k < 3; k++) {
    w[k] = angle * (2 * test_random(seed) - 1);
    turned.p[k] += (test_random(seed) < 0.5 ? angle : 1) * (2 * test_random(seed) - 1);
  }
  mb_quat_exp(q, w);
  mb_quat_mul(turned.q, q, E->q);
  mb_quat_normalise(turned.q);
  return turned;
}

MbShape made_shape(uint64_t *seed, MbForm form) {
  double size[3];
  for (int k = 0; k < 3; k++) size[k] = 0.2 + test_random(seed);
  switch (form) {
  case MB_FORM_PLANE:
    return mb_shape_plane();
  case MB_FORM_SPHERE:
    return mb_shape_sphere(size[0]);
  case MB_FORM_CAPSULE:
    return mb_shape_capsule(size[0], size[1]);
  case MB_FORM_CYLINDER:
    return mb_shape_cylinder(size[0], size[1]);
  case MB_FORM_ELLIPSOID:
    return mb_shape_ellipsoid(size);
  default:
    return mb_shape_box(size);
  }
}

static void check_point(const MbContactPoint *point, double within) {
  for (int k = 0; k < 3; k++) cr_assert(isfinite(point->position[k]));
  cr_assert(fabs(mb_vec3_norm(point->normal) - 1) < 1e-14, "normal of length %.17g",
            mb_vec3_norm(point->normal));
  cr_assert(point->gap < within, "gap %.17g is not below %.17g", point->gap, within);
}

int made_collide(const MbShape *a, const MbPose *Ea, const MbShape *b, const MbPose *Eb, double within,
                 MbContactPoint out[MB_CONTACT_POINTS]) {
  const int n = mb_collide(a, Ea, b, Eb, within, out);
  cr_assert(n >= 0 && n <= MB_CONTACT_POINTS);
  for (int i = 0; i < n; i++) {
    check_point(&out[i], within);
    cr_assert(out[0].gap <= out[i].gap);
  }
  if (a->form == b->form) return n;
  MbContactPoint back[MB_CONTACT_POINTS];
  cr_assert_eq(mb_collide(b, Eb, a, Ea, within, back), n);
  for (int i = 0; i < n; i++) {
    cr_assert(back[i].gap == out[i].gap && back[i].feature_a == out[i].feature_b);
    for (int k = 0; k < 3; k++) cr_assert(back[i].normal[k] == -out[i].normal[k]);
  }
  return n;
}

void made_on_surface(const MbShape *shape, const MbPose *E, const MbContactPoint *point, double side,
                     double tolerance) {
  double x[3], d[3], normal[3];
  uint32_t feature;
  mb_vec3_add_scaled(x, point->position, side * point->gap / 2, point->normal);
  mb_vec3_sub(d, x, E->p);
  mb_quat_unrotate(d, E->q, d);
  const double off = mb_shape_distance(shape, d, normal, &feature);
  cr_assert(fabs(off) < tolerance, "a surface's point is off by %g (form %d)", off, (int)shape->form);
}
