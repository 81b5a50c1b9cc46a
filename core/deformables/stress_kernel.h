// Stress and energy of packs of elements (stress_pack.h). Part of the kernels (local_step_kernel.h), which include this behind their own
// functions.
#ifndef MB_DEFORMABLES_STRESS_KERNEL_H
#define MB_DEFORMABLES_STRESS_KERNEL_H

#include "core/deformables/stress_pack.h"

MB_PACK_INLINE void stress_of(const MbStressSweep *of, MbElasticModel model, int rank, size_t begin,
                              size_t end) {
  const MbGradient *const g = of->gradient;
  for (size_t e = 8 * begin; e < 8 * end; e += MB_PACK) {
    MbPack F[9], P[9];
    gather(g, rank, of->x, e, F);
    const MbPack volume = of->thickness * mb_pack_load(g->size + e);
    mb_pack_store(of->energy + e, volume * stress_at(&of->elastic, model, rank, F, P));
    for (int c = 0; c < 3 * rank; c++) P[c] = -volume * P[c];
    hand_out(g, rank, P, e, of->corner);
  }
}

#define EACH_STRESS(model)                                                                                   \
  static __attribute__((noinline)) void model##_stress(const MbStressSweep *of, size_t begin, size_t end) {  \
    of->gradient->rank == 3 ? stress_of(of, model, 3, begin, end) : stress_of(of, model, 2, begin, end);     \
  }
EACH_STRESS(MB_ARAP)
EACH_STRESS(MB_COROTATIONAL)
EACH_STRESS(MB_NEO_HOOKEAN)

static void stress(const MbStressSweep *of, size_t begin, size_t end) {
  const MbElasticModel model = of->elastic.model;
  if (model == MB_ARAP)
    MB_ARAP_stress(of, begin, end);
  else if (model == MB_NEO_HOOKEAN)
    MB_NEO_HOOKEAN_stress(of, begin, end);
  else if (model == MB_LINEAR && of->gradient->rank == 3)
    stress_of(of, MB_LINEAR, 3, begin, end);
  else
    MB_COROTATIONAL_stress(of, begin, end);
}

#endif
