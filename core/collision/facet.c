#include "core/collision/facet.h"

#include "core/collision/convex.h"
#include "core/collision/outline.h"
#include "core/collision/skin_hull.h"
#include "core/math/mat3.h"

// n ← from the triangle's middle to where the solid's surface is nearest, which is all but the gap's direction where the solid is large.
static void from_middle(const MbSkinHull *triangle, const MbPlaced *solid, double n[3]) {
  double middle[3], local[3];
  uint32_t feature;
  mb_convex_middle(&triangle->placed, middle);
  mb_vec3_add(middle, middle, triangle->placed.p);
  mb_placed_local(local, solid, middle);
  mb_shape_distance(solid->shape, local, n, &feature);
  mb_mat3_apply(n, solid->R, n);
  mb_vec3_scale(n, -1, n);
}

// What of a face, an edge or a corner of the shape lies flat on the triangle, or the other way round; else the one point that the gap is at.
static void meet_convex(const MbSkinHull *triangle, const MbPlaced *solid, MbPatch *patch) {
  MbConvexPair pair;
  MbConvexGap gap;
  MbOutline own, other;
  double back[3], x[3];
  mb_convex_pair(&pair, &triangle->placed, solid);
  from_middle(triangle, solid, gap.n);
  if (!mb_convex_gap_near(&pair, patch->within, &gap)) return;
  mb_vec3_scale(back, -1, gap.n);
  mb_outline(&own, &triangle->placed, gap.n);
  mb_outline(&other, solid, back);
  if (own.n + other.n >= 5) mb_outlines_shared(&own, &other, gap.n, gap.gap, patch);
  bool there = false;
  for (int i = 0; i < patch->n; i++) there |= patch->point[i].gap <= gap.gap + 1e-8 * pair.size;
  if (there || !(gap.gap < patch->within)) return;
  mb_vec3_add(x, gap.x, triangle->placed.p);
  mb_patch_add(patch, x, gap.n, gap.gap, 0, MB_PART_FACE);
}

int mb_collide_facet(const double *const corner[3], const MbShape *shape, const MbPose *E, double within,
                     MbContactPoint out[MB_CONTACT_POINTS]) {
  MbSkinHull triangle;
  MbPlaced solid = {.shape = shape};
  MbPatch patch;
  patch.within = within, patch.n = 0, patch.chosen = false;
  if (shape->form == MB_FORM_PLANE || !mb_skin_hull_of(&triangle, corner)) return 0;
  mb_vec3_copy(solid.p, E->p);
  mb_quat_to_mat3(solid.R, E->q);
  if (shape->form == MB_FORM_MESH)
    mb_convex_mesh(&triangle.placed, &solid, &patch);
  else
    meet_convex(&triangle, &solid, &patch);
  if (!patch.chosen) mb_patch_reduce(&patch);
  for (int i = 0; i < patch.n; i++) out[i] = patch.point[i];
  return patch.n;
}
