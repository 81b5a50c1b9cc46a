// Energies by singular values (elastic.h), for processors and devices alike: what mb_elastic_principal is made of.
#ifndef MB_DEFORMABLES_PRINCIPAL_H
#define MB_DEFORMABLES_PRINCIPAL_H

#include "core/deformables/elastic.h"
#include "core/math/vec3.h"

// f(J) = −μ ln J + λ/2 ln² J or its parabola, f′, f″.
MB_INLINE void mb_volume_term(const MbElastic *e, double J, double f[3]) {
  const double at = fmax(J, MB_ELASTIC_LEAST_J), L = log(at), inverse = 1 / at, over = J - at;
  f[0] = (0.5 * e->lambda * L - e->mu) * L;
  f[1] = (e->lambda * L - e->mu) * inverse;
  f[2] = (e->mu + e->lambda * (1 - L)) * inverse * inverse;
  f[0] += over * (f[1] + 0.5 * over * f[2]);
  f[1] += over * f[2];
}

// Product of all values but two, i and j, which may be the same one.
MB_INLINE double mb_product_less(int rank, const double *s, int i, int j) {
  double product = 1;
  for (int k = 0; k < rank; k++)
    if (k != i && k != j) product *= s[k];
  return product;
}

MB_INLINE double mb_lambda_of(const MbElastic *e) { return e->model == MB_ARAP ? 0 : e->lambda; }

MB_INLINE double mb_stretch_of(int rank, const double *s) { // Σ s − rank
  double sum = -rank;
  for (int i = 0; i < rank; i++) sum += s[i];
  return sum;
}

MB_INLINE double mb_neo_hookean_principal(const MbElastic *e, int rank, const double *s, double *first,
                                          double *second) {
  double f[3], psi = 0;
  mb_volume_term(e, mb_product_less(rank, s, -1, -1), f);
  for (int i = 0; i < rank; i++) {
    const double ci = mb_product_less(rank, s, i, i);
    psi += 0.5 * e->mu * (s[i] * s[i] - 1);
    if (first) first[i] = e->mu * s[i] + f[1] * ci;
    for (int j = 0; second && j < rank; j++)
      second[rank * i + j] = f[2] * ci * mb_product_less(rank, s, j, j) +
                             (i == j ? e->mu : f[1] * mb_product_less(rank, s, i, j));
  }
  return psi + f[0];
}

MB_INLINE double mb_corotational_principal(const MbElastic *e, int rank, const double *s, double *first,
                                           double *second) {
  const double lambda = mb_lambda_of(e), t = mb_stretch_of(rank, s);
  double psi = 0.5 * lambda * t * t;
  for (int i = 0; i < rank; i++) {
    psi += e->mu * (s[i] - 1) * (s[i] - 1);
    if (first) first[i] = 2 * e->mu * (s[i] - 1) + lambda * t;
    for (int j = 0; second && j < rank; j++) second[rank * i + j] = lambda + (i == j ? 2 * e->mu : 0);
  }
  return psi;
}

// ψ, and where they are wanted its derivatives.
MB_INLINE double mb_principal(const MbElastic *e, int rank, const double *s, double *first, double *second) {
  return e->model == MB_NEO_HOOKEAN ? mb_neo_hookean_principal(e, rank, s, first, second)
                                    : mb_corotational_principal(e, rank, s, first, second);
}

#endif
