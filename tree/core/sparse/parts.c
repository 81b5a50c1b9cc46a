#include "core/base/alloc.h"
#include "core/sparse/cholesky.h"

#include <string.h>

// How the tree is divided: the costliest subtree is opened, its root left for the end, until the costliest is small against
// what a thread has to do; then they are dealt out, costliest first, each to the thread with the least.
static const double FINE = 0.25; // the largest subtree, of one thread's share

typedef struct Subtrees {
  size_t count;
  uint32_t *root; // (count)
  double *cost;   // (supernodes) of the subtree
} Subtrees;

static size_t costliest(const Subtrees *trees) {
  size_t best = 0;
  for (size_t i = 1; i < trees->count; i++)
    if (trees->cost[trees->root[i]] > trees->cost[trees->root[best]]) best = i;
  return best;
}

// owner[s] = the thread that a supernode is done by; nparts for those of the end
static void divide(const MbCholesky *c, Subtrees *trees, uint32_t *owner) {
  const size_t threads = c->nparts;
  double total = 0, load[64] = {0};
  for (size_t s = 0; s < c->count; s++) {
    const MbSupernode *node = &c->node[s];
    trees->cost[s] += (double)node->columns * node->rows * node->rows + 100;
    if (node->parent != MB_NONE)
      trees->cost[node->parent] += trees->cost[s];
    else
      trees->root[trees->count++] = (uint32_t)s, total += trees->cost[s];
    owner[s] = MB_NONE;
  }
  while (trees->count && threads > 1) {
    const size_t i = costliest(trees);
    const uint32_t root = trees->root[i];
    if (trees->cost[root] <= FINE * total / (double)threads) break;
    owner[root] = (uint32_t)threads;
    trees->root[i] = trees->root[--trees->count];
    for (uint32_t k = c->node[root].child; k != MB_NONE; k = c->node[k].sibling)
      trees->root[trees->count++] = k;
  }
  while (trees->count) {
    const size_t i = costliest(trees);
    const uint32_t root = trees->root[i];
    size_t least = 0;
    for (size_t t = 1; t < threads; t++)
      if (load[t] < load[least]) least = t;
    load[least] += trees->cost[root];
    owner[root] = (uint32_t)least;
    trees->root[i] = trees->root[--trees->count];
  }
  for (size_t s = c->count; s-- > 0;)
    if (owner[s] == MB_NONE) owner[s] = owner[c->node[s].parent];
}

// Updates live from their supernode to its parent. Those of one part are on two stacks, by the parity of their depth: what
// is on a node's stack above its children's place is gone when it is done. Those between parts stay where they are.
static void place_updates(MbCholesky *c, const uint32_t *owner, size_t (*top)[2], size_t (*most)[2]) {
  uint32_t *depth = c->nodes; // free yet
  for (size_t s = c->count; s-- > 0;)
    depth[s] = c->node[s].parent == MB_NONE ? 0 : 1 - depth[c->node[s].parent];
  size_t kept = 0;
  for (int pass = 0; pass < 2; pass++) { // sizes, then places
    size_t base = kept;
    for (size_t t = 0; t <= c->nparts; t++)
      for (int side = 0; side < 2; side++) {
        const size_t size = most[t][side];
        most[t][side] = base; // in the second pass, where the stack begins
        base += size;
        top[t][side] = 0;
      }
    if (pass == 1) c->nupdates = base;
    size_t between = 0;
    for (size_t s = 0; s < c->count; s++) {
      MbSupernode *node = &c->node[s];
      const size_t m = node->rows - node->columns, size = m * m, t = owner[s], side = depth[s];
      const bool leaves = node->parent != MB_NONE && owner[node->parent] != t;
      if (leaves) {
        node->update = between;
        between += size;
      } else {
        node->update = (pass ? most[t][side] : 0) + top[t][side];
        top[t][side] += size;
        if (!pass && top[t][side] > most[t][side]) most[t][side] = top[t][side];
      }
      // the children's are done with
      for (uint32_t k = node->child; k != MB_NONE; k = c->node[k].sibling)
        if (owner[k] == t) {
          const size_t rows = c->node[k].rows - c->node[k].columns;
          top[t][1 - side] -= rows * rows;
        }
    }
    kept = between;
  }
}

bool mb_parts_make(MbCholesky *c, int threads) {
  c->nparts = threads < 1 ? 1 : threads > 64 ? 64 : (size_t)threads;
  Subtrees trees = {0, mb_calloc(c->count, sizeof *trees.root), mb_calloc(c->count, sizeof *trees.cost)};
  uint32_t *owner = mb_calloc(c->count, sizeof *owner);
  size_t(*top)[2] = mb_calloc(c->nparts + 1, sizeof *top),
  (*most)[2] = mb_calloc(c->nparts + 1, sizeof *most);
  c->part = mb_calloc(c->nparts + 1, sizeof *c->part);
  c->nodes = mb_calloc(c->count, sizeof *c->nodes);
  const bool ok = trees.root && trees.cost && owner && top && most && c->part && c->nodes;
  if (ok) {
    divide(c, &trees, owner);
    place_updates(c, owner, top, most);
    for (size_t s = 0; s < c->count; s++) c->part[owner[s]].count++;
    uint32_t *nodes = c->nodes;
    for (size_t t = 0; t <= c->nparts; t++)
      c->part[t].nodes = nodes, nodes += c->part[t].count, c->part[t].count = 0;
    for (uint32_t s = 0; s < c->count; s++) c->part[owner[s]].nodes[c->part[owner[s]].count++] = s;
  }
  mb_free(trees.root);
  mb_free(trees.cost);
  mb_free(owner);
  mb_free(top);
  mb_free(most);
  return ok;
}
