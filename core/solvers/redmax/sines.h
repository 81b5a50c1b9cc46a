// Sine and cosine of half of many angles at once, in vectors of eight doubles whatever the processor has for them.
//   q = 2π k + 4 z with |z| ≤ π/4:  q/2 = π k + 2z,  sin 2z = 2 s c,  cos 2z = 1 − 2 s²,  s and c of z by their Taylor series, to
// rounding; for odd k both change sign. 2π comes in three parts, the first two short enough for products with k to be exact.
#ifndef MB_SOLVERS_REDMAX_SINES_H
#define MB_SOLVERS_REDMAX_SINES_H

#include "core/solvers/redmax/fused.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SINES = 256, PACK = 8 }; // the most at once

typedef MbEight Pack;

MB_KERNEL Pack pack_mad(Pack a, Pack b, double c) { return mb_mad_eight(a, b, (Pack){0} + c); }
MB_KERNEL Pack pack_less(Pack a, double b, Pack c) { return mb_less_eight(a, (Pack){0} + b, c); }

MB_KERNEL void half_sines_pack(const double *q, double *cosine, double *sine) {
  static const double MAGIC = 0x1.8p52; // adding it rounds to whole numbers
  static const double HIGH = 0x1.921fb5448p+2, MIDDLE = -0x1.e973dcb38p-33, LOW = -0x1.9cceba3f91f19p-68;
  const Pack one = (Pack){0} + 1.0;
  Pack x;
  memcpy(&x, q, sizeof x);
  const Pack round = (Pack){0} + MAGIC;
  const Pack k = mb_mad_eight(x, (Pack){0} + 0.15915494309189535, round) - round;
  const Pack z = pack_less(k, LOW, pack_less(k, MIDDLE, pack_less(k, HIGH, x))) * 0.25, t = z * z;
  const Pack half = k * 0.5, odd = half - ((half + round) - round), sign = pack_less(odd * odd, 8.0, one);
  Pack s = pack_mad(t, (Pack){0} - 1.0 / 1307674368000, 1.0 / 6227020800);
  s = pack_mad(t, s, -1.0 / 39916800);
  s = pack_mad(t, s, 1.0 / 362880);
  s = pack_mad(t, s, -1.0 / 5040);
  s = pack_mad(t, s, 1.0 / 120);
  s = pack_mad(t, s, -1.0 / 6);
  s = mb_mad_eight(z, t * s, z);
  Pack c = pack_mad(t, (Pack){0} + 1.0 / 20922789888000, -1.0 / 87178291200);
  c = pack_mad(t, c, 1.0 / 479001600);
  c = pack_mad(t, c, -1.0 / 3628800);
  c = pack_mad(t, c, 1.0 / 40320);
  c = pack_mad(t, c, -1.0 / 720);
  c = pack_mad(t, c, 1.0 / 24);
  c = one - mb_less_eight(t * t, c, t * 0.5);
  const Pack sines = sign * (2.0 * s * c), cosines = sign * mb_less_eight(2.0 * s, s, one);
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
