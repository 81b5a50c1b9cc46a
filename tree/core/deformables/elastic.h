// Hyperelastic materials: energy density ψ by the deformation gradient F (3 x 3 row major), and its derivatives.
//   arap         μ ‖F − R‖²
//   corotational μ ‖F − R‖² + λ/2 tr²(RᵀF − 1)
//   neo_hookean  μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J,  continued smoothly to J ≤ 0; wants λ ≥ 0
//   linear       μ ‖ε‖² + λ/2 tr² ε,  ε = (F + Fᵀ)/2 − 1
// R is the rotation nearest to F. Sheets (cloth in plane stress) have F of 3 x 2, rest frame to world, energy a volume as
// well: the same in two singular values (I₁ − 2; J their product), λ being that of plane stress. A sheet has no direction
// that `linear` could be measured from: it is taken as corotational there.
#ifndef MB_DEFORMABLES_ELASTIC_H
#define MB_DEFORMABLES_ELASTIC_H

#include "core/model/spec.h"

typedef struct MbElastic {
  MbElasticModel model;
  double mu, lambda; // Pa
} MbElastic;

// Below this J the neo-Hookean −μ ln J + λ/2 ln² J goes on as its parabola there (twice continuously differentiable).
#define MB_ELASTIC_LEAST_J 0.1

// From Young's modulus and Poisson's ratio; of cloth in plane stress. All are Hooke's law of these two at small strains, but for
// arap: its one constant cannot hold both. It is then the material of that Young's modulus whose Poisson's ratio is 0 (μ =
// E/2, λ = 0): it stretches as asked for and does not contract across.
MbElastic mb_elastic_from(MbElasticModel model, double young, double poisson, bool plane_stress);
double mb_elastic_energy(const MbElastic *elastic, const double F[9]);
void mb_elastic_stress(const MbElastic *elastic, const double F[9], double P[9]); // ∂ψ/∂F
// ∂P/∂F (9 x 9); `positive`: its negative eigenvalues are left out
void mb_elastic_tangent(const MbElastic *elastic, const double F[9], bool positive, double H[81]);

double mb_elastic_sheet_energy(const MbElastic *elastic, const double F[6]);
void mb_elastic_sheet_stress(const MbElastic *elastic, const double F[6], double P[6]);
void mb_elastic_sheet_tangent(const MbElastic *elastic, const double F[6], bool positive, double H[36]);

// Of the others than `linear`, by `rank` singular values (3: solids, 2: sheets, 1: springs), the last of three with the sign of J:
// ψ, and where wanted its derivatives (rank) and (rank x rank).
double mb_elastic_principal(const MbElastic *elastic, int rank, const double *s, double *first,
                            double *second);

#endif
