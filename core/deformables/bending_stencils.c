#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"

#include <string.h>

void mb_stencil_add(MbStencils *stencils, uint32_t node, const double c[3]) {
  size_t room = stencils->room;
  if (stencils->failed || !mb_grow(&stencils->node, &room, stencils->entries + 1, sizeof *stencils->node) ||
      !mb_grow(&stencils->c, &stencils->room, stencils->entries + 1, sizeof *stencils->c)) {
    stencils->failed = true;
    return;
  }
  memcpy(stencils->c[stencils->entries], c, sizeof *stencils->c);
  stencils->node[stencils->entries++] = node;
}

void mb_stencil_end(MbStencils *stencils) {
  if (stencils->failed ||
      !mb_grow(&stencils->first, &stencils->room_first, stencils->count + 2, sizeof *stencils->first)) {
    stencils->failed = true;
    return;
  }
  if (stencils->count == 0) stencils->first[0] = 0;
  stencils->first[++stencils->count] = stencils->entries;
}

void mb_stencils_free(MbStencils *stencils) {
  mb_free(stencils->first), mb_free(stencils->node), mb_free(stencils->c);
  *stencils = (MbStencils){0};
}
