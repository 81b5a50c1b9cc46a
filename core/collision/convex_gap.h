// The signed distance of two convex shapes: the highest gap(n).
//
// Apart, gap(n) has one top, and corners are added as they turn out to be lower than those that are known, until none is (mb_gap_climb). Whether the
// shapes are apart is found from outside: b is put far enough away along the line of the middles and comes nearer; the height F(s) of
// the top is a convex function of the way s, so that Newton's steps never pass its root.
//
// In one another, gap(n) has several tops. From a direction n0, b is put away along n0 until the two are apart, and the top n of what is so
// fulfils gap(n) + s n · n0 >= gap(n0) + s: gap(n) is no lower than gap(n0). Such steps lead to a top near n0 (mb_gap_settle), Newton's method for
// the corners that hold it makes them few. The tops from several directions are compared.
//
// For processors and devices alike.
#ifndef MB_COLLISION_CONVEX_GAP_H
#define MB_COLLISION_CONVEX_GAP_H

#include "core/collision/convex_corners.h"

MB_COLLIDE_ASIDE double mb_gap_height(const MbConvexPair *pair, const double n[3], MbCorner *corner) {
  double G[3];
  mb_convex_corner(pair, n, corner);
  return mb_convex_height(pair, corner->w, n, G);
}

// From n, where gap(n) is above 0, to the top.
MB_COLLIDE_ASIDE double mb_gap_climb(const MbConvexPair *pair, double n[3], MbCorners *corners) {
  double start[3];
  mb_vec3_copy(start, n);
  corners->n = 1;
  mb_convex_corner(pair, n, &corners->corner[0]);
  double G[3];
  for (int k = 0; k < 64; k++) {
    mb_corners_top(pair, corners, start, n);
    MbCorner next;
    const double low = mb_convex_corner(pair, n, &next), held = mb_vec3_dot(n, corners->corner[0].w);
    bool known = !(low < held - 1e-15 * pair->size) || corners->n == 4;
    for (int i = 0; i < corners->n; i++)
      known |= corners->corner[i].a == next.a && corners->corner[i].b == next.b;
    if (known) break;
    corners->corner[corners->n++] = next;
  }
  return mb_convex_height(pair, corners->corner[0].w, n, G);
}

// The same with b moved by s along d.
MB_COLLIDE_ASIDE double mb_gap_climb_away(MbConvexPair *pair, const double d[3], double s, double n[3],
                                          MbCorners *corners) {
  double p[3];
  mb_vec3_copy(p, pair->p);
  mb_vec3_add_scaled(pair->p, p, s, d);
  const double height = mb_gap_climb(pair, n, corners);
  mb_vec3_copy(pair->p, p);
  for (int i = 0; i < corners->n; i++) mb_convex_locate(pair, &corners->corner[i]);
  return height;
}

// Newton's method for the direction that the corners hold. It stays where no corner is lower.
MB_COLLIDE_ASIDE bool mb_gap_polish(const MbConvexPair *pair, const MbCorners *corners, double n[3]) {
  double next[3], e[3], *across = NULL;
  MbCorner low;
  mb_vec3_copy(next, n);
  for (int i = 0; i < pair->rounds; i++) {
    double G[3];
    if (pair->round[i].disk && !(mb_round_reach(&pair->round[i], n, G) > 1e-12 * pair->round[i].radius))
      return false;
  }
  if (corners->n > 2) return false;
  if (corners->n == 2) {
    mb_vec3_sub(e, corners->corner[1].w, corners->corner[0].w);
    mb_vec3_scale(e, 1 / mb_vec3_norm(e), e);
    across = e;
  }
  double step = 1;
  for (int k = 0; k < 12 && step > 1e-13; k++) {
    step = mb_convex_newton(pair, corners->corner[0].w, across, next);
    if (!(step < 0.3)) return false;
  }
  if (!(step < 1e-11) ||
      !(mb_gap_height(pair, next, &low) >= mb_gap_height(pair, n, &low) - 1e-15 * pair->size))
    return false;
  mb_vec3_copy(n, next);
  return true;
}

// Climbs to a top near n where the shapes are in one another, or to the only one. Returns its height.
MB_COLLIDE_ASIDE double mb_gap_settle(MbConvexPair *pair, double n[3], MbCorners *corners) {
  MbCorner low;
  double height = mb_gap_height(pair, n, &low), next[3], turn[3];
  for (int k = 0; k < 60; k++) {
    if (height > 0) return mb_gap_climb(pair, n, corners);
    mb_vec3_copy(next, n);
    const double clear = fmin(fmax(-height, 1e-11 * pair->size), 1e-3 * pair->size);
    mb_gap_climb_away(pair, n, clear - height, next, corners);
    mb_vec3_sub(turn, next, n);
    const double turned = mb_vec3_norm(turn);
    const bool there = turned < 0.3 && mb_gap_polish(pair, corners, next);
    const double reached = mb_gap_height(pair, next, &low);
    if (!(reached >= height - 1e-15 * pair->size)) break;
    mb_vec3_copy(n, next);
    const bool stays = turned < 1e-13 || (there && turned < 1e-6);
    height = reached;
    if (stays) break;
  }
  return height;
}

// Directions to start from where the shapes are in one another, the best few.
enum { MB_GAP_STARTS = 6 };
typedef struct MbGapStarts {
  const MbConvexPair *pair;
  int n;
  double direction[MB_GAP_STARTS][3], height[MB_GAP_STARTS];
} MbGapStarts;

// Takes n's place among the best; of directions that are all but the same the higher one stays.
MB_COLLIDE_ASIDE void mb_gap_start(MbGapStarts *starts, const double n[3]) {
  MbCorner low;
  double height = mb_gap_height(starts->pair, n, &low);
  int at = starts->n;
  for (int i = 0; i < starts->n; i++)
    if (mb_vec3_dot(starts->direction[i], n) > 0.995) at = i;
  if (at < starts->n && starts->height[at] >= height) return;
  if (at == starts->n) {
    if (at < MB_GAP_STARTS)
      starts->n++;
    else if (starts->height[--at] >= height)
      return;
  }
  for (; at + 1 < starts->n && starts->height[at + 1] > height; at++) {
    mb_vec3_copy(starts->direction[at], starts->direction[at + 1]);
    starts->height[at] = starts->height[at + 1];
  }
  for (; at > 0 && starts->height[at - 1] < height; at--) {
    mb_vec3_copy(starts->direction[at], starts->direction[at - 1]);
    starts->height[at] = starts->height[at - 1];
  }
  mb_vec3_copy(starts->direction[at], n);
  starts->height[at] = height;
}

MB_COLLIDE_ASIDE void mb_gap_start_both(MbGapStarts *starts, const double n[3]) {
  double back[3];
  mb_vec3_scale(back, -1, n);
  mb_gap_start(starts, n);
  mb_gap_start(starts, back);
}

// The faces of a hull, the flat ends of a cylinder, and an ellipsoid's axes.
MB_COLLIDE_ASIDE void mb_gap_start_faces(MbGapStarts *starts, const MbPlaced *a, double way) {
  const MbShape *shape = a->shape;
  double n[3];
  if (shape->hull) {
    for (uint32_t f = 0; f < shape->hull->faces; f++) {
      mb_mat3_apply(n, a->R, shape->hull->normal + 3 * (size_t)f);
      mb_vec3_scale(n, way, n);
      mb_gap_start(starts, n);
    }
    return;
  }
  for (int k = 0; k < 3; k++) {
    mb_vec3_set(n, a->R[k], a->R[3 + k], a->R[6 + k]);
    mb_gap_start_both(starts, n);
  }
}

// What is square to an axis of one and to an edge or axis of the other.
MB_COLLIDE_ASIDE void mb_gap_start_across(MbGapStarts *starts, const MbPlaced *a, const MbPlaced *b) {
  const double axis[3] = {a->R[2], a->R[5], a->R[8]};
  double e[3], n[3], p[3], q[3];
  const uint32_t edges = b->shape->hull ? b->shape->hull->edges : 1;
  if (a->shape->hull) return;
  for (uint32_t i = 0; i < edges; i++) {
    mb_vec3_set(e, b->R[2], b->R[5], b->R[8]);
    if (b->shape->hull) {
      mb_shape_vertex(p, b->shape, b->shape->hull->edge[i].from);
      mb_shape_vertex(q, b->shape, b->shape->hull->edge[i].to);
      mb_vec3_sub(e, q, p);
      mb_mat3_apply(e, b->R, e);
    }
    mb_vec3_cross(n, axis, e);
    const double size = mb_vec3_norm(n);
    if (!(size > 1e-9 * mb_vec3_norm(e))) continue;
    mb_vec3_scale(n, 1 / size, n);
    mb_gap_start_both(starts, n);
  }
}

MB_INLINE void mb_gap_start_around(MbGapStarts *starts) {
  for (int i = 0; i < 27; i++) {
    double n[3] = {(double)(i % 3 - 1), (double)(i / 3 % 3 - 1), (double)(i / 9 - 1)};
    const double size = mb_vec3_norm(n);
    if (!(size > 0)) continue;
    mb_vec3_scale(n, 1 / size, n);
    mb_gap_start(starts, n);
  }
}

// The highest top that is found where the shapes are in one another; n is a start and the result.
MB_COLLIDE_ASIDE double mb_gap_deepest(MbConvexPair *pair, double n[3], MbCorners *corners) {
  double best = mb_gap_settle(pair, n, corners);
  if (best > 0) return best;
  MbGapStarts starts;
  starts.pair = pair, starts.n = 0;
  mb_gap_start_faces(&starts, pair->a, 1);
  mb_gap_start_faces(&starts, pair->b, -1);
  mb_gap_start_across(&starts, pair->a, pair->b);
  mb_gap_start_across(&starts, pair->b, pair->a);
  // one that is all but apart has no top far from this that is higher but on a face
  const bool shallow = best > -1e-3 * pair->size;
  if (!shallow) mb_gap_start_around(&starts);
  for (int i = 0; i < starts.n; i++) {
    if (shallow && !(starts.height[i] > best)) break;
    if (mb_vec3_dot(starts.direction[i], n) > 0.9999999) continue;
    MbCorners other;
    double m[3];
    mb_vec3_copy(m, starts.direction[i]);
    const double height = mb_gap_settle(pair, m, &other);
    if (!(height > best + 1e-15 * pair->size)) continue;
    best = height, *corners = other;
    mb_vec3_copy(n, m);
  }
  return best;
}

// The points that the gap is between. The corners' point nearest to c = height n + Σ Q n / √(nᵀ Q n), seen along n, is y − x of the cores;
// where a disk lies across n what is missing is a point of the disk.
MB_COLLIDE_ASIDE void mb_gap_points(const MbConvexPair *pair, double height, MbConvexGap *gap) {
  const MbCorners *corners = &gap->corners;
  double c[3], g[3], weight[4] = {0}, rest[3], v[3], flat = 0;
  const double *n = gap->n;
  mb_vec3_scale(c, height, n);
  mb_vec3_set(gap->x, 0, 0, 0);
  mb_vec3_copy(gap->y, pair->p);
  bool across[2] = {false, false};
  for (int i = 0; i < pair->rounds; i++) {
    const MbRound *round = &pair->round[i];
    const double reach = mb_round_reach(round, n, g);
    across[i] = round->disk && !(reach > 1e-14 * round->radius);
    if (across[i]) {
      flat += round->radius;
      continue;
    }
    mb_vec3_add(c, c, g);
    if (round->of == pair->a)
      mb_vec3_add(gap->x, gap->x, g);
    else
      mb_vec3_sub(gap->y, gap->y, g);
  }
  mb_corners_nearest(corners, n, c, weight, rest);
  for (int i = 0; i < corners->n; i++) {
    mb_convex_vertex(v, pair->a->shape, corners->corner[i].a);
    mb_mat3_apply(v, pair->a->R, v);
    mb_vec3_add_scaled(gap->x, gap->x, weight[i], v);
    mb_convex_vertex(v, pair->b->shape, corners->corner[i].b);
    mb_mat3_apply(v, pair->b->R, v);
    mb_vec3_add_scaled(gap->y, gap->y, weight[i], v);
  }
  for (int i = 0; i < pair->rounds; i++) {
    if (!across[i]) continue;
    const double share = pair->round[i].radius / flat;
    if (pair->round[i].of == pair->a)
      mb_vec3_add_scaled(gap->x, gap->x, share, rest);
    else
      mb_vec3_add_scaled(gap->y, gap->y, -share, rest);
  }
  const MbShape *a = pair->a->shape, *b = pair->b->shape;
  if (a->form == MB_FORM_SPHERE || a->form == MB_FORM_CAPSULE)
    mb_vec3_add_scaled(gap->x, gap->x, a->radius, n);
  if (b->form == MB_FORM_SPHERE || b->form == MB_FORM_CAPSULE)
    mb_vec3_add_scaled(gap->y, gap->y, -b->radius, n);
}

// The top of the pair as it is; false where a direction is met whose gap is not below `within`.
MB_COLLIDE_ASIDE bool mb_gap_top(MbConvexPair *pair, double within, double n[3], MbCorners *corners,
                                 double *top) {
  MbCorner low;
  double d[3], height = mb_gap_height(pair, n, &low);
  if (!(height - pair->ball < within)) return false;
  if (height > 0) {
    *top = mb_gap_climb(pair, n, corners);
    return true;
  }
  mb_vec3_copy(d, n);
  double s = 0.05 * pair->size - height;
  for (int k = 0; k < 60; k++) {
    const double F = mb_gap_climb_away(pair, d, s, n, corners), slope = mb_vec3_dot(n, d);
    if (!(mb_gap_height(pair, n, &low) - pair->ball < within)) return false;
    // convex: it is above its tangent, which is above 0 at s = 0
    if (s * slope < F) {
      *top = mb_gap_climb(pair, n, corners);
      return true;
    }
    if (F < 1e-7 * pair->size || !(slope > 0)) break;
    s -= 0.999 * F / slope;
  }
  *top = mb_gap_deepest(pair, n, corners);
  return true;
}

MB_INLINE void mb_convex_middle(const MbPlaced *a, double x[3]) {
  enum { SOME = 8 };
  double v[3];
  mb_vec3_set(x, 0, 0, 0);
  if (a->shape->form != MB_FORM_HULL) return;
  const uint32_t n = a->shape->hull->vertices, step = n > SOME ? n / SOME : 1;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i += step, count++) {
    mb_shape_vertex(v, a->shape, i);
    mb_vec3_add(x, x, v);
  }
  mb_vec3_scale(x, 1.0 / count, x);
  mb_mat3_apply(x, a->R, x);
}

MB_COLLIDE_ASIDE bool mb_convex_gap_near_of(const MbConvexPair *of, double within, MbConvexGap *gap) {
  MbConvexPair pair = *of;
  double top;
  if (!mb_gap_top(&pair, within, gap->n, &gap->corners, &top)) return false;
  gap->gap = top - pair.ball;
  mb_gap_points(&pair, top, gap);
  return gap->gap < within;
}

MB_INLINE bool mb_convex_gap_of(const MbConvexPair *pair, double within, MbConvexGap *gap) {
  double x[3], y[3];
  mb_convex_middle(pair->a, x);
  mb_convex_middle(pair->b, y);
  for (int k = 0; k < 3; k++) y[k] += pair->p[k] - x[k];
  const double size = mb_vec3_norm(y);
  if (size > 0)
    mb_vec3_scale(gap->n, 1 / size, y);
  else
    mb_vec3_set(gap->n, 0, 0, 1);
  return mb_convex_gap_near_of(pair, within, gap);
}

#endif
