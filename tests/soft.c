#include "tests/soft.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <string.h>

static void add_masses(Soft *soft, double density) {
  const double *x = soft->mesh.x;
  for (size_t e = 0; e < soft->mesh.tets; e++) {
    const uint32_t *n = soft->mesh.tet + 4 * e;
    double a[3], b[3], c[3], ab[3];
    mb_vec3_sub(a, x + 3 * (size_t)n[1], x + 3 * (size_t)n[0]);
    mb_vec3_sub(b, x + 3 * (size_t)n[2], x + 3 * (size_t)n[0]);
    mb_vec3_sub(c, x + 3 * (size_t)n[3], x + 3 * (size_t)n[0]);
    mb_vec3_cross(ab, a, b);
    for (int k = 0; k < 4; k++) soft->mass[n[k]] += density * mb_vec3_dot(ab, c) / 24;
  }
  for (size_t e = 0; e < soft->mesh.triangles; e++) {
    const uint32_t *n = soft->mesh.triangle + 3 * e;
    double a[3], b[3], ab[3];
    mb_vec3_sub(a, x + 3 * (size_t)n[1], x + 3 * (size_t)n[0]);
    mb_vec3_sub(b, x + 3 * (size_t)n[2], x + 3 * (size_t)n[0]);
    mb_vec3_cross(ab, a, b);
    for (int k = 0; k < 3; k++) soft->mass[n[k]] += density * soft->part.thickness * mb_vec3_norm(ab) / 6;
  }
}

void soft_begin(Soft *soft, double density) {
  const size_t n = soft->mesh.nodes;
  soft->mass = mb_calloc(n, sizeof *soft->mass);
  soft->placed = mb_calloc(n, sizeof *soft->placed);
  soft->q = mb_calloc(n, 3 * sizeof *soft->q);
  soft->v = mb_calloc(n, 3 * sizeof *soft->v);
  soft->target = mb_calloc(n, 3 * sizeof *soft->target);
  cr_assert(soft->mass && soft->placed && soft->q && soft->v && soft->target);
  memcpy(soft->q, soft->mesh.x, 3 * n * sizeof *soft->q);
  memcpy(soft->target, soft->mesh.x, 3 * n * sizeof *soft->q);
  if (!(soft->part.thickness > 0)) soft->part.thickness = 1e-3;
  if (!(soft->part.bending_stiffness > 0)) soft->part.bending = MB_NO_BENDING;
  add_masses(soft, density);
}

void soft_material(Soft *soft, MbElasticModel model, double young, double poisson) {
  soft->part.elastic = mb_elastic_from(model, young, poisson, soft->mesh.triangles > 0);
}

void soft_hold(Soft *soft, int axis, double at, unsigned axes) {
  for (size_t i = 0; i < soft->mesh.nodes; i++)
    if (fabs(soft->mesh.x[3 * i + (size_t)axis] - at) < 1e-9) soft->placed[i] |= (unsigned char)axes;
}

void soft_create(Soft *soft, double h, MbMethod method, int iterations, double tolerance) {
  MbReport report = {0};
  soft->part.mesh = &soft->mesh;
  soft->spec.nodes = soft->mesh.nodes;
  soft->spec.mass = soft->mass, soft->spec.placed = soft->placed;
  soft->spec.nparts = 1, soft->spec.parts = &soft->part;
  soft->spec.h = h, soft->spec.method = method;
  soft->spec.iterations = iterations, soft->spec.tolerance = tolerance;
  if (soft->spec.threads < 1) soft->spec.threads = 1;
  test_ok(mb_pd_create(&soft->spec, &soft->engine, &report), &report);
}

void soft_step(Soft *soft) {
  const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
  cr_assert(mb_pd_step(soft->engine, &start, soft->q, soft->v), "numbers that are not finite");
}

void soft_end(Soft *soft) {
  mb_pd_free(soft->engine);
  mb_element_mesh_free(&soft->mesh);
  mb_free(soft->mass);
  mb_free(soft->placed);
  mb_free(soft->q);
  mb_free(soft->v);
  mb_free(soft->target);
  *soft = (Soft){0};
}
