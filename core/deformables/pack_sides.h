// The sides of a pack of elements from their nodes' places. A node's three numbers stand together, and a pack wants one number of all of
// its elements: where the processor has vectors of four numbers it reads a node as one, and turns four or eight of them over.
#ifndef MB_DEFORMABLES_PACK_SIDES_H
#define MB_DEFORMABLES_PACK_SIDES_H

#include "core/math/pack.h"

#include <stddef.h>

#if MB_PACK == 8 && defined(__AVX512F__)

// What is not read behind the last node's numbers is 0.
MB_PACK_INLINE __m256d place_at(const double *x, uint32_t node) {
  return _mm512_castpd512_pd256(_mm512_maskz_loadu_pd(7, x + 3 * (size_t)node));
}

// side[3 a + i]: number i of side a, which goes from node 0 to node a + 1; `node` has rank + 1 of each element.
MB_PACK_INLINE void sides_of(const double *x, const uint32_t *node, int rank, MbPack *side) {
  const size_t corners = (size_t)rank + 1;
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                third = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  __m256d from[8];
  for (size_t k = 0; k < 8; k++) from[k] = place_at(x, node[corners * k]);
  for (size_t a = 0; a < (size_t)rank; a++) {
    __m512d row[4]; // of elements k and k + 4
    for (size_t k = 0; k < 4; k++) {
      const __m256d near = _mm256_sub_pd(place_at(x, node[corners * k + a + 1]), from[k]),
                    far = _mm256_sub_pd(place_at(x, node[corners * (k + 4) + a + 1]), from[k + 4]);
      row[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(near), far, 1);
    }
    const __m512d even = _mm512_unpacklo_pd(row[0], row[1]), even2 = _mm512_unpacklo_pd(row[2], row[3]);
    const __m512d odd = _mm512_unpackhi_pd(row[0], row[1]), odd2 = _mm512_unpackhi_pd(row[2], row[3]);
    side[3 * a] = (MbPack)_mm512_permutex2var_pd(even, first, even2);
    side[3 * a + 1] = (MbPack)_mm512_permutex2var_pd(odd, first, odd2);
    side[3 * a + 2] = (MbPack)_mm512_permutex2var_pd(even, third, even2);
  }
}

#elif MB_PACK == 4 && defined(__AVX2__)

MB_PACK_INLINE __m256d place_at(const double *x, uint32_t node) {
  return _mm256_maskload_pd(x + 3 * (size_t)node, _mm256_setr_epi64x(-1, -1, -1, 0));
}

MB_PACK_INLINE void sides_of(const double *x, const uint32_t *node, int rank, MbPack *side) {
  const size_t corners = (size_t)rank + 1;
  __m256d from[4];
  for (size_t k = 0; k < 4; k++) from[k] = place_at(x, node[corners * k]);
  for (size_t a = 0; a < (size_t)rank; a++) {
    __m256d row[4];
    for (size_t k = 0; k < 4; k++) row[k] = _mm256_sub_pd(place_at(x, node[corners * k + a + 1]), from[k]);
    const __m256d even = _mm256_unpacklo_pd(row[0], row[1]), even2 = _mm256_unpacklo_pd(row[2], row[3]);
    const __m256d odd = _mm256_unpackhi_pd(row[0], row[1]), odd2 = _mm256_unpackhi_pd(row[2], row[3]);
    side[3 * a] = (MbPack)_mm256_permute2f128_pd(even, even2, 0x20);
    side[3 * a + 1] = (MbPack)_mm256_permute2f128_pd(odd, odd2, 0x20);
    side[3 * a + 2] = (MbPack)_mm256_permute2f128_pd(even, even2, 0x31);
  }
}

#else

MB_PACK_INLINE void sides_of(const double *x, const uint32_t *node, int rank, MbPack *side) {
  double number[9][MB_PACK];
  for (size_t k = 0; k < MB_PACK; k++) {
    const uint32_t *const own = node + ((size_t)rank + 1) * k;
    const double *const from = x + 3 * (size_t)own[0];
    for (int a = 0; a < rank; a++)
      for (int i = 0; i < 3; i++) number[3 * a + i][k] = x[3 * (size_t)own[a + 1] + (size_t)i] - from[i];
  }
  for (int c = 0; c < 3 * rank; c++) side[c] = mb_pack_load(number[c]);
}

#endif
#endif
