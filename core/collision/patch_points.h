// Points of a patch, and which four of them stand for it, for processors and devices alike (patch.h has them as functions).
#ifndef MB_COLLISION_PATCH_POINTS_H
#define MB_COLLISION_PATCH_POINTS_H

#include "core/collision/patch.h"

#define MB_HALF_TURN 3.14159265358979323846

MB_INLINE void mb_across_of(double t[3], const double n[3]) {
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  const double e[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
  mb_vec3_cross(t, n, e);
  mb_vec3_scale(t, 1 / mb_vec3_norm(t), t);
}

MB_INLINE bool mb_in_line_of(const double p[3], const double x[3], const double q[3]) {
  const double in_line = 1e-6;
  double d[3], e[3], c[3];
  mb_vec3_sub(d, x, p);
  mb_vec3_sub(e, q, p);
  mb_vec3_cross(c, d, e);
  const double far = mb_vec3_dot(e, e), along = mb_vec3_dot(d, e);
  return along >= 0 && along <= far && mb_vec3_dot(c, c) <= in_line * in_line * far * far;
}

// Twice the signed area of the triangle p, q, x about n.
MB_INLINE double mb_patch_area(const double n[3], const double p[3], const double q[3], const double x[3]) {
  double u[3], v[3], c[3];
  mb_vec3_sub(u, q, p);
  mb_vec3_sub(v, x, p);
  mb_vec3_cross(c, u, v);
  return mb_vec3_dot(c, n);
}

MB_INLINE double mb_patch_off(const double n[3], const double p[3], const double x[3]) {
  double d[3];
  mb_vec3_sub(d, x, p);
  mb_vec3_add_scaled(d, d, -mb_vec3_dot(d, n), n);
  return mb_vec3_norm(d);
}

// How far, across the normal, point x is out as the next one where `taken` are chosen: from the first, from the line through the first two,
// from the side of the triangle of three that it is beyond.
MB_INLINE double mb_patch_out(const MbContactPoint *point, int taken, const double *x) {
  const double *n = point[0].normal, *p = point[0].position, *q = point[1].position;
  if (taken == 1) return mb_patch_off(n, p, x);
  const double base = mb_patch_off(n, p, q);
  if (!(base > 0)) return mb_patch_off(n, p, x);
  if (taken == 2) return fabs(mb_patch_area(n, p, q, x)) / base;
  // outside the triangle one of the three is below 0, by what x adds
  const double *r = point[2].position, sign = mb_patch_area(n, p, q, r) < 0 ? -1 : 1;
  return -fmin(sign * mb_patch_area(n, p, q, x),
               fmin(sign * mb_patch_area(n, q, r, x), sign * mb_patch_area(n, r, p, x))) /
         base;
}

// What point x is worth as the next one. What is fast has points on all its sides that may touch within the step: one that lies farther from
// the other surface than the deepest is worth less by that, or the upper corners of what slides would stand for its lower ones.
MB_COLLIDE_ASIDE double mb_patch_worth(const MbContactPoint *point, int taken, const MbContactPoint *x) {
  return mb_patch_out(point, taken, x->position) - (x->gap - point[0].gap);
}

// Of more than four points the first is one of the deepest: by less than this share of their distances another one is not deeper, so that what
// lies flat but for what a solver leaves has the same four points in every step.
#define MB_PATCH_LEVEL 1e-9

MB_INLINE double mb_patch_distance(const MbContactPoint *p, const MbContactPoint *q) {
  double d[3];
  mb_vec3_sub(d, p->position, q->position);
  return mb_vec3_norm(d);
}

// Of those that are as deep the farthest from the first of them. That is a corner of what they span; one between two corners, where edges
// that lie along one another cross by rounding, would be in a corner's place.
MB_COLLIDE_ASIDE int mb_patch_deepest(const MbPatch *patch, double same) {
  const MbContactPoint *point = patch->point;
  double least = INFINITY, most = 0;
  for (int i = 0; i < patch->n; i++) least = fmin(least, point[i].gap);
  int first = 0;
  while (point[first].gap > least + same) first++;
  int best = first;
  for (int i = first + 1; i < patch->n; i++) {
    if (!(point[i].gap <= least + same)) continue;
    const double far = mb_patch_distance(&point[i], &point[first]);
    if (far > most * (1 + 1e-9)) best = i, most = far;
  }
  return best;
}

MB_INLINE double mb_patch_spread(const MbPatch *patch) {
  double most = 0;
  for (int i = 1; i < patch->n; i++) most = fmax(most, mb_patch_distance(&patch->point[i], &patch->point[0]));
  return most;
}

// The point worth most as the next one. What is as good as one before it but for rounding does not take its place.
MB_COLLIDE_ASIDE int mb_patch_next(const MbPatch *patch, int taken, double same) {
  int best = taken;
  double most = mb_patch_worth(patch->point, taken, &patch->point[taken]);
  for (int i = taken + 1; i < patch->n; i++) {
    const double w = mb_patch_worth(patch->point, taken, &patch->point[i]);
    if (w > most + same) best = i, most = w;
  }
  return best;
}

MB_COLLIDE_ASIDE void mb_patch_swap(MbPatch *patch, int place, int i) {
  const MbContactPoint swap = patch->point[place];
  patch->point[place] = patch->point[i], patch->point[i] = swap;
}

MB_COLLIDE_ASIDE void mb_patch_reduce_of(MbPatch *patch) {
  if (patch->n > MB_PATCH_POINTS) {
    const double same = MB_PATCH_LEVEL * mb_patch_spread(patch);
    mb_patch_swap(patch, 0, mb_patch_deepest(patch, same));
    for (int taken = 1; taken < MB_PATCH_POINTS; taken++)
      mb_patch_swap(patch, taken, mb_patch_next(patch, taken, same));
    patch->n = MB_PATCH_POINTS;
  }
  // of four or fewer all stay
  if (patch->n) mb_patch_swap(patch, 0, mb_patch_deepest(patch, 0));
}

MB_COLLIDE_ASIDE void mb_patch_add_of(MbPatch *patch, const double on_a[3], const double normal[3],
                                      double gap, uint32_t feature_a, uint32_t feature_b) {
  if (!(gap < patch->within)) return;
  if (patch->n == patch->room) patch->spilled = true, mb_patch_reduce_of(patch);
  MbContactPoint *point = &patch->point[patch->n++];
  mb_vec3_add_scaled(point->position, on_a, gap / 2, normal);
  mb_vec3_copy(point->normal, normal);
  point->gap = gap, point->feature_a = feature_a, point->feature_b = feature_b;
}

#endif
