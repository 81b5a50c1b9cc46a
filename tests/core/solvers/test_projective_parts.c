// The engine's parts: cables, what holds nodes, every method of the global step, threads, memory.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "tests/soft.h"

#include <string.h>

// Points alone, in a row along x, so far apart.
static void points(Soft *soft, size_t n, double apart) {
  soft->mesh.nodes = n;
  soft->mesh.x = mb_calloc(n, 3 * sizeof(double));
  for (size_t i = 0; i < n; i++) soft->mesh.x[3 * i] = apart * (double)i;
  soft_begin(soft, 0);
  for (size_t i = 0; i < n; i++) soft->mass[i] = 2;
}

// ---- cables -----------------------------------------------------------------------------------------------

// From point 0, which is placed, to point 1
static const size_t start[] = {0, 1, 2};
static const uint32_t ends[] = {0, 1};

Test(projective_parts, a_cable_pulls_with_the_force_that_is_given) {
  const double TOLERANCE = 1e-13; // m/s, rounding
  const MbCablePath cable = {2, start, ends};
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    points(&soft, 2, 1);
    soft.placed[0] = 7;
    soft.spec.ncables = 1, soft.spec.cables = &cable;
    soft_create(&soft, 0.01, method, 200, 1e-14);
    soft.force[0] = 3;
    for (int k = 0; k < 5; k++) soft_step(&soft);
    const double want[3] = {-5 * 0.01 * 3 / 2, 0, 0}; // n h T/m
    test_near("velocity", soft.v + 3, want, 3, TOLERANCE);
    soft_end(&soft);
  }
}

// ---- what holds nodes -------------------------------------------------------------------------------------

static void bar(Soft *soft, MbElasticModel model) {
  static const double size[3] = {0.2, 0.2, 0.8};
  const size_t counts[3] = {3, 3, 9};
  cr_assert(mb_element_mesh_box(&soft->mesh, counts, size));
  soft_begin(soft, 1000);
  soft_material(soft, model, 2e5, 0.35);
  soft->gravity[1] = -9.81;
}

// Runs a bar that hangs from one end, on a roller along x at the other, and gives where its nodes are.
static double *run_bar(MbPdSpec like, int iterations, double tolerance, int steps) {
  Soft soft = {0};
  bar(&soft, MB_NEO_HOOKEAN);
  soft.spec = like;
  soft_hold(&soft, 2, 0, 7);
  soft_hold(&soft, 2, 0.8, 2);
  soft_create(&soft, 0.01, like.method ? like.method : MB_METHOD_PROJECTIVE, iterations, tolerance);
  for (int k = 0; k < steps; k++) {
    for (size_t i = 0; i < soft.mesh.nodes; i++)
      if (soft.placed[i] == 2) soft.target[3 * i + 1] = soft.mesh.x[3 * i + 1] + 0.01 * (k + 1);
    soft_step(&soft);
    for (size_t i = 0; i < soft.mesh.nodes; i++)
      for (size_t c = 0; c < 3; c++)
        if (soft.placed[i] >> c & 1)
          cr_assert(soft.q[3 * i + c] == soft.target[3 * i + c], "node %zu slips", i);
  }
  double *q = soft.q;
  soft.q = NULL;
  soft_end(&soft);
  return q;
}

enum { NODES = 3 * 3 * 9 };

Test(projective_parts, iterations_and_newton_come_to_the_same) {
  const double TOLERANCE = 1e-8; // m; iterations that have settled to 1e-12 by the step
  double *newton = run_bar((MbPdSpec){.method = MB_METHOD_NEWTON}, 100, 0, 10);
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHOD_NEWTON; method++) {
    double *other = run_bar((MbPdSpec){.method = method}, 3000, 1e-12, 10);
    test_near("places", other, newton, 3 * NODES, TOLERANCE);
    mb_free(other);
  }
  mb_free(newton);
  cr_expect(mb_alloc_live() == 0, "%lld blocks left", (long long)mb_alloc_live());
}

Test(projective_parts, every_complete_method_of_the_global_step_gives_the_same) {
  const double TOLERANCE = 1e-11; // m; rounding
  double *first = run_bar((MbPdSpec){.global = MB_GLOBAL_CHOLESKY}, 10, 0, 10);
  const MbPdSpec others[] = {{.global = MB_GLOBAL_SPARSE_INVERSE},
                             {.global = MB_GLOBAL_PARTITIONED_INVERSE},
                             {.global = MB_GLOBAL_SPARSE_INVERSE, .single = true},
                             {.global = MB_GLOBAL_AUTO}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    double *other = run_bar(others[k], 10, 0, 10);
    test_near("places", other, first, 3 * NODES, others[k].single ? 1e-8 : TOLERANCE);
    mb_free(other);
  }
  mb_free(first);
}

Test(projective_parts, jacobi_and_chebyshev_come_to_the_same_if_they_may_iterate) {
  const double TOLERANCE = 1e-7; // m; their last corrections are smaller than what is left by a hundred
  double *first = run_bar((MbPdSpec){.method = MB_METHOD_NEWTON}, 100, 0, 2);
  const MbPdSpec others[] = {{.global = MB_GLOBAL_JACOBI}, {.global = MB_GLOBAL_CHEBYSHEV}};
  for (size_t k = 0; k < 2; k++) {
    double *other = run_bar(others[k], 20000, 1e-11, 2);
    test_near("places", other, first, 3 * NODES, TOLERANCE);
    mb_free(other);
  }
  mb_free(first);
}

static void sheet(Soft *soft, MbMethod method, int threads) {
  cr_assert(mb_element_mesh_grid(&soft->mesh, 12, 12, 1, 1, true));
  soft->part.thickness = 1e-3, soft->part.bending = MB_BENDING_ISOMETRIC, soft->part.bending_stiffness = 1e-4;
  soft_begin(soft, 300);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  soft->placed[0] = soft->placed[11] = 7;
  soft->gravity[2] = -9.81;
  soft->spec.threads = threads;
  soft_create(soft, 0.01, method, 8, 0);
}

// ---- energy -----------------------------------------------------------------------------------------------

// Of tetrahedra, cloth that bends, and springs with a damper, somewhere: f = −∂E/∂q by central differences.
Test(projective_parts, forces_are_minus_the_slope_of_the_energy) {
  const double TOLERANCE = 1e-7, STEP = 1e-6; // of the largest force; (step)² and rounding
  for (int kind = 0; kind < 3; kind++) {
    Soft soft = {0};
    uint64_t seed = 3;
    static const double unit[3] = {1, 1, 1};
    static const size_t counts[3] = {2, 2, 2};
    if (kind == 0) cr_assert(mb_element_mesh_box(&soft.mesh, counts, unit));
    if (kind > 0) cr_assert(mb_element_mesh_grid(&soft.mesh, 3, 3, 1, 1, true));
    if (kind == 2) { // sides of the triangles
      soft.mesh.edges = 2 * soft.mesh.triangles;
      soft.mesh.edge = mb_calloc(soft.mesh.edges, 2 * sizeof(uint32_t));
      for (size_t e = 0; e < 2 * soft.mesh.edges; e++)
        soft.mesh.edge[e] = soft.mesh.triangle[3 * (e / 4) + (e % 4 + 1) / 2];
      soft.mesh.triangles = 0;
    }
    soft.part.thickness = 0.1, soft.part.bending = MB_BENDING_LAPLACE_BELTRAMI,
    soft.part.bending_stiffness = 5;
    soft.part.stiffness = 100;
    soft_begin(&soft, 1000);
    for (size_t i = 0; i < soft.mesh.nodes; i++) soft.mass[i] = 1;
    soft_material(&soft, MB_NEO_HOOKEAN, 1e3, 0.3);
    soft_create(&soft, 0.01, MB_METHOD_PROJECTIVE, 5, 0);
    const size_t n = 3 * soft.mesh.nodes;
    double *f = mb_calloc(n, sizeof *f), *slope = mb_calloc(n, sizeof *slope), most = 0;
    for (size_t c = 0; c < n; c++) soft.q[c] += 0.2 * (test_random(&seed) - 0.5);
    mb_pd_forces(soft.engine, soft.q, f);
    for (size_t c = 0; c < n; c++) {
      const double x = soft.q[c];
      soft.q[c] = x + STEP;
      const double above = mb_pd_energy(soft.engine, soft.q);
      soft.q[c] = x - STEP;
      slope[c] = -(above - mb_pd_energy(soft.engine, soft.q)) / (2 * STEP);
      soft.q[c] = x;
      most = fmax(most, fabs(f[c]));
    }
    test_near("forces", f, slope, n, TOLERANCE * most);
    mb_free(f);
    mb_free(slope);
    soft_end(&soft);
  }
}

// ---- sheets that are curved at rest ---------------------------------------------------------------------------

// A quarter of a cylinder of radius 1 that rises from where it is placed, `cells` along the arc.
static void arch(Soft *soft, MbMethod method, size_t cells, bool cross, double stretch) {
  const size_t wide = cells / 4;
  const double arc = M_PI / 2, width = arc * (double)wide / (double)cells;
  cr_assert(mb_element_mesh_grid(&soft->mesh, cells + 1, wide + 1, arc, width, cross));
  double least = 0;
  for (size_t i = 0; i < soft->mesh.nodes; i++) least = fmin(least, soft->mesh.x[3 * i]);
  soft->part.thickness = 1, soft->part.bending = MB_BENDING_ISOMETRIC, soft->part.bending_stiffness = 1;
  for (size_t i = 0; i < soft->mesh.nodes; i++) {
    double *x = soft->mesh.x + 3 * i;
    const double angle = x[0] - least;
    x[0] = sin(angle), x[2] = 1 - cos(angle);
  }
  soft_begin(soft, 1);
  for (size_t i = 0; i < soft->mesh.nodes; i++)
    if (soft->mesh.x[3 * i] < sin(1.01 * arc / (double)cells)) soft->placed[i] = 7;
  soft_material(soft, MB_COROTATIONAL, stretch, 0);
  soft_create(soft, 1e4, method, 200, method == MB_METHOD_NEWTON ? 1e-11 : 1e-9);
}

// Under its weight the tip of a curved cantilever goes down by (w/D) ∫ M m, with the moments M of the weight and m of a force at
// the tip, both by angle from where it is placed.
static double tip_of_arch(double from) {
  enum { STEPS = 2000 };
  double sum = 0;
  for (int k = 0; k < STEPS; k++) {
    const double step = (M_PI / 2 - from) / STEPS, t = from + (k + 0.5) * step;
    sum += step * (cos(t) - (M_PI / 2 - t) * sin(t)) * (1 - sin(t));
  }
  return sum;
}

Test(projective_parts, a_curved_strip_bends_as_a_curved_beam) {
  static const double WITHIN = 0.02, WEIGHT = 1e-4;
  for (int cross = 0; cross < 2; cross++) {
    Soft soft = {0};
    arch(&soft, MB_METHOD_NEWTON, 24, cross, 3e3);
    cr_expect_float_eq(mb_pd_energy(soft.engine, soft.q), 0, 1e-12, "it is at rest as it is");
    soft.gravity[2] = -WEIGHT;
    soft_step(&soft);
    cr_assert(mb_pd_stats(soft.engine).converged);
    double tip = 0, count = 0;
    for (size_t i = 0; i < soft.mesh.nodes; i++)
      if (soft.mesh.x[3 * i] > 1 - 1e-9) tip += soft.mesh.x[3 * i + 2] - soft.q[3 * i + 2], count++;
    const double h = M_PI / 2 / 24, wanted = WEIGHT * tip_of_arch((cross ? 0.75 : 0.5) * h);
    cr_expect_float_eq(tip / count / wanted, 1, WITHIN, "%s: %g", cross ? "cross" : "diagonal",
                       tip / count / wanted);
    soft_end(&soft);
  }
}

Test(projective_parts, every_method_comes_to_the_same_curved_sheet) {
  static const double TOLERANCE = 1e-6;
  double *first = NULL;
  for (MbMethod method = MB_METHOD_NEWTON; method >= MB_METHOD_LBFGS; method--) {
    Soft soft = {0};
    arch(&soft, method, 12, true, 300);
    mb_pd_free(soft.engine);
    soft_create(&soft, 0.3, method, method == MB_METHOD_NEWTON ? 100 : 20000, 1e-11);
    soft.gravity[2] = -0.5;
    for (int k = 0; k < 4; k++) soft_step(&soft);
    cr_expect(mb_pd_stats(soft.engine).converged, "%g is left", mb_pd_stats(soft.engine).residual);
    if (!first && (first = mb_calloc(3 * soft.mesh.nodes, sizeof *first)))
      memcpy(first, soft.q, 3 * soft.mesh.nodes * sizeof *first);
    test_near("places", soft.q, first, 3 * soft.mesh.nodes, TOLERANCE);
    soft_end(&soft);
  }
  mb_free(first);
}

Test(projective_parts, iterations_and_newton_come_to_the_same_cloth) {
  const double TOLERANCE = 1e-7; // m; iterations that have settled to 1e-12 by the step
  double *first = NULL;
  for (MbMethod method = MB_METHOD_NEWTON; method >= MB_METHOD_LBFGS; method--) {
    Soft soft = {0};
    sheet(&soft, method, 1);
    mb_pd_free(soft.engine);
    soft.part.bending_stiffness = 0.01;
    soft_create(&soft, 0.01, method, method == MB_METHOD_NEWTON ? 100 : 20000, 1e-12);
    for (int k = 0; k < 5; k++) soft_step(&soft);
    cr_expect(mb_pd_stats(soft.engine).converged, "%g is left", mb_pd_stats(soft.engine).residual);
    if (!first && (first = mb_calloc(3 * soft.mesh.nodes, sizeof *first)))
      memcpy(first, soft.q, 3 * soft.mesh.nodes * sizeof *first);
    test_near("places", soft.q, first, 3 * soft.mesh.nodes, TOLERANCE);
    soft_end(&soft);
  }
  mb_free(first);
}

// ---- threads and memory -----------------------------------------------------------------------------------

Test(projective_parts, any_number_of_threads_gives_the_same_bits) {
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    double *first = NULL;
    for (int threads = 1; threads < 4; threads += 2) {
      Soft soft = {0};
      sheet(&soft, method, threads);
      for (int k = 0; k < (method == MB_METHOD_NEWTON ? 4 : 20); k++) soft_step(&soft);
      const size_t n = 3 * soft.mesh.nodes;
      if (first) cr_assert(!memcmp(first, soft.q, n * sizeof *first), "%d threads", threads);
      if (!first && (first = mb_calloc(n, sizeof *first))) memcpy(first, soft.q, n * sizeof *first);
      soft_end(&soft);
    }
    mb_free(first);
  }
}

Test(projective_parts, a_step_takes_no_memory) {
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    sheet(&soft, method, 1);
    soft_step(&soft);
    const int64_t before = mb_alloc_calls();
    for (int k = 0; k < 5; k++) soft_step(&soft);
    cr_expect(mb_alloc_calls() == before, "%lld calls", (long long)(mb_alloc_calls() - before));
    soft_end(&soft);
  }
}

Test(projective_parts, memory_that_runs_out_is_an_error_and_no_leak) {
  static const size_t groups[] = {0, 1, 2};
  static const uint32_t nodes[] = {3, 5};
  const MbCablePath cable = {2, groups, nodes};
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    sheet(&soft, method, 1);
    mb_pd_free(soft.engine);
    soft.engine = NULL;
    soft.spec.ncables = 1, soft.spec.cables = &cable;
    const int64_t live = mb_alloc_live();
    int64_t fail = 0;
    for (MbStatus status = MB_IO; status != MB_OK; fail++) {
      MbReport report = {0};
      MbPdEngine *engine = NULL;
      mb_alloc_fail_after(fail);
      status = mb_pd_create(&soft.spec, &engine, &report);
      mb_alloc_fail_after(-1);
      cr_assert(status == MB_OK || (status == MB_IO && !engine), "status %d after %lld", status,
                (long long)fail);
      mb_pd_free(engine);
      cr_assert(mb_alloc_live() == live, "%lld blocks leak after %lld calls",
                (long long)(mb_alloc_live() - live), (long long)fail);
    }
    cr_expect(fail > 20, "only %lld calls", (long long)fail);
    soft_end(&soft);
  }
}

Test(projective_parts, numbers_that_are_not_finite_are_told) {
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    sheet(&soft, method, 1);
    soft.v[30] = NAN;
    const MbNodeStart begin = {soft.q, soft.v, soft.target, soft.gravity, soft.force, NULL};
    double *q = mb_calloc(3 * soft.mesh.nodes, sizeof *q), *v = mb_calloc(3 * soft.mesh.nodes, sizeof *v);
    cr_expect(!mb_pd_step(soft.engine, &begin, q, v));
    mb_free(q);
    mb_free(v);
    soft_end(&soft);
  }
}

Test(projective_parts, what_is_held_everywhere_goes_where_it_is_told) {
  for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHODS; method++) {
    Soft soft = {0};
    bar(&soft, MB_NEO_HOOKEAN);
    memset(soft.placed, 7, soft.mesh.nodes);
    soft_create(&soft, 0.01, method, 5, 0);
    for (size_t c = 0; c < 3 * soft.mesh.nodes; c++) soft.target[c] += 0.01;
    soft_step(&soft);
    test_near("places", soft.q, soft.target, 3 * soft.mesh.nodes, 0.5e-15);
    cr_expect(fabs(soft.v[5] - 1) < 1e-12, "%g m/s", soft.v[5]);
    soft_end(&soft);
  }
}

Test(projective_parts, what_does_not_fit_is_refused_with_its_size_before_it_is_made) {
  static const struct {
    MbPdSpec spec;
    const char *instead;
  } rows[] = {{{.global = MB_GLOBAL_CHOLESKY}, "\"jacobi\" takes less"},
              {{.global = MB_GLOBAL_SPARSE_INVERSE}, "\"partitioned_inverse\" takes less"},
              {{.global = MB_GLOBAL_PARTITIONED_INVERSE}, "\"jacobi\" takes less"},
              {{.method = MB_METHOD_NEWTON}, "\"projective\" takes less"}};
  Soft soft = {0};
  const size_t counts[3] = {6, 6, 6};
  static const double size[3] = {1, 1, 1};
  cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
  soft_begin(&soft, 1000);
  soft_material(&soft, MB_COROTATIONAL, 1e5, 0.3);
  soft.part.mesh = &soft.mesh;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    MbReport report = {0};
    MbPdSpec spec = rows[k].spec;
    spec.nodes = soft.mesh.nodes, spec.mass = soft.mass, spec.placed = soft.placed, spec.h = 0.01;
    spec.nparts = 1, spec.parts = &soft.part, spec.iterations = 5, spec.threads = 1, spec.memory = 10000;
    cr_expect_eq(mb_pd_create(&spec, &soft.engine, &report), MB_SCENE);
    cr_expect(report.kept && strstr(report.issues[0].text, rows[k].instead) &&
                  strstr(report.issues[0].text, "of 216 nodes takes"),
              "%s", report.kept ? report.issues[0].text : "nothing is said");
    spec.memory = 100000000;
    cr_expect_eq(mb_pd_create(&spec, &soft.engine, NULL), MB_OK);
    mb_pd_free(soft.engine), soft.engine = NULL;
  }
  soft_end(&soft);
  cr_expect(mb_alloc_live() == 0, "%lld blocks left", (long long)mb_alloc_live());
}
