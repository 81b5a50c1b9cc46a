// Two meshes: the vertices of each over the triangles of the other, edges across edges, and what is nearest of triangles that are apart.
//
// A vertex over a triangle is a contact along the triangle's normal where the other surface does not reach farther down beside it. Below a
// triangle of a closed mesh it is so where no other part of that mesh is nearer, from where it has to go out, or where it can not go out there
// (meshes_inner.c). Edges are in meshes_sides.c.
#include "core/collision/broad.h"
#include "core/collision/convex.h"
#include "core/collision/meshes.h"
#include "core/collision/skin_hull.h"

#include "core/math/mat3.h"

static MbThree three_of(const MbPlaced *mesh, uint32_t t) {
  MbThree three = {.mesh = mesh, .surface = mesh->shape->surface, .t = t};
  for (size_t i = 0; i < 3; i++)
    mb_placed_point(three.x[i], mesh,
                    three.surface->vertex + 3 * (size_t)three.surface->corner[3 * (size_t)t + i]);
  mb_mat3_apply(three.normal, mesh->R, three.surface->normal + 3 * (size_t)t);
  return three;
}

// x over the triangle, seen along its normal, or beside it by rounding.
static bool is_over(const MbThree *three, const double x[3], double rounding) {
  double e[3], d[3], c[3];
  for (int i = 0; i < 3; i++) {
    mb_vec3_sub(e, three->x[(i + 1) % 3], three->x[i]);
    mb_vec3_sub(d, x, three->x[i]);
    mb_vec3_cross(c, e, d);
    if (mb_vec3_dot(c, three->normal) < -rounding * mb_vec3_norm(e)) return false;
  }
  return true;
}

// n ← the normal of a triangle; of an open surface that on the side where the other triangle's middle is.
static void find_up(const MbThree *face, const MbThree *other, double n[3]) {
  double middle = 0, e[3];
  mb_vec3_copy(n, face->normal);
  if (face->surface->closed) return;
  for (int k = 0; k < 3; k++) {
    mb_vec3_sub(e, other->x[k], face->x[0]);
    middle += mb_vec3_dot(e, n);
  }
  if (middle < 0) mb_vec3_scale(n, -1, n);
}

// Keeps a vertex x of the other mesh that is inside of this one, below the triangle by −gap.
static void keep_vertex(MbMeshes *meshes, const MbThree *face, uint32_t feature, const double x[3],
                        const double n[3], double gap) {
  const bool on_a = face->mesh == meshes->a;
  const uint32_t own = MB_PART_FACE | face->t;
  MbMeshesInner inner = {.gap = gap,
                         .vertex_of = on_a ? meshes->b : meshes->a,
                         .inside = true,
                         .part_a = on_a ? own : feature,
                         .part_b = on_a ? feature : own};
  mb_vec3_copy(on_a ? inner.y : inner.x, x);
  mb_vec3_add_scaled(on_a ? inner.x : inner.y, x, -gap, n);
  mb_vec3_scale(inner.n, on_a ? 1 : -1, n);
  mb_meshes_keep(meshes, &inner);
}

// Corner i of one over the triangle of the other.
static void vertex_over(MbMeshes *meshes, const MbThree *face, const MbThree *other, int i) {
  double d[3], n[3], down[3], foot[3];
  const double *x = other->x[i];
  find_up(face, other, n);
  mb_vec3_sub(d, x, face->x[0]);
  const double height = mb_vec3_dot(d, n);
  if (!(height < meshes->patches.within) || !is_over(face, x, meshes->rounding)) return;
  mb_vec3_scale(down, -1, n);
  if (!mb_three_leads(other, 1u << i, down, MB_SKIN_LEANING)) return;
  const uint32_t feature = MB_PART_CORNER | other->surface->corner[3 * (size_t)other->t + (size_t)i];
  if (height < 0 && face->surface->closed) {
    const double distance = mb_meshes_distance(face->mesh, x);
    if (!(distance <= height * (1 - 1e-9) + meshes->rounding)) {
      if (distance < -meshes->rounding) keep_vertex(meshes, face, feature, x, n, height);
      return;
    }
  }
  mb_vec3_add_scaled(foot, x, -height, n);
  meshes->depth = fmax(meshes->depth, -height);
  mb_meshes_add(meshes, face, foot, n, height, MB_PART_FACE | face->t, feature);
}

// Keeps the deepest of the triangles that are through one another, and how the two come apart, for where nothing else tells; gaps are about
// `origin`. Faces that lie flush are through one another by rounding alone, which tells nothing of the way out: it may lead farther in.
static void keep_through(MbMeshes *meshes, const MbThree *a, const MbThree *b, const MbConvexGap *gap,
                         const double origin[3]) {
  MbMeshesInner *through = &meshes->through;
  if (!(gap->gap < through->gap) || gap->gap > -meshes->rounding) return;
  *through = (MbMeshesInner){.gap = gap->gap, .part_a = MB_PART_FACE | a->t, .part_b = MB_PART_FACE | b->t};
  mb_vec3_copy(through->n, gap->n);
  mb_vec3_add(through->x, gap->x, origin);
}

// What is nearest of two triangles that are apart, but from the face of one. Returns whether they are through one another.
static bool nearest(MbMeshes *meshes, const MbThree *a, const MbThree *b) {
  MbSkinHull one, two;
  MbConvexPair pair;
  MbConvexGap gap;
  double back[3], x[3];
  mb_skin_hull(&one, a->mesh, a->t);
  mb_skin_hull(&two, b->mesh, b->t);
  mb_convex_pair(&pair, &one.placed, &two.placed);
  if (!mb_convex_gap(&pair, meshes->patches.within, &gap)) return false;
  if (!(gap.gap > 0)) {
    keep_through(meshes, a, b, &gap, one.placed.p);
    return true;
  }
  uint32_t own = 0, its = 0;
  for (int i = 0; i < gap.corners.n; i++)
    own |= 1u << gap.corners.corner[i].a, its |= 1u << gap.corners.corner[i].b;
  mb_vec3_scale(back, -1, gap.n);
  if (own == 7 || its == 7 || !mb_three_leads(a, own, gap.n, 1e-10) || !mb_three_leads(b, its, back, 1e-10))
    return false;
  mb_vec3_add(x, gap.x, one.placed.p);
  mb_meshes_add(meshes, a, x, gap.n, gap.gap, mb_skin_part(a->surface, (MbSkinPart){a->t, own}),
                mb_skin_part(b->surface, (MbSkinPart){b->t, its}));
  return false;
}

// Whether all corners of `other` are beyond those of `own` by `within` and more, along a direction of any length.
static bool beyond(const MbThree *own, const MbThree *other, const double n[3], double within) {
  const double reach = within * mb_vec3_norm(n);
  double most = mb_vec3_dot(own->x[0], n);
  for (int i = 1; i < 3; i++) {
    const double next = mb_vec3_dot(own->x[i], n);
    most = next > most ? next : most;
  }
  for (int i = 0; i < 3; i++)
    if (!(mb_vec3_dot(other->x[i], n) - most > reach)) return false;
  return true;
}

// Whether a plane along one of the sides of `own`, square to it, has all of `other` beyond it.
static bool beside(const MbThree *own, const MbThree *other, double within) {
  for (int i = 0; i < 3; i++) {
    double e[3], out[3];
    mb_vec3_sub(e, own->x[(i + 1) % 3], own->x[i]);
    mb_vec3_cross(out, e, own->normal);
    if (beyond(own, other, out, within)) return true;
  }
  return false;
}

// Whether it is easily seen that no points of the two are nearer than `within`.
static bool are_apart(const MbThree *a, const MbThree *b, double within) {
  double back[3];
  for (int way = 0; way < 2; way++) {
    const MbThree *own = way ? b : a, *other = way ? a : b;
    mb_vec3_scale(back, -1, own->normal);
    if (beyond(own, other, own->normal, within) || beyond(own, other, back, within)) return true;
  }
  return beside(a, b, within) || beside(b, a, within);
}

// Where they are apart only corners that are inside of the other mesh may touch: those below its triangle.
static void meet(MbMeshes *meshes, const MbThree *a, const MbThree *b) {
  for (int i = 0; i < 3; i++) vertex_over(meshes, a, b, i), vertex_over(meshes, b, a, i);
  if (are_apart(a, b, fmax(meshes->patches.within, 0))) return;
  const bool through = nearest(meshes, a, b);
  mb_meshes_sides(meshes, a, b, through);
}

// All triangles of both whose boxes, in a's axes, are nearer than `within`.
static void meet_all(MbMeshes *meshes) {
  const MbSkin *own = meshes->a->shape->surface, *its = meshes->b->shape->surface;
  const double reach = fmax(meshes->patches.within, 0);
  double R[9], p[3], low[3], high[3], x[3];
  MbBounds box;
  // a's box in b's axes
  mb_mat3_tmul(R, meshes->b->R, meshes->a->R);
  mb_placed_local(p, meshes->b, meshes->a->p);
  mb_shape_bounds_at(meshes->a->shape, p, R, &box);
  for (int k = 0; k < 3; k++) box.low[k] -= reach, box.high[k] += reach;
  MbSkinLook all, near;
  mb_skin_look(&all, its, box.low, box.high);
  for (uint32_t t; (t = mb_skin_next(&all)) != MB_SKIN_NONE;) {
    const MbThree b = three_of(meshes->b, t);
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < 3; i++) {
      mb_placed_local(x, meshes->a, b.x[i]);
      for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k] - reach), high[k] = fmax(high[k], x[k] + reach);
    }
    mb_skin_look(&near, own, low, high);
    for (uint32_t s; (s = mb_skin_next(&near)) != MB_SKIN_NONE;) {
      const MbThree a = three_of(meshes->a, s);
      meet(meshes, &a, &b);
    }
  }
}

void mb_meshes(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  MbMeshes meshes;
  meshes.a = a, meshes.b = b, meshes.rounding = mb_meshes_rounding(a, b), meshes.depth = 0, meshes.inners = 0,
  meshes.through.gap = 0;
  MbContactPoint point[MB_PATCHES * MB_PATCH_ROOM];
  mb_patches_start(&meshes.patches, patch->within, point, MB_PATCH_ROOM);
  meet_all(&meshes);
  mb_meshes_inners(&meshes);
  mb_patches_choose(&meshes.patches, patch);
}
