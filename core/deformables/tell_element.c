#include "core/deformables/tell_element.h"
#include "core/math/eigen_small.h"
#include "core/math/mat3.h"
#include "core/math/svd3.h"

#include <string.h>

// t += value u uᵀ, u the column i of U
static void add_axis(MbElementTensor *t, double value, const double U[9], int i) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) t->full[k] += value * U[3 * row[k] + i] * U[3 * column[k] + i];
}

static void put_in_order(int n, double *value) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && value[k] > value[k - 1]; k--) {
      const double larger = value[k];
      value[k] = value[k - 1], value[k - 1] = larger;
    }
}

static MbElementTensor along_axes(int rank, const double U[9], const double *value) {
  MbElementTensor t = {{0}, {0}};
  for (int i = 0; i < rank; i++) add_axis(&t, value[i], U, i), t.principal[i] = value[i];
  put_in_order(rank, t.principal);
  return t;
}

static MbElementTensor of_symmetric(const double S[9]) {
  double A[9], X[9];
  memcpy(A, S, sizeof A);
  mb_eigen_small(3, A, X);
  MbElementTensor t = {{S[0], S[4], S[8], S[1], S[5], S[2]}, {A[0], A[4], A[8]}};
  put_in_order(3, t.principal);
  return t;
}

// F = U diag(s) Vᵀ
static void split(int rank, const double *F, double U[9], double s[3]) {
  double V[9];
  if (rank == 3)
    mb_svd3(F, U, s, V);
  else
    mb_svd32(F, U, s, V);
}

MbElementTensor mb_element_stress(const MbElastic *elastic, int rank, const double *F) {
  double U[9], s[3], first[3], J = 1;
  if (elastic->model == MB_LINEAR && rank == 3) {
    double P[9];
    mb_elastic_stress(elastic, F, P);
    return of_symmetric(P);
  }
  split(rank, F, U, s);
  mb_elastic_principal(elastic, rank, s, first, NULL);
  for (int i = 0; i < rank; i++) J *= s[i];
  for (int i = 0; i < rank; i++) first[i] *= s[i] / fmax(J, MB_TELL_LEAST_J);
  return along_axes(rank, U, first);
}

MbElementTensor mb_element_strain(const MbElastic *elastic, int rank, const double *F) {
  double U[9], s[3];
  if (elastic->model == MB_LINEAR && rank == 3) {
    double strain[9];
    for (int i = 0; i < 9; i++) strain[i] = (F[i] + F[3 * (i % 3) + i / 3]) / 2 - (i % 4 == 0);
    return of_symmetric(strain);
  }
  split(rank, F, U, s);
  for (int i = 0; i < rank; i++) s[i] -= 1;
  return along_axes(rank, U, s);
}

double mb_element_von_mises(int rank, const MbElementTensor *stress) {
  const double a = stress->principal[0], b = stress->principal[1], c = rank == 3 ? stress->principal[2] : 0;
  return sqrt(((a - b) * (a - b) + (b - c) * (b - c) + (c - a) * (c - a)) / 2);
}

// J, and of a sheet its normal
static double volume_of(int rank, const double *F, double n[3]) {
  double first[3], second[3];
  if (rank == 3) return mb_mat3_det(F);
  for (int i = 0; i < 3; i++) first[i] = F[2 * i], second[i] = F[2 * i + 1];
  mb_vec3_cross(n, first, second);
  return mb_vec3_norm(n);
}

void mb_element_add_fibres(int rank, const double *F, const double y[3], double T, MbElementTensor *stress) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const double length = mb_vec3_norm(y);
  double n[3] = {0}, A[9], X[9];
  const double J = fmax(volume_of(rank, F, n), MB_TELL_LEAST_J);
  for (int k = 0; k < 6 && length > 0; k++) stress->full[k] += T * y[row[k]] * y[column[k]] / (length * J);
  const double *t = stress->full;
  const double S[9] = {t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2]};
  memcpy(A, S, sizeof A);
  mb_eigen_small(3, A, X);
  // a sheet has none along its normal
  int across = -1;
  double most = -1;
  for (int i = 0; i < 3 && rank == 2; i++) {
    const double along = fabs(X[i] * n[0] + X[3 + i] * n[1] + X[6 + i] * n[2]);
    if (along > most) most = along, across = i;
  }
  for (int i = 0, k = 0; i < 3; i++)
    if (i != across) stress->principal[k++] = A[4 * i];
  put_in_order(rank, stress->principal);
}
