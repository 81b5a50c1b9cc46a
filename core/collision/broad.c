// Sweep and prune: boxes in order of their lower ends along the axis on which they are spread most; each is compared with those that begin
// before it ends. Islands by union of the smallest member.
#include "core/collision/broad.h"

#include "core/base/alloc.h"
#include "core/math/mat3.h"

#include <string.h>

void mb_shape_bounds(const MbShape *shape, const MbPose *E, MbBounds *bounds) {
  double R[9];
  mb_quat_to_mat3(R, E->q);
  mb_shape_bounds_at(shape, E->p, R, bounds);
}

void mb_shape_bounds_at(const MbShape *shape, const double p[3], const double R[9], MbBounds *bounds) {
  double x[3];
  for (int k = 0; k < 3; k++) {
    const double *row = R + 3 * k, *e = shape->axes;
    double high = INFINITY, low;
    switch (shape->form) {
    case MB_FORM_SPHERE:
      high = shape->radius;
      break;
    case MB_FORM_CAPSULE:
      high = shape->radius + shape->half * fabs(row[2]);
      break;
    case MB_FORM_CYLINDER:
      high = shape->radius * hypot(row[0], row[1]) + shape->half * fabs(row[2]);
      break;
    case MB_FORM_ELLIPSOID:
      high = hypot(hypot(e[0] * row[0], e[1] * row[1]), e[2] * row[2]);
      break;
    case MB_FORM_BOX:
      high = e[0] * fabs(row[0]) + e[1] * fabs(row[1]) + e[2] * fabs(row[2]);
      break;
    default:
      break;
    }
    low = -high;
    if (shape->form == MB_FORM_HULL) {
      low = INFINITY, high = -INFINITY;
      for (uint32_t i = 0; i < shape->hull->vertices; i++) {
        mb_shape_vertex(x, shape, i);
        const double at = mb_vec3_dot(row, x);
        low = fmin(low, at), high = fmax(high, at);
      }
    }
    if (shape->form == MB_FORM_MESH) {
      const MbSkinNode *all = shape->surface->node;
      low = high = 0;
      for (int i = 0; i < 3; i++) {
        low += fmin(row[i] * all->low[i], row[i] * all->high[i]);
        high += fmax(row[i] * all->low[i], row[i] * all->high[i]);
      }
    }
    bounds->low[k] = p[k] + low, bounds->high[k] = p[k] + high;
  }
}

// The axis on which the finite boxes' middles are spread most; the first of equals.
static int widest_axis(uint32_t n, const MbBounds *bounds) {
  int axis = 0;
  double most = -1;
  for (int k = 0; k < 3; k++) {
    double sum = 0, squares = 0, count = 0;
    for (uint32_t i = 0; i < n; i++) {
      const double middle = (bounds[i].low[k] + bounds[i].high[k]) / 2;
      if (!isfinite(middle)) continue;
      sum += middle, squares += middle * middle, count++;
    }
    const double spread = count > 0 ? squares / count - (sum / count) * (sum / count) : 0;
    if (spread > most) most = spread, axis = k;
  }
  return axis;
}

// Merges runs of doubling length; of equal ends the smaller number comes first.
static void sort(MbBroad *broad, uint32_t n, const MbBounds *bounds, int axis) {
  uint32_t *from = broad->order, *to = broad->scratch;
  for (uint32_t i = 0; i < n; i++) from[i] = i;
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t first = 0; first < n; first += 2 * run) {
      const size_t middle = first + run < n ? first + run : n,
                   end = first + 2 * run < n ? first + 2 * run : n;
      size_t i = first, j = middle;
      for (size_t k = first; k < end; k++) {
        const bool left = i < middle && (j >= end || bounds[from[i]].low[axis] <= bounds[from[j]].low[axis]);
        to[k] = left ? from[i++] : from[j++];
      }
    }
    uint32_t *swap = from;
    from = to, to = swap;
  }
  if (from != broad->order) memcpy(broad->order, from, n * sizeof *from);
}

static bool overlap(const MbBounds *a, const MbBounds *b) {
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
  return true;
}

// Puts `from` in order of one of a pair's two numbers, keeping the order of equals.
static void order_by(MbBroad *broad, uint32_t n, const MbPair *from, MbPair *to, bool by_a) {
  size_t *start = broad->start;
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (size_t i = 0; i < broad->npairs; i++) start[(by_a ? from[i].a : from[i].b) + 1]++;
  for (uint32_t i = 0; i < n; i++) start[i + 1] += start[i];
  for (size_t i = 0; i < broad->npairs; i++) to[start[by_a ? from[i].a : from[i].b]++] = from[i];
}

bool mb_broad_find(MbBroad *broad, uint32_t n, const MbBounds *bounds) {
  broad->npairs = 0;
  if (!mb_grow(&broad->order, &broad->order_room, n, sizeof *broad->order) ||
      !mb_grow(&broad->scratch, &broad->scratch_room, n, sizeof *broad->scratch) ||
      !mb_grow(&broad->start, &broad->start_room, (size_t)n + 1, sizeof *broad->start))
    return false;
  const int axis = widest_axis(n, bounds);
  sort(broad, n, bounds, axis);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t a = broad->order[i];
    for (uint32_t j = i + 1; j < n; j++) {
      const uint32_t b = broad->order[j];
      if (!(bounds[b].low[axis] <= bounds[a].high[axis])) break;
      if (!overlap(&bounds[a], &bounds[b])) continue;
      if (!mb_grow(&broad->pair, &broad->pair_room, broad->npairs + 1, sizeof *broad->pair) ||
          !mb_grow(&broad->found, &broad->found_room, broad->npairs + 1, sizeof *broad->found)) {
        broad->npairs = 0;
        return false;
      }
      broad->pair[broad->npairs++] = a < b ? (MbPair){a, b} : (MbPair){b, a};
    }
  }
  order_by(broad, n, broad->pair, broad->found, false);
  order_by(broad, n, broad->found, broad->pair, true);
  return true;
}

void mb_broad_free(MbBroad *broad) {
  mb_free(broad->pair), mb_free(broad->order), mb_free(broad->scratch), mb_free(broad->start);
  mb_free(broad->found);
  *broad = (MbBroad){0};
}

// The smallest member of i's island so far; the way there is made shorter.
static uint32_t root(uint32_t *island, uint32_t i) {
  while (island[i] != i) i = island[i] = island[island[i]];
  return i;
}

uint32_t mb_islands(uint32_t n, size_t nlinks, const MbPair *links, uint32_t *island) {
  for (uint32_t i = 0; i < n; i++) island[i] = i;
  for (size_t k = 0; k < nlinks; k++) {
    const uint32_t a = root(island, links[k].a), b = root(island, links[k].b);
    island[a > b ? a : b] = a > b ? b : a;
  }
  // a smallest member is met before the others, which then find its number
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t first = island[i];
    island[i] = first == i ? count++ : island[first];
  }
  return count;
}
