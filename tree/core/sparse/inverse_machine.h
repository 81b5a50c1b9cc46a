// The table MB_INVERSE_TABLE of a file that defines it and MB_INVERSE_NAME and includes this: the passes of inverse.h for one
// kind of processor.
#include "core/sparse/inverse.h"

#include <string.h>

#define KERNEL static inline __attribute__((always_inline))

typedef double V4 __attribute__((vector_size(32)));
typedef float V4F __attribute__((vector_size(16)));

KERNEL V4 load(const double *a) {
  V4 v;
  memcpy(&v, a, sizeof v);
  return v;
}
KERNEL void store(double *a, V4 v) { memcpy(a, &v, sizeof v); }
KERNEL V4 all(double a) { return (V4){a, a, a, a}; }

#define MB_STORE    double
#define MB_IS_FLOAT 0
#define NAME(x)     x##_double
#include "core/sparse/inverse_passes.h"
#undef MB_STORE
#undef MB_IS_FLOAT
#undef NAME

#define MB_STORE    float
#define MB_IS_FLOAT 1
#define NAME(x)     x##_float
#include "core/sparse/inverse_passes.h"

const MbInversePasses MB_INVERSE_TABLE = {
    MB_INVERSE_NAME,
    {multiply_double, multiply_float},
    {transposed_double, transposed_float},
    {couple_double, couple_float},
    {uncouple_double, uncouple_float},
};
