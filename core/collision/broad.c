// Pairs are looked for among boxes that are somewhat wider than those asked for. As long as all boxes stay within theirs, these pairs have
// all that overlap among them, and what is in them need only be compared again. They are found by a tree of boxes, split at the middle one
// along the axis on which they are spread most, which is gone through against itself. Islands by union of the smallest member.
#include "core/collision/broad.h"

#include "core/base/alloc.h"
#include "core/collision/shape_bounds.h"
#include "core/math/mat3.h"

#include <string.h>

void mb_shape_bounds(const MbShape *shape, const MbPose *E, MbBounds *bounds) {
  double R[9];
  mb_quat_to_mat3(R, E->q);
  mb_shape_bounds_at(shape, E->p, R, bounds);
}

void mb_shape_bounds_at(const MbShape *shape, const double p[3], const double R[9], MbBounds *bounds) {
  mb_shape_bounds_of(shape, p, R, bounds);
}

static bool overlap(const MbBounds *a, const MbBounds *b) {
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
  return true;
}

// ---- the tree ---------------------------------------------------------------------------------------------

enum { LEAF = 4 }; // boxes of a node that has no children

static double middle(const MbBounds *box, int axis) { return box->low[axis] / 2 + box->high[axis] / 2; }

static bool is_finite(const MbBounds *box) {
  bool finite = true;
  for (int k = 0; k < 3; k++) finite = finite && isfinite(box->low[k]) && isfinite(box->high[k]);
  return finite;
}

// Puts those of order[begin, end) first whose middles are least, `half` of them, by Hoare's selection.
static void split(uint32_t *order, uint32_t begin, uint32_t end, uint32_t half, const MbBounds *box,
                  int axis) {
  int64_t low = begin, high = (int64_t)end - 1;
  const int64_t at = begin + half;
  while (low < high) {
    const double pivot = middle(&box[order[(low + high) / 2]], axis);
    int64_t i = low, j = high;
    while (i <= j) {
      while (middle(&box[order[i]], axis) < pivot) i++;
      while (middle(&box[order[j]], axis) > pivot) j--;
      if (i > j) break;
      const uint32_t swap = order[i];
      order[i++] = order[j], order[j--] = swap;
    }
    if (j < at) low = i;
    if (i > at) high = j;
  }
}

// The box of all of a node's, and the axis on which their middles are spread most.
static int enclose(MbBroadNode *node, const uint32_t *order, const MbBounds *box) {
  double low[3], high[3];
  int axis = 0;
  node->box = box[order[node->begin]];
  for (int k = 0; k < 3; k++) low[k] = high[k] = middle(&node->box, k);
  for (uint32_t i = node->begin + 1; i < node->end; i++) {
    const MbBounds *b = &box[order[i]];
    for (int k = 0; k < 3; k++) {
      const double m = middle(b, k);
      node->box.low[k] = b->low[k] < node->box.low[k] ? b->low[k] : node->box.low[k];
      node->box.high[k] = b->high[k] > node->box.high[k] ? b->high[k] : node->box.high[k];
      low[k] = m < low[k] ? m : low[k], high[k] = m > high[k] ? m : high[k];
    }
  }
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  return axis;
}

// Of the boxes order[0, n). There is room for 2 n nodes.
static void grow_tree(MbBroad *broad, uint32_t n) {
  uint32_t nodes = 1;
  broad->node[0] = (MbBroadNode){.end = n};
  for (uint32_t i = 0; i < nodes; i++) {
    MbBroadNode *node = &broad->node[i];
    const int axis = enclose(node, broad->order, broad->wide);
    const uint32_t count = node->end - node->begin, half = count / 2;
    if (count <= LEAF) continue;
    split(broad->order, node->begin, node->end, half, broad->wide, axis);
    node->left = nodes;
    broad->node[nodes++] = (MbBroadNode){.begin = node->begin, .end = node->begin + half};
    broad->node[nodes++] = (MbBroadNode){.begin = node->begin + half, .end = node->end};
  }
}

// ---- pairs of wide boxes ----------------------------------------------------------------------------------

static bool add(MbBroad *broad, uint32_t a, uint32_t b) {
  if (!overlap(&broad->wide[a], &broad->wide[b])) return true;
  if (!mb_grow(&broad->found, &broad->found_room, broad->nfound + 1, sizeof *broad->found)) return false;
  broad->found[broad->nfound++] = a < b ? (MbPair){a, b} : (MbPair){b, a};
  return true;
}

static bool add_leaves(MbBroad *broad, const MbBroadNode *x, const MbBroadNode *y) {
  bool fine = true;
  for (uint32_t i = x->begin; i < x->end; i++)
    for (uint32_t j = x == y ? i + 1 : y->begin; j < y->end && fine; j++)
      fine = add(broad, broad->order[i], broad->order[j]);
  return fine;
}

// All pairs of one node's boxes with the other's; of a node with itself each once.
static bool add_nodes(MbBroad *broad, const MbBroadNode *x, const MbBroadNode *y) {
  if (x == y) {
    if (!x->left) return add_leaves(broad, x, x);
    const MbBroadNode *child = broad->node + x->left;
    return add_nodes(broad, child, child) && add_nodes(broad, child + 1, child + 1) &&
           add_nodes(broad, child, child + 1);
  }
  if (!overlap(&x->box, &y->box)) return true;
  if (!x->left && !y->left) return add_leaves(broad, x, y);
  const bool down_x = x->left && (!y->left || x->end - x->begin >= y->end - y->begin);
  const MbBroadNode *child = broad->node + (down_x ? x->left : y->left), *other = down_x ? y : x;
  return add_nodes(broad, child, other) && add_nodes(broad, child + 1, other);
}

// Puts `from` in order of one of a pair's two numbers, keeping the order of equals.
static void order_by(MbBroad *broad, const MbPair *from, MbPair *to, bool by_a) {
  size_t *start = broad->start;
  memset(start, 0, ((size_t)broad->n + 1) * sizeof *start);
  for (size_t i = 0; i < broad->nfound; i++) start[(by_a ? from[i].a : from[i].b) + 1]++;
  for (uint32_t i = 0; i < broad->n; i++) start[i + 1] += start[i];
  for (size_t i = 0; i < broad->nfound; i++) to[start[by_a ? from[i].a : from[i].b]++] = from[i];
}

// Boxes without end are compared with all; the others go into the tree.
static bool find_near(MbBroad *broad) {
  uint32_t finite = 0;
  bool fine = true;
  broad->nfound = 0;
  for (uint32_t i = 0; i < broad->n; i++)
    if (is_finite(&broad->wide[i])) broad->order[finite++] = i;
  for (uint32_t i = 0; i < broad->n; i++) {
    if (is_finite(&broad->wide[i])) continue;
    for (uint32_t j = 0; j < broad->n && fine; j++)
      if (j != i && (j > i || is_finite(&broad->wide[j]))) fine = add(broad, i, j);
  }
  if (finite) grow_tree(broad, finite);
  if (!fine || (finite && !add_nodes(broad, broad->node, broad->node))) return false;
  if (!mb_grow(&broad->near, &broad->near_room, broad->nfound, sizeof *broad->near) ||
      !mb_grow(&broad->pair, &broad->pair_room, broad->nfound, sizeof *broad->pair))
    return false;
  order_by(broad, broad->found, broad->near, false);
  order_by(broad, broad->near, broad->found, true);
  MbPair *const swap = broad->near;
  broad->near = broad->found, broad->found = swap;
  const size_t room = broad->near_room;
  broad->near_room = broad->found_room, broad->found_room = room;
  broad->nnear = broad->nfound;
  return true;
}

// ---- pairs of boxes ---------------------------------------------------------------------------------------

static bool holds(const MbBounds *wide, const MbBounds *box) {
  int inside = 1;
  for (int k = 0; k < 3; k++) inside &= (wide->low[k] <= box->low[k]) & (box->high[k] <= wide->high[k]);
  return inside;
}

// Wider by a share of the box, and by some times what it has moved since the last call.
static void widen(MbBroad *broad, uint32_t i, const MbBounds *box, bool known) {
  static const double SHARE = 0.03, AHEAD = 4;
  double size = INFINITY, way = 0;
  for (int k = 0; k < 3; k++) {
    size = fmin(size, box->high[k] - box->low[k]);
    if (known) way = fmax(way, fabs(box->low[k] - broad->last[i].low[k]));
  }
  const double more = (isfinite(size) ? SHARE * size : 0) + (isfinite(way) ? AHEAD * way : 0);
  for (int k = 0; k < 3; k++) {
    broad->wide[i].low[k] = box->low[k] - more;
    broad->wide[i].high[k] = box->high[k] + more;
  }
}

static bool renew(MbBroad *broad, uint32_t n, const MbBounds *bounds) {
  const bool known = broad->n == n;
  broad->n = 0; // nothing is known if memory runs out
  if (!mb_grow(&broad->wide, &broad->wide_room, n, sizeof *broad->wide) ||
      !mb_grow(&broad->last, &broad->last_room, n, sizeof *broad->last) ||
      !mb_grow(&broad->order, &broad->order_room, n, sizeof *broad->order) ||
      !mb_grow(&broad->node, &broad->node_room, 2 * (size_t)n, sizeof *broad->node) ||
      !mb_grow(&broad->start, &broad->start_room, (size_t)n + 1, sizeof *broad->start))
    return false;
  for (uint32_t i = 0; i < n; i++) widen(broad, i, &bounds[i], known);
  broad->n = n;
  if (find_near(broad)) return true;
  broad->n = 0;
  return false;
}

bool mb_broad_find(MbBroad *broad, uint32_t n, const MbBounds *bounds) {
  bool held = broad->n == n;
  broad->npairs = 0;
  for (uint32_t i = 0; i < n && held; i++) held = holds(&broad->wide[i], &bounds[i]);
  if (!held && !renew(broad, n, bounds)) return false;
  if (n) memcpy(broad->last, bounds, n * sizeof *bounds);
  for (size_t k = 0; k < broad->nnear && n; k++) {
    const MbPair pair = broad->near[k];
    if (overlap(&bounds[pair.a], &bounds[pair.b])) broad->pair[broad->npairs++] = pair;
  }
  return true;
}

void mb_broad_free(MbBroad *broad) {
  void *const lists[] = {broad->pair, broad->wide,  broad->last,  broad->near,
                         broad->node, broad->order, broad->start, broad->found};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mb_free(lists[i]);
  *broad = (MbBroad){0};
}

size_t mb_broad_bytes(const MbBroad *broad) {
  return (broad->pair_room + broad->near_room + broad->found_room) * sizeof(MbPair) +
         (broad->wide_room + broad->last_room) * sizeof(MbBounds) + broad->node_room * sizeof *broad->node +
         broad->order_room * sizeof *broad->order + broad->start_room * sizeof *broad->start;
}

// ---- islands ----------------------------------------------------------------------------------------------

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
