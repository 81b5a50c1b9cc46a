// Gradients of elements from their places at rest, and F and its transposed product of all elements (gradient.h).
#include "core/deformables/gradient.h"
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/deformables/quadratic.h"
#include "core/math/mat3.h"

#include <assert.h>
#include <string.h>

enum { GRAIN = 2048 }; // elements or nodes that are worth a thread

// ---- at rest ----------------------------------------------------------------------------------------------

// Inverse of a tetrahedron's sides in columns; its volume.
static double invert_tetrahedron(const double d[3][3], double B[9]) {
  double c[3][3];
  for (int i = 0; i < 3; i++) mb_vec3_cross(c[i], d[(i + 1) % 3], d[(i + 2) % 3]);
  const double det = mb_vec3_dot(d[0], c[0]);
  for (int i = 0; i < 9; i++) B[i] = c[i / 3][i % 3] / det;
  return det / 6;
}

// The same of a triangle's in its plane: sides (l, 0) and (a, h).
static double invert_triangle(const double d[3][3], double B[4]) {
  double across[3];
  mb_vec3_cross(across, d[0], d[1]);
  const double l = mb_vec3_norm(d[0]), twice = mb_vec3_norm(across);
  const double a = mb_vec3_dot(d[0], d[1]) / l, h = twice / l;
  B[0] = 1 / l, B[1] = -a / (l * h), B[2] = 0, B[3] = 1 / h;
  return twice / 2;
}

bool mb_gradient_rest(int rank, const uint32_t *node, const double *x, double B[9], double *size) {
  double d[3][3] = {{0}}, scale = 1;
  for (int k = 0; k < rank; k++) {
    mb_vec3_sub(d[k], x + 3 * (size_t)node[k + 1], x + 3 * (size_t)node[0]);
    scale *= mb_vec3_norm(d[k]);
  }
  if (rank == 3)
    *size = invert_tetrahedron(d, B);
  else if (rank == 2)
    *size = invert_triangle(d, B);
  else
    *size = mb_vec3_norm(d[0]), B[0] = 1 / *size;
  return *size > 1e-14 * scale && isfinite(*size);
}

static bool measure(MbGradient *g, size_t e, const double *x) {
  double B[9] = {0}, size;
  if (!mb_gradient_rest(g->rank, g->node + ((size_t)g->rank + 1) * e, x, B, &size)) return false;
  for (int c = 0; c < g->rank * g->rank; c++) g->B[(size_t)c * g->stride + e] = B[c];
  g->size[e] = size;
  return true;
}

static inline size_t place_of(size_t element, size_t a, size_t corners) {
  return element / 8 * 24 * corners + 24 * a + element % 8;
}

// Corners by node, by counting.
static void sort_corners(MbGradient *g) {
  const size_t each = (size_t)g->rank + 1, corners = g->n * each;
  for (size_t c = 0; c < corners; c++) g->first[g->node[c] + 1]++;
  for (size_t i = 0; i < g->nodes; i++) g->first[i + 1] += g->first[i];
  for (size_t c = 0; c < corners; c++)
    g->corner[g->first[g->node[c]]++] = (uint32_t)place_of(c / each, c % each, each);
  for (size_t i = g->nodes; i > 0; i--) g->first[i] = g->first[i - 1];
  g->first[0] = 0;
}

// Nodes that no element has are the last ones. False: out of memory.
static bool list_in_order(MbGradient *g) {
  const size_t each = mb_gradient_nodes(g), step = mb_gradient_points(g);
  bool *const listed = mb_calloc(g->nodes, sizeof *listed);
  if (!(g->order = mb_calloc(g->nodes, sizeof *g->order)) || !listed) {
    mb_free(listed);
    return false;
  }
  size_t count = 0;
  for (size_t c = 0; c < each * (g->n / step); c++) {
    const size_t node = mb_gradient_node(g, c / each * step, c % each);
    if (!listed[node]) g->order[count++] = (uint32_t)node, listed[node] = true;
  }
  for (size_t i = 0; i < g->nodes; i++)
    if (!listed[i]) g->order[count++] = (uint32_t)i;
  mb_free(listed);
  return true;
}

// Packs are done whole: what is behind the last element is like it.
static void pad(MbGradient *g) {
  const size_t corners = (size_t)g->rank + 1, last = g->n - 1;
  for (size_t e = g->n; g->n && e < g->stride; e++) {
    memcpy(g->node + corners * e, g->node + corners * last, corners * sizeof *g->node);
    for (size_t c = 0; c < (size_t)(g->rank * g->rank); c++)
      g->B[c * g->stride + e] = g->B[c * g->stride + last];
    g->size[e] = g->size[last];
  }
}

bool mb_gradient_create(MbGradient *gradient, int rank, const uint32_t *node, size_t n, const double *x,
                        size_t nodes, size_t *flat) {
  assert(1 <= rank && rank <= 3);
  const size_t corners = (size_t)rank + 1, lines = (n + 7) / 8;
  *flat = SIZE_MAX;
  // an odd number of cache lines: components of an element do not fall on one another in the cache
  *gradient = (MbGradient){.rank = rank, .n = n, .nodes = nodes, .stride = 8 * (lines | 1)};
  if (n > UINT32_MAX / 12 - 8 || nodes == SIZE_MAX) return false; // numbers of corners are 32 bits
  gradient->node = mb_calloc(gradient->stride * corners, sizeof *gradient->node);
  gradient->B = mb_calloc((size_t)(rank * rank) * gradient->stride, sizeof *gradient->B);
  gradient->size = mb_calloc(gradient->stride, sizeof *gradient->size);
  gradient->first = mb_calloc(nodes + 1, sizeof *gradient->first);
  gradient->corner = mb_calloc(n * corners, sizeof *gradient->corner);
  bool ok = gradient->node && gradient->B && gradient->size && gradient->first && gradient->corner;
  if (ok && n) memcpy(gradient->node, node, n * corners * sizeof *node);
  for (size_t e = 0; ok && e < n; e++)
    if (!measure(gradient, e, x)) ok = false, *flat = e;
  if (ok && list_in_order(gradient))
    sort_corners(gradient), pad(gradient);
  else
    mb_gradient_free(gradient);
  return gradient->order != NULL;
}

// ---- of ten nodes -----------------------------------------------------------------------------------------

// What every node gets of the corners of all points: those of its own tetrahedra, by counting. With `put` they are written, else counted.
static void list_shares(MbGradient *g, bool put) {
  for (size_t c = 0; c < 4 * g->n; c++) {
    double L[4];
    mb_quadratic_point(c / 4 % MB_QUADRATIC_POINTS, L);
    for (size_t a = 0; a < MB_QUADRATIC_NODES; a++) {
      const uint32_t node = g->ten[MB_QUADRATIC_NODES * (c / 16) + a];
      const double share = mb_quadratic_share(L, c % 4, a);
      if (share == 0) continue;
      if (!put) {
        g->first[node + 1]++;
        continue;
      }
      g->share[g->first[node]] = share;
      g->corner[g->first[node]++] = (uint32_t)place_of(c / 4, c % 4, 4);
    }
  }
}

static void sort_shares(MbGradient *g) {
  list_shares(g, false);
  for (size_t i = 0; i < g->nodes; i++) g->first[i + 1] += g->first[i];
  list_shares(g, true);
  for (size_t i = g->nodes; i > 0; i--) g->first[i] = g->first[i - 1];
  g->first[0] = 0;
}

static bool measure_ten(MbGradient *g, const MbElementMesh *mesh, size_t *flat) {
  for (size_t e = 0; e < g->n; e++) {
    double B[9], size;
    const size_t tet = e / MB_QUADRATIC_POINTS;
    if (!mb_gradient_rest(3, mesh->tet + 4 * tet, mesh->x, B, &size)) {
      *flat = tet;
      return false;
    }
    for (size_t c = 0; c < 9; c++) g->B[c * g->stride + e] = B[c];
    g->size[e] = size / MB_QUADRATIC_POINTS;
    for (size_t a = 0; a < 4; a++) g->node[4 * e + a] = (uint32_t)(4 * e + a);
  }
  for (size_t t = 0; t < mesh->tets; t++) mb_quadratic_nodes(mesh, t, g->ten + MB_QUADRATIC_NODES * t);
  return true;
}

bool mb_gradient_create_quadratic(MbGradient *gradient, const MbElementMesh *mesh, size_t *flat) {
  const size_t n = MB_QUADRATIC_POINTS * mesh->tets, lines = (n + 7) / 8;
  *flat = SIZE_MAX;
  *gradient = (MbGradient){.rank = 3, .n = n, .nodes = mesh->nodes, .stride = 8 * (lines | 1)};
  if (n > UINT32_MAX / 12 - 8 || mesh->nodes == SIZE_MAX) return false; // numbers of corners are 32 bits
  gradient->node = mb_calloc(4 * gradient->stride, sizeof *gradient->node);
  gradient->B = mb_calloc(9 * gradient->stride, sizeof *gradient->B);
  gradient->size = mb_calloc(gradient->stride, sizeof *gradient->size);
  gradient->first = mb_calloc(mesh->nodes + 1, sizeof *gradient->first);
  gradient->corner = mb_calloc(16 * n, sizeof *gradient->corner);
  gradient->ten = mb_calloc(mesh->tets, MB_QUADRATIC_NODES * sizeof *gradient->ten);
  gradient->share = mb_calloc(16 * n, sizeof *gradient->share);
  gradient->y = mb_calloc(4 * n, 3 * sizeof *gradient->y);
  const bool ok = gradient->node && gradient->B && gradient->size && gradient->first && gradient->corner &&
                  gradient->ten && gradient->share && gradient->y && measure_ten(gradient, mesh, flat) &&
                  list_in_order(gradient);
  if (ok)
    sort_shares(gradient), pad(gradient);
  else
    mb_gradient_free(gradient);
  return ok;
}

const double *mb_gradient_spread(const MbGradient *g, const double *x, size_t begin, size_t end) {
  if (!g->ten) return x;
  for (size_t e = begin; e < end && e < g->n; e++) {
    double L[4];
    mb_quadratic_point(e % MB_QUADRATIC_POINTS, L);
    mb_quadratic_corners(L, g->ten + MB_QUADRATIC_NODES * (e / MB_QUADRATIC_POINTS), x, g->y + 12 * e);
  }
  return g->y;
}

void mb_gradient_free(MbGradient *gradient) {
  mb_free(gradient->node), mb_free(gradient->B), mb_free(gradient->size);
  mb_free(gradient->first), mb_free(gradient->corner), mb_free(gradient->order);
  mb_free(gradient->ten), mb_free(gradient->share), mb_free(gradient->y);
  *gradient = (MbGradient){0};
}

// Of ten nodes: g_n = Σ_a (share of n in y_a) g_a
static void spread_slopes(size_t point, const double straight[12], double *g) {
  double L[4];
  mb_quadratic_point(point, L);
  memset(g, 0, 3 * MB_QUADRATIC_NODES * sizeof *g);
  for (size_t n = 0; n < MB_QUADRATIC_NODES; n++)
    for (size_t a = 0; a < 4; a++)
      mb_vec3_add_scaled(g + 3 * n, g + 3 * n, mb_quadratic_share(L, a, n), straight + 3 * a);
}

static void slopes_of(const MbGradient *gradient, size_t element, double *g) {
  const int rank = gradient->rank;
  for (int c = 0; c < rank; c++) g[c] = 0;
  for (int a = 0; a < rank; a++)
    for (int c = 0; c < rank; c++) {
      g[rank * (a + 1) + c] = gradient->B[(size_t)(rank * a + c) * gradient->stride + element];
      g[c] -= g[rank * (a + 1) + c];
    }
}

void mb_gradient_of(const MbGradient *gradient, size_t element, double *g) {
  double straight[12];
  if (!gradient->ten) {
    slopes_of(gradient, element, g);
    return;
  }
  slopes_of(gradient, element, straight);
  spread_slopes(element % MB_QUADRATIC_POINTS, straight, g);
}

// ---- to elements and back ---------------------------------------------------------------------------------

static inline void gather(const MbGradient *g, int rank, const double *restrict x, double *restrict F,
                          size_t begin, size_t end) {
  const size_t stride = g->stride, corners = (size_t)rank + 1;
  for (size_t e = begin; e < end; e++) {
    const uint32_t *const node = g->node + corners * e;
    double d[3][3];
    for (int k = 0; k < rank; k++) mb_vec3_sub(d[k], x + 3 * (size_t)node[k + 1], x + 3 * (size_t)node[0]);
    for (int c = 0; c < rank; c++) {
      double f[3] = {0};
      for (int k = 0; k < rank; k++)
        mb_vec3_add_scaled(f, f, g->B[(size_t)(rank * k + c) * stride + e], d[k]);
      for (int i = 0; i < 3; i++) F[(size_t)(rank * i + c) * stride + e] = f[i];
    }
  }
}

void mb_gradient_gather(const MbGradient *gradient, const double *places, double *F, size_t begin,
                        size_t end) {
  const double *const x = mb_gradient_spread(gradient, places, begin, end);
  if (gradient->rank == 3)
    gather(gradient, 3, x, F, begin, end);
  else if (gradient->rank == 2)
    gather(gradient, 2, x, F, begin, end);
  else
    gather(gradient, 1, x, F, begin, end);
}

static inline void corners_of(const MbGradient *g, int rank, const double *scale, const double *p,
                              const double *u, double *restrict c, size_t begin, size_t end) {
  const size_t stride = g->stride, corners = (size_t)rank + 1;
  for (size_t e = begin; e < end; e++) {
    const double factor = (scale ? scale[e] : 1) * g->size[e];
    double *const out = c + place_of(e, 0, corners);
    for (int i = 0; i < 3; i++) {
      double t[3], sum = 0;
      for (int j = 0; j < rank; j++) {
        const size_t at = (size_t)(rank * i + j) * stride + e;
        t[j] = factor * (u ? p[at] - u[at] : p[at]);
      }
      for (int k = 0; k < rank; k++) {
        double f = 0;
        for (int j = 0; j < rank; j++) f += t[j] * g->B[(size_t)(rank * k + j) * stride + e];
        out[24 * (k + 1) + 8 * i] = f;
        sum += f;
      }
      out[8 * i] = -sum;
    }
  }
}

void mb_gradient_corners(const MbGradient *gradient, const double *scale, const double *p, const double *u,
                         double *c, size_t begin, size_t end) {
  if (gradient->rank == 3)
    corners_of(gradient, 3, scale, p, u, c, begin, end);
  else if (gradient->rank == 2)
    corners_of(gradient, 2, scale, p, u, c, begin, end);
  else
    corners_of(gradient, 1, scale, p, u, c, begin, end);
}

static inline void collect(const MbGradient *g, bool shared, const double *c, double *b, size_t begin,
                           size_t end) {
  for (size_t o = begin; o < end; o++) {
    const size_t i = g->order[o];
    double sum[3] = {0};
    for (size_t k = g->first[i]; k < g->first[i + 1]; k++) {
      const double *const at = c + g->corner[k];
      const double share = shared ? g->share[k] : 1;
      sum[0] += share * at[0], sum[1] += share * at[8], sum[2] += share * at[16];
    }
    mb_vec3_add(b + 3 * i, b + 3 * i, sum);
  }
}

void mb_gradient_collect(const MbGradient *gradient, const double *c, double *b, size_t begin, size_t end) {
  if (gradient->share)
    collect(gradient, true, c, b, begin, end);
  else
    collect(gradient, false, c, b, begin, end);
}

// ---- on threads -------------------------------------------------------------------------------------------

typedef struct Work {
  const MbGradient *gradient;
  const double *x, *scale, *p, *u;
  double *F, *c, *b;
} Work;

static void gather_range(void *context, size_t begin, size_t end) {
  const Work *const work = context;
  mb_gradient_gather(work->gradient, work->x, work->F, begin, end);
}
static void corners_range(void *context, size_t begin, size_t end) {
  const Work *const work = context;
  mb_gradient_corners(work->gradient, work->scale, work->p, work->u, work->c, begin, end);
}
static void collect_range(void *context, size_t begin, size_t end) {
  const Work *const work = context;
  mb_gradient_collect(work->gradient, work->c, work->b, begin, end);
}

void mb_gradient_gather_all(const MbGradient *gradient, int threads, const double *x, double *F) {
  Work work = {.gradient = gradient, .x = x, .F = F};
  mb_parallel_ranges(threads, gradient->n, GRAIN, gather_range, &work);
}

void mb_gradient_scatter_all(const MbGradient *gradient, int threads, const double *scale, const double *p,
                             const double *u, double *c, double *b) {
  Work work = {.gradient = gradient, .scale = scale, .p = p, .u = u, .c = c, .b = b};
  mb_parallel_ranges(threads, gradient->n, GRAIN, corners_range, &work);
  mb_parallel_ranges(threads, gradient->nodes, GRAIN, collect_range, &work);
}
