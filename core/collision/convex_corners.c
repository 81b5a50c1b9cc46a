// The highest of the least heights of up to four corners.
//
// The top belongs to some of the corners, which are as low there as one another: n is square to what is between those, and is the top of
// their circle (two), one direction (three), or of all (one); or it is along a disk's axis, where height has an edge. Whether a direction n
// is the top is seen from the point c = height n + Σ Q n / √(nᵀ Q n), for a disk's axis plus any point of the disk: c is a mean of the
// corners that are lowest there, with weights that are not below 0, and no corner is lower.
#include "core/collision/convex.h"

#include "core/math/mat3.h"

// A corner's weight, as a share of 1, that is 0 but for rounding.
static const double none = 1e-13;

static double flat_cross(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

// The point nearest to the origin of what is between p and q.
static double on_segment(const double p[2], const double q[2], double *share) {
  const double d[2] = {q[0] - p[0], q[1] - p[1]}, dd = d[0] * d[0] + d[1] * d[1];
  const double s = dd > 0 ? -(p[0] * d[0] + p[1] * d[1]) / dd : 0;
  *share = s < 0 ? 0 : s > 1 ? 1 : s;
  return hypot(p[0] + *share * d[0], p[1] + *share * d[1]);
}

// Weights of the point nearest to the origin of all that is between n points of a plane; returns how far it is.
static double nearest_in_plane(int n, double p[4][2], double weight[4]) {
  double least = INFINITY, share;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        const double u = flat_cross(p[j], p[k]), v = flat_cross(p[k], p[i]), w = flat_cross(p[i], p[j]);
        const double all = u + v + w;
        if (!(u * all >= 0 && v * all >= 0 && w * all >= 0 && fabs(all) > 0)) continue;
        for (int m = 0; m < n; m++) weight[m] = 0;
        weight[i] = u / all, weight[j] = v / all, weight[k] = w / all;
        return 0;
      }
  for (int i = 0; i < n; i++)
    for (int j = i + (n > 1); j < n; j++) {
      const double far = on_segment(p[i], p[j], &share);
      if (!(far < least)) continue;
      least = far;
      for (int m = 0; m < n; m++) weight[m] = 0;
      weight[i] = 1 - share, weight[j] += share;
    }
  return least;
}

double mb_corners_nearest(const MbCorners *corners, const double n[3], const double c[3], double weight[4],
                          double rest[3]) {
  double s[3], t[3], d[3], p[4][2];
  mb_across(s, n);
  mb_vec3_cross(t, n, s);
  for (int i = 0; i < corners->n; i++) {
    mb_vec3_sub(d, corners->corner[i].w, c);
    p[i][0] = mb_vec3_dot(d, s), p[i][1] = mb_vec3_dot(d, t);
  }
  const double far = nearest_in_plane(corners->n, p, weight);
  double x = 0, y = 0;
  for (int i = 0; i < corners->n; i++) x += weight[i] * p[i][0], y += weight[i] * p[i][1];
  for (int k = 0; k < 3; k++) rest[k] = x * s[k] + y * t[k];
  return far;
}

// A direction that may be the top, and the corners that hold it.
typedef struct Try {
  double n[3], height; // of the lowest corner
  int held;
  int corner[4];
} Try;

static double lowest(const MbConvexPair *pair, const MbCorners *corners, const double n[3]) {
  double least = INFINITY, G[3];
  for (int i = 0; i < corners->n; i++) least = fmin(least, mb_vec3_dot(n, corners->corner[i].w));
  const double zero[3] = {0};
  return least + mb_convex_height(pair, zero, n, G);
}

// Whether c is in the corners that hold it. Returns how far a weight is below 0.
static double outside(const MbConvexPair *pair, const MbCorners *corners, const Try *try) {
  const double *w = corners->corner[try->corner[0]].w;
  double G[3], c[3], d[3], e[3], f[3], m[3], x[3];
  const double height = mb_convex_height(pair, w, try->n, G);
  // c − w = height n − G
  for (int k = 0; k < 3; k++) d[k] = height * try->n[k] - G[k];
  if (try->held == 1) return 0;
  mb_vec3_sub(e, corners->corner[try->corner[1]].w, w);
  if (try->held == 2) {
    const double share = mb_vec3_dot(d, e) / mb_vec3_dot(e, e);
    return fmax(-share, share - 1);
  }
  mb_vec3_sub(f, corners->corner[try->corner[2]].w, w);
  mb_vec3_cross(m, e, f);
  const double mm = mb_vec3_dot(m, m);
  mb_vec3_cross(x, d, f);
  const double u = mb_vec3_dot(x, m) / mm;
  mb_vec3_cross(c, e, d);
  const double v = mb_vec3_dot(c, m) / mm;
  return fmax(fmax(-u, -v), u + v - 1);
}

// What is best so far: of those that pass it is the first, of the others the highest.
typedef struct Best {
  Try try;
  bool passes;
} Best;

static void judge(const MbConvexPair *pair, const MbCorners *corners, Try *try, double off, Best *best) {
  if (best->passes) return;
  try->height = lowest(pair, corners, try->n);
  double G[3];
  const double own = mb_convex_height(pair, corners->corner[try->corner[0]].w, try->n, G);
  const double same = 1e-15 * pair->size;
  const bool passes = off <= none && own - try->height <= same && try->height > -10 * same;
  if (!passes && !(try->height > best->try.height)) return;
  best->try = *try, best->passes = passes;
}

// A disk's axis: c is any point of a disk.
static void try_axis(const MbConvexPair *pair, const MbCorners *corners, const MbRound *round,
                     const double n[3], Best *best) {
  double G[3], c[3] = {0}, rest[3], weight[4];
  Try try = {0};
  for (int way = 0; way < 2; way++) {
    Try other = {0};
    const double same = mb_vec3_dot(round->axis, n) < 0 ? -1 : 1;
    mb_vec3_scale(other.n, way ? -same : same, round->axis);
    other.height = lowest(pair, corners, other.n);
    if (way == 0 || other.height > fmax(try.height, 1e-13 * pair->size)) try = other;
  }
  // the corners that are lowest there, and what the other round adds to c
  MbCorners low = {0};
  double least = INFINITY, slack = round->radius;
  for (int i = 0; i < corners->n; i++) least = fmin(least, mb_vec3_dot(try.n, corners->corner[i].w));
  for (int i = 0; i < corners->n; i++) {
    if (mb_vec3_dot(try.n, corners->corner[i].w) > least + 1e-15 * pair->size) continue;
    try.corner[low.n] = i;
    low.corner[low.n++] = corners->corner[i];
  }
  for (int i = 0; i < pair->rounds; i++) {
    const MbRound *other = &pair->round[i];
    if (other == round) continue;
    if (mb_round_reach(other, try.n, G) > 1e-14 * other->radius || !other->disk)
      mb_vec3_add(c, c, G);
    else
      slack += other->radius;
  }
  const double off = mb_corners_nearest(&low, try.n, c, weight, rest) - slack;
  // those without weight do not hold it
  for (int i = 0; i < low.n; i++)
    if (weight[i] > none) try.corner[try.held++] = try.corner[i];
  judge(pair, corners, &try, off / pair->size, best);
}

static void try_three(const MbConvexPair *pair, const MbCorners *corners, int j, int k, const double n[3],
                      Best *best) {
  const int last = corners->n - 1;
  Try try = {.held = 3, .corner = {last, j, k}};
  double e[3], f[3];
  mb_vec3_sub(e, corners->corner[j].w, corners->corner[last].w);
  mb_vec3_sub(f, corners->corner[k].w, corners->corner[last].w);
  mb_vec3_cross(try.n, e, f);
  const double size = mb_vec3_norm(try.n);
  if (!(size > 1e-14 * mb_vec3_norm(e) * mb_vec3_norm(f))) return;
  double way = mb_vec3_dot(try.n, corners->corner[last].w);
  if (fabs(way) < 1e-14 * size * pair->size) way = mb_vec3_dot(try.n, n);
  mb_vec3_scale(try.n, (way < 0 ? -1 : 1) / size, try.n);
  judge(pair, corners, &try, outside(pair, corners, &try), best);
}

// Where between two directions the corners' difference e has no height.
static void between(const double from[3], const double to[3], const double e[3], double n[3]) {
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
typedef struct Known {
  const double *n, *start;
  double own[3];
  bool own_known;
} Known;

static const double *own_top(const MbConvexPair *pair, const MbCorners *corners, Known *known) {
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
static void try_two(const MbConvexPair *pair, const MbCorners *corners, int j, Known *known, Best *best) {
  const int last = corners->n - 1;
  Try try = {.held = 2, .corner = {last, j}};
  double e[3], w[3];
  mb_vec3_sub(e, corners->corner[last].w, corners->corner[j].w);
  const double size = mb_vec3_norm(e);
  if (!(size > 1e-14 * pair->size)) return;
  mb_vec3_scale(e, 1 / size, e);
  if (mb_vec3_dot(known->n, e) < 0 && mb_vec3_dot(known->start, e) >= 0)
    between(known->n, known->start, e, try.n);
  else if (mb_vec3_dot(known->start, e) < 0 && mb_vec3_dot(own_top(pair, corners, known), e) >= 0)
    between(known->start, known->own, e, try.n);
  else
    mb_vec3_copy(try.n, known->n);
  mb_vec3_copy(w, corners->corner[last].w);
  mb_convex_arc(pair, w, e, try.n);
  judge(pair, corners, &try, outside(pair, corners, &try), best);
}

void mb_corners_top(const MbConvexPair *pair, MbCorners *corners, const double start[3], double n[3]) {
  const int last = corners->n - 1;
  Best best = {.try = {.height = -INFINITY}};
  Known known = {.n = n, .start = start};
  for (int i = 0; i < pair->rounds; i++)
    if (pair->round[i].disk) try_axis(pair, corners, &pair->round[i], n, &best);
  for (int j = 0; j < last && !best.passes; j++)
    for (int k = j + 1; k < last && !best.passes; k++) try_three(pair, corners, j, k, n, &best);
  for (int j = 0; j < last && !best.passes; j++) try_two(pair, corners, j, &known, &best);
  if (!best.passes) {
    Try try = {.held = 1, .corner = {last}};
    mb_vec3_copy(try.n, own_top(pair, corners, &known));
    judge(pair, corners, &try, 0, &best);
  }
  const Try *try = &best.try;
  if (!try->held) return; // no numbers
  MbCorners held = {.n = try->held};
  for (int i = 0; i < try->held; i++) held.corner[i] = corners->corner[try->corner[i]];
  *corners = held;
  mb_vec3_copy(n, try->n);
}
