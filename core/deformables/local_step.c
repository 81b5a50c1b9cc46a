#include "core/deformables/local_step.h"
#include "core/base/targets.h"

#include <assert.h>
#include <math.h>

extern const MbLocalKernel mb_local_base;
#ifdef MB_TARGET_FMA
extern const MbLocalKernel mb_local_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbLocalKernel mb_local_avx512;
#endif

const MbLocalKernel *const mb_local_kernels[] = {
#ifdef MB_TARGET_AVX512
    &mb_local_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_local_fma,
#endif
    &mb_local_base, NULL};

bool mb_local_runs(const MbLocalKernel *kernel) {
#ifdef MB_TARGET_AVX512
  if (kernel == &mb_local_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (kernel == &mb_local_fma) return mb_target_fma();
#endif
  (void)kernel;
  return true;
}

static const MbLocalKernel *fastest(void) {
  const MbLocalKernel *const *row = mb_local_kernels;
  while (!mb_local_runs(*row)) row++;
  return *row;
}

double mb_local_step(const MbLocal *local, size_t begin, size_t end) {
  assert(1 <= local->rank && local->rank <= 3 && (local->u || !mb_local_has_dual(&local->elastic)));
  return fastest()->step(local, begin, end);
}

void mb_local_sweep(const MbLocalSweep *sweep, size_t begin, size_t end) {
  assert(sweep->gradient->rank > 1 && (sweep->u || !mb_local_has_dual(&sweep->elastic)));
  fastest()->sweep(sweep, begin, end);
}

void mb_stress_sweep(const MbStressSweep *sweep, size_t begin, size_t end) {
  assert(sweep->gradient->rank > 1);
  fastest()->stress(sweep, begin, end);
}

void mb_local_values(const MbGradient *gradient, const double *x, double *s, size_t begin, size_t end) {
  assert(gradient->rank > 1);
  fastest()->values(gradient, x, s, begin, end);
}

bool mb_local_has_dual(const MbElastic *elastic) { return elastic->model != MB_ARAP; }

double mb_local_weight(const MbElastic *elastic, int rank) {
  (void)rank;
  return 2 * elastic->mu + (elastic->model == MB_ARAP ? 0 : elastic->lambda);
}
