// Sorts points by their normals.
#include "core/collision/patches.h"

#include "core/math/vec3.h"

// Normals within 37 degrees of that of a patch's first point are of one patch: all that lead out of a cone's side are of eight.
static const double alike = 0.8;

void mb_patches_start(MbPatches *patches, double within) { patches->within = within, patches->n = 0; }

static bool is_there(const MbPatch *patch, const MbContactPoint *point) {
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

void mb_patches_add(MbPatches *patches, const double on_a[3], const double normal[3], double gap,
                    uint32_t feature_a, uint32_t feature_b) {
  if (!(gap < patches->within)) return;
  int best = 0;
  double most = -2;
  for (int i = 0; i < patches->n; i++) {
    const double same = mb_vec3_dot(patches->patch[i].point[0].normal, normal);
    if (same > most) most = same, best = i;
  }
  if (most < alike && patches->n < MB_PATCHES) {
    best = patches->n++;
    patches->patch[best].n = 0, patches->patch[best].within = patches->within;
  }
  MbPatch *patch = &patches->patch[best];
  MbContactPoint point = {.feature_a = feature_a, .feature_b = feature_b};
  mb_vec3_add_scaled(point.position, on_a, gap / 2, normal);
  mb_vec3_copy(point.normal, normal);
  if (!is_there(patch, &point)) mb_patch_add(patch, on_a, normal, gap, feature_a, feature_b);
}

void mb_patches_choose(MbPatches *patches, MbPatch *out) {
  out->n = 0, out->chosen = true;
  for (int i = 0; i < patches->n; i++) mb_patch_reduce(&patches->patch[i]);
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
