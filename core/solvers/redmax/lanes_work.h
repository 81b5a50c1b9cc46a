// The scratch of the passes, for as many instances as MB_LANES says.
#ifndef MB_SOLVERS_REDMAX_LANES_WORK_H
#define MB_SOLVERS_REDMAX_LANES_WORK_H

#include "core/base/alloc.h"
#include "core/solvers/redmax/lanes.h"
#include "core/solvers/redmax/recursion.h"

struct MbRecursion {
  const MbLinks *links;
  Stand *stand;     // (nb)
  Rigid *rigid;     // (nb)
  Frame *frame;     // (slots)
  Articulated *sum; // (slots)
  Screw *rate;      // (slots) accelerations' deviations from gamma
  Screw *T, *U;     // (ncolumns) motion for a unit velocity; Î T, columns of L⁻¹ applied
  Real *G, *u;      // (nsquares) L D Lᵀ = Tᵀ Î T, row major, D on the diagonal; (ncolumns)
  char *memory;     // that all of it is in
  size_t bytes;
};

// Places for arrays in one block: first to be counted, then to be given.
static inline void *place(char *memory, size_t *used, size_t count, size_t size) {
  char *const at = memory ? memory + *used : NULL;
  *used += (count * size + 127) / 128 * 128;
  return at;
}

static inline size_t lay_out(MbRecursion *work, char *memory) {
  const MbLinks *links = work->links;
  size_t used = 0;
  work->stand = place(memory, &used, links->nb, sizeof *work->stand);
  work->rigid = place(memory, &used, links->nb, sizeof *work->rigid);
  work->frame = place(memory, &used, links->slots, sizeof *work->frame);
  work->sum = place(memory, &used, links->slots, sizeof *work->sum);
  work->rate = place(memory, &used, links->slots, sizeof *work->rate);
  work->T = place(memory, &used, links->ncolumns, sizeof *work->T);
  work->U = place(memory, &used, links->ncolumns, sizeof *work->U);
  work->G = place(memory, &used, links->nsquares, sizeof *work->G);
  work->u = place(memory, &used, links->ncolumns, sizeof *work->u);
  return used;
}

static inline void recursion_free(MbRecursion *work) {
  if (!work) return;
  mb_free(work->memory);
  mb_free(work);
}

static inline MbRecursion *recursion_create(const MbLinks *links) {
  MbRecursion *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  work->links = links;
  work->bytes = lay_out(work, NULL) + 128;
  work->memory = mb_calloc(work->bytes, 1);
  if (!work->memory) {
    recursion_free(work);
    return NULL;
  }
  lay_out(work, work->memory + (128 - (uintptr_t)work->memory % 128));
  // the world: at rest, and accelerated upwards
  const Real none = {0};
  double g[3];
  mb_vec3_scale(g, -1, links->model->gravity);
  work->frame[0] = (Frame){.q.w = none + 1.0, .R.x.x = none + 1.0, .R.y.y = none + 1.0, .R.z.z = none + 1.0};
  work->frame[0].gamma.line = vec(g);
  return work;
}

static inline size_t recursion_bytes(const MbRecursion *work) { return sizeof *work + work->bytes; }

#endif
