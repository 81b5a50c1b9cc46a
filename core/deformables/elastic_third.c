// How the tangents of materials change: T(A, B) = ∂(A : H : B)/∂F, H = ∂²ψ/∂F² as elastic.c has it, positive parts and negative ones. It is symmetric in A, B and what F
// moves along, C. A bar is Rᵀ on the left, and [ω] b = ω × b.
//
// ψ = μ |F|² + φ(σ) + const of arap and corotational, σ = R : F, φ′ = λ (σ − rank) − 2 μ, φ″ = λ. With S = RᵀF and G_M = tr(M) 1 − M, R turns along A by
//
//   G_S ω_A = w_A,   [w_A] = Ā − Āᵀ,      so  σ′[A] = R : A,   σ″[A, B] = ω_A · w_B = R [ω_A] : B
//
// and as  δw_A = −G_Ā ω_C,  δS = C̄ − [ω_C] S,
//
//   σ‴ = R ( [g] − (ω_A · ω_B) 1 + ω_A ω_Bᵀ ) : C,   G_S g = −G_Āᵀ ω_B − G_B̄ᵀ ω_A − S ω_B × ω_A
//   T = φ′ σ‴ + φ″ ( σ″[A, B] R + σ′[B] R [ω_A] + σ′[A] R [ω_B] )
//
// Sheets are the same with a third column of zeros. ψ = μ/2 |F|² + f(J) of neo-Hookean solids: J, its cofactors c and what they change by are products,
//
//   c[A]_j = a_{j+1} × f_{j+2} + f_{j+1} × a_{j+2},   T = f′ (A × B) + f″ ((c[A] : B) c + (c : A) c[B] + (c : B) c[A]) + f‴ (c : A)(c : B) c
//
// with A × B as c[A], of columns of B for f. Of sheets J is the length of N = f₁ × f₂, and f of it a function of N alone.
#include "core/deformables/elastic_third.h"
#include "core/deformables/principal.h"
#include "core/math/mat3.h"
#include "core/math/svd3.h"

#include <string.h>

static const double LEAST = 1e-8; // as elastic.c has it

// f‴ of mb_volume_term
static double volume_third(const MbElastic *e, double J) {
  if (J < MB_ELASTIC_LEAST_J) return 0;
  return (e->lambda * (2 * log(J) - 3) - 2 * e->mu) / (J * J * J);
}

static double product(const double *A, const double *B, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += A[i] * B[i];
  return sum;
}

// ---- by the rotation ------------------------------------------------------------------------------------------------

typedef struct Turning {
  double R[9], S[9], V[9], s[3];
} Turning;

static void wide(int rank, const double *F, double W[9]) {
  memset(W, 0, 9 * sizeof *W);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++) W[3 * i + j] = F[rank * i + j];
}

static void turning_of(const double F[9], Turning *t) {
  double U[9];
  mb_svd3(F, U, t->s, t->V);
  mb_svd3_polar(U, t->V, t->R);
  mb_mat3_tmul(t->S, t->R, F);
}

// x ← G_S⁻¹ x
static void solve(const Turning *t, double x[3]) {
  double y[3];
  mb_mat3_tapply(y, t->V, x);
  for (int i = 0; i < 3; i++) y[i] /= fmax(t->s[(i + 1) % 3] + t->s[(i + 2) % 3], LEAST);
  mb_mat3_apply(x, t->V, y);
}

static void spin_of(const Turning *t, const double bar[9], double w[3], double omega[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    omega[i] = w[i] = bar[3 * k + j] - bar[3 * j + k];
  }
  solve(t, omega);
}

// g −= G_M̄ᵀ ω
static void take_turned(const double bar[9], const double omega[3], double g[3]) {
  double x[3];
  mb_mat3_tapply(x, bar, omega);
  mb_vec3_add(g, g, x);
  mb_vec3_add_scaled(g, g, -(bar[0] + bar[4] + bar[8]), omega);
}

static void by_rotation(const MbElastic *e, int rank, const double *F, const double *A, const double *B,
                        double *T) {
  double W[9], bar_A[9], bar_B[9], wA[3], wB[3], oA[3], oB[3], g[3] = {0}, x[3], X[9], RX[9];
  const double lambda = mb_lambda_of(e);
  Turning t;
  wide(rank, F, W);
  turning_of(W, &t);
  wide(rank, A, W), mb_mat3_tmul(bar_A, t.R, W);
  wide(rank, B, W), mb_mat3_tmul(bar_B, t.R, W);
  spin_of(&t, bar_A, wA, oA), spin_of(&t, bar_B, wB, oB);
  take_turned(bar_A, oB, g), take_turned(bar_B, oA, g);
  mb_mat3_apply(x, t.S, oB);
  mb_vec3_cross(x, x, oA);
  mb_vec3_sub(g, g, x);
  solve(&t, g);
  const double traces[2] = {bar_A[0] + bar_A[4] + bar_A[8], bar_B[0] + bar_B[4] + bar_B[8]};
  const double first = lambda * (t.S[0] + t.S[4] + t.S[8] - rank) - 2 * e->mu;
  for (int k = 0; k < 3; k++) x[k] = first * g[k] + lambda * (traces[1] * oA[k] + traces[0] * oB[k]);
  mb_mat3_cross(X, x);
  const double straight = lambda * mb_vec3_dot(oA, wB) - first * mb_vec3_dot(oA, oB);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[3 * i + j] += first * oA[i] * oB[j] + (i == j ? straight : 0);
  mb_mat3_mul(RX, t.R, X);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++) T[rank * i + j] = RX[3 * i + j];
}

// ---- by the volume --------------------------------------------------------------------------------------------------

static void column(const double *F, int rank, int j, double f[3]) {
  for (int i = 0; i < 3; i++) f[i] = F[rank * i + j];
}

// C ← what the columns' cross products of A and F come to; c[F] is 2 c.
static void cofactors(const double A[9], const double F[9], double C[9]) {
  for (int j = 0; j < 3; j++) {
    double a[2][3], f[2][3], one[3], other[3];
    for (int k = 0; k < 2; k++) column(A, 3, (j + k + 1) % 3, a[k]), column(F, 3, (j + k + 1) % 3, f[k]);
    mb_vec3_cross(one, a[0], f[1]), mb_vec3_cross(other, f[0], a[1]);
    for (int i = 0; i < 3; i++) C[3 * i + j] = one[i] + other[i];
  }
}

static void by_volume(const MbElastic *e, const double F[9], const double A[9], const double B[9],
                      double T[9]) {
  double c[9], cA[9], cB[9], AB[9], f[3];
  const double J = mb_mat3_det(F);
  mb_volume_term(e, J, f);
  cofactors(F, F, c), cofactors(A, F, cA), cofactors(B, F, cB), cofactors(A, B, AB);
  for (int i = 0; i < 9; i++) c[i] /= 2;
  const double by_A = product(c, A, 9), by_B = product(c, B, 9), both = product(cA, B, 9);
  for (int i = 0; i < 9; i++)
    T[i] = f[1] * AB[i] + f[2] * (both * c[i] + by_A * cB[i] + by_B * cA[i]) +
           volume_third(e, J) * by_A * by_B * c[i];
}

// ---- by the length of a vector --------------------------------------------------------------------------------------

void mb_length_second(const double y[3], double first, double second, const double a[3], double out[3]) {
  const double inverse = 1 / mb_vec3_norm(y), across = first * inverse;
  double u[3];
  mb_vec3_scale(u, inverse, y);
  mb_vec3_scale(out, across, a);
  mb_vec3_add_scaled(out, out, (second - across) * mb_vec3_dot(u, a), u);
}

void mb_length_third(const double y[3], double first, double second, double third, const double a[3],
                     const double b[3], double out[3]) {
  const double inverse = 1 / mb_vec3_norm(y), bent = (second - first * inverse) * inverse;
  double u[3];
  mb_vec3_scale(u, inverse, y);
  const double ua = mb_vec3_dot(u, a), ub = mb_vec3_dot(u, b);
  mb_vec3_scale(out, bent * (mb_vec3_dot(a, b) - 3 * ua * ub) + third * ua * ub, u);
  mb_vec3_add_scaled(out, out, bent * ua, b);
  mb_vec3_add_scaled(out, out, bent * ub, a);
}

// N along A, of the columns of F
static void normal_along(const double *A, const double *F, double N[3]) {
  double a[2][3], f[2][3], x[3];
  for (int j = 0; j < 2; j++) column(A, 2, j, a[j]), column(F, 2, j, f[j]);
  mb_vec3_cross(N, a[0], f[1]), mb_vec3_cross(x, f[0], a[1]);
  mb_vec3_add(N, N, x);
}

// T += what p · N along C, of the columns of F, is felt by along C
static void add_normal(const double *F, const double p[3], double *T) {
  double f[2][3], x[3], y[3];
  for (int j = 0; j < 2; j++) column(F, 2, j, f[j]);
  mb_vec3_cross(x, f[1], p), mb_vec3_cross(y, p, f[0]);
  for (int i = 0; i < 3; i++) T[2 * i] += x[i], T[2 * i + 1] += y[i];
}

static void by_area(const MbElastic *e, const double F[6], const double A[6], const double B[6],
                    double T[6]) {
  double N[3], NA[3], NB[3], NAB[3], p[3], x[3], f[3];
  normal_along(F, F, N), normal_along(A, F, NA), normal_along(B, F, NB), normal_along(A, B, NAB);
  mb_vec3_scale(N, 0.5, N);
  const double J = mb_vec3_norm(N);
  mb_volume_term(e, J, f);
  memset(T, 0, 6 * sizeof *T);
  if (!(J > 0)) return;
  mb_length_third(N, f[1], f[2], volume_third(e, J), NA, NB, p);
  mb_length_second(N, f[1], f[2], NAB, x);
  mb_vec3_add(p, p, x);
  add_normal(F, p, T);
  mb_length_second(N, f[1], f[2], NB, p);
  add_normal(A, p, T);
  mb_length_second(N, f[1], f[2], NA, p);
  add_normal(B, p, T);
}

// ---- all ------------------------------------------------------------------------------------------------------------

void mb_elastic_third(const MbElastic *elastic, int rank, const double *F, const double *A, const double *B,
                      double *T) {
  if (elastic->model == MB_LINEAR && rank == 3)
    memset(T, 0, 9 * sizeof *T);
  else if (elastic->model != MB_NEO_HOOKEAN)
    by_rotation(elastic, rank, F, A, B, T);
  else if (rank == 3)
    by_volume(elastic, F, A, B, T);
  else
    by_area(elastic, F, A, B, T);
}
