// What fibres, chambers and wind come to (fibres.h, surface_load.h), of one element, chamber or triangle: for processors and devices alike.
#ifndef MB_DEFORMABLES_LOAD_BODY_H
#define MB_DEFORMABLES_LOAD_BODY_H

#include "core/math/vec3.h"

#include <stdbool.h>

// A family's numbers.
typedef struct MbFibreStuff {
  double stiffness, beyond, strength, limit;
} MbFibreStuff;

// d⟨x⟩/dx: at the corner, but for rounding, as fibres at rest are, the mean of both sides', as differences across it come to. By chance it
// would be one in this element and the other in the next.
MB_INLINE double mb_fibre_side_of(double x) {
  const double rounding = 1e-10; // of a length at rest, where places are thousands of it
  return x > rounding ? 1.0 : x < -rounding ? 0.0 : 0.5;
}

// ψ, T and T′ of a stretch.
MB_INLINE double mb_fibre_stretch_of(const MbFibreStuff *fibres, double activation, double stretch, double *T,
                                     double *slope) {
  const double strain = stretch - 1, out = fmax(strain, 0.0), beyond = fmax(strain - fibres->limit, 0.0);
  const double drawn = fmin(fmax(activation, 0.0), 1.0) * fibres->strength;
  *T = fibres->stiffness * out + fibres->beyond * beyond + drawn;
  *slope = mb_fibre_side_of(strain) * fibres->stiffness +
           mb_fibre_side_of(strain - fibres->limit) * fibres->beyond;
  return (fibres->stiffness * out * out + fibres->beyond * beyond * beyond) / 2 + drawn * strain;
}

// A chamber's: its volume at the start; its gas, and what is around it, Pa.
typedef struct MbChamberStuff {
  double start, gas, outside;
} MbChamberStuff;

// E, P and P′ of a volume.
MB_INLINE double mb_chamber_push_of(const MbChamberStuff *chamber, double pressure, double volume, double *P,
                                    double *slope) {
  const double least = 0.01; // of V₀
  const double start = chamber->start, gas = chamber->gas, r = volume / start, more = volume - start;
  const double s = fmax(r, least), below = r - s;
  *P = pressure - chamber->outside + gas * (1 / s - below / (s * s));
  *slope = -gas / (s * s * start);
  return -(pressure - chamber->outside) * more -
         gas * start * (log(s) + below / s - below * below / (2 * s * s));
}

// Six times the volume between a triangle and a place.
MB_INLINE double mb_triangle_volume(const double *x0, const double *x1, const double *x2,
                                    const double *from) {
  double d[3][3], normal[3];
  mb_vec3_sub(d[0], x0, from);
  mb_vec3_sub(d[1], x1, from);
  mb_vec3_sub(d[2], x2, from);
  mb_vec3_cross(normal, d[1], d[2]);
  return mb_vec3_dot(d[0], normal);
}

MB_INLINE void mb_triangle_area_of(const double *x0, const double *x1, const double *x2, double a[3]) {
  double d[3], e[3];
  mb_vec3_sub(d, x1, x0);
  mb_vec3_sub(e, x2, x0);
  mb_vec3_cross(a, d, e);
  mb_vec3_scale(a, 0.5, a);
}

// ρ c_d/2 and ρ c_l/2 of a wind.
typedef struct MbWindStuff {
  double drag, lift;
} MbWindStuff;

// f = along u + across a of a triangle of area vector a in a wind of velocity u as it has it; false: it feels none.
MB_INLINE bool mb_wind_parts_of(const MbWindStuff *wind, bool closed, const double a[3], const double u[3],
                                double *along, double *across) {
  const double A = mb_vec3_norm(a), U = mb_vec3_norm(u), c = mb_vec3_dot(u, a), d = wind->drag,
               l = wind->lift;
  *along = *across = 0;
  if (!(A > 0) || !(U > 0) || (closed && c >= 0)) return false;
  *along = d * fabs(c) - l * c * c / (A * U), *across = l * U * c / A;
  return true;
}

// C = max(along, 0) 1 + l U/A a aᵀ
MB_INLINE void mb_wind_slope_of(const MbWindStuff *wind, double along, const double a[3], const double u[3],
                                double C[9]) {
  const double by = wind->lift * mb_vec3_norm(u) / mb_vec3_norm(a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = by * a[i] * a[j] + (i == j ? fmax(along, 0.0) : 0.0);
}

#endif
