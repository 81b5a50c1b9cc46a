// What nodes that a device moves have there, array by array.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "gpu/moved.h"

#include <string.h>

enum { LINE = 256 };

void *mb_moved_place(char **next, size_t count, size_t size) {
  char *const at = *next;
  *next = (char *)((uintptr_t)at + (count * size + LINE - 1) / LINE * LINE);
  return at;
}

static double *numbers(char **next, size_t count) { return mb_moved_place(next, count, sizeof(double)); }

static void place_block(MbMoved *moved, MbMovedBlock *block, char **next) {
  const MbPdBlock *of = block->of;
  const MbGradient *from = &of->gradient;
  const size_t stride = from->stride, rank = of->rank, corners = of->corners;
  const bool springs = rank == 1;
  MbElementArgs *a = &block->args;
  a->elastic = of->elastic, a->thickness = of->thickness, a->damper = of->damper;
  a->gradient = (MbGradient){.rank = from->rank, .n = from->n, .nodes = from->nodes, .stride = stride};
  a->gradient.node = mb_moved_place(next, stride * corners, sizeof *a->gradient.node);
  a->gradient.B = numbers(next, rank * rank * stride);
  a->gradient.size = numbers(next, stride);
  a->weight = numbers(next, stride), a->scale = numbers(next, stride);
  a->k = numbers(next, springs ? stride : 0), a->c = numbers(next, springs ? stride : 0);
  a->before = numbers(next, stride * (springs ? 1 : mb_pd_damped(of) ? rank * rank : 0));
  a->u = numbers(next, block->dual ? 3 * rank * stride : 0);
  a->corner = numbers(next, 3 * corners * stride);
  a->first = mb_moved_place(next, from->nodes + 1, sizeof *a->first);
  a->place = mb_moved_place(next, from->n * corners, sizeof *a->place);
  a->energy = moved->energy + block->at;
}

static void place_nodes(MbMoved *moved, const MbPdEngine *engine, char **next) {
  const size_t n = engine->n, nfree = engine->nfree, entries = engine->form.n ? engine->form.start[n] : 0;
  MbNodeArgs *a = &moved->nodes;
  a->h = engine->h;
  a->node = mb_moved_place(next, nfree, sizeof *a->node);
  a->placed = mb_moved_place(next, n, sizeof *a->placed);
  a->mass = numbers(next, n), a->inertia = numbers(next, n);
  a->q0 = numbers(next, 3 * n), a->v0 = numbers(next, 3 * n);
  a->held = mb_moved_place(next, n, sizeof *a->held);
  a->target = numbers(next, 3 * moved->nheld);
  a->ahead = numbers(next, 3 * n), a->q = numbers(next, 3 * n), a->q1 = numbers(next, 3 * n);
  a->f = numbers(next, 3 * n);
  a->r = numbers(next, 3 * nfree), a->b = numbers(next, 3 * nfree), a->b1 = numbers(next, 3 * nfree);
  a->z = numbers(next, 3 * nfree), a->y = numbers(next, 3 * nfree);
  for (size_t k = 0; k < MB_GPU_PAIRS; k++)
    a->s[k] = numbers(next, 3 * nfree), a->zs[k] = numbers(next, 3 * nfree);
  a->along = numbers(next, nfree), a->most = numbers(next, nfree), a->energy = numbers(next, nfree);
  a->apart = numbers(next, n);
  a->start = mb_moved_place(next, engine->form.n ? n + 1 : 0, sizeof *a->start);
  a->column = mb_moved_place(next, entries, sizeof *a->column);
  a->value = numbers(next, entries);
  a->of_form = moved->energy + moved->elements;
}

static void place_curved(MbMoved *moved, const MbPdEngine *engine, char **next) {
  const MbBendingRest *from = &engine->form.rest;
  const size_t count = from->count;
  MbCurvedArgs *a = &moved->curved;
  moved->ncurved = count, moved->npulls = 3 * count + from->entries;
  if (!count) return;
  a->corner = mb_moved_place(next, 3 * count, sizeof *a->corner);
  a->first = mb_moved_place(next, count + 1, sizeof *a->first);
  a->node = mb_moved_place(next, from->entries, sizeof *a->node);
  a->weight = numbers(next, from->entries), a->square = numbers(next, count);
  a->pull = numbers(next, 12 * count);
  a->mine = mb_moved_place(next, engine->n + 1, sizeof *a->mine);
  a->which = mb_moved_place(next, moved->npulls, sizeof *a->which);
  a->share = numbers(next, moved->npulls);
  a->energy = moved->energy + moved->elements + engine->form.n;
  a->f = moved->nodes.f;
}

size_t mb_moved_lay_out(MbMoved *moved, const MbPdEngine *engine, char *memory) {
  char *next = memory;
  const size_t longest = 3 * engine->n > moved->energies ? 3 * engine->n : moved->energies;
  moved->energy = numbers(&next, moved->energies);
  for (size_t k = 0; k < moved->nblocks; k++) place_block(moved, &moved->block[k], &next);
  place_nodes(moved, engine, &next);
  place_curved(moved, engine, &next);
  mb_moved_loads_lay_out(moved, engine, &next);
  mb_moved_ports_lay_out(moved, engine, &next);
  moved->most_chunks = MB_SUM_JOBS * (longest / MB_SUM_CHUNK + 1);
  moved->sums.part = numbers(&next, moved->most_chunks);
  moved->sums.result = numbers(&next, MB_SUM_JOBS);
  if (engine->nfree) mb_moved_inverse_lay_out(moved, engine, &next);
  mb_moved_touch_lay_out(moved, engine, &next);
  mb_moved_away_lay_out(moved, &next);
  return (size_t)((uintptr_t)next - (uintptr_t)memory);
}

// ---- numbers ----------------------------------------------------------------------------------------------

bool mb_moved_put_short(const MbMoved *moved, const uint32_t *to, const size_t *from, size_t n) {
  uint32_t *copy = mb_calloc(n, sizeof *copy);
  if (!copy) return false;
  for (size_t i = 0; i < n; i++) copy[i] = (uint32_t)from[i];
  mb_moved_put(moved, to, copy, n * sizeof *copy);
  mb_free(copy);
  return true;
}

static bool fill_block(const MbMoved *moved, const MbMovedBlock *block) {
  const MbPdBlock *of = block->of;
  const MbGradient *from = &of->gradient;
  const MbElementArgs *a = &block->args;
  const size_t stride = from->stride, rank = of->rank, word = sizeof(double);
  mb_moved_put(moved, a->gradient.node, from->node, stride * of->corners * sizeof *from->node);
  mb_moved_put(moved, a->gradient.B, from->B, rank * rank * stride * word);
  mb_moved_put(moved, a->gradient.size, from->size, stride * word);
  mb_moved_put(moved, a->weight, of->weight, stride * word);
  mb_moved_put(moved, a->scale, of->scale, stride * word);
  if (rank == 1)
    mb_moved_put(moved, a->k, of->k, stride * word), mb_moved_put(moved, a->c, of->c, stride * word);
  if (rank == 1) mb_moved_put(moved, a->before, of->before, stride * word);
  mb_moved_put(moved, a->place, from->corner, from->n * of->corners * sizeof *from->corner);
  return mb_moved_put_short(moved, a->first, from->first, from->nodes + 1);
}

typedef struct Pulls {
  uint32_t *mine, *which; // one behind where a node's begin; which
  double *share;
} Pulls;

// Triangle by triangle, its corners and then its stencil: by counting, and then once more.
static void sort_pulls(const MbBendingRest *from, const Pulls *to, bool counting) {
  for (size_t t = 0; t < from->count; t++) {
    const size_t begin = from->first[t], end = from->first[t + 1];
    for (size_t k = 0; k < 3 + end - begin; k++) {
      const uint32_t node = k < 3 ? from->corner[3 * t + k] : from->node[begin + k - 3];
      uint32_t *const at = &to->mine[node + 1];
      if (!counting)
        to->which[*at] = (uint32_t)(4 * t + (k < 3 ? k : 3)),
        to->share[*at] = k < 3 ? 1 : from->weight[begin + k - 3];
      ++*at;
    }
  }
}

static bool fill_curved(const MbMoved *moved, const MbPdEngine *engine) {
  const MbBendingRest *from = &engine->form.rest;
  const MbCurvedArgs *a = &moved->curved;
  const size_t n = engine->n, count = from->count;
  const Pulls to = {mb_calloc(n + 2, sizeof *to.mine), mb_calloc(moved->npulls, sizeof *to.which),
                    mb_calloc(moved->npulls, sizeof *to.share)};
  const bool fine =
      to.mine && to.which && to.share && mb_moved_put_short(moved, a->first, from->first, count + 1);
  if (fine) {
    sort_pulls(from, &(Pulls){to.mine + 1, NULL, NULL}, true);
    for (size_t i = 1; i <= n + 1; i++) to.mine[i] += to.mine[i - 1];
    sort_pulls(from, &to, false);
    mb_moved_put(moved, a->mine, to.mine, (n + 1) * sizeof *to.mine);
    mb_moved_put(moved, a->which, to.which, moved->npulls * sizeof *to.which);
    mb_moved_put(moved, a->share, to.share, moved->npulls * sizeof *to.share);
    mb_moved_put(moved, a->corner, from->corner, 3 * count * sizeof *from->corner);
    mb_moved_put(moved, a->node, from->node, from->entries * sizeof *from->node);
    mb_moved_put(moved, a->weight, from->weight, from->entries * sizeof *from->weight);
    mb_moved_put(moved, a->square, from->square, count * sizeof *from->square);
  }
  mb_free(to.mine), mb_free(to.which), mb_free(to.share);
  return fine;
}

static bool fill_held(const MbMoved *moved, const MbPdEngine *engine) {
  size_t *number = mb_calloc(engine->n, sizeof *number), next = 0;
  for (size_t i = 0; number && i < engine->n; i++)
    if (engine->placed[i]) number[i] = next++;
  const bool fine = number && mb_moved_put_short(moved, moved->nodes.held, number, engine->n);
  mb_free(number);
  return fine;
}

void mb_moved_put_targets(MbMoved *moved, const MbPdEngine *engine) {
  double *to = moved->target;
  for (size_t i = 0; i < engine->n; i++)
    if (engine->placed[i]) mb_vec3_copy(to, engine->start->target + 3 * i), to += 3;
  mb_moved_put(moved, moved->nodes.target, moved->target, 3 * moved->nheld * sizeof *to);
}

bool mb_moved_fill(MbMoved *moved, MbPdEngine *engine) {
  const MbNodeArgs *a = &moved->nodes;
  const MbPdForm *form = &engine->form;
  const size_t n = engine->n;
  for (size_t k = 0; k < moved->nblocks; k++)
    if (!fill_block(moved, &moved->block[k])) return false;
  mb_moved_put(moved, a->node, engine->node, engine->nfree * sizeof *engine->node);
  mb_moved_put(moved, a->placed, engine->placed, n);
  if (!fill_held(moved, engine)) return false;
  mb_moved_put(moved, a->mass, engine->mass, n * sizeof *engine->mass);
  mb_moved_put(moved, a->inertia, engine->inertia, n * sizeof *engine->inertia);
  if (form->n) {
    if (!mb_moved_put_short(moved, a->start, form->start, n + 1)) return false;
    mb_moved_put(moved, a->column, form->column, form->start[n] * sizeof *form->column);
    mb_moved_put(moved, a->value, form->value, form->start[n] * sizeof *form->value);
  }
  if (form->rest.count && !fill_curved(moved, engine)) return false;
  mb_moved_loads_fill(moved, engine);
  if (engine->nfree && !mb_moved_inverse_fill(moved, engine)) return false;
  mb_moved_touch_fill(moved, engine);
  return true;
}
