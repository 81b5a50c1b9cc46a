// The scratch of the passes, for as many instances as MB_LANES says.
#ifndef MB_SOLVERS_REDMAX_LANES_WORK_H
#define MB_SOLVERS_REDMAX_LANES_WORK_H

#include "core/base/alloc.h"
#include "core/solvers/redmax/lanes.h"
#include "core/solvers/redmax/recursion.h"

struct MbRecursion {
  const MbLinks *links;        // the first instance's, for what all have in common
  const MbLinks *of[MB_LANES]; // each instance's
  const Link *link;            // (nb)
  const Turn *turn;            // (nturns)
  Stand *stand;                // (nb)
  Rigid *rigid;                // (nb)
  Frame *frame;                // (slots)
  Articulated *sum;            // (slots)
  Screw *rate;                 // (slots) accelerations' deviations from gamma
  Screw *T, *U;                // (ncolumns) motion for a unit velocity; Î T, columns of L⁻¹ applied
  Real *G, *u;                 // (nsquares) L D Lᵀ = Tᵀ Î T, row major, D on the diagonal; (ncolumns)
#if MB_LANES > 1
  Link *links_of_all; // `link` and `turn`, which are made of all instances'
  Turn *turns_of_all;
#endif
  char *memory; // that all of it is in
  size_t bytes;
};

// The mass of a body, where passes backwards have it in their cache.
MB_KERNEL Real mass_of(const MbRecursion *work, size_t b) {
#if MB_LANES == 1
  return work->links->hop[b].m;
#else
  return work->link[b].m;
#endif
}

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
#if MB_LANES > 1
  work->links_of_all = place(memory, &used, links->nb, sizeof *work->links_of_all);
  work->turns_of_all = place(memory, &used, links->nturns, sizeof *work->turns_of_all);
#endif
  return used;
}

static inline void recursion_free(MbRecursion *work) {
  if (!work) return;
  mb_free(work->memory);
  mb_free(work);
}

#if MB_LANES > 1
static inline void gather_constants(Real *to, size_t n, const double *from, size_t lane) {
  for (size_t i = 0; i < n; i++) memcpy((char *)&to[i] + lane * sizeof *from, &from[i], sizeof *from);
}

static inline void gather_links(MbRecursion *work) {
  const MbLinks *links = work->links;
  for (size_t k = 0; k < MB_LANES; k++) {
    for (size_t b = 0; b < links->nb; b++) {
      const MbLink *from = &work->of[k]->link[b];
      Link *to = &work->links_of_all[b];
      gather_constants(to->e, 3, from->e, k);
      gather_constants(to->c, 3, from->c, k);
      gather_constants(&to->m, 1, &from->m, k);
      gather_constants(to->I, 3, from->I, k);
      to->along = links->link[b].along, to->turn = links->link[b].turn;
    }
    for (size_t i = 0; i < links->nturns; i++) {
      const MbTurn *from = &work->of[k]->turn[i];
      Turn *to = &work->turns_of_all[i];
      gather_constants(to->k, 4, from->k, k);
      gather_constants(to->k2, 4, from->k2, k);
      gather_constants(to->a, 3, from->a, k);
    }
  }
  work->link = work->links_of_all, work->turn = work->turns_of_all;
}
#endif

static inline void recursion_load(MbRecursion *work, const MbLinks *const *links) {
  for (size_t k = 0; k < MB_LANES; k++) work->of[k] = links[k];
  work->links = links[0];
#if MB_LANES == 1
  work->link = links[0]->link, work->turn = links[0]->turn;
#else
  gather_links(work);
#endif
  // the world: at rest, and accelerated upwards
  const Real none = {0};
  work->frame[0] = (Frame){.q.w = none + 1.0, .R.x.x = none + 1.0, .R.y.y = none + 1.0, .R.z.z = none + 1.0};
  for (size_t k = 0; k < MB_LANES; k++) {
    double g[3];
    mb_vec3_scale(g, -1, links[k]->model->gravity);
    memcpy((char *)&work->frame[0].gamma.line.x + k * sizeof *g, &g[0], sizeof *g);
    memcpy((char *)&work->frame[0].gamma.line.y + k * sizeof *g, &g[1], sizeof *g);
    memcpy((char *)&work->frame[0].gamma.line.z + k * sizeof *g, &g[2], sizeof *g);
  }
}

static inline MbRecursion *recursion_create(const MbLinks *const *links) {
  MbRecursion *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  work->links = links[0];
  work->bytes = lay_out(work, NULL) + 128;
  work->memory = mb_calloc(work->bytes, 1);
  if (!work->memory) {
    recursion_free(work);
    return NULL;
  }
  lay_out(work, work->memory + (128 - (uintptr_t)work->memory % 128));
  recursion_load(work, links);
  return work;
}

static inline size_t recursion_bytes(const MbRecursion *work) { return sizeof *work + work->bytes; }

#endif
