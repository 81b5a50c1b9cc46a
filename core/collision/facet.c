#include "core/collision/facet.h"

#include "core/collision/facet_points.h"

static void meet_convex(const double *const corner[3], const MbPlaced *solid, MbPatch *patch) {
  MbOutlineRoom outline[2];
  MbCutCorner cut[2][MB_CUTS_ROOM];
  MbFacetRoom room = {.patch = *patch};
  mb_cuts_start(&room.cuts, cut[0], cut[1], MB_CUTS_ROOM);
  mb_outline_start(&room.own, outline[0].x, outline[0].corner, MB_OUTLINE_ROOM);
  mb_outline_start(&room.other, outline[1].x, outline[1].corner, MB_OUTLINE_ROOM);
  mb_facet_points(corner, solid, &room);
  *patch = room.patch;
}

static void meet_mesh(const double *const corner[3], const MbPlaced *solid, MbPatch *patch) {
  MbSkinHull triangle;
  if (mb_skin_hull_of(&triangle, corner)) mb_convex_mesh(&triangle.placed, solid, patch);
}

int mb_collide_facet(const double *const corner[3], const MbShape *shape, const MbPose *E, double within,
                     MbContactPoint out[MB_CONTACT_POINTS]) {
  const MbPlaced solid = mb_place(shape, E);
  MbPatch patch;
  MbContactPoint point[MB_PATCH_ROOM];
  if (shape->form == MB_FORM_PLANE) return 0;
  mb_patch_start(&patch, within, point, MB_PATCH_ROOM);
  (shape->form == MB_FORM_MESH ? meet_mesh : meet_convex)(corner, &solid, &patch);
  for (int i = 0; i < patch.n; i++) out[i] = patch.point[i];
  return patch.n;
}
