// What is inside of the other one of two meshes that have come into one another: sides in sides, and vertices that are nearer to another
// part of the mesh than to the triangle they are below. Only the least of them matter. They count where they are no deeper than a vertex below
// its nearest triangle is, or where all that is less deep has been parted and they still are in one another: concave things are in one another at
// several places. What leads from one point to the other has to be inside of both, or it is as deep as something else is long.
#include "core/collision/meshes.h"

#include "core/math/vec3.h"

void mb_meshes_keep(MbMeshes *meshes, const MbMeshesInner *inner) {
  int at = meshes->inners;
  if (at < MB_MESHES_INNER)
    meshes->inners++;
  else
    for (int i = at = 0; i < MB_MESHES_INNER; i++)
      if (meshes->inner[i].gap < meshes->inner[at].gap) at = i;
  if (at == meshes->inners - 1 || inner->gap > meshes->inner[at].gap) meshes->inner[at] = *inner;
}

// Whether two points, of a and of b, are each inside of the other mesh by more than `least`, which is below 0.
static bool are_inside(const MbMeshes *meshes, const double of_a[3], const double of_b[3], double least) {
  return mb_meshes_distance(meshes->b, of_a) < least && mb_meshes_distance(meshes->a, of_b) < least;
}

// Whether a point of a side's line, at s of it, is of its mesh: between the ends, or inside.
static bool is_of(const MbPlaced *mesh, const double side[3], double s, const double x[3]) {
  return (s >= 0 && s <= 1) || mb_meshes_distance(mesh, x) <= 1e-10 * mb_vec3_norm(side);
}

// Whether the sides are in one another still where b has gone out of a by d. Their lines are nearest elsewhere then, and what is between them
// has shrunk to `left` of what it was.
static bool sides_stay_in(const MbMeshes *meshes, const MbMeshesInner *inner, const double d[3], double left,
                          double least) {
  const double *e = inner->e, *f = inner->f;
  const double ee = mb_vec3_dot(e, e), ff = mb_vec3_dot(f, f), ef = mb_vec3_dot(e, f);
  const double de = mb_vec3_dot(d, e), df = mb_vec3_dot(d, f), det = ee * ff - ef * ef;
  const double ds = (de * ff - df * ef) / det, dt = (de * ef - df * ee) / det;
  double x[3], y[3];
  mb_vec3_add_scaled(x, inner->x, ds, e);
  mb_vec3_add_scaled(y, inner->y, dt, f);
  if (!is_of(meshes->a, e, inner->s + ds, x) || !is_of(meshes->b, f, inner->t + dt, y)) return false;
  mb_vec3_add_scaled(x, x, left * inner->in_a, e);
  mb_vec3_add_scaled(y, y, left * inner->in_b, f);
  mb_vec3_sub(x, x, d);
  mb_vec3_add(y, y, d);
  return are_inside(meshes, x, y, least);
}

// Whether it is in still where b has gone out of a along n by as much as something else is deep: then it is another place.
static bool stays_in(const MbMeshes *meshes, const MbMeshesInner *inner, const double n[3], double depth) {
  static const double OUT = 1e-3; // what is in by less for its depth has come out
  const double least = OUT * inner->gap, left = 1 + depth * mb_vec3_dot(n, inner->n) / inner->gap;
  double d[3], x[3];
  if (!(left > 0)) return false;
  mb_vec3_scale(d, depth, n);
  if (!inner->vertex_of) return sides_stay_in(meshes, inner, d, left, least);
  const bool of_a = inner->vertex_of == meshes->a;
  mb_vec3_add_scaled(x, of_a ? inner->x : inner->y, of_a ? -1 : 1, d);
  return mb_meshes_distance(of_a ? meshes->b : meshes->a, x) < least;
}

// Whether nothing that is there parts it.
static bool is_apart(const MbMeshes *meshes, const MbMeshesInner *inner) {
  for (int p = 0; p < meshes->patches.n; p++) {
    const MbPatch *patch = &meshes->patches.patch[p];
    for (int i = 0; i < patch->n; i++)
      if (patch->point[i].gap < 0 && !stays_in(meshes, inner, patch->point[i].normal, -patch->point[i].gap))
        return false;
  }
  return true;
}

// Whether what is between the two points is inside of both.
static bool is_within(const MbMeshes *meshes, const MbMeshesInner *inner) {
  enum { STEPS = 8 };
  double from[3], to[3], x[3], d[3];
  mb_vec3_add_scaled(from, inner->x, inner->in_a, inner->e);
  mb_vec3_add_scaled(to, inner->y, inner->in_b, inner->f);
  mb_vec3_sub(d, to, from);
  for (int i = 1; i < STEPS; i++) {
    mb_vec3_add_scaled(x, from, (double)i / STEPS, d);
    if (mb_meshes_distance(meshes->a, x) > 0 || mb_meshes_distance(meshes->b, x) > 0) return false;
  }
  return true;
}

// The least deep first.
static void sort(MbMeshes *meshes) {
  for (int i = 1; i < meshes->inners; i++) {
    const MbMeshesInner inner = meshes->inner[i];
    int k = i;
    for (; k > 0 && meshes->inner[k - 1].gap < inner.gap; k--) meshes->inner[k] = meshes->inner[k - 1];
    meshes->inner[k] = inner;
  }
}

// Whether a contact is there of what is in one another.
static bool has_inner(const MbMeshes *meshes) {
  for (int p = 0; p < meshes->patches.n; p++)
    for (int i = 0; i < meshes->patches.patch[p].n; i++)
      if (meshes->patches.patch[p].point[i].gap < 0) return true;
  return false;
}

static void add(MbMeshes *meshes, const MbMeshesInner *inner) {
  mb_patches_add(&meshes->patches, inner->x, inner->n, inner->gap, inner->part_a, inner->part_b);
}

void mb_meshes_inners(MbMeshes *meshes) {
  static const double SAME = 1 + 1e-6;
  double most = meshes->depth;
  bool any = false;
  sort(meshes);
  for (int i = 0; i < meshes->inners; i++) {
    const MbMeshesInner *inner = &meshes->inner[i];
    const bool deeper = -inner->gap > most * SAME + meshes->rounding;
    if (deeper && !(inner->inside && is_apart(meshes, inner) && is_within(meshes, inner))) continue;
    // those as deep as the first one, which lie along it, count as well
    if (deeper && !any) most = -inner->gap;
    any = any || inner->inside;
    add(meshes, inner);
  }
  // what is as thin as a knife goes through the other mesh with nothing inside: it comes out by as much as its triangles do, over some steps
  if (meshes->through.gap < 0 && !has_inner(meshes)) add(meshes, &meshes->through);
}
