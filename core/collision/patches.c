#include "core/collision/patches_sorted.h"

void mb_patches_start(MbPatches *patches, double within, MbContactPoint *point, int room) {
  mb_patches_start_of(patches, within, point, room);
}

void mb_patches_add(MbPatches *patches, const double on_a[3], const double normal[3], double gap,
                    uint32_t feature_a, uint32_t feature_b) {
  mb_patches_add_of(patches, on_a, normal, gap, feature_a, feature_b);
}

void mb_patches_choose(MbPatches *patches, MbPatch *out) { mb_patches_choose_of(patches, out); }
