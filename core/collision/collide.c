// The table of pairs, and what is the same for all of them.
#include "core/collision/collide.h"

#include "core/collision/patch.h"
#include "core/math/mat3.h"

// The upper triangle: a's form is not behind b's.
static MbPairFind *const pairs[MB_FORMS][MB_FORMS] = {
    [MB_FORM_PLANE] = {[MB_FORM_SPHERE] = mb_plane_sphere,
                       [MB_FORM_CAPSULE] = mb_plane_capsule,
                       [MB_FORM_CYLINDER] = mb_plane_cylinder,
                       [MB_FORM_ELLIPSOID] = mb_plane_ellipsoid,
                       [MB_FORM_BOX] = mb_plane_polytope,
                       [MB_FORM_HULL] = mb_plane_polytope,
                       [MB_FORM_MESH] = mb_plane_mesh},
    [MB_FORM_SPHERE] = {[MB_FORM_SPHERE] = mb_sphere_sphere,
                        [MB_FORM_CAPSULE] = mb_sphere_any,
                        [MB_FORM_CYLINDER] = mb_sphere_any,
                        [MB_FORM_ELLIPSOID] = mb_sphere_any,
                        [MB_FORM_BOX] = mb_sphere_any,
                        [MB_FORM_HULL] = mb_sphere_any,
                        [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_CAPSULE] = {[MB_FORM_CAPSULE] = mb_capsule_capsule,
                         [MB_FORM_CYLINDER] = mb_convexes,
                         [MB_FORM_ELLIPSOID] = mb_convexes,
                         [MB_FORM_BOX] = mb_capsule_polytope,
                         [MB_FORM_HULL] = mb_capsule_polytope,
                         [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_CYLINDER] = {[MB_FORM_CYLINDER] = mb_convexes,
                          [MB_FORM_ELLIPSOID] = mb_convexes,
                          [MB_FORM_BOX] = mb_convexes,
                          [MB_FORM_HULL] = mb_convexes,
                          [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_ELLIPSOID] = {[MB_FORM_ELLIPSOID] = mb_convexes,
                           [MB_FORM_BOX] = mb_convexes,
                           [MB_FORM_HULL] = mb_convexes,
                           [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_BOX] =
        {[MB_FORM_BOX] = mb_polytopes, [MB_FORM_HULL] = mb_polytopes, [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_HULL] = {[MB_FORM_HULL] = mb_polytopes, [MB_FORM_MESH] = mb_convex_mesh},
    [MB_FORM_MESH] = {[MB_FORM_MESH] = mb_meshes},
};

bool mb_collides(MbForm a, MbForm b) { return (a < b ? pairs[a][b] : pairs[b][a]) != NULL; }

MbPlaced mb_place(const MbShape *shape, const MbPose *E) {
  MbPlaced placed = {.shape = shape};
  mb_vec3_copy(placed.p, E->p);
  mb_quat_to_mat3(placed.R, E->q);
  return placed;
}

static void turn_round(MbContactPoint *point) {
  mb_vec3_scale(point->normal, -1, point->normal);
  const uint32_t feature = point->feature_a;
  point->feature_a = point->feature_b, point->feature_b = feature;
}

int mb_collide_placed(const MbPlaced *a, const MbPlaced *b, double within,
                      MbContactPoint out[MB_CONTACT_POINTS]) {
  const bool turned = a->shape->form > b->shape->form;
  const MbPlaced *first = turned ? b : a, *second = turned ? a : b;
  MbPairFind *find = pairs[first->shape->form][second->shape->form];
  if (!find) return 0;

  MbPatch patch;
  MbContactPoint point[MB_PATCH_ROOM];
  mb_patch_start(&patch, within, point, MB_PATCH_ROOM);
  find(first, second, &patch);
  if (patch.n > 1 && !patch.chosen) mb_patch_reduce(&patch);
  for (int i = 0; i < patch.n; i++) {
    out[i] = patch.point[i];
    if (turned) turn_round(&out[i]);
  }
  return patch.n;
}

int mb_collide(const MbShape *a, const MbPose *Ea, const MbShape *b, const MbPose *Eb, double within,
               MbContactPoint out[MB_CONTACT_POINTS]) {
  const MbPlaced first = mb_place(a, Ea), second = mb_place(b, Eb);
  return mb_collide_placed(&first, &second, within, out);
}
