// One contact: the functions of the non-smooth Newton method, as core/contact/newton_block.c derives them, where λ may be, and the natural map
// (core/contact/contact_block.c), of the exact cone; μ = 0 is a contact without friction.
#ifndef MB_GPU_KERNELS_TOUCH_BLOCK_H
#define MB_GPU_KERNELS_TOUCH_BLOCK_H

#include "gpu/kernels/touch_args.h"

#include <math.h>

MB_BODY double mb_hit_size(double x, double y) { return sqrt(x * x + y * y); }

// F_n and how it changes: A by λ, B by w.
MB_BODY void mb_hit_normal(int fischer, double r, double lambda, double w, double *F, double *A, double *B) {
  const double y = r * lambda;
  if (!fischer) {
    const int pushes = y > w;
    *F = pushes ? w : y, *A = pushes ? 0 : r, *B = pushes;
    return;
  }
  const double s = mb_hit_size(w, y), half = 1 - sqrt(0.5);
  *F = w + y - s, *A = s > 0 ? r * (1 - y / s) : r * half, *B = s > 0 ? 1 - w / s : half;
}

// Minimum map: F_t = r λ_t − P_R(r λ_t − w_t), R = μ (r λ_n − w_n), which is positive.
MB_BODY void mb_hit_disc(double r, double mu, double R, const double *l, const double *w, double *F,
                         double *A, double *B) {
  const double y[2] = {r * l[1] - w[1], r * l[2] - w[2]}, size = mb_hit_size(y[0], y[1]);
  if (size <= R) {
    F[1] = w[1], F[2] = w[2];
    B[4] = B[8] = 1;
    return;
  }
  const double c[2] = {y[0] / size, y[1] / size}, k = R / size;
  for (int i = 0; i < 2; i++) {
    F[1 + i] = r * l[1 + i] - R * c[i];
    for (int j = 0; j < 2; j++) {
      const double T = k * ((i == j) - c[i] * c[j]);
      A[3 * (1 + i) + 1 + j] = r * ((i == j) - T);
      B[3 * (1 + i) + 1 + j] = T;
    }
    A[3 * (1 + i)] = -c[i] * mu * r;
    B[3 * (1 + i)] = c[i] * mu;
  }
}

// Fischer–Burmeister where μ λ_n > 0: F_t = w_t + E λ_t.
MB_BODY void mb_hit_pair(double r, double mu, const double *lam, const double *w, double *F, double *A,
                         double *B) {
  const double a = mb_hit_size(w[1], w[2]), l = mb_hit_size(lam[1], lam[2]), g = mu * lam[0] - l,
               s = mb_hit_size(a, r * g), N = r * (s - r * g), M = a + r * mu * lam[0] - s,
               E = M > 0 ? N / M : 0;
  for (int i = 1; i < 3; i++) F[i] = w[i] + E * lam[i];
  A[4] = A[8] = E, B[4] = B[8] = 1;
  if (!(s > 0) || !(M > 0)) return;
  const double Ng = r * (r * r * g / s - r), Mg = -r * r * g / s, Ea = (r * a / s - E * (1 - a / s)) / M,
               El = -(Ng - E * Mg) / M, En = (mu * Ng - E * (r * mu + mu * Mg)) / M;
  for (int i = 1; i < 3; i++) {
    for (int j = 1; j < 3; j++) {
      if (a > 0) B[3 * i + j] += lam[i] * Ea * w[j] / a;
      if (l > 0) A[3 * i + j] += lam[i] * El * lam[j] / l;
    }
    A[3 * i] = lam[i] * En;
  }
}

MB_BODY void mb_hit_function(const MbTouchArgs *a, size_t c, const double *l, const double *w, double F[3],
                             double A[9], double B[9]) {
  const double r = a->block[c].scale, mu = a->mu[c], R = mu * (r * l[0] - w[0]);
  for (int k = 0; k < 9; k++) A[k] = B[k] = 0;
  if (a->block[c].out) {
    F[0] = F[1] = F[2] = 0;
    A[0] = A[4] = A[8] = 1;
    return;
  }
  if (mu < 0) { // both ways: w = 0
    F[0] = w[0], B[0] = 1;
    F[1] = r * l[1], F[2] = r * l[2];
    A[4] = A[8] = r;
    return;
  }
  mb_hit_normal((int)a->fischer, r, l[0], w[0], &F[0], &A[0], &B[0]);
  if (!a->fischer && R > 0) {
    mb_hit_disc(r, mu, R, l, w, F, A, B);
  } else if (a->fischer && mu * l[0] > 0) {
    mb_hit_pair(r, mu, l, w, F, A, B);
  } else {
    F[1] = r * l[1], F[2] = r * l[2];
    A[4] = A[8] = r;
  }
}

// λ ← where it may be: tangents to the disc that the normal has.
MB_BODY void mb_hit_hold(const MbTouchArgs *a, size_t c, double *l) {
  const int out = a->block[c].out != 0;
  if (a->mu[c] < 0 && !out) return;
  l[0] = l[0] > 0 && !out ? l[0] : 0;
  const double radius = a->mu[c] * l[0], t = mb_hit_size(l[1], l[2]);
  const double by = t > radius ? radius / t : 1;
  l[1] = by > 0 ? by * l[1] : 0, l[2] = by > 0 ? by * l[2] : 0;
}

// λ ← the nearest point of the cone
MB_BODY void mb_hit_project(double mu, double *l) {
  const double t = mb_hit_size(l[1], l[2]), n = l[0];
  if (n >= 0 && t <= mu * n) return;
  if (mu * t <= -n) {
    l[0] = l[1] = l[2] = 0;
    return;
  }
  l[0] = (n + mu * t) / (1 + mu * mu);
  const double by = t > 0 ? mu * l[0] / t : 0;
  l[1] *= by, l[2] *= by;
}

// (1/ρ)(λ − P(λ − ρ û)), ρ = 1/scale
MB_BODY void mb_hit_natural_of(const MbTouchArgs *a, size_t c, const double *l, const double *u,
                               double out[3]) {
  if (a->mu[c] < 0) {
    out[0] = u[0], out[1] = out[2] = 0;
    return;
  }
  const double rho = 1 / a->block[c].scale, mu = a->mu[c], push = mu * mb_hit_size(u[1], u[2]);
  double x[3] = {l[0] - rho * (u[0] + push), l[1] - rho * u[1], l[2] - rho * u[2]};
  // inside the cone it is û itself, without the rounding of λ − ρ û
  if (x[0] >= 0 && x[1] * x[1] + x[2] * x[2] <= mu * mu * x[0] * x[0]) {
    out[0] = u[0] + push, out[1] = u[1], out[2] = u[2];
    return;
  }
  mb_hit_project(mu, x);
  for (int i = 0; i < 3; i++) out[i] = (l[i] - x[i]) / rho;
}

// Inverts K (3 x 3, row by row) with pivots; false where it is singular.
MB_BODY int mb_hit_invert(double K[9], double X[9]) {
  for (int k = 0; k < 9; k++) X[k] = k % 4 == 0;
  for (int c = 0; c < 3; c++) {
    int most = c;
    for (int i = c + 1; i < 3; i++)
      if (fabs(K[3 * i + c]) > fabs(K[3 * most + c])) most = i;
    if (!(fabs(K[3 * most + c]) > 0)) return 0;
    for (int j = 0; j < 3; j++) {
      const double k = K[3 * c + j], s = X[3 * c + j];
      K[3 * c + j] = K[3 * most + j], K[3 * most + j] = k;
      X[3 * c + j] = X[3 * most + j], X[3 * most + j] = s;
    }
    const double by = 1 / K[3 * c + c];
    for (int j = 0; j < 3; j++) K[3 * c + j] *= by, X[3 * c + j] *= by;
    for (int i = 0; i < 3; i++) {
      const double f = K[3 * i + c];
      for (int j = 0; j < 3 && i != c; j++)
        K[3 * i + j] -= f * K[3 * c + j], X[3 * i + j] -= f * X[3 * c + j];
    }
  }
  return 1;
}

#endif
