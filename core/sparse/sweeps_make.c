#include "core/base/alloc.h"
#include "core/sparse/sweeps.h"

#include <stdlib.h>
#include <string.h>

static const double FINE =
    0.2; // the largest task, of all there is to do: smaller ones leave more above them, for one thread
static const double COARSE = 0.01; // what is less is done with what is above the tasks
static const double GRAIN = 60000; // cycles in all from which on there are tasks

static double cycles(const MbSupernode *node) {
  const double c = node->columns, m = node->rows - node->columns;
  return 120 + 8 * c + 5 * m + (0.8 * m + 0.4 * c) * c;
}

// ---- tasks ----------------------------------------------------------------------------------------------------

typedef struct Subtree {
  uint32_t root;
  double cost;
} Subtree;

static int costlier(const void *a, const void *b) {
  const Subtree *x = a, *y = b;
  if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
  return (x->root > y->root) - (x->root < y->root);
}

// Opens the costliest subtree until all are small. Returns their number, costliest first.
static size_t cut(const MbCholesky *c, double *cost, Subtree tasks[MB_TASKS]) {
  double total = 0;
  size_t count = 0;
  for (size_t s = 0; s < c->count; s++) {
    cost[s] += cycles(&c->node[s]);
    total += cycles(&c->node[s]);
    if (c->node[s].parent != MB_NONE) cost[c->node[s].parent] += cost[s];
  }
  if (total < GRAIN) return 0;
  for (uint32_t s = 0; s < c->count; s++) // roots; of a forest of many trees only the costliest are tasks
    if (c->node[s].parent == MB_NONE && cost[s] >= COARSE * total && count < MB_TASKS)
      tasks[count++] = (Subtree){s, cost[s]};
  for (;;) {
    qsort(tasks, count, sizeof *tasks, costlier);
    if (!count || tasks[0].cost <= FINE * total) break;
    Subtree open[MB_TASKS];
    size_t children = 0;
    for (uint32_t k = c->node[tasks[0].root].child; k != MB_NONE; k = c->node[k].sibling)
      if (cost[k] >= COARSE * total && children < MB_TASKS) open[children++] = (Subtree){k, cost[k]};
    if (count - 1 + children > MB_TASKS) break;
    tasks[0] = tasks[--count];
    memcpy(tasks + count, open, children * sizeof *open);
    count += children;
  }
  return count;
}

// The first node of a subtree: they stand together.
static uint32_t leftmost(const MbCholesky *c, uint32_t s) {
  while (c->node[s].child != MB_NONE) s = c->node[s].child; // lists ascend
  return s;
}

// ---- places ---------------------------------------------------------------------------------------------------

// Rows below with the task's own numbers for those above it (slot, MB_NONE = none), filled up with `zero`.
static void copy_rows(MbSweeps *s, const MbCholesky *c, size_t node, uint32_t last, const uint32_t *slot,
                      uint32_t zero) {
  const uint32_t *below = c->row + c->node[node].below;
  uint32_t *row = s->row + s->node[node].row;
  const size_t m = s->node[node].below;
  for (size_t i = 0; i < mb_group_rows(m); i++)
    row[i] = i >= m ? zero : slot && below[i] >= last ? slot[below[i]] : below[i];
}

static void place_tasks(MbSweeps *s, const MbCholesky *c, const Subtree *tasks, uint32_t *slot, bool *taken) {
  size_t above = 0, rows = s->n;
  for (size_t t = 0; t < s->ntasks; t++) {
    const uint32_t root = tasks[t].root, begin = leftmost(c, root);
    const MbSupernode *top = &c->node[root];
    MbSweepTask *task = &s->task[t];
    *task = (MbSweepTask){begin,
                          root + 1,
                          c->node[begin].first,
                          top->first + top->columns,
                          (uint32_t)rows,
                          top->rows - top->columns,
                          above,
                          tasks[t].cost};
    for (uint32_t i = 0; i < task->nborder; i++) {
      s->above[above + i] = c->row[top->below + i];
      slot[s->above[above + i]] = task->border + i;
    }
    above += task->nborder;
    rows += task->nborder + 1;
    for (size_t k = begin; k <= root; k++) {
      copy_rows(s, c, k, task->last, slot, task->border + task->nborder);
      taken[k] = true;
    }
  }
  for (uint32_t k = 0; k < s->count; k++)
    if (!taken[k]) {
      copy_rows(s, c, k, 0, NULL, (uint32_t)rows);
      s->top[s->ntop++] = k;
    }
  s->rows = rows;
}

static bool place_numbers(MbSweeps *s) {
  size_t most = 0;
  for (size_t k = 0; k < s->count; k++) {
    MbSweepNode *node = &s->node[k];
    node->B = s->entries;
    s->entries += mb_group_rows(node->below) * node->columns;
    if (node->columns > most) most = node->columns;
  }
  for (size_t k = 0; k < s->count; k++) { // apart, since one direction does not read them
    MbSweepNode *node = &s->node[k];
    node->D = s->entries;
    s->entries += mb_sweep_diagonal(node->columns);
  }
  s->nscratch = 12 * MB_TILE + 8 * mb_group_rows(most);
  for (size_t i = 0; s->ntasks && i < s->ntop; i++) {
    const MbSweepNode *node = &s->node[s->top[i]];
    if (mb_sweep_shared(node) && node->columns > s->widest) s->widest = node->columns;
  }
  const size_t tiles = (s->widest + MB_TILE - 1) / MB_TILE;
  const size_t wide = 4 * mb_group_rows(s->widest) + tiles * mb_sweep_each(s->widest);
  const size_t rows = 4 * (s->rows + 1), scratch = (s->ntasks + 1) * s->nscratch,
               all = s->entries + rows + scratch + wide + 16;
  s->bytes += all * sizeof(double);
  s->memory = mb_calloc(all, sizeof(double));
  if (!s->memory) return false;
  s->numbers = (double *)(s->memory + (64 - (uintptr_t)s->memory % 64) % 64);
  s->x = s->numbers + (s->entries + 7) / 8 * 8; // entries are a multiple of four
  s->scratch = s->x + rows;
  s->wide = s->scratch + scratch;
  return true;
}

MbSweeps *mb_sweeps_make(const MbCholesky *c) {
  MbSweeps *s = mb_calloc(1, sizeof *s);
  double *cost = mb_calloc(c->count, sizeof *cost);
  uint32_t *slot = mb_calloc(c->n, sizeof *slot);
  bool *taken = mb_calloc(c->count, sizeof *taken), ok = s && cost && slot && taken;
  if (ok) {
    Subtree tasks[MB_TASKS];
    *s = (MbSweeps){.n = c->n, .count = c->count, .perm = c->perm, .ntasks = cut(c, cost, tasks)};
    size_t rows = 0, above = 0;
    for (size_t k = 0; k < c->count; k++) rows += mb_group_rows(c->node[k].rows - c->node[k].columns);
    for (size_t t = 0; t < s->ntasks; t++)
      above += c->node[tasks[t].root].rows - c->node[tasks[t].root].columns;
    s->node = mb_calloc(c->count, sizeof *s->node);
    s->row = mb_calloc(rows, sizeof *s->row);
    s->task = mb_calloc(s->ntasks, sizeof *s->task);
    s->top = mb_calloc(c->count, sizeof *s->top);
    s->above = mb_calloc(above, sizeof *s->above);
    s->bytes = sizeof *s + c->count * (sizeof *s->node + sizeof *s->top) + rows * sizeof *s->row +
               s->ntasks * sizeof *s->task + above * sizeof *s->above;
    ok = s->node && s->row && s->task && s->top && s->above;
    rows = 0;
    for (size_t k = 0; ok && k < c->count; k++) {
      const MbSupernode *from = &c->node[k];
      const uint32_t below = from->rows - from->columns;
      s->node[k] = (MbSweepNode){.first = from->first, .columns = from->columns, .below = below, .row = rows};
      rows += mb_group_rows(below);
    }
    if (ok) place_tasks(s, c, tasks, slot, taken);
    ok = ok && place_numbers(s);
  }
  mb_free(cost);
  mb_free(slot);
  mb_free(taken);
  if (ok) return s;
  mb_sweeps_free(s);
  return NULL;
}

void mb_sweeps_free(MbSweeps *s) {
  if (!s) return;
  void *const blocks[] = {s->node, s->row, s->task, s->top, s->above, s->memory, s};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}
