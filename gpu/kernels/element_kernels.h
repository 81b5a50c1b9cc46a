// Elements of one kind and one material (core/solvers/projective/pd_blocks.h), one a thread: what their corners get, by packs of eight as
// everywhere (gradient.h), and their energies; and what a node gathers of its corners, in the order of its elements.
#ifndef MB_GPU_KERNELS_ELEMENT_KERNELS_H
#define MB_GPU_KERNELS_ELEMENT_KERNELS_H

#include "gpu/kernels/kernel_body.h"

#include "core/deformables/stress_pack.h"
#include "core/deformables/viscous_stress.h"
#include "core/math/mat3.h"
#include "core/math/vec3.h"

typedef struct MbElementArgs {
  MbGradient gradient; // node, B and size are the device's; first and corner are not there
  MbElastic elastic;
  double thickness, damper;
  const double *weight, *scale; // (stride)
  const double *k, *c;          // (stride) of springs, c of a damper over the step
  const double *x;              // (nodes x 3) of the part
  double *before, *u, *corner, *energy;
  const uint32_t *first, *place; // (nodes + 1), (corners) by node, where its corners' first numbers are
  double *f;                     // (nodes x 3) of the part
} MbElementArgs;

// ---- one element ------------------------------------------------------------------------------------------

MB_BODY void mb_stress_of(const MbElementArgs *a, MbElasticModel model, int rank, size_t e) {
  MbPack F[9], P[9];
  gather(&a->gradient, rank, a->x, e, F);
  const double volume = a->thickness * a->gradient.size[e];
  a->energy[e] = volume * stress_at(&a->elastic, model, rank, F, P);
  for (int c = 0; c < 3 * rank; c++) P[c] = -volume * P[c];
  hand_out(&a->gradient, rank, P, e, a->corner);
}

MB_BODY void mb_local_of(const MbElementArgs *a, MbElasticModel model, int rank, size_t e) {
  const size_t stride = a->gradient.stride;
  MbPack F[9], sum[9], p[9], t[9];
  gather(&a->gradient, rank, a->x, e, F);
  for (int c = 0; c < 3 * rank; c++) sum[c] = model == MB_ARAP ? F[c] : F[c] + a->u[(size_t)c * stride + e];
  project(&a->elastic, model, rank, a->weight[e], sum, p);
  const double scale = a->scale[e] * a->gradient.size[e];
  for (int c = 0; c < 3 * rank; c++) {
    t[c] = p[c] - F[c];
    if (model != MB_ARAP) {
      const double u = sum[c] - p[c];
      a->u[(size_t)c * stride + e] = u;
      t[c] -= u;
    }
    t[c] *= scale;
  }
  hand_out(&a->gradient, rank, t, e, a->corner);
}

// u ← P/w
MB_BODY void mb_dual_of(const MbElementArgs *a, MbElasticModel model, int rank, size_t e) {
  MbPack F[9], P[9];
  gather(&a->gradient, rank, a->x, e, F);
  (void)stress_at(&a->elastic, model, rank, F, P);
  for (int c = 0; c < 3 * rank; c++) a->u[(size_t)c * a->gradient.stride + e] = P[c] / a->weight[e];
}

// Each material by itself, so that what is not asked for is not there; `linear` has no sheets.
#define MB_OF_EACH_MODEL(function, a, e)                                                                     \
  do {                                                                                                       \
    const MbElasticModel model = (a)->elastic.model;                                                         \
    const bool solid = (a)->gradient.rank == 3;                                                              \
    if (model == MB_ARAP)                                                                                    \
      solid ? function(a, MB_ARAP, 3, e) : function(a, MB_ARAP, 2, e);                                       \
    else if (model == MB_NEO_HOOKEAN)                                                                        \
      solid ? function(a, MB_NEO_HOOKEAN, 3, e) : function(a, MB_NEO_HOOKEAN, 2, e);                         \
    else if (model == MB_LINEAR && solid)                                                                    \
      function(a, MB_LINEAR, 3, e);                                                                          \
    else                                                                                                     \
      solid ? function(a, MB_COROTATIONAL, 3, e) : function(a, MB_COROTATIONAL, 2, e);                       \
  } while (0)

MB_BODY void mb_element_stress(const MbElementArgs *a, size_t e) { MB_OF_EACH_MODEL(mb_stress_of, a, e); }
MB_BODY void mb_element_local(const MbElementArgs *a, size_t e) { MB_OF_EACH_MODEL(mb_local_of, a, e); }
MB_BODY void mb_element_dual(const MbElementArgs *a, size_t e) { MB_OF_EACH_MODEL(mb_dual_of, a, e); }

// What damps adds to energies, and stands alone in corners.
MB_BODY void mb_element_damp(const MbElementArgs *a, size_t e) {
  const int rank = a->gradient.rank;
  MbPack F[9], P[9], E[9];
  gather(&a->gradient, rank, a->x, e, F);
  mb_viscous_strain_at(&a->elastic, rank, F, E);
  for (int c = 0; c < rank * rank; c++) E[c] -= a->before[(size_t)(rank * rank) * e + (size_t)c];
  const double volume = a->thickness * a->gradient.size[e];
  a->energy[e] += volume * a->damper * mb_viscous_stress_at(&a->elastic, rank, F, E, P);
  for (int c = 0; c < 3 * rank; c++) P[c] *= -volume * a->damper;
  hand_out(&a->gradient, rank, P, e, a->corner);
}

// A spring's force where spring and damper agree upon the length at rest.
MB_BODY double mb_spring_rest(const MbElementArgs *a, size_t e) {
  const double k = a->k[e] + a->c[e];
  return k > 0 ? (a->k[e] + a->c[e] * a->before[e]) / k : 0;
}

MB_BODY void mb_element_spring(const MbElementArgs *a, size_t e) {
  MbPack F[3], t[3];
  gather(&a->gradient, 1, a->x, e, F);
  const double L = a->gradient.size[e], s = mb_vec3_norm(F), k = (a->k[e] + a->c[e]) * L;
  const double stretch = s - 1, move = s - a->before[e];
  a->energy[e] = L * L * (a->k[e] * stretch * stretch + a->c[e] * move * move) / 2;
  mb_vec3_scale(t, s > 0 ? -L * k * (1 - mb_spring_rest(a, e) / s) : 0, F);
  hand_out(&a->gradient, 1, t, e, a->corner);
}

MB_BODY void mb_element_spring_local(const MbElementArgs *a, size_t e) {
  MbPack F[3], t[3];
  gather(&a->gradient, 1, a->x, e, F);
  const double s = mb_vec3_norm(F), rest = mb_spring_rest(a, e), scale = a->scale[e] * a->gradient.size[e];
  for (int c = 0; c < 3; c++) t[c] = scale * ((s > 0 ? rest * F[c] / s : c == 0 ? rest : 0) - F[c]);
  hand_out(&a->gradient, 1, t, e, a->corner);
}

// What counts through the step: lengths of springs, strains of what is damped.
MB_BODY void mb_element_before(const MbElementArgs *a, size_t e) {
  const int rank = a->gradient.rank;
  MbPack F[9], E[9];
  gather(&a->gradient, rank, a->x, e, F);
  if (rank == 1) {
    a->before[e] = mb_vec3_norm(F);
    return;
  }
  mb_viscous_strain_at(&a->elastic, rank, F, E);
  for (int c = 0; c < rank * rank; c++) a->before[(size_t)(rank * rank) * e + (size_t)c] = E[c];
}

// In a tetrahedron's energy's place: whether it is inside out.
MB_BODY void mb_element_turned(const MbElementArgs *a, size_t e) {
  MbPack F[9];
  gather(&a->gradient, 3, a->x, e, F);
  a->energy[e] = mb_mat3_det(F) > 0 ? 0 : 1;
}

// −w V Gᵀ G x, and |G x|² in the energy's place (pd_start.c).
MB_BODY void mb_element_pull(const MbElementArgs *a, size_t e) {
  const int rank = a->gradient.rank;
  const MbElastic *m = &a->elastic;
  MbPack G[9];
  double square = 0;
  const double w = a->weight[e] + (rank > 1 ? a->damper * (2 * m->mu + rank * m->lambda) : 0);
  gather(&a->gradient, rank, a->x, e, G);
  for (int c = 0; c < 3 * rank; c++) square += G[c] * G[c];
  a->energy[e] = square;
  for (int c = 0; c < 3 * rank; c++) G[c] *= -w * a->thickness * a->gradient.size[e];
  hand_out(&a->gradient, rank, G, e, a->corner);
}

// ---- one node of the part -----------------------------------------------------------------------------------

MB_BODY void mb_node_collect(const MbElementArgs *a, size_t i) {
  double sum[3] = {0, 0, 0};
  for (uint32_t k = a->first[i]; k < a->first[i + 1]; k++) {
    const double *const at = a->corner + a->place[k];
    sum[0] += at[0], sum[1] += at[8], sum[2] += at[16];
  }
  mb_vec3_add(a->f + 3 * i, a->f + 3 * i, sum);
}

#endif
