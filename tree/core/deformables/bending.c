// Bending by what Laplacians of positions are worth: E = ½ k Σ ω |Σ c x|², stencils of few nodes, each with coefficients c and a
// weight ω. Of heights z = κ s²/2 along a cylinder's arc, c is an integral of κ over the stencil.
//
// isometric (Bergou et al. 2006): a stencil is an edge and the two nodes across it. With the cotangents of the two triangles'
// angles at the ends of the edge, c = (c₀₃ + c₀₄, c₀₁ + c₀₂, −c₀₁ − c₀₃, −c₀₂ − c₀₄) gives length times angle. The paper's
// ω = 3/A, with the triangles' area A, would be right if edges in all directions saw the same; a cylinder bends few of them
// sharply, and comes out 3 to 9 times too stiff (3 on the diagonal pattern along a side, 9 across its diagonals, 4.5 on the
// cross pattern). Here ω = φ/A with φ between ½, where the angles across the edge are right ones or wider, and 1:
//   equilateral lattices, bent in any direction           exact
//   cross pattern of square cells, in any direction       exact
//   diagonal pattern, cells up to 1 : 4, along a side     exact; at 45° to it ½ or 2½ times, for such a mesh has a grain
// laplace_beltrami: a stencil is a node and its neighbours, c the cotangents' weights, ω = A′/A² with the nearest area A of a
// node (circumcentric; halves and quarters in obtuse triangles) and A′ beside it equal shares of the neighbours that are on a
// rim, which have no stencil. Exact in any direction on the diagonal pattern and on the cross pattern of square cells.
#include "core/deformables/bending.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <stdlib.h>

// ---- triplets ---------------------------------------------------------------------------------------------

typedef struct Triplet {
  uint32_t row, column;
  double value;
  size_t order; // of two on one place the first comes first
} Triplet;

typedef struct Triplets {
  Triplet *at;
  size_t count, room;
  bool failed;
} Triplets;

static void add(Triplets *list, uint32_t i, uint32_t j, double value) {
  if (list->failed) return;
  if (list->count == list->room) {
    const size_t room = list->room ? 2 * list->room : 1024;
    Triplet *const more = room > list->room ? mb_realloc(list->at, room, sizeof *more) : NULL;
    if (!more) {
      list->failed = true;
      return;
    }
    list->at = more, list->room = room;
  }
  list->at[list->count] = (Triplet){i > j ? i : j, i > j ? j : i, value, list->count};
  list->count++;
}

// weight c cᵀ
static void add_stencil(Triplets *list, double weight, size_t n, const uint32_t *node, const double *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) add(list, node[i], node[j], weight * c[i] * c[j]);
}

static int by_place(const void *a, const void *b) {
  const Triplet *const p = a, *const q = b;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  if (p->column != q->column) return p->column < q->column ? -1 : 1;
  return (p->order > q->order) - (p->order < q->order);
}

// Sums of those on one place. False: out of memory.
static bool finish(Triplets *list, MbBending *bending) {
  if (list->failed) return false;
  if (list->count) qsort(list->at, list->count, sizeof *list->at, by_place);
  size_t count = 0;
  for (size_t k = 0; k < list->count; k++) {
    Triplet *const last = count ? list->at + count - 1 : NULL;
    if (last && last->row == list->at[k].row && last->column == list->at[k].column)
      last->value += list->at[k].value;
    else
      list->at[count++] = list->at[k];
  }
  bending->count = count;
  bending->row = mb_calloc(count, sizeof *bending->row);
  bending->column = mb_calloc(count, sizeof *bending->column);
  bending->value = mb_calloc(count, sizeof *bending->value);
  if (!bending->row || !bending->column || !bending->value) return false;
  for (size_t k = 0; k < count; k++) {
    bending->row[k] = list->at[k].row, bending->column[k] = list->at[k].column;
    bending->value[k] = list->at[k].value;
  }
  return true;
}

// ---- triangles and edges ----------------------------------------------------------------------------------

typedef struct Shape {
  double cot[3], side2[3], area; // angles at corners; squares of the sides across from them
} Shape;

static bool shape_of(const uint32_t *triangle, const double *x, Shape *shape) {
  double across[3], d[3][3]; // d[i] from corner i + 1 to i + 2
  for (int i = 0; i < 3; i++)
    mb_vec3_sub(d[i], x + 3 * (size_t)triangle[(i + 2) % 3], x + 3 * (size_t)triangle[(i + 1) % 3]);
  mb_vec3_cross(across, d[0], d[1]);
  const double twice = mb_vec3_norm(across);
  shape->area = twice / 2;
  for (int i = 0; i < 3; i++) {
    shape->side2[i] = mb_vec3_dot(d[i], d[i]);
    shape->cot[i] = -mb_vec3_dot(d[(i + 1) % 3], d[(i + 2) % 3]) / twice;
  }
  return twice > 1e-14 * (shape->side2[0] + shape->side2[1]) && isfinite(twice);
}

typedef struct Half { // a side of a triangle, across from a corner
  uint32_t low, high;
  size_t corner; // 3 triangle + corner
} Half;

static int by_ends(const void *a, const void *b) {
  const Half *const p = a, *const q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->corner > q->corner) - (p->corner < q->corner);
}

typedef struct Mesh {
  const uint32_t *triangle;
  size_t triangles, nodes;
  Shape *shape; // (triangles)
  Half *half;   // (3 triangles) those of one edge side by side
} Mesh;

static bool mesh_create(Mesh *mesh, const double *x, size_t *flat) {
  const size_t n = mesh->triangles;
  if (n > SIZE_MAX / 1024) return false;
  mesh->shape = mb_calloc(n, sizeof *mesh->shape);
  mesh->half = mb_calloc(3 * n, sizeof *mesh->half);
  if (!mesh->shape || !mesh->half) return false;
  for (size_t t = 0; t < n; t++) {
    if (!shape_of(mesh->triangle + 3 * t, x, mesh->shape + t)) {
      *flat = t;
      return false;
    }
    for (size_t k = 0; k < 3; k++) {
      const uint32_t a = mesh->triangle[3 * t + (k + 1) % 3], b = mesh->triangle[3 * t + (k + 2) % 3];
      mesh->half[3 * t + k] = (Half){a < b ? a : b, a < b ? b : a, 3 * t + k};
    }
  }
  if (n) qsort(mesh->half, 3 * n, sizeof *mesh->half, by_ends);
  return true;
}

// How many sides one edge has, from side k on.
static size_t sides(const Mesh *mesh, size_t k) {
  const Half *const half = mesh->half;
  size_t end = k + 1;
  while (end < 3 * mesh->triangles && half[end].low == half[k].low && half[end].high == half[k].high) end++;
  return end - k;
}

// ---- isometric --------------------------------------------------------------------------------------------

// Cotangent of the angle at a node of the triangle that `corner` is in.
static double cot_at(const Mesh *mesh, size_t corner, uint32_t node) {
  const size_t t = corner / 3;
  for (size_t k = 0; k < 3; k++)
    if (mesh->triangle[3 * t + k] == node) return mesh->shape[t].cot[k];
  return 0;
}

static void isometric(const Mesh *mesh, double stiffness, Triplets *list) {
  static const double STEEP = 2; // the whole of it from a sum of cotangents of ½ on
  for (size_t k = 0, n; k < 3 * mesh->triangles; k += n) {
    n = sides(mesh, k);
    if (n != 2) continue;
    const size_t p = mesh->half[k].corner, q = mesh->half[k + 1].corner;
    const uint32_t a = mesh->half[k].low, b = mesh->half[k].high;
    const double pa = cot_at(mesh, p, a), pb = cot_at(mesh, p, b), qa = cot_at(mesh, q, a),
                 qb = cot_at(mesh, q, b);
    const double across = mesh->shape[p / 3].cot[p % 3] + mesh->shape[q / 3].cot[q % 3];
    const double part = 0.5 + 0.5 * fmin(1, fmax(0, STEEP * across));
    const double area = mesh->shape[p / 3].area + mesh->shape[q / 3].area;
    const uint32_t node[4] = {a, b, mesh->triangle[p], mesh->triangle[q]};
    const double c[4] = {pb + qb, pa + qa, -pa - pb, -qa - qb};
    add_stencil(list, stiffness * part / area, 4, node, c);
  }
}

// ---- Laplace-Beltrami -------------------------------------------------------------------------------------

typedef struct Ring {
  uint32_t node;
  double weight; // half the sum of two cotangents
} Ring;

typedef struct Rings {
  size_t *first; // (nodes + 1)
  Ring *at;
  double *area, *share; // (nodes)
  bool *rim;            // (nodes)
} Rings;

static void rings_free(Rings *rings) {
  mb_free(rings->first), mb_free(rings->at), mb_free(rings->area);
  mb_free(rings->share), mb_free(rings->rim);
}

// What of a triangle is nearest to its corner k, or half and quarters of an obtuse one.
static double nearest_area(const Shape *shape, size_t k) {
  for (size_t i = 0; i < 3; i++)
    if (shape->cot[i] < 0) return shape->area * (i == k ? 0.5 : 0.25);
  const size_t l = (k + 1) % 3, m = (k + 2) % 3;
  return (shape->cot[l] * shape->side2[l] + shape->cot[m] * shape->side2[m]) / 8;
}

static bool rings_create(const Mesh *mesh, Rings *rings) {
  rings->first = mb_calloc(mesh->nodes + 2, sizeof *rings->first);
  rings->at = mb_calloc(6 * mesh->triangles, sizeof *rings->at);
  rings->area = mb_calloc(mesh->nodes, sizeof *rings->area);
  rings->share = mb_calloc(mesh->nodes, sizeof *rings->share);
  rings->rim = mb_calloc(mesh->nodes, sizeof *rings->rim);
  if (!rings->first || !rings->at || !rings->area || !rings->share || !rings->rim) return false;
  for (size_t c = 0; c < 3 * mesh->triangles; c++)
    rings->area[mesh->triangle[c]] += nearest_area(mesh->shape + c / 3, c % 3);

  // neighbours by counting: first[i + 1] is where the next of i goes
  for (size_t k = 0; k < 3 * mesh->triangles; k += sides(mesh, k))
    rings->first[mesh->half[k].low + 2]++, rings->first[mesh->half[k].high + 2]++;
  for (size_t i = 1; i <= mesh->nodes; i++) rings->first[i + 1] += rings->first[i];
  for (size_t k = 0, n; k < 3 * mesh->triangles; k += n) {
    n = sides(mesh, k);
    const uint32_t a = mesh->half[k].low, b = mesh->half[k].high;
    double weight = 0;
    for (size_t i = k; i < k + n; i++) {
      const size_t corner = mesh->half[i].corner;
      weight += 0.5 * mesh->shape[corner / 3].cot[corner % 3];
    }
    if (n != 2) rings->rim[a] = rings->rim[b] = true;
    rings->at[rings->first[a + 1]++] = (Ring){b, weight};
    rings->at[rings->first[b + 1]++] = (Ring){a, weight};
  }
  return true;
}

// Areas of nodes on a rim to their neighbours that are not.
static void share_areas(const Mesh *mesh, Rings *rings) {
  for (size_t i = 0; i < mesh->nodes; i++) {
    if (!rings->rim[i]) continue;
    size_t inner = 0;
    for (size_t k = rings->first[i]; k < rings->first[i + 1]; k++) inner += !rings->rim[rings->at[k].node];
    for (size_t k = rings->first[i]; k < rings->first[i + 1]; k++)
      if (!rings->rim[rings->at[k].node]) rings->share[rings->at[k].node] += rings->area[i] / (double)inner;
  }
}

static bool laplace_beltrami(const Mesh *mesh, double stiffness, Triplets *list) {
  Rings rings = {0};
  size_t most = 0;
  bool ok = rings_create(mesh, &rings);
  for (size_t i = 0; ok && i < mesh->nodes; i++)
    if (rings.first[i + 1] - rings.first[i] > most) most = rings.first[i + 1] - rings.first[i];
  uint32_t *const node = ok ? mb_calloc(most + 1, sizeof *node) : NULL;
  double *const c = ok ? mb_calloc(most + 1, sizeof *c) : NULL;
  ok = ok && node && c;
  if (ok) share_areas(mesh, &rings);
  for (size_t i = 0; ok && i < mesh->nodes; i++) {
    if (rings.rim[i] || !(rings.area[i] > 0)) continue;
    size_t n = 1;
    node[0] = (uint32_t)i, c[0] = 0;
    for (size_t k = rings.first[i]; k < rings.first[i + 1]; k++, n++)
      node[n] = rings.at[k].node, c[n] = -rings.at[k].weight, c[0] += rings.at[k].weight;
    add_stencil(list, stiffness * (rings.area[i] + rings.share[i]) / (rings.area[i] * rings.area[i]), n, node,
                c);
  }
  mb_free(node), mb_free(c);
  rings_free(&rings);
  return ok;
}

// -----------------------------------------------------------------------------------------------------------

bool mb_bending_create(MbBending *bending, MbBendingKind model, double stiffness, const uint32_t *triangle,
                       size_t triangles, const double *x, size_t nodes, size_t *flat) {
  Mesh mesh = {.triangle = triangle, .triangles = triangles, .nodes = nodes};
  Triplets list = {0};
  *bending = (MbBending){.nodes = nodes};
  *flat = SIZE_MAX;
  bool ok = mesh_create(&mesh, x, flat);
  if (ok && model == MB_BENDING_ISOMETRIC)
    isometric(&mesh, stiffness, &list);
  else if (ok)
    ok = laplace_beltrami(&mesh, stiffness, &list);
  ok = ok && finish(&list, bending);
  mb_free(mesh.shape), mb_free(mesh.half), mb_free(list.at);
  if (!ok) mb_bending_free(bending);
  return ok;
}

void mb_bending_free(MbBending *bending) {
  mb_free(bending->row), mb_free(bending->column), mb_free(bending->value);
  *bending = (MbBending){0};
}

double mb_bending_energy(const MbBending *bending, const double *x) {
  double sum = 0;
  for (size_t k = 0; k < bending->count; k++) {
    const double *const a = x + 3 * (size_t)bending->row[k], *const b = x + 3 * (size_t)bending->column[k];
    sum += (bending->row[k] == bending->column[k] ? 0.5 : 1) * bending->value[k] * mb_vec3_dot(a, b);
  }
  return sum;
}
