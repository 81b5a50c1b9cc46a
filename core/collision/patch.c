#include "core/collision/patch_points.h"

void mb_across(double t[3], const double n[3]) { mb_across_of(t, n); }

bool mb_in_line(const double p[3], const double x[3], const double q[3]) { return mb_in_line_of(p, x, q); }

void mb_patch_add(MbPatch *patch, const double on_a[3], const double normal[3], double gap,
                  uint32_t feature_a, uint32_t feature_b) {
  mb_patch_add_of(patch, on_a, normal, gap, feature_a, feature_b);
}

void mb_patch_reduce(MbPatch *patch) { mb_patch_reduce_of(patch); }
