#include "core/deformables/bending_damper.h"
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"
#include "core/deformables/bending_rest.h"
#include "core/math/vec3.h"

#include <string.h>

// ---- of a mesh --------------------------------------------------------------------------------------------

bool mb_bending_damper_take(MbBendingDamper *damper, MbStencils *stencils, double (*axes)[3]) {
  *damper = (MbBendingDamper){.count = stencils->count,
                              .entries = stencils->entries,
                              .first = stencils->first,
                              .node = stencils->node,
                              .c = stencils->c,
                              .axes = axes};
  const bool failed = stencils->failed;
  *stencils = (MbStencils){0};
  if (!axes) damper->corner = mb_calloc(damper->entries, sizeof *damper->corner);
  if (!failed && (axes || damper->corner)) return true;
  mb_bending_damper_free(damper);
  return false;
}

bool mb_bending_damper_cloth(MbBendingDamper *damper, double stiffness, const uint32_t *triangle,
                             size_t triangles, const double *x, size_t nodes) {
  MbBendingMesh mesh = {.triangle = triangle, .x = x, .triangles = triangles, .nodes = nodes};
  MbStencils stencils = {0};
  MbBendingRest rest = {0};
  size_t flat;
  *damper = (MbBendingDamper){0};
  bool ok = mb_bending_mesh_create(&mesh, &flat);
  if (ok) mb_bending_isometric(&mesh, stiffness, &stencils);
  ok = ok && !stencils.failed;
  if (ok && triangles) ok = mb_bending_take_rest(&mesh, stiffness, &stencils, &rest);
  ok = ok && mb_bending_damper_take(damper, &stencils, NULL);
  mb_bending_rest_free(&rest);
  mb_bending_mesh_free(&mesh), mb_stencils_free(&stencils);
  for (size_t t = 0; ok && t < damper->count; t++)
    for (size_t k = damper->first[t]; k < damper->first[t + 1]; k++) {
      size_t j = 0;
      while (j < 3 && triangle[3 * t + j] != damper->node[k]) j++;
      damper->corner[k] = (unsigned char)j;
    }
  return ok;
}

void mb_bending_damper_free(MbBendingDamper *damper) {
  mb_free(damper->first), mb_free(damper->node), mb_free(damper->c);
  mb_free(damper->axes), mb_free(damper->corner);
  *damper = (MbBendingDamper){0};
}

// ---- one stencil ------------------------------------------------------------------------------------------

// By differences, for the weights sum up to 0.
static void sums(const double (*weight)[3], size_t n, const double *x, double y[3][3]) {
  double d[3];
  memset(y, 0, 9 * sizeof(double));
  for (size_t a = 1; a < n; a++) {
    mb_vec3_sub(d, x + 3 * a, x);
    for (size_t r = 0; r < 3; r++) mb_vec3_add_scaled(y[r], y[r], weight[a][r], d);
  }
}

static double *slope_of(MbBent *bent, size_t m, size_t a) { return bent->slope + 3 * (bent->nodes * m + a); }

static void look_at_rod(const double (*axes)[3], const double (*c)[3], const double *x, const double y[3][3],
                        MbBent *bent) {
  double e[3][3];
  sums(axes, bent->nodes, x, e);
  for (size_t r = 0; r < 3; r++)
    for (size_t k = 0; k < 3; k++) {
      const size_t m = 3 * r + k;
      bent->z[m] = mb_vec3_dot(e[k], y[r]);
      for (size_t a = 0; a < bent->nodes; a++) {
        double *const to = slope_of(bent, m, a);
        mb_vec3_scale(to, c[a][r], e[k]);
        mb_vec3_add_scaled(to, to, axes[a][k], y[r]);
      }
    }
}

static void look_at_cloth(const unsigned char *corner, const double (*c)[3], const double *x,
                          const double y[3][3], bool curved, MbBent *bent) {
  const double *p[3] = {x, x, x};
  for (size_t a = 0; a < bent->nodes; a++)
    if (corner[a] < 3) p[corner[a]] = x + 3 * a;
  for (size_t r = 0; r < 3; r++) {
    MbBendingPull pull;
    mb_bending_pull(p, y[r], &pull);
    bent->z[r] = pull.value;
    if (curved) mb_bending_pull_slopes(p, y[r], 0, bent->turn, bent->second[r]);
    for (size_t a = 0; a < bent->nodes; a++) {
      double *const to = slope_of(bent, r, a);
      mb_vec3_scale(to, c[a][r], pull.n);
      if (corner[a] < 3) mb_vec3_add(to, to, pull.slope[corner[a]]);
    }
  }
}

void mb_bent_look(const MbBendingDamper *damper, size_t stencil, const double *x, bool curved, MbBent *bent) {
  const size_t first = damper->first[stencil];
  const double(*const c)[3] = (const double(*)[3])(damper->c + first);
  double y[3][3];
  bent->of = damper, bent->stencil = stencil;
  bent->nodes = damper->first[stencil + 1] - first;
  bent->measures = mb_bending_damper_measures(damper);
  sums(c, bent->nodes, x, y);
  if (damper->axes)
    look_at_rod((const double(*)[3])(damper->axes + first), c, x, (const double(*)[3])y, bent);
  else
    look_at_cloth(damper->corner + first, c, x, (const double(*)[3])y, curved, bent);
}

void mb_bent_second(const MbBent *bent, size_t m, size_t a, size_t b, double B[9]) {
  const MbBendingDamper *const damper = bent->of;
  const size_t first = damper->first[bent->stencil];
  const double(*const c)[3] = (const double(*)[3])(damper->c + first);
  memset(B, 0, 9 * sizeof *B);
  if (damper->axes) {
    const double(*const axes)[3] = (const double(*)[3])(damper->axes + first);
    const size_t r = m / 3, k = m % 3;
    B[0] = B[4] = B[8] = c[a][r] * axes[b][k] + c[b][r] * axes[a][k];
    return;
  }
  const unsigned char i = damper->corner[first + a], j = damper->corner[first + b];
  for (size_t e = 0; e < 9; e++) {
    if (j < 3) B[e] += c[a][m] * bent->turn[j][e];
    if (i < 3) B[e] += c[b][m] * bent->turn[i][3 * (e % 3) + e / 3];
    if (i < 3 && j < 3) B[e] += bent->second[m][3 * i + j][e];
  }
}
