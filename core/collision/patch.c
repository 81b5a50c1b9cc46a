// Points of a patch, and which four of them stand for it.
#include "core/collision/patch.h"

void mb_across(double t[3], const double n[3]) {
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  const double e[3] = {k == 0, k == 1, k == 2};
  mb_vec3_cross(t, n, e);
  mb_vec3_scale(t, 1 / mb_vec3_norm(t), t);
}

bool mb_in_line(const double p[3], const double x[3], const double q[3]) {
  static const double in_line = 1e-6;
  double d[3], e[3], c[3];
  mb_vec3_sub(d, x, p);
  mb_vec3_sub(e, q, p);
  mb_vec3_cross(c, d, e);
  const double far = mb_vec3_dot(e, e), along = mb_vec3_dot(d, e);
  return along >= 0 && along <= far && mb_vec3_dot(c, c) <= in_line * in_line * far * far;
}

void mb_patch_add(MbPatch *patch, const double on_a[3], const double normal[3], double gap,
                  uint32_t feature_a, uint32_t feature_b) {
  if (!(gap < patch->within)) return;
  if (patch->n == MB_PATCH_ROOM) mb_patch_reduce(patch);
  MbContactPoint *point = &patch->point[patch->n++];
  mb_vec3_add_scaled(point->position, on_a, gap / 2, normal);
  mb_vec3_copy(point->normal, normal);
  point->gap = gap, point->feature_a = feature_a, point->feature_b = feature_b;
}

// Twice the signed area of the triangle p, q, x about n.
static double area(const double n[3], const double p[3], const double q[3], const double x[3]) {
  double u[3], v[3], c[3];
  mb_vec3_sub(u, q, p);
  mb_vec3_sub(v, x, p);
  mb_vec3_cross(c, u, v);
  return mb_vec3_dot(c, n);
}

static double length_across(const double n[3], const double p[3], const double x[3]) {
  double d[3];
  mb_vec3_sub(d, x, p);
  mb_vec3_add_scaled(d, d, -mb_vec3_dot(d, n), n);
  return mb_vec3_norm(d);
}

// How far, across the normal, point x is out as the next one where `taken` are chosen: from the first, from the line through the first two,
// from the side of the triangle of three that it is beyond.
static double reach(const MbContactPoint *point, int taken, const double *x) {
  const double *n = point[0].normal, *p = point[0].position, *q = point[1].position;
  if (taken == 1) return length_across(n, p, x);
  const double base = length_across(n, p, q);
  if (!(base > 0)) return length_across(n, p, x);
  if (taken == 2) return fabs(area(n, p, q, x)) / base;
  // outside the triangle one of the three is below 0, by what x adds
  const double *r = point[2].position, sign = area(n, p, q, r) < 0 ? -1 : 1;
  return -fmin(sign * area(n, p, q, x), fmin(sign * area(n, q, r, x), sign * area(n, r, p, x))) / base;
}

// What point x is worth as the next one. What is fast has points on all its sides that may touch within the step: one that lies farther from
// the other surface than the deepest is worth less by that, or the upper corners of what slides would stand for its lower ones.
static double worth(const MbContactPoint *point, int taken, const MbContactPoint *x) {
  return reach(point, taken, x->position) - (x->gap - point[0].gap);
}

// Of more than four points the first is one of the deepest: by less than this share of their distances another one is not deeper, so that what
// lies flat but for what a solver leaves has the same four points in every step.
static const double level = 1e-9;

static double distance(const MbContactPoint *p, const MbContactPoint *q) {
  double d[3];
  mb_vec3_sub(d, p->position, q->position);
  return mb_vec3_norm(d);
}

// Of those that are as deep the farthest from the first of them. That is a corner of what they span; one between two corners, where edges
// that lie along one another cross by rounding, would be in a corner's place.
static int deepest(const MbPatch *patch, double same) {
  const MbContactPoint *point = patch->point;
  double least = INFINITY, most = 0;
  for (int i = 0; i < patch->n; i++) least = fmin(least, point[i].gap);
  int first = 0;
  while (point[first].gap > least + same) first++;
  int best = first;
  for (int i = first + 1; i < patch->n; i++) {
    if (!(point[i].gap <= least + same)) continue;
    const double far = distance(&point[i], &point[first]);
    if (far > most * (1 + 1e-9)) best = i, most = far;
  }
  return best;
}

static double spread(const MbPatch *patch) {
  double most = 0;
  for (int i = 1; i < patch->n; i++) most = fmax(most, distance(&patch->point[i], &patch->point[0]));
  return most;
}

// The point worth most as the next one. What is as good as one before it but for rounding does not take its place.
static int next_of(const MbPatch *patch, int taken, double same) {
  int best = taken;
  double most = worth(patch->point, taken, &patch->point[taken]);
  for (int i = taken + 1; i < patch->n; i++) {
    const double w = worth(patch->point, taken, &patch->point[i]);
    if (w > most + same) best = i, most = w;
  }
  return best;
}

static void put_first(MbPatch *patch, int place, int i) {
  const MbContactPoint swap = patch->point[place];
  patch->point[place] = patch->point[i], patch->point[i] = swap;
}

void mb_patch_reduce(MbPatch *patch) {
  if (patch->n > MB_PATCH_POINTS) {
    const double same = level * spread(patch);
    put_first(patch, 0, deepest(patch, same));
    for (int taken = 1; taken < MB_PATCH_POINTS; taken++)
      put_first(patch, taken, next_of(patch, taken, same));
    patch->n = MB_PATCH_POINTS;
  }
  // of four or fewer all stay
  if (patch->n) put_first(patch, 0, deepest(patch, 0));
}
