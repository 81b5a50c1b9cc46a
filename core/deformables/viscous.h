// Damping in proportion to stiffness (Rayleigh's) of elements that turn and stretch as they like: beside its elastic stress a material
// has a viscous one, which its own Hooke's law C makes of the rate of Green's strain E = ½ (FᵀF − 1),
//
//   S = β C : Ė,  C : E = 2 μ E + λ tr(E) 1,  P = F S,  Ė = ½ (FᵀḞ + ḞᵀF)
//
// (Kelvin and Voigt's; β in s). Where elements are near their rest shape the nodes' damping matrix is β times the stiffness matrix, so that
// a mode of angular frequency ω has the damping ratio β ω/2. Whatever moves as a rigid body feels nothing, momenta stay, and the power
// P : Ḟ = β Ė : C : Ė is never below 0. The constants are those of the material at rest.
//
// Over a step of implicit Euler from E₀ it is the slope of a potential, so that what minimises a step's energy takes it as it is:
//
//   ψ = (β/2h) (E − E₀) : C : (E − E₀),  P = ∂ψ/∂F = F C : (E − E₀) β/h
//   ∂P/∂F : dF = (β/h) (F C : ½ (FᵀdF + dFᵀF) + dF C : (E − E₀))
//
// The material `linear` knows no turning: E is (F + Fᵀ)/2 − 1 there, and P = β C : Ė. F is 3 x rank, E rank x rank, row major; E counts
// in differences alone, and is told without −1.
#ifndef MB_DEFORMABLES_VISCOUS_H
#define MB_DEFORMABLES_VISCOUS_H

#include "core/deformables/elastic.h"

void mb_viscous_strain(const MbElastic *elastic, int rank, const double *F, double E[9]);
void mb_viscous_rate(const MbElastic *elastic, int rank, const double *F, const double *Fdot, double E[9]);
// P = F C : E for a difference or rate of strains E; returns ½ E : C : E.
double mb_viscous_stress(const MbElastic *elastic, int rank, const double *F, const double E[9], double *P);
// H (3 rank x 3 rank) of F C : ½ (FᵀdF + dFᵀF), which is symmetric and has no negative eigenvalues.
void mb_viscous_tangent(const MbElastic *elastic, int rank, const double *F, double H[81]);
// H += that of dF C : E; `positive`: without its negative eigenvalues. Nothing of `linear`.
void mb_viscous_turning(const MbElastic *elastic, int rank, const double E[9], bool positive, double H[81]);
// H += that of F C : ½ (dFᵀ Ḟ + Ḟᵀ dF), how the rate of strain changes with F.
void mb_viscous_rate_slope(const MbElastic *elastic, int rank, const double *F, const double *Fdot,
                           double H[81]);

#endif
