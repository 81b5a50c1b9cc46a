// Cloth that is curved at rest (core/deformables/bending_rest.h): a triangle a thread, which leaves the slopes at its corners and its normal;
// then a node a thread, which gathers of them what is its own, in the order of the triangles.
#ifndef MB_GPU_KERNELS_CURVED_KERNELS_H
#define MB_GPU_KERNELS_CURVED_KERNELS_H

#include "gpu/kernels/kernel_body.h"

#include "core/deformables/bending_pull.h"

typedef struct MbCurvedArgs {
  const double *x;        // (nodes x 3)
  const uint32_t *corner; // (count x 3)
  const uint32_t *first;  // (count + 1) into node and weight, of its stencil
  const uint32_t *node;
  const double *weight, *square;
  double *pull;          // (count x 4 x 3) slopes, normal
  double *energy;        // (count)
  const uint32_t *mine;  // (nodes + 1) into `which` and `share`, of a node
  const uint32_t *which; // which of all vectors in pull
  const double *share;   // and how much of it
  double *f;             // (nodes x 3)
} MbCurvedArgs;

MB_BODY void mb_curved_pull(const MbCurvedArgs *a, size_t t) {
  const double *p[3];
  double w[3] = {0, 0, 0}, d[3];
  MbBendingPull pull;
  for (size_t j = 0; j < 3; j++) p[j] = a->x + 3 * (size_t)a->corner[3 * t + j];
  for (uint32_t k = a->first[t]; k < a->first[t + 1]; k++) {
    mb_vec3_sub(d, a->x + 3 * (size_t)a->node[k], p[0]);
    mb_vec3_add_scaled(w, w, a->weight[k], d);
  }
  mb_bending_pull_of(p, w, &pull);
  for (size_t j = 0; j < 3; j++) mb_vec3_copy(a->pull + 12 * t + 3 * j, pull.slope[j]);
  mb_vec3_copy(a->pull + 12 * t + 9, pull.n);
  a->energy[t] = a->square[t] / 2 - pull.value;
}

MB_BODY void mb_curved_collect(const MbCurvedArgs *a, size_t i) {
  double *const f = a->f + 3 * i;
  for (uint32_t k = a->mine[i]; k < a->mine[i + 1]; k++)
    mb_vec3_add_scaled(f, f, a->share[k], a->pull + 3 * (size_t)a->which[k]);
}

#endif
