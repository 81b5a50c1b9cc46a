// A mesh and a plane; a mesh and what is convex (convex_mesh.h).
#include "core/collision/convex_mesh.h"

// Whether a vertex has nothing beside it that reaches farther down; m leads up, in the mesh's axes.
static bool is_lowest(const MbSkin *surface, uint32_t v, const double m[3]) {
  const double down[3] = {-m[0], -m[1], -m[2]};
  const uint32_t t = surface->star[surface->first[v]];
  uint32_t i = 0;
  while (surface->corner[3 * (size_t)t + i] != v) i++;
  return mb_skin_leads_of(surface, (MbSkinPart){t, 1u << i}, down, MB_SKIN_LEANING);
}

// Adds the points of `from` that are not in `to`.
static void add_others(MbPatch *to, const MbPatch *from) {
  for (int i = 0; i < from->n; i++) {
    bool there = false;
    for (int k = 0; k < to->n; k++) there |= to->point[k].feature_b == from->point[i].feature_b;
    if (!there) to->point[to->n++] = from->point[i];
  }
}

// Four vertices stand for all. Where they are not all among the lowest, as of a ring that wobbles, of which they are the lowest one and others far from
// that, those as low as it on both its sides may be the next to touch: four of these stand for them.
static void choose(MbPatch *patch, MbPatch *lowest, const MbSkin *surface, const double m[3]) {
  const bool more = patch->n > MB_PATCH_POINTS;
  mb_patch_reduce(patch);
  bool all = true;
  for (int i = 0; i < patch->n; i++)
    all = all && is_lowest(surface, patch->point[i].feature_b & ~(15u << 28), m);
  patch->chosen = true;
  if (!more || all) return;
  mb_patch_reduce(lowest);
  add_others(patch, lowest);
}

void mb_plane_mesh(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  MbPatch lowest;
  MbContactPoint point[MB_PATCH_ROOM];
  mb_patch_start(&lowest, patch->within, point, MB_PATCH_ROOM);
  const MbSkin *surface = b->shape->surface;
  const double n[3] = {a->R[2], a->R[5], a->R[8]};
  double m[3], d[3], foot[3];
  uint32_t waiting[MB_SKIN_DEEP], depth = 1;
  mb_mat3_tapply(m, b->R, n);
  mb_vec3_sub(d, b->p, a->p);
  const double origin = mb_vec3_dot(d, n);
  waiting[0] = 0;
  while (depth) {
    const uint32_t i = waiting[--depth];
    const MbSkinNode *node = &surface->node[i];
    double low = origin;
    for (int k = 0; k < 3; k++) low += fmin(m[k] * node->low[k], m[k] * node->high[k]);
    if (!(low < patch->within)) continue;
    if (!node->count) {
      waiting[depth++] = node->first, waiting[depth++] = i + 1;
      continue;
    }
    for (uint32_t c = 0; c < 3 * node->count; c++) {
      const uint32_t t = surface->order[node->first + c / 3], v = surface->corner[3 * (size_t)t + c % 3];
      // each vertex once, with the first triangle that it is of
      if (surface->star[surface->first[v]] != t) continue;
      mb_placed_point(foot, b, surface->vertex + 3 * (size_t)v);
      mb_vec3_sub(d, foot, a->p);
      const double height = mb_vec3_dot(d, n);
      mb_vec3_add_scaled(foot, foot, -height, n);
      mb_patch_add(patch, foot, n, height, 0, MB_PART_CORNER | v);
      if (height < patch->within && is_lowest(surface, v, m))
        mb_patch_add(&lowest, foot, n, height, 0, MB_PART_CORNER | v);
    }
  }
  choose(patch, &lowest, surface, m);
}

void mb_convex_mesh(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  MbOutlineRoom outline[2];
  MbCutCorner cut[2][MB_CUTS_ROOM];
  MbContactPoint flat[MB_PATCH_ROOM], point[MB_PATCHES * MB_PATCH_ROOM];
  MbMeshRoom room;
  mb_outline_start(&room.own, outline[0].x, outline[0].corner, MB_OUTLINE_ROOM);
  mb_outline_start(&room.other, outline[1].x, outline[1].corner, MB_OUTLINE_ROOM);
  mb_cuts_start(&room.cuts, cut[0], cut[1], MB_CUTS_ROOM);
  mb_patch_start(&room.flat, patch->within, flat, MB_PATCH_ROOM);
  mb_patches_start_of(&room.patches, patch->within, point, MB_PATCH_ROOM);
  mb_convex_mesh_of(a, b, &room, patch);
}
