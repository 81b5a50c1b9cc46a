// The pairs of bodies that forces couple, and where in K and D each force's derivatives stand.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pair {
  size_t body[2]; // first < second
} Pair;

static int ascending(const void *a, const void *b) {
  const size_t *x = ((const Pair *)a)->body, *y = ((const Pair *)b)->body;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

static bool is_pair(const MbForce *force, size_t i, size_t j, Pair *pair) {
  const size_t a = force->points[i].body, b = force->points[j].body;
  *pair = a < b ? (Pair){{a, b}} : (Pair){{b, a}};
  return a != b && pair->body[1] != MB_WORLD;
}

// Where the derivative of i's wrench by j's motion stands
static size_t place_of(const MbModel *model, const Pair *pairs, const MbForce *force, size_t i, size_t j) {
  const size_t a = force->points[i].body, b = force->points[j].body;
  Pair pair;
  if (a == MB_WORLD || b == MB_WORLD) return MB_WORLD;
  if (!is_pair(force, i, j, &pair)) return 36 * a;
  const Pair *found = bsearch(&pair, pairs, model->npairs, sizeof pair, ascending);
  return 36 * (model->nb + 2 * (size_t)(found - pairs) + (a > b));
}

// All pairs that forces couple, some of them more than once; into `pairs` (NULL: only counted).
static size_t list_pairs(size_t nforces, const MbForce *forces, Pair *pairs) {
  size_t n = 0;
  for (size_t f = 0; f < nforces; f++) {
    const MbElementForce *e = forces[f].elements;
    Pair pair;
    for (size_t i = 0; i < forces[f].npoints; i++)
      for (size_t j = 0; j < i; j++) {
        if (!is_pair(&forces[f], i, j, &pair)) continue;
        if (pairs) pairs[n] = pair;
        n++;
      }
    for (size_t k = 0; e && k < e->ncouples; k++, n++)
      if (pairs) pairs[n] = (Pair){{e->first + e->couple[2 * k], e->first + e->couple[2 * k + 1]}};
  }
  return n;
}

// Each once, ascending.
static MbStatus make_pairs(size_t nforces, MbModel *model, const MbForce *forces, MbReport *report) {
  const size_t n = list_pairs(nforces, forces, NULL);
  Pair *all = mb_calloc(n, sizeof *all);
  if (!all) return mb_no_memory(report, "forces");
  list_pairs(nforces, forces, all);
  qsort(all, n, sizeof *all, ascending);
  for (size_t i = 0; i < n; i++)
    if (!i || ascending(&all[i], &all[model->npairs - 1])) all[model->npairs++] = all[i];
  Pair *pairs = mb_arena_alloc(&model->arena, model->npairs, sizeof *pairs);
  if (pairs && n) memcpy(pairs, all, model->npairs * sizeof *pairs);
  mb_free(all);
  if (!pairs) return mb_no_memory(report, "forces");
  model->pair = &pairs->body[0];
  return MB_OK;
}

MbStatus mb_compile_pairs(size_t nforces, MbModel *model, MbForce *forces, MbReport *report) {
  const MbStatus status = make_pairs(nforces, model, forces, report);
  if (status != MB_OK) return status;
  size_t most = 0;
  for (size_t f = 0; f < nforces; f++) most += forces[f].npoints * forces[f].npoints;
  const Pair *pairs = (const Pair *)model->pair;
  size_t *places = mb_arena_alloc(&model->arena, most, sizeof *places);
  if (!places) return mb_no_memory(report, "forces");

  for (size_t f = 0; f < nforces; f++) {
    MbForce *force = &forces[f];
    const MbElementForce *e = force->elements;
    const size_t m = force->npoints;
    for (size_t k = 0; e && k < e->ncouples; k++) {
      const Pair pair = {{e->first + e->couple[2 * k], e->first + e->couple[2 * k + 1]}};
      const Pair *found = bsearch(&pair, pairs, model->npairs, sizeof pair, ascending);
      ((size_t *)e->pair)[k] = (size_t)(found - pairs);
    }
    force->block = places;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < m; j++) *places++ = place_of(model, pairs, force, i, j);
  }
  return MB_OK;
}
