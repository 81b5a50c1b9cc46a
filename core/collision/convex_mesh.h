// A mesh and what is convex, for processors and devices alike (patch.h has it as a function).
//
// What is convex meets each triangle near it as a convex pair (convex.h). The direction in which those two are apart, or come apart by the
// least way, counts where it belongs to the part of the surface that it starts from (skin.h): elsewhere another triangle is nearer, or the
// two lie across an inner edge. There the convex shape meets the triangle's plane, as far as it is over the triangle: so that a flat mesh is
// as its plane is. Of a closed mesh it meets the side that its middle is on; and once the middle is inside, the nearest part of the surface.
#ifndef MB_COLLISION_CONVEX_MESH_H
#define MB_COLLISION_CONVEX_MESH_H

#include "core/collision/convex_gap.h"
#include "core/collision/outline_shared.h"
#include "core/collision/patches_sorted.h"
#include "core/collision/shape_bounds.h"
#include "core/collision/skin_hull.h"
#include "core/collision/skin_look.h"

// What a pair of a convex shape and a mesh needs on its way: outlines of the shape's and a triangle's, lists of corners to cut, points of one triangle,
// and those that are found.
typedef struct MbMeshRoom {
  MbOutline own, other;
  MbCuts cuts;
  MbPatch flat;
  MbPatches patches;
} MbMeshRoom;

MB_INLINE bool mb_mesh_spilled(const MbMeshRoom *room) {
  bool spilled = room->own.spilled || room->other.spilled || room->cuts.spilled || room->flat.spilled;
  for (int i = 0; i < room->patches.n; i++) spilled |= room->patches.patch[i].spilled;
  return spilled;
}

// A way for a to come out: by `depth` against n, which leads from a to the mesh.
typedef struct MbMeshWay {
  double n[3], depth;
} MbMeshWay;

enum { MB_MESH_WAYS = 32 };
// What is rounding, by a's size; and how much deeper a plane is that has to wait.
#define MB_MESH_HAIR   1e-9
#define MB_MESH_DEEPER 1.5

// Two that meet: the convex one is a, the mesh b.
typedef struct MbMeshMeeting {
  const MbPlaced *a, *b;
  const MbSkin *surface;
  double size, middle[3]; // of a
  bool again;             // triangles are met for the second time: only planes that had to wait count
  uint32_t planes;        // those that have to wait
  int ways;
  MbMeshWay way[MB_MESH_WAYS]; // where the surface itself leads a out; there may be others
  MbMeshRoom *room;
  MbPatches *patches; // of the room
} MbMeshMeeting;

// Whether the triangles at a vertex are all in one plane: it is none of the surface's.
MB_INLINE bool mb_mesh_is_flat(const MbSkin *surface, uint32_t v) {
  const double *n = surface->normal + 3 * (size_t)surface->star[surface->first[v]];
  for (uint32_t k = surface->first[v]; k < surface->first[v + 1]; k++)
    if (!(mb_vec3_dot(n, surface->normal + 3 * (size_t)surface->star[k]) > 1 - 1e-12)) return false;
  return true;
}

// Whether the triangles at a point of the triangle's rim are all in its plane, so that the rim is none of the surface's.
MB_INLINE bool mb_mesh_goes_on(const MbMeshMeeting *meeting, uint32_t t, const double x[3]) {
  const MbSkin *surface = meeting->surface;
  const size_t first = 3 * (size_t)t;
  const double *n = surface->normal + first;
  double local[3], d[3], e[3], c[3];
  uint32_t beside = 0; // sides that it is on
  mb_placed_local(local, meeting->b, x);
  for (size_t i = 0; i < 3; i++) {
    const double *p = surface->vertex + 3 * (size_t)surface->corner[first + i];
    mb_vec3_sub(e, surface->vertex + 3 * (size_t)surface->corner[first + (i + 1) % 3], p);
    mb_vec3_sub(d, local, p);
    mb_vec3_cross(c, n, e);
    if (!(fabs(mb_vec3_dot(c, d)) < 1e-9 * mb_vec3_dot(e, e))) continue;
    const uint32_t other = surface->across[first + i];
    if (other == MB_SKIN_NONE) return false;
    if (!(mb_vec3_dot(n, surface->normal + 3 * (size_t)other) > 1 - 1e-12)) return false;
    beside |= 1u << i;
  }
  if (beside != 3 && beside != 6 && beside != 5) return beside != 0;
  return mb_mesh_is_flat(surface, surface->corner[first + (beside == 3 ? 1 : beside == 6 ? 2 : 0)]);
}

// Where a triangle alone ends, and the plane that it is of goes on, nothing of that is a corner but those of the convex shape.
MB_INLINE void mb_mesh_add(MbMeshMeeting *meeting, uint32_t t, const MbContactPoint *point) {
  double on_a[3], on_b[3];
  mb_vec3_add_scaled(on_b, point->position, point->gap / 2, point->normal);
  if ((point->feature_a & 15u << 28) != MB_PART_CORNER && mb_mesh_goes_on(meeting, t, on_b)) return;
  mb_vec3_add_scaled(on_a, point->position, -point->gap / 2, point->normal);
  mb_patches_add_of(meeting->patches, on_a, point->normal, point->gap, point->feature_a,
                    mb_skin_feature(meeting->surface, t, point->feature_b));
}

// The corners of what lies flat on the triangle along n, which leads from a to it. Returns the least gap.
MB_COLLIDE_ASIDE double mb_mesh_add_flat(MbMeshMeeting *meeting, uint32_t t, const MbSkinHull *triangle,
                                         const double n[3], double gap) {
  MbOutline *own = &meeting->room->own, *other = &meeting->room->other;
  double back[3];
  mb_vec3_scale(back, -1, n);
  mb_outline_of(own, meeting->a, n);
  if (!own->n) return INFINITY;
  mb_outline_of(other, &triangle->placed, back);
  if (own->n + other->n < 5) return INFINITY;
  MbPatch *flat = &meeting->room->flat;
  flat->n = 0;
  const double least = mb_outlines_shared_of(own, other, n, gap, &meeting->room->cuts, flat);
  for (int i = 0; i < flat->n; i++) mb_mesh_add(meeting, t, &flat->point[i]);
  return flat->n ? least : INFINITY;
}

// The point of the convex shape that is farthest along n.
MB_COLLIDE_ASIDE uint32_t mb_mesh_farthest(const MbPlaced *a, const double n[3], double x[3]) {
  MbConvexPair pair;
  MbCorner corner;
  double g[3];
  MbShape dot;
  MbPlaced at;
  dot.form = MB_FORM_SPHERE, dot.radius = dot.half = 0, dot.hull = NULL, dot.surface = NULL;
  mb_vec3_set(dot.axes, 0, 0, 0);
  at.shape = &dot;
  mb_vec3_copy(at.p, a->p);
  mb_mat3_identity(at.R);
  mb_convex_pair_of(&pair, a, &at);
  mb_convex_corner(&pair, n, &corner);
  mb_vec3_sub(x, a->p, corner.w);
  for (int i = 0; i < pair.rounds; i++) {
    mb_round_reach(&pair.round[i], n, g);
    mb_vec3_add(x, x, g);
  }
  mb_vec3_add_scaled(x, x, pair.ball, n);
  return corner.a << 1;
}

MB_INLINE bool mb_mesh_is_over(const MbSkinHull *triangle, const double n[3], const double x[3]) {
  double p[3], q[3], d[3], e[3], c[3], sign = 0;
  for (uint32_t i = 0; i < 3; i++) {
    mb_placed_point(p, &triangle->placed, triangle->vertex + 3 * i);
    mb_placed_point(q, &triangle->placed, triangle->vertex + 3 * ((i + 1) % 3));
    mb_vec3_sub(e, q, p), mb_vec3_sub(d, x, p);
    mb_vec3_cross(c, e, d);
    const double off = mb_vec3_dot(c, n);
    if (i == 0) {
      double r[3], f[3];
      mb_placed_point(r, &triangle->placed, triangle->vertex + 6);
      mb_vec3_sub(f, r, p);
      mb_vec3_cross(c, e, f);
      sign = mb_vec3_dot(c, n) < 0 ? -1 : 1;
    }
    if (sign * off < -1e-12 * mb_vec3_dot(e, e)) return false;
  }
  return true;
}

MB_INLINE void mb_mesh_note_way(MbMeshMeeting *meeting, const MbConvexGap *gap) {
  if (!(gap->gap < 0)) return;
  for (int i = 0; i < meeting->ways; i++)
    if (fabs(meeting->way[i].depth + gap->gap) < MB_MESH_HAIR * meeting->size &&
        mb_vec3_dot(meeting->way[i].n, gap->n) > 1 - 1e-12)
      return;
  if (meeting->ways == MB_MESH_WAYS) return;
  MbMeshWay *way = &meeting->way[meeting->ways++];
  mb_vec3_copy(way->n, gap->n);
  way->depth = -gap->gap;
}

// Whether a comes off the triangle as it comes out along a way that is less deep.
MB_COLLIDE_ASIDE bool mb_mesh_comes_off(const MbMeshMeeting *meeting, const MbSkinHull *triangle,
                                        double depth) {
  MbPlaced moved = *meeting->a;
  MbConvexPair pair;
  MbConvexGap gap;
  for (int i = 0; i < meeting->ways; i++) {
    const MbMeshWay *way = &meeting->way[i];
    if (!(depth > MB_MESH_DEEPER * way->depth)) continue;
    mb_vec3_add_scaled(moved.p, meeting->a->p, -way->depth, way->n);
    mb_convex_pair_of(&pair, &moved, &triangle->placed);
    if (!mb_convex_gap_of(&pair, 0, &gap) || gap.gap > -MB_MESH_HAIR * meeting->size) return true;
  }
  return false;
}

// The triangle's plane, as far as a is over the triangle. n leads from a down to it. That a wall's foot has come into a floor does not put the
// floor below the wall's plane, though there it would be as deep as it is wide: what is deeper in the plane than it takes to leave the triangle
// waits until all ways out are known.
MB_INLINE void mb_mesh_meet_plane(MbMeshMeeting *meeting, uint32_t t, const MbSkinHull *triangle,
                                  const double n[3], double depth) {
  double x[3], d[3];
  const uint32_t feature = mb_mesh_farthest(meeting->a, n, x);
  mb_vec3_sub(d, triangle->placed.p, x);
  const double gap = mb_vec3_dot(d, n);
  if (!(gap < meeting->patches->within)) return;
  const bool waits = -gap > MB_MESH_DEEPER * fmax(depth, MB_MESH_HAIR * meeting->size);
  if (waits && depth < 0) return;
  if (waits != meeting->again) {
    meeting->planes += waits;
    return;
  }
  if (waits && mb_mesh_comes_off(meeting, triangle, -gap)) return;
  mb_mesh_add_flat(meeting, t, triangle, n, gap);
  if (mb_mesh_is_over(triangle, n, x))
    mb_patches_add_of(meeting->patches, x, n, gap, feature, MB_PART_FACE | t);
}

// The part of the triangle that the gap starts from.
MB_INLINE MbSkinPart mb_mesh_part(const MbConvexGap *gap, uint32_t t, bool square) {
  MbSkinPart part = {t, 0};
  for (int i = 0; i < gap->corners.n; i++) part.corners |= 1u << gap->corners.corner[i].b;
  if (square || part.corners == 0) part.corners = 7;
  return part;
}

// Whether a face of a solid, or the end of a cylinder, is square to n, which leads from a. A triangle by itself is none: it is of a surface whose
// corners are looked at one by one.
MB_INLINE bool mb_mesh_has_face(MbMeshMeeting *meeting, const double n[3]) {
  MbOutline *own = &meeting->room->own;
  if (meeting->a->shape->hull && meeting->a->shape->hull->faces < 4) return false;
  mb_outline_of(own, meeting->a, n);
  return own->n > 2 && mb_vec3_dot(own->normal, n) > 1 - 1e-12;
}

// Whether the way along m, in the mesh's axes, from a part of it to a counts. A face of a may come to rest on any of the vertices that are all but as
// high: of a ring that wobbles on it the lowest one is another one in each step, and all others would go in. n is −m in the world's axes.
MB_COLLIDE_ASIDE bool mb_mesh_leads(MbMeshMeeting *meeting, MbSkinPart part, const double m[3],
                                    const double n[3]) {
  const MbSkin *surface = meeting->surface;
  if (mb_skin_leads_of(surface, part, m, 1e-10)) return true;
  if (part.corners != 1 && part.corners != 2 && part.corners != 4) return false;
  return mb_skin_leads_of(surface, part, m, MB_SKIN_LEANING) &&
         !mb_mesh_is_flat(surface, surface->corner[3 * (size_t)part.triangle + part.corners / 2]) &&
         mb_mesh_has_face(meeting, n);
}

MB_COLLIDE_ASIDE void mb_mesh_meet_triangle(MbMeshMeeting *meeting, uint32_t t) {
  MbSkinHull triangle;
  MbConvexPair pair;
  MbConvexGap gap;
  double up[3], d[3], m[3], local[3], c[3];
  mb_skin_hull(&triangle, meeting->b, t);
  mb_mat3_apply(up, meeting->b->R, triangle.normal);
  mb_vec3_sub(d, meeting->middle, triangle.placed.p);
  const bool above = mb_vec3_dot(d, up) >= 0;
  if (!above && !meeting->surface->closed) mb_vec3_scale(up, -1, up);
  mb_convex_pair_of(&pair, meeting->a, &triangle.placed);
  if (!mb_convex_gap_of(&pair, meeting->patches->within, &gap)) return;

  mb_vec3_scale(m, -1, gap.n);
  mb_vec3_cross(c, m, up);
  const bool square = mb_vec3_norm(c) < 1e-9;
  const MbSkinPart part = mb_mesh_part(&gap, t, square);
  mb_mat3_tapply(local, meeting->b->R, m);
  const bool back = square && mb_vec3_dot(m, up) < 0;
  if (!back && mb_mesh_leads(meeting, part, local, gap.n)) {
    if (meeting->again) return;
    mb_mesh_note_way(meeting, &gap);
    if (square) mb_vec3_scale(gap.n, -1, up);
    const double least = mb_mesh_add_flat(meeting, t, &triangle, gap.n, gap.gap);
    if (least <= gap.gap + 1e-8 * meeting->size) return;
    double x[3];
    mb_vec3_add(x, gap.x, meeting->a->p);
    uint32_t held = UINT32_MAX;
    for (int i = 0; i < gap.corners.n; i++)
      held = gap.corners.corner[i].a < held ? gap.corners.corner[i].a : held;
    mb_patches_add_of(meeting->patches, x, gap.n, gap.gap, held << 1 | (gap.corners.n > 1),
                      mb_skin_part_of(meeting->surface, part));
    return;
  }
  if (!above && meeting->surface->closed) return;
  mb_vec3_scale(m, -1, up);
  mb_mesh_meet_plane(meeting, t, &triangle, m, -gap.gap);
}

MB_COLLIDE_ASIDE void mb_mesh_meet_triangles(MbMeshMeeting *meeting, const MbBounds *box) {
  MbSkinLook look;
  mb_skin_look_of(&look, meeting->surface, box->low, box->high);
  for (uint32_t t; (t = mb_skin_next_of(&look)) != MB_SKIN_NONE;) mb_mesh_meet_triangle(meeting, t);
}

// With its middle inside the shape has to go out where the surface is nearest to that.
MB_INLINE bool mb_mesh_meet_inside(MbMeshMeeting *meeting) {
  double x[3], n[3], d[3];
  MbSkinPart part;
  if (!meeting->surface->closed) return false;
  mb_placed_local(x, meeting->b, meeting->middle);
  const double depth = mb_skin_distance_of(meeting->surface, x, n, &part);
  if (depth >= 0) return false;
  mb_mat3_apply(n, meeting->b->R, n);
  mb_vec3_scale(n, -1, n);
  const uint32_t feature = mb_mesh_farthest(meeting->a, n, x);
  mb_vec3_sub(d, x, meeting->middle);
  const double gap = depth - mb_vec3_dot(d, n);
  if (part.corners == 7) {
    MbSkinHull triangle;
    mb_skin_hull(&triangle, meeting->b, part.triangle);
    mb_mesh_add_flat(meeting, part.triangle, &triangle, n, gap);
  }
  mb_patches_add_of(meeting->patches, x, n, gap, feature, mb_skin_part_of(meeting->surface, part));
  return true;
}

// Finds the points of a convex shape and a mesh, in *out, which has room for MB_CONTACT_POINTS. Where room was wanting, which points these are
// depends on that: mb_mesh_spilled tells.
MB_COLLIDE_ASIDE void mb_convex_mesh_of(const MbPlaced *a, const MbPlaced *b, MbMeshRoom *room,
                                        MbPatch *out) {
  MbMeshMeeting meeting;
  double R[9], p[3];
  MbBounds box;
  meeting.a = a, meeting.b = b, meeting.surface = b->shape->surface;
  meeting.room = room, meeting.patches = &room->patches;
  meeting.planes = 0, meeting.ways = 0;
  mb_convex_middle(a, meeting.middle);
  mb_vec3_add(meeting.middle, meeting.middle, a->p);
  // a's box in b's axes
  mb_mat3_tmul(R, b->R, a->R);
  mb_placed_local(p, b, a->p);
  mb_shape_bounds_of(a->shape, p, R, &box);
  meeting.size = 0;
  for (int k = 0; k < 3; k++) meeting.size = fmax(meeting.size, box.high[k] - box.low[k]);
  if (!mb_mesh_meet_inside(&meeting)) {
    const double reach = fmax(out->within, 0.0);
    for (int k = 0; k < 3; k++) box.low[k] -= reach, box.high[k] += reach;
    meeting.again = false;
    mb_mesh_meet_triangles(&meeting, &box);
    meeting.again = true;
    if (meeting.planes) mb_mesh_meet_triangles(&meeting, &box);
  }
  mb_patches_choose_of(meeting.patches, out);
}

#endif
