// Points of a mesh's contact sorted by their normals, for processors and devices alike (patches.h has it as functions).
#ifndef MB_COLLISION_PATCHES_SORTED_H
#define MB_COLLISION_PATCHES_SORTED_H

#include "core/collision/patches.h"
#include "core/collision/patch_points.h"

// Normals within 37 degrees of that of a patch's first point are of one patch: all that lead out of a cone's side are of eight.
#define MB_PATCHES_ALIKE 0.8

MB_INLINE void mb_patches_start_of(MbPatches *patches, double within, MbContactPoint *point, int room) {
  patches->within = within, patches->n = 0, patches->room = room, patches->point = point;
}

MB_INLINE bool mb_patches_have(const MbPatch *patch, const MbContactPoint *point) {
  double d[3];
  for (int i = 0; i < patch->n; i++) {
    const MbContactPoint *other = &patch->point[i];
    if (other->feature_a == point->feature_a && other->feature_b == point->feature_b) return true;
    // one place, of two triangles that meet there
    mb_vec3_sub(d, other->position, point->position);
    if (mb_vec3_norm(d) <= 1e-12 * (1 + mb_vec3_norm(point->position)) &&
        mb_vec3_dot(other->normal, point->normal) > 1 - 1e-12)
      return true;
  }
  return false;
}

MB_COLLIDE_ASIDE void mb_patches_add_of(MbPatches *patches, const double on_a[3], const double normal[3],
                                        double gap, uint32_t feature_a, uint32_t feature_b) {
  if (!(gap < patches->within)) return;
  int best = 0;
  double most = -2;
  for (int i = 0; i < patches->n; i++) {
    const double same = mb_vec3_dot(patches->patch[i].point[0].normal, normal);
    if (same > most) most = same, best = i;
  }
  if (most < MB_PATCHES_ALIKE && patches->n < MB_PATCHES) {
    best = patches->n++;
    mb_patch_start(&patches->patch[best], patches->within, patches->point + best * patches->room,
                   patches->room);
  }
  MbPatch *patch = &patches->patch[best];
  MbContactPoint point;
  point.feature_a = feature_a, point.feature_b = feature_b, point.gap = gap;
  mb_vec3_add_scaled(point.position, on_a, gap / 2, normal);
  mb_vec3_copy(point.normal, normal);
  if (!mb_patches_have(patch, &point)) mb_patch_add_of(patch, on_a, normal, gap, feature_a, feature_b);
}

MB_COLLIDE_ASIDE void mb_patches_choose_of(MbPatches *patches, MbPatch *out) {
  out->n = 0, out->chosen = true;
  for (int i = 0; i < patches->n; i++) mb_patch_reduce_of(&patches->patch[i]);
  // patches by their deepest points
  int order[MB_PATCHES];
  for (int i = 0; i < patches->n; i++) {
    int k = i;
    for (; k > 0 && patches->patch[i].point[0].gap < patches->patch[order[k - 1]].point[0].gap; k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  for (int rank = 0; rank < MB_PATCH_POINTS; rank++)
    for (int i = 0; i < patches->n; i++) {
      const MbPatch *patch = &patches->patch[order[i]];
      if (rank < patch->n && out->n < MB_CONTACT_POINTS) out->point[out->n++] = patch->point[rank];
    }
}

#endif
