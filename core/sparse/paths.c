// Ways up the tree of supernodes: see paths.h.
#include "core/sparse/paths.h"
#include "core/base/alloc.h"

bool mb_paths_make(MbPaths *p, const MbCholesky *c) {
  *p = (MbPaths){.tree = c,
                 .place = mb_calloc(c->n, sizeof *p->place),
                 .node = mb_calloc(c->n, sizeof *p->node),
                 .path = mb_calloc(c->count, sizeof *p->path),
                 .on = mb_calloc(c->count, sizeof *p->on)};
  if (!p->place || !p->node || !p->path || !p->on) return false;
  for (uint32_t k = 0; k < c->n; k++) p->place[c->perm[k]] = k;
  for (uint32_t s = 0; s < c->count; s++)
    for (uint32_t k = 0; k < c->node[s].columns; k++) p->node[c->node[s].first + k] = s;
  return true;
}

void mb_paths_free(MbPaths *p) {
  mb_free(p->place);
  mb_free(p->node);
  mb_free(p->path);
  mb_free(p->on);
}

size_t mb_paths_bytes(const MbPaths *p) {
  return 2 * p->tree->n * sizeof *p->place + p->tree->count * (sizeof *p->path + sizeof *p->on);
}

size_t mb_paths_find(MbPaths *p, const uint32_t *place, size_t n) {
  const MbCholesky *c = p->tree;
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    for (uint32_t s = p->node[place[k]]; s != MB_NONE && !p->on[s]; s = c->node[s].parent)
      p->on[s] = 1, p->path[count++] = s;
  for (size_t k = 0; k < count; k++) p->on[p->path[k]] = 0;
  // each of the n ways up rises: they are merged
  for (size_t k = 1; k < count; k++) {
    const uint32_t s = p->path[k];
    size_t at = k;
    for (; at > 0 && p->path[at - 1] > s; at--) p->path[at] = p->path[at - 1];
    p->path[at] = s;
  }
  return count;
}
