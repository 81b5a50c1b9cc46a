// What loads of a step are felt by. Of a triangle that wind blows at (pd_loads.c), with z̄ the mean of its corners' z and e = d/h − v̄₀,
//
//   −z · R = z̄ · (f₀(a, u) − C(a, u) e),   u = wind − v̄₀
//
// a being its area vector and v̄₀ its mean velocity at the start. What C changes by is taken by differences, some 1e-10 of it.
#include "core/math/mat3.h"
#include "core/solvers/projective/pd_slopes.h"

#include <math.h>
#include <string.h>

// ---- wind -------------------------------------------------------------------------------------------------

// A triangle in the wind.
typedef struct Blown {
  double a[3], u[3], e[3], z[3]; // z̄
  double f[3], C[9], by_u[9], by_a[9];
} Blown;

static MbSpots spots_of(const MbPdLoaded *s, const double *x) { return (MbSpots){x + 3 * s->first, 3}; }

static void mean_of(MbSpots spots, const uint32_t corner[3], double mean[3]) {
  mb_vec3_add(mean, mb_spot(&spots, corner[0]), mb_spot(&spots, corner[1]));
  mb_vec3_add(mean, mean, mb_spot(&spots, corner[2]));
  mb_vec3_scale(mean, 1.0 / 3, mean);
}

static bool look_at(const MbPdEngine *engine, const MbPdLoaded *s, size_t t, const double *z, Blown *b) {
  const uint32_t *const corner = s->of->outer + 3 * t;
  double d[3];
  mb_triangle_area(spots_of(s, engine->start->q), corner, b->a);
  mb_vec3_sub(b->u, s->load.wind, s->v + 3 * t);
  mean_of(spots_of(s, engine->q), corner, d);
  mb_vec3_sub(d, d, s->x + 3 * t);
  for (size_t c = 0; c < 3; c++) b->e[c] = d[c] / engine->span - s->v[3 * t + c];
  mean_of(spots_of(s, z), corner, b->z);
  return mb_wind_force(s->of, t, b->a, b->u, b->f, b->C, b->by_u, b->by_a);
}

// z̄ · C e
static double slowed(const MbPdLoaded *s, size_t t, const Blown *b) {
  double f[3], C[9], Ce[3];
  if (!mb_wind_force(s->of, t, b->a, b->u, f, C, NULL, NULL)) return 0;
  mb_mat3_apply(Ce, C, b->e);
  return mb_vec3_dot(b->z, Ce);
}

// The slope of the above by a and u.
static void slope_of(const MbPdLoaded *s, size_t t, const Blown *at, double by_a[3], double by_u[3]) {
  static const double MOVE = 1e-5;
  Blown b = *at;
  for (size_t k = 0; k < 6; k++) {
    const double *from = k < 3 ? at->a : at->u;
    double *x = k < 3 ? &b.a[k] : &b.u[k - 3], *to = k < 3 ? &by_a[k] : &by_u[k - 3];
    const double move = MOVE * mb_vec3_norm(from);
    double own = 0;
    for (int side = -1; side <= 1 && move > 0; side += 2) {
      *x = from[k % 3] + side * move;
      own += side * slowed(s, t, &b);
    }
    *x = from[k % 3];
    *to = move > 0 ? -own / (2 * move) : 0;
    for (size_t i = 0; i < 3; i++) *to += at->z[i] * (k < 3 ? at->by_a : at->by_u)[3 * i + k % 3];
  }
}

void mb_pd_slopes_blown(const MbPdEngine *engine, const double *z, double *q, double *v) {
  Blown b;
  double by_a[3], by_u[3], Cz[3], side[3], turn[3];
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbPdLoaded *s = &engine->loaded[i];
    const MbSpots at = spots_of(s, engine->start->q);
    for (size_t t = 0; t < s->of->nouter; t++) {
      const uint32_t *const corner = s->of->outer + 3 * t;
      if (!look_at(engine, s, t, z, &b)) continue;
      slope_of(s, t, &b, by_a, by_u);
      mb_mat3_apply(Cz, b.C, b.z);
      for (size_t j = 0; j < 3; j++) {
        double *to_q = q + 3 * (s->first + corner[j]), *to_v = v + 3 * (s->first + corner[j]);
        mb_vec3_sub(side, mb_spot(&at, corner[(j + 1) % 3]), mb_spot(&at, corner[(j + 2) % 3]));
        mb_vec3_cross(turn, side, by_a);
        mb_vec3_add_scaled(to_q, to_q, 0.5, turn);
        mb_vec3_add_scaled(to_q, to_q, 1 / (3 * engine->span), Cz);
        mb_vec3_add_scaled(to_v, to_v, 1.0 / 3, Cz);
        mb_vec3_add_scaled(to_v, to_v, -1.0 / 3, by_u);
      }
    }
  }
}

// ---- by loads ---------------------------------------------------------------------------------------------

static double of_pressure(const MbPdEngine *engine, const MbPdLoaded *s, const double *z) {
  const MbSpots at = spots_of(s, engine->q);
  double sum = 0, a[3], mean[3];
  for (size_t k = 0; k < s->of->nchambers; k++)
    for (size_t t = s->of->chamber[k]; t < s->of->chamber[k + 1]; t++) {
      mb_triangle_area(at, s->of->inner + 3 * t, a);
      mean_of(spots_of(s, z), s->of->inner + 3 * t, mean);
      sum += mb_vec3_dot(mean, a);
    }
  return sum;
}

// By how much tension grows with the activation: by half as much where that has just come to its end.
static double drawn(const MbFibres *fibres, double activation) {
  static const double MOVE = 1e-6;
  double T[2];
  mb_fibre_energy(fibres, activation - MOVE, 1, &T[0], NULL);
  mb_fibre_energy(fibres, activation + MOVE, 1, &T[1], NULL);
  return (T[1] - T[0]) / (2 * MOVE);
}

static double of_fibres(const MbPdEngine *engine, const MbPdLoaded *s, size_t m, const double *z) {
  const MbFibres *fibres = &s->fibred->fibres[m];
  size_t corners;
  const size_t n = mb_pd_fibred(s, &corners);
  const double by = drawn(fibres, s->load.activation[m]);
  double sum = 0, y[3], along[3];
  for (size_t k = 0; k < n; k++) {
    const uint32_t *const corner = mb_pd_fibred_corners(s, k);
    const double *const c = fibres->weight + corners * k;
    mb_fibre_along(c, corners, spots_of(s, engine->q), corner, y);
    mb_fibre_along(c, corners, spots_of(s, z), corner, along);
    const double stretch = mb_vec3_norm(y);
    if (stretch > 0) sum -= s->fibred->fibre_volume[k] * by * mb_vec3_dot(along, y) / stretch;
  }
  return sum;
}

static void of_wind(const MbPdEngine *engine, const MbPdLoaded *s, const double *z, double felt[3]) {
  Blown b;
  double by_a[3], by_u[3];
  for (size_t t = 0; t < s->of->nouter; t++) {
    if (!look_at(engine, s, t, z, &b)) continue;
    slope_of(s, t, &b, by_a, by_u);
    mb_vec3_add(felt, felt, by_u);
  }
}

// −z · ∂l/∂q of each cable
static void of_cables(const MbPdEngine *engine, const double *z, double *felt) {
  const MbCablePath *paths;
  const size_t n = mb_pd_cables(engine, &paths);
  for (size_t k = 0; k < n; k++) {
    felt[k] = 0;
    for (size_t j = 0; j + 1 < paths[k].npoints; j++) {
      double a[3], b[3], d[3], by[3];
      mb_cable_point(&paths[k], j, engine->q, a);
      mb_cable_point(&paths[k], j + 1, engine->q, b);
      mb_vec3_sub(d, b, a);
      mb_cable_point(&paths[k], j, z, a);
      mb_cable_point(&paths[k], j + 1, z, b);
      mb_vec3_sub(by, b, a);
      const double l = mb_vec3_norm(d);
      if (l > 0) felt[k] -= mb_vec3_dot(by, d) / l;
    }
  }
}

void mb_pd_slopes_loads(const MbPdEngine *engine, const double *z, MbNodeLoadsFelt *felt) {
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbPdLoaded *s = &engine->loaded[i];
    MbNodeLoad *to = &felt->load[s->part];
    mb_vec3_set(to->wind, 0, 0, 0);
    to->pressure = of_pressure(engine, s, z);
    of_wind(engine, s, z, to->wind);
    for (size_t m = 0; s->fibred && m < s->fibred->nfibres; m++)
      to->activation[m] = of_fibres(engine, s, m, z);
  }
  of_cables(engine, z, felt->force);
}
