// The inner loops of the codec, over contiguous arrays. Unsigned integers wrap; signed ones are meant by
// (int64_t).
#ifndef MB_IO_TRAJ_KERNELS_H
#define MB_IO_TRAJ_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Multiples of `quantum` nearest to x; false if any number then is further than `bound` from its multiple,
// not finite, or beyond 2^48 multiples.
bool mb_quantise(size_t n, const double *x, double quantum, double bound, uint64_t *restrict q);
// What decoding gives for each number by itself: the multiple where those three hold, else the number.
void mb_settle(size_t n, double quantum, double bound, double *x);
// x = q * quantum, |q| < 2^51.
void mb_dequantise(size_t n, const uint64_t *q, double quantum, double *restrict x);

// d = residual of integer rows under prediction in time of the given order; q1 is the row before, and so on.
void mb_residual(size_t n, unsigned order, const uint64_t *q0, const uint64_t *q1, const uint64_t *q2,
                 const uint64_t *q3, uint64_t *restrict d);
// q0 from the residual: the inverse.
void mb_integrate(size_t n, unsigned order, const uint64_t *d, const uint64_t *q1, const uint64_t *q2,
                  const uint64_t *q3, uint64_t *restrict q0);

// The same for doubles, where the prediction is made in floating point (order 2: 2a - b; order 3: 3(a - b) +
// c; a prediction that is not a number is replaced by the number before) and the residual is one of ordered
// integers: the bits of a double, mapped so that they are monotone in the number and -0 is next to +0; a
// bijection.
void mb_residual_double(size_t n, unsigned order, const double *x0, const double *x1, const double *x2,
                        const double *x3, uint64_t *restrict d);
void mb_integrate_double(size_t n, unsigned order, const uint64_t *d, const double *x1, const double *x2,
                         const double *x3, double *restrict x0);

// d[j] -= d[j - step], and `times` times its inverse.
void mb_difference(size_t n, size_t step, uint64_t *d);
void mb_accumulate(size_t n, size_t step, unsigned times, uint64_t *d);

// Zigzag in place (0 -1 1 -2 2 ... to 0 1 2 3 4 ...); returns all of them or-ed together.
uint64_t mb_zigzag(size_t n, uint64_t *d);
// Byte `index` of every number.
void mb_split(size_t n, const uint64_t *z, unsigned index, unsigned char *restrict plane);
// Numbers from planes (NULL = zeros), with `base` or-ed into each; with `signs` the zigzag is undone.
void mb_merge(size_t n, const unsigned char *const plane[8], uint64_t base, uint64_t *restrict d, bool signs);

#endif
