// Looks into surfaces, triangles in a box and which directions belong to which part, for processors and devices alike (skin.h has them as functions).
#ifndef MB_COLLISION_SKIN_LOOK_H
#define MB_COLLISION_SKIN_LOOK_H

#include "core/collision/skin_distance.h"

MB_INLINE void mb_skin_look_of(MbSkinLook *look, const MbSkin *surface, const double low[3],
                               const double high[3]) {
  look->surface = surface, look->depth = 1, look->waiting[0] = 0, look->at = look->end = 0;
  mb_vec3_copy(look->low, low);
  mb_vec3_copy(look->high, high);
}

MB_INLINE bool mb_look_meets(const MbSkinLook *look, const double low[3], const double high[3]) {
  for (int k = 0; k < 3; k++)
    if (!(low[k] <= look->high[k] && look->low[k] <= high[k])) return false;
  return true;
}

MB_INLINE bool mb_look_meets_triangle(const MbSkinLook *look, uint32_t t) {
  const MbSkin *s = look->surface;
  const double *p[3];
  for (size_t i = 0; i < 3; i++) p[i] = s->vertex + 3 * (size_t)s->corner[3 * (size_t)t + i];
  for (int k = 0; k < 3; k++) {
    if (p[0][k] < look->low[k] && p[1][k] < look->low[k] && p[2][k] < look->low[k]) return false;
    if (p[0][k] > look->high[k] && p[1][k] > look->high[k] && p[2][k] > look->high[k]) return false;
  }
  return true;
}

MB_INLINE uint32_t mb_skin_next_of(MbSkinLook *look) {
  const MbSkin *s = look->surface;
  for (;;) {
    while (look->at < look->end) {
      const uint32_t t = s->order[look->at++];
      if (mb_look_meets_triangle(look, t)) return t;
    }
    if (!look->depth) return MB_SKIN_NONE;
    const uint32_t i = look->waiting[--look->depth];
    const MbSkinNode *node = &s->node[i];
    if (!mb_look_meets(look, node->low, node->high)) continue;
    if (node->count) {
      look->at = node->first, look->end = node->first + node->count;
    } else {
      look->waiting[look->depth++] = node->first;
      look->waiting[look->depth++] = i + 1;
    }
  }
}

// ---- parts ------------------------------------------------------------------------------------------------

MB_INLINE bool mb_skin_rises(const MbSkin *s, uint32_t from, uint32_t to, const double n[3], double slack) {
  double d[3];
  mb_vec3_sub(d, s->vertex + 3 * (size_t)to, s->vertex + 3 * (size_t)from);
  return mb_vec3_dot(d, n) > slack * mb_vec3_norm(d);
}

MB_INLINE bool mb_skin_leads_of(const MbSkin *s, MbSkinPart part, const double n[3], double slack) {
  const size_t t = 3 * (size_t)part.triangle;
  const double *own = s->normal + t;
  if (part.corners == 7) return s->closed ? mb_vec3_dot(own, n) > 0 : fabs(mb_vec3_dot(own, n)) > 0.5;
  const uint32_t place = mb_skin_place_of(part.corners), from = s->corner[t + place];
  if (mb_skin_is_side(part.corners)) {
    const uint32_t other = s->across[t + place];
    if (mb_skin_rises(s, from, s->corner[t + (place + 2) % 3], n, slack)) return false;
    if (other == MB_SKIN_NONE) return true;
    double mean[3];
    mb_vec3_add(mean, own, s->normal + 3 * (size_t)other);
    if (s->closed && !(mb_vec3_dot(mean, n) > 0)) return false;
    for (size_t i = 0; i < 3; i++)
      if (mb_skin_rises(s, from, s->corner[3 * (size_t)other + i], n, slack)) return false;
    return true;
  }
  if (s->closed && !(mb_vec3_dot(s->around + 3 * (size_t)from, n) > 0)) return false;
  for (uint32_t k = s->first[from]; k < s->first[from + 1]; k++)
    for (size_t i = 0; i < 3; i++)
      if (mb_skin_rises(s, from, s->corner[3 * (size_t)s->star[k] + i], n, slack)) return false;
  return true;
}

#endif
