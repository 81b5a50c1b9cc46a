// Products that are fused with a sum where a file says so, and nowhere else: of one double or of eight, the same bits.
//
// A file that is compiled for processors with fused multiply-add defines MB_FUSED before it includes this, after its pragma: 256 or 512,
// the width in bits of the vectors that it may use.
#ifndef MB_SOLVERS_REDMAX_FUSED_H
#define MB_SOLVERS_REDMAX_FUSED_H

#ifdef MB_FUSED
#include <immintrin.h>
#endif

#ifdef __CUDACC__ // which has no vectors, and fuses by itself
#define MB_KERNEL static __forceinline__ __host__ __device__
#else
#define MB_KERNEL static inline __attribute__((always_inline))
#endif

#ifndef __CUDACC__
typedef double MbEight __attribute__((vector_size(64)));
#endif

// a b + c;  c − a b
#ifndef MB_FUSED

MB_KERNEL double mb_mad(double a, double b, double c) { return a * b + c; }
MB_KERNEL double mb_less(double a, double b, double c) { return c - a * b; }
#ifndef __CUDACC__
MB_KERNEL MbEight mb_mad_eight(MbEight a, MbEight b, MbEight c) { return a * b + c; }
MB_KERNEL MbEight mb_less_eight(MbEight a, MbEight b, MbEight c) { return c - a * b; }
#endif

#else

MB_KERNEL double mb_mad(double a, double b, double c) { return __builtin_fma(a, b, c); }
MB_KERNEL double mb_less(double a, double b, double c) { return __builtin_fma(-a, b, c); }

#if MB_FUSED == 512

MB_KERNEL MbEight mb_mad_eight(MbEight a, MbEight b, MbEight c) {
  return (MbEight)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
MB_KERNEL MbEight mb_less_eight(MbEight a, MbEight b, MbEight c) {
  return (MbEight)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

#else

#define MB_LOW(x)  __builtin_shufflevector(x, x, 0, 1, 2, 3)
#define MB_HIGH(x) __builtin_shufflevector(x, x, 4, 5, 6, 7)
#define MB_BY_HALVES(f, a, b, c)                                                                             \
  __builtin_shufflevector(f((__m256d)MB_LOW(a), (__m256d)MB_LOW(b), (__m256d)MB_LOW(c)),                     \
                          f((__m256d)MB_HIGH(a), (__m256d)MB_HIGH(b), (__m256d)MB_HIGH(c)), 0, 1, 2, 3, 4,   \
                          5, 6, 7)

MB_KERNEL MbEight mb_mad_eight(MbEight a, MbEight b, MbEight c) {
  return (MbEight)MB_BY_HALVES(_mm256_fmadd_pd, a, b, c);
}
MB_KERNEL MbEight mb_less_eight(MbEight a, MbEight b, MbEight c) {
  return (MbEight)MB_BY_HALVES(_mm256_fnmadd_pd, a, b, c);
}

#endif
#endif
#endif
