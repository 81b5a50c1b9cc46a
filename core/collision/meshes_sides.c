// The sides of two meshes' triangles. Sides that cross touch along what is square to both where that belongs to both. Those of triangles that
// go through one another may be in one another in ways of which only the least matter: they count where they are no deeper than a vertex
// is, or are the least deep of those whose points are as deep inside the other mesh as sides in one another are, or stay as deep where all
// that is less deep has been parted: concave things are in one another at several places. Those of what overlaps little, but far along, do not.
#include "core/collision/meshes.h"

#include "core/math/vec3.h"

// Where two sides are nearest, or their straight goings on.
typedef struct Crossing {
  double x[3], y[3], n[3]; // of each, and what is square to both
  int beyond_a, beyond_b;  // the end at or beyond which it is, 0 or 1; INNER_POINT: between the ends
} Crossing;

enum { INNER_POINT = -1 };

// Which end of a side of length 1 it is beyond, by no more than `reach`; false: farther.
static bool find_end(double s, double reach, int *beyond) {
  *beyond = s <= 1e-12 ? 0 : s >= 1 - 1e-12 ? 1 : INNER_POINT;
  return s > -reach && s < 1 + reach;
}

// Finds where two sides are nearest, each beyond its ends by no more than `reach`; false where they are farther, or parallel.
static bool cross(const double p[3], const double e[3], const double q[3], const double f[3], double reach,
                  Crossing *out) {
  double r[3], *n = out->n;
  mb_vec3_cross(n, e, f);
  const double ee = mb_vec3_dot(e, e), ff = mb_vec3_dot(f, f), ef = mb_vec3_dot(e, f), size = mb_vec3_norm(n);
  if (!(size > 1e-6 * sqrt(ee * ff))) return false;
  mb_vec3_scale(n, 1 / size, n);
  mb_vec3_sub(r, q, p);
  const double re = mb_vec3_dot(r, e), rf = mb_vec3_dot(r, f), det = size * size;
  const double s = (re * ff - rf * ef) / det, t = (re * ef - rf * ee) / det;
  if (!find_end(s, reach / sqrt(ee), &out->beyond_a) || !find_end(t, reach / sqrt(ff), &out->beyond_b))
    return false;
  mb_vec3_add_scaled(out->x, p, s, e);
  mb_vec3_add_scaled(out->y, q, t, f);
  return true;
}

// Whether a side counts at a point of its line: between its ends, or beyond one where the surface turns up, so that what is straight on is
// inside. There sides touch as well: two links of a chain hang by corners that lead nowhere.
static bool counts(const MbThree *three, int i, const double side[3], int beyond, const double x[3],
                   const double n[3]) {
  if (beyond == INNER_POINT) return true;
  return !mb_three_leads(three, 1u << (i + beyond) % 3, n, MB_MESHES_LEANING) &&
         mb_meshes_distance(three->mesh, x) <= 1e-10 * mb_vec3_norm(side);
}

// Whether the two triangles at the side are in one plane: then the normal there is that of the plane.
static bool flat_side(const MbThree *three, int i, double n[3]) {
  const uint32_t other = three->surface->across[3 * (size_t)three->t + (size_t)i];
  if (other == MB_SKIN_NONE) return false;
  const double *own = three->surface->normal + 3 * (size_t)three->t,
               *its = three->surface->normal + 3 * (size_t)other;
  if (!(mb_vec3_dot(own, its) > 1 - 1e-12)) return false;
  mb_vec3_scale(n, mb_vec3_dot(n, three->normal) < 0 ? -1 : 1, three->normal);
  return true;
}

// Keeps edges for the end; where there are too many the deepest go.
static void keep_inner(MbMeshes *meshes, const MbMeshesInner *inner) {
  int at = meshes->inners;
  if (at < MB_MESHES_INNER)
    meshes->inners++;
  else
    for (int i = at = 0; i < MB_MESHES_INNER; i++)
      if (meshes->inner[i].gap < meshes->inner[at].gap) at = i;
  if (at == meshes->inners - 1 || inner->gap > meshes->inner[at].gap) meshes->inner[at] = *inner;
}

// Whether it is still in as deep where b has gone out of a along n by as much as something else is deep: then it is another place.
static bool stays_in(const MbMeshes *meshes, const MbMeshesInner *inner, const double n[3], double depth) {
  static const double AS_DEEP = 0.25;
  double x[3], y[3];
  mb_vec3_add_scaled(x, inner->x, -depth, n);
  mb_vec3_add_scaled(y, inner->y, depth, n);
  return fmin(mb_meshes_distance(meshes->b, x), mb_meshes_distance(meshes->a, y)) < AS_DEEP * inner->in;
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

// The least deep first.
static void sort(MbMeshes *meshes) {
  for (int i = 1; i < meshes->inners; i++) {
    const MbMeshesInner inner = meshes->inner[i];
    int k = i;
    for (; k > 0 && meshes->inner[k - 1].gap < inner.gap; k--) meshes->inner[k] = meshes->inner[k - 1];
    meshes->inner[k] = inner;
  }
}

void mb_meshes_inners(MbMeshes *meshes) {
  double least = INFINITY;
  sort(meshes);
  for (int i = meshes->inners; i-- > 0;)
    if (meshes->inner[i].sure) least = -meshes->inner[i].gap;
  const double most = (isfinite(least) ? fmax(meshes->depth, least) : meshes->depth) * (1 + 1e-6) + 1e-12;
  for (int i = 0; i < meshes->inners; i++) {
    const MbMeshesInner *inner = &meshes->inner[i];
    if (-inner->gap > most && !(inner->sure && is_apart(meshes, inner))) continue;
    mb_patches_add(&meshes->patches, inner->x, inner->n, inner->gap, inner->side_a, inner->side_b);
  }
}

// Whether a side lies across n, but for what rests turned by little.
static bool lies_across(const double side[3], const double n[3]) {
  return fabs(mb_vec3_dot(side, n)) <= MB_MESHES_LEANING * mb_vec3_norm(side);
}

static void sides_cross(MbMeshes *meshes, const MbThree *a, int i, const MbThree *b, int j, bool through) {
  double e[3], f[3], n[3], m[3], d[3], back[3];
  Crossing at;
  const double reach = fmax(meshes->patches.within, 1e-9);
  static const uint32_t side[3] = {3, 6, 5};
  mb_vec3_sub(e, a->x[(i + 1) % 3], a->x[i]);
  mb_vec3_sub(f, b->x[(j + 1) % 3], b->x[j]);
  if (!cross(a->x[i], e, b->x[j], f, reach, &at)) return;
  const double *x = at.x, *y = at.y;
  const bool straight_on = at.beyond_a != INNER_POINT || at.beyond_b != INNER_POINT;
  const double least = through ? -INFINITY : straight_on ? -reach : 0;
  mb_vec3_copy(n, at.n);
  mb_vec3_sub(d, y, x);
  for (int way = 0; way < 2; way++) {
    mb_vec3_scale(n, -1, n);
    mb_vec3_copy(m, n);
    if (!flat_side(a, i, m)) {
      mb_vec3_scale(m, -1, m);
      flat_side(b, j, m);
      mb_vec3_scale(m, -1, m);
    }
    // a side that goes through a plane aslant touches it with its end or with what is beside it
    if (!lies_across(e, m) || !lies_across(f, m)) continue;
    mb_vec3_scale(back, -1, m);
    const double gap = mb_vec3_dot(d, m);
    if (!(gap < meshes->patches.within) || gap < least) continue;
    if (!mb_three_leads(a, side[i], m, MB_MESHES_LEANING) ||
        !mb_three_leads(b, side[j], back, MB_MESHES_LEANING))
      continue;
    if (!counts(a, i, e, at.beyond_a, x, m) || !counts(b, j, f, at.beyond_b, y, back)) continue;
    const double in_b = gap < 0 ? mb_meshes_distance(b->mesh, x) : 0,
                 in_a = gap < 0 ? mb_meshes_distance(a->mesh, y) : 0;
    // each inside of the other mesh, or beyond an end of its edge by less than they are deep
    if (gap < 0 && fmax(in_a, in_b) > 1e-12 - 0.9 * gap) continue;
    MbMeshesInner inner = {.gap = gap,
                           .in = fmin(in_a, in_b),
                           .sure = fmin(in_a, in_b) < 0.05 * gap,
                           .side_a = MB_PART_SIDE | a->surface->side[3 * (size_t)a->t + (size_t)i],
                           .side_b = MB_PART_SIDE | b->surface->side[3 * (size_t)b->t + (size_t)j]};
    mb_vec3_copy(inner.x, x);
    mb_vec3_copy(inner.y, y);
    mb_vec3_copy(inner.n, m);
    if (gap < 0)
      keep_inner(meshes, &inner);
    else
      mb_meshes_add(meshes, a, x, m, gap, inner.side_a, inner.side_b);
  }
}

void mb_meshes_sides(MbMeshes *meshes, const MbThree *a, const MbThree *b, bool through) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sides_cross(meshes, a, i, b, j, through);
}
