#include "core/deformables/viscous.h"
#include "core/deformables/viscous_stress.h"
#include "core/math/eigen_small.h"

#include <string.h>

void mb_viscous_rate(const MbElastic *elastic, int rank, const double *F, const double *Fdot, double E[9]) {
  mb_viscous_rate_at(elastic, rank, F, Fdot, E);
}
void mb_viscous_strain(const MbElastic *elastic, int rank, const double *F, double E[9]) {
  mb_viscous_strain_at(elastic, rank, F, E);
}
double mb_viscous_stress(const MbElastic *elastic, int rank, const double *F, const double E[9], double *P) {
  return mb_viscous_stress_at(elastic, rank, F, E, P);
}

// H += the derivative of F C : ½ (XᵀdF + dFᵀX), a column for each number of dF.
static void add_slope(const MbElastic *elastic, int rank, const double *F, const double *X, double H[81]) {
  const int width = 3 * rank;
  for (int m = 0; m < width; m++) {
    double way[9] = {0}, E[9], P[9];
    way[m] = 1;
    mb_viscous_rate(elastic, rank, X, way, E);
    mb_viscous_stress(elastic, rank, F, E, P);
    for (int i = 0; i < width; i++) H[width * i + m] += P[i];
  }
}

void mb_viscous_tangent(const MbElastic *elastic, int rank, const double *F, double H[81]) {
  memset(H, 0, 81 * sizeof *H);
  add_slope(elastic, rank, F, F, H);
}

void mb_viscous_rate_slope(const MbElastic *elastic, int rank, const double *F, const double *Fdot,
                           double H[81]) {
  if (!mb_viscous_plain(elastic, rank)) add_slope(elastic, rank, F, Fdot, H);
}

// S ← S without its negative eigenvalues
static void keep_positive(int rank, double S[9]) {
  double value[9], X[9];
  memcpy(value, S, sizeof value);
  mb_eigen_small(rank, value, X);
  memset(S, 0, 9 * sizeof *S);
  for (int k = 0; k < rank; k++)
    for (int i = 0; i < rank; i++)
      for (int j = 0; j < rank; j++)
        S[rank * i + j] += fmax(value[(rank + 1) * k], 0) * X[rank * i + k] * X[rank * j + k];
}

void mb_viscous_turning(const MbElastic *elastic, int rank, const double E[9], bool positive, double H[81]) {
  double S[9] = {0};
  if (mb_viscous_plain(elastic, rank)) return;
  mb_viscous_law(elastic, rank, E, S);
  if (positive) keep_positive(rank, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++)
      for (int l = 0; l < rank; l++) H[3 * rank * (rank * i + j) + rank * i + l] += S[rank * j + l];
}
