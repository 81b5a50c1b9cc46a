// What continuum mechanics says of blocks and bars, by local-global iterations, quasi-Newton steps and by Newton's method.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "tests/soft.h"

#include <string.h>

typedef struct Way {
  MbMethod method;
  int iterations;
  double tolerance;
} Way;
static const Way NEWTON = {MB_METHOD_NEWTON, 100, 1e-12}, PROJECTIVE = {MB_METHOD_PROJECTIVE, 4000, 1e-9},
                 LBFGS = {MB_METHOD_LBFGS, 4000, 1e-12};

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
  soft_create(&soft, 0.1, way->method, way->iterations, way->tolerance);
  for (int k = 1; k <= 12; k++) {
    const double s = 1 + (want->stretch - 1) * (k < 4 ? k / 4.0 : 1);
    for (size_t i = 0; i < soft.mesh.nodes; i++) soft.target[3 * i] = soft.mesh.x[3 * i] * s;
    soft_step(&soft);
  }
  double *f = mb_calloc(3 * soft.mesh.nodes, sizeof *f);
  mb_pd_forces(soft.engine, soft.q, f);
  *lateral = *stress = 0;
  for (size_t i = 0; i < soft.mesh.nodes; i++) {
    if (soft.mesh.x[3 * i] == 1) *stress -= f[3 * i];
    if (soft.mesh.x[3 * i + 1] == 1) *lateral = soft.q[3 * i + 1];
  }
  const MbNodeStats stats = mb_pd_stats(soft.engine);
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
Test(projective, lbfgs_stretches_a_cube_as_the_material_says) { check_stretches(&LBFGS); }

// ---- volume -----------------------------------------------------------------------------------------------

// Drawn to 1.5 with free sides at ν = 0.4: neo-Hookean as above; corotational has sides of 1 − ν/2; arap of 1.
Test(projective, volume_at_half_as_long_again_is_each_materials_own) {
  const double TOLERANCE = 1e-6; // the neo-Hookean number has six digits
  static const double unit[3] = {1, 1, 1};
  static const struct {
    MbElasticModel model;
    double volume;
  } wanted[] = {{MB_NEO_HOOKEAN, 1.5 * 0.846028 * 0.846028}, {MB_COROTATIONAL, 0.96}, {MB_ARAP, 1.5}};
  for (size_t m = 0; m < 3; m++) {
    Soft soft = {0};
    block(&soft, 2, unit, 1);
    soft_material(&soft, wanted[m].model, 1e5, 0.4);
    for (int axis = 0; axis < 3; axis++) soft_hold(&soft, axis, 0, 1u << axis);
    soft_hold(&soft, 0, 1, 1);
    soft_create(&soft, 0.1, MB_METHOD_PROJECTIVE, 4000, 1e-11);
    for (size_t i = 0; i < soft.mesh.nodes; i++) soft.target[3 * i] *= 1.5;
    for (int k = 0; k < 10; k++) soft_step(&soft);
    double volume, strain;
    mb_pd_measure(soft.engine, 0, soft.q, &volume, &strain);
    cr_expect(fabs(volume - wanted[m].volume) < 2 * TOLERANCE, "material %d: %.9g, not %.9g",
              (int)wanted[m].model, volume, wanted[m].volume);
    cr_expect(fabs(strain - 0.5) < TOLERANCE, "material %d: strain %.9g", (int)wanted[m].model, strain);
    soft_end(&soft);
  }
}

// ---- the patch test ---------------------------------------------------------------------------------------

// Nodes inside a block out of line; its surface moved by x → B x + c: so are they.
static void check_patch(const Way *way, MbElasticModel model) {
  const double TOLERANCE = 1e-10; // m; of blocks a metre wide
  static const double unit[3] = {1, 1, 1}, B[9] = {1.2, 0.1, 0, -0.05, 0.9, 0.1, 0.15, 0, 1.05},
                      c[3] = {2, -1, 0.5};
  uint64_t seed = 5;
  Soft soft = {0};
  const size_t counts[3] = {4, 4, 4};
  cr_assert(mb_element_mesh_box(&soft.mesh, counts, unit));
  for (size_t i = 0; i < soft.mesh.nodes; i++) {
    double *x = soft.mesh.x + 3 * i;
    bool inside = true;
    for (int k = 0; k < 3; k++) inside &= x[k] > 1e-9 && x[k] < 1 - 1e-9;
    for (int k = 0; k < 3 && inside; k++) x[k] += 0.1 * (test_random(&seed) - 0.5);
  }
  soft_begin(&soft, 1);
  soft_material(&soft, model, 1e5, 0.3);
  double *want = mb_calloc(3 * soft.mesh.nodes, sizeof *want);
  for (size_t i = 0; i < soft.mesh.nodes; i++)
    for (size_t k = 0; k < 3; k++) {
      want[3 * i + k] = c[k];
      for (size_t j = 0; j < 3; j++) want[3 * i + k] += B[3 * k + j] * soft.mesh.x[3 * i + j];
    }
  for (int axis = 0; axis < 3; axis++) soft_hold(&soft, axis, 0, 7), soft_hold(&soft, axis, 1, 7);
  memcpy(soft.target, want, 3 * soft.mesh.nodes * sizeof *want);
  soft_create(&soft, 1, way->method, way->iterations, way->method == MB_METHOD_NEWTON ? 1e-13 : 1e-12);
  for (int k = 0; k < 6; k++) soft_step(&soft);
  test_near("places", soft.q, want, 3 * soft.mesh.nodes, TOLERANCE);
  mb_free(want);
  soft_end(&soft);
}

Test(projective, what_is_affine_at_the_surface_is_affine_inside) {
  for (int model = 0; model < MB_ELASTIC_MODELS; model++) {
    check_patch(&PROJECTIVE, (MbElasticModel)model);
    check_patch(&LBFGS, (MbElasticModel)model);
    check_patch(&NEWTON, (MbElasticModel)model);
  }
}

// ---- weight -----------------------------------------------------------------------------------------------

Test(projective, free_fall_is_that_of_implicit_euler) {
  const double TOLERANCE = 1e-12, h = 0.01; // rounding, m
  static const double unit[3] = {1, 1, 1};
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    block(&soft, 3, unit, 1000);
    soft_material(&soft, MB_COROTATIONAL, 1e5, 0.3);
    soft.gravity[2] = -9.81;
    soft_create(&soft, h, method, 5, 0);
    const int steps = 50;
    for (int k = 0; k < steps; k++) soft_step(&soft);
    const double drop = 9.81 * h * h * steps * (steps + 1) / 2;
    double *want = mb_calloc(3 * soft.mesh.nodes, sizeof *want);
    for (size_t c = 0; c < 3 * soft.mesh.nodes; c++) want[c] = soft.mesh.x[c] - (c % 3 == 2 ? drop : 0);
    test_near("places", soft.q, want, 3 * soft.mesh.nodes, TOLERANCE);
    mb_free(want);
    soft_end(&soft);
  }
}

Test(projective, what_is_at_rest_stays_at_rest) {
  const double TOLERANCE = 1e-14; // m; rounding
  static const double unit[3] = {1, 1, 1};
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
      Soft soft = {0};
      block(&soft, 3, unit, 1000);
      soft_material(&soft, (MbElasticModel)model, 1e6, 0.4);
      soft_create(&soft, 0.01, method, 5, 0);
      for (int k = 0; k < 20; k++) soft_step(&soft);
      test_near("places", soft.q, soft.mesh.x, 3 * soft.mesh.nodes, TOLERANCE);
      soft_end(&soft);
    }
}

// A bar under its own weight gets longer by ρ g L²/2E.
Test(projective, a_hanging_bar_is_drawn_out_by_its_weight) {
  const double TOLERANCE = 0.01; // tetrahedra share a bar's mass unevenly among nodes of a cross-section
  const double L = 1, E = 1e6, rho = 1000, want = rho * 9.81 * L * L / (2 * E);
  static const double size[3] = {0.2, 0.2, 1};
  const size_t counts[3] = {3, 3, 11};
  Soft soft = {0};
  cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
  soft_begin(&soft, rho);
  soft_material(&soft, MB_LINEAR, E, 0);
  soft_hold(&soft, 2, 1, 7);
  soft.gravity[2] = -9.81;
  soft_create(&soft, 10, MB_METHOD_NEWTON, 20, 0);
  for (int k = 0; k < 5; k++) soft_step(&soft);
  double mean = 0, count = 0;
  for (size_t i = 0; i < soft.mesh.nodes; i++)
    if (soft.mesh.x[3 * i + 2] == 0) mean -= soft.q[3 * i + 2], count++;
  mean /= count;
  cr_expect(fabs(mean / want - 1) < TOLERANCE, "%.6g m, not %.6g", mean, want);
  soft_end(&soft);
}

// The tip of a beam of n x n x 10 n cells under its weight.
static double sag(size_t n) {
  static const double size[3] = {0.1, 0.1, 1};
  const size_t counts[3] = {n + 1, n + 1, 10 * n + 1};
  Soft soft = {0};
  cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
  soft_begin(&soft, 1000);
  soft_material(&soft, MB_LINEAR, 1e8, 0.3);
  soft_hold(&soft, 2, 0, 7);
  soft.gravity[0] = -9.81;
  soft_create(&soft, 10, MB_METHOD_NEWTON, 10, 0);
  for (int k = 0; k < 3; k++) soft_step(&soft);
  double mean = 0, count = 0;
  for (size_t i = 0; i < soft.mesh.nodes; i++)
    if (soft.mesh.x[3 * i + 2] == 1) mean += soft.mesh.x[3 * i] - soft.q[3 * i], count++;
  soft_end(&soft);
  return mean / count;
}

// ρ g A L⁴/8EI and what shear adds: 14.87 mm. Tetrahedra with constant strains are too stiff in bending, and less so the finer
// they are.
Test(projective, a_cantilever_sags_as_beams_do_when_its_mesh_is_fine, TEST_LONG) {
  const double WANT = 14.87e-3, TOLERANCE = 0.01; // of what the stiffnesses of three meshes extrapolate to
  double w[3];
  for (size_t k = 0; k < 3; k++) w[k] = sag((size_t)2 << k);
  const double ratio = (1 / w[2] - 1 / w[1]) / (1 / w[1] - 1 / w[0]);
  const double limit = 1 / (1 / w[2] + (1 / w[2] - 1 / w[1]) * ratio / (1 - ratio));
  cr_log_info("%.4g %.4g %.4g mm, to %.4g mm", 1e3 * w[0], 1e3 * w[1], 1e3 * w[2], 1e3 * limit);
  cr_expect(w[0] < w[1] && w[1] < w[2] && w[2] < WANT, "%g %g %g m", w[0], w[1], w[2]);
  cr_expect(fabs(limit / WANT - 1) < TOLERANCE, "to %g m, not %g", limit, WANT);
}

// ---- vibration --------------------------------------------------------------------------------------------

// z of x_n ~ Re zⁿ, from x_{n+1} = 2 Re z x_n − |z|² x_{n−1} in the least squares
static void fit(const double *x, size_t n, double *frequency, double *decay, double h) {
  double a = 0, b = 0, d = 0, e = 0, f = 0;
  for (size_t k = 1; k + 1 < n; k++) {
    a += x[k] * x[k], b -= x[k] * x[k - 1], d += x[k - 1] * x[k - 1];
    e += x[k] * x[k + 1], f -= x[k - 1] * x[k + 1];
  }
  const double det = a * d - b * b, twice = (e * d - b * f) / det, square = (a * f - b * e) / det;
  *decay = sqrt(square);
  *frequency = acos(twice / (2 * *decay)) / (2 * M_PI * h);
}

// A chain of springs, as a bar of E = 1e6, ρ = 1000, L = 1 is lumped; one end is placed. Its modes are exact sines, of
// ω = 2 √(k/m) sin(π/4N); implicit Euler makes of them atan(ω h)/(2π h) and 1/√(1 + (ω h)²) a step.
static void vibrate_chain(MbMethod method) {
  const double TOLERANCE = 1e-9, h = 0.005; // relative; the iterations' tolerance
  enum { N = 40, STEPS = 100 };
  Soft soft = {0};
  soft.mesh.nodes = N + 1, soft.mesh.edges = N;
  soft.mesh.x = mb_calloc(N + 1, 3 * sizeof(double));
  soft.mesh.edge = mb_calloc(N, 2 * sizeof(uint32_t));
  for (uint32_t i = 0; i <= N; i++) soft.mesh.x[3 * i] = (double)i / N;
  for (uint32_t i = 0; i < N; i++) soft.mesh.edge[2 * i] = i, soft.mesh.edge[2 * i + 1] = i + 1;
  soft_begin(&soft, 0);
  const double k = 1e6 * N, m = 1000.0 / N;
  soft.part.stiffness = k;
  for (size_t i = 0; i <= N; i++) soft.mass[i] = i % N ? m : m / 2;
  soft.placed[0] = 7;
  for (size_t i = 0; i <= N; i++) soft.q[3 * i] += 1e-3 * sin(M_PI * (double)i / (2 * N));
  soft_create(&soft, h, method, 1000, method == MB_METHOD_NEWTON ? 0 : 1e-16);
  double x[STEPS], frequency, decay;
  for (size_t s = 0; s < STEPS; s++) {
    soft_step(&soft);
    x[s] = soft.q[3 * N] - 1;
  }
  fit(x, STEPS, &frequency, &decay, h);
  const double w = 2 * sqrt(k / m) * sin(M_PI / (4 * N)), f1 = atan(w * h) / (2 * M_PI * h);
  const double d1 = 1 / sqrt(1 + w * h * w * h);
  cr_expect(fabs(frequency / f1 - 1) < TOLERANCE, "%.12g Hz, not %.12g", frequency, f1);
  cr_expect(fabs(decay / d1 - 1) < TOLERANCE, "%.12g a step, not %.12g", decay, d1);
  soft_end(&soft);
}

Test(projective, a_chain_vibrates_exactly_as_implicit_euler_has_it) { vibrate_chain(MB_METHOD_PROJECTIVE); }
Test(projective, a_chain_vibrates_exactly_so_under_newton) { vibrate_chain(MB_METHOD_NEWTON); }
Test(projective, a_chain_vibrates_exactly_so_under_lbfgs) { vibrate_chain(MB_METHOD_LBFGS); }

// In the continuum √(E/ρ)/4L = 7.9057 Hz
Test(projective, a_bar_of_tetrahedra_vibrates_at_the_continuums_frequency) {
  const double TOLERANCE = 0.01, AGREE = 1e-3, h = 0.005; // by the mesh; of what frequency and decay say of ω
  enum { SKIP = 20, STEPS = 60 };                         // higher modes go first
  static const double size[3] = {0.1, 0.1, 1};
  const size_t counts[3] = {3, 3, 21};
  Soft soft = {0};
  cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
  soft_begin(&soft, 1000);
  soft_material(&soft, MB_COROTATIONAL, 1e6, 0);
  soft_hold(&soft, 2, 0, 7);
  for (size_t i = 0; i < soft.mesh.nodes; i++)
    soft.q[3 * i + 2] += 1e-3 * sin(M_PI / 2 * soft.mesh.x[3 * i + 2]);
  soft_create(&soft, h, MB_METHOD_PROJECTIVE, 300, 1e-12);
  double x[STEPS] = {0}, frequency, decay;
  for (size_t s = 0; s < SKIP + STEPS; s++) {
    soft_step(&soft);
    for (size_t i = 0; i < soft.mesh.nodes && s >= SKIP; i++)
      if (soft.mesh.x[3 * i + 2] == 1) x[s - SKIP] += soft.q[3 * i + 2] - 1;
  }
  fit(x, STEPS, &frequency, &decay, h);
  const double w = tan(2 * M_PI * h * frequency) / h, again = sqrt(1 / (decay * decay) - 1) / h;
  cr_log_info("%.6g Hz by frequency, %.6g by decay", w / (2 * M_PI), again / (2 * M_PI));
  cr_expect(fabs(w / (2 * M_PI * 7.9057) - 1) < TOLERANCE, "%g Hz", w / (2 * M_PI));
  cr_expect(fabs(again / w - 1) < AGREE, "%g and %g rad/s", w, again);
  soft_end(&soft);
}

// m v⁺ = m v − h (k x⁺ + c v⁺)
Test(projective, a_damped_spring_moves_as_implicit_euler_has_it) {
  const double TOLERANCE = 1e-11, h = 0.01, k = 500, c = 8, m = 2; // the iterations' tolerance, m
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    soft.mesh.nodes = 2, soft.mesh.edges = 1;
    soft.mesh.x = mb_calloc(2, 3 * sizeof(double));
    soft.mesh.edge = mb_calloc(1, 2 * sizeof(uint32_t));
    soft.mesh.x[3] = 1, soft.mesh.edge[1] = 1;
    soft_begin(&soft, 0);
    soft.part.stiffness = k, soft.part.damping = c, soft.mass[0] = soft.mass[1] = m, soft.placed[0] = 7;
    soft.q[3] = 1.3;
    soft_create(&soft, h, method, 1000, 1e-14);
    double x = 0.3, v = 0;
    for (int s = 0; s < 50; s++) {
      v = (m * v - h * k * x) / (m + h * c + h * h * k), x += h * v;
      soft_step(&soft);
      cr_assert(fabs(soft.q[3] - 1 - x) < TOLERANCE, "step %d: %.12g, not %.12g", s, soft.q[3] - 1, x);
    }
    soft_end(&soft);
  }
}

// ---- symmetries -------------------------------------------------------------------------------------------

// A bar that swings and is twisted, in one frame and in another.
Test(projective, turning_the_scene_turns_the_result) {
  const double TOLERANCE = 1e-9; // m; rounding through forty iterated steps
  static const double size[3] = {0.2, 0.2, 0.8}, turn[3] = {0.7, -0.4, 1.1}, gravity[3] = {0, -9.81, 2};
  const size_t counts[3] = {3, 3, 9};
  double Q[4], *first = NULL;
  mb_quat_exp(Q, turn);
  for (int side = 0; side < 2; side++) {
    Soft soft = {0};
    cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
    soft_begin(&soft, 1000);
    soft_material(&soft, MB_NEO_HOOKEAN, 1e5, 0.4);
    soft_hold(&soft, 2, 0, 7);
    const size_t n = soft.mesh.nodes;
    mb_vec3_copy(soft.gravity, gravity);
    for (size_t i = 0; i < n; i++) mb_vec3_set(soft.v + 3 * i, -soft.q[3 * i + 1], soft.q[3 * i], 0.1);
    if (side) {
      mb_quat_rotate(soft.gravity, Q, gravity);
      for (size_t i = 0; i < n; i++) {
        mb_quat_rotate(soft.q + 3 * i, Q, soft.mesh.x + 3 * i);
        mb_vec3_copy(soft.target + 3 * i, soft.q + 3 * i);
        mb_quat_rotate(soft.v + 3 * i, Q, soft.v + 3 * i);
      }
    }
    soft_create(&soft, 0.01, MB_METHOD_PROJECTIVE, 10, 0);
    for (int k = 0; k < 40; k++) soft_step(&soft);
    if (!side) {
      first = mb_calloc(3 * n, sizeof *first);
      for (size_t i = 0; i < n; i++) mb_quat_rotate(first + 3 * i, Q, soft.q + 3 * i);
    } else {
      test_near("places", soft.q, first, 3 * n, TOLERANCE);
    }
    soft_end(&soft);
  }
  mb_free(first);
}
