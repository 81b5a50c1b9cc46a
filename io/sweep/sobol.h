// Sobol sequences: points that fill a cube of up to a hundred dimensions more evenly than chance does.
#ifndef MB_IO_SOBOL_H
#define MB_IO_SOBOL_H

#include <stddef.h>
#include <stdint.h>

enum { MB_SOBOL_DIMENSIONS = 100, MB_SOBOL_BITS = 32, MB_SOBOL_DEGREE = 9 };

// A primitive polynomial x^degree + ... + 1, whose inner coefficients are the bits of `inner`, and the odd numbers that begin.
typedef struct MbSobolRow {
  uint8_t degree;
  uint16_t inner;
  uint16_t first[MB_SOBOL_DEGREE]; // (degree)
} MbSobolRow;

extern const MbSobolRow mb_sobol_table[MB_SOBOL_DIMENSIONS - 1]; // of dimension 2 on

// The direction numbers of a dimension, counted from 0, as 32-bit fractions.
void mb_sobol_directions(size_t dimension, uint32_t v[MB_SOBOL_BITS]);
// A coordinate of point number `index` (from 0) in the order of Gray codes, in which the sequence is published; over 2³².
uint32_t mb_sobol_coordinate(const uint32_t v[MB_SOBOL_BITS], uint32_t index);
// Owen's scrambling: each bit is flipped or not as chance says for all the bits above it, so that what a net spreads evenly stays
// spread evenly. `key` stands for seed and dimension.
uint32_t mb_sobol_scramble(uint32_t x, uint64_t key);

#endif
