// What continuum mechanics says of blocks and bars, by local-global iterations and by Newton's method.
#include "core/base/alloc.h"
#include "tests/soft.h"

#include <criterion/parameterized.h>

typedef struct Way {
  bool newton;
  int iterations;
  double tolerance;
} Way;
static const Way NEWTON = {true, 100, 1e-12}, PROJECTIVE = {false, 4000, 1e-9};

static void block(Soft *soft, size_t n, const double size[3], double density) {
  const size_t counts[3] = {n, n, n};
  cr_assert(mb_element_mesh_box(&soft->mesh, counts, size));
  soft_begin(soft, density);
}

// ---- uniaxial stretch -------------------------------------------------------------------------------------

typedef struct Stretch {
  double stretch, lateral, stress;
} Stretch;
// ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J with E = 1e5 Pa, ν = 0.4, sides free of stress
static const Stretch stretches[] = {{1.5, 0.846028, 36529.4}, {0.8, 1.091582, -24622.8}};

// A unit cube on rollers, drawn to a stretch and left to come to rest.
static void stretch_cube(const Way *way, const Stretch *want, double *lateral, double *stress) {
  static const double unit[3] = {1, 1, 1};
  Soft soft = {0};
  block(&soft, 3, unit, 1);
  soft_material(&soft, MB_NEO_HOOKEAN, 1e5, 0.4);
  for (int axis = 0; axis < 3; axis++) soft_hold(&soft, axis, 0, 1u << axis);
  soft_hold(&soft, 0, 1, 1);
  soft_create(&soft, 0.1, way->newton, way->iterations, way->tolerance);
  for (int k = 1; k <= 12; k++) {
    const double s = 1 + (want->stretch - 1) * (k < 4 ? k / 4.0 : 1);
    for (size_t i = 0; i < soft.mesh.nodes; i++) soft.target[3 * i] = soft.mesh.x[3 * i] * s;
    soft_step(&soft);
  }
  double *f = mb_calloc(3 * soft.mesh.nodes, sizeof *f);
  mb_soft_forces(soft.engine, soft.q, f);
  *lateral = *stress = 0;
  for (size_t i = 0; i < soft.mesh.nodes; i++) {
    if (soft.mesh.x[3 * i] == 1) *stress -= f[3 * i];
    if (soft.mesh.x[3 * i + 1] == 1) *lateral = soft.q[3 * i + 1];
  }
  const MbSoftStats stats = mb_soft_stats(soft.engine);
  cr_log_info("%d iterations, residual %g", stats.iterations, stats.residual);
  mb_free(f);
  soft_end(&soft);
}

static void check_stretches(const Way *way) {
  const double TOLERANCE = 1e-5; // relative; the numbers above have six digits
  for (size_t k = 0; k < 2; k++) {
    double lateral, stress;
    stretch_cube(way, &stretches[k], &lateral, &stress);
    cr_expect(fabs(lateral / stretches[k].lateral - 1) < TOLERANCE, "at %g the sides are at %.8g, not %.8g",
              stretches[k].stretch, lateral, stretches[k].lateral);
    cr_expect(fabs(stress / stretches[k].stress - 1) < TOLERANCE, "at %g the stress is %.8g Pa, not %.8g",
              stretches[k].stretch, stress, stretches[k].stress);
  }
  cr_expect(mb_alloc_live() == 0, "%lld blocks left", (long long)mb_alloc_live());
}

Test(projective, newton_stretches_a_cube_as_the_material_says) { check_stretches(&NEWTON); }
Test(projective, iterations_stretch_a_cube_as_the_material_says) { check_stretches(&PROJECTIVE); }
