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

// Processors that files of kernels are compiled for beside what the compiler is told to build for (they say so by a pragma).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MB_PACK_FMA
#define MB_PACK_AVX512
#endif

#ifdef __CUDACC__
#define MB_PACK_INLINE static __forceinline__ __host__ __device__
#else
#define MB_PACK_INLINE static inline __attribute__((always_inline))
#endif

#if MB_PACK == 1

typedef double MbPack;
typedef int64_t MbPackMask; // -1 or 0

MB_PACK_INLINE MbPackMask mb_pack_bits(MbPack a) {
  MbPackMask bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
MB_PACK_INLINE MbPack mb_pack_of_bits(MbPackMask bits) {
  MbPack a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
MB_PACK_INLINE MbPackMask mb_pack_less(MbPack a, MbPack b) { return -(MbPackMask)(a < b); }
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) { return m ? a : b; }
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) { return sqrt(a); }
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) { return m != 0; }
MB_PACK_INLINE MbPack mb_pack_load(const double *a) { return *a; }
MB_PACK_INLINE void mb_pack_store(double *a, MbPack b) { *a = b; }

#else

typedef double MbPack __attribute__((vector_size(8 * MB_PACK)));
typedef int64_t MbPackMask __attribute__((vector_size(8 * MB_PACK)));

MB_PACK_INLINE MbPackMask mb_pack_bits(MbPack a) { return (MbPackMask)a; }
MB_PACK_INLINE MbPack mb_pack_of_bits(MbPackMask bits) { return (MbPack)bits; }
MB_PACK_INLINE MbPackMask mb_pack_less(MbPack a, MbPack b) { return (MbPackMask)(a < b); }
MB_PACK_INLINE MbPack mb_pack_select(MbPackMask m, MbPack a, MbPack b) {
  return (MbPack)((m & (MbPackMask)a) | (~m & (MbPackMask)b));
}
MB_PACK_INLINE MbPack mb_pack_sqrt(MbPack a) {
  for (int i = 0; i < MB_PACK; i++) a[i] = sqrt(a[i]);
  return a;
}
MB_PACK_INLINE bool mb_pack_any(MbPackMask m) {
  int64_t any = 0;
  for (int i = 0; i < MB_PACK; i++) any |= m[i];
  return any != 0;
}
MB_PACK_INLINE MbPack mb_pack_load(const double *a) {
  MbPack b;
  memcpy(&b, a, sizeof b);
  return b;
}
MB_PACK_INLINE void mb_pack_store(double *a, MbPack b) { memcpy(a, &b, sizeof b); }

#endif

MB_PACK_INLINE MbPack mb_pack_all(double a) { return (MbPack){0} + a; }
MB_PACK_INLINE MbPack mb_pack_abs(MbPack a) { return mb_pack_of_bits(mb_pack_bits(a) & INT64_MAX); }
// The second where they do not compare.
MB_PACK_INLINE MbPack mb_pack_max(MbPack a, MbPack b) { return mb_pack_select(mb_pack_less(b, a), a, b); }
MB_PACK_INLINE MbPack mb_pack_min(MbPack a, MbPack b) { return mb_pack_select(mb_pack_less(a, b), a, b); }

// ln a to rounding, for normal positive a:  a = 2^k m with m in [√½, √2),  ln m = 2 (s + s³/3 + s⁵/5 + …),  s = (m − 1)/(m + 1).
MB_PACK_INLINE MbPack mb_pack_log(MbPack a) {
  static const double MAGIC = 0x1p52;
  static const double HIGH = 0x1.62e42fefa38p-1, LOW = 0x1.ef35793c7673p-45; // ln 2
  // exponent and mantissa of a / √½, so that m comes out in its range
  const MbPackMask shifted = mb_pack_bits(a) - 0x3fe6a09e667f3bcd;
  const MbPackMask k = shifted >> 52;
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
