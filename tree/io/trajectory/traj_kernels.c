#include "io/trajectory/traj_kernels.h"

#include <string.h>

// Wider vectors where the machine has them: the results are the same, every operation here is exact or
// rounded once by IEEE, and contraction is off.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#if defined(__x86_64__) && !defined(MB_SANITIZED)
#define WIDE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef WIDE
#define WIDE
#endif

#define ROUNDER 0x1.8p52 // adding and subtracting it rounds |y| < 2^51 to nearest, ties to even
#define LARGEST 0x1p48   // multiples that a bounded block may hold
static const uint64_t rounder_bits = 0x4338000000000000u;

static inline uint64_t bits_of(double x) {
  uint64_t u = 0;
  memcpy(&u, &x, 8);
  return u;
}
static inline double double_of(uint64_t u) {
  double x = 0;
  memcpy(&x, &u, 8);
  return x;
}

// All ones when the top bit is set.
static inline uint64_t sign_mask(uint64_t u) { return (uint64_t)((int64_t)u >> 63); }
static inline uint64_t flip(uint64_t u) { return u ^ (sign_mask(u) & 0x7fffffffffffffffu); }

WIDE bool mb_quantise(size_t n, const double *x, double quantum, double bound, uint64_t *restrict q) {
  const double inverse = 1 / quantum;
  uint64_t bad = 0;
  for (size_t i = 0; i < n; i++) {
    const double shifted = x[i] * inverse + ROUNDER;
    const double k = shifted - ROUNDER, error = x[i] - k * quantum;
    q[i] = bits_of(shifted) - rounder_bits;
    // comparisons that a NaN fails
    const uint64_t fits = (uint64_t)(error <= bound) & (uint64_t)(error >= -bound) &
                          (uint64_t)(k <= LARGEST) & (uint64_t)(k >= -LARGEST);
    bad |= fits ^ 1;
  }
  return !bad;
}

WIDE void mb_settle(size_t n, double quantum, double bound, double *x) {
  const double inverse = 1 / quantum;
  for (size_t i = 0; i < n; i++) {
    const double k = (x[i] * inverse + ROUNDER) - ROUNDER, near = k * quantum, error = x[i] - near;
    const uint64_t fits = (uint64_t)(error <= bound) & (uint64_t)(error >= -bound) &
                          (uint64_t)(k <= LARGEST) & (uint64_t)(k >= -LARGEST);
    x[i] = double_of((bits_of(near) & (0 - fits)) | (bits_of(x[i]) & (fits - 1)));
  }
}

WIDE void mb_dequantise(size_t n, const uint64_t *q, double quantum, double *restrict x) {
  for (size_t i = 0; i < n; i++) x[i] = (double_of(q[i] + rounder_bits) - ROUNDER) * quantum;
}

WIDE void mb_residual(size_t n, unsigned order, const uint64_t *q0, const uint64_t *q1, const uint64_t *q2,
                      const uint64_t *q3, uint64_t *restrict d) {
  switch (order) {
  case 0:
    memcpy(d, q0, n * sizeof *d);
    break;
  case 1:
    for (size_t i = 0; i < n; i++) d[i] = q0[i] - q1[i];
    break;
  case 2:
    for (size_t i = 0; i < n; i++) d[i] = q0[i] - 2 * q1[i] + q2[i];
    break;
  default:
    for (size_t i = 0; i < n; i++) d[i] = q0[i] - 3 * (q1[i] - q2[i]) - q3[i];
  }
}

WIDE void mb_integrate(size_t n, unsigned order, const uint64_t *d, const uint64_t *q1, const uint64_t *q2,
                       const uint64_t *q3, uint64_t *restrict q0) {
  switch (order) {
  case 0:
    memcpy(q0, d, n * sizeof *d);
    break;
  case 1:
    for (size_t i = 0; i < n; i++) q0[i] = d[i] + q1[i];
    break;
  case 2:
    for (size_t i = 0; i < n; i++) q0[i] = d[i] + 2 * q1[i] - q2[i];
    break;
  default:
    for (size_t i = 0; i < n; i++) q0[i] = d[i] + 3 * (q1[i] - q2[i]) + q3[i];
  }
}

static inline uint64_t guess2(double a, double b) {
  const double p = 2 * a - b;
  return flip(p == p ? bits_of(p) : bits_of(a));
}
static inline uint64_t guess3(double a, double b, double c) {
  const double p = 3 * (a - b) + c;
  return flip(p == p ? bits_of(p) : bits_of(a));
}

WIDE void mb_residual_double(size_t n, unsigned order, const double *x0, const double *x1, const double *x2,
                             const double *x3, uint64_t *restrict d) {
  switch (order) {
  case 0:
    for (size_t i = 0; i < n; i++) d[i] = flip(bits_of(x0[i]));
    break;
  case 1:
    for (size_t i = 0; i < n; i++) d[i] = flip(bits_of(x0[i])) - flip(bits_of(x1[i]));
    break;
  case 2:
    for (size_t i = 0; i < n; i++) d[i] = flip(bits_of(x0[i])) - guess2(x1[i], x2[i]);
    break;
  default:
    for (size_t i = 0; i < n; i++) d[i] = flip(bits_of(x0[i])) - guess3(x1[i], x2[i], x3[i]);
  }
}

WIDE void mb_integrate_double(size_t n, unsigned order, const uint64_t *d, const double *x1, const double *x2,
                              const double *x3, double *restrict x0) {
  switch (order) {
  case 0:
    for (size_t i = 0; i < n; i++) x0[i] = double_of(flip(d[i]));
    break;
  case 1:
    for (size_t i = 0; i < n; i++) x0[i] = double_of(flip(d[i] + flip(bits_of(x1[i]))));
    break;
  case 2:
    for (size_t i = 0; i < n; i++) x0[i] = double_of(flip(d[i] + guess2(x1[i], x2[i])));
    break;
  default:
    for (size_t i = 0; i < n; i++) x0[i] = double_of(flip(d[i] + guess3(x1[i], x2[i], x3[i])));
  }
}

void mb_difference(size_t n, size_t step, uint64_t *d) {
  for (size_t j = n; j-- > step;) d[j] -= d[j - step];
}

// The sums stay in registers, each component's for itself: at most two of them, as the orders go.
void mb_accumulate(size_t n, size_t step, unsigned times, uint64_t *d) {
  for (size_t c = 0; times && c < step && c < n; c++) {
    uint64_t sum = 0, twice = 0;
    for (size_t j = c; j < n; j += step) {
      sum += d[j];
      twice += sum;
      d[j] = times == 1 ? sum : twice;
    }
  }
}

WIDE uint64_t mb_zigzag(size_t n, uint64_t *d) {
  uint64_t all = 0;
  for (size_t i = 0; i < n; i++) {
    d[i] = d[i] << 1 ^ sign_mask(d[i]);
    all |= d[i];
  }
  return all;
}

WIDE void mb_split(size_t n, const uint64_t *z, unsigned index, unsigned char *restrict plane) {
  const unsigned shift = 8 * index;
  for (size_t i = 0; i < n; i++) plane[i] = (unsigned char)(z[i] >> shift);
}

WIDE static void add_plane(size_t n, const unsigned char *restrict plane, unsigned shift,
                           uint64_t *restrict d) {
  for (size_t i = 0; i < n; i++) d[i] |= (uint64_t)plane[i] << shift;
}
WIDE static void unzigzag(size_t n, uint64_t *d) {
  for (size_t i = 0; i < n; i++) d[i] = d[i] >> 1 ^ (0 - (d[i] & 1));
}

void mb_merge(size_t n, const unsigned char *const plane[8], uint64_t base, uint64_t *restrict d,
              bool signs) {
  enum { TILE = 1024 }; // stays in the first cache
  for (size_t at = 0; at < n; at += TILE) {
    const size_t m = n - at < TILE ? n - at : TILE;
    for (size_t i = 0; i < m; i++) d[at + i] = base;
    for (unsigned b = 0; b < 8; b++)
      if (plane[b]) add_plane(m, plane[b] + at, 8 * b, d + at);
    if (signs) unzigzag(m, d + at);
  }
}
