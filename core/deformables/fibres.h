// Fibres in elements: yarn in cloth, muscle and tendon in tetrahedra. One family of them lies along d in an element at rest, so many that
// they go on as a continuum, and is stretched to λ = |y|, y = F d. Beside what is around it, an element has by volume the energy
//
//   ψ(λ) = ½ k ⟨λ − 1⟩² + ½ k' ⟨λ − 1 − limit⟩² + a σ (λ − 1),  ⟨x⟩ = max(x, 0)
//
// slack when it is pressed (at rest, between the two, T′ is ½ k), stiffer by k' beyond a strain, and drawn by the activation a, from 0 to 1, with the stress a σ (of the area at
// rest). Its tension T = ∂ψ/∂λ is never below 0, so that all second derivatives are without negative parts:
//
//   P = T u dᵀ,  u = y/λ,  ∂P : dF = (T′ u uᵀ + T/λ (1 − u uᵀ)) dF d dᵀ
//
// As gradients are constant, y = Σ c_a x_a with c_a = g_a · d, and corners feel f_a = −V T c_a u, ∂f_a/∂x_b = −V c_a c_b (T′ u uᵀ + T/λ (1 − u uᵀ)).
#ifndef MB_DEFORMABLES_FIBRES_H
#define MB_DEFORMABLES_FIBRES_H

#include "core/deformables/surface_load.h"

// Writes c (rank + 1) of an element with these corners at rest, along d as near as a sheet has it. False: d stands across the sheet, or the
// element has no size.
bool mb_fibre_weights(const double *x, const uint32_t *corner, size_t rank, const double d[3], double *c);
// The volume at rest of such an element; of a sheet of thickness 1.
double mb_fibre_volume(const double *x, const uint32_t *corner, size_t rank);

// At how many points fibres of a deformable are felt, and which nodes have a part in them at one.
static inline size_t mb_fibre_points(const MbElements *of) {
  return of->points * (of->mesh.tets ? of->mesh.tets : of->mesh.triangles);
}
static inline const uint32_t *mb_fibre_nodes(const MbElements *of, size_t point) {
  return of->node + of->corners * (point / of->points);
}
// y of an element of so many nodes, from its sides.
void mb_fibre_along(const double *c, size_t nodes, MbSpots places, const uint32_t *node, double y[3]);
// ψ, and T and T′ (NULL: not wanted).
double mb_fibre_energy(const MbFibres *fibres, double activation, double stretch, double *T, double *slope);
// T and T′ on that side of the corners, where it goes on without one, on which fibres of another family are that are stretched so far.
void mb_fibre_tension_as(const MbFibres *fibres, double activation, double stretch, const MbFibres *other,
                         double its_stretch, double *T, double *slope);
// u of y, and T′ u uᵀ + T/λ (1 − u uᵀ), 3 x 3 (NULL: not wanted).
void mb_fibre_direct(const double y[3], double T, double slope, double u[3], double *stiff);
// u and T of y; in `stiff` (3 x 3; NULL: not wanted) T′ u uᵀ + T/λ (1 − u uᵀ). Returns ψ.
double mb_fibre_pull(const MbFibres *fibres, double activation, const double y[3], double u[3], double *T,
                     double *stiff);
// The most that T′ and T/λ may be where λ is not below ½.
double mb_fibre_most(const MbFibres *fibres);

#endif
