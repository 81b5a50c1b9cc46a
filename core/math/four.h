// Four numbers side by side, as machines add and multiply them.
#ifndef MB_MATH_FOUR_H
#define MB_MATH_FOUR_H

#include <string.h>

typedef double MbFour __attribute__((vector_size(4 * sizeof(double))));

// Builds of one function for several machines take these in whole.
#define MB_FOUR_INLINE static inline __attribute__((always_inline))

// Reads four numbers that stand anywhere, and writes them.
MB_FOUR_INLINE MbFour mb_four_load(const double *x) {
  MbFour four;
  memcpy(&four, x, sizeof four);
  return four;
}
MB_FOUR_INLINE void mb_four_store(double *x, MbFour four) { memcpy(x, &four, sizeof four); }
// Makes four of one.
MB_FOUR_INLINE MbFour mb_four_all(double x) { return (MbFour){x, x, x, x}; }

#endif
