#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/sparse/cholesky.h"

// Where every number of A goes in L, grouped by supernode.
static bool map_entries(const MbPattern *A, const MbElimination *e, MbCholesky *c) {
  const size_t entries = A->start[A->n];
  uint32_t *owner = mb_calloc(c->n, sizeof *owner);
  c->source = mb_calloc(entries, sizeof *c->source);
  c->target = mb_calloc(entries, sizeof *c->target);
  const bool ok = owner && c->source && c->target;
  for (uint32_t s = 0; ok && s < c->count; s++)
    for (uint32_t i = 0; i < c->node[s].columns; i++) owner[c->node[s].first + i] = s;
  for (int pass = 0; ok && pass < 2; pass++) { // counts, then places
    for (size_t j = 0; j < A->n; j++)
      for (size_t p = A->start[j]; p < A->start[j + 1]; p++) {
        const uint32_t a = e->inverse[A->row[p]], b = e->inverse[j], row = a > b ? a : b,
                       column = a > b ? b : a;
        MbSupernode *node = &c->node[owner[column]];
        if (pass) {
          const uint32_t *below = c->row + node->below;
          size_t at = row - node->first;
          if (at >= node->columns) {
            size_t low = 0, high = node->rows - node->columns;
            while (high - low > 1) {
              const size_t middle = low + (high - low) / 2;
              if (below[middle] <= row)
                low = middle;
              else
                high = middle;
            }
            at = node->columns + low;
          }
          c->source[node->entry + node->entries] = p;
          c->target[node->entry + node->entries] =
              node->panel + (size_t)(column - node->first) * node->rows + at;
        }
        node->entries++;
      }
    size_t at = 0;
    for (size_t s = 0; s < c->count && !pass; s++) {
      c->node[s].entry = at;
      at += c->node[s].entries;
      c->node[s].entries = 0;
    }
  }
  mb_free(owner);
  return ok;
}

void mb_cholesky_shed(MbCholesky *c) {
  double **const blocks[] = {&c->L, &c->updates, &c->x, &c->passed, &c->local};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    mb_free(*blocks[i]);
    *blocks[i] = NULL;
  }
}

bool mb_cholesky_hold(MbCholesky *c) {
  if (c->L) return true;
  c->L = mb_calloc(c->entries, sizeof *c->L);
  c->updates = mb_calloc(c->nupdates, sizeof *c->updates);
  c->x = mb_calloc(c->n * MB_RHS, sizeof *c->x);
  c->passed = mb_calloc(c->nbelow * MB_RHS, sizeof *c->passed);
  c->local = mb_calloc((c->nparts + 1) * c->most_rows * MB_RHS, sizeof *c->local);
  if (c->L && c->updates && c->x && c->passed && c->local) return true;
  mb_cholesky_shed(c);
  return false;
}

static void count_bytes(MbCholesky *c, size_t entries) {
  const size_t locals = (c->nparts + 1) * c->most_rows * MB_RHS;
  c->bytes = sizeof *c + c->n * (sizeof *c->perm + sizeof *c->parent) +
             c->count * (sizeof *c->node + sizeof *c->nodes) +
             c->nbelow * (sizeof *c->row + sizeof *c->place + MB_RHS * sizeof *c->passed) +
             entries * (sizeof *c->source + sizeof *c->target) +
             (c->entries + c->nupdates + c->n * MB_RHS + locals) * sizeof(double);
}

MbCholesky *mb_cholesky_analyse_as(const MbPattern *A, const uint32_t *perm, MbJoin join, int threads) {
  if (!mb_blas_start(threads)) return NULL;
  threads = mb_blas_callers(threads);
  MbCholesky *c = mb_calloc(1, sizeof *c);
  MbAdjacency graph = {0};
  MbElimination elimination = {0};
  uint32_t *own = perm ? NULL : mb_calloc(A->n, sizeof *own);
  bool ok = c && (perm || (own && mb_order_dissection(A, own))) && mb_adjacency_make(A, &graph);
  if (ok) ok = mb_elimination_make(&graph, perm ? perm : own, &elimination);
  if (ok) {
    c->n = A->n;
    for (size_t j = 0; j < A->n; j++) c->factor += elimination.count[j];
    ok = mb_supernodes_make(A, &elimination, join, c) && mb_parts_make(c, threads) &&
         map_entries(A, &elimination, c);
    count_bytes(c, A->start[A->n]);
    c->perm = elimination.perm;
    c->parent = elimination.parent;
    elimination.perm = elimination.parent = NULL;
  }
  mb_elimination_free(&elimination);
  mb_adjacency_free(&graph);
  mb_free(own);
  if (ok) return c;
  mb_cholesky_free(c);
  return NULL;
}

MbCholesky *mb_cholesky_analyse(const MbPattern *A, const uint32_t *perm, int threads) {
  MbCholesky *c = mb_cholesky_analyse_as(A, perm, MB_JOIN_ANY, threads);
  if (!c || mb_cholesky_hold(c)) return c;
  mb_cholesky_free(c);
  return NULL;
}

void mb_cholesky_free(MbCholesky *c) {
  if (!c) return;
  void *const blocks[] = {c->perm,  c->parent, c->node,    c->row, c->place,  c->source, c->target, c->part,
                          c->nodes, c->L,      c->updates, c->x,   c->passed, c->local,  c};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

MbCholeskySize mb_cholesky_size(const MbCholesky *c) {
  return (MbCholeskySize){c->entries, c->count, c->flops, c->bytes};
}
