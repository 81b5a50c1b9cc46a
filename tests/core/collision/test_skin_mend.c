// Triangles without area in meshes: surfaces stay what they are without them.
#include "core/collision/skin_mend.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "tests/core/collision/mesh_make.h"
#include "tests/runs.h"

#include <string.h>

enum { MOST = 4000 };
static double vertex[3 * MOST];
static uint32_t corner[3 * MOST], nv, nt;

static void triangle(uint32_t a, uint32_t b, uint32_t c) {
  corner[3 * nt] = a, corner[3 * nt + 1] = b, corner[3 * nt + 2] = c;
  nt++;
}

static uint32_t point_between(uint32_t a, uint32_t b, double t) {
  for (int k = 0; k < 3; k++)
    vertex[3 * nv + (uint32_t)k] = (1 - t) * vertex[3 * a + (uint32_t)k] + t * vertex[3 * b + (uint32_t)k];
  return nv++;
}

// The triangle a b c with n points on its side from a to b, and lines between these and that side as it was: in turn all with the corner a,
// all with b, or by halves of what is left.
static void cut(uint32_t a, uint32_t b, uint32_t c, uint32_t n, int way) {
  uint32_t on[10] = {a};
  for (uint32_t i = 1; i <= n; i++) on[i] = point_between(a, b, i / (n + 1.0));
  on[n + 1] = b;
  for (uint32_t i = 0; i <= n; i++) triangle(on[i], on[i + 1], c);
  if (way == 0)
    for (uint32_t i = 1; i <= n; i++) triangle(on[0], on[i + 1], on[i]);
  if (way == 1)
    for (uint32_t i = 1; i <= n; i++) triangle(on[n + 1], on[i], on[i - 1]);
  if (way == 2)
    for (uint32_t low = 0, high = n + 1; low + 1 < high; low++, high--) {
      triangle(on[low], on[high], on[high - 1]);
      if (low + 2 < high) triangle(on[low], on[high - 1], on[low + 1]);
    }
}

// The surface's triangles, every third of them cut at a side, every seventh with a line of two corners beside it. Returns how many are cut.
static uint32_t with_lines(const MbSkin *surface) {
  uint32_t cuts = 0;
  nv = surface->vertices, nt = 0;
  memcpy(vertex, surface->vertex, 3 * nv * sizeof *vertex);
  for (uint32_t t = 0; t < surface->triangles; t++) {
    const uint32_t *v = surface->corner + 3 * t, a = v[t % 3], b = v[(t + 1) % 3], c = v[(t + 2) % 3];
    if (t % 3 == 0)
      cut(a, b, c, 1 + t % 5, (int)cuts++ % 3);
    else
      triangle(a, b, c);
    if (t % 7 == 0) triangle(b, c, c);
  }
  cr_assert_lt(nt, MOST);
  return cuts;
}

static void sums_of(const MbSkin *surface, double *area, double *volume) {
  *area = *volume = 0;
  for (uint32_t t = 0; t < surface->triangles; t++) {
    const uint32_t *v = surface->corner + 3 * t;
    const double *x[3];
    double d[3], e[3], n[3];
    for (int i = 0; i < 3; i++) x[i] = surface->vertex + 3 * (size_t)v[i];
    cr_assert(!mb_skin_is_line(x[0], x[1], x[2]), "triangle %u is a line", t);
    mb_vec3_sub(d, x[1], x[0]), mb_vec3_sub(e, x[2], x[0]);
    mb_vec3_cross(n, d, e);
    *area += mb_vec3_norm(n) / 2, *volume += mb_vec3_dot(x[0], n) / 6;
  }
}

Test(skin_mend, a_surface_with_lines_among_its_triangles_is_the_same_without_them) {
  uint64_t seed = 91;
  MbSkin *given[] = {made_torus(0.6, 0.25, 14, 9), made_cone(0.5, 0.8, 9), made_sheet(&seed, 6, 1, 0.3),
                     made_sheet(&seed, 5, 1, 0)};
  const int64_t live = mb_alloc_live();
  for (int k = 0; k < 4; k++) {
    const uint32_t cuts = with_lines(given[k]);
    MbSkin *mended;
    uint32_t at;
    cr_assert_eq(mb_skin_make(&mended, nv, vertex, nt, corner, &at), MB_SKIN_SOUND, "surface %d", k);
    cr_assert(mended->closed == given[k]->closed && cuts > 3);
    double area, volume, same_area, same_volume;
    sums_of(given[k], &area, &volume), sums_of(mended, &same_area, &same_volume);
    cr_assert_float_eq(area, same_area, 1e-13 * area);
    cr_assert_float_eq(volume, same_volume, 1e-13 * area);
    for (int i = 0; i < 3000; i++) {
      double x[3], n[3], m[3];
      MbSkinPart part;
      for (int j = 0; j < 3; j++) x[j] = 2 * test_random(&seed) - 1;
      const double d = mb_skin_distance(given[k], x, n, &part), e = mb_skin_distance(mended, x, m, &part);
      cr_assert_float_eq(d, e, 1e-13, "surface %d: %.17g, %.17g", k, d, e);
      if (fabs(d) > 1e-3) cr_assert_leq(test_distance(n, m, 3), 1e-9, "surface %d, at %g", k, d);
    }
    mb_skin_free(mended);
  }
  cr_assert_eq(mb_alloc_live(), live);
  for (int k = 0; k < 4; k++) mb_skin_free(given[k]);
}
