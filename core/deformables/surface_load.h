// What acts on the triangles of a surface: pressure inside closed parts of it, chambers, and wind.
//
// Pressure p in a chamber of volume V = Σ x₀ · (x₁ × x₂)/6 has the energy −p V, or with a gas whose p V stays what it is at the start,
// p₀ V₀, and with p_out around it
//
//   E(V) = −p (V − V₀) − p₀ V₀ ln (V/V₀) + p_out (V − V₀),   P = −E′
//
// (of chambers that are pressed below V₀/100 the gas goes on by its tangent there). A triangle of area vector a = ½ (x₁ − x₀) × (x₂ − x₀)
// pushes each of its corners by P a/3: around a node of a closed surface these sum up to P ∂V/∂x. The second derivative
//
//   ∂²V/∂x₀∂x₁ δ = (δ × (x₂ − c))/6,  and the same for the other pairs of corners in turn
//
// is symmetric; its c may be any place that all triangles of the chamber have in common. Chambers of gas have P′ ∂V/∂x ∂V/∂xᵀ as well, which couples
// all of their nodes.
//
// Wind of velocity w blows at a triangle that moves by the mean v of its corners' velocities, with u = w − v:
//
//   f = ½ ρ ( c_d |u · a| u + c_l (u · a) (|u| a/|a| − (u · a) u/(|a| |u|)) )
//
// a drag along u by the area that stands across it, and a lift across u, in the plane of u and a: at an angle α of attack of a plate
// they are ½ ρ c_d A u² sin α and ½ ρ c_l A u² sin α cos α. Each corner gets a third. Of closed surfaces only triangles that are turned to
// the wind feel it. Where a step is made linear, −∂f/∂v is taken as
//
//   C = ½ ρ |a| |u| ( max(c_d |cos| − c_l cos², 0) 1 + c_l n nᵀ ),  cos = u · n/|u|
//
// which is symmetric and has no negative eigenvalues; C u is f itself where c_d ≥ c_l |cos|.
#ifndef MB_DEFORMABLES_SURFACE_LOAD_H
#define MB_DEFORMABLES_SURFACE_LOAD_H

#include "core/model/deformable.h"

// Where the nodes are, or their velocities: of node i at x + stride i.
typedef struct MbSpots {
  const double *x;
  size_t stride;
} MbSpots;

static inline const double *mb_spot(const MbSpots *spots, size_t node) {
  return spots->x + spots->stride * node;
}

// The volume of chamber k.
double mb_chamber_volume(const MbElementSurface *surface, size_t k, MbSpots places);
// Its energy beside that at the start, and P and P′ (NULL: not wanted), with that pressure beside the gas.
double mb_chamber_energy(const MbElementSurface *surface, size_t k, double pressure, double volume, double *P,
                         double *slope);
// The area vector of a triangle.
void mb_triangle_area(MbSpots places, const uint32_t corner[3], double a[3]);
// ∂²V/∂x_i∂x_j (3 x 3) for corners (i, j) = (1, 0), (2, 1), (0, 2) in turn, with c the place of node `common`.
void mb_triangle_curve(MbSpots places, const uint32_t corner[3], uint32_t common, double K[3][9]);

// f of triangle t of those that wind blows at, of area vector a and relative velocity u; false: it feels none. C, ∂f/∂u and ∂f/∂a (3 x 3;
// NULL: not wanted).
bool mb_wind_force(const MbElementSurface *surface, size_t t, const double a[3], const double u[3],
                   double f[3], double C[9], double by_u[9], double by_a[9]);

#endif
