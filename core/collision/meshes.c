// What triangles of two meshes are asked, and where what they touch by is put.
#include "core/collision/meshes.h"

#include "core/math/mat3.h"

bool mb_three_leads(const MbThree *three, uint32_t corners, const double n[3], double slack) {
  double local[3];
  mb_mat3_tapply(local, three->mesh->R, n);
  return mb_skin_leads(three->surface, (MbSkinPart){three->t, corners}, local, slack);
}

double mb_meshes_distance(const MbPlaced *mesh, const double x[3]) {
  double local[3], n[3];
  MbSkinPart part;
  mb_placed_local(local, mesh, x);
  return mb_skin_distance(mesh->shape->surface, local, n, &part);
}

void mb_meshes_add(MbMeshes *meshes, const MbThree *from, const double x[3], const double n[3], double gap,
                   uint32_t feature_from, uint32_t feature_to) {
  if (from->mesh == meshes->a) {
    mb_patches_add(&meshes->patches, x, n, gap, feature_from, feature_to);
    return;
  }
  double on_a[3], back[3];
  mb_vec3_add_scaled(on_a, x, gap, n);
  mb_vec3_scale(back, -1, n);
  mb_patches_add(&meshes->patches, on_a, back, gap, feature_to, feature_from);
}
