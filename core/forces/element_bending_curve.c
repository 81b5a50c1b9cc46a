// How K and D of bending change (corner_curve.h). Flat cloth's K stays; of pairs of nodes with differences Δ there is
//
//   S = Q Δz · Δy + Q Δp · Δt
//
// A triangle that is curved at rest pulls by φ = n · w (deformables/bending_rest.c), of N = E₁ × E₂ and w = Σ c p. With a prime for what these are along a vector, N″ along two,
//
//   S = φ″[z, y] + φ′[t] = N_z · M N_y + (N_z · P w_y + w_z · P N_y + N_t · P w)/ℓ + m · N_zy + n · w_t,   m = P w/ℓ
//   N_z = Σ E_j × z_j,   N_zy the same by the sides of y
//
// M(w) being ∂²φ/∂N². Of φ‴ there are ∂/∂w (a · M b) = −( (n·b) a + (n·a) b + (a·b − 3 (n·a)(n·b)) n )/ℓ² and, with q = −ℓ² a · M b,
//
//   ∂/∂N (a · M b) = 2 q n/ℓ³ − P ∂q/∂n/ℓ³,   ∂q/∂n = (a·w) b + (w·b) a + (a·b) w − 3 ( (n·a)(n·b) w + (n·w)(n·b) a + (n·w)(n·a) b )
//
// What damps bending has D of its measures' slopes, ζ(u) = Σ ∂z/∂x_a · u_a:  S = −β Σ ( ζ(z) ζ(x) + ζ(ẋ) ζ(t) ).
#include "core/deformables/bending_damper.h"
#include "core/deformables/bending_pull.h"
#include "core/forces/element_curve.h"
#include "core/math/mat3.h"

#include <string.h>

static void feel_more(double to[3], double s, const double by[3]) { mb_vec3_add_scaled(to, to, s, by); }

// ---- flat -----------------------------------------------------------------------------------------------------------

static void feel_pair(const void *piece, MbCorner *c, size_t n) {
  static const MbCornerVector products[2][2] = {{MB_CORNER_Z, MB_CORNER_Y}, {MB_CORNER_PLACE, MB_CORNER_T}};
  const double Q = *(const double *)piece;
  (void)n;
  for (size_t k = 0; k < 4; k++) {
    const MbCornerVector one = products[k / 2][k % 2], other = products[k / 2][1 - k % 2];
    double d[3];
    mb_vec3_sub(d, c[1].at[other], c[0].at[other]);
    feel_more(c[1].felt[one], Q, d), feel_more(c[0].felt[one], -Q, d);
  }
}

static double value_of_pair(const void *piece, const MbCorner *c, size_t n) {
  double d[MB_CORNER_VECTORS][3];
  (void)n;
  for (MbCornerVector k = 0; k < MB_CORNER_VECTORS; k++) mb_vec3_sub(d[k], c[1].at[k], c[0].at[k]);
  mb_vec3_add(d[MB_CORNER_T], d[MB_CORNER_T], d[MB_CORNER_Z]);
  return *(const double *)piece *
         (mb_vec3_dot(d[MB_CORNER_Z], d[MB_CORNER_Y]) + mb_vec3_dot(d[MB_CORNER_PLACE], d[MB_CORNER_T]));
}

static const MbCornerPiece pair = {feel_pair, value_of_pair};

static void curve_pairs(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at) {
  for (size_t k = 0; k < e->ncouples; k++) {
    MbCorner corner[2];
    if (e->bend[k] == 0) continue;
    for (size_t a = 0; a < 2; a++) mb_corner_take(e->first + e->couple[2 * k + a], x, at, &corner[a]);
    if (at->value || mb_corners_turn(corner, 2)) mb_corner_curve(at, corner, 2, &e->bend[k], &pair);
  }
}

// ---- curved at rest -------------------------------------------------------------------------------------------------

typedef struct Curved {
  const double *weight; // (nodes)
  size_t corner[3];     // which of the nodes
  MbBendingNormal normal;
  double w[3];
} Curved;

// N′ and w′ along a vector, and the vector's own sides.
typedef struct Along {
  double side[3][3], N[3], w[3];
} Along;

static void sides(const double *const p[3], double side[3][3]) {
  for (int j = 0; j < 3; j++) mb_vec3_sub(side[j], p[(j + 2) % 3], p[(j + 1) % 3]);
}

// Σ side_j × v_j
static void turn_by(const double side[3][3], const double *const v[3], double N[3]) {
  double x[3];
  mb_vec3_set(N, 0, 0, 0);
  for (int j = 0; j < 3; j++) {
    mb_vec3_cross(x, side[j], v[j]);
    mb_vec3_add(N, N, x);
  }
}

static void corners_at(const Curved *s, const MbCorner *c, MbCornerVector v, const double *p[3]) {
  for (int j = 0; j < 3; j++) p[j] = c[s->corner[j]].at[v];
}

static void look_along(const Curved *s, const MbCorner *c, size_t n, MbCornerVector v, Along *along) {
  const double *p[3];
  corners_at(s, c, v, p);
  sides(p, along->side);
  turn_by(s->normal.side, p, along->N);
  mb_vec3_set(along->w, 0, 0, 0);
  for (size_t a = 0; a < n; a++) mb_vec3_add_scaled(along->w, along->w, s->weight[a], c[a].at[v]);
}

// The triangle's corners, by v: N along it is felt by `by`.
static void give_normal(const Curved *s, MbCorner *c, MbCornerVector v, const double side[3][3],
                        const double by[3]) {
  double x[3];
  for (int j = 0; j < 3; j++) {
    double *const felt = c[s->corner[j]].felt[v];
    mb_vec3_cross(x, by, side[j]);
    mb_vec3_add(felt, felt, x);
  }
}

static void give_sum(const Curved *s, MbCorner *c, size_t n, MbCornerVector v, const double by[3]) {
  for (size_t a = 0; a < n; a++) feel_more(c[a].felt[v], s->weight[a], by);
}

// out += M(w) a; out += P a/ℓ
static void add_second(const MbBendingNormal *at, const double w[3], const double a[3], double out[3]) {
  const double s = -1 / (at->length * at->length), na = mb_vec3_dot(at->n, a), nw = mb_vec3_dot(at->n, w);
  feel_more(out, s * na, w), feel_more(out, s * nw, a);
  feel_more(out, s * (mb_vec3_dot(w, a) - 3 * nw * na), at->n);
}
static void add_across(const MbBendingNormal *at, const double a[3], double out[3]) {
  double m[3];
  mb_bending_across(at, a, m);
  mb_vec3_add(out, out, m);
}

// by_w and by_N += what a · M(w) b is felt by.
static void add_third(const MbBendingNormal *at, const double w[3], const double a[3], const double b[3],
                      double by_w[3], double by_N[3]) {
  const double na = mb_vec3_dot(at->n, a), nb = mb_vec3_dot(at->n, b), nw = mb_vec3_dot(at->n, w);
  const double ab = mb_vec3_dot(a, b), aw = mb_vec3_dot(a, w), wb = mb_vec3_dot(w, b);
  const double square = at->length * at->length, q = aw * nb + na * wb + nw * (ab - 3 * na * nb);
  double slope[3];
  feel_more(by_w, -nb / square, a), feel_more(by_w, -na / square, b);
  feel_more(by_w, -(ab - 3 * na * nb) / square, at->n);
  mb_vec3_scale(slope, aw - 3 * nw * na, b);
  feel_more(slope, wb - 3 * nw * nb, a), feel_more(slope, ab - 3 * na * nb, w);
  mb_bending_across(at, slope, slope);
  feel_more(by_N, -1 / square, slope);
  feel_more(by_N, 2 * q / (square * at->length), at->n);
}

static void feel_curved(const void *piece, MbCorner *c, size_t n) {
  const Curved *s = piece;
  const MbBendingNormal *at = &s->normal;
  Along z, y, t;
  double zy[3], by_N[3] = {0}, by_w[3] = {0}, by_z[3] = {0}, by_y[3] = {0}, m[3], x[3] = {0};
  const double *p[3];
  look_along(s, c, n, MB_CORNER_Z, &z), look_along(s, c, n, MB_CORNER_Y, &y);
  look_along(s, c, n, MB_CORNER_T, &t);
  corners_at(s, c, MB_CORNER_Z, p);
  turn_by(y.side, p, zy);
  add_third(at, s->w, z.N, y.N, by_w, by_N);
  add_second(at, y.w, z.N, by_N), add_second(at, z.w, y.N, by_N); // of a · P b/ℓ = a · ∂φ/∂N at b for w
  add_second(at, s->w, zy, by_N), add_across(at, zy, by_w);
  add_second(at, s->w, t.N, by_N), add_across(at, t.N, by_w), add_across(at, t.w, by_N);
  add_second(at, s->w, y.N, by_z), add_across(at, y.w, by_z);
  add_second(at, s->w, z.N, by_y), add_across(at, z.w, by_y);
  mb_bending_across(at, s->w, m);
  give_normal(s, c, MB_CORNER_PLACE, at->side, by_N), give_sum(s, c, n, MB_CORNER_PLACE, by_w);
  give_normal(s, c, MB_CORNER_PLACE, z.side, by_z), give_normal(s, c, MB_CORNER_PLACE, y.side, by_y);
  give_normal(s, c, MB_CORNER_PLACE, t.side, m);
  if (!mb_corners_turn(c, n)) return;
  give_normal(s, c, MB_CORNER_Z, at->side, by_z), give_normal(s, c, MB_CORNER_Z, y.side, m);
  give_normal(s, c, MB_CORNER_Y, at->side, by_y), give_normal(s, c, MB_CORNER_Y, z.side, m);
  add_across(at, y.N, x), give_sum(s, c, n, MB_CORNER_Z, x);
  mb_vec3_set(x, 0, 0, 0), add_across(at, z.N, x), give_sum(s, c, n, MB_CORNER_Y, x);
  give_normal(s, c, MB_CORNER_T, at->side, m), give_sum(s, c, n, MB_CORNER_T, at->n);
}

static double value_of_curved(const void *piece, const MbCorner *c, size_t n) {
  const Curved *s = piece;
  const MbBendingNormal *at = &s->normal;
  Along z, y, t;
  double zy[3], by_z[3] = {0}, by_w[3] = {0}, m[3];
  const double *p[3];
  look_along(s, c, n, MB_CORNER_Z, &z), look_along(s, c, n, MB_CORNER_Y, &y);
  look_along(s, c, n, MB_CORNER_T, &t);
  corners_at(s, c, MB_CORNER_Z, p);
  turn_by(y.side, p, zy);
  add_second(at, s->w, y.N, by_z), add_across(at, y.w, by_z), add_across(at, y.N, by_w);
  mb_bending_across(at, s->w, m);
  mb_vec3_add(zy, zy, z.N), mb_vec3_add(zy, zy, t.N);
  mb_vec3_add(t.w, t.w, z.w);
  return mb_vec3_dot(z.N, by_z) + mb_vec3_dot(z.w, by_w) + mb_vec3_dot(m, zy) + mb_vec3_dot(at->n, t.w);
}

static const MbCornerPiece curved = {feel_curved, value_of_curved};

static void curve_curved(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at) {
  for (size_t t = 0; t < e->ncurved; t++) {
    const size_t first = e->curved_first[t], n = e->curved_first[t + 1] - first;
    Curved s = {.weight = e->curved_weight + first};
    MbCorner corner[MB_BENT_NODES];
    const double *p[3];
    double d[3];
    for (size_t a = 0; a < n; a++) {
      const uint32_t node = e->curved_node[first + a];
      mb_corner_take(e->first + node, x, at, &corner[a]);
      for (size_t j = 0; j < 3; j++)
        if (e->curved[3 * t + j] == node) s.corner[j] = a;
    }
    corners_at(&s, corner, MB_CORNER_PLACE, p);
    s.normal = mb_bending_normal(p);
    for (size_t a = 0; a < n; a++) {
      mb_vec3_sub(d, corner[a].at[MB_CORNER_PLACE], p[0]);
      mb_vec3_add_scaled(s.w, s.w, s.weight[a], d);
    }
    mb_corner_curve(at, corner, n, &s, &curved);
  }
}

// ---- damping --------------------------------------------------------------------------------------------------------

typedef struct Damped {
  double beta;
  MbBent bent;
} Damped;

static double rate_of(const MbBent *bent, const MbCorner *c, size_t m, MbCornerVector v) {
  double sum = 0;
  for (size_t a = 0; a < bent->nodes; a++) sum += mb_vec3_dot(mb_bent_slope(bent, m, a), c[a].at[v]);
  return sum;
}

// Of −β ζ(one) ζ(other).
static void feel_product(const Damped *s, MbCorner *c, size_t m, MbCornerVector one, MbCornerVector other) {
  const MbBent *bent = &s->bent;
  const double by_one = -s->beta * rate_of(bent, c, m, other), by_other = -s->beta * rate_of(bent, c, m, one);
  double B[9], way[3], x[3];
  for (size_t a = 0; a < bent->nodes; a++) {
    feel_more(c[a].felt[one], by_one, mb_bent_slope(bent, m, a));
    feel_more(c[a].felt[other], by_other, mb_bent_slope(bent, m, a));
    mb_vec3_scale(way, by_one, c[a].at[one]);
    feel_more(way, by_other, c[a].at[other]);
    for (size_t b = 0; b < bent->nodes; b++) {
      mb_bent_second(bent, m, b, a, B);
      mb_mat3_apply(x, B, way);
      mb_vec3_add(c[b].felt[MB_CORNER_PLACE], c[b].felt[MB_CORNER_PLACE], x);
    }
  }
}

static void feel_damped(const void *piece, MbCorner *c, size_t n) {
  const Damped *s = piece;
  const bool turns = mb_corners_turn(c, n);
  for (size_t m = 0; m < s->bent.measures; m++) {
    feel_product(s, c, m, MB_CORNER_Z, MB_CORNER_X);
    if (turns) feel_product(s, c, m, MB_CORNER_RATE, MB_CORNER_T);
  }
}

static double value_of_damped(const void *piece, const MbCorner *c, size_t n) {
  const Damped *s = piece;
  double sum = 0;
  (void)n;
  for (size_t m = 0; m < s->bent.measures; m++) {
    const double z = rate_of(&s->bent, c, m, MB_CORNER_Z), t = rate_of(&s->bent, c, m, MB_CORNER_T);
    sum += z * rate_of(&s->bent, c, m, MB_CORNER_X) + (z + t) * rate_of(&s->bent, c, m, MB_CORNER_RATE);
  }
  return -s->beta * sum;
}

static const MbCornerPiece damped = {feel_damped, value_of_damped};

static void curve_damped(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at) {
  Damped s = {.beta = e->of->bending_damping};
  for (size_t t = 0; t < e->damper->count; t++) {
    const size_t first = e->damper->first[t], n = e->damper->first[t + 1] - first;
    MbCorner corner[MB_BENT_NODES];
    double p[MB_BENT_NODES][3];
    for (size_t a = 0; a < n; a++) {
      mb_corner_take(e->first + e->damper->node[first + a], x, at, &corner[a]);
      mb_vec3_copy(p[a], corner[a].at[MB_CORNER_PLACE]);
    }
    mb_bent_look(e->damper, t, p[0], !at->value, &s.bent);
    mb_corner_curve(at, corner, n, &s, &damped);
  }
}

void mb_element_bending_curve(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at) {
  if (e->bend) curve_pairs(e, x, at);
  curve_curved(e, x, at);
  if (e->damper) curve_damped(e, x, at);
}
