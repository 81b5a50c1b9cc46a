// Hyperelastic materials: energy density ψ by the deformation gradient F (3 x 3 row major), and its derivatives.
//   arap         μ ‖F − R‖²
//   corotational μ ‖F − R‖² + λ/2 tr²(RᵀF − 1)
//   neo_hookean  μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J,  continued smoothly to J ≤ 0
//   linear       μ ‖ε‖² + λ/2 tr² ε,  ε = (F + Fᵀ)/2 − 1
#ifndef MB_DEFORMABLES_ELASTIC_H
#define MB_DEFORMABLES_ELASTIC_H

#include "core/model/spec.h"

typedef struct MbElastic {
  MbElasticModel model;
  double mu, lambda; // Pa
} MbElastic;

// From Young's modulus and Poisson's ratio; of cloth in plane stress.
MbElastic mb_elastic_from(MbElasticModel model, double young, double poisson, bool plane_stress);
double mb_elastic_energy(const MbElastic *elastic, const double F[9]);
void mb_elastic_stress(const MbElastic *elastic, const double F[9], double P[9]); // ∂ψ/∂F
// ∂P/∂F (9 x 9); `positive`: its negative eigenvalues are left out
void mb_elastic_tangent(const MbElastic *elastic, const double F[9], bool positive, double H[81]);

#endif
