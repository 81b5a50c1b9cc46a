// Numbers in lockstep: an MbPack is a double, or a vector of MB_PACK doubles. A file that defines MB_PACK before including this
// gets the kernels that are written on it for that many at once. Kernels decide nothing by branches: masks select. What a number
// becomes never depends on its neighbours in the pack, as long as a kernel's loops leave alone what is done.
#ifndef MB_MATH_PACK_H
#define MB_MATH_PACK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef MB_PACK
#define MB_PACK 1
#endif
#if MB_PACK > 1 && defined(__SSE2__)
#include <immintrin.h>
#endif

#ifdef __CUDACC__
#define MB_PACK_INLINE static __forceinline__ __host__ __device__
#else
#define MB_PACK_INLINE static inline __attribute__((always_inline))
#endif

// A mask says yes or no of each; it knows &, | and mb_pack_unless. Bits are of the numbers.
#if MB_PACK == 1

typedef double MbPack;
typedef int64_t MbPackBits;
typedef bool MbPackMask;

MB_PACK_INLINE MbPackBits mb_pack_bits(MbPack a) {
  MbPackBits bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
MB_PACK_INLINE MbPack mb_pack_of_bits(MbPackBits bits) {
  MbPack a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
MB_PACK_INLINE MbPackMask mb_pack_less(MbPack a, MbPack b) { return a < b; }
MB_PACK_INLINE MbPackMask mb_pack_unless(MbPackMask a, MbPackMask b) { return a && !b; }
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) { return m ? a : b; }
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) { return m; }
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) { return sqrt(a); }
MB_PACK_INLINE MbPack mb_pack_load(const double *a) { return *a; }
MB_PACK_INLINE void mb_pack_store(double *a, MbPack b) { *a = b; }
MB_PACK_INLINE MbPack mb_pack_load_floats(const void *a) {
  float b;
  memcpy(&b, a, sizeof b);
  return b;
}
MB_PACK_INLINE void mb_pack_store_floats(void *a, MbPack b) {
  const float rounded = (float)b;
  memcpy(a, &rounded, sizeof rounded);
}

#else

typedef double MbPack __attribute__((vector_size(8 * MB_PACK)));
typedef int64_t MbPackBits __attribute__((vector_size(8 * MB_PACK)));

MB_PACK_INLINE MbPackBits mb_pack_bits(MbPack a) { return (MbPackBits)a; }
MB_PACK_INLINE MbPack mb_pack_of_bits(MbPackBits bits) { return (MbPack)bits; }
MB_PACK_INLINE MbPack mb_pack_load(const double *a) {
  MbPack b;
  memcpy(&b, a, sizeof b);
  return b;
}
MB_PACK_INLINE void mb_pack_store(double *a, MbPack b) { memcpy(a, &b, sizeof b); }

typedef float MbPackFloats __attribute__((vector_size(4 * MB_PACK)));

// MB_PACK floats in a row, as doubles; and back, rounded.
MB_PACK_INLINE MbPack mb_pack_load_floats(const void *a) {
  MbPackFloats b;
  memcpy(&b, a, sizeof b);
  return __builtin_convertvector(b, MbPack);
}
MB_PACK_INLINE void mb_pack_store_floats(void *a, MbPack b) {
  const MbPackFloats rounded = __builtin_convertvector(b, MbPackFloats);
  memcpy(a, &rounded, sizeof rounded);
}

// What the language has no word for: roots, choices, and whether there is any.
#if MB_PACK == 8 && defined(__AVX512F__)

typedef __mmask8 MbPackMask;
MB_PACK_INLINE MbPackMask mb_pack_less(MbPack a, MbPack b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
MB_PACK_INLINE MbPackMask mb_pack_unless(MbPackMask a, MbPackMask b) { return (MbPackMask)(a & (0xff ^ b)); }
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) {
  return (MbPack)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a);
}
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) { return m != 0; }
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) { return (MbPack)_mm512_sqrt_pd((__m512d)a); }

#else

typedef MbPackBits MbPackMask; // -1 or 0
MB_PACK_INLINE MbPackMask mb_pack_less(MbPack a, MbPack b) { return (MbPackMask)(a < b); }
MB_PACK_INLINE MbPackMask mb_pack_unless(MbPackMask a, MbPackMask b) { return a & ~b; }
#if MB_PACK == 4 && defined(__AVX2__)
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) {
  return (MbPack)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)m);
}
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) { return _mm256_movemask_pd((__m256d)m) != 0; }
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) { return (MbPack)_mm256_sqrt_pd((__m256d)a); }
#else
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) {
  return (MbPack)((m & (MbPackMask)a) | (~m & (MbPackMask)b));
}
#if MB_PACK == 2 && defined(__SSE2__)
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) { return _mm_movemask_pd((__m128d)m) != 0; }
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) { return (MbPack)_mm_sqrt_pd((__m128d)a); }
#else
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) {
  int64_t any = 0;
  for (int i = 0; i < MB_PACK; i++) any |= m[i];
  return any != 0;
}
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) {
  for (int i = 0; i < MB_PACK; i++) a[i] = sqrt(a[i]);
  return a;
}
#endif
#endif
#endif
#endif

MB_PACK_INLINE MbPack mb_pack_all(double a) { return (MbPack){0} + a; }
// The power of 2 at or below each of some positive numbers, 0 of what is less than all of them; and what is 1 over such a power, to
// rounding: not at all.
MB_PACK_INLINE MbPack mb_pack_power(MbPack a) {
  return mb_pack_of_bits(mb_pack_bits(a) & 0x7ff0000000000000);
}
MB_PACK_INLINE MbPack mb_pack_over_power(MbPack power) {
  return mb_pack_of_bits(0x7fe0000000000000 - mb_pack_bits(power));
}
MB_PACK_INLINE MbPack mb_pack_abs(MbPack a) { return mb_pack_of_bits(mb_pack_bits(a) & INT64_MAX); }
// The second where they do not compare.
MB_PACK_INLINE MbPack mb_pack_max(MbPack a, MbPack b) { return mb_pack_select(mb_pack_less(b, a), a, b); }
MB_PACK_INLINE MbPack mb_pack_min(MbPack a, MbPack b) { return mb_pack_select(mb_pack_less(a, b), a, b); }

// ln a to rounding, for normal positive a:  a = 2^k m with m in [√½, √2),  ln m = 2 (s + s³/3 + s⁵/5 + …),  s = (m − 1)/(m + 1).
MB_PACK_INLINE MbPack mb_pack_log(MbPack a) {
  static const double MAGIC = 0x1p52;
  static const double HIGH = 0x1.62e42fefa38p-1, LOW = 0x1.ef35793c7673p-45; // ln 2
  // exponent and mantissa of a / √½, so that m comes out in its range
  const MbPackBits shifted = mb_pack_bits(a) - 0x3fe6a09e667f3bcd;
  const MbPackBits k = shifted >> 52;
  const MbPack m = mb_pack_of_bits(mb_pack_bits(a) - (shifted & -0x10000000000000));
  const MbPack e = mb_pack_of_bits((k + 1024) | 0x4330000000000000) - (MAGIC + 1024);
  const MbPack s = (m - 1.0) / (m + 1.0), t = s * s;
  MbPack sum = t * (2.0 / 21) + 2.0 / 19;
  sum = t * sum + 2.0 / 17;
  sum = t * sum + 2.0 / 15;
  sum = t * sum + 2.0 / 13;
  sum = t * sum + 2.0 / 11;
  sum = t * sum + 2.0 / 9;
  sum = t * sum + 2.0 / 7;
  sum = t * sum + 2.0 / 5;
  sum = t * sum + 2.0 / 3;
  return e * HIGH + (2.0 * s + (s * (t * sum) + e * LOW));
}

#endif
