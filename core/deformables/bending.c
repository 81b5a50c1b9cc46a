#include "core/deformables/bending.h"
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"
#include "core/deformables/bending_rest.h"
#include "core/math/vec3.h"

#include <stdlib.h>

// ---- rows of Q --------------------------------------------------------------------------------------------

// The stencils of every node, in order.
typedef struct Users {
  size_t *first; // (nodes + 1)
  size_t *at;    // entries of stencils
  size_t *of;    // the stencils of these
} Users;

static bool find_users(const MbStencils *stencils, size_t nodes, Users *users) {
  users->first = mb_calloc(nodes + 2, sizeof *users->first);
  users->at = mb_calloc(stencils->entries, sizeof *users->at);
  users->of = mb_calloc(stencils->entries, sizeof *users->of);
  if (!users->first || !users->at || !users->of) return false;
  for (size_t k = 0; k < stencils->entries; k++) users->first[stencils->node[k] + 2]++;
  for (size_t i = 1; i <= nodes; i++) users->first[i + 1] += users->first[i];
  for (size_t s = 0; s < stencils->count; s++)
    for (size_t k = stencils->first[s]; k < stencils->first[s + 1]; k++) {
      const size_t to = users->first[stencils->node[k] + 1]++;
      users->at[to] = k, users->of[to] = s;
    }
  return true;
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// Row i of Q, columns up to i: into `sum` by columns, these into `column`, sorted. `mark` has i + 1 where a column is there.
static size_t sum_row(const MbStencils *stencils, const Users *users, size_t i, double *sum, size_t *mark,
                      uint32_t *column) {
  size_t n = 0;
  for (size_t u = users->first[i]; u < users->first[i + 1]; u++) {
    const double *const own = stencils->c[users->at[u]];
    for (size_t k = stencils->first[users->of[u]]; k < stencils->first[users->of[u] + 1]; k++) {
      const uint32_t j = stencils->node[k];
      const double *const c = stencils->c[k];
      if (j > i) continue;
      if (mark[j] != i + 1) mark[j] = i + 1, sum[j] = 0, column[n++] = j;
      sum[j] += own[0] * c[0] + own[1] * c[1] + own[2] * c[2];
    }
  }
  if (n) qsort(column, n, sizeof *column, ascending);
  return n;
}

static bool put(MbBending *bending, size_t *room, size_t row, const uint32_t *column, size_t n,
                const double *sum) {
  size_t same[2] = {*room, *room};
  if (!mb_grow(&bending->row, &same[0], bending->count + n, sizeof *bending->row) ||
      !mb_grow(&bending->column, &same[1], bending->count + n, sizeof *bending->column) ||
      !mb_grow(&bending->value, room, bending->count + n, sizeof *bending->value))
    return false;
  for (size_t k = 0; k < n; k++, bending->count++) {
    bending->row[bending->count] = (uint32_t)row, bending->column[bending->count] = column[k];
    bending->value[bending->count] = sum[column[k]];
  }
  return true;
}

// Q = Σ_s Σ_r c_r c_rᵀ
static bool add_up(const MbStencils *stencils, MbBending *bending) {
  const size_t nodes = bending->nodes;
  Users users = {0};
  double *const sum = mb_calloc(nodes, sizeof *sum);
  size_t *const mark = mb_calloc(nodes, sizeof *mark), room = 0;
  uint32_t *const column = mb_calloc(nodes, sizeof *column);
  bool ok = sum && mark && column && find_users(stencils, nodes, &users);
  for (size_t i = 0; i < nodes && ok; i++)
    ok = put(bending, &room, i, column, sum_row(stencils, &users, i, sum, mark, column), sum);
  mb_free(users.first), mb_free(users.at), mb_free(users.of);
  mb_free(sum), mb_free(mark), mb_free(column);
  return ok;
}

// -----------------------------------------------------------------------------------------------------------

bool mb_bending_of_stencils(const MbStencils *stencils, size_t nodes, MbBending *bending) {
  *bending = (MbBending){.nodes = nodes};
  const bool ok = !stencils->failed && add_up(stencils, bending);
  if (!ok) mb_bending_free(bending);
  return ok;
}

bool mb_bending_create(MbBending *bending, MbBendingKind model, double stiffness, const uint32_t *triangle,
                       size_t triangles, const double *x, size_t nodes, size_t *flat) {
  MbBendingMesh mesh = {.triangle = triangle, .x = x, .triangles = triangles, .nodes = nodes};
  MbStencils stencils = {0};
  *bending = (MbBending){.nodes = nodes};
  *flat = SIZE_MAX;
  bool ok = mb_bending_mesh_create(&mesh, flat);
  if (ok && model == MB_BENDING_ISOMETRIC)
    mb_bending_isometric(&mesh, stiffness, &stencils);
  else if (ok)
    ok = mb_bending_laplace_beltrami(&mesh, stiffness, &stencils);
  ok = ok && !stencils.failed;
  if (ok && model == MB_BENDING_ISOMETRIC && triangles)
    ok = mb_bending_take_rest(&mesh, stiffness, &stencils, &bending->rest);
  ok = ok && add_up(&stencils, bending);
  mb_bending_mesh_free(&mesh), mb_stencils_free(&stencils);
  if (!ok) mb_bending_free(bending);
  return ok;
}

void mb_bending_free(MbBending *bending) {
  mb_free(bending->row), mb_free(bending->column), mb_free(bending->value);
  mb_bending_rest_free(&bending->rest);
  *bending = (MbBending){0};
}

// Σ_t (½ s − n · w)
static double rest_energy(const MbBendingRest *rest, const double *x) {
  double sum = 0, w[3], d[3];
  for (size_t t = 0; t < rest->count; t++) {
    const uint32_t *const corner = rest->corner + 3 * t;
    const double *const p[3] = {x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                                x + 3 * (size_t)corner[2]};
    MbBendingPull pull;
    mb_vec3_set(w, 0, 0, 0);
    for (size_t k = rest->first[t]; k < rest->first[t + 1]; k++) {
      mb_vec3_sub(d, x + 3 * (size_t)rest->node[k], p[0]);
      mb_vec3_add_scaled(w, w, rest->weight[k], d);
    }
    mb_bending_pull(p, w, &pull);
    sum += rest->square[t] / 2 - pull.value;
  }
  return sum;
}

// By differences, for rows of Q sum up to 0: E = −½ Σ_{i>j} Q_ij |x_i − x_j|².
double mb_bending_energy(const MbBending *bending, const double *x) {
  double sum = rest_energy(&bending->rest, x), d[3];
  for (size_t k = 0; k < bending->count; k++) {
    mb_vec3_sub(d, x + 3 * (size_t)bending->row[k], x + 3 * (size_t)bending->column[k]);
    sum -= bending->value[k] * mb_vec3_dot(d, d) / 2;
  }
  return sum;
}
