// What triangles of two meshes are asked, and where what they touch by is put.
#include "core/collision/meshes.h"

#include "core/math/mat3.h"

#include <float.h>

// How far a mesh reaches from where it is placed, along the axis of its own along which that is most.
static double reach_of(const MbPlaced *mesh) {
  const MbSkinNode *all = &mesh->shape->surface->node[0];
  double most = 0;
  for (int k = 0; k < 3; k++) most = fmax(most, fmax(-all->low[k], all->high[k]));
  return most;
}

// The longest side of a mesh's box in its own axes.
static double size_of(const MbPlaced *mesh) {
  const MbSkinNode *all = &mesh->shape->surface->node[0];
  double most = 0;
  for (int k = 0; k < 3; k++) most = fmax(most, all->high[k] - all->low[k]);
  return most;
}

double mb_meshes_rounding(const MbPlaced *a, const MbPlaced *b) {
  static const double OF_SIZE = 1e-12, OF_PLACES = 8 * DBL_EPSILON;
  const double places = mb_vec3_norm(a->p) + mb_vec3_norm(b->p) + reach_of(a) + reach_of(b);
  return fmax(OF_SIZE * fmin(size_of(a), size_of(b)), OF_PLACES * places);
}

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
