// Looks into surfaces: triangles in a box, the nearest point, and which directions belong to which part.
#include "core/collision/patch.h"
#include "core/collision/skin.h"

#include "core/math/vec3.h"

void mb_skin_look(MbSkinLook *look, const MbSkin *surface, const double low[3], const double high[3]) {
  look->surface = surface, look->depth = 1, look->waiting[0] = 0, look->at = look->end = 0;
  mb_vec3_copy(look->low, low);
  mb_vec3_copy(look->high, high);
}

static bool meets(const MbSkinLook *look, const double low[3], const double high[3]) {
  for (int k = 0; k < 3; k++)
    if (!(low[k] <= look->high[k] && look->low[k] <= high[k])) return false;
  return true;
}

static bool triangle_meets(const MbSkinLook *look, uint32_t t) {
  const MbSkin *s = look->surface;
  const double *p[3];
  for (size_t i = 0; i < 3; i++) p[i] = s->vertex + 3 * (size_t)s->corner[3 * (size_t)t + i];
  for (int k = 0; k < 3; k++) {
    if (p[0][k] < look->low[k] && p[1][k] < look->low[k] && p[2][k] < look->low[k]) return false;
    if (p[0][k] > look->high[k] && p[1][k] > look->high[k] && p[2][k] > look->high[k]) return false;
  }
  return true;
}

uint32_t mb_skin_next(MbSkinLook *look) {
  const MbSkin *s = look->surface;
  for (;;) {
    while (look->at < look->end) {
      const uint32_t t = s->order[look->at++];
      if (triangle_meets(look, t)) return t;
    }
    if (!look->depth) return MB_SKIN_NONE;
    const uint32_t i = look->waiting[--look->depth];
    const MbSkinNode *node = &s->node[i];
    if (!meets(look, node->low, node->high)) continue;
    if (node->count) {
      look->at = node->first, look->end = node->first + node->count;
    } else {
      look->waiting[look->depth++] = node->first;
      look->waiting[look->depth++] = i + 1;
    }
  }
}

// ---- parts ------------------------------------------------------------------------------------------------

// Which side a part of two corners is, or which corner a part of one.
static uint32_t place_of(uint32_t corners) {
  static const uint32_t place[8] = {[1] = 0, [2] = 1, [4] = 2, [3] = 0, [6] = 1, [5] = 2};
  return place[corners & 7];
}

static bool is_side(uint32_t corners) { return corners == 3 || corners == 6 || corners == 5; }

uint32_t mb_skin_part(const MbSkin *s, MbSkinPart part) {
  const size_t t = 3 * (size_t)part.triangle;
  if (part.corners == 7) return MB_PART_FACE | part.triangle;
  const uint32_t place = place_of(part.corners);
  return is_side(part.corners) ? MB_PART_SIDE | s->side[t + place] : MB_PART_CORNER | s->corner[t + place];
}

static bool rises(const MbSkin *s, uint32_t from, uint32_t to, const double n[3], double slack) {
  double d[3];
  mb_vec3_sub(d, s->vertex + 3 * (size_t)to, s->vertex + 3 * (size_t)from);
  return mb_vec3_dot(d, n) > slack * mb_vec3_norm(d);
}

bool mb_skin_leads(const MbSkin *s, MbSkinPart part, const double n[3], double slack) {
  const size_t t = 3 * (size_t)part.triangle;
  const double *own = s->normal + t;
  if (part.corners == 7) return s->closed ? mb_vec3_dot(own, n) > 0 : fabs(mb_vec3_dot(own, n)) > 0.5;
  const uint32_t place = place_of(part.corners), from = s->corner[t + place];
  if (is_side(part.corners)) {
    const uint32_t other = s->across[t + place];
    if (rises(s, from, s->corner[t + (place + 2) % 3], n, slack)) return false;
    if (other == MB_SKIN_NONE) return true;
    double mean[3];
    mb_vec3_add(mean, own, s->normal + 3 * (size_t)other);
    if (s->closed && !(mb_vec3_dot(mean, n) > 0)) return false;
    for (size_t i = 0; i < 3; i++)
      if (rises(s, from, s->corner[3 * (size_t)other + i], n, slack)) return false;
    return true;
  }
  if (s->closed && !(mb_vec3_dot(s->around + 3 * (size_t)from, n) > 0)) return false;
  for (uint32_t k = s->first[from]; k < s->first[from + 1]; k++)
    for (size_t i = 0; i < 3; i++)
      if (rises(s, from, s->corner[3 * (size_t)s->star[k] + i], n, slack)) return false;
  return true;
}

// ---- the nearest point ------------------------------------------------------------------------------------

// The nearest point of triangle t, and the corners that hold it (Ericson, Real-Time Collision Detection, 5.1.5).
static uint32_t nearest_of(const MbSkin *s, uint32_t t, const double x[3], double near[3]) {
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

static double box_distance(const MbSkinNode *node, const double x[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double under = node->low[k] - x[k], over = x[k] - node->high[k], most = under > over ? under : over;
    const double off = most > 0 ? most : 0;
    sum += off * off;
  }
  return sqrt(sum);
}

double mb_skin_distance(const MbSkin *s, const double x[3], double normal[3], MbSkinPart *part) {
  uint32_t waiting[MB_SKIN_DEEP], depth = 1;
  double least = INFINITY, near[3], best[3] = {0}, d[3];
  waiting[0] = 0;
  *part = (MbSkinPart){0, 7};
  while (depth) {
    const uint32_t i = waiting[--depth];
    const MbSkinNode *node = &s->node[i];
    if (!(box_distance(node, x) < least)) continue;
    for (uint32_t k = node->first; k < node->first + node->count; k++) {
      const uint32_t t = s->order[k], corners = nearest_of(s, t, x, near);
      mb_vec3_sub(d, x, near);
      const double far = mb_vec3_norm(d);
      if (!(far < least)) continue;
      least = far, *part = (MbSkinPart){t, corners};
      mb_vec3_copy(best, near);
    }
    if (node->count) continue;
    // the nearer one first
    const bool turned = box_distance(&s->node[i + 1], x) > box_distance(&s->node[node->first], x);
    waiting[depth++] = turned ? i + 1 : node->first;
    waiting[depth++] = turned ? node->first : i + 1;
  }
  // outside is where the mean of the normals there leads (Bærentzen, Aanæs)
  const size_t t = 3 * (size_t)part->triangle;
  double mean[3];
  mb_vec3_copy(mean, s->normal + t);
  if (is_side(part->corners) && s->across[t + place_of(part->corners)] != MB_SKIN_NONE)
    mb_vec3_add(mean, mean, s->normal + 3 * (size_t)s->across[t + place_of(part->corners)]);
  else if (part->corners != 7 && !is_side(part->corners))
    mb_vec3_copy(mean, s->around + 3 * (size_t)s->corner[t + place_of(part->corners)]);
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
