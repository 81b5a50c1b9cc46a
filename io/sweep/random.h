// Chance that depends on a key alone, and functions of it whose bits are the same on every machine.
#ifndef MB_IO_RANDOM_H
#define MB_IO_RANDOM_H

#include <stdint.h>

// A mixed 64-bit word: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
uint64_t mb_random_mix(uint64_t x);
// The word number `index` of the stream number `stream` of a seed.
uint64_t mb_random_word(uint64_t seed, uint64_t stream, uint64_t index);
// Between 0 and 1, neither of them: the middle of one of 2⁵² equal parts.
double mb_random_unit(uint64_t word);

// exp, ln and the inverse of the normal distribution in sums and products alone: what the system's library gives for them may differ
// by a bit from machine to machine. Right to about 1e-15 of the value.
double mb_random_exp(double x);
double mb_random_log(double x);    // x > 0
double mb_random_normal(double u); // 0 < u < 1: the value below which a share u lies

#endif
