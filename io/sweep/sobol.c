// Bratley and Fox, Algorithm 659: from m_1 .. m_s a polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1 makes
//   m_k = 2 a_1 m_(k-1) ^ 2² a_2 m_(k-2) ^ ... ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s),    v_k = m_k / 2^k
// and point n is the exclusive or of the v_k at the bits of n's Gray code.
#include "io/sweep/sobol.h"
#include "io/sweep/random.h"

void mb_sobol_directions(size_t dimension, uint32_t v[MB_SOBOL_BITS]) {
  if (!dimension) {
    for (unsigned k = 0; k < MB_SOBOL_BITS; k++) v[k] = UINT32_C(1) << (MB_SOBOL_BITS - 1 - k);
    return;
  }
  const MbSobolRow *row = &mb_sobol_table[dimension - 1];
  const unsigned s = row->degree;
  for (unsigned k = 0; k < s; k++) v[k] = (uint32_t)row->first[k] << (MB_SOBOL_BITS - 1 - k);
  for (unsigned k = s; k < MB_SOBOL_BITS; k++) {
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (unsigned j = 1; j < s; j++)
      if ((unsigned)row->inner >> (s - 1 - j) & 1) v[k] ^= v[k - j];
  }
}

uint32_t mb_sobol_coordinate(const uint32_t v[MB_SOBOL_BITS], uint32_t index) {
  uint32_t x = 0;
  unsigned k = 0;
  for (uint32_t gray = index ^ (index >> 1); gray; gray >>= 1, k++)
    if (gray & 1) x ^= v[k];
  return x;
}

uint32_t mb_sobol_scramble(uint32_t x, uint64_t key) {
  uint32_t out = 0;
  for (unsigned k = 0; k < MB_SOBOL_BITS; k++) {
    // the bits above bit k, with a one before them that says how many they are
    const uint64_t above = (UINT64_C(1) << k) | (k ? x >> (MB_SOBOL_BITS - k) : 0);
    const uint32_t bit = (x >> (MB_SOBOL_BITS - 1 - k)) & 1;
    out = out << 1 | (bit ^ (uint32_t)(mb_random_mix(key ^ mb_random_mix(above)) & 1));
  }
  return out;
}
