#include "core/solvers/maximal/kkt_tree.h"
#include "core/base/alloc.h"
#include "core/base/pages.h"

#include <assert.h>

struct MbKktWork {
  MbKktTree tree;
  const MbKktKernels *kernels;
  MbKktBody *order;
  void *block[4]; // what the tree's arrays are in
  size_t bytes;
};

// ---- order ------------------------------------------------------------------------------------------------

// Postorder without a stack: a subtree takes as many places as it has bodies, its root the last of them; of the places
// before, the largest child's subtree takes the first, the others follow as they come. A body's own slot has the number of
// slots that are in use when its subtree is begun.
typedef struct Plan {
  uint32_t *size;  // (nb) bodies of the subtree
  uint32_t *large; // (nb) the child with most
  uint32_t *next;  // (nb) place for the next child's subtree
  uint32_t *begin; // (nb) places of the subtree
  uint32_t *slot;  // (nb)
} Plan;

static void measure(const MbKktShape *s, Plan *plan) {
  for (size_t i = 0; i < s->nb; i++) plan->size[i] = 1, plan->large[i] = MB_KKT_NONE;
  for (size_t i = s->nb; i-- > 0;) {
    const size_t p = s->parent[i];
    if (p == SIZE_MAX) continue;
    assert(p < i);
    plan->size[p] += plan->size[i];
    // from right to left: among equals the first
    if (plan->large[p] == MB_KKT_NONE || plan->size[i] >= plan->size[plan->large[p]])
      plan->large[p] = (uint32_t)i;
  }
}

// Returns the number of slots.
static size_t place(const MbKktShape *s, Plan *plan, MbKktBody *order) {
  uint32_t end = 0, slots = 0;
  for (size_t i = 0; i < s->nb; i++) {
    const size_t p = s->parent[i];
    const bool root = p == SIZE_MAX, large = !root && plan->large[p] == i;
    const uint32_t begin = root ? end : large ? plan->begin[p] : plan->next[p];
    if (root)
      end += plan->size[i];
    else if (!large)
      plan->next[p] += plan->size[i];
    plan->begin[i] = begin;
    plan->next[i] = begin + (plan->large[i] == MB_KKT_NONE ? 0 : plan->size[plan->large[i]]);
    plan->slot[i] = root ? 0 : plan->slot[p] + !large;
    if (plan->slot[i] >= slots) slots = plan->slot[i] + 1;
    order[begin + plan->size[i] - 1] = (MbKktBody){.body = (uint32_t)i,
                                                   .first = (uint32_t)s->first[i],
                                                   .slot = plan->size[i] > 1 ? plan->slot[i] : MB_KKT_NONE,
                                                   .up = root ? MB_KKT_NONE : plan->slot[p],
                                                   .rows = (uint8_t)s->rows[i],
                                                   .opens = large};
  }
  return slots;
}

static bool make_order(const MbKktShape *s, MbKktBody *order, size_t *slots) {
  uint32_t *all = mb_calloc(5 * s->nb, sizeof *all);
  if (!all) return false;
  Plan plan = {all, all + s->nb, all + 2 * s->nb, all + 3 * s->nb, all + 4 * s->nb};
  measure(s, &plan);
  *slots = place(s, &plan, order);
  mb_free(all);
  return true;
}

bool mb_kkt_tree_renumber(size_t nb, const size_t *parent, uint32_t *number) {
  MbKktBody *order = mb_calloc(nb, sizeof *order);
  size_t *none = mb_calloc(nb, sizeof *none), slots;
  const MbKktShape shape = {.nb = nb, .parent = parent, .rows = none, .first = none};
  const bool ok = order && none && nb < MB_KKT_NONE && make_order(&shape, order, &slots);
  for (size_t k = 0; ok && k < nb; k++) number[order[k].body] = (uint32_t)(nb - 1 - k);
  mb_free(order);
  mb_free(none);
  return ok;
}

// ---- the table --------------------------------------------------------------------------------------------

static double *aligned(MbKktWork *work, int k, size_t count) {
  const size_t lanes = work->kernels->lanes, room = count * lanes + 16;
  if (!(work->block[k] = mb_calloc(room, sizeof(double)))) return NULL;
  work->bytes += room * sizeof(double);
  double *const begin = (double *)(((uintptr_t)work->block[k] + 63) / 64 * 64);
  mb_large_pages(begin, count * lanes * sizeof(double));
  return begin;
}

static void tree_free(MbKktWork *work) {
  if (!work) return;
  for (int k = 0; k < 4; k++) mb_free(work->block[k]);
  mb_free(work->order);
  mb_free(work);
}

MbKktWork *mb_kkt_tree_create_with(const MbKktShape *shape, const MbKktKernels *kernels) {
  enum { CACHE = 1 << 22 }; // bytes: beyond, what is not in order comes late
  if (shape->nb >= MB_KKT_NONE || shape->nrows >= MB_KKT_NONE) return NULL;
  MbKktWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  work->kernels = kernels;
  work->order = mb_calloc(shape->nb, sizeof *work->order);
  work->bytes = sizeof *work + shape->nb * sizeof *work->order;
  size_t slots = 0, size = 0;
  bool ok = work->order && make_order(shape, work->order, &slots);
  for (size_t i = 0; ok && i < shape->nb; i++) {
    assert(work->order[i].rows <= MB_KKT_MOST);
    work->order[i].factor = size;
    size += mb_kkt_body_size(work->order[i].rows);
  }
  if (ok) {
    MbKktTree *tree = &work->tree;
    *tree = (MbKktTree){.nb = shape->nb, .lanes = kernels->lanes, .order = work->order};
    tree->factor = aligned(work, 0, size);
    tree->coupling = aligned(work, 1, 36 * shape->nb);
    tree->slots = aligned(work, 2, MB_KKT_SLOT * slots);
    tree->y = aligned(work, 3, 12 * shape->nb);
    tree->scattered = size * kernels->lanes * sizeof(double) > CACHE;
    ok = tree->factor && tree->coupling && tree->slots && tree->y;
  }
  if (ok) return work;
  tree_free(work);
  return NULL;
}

// The recursion is one chain of dependences in the worst case: it runs on the calling thread.
static MbKktWork *tree_create(const MbKktShape *shape, int threads) {
  (void)threads;
  return mb_kkt_tree_create_with(shape, mb_kkt_kernels_for(1));
}

static size_t tree_bytes(const MbKktWork *work) { return work->bytes; }

static bool tree_factor(MbKktWork *work, const MbKktNumbers *numbers, size_t *blame) {
  return work->kernels->factor(&work->tree, numbers, blame);
}

static void tree_solve(MbKktWork *work, double *v, double *lambda) {
  work->kernels->solve(&work->tree, v, lambda);
}

const MbKktOps mb_kkt_tree_ops = {
    .name = "tree",
    .pairs = false,
    .create = tree_create,
    .free = tree_free,
    .bytes = tree_bytes,
    .factor = tree_factor,
    .solve = tree_solve,
};
