#include "core/sparse/elimination.h"
#include "core/base/alloc.h"

#include <string.h>

// parent(j) is the first row below the diagonal of L's column j. Row by row: every neighbour that comes before leads up the
// tree found so far to a root, whose parent is the row; `jump` shortens the way (Liu 1990).
static void find_parents(const MbAdjacency *graph, const uint32_t *perm, const uint32_t *inverse,
                         uint32_t *parent, uint32_t *jump) {
  for (uint32_t k = 0; k < graph->n; k++) {
    parent[k] = jump[k] = MB_NONE;
    for (uint32_t p = graph->start[perm[k]]; p < graph->start[perm[k] + 1]; p++)
      for (uint32_t i = inverse[graph->to[p]], up; i < k; i = up) {
        up = jump[i];
        jump[i] = k;
        if (up == MB_NONE) parent[i] = k;
        if (up == MB_NONE || up == k) break;
      }
  }
}

// order[k] = the node that comes as number k: children in ascending order before their parent.
static void postorder(size_t n, const uint32_t *parent, uint32_t *head, uint32_t *next, uint32_t *order) {
  for (size_t i = 0; i < n; i++) head[i] = MB_NONE;
  uint32_t root = MB_NONE, k = 0;
  for (size_t i = n; i-- > 0;) {
    uint32_t *list = parent[i] == MB_NONE ? &root : &head[parent[i]];
    next[i] = *list;
    *list = (uint32_t)i;
  }
  // down to a leaf, then to its sibling or up; a node's list of children is emptied on the way
  for (uint32_t at = root; at != MB_NONE;) {
    if (head[at] != MB_NONE) {
      const uint32_t child = head[at];
      head[at] = MB_NONE;
      at = child;
      continue;
    }
    order[k++] = at;
    at = next[at] != MB_NONE ? next[at] : parent[at];
  }
}

// The entries of L's columns without L (Gilbert, Ng, Peyton 1994). Row i of L is the subtree of i that its neighbours j < i
// span. Column j gains an entry where j is a leaf of such a subtree; where two leaves' paths meet one is counted double; and
// everything adds up along the tree. With nodes in postorder j is a leaf when it lies outside of all subtrees seen before.
static void find_counts(const MbAdjacency *graph, const MbElimination *e, uint32_t *first, uint32_t *seen,
                        uint32_t *leaf, uint32_t *set, int64_t *delta) {
  const size_t n = graph->n;
  for (uint32_t j = 0; j < n; j++) first[j] = j, seen[j] = leaf[j] = MB_NONE, set[j] = j, delta[j] = 1;
  for (uint32_t j = 0; j < n; j++) {
    const uint32_t up = e->parent[j];
    if (up == MB_NONE) continue;
    if (first[j] < first[up]) first[up] = first[j];
    delta[up] = 0; // no leaf of the whole tree
  }
  for (uint32_t j = 0; j < n; j++) {
    if (e->parent[j] != MB_NONE) delta[e->parent[j]]--;
    for (uint32_t p = graph->start[e->perm[j]]; p < graph->start[e->perm[j] + 1]; p++) {
      const uint32_t i = e->inverse[graph->to[p]];
      if (i <= j || (seen[i] != MB_NONE && first[j] <= seen[i])) continue;
      delta[j]++;
      if (leaf[i] != MB_NONE) {
        uint32_t meet = leaf[i];
        while (set[meet] != meet) meet = set[meet];
        for (uint32_t s = leaf[i], t; s != meet; s = t) t = set[s], set[s] = meet;
        delta[meet]--;
      }
      seen[i] = first[j];
      leaf[i] = j;
    }
    if (e->parent[j] != MB_NONE) set[j] = e->parent[j];
  }
  for (uint32_t j = 0; j < n; j++)
    if (e->parent[j] != MB_NONE) delta[e->parent[j]] += delta[j];
  for (uint32_t j = 0; j < n; j++) e->count[j] = (uint32_t)delta[j];
}

bool mb_elimination_make(const MbAdjacency *graph, const uint32_t *perm, MbElimination *e) {
  const size_t n = graph->n;
  uint32_t *scratch = mb_calloc(4 * n, sizeof *scratch), *a = scratch, *b = a + n, *c = b + n, *d = c + n;
  int64_t *delta = mb_calloc(n, sizeof *delta);
  *e = (MbElimination){mb_calloc(n, sizeof *e->perm), mb_calloc(n, sizeof *e->inverse),
                       mb_calloc(n, sizeof *e->parent), mb_calloc(n, sizeof *e->count)};
  const bool ok = scratch && delta && e->perm && e->inverse && e->parent && e->count;
  if (ok) {
    for (size_t k = 0; k < n; k++) e->inverse[perm[k]] = (uint32_t)k;
    find_parents(graph, perm, e->inverse, a, b);
    postorder(n, a, b, c, d);
    // from the numbers of `perm` to those of the postorder
    for (uint32_t k = 0; k < n; k++) e->perm[k] = perm[d[k]], c[d[k]] = k;
    for (uint32_t k = 0; k < n; k++) e->inverse[e->perm[k]] = k;
    for (uint32_t k = 0; k < n; k++) e->parent[k] = a[d[k]] == MB_NONE ? MB_NONE : c[a[d[k]]];
    find_counts(graph, e, a, b, c, d, delta);
  } else
    mb_elimination_free(e);
  mb_free(scratch);
  mb_free(delta);
  return ok;
}

void mb_elimination_free(MbElimination *e) {
  mb_free(e->perm);
  mb_free(e->inverse);
  mb_free(e->parent);
  mb_free(e->count);
  *e = (MbElimination){0};
}
