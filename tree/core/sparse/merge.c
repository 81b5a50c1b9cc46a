#include "core/base/alloc.h"
#include "core/sparse/elimination.h"

// Which columns of L are stored as one dense block. Blocks of few columns cost more by their number than zeros do, so a block is
// joined with its parent's where a model of a solve's time says so. The joined block has the parent's rows below.

typedef struct Block {
  size_t columns, below;
  uint32_t begin;          // the least column, where the block is one run
  uint32_t parent;         // MB_NONE = root
  uint32_t child, sibling; // lists
  uint32_t into;           // the block that this one went into, or itself
} Block;

// Cycles of a solve with three right-hand sides, where L comes from memory: per block, per row below (fetched and left once in each
// direction), per column, per entry.
static double cycles(double columns, double below) {
  return 60 + 5 * below + 8 * columns + 4 * (below + 3) * columns + 2 * (columns + 3) * columns;
}

static bool worth(const Block *a, const Block *b) {
  const double joined = (double)(a->columns + b->columns), one = (double)a->columns,
               other = (double)b->columns, over = (double)a->below, under = (double)b->below;
  return cycles(joined, under) < cycles(one, over) + cycles(other, under);
}

// Runs of columns whose joining adds no zero. owner[j] = block.
static size_t find_blocks(const MbElimination *e, size_t n, Block *block, uint32_t *owner) {
  size_t count = 0;
  for (uint32_t j = 0; j < n; j++) {
    const bool starts = j == 0 || e->parent[j - 1] != j || e->count[j - 1] != e->count[j] + 1;
    if (starts) block[count++] = (Block){.begin = j, .parent = MB_NONE, .child = MB_NONE, .sibling = MB_NONE};
    block[count - 1].columns++;
    block[count - 1].below = e->count[j] - 1;
    owner[j] = (uint32_t)count - 1;
  }
  for (uint32_t s = (uint32_t)count; s-- > 0;) { // lists come out ascending
    const uint32_t up = e->parent[block[s].begin + block[s].columns - 1];
    block[s].into = s;
    if (up == MB_NONE) continue;
    block[s].parent = owner[up];
    block[s].sibling = block[owner[up]].child;
    block[owner[up]].child = s;
  }
  return count;
}

// The children of s that are better off in it; they leave their own children to s. The columns must be one run, unless any may join.
static void join_children(Block *block, uint32_t s, MbJoin join) {
  Block *p = &block[s];
  uint32_t kept = MB_NONE, list = p->child;
  while (list != MB_NONE) {
    const uint32_t k = list;
    Block *child = &block[k];
    list = child->sibling;
    const bool next_to = child->begin + child->columns == p->begin;
    if ((join == MB_JOIN_ANY || next_to) && worth(child, p)) {
      p->columns += child->columns;
      if (next_to) p->begin = child->begin;
      child->into = s;
      for (uint32_t g = child->child, after; g != MB_NONE; g = after) {
        after = block[g].sibling;
        block[g].parent = s;
        block[g].sibling = kept;
        kept = g;
      }
    } else {
      child->sibling = kept;
      kept = k;
    }
  }
  p->child = kept;
}

// Column j becomes number to[j].
static void renumber(MbElimination *e, size_t n, const uint32_t *to, uint32_t *scratch) {
  for (size_t j = 0; j < n; j++) scratch[to[j]] = e->perm[j];
  for (size_t j = 0; j < n; j++) e->perm[j] = scratch[j];
  for (size_t j = 0; j < n; j++) scratch[to[j]] = e->parent[j] == MB_NONE ? MB_NONE : to[e->parent[j]];
  for (size_t j = 0; j < n; j++) e->parent[j] = scratch[j];
  for (size_t j = 0; j < n; j++) scratch[to[j]] = e->count[j];
  for (size_t j = 0; j < n; j++) e->count[j] = scratch[j];
  for (size_t j = 0; j < n; j++) e->inverse[e->perm[j]] = (uint32_t)j;
}

// Blocks in the order of their topmost columns, the columns of each ascending: children still come before parents, and
// subtrees of blocks stand together.
static void place_columns(MbElimination *e, size_t n, Block *block, size_t count, uint32_t *owner,
                          uint32_t *columns, uint32_t *scratch) {
  uint32_t at = 0;
  for (size_t s = count; s-- > 0;)
    if (block[s].into != s) block[s].into = block[block[s].into].into;
  for (size_t s = 0; s < count; s++) {
    if (block[s].into != s) continue;
    columns[at] = (uint32_t)block[s].columns;
    block[s].begin = at;
    at += columns[at];
  }
  for (size_t j = 0; j < n; j++) owner[j] = block[block[owner[j]].into].begin++;
  renumber(e, n, owner, scratch);
}

bool mb_elimination_merge(MbElimination *e, size_t n, MbJoin join, uint32_t *columns) {
  Block *block = mb_calloc(n, sizeof *block);
  uint32_t *owner = mb_calloc(n, sizeof *owner), *scratch = mb_calloc(n, sizeof *scratch);
  const bool ok = block && owner && scratch;
  if (ok) {
    const size_t count = find_blocks(e, n, block, owner);
    for (uint32_t s = 0; join != MB_JOIN_ALIKE && s < count; s++) join_children(block, s, join);
    place_columns(e, n, block, count, owner, columns, scratch);
  }
  mb_free(block);
  mb_free(owner);
  mb_free(scratch);
  return ok;
}
