// Sine and cosine of half of many angles at once, in vectors of eight doubles whatever the processor has for them.
//   q = 2π k + 4 z with |z| ≤ π/4:  q/2 = π k + 2z,  sin 2z = 2 s c,  cos 2z = 1 − 2 s²,  s and c of z by their Taylor series, to
// rounding; for odd k both change sign. 2π comes in three parts, the first two short enough for products with k to be exact.
#ifndef MB_SOLVERS_REDMAX_SINES_H
#define MB_SOLVERS_REDMAX_SINES_H

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SINES = 256, PACK = 8 }; // the most at once

typedef double Pack __attribute__((vector_size(8 * PACK)));

static inline __attribute__((always_inline)) void half_sines_pack(const double *q, double *cosine,
                                                                  double *sine) {
  static const double MAGIC = 0x1.8p52; // adding it rounds to whole numbers
  static const double HIGH = 0x1.921fb5448p+2, MIDDLE = -0x1.e973dcb38p-33, LOW = -0x1.9cceba3f91f19p-68;
  Pack x;
  memcpy(&x, q, sizeof x);
  const Pack k = (x * 0.15915494309189535 + MAGIC) - MAGIC;
  const Pack z = (((x - k * HIGH) - k * MIDDLE) - k * LOW) * 0.25, t = z * z;
  const Pack odd = k * 0.5 - ((k * 0.5 + MAGIC) - MAGIC), sign = 1.0 - 8.0 * (odd * odd);
  Pack s = t * (-1.0 / 1307674368000) + 1.0 / 6227020800;
  s = t * s - 1.0 / 39916800;
  s = t * s + 1.0 / 362880;
  s = t * s - 1.0 / 5040;
  s = t * s + 1.0 / 120;
  s = t * s - 1.0 / 6;
  s = z + z * (t * s);
  Pack c = t * (1.0 / 20922789888000) - 1.0 / 87178291200;
  c = t * c + 1.0 / 479001600;
  c = t * c - 1.0 / 3628800;
  c = t * c + 1.0 / 40320;
  c = t * c - 1.0 / 720;
  c = t * c + 1.0 / 24;
  c = 1.0 - (t * 0.5 - (t * t) * c);
  const Pack sines = sign * (2.0 * s * c), cosines = sign * (1.0 - 2.0 * s * s);
  memcpy(sine, &sines, sizeof sines);
  memcpy(cosine, &cosines, sizeof cosines);
}

// cosine and sine have room for whole packs.
static inline void half_sines(const double *q, size_t n, double cosine[SINES], double sine[SINES]) {
  static const double FAR = 2e5; // beyond it k times the first part is not exact; NaN is there too
  size_t i = 0;
  int far = 0;
  for (size_t j = 0; j < n; j++) far |= !(fabs(q[j]) < FAR);
  for (; i + PACK <= n; i += PACK) half_sines_pack(q + i, cosine + i, sine + i);
  if (i < n) {
    double rest[PACK] = {0};
    memcpy(rest, q + i, (n - i) * sizeof *q);
    half_sines_pack(rest, cosine + i, sine + i);
  }
  for (size_t j = 0; far && j < n; j++)
    if (!(fabs(q[j]) < FAR)) cosine[j] = cos(q[j] / 2), sine[j] = sin(q[j] / 2);
}

#endif
