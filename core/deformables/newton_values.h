// Newton's method on the singular values of one element (local_step.h), for processors and devices alike: the local step where it has no
// closed form.
#ifndef MB_DEFORMABLES_NEWTON_VALUES_H
#define MB_DEFORMABLES_NEWTON_VALUES_H

#include "core/deformables/principal.h"

#include <stdbool.h>

MB_INLINE double mb_newton_merit(const MbElastic *e, int rank, double w, const double *a, const double *s,
                                 double *g, double *H) {
  double psi = mb_principal(e, rank, s, g, H);
  for (int i = 0; i < rank; i++) {
    psi += 0.5 * w * (s[i] - a[i]) * (s[i] - a[i]);
    if (g) g[i] += w * (s[i] - a[i]);
    if (H) H[rank * i + i] += w;
  }
  return psi;
}

// d ← −(H + shift 1)⁻¹ g by Cholesky. False where that is not positive.
MB_INLINE bool mb_newton_direction(int rank, const double *H, double shift, const double *g, double *d) {
  double L[9];
  for (int i = 0; i < rank; i++)
    for (int j = 0; j <= i; j++) {
      double sum = H[rank * i + j] + (i == j ? shift : 0);
      for (int k = 0; k < j; k++) sum -= L[rank * i + k] * L[rank * j + k];
      if (i == j && !(sum > 1e-12 * (fabs(H[rank * i + i]) + shift))) return false;
      L[rank * i + j] = i == j ? sqrt(sum) : sum / L[rank * j + j];
    }
  for (int i = 0; i < rank; i++) {
    d[i] = -g[i];
    for (int k = 0; k < i; k++) d[i] -= L[rank * i + k] * d[k];
    d[i] /= L[rank * i + i];
  }
  for (int i = rank - 1; i >= 0; i--) {
    for (int k = i + 1; k < rank; k++) d[i] -= L[rank * k + i] * d[k];
    d[i] /= L[rank * i + i];
  }
  return true;
}

MB_INLINE void mb_newton_values(const MbElastic *elastic, int rank, double w, const double *a, double *s) {
  enum { STEPS = 60, HALVINGS = 40 };
  for (int step = 0; step < STEPS; step++) {
    double g[3], H[9], d[3] = {0}, next[3], slope = 0, size = 0, most = 0;
    const double now = mb_newton_merit(elastic, rank, w, a, s, g, H);
    double shift = 0;
    while (!mb_newton_direction(rank, H, shift, g, d)) {
      shift = shift > 0 ? 4 * shift : w;
      if (!(shift < 1e300)) return; // numbers that are not finite
    }
    for (int i = 0; i < rank; i++)
      slope += g[i] * d[i], size = fmax(size, fabs(s[i])), most = fmax(most, fabs(d[i]));
    double part = 1;
    for (int half = 0; half < HALVINGS; half++, part *= 0.5) {
      for (int i = 0; i < rank; i++) next[i] = s[i] + part * d[i];
      // what rounding leaves of a decrease does not count
      if (mb_newton_merit(elastic, rank, w, a, next, NULL, NULL) <=
          now + 1e-4 * part * slope + 1e-14 * fabs(now))
        break;
    }
    for (int i = 0; i < rank; i++) s[i] = next[i];
    if (!(part * most > 1e-15 * (size + 1))) return;
  }
}

#endif
