// What is told of an element: its stress and its strain, from its deformation gradient F (3 x rank, see elastic.h).
//
// Stress is Cauchy's, force by area as it is now: σ = P Fᵀ/J, P = ∂ψ/∂F, what the material does and not what damps it. With F = U diag(s) Vᵀ
// it is Σ σ_i u_i u_iᵀ, σ_i = ψ_i s_i/J. A sheet has J = s₁ s₂, the stretch of its area, and the thickness that it has at rest; across
// itself it has no stress. Where J is below MB_TELL_LEAST_J, in what is crushed or inside out, it counts as that: ψ goes on there, areas do not.
// Strain is that of the left stretch tensor, V − 1 = Σ (s_i − 1) u_i u_iᵀ, change of length by length at rest along axes of the world. A
// sheet's is the one in it.
// The material `linear` takes places at rest and now for one: σ = P, strain ε = (F + Fᵀ)/2 − 1.
#ifndef MB_DEFORMABLES_TELL_ELEMENT_H
#define MB_DEFORMABLES_TELL_ELEMENT_H

#include "core/deformables/elastic.h"

#define MB_TELL_LEAST_J 0.01

// A symmetric tensor in the world's axes.
typedef struct MbElementTensor {
  double full[6];      // xx, yy, zz, xy, yz, xz
  double principal[3]; // `rank` values along axes in the element, the largest first
} MbElementTensor;

MbElementTensor mb_element_stress(const MbElastic *elastic, int rank, const double *F);
MbElementTensor mb_element_strain(const MbElastic *elastic, int rank, const double *F);
// Adds to the stress that of fibres whose F d is y and whose tension is T: T y yᵀ/(λ J).
void mb_element_add_fibres(int rank, const double *F, const double y[3], double T, MbElementTensor *stress);
// The stress in simple tension that stores as much energy of distortion: √(½ Σ (σ_i − σ_j)²), i < j.
double mb_element_von_mises(int rank, const MbElementTensor *stress);

#endif
