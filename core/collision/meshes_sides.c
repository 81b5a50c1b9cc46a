// The sides of two meshes' triangles. Sides that cross touch along what is square to both where that belongs to both. Those of triangles that
// go through one another may be in one another: which of these matter is asked for at the end (meshes_inner.c).
#include "core/collision/meshes.h"

#include "core/math/mat3.h"

// Where two sides are nearest, or their straight goings on.
typedef struct Crossing {
  double x[3], y[3], n[3]; // of each, and what is square to both
  double s, t;             // how far along each
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
  out->s = s, out->t = t;
  mb_vec3_add_scaled(out->x, p, s, e);
  mb_vec3_add_scaled(out->y, q, t, f);
  return true;
}

// Whether a side counts at a point of its line: between its ends, or beyond one where the surface turns up, so that what is straight on is
// inside. There sides touch as well: two links of a chain hang by corners that lead nowhere.
static bool counts(const MbThree *three, int i, const double side[3], int beyond, const double x[3],
                   const double n[3]) {
  if (beyond == INNER_POINT) return true;
  return !mb_three_leads(three, 1u << (i + beyond) % 3, n, MB_SKIN_LEANING) &&
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

// Whether a side lies across n, but for what rests turned by little.
static bool lies_across(const double side[3], const double n[3]) {
  return fabs(mb_vec3_dot(side, n)) <= MB_SKIN_LEANING * mb_vec3_norm(side);
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
  return mb_three_leads(of->a, side[of->i], m, MB_SKIN_LEANING) &&
         mb_three_leads(of->b, side[of->j], back, MB_SKIN_LEANING) &&
         counts(of->a, of->i, of->e, of->at.beyond_a, of->at.x, m) &&
         counts(of->b, of->j, of->f, of->at.beyond_b, of->at.y, back);
}

static uint32_t side_of(const MbThree *three, int i) {
  return MB_PART_SIDE | three->surface->side[3 * (size_t)three->t + (size_t)i];
}

// Finds how far along `along` from x it is inside of a mesh, between the planes that meet at its side, of which y is a point; `distance`: that of
// x; `least`, below 0: of what is inside. False where it is nowhere.
static bool find_in(const MbThree *three, int i, const double y[3], const double along[3], const double x[3],
                    double distance, double least, double *in) {
  *in = 0;
  if (distance < least) return true;
  const uint32_t other = three->surface->across[3 * (size_t)three->t + (size_t)i];
  if (other == MB_SKIN_NONE) return false;
  double low = -INFINITY, high = INFINITY, n[3], d[3];
  mb_vec3_sub(d, x, y);
  for (int k = 0; k < 2; k++) {
    mb_mat3_apply(n, three->mesh->R, three->surface->normal + 3 * (size_t)(k ? other : three->t));
    const double rise = mb_vec3_dot(n, along), at = -mb_vec3_dot(n, d) / rise;
    if (rise > 0) high = fmin(high, at);
    if (rise < 0) low = fmax(low, at);
  }
  if (!(low < high) || isinf(low) || isinf(high)) return false;
  double middle[3];
  *in = 0.5 * (low + high);
  mb_vec3_add_scaled(middle, x, *in, along);
  return mb_meshes_distance(three->mesh, middle) < least;
}

// Keeps sides that are in one another by −gap: each inside of the other mesh, or beyond an end of its edge by less than they are deep.
static void keep(MbMeshes *meshes, const Sides *of, const double m[3], double gap) {
  const double in_b = mb_meshes_distance(of->b->mesh, of->at.x),
               in_a = mb_meshes_distance(of->a->mesh, of->at.y), least = -meshes->rounding;
  MbMeshesInner inner = {.gap = gap,
                         .s = of->at.s,
                         .t = of->at.t,
                         .part_a = side_of(of->a, of->i),
                         .part_b = side_of(of->b, of->j)};
  inner.inside = find_in(of->b, of->j, of->at.y, of->e, of->at.x, in_b, least, &inner.in_a) &&
                 find_in(of->a, of->i, of->at.x, of->f, of->at.y, in_a, least, &inner.in_b);
  if (!inner.inside && fmax(in_a, in_b) > meshes->rounding - 0.9 * gap) return;
  mb_vec3_copy(inner.x, of->at.x);
  mb_vec3_copy(inner.y, of->at.y);
  mb_vec3_copy(inner.n, m);
  mb_vec3_copy(inner.e, of->e);
  mb_vec3_copy(inner.f, of->f);
  mb_meshes_keep(meshes, &inner);
}

// Whether the points are beyond the ends of the sides by no more than `reach`.
static bool is_near(const Sides *of, double reach) {
  const double along_a = reach / mb_vec3_norm(of->e), along_b = reach / mb_vec3_norm(of->f);
  return of->at.s > -along_a && of->at.s < 1 + along_a && of->at.t > -along_b && of->at.t < 1 + along_b;
}

// Whether it is as far as the gap along m from a point of one side to the surface of the other mesh: the normal of a plane is not along d, and
// past a rim nothing is so near.
static bool has_foot(const Sides *of, const double d[3], const double m[3], double gap) {
  if (!(gap > 0) || mb_vec3_norm(d) <= gap * (1 + 1e-12)) return true;
  double foot[3];
  mb_vec3_add_scaled(foot, of->at.y, -gap, m);
  if (fabs(mb_meshes_distance(of->a->mesh, foot)) <= 1e-10 * mb_vec3_norm(of->e)) return true;
  mb_vec3_add_scaled(foot, of->at.x, gap, m);
  return fabs(mb_meshes_distance(of->b->mesh, foot)) <= 1e-10 * mb_vec3_norm(of->f);
}

static void sides_cross(MbMeshes *meshes, const MbThree *a, int i, const MbThree *b, int j, bool through) {
  // the normal of a plane leads from one to the other but for what sides may lean
  static const double ABOUT = 1.01, FLUSH = 1e3;
  Sides of = {.a = a, .b = b, .i = i, .j = j};
  const double within = meshes->patches.within, reach = fmax(within, FLUSH * meshes->rounding);
  double d[3], m[3];
  mb_vec3_sub(of.e, a->x[(i + 1) % 3], a->x[i]);
  mb_vec3_sub(of.f, b->x[(j + 1) % 3], b->x[j]);
  if (!cross(a->x[i], of.e, b->x[j], of.f, through ? INFINITY : reach, &of.at)) return;
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
    if (through && gap >= 0 && !is_near(&of, reach)) continue;
    if (!touch_along(&of, m) || !has_foot(&of, d, m, gap)) continue;
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
