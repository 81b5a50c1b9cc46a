#include "core/collision/outline_shared.h"

void mb_outline(MbOutline *outline, MbOutlineRoom *room, const MbPlaced *a, const double n[3]) {
  mb_outline_start(outline, room->x, room->corner, MB_OUTLINE_ROOM);
  mb_outline_of(outline, a, n);
}

double mb_outlines_shared(const MbOutline *a, const MbOutline *b, const double n[3], double gap,
                          MbPatch *patch) {
  MbCutCorner corner[2][MB_CUTS_ROOM];
  MbCuts cuts;
  mb_cuts_start(&cuts, corner[0], corner[1], MB_CUTS_ROOM);
  return mb_outlines_shared_of(a, b, n, gap, &cuts, patch);
}
