// How K and D of fibres, pressure and wind change (corner_curve.h). With sums over corners (of c_a of fibres) for vectors without a number,
//
//   fibres, f(λ), λ = |y| (deformables/fibres.h):   S = −V ( z · f″ y + f′ · t )
//   pressure:   S = P/6 Σ_j d_{j+2} · ( y_j × z_{j+1} + z_j × y_{j+1} ) + P/3 a · t,   d = x − c, c the place that all triangles of the chamber have in common
//   wind:   S = −z · C x/9 + f · t/3,   C = max(s, 0) 1 + k |u|/|a| a aᵀ,   s = d |u · a| − l (u · a)²/(|a| |u|),  u = w − ẋ/3
//
// where P does not depend on the volume, as it does of gases: these are for solver `projective`.
#include "core/deformables/elastic_third.h"
#include "core/deformables/fibres.h"
#include "core/deformables/load_body.h"
#include "core/deformables/surface_load.h"
#include "core/forces/element_corners.h"
#include "core/forces/element_curve.h"
#include "core/math/mat3.h"

#include <string.h>

// to += s a × b
static void add_cross(double to[3], double s, const double a[3], const double b[3]) {
  double x[3];
  mb_vec3_cross(x, a, b);
  mb_vec3_add_scaled(to, to, s, x);
}

static void sum_of(const MbCorner *c, size_t n, MbCornerVector v, const double *weight, double sum[3]) {
  mb_vec3_set(sum, 0, 0, 0);
  for (size_t a = 0; a < n; a++) mb_vec3_add_scaled(sum, sum, weight ? weight[a] : 1, c[a].at[v]);
}

static void give(MbCorner *c, size_t n, MbCornerVector v, const double *weight, double s,
                 const double by[3]) {
  for (size_t a = 0; a < n; a++)
    mb_vec3_add_scaled(c[a].felt[v], c[a].felt[v], s * (weight ? weight[a] : 1), by);
}

// ---- fibres ---------------------------------------------------------------------------------------------------------

typedef struct Drawn {
  const double *c;
  double volume, y[3], tension, slope;
} Drawn;

static void feel_fibre(const void *piece, MbCorner *c, size_t n) {
  const Drawn *s = piece;
  double z[3], y[3], t[3], by[3], x[3];
  const double V = s->volume;
  sum_of(c, n, MB_CORNER_Z, s->c, z), sum_of(c, n, MB_CORNER_Y, s->c, y), sum_of(c, n, MB_CORNER_T, s->c, t);
  mb_length_third(s->y, s->tension, s->slope, 0, z, y, by); // T is made of straight pieces
  mb_length_second(s->y, s->tension, s->slope, t, x);
  mb_vec3_add(by, by, x);
  give(c, n, MB_CORNER_PLACE, s->c, -V, by);
  if (!mb_corners_turn(c, n)) return;
  mb_length_second(s->y, s->tension, s->slope, y, by), give(c, n, MB_CORNER_Z, s->c, -V, by);
  mb_length_second(s->y, s->tension, s->slope, z, by), give(c, n, MB_CORNER_Y, s->c, -V, by);
  give(c, n, MB_CORNER_T, s->c, -V * s->tension / mb_vec3_norm(s->y), s->y);
}

static double value_of_fibre(const void *piece, const MbCorner *c, size_t n) {
  const Drawn *s = piece;
  double z[3], y[3], t[3], by[3];
  sum_of(c, n, MB_CORNER_Z, s->c, z), sum_of(c, n, MB_CORNER_Y, s->c, y), sum_of(c, n, MB_CORNER_T, s->c, t);
  mb_length_second(s->y, s->tension, s->slope, y, by);
  mb_vec3_add(t, t, z);
  return -s->volume * (mb_vec3_dot(z, by) + s->tension / mb_vec3_norm(s->y) * mb_vec3_dot(s->y, t));
}

static const MbCornerPiece drawn = {feel_fibre, value_of_fibre};

static void curve_fibres(const MbElementForce *e, size_t m, const MbMaximal *x, const MbForceCurve *at) {
  const MbFibres *fibres = &e->of->fibres[m];
  for (size_t k = 0; k < e->n; k++) {
    Drawn s = {.c = fibres->weight + e->corners * k, .volume = e->size[k]};
    MbCorner corner[MB_MOST_CORNERS];
    mb_element_fibre_tension(e, m, x, k, s.y, &s.tension, &s.slope);
    if (!(mb_vec3_norm(s.y) > 0) || (s.tension == 0 && s.slope == 0)) continue;
    for (size_t a = 0; a < e->corners; a++) mb_corner_take(mb_corner_body(e, k, a), x, at, &corner[a]);
    mb_corner_curve(at, corner, e->corners, &s, &drawn);
  }
}

// ---- pressure -------------------------------------------------------------------------------------------------------

enum { COMMON = 3, PRESSED };

// What a triangle's area vector is felt by to its corners.
static void give_area(MbCorner *c, const double by[3]) {
  for (size_t j = 0; j < 3; j++) {
    double side[3];
    mb_vec3_sub(side, c[(j + 2) % 3].at[MB_CORNER_PLACE], c[(j + 1) % 3].at[MB_CORNER_PLACE]);
    add_cross(c[j].felt[MB_CORNER_PLACE], 0.5, by, side);
  }
}

static void area_of(const MbCorner *c, double a[3]) {
  mb_triangle_area_of(c[0].at[MB_CORNER_PLACE], c[1].at[MB_CORNER_PLACE], c[2].at[MB_CORNER_PLACE], a);
}

static void feel_pressed(const void *piece, MbCorner *c, size_t n) {
  const double P = *(const double *)piece;
  double t[3], a[3];
  const bool turns = mb_corners_turn(c, n);
  for (size_t j = 0; j < 3; j++) {
    MbCorner *one = &c[j], *next = &c[(j + 1) % 3], *last = &c[(j + 2) % 3];
    double d[3], by[3] = {0};
    add_cross(by, P / 6, one->at[MB_CORNER_Y], next->at[MB_CORNER_Z]);
    add_cross(by, P / 6, one->at[MB_CORNER_Z], next->at[MB_CORNER_Y]);
    mb_vec3_add(last->felt[MB_CORNER_PLACE], last->felt[MB_CORNER_PLACE], by);
    mb_vec3_sub(c[COMMON].felt[MB_CORNER_PLACE], c[COMMON].felt[MB_CORNER_PLACE], by);
    mb_vec3_sub(d, last->at[MB_CORNER_PLACE], c[COMMON].at[MB_CORNER_PLACE]);
    add_cross(next->felt[MB_CORNER_Z], P / 6, d, one->at[MB_CORNER_Y]);
    add_cross(next->felt[MB_CORNER_Y], P / 6, d, one->at[MB_CORNER_Z]);
    add_cross(one->felt[MB_CORNER_Z], P / 6, next->at[MB_CORNER_Y], d);
    add_cross(one->felt[MB_CORNER_Y], P / 6, next->at[MB_CORNER_Z], d);
  }
  if (!turns) return;
  sum_of(c, 3, MB_CORNER_T, NULL, t), area_of(c, a);
  mb_vec3_scale(t, P / 3, t);
  give_area(c, t), give(c, 3, MB_CORNER_T, NULL, P / 3, a);
}

static double value_of_pressed(const void *piece, const MbCorner *c, size_t n) {
  double z[3], t[3], a[3], sum = 0;
  (void)n;
  for (size_t j = 0; j < 3; j++) {
    const MbCorner *one = &c[j], *next = &c[(j + 1) % 3], *last = &c[(j + 2) % 3];
    double d[3], x[3] = {0};
    mb_vec3_sub(d, last->at[MB_CORNER_PLACE], c[COMMON].at[MB_CORNER_PLACE]);
    add_cross(x, 1, one->at[MB_CORNER_Y], next->at[MB_CORNER_Z]);
    add_cross(x, 1, one->at[MB_CORNER_Z], next->at[MB_CORNER_Y]);
    sum += mb_vec3_dot(d, x) / 6;
  }
  sum_of(c, 3, MB_CORNER_Z, NULL, z), sum_of(c, 3, MB_CORNER_T, NULL, t), area_of(c, a);
  mb_vec3_add(t, t, z);
  return *(const double *)piece * (sum + mb_vec3_dot(a, t) / 3);
}

static const MbCornerPiece pressed = {feel_pressed, value_of_pressed};

static void curve_chamber(const MbElementForce *e, size_t k, const MbMaximal *x, const MbForceCurve *at) {
  const MbElementSurface *s = e->of->surface;
  const MbSpots places = {x->E[e->first].p, sizeof *x->E / sizeof *x->E->p};
  const size_t begin = s->chamber[k], end = s->chamber[k + 1];
  double P;
  mb_chamber_energy(s, k, s->pressure == SIZE_MAX ? 0 : x->signal[s->pressure],
                    mb_chamber_volume(s, k, places), &P, NULL);
  for (size_t t = begin; t < end; t++) {
    MbCorner corner[PRESSED];
    for (size_t j = 0; j < 3; j++) mb_corner_take(e->first + s->inner[3 * t + j], x, at, &corner[j]);
    mb_corner_take(e->first + s->inner[3 * begin], x, at, &corner[COMMON]);
    mb_corner_curve(at, corner, PRESSED, &P, &pressed);
  }
}

// ---- wind -----------------------------------------------------------------------------------------------------------

typedef struct Blown {
  double d, l, a[3], u[3], f[3], C[9], by_u[9], by_a[9];
} Blown;

// What C is felt by as z · C x, to a and u: of max(s, 0) z · x + l |u|/|a| (a · z)(a · x).
static void feel_slope(const Blown *s, const double z[3], const double x[3], double by_a[3], double by_u[3]) {
  const double A = mb_vec3_norm(s->a), U = mb_vec3_norm(s->u), c = mb_vec3_dot(s->a, s->u);
  const double along = s->d * fabs(c) - s->l * c * c / (A * U), zx = mb_vec3_dot(z, x);
  const double az = mb_vec3_dot(s->a, z), ax = mb_vec3_dot(s->a, x), lift = s->l * U / A;
  mb_vec3_scale(by_a, lift * ax, z);
  mb_vec3_add_scaled(by_a, by_a, lift * az, x);
  mb_vec3_add_scaled(by_a, by_a, -lift * az * ax / (A * A), s->a);
  mb_vec3_scale(by_u, s->l * az * ax / (A * U), s->u);
  if (!(along > 0)) return;
  const double by_c = zx * ((c < 0 ? -s->d : s->d) - 2 * s->l * c / (A * U)),
               by = zx * s->l * c * c / (A * U);
  mb_vec3_add_scaled(by_a, by_a, by_c, s->u), mb_vec3_add_scaled(by_u, by_u, by_c, s->a);
  mb_vec3_add_scaled(by_a, by_a, by / (A * A), s->a), mb_vec3_add_scaled(by_u, by_u, by / (U * U), s->u);
}

static void feel_blown(const void *piece, MbCorner *c, size_t n) {
  const Blown *s = piece;
  double z[3], x[3], t[3], by_a[3], by_u[3], by[3];
  sum_of(c, n, MB_CORNER_Z, NULL, z), sum_of(c, n, MB_CORNER_X, NULL, x);
  sum_of(c, n, MB_CORNER_T, NULL, t);
  feel_slope(s, z, x, by_a, by_u);
  mb_vec3_scale(by_a, -1.0 / 9, by_a), mb_vec3_scale(by_u, -1.0 / 9, by_u);
  mb_mat3_tapply(by, s->by_a, t), mb_vec3_add_scaled(by_a, by_a, 1.0 / 3, by);
  mb_mat3_tapply(by, s->by_u, t), mb_vec3_add_scaled(by_u, by_u, 1.0 / 3, by);
  give_area(c, by_a), give(c, n, MB_CORNER_RATE, NULL, -1.0 / 3, by_u);
  mb_mat3_apply(by, s->C, x), give(c, n, MB_CORNER_Z, NULL, -1.0 / 9, by);
  mb_mat3_apply(by, s->C, z), give(c, n, MB_CORNER_X, NULL, -1.0 / 9, by);
  give(c, n, MB_CORNER_T, NULL, 1.0 / 3, s->f);
}

static double value_of_blown(const void *piece, const MbCorner *c, size_t n) {
  const Blown *s = piece;
  double z[3], x[3], t[3];
  sum_of(c, n, MB_CORNER_Z, NULL, z), sum_of(c, n, MB_CORNER_X, NULL, x);
  sum_of(c, n, MB_CORNER_T, NULL, t);
  mb_vec3_add(t, t, z);
  mb_mat3_apply(x, s->C, x);
  return mb_vec3_dot(s->f, t) / 3 - mb_vec3_dot(z, x) / 9;
}

static const MbCornerPiece blown = {feel_blown, value_of_blown};

static void curve_wind(const MbElementForce *e, size_t t, const MbMaximal *x, const MbForceCurve *at) {
  const MbElementSurface *of = e->of->surface;
  Blown s = {.d = of->density * of->drag / 2, .l = of->density * of->lift / 2};
  MbCorner corner[3];
  for (size_t j = 0; j < 3; j++) mb_corner_take(e->first + of->outer[3 * t + j], x, at, &corner[j]);
  area_of(corner, s.a);
  for (size_t k = 0; k < 3; k++) s.u[k] = x->signal[of->wind[k]];
  for (size_t j = 0; j < 3; j++) mb_vec3_add_scaled(s.u, s.u, -1.0 / 3, corner[j].at[MB_CORNER_RATE]);
  if (mb_wind_force(of, t, s.a, s.u, s.f, s.C, s.by_u, s.by_a)) mb_corner_curve(at, corner, 3, &s, &blown);
}

void mb_element_loads_curve(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at) {
  const MbElementSurface *s = e->of->surface;
  for (size_t m = 0; m < e->of->nfibres; m++) curve_fibres(e, m, x, at);
  for (size_t k = 0; s && k < s->nchambers; k++) curve_chamber(e, k, x, at);
  for (size_t t = 0; s && t < s->nouter; t++) curve_wind(e, t, x, at);
}
