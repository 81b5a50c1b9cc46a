// Convex shapes as sums of a core's vertices and what is round, for processors and devices alike (convex.h).
#ifndef MB_COLLISION_CONVEX_SHAPE_H
#define MB_COLLISION_CONVEX_SHAPE_H

#include "core/collision/convex.h"
#include "core/math/mat3.h"

MB_INLINE uint32_t mb_convex_vertices(const MbShape *shape) {
  switch (shape->form) {
  case MB_FORM_BOX:
  case MB_FORM_HULL:
    return shape->hull->vertices;
  case MB_FORM_CAPSULE:
  case MB_FORM_CYLINDER:
    return 2;
  default:
    return 1;
  }
}

MB_INLINE void mb_convex_vertex(double x[3], const MbShape *shape, uint32_t i) {
  if (shape->hull)
    mb_shape_vertex(x, shape, i);
  else
    mb_vec3_set(x, 0, 0, mb_convex_vertices(shape) == 1 ? 0 : i ? shape->half : -shape->half);
}

// The core's vertex highest along n (a direction of the world), the first of equals.
MB_INLINE uint32_t mb_convex_highest(const MbPlaced *a, const double n[3]) {
  const MbShape *shape = a->shape;
  double m[3], x[3], most = -INFINITY;
  mb_mat3_tapply(m, a->R, n);
  // vertex i of a box is at −1 or 1 along x, y, z as bits 0, 1, 2 of i say
  if (shape->form == MB_FORM_BOX) return (m[0] > 0 ? 1u : 0u) | (m[1] > 0 ? 2u : 0u) | (m[2] > 0 ? 4u : 0u);
  if (!shape->hull) return mb_convex_vertices(shape) == 2 && m[2] > 0 ? 1 : 0;
  uint32_t best = 0;
  for (uint32_t i = 0; i < shape->hull->vertices; i++) {
    mb_shape_vertex(x, shape, i);
    const double h = mb_vec3_dot(m, x);
    if (h > most) most = h, best = i;
  }
  return best;
}

MB_COLLIDE_ASIDE void mb_convex_locate(const MbConvexPair *pair, MbCorner *corner) {
  double x[3], y[3];
  mb_convex_vertex(x, pair->a->shape, corner->a);
  mb_convex_vertex(y, pair->b->shape, corner->b);
  mb_mat3_apply(x, pair->a->R, x);
  mb_mat3_apply(y, pair->b->R, y);
  for (int k = 0; k < 3; k++) corner->w[k] = pair->p[k] + y[k] - x[k];
}

MB_COLLIDE_ASIDE double mb_convex_corner(const MbConvexPair *pair, const double n[3], MbCorner *corner) {
  double back[3];
  mb_vec3_scale(back, -1, n);
  corner->a = mb_convex_highest(pair->a, n), corner->b = mb_convex_highest(pair->b, back);
  mb_convex_locate(pair, corner);
  return mb_vec3_dot(n, corner->w);
}

MB_INLINE void mb_convex_add_round(MbConvexPair *pair, const MbPlaced *of) {
  const MbShape *shape = of->shape;
  if (shape->form == MB_FORM_SPHERE || shape->form == MB_FORM_CAPSULE) pair->ball += shape->radius;
  if (shape->form != MB_FORM_CYLINDER && shape->form != MB_FORM_ELLIPSOID) return;
  MbRound *round = &pair->round[pair->rounds++];
  round->disk = shape->form == MB_FORM_CYLINDER, round->radius = shape->radius, round->of = of;
  mb_vec3_set(round->axis, of->R[2], of->R[5], of->R[8]);
}

// A length that the shape does not exceed more than threefold.
MB_INLINE double mb_convex_size(const MbShape *shape) {
  double most = shape->radius + shape->half;
  if (shape->form == MB_FORM_ELLIPSOID)
    for (int k = 0; k < 3; k++) most = fmax(most, shape->axes[k]);
  if (!shape->hull) return most;
  double x[3];
  for (uint32_t i = 0; i < shape->hull->vertices; i++) {
    mb_shape_vertex(x, shape, i);
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(x[k]));
  }
  return most;
}

MB_COLLIDE_ASIDE void mb_convex_pair_of(MbConvexPair *pair, const MbPlaced *a, const MbPlaced *b) {
  pair->a = a, pair->b = b, pair->rounds = 0, pair->ball = 0;
  mb_vec3_sub(pair->p, b->p, a->p);
  mb_convex_add_round(pair, a);
  mb_convex_add_round(pair, b);
  pair->size = mb_convex_size(a->shape) + mb_convex_size(b->shape);
}

MB_COLLIDE_ASIDE double mb_round_reach(const MbRound *round, const double n[3], double gradient[3]) {
  if (round->disk) {
    double across[3];
    mb_vec3_add_scaled(across, n, -mb_vec3_dot(n, round->axis), round->axis);
    // once more, for what rounding has left along the axis of a vector that is all but along it
    mb_vec3_add_scaled(across, across, -mb_vec3_dot(across, round->axis), round->axis);
    const double size = mb_vec3_norm(across);
    if (!(size > 1e-15)) {
      mb_vec3_set(gradient, 0, 0, 0);
      return 0;
    }
    mb_vec3_scale(gradient, round->radius / size, across);
    return round->radius * size;
  }
  const double *e = round->of->shape->axes, *R = round->of->R;
  double u[3];
  mb_mat3_tapply(u, R, n);
  for (int k = 0; k < 3; k++) u[k] *= e[k];
  const double reach = mb_vec3_norm(u);
  for (int k = 0; k < 3; k++) u[k] *= e[k] / reach;
  mb_mat3_apply(gradient, R, u);
  return reach;
}

MB_COLLIDE_ASIDE double mb_round_bend(const MbRound *round, const double n[3], const double t[3],
                                      const double u[3]) {
  double g[3], tQu;
  const double reach = mb_round_reach(round, n, g);
  if (!(reach > 0)) return 0;
  if (round->disk) {
    const double *a = round->axis, r = round->radius;
    tQu = r * r * (mb_vec3_dot(t, u) - mb_vec3_dot(t, a) * mb_vec3_dot(u, a));
  } else {
    const double *e = round->of->shape->axes;
    double x[3], y[3];
    mb_mat3_tapply(x, round->of->R, t);
    mb_mat3_tapply(y, round->of->R, u);
    tQu = 0;
    for (int k = 0; k < 3; k++) tQu += e[k] * e[k] * x[k] * y[k];
  }
  return (tQu - mb_vec3_dot(t, g) * mb_vec3_dot(u, g)) / reach;
}

MB_COLLIDE_ASIDE double mb_convex_height(const MbConvexPair *pair, const double w[3], const double n[3],
                                         double gradient[3]) {
  double g[3], height = mb_vec3_dot(n, w);
  mb_vec3_copy(gradient, w);
  for (int i = 0; i < pair->rounds; i++) {
    height -= mb_round_reach(&pair->round[i], n, g);
    mb_vec3_sub(gradient, gradient, g);
  }
  return height;
}

#endif
