// The highest height of one corner w over all directions, and over those of a great circle.
//
// height(n) = n · w − Σ √(nᵀ Q n) is concave as a function of all vectors, and of degree 1. On the sphere its gradient is t = G − height n,
// G = w − Σ Q n / √(nᵀ Q n), and its second derivative along the tangents −K, K = Σ (bend of the rounds) + height: where the height is above
// 0 there is one top. A disk has an edge at its axis, where its reach is not smooth: those two directions are tried by whoever calls.
//
// For processors and devices alike.
#ifndef MB_COLLISION_CONVEX_TOP_H
#define MB_COLLISION_CONVEX_TOP_H

#include "core/collision/convex_shape.h"
#include "core/collision/patch_points.h"
#include "core/collision/shape_distance.h"

// The height on the circle n = cos φ u + sin φ v, and its derivatives by φ.
typedef struct MbConvexCircle {
  const MbConvexPair *pair;
  const double *w;
  double u[3], v[3];
} MbConvexCircle;

MB_COLLIDE_ASIDE double mb_circle_at(const MbConvexCircle *circle, double phi, double n[3], double *slope,
                                     double *bend) {
  double G[3], along[3];
  const double c = cos(phi), s = sin(phi);
  for (int k = 0; k < 3; k++) {
    n[k] = c * circle->u[k] + s * circle->v[k];
    along[k] = c * circle->v[k] - s * circle->u[k];
  }
  const double height = mb_convex_height(circle->pair, circle->w, n, G);
  *slope = mb_vec3_dot(along, G);
  *bend = -height;
  for (int i = 0; i < circle->pair->rounds; i++)
    *bend -= mb_round_bend(&circle->pair->round[i], n, along, along);
  return height;
}

// Newton's method between two ends; halves what is between them where it would leave that, or is slow.
MB_COLLIDE_ASIDE double mb_circle_top(const MbConvexCircle *circle) {
  double low = -MB_HALF_TURN, high = MB_HALF_TURN, n[3], slope, bend, before = INFINITY, phi = 0, best = phi;
  bool above = false;
  for (int k = 0; k < 200; k++) {
    const double height = mb_circle_at(circle, phi, n, &slope, &bend);
    if (slope == 0 && (height > 0 || bend <= 0)) return phi;
    // what is not above 0 has the top on the side of what is
    const bool up = height <= 0 && above ? phi < best : slope > 0;
    if (height > 0) best = phi, above = true;
    *(up ? &low : &high) = phi;
    double next = phi - slope / bend;
    const bool fast = bend < 0 && fabs(slope) < 0.5 * before;
    if (fast && fabs(next - phi) < 1e-8 && fabs(slope) < 1e-3 * before) return next;
    before = fabs(slope);
    if (!fast || !(next > low && next < high)) next = (low + high) / 2;
    if (!(next > low && next < high) || high - low < 1e-16) return phi;
    phi = next;
  }
  return phi;
}

MB_COLLIDE_ASIDE void mb_convex_arc(const MbConvexPair *pair, const double w[3], const double e[3],
                                    double n[3]) {
  MbConvexCircle circle;
  circle.pair = pair, circle.w = w;
  mb_vec3_copy(circle.u, pair->rounds ? n : w);
  for (int twice = 0; twice < 2; twice++) {
    mb_vec3_add_scaled(circle.u, circle.u, -mb_vec3_dot(circle.u, e), e);
    const double size = mb_vec3_norm(circle.u);
    if (size > (pair->rounds || twice ? 1e-8 : 1e-15 * pair->size))
      mb_vec3_scale(circle.u, 1 / size, circle.u);
    else
      mb_across_of(circle.u, e);
  }
  if (!pair->rounds) {
    // |w| across e is the height; a small one is known no better than that
    mb_vec3_copy(n, circle.u);
    return;
  }
  mb_vec3_cross(circle.v, e, circle.u);
  double slope, bend;
  mb_circle_at(&circle, mb_circle_top(&circle), n, &slope, &bend);
}

// The nearest point of a disk is inside of it or on its rim.
MB_INLINE void mb_top_of_disk(const MbRound *round, const double w[3], double n[3]) {
  const double *a = round->axis, z = mb_vec3_dot(w, a);
  double across[3], d[3];
  mb_vec3_add_scaled(across, w, -z, a);
  const double out = mb_vec3_norm(across);
  if (out <= round->radius) {
    mb_vec3_scale(n, z < 0 ? -1 : 1, a);
    return;
  }
  mb_vec3_scale(d, 1 - round->radius / out, across);
  mb_vec3_add_scaled(d, d, z, a);
  const double size = mb_vec3_norm(d);
  if (size > 0) mb_vec3_scale(n, 1 / size, d);
}

MB_COLLIDE_ASIDE void mb_top_of_ellipsoid(const MbRound *round, const double w[3], double n[3]) {
  double local[3], normal[3];
  uint32_t feature;
  mb_mat3_tapply(local, round->of->R, w);
  mb_to_ellipsoid(round->of->shape, local, normal, &feature);
  mb_mat3_apply(n, round->of->R, normal);
}

// K of the tangents s and t, and the gradient t along them.
typedef struct MbConvexBend {
  double s[3], t[3], gs, gt, kss, kst, ktt, height;
} MbConvexBend;

MB_COLLIDE_ASIDE void mb_convex_bend(MbConvexBend *bend, const MbConvexPair *pair, const double w[3],
                                     const double n[3]) {
  double G[3];
  bend->height = mb_convex_height(pair, w, n, G);
  mb_across_of(bend->s, n);
  mb_vec3_cross(bend->t, n, bend->s);
  bend->gs = mb_vec3_dot(G, bend->s), bend->gt = mb_vec3_dot(G, bend->t);
  bend->kss = bend->ktt = bend->height, bend->kst = 0;
  for (int i = 0; i < pair->rounds; i++) {
    bend->kss += mb_round_bend(&pair->round[i], n, bend->s, bend->s);
    bend->kst += mb_round_bend(&pair->round[i], n, bend->s, bend->t);
    bend->ktt += mb_round_bend(&pair->round[i], n, bend->t, bend->t);
  }
}

// n + K⁻¹ t, which K has to be positive for; returns the length of that step. `rise` is how much higher it leads if the bend is all there is.
MB_INLINE double mb_convex_step(const MbConvexBend *bend, const double n[3], double out[3], double *rise) {
  const double det = bend->kss * bend->ktt - bend->kst * bend->kst, trace = bend->kss + bend->ktt;
  if (!(trace > 0 && det > 1e-14 * trace * trace)) return INFINITY;
  const double x = (bend->ktt * bend->gs - bend->kst * bend->gt) / det;
  const double y = (bend->kss * bend->gt - bend->kst * bend->gs) / det;
  for (int k = 0; k < 3; k++) out[k] = n[k] + x * bend->s[k] + y * bend->t[k];
  mb_vec3_scale(out, 1 / mb_vec3_norm(out), out);
  *rise = (x * bend->gs + y * bend->gt) / 2;
  return hypot(x, y);
}

// Steps that are shorter rise by what rounding hides, and Newton's method is at its own speed.
#define MB_SHORT_STEP 1e-6

// The top of the great circle from n towards `turn`; false where that is no higher than n.
MB_COLLIDE_ASIDE bool mb_top_along(const MbConvexPair *pair, const double w[3], const double turn[3],
                                   double n[3]) {
  double e[3], next[3], G[3];
  mb_vec3_cross(e, n, turn);
  const double size = mb_vec3_norm(e);
  if (!(size > 0)) return false;
  mb_vec3_scale(e, 1 / size, e);
  mb_vec3_copy(next, n);
  mb_convex_arc(pair, w, e, next);
  if (!(mb_convex_height(pair, w, next, G) > mb_convex_height(pair, w, n, G))) return false;
  mb_vec3_copy(n, next);
  return true;
}

// At the axis of a disk height has an edge. The axis is the top where what is left of the gradient without the disk is no longer than its
// radius; else that is the way up. Returns whether it is.
MB_INLINE bool mb_top_at_axis(const MbConvexPair *pair, const double w[3], double n[3]) {
  double G[3], g[3], axis[3];
  for (int i = 0; i < pair->rounds; i++) {
    const MbRound *round = &pair->round[i];
    if (!round->disk) continue;
    mb_vec3_scale(axis, mb_vec3_dot(n, round->axis) < 0 ? -1 : 1, round->axis);
    if (!(mb_convex_height(pair, w, axis, G) > 0)) continue;
    mb_vec3_add_scaled(G, G, -mb_vec3_dot(G, axis), axis);
    if (mb_vec3_norm(G) <= round->radius) {
      mb_vec3_copy(n, axis);
      return true;
    }
    if (mb_round_reach(round, n, g) > 1e-3 * round->radius || !mb_top_along(pair, w, G, axis)) continue;
    if (mb_convex_height(pair, w, axis, G) > mb_convex_height(pair, w, n, G)) mb_vec3_copy(n, axis);
  }
  return false;
}

// Of two rounds: Newton's method, and where it does not rise as it should the top of the great circle along the step or the gradient.
MB_COLLIDE_ASIDE void mb_top_of_two(const MbConvexPair *pair, const double w[3], double n[3]) {
  double next[3], G[3], turn[3], rise = 0, before = 1;
  if (mb_top_at_axis(pair, w, n)) return;
  for (int k = 0; k < 100; k++) {
    MbConvexBend bend;
    mb_convex_bend(&bend, pair, w, n);
    const double step = mb_convex_step(&bend, n, next, &rise);
    if (step < MB_SHORT_STEP) {
      mb_vec3_copy(n, next);
      if (step < 1e-12 || step > 0.3 * before) return;
      before = step;
      continue;
    }
    if (step < 0.7 && mb_convex_height(pair, w, next, G) - bend.height > 0.1 * rise) {
      mb_vec3_copy(n, next);
      continue;
    }
    mb_vec3_sub(turn, next, n);
    if (step < 1.5 && mb_top_along(pair, w, turn, n)) continue;
    for (int i = 0; i < 3; i++) turn[i] = bend.gs * bend.s[i] + bend.gt * bend.t[i];
    if (!mb_top_along(pair, w, turn, n)) return;
  }
}

MB_COLLIDE_ASIDE void mb_convex_top(const MbConvexPair *pair, const double w[3], double n[3]) {
  if (!pair->rounds) {
    const double size = mb_vec3_norm(w);
    if (size > 0) mb_vec3_scale(n, 1 / size, w);
  } else if (pair->rounds == 1 && pair->round[0].disk) {
    mb_top_of_disk(&pair->round[0], w, n);
  } else if (pair->rounds == 1) {
    mb_top_of_ellipsoid(&pair->round[0], w, n);
  } else {
    mb_top_of_two(pair, w, n);
  }
}

MB_INLINE double mb_convex_newton(const MbConvexPair *pair, const double w[3], const double *e, double n[3]) {
  if (!e) {
    MbConvexBend bend;
    double next[3], rise;
    mb_convex_bend(&bend, pair, w, n);
    const double step = mb_convex_step(&bend, n, next, &rise);
    if (step < 0.5) mb_vec3_copy(n, next);
    return step;
  }
  MbConvexCircle circle;
  circle.pair = pair, circle.w = w;
  double slope, bend;
  mb_vec3_add_scaled(circle.u, n, -mb_vec3_dot(n, e), e);
  mb_vec3_scale(circle.u, 1 / mb_vec3_norm(circle.u), circle.u);
  mb_vec3_cross(circle.v, e, circle.u);
  mb_circle_at(&circle, 0, n, &slope, &bend);
  if (!(bend < 0)) return INFINITY;
  const double step = -slope / bend;
  if (fabs(step) < 0.5) mb_circle_at(&circle, step, n, &slope, &bend);
  return fabs(step);
}

#endif
