// Elements of deformables whose nodes are bodies, as a force between these: their gradients, their bending, and which nodes
// they couple.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/bending.h"
#include "core/deformables/gradient.h"
#include "core/deformables/rod.h"
#include "core/forces/forces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the force is made from.
typedef struct Maker {
  MbModel *model;
  const MbDeformable *of;
  MbElementForce *to;
  size_t elements, edges; // of an element: pairs of its nodes
  MbGradient gradient;
  MbBending bending;
  uint64_t *key; // (n edges + bending's) couples, the lower node first
} Maker;

static uint64_t key_of(uint32_t a, uint32_t b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Key of one of an element's edges: nodes (1, 0), (2, 0), (2, 1) ...
static uint64_t edge_key(const Maker *m, size_t element, size_t edge) {
  const uint32_t *node = m->to->node + m->to->corners * element;
  size_t high = 1;
  while (edge >= high) edge -= high++;
  return key_of(node[high], node[edge]);
}

// ---- couples ----------------------------------------------------------------------------------------------

static size_t list_keys(Maker *m) {
  size_t n = 0, count = 0;
  for (size_t e = 0; e < m->elements; e++)
    for (size_t k = 0; k < m->edges; k++) m->key[n++] = edge_key(m, e, k);
  for (size_t k = 0; k < m->bending.count; k++)
    if (m->bending.row[k] != m->bending.column[k])
      m->key[n++] = key_of(m->bending.row[k], m->bending.column[k]);
  if (n) qsort(m->key, n, sizeof *m->key, ascending);
  for (size_t k = 0; k < n; k++)
    if (!count || m->key[k] != m->key[count - 1]) m->key[count++] = m->key[k];
  return count;
}

static size_t find(const Maker *m, uint64_t key) {
  const uint64_t *at = bsearch(&key, m->key, m->to->ncouples, sizeof key, ascending);
  return (size_t)(at - m->key);
}

static bool make_couples(Maker *m) {
  MbElementForce *to = m->to;
  MbArena *arena = &m->model->arena;
  m->key = mb_calloc(m->elements * m->edges + m->bending.count, sizeof *m->key);
  if (!m->key) return false;
  to->ncouples = list_keys(m);
  uint32_t *couple = mb_arena_alloc(arena, to->ncouples, 2 * sizeof *couple);
  uint32_t *edge = mb_arena_alloc(arena, m->elements, m->edges * sizeof *edge);
  size_t *pair = mb_arena_alloc(arena, to->ncouples, sizeof *pair);
  double *bend = m->bending.count ? mb_arena_alloc(arena, to->ncouples, sizeof *bend) : NULL;
  if (!couple || !edge || !pair || (m->bending.count && !bend)) return false;
  for (size_t k = 0; k < to->ncouples; k++)
    couple[2 * k] = (uint32_t)(m->key[k] >> 32), couple[2 * k + 1] = (uint32_t)m->key[k];
  for (size_t e = 0; e < m->elements; e++)
    for (size_t k = 0; k < m->edges; k++) edge[m->edges * e + k] = (uint32_t)find(m, edge_key(m, e, k));
  for (size_t k = 0; k < m->bending.count; k++)
    if (m->bending.row[k] != m->bending.column[k])
      bend[find(m, key_of(m->bending.row[k], m->bending.column[k]))] = m->bending.value[k];
  to->couple = couple, to->edge = edge, to->pair = pair, to->bend = bend;
  return true;
}

// Couples of the corners of triangles. NULL: out of memory.
static const uint32_t *find_edges(Maker *m, const uint32_t *triangle, size_t count) {
  uint32_t *edge = mb_arena_alloc(&m->model->arena, count, 3 * sizeof *edge);
  for (size_t k = 0; k < 3 * count && edge; k++)
    edge[k] = (uint32_t)find(m, key_of(triangle[k], triangle[k % 3 == 2 ? k - 2 : k + 1]));
  return edge;
}

static bool find_surface(Maker *m) {
  const MbElementSurface *surface = m->of->elements->surface;
  if (!surface) return true;
  m->to->inner_edge = find_edges(m, surface->inner, surface->chamber[surface->nchambers]);
  m->to->outer_edge = find_edges(m, surface->outer, surface->nouter);
  return m->to->inner_edge && m->to->outer_edge;
}

static bool copy_rest(Maker *m) {
  const MbBendingRest *rest = &m->bending.rest;
  MbElementForce *to = m->to;
  MbArena *arena = &m->model->arena;
  if (!rest->count) return true;
  uint32_t *corner = mb_arena_alloc(arena, rest->count, 3 * sizeof *corner);
  size_t *first = mb_arena_alloc(arena, rest->count + 1, sizeof *first);
  uint32_t *node = mb_arena_alloc(arena, rest->entries, sizeof *node);
  uint32_t *couple = mb_arena_alloc(arena, rest->entries, 3 * sizeof *couple);
  double *weight = mb_arena_alloc(arena, rest->entries, sizeof *weight);
  double *square = mb_arena_alloc(arena, rest->count, sizeof *square);
  if (!corner || !first || !node || !couple || !weight || !square) return false;
  memcpy(corner, rest->corner, 3 * rest->count * sizeof *corner);
  memcpy(first, rest->first, (rest->count + 1) * sizeof *first);
  memcpy(node, rest->node, rest->entries * sizeof *node);
  memcpy(weight, rest->weight, rest->entries * sizeof *weight);
  memcpy(square, rest->square, rest->count * sizeof *square);
  for (size_t t = 0; t < rest->count; t++)
    for (size_t k = first[t]; k < first[t + 1]; k++)
      for (size_t j = 0; j < 3; j++) {
        const uint32_t a = node[k], b = corner[3 * t + j];
        couple[3 * k + j] = a == b ? 0 : (uint32_t)find(m, key_of(a, b));
      }
  to->ncurved = rest->count, to->curved = corner, to->curved_first = first, to->curved_node = node;
  to->curved_couple = couple, to->curved_weight = weight, to->curved_square = square;
  return true;
}

// What damps bending, in the model's arena, with the couples of its stencils' nodes.
static bool copy_damper(Maker *m, const MbBendingDamper *from) {
  MbElementForce *to = m->to;
  MbArena *arena = &m->model->arena;
  size_t count = 0;
  for (size_t s = 0; s < from->count; s++) {
    const size_t n = from->first[s + 1] - from->first[s];
    count += n * (n - 1) / 2;
  }
  MbBendingDamper *damper = mb_arena_alloc(arena, 1, sizeof *damper);
  size_t *first = mb_arena_alloc(arena, from->count + 1, sizeof *first),
         *damped_first = mb_arena_alloc(arena, from->count + 1, sizeof *damped_first);
  uint32_t *node = mb_arena_alloc(arena, from->entries, sizeof *node),
           *couple = mb_arena_alloc(arena, count, sizeof *couple);
  double(*c)[3] = mb_arena_alloc(arena, from->entries, sizeof *c),
  (*axes)[3] = from->axes ? mb_arena_alloc(arena, from->entries, sizeof *axes) : NULL;
  unsigned char *corner = from->corner ? mb_arena_alloc(arena, from->entries, 1) : NULL;
  if (!damper || !first || !damped_first || !node || !couple || !c || (from->axes ? !axes : !corner))
    return false;
  memcpy(first, from->first, (from->count + 1) * sizeof *first);
  memcpy(node, from->node, from->entries * sizeof *node);
  memcpy(c, from->c, from->entries * sizeof *c);
  if (axes) memcpy(axes, from->axes, from->entries * sizeof *axes);
  if (corner) memcpy(corner, from->corner, from->entries);
  count = 0;
  for (size_t s = 0; s < from->count; s++) {
    for (size_t a = first[s]; a < first[s + 1]; a++)
      for (size_t b = first[s]; b < a; b++)
        couple[count++] = node[a] == node[b] ? 0 : (uint32_t)find(m, key_of(node[a], node[b]));
    damped_first[s + 1] = count;
  }
  *damper = (MbBendingDamper){from->count, from->entries, first, node, c, axes, corner};
  to->damper = damper, to->damped_first = damped_first, to->damped_couple = couple;
  return true;
}

static bool make_damper(Maker *m) {
  const MbElements *e = m->of->elements;
  MbBendingDamper damper;
  if (!(e->bending_damping > 0)) return true;
  const bool made = e->rod.points ? mb_rod_damper(&e->rod, &e->mesh, &damper)
                                  : mb_bending_damper_cloth(&damper, e->bending_stiffness, e->mesh.triangle,
                                                            e->mesh.triangles, e->mesh.x, e->mesh.nodes);
  const bool copied = made && (!damper.count || copy_damper(m, &damper));
  if (made) mb_bending_damper_free(&damper);
  return copied;
}

// ---- elements ---------------------------------------------------------------------------------------------

static bool copy_elements(Maker *m) {
  MbElementForce *to = m->to;
  MbArena *arena = &m->model->arena;
  const size_t width = to->corners * to->rank;
  const bool rod = m->of->elements->rod.points > 0;
  double *g = mb_arena_alloc(arena, to->n, width * sizeof *g),
         *size = mb_arena_alloc(arena, to->n, sizeof *g);
  if (!g || !size) return false;
  for (size_t e = 0; e < to->n; e++) {
    mb_gradient_of(&m->gradient, e, g + width * e);
    size[e] = m->gradient.size[e] * (to->rank == 2 || rod ? m->of->elements->thickness : 1);
  }
  to->g = g, to->size = size;
  return true;
}

static bool make(Maker *m, size_t *flat) {
  const MbElements *e = m->of->elements;
  const MbElementMesh *mesh = &e->mesh;
  MbElementForce *to = m->to;
  const bool tets = mesh->tets > 0;
  m->elements = tets ? mesh->tets : mesh->triangles;
  *to = (MbElementForce){.of = e,
                         .first = m->of->first,
                         .rank = tets ? 3 : 2,
                         .n = e->points * m->elements,
                         .corners = e->corners,
                         .points = e->points,
                         .node = e->node};
  m->edges = to->corners * (to->corners - 1) / 2;
  if (mesh->middle
          ? !mb_gradient_create_quadratic(&m->gradient, mesh, flat)
          : !mb_gradient_create(&m->gradient, (int)to->rank, e->node, to->n, mesh->x, mesh->nodes, flat))
    return false;
  if (e->bending != MB_NO_BENDING &&
      !mb_bending_create(&m->bending, e->bending, e->bending_stiffness, mesh->triangle, mesh->triangles,
                         mesh->x, mesh->nodes, flat))
    return false;
  if (e->rod.points && !mb_rod_bending(&e->rod, mesh, &m->bending)) return false;
  return copy_elements(m) && make_couples(m) && copy_rest(m) && make_damper(m) && find_surface(m);
}

MbStatus mb_compile_element_force(const MbDeformable *of, size_t i, MbModel *model, MbForce *force,
                                  MbReport *report) {
  MbElementForce *to = mb_arena_alloc(&model->arena, 1, sizeof *to);
  if (!to) return mb_no_memory(report, "deformables");
  size_t flat = SIZE_MAX;
  Maker m = {.model = model, .of = of, .to = to};
  const bool made = make(&m, &flat);
  mb_gradient_free(&m.gradient);
  mb_bending_free(&m.bending);
  mb_free(m.key);
  *force = (MbForce){.ops = &mb_elements_ops, .name = of->name, .elements = to};
  if (made) return MB_OK;
  if (flat == SIZE_MAX) return mb_no_memory(report, "deformables");
  char where[64];
  snprintf(where, sizeof where, "/deformables/%zu/mesh", i);
  return mb_error(report, MB_SCENE, where, "element %zu of \"%s\" has no size", flat, of->name);
}
