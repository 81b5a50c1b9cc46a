// Makes the surface of a deformable that may touch: its triangles and edges with their neighbours.
#include "core/sim/touch_faces.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = 2 };

// ---- neighbours -------------------------------------------------------------------------------------------

// A side of a triangle, its nodes ascending.
typedef struct Side {
  uint32_t a, b, at; // 3 times the triangle, and its corner
} Side;

static int by_nodes(const void *x, const void *y) {
  const Side *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return (p->at > q->at) - (p->at < q->at);
}

static uint32_t place_of(const MbDeformableSurface *of, uint32_t node) {
  size_t low = 0, high = of->nnodes;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (of->node[middle] <= node)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

// Of three triangles or more at an edge two are kept.
static void number_edges(MbFaces *f, const Side *side) {
  for (size_t i = 0; i < 3 * f->of->ntriangles; i++) {
    const bool first = !i || side[i].a != side[i - 1].a || side[i].b != side[i - 1].b;
    if (first) {
      uint32_t *edge = f->edge + 2 * f->nedges, *beside = f->beside + 2 * f->nedges;
      edge[0] = side[i].a, edge[1] = side[i].b;
      beside[0] = side[i].at / 3, beside[1] = MB_NO_FACE;
      f->own[side[i].at / 3] |= (uint8_t)(8u << side[i].at % 3);
      f->nedges++;
    } else if (f->beside[2 * f->nedges - 1] == MB_NO_FACE) {
      f->beside[2 * f->nedges - 1] = side[i].at / 3;
    }
    f->side[side[i].at] = (uint32_t)f->nedges - 1;
  }
}

static bool find_edges(MbFaces *f) {
  const size_t n = 3 * f->of->ntriangles;
  Side *side = mb_calloc(n ? n : 1, sizeof *side);
  if (!side) return false;
  for (size_t i = 0; i < n; i++) {
    const uint32_t p = f->corner[i], q = f->corner[i % 3 == 2 ? i - 2 : i + 1];
    side[i] = (Side){p < q ? p : q, p < q ? q : p, (uint32_t)i};
  }
  qsort(side, n, sizeof *side, by_nodes);
  number_edges(f, side);
  mb_free(side);
  return true;
}

static void find_spokes(MbFaces *f) {
  const size_t n = f->of->nnodes;
  for (size_t e = 0; e < 2 * f->nedges; e++) f->spokes[f->edge[e] + 1]++;
  for (size_t i = 0; i < n; i++) f->spokes[i + 1] += f->spokes[i];
  for (size_t e = 2 * f->nedges; e-- > 0;) {
    // filled from behind: first[i + 1] is where the next one before goes, and in the end where i begins
    const uint32_t at = f->edge[e];
    f->spoke[--f->spokes[at + 1]] = (uint32_t)(e / 2);
  }
  for (size_t i = 0; i < n; i++) f->spokes[i] = f->spokes[i + 1];
  f->spokes[n] = (uint32_t)(2 * f->nedges);
}

static bool find_neighbours(MbFaces *f) {
  const MbDeformableSurface *of = f->of;
  for (size_t i = 0; i < 3 * of->ntriangles; i++) f->corner[i] = place_of(of, of->triangle[i]);
  if (!find_edges(f)) return false;
  find_spokes(f);
  bool *known = mb_calloc(of->nnodes + 1, sizeof *known);
  if (!known) return false;
  for (size_t i = 0; i < 3 * of->ntriangles; i++) {
    if (!known[f->corner[i]]) f->own[i / 3] |= (uint8_t)(1u << i % 3);
    known[f->corner[i]] = true;
  }
  mb_free(known);
  return true;
}

// ---- the tree ---------------------------------------------------------------------------------------------

static void middle_of(const MbFaces *f, uint32_t element, double m[3]) {
  if (!f->of->ntriangles) {
    mb_vec3_copy(m, f->x + 3 * (size_t)element);
    return;
  }
  mb_vec3_set(m, 0, 0, 0);
  for (size_t i = 0; i < 3; i++) mb_vec3_add(m, m, f->x + 3 * (size_t)f->corner[3 * (size_t)element + i]);
}

static void swap(uint32_t *a, uint32_t *b) {
  const uint32_t other = *a;
  *a = *b, *b = other;
}

// Parts [begin, end) so that element `middle` is where it would be in order along an axis.
static void part(MbFaces *f, size_t begin, size_t end, size_t middle, int axis) {
  double m[3], pivot[3];
  while (end - begin > 1) {
    middle_of(f, f->order[begin + (end - begin) / 2], pivot);
    size_t i = begin, j = end - 1;
    for (;;) {
      while (middle_of(f, f->order[i], m), m[axis] < pivot[axis]) i++;
      while (middle_of(f, f->order[j], m), m[axis] > pivot[axis]) j--;
      if (i >= j) break;
      swap(&f->order[i++], &f->order[j--]);
    }
    const size_t cut = j + 1;
    if (middle < cut)
      end = cut == end ? end - 1 : cut;
    else
      begin = cut;
  }
}

static void build(MbFaces *f, size_t begin, size_t end) {
  MbFaceNode *node = &f->node[f->nnodes++];
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, m[3];
  *node = (MbFaceNode){.first = (uint32_t)begin, .count = (uint32_t)(end - begin)};
  if (end - begin <= LEAF) return;
  for (size_t i = begin; i < end; i++) {
    middle_of(f, f->order[i], m);
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], m[k]), high[k] = fmax(high[k], m[k]);
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  const size_t middle = (begin + end) / 2;
  part(f, begin, end, middle, axis);
  build(f, begin, middle);
  node->first = (uint32_t)f->nnodes, node->count = 0;
  build(f, middle, end);
}

static bool allocate(MbFaces *f, MbArena *arena) {
  const size_t n = f->of->nnodes, nt = f->of->ntriangles;
  f->nelements = nt ? nt : n;
  f->corner = mb_arena_alloc(arena, 3 * nt, sizeof *f->corner);
  f->side = mb_arena_alloc(arena, 3 * nt, sizeof *f->side);
  f->edge = mb_arena_alloc(arena, 6 * nt, sizeof *f->edge);
  f->beside = mb_arena_alloc(arena, 6 * nt, sizeof *f->beside);
  f->spokes = mb_arena_alloc(arena, n + 1, sizeof *f->spokes);
  f->spoke = mb_arena_alloc(arena, 6 * nt, sizeof *f->spoke);
  f->own = mb_arena_alloc(arena, f->nelements, sizeof *f->own);
  f->rest = mb_arena_alloc(arena, 3 * n, sizeof *f->rest);
  f->x = mb_arena_alloc(arena, 3 * n, sizeof *f->x);
  f->v = mb_arena_alloc(arena, 3 * n, sizeof *f->v);
  f->normal = mb_arena_alloc(arena, 3 * nt, sizeof *f->normal);
  f->order = mb_arena_alloc(arena, f->nelements, sizeof *f->order);
  f->node = mb_arena_alloc(arena, 2 * f->nelements + 1, sizeof *f->node);
  return f->corner && f->side && f->edge && f->beside && f->spokes && f->spoke && f->own && f->rest && f->x &&
         f->v && f->normal && f->order && f->node;
}

MbFaces *mb_faces_make(MbArena *arena, const MbDeformableSurface *of, bool closed, const double *rest,
                       const double *x) {
  MbFaces *f = mb_arena_alloc(arena, 1, sizeof *f);
  if (!f) return NULL;
  *f = (MbFaces){.of = of, .closed = closed};
  if (!allocate(f, arena) || !find_neighbours(f)) return NULL;
  memcpy(f->x, x, 3 * of->nnodes * sizeof *x);
  for (size_t i = 0; i < of->nnodes; i++)
    memcpy(f->rest + 3 * i, rest ? rest + 3 * (size_t)of->node[i] : x + 3 * i, 3 * sizeof *x);
  for (size_t i = 0; i < f->nelements; i++) f->order[i] = (uint32_t)i;
  for (size_t i = 0; i < f->nelements && !of->ntriangles; i++) f->own[i] = 1;
  build(f, 0, f->nelements);
  return f;
}

static void box_element(const MbFaces *f, uint32_t element, MbBounds *box) {
  if (!f->of->ntriangles) {
    mb_bounds_take(box, f->x + 3 * (size_t)element);
    return;
  }
  for (size_t i = 0; i < 3; i++) mb_bounds_take(box, f->x + 3 * (size_t)f->corner[3 * (size_t)element + i]);
}

// Children come behind their parents.
void mb_faces_fit(MbFaces *f) {
  if (f->fits) return;
  f->fits = true;
  for (size_t i = f->nnodes; i-- > 0;) {
    MbFaceNode *node = &f->node[i];
    node->box = mb_bounds_none();
    for (uint32_t k = 0; k < node->count; k++) box_element(f, f->order[node->first + k], &node->box);
    if (node->count) continue;
    const MbFaceNode *child[2] = {&f->node[i + 1], &f->node[node->first]};
    for (int c = 0; c < 2; c++)
      mb_bounds_take(&node->box, child[c]->box.low), mb_bounds_take(&node->box, child[c]->box.high);
  }
}

void mb_faces_place(MbFaces *f) {
  const size_t n = f->of->nnodes;
  for (size_t t = 0; t < f->of->ntriangles; t++) {
    const double *x[3];
    double d[3], e[3], *normal = f->normal + 3 * t;
    for (size_t i = 0; i < 3; i++) x[i] = f->x + 3 * (size_t)f->corner[3 * t + i];
    mb_vec3_sub(d, x[1], x[0]), mb_vec3_sub(e, x[2], x[0]);
    mb_vec3_cross(normal, d, e);
    const double size = mb_vec3_norm(normal);
    mb_vec3_scale(normal, size > 0 ? 1 / size : 0, normal);
  }
  mb_vec3_set(f->mean, 0, 0, 0);
  for (size_t i = 0; i < n; i++) mb_vec3_add_scaled(f->mean, f->mean, 1 / (double)n, f->v + 3 * i);
  f->spread = 0;
  for (size_t i = 0; i < n; i++) {
    double d[3];
    mb_vec3_sub(d, f->v + 3 * i, f->mean);
    const double fast = mb_vec3_norm(d);
    if (fast > f->spread) f->spread = fast;
  }
  f->fits = false;
}

// ---- looking ----------------------------------------------------------------------------------------------

static bool near_box(const MbFaces *f, uint32_t i, const MbBounds *box, double within, MbFacesSee *see,
                     void *context) {
  const MbFaceNode *node = &f->node[i];
  if (mb_bounds_apart(&node->box, box, within)) return true;
  if (!node->count)
    return near_box(f, i + 1, box, within, see, context) &&
           near_box(f, node->first, box, within, see, context);
  for (uint32_t k = 0; k < node->count; k++)
    if (!see(context, f->order[node->first + k])) return false;
  return true;
}

bool mb_faces_near(const MbFaces *f, const MbBounds *box, double within, MbFacesSee *see, void *context) {
  return f->nelements == 0 || near_box(f, 0, box, within, see, context);
}

typedef struct Pairing {
  const MbFaces *a, *b;
  double within;
  MbFacesSeePair *see;
  void *context;
} Pairing;

static bool pair_leaves(const Pairing *p, const MbFaceNode *x, const MbFaceNode *y) {
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t j = x == y ? i + 1 : 0; j < y->count; j++)
      if (!p->see(p->context, p->a->order[x->first + i], p->b->order[y->first + j])) return false;
  return true;
}

static bool pair_nodes(const Pairing *p, uint32_t i, uint32_t j) {
  const MbFaceNode *x = &p->a->node[i], *y = &p->b->node[j];
  if (mb_bounds_apart(&x->box, &y->box, p->within)) return true;
  if (x->count && y->count) return pair_leaves(p, x, y);
  if (x == y)
    return pair_nodes(p, i + 1, i + 1) && pair_nodes(p, i + 1, x->first) && pair_nodes(p, x->first, x->first);
  // the one that is divided goes by sizes, so that both get small together
  double wide[2] = {0};
  for (int k = 0; k < 3; k++)
    wide[0] += x->box.high[k] - x->box.low[k], wide[1] += y->box.high[k] - y->box.low[k];
  if (y->count || (!x->count && wide[0] >= wide[1]))
    return pair_nodes(p, i + 1, j) && pair_nodes(p, x->first, j);
  return pair_nodes(p, i, j + 1) && pair_nodes(p, i, y->first);
}

bool mb_faces_pairs(const MbFaces *a, const MbFaces *b, double within, MbFacesSeePair *see, void *context) {
  const Pairing p = {a, b, within, see, context};
  return a->nelements == 0 || b->nelements == 0 || pair_nodes(&p, 0, 0);
}

// ---- what a part of a surface belongs to ------------------------------------------------------------------

void mb_faces_edge_normal(const MbFaces *f, uint32_t edge, double n[3]) {
  const uint32_t *beside = f->beside + 2 * (size_t)edge;
  mb_vec3_copy(n, f->normal + 3 * (size_t)beside[0]);
  if (beside[1] != MB_NO_FACE) mb_vec3_add(n, n, f->normal + 3 * (size_t)beside[1]);
}

void mb_faces_node_normal(const MbFaces *f, uint32_t node, double n[3]) {
  mb_vec3_set(n, 0, 0, 0);
  for (uint32_t k = f->spokes[node]; k < f->spokes[node + 1]; k++) {
    double own[3];
    mb_faces_edge_normal(f, f->spoke[k], own);
    mb_vec3_add(n, n, own);
  }
}

// How steeply the way from one node to another rises along n.
static double rise(const MbFaces *f, uint32_t from, uint32_t to, const double n[3]) {
  double d[3];
  mb_vec3_sub(d, f->x + 3 * (size_t)to, f->x + 3 * (size_t)from);
  const double length = mb_vec3_norm(d);
  return length > 0 ? mb_vec3_dot(d, n) / length : 0;
}

bool mb_faces_edge_leads(const MbFaces *f, uint32_t edge, uint32_t own, const double n[3], double slack) {
  const uint32_t *ends = f->edge + 2 * (size_t)edge;
  for (size_t k = 0; k < 2; k++) {
    const uint32_t t = f->beside[2 * (size_t)edge + k];
    for (size_t i = 0; t != MB_NO_FACE && t != own && i < 3; i++) {
      const uint32_t c = f->corner[3 * (size_t)t + i];
      if (c != ends[0] && c != ends[1] && (rise(f, ends[0], c, n) > slack || rise(f, ends[1], c, n) > slack))
        return false;
    }
  }
  return true;
}

double mb_faces_edge_falls(const MbFaces *f, uint32_t edge, const double n[3]) {
  const uint32_t *ends = f->edge + 2 * (size_t)edge;
  double sum = 0;
  for (size_t k = 0; k < 2; k++) {
    const uint32_t t = f->beside[2 * (size_t)edge + k];
    if (t == MB_NO_FACE) return 1;
    for (size_t i = 0; i < 3; i++) {
      const uint32_t c = f->corner[3 * (size_t)t + i];
      if (c != ends[0] && c != ends[1]) sum -= fmin(rise(f, ends[0], c, n), rise(f, ends[1], c, n));
    }
  }
  return sum;
}

bool mb_faces_node_leads(const MbFaces *f, uint32_t node, const double n[3], double slack) {
  for (uint32_t k = f->spokes[node]; k < f->spokes[node + 1]; k++) {
    const uint32_t *ends = f->edge + 2 * (size_t)f->spoke[k];
    if (rise(f, node, ends[0] == node ? ends[1] : ends[0], n) > slack) return false;
  }
  return true;
}
