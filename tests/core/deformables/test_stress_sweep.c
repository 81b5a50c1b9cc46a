// Stress and energy of whole meshes at once, beside those of one element after the other.
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/local_step.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"arap", "corotational", "neo_hookean", "linear"};

typedef struct Mesh {
  MbElementMesh mesh;
  MbGradient gradient;
  double *x, *energy, *corner, *F;
} Mesh;

// A block or a sheet whose nodes are where they like: near rest, far from it, inside out, and one element flat.
static void make(Mesh *m, int rank, double spread) {
  const size_t counts[3] = {4, 3, 4};
  static const double size[3] = {1, 0.7, 1.2};
  size_t flat;
  uint64_t seed = 11;
  cr_assert(rank == 3 ? mb_element_mesh_box(&m->mesh, counts, size)
                      : mb_element_mesh_grid(&m->mesh, 6, 5, 1, 1, false));
  cr_assert(mb_gradient_create(&m->gradient, rank, rank == 3 ? m->mesh.tet : m->mesh.triangle,
                               rank == 3 ? m->mesh.tets : m->mesh.triangles, m->mesh.x, m->mesh.nodes,
                               &flat));
  const size_t n = 3 * m->mesh.nodes, stride = m->gradient.stride;
  m->x = mb_calloc(n, sizeof *m->x);
  m->energy = mb_calloc(stride, sizeof *m->energy);
  m->corner = mb_calloc(stride, 3 * ((size_t)rank + 1) * sizeof *m->corner);
  m->F = mb_calloc(stride, 3 * (size_t)rank * sizeof *m->F);
  cr_assert(m->x && m->energy && m->corner && m->F);
  for (size_t i = 0; i < n; i++) m->x[i] = m->mesh.x[i] + spread * (test_random(&seed) - 0.5);
  // two nodes at one place: of sheets the stress has no direction there
  if (rank == 3) memcpy(m->x + 3, m->x, 3 * sizeof *m->x);
  mb_gradient_gather(&m->gradient, m->x, m->F, 0, m->gradient.n);
}

static void end(Mesh *m) {
  mb_gradient_free(&m->gradient);
  mb_element_mesh_free(&m->mesh);
  mb_free(m->x);
  mb_free(m->energy);
  mb_free(m->corner);
  mb_free(m->F);
  *m = (Mesh){0};
}

// Of element e the energy, and −V P g_aᵀ at its corners (nodes x 3, added up).
static double one(const Mesh *m, const MbElastic *elastic, double thickness, size_t e, double *f) {
  const size_t rank = (size_t)m->gradient.rank;
  const double volume = thickness * m->gradient.size[e];
  double F[9], P[9], g[12];
  for (size_t c = 0; c < 3 * rank; c++) F[c] = m->F[c * m->gradient.stride + e];
  rank == 3 ? mb_elastic_stress(elastic, F, P) : mb_elastic_sheet_stress(elastic, F, P);
  mb_gradient_of(&m->gradient, e, g);
  for (size_t a = 0; a <= rank; a++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++)
        f[3 * (size_t)m->gradient.node[e * (rank + 1) + a] + i] -= volume * P[rank * i + j] * g[a * rank + j];
  return volume * (rank == 3 ? mb_elastic_energy(elastic, F) : mb_elastic_sheet_energy(elastic, F));
}

static void check(const MbLocalKernel *kernel, int rank, MbElasticModel model, double spread) {
  const double TOLERANCE = 1e-12, thickness = rank == 2 ? 0.3 : 1; // of the largest; rounding
  const MbElastic elastic = mb_elastic_from(model, 1e4, 0.4, rank == 2);
  Mesh m = {0};
  make(&m, rank, spread);
  const size_t n = 3 * m.mesh.nodes;
  double *f = mb_calloc(n, sizeof *f), *want = mb_calloc(n, sizeof *want), most = 0, highest = 0;
  const MbStressSweep sweep = {elastic, &m.gradient, m.x, thickness, m.energy, m.corner};
  kernel->stress(&sweep, 0, 1);
  kernel->stress(&sweep, 1, (m.gradient.n + 7) / 8);
  mb_gradient_collect(&m.gradient, m.corner, f, 0, m.mesh.nodes);
  double *energy = mb_calloc(m.gradient.n, sizeof *energy);
  for (size_t e = 0; e < m.gradient.n; e++) {
    energy[e] = one(&m, &elastic, thickness, e, want);
    highest = fmax(highest, fabs(energy[e]));
  }
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(want[i]));
  char what[100];
  snprintf(what, sizeof what, "%s, %s, rank %d, spread %g", kernel->name, names[model], rank, spread);
  test_near(what, m.energy, energy, m.gradient.n, TOLERANCE * fmax(highest, 1));
  test_near(what, f, want, n, TOLERANCE * fmax(most, 1e4));
  mb_free(f);
  mb_free(want);
  mb_free(energy);
  end(&m);
}

Test(stress_sweep, gives_energy_and_forces_of_every_material_wherever_elements_are) {
  static const double spreads[] = {0, 1e-3, 0.1, 0.4, 1.5};
  for (size_t k = 0; mb_local_kernels[k]; k++)
    for (int rank = 2; rank <= 3 && mb_local_runs(mb_local_kernels[k]); rank++)
      for (int model = 0; model < MB_ELASTIC_MODELS; model++)
        for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
          check(mb_local_kernels[k], rank, (MbElasticModel)model, spreads[i]);
  cr_expect_eq(mb_alloc_live(), 0);
}
