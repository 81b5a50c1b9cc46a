// The highest of the least heights of up to four corners.
//
// The top belongs to some of the corners, which are as low there as one another: n is square to what is between those, and is the top of
// their circle (two), one direction (three), or of all (one); or it is along a disk's axis, where height has an edge. Whether a direction n
// is the top is seen from the point c = height n + Σ Q n / √(nᵀ Q n), for a disk's axis plus any point of the disk: c is a mean of the
// corners that are lowest there, with weights that are not below 0, and no corner is lower.
//
// For processors and devices alike.
#ifndef MB_COLLISION_CONVEX_CORNERS_H
#define MB_COLLISION_CONVEX_CORNERS_H

#include "core/collision/convex_top.h"
#include "core/collision/patch_points.h"

// A corner's weight, as a share of 1, that is 0 but for rounding.
#define MB_CORNERS_NONE 1e-13

MB_INLINE double mb_flat_cross(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

// The point nearest to the origin of what is between p and q.
MB_INLINE double mb_flat_segment(const double p[2], const double q[2], double *share) {
  const double d[2] = {q[0] - p[0], q[1] - p[1]}, dd = d[0] * d[0] + d[1] * d[1];
  const double s = dd > 0 ? -(p[0] * d[0] + p[1] * d[1]) / dd : 0;
  *share = s < 0 ? 0 : s > 1 ? 1 : s;
  return hypot(p[0] + *share * d[0], p[1] + *share * d[1]);
}

// Weights of the point nearest to the origin of all that is between n points of a plane; returns how far it is.
MB_INLINE double mb_flat_nearest(int n, double p[4][2], double weight[4]) {
  double least = INFINITY, share;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        const double u = mb_flat_cross(p[j], p[k]), v = mb_flat_cross(p[k], p[i]),
                     w = mb_flat_cross(p[i], p[j]);
        const double all = u + v + w;
        if (!(u * all >= 0 && v * all >= 0 && w * all >= 0 && fabs(all) > 0)) continue;
        for (int m = 0; m < n; m++) weight[m] = 0;
        weight[i] = u / all, weight[j] = v / all, weight[k] = w / all;
        return 0;
      }
  for (int i = 0; i < n; i++)
    for (int j = i + (n > 1); j < n; j++) {
      const double far = mb_flat_segment(p[i], p[j], &share);
      if (!(far < least)) continue;
      least = far;
      for (int m = 0; m < n; m++) weight[m] = 0;
      weight[i] = 1 - share, weight[j] += share;
    }
  return least;
}

MB_COLLIDE_ASIDE double mb_corners_nearest(const MbCorners *corners, const double n[3], const double c[3],
                                           double weight[4], double rest[3]) {
  double s[3], t[3], d[3], p[4][2];
  mb_across_of(s, n);
  mb_vec3_cross(t, n, s);
  for (int i = 0; i < corners->n; i++) {
    mb_vec3_sub(d, corners->corner[i].w, c);
    p[i][0] = mb_vec3_dot(d, s), p[i][1] = mb_vec3_dot(d, t);
  }
  const double far = mb_flat_nearest(corners->n, p, weight);
  double x = 0, y = 0;
  for (int i = 0; i < corners->n; i++) x += weight[i] * p[i][0], y += weight[i] * p[i][1];
  for (int k = 0; k < 3; k++) rest[k] = x * s[k] + y * t[k];
  return far;
}

// A direction that may be the top, and the corners that hold it.
typedef struct MbCornersTry {
  double n[3], height; // of the lowest corner
  int held;
  int corner[4];
} MbCornersTry;

MB_COLLIDE_ASIDE double mb_corners_lowest(const MbConvexPair *pair, const MbCorners *corners,
                                          const double n[3]) {
  double least = INFINITY, G[3];
  for (int i = 0; i < corners->n; i++) least = fmin(least, mb_vec3_dot(n, corners->corner[i].w));
  const double zero[3] = {0};
  return least + mb_convex_height(pair, zero, n, G);
}

// Whether c is in the corners that hold it. Returns how far a weight is below 0.
MB_COLLIDE_ASIDE double mb_corners_outside(const MbConvexPair *pair, const MbCorners *corners,
                                           const MbCornersTry *it) {
  const double *w = corners->corner[it->corner[0]].w;
  double G[3], c[3], d[3], e[3], f[3], m[3], x[3];
  const double height = mb_convex_height(pair, w, it->n, G);
  // c − w = height n − G
  for (int k = 0; k < 3; k++) d[k] = height * it->n[k] - G[k];
  if (it->held == 1) return 0;
  mb_vec3_sub(e, corners->corner[it->corner[1]].w, w);
  if (it->held == 2) {
    const double share = mb_vec3_dot(d, e) / mb_vec3_dot(e, e);
    return fmax(-share, share - 1);
  }
  mb_vec3_sub(f, corners->corner[it->corner[2]].w, w);
  mb_vec3_cross(m, e, f);
  const double mm = mb_vec3_dot(m, m);
  mb_vec3_cross(x, d, f);
  const double u = mb_vec3_dot(x, m) / mm;
  mb_vec3_cross(c, e, d);
  const double v = mb_vec3_dot(c, m) / mm;
  return fmax(fmax(-u, -v), u + v - 1);
}

// What is best so far: of those that pass it is the first, of the others the highest.
typedef struct MbCornersBest {
  MbCornersTry at;
  bool passes;
} MbCornersBest;

MB_COLLIDE_ASIDE void mb_corners_judge(const MbConvexPair *pair, const MbCorners *corners, MbCornersTry *it,
                                       double off, MbCornersBest *best) {
  if (best->passes) return;
  it->height = mb_corners_lowest(pair, corners, it->n);
  double G[3];
  const double own = mb_convex_height(pair, corners->corner[it->corner[0]].w, it->n, G);
  const double same = 1e-15 * pair->size;
  const bool passes = off <= MB_CORNERS_NONE && own - it->height <= same && it->height > -10 * same;
  if (!passes && !(it->height > best->at.height)) return;
  best->at = *it, best->passes = passes;
}

// A disk's axis: c is any point of a disk.
MB_COLLIDE_ASIDE void mb_corners_try_axis(const MbConvexPair *pair, const MbCorners *corners,
                                          const MbRound *round, const double n[3], MbCornersBest *best) {
  double G[3], c[3] = {0}, rest[3], weight[4];
  MbCornersTry it = {{0}, 0, 0, {0}};
  for (int way = 0; way < 2; way++) {
    MbCornersTry other = {{0}, 0, 0, {0}};
    const double same = mb_vec3_dot(round->axis, n) < 0 ? -1 : 1;
    mb_vec3_scale(other.n, way ? -same : same, round->axis);
    other.height = mb_corners_lowest(pair, corners, other.n);
    if (way == 0 || other.height > fmax(it.height, 1e-13 * pair->size)) it = other;
  }
  // the corners that are lowest there, and what the other round adds to c
  MbCorners low;
  low.n = 0;
  double least = INFINITY, slack = round->radius;
  for (int i = 0; i < corners->n; i++) least = fmin(least, mb_vec3_dot(it.n, corners->corner[i].w));
  for (int i = 0; i < corners->n; i++) {
    if (mb_vec3_dot(it.n, corners->corner[i].w) > least + 1e-15 * pair->size) continue;
    it.corner[low.n] = i;
    low.corner[low.n++] = corners->corner[i];
  }
  for (int i = 0; i < pair->rounds; i++) {
    const MbRound *other = &pair->round[i];
    if (other == round) continue;
    if (mb_round_reach(other, it.n, G) > 1e-14 * other->radius || !other->disk)
      mb_vec3_add(c, c, G);
    else
      slack += other->radius;
  }
  const double off = mb_corners_nearest(&low, it.n, c, weight, rest) - slack;
  // those without weight do not hold it
  for (int i = 0; i < low.n; i++)
    if (weight[i] > MB_CORNERS_NONE) it.corner[it.held++] = it.corner[i];
  mb_corners_judge(pair, corners, &it, off / pair->size, best);
}

MB_COLLIDE_ASIDE void mb_corners_try_three(const MbConvexPair *pair, const MbCorners *corners, int j, int k,
                                           const double n[3], MbCornersBest *best) {
  const int last = corners->n - 1;
  MbCornersTry it = {{0}, 0, 3, {last, j, k, 0}};
  double e[3], f[3];
  mb_vec3_sub(e, corners->corner[j].w, corners->corner[last].w);
  mb_vec3_sub(f, corners->corner[k].w, corners->corner[last].w);
  mb_vec3_cross(it.n, e, f);
  const double size = mb_vec3_norm(it.n);
  if (!(size > 1e-14 * mb_vec3_norm(e) * mb_vec3_norm(f))) return;
  double way = mb_vec3_dot(it.n, corners->corner[last].w);
  if (fabs(way) < 1e-14 * size * pair->size) way = mb_vec3_dot(it.n, n);
  mb_vec3_scale(it.n, (way < 0 ? -1 : 1) / size, it.n);
  mb_corners_judge(pair, corners, &it, mb_corners_outside(pair, corners, &it), best);
}

// Where between two directions the corners' difference e has no height.
MB_INLINE void mb_corners_between(const double from[3], const double to[3], const double e[3], double n[3]) {
  const double h = mb_vec3_dot(from, e), k = mb_vec3_dot(to, e);
  for (int i = 0; i < 3; i++) n[i] = k * from[i] - h * to[i];
  const double size = mb_vec3_norm(n);
  if (size > 0)
    mb_vec3_scale(n, (k < h ? -1 : 1) / size, n);
  else
    mb_vec3_copy(n, from);
}

// The directions that are known: n, the top before the last corner came, which is lower there; `start`, where all are above 0; and the last
// one's own top, once it has been asked for.
typedef struct MbCornersKnown {
  const double *n, *start;
  double own[3];
  bool own_known;
} MbCornersKnown;

MB_COLLIDE_ASIDE const double *mb_corners_own_top(const MbConvexPair *pair, const MbCorners *corners,
                                                  MbCornersKnown *known) {
  const double *w = corners->corner[corners->n - 1].w;
  double G[3];
  if (known->own_known) return known->own;
  known->own_known = true;
  mb_vec3_copy(known->own, mb_convex_height(pair, w, known->n, G) > 0 ? known->n : known->start);
  mb_convex_top(pair, w, known->own);
  return known->own;
}

// Two corners' circle has heights above 0 where it leads between directions of which each is above 0 for one of the two, in both of which
// the same one is not the lower one. Where there are none the other corner is not lower at the last one's own top.
MB_COLLIDE_ASIDE void mb_corners_try_two(const MbConvexPair *pair, const MbCorners *corners, int j,
                                         MbCornersKnown *known, MbCornersBest *best) {
  const int last = corners->n - 1;
  MbCornersTry it = {{0}, 0, 2, {last, j, 0, 0}};
  double e[3], w[3];
  mb_vec3_sub(e, corners->corner[last].w, corners->corner[j].w);
  const double size = mb_vec3_norm(e);
  if (!(size > 1e-14 * pair->size)) return;
  mb_vec3_scale(e, 1 / size, e);
  if (mb_vec3_dot(known->n, e) < 0 && mb_vec3_dot(known->start, e) >= 0)
    mb_corners_between(known->n, known->start, e, it.n);
  else if (mb_vec3_dot(known->start, e) < 0 && mb_vec3_dot(mb_corners_own_top(pair, corners, known), e) >= 0)
    mb_corners_between(known->start, known->own, e, it.n);
  else
    mb_vec3_copy(it.n, known->n);
  mb_vec3_copy(w, corners->corner[last].w);
  mb_convex_arc(pair, w, e, it.n);
  mb_corners_judge(pair, corners, &it, mb_corners_outside(pair, corners, &it), best);
}

MB_COLLIDE_ASIDE void mb_corners_top(const MbConvexPair *pair, MbCorners *corners, const double start[3],
                                     double n[3]) {
  const int last = corners->n - 1;
  MbCornersBest best = {{{0}, -INFINITY, 0, {0}}, false};
  MbCornersKnown known;
  known.n = n, known.start = start, known.own_known = false;
  for (int i = 0; i < pair->rounds; i++)
    if (pair->round[i].disk) mb_corners_try_axis(pair, corners, &pair->round[i], n, &best);
  for (int j = 0; j < last && !best.passes; j++)
    for (int k = j + 1; k < last && !best.passes; k++) mb_corners_try_three(pair, corners, j, k, n, &best);
  for (int j = 0; j < last && !best.passes; j++) mb_corners_try_two(pair, corners, j, &known, &best);
  if (!best.passes) {
    MbCornersTry it = {{0}, 0, 1, {last, 0, 0, 0}};
    mb_vec3_copy(it.n, mb_corners_own_top(pair, corners, &known));
    mb_corners_judge(pair, corners, &it, 0, &best);
  }
  const MbCornersTry *it = &best.at;
  if (!it->held) return; // no numbers
  MbCorners held;
  held.n = it->held;
  for (int i = 0; i < it->held; i++) held.corner[i] = corners->corner[it->corner[i]];
  *corners = held;
  mb_vec3_copy(n, it->n);
}

#endif
