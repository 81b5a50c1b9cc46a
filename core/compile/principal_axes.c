// Principal axes of an inertia, by Jacobi rotations, in the order nearest to the given axes.
#include "core/compile/inertia.h"
#include "core/math/mat3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// One Jacobi rotation: A ← Gᵀ A G with A_pq = 0 after it, V ← V G.
static void jacobi_rotate(double A[9], double V[9], int p, int q) {
  const double theta = (A[4 * q] - A[4 * p]) / (2 * A[3 * p + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * A[3 * p + q];
  const int r = 3 - p - q;
  const double rp = A[3 * r + p], rq = A[3 * r + q];
  A[4 * p] -= shift, A[4 * q] += shift;
  A[3 * p + q] = A[3 * q + p] = 0;
  A[3 * r + p] = A[3 * p + r] = c * rp - s * rq;
  A[3 * r + q] = A[3 * q + r] = s * rp + c * rq;
  for (int i = 0; i < 3; i++) {
    const double vp = V[3 * i + p], vq = V[3 * i + q];
    V[3 * i + p] = c * vp - s * vq, V[3 * i + q] = s * vp + c * vq;
  }
}

// R, moments ← of all ways to order and flip the columns of V the one turned least, that is of the largest
// trace. It is right-handed by itself: one of the 24 rotations among them has a trace of 1 + 2 cos 62.8° at
// least, and what is left-handed has 1 at most.
static void nearest_order(const double V[9], const double d[3], double R[9], double moments[3]) {
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  double most = -4;
  for (int k = 0; k < 6; k++)
    for (int flips = 0; flips < 8; flips++) {
      double W[9];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) W[3 * i + j] = (flips >> j & 1 ? -1 : 1) * V[3 * i + order[k][j]];
      const double trace = W[0] + W[4] + W[8];
      if (!(trace > most)) continue;
      most = trace;
      memcpy(R, W, sizeof W);
      for (int j = 0; j < 3; j++) moments[j] = d[order[k][j]];
    }
}

// Axes of equal moments are free to turn in their plane: turn them as near to the given ones as they go.
// With u' = cu + sv, v' = cv − su the trace changes by  c(u_i + v_j) + s(v_i − u_j).
static void settle_equal(double R[9], int i, int j) {
  const double a = R[4 * i] + R[4 * j], b = R[3 * i + j] - R[3 * j + i], n = hypot(a, b);
  if (!(n > 0)) return;
  const double c = a / n, s = b / n;
  for (int k = 0; k < 3; k++) {
    const double u = R[3 * k + i], v = R[3 * k + j];
    R[3 * k + i] = c * u + s * v, R[3 * k + j] = c * v - s * u;
  }
}

void mb_principal_axes(const double inertia[9], double R[9], double moments[3]) {
  double A[9], V[9], largest = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[3 * i + j] = inertia[3 * i + j] / 2 + inertia[3 * j + i] / 2;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(A[i]));
  mb_mat3_identity(V);
  mb_mat3_identity(R);

  // what lies below the rounding of the largest moment is noise: turning to it would pick axes at random
  const double noise = 8 * DBL_EPSILON * largest;
  bool turned = false;
  for (int sweep = 0; sweep < 30; sweep++) {
    bool quiet = true;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        const double limit = turned ? DBL_MIN + noise / 1024 : noise;
        if (!(fabs(A[3 * p + q]) > limit)) continue;
        jacobi_rotate(A, V, p, q);
        turned = true, quiet = false;
      }
    if (quiet) break;
  }
  const double d[3] = {A[0], A[4], A[8]};
  memcpy(moments, d, sizeof d);
  if (!turned) return;
  nearest_order(V, d, R, moments);

  const double equal = 2 * noise;
  if (fabs(moments[0] - moments[1]) <= equal && fabs(moments[1] - moments[2]) <= equal &&
      fabs(moments[0] - moments[2]) <= equal) {
    mb_mat3_identity(R);
    return;
  }
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (fabs(moments[i] - moments[j]) <= equal) settle_equal(R, i, j);
}

bool mb_inertia_plausible(const double m[3]) {
  const double slack = 1 - 1e-9;
  return slack * m[0] <= m[1] + m[2] && slack * m[1] <= m[0] + m[2] && slack * m[2] <= m[0] + m[1];
}
