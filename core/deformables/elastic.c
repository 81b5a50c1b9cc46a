// Isotropic materials by singular values: F = U diag(s) Vᵀ, ψ(s), P = U diag(∂ψ/∂s) Vᵀ. The tangent's eigenvectors are known
// but for three (two) among the u_i v_iᵀ, whose block is ∂²ψ/∂s²:
//   (u_i v_jᵀ + u_j v_iᵀ)/√2   (ψ_i − ψ_j)/(s_i − s_j)   flips
//   (u_i v_jᵀ − u_j v_iᵀ)/√2   (ψ_i + ψ_j)/(s_i + s_j)   twists
//   n v_iᵀ                     ψ_i / s_i                 of sheets, n across
// The quotients are written out for each material, so that equal values divide by nothing.
#include "core/deformables/elastic.h"
#include "core/deformables/principal.h"
#include "core/math/eigen_small.h"
#include "core/math/svd3.h"

#include <assert.h>

// What values are taken for where quotients would blow up: R jumps at s₂ + s₃ = 0, a sheet's direction at s = 0.
static const double LEAST = 1e-8;

MbElastic mb_elastic_from(MbElasticModel model, double young, double poisson, bool plane_stress) {
  if (model == MB_ARAP) return (MbElastic){model, 0.5 * young, 0};
  const double mu = young / (2 * (1 + poisson));
  const double lambda = plane_stress ? young * poisson / (1 - poisson * poisson)
                                     : young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  return (MbElastic){model, mu, lambda};
}

double mb_elastic_principal(const MbElastic *elastic, int rank, const double *s, double *first,
                            double *second) {
  assert(1 <= rank && rank <= 3);
  return mb_principal(elastic, rank, s, first, second);
}

// The quotients (ψ_i ± ψ_j)/(s_i ± s_j).
static void pair_values(const MbElastic *e, int rank, const double *s, int i, int j, double *flip,
                        double *twist) {
  if (e->model == MB_NEO_HOOKEAN) {
    double f[3];
    mb_volume_term(e, mb_product_less(rank, s, -1, -1), f);
    const double rest = f[1] * mb_product_less(rank, s, i, j);
    *flip = e->mu - rest;
    *twist = e->mu + rest;
  } else {
    *flip = 2 * e->mu;
    *twist =
        2 * e->mu + (2 * mb_lambda_of(e) * mb_stretch_of(rank, s) - 4 * e->mu) / fmax(s[i] + s[j], LEAST);
  }
}

// ---- any number of values ---------------------------------------------------------------------------------

typedef struct Split {
  int rank;
  double U[9], s[3], V[9];
} Split;

static Split split(int rank, const double *F) {
  Split f = {.rank = rank};
  if (rank == 3)
    mb_svd3(F, f.U, f.s, f.V);
  else
    mb_svd32(F, f.U, f.s, f.V);
  return f;
}

// q += scale u_i v_jᵀ
static void add_outer(const Split *f, double scale, int i, int j, double *q) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < f->rank; c++) q[f->rank * r + c] += scale * f->U[3 * r + i] * f->V[f->rank * c + j];
}

// The triangle of H with columns j <= i: += value q qᵀ
static void add_mode(const Split *f, double value, bool positive, const double *q, double *H) {
  const int n = 3 * f->rank;
  if (positive && !(value > 0)) return;
  for (int i = 0; i < n; i++) {
    const double by = value * q[i];
    for (int j = 0; j <= i; j++) H[n * i + j] += by * q[j];
  }
}

static void stress(const MbElastic *e, const Split *f, double *P) {
  double first[3];
  mb_elastic_principal(e, f->rank, f->s, first, NULL);
  for (int i = 0; i < 3 * f->rank; i++) P[i] = 0;
  for (int i = 0; i < f->rank; i++) add_outer(f, first[i], i, i, P);
}

static void tangent(const MbElastic *e, const Split *f, bool positive, double *H) {
  const int rank = f->rank, n = 3 * rank;
  double first[3], second[9], X[9];
  for (int i = 0; i < n * n; i++) H[i] = 0;
  mb_elastic_principal(e, rank, f->s, first, second);
  mb_eigen_small(rank, second, X);
  for (int k = 0; k < rank; k++) {
    double q[9] = {0};
    for (int i = 0; i < rank; i++) add_outer(f, X[rank * i + k], i, i, q);
    add_mode(f, second[rank * k + k], positive, q, H);
  }
  for (int i = 0; i < rank; i++)
    for (int j = i + 1; j < rank; j++) {
      double flip, twist, q[9] = {0}, r[9] = {0};
      pair_values(e, rank, f->s, i, j, &flip, &twist);
      add_outer(f, M_SQRT1_2, i, j, q), add_outer(f, M_SQRT1_2, j, i, q);
      add_mode(f, flip, positive, q, H);
      add_outer(f, M_SQRT1_2, i, j, r), add_outer(f, -M_SQRT1_2, j, i, r);
      add_mode(f, twist, positive, r, H);
    }
  for (int i = 0; rank == 2 && i < 2; i++) {
    double q[9] = {0};
    add_outer(f, 1, 2, i, q);
    add_mode(f, first[i] / fmax(f->s[i], LEAST), positive, q, H);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) H[n * j + i] = H[n * i + j];
}

// ---- solids -----------------------------------------------------------------------------------------------

static double small_strain(const double F[9], double strain[9]) { // its trace
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) strain[3 * i + j] = 0.5 * (F[3 * i + j] + F[3 * j + i]) - (i == j);
  return strain[0] + strain[4] + strain[8];
}

double mb_elastic_energy(const MbElastic *elastic, const double F[9]) {
  if (elastic->model != MB_LINEAR) {
    const Split f = split(3, F);
    return mb_elastic_principal(elastic, 3, f.s, NULL, NULL);
  }
  double strain[9], square = 0;
  const double trace = small_strain(F, strain);
  for (int i = 0; i < 9; i++) square += strain[i] * strain[i];
  return elastic->mu * square + 0.5 * elastic->lambda * trace * trace;
}

void mb_elastic_stress(const MbElastic *elastic, const double F[9], double P[9]) {
  if (elastic->model != MB_LINEAR) {
    const Split f = split(3, F);
    stress(elastic, &f, P);
    return;
  }
  const double trace = small_strain(F, P);
  for (int i = 0; i < 9; i++) P[i] = 2 * elastic->mu * P[i] + (i % 4 == 0 ? elastic->lambda * trace : 0);
}

void mb_elastic_tangent(const MbElastic *elastic, const double F[9], bool positive, double H[81]) {
  if (elastic->model != MB_LINEAR) {
    const Split f = split(3, F);
    tangent(elastic, &f, positive, H);
    return;
  }
  for (int a = 0; a < 9; a++)
    for (int b = 0; b < 9; b++) {
      const int transposed = 3 * (a % 3) + a / 3;
      H[9 * a + b] =
          elastic->mu * ((a == b) + (transposed == b)) + (a % 4 == 0 && b % 4 == 0 ? elastic->lambda : 0);
    }
}

// ---- sheets -----------------------------------------------------------------------------------------------

double mb_elastic_sheet_energy(const MbElastic *elastic, const double F[6]) {
  const Split f = split(2, F);
  return mb_elastic_principal(elastic, 2, f.s, NULL, NULL);
}

void mb_elastic_sheet_stress(const MbElastic *elastic, const double F[6], double P[6]) {
  const Split f = split(2, F);
  stress(elastic, &f, P);
}

void mb_elastic_sheet_tangent(const MbElastic *elastic, const double F[6], bool positive, double H[36]) {
  const Split f = split(2, F);
  tangent(elastic, &f, positive, H);
}
