// Two meshes: the vertices of each over the triangles of the other, edges across edges, and what is nearest of triangles that are apart.
//
// A vertex over a triangle is a contact along the triangle's normal where the other surface does not reach farther down beside it. Below a
// triangle of a closed mesh it is so where no other part of that mesh is nearer: from there it has to go out. Edges that cross touch along
// what is square to both where that belongs to both. Those of triangles that go through one another may be in one another in ways of
// which only the least matter: they count where they are no deeper than a vertex is, or are the least deep of those whose points are as
// deep inside the other mesh as edges in one another are. Those of what overlaps little, but far along, are not.
#include "core/collision/broad.h"
#include "core/collision/convex.h"
#include "core/collision/patches.h"
#include "core/collision/skin_hull.h"

#include "core/math/mat3.h"

// The sine by which a surface may reach farther down beside a vertex or an edge: what rests is turned by little.
static const double leaning = 0.02;

typedef struct Inner {
  double x[3], n[3], gap; // on a
  bool sure;              // one of the two points is deep inside of the other mesh, for what the gap is
  uint32_t side_a, side_b;
} Inner;

enum { INNER = 64 };

typedef struct Meshes {
  const MbPlaced *a, *b;
  MbPatches patches;
  double depth; // of the deepest vertex
  int inners;
  Inner inner[INNER]; // edges that are in one another
} Meshes;

// A triangle of each, in the world. Sides lead from corner i to the next.
typedef struct Three {
  const MbPlaced *mesh;
  const MbSkin *surface;
  uint32_t t;
  double x[3][3], normal[3];
} Three;

static Three three_of(const MbPlaced *mesh, uint32_t t) {
  Three three = {.mesh = mesh, .surface = mesh->shape->surface, .t = t};
  for (size_t i = 0; i < 3; i++)
    mb_placed_point(three.x[i], mesh,
                    three.surface->vertex + 3 * (size_t)three.surface->corner[3 * (size_t)t + i]);
  mb_mat3_apply(three.normal, mesh->R, three.surface->normal + 3 * (size_t)t);
  return three;
}

static bool leads(const Three *three, uint32_t corners, const double n[3], double slack) {
  double local[3];
  mb_mat3_tapply(local, three->mesh->R, n);
  return mb_skin_leads(three->surface, (MbSkinPart){three->t, corners}, local, slack);
}

// x over the triangle, seen along its normal.
static bool is_over(const Three *three, const double x[3]) {
  double e[3], d[3], c[3];
  for (int i = 0; i < 3; i++) {
    mb_vec3_sub(e, three->x[(i + 1) % 3], three->x[i]);
    mb_vec3_sub(d, x, three->x[i]);
    mb_vec3_cross(c, e, d);
    if (mb_vec3_dot(c, three->normal) < -1e-12 * mb_vec3_dot(e, e)) return false;
  }
  return true;
}

// The distance to a surface from a point of the world.
static double distance_to(const MbPlaced *mesh, const double x[3]) {
  double local[3], n[3];
  MbSkinPart part;
  mb_placed_local(local, mesh, x);
  return mb_skin_distance(mesh->shape->surface, local, n, &part);
}

// Adds a contact whose normal leads out of `from`, one of the two, at x of its surface.
static void add(Meshes *meshes, const Three *from, const double x[3], const double n[3], double gap,
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

// Corner i of one over the triangle of the other.
static void vertex_over(Meshes *meshes, const Three *face, const Three *other, int i) {
  double d[3], n[3], down[3], foot[3];
  const double *x = other->x[i];
  mb_vec3_copy(n, face->normal);
  mb_vec3_sub(d, x, face->x[0]);
  if (!face->surface->closed) {
    // the side of an open surface is that of the other triangle's middle
    double middle = 0;
    for (int k = 0; k < 3; k++) {
      double e[3];
      mb_vec3_sub(e, other->x[k], face->x[0]);
      middle += mb_vec3_dot(e, n);
    }
    if (middle < 0) mb_vec3_scale(n, -1, n);
  }
  const double height = mb_vec3_dot(d, n);
  if (!(height < meshes->patches.within) || !is_over(face, x)) return;
  mb_vec3_scale(down, -1, n);
  if (!leads(other, 1u << i, down, leaning)) return;
  if (height < 0 && face->surface->closed && !(distance_to(face->mesh, x) <= height * (1 - 1e-9) + 1e-12))
    return;
  mb_vec3_add_scaled(foot, x, -height, n);
  meshes->depth = fmax(meshes->depth, -height);
  add(meshes, face, foot, n, height, MB_PART_FACE | face->t,
      MB_PART_CORNER | other->surface->corner[3 * (size_t)other->t + (size_t)i]);
}

// The inner points of two sides where they are nearest; false where those are ends, or the sides are parallel.
static bool cross(const double p[3], const double e[3], const double q[3], const double f[3], double x[3],
                  double y[3], double n[3]) {
  double r[3];
  mb_vec3_cross(n, e, f);
  const double ee = mb_vec3_dot(e, e), ff = mb_vec3_dot(f, f), ef = mb_vec3_dot(e, f), size = mb_vec3_norm(n);
  if (!(size > 1e-6 * sqrt(ee * ff))) return false;
  mb_vec3_scale(n, 1 / size, n);
  mb_vec3_sub(r, q, p);
  const double re = mb_vec3_dot(r, e), rf = mb_vec3_dot(r, f), det = size * size;
  const double s = (re * ff - rf * ef) / det, t = (re * ef - rf * ee) / det;
  if (!(s > 1e-12 && s < 1 - 1e-12 && t > 1e-12 && t < 1 - 1e-12)) return false;
  mb_vec3_add_scaled(x, p, s, e);
  mb_vec3_add_scaled(y, q, t, f);
  return true;
}

// Whether the two triangles at the side are in one plane: then the normal there is that of the plane.
static bool flat_side(const Three *three, int i, double n[3]) {
  const uint32_t other = three->surface->across[3 * (size_t)three->t + (size_t)i];
  if (other == MB_SKIN_NONE) return false;
  const double *own = three->surface->normal + 3 * (size_t)three->t,
               *its = three->surface->normal + 3 * (size_t)other;
  if (!(mb_vec3_dot(own, its) > 1 - 1e-12)) return false;
  mb_vec3_scale(n, mb_vec3_dot(n, three->normal) < 0 ? -1 : 1, three->normal);
  return true;
}

// Keeps edges for the end; where there are too many the deepest go.
static void keep_inner(Meshes *meshes, const Inner *inner) {
  int at = meshes->inners;
  if (at < INNER)
    meshes->inners++;
  else
    for (int i = at = 0; i < INNER; i++)
      if (meshes->inner[i].gap < meshes->inner[at].gap) at = i;
  if (at == meshes->inners - 1 || inner->gap > meshes->inner[at].gap) meshes->inner[at] = *inner;
}

static void add_inners(Meshes *meshes) {
  double least = INFINITY;
  for (int i = 0; i < meshes->inners; i++)
    if (meshes->inner[i].sure) least = fmin(least, -meshes->inner[i].gap);
  const double most = (isfinite(least) ? fmax(meshes->depth, least) : meshes->depth) * (1 + 1e-6) + 1e-12;
  for (int i = 0; i < meshes->inners; i++) {
    const Inner *inner = &meshes->inner[i];
    if (-inner->gap > most) continue;
    mb_patches_add(&meshes->patches, inner->x, inner->n, inner->gap, inner->side_a, inner->side_b);
  }
}

// Whether a side lies across n, but for what rests turned by little.
static bool lies_across(const double side[3], const double n[3]) {
  return fabs(mb_vec3_dot(side, n)) <= leaning * mb_vec3_norm(side);
}

static void edges_cross(Meshes *meshes, const Three *a, int i, const Three *b, int j, bool through) {
  double e[3], f[3], x[3], y[3], n[3], m[3], d[3], back[3];
  static const uint32_t side[3] = {3, 6, 5};
  mb_vec3_sub(e, a->x[(i + 1) % 3], a->x[i]);
  mb_vec3_sub(f, b->x[(j + 1) % 3], b->x[j]);
  if (!cross(a->x[i], e, b->x[j], f, x, y, n)) return;
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
    if (!(gap < meshes->patches.within) || (gap < 0 && !through)) continue;
    if (!leads(a, side[i], m, leaning) || !leads(b, side[j], back, leaning)) continue;
    const double in_b = gap < 0 ? distance_to(b->mesh, x) : 0, in_a = gap < 0 ? distance_to(a->mesh, y) : 0;
    // each inside of the other mesh, or beyond an end of its edge by less than they are deep
    if (gap < 0 && fmax(in_a, in_b) > 1e-12 - 0.9 * gap) continue;
    Inner inner = {.gap = gap,
                   .sure = fmin(in_a, in_b) < 0.05 * gap,
                   .side_a = MB_PART_SIDE | a->surface->side[3 * (size_t)a->t + (size_t)i],
                   .side_b = MB_PART_SIDE | b->surface->side[3 * (size_t)b->t + (size_t)j]};
    mb_vec3_copy(inner.x, x);
    mb_vec3_copy(inner.n, m);
    if (gap < 0)
      keep_inner(meshes, &inner);
    else
      add(meshes, a, x, m, gap, inner.side_a, inner.side_b);
  }
}

// What is nearest of two triangles that are apart, but from the face of one. Returns whether they are through one another.
static bool nearest(Meshes *meshes, const Three *a, const Three *b) {
  MbSkinHull one, two;
  MbConvexPair pair;
  MbConvexGap gap;
  double back[3], x[3];
  mb_skin_hull(&one, a->mesh, a->t);
  mb_skin_hull(&two, b->mesh, b->t);
  mb_convex_pair(&pair, &one.placed, &two.placed);
  if (!mb_convex_gap(&pair, meshes->patches.within, &gap)) return false;
  if (!(gap.gap > 0)) return true;
  uint32_t own = 0, its = 0;
  for (int i = 0; i < gap.corners.n; i++)
    own |= 1u << gap.corners.corner[i].a, its |= 1u << gap.corners.corner[i].b;
  mb_vec3_scale(back, -1, gap.n);
  if (own == 7 || its == 7 || !leads(a, own, gap.n, 1e-10) || !leads(b, its, back, 1e-10)) return false;
  mb_vec3_add(x, gap.x, one.placed.p);
  add(meshes, a, x, gap.n, gap.gap, mb_skin_part(a->surface, (MbSkinPart){a->t, own}),
      mb_skin_part(b->surface, (MbSkinPart){b->t, its}));
  return false;
}

// Whether all corners of `other` are beyond those of `own` by `within` and more, along a direction of any length.
static bool beyond(const Three *own, const Three *other, const double n[3], double within) {
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
static bool beside(const Three *own, const Three *other, double within) {
  for (int i = 0; i < 3; i++) {
    double e[3], out[3];
    mb_vec3_sub(e, own->x[(i + 1) % 3], own->x[i]);
    mb_vec3_cross(out, e, own->normal);
    if (beyond(own, other, out, within)) return true;
  }
  return false;
}

// Whether it is easily seen that no points of the two are nearer than `within`.
static bool are_apart(const Three *a, const Three *b, double within) {
  double back[3];
  for (int way = 0; way < 2; way++) {
    const Three *own = way ? b : a, *other = way ? a : b;
    mb_vec3_scale(back, -1, own->normal);
    if (beyond(own, other, own->normal, within) || beyond(own, other, back, within)) return true;
  }
  return beside(a, b, within) || beside(b, a, within);
}

// Where they are apart only corners that are inside of the other mesh may touch: those below its triangle.
static void meet(Meshes *meshes, const Three *a, const Three *b) {
  for (int i = 0; i < 3; i++) vertex_over(meshes, a, b, i), vertex_over(meshes, b, a, i);
  if (are_apart(a, b, fmax(meshes->patches.within, 0))) return;
  const bool through = nearest(meshes, a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) edges_cross(meshes, a, i, b, j, through);
}

// All triangles of both whose boxes, in a's axes, are nearer than `within`.
static void meet_all(Meshes *meshes) {
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
    const Three b = three_of(meshes->b, t);
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < 3; i++) {
      mb_placed_local(x, meshes->a, b.x[i]);
      for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k] - reach), high[k] = fmax(high[k], x[k] + reach);
    }
    mb_skin_look(&near, own, low, high);
    for (uint32_t s; (s = mb_skin_next(&near)) != MB_SKIN_NONE;) {
      const Three a = three_of(meshes->a, s);
      meet(meshes, &a, &b);
    }
  }
}

void mb_meshes(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  Meshes meshes;
  meshes.a = a, meshes.b = b, meshes.depth = 0, meshes.inners = 0;
  mb_patches_start(&meshes.patches, patch->within);
  meet_all(&meshes);
  add_inners(&meshes);
  mb_patches_choose(&meshes.patches, patch);
}
