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

// Two sides that are looked at.
typedef struct Sides {
  const MbThree *a, *b;
  int i, j;
  double e[3], f[3]; // along them
  Crossing at;
} Sides;

// m ← the normal of the plane that one of the sides is in, if it is no edge, towards n; else n.
static void find_normal(const Sides *of, const double n[3], double m[3]) {
  mb_vec3_copy(m, n);
  if (flat_side(of->a, of->i, m)) return;
  mb_vec3_scale(m, -1, m);
  flat_side(of->b, of->j, m);
  mb_vec3_scale(m, -1, m);
}

// Whether a contact along m is one of these sides.
static bool touch_along(const Sides *of, const double m[3]) {
  static const uint32_t side[3] = {3, 6, 5};
  double back[3];
  mb_vec3_scale(back, -1, m);
  return mb_three_leads(of->a, side[of->i], m, MB_MESHES_LEANING) &&
         mb_three_leads(of->b, side[of->j], back, MB_MESHES_LEANING) &&
         counts(of->a, of->i, of->e, of->at.beyond_a, of->at.x, m) &&
         counts(of->b, of->j, of->f, of->at.beyond_b, of->at.y, back);
}

static uint32_t side_of(const MbThree *three, int i) {
  return MB_PART_SIDE | three->surface->side[3 * (size_t)three->t + (size_t)i];
}

// Keeps sides that are in one another by −gap: each inside of the other mesh, or beyond an end of its edge by less than they are deep.
static void keep(MbMeshes *meshes, const Sides *of, const double m[3], double gap) {
  const double in_b = mb_meshes_distance(of->b->mesh, of->at.x),
               in_a = mb_meshes_distance(of->a->mesh, of->at.y);
  if (fmax(in_a, in_b) > 1e-12 - 0.9 * gap) return;
  MbMeshesInner inner = {.gap = gap,
                         .in = fmin(in_a, in_b),
                         .sure = fmin(in_a, in_b) < 0.05 * gap,
                         .side_a = side_of(of->a, of->i),
                         .side_b = side_of(of->b, of->j)};
  mb_vec3_copy(inner.x, of->at.x);
  mb_vec3_copy(inner.y, of->at.y);
  mb_vec3_copy(inner.n, m);
  keep_inner(meshes, &inner);
}

static void sides_cross(MbMeshes *meshes, const MbThree *a, int i, const MbThree *b, int j, bool through) {
  // the normal of a plane leads from one to the other but for what sides may lean
  static const double ABOUT = 1.01;
  Sides of = {.a = a, .b = b, .i = i, .j = j};
  const double within = meshes->patches.within, reach = fmax(within, 1e-9);
  double d[3], m[3];
  mb_vec3_sub(of.e, a->x[(i + 1) % 3], a->x[i]);
  mb_vec3_sub(of.f, b->x[(j + 1) % 3], b->x[j]);
  if (!cross(a->x[i], of.e, b->x[j], of.f, reach, &of.at)) return;
  mb_vec3_sub(d, of.at.y, of.at.x);
  if (!through && mb_vec3_norm(d) > ABOUT * reach) return;
  const bool straight_on = of.at.beyond_a != INNER_POINT || of.at.beyond_b != INNER_POINT;
  const double least = through ? -INFINITY : straight_on ? -reach : 0;
  for (int way = 0; way < 2; way++) {
    mb_vec3_scale(of.at.n, -1, of.at.n);
    find_normal(&of, of.at.n, m);
    const double gap = mb_vec3_dot(d, m);
    // a side that goes through a plane aslant touches it with its end or with what is beside it
    if (!(gap < within) || gap < least || !lies_across(of.e, m) || !lies_across(of.f, m)) continue;
    if (!touch_along(&of, m)) continue;
    if (gap < 0)
      keep(meshes, &of, m, gap);
    else
      mb_meshes_add(meshes, a, of.at.x, m, gap, side_of(a, i), side_of(b, j));
  }
}

void mb_meshes_sides(MbMeshes *meshes, const MbThree *a, const MbThree *b, bool through) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sides_cross(meshes, a, i, b, j, through);
}
