// The inverse of a factor as it is stored (inverse.h): rows numbered by parts, blocks filled from the factor.
#include "core/base/alloc.h"
#include "core/sparse/inverse.h"

#include <string.h>

enum { GROUP_ROWS = 32, ITEM_COLUMNS = 512 };
static const size_t ITEM_ENTRIES = 16384;

// ---- numbers of rows: parts one after another, each in the factor's order ---------------------------------------

typedef struct Plan {
  const MbCholesky *c;
  uint32_t *part; // (supernodes)
  uint32_t *to;   // (n) new number of the factor's row
} Plan;

static void number_rows(MbInverse *S, Plan *plan) {
  const MbCholesky *c = plan->c;
  for (size_t s = 0; s < c->count; s++) S->part[plan->part[s]].last += c->node[s].columns;
  uint32_t rows = 0;
  for (size_t p = 0; p < S->nparts; p++) {
    S->part[p].first = rows;
    rows += S->part[p].last;
    S->part[p].last = S->part[p].first;
  }
  for (size_t s = 0; s < c->count; s++)
    for (uint32_t j = c->node[s].first; j < c->node[s].first + c->node[s].columns; j++) {
      plan->to[j] = S->part[plan->part[s]].last++;
      S->perm[plan->to[j]] = c->perm[j];
    }
}

// Row i of S begins at the least of i's descendants in the part.
static void place_rows(MbInverse *S, const Plan *plan) {
  const MbCholesky *c = plan->c;
  for (uint32_t i = 0; i < S->n; i++) S->from[i] = i;
  for (size_t s = 0; s < c->count; s++)
    for (uint32_t j = c->node[s].first; j < c->node[s].first + c->node[s].columns; j++) {
      if (c->parent[j] == MB_NONE) continue;
      const uint32_t i = plan->to[j], up = plan->to[c->parent[j]];
      if (up < S->part[plan->part[s]].last && S->from[i] < S->from[up]) S->from[up] = S->from[i];
    }
  for (size_t i = 0; i < S->n; i++) {
    S->at[i] = S->entries;
    S->entries += i - S->from[i] + 1;
  }
}

// ---- groups and what a thread takes at a time -------------------------------------------------------------------

static void place_groups(MbInverse *S) {
  for (size_t p = 0; p < S->nparts; p++) {
    MbPiece *part = &S->part[p];
    part->group = S->ngroups;
    for (uint32_t i = part->first; i < part->last; i++) {
      MbRowGroup *last = S->ngroups > part->group ? &S->group[S->ngroups - 1] : NULL;
      if (last && last->from == S->from[i] && last->last - last->first < GROUP_ROWS)
        last->last++;
      else
        S->group[S->ngroups++] = (MbRowGroup){i, i + 1, S->from[i]};
    }
    part->ngroups = S->ngroups - part->group;
  }
}

static void place_items(MbInverse *S, const size_t nparts[MB_LEVELS]) {
  size_t nrows = 0, ncolumns = 0, part = 0;
  for (size_t l = 0; l < S->nlevels; l++) {
    MbLevel *level = &S->level[l];
    *level = (MbLevel){.part = part, .nparts = nparts[l], .rows = nrows, .columns = ncolumns};
    for (; part < level->part + level->nparts; part++) {
      const MbPiece *p = &S->part[part];
      for (size_t g = p->group; g < p->group + p->ngroups;) {
        MbInverseItem *item = &S->rows[nrows++];
        size_t sum = 0;
        *item = (MbInverseItem){.part = (uint32_t)part, .group = g};
        while (g < p->group + p->ngroups && sum < ITEM_ENTRIES) {
          const MbRowGroup *group = &S->group[g++];
          sum += (size_t)(group->last - group->first) * (group->last - group->from);
        }
        item->end = g;
      }
      size_t g = p->group;
      for (uint32_t k = p->first; k < p->last; k += ITEM_COLUMNS) {
        const uint32_t last = p->last - k < ITEM_COLUMNS ? p->last : k + ITEM_COLUMNS;
        while (S->group[g].last <= k) g++; // rows from k on reach its columns
        S->columns[ncolumns++] = (MbInverseItem){(uint32_t)part, k, last, g, p->group + p->ngroups};
      }
    }
    level->nrows = nrows - level->rows;
    level->ncolumns = ncolumns - level->columns;
  }
}

// ---- coupling -------------------------------------------------------------------------------------------------

// Rows below of a supernode that are not in its part; they come last.
static const uint32_t *rows_above(const MbInverse *S, const Plan *plan, size_t s, size_t *count) {
  const MbSupernode *node = &plan->c->node[s];
  const uint32_t *below = plan->c->row + node->below, last = S->part[plan->part[s]].last;
  size_t i = 0, m = node->rows - node->columns;
  while (i < m && plan->to[below[i]] < last) i++;
  *count = m - i;
  return below + i;
}

// The border of a part is that of its topmost supernode. Without arrays: counts only.
static void place_coupling(MbInverse *S, const Plan *plan) {
  const MbCholesky *c = plan->c;
  S->nblocks = S->nabove = S->nslots = S->coupled = 0;
  for (size_t p = 0; p < S->nparts; p++) S->part[p].nblocks = 0;
  for (size_t s = c->count; s-- > 0;) { // a part's topmost supernode comes first
    MbPiece *part = &S->part[plan->part[s]];
    size_t m;
    const uint32_t *above = rows_above(S, plan, s, &m);
    if (m == 0) continue;
    if (part->nblocks++ == 0) {
      part->border = S->nabove;
      part->nborder = m;
      if (S->above)
        for (size_t i = 0; i < m; i++) S->above[S->nabove + i] = plan->to[above[i]];
      S->nabove += m;
    }
    S->nblocks++;
    S->nslots += m;
    S->coupled += m * c->node[s].columns;
  }
  if (!S->block) return;
  size_t block = 0, nslots = 0, at = S->entries;
  for (size_t p = 0; p < S->nparts; p++) {
    S->part[p].block = block;
    block += S->part[p].nblocks;
    S->part[p].nblocks = 0;
  }
  for (size_t s = 0; s < c->count; s++) {
    MbPiece *part = &S->part[plan->part[s]];
    size_t m, k = 0;
    const uint32_t *above = rows_above(S, plan, s, &m);
    if (m == 0) continue;
    S->block[part->block + part->nblocks++] =
        (MbCoupling){plan->to[c->node[s].first], c->node[s].columns, (uint32_t)m, nslots, at};
    for (size_t i = 0; i < m; i++) { // both ascend
      while (S->above[part->border + k] != plan->to[above[i]]) k++;
      S->slot[nslots++] = (uint32_t)k;
    }
    at += m * c->node[s].columns;
  }
}

// ---- one object -----------------------------------------------------------------------------------------------

static size_t bytes(const MbInverse *S) {
  const size_t number = S->single ? sizeof(float) : sizeof(double);
  return sizeof *S + S->n * (sizeof *S->perm + sizeof *S->at + sizeof *S->from + 6 * sizeof(double)) +
         S->nparts * sizeof *S->part + S->ngroups * sizeof *S->group + S->nblocks * sizeof *S->block +
         S->nabove * (sizeof *S->above + 3 * sizeof(double)) + S->nslots * sizeof *S->slot +
         (S->entries + S->coupled) * number;
}

static bool allocate(MbInverse *S, const Plan *plan, const size_t nparts[MB_LEVELS]) {
  const size_t n = S->n;
  S->group = mb_calloc(n, sizeof *S->group);
  if (!S->group) return false;
  place_groups(S);
  S->rows = mb_calloc(S->ngroups, sizeof *S->rows);
  S->columns = mb_calloc(n / ITEM_COLUMNS + S->nparts, sizeof *S->columns);
  if (!S->rows || !S->columns) return false;
  place_items(S, nparts);
  place_coupling(S, plan);
  S->above = mb_calloc(S->nabove, sizeof *S->above);
  S->slot = mb_calloc(S->nslots, sizeof *S->slot);
  S->block = mb_calloc(S->nblocks, sizeof *S->block);
  if (!S->above || !S->slot || !S->block) return false;
  place_coupling(S, plan);
  S->b = mb_calloc(MB_VECTORS * n, sizeof *S->b);
  S->y = mb_calloc(MB_VECTORS * n, sizeof *S->y);
  S->border = mb_calloc(MB_VECTORS * S->nabove, sizeof *S->border);
  S->bytes = bytes(S);
  return S->b && S->y && S->border;
}

MbInverse *mb_inverse_make(const MbCholesky *c, size_t levels, bool single) {
  MbInverse *S = mb_calloc(1, sizeof *S);
  Plan plan = {c, mb_calloc(c->count, sizeof *plan.part), mb_calloc(c->n, sizeof *plan.to)};
  size_t nparts[MB_LEVELS] = {1};
  bool ok = S && plan.part && plan.to && (levels == 1 || mb_inverse_cut(c, plan.part, nparts));
  if (ok) {
    *S = (MbInverse){.n = c->n, .single = single, .nlevels = levels};
    for (size_t l = 0; l < levels; l++) S->nparts += nparts[l];
    S->perm = mb_calloc(c->n, sizeof *S->perm);
    S->at = mb_calloc(c->n, sizeof *S->at);
    S->from = mb_calloc(c->n, sizeof *S->from);
    S->part = mb_calloc(S->nparts, sizeof *S->part);
    ok = S->perm && S->at && S->from && S->part;
  }
  if (ok) {
    number_rows(S, &plan);
    place_rows(S, &plan);
    ok = allocate(S, &plan, nparts);
  }
  mb_free(plan.part);
  mb_free(plan.to);
  if (ok) return S;
  mb_inverse_free(S);
  return NULL;
}

void mb_inverse_free(MbInverse *S) {
  if (!S) return;
  void *const blocks[] = {S->perm,  S->at,   S->from,    S->part, S->group, S->block,  S->rows, S->columns,
                          S->above, S->slot, S->numbers, S->b,    S->y,     S->border, S};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}
