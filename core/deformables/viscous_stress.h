// Strains and stresses of what damps (viscous.h), for processors and devices alike.
#ifndef MB_DEFORMABLES_VISCOUS_STRESS_H
#define MB_DEFORMABLES_VISCOUS_STRESS_H

#include "core/deformables/elastic.h"
#include "core/math/vec3.h"

#include <stdbool.h>

// The material that is measured without turning.
MB_INLINE bool mb_viscous_plain(const MbElastic *e, int rank) { return e->model == MB_LINEAR && rank == 3; }

MB_INLINE void mb_viscous_rate_at(const MbElastic *elastic, int rank, const double *F, const double *Fdot,
                                  double E[9]) {
  for (int i = 0; i < rank; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += F[rank * k + i] * Fdot[rank * k + j] + Fdot[rank * k + i] * F[rank * k + j];
      if (mb_viscous_plain(elastic, rank)) sum = Fdot[rank * i + j] + Fdot[rank * j + i];
      E[rank * i + j] = E[rank * j + i] = sum / 2;
    }
}

MB_INLINE void mb_viscous_strain_at(const MbElastic *elastic, int rank, const double *F, double E[9]) {
  const double factor = mb_viscous_plain(elastic, rank) ? 1 : 0.5; // the rate of ½ FᵀF along F is FᵀF
  mb_viscous_rate_at(elastic, rank, F, F, E);
  for (int i = 0; i < rank * rank; i++) E[i] *= factor;
}

// S = C : E; returns ½ E : S.
MB_INLINE double mb_viscous_law(const MbElastic *e, int rank, const double E[9], double S[9]) {
  double trace = 0, energy = 0;
  for (int i = 0; i < rank; i++) trace += E[(rank + 1) * i];
  for (int i = 0; i < rank * rank; i++) {
    S[i] = 2 * e->mu * E[i] + (i % (rank + 1) == 0 ? e->lambda * trace : 0);
    energy += E[i] * S[i] / 2;
  }
  return energy;
}

MB_INLINE double mb_viscous_stress_at(const MbElastic *elastic, int rank, const double *F, const double E[9],
                                      double *P) {
  double S[9];
  const double energy = mb_viscous_law(elastic, rank, E, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += F[rank * i + k] * S[rank * k + j];
      P[rank * i + j] = mb_viscous_plain(elastic, rank) ? S[rank * i + j] : sum;
    }
  return energy;
}

#endif
