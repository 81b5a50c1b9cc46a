// What lies flat of shapes and what two of these share, for processors and devices alike (outline.h has them as functions).
#ifndef MB_COLLISION_OUTLINE_SHARED_H
#define MB_COLLISION_OUTLINE_SHARED_H

#include "core/collision/outline.h"
#include "core/collision/patch_points.h"

#define MB_CUT UINT32_C(0x80000000)

// What is within this sine of lying across a direction lies flat towards it.
#define MB_OUTLINE_FLAT 0.05

enum { MB_OUTLINE_RIM = 16 }; // corners of the polygon in a cylinder's rim

// Takes n corners if there is room for them.
MB_INLINE bool mb_outline_takes(MbOutline *outline, int n) {
  const bool fits = n <= outline->room;
  outline->n = fits ? n : 0, outline->spilled |= !fits;
  return fits;
}

MB_INLINE bool mb_outline_face(MbOutline *outline, const MbPlaced *a, const double m[3]) {
  const MbHull *hull = a->shape->hull;
  double most = -INFINITY;
  uint32_t face = 0;
  for (uint32_t f = 0; f < hull->faces; f++) {
    const double along = mb_vec3_dot(m, hull->normal + 3 * (size_t)f);
    if (along > most) most = along, face = f;
  }
  if (!(most > 1 - MB_OUTLINE_FLAT * MB_OUTLINE_FLAT / 2)) return false;
  const uint32_t first = hull->first[face];
  if (!mb_outline_takes(outline, (int)(hull->first[face + 1] - first))) return true;
  outline->face = face;
  mb_mat3_apply(outline->normal, a->R, hull->normal + 3 * (size_t)face);
  for (int i = 0; i < outline->n; i++) {
    outline->corner[i] = hull->corner[first + (uint32_t)i];
    mb_shape_vertex(outline->x[i], a->shape, outline->corner[i]);
    mb_placed_point(outline->x[i], a, outline->x[i]);
  }
  return true;
}

// The flattest of the edges that are highest.
MB_INLINE void mb_outline_edge(MbOutline *outline, const MbPlaced *a, const double m[3]) {
  const MbHull *hull = a->shape->hull;
  double top = -INFINITY, least = MB_OUTLINE_FLAT, x[3], y[3], d[3];
  for (uint32_t i = 0; i < hull->vertices; i++) {
    mb_shape_vertex(x, a->shape, i);
    top = fmax(top, mb_vec3_dot(m, x));
  }
  for (uint32_t e = 0; e < hull->edges; e++) {
    mb_shape_vertex(x, a->shape, hull->edge[e].from);
    mb_shape_vertex(y, a->shape, hull->edge[e].to);
    mb_vec3_sub(d, y, x);
    const double length = mb_vec3_norm(d), low = fmin(mb_vec3_dot(m, x), mb_vec3_dot(m, y));
    if (!(top - low < least * length)) continue;
    least = (top - low) / length;
    outline->n = 2, outline->face = hull->faces + e;
    outline->corner[0] = hull->edge[e].from, outline->corner[1] = hull->edge[e].to;
    mb_placed_point(outline->x[0], a, x);
    mb_placed_point(outline->x[1], a, y);
  }
}

// The rim's polygon keeps its corners where they are on the cylinder.
MB_INLINE void mb_outline_end(MbOutline *outline, const MbPlaced *a, double m2) {
  const double r = a->shape->radius, z = m2 < 0 ? -a->shape->half : a->shape->half;
  if (!mb_outline_takes(outline, MB_OUTLINE_RIM)) return;
  outline->face = m2 < 0 ? 0 : 1;
  const double axis[3] = {0, 0, m2 < 0 ? -1.0 : 1.0};
  mb_mat3_apply(outline->normal, a->R, axis);
  for (int i = 0; i < MB_OUTLINE_RIM; i++) {
    const double angle = (m2 < 0 ? -1 : 1) * 2 * MB_HALF_TURN * i / MB_OUTLINE_RIM;
    const double rim[3] = {r * cos(angle), r * sin(angle), z};
    mb_placed_point(outline->x[i], a, rim);
    outline->corner[i] = (uint32_t)i + (m2 < 0 ? 0 : MB_OUTLINE_RIM);
  }
}

MB_INLINE void mb_outline_side(MbOutline *outline, const MbPlaced *a, const double m[3]) {
  const double r = a->shape->radius, across = hypot(m[0], m[1]);
  outline->n = 2, outline->face = 2;
  for (int i = 0; i < 2; i++) {
    const double z = i ? a->shape->half : -a->shape->half;
    double x[3] = {r * m[0] / across, r * m[1] / across, z};
    // of a capsule the lines are of its two balls
    if (a->shape->form == MB_FORM_CAPSULE) mb_vec3_set(x, r * m[0], r * m[1], r * m[2] + z);
    mb_placed_point(outline->x[i], a, x);
    outline->corner[i] = (uint32_t)i;
  }
}

MB_COLLIDE_ASIDE void mb_outline_of(MbOutline *outline, const MbPlaced *a, const double n[3]) {
  double m[3];
  mb_mat3_tapply(m, a->R, n);
  outline->n = 0;
  const bool round = a->shape->form == MB_FORM_CYLINDER || a->shape->form == MB_FORM_CAPSULE;
  if (a->shape->hull) {
    if (!mb_outline_face(outline, a, m)) mb_outline_edge(outline, a, m);
  } else if (a->shape->form == MB_FORM_CYLINDER && fabs(m[2]) > 1 - MB_OUTLINE_FLAT * MB_OUTLINE_FLAT / 2) {
    mb_outline_end(outline, a, m[2]);
  } else if (round && fabs(m[2]) < MB_OUTLINE_FLAT && a->shape->half > 0) {
    mb_outline_side(outline, a, m);
  }
}

// A line to cut by: what is above it goes. `from` and `to` are the features of its two corners.
typedef struct MbCutLine {
  double p[3], m[3];
  uint32_t from, to;
} MbCutLine;

MB_INLINE void mb_cut_at(MbCutCorner *out, const MbCutCorner *from, const MbCutCorner *to, double share,
                         const MbCutLine *line) {
  double d[3];
  mb_vec3_sub(d, to->x, from->x);
  mb_vec3_add_scaled(out->x, from->x, share, d);
  out->own = MB_PART_SIDE | from->along, out->other = MB_PART_SIDE | line->from;
  // between two lines that have cut it the other's corner is
  if (!(from->along & MB_CUT)) return;
  out->own = MB_PART_FACE;
  out->other = MB_PART_CORNER | ((from->along & ~MB_CUT) == line->to ? line->to : line->from);
}

MB_COLLIDE_ASIDE int mb_cut(const MbCutCorner *in, int n, MbCutCorner *out, const MbCutLine *line,
                            MbCuts *cuts) {
  int count = 0;
  double d[3];
  mb_vec3_sub(d, in[0].x, line->p);
  double h = mb_vec3_dot(d, line->m), k;
  for (int i = 0; i < n; i++, h = k) {
    const MbCutCorner *from = &in[i], *to = i + 1 < n ? from + 1 : in;
    mb_vec3_sub(d, to->x, line->p);
    k = mb_vec3_dot(d, line->m);
    if (count + 1 >= cuts->room) {
      cuts->spilled = true;
      return count;
    }
    if (h <= 0) out[count++] = *from;
    // a segment has one side
    if (n == 2 && i == 1) break;
    if ((h <= 0) == (k <= 0)) continue;
    mb_cut_at(&out[count], from, to, h / (h - k), line);
    out[count].along = h <= 0 ? MB_CUT | line->from : from->along;
    count++;
  }
  return count;
}

// How far b's outline is beyond x along n.
MB_INLINE double mb_outline_over(const MbOutline *b, const double n[3], const double x[3]) {
  double d[3], e[3];
  mb_vec3_sub(d, b->x[0], x);
  if (b->n > 2) return mb_vec3_dot(d, b->normal) / mb_vec3_dot(n, b->normal);
  // the segment's point that x is under
  mb_vec3_sub(e, b->x[1], b->x[0]);
  const double en = mb_vec3_dot(e, n), dn = mb_vec3_dot(d, n);
  double across[3];
  mb_vec3_add_scaled(across, e, -en, n);
  double t = -mb_vec3_dot(d, across) / mb_vec3_dot(across, across);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return dn + t * en;
}

// The plane along side i of an outline, square to what is seen along n; of a segment that across its end i.
MB_INLINE void mb_cut_line(const MbOutline *other, int i, const double n[3], const double middle[3],
                           MbCutLine *line) {
  const int next = i + 1 < other->n ? i + 1 : 0;
  double d[3], e[3];
  line->from = other->corner[i], line->to = other->corner[next];
  mb_vec3_copy(line->p, other->x[i]);
  if (other->n == 2) {
    mb_vec3_sub(line->m, other->x[i], other->x[next]);
    return;
  }
  mb_vec3_sub(e, other->x[next], other->x[i]);
  mb_vec3_cross(line->m, e, n);
  mb_vec3_sub(d, middle, other->x[i]);
  if (mb_vec3_dot(d, line->m) > 0) mb_vec3_scale(line->m, -1, line->m);
}

// Cuts the outline `own` by the sides of `other`, a polygon or a segment that lies along it. Returns how many corners are left, in *left.
MB_COLLIDE_ASIDE int mb_cut_all(const MbOutline *own, const MbOutline *other, const double n[3], MbCuts *cuts,
                                MbCutCorner **left) {
  MbCutCorner *from = cuts->at[0], *to = cuts->at[1];
  double middle[3] = {0};
  int count = own->n < cuts->room ? own->n : cuts->room;
  cuts->spilled |= count < own->n;
  for (int i = 0; i < count; i++) {
    mb_vec3_copy(from[i].x, own->x[i]);
    from[i].own = MB_PART_CORNER | own->corner[i];
    from[i].other = MB_PART_FACE | other->face, from[i].along = own->corner[i];
  }
  for (int i = 0; i < other->n; i++) mb_vec3_add_scaled(middle, middle, 1.0 / other->n, other->x[i]);
  for (int i = 0; i < other->n && count && !cuts->spilled; i++) {
    MbCutLine line;
    mb_cut_line(other, i, n, middle, &line);
    count = mb_cut(from, count, to, &line, cuts);
    MbCutCorner *const swap = from;
    from = to, to = swap;
  }
  *left = from;
  return count;
}

// Leaves out corners that are in line with their neighbours. Four or fewer stay.
MB_INLINE int mb_cut_straighten(MbCutCorner *corner, int n) {
  for (int i = 0; i < n && n > MB_PATCH_POINTS;) {
    if (!mb_in_line_of(corner[(i + n - 1) % n].x, corner[i].x, corner[(i + 1) % n].x)) {
      i++;
      continue;
    }
    for (int k = i; k + 1 < n; k++) corner[k] = corner[k + 1];
    n--;
  }
  return n;
}

// Two segments that are parallel but for what a solver leaves: the ends of what they share are as good as over one another.
MB_INLINE bool mb_outlines_along(const MbOutline *a, const MbOutline *b) {
  double d[3], e[3], c[3];
  mb_vec3_sub(d, a->x[1], a->x[0]);
  mb_vec3_sub(e, b->x[1], b->x[0]);
  mb_vec3_cross(c, d, e);
  return mb_vec3_norm(c) < 1e-5 * mb_vec3_norm(d) * mb_vec3_norm(e);
}

MB_COLLIDE_ASIDE double mb_outlines_shared_of(const MbOutline *a, const MbOutline *b, const double n[3],
                                              double gap, MbCuts *cuts, MbPatch *patch) {
  if (a->n < 2 || b->n < 2 || (a->n == 2 && b->n == 2 && !mb_outlines_along(a, b))) return INFINITY;
  // the one with fewer corners is cut
  const bool turned = b->n < a->n;
  const MbOutline *own = turned ? b : a, *other = turned ? a : b;
  MbCutCorner *corner;
  const int all = mb_cut_all(own, other, n, cuts, &corner), count = mb_cut_straighten(corner, all);
  double least = INFINITY, x[3], back[3];
  mb_vec3_scale(back, -1, n);
  for (int i = 0; i < count; i++) {
    const double height = fmax(gap, mb_outline_over(other, turned ? back : n, corner[i].x));
    mb_vec3_copy(x, corner[i].x);
    if (turned) mb_vec3_add_scaled(x, x, -height, n);
    mb_patch_add_of(patch, x, n, height, turned ? corner[i].other : corner[i].own,
                    turned ? corner[i].own : corner[i].other);
    least = fmin(least, height);
  }
  return least;
}

#endif
