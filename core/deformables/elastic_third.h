// Third derivatives of materials (elastic.h), and of what depends on a vector by its length.
#ifndef MB_DEFORMABLES_ELASTIC_THIRD_H
#define MB_DEFORMABLES_ELASTIC_THIRD_H

#include "core/deformables/elastic.h"

// T (3 x rank) ← ∂(A : ∂²ψ/∂F² : B)/∂F.
void mb_elastic_third(const MbElastic *elastic, int rank, const double *F, const double *A, const double *B,
                      double *T);

// Of f(|y|) with f′, f″ and f‴ at |y|: out ← ∂²f/∂y² a, and what a · ∂²f/∂y² b changes by along y.
void mb_length_second(const double y[3], double first, double second, const double a[3], double out[3]);
void mb_length_third(const double y[3], double first, double second, double third, const double a[3],
                     const double b[3], double out[3]);

#endif
