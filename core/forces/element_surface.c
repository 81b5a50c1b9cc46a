// Pressure and wind on the surface of a deformable whose nodes are bodies (deformables/surface_load.h), with their derivatives
//
//   of pressure  K_ij = P ∂²V/∂x_i∂x_j, symmetric; it may push sideways, and is left out where A must be definite
//   of wind      D_ij = −C/9; where every derivative counts D_ij = −(∂f/∂u)/9 and K_ij = (∂f/∂a) ½ [x_{j+2} − x_{j+1}]/3
//
// all in W, to the bodies' axes as those of elements.
#include "core/deformables/surface_load.h"
#include "core/forces/element_corners.h"

#include <string.h>

static MbSpots places_of(const MbElementForce *e, const MbMaximal *x) {
  return (MbSpots){x->E[e->first].p, sizeof *x->E / sizeof *x->E->p};
}

static double pressure_of(const MbElementSurface *s, const MbMaximal *x) {
  return s->pressure == SIZE_MAX ? 0 : x->signal[s->pressure];
}

// Adds K_ij of two corners and its transpose as K_ji.
static void couple(const MbModel *model, const MbElementForce *e, MbMaximal *x, size_t i, size_t j,
                   size_t pair, double K[9]) {
  mb_corner_to_own_axes(model, x, i, j, K);
  mb_corner_add(mb_corner_block(model, e, x->K, i, j, pair), K, false, 3);
  mb_corner_add(mb_corner_block(model, e, x->K, j, i, pair), K, true, 3);
}

static void press(const MbModel *model, const MbForce *force, size_t k, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const MbElementSurface *s = e->of->surface;
  const MbSpots places = places_of(e, x);
  const size_t begin = s->chamber[k], end = s->chamber[k + 1];
  const uint32_t common = s->inner[3 * begin];
  double P, a[3], K[3][9];
  mb_chamber_energy(s, k, pressure_of(s, x), mb_chamber_volume(s, k, places), &P, NULL);
  for (size_t t = begin; t < end; t++) {
    const uint32_t *const corner = s->inner + 3 * t;
    mb_triangle_area(places, corner, a);
    mb_vec3_scale(a, P / 3, a);
    for (size_t j = 0; j < 3; j++) mb_corner_push(model, force, x, e->first + corner[j], a);
    if (!mb_force_stiffens(force, x) || x->safe) continue;
    mb_triangle_curve(places, corner, common, K);
    for (size_t j = 0; j < 3; j++) {
      for (size_t c = 0; c < 9; c++) K[j][c] *= P;
      couple(model, e, x, e->first + corner[(j + 1) % 3], e->first + corner[j], e->inner_edge[3 * t + j],
             K[j]);
    }
  }
}

// ---- wind -------------------------------------------------------------------------------------------------

// u = w − v
static void relative(const MbElementForce *e, const MbMaximal *x, const uint32_t corner[3], double u[3]) {
  const MbElementSurface *s = e->of->surface;
  for (size_t k = 0; k < 3; k++) u[k] = x->signal[s->wind[k]];
  for (size_t j = 0; j < 3; j++) {
    const size_t b = e->first + corner[j];
    double v[3];
    mb_quat_rotate(v, x->E[b].q, x->phi + 6 * b + 3);
    mb_vec3_add_scaled(u, u, -1.0 / 3, v);
  }
}

// Couples of corners (1, 0), (2, 1), (0, 2)
static size_t pair_of(const MbElementForce *e, size_t t, size_t i, size_t j) {
  static const size_t which[3][3] = {{0, 0, 2}, {0, 0, 1}, {2, 1, 0}};
  return e->outer_edge[3 * t + which[i][j]];
}

// D, and of a body that turns what its turning changes of the velocity, into K
static void add_damping(const MbModel *model, const MbElementForce *e, MbMaximal *x, size_t i, size_t j,
                        size_t pair, const double by_v[9]) {
  double D[9], X[9], DX[9];
  memcpy(D, by_v, sizeof D);
  mb_corner_to_own_axes(model, x, i, j, D);
  mb_corner_add(mb_corner_block(model, e, x->D, i, j, pair), D, false, 3);
  if (!x->K || !x->exact || !mb_corner_turns(model, j)) return;
  mb_mat3_cross(X, x->phi + 6 * j + 3);
  mb_mat3_mul(DX, D, X);
  for (size_t c = 0; c < 9; c++) DX[c] = -DX[c];
  mb_corner_add(mb_corner_block(model, e, x->K, i, j, pair), DX, false, 0);
}

// ∂f_i/∂x_j of the area vector's slope
static void add_turning(const MbModel *model, const MbElementForce *e, MbMaximal *x, size_t i, size_t j,
                        size_t pair, const double by_x[9]) {
  double K[9];
  memcpy(K, by_x, sizeof K);
  mb_corner_to_own_axes(model, x, i, j, K);
  mb_corner_add(mb_corner_block(model, e, x->K, i, j, pair), K, false, 3);
}

static void blow(const MbModel *model, const MbForce *force, size_t t, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const MbElementSurface *s = e->of->surface;
  const uint32_t *const corner = s->outer + 3 * t;
  const MbSpots places = places_of(e, x);
  const bool counts = mb_force_counts(force, x);
  double a[3], u[3], f[3], by_u[9], by_a[9], by_x[3][9], C[9];
  mb_triangle_area(places, corner, a);
  relative(e, x, corner, u);
  if (!mb_wind_force(s, t, a, u, f, C, by_u, by_a)) return;
  mb_vec3_scale(f, 1.0 / 3, f);
  for (size_t j = 0; j < 3; j++) mb_corner_push(model, force, x, e->first + corner[j], f);
  if (!counts) return;
  for (size_t c = 0; c < 9; c++) C[c] = (x->exact ? by_u[c] : C[c]) / -9;
  for (size_t j = 0; j < 3; j++) {
    double side[3], X[9];
    mb_vec3_sub(side, mb_spot(&places, corner[(j + 2) % 3]), mb_spot(&places, corner[(j + 1) % 3]));
    mb_vec3_scale(side, 1.0 / 6, side);
    mb_mat3_cross(X, side);
    mb_mat3_mul(by_x[j], by_a, X);
  }
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      const size_t A = e->first + corner[i], B = e->first + corner[j], pair = pair_of(e, t, i, j);
      add_damping(model, e, x, A, B, pair, C);
      if (x->K && x->exact) add_turning(model, e, x, A, B, pair, by_x[j]);
    }
}

// ---- all --------------------------------------------------------------------------------------------------

void mb_element_surface_eval(const MbModel *model, const MbForce *force, MbMaximal *x) {
  const MbElementSurface *s = force->elements->of->surface;
  for (size_t k = 0; k < s->nchambers; k++) press(model, force, k, x);
  for (size_t t = 0; t < s->nouter; t++) blow(model, force, t, x);
}

double mb_element_surface_energy(const MbForce *force, const MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const MbElementSurface *s = e->of->surface;
  double sum = 0;
  for (size_t k = 0; k < s->nchambers; k++)
    sum += mb_chamber_energy(s, k, pressure_of(s, x), mb_chamber_volume(s, k, places_of(e, x)), NULL, NULL);
  return sum;
}
