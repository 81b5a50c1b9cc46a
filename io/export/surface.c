#include "io/export/surface.h"
#include "core/base/alloc.h"
#include "core/deformables/mesh_surface.h"
#include "core/math/vec3.h"

#include <string.h>

// ---- triangles --------------------------------------------------------------------------------------------

bool mb_surface_make(const MbTrajMesh *mesh, MbSurface *surface) {
  *surface = (MbSurface){0};
  if (mesh->corners == 4) {
    surface->triangle = mb_mesh_outer_faces(mesh->element, NULL, mesh->ne, &surface->n);
    return surface->triangle != NULL;
  }
  if (mesh->corners != 3) return true;
  surface->triangle = mb_calloc(mesh->ne, 3 * sizeof *surface->triangle);
  if (!surface->triangle) return false;
  surface->n = mesh->ne;
  memcpy(surface->triangle, mesh->element, 3 * surface->n * sizeof *surface->triangle);
  return true;
}

// ---- normals ----------------------------------------------------------------------------------------------

// Twice the area, along the normal.
static void area(const MbSurface *surface, const double *x, size_t t, double n[3]) {
  const uint32_t *v = surface->triangle + 3 * t;
  double a[3], b[3];
  mb_vec3_sub(a, x + 3 * (size_t)v[1], x + 3 * (size_t)v[0]);
  mb_vec3_sub(b, x + 3 * (size_t)v[2], x + 3 * (size_t)v[0]);
  mb_vec3_cross(n, a, b);
}

// z where there is no direction.
static void put_unit(const double n[3], float out[3]) {
  const double norm = mb_vec3_norm(n);
  for (int k = 0; k < 3; k++) out[k] = norm > 0 && isfinite(norm) ? (float)(n[k] / norm) : k == 2;
}

// Normals along areas' sums, not yet of unit length.
static void sum_areas(const MbSurface *surface, const double *x, size_t nv, double *sum) {
  memset(sum, 0, 3 * nv * sizeof *sum);
  for (size_t t = 0; t < surface->n; t++) {
    double n[3];
    area(surface, x, t, n);
    for (int c = 0; c < 3; c++) {
      double *to = sum + 3 * (size_t)surface->triangle[3 * t + (size_t)c];
      mb_vec3_add(to, to, n);
    }
  }
}

void mb_surface_normals(const MbSurface *surface, const double *x, size_t nv, double *work, float *normal) {
  sum_areas(surface, x, nv, work);
  for (size_t i = 0; i < nv; i++) put_unit(work + 3 * i, normal + 3 * i);
}

// Triangles about each vertex: those of v are list[first[v]] to list[first[v + 1] − 1].
static bool gather_about(const MbSurface *surface, size_t nv, size_t **first, size_t **list) {
  *first = mb_calloc(nv + 2, sizeof **first);
  *list = mb_calloc(3 * surface->n + 1, sizeof **list);
  if (!*first || !*list) return false;
  for (size_t i = 0; i < 3 * surface->n; i++) (*first)[surface->triangle[i] + 2]++;
  for (size_t v = 2; v < nv + 2; v++) (*first)[v] += (*first)[v - 1];
  for (size_t i = 0; i < 3 * surface->n; i++) (*list)[(*first)[surface->triangle[i] + 1]++] = i / 3;
  return true;
}

bool mb_surface_creased(const MbSurface *surface, const double *x, size_t nv, float *normal) {
  static const double CREASE = 0.81915204428899178; // cos 35°
  size_t *first = NULL, *list = NULL;
  const bool good = gather_about(surface, nv, &first, &list);
  for (size_t i = 0; good && i < 3 * surface->n; i++) {
    const uint32_t v = surface->triangle[i];
    double own[3], sum[3] = {0}, other[3];
    area(surface, x, i / 3, own);
    for (size_t k = first[v]; k < first[v + 1]; k++) {
      area(surface, x, list[k], other);
      const double cosine = mb_vec3_dot(own, other), size = mb_vec3_norm(own) * mb_vec3_norm(other);
      if (cosine >= CREASE * size) mb_vec3_add(sum, sum, other);
    }
    put_unit(sum, normal + 3 * i);
  }
  mb_free(first);
  mb_free(list);
  return good;
}
