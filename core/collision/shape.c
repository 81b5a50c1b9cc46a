// The shapes.
#include "core/collision/shape_distance.h"

MbShape mb_shape_plane(void) { return (MbShape){.form = MB_FORM_PLANE}; }
MbShape mb_shape_sphere(double radius) { return (MbShape){.form = MB_FORM_SPHERE, .radius = radius}; }
MbShape mb_shape_capsule(double radius, double length) {
  return (MbShape){.form = MB_FORM_CAPSULE, .radius = radius, .half = length / 2};
}
MbShape mb_shape_cylinder(double radius, double length) {
  return (MbShape){.form = MB_FORM_CYLINDER, .radius = radius, .half = length / 2};
}
MbShape mb_shape_ellipsoid(const double radii[3]) {
  return (MbShape){.form = MB_FORM_ELLIPSOID, .axes = {radii[0], radii[1], radii[2]}};
}
MbShape mb_shape_box(const double size[3]) {
  return (MbShape){
      .form = MB_FORM_BOX, .axes = {size[0] / 2, size[1] / 2, size[2] / 2}, .hull = &mb_hull_cube};
}
MbShape mb_shape_hull(const MbHull *hull) {
  return (MbShape){.form = MB_FORM_HULL, .axes = {1, 1, 1}, .hull = hull};
}

MbShape mb_shape_mesh(const MbSkin *surface) {
  return (MbShape){.form = MB_FORM_MESH, .axes = {1, 1, 1}, .surface = surface};
}

double mb_shape_distance(const MbShape *shape, const double x[3], double normal[3], uint32_t *feature) {
  return mb_shape_distance_of(shape, x, normal, feature);
}
