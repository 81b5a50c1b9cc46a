#include "core/base/alloc.h"
#include "core/sparse/inverse.h"

#include <math.h>

// Subtrees of up to `low` columns are the lowest parts, what is then below subtrees of up to `high` columns the middle ones,
// the rest is one part. The two numbers are those with which inverses and coupling have the fewest entries.

typedef struct Cut {
  const MbCholesky *c;
  uint32_t *size; // (supernodes) columns of the subtree
  uint32_t *root; // (supernodes) topmost supernode of the part
  uint32_t *last; // (supernodes) topmost row of the part
  double *inside; // (n) a column's descendants in the part
} Cut;

static int level_of(const Cut *cut, size_t s, size_t low, size_t high) {
  return cut->size[s] <= low ? 0 : cut->size[s] <= high ? 1 : 2;
}

static void find_roots(const Cut *cut, size_t low, size_t high) {
  const MbCholesky *c = cut->c;
  for (uint32_t s = (uint32_t)c->count; s-- > 0;) {
    const uint32_t up = c->node[s].parent;
    const bool joins = up != MB_NONE && level_of(cut, s, low, high) == level_of(cut, up, low, high);
    cut->root[s] = joins ? cut->root[up] : s;
    cut->last[s] = joins ? cut->last[up] : c->node[s].first + c->node[s].columns;
  }
}

// Rows below of supernode s that are outside of its part.
static size_t outside(const MbCholesky *c, uint32_t s, uint32_t last) {
  const MbSupernode *node = &c->node[s];
  const uint32_t *below = c->row + node->below;
  size_t low = 0, high = node->rows - node->columns;
  const size_t count = high;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (below[middle] < last)
      low = middle + 1;
    else
      high = middle;
  }
  return count - low;
}

static double entries(const Cut *cut, size_t low, size_t high) {
  const MbCholesky *c = cut->c;
  double sum = 0;
  find_roots(cut, low, high);
  for (size_t j = 0; j < c->n; j++) cut->inside[j] = 0;
  for (uint32_t s = 0; s < c->count; s++) {
    const MbSupernode *node = &c->node[s];
    sum += (double)node->columns * (double)outside(c, s, cut->last[s]);
    for (uint32_t j = node->first; j < node->first + node->columns; j++) {
      sum += cut->inside[j] += 1;
      if (c->parent[j] != MB_NONE && c->parent[j] < cut->last[s]) cut->inside[c->parent[j]] += cut->inside[j];
    }
  }
  return sum;
}

bool mb_inverse_cut(const MbCholesky *c, uint32_t *part, size_t nparts[MB_LEVELS]) {
  Cut cut = {c, mb_calloc(c->count, sizeof *cut.size), mb_calloc(c->count, sizeof *cut.root),
             mb_calloc(c->count, sizeof *cut.last), mb_calloc(c->n, sizeof *cut.inside)};
  const bool ok = cut.size && cut.root && cut.last && cut.inside;
  for (size_t s = 0; ok && s < c->count; s++) {
    cut.size[s] += c->node[s].columns;
    if (c->node[s].parent != MB_NONE) cut.size[c->node[s].parent] += cut.size[s];
  }
  for (size_t l = 0; l < MB_LEVELS; l++) nparts[l] = 0;
  if (ok) {
    const double RATIO = c->n < 50000 ? 1.25 : 1.6; // from one size tried to the next
    double best = INFINITY;
    size_t low = 0, high = 0;
    for (double a = 6; a < 0.5 * (double)c->n; a *= RATIO)
      for (double b = a * RATIO * RATIO; b < (double)c->n; b *= RATIO) {
        const double sum = entries(&cut, (size_t)a, (size_t)b);
        if (sum < best) best = sum, low = (size_t)a, high = (size_t)b;
      }
    find_roots(&cut, low, high);
    // numbers of the parts, by levels and then by their topmost supernodes; the last level is one part
    uint32_t next = 0;
    for (int l = 0; l < MB_LEVELS; l++) {
      const uint32_t before = next;
      for (size_t s = 0; s < c->count; s++)
        if (cut.root[s] == s && level_of(&cut, s, low, high) == l) {
          part[s] = next;
          if (l + 1 < MB_LEVELS) next++;
        }
      if (l + 1 < MB_LEVELS)
        nparts[l] = next - before;
      else
        nparts[l] = 1;
    }
    for (size_t s = c->count; s-- > 0;) part[s] = part[cut.root[s]];
  }
  mb_free(cut.size);
  mb_free(cut.root);
  mb_free(cut.last);
  mb_free(cut.inside);
  return ok;
}
