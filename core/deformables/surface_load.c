#include "core/deformables/surface_load.h"
#include "core/deformables/load_body.h"
#include "core/math/mat3.h"

#include <string.h>

// ---- pressure ---------------------------------------------------------------------------------------------

// Places from the chamber's first node, so that ones far from the origin do no harm.
double mb_chamber_volume(const MbElementSurface *surface, size_t k, MbSpots places) {
  const size_t begin = surface->chamber[k], end = surface->chamber[k + 1];
  const double *const origin = mb_spot(&places, surface->inner[3 * begin]);
  double sum = 0;
  for (size_t t = begin; t < end; t++) {
    const uint32_t *const corner = surface->inner + 3 * t;
    sum += mb_triangle_volume(mb_spot(&places, corner[0]), mb_spot(&places, corner[1]),
                              mb_spot(&places, corner[2]), origin);
  }
  return sum / 6;
}

double mb_chamber_energy(const MbElementSurface *surface, size_t k, double pressure, double volume, double *P,
                         double *slope) {
  const MbChamberStuff chamber = {surface->volume[k], surface->gas, surface->outside};
  double push, change;
  const double energy = mb_chamber_push_of(&chamber, pressure, volume, &push, &change);
  if (P) *P = push;
  if (slope) *slope = change;
  return energy;
}

void mb_triangle_area(MbSpots places, const uint32_t corner[3], double a[3]) {
  mb_triangle_area_of(mb_spot(&places, corner[0]), mb_spot(&places, corner[1]), mb_spot(&places, corner[2]),
                      a);
}

// x₂ × (.)/6 is how the slope by x₁, (x₂ × x₀)/6, changes with x₀.
void mb_triangle_curve(MbSpots places, const uint32_t corner[3], uint32_t common, double K[3][9]) {
  for (size_t j = 0; j < 3; j++) {
    double d[3];
    mb_vec3_sub(d, mb_spot(&places, corner[(j + 2) % 3]), mb_spot(&places, common));
    mb_vec3_scale(d, 1.0 / 6, d);
    mb_mat3_cross(K[j], d);
  }
}

// ---- wind -------------------------------------------------------------------------------------------------

// B += s a bᵀ
static void add_outer(double B[9], double s, const double a[3], const double b[3]) {
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) B[3 * i + j] += s * a[i] * b[j];
}

static void add_diagonal(double B[9], double s) { B[0] += s, B[4] += s, B[8] += s; }

bool mb_wind_force(const MbElementSurface *surface, size_t t, const double a[3], const double u[3],
                   double f[3], double C[9], double by_u[9], double by_a[9]) {
  const double A = mb_vec3_norm(a), U = mb_vec3_norm(u), c = mb_vec3_dot(u, a);
  const double d = surface->density * surface->drag / 2, l = surface->density * surface->lift / 2;
  const MbWindStuff wind = {d, l};
  double along, across;
  if (!mb_wind_parts_of(&wind, t < surface->nclosed, a, u, &along, &across)) return false;
  const double s = c < 0 ? -1 : 1;
  for (size_t k = 0; k < 3; k++) f[k] = along * u[k] + across * a[k];
  if (C) mb_wind_slope_of(&wind, along, a, u, C);
  if (by_u) {
    memset(by_u, 0, 9 * sizeof *by_u);
    add_diagonal(by_u, along);
    add_outer(by_u, d * s - 2 * l * c / (A * U), u, a);
    add_outer(by_u, l * c * c / (A * U * U * U), u, u);
    add_outer(by_u, l * c / (A * U), a, u);
    add_outer(by_u, l * U / A, a, a);
  }
  if (by_a) {
    memset(by_a, 0, 9 * sizeof *by_a);
    add_outer(by_a, d * s - 2 * l * c / (A * U), u, u);
    add_outer(by_a, l * c * c / (A * A * A * U), u, a);
    add_outer(by_a, l * U / A, a, u);
    add_diagonal(by_a, across);
    add_outer(by_a, -l * U * c / (A * A * A), a, a);
  }
  return true;
}
