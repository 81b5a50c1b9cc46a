// The distance from a point to a surface of triangles, for processors and devices alike (skin.h has it as a function).
#ifndef MB_COLLISION_SKIN_DISTANCE_H
#define MB_COLLISION_SKIN_DISTANCE_H

#include "core/collision/skin.h"
#include "core/math/vec3.h"

// Which side a part of two corners is, or which corner a part of one.
MB_INLINE uint32_t mb_skin_place_of(uint32_t corners) {
  return corners == 2 || corners == 6 ? 1 : corners == 4 || corners == 5 ? 2 : 0;
}

MB_INLINE bool mb_skin_is_side(uint32_t corners) { return corners == 3 || corners == 6 || corners == 5; }

MB_INLINE uint32_t mb_skin_part_of(const MbSkin *s, MbSkinPart part) {
  const size_t t = 3 * (size_t)part.triangle;
  if (part.corners == 7) return MB_PART_FACE | part.triangle;
  const uint32_t place = mb_skin_place_of(part.corners);
  return mb_skin_is_side(part.corners) ? MB_PART_SIDE | s->side[t + place]
                                       : MB_PART_CORNER | s->corner[t + place];
}

// The nearest point of triangle t, and the corners that hold it (Ericson, Real-Time Collision Detection, 5.1.5).
MB_INLINE uint32_t mb_skin_nearest_of(const MbSkin *s, uint32_t t, const double x[3], double near[3]) {
  const double *p = s->vertex + 3 * (size_t)s->corner[3 * (size_t)t];
  const double *q = s->vertex + 3 * (size_t)s->corner[3 * (size_t)t + 1];
  const double *r = s->vertex + 3 * (size_t)s->corner[3 * (size_t)t + 2];
  double e[3], f[3], d[3];
  mb_vec3_sub(e, q, p), mb_vec3_sub(f, r, p), mb_vec3_sub(d, x, p);
  const double d1 = mb_vec3_dot(e, d), d2 = mb_vec3_dot(f, d);
  mb_vec3_copy(near, p);
  if (d1 <= 0 && d2 <= 0) return 1;
  mb_vec3_sub(d, x, q);
  const double d3 = mb_vec3_dot(e, d), d4 = mb_vec3_dot(f, d);
  mb_vec3_copy(near, q);
  if (d3 >= 0 && d4 <= d3) return 2;
  mb_vec3_sub(d, x, r);
  const double d5 = mb_vec3_dot(e, d), d6 = mb_vec3_dot(f, d);
  mb_vec3_copy(near, r);
  if (d6 >= 0 && d5 <= d6) return 4;
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    mb_vec3_add_scaled(near, p, d1 / (d1 - d3), e);
    return 3;
  }
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    mb_vec3_add_scaled(near, p, d2 / (d2 - d6), f);
    return 5;
  }
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    mb_vec3_sub(d, r, q);
    mb_vec3_add_scaled(near, q, (d4 - d3) / (d4 - d3 + d5 - d6), d);
    return 6;
  }
  // straight down, so that the height is no difference of large numbers
  const double *n = s->normal + 3 * (size_t)t;
  mb_vec3_sub(d, x, p);
  mb_vec3_add_scaled(near, x, -mb_vec3_dot(d, n), n);
  return 7;
}

MB_INLINE double mb_skin_box_distance(const MbSkinNode *node, const double x[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double under = node->low[k] - x[k], over = x[k] - node->high[k], most = under > over ? under : over;
    const double off = most > 0 ? most : 0;
    sum += off * off;
  }
  return sqrt(sum);
}

MB_INLINE double mb_skin_distance_of(const MbSkin *s, const double x[3], double normal[3], MbSkinPart *part) {
  uint32_t waiting[MB_SKIN_DEEP], depth = 1;
  double least = INFINITY, near[3], best[3] = {0}, d[3];
  waiting[0] = 0;
  part->triangle = 0, part->corners = 7;
  while (depth) {
    const uint32_t i = waiting[--depth];
    const MbSkinNode *node = &s->node[i];
    if (!(mb_skin_box_distance(node, x) < least)) continue;
    for (uint32_t k = node->first; k < node->first + node->count; k++) {
      const uint32_t t = s->order[k], corners = mb_skin_nearest_of(s, t, x, near);
      mb_vec3_sub(d, x, near);
      const double far = mb_vec3_norm(d);
      if (!(far < least)) continue;
      least = far, part->triangle = t, part->corners = corners;
      mb_vec3_copy(best, near);
    }
    if (node->count) continue;
    // the nearer one first
    const bool turned =
        mb_skin_box_distance(&s->node[i + 1], x) > mb_skin_box_distance(&s->node[node->first], x);
    waiting[depth++] = turned ? i + 1 : node->first;
    waiting[depth++] = turned ? node->first : i + 1;
  }
  // outside is where the mean of the normals there leads (Bærentzen, Aanæs)
  const size_t t = 3 * (size_t)part->triangle;
  double mean[3];
  mb_vec3_copy(mean, s->normal + t);
  if (mb_skin_is_side(part->corners) && s->across[t + mb_skin_place_of(part->corners)] != MB_SKIN_NONE)
    mb_vec3_add(mean, mean, s->normal + 3 * (size_t)s->across[t + mb_skin_place_of(part->corners)]);
  else if (part->corners != 7 && !mb_skin_is_side(part->corners))
    mb_vec3_copy(mean, s->around + 3 * (size_t)s->corner[t + mb_skin_place_of(part->corners)]);
  mb_vec3_sub(d, x, best);
  const bool inside = s->closed && mb_vec3_dot(d, mean) < 0;
  if (part->corners == 7 || !(least > 0)) {
    const bool back = !s->closed && mb_vec3_dot(d, s->normal + t) < 0;
    mb_vec3_scale(normal, back ? -1 : 1, s->normal + t);
    return inside ? -least : least;
  }
  mb_vec3_scale(normal, (inside ? -1 : 1) / least, d);
  return inside ? -least : least;
}

#endif
